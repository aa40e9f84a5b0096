// What the page keeps, asks and offers: matches in several windows, rules by language, dear calls,
// the Back button, deals whose points are settled, what the coach says of a grand slam, names and
// looks, the kept deals, and house rules. page-state.cjs URL FOLDER [STEP]
"use strict";

const fs = require("node:fs");
const { chromium } = require("playwright-core");
const { FLAGS, advised, axe, cards, check, mine, play, take, toPlay, watch } = require("./page-support.cjs");
const [url, folder, only] = process.argv.slice(2);
const LONG = { timeout: 60000 };

let browser = null;
let context = null;
async function open(address, { width = 1366, height = 768, ...more } = {}) {
  await context?.close();
  context = await browser.newContext({ viewport: { width, height }, serviceWorkers: "block", ...more });
  return another(address);
}
/** One more window of the same browser. */
async function another(address) {
  const page = await context.newPage();
  page.errors = watch(page, url);
  await page.goto(url + address);
  return page;
}
const done = (page) => check(page.errors.length === 0, page.errors.join("\n"));
const stored = (page) => page.evaluate(() => localStorage.getItem("troel-match"));
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

async function playCard(page, card = ".hand .legal") {
  await page.waitForTimeout(300);
  const left = (await cards(page)).length;
  await page.click(card);
  await page.waitForFunction((left) => document.querySelectorAll(".hand .card").length < left, left);
}

/** Two windows of one match: one plays on, the other says so and follows when asked. */
async function twoWindows() {
  const first = await open("?lang=en&rules=wiezen&seed=4");
  await toPlay(first);
  const second = await another("?lang=en");
  await second.waitForSelector(".hand .legal", LONG);
  check(same(await cards(first), await cards(second)), "the windows show two matches");
  await playCard(first);
  await first.waitForSelector(mine, LONG);
  await second.waitForSelector("#retake", LONG);
  check(!(await second.$(".hand .legal")), "both windows play");
  const played = await stored(first);
  await second.click("#retake");
  await second.waitForSelector(".hand .legal", LONG);
  check(same(await cards(first), await cards(second)), "the second window does not go on where the first was");
  check((await stored(first)) === played, "going on in another window changed the match");
  await playCard(second);
  await first.waitForSelector("#retake", LONG);
  // A window that was told nothing replaces nothing either.
  const other = JSON.stringify({ ...JSON.parse(await stored(second)), seed: 5, deals: [["pass"]], scores: [] });
  await second.waitForSelector(".hand .legal", LONG);
  await second.evaluate((text) => localStorage.setItem("troel-match", text), other);
  await second.waitForTimeout(300);
  await second.click(".hand .legal");
  await second.waitForSelector("#retake", LONG);
  check((await stored(second)) === other, "a match of another window was overwritten");
  done(first);
  done(second);
}

/** The first visit opens the rules of the country; what was chosen stays. */
async function firstRules() {
  const wanted = { "nl-BE": "wiezen", "nl-NL": "wiezen", "fr-BE": "wiezen", "lb-LU": "luxembourg", "de-DE": "luxembourg", "fr-FR": "luxembourg", "en-GB": "luxembourg" };
  for (const [locale, rules] of Object.entries(wanted)) {
    const page = await open("", { locale });
    await page.waitForSelector("#play");
    const chosen = await page.$eval("input[name=rules]:checked", (box) => box.value);
    check(chosen === rules, `${locale} chooses ${chosen}`);
    await page.click("#play");
    await page.waitForSelector(mine, LONG);
    check((await page.$eval("#rules", (box) => box.value)) === rules, `${locale} opens ${await page.$eval("#rules", (box) => box.value)}`);
    done(page);
  }
  const page = await open("#play", { locale: "nl-BE" });
  await page.waitForSelector(mine, LONG);
  await page.selectOption("#rules", "iwwa");
  if (await page.$("#yes")) await page.click("#yes");
  await page.waitForFunction(() => document.querySelector("#rules").value === "iwwa");
  await page.waitForSelector(mine, LONG);
  await page.evaluate(() => localStorage.removeItem("troel-match"));
  await page.reload();
  await page.click("#play");
  await page.waitForSelector(mine, LONG);
  check((await page.$eval("#rules", (box) => box.value)) === "iwwa", "the rules that were chosen are forgotten");
  done(page);
}

