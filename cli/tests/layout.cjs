// Nothing on the page covers anything else that a player needs to see.
// layout.cjs URL FOLDER [STATES [LANGUAGES [LOOKS]]]
//
// Tables are made up and sent to the real page, so that each state can be measured in every window.
"use strict";

const { chromium } = require("playwright-core");
const { BASE, call, codes, open, seats } = require("./made-up.cjs");
const { FLAGS, axe, check } = require("./page-support.cjs");
const [url, folder, ...choices] = process.argv.slice(2);

// The last four are half of larger screens: a browser at 200 % zoom has half the CSS pixels.
const WINDOWS = [[360, 640], [768, 1024], [1024, 600], [1366, 768], [1920, 1080], [384, 512], [683, 384], [960, 540], [512, 300]];
// Those with the longest words.
const LANGUAGES = ["lb", "fr"];
/** Settings by look. Each look has several of them. */
const LOOKS = {
  plain: {},
  large: { largeCards: true, largeText: true, felt: "red", back: "dots" },
  drawn: { largeCards: true, bothCorners: true, courts: true, trumpsFirst: true, felt: "blue", back: "diamonds" },
  corners: { bothCorners: true, fourColours: true, theme: "dark", felt: "dark" },
};

const suits = (kind, levels) => levels.flatMap((level) => [..."SCDH"].map((suit) => `${kind}-${level}${suit}`));
const AUCTION = {
  ...BASE, rules: "horesca", phase: "auction", calls: 3, history: [call("W", "8S"), call("N", "8D"), call("E", "8H")],
  legal: [..."pass 8H 9S 9C 9D 9H 10S 10D 10H 11S 11D 11H 12S 12D 12H 13S 13D 13H".split(" "), ...suits("solo", [6, 7, 8]), ...suits("abondance", [9, 10, 11]),
    ..."small-misere misere open-misere piccolo".split(" "), ...suits("small-slam", [""]), "small-slam-NT", ...suits("slam", [""]), "slam-NT"],
};
const FLANDERS = {
  ...BASE, rules: "wiezen", phase: "auction", calls: 3, turn_up: "9S", history: [call("W", "8S"), call("N", "pass"), call("E", "misere")],
  legal: [..."pass 8S".split(" "), ...suits("abondance", [9, 10, 11, 12]), ..."misere open-misere slam-C slam-D slam-H solo-slim".split(" ")],
};
const EXCHANGE = {
  ...BASE, rules: "iwwa", dealer: "S", phase: "exchange", calls: 2, turn_up: "KD", history: [call("S", "misere"), call("W", "pass")],
  contract: { kind: "misere", level: null, trump: null, declarers: "S" },
  legal: ["keep", ...[..."SHDC"].flatMap((suit) => [..."23456789TJQKA"].map((rank) => rank + suit)).filter((card) => !BASE.hand.includes(card))],
};
const PAIR = { kind: "suit", level: 10, trump: "H", declarers: "NE" };
const TRICK = [{ seat: "W", card: "TH" }, { seat: "N", card: "QH" }, { seat: "E", card: "KH" }, { seat: "S", card: "AH" }];
const PLAYED = { ...BASE, calls: 4, contract: PAIR, history: [...AUCTION.history, call("S", "pass")], tricks: { N: 3, E: 4, S: 2, W: 1 }, cards: seats(3) };
const plays = TRICK.map(({ seat, card }) => ({ seat, action: card, phase: "play" }));
const FOUR = { ...PLAYED, trick: TRICK, history: [...PLAYED.history, ...plays], hand: codes("AS KS 9S"), turn: "W" };
const OPEN = {
  ...BASE, calls: 4, contract: { kind: "open-misere", level: null, trump: null, declarers: "NW" }, history: [...PLAYED.history, ...plays], legal: codes("AH TH 4H"),
  shown: { ...seats([]), N: codes("2S 3S 4S 5S 2H 3H 5H 2D 4D 3C 4C 5C 6C"), W: codes("6S 7S 8S 6H 7H 8H 5D 6D 7D 7C 8C JC QC") },
};
const DEAL = "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432";
const OVER = {
  ...PLAYED, phase: "done", turn: null, hand: [], scores: { N: -12, E: -12, S: 12, W: 12 }, tricks: { N: 4, E: 4, S: 3, W: 2 },
  history: [...PLAYED.history, ...plays],
  record: { rules: "luxembourg", dealer: "W", deal: DEAL, actions: ["8S", "8D", "8H", "pass", "TH", "QH", "KH", "AH"] },
};
const VALUES = [["8H", 3.8], ["pass", -2.1], ["abondance-9D", -12.3]].map(([action, points]) => ({ action, points, error: 1.2, chance: 0.3 }));
const DECISIONS = [
  { at: 4, seat: "S", phase: "auction", did: "abondance-9D", best: "8H", bot: "8H", chance: 0.01, bot_chance: 0.6, value: -8.6, points: 12.4, bot_points: 0, over_bot: 0, candidates: VALUES, tricks: null },
  { at: 8, seat: "S", phase: "play", did: "AH", best: "AH", bot: "AH", chance: 1, bot_chance: 1, value: 3, points: 0, bot_points: 0, over_bot: 0, candidates: [], tricks: 1 },
];
const HINT = { type: "hint", action: "8H", bot: "abondance-9D", policy: [["abondance-9D", 0.55], ["pass", 0.3], ["8H", 0.15]], value: -12.3, candidates: VALUES };

