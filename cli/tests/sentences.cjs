// Sentences that the page puts together, in five languages: person, number and gender agree.
// sentences.cjs URL
"use strict";

const { chromium } = require("playwright-core");
const { BASE, call, open, seats } = require("./made-up.cjs");
const { FLAGS, check } = require("./page-support.cjs");
const [url] = process.argv.slice(2);

const OVER = {
  ...BASE, phase: "done", turn: null, hand: [], calls: 4, history: [..."WNES"].map((seat) => call(seat, "pass")),
  record: { rules: "luxembourg", dealer: "W", deal: "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432", actions: ["pass", "pass", "pass", "pass"] },
};
const suit = (declarers) => ({ kind: "suit", level: 8, trump: "H", declarers });
const of = (kind, declarers, more = {}) => ({ kind, level: null, trump: null, declarers, ...more });

/** Deals, as contract, tricks by seat, and the points of the person at South. */
const DEALS = {
  you: [of("solo", "S", { level: 6, trump: "H" }), { S: 6 }, 12],
  youFailed: [of("solo", "S", { level: 6, trump: "H" }), { S: 5 }, -15],
  other: [of("abondance", "N", { level: 9, trump: "S" }), { N: 10 }, -21],
  otherFailed: [of("abondance", "N", { level: 9, trump: "S" }), { N: 8 }, 21],
  withYou: [suit("NS"), { N: 5, S: 4 }, 10],
  withYouFailed: [suit("NS"), { N: 5, S: 2 }, -1],
  pair: [suit("NE"), { N: 5, E: 3 }, -7],
  pairFailed: [suit("NE"), { N: 1, E: 0 }, 7],
  misere: [of("misere", "E"), {}, -12],
  misereFailed: [of("misere", "E"), { E: 1 }, 12],
  yourMisere: [of("open-misere", "S"), { S: 2 }, -75],
  slam: [of("slam", "W", { level: 13 }), { W: 13 }, -100],
  trou: [of("trou", "ES", { level: 8, trump: "C" }), { E: 4, S: 4 }, 16],
  troel: [of("troel", "WN", { level: 8, trump: "C" }), { W: 4, N: 3 }, 16],
};