/** Calls that are dear under the rules are asked about, ordinary ones are not. */
async function dear() {
  for (const [rules, kind, code] of [["wiezen", "abondance", "abondance-9S"], ["wiezen", "misere", "misere"], ["iwwa", "abondance", "abondance-9S"], ["luxembourg", "misere", "misere"]]) {
    const page = await open(`?lang=en&rules=${rules}&seed=4`);
    await page.waitForSelector(".bids button", LONG);
    await page.click(`.chip[data-kind=${kind}]`);
    await page.click(`.choices [data-action=${code}]`);
    await page.waitForSelector("#yes", { timeout: 5000 }).catch(() => { throw new Error(`${code} under ${rules} is called at once`); });
    check(/if you make it/.test(await page.textContent("dialog[open]")), "the points are not said");
    await page.click("#no");
    done(page);
  }
  for (const rules of ["wiezen", "luxembourg"]) {
    const ordinary = ".bids .suits button, .bids .large[data-action]:not(.pass)";
    let page = null;
    // In some deals the bots leave only dearer calls.
    for (let seed = 1; !(page && await page.$(ordinary)); seed++) {
      check(seed < 20, `no ordinary call under ${rules}`);
      page = await open(`?lang=en&rules=${rules}&seed=${seed}`);
      await page.waitForSelector(mine, LONG);
    }
    await page.click(ordinary);
    await page.waitForTimeout(500);
    check(!(await page.$("#yes")), `an ordinary call under ${rules} is asked about`);
    done(page);
  }
}

/** The Back button closes what is open, and leaves the page only when nothing is. */
async function goesBack() {
  const page = await open("?lang=en&rules=wiezen&seed=12", { width: 360, height: 640, hasTouch: true });
  await page.waitForSelector(mine, LONG);
  const hand = await cards(page);
  const closed = () => page.waitForFunction(() => !document.querySelector("dialog[open]"));
  const entry = () => page.evaluate(() => history.state?.open ?? 0);
  for (const button of ["#panel", "#settings"]) {
    await page.click(button);
    await page.waitForSelector("dialog[open]");
    await page.goBack();
    await closed();
    check(same(await cards(page), hand), `Back leaves the table after ${button}`);
  }
  // The start screen is a layer over the table, and a dialog one over the start screen.
  await page.click("#door");
  await page.click("#statistics");
  await page.waitForFunction(() => history.state?.open === 2);
  await page.click("dialog header button");
  await closed();
  await page.waitForFunction(() => history.state?.open === 1);
  await page.click("#statistics");
  await page.waitForSelector("dialog[open]");
  await page.goBack();
  await closed();
  check(await page.$("main.door"), "Back closes a dialog and the start screen");
  await page.goBack();
  await page.waitForSelector(mine);
  check(same(await cards(page), hand), "Back from the start screen leads to another match");
  // Forward opens nothing.
  await page.goForward();
  await page.waitForFunction(() => !history.state?.open);
  check(!(await page.$("dialog[open], main.door")), "Forward opens something");
  await page.click("#settings");
  await page.waitForFunction(() => history.state?.open === 1);
  await page.evaluate(() => localStorage.getItem("troel-match"));
  await page.goBack();
  await closed();
  check((await entry()) === 0 && page.url().startsWith(url), `left over: ${await entry()}`);
  check(same(await cards(page), hand), "the match is another one");
  // The question whether to leave a match.
  await toPlay(page);
  await page.selectOption("#rules", "iwwa");
  await page.waitForSelector("#no");
  await page.goBack();
  await closed();
  check((await page.$eval("#rules", (box) => box.value)) === "wiezen", "Back leaves the match");
  done(page);
}