const ANSWERS = {
  hint: () => HINT,
  review: ({ from }) => ({ type: "review", from, of: DECISIONS.length, judge: "luxembourg-match-v1", decision: DECISIONS[from] ?? null }),
};

/** Elements that are not wholly to be seen: outside the window, scrolled away, or under others. */
function hidden(page, selector) {
  return page.evaluate((selector) => {
    const all = [...document.querySelectorAll(selector)];
    if (!all.length) return [`${selector}: none`];
    return all.flatMap((one) => {
      // In a window this low the panel of calls may scroll, but covers nothing.
      if (innerHeight < 320 && one.closest(".bids")) one.scrollIntoView({ block: "nearest" });
      const { left, right, top, bottom } = one.getBoundingClientRect();
      const own = one.closest("[data-card]") ?? one;
      const points = [0.1, 0.5, 0.9].flatMap((x) => [0.2, 0.5, 0.8].map((y) => [left + x * (right - left), top + y * (bottom - top)]));
      // What is under another element is not hit there.
      const unseen = points.filter(([x, y]) => { const hit = document.elementFromPoint(x, y); return !hit || !own.contains(hit); });
      const covers = unseen.map(([x, y]) => document.elementFromPoint(x, y)).map((by) => (by ? by.closest("[class]")?.className.baseVal ?? by.closest("[class]")?.className : "the edge"));
      const box = [left, top, right, bottom].map(Math.round);
      return unseen.length ? [`${selector} "${(one.dataset.card ?? one.textContent).slice(0, 24)}" at ${box}: ${unseen.length} of 9 points under ${[...new Set(covers)]}`] : [];
    });
  }, selector);
}

/** Words of table headers that are broken into two lines. */
const broken = (page) => page.$$eval("th", (all) => all.flatMap((head) => {
  const walk = document.createTreeWalker(head, NodeFilter.SHOW_TEXT);
  const found = [];
  while (walk.nextNode()) {
    for (const { 0: word, index } of walk.currentNode.data.matchAll(/\S+/g)) {
      const range = document.createRange();
      range.setStart(walk.currentNode, index);
      range.setEnd(walk.currentNode, index + word.length);
      if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) found.push(`broken header: ${word}`);
    }
  }
  return found;
}));

/** Pairs of elements that overlap. */
const overlaps = (page, selector) => page.$$eval(selector, (all) => {
  const boxes = all.map((one) => [one.textContent.slice(0, 20) || one.dataset.card, one.getBoundingClientRect()]);
  return boxes.flatMap(([name, a], i) => boxes.slice(i + 1)
    .filter(([, b]) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1)
    .map(([other]) => `"${name}" and "${other}" overlap`));
});

const isNarrow = (page) => page.viewportSize().width <= 960;
const closePanel = (page) => (isNarrow(page) ? page.keyboard.press("Escape") : null);
const CALLS = ".place:not(.me) .bubble";