const EXPECTED = {
  en: {
    you: ["You made solo 6 ♥: 6 tricks.", "+12 points for you."], youFailed: ["You failed in solo 6 ♥: 5 tricks, 1 short.", "−15 points for you."],
    other: ["Marie made abondance 9 ♠: 10 tricks, 1 over.", "−21 points for you."], otherFailed: ["Marie failed in abondance 9 ♠: 8 tricks, 1 short.", "+21 points for you."],
    withYou: ["You and Marie made 8 ♥: 9 tricks, 1 over.", "+10 points for you."], withYouFailed: ["You and Marie failed in 8 ♥: 7 tricks, 1 short.", "−1 point for you."],
    pair: ["Marie and Bram made 8 ♥: 8 tricks.", "−7 points for you."], pairFailed: ["Marie and Bram failed in 8 ♥: 1 trick, 7 short.", "+7 points for you."],
    misere: ["Bram made misère: 0 tricks.", "−12 points for you."], misereFailed: ["Bram failed in misère: 1 trick.", "+12 points for you."],
    yourMisere: ["You failed in open misère: 2 tricks.", "−75 points for you."], slam: ["Nico made slam no trumps: 13 tricks.", "−100 points for you."],
    trou: ["You and Bram made trou 8 ♣: 8 tricks.", "+16 points for you."], troel: ["Nico and Marie failed in troel 8 ♣: 7 tricks, 1 short.", "+16 points for you."],
    wins: ["You win the match.", "Marie wins the match.", "You and Marie win the match.", "Nico, Marie and Bram win the match."],
  },
  lb: {
    you: ["Du hues Solo 6 ♥ gepackt: 6 Streech.", "+12 Punkte fir dech."], youFailed: ["Du hues Solo 6 ♥ net gepackt: 5 Streech, 1 ze wéineg.", "−15 Punkte fir dech."],
    other: ["Ketty huet Abondance 9 ♠ gepackt: 10 Streech, 1 méi.", "−21 Punkte fir dech."], otherFailed: ["Ketty huet Abondance 9 ♠ net gepackt: 8 Streech, 1 ze wéineg.", "+21 Punkte fir dech."],
    withYou: ["Du a Ketty hutt 8 ♥ gepackt: 9 Streech, 1 méi.", "+10 Punkte fir dech."], withYouFailed: ["Du a Ketty hutt 8 ♥ net gepackt: 7 Streech, 1 ze wéineg.", "−1 Punkt fir dech."],
    pair: ["Ketty a Jempi hunn 8 ♥ gepackt: 8 Streech.", "−7 Punkte fir dech."], pairFailed: ["Ketty a Jempi hunn 8 ♥ net gepackt: 1 Streech, 7 ze wéineg.", "+7 Punkte fir dech."],
    misere: ["Jempi huet grouss Misär gepackt: 0 Streech.", "−12 Punkte fir dech."], misereFailed: ["Jempi huet grouss Misär net gepackt: 1 Streech.", "+12 Punkte fir dech."],
    yourMisere: ["Du hues oppe Misär net gepackt: 2 Streech.", "−75 Punkte fir dech."], slam: ["Misch huet grousse Chelem ouni Tromp gepackt: 13 Streech.", "−100 Punkte fir dech."],
    trou: ["Du a Jempi hutt Trou 8 ♣ gepackt: 8 Streech.", "+16 Punkte fir dech."], troel: ["Misch a Ketty hunn Troel 8 ♣ net gepackt: 7 Streech, 1 ze wéineg.", "+16 Punkte fir dech."],
    wins: ["Du gewënns de Match.", "Ketty gewënnt de Match.", "Du a Ketty gewannt de Match.", "Misch, Ketty a Jempi gewannen de Match."],
  },
  nl: {
    you: ["Jij haalt solo 6 ♥: 6 slagen.", "+12 punten voor jou."], youFailed: ["Jij haalt solo 6 ♥ niet: 5 slagen, 1 te weinig.", "−15 punten voor jou."],
    other: ["Lieve haalt abondance 9 ♠: 10 slagen, 1 extra.", "−21 punten voor jou."], otherFailed: ["Lieve haalt abondance 9 ♠ niet: 8 slagen, 1 te weinig.", "+21 punten voor jou."],
    withYou: ["Jij en Lieve halen 8 ♥: 9 slagen, 1 extra.", "+10 punten voor jou."], withYouFailed: ["Jij en Lieve halen 8 ♥ niet: 7 slagen, 1 te weinig.", "−1 punt voor jou."],
    pair: ["Lieve en Staf halen 8 ♥: 8 slagen.", "−7 punten voor jou."], pairFailed: ["Lieve en Staf halen 8 ♥ niet: 1 slag, 7 te weinig.", "+7 punten voor jou."],
    misere: ["Staf haalt miserie: 0 slagen.", "−12 punten voor jou."], misereFailed: ["Staf haalt miserie niet: 1 slag.", "+12 punten voor jou."],
    yourMisere: ["Jij haalt open miserie niet: 2 slagen.", "−75 punten voor jou."], slam: ["Jef haalt grote slem zonder troef: 13 slagen.", "−100 punten voor jou."],
    trou: ["Jij en Staf halen trou 8 ♣: 8 slagen.", "+16 punten voor jou."], troel: ["Jef en Lieve halen troel 8 ♣ niet: 7 slagen, 1 te weinig.", "+16 punten voor jou."],
    wins: ["Jij wint de partij.", "Lieve wint de partij.", "Jij en Lieve winnen de partij.", "Jef, Lieve en Staf winnen de partij."],
  },
  de: {
    you: ["Du schaffst Solo 6 ♥: 6 Stiche.", "+12 Punkte für dich."], youFailed: ["Du schaffst Solo 6 ♥ nicht: 5 Stiche, 1 zu wenig.", "−15 Punkte für dich."],
    other: ["Gerda schafft Abondance 9 ♠: 10 Stiche, 1 mehr.", "−21 Punkte für dich."], otherFailed: ["Gerda schafft Abondance 9 ♠ nicht: 8 Stiche, 1 zu wenig.", "+21 Punkte für dich."],
    withYou: ["Du und Gerda schafft 8 ♥: 9 Stiche, 1 mehr.", "+10 Punkte für dich."], withYouFailed: ["Du und Gerda schafft 8 ♥ nicht: 7 Stiche, 1 zu wenig.", "−1 Punkt für dich."],
    pair: ["Gerda und Peter schaffen 8 ♥: 8 Stiche.", "−7 Punkte für dich."], pairFailed: ["Gerda und Peter schaffen 8 ♥ nicht: 1 Stich, 7 zu wenig.", "+7 Punkte für dich."],
    misere: ["Peter schafft Misère: 0 Stiche.", "−12 Punkte für dich."], misereFailed: ["Peter schafft Misère nicht: 1 Stich.", "+12 Punkte für dich."],
    yourMisere: ["Du schaffst offene Misère nicht: 2 Stiche.", "−75 Punkte für dich."], slam: ["Klaus schafft Chelem ohne Trumpf: 13 Stiche.", "−100 Punkte für dich."],
    trou: ["Du und Peter schafft Trou 8 ♣: 8 Stiche.", "+16 Punkte für dich."], troel: ["Klaus und Gerda schaffen Troel 8 ♣ nicht: 7 Stiche, 1 zu wenig.", "+16 Punkte für dich."],
    wins: ["Du gewinnst die Partie.", "Gerda gewinnt die Partie.", "Du und Gerda gewinnt die Partie.", "Klaus, Gerda und Peter gewinnen die Partie."],
  },
  fr: {
    you: ["Vous avez réussi solo 6 ♥ : 6 plis.", "+12 points pour vous."], youFailed: ["Vous avez chuté en solo 6 ♥ : 5 plis, 1 de moins.", "−15 points pour vous."],
    other: ["Josette a réussi abondance 9 ♠ : 10 plis, 1 de mieux.", "−21 points pour vous."], otherFailed: ["Josette a chuté en abondance 9 ♠ : 8 plis, 1 de moins.", "+21 points pour vous."],
    withYou: ["Vous et Josette avez réussi 8 ♥ : 9 plis, 1 de mieux.", "+10 points pour vous."], withYouFailed: ["Vous et Josette avez chuté en 8 ♥ : 7 plis, 1 de moins.", "−1 point pour vous."],
    pair: ["Josette et Gaston ont réussi 8 ♥ : 8 plis.", "−7 points pour vous."], pairFailed: ["Josette et Gaston ont chuté en 8 ♥ : 1 pli, 7 de moins.", "+7 points pour vous."],
    misere: ["Gaston a réussi misère : 0 pli.", "−12 points pour vous."], misereFailed: ["Gaston a chuté en misère : 1 pli.", "+12 points pour vous."],
    yourMisere: ["Vous avez chuté en misère ouverte : 2 plis.", "−75 points pour vous."], slam: ["Marcel a réussi grand chelem sans atout : 13 plis.", "−100 points pour vous."],
    trou: ["Vous et Gaston avez réussi trou 8 ♣ : 8 plis.", "+16 points pour vous."], troel: ["Marcel et Josette ont chuté en troel 8 ♣ : 7 plis, 1 de moins.", "+16 points pour vous."],
    wins: ["Vous gagnez la partie.", "Josette gagne la partie.", "Vous et Josette gagnez la partie.", "Marcel, Josette et Gaston gagnent la partie."],
  },
};
/** Luxembourgish drops a final n by the word that follows. */
const PLAYED = { "Ech spillen Häerz-Ass": "AH", "Ech spille Schëppen-9": "9S", "Ech spille Kräiz-Damm": "QC", "Ech spille Rauten-10": "TD" };