/** A misère that is lost need not be played to the end. */
async function settled() {
  for (const size of [{ width: 1366, height: 768 }, { width: 360, height: 640 }]) {
    const page = await open("?lang=en&rules=wiezen&seed=4", size);
    await page.waitForSelector(".bids button", LONG);
    await page.click(".chip[data-kind=misere]");
    await page.click(".choices [data-action=misere]");
    await page.click("#yes");
    for (let n = 0; !(await page.$("#claim")); n++) {
      check(n < 13, "the end of the deal is never offered");
      await page.waitForSelector(".hand .legal", LONG);
      if (await page.$("#claim")) break;
      const legal = await page.$$eval(".hand .legal", (all) => all.map((one) => one.dataset.card));
      const highest = legal.toSorted((a, b) => "23456789TJQKA".indexOf(b[0]) - "23456789TJQKA".indexOf(a[0]))[0];
      await playCard(page, `.hand [data-card="${highest}"]`);
      await page.waitForSelector(mine, LONG);
    }
    const left = (await cards(page)).length;
    check(left > 1, "nothing is left to end");
    check(/points are settled/.test(await page.textContent(".prompt [role=status]")), "it is not said why");
    check(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "the page is wider than the screen");
    await page.screenshot({ path: `${folder}/settled-${size.width}.png` });
    await axe(page, "a deal whose points are settled");
    const own = JSON.parse(await stored(page)).deals[0].length;
    await page.click("#claim");
    await page.waitForSelector("#next", LONG);
    await page.screenshot({ path: `${folder}/ended-${size.width}.png` });
    check(/failed in misère/.test(await page.textContent(".over")), "no result in words");
    const match = JSON.parse(await stored(page));
    check(same(match.scores, [{ N: 7, E: 7, S: -21, W: 7 }]), `points ${JSON.stringify(match.scores)}`);
    // A full record: each card once, after the calls.
    const last = match.deals[0].slice(-52);
    check(new Set(last).size === 52 && last.every((code) => /^[2-9TJQKA][SHDC]$/.test(code)), "the record is not full");
    check(match.deals[0].length > own, "nothing was played out");
    if (size.width > 1000) {
      await page.waitForFunction(() => document.querySelector(".review") && !document.querySelector(".review > [role=status]"), null, LONG);
      const listed = await page.$$eval(".decisions > li", (all) => all.length);
      check(listed <= 1 + 13 - left, `${listed} decisions of a person who made ${1 + 13 - left}`);
    }
    await page.reload();
    await page.waitForSelector("#next", LONG);
    check(same(JSON.parse(await stored(page)).scores, match.scores), "a reload changes the points");
    done(page);
  }
}

/** Thirteen trumps: the hint names the grand slam, and the review what a lower call cost or a better one than the bot's gained. */
async function slam() {
  const deal = "S:AKQJT98765432... .AKQJT.9876.5432 .9876.5432.AKQJT .5432.AKQJT.9876";
  const link = Buffer.from(JSON.stringify({ rules: "luxembourg", dealer: "E", deal })).toString("base64url");
  for (const lower of [true, false]) {
    const page = await open(`?lang=en#record=${link}`);
    await page.waitForSelector(mine, LONG);
    await page.click("#settings");
    await page.selectOption("#speed", "3");
    await page.keyboard.press("Escape");
    await page.click("#hint");
    await page.waitForSelector(".advice", LONG);
    const advice = await page.textContent(".advice");
    check((await page.getAttribute(".advice", "data-action")) === "slam-S" && /^slam ♠: on average \+[\d.]+ points?$/.test(advice), `the hint: ${advice}`);
    if (!lower) await advised(page);
    else {
      await take(page, "8S");
      await page.waitForFunction(() => !document.querySelector(".advice"));
    }
    for (;;) {
      await page.waitForSelector(mine, LONG);
      if (await page.$("#next")) break;
      if (await page.$("#claim")) {
        await page.click("#claim");
        await page.waitForSelector("#next", LONG);
        break;
      }
      await advised(page);
      await page.waitForFunction(() => !document.querySelector(".advice"), null, LONG);
    }
    await page.waitForFunction(() => document.querySelector(".review") && !document.querySelector(".review > [role=status]"), null, LONG);
    check(((await page.$(".crown")) !== null) === !lower, lower ? "a crown without a slam" : "no crown for a slam");
    const first = await page.textContent(".review > .decisions > li:first-child");
    const wanted = lower ? /^You: ask 8 ♠ · Best: slam ♠\?\?blunder[\d.]+ points lostYou hold 13 sure tricks: slam ♠ cannot fail\.$/ : /^You: slam ♠★bestbetter than the bot: \+[\d.]+$/;
    check(wanted.test(first), `the review: ${first}`);
    done(page);
  }
}