// What to see, what may not overlap, and what else to do and look at; in windows of a least height.
const STATES = {
  auction: { table: AUCTION, see: [CALLS, ".bids .row button", ".chips button", ".place .who", ".hand .card svg > .index text"], apart: ".plate, .bubble, .bids" },
  "turn-up": { table: FLANDERS, see: [CALLS, ".bids .row button", ".chips button", ".place .who"], apart: ".plate, .bubble, .bids" },
  chips: {
    table: AUCTION, async look(page) {
      const found = [];
      for (const chip of await page.$$(".chip")) {
        await chip.click();
        found.push(...await hidden(page, ".choices button"), ...await hidden(page, CALLS));
        await chip.click();
      }
      await page.click(".chip[data-kind=abondance]");
      return found;
    }, after: (page) => page.click(".chip[data-kind=abondance]"),
  },
  hint: {
    table: AUCTION, async look(page) {
      await page.click("#hint:enabled");
      await page.waitForSelector(".advice");
      return [...await hidden(page, ".advice"), ...await hidden(page, CALLS), ...await hidden(page, ".bids .row button")];
    },
  },
  exchange: {
    table: EXCHANGE, async look(page) {
      await page.click(".chip[data-kind=card]");
      return [...await hidden(page, ".choices button"), ...await hidden(page, ".place .who")];
    }, after: (page) => page.click(".chip[data-kind=card]"),
  },
  trick: { table: FOUR, see: [".middle .card svg > .index text", ".middle .card svg > .index path", ".place .who"], apart: ".plate, .bubble, .middle .card" },
  open: { table: OPEN, least: 320, see: [".open .card svg > .index text", ".place .who"] },
  result: { table: OVER, see: [".over .result", "#next", ".place .who"], apart: ".plate, .over" },
  review: {
    table: OVER, async look(page) {
      if (isNarrow(page)) await page.click(".over .narrow");
      await page.waitForSelector(".decisions button");
      return hidden(page, ".review > .decisions:first-of-type > li:first-child button");
    }, after: closePanel,
  },
  tables: {
    table: OVER, async look(page) {
      if (isNarrow(page)) await page.click("#panel");
      const found = [];
      for (const tab of ["score", "rules"]) {
        await page.click(`#tab-${tab}`);
        found.push(...await broken(page), ...await hidden(page, ".numbers thead th"));
      }
      return found;
    }, after: closePanel,
  },
};

/** States for the looks that change only cards and colours. */
const CARD_STATES = ["auction", "turn-up", "trick", "open", "result"];

const faults = [];

/** Notes what is wrong with a state in all windows. */
async function measure(browser, name, language, look) {
  const { table, see = [], apart, look: lookAt, after, least = 0 } = STATES[name];
  const page = await open(browser, url, language, table, ANSWERS, LOOKS[look]);
  await axe(page, `${name}, ${look}`).catch(({ message }) => faults.push(message));
  for (const [width, height] of WINDOWS) {
    if (height < least) continue;
    await page.setViewportSize({ width, height });
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    const found = [];
    for (const selector of see) found.push(...await hidden(page, selector));
    if (apart) found.push(...await overlaps(page, apart));
    if (lookAt) found.push(...await lookAt(page).catch((error) => [error.message]));
    const [wide, high] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.scrollHeight]);
    if (wide > width || high > height) found.push(`the page is ${wide} × ${high}`);
    faults.push(...found.map((fault) => `${name}, ${look}, ${language}, ${width} × ${height}: ${fault}`));
    if (choices[0] || language === LANGUAGES[0]) await page.screenshot({ path: `${folder}/${name}-${width}x${height}-${language}-${look}.png` });
    await after?.(page);
  }
  check(page.errors.length === 0, page.errors.join("\n"));
  await page.context().close();
}

(async () => {
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: FLAGS });
  const all = [Object.keys(STATES), LANGUAGES, Object.keys(LOOKS)];
  const [states, languages, looks] = all.map((names, i) => (choices[i] ? choices[i].split(",") : names));
  for (const look of looks) {
    // Sizes depend on the look, and words on the language: not every pair is worth its time.
    for (const language of look === "plain" ? languages : languages.slice(0, 1)) {
      const worthwhile = ["plain", "large"].includes(look) ? states : states.filter((name) => CARD_STATES.includes(name));
      for (const name of worthwhile) await measure(browser, name, language, look);
    }
  }
  await browser.close();
  check(faults.length === 0, `${faults.length} faults:\n${faults.join("\n")}`);
})().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