(async () => {
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: FLAGS });
  const faults = [];
  for (const [language, expected] of Object.entries(EXPECTED)) {
    const page = await open(browser, url, language, BASE);
    let deal = 0;
    /** What the page says of this table, in its own deal so that nothing is shown of the one before. */
    const said = async (table, selector) => {
      page.show({ ...table, deal: ++deal });
      // The page keeps what it shows.
      await page.waitForFunction(([selector, deal]) => document.querySelector(selector)
        && JSON.parse(localStorage.getItem("troel-match")).deals.length === deal + 1, [selector, deal]);
      return page.$$eval(selector, (all) => all.map((one) => one.textContent.trim()));
    };
    const is = (what, found, wanted) => { if (found !== wanted) faults.push(`${language}, ${what}: "${found}" in place of "${wanted}"`); };
    for (const [name, [contract, tricks, points]] of Object.entries(DEALS)) {
      const lines = await said({ ...OVER, contract, tricks: { ...seats(0), ...tricks }, scores: { ...seats(0), S: points } }, ".over > p:not(.totals)");
      is(name, lines.join(" | "), expected[name].join(" | "));
    }
    const totals = [{ S: 9 }, { N: 9 }, { N: 9, S: 9 }, { W: 9, N: 9, E: 9 }];
    for (const [i, won] of totals.entries()) {
      const lines = await said({ ...OVER, void: true, over: true, scores: seats(0), totals: { ...seats(0), ...won } }, ".over > p:not(.totals)");
      is("the match", lines[1], expected.wins[i]);
    }
    for (const [text, card] of Object.entries(language === "lb" ? PLAYED : {})) {
      const [event] = await said({ ...BASE, calls: 1, history: [call("S", "pass"), { seat: "S", action: card, phase: "play" }] }, ".prompt .hidden");
      is("a card", event, text);
    }
    check(page.errors.length === 0, page.errors.join("\n"));
    await page.context().close();
  }
  await browser.close();
  check(faults.length === 0, faults.join("\n"));
})().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