/** Bots have names in place of those of their networks. The looks that were chosen stay after a reload. */
async function looks() {
  const page = await open("?lang=en&rules=wiezen&seed=2#play", { width: 360, height: 640 });
  await page.waitForSelector(mine, LONG);
  const names = await page.$$eval(".place .who", (all) => all.map((who) => who.textContent));
  check(same(names, ["Marie", "Nico", "Bram", "You"]), `the names: ${names}`);
  check(!/-v\d/.test(await page.textContent(".seats")) && /North · wiezen/.test(await page.getAttribute(".top .plate", "title")), "the name of the network");
  await page.click("#settings");
  for (const felt of ["blue", "red", "dark"]) {
    await page.selectOption("#felt", felt);
    await page.selectOption("#back", felt === "red" ? "dots" : "diamonds");
    await axe(page, `the settings, ${felt}`);
  }
  for (const look of ["largeCards", "largeText", "bothCorners", "courts", "trumpsFirst", "sound"]) await page.check(`#${look}`);
  await axe(page, "the settings with all looks");
  await page.reload();
  await page.waitForSelector(mine, LONG);
  const root = await page.$eval("html", ({ dataset, className }) => `${dataset.felt} ${dataset.back} ${className}`);
  check(root === "dark diamonds large-cards large-text both-corners courts", `the looks after a reload: ${root}`);
  await axe(page, "the table with all looks");
  // The trumps come first.
  await toPlay(page);
  const [trumps, hand] = [await page.textContent(".contract b"), await cards(page)];
  const at = "♠♥♣♦".split("").findIndex((sign) => trumps.includes(sign));
  const held = hand.map((card) => "SHCD".indexOf(card[1]));
  check(at < 0 || !held.includes(at) || held[0] === at, `trumps ${trumps} in ${hand}`);
  done(page);
}

/** A deal is kept, shown again beside the match, saved to a file, deleted, and loaded from the file. */
async function keptDeals() {
  const page = await open("?lang=en&rules=wiezen&seed=4");
  await page.click("#settings");
  await page.selectOption("#speed", "3");
  await page.keyboard.press("Escape");
  await play(page, "wiezen");
  const reviewed = () => page.waitForFunction(() => document.querySelector(".review .grades"), null, LONG);
  await reviewed();
  const [match, result] = [await stored(page), await page.textContent(".over .result")];
  const openGames = async () => {
    await page.click("#door");
    await page.click("#statistics");
  };
  await openGames();
  const deals = () => page.$$eval("dialog .decisions:not(.mistakes) > li", (all) => all.map((one) => one.textContent));
  await page.waitForSelector("dialog .decisions");
  const kept = await deals();
  check(kept.length === 1 && /points? lost/.test(kept[0]), `kept deals: ${kept}`);
  await axe(page, "my games");
  await page.screenshot({ path: `${folder}/games.png` });
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#save-deals")]);
  await download.saveAs(`${folder}/deals.jsonl`);
  const record = JSON.parse(fs.readFileSync(`${folder}/deals.jsonl`, "utf8"));
  check(record.actions.length >= 52 && record.kept.decisions.length > 0, "the record is not full");
  await page.click("dialog .decisions:not(.mistakes) button");
  await reviewed();
  check((await page.textContent(".over .result")) === result, "another deal is shown");
  check((await stored(page)) === match, "the match is lost");
  // A reload shows the deal, too. Then the match goes on.
  await page.reload();
  await page.click("#next", LONG);
  await page.waitForSelector("dialog .decisions");
  check(same(await deals(), kept), "a deal that is shown again counts again");
  const load = async (counts) => {
    await page.setInputFiles("#load-deals", `${folder}/deals.jsonl`);
    await page.waitForFunction((counts) => document.querySelector("dialog .told").textContent.startsWith(counts), counts);
  };
  await load("Added: 0. Already here: 1.");
  await page.click("#delete-deals");
  await page.click("#yes");
  await page.waitForFunction(() => /No deals yet/.test(document.querySelector("dialog").textContent));
  await load("Added: 1. Already here: 0.");
  check(same(await deals(), kept), "the file does not bring the deal back");
  await page.keyboard.press("Escape");
  await page.click("#go-on");
  await page.waitForSelector("#next", LONG);
  check((await stored(page)) === match, "the match is another one");
  done(page);
}

