// The review of a deal: what cost points, the worst first, apart from what only open cards show. mistakes.cjs URL FOLDER
"use strict";

const { chromium } = require("playwright-core");
const { BASE, call, open } = require("./made-up.cjs");
const { FLAGS, axe, check } = require("./page-support.cjs");
const [url, folder] = process.argv.slice(2);

const card = (seat, action) => ({ seat, action, phase: "play" });
const HISTORY = [call("W", "8H"), call("N", "pass"), call("E", "pass"), call("S", "8D"), call("W", "8D"),
  ...["2S", "3S", "4S", "5S", "2H", "3H", "4H", "5H", "2C", "3C", "4C", "5C"].map((code, i) => card("NESW"[i % 4], code))];
const OVER = {
  ...BASE, phase: "done", turn: null, hand: [], calls: 5, history: HISTORY, contract: { kind: "suit", level: 8, trump: "D", declarers: "SW" },
  scores: { N: -7, E: -7, S: 7, W: 7 }, tricks: { N: 3, E: 2, S: 4, W: 4 },
  record: { rules: "luxembourg", dealer: "W", deal: "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432", actions: HISTORY.map(({ action }) => action) },
};
const decided = (at, did, bot, points, tricks) => ({
  at, seat: "S", phase: HISTORY[at - 1].phase, did, bot, chance: 0.1, bot_chance: did === bot ? 0.1 : 0.8, value: 2, points, tricks,
});
const DECISIONS = [decided(4, "8D", "8H", 0.3, null), decided(8, "4S", "4S", 0, 1), decided(12, "4H", "AH", 12.44, 1), decided(12, "5H", "6H", 0, 0),
  decided(16, "4C", "4C", 0, 0), decided(16, "6C", "TC", 0.04, null)];

(async () => {
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: FLAGS });
  const page = await open(browser, url, "en", OVER, {
    review: ({ from }) => ({ type: "review", from, of: DECISIONS.length, judge: "luxembourg-match-v1", decision: DECISIONS[from] ?? null }),
  });
  await page.waitForFunction(() => document.querySelector(".review summary")?.textContent.startsWith("3 "));
  const rows = (selector) => page.$$eval(`${selector} > li`, (all) => all.map((one) => one.textContent));
  const [costly, seenLater] = await Promise.all([".review > .decisions:not(h2.note + *)", "h2.note + .decisions"].map(rows));
  check(JSON.stringify(costly) === JSON.stringify(["You: 4♥ · Bot: A♥12.4 points lost", "You: ask 8 ♦ · Bot: go along 8 ♥0.3 points lost"]), `what cost points: ${costly}`);
  check(JSON.stringify(seenLater) === JSON.stringify(["You: 4♠ · Bot: 4♠1 trick lost"]), `what open cards show: ${seenLater}`);
  const bad = await page.$$eval(".decisions .bad", (all) => all.map((one) => one.textContent));
  check(bad.join() === "12.4 points lost", `red: ${bad}`);
  // What cost nothing is one line, which opens.
  const [summary] = await page.$$(".review summary");
  check((await summary.textContent()) === "3 decisions cost nothing.", "how many cost nothing");
  check(!(await page.isVisible("details .decisions")), "decisions that cost nothing are listed");
  await summary.click();
  const free = await rows("details .decisions");
  check(JSON.stringify(free) === JSON.stringify(["You: 5♥ · Bot: 6♥no loss", "You: 6♣ · Bot: 10♣no loss"]), `what cost nothing: ${free}`);
  // Cards look like cards, calls are said.
  const cards = await page.$$eval(".decisions .slip", (all) => all.map((one) => one.textContent));
  check(cards.join() === "4♥,A♥,5♥,6♥,6♣,10♣,4♠,4♠", `cards: ${cards}`);
  await page.click("h2.note + .decisions button");
  check(/chooses 4♠ here, too, 10 % of the time/.test(await page.textContent(".why")), `why: ${await page.textContent(".why")}`);
  for (const theme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme: theme });
    await axe(page, `the review, ${theme}`);
    await page.screenshot({ path: `${folder}/mistakes-${theme}.png` });
  }
  check(page.errors.length === 0, page.errors.join("\n"));
  await browser.close();
})().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