/** The editor of house rules: refused names and numbers, its link elsewhere, the rules in words. */
async function houseRules() {
  let page = await open("?lang=en#house=wiezen&id=club&short=1", { width: 360, height: 640 });
  await page.waitForSelector("#play-house");
  for (const [name, problem] of [["our club", /letters without accents/], ["wiezen", /built-in/], ["club", /^$/]]) {
    await page.fill("#house-id", name);
    check(problem.test(await page.textContent("#house-id-problem")), `the name ${name}`);
    check((await page.isDisabled("#play-house")) === (name !== "club"), `a match under the name ${name}`);
  }
  const box = (label) => page.getByLabel(label, { exact: true });
  const enter = async (label, number) => {
    await box(label).fill(number);
    await box(label).blur();
  };
  // An older address has the loss before the first trick short.
  check((await box("8 ♠♣♦♥, failed by 1 trick").inputValue()) === "3", "one trick short");
  await enter("8 ♠♣♦♥, failed by 1 trick", "0");
  check(/From 1 to/.test(await page.textContent(".house [role=alert]")), "a number is refused without a word");
  await enter("8 ♠♣♦♥, failed by 1 trick", "6");
  await enter("Points for each overtrick in troel", "3");
  await axe(page, "house rules");
  await page.screenshot({ path: `${folder}/house-rules.png` });
  const rules = await page.evaluate(() => localStorage.getItem("troel-house"));
  page = await open(`?lang=en#${JSON.parse(rules)}`);
  await page.waitForSelector("#play-house");
  check((await box("8 ♠♣♦♥, failed by 1 trick").inputValue()) === "6", "the link lost a number");
  await page.click("#play-house");
  await page.waitForSelector("#tab-rules", LONG);
  await page.click("#tab-rules");
  await page.waitForSelector(".prose", LONG);
  const text = await page.innerText(".prose");
  check(/based on Wiezen/.test(text) && /8:\s\+4 · 9:\s\+7/.test(text), `the rules in words: ${text}`);
  await axe(page, "the rules in words");
  done(page);
}

const steps = { twoWindows, firstRules, dear, goesBack, settled, slam, keptDeals, looks, houseRules };
// A script that ends before all steps have passed has failed.
process.exitCode = 1;
(async () => {
  browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: FLAGS });
  for (const name of only ? [only] : Object.keys(steps)) {
    await steps[name]().catch(async (error) => {
      await context?.pages()[0]?.screenshot({ path: `${folder}/failed-${name}.png` }).catch(() => {});
      throw new Error(`${name}: ${error.stack}`);
    });
    console.log(`${name}: passed`);
  }
  process.exitCode = 0;
})().catch((error) => console.error(error.message)).finally(() => browser?.close());
