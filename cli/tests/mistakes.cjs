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
const decided = (at, did, best, points, tricks, bot = best, over_bot = 0) => ({
  at, seat: "S", phase: HISTORY[at - 1].phase, did, best, bot, chance: 0.1, bot_chance: did === bot ? 0.1 : 0.8, value: 2, points, bot_points: over_bot, over_bot,
  candidates: [...new Set([best, did, bot])].map((action, i) => ({ action, points: 3 - 2 * i, error: 0.5, chance: 0.1 })), tricks,
});
const DECISIONS = [decided(4, "8D", "8H", 0.3, null), decided(8, "4S", "4S", 0, 1), decided(12, "4H", "AH", 12.44, 1), decided(12, "5H", "6H", 0, 0),
  decided(16, "4C", "4C", 0, 0), decided(16, "6C", "TC", 0.04, null), decided(16, "7C", "7C", 0, 0, "8C", 17.04)];

(async () => {
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: FLAGS });
  const page = await open(browser, url, "en", OVER, {
    review: ({ from }) => ({ type: "review", from, of: DECISIONS.length, judge: "luxembourg-match-v1", decision: DECISIONS[from] ?? null }),
    values: ({ at }) => ({ type: "values", at, values: { "4S": [8, 8], AH: [9, 9] } }),
    par: () => ({ type: "par", contract: { kind: "suit", level: 8, trump: "D", declarers: "SW" }, points: { N: 0, E: 0, S: 25, W: 25 }, regret: { N: 7, E: 7, S: 18, W: 18 } }),
  });
  await page.waitForFunction(() => document.querySelector(".review summary")?.textContent.startsWith("Good decisions"));
  await page.waitForFunction(() => !document.querySelector(".hindsight").textContent.includes("…"));
  const rows = (selector) => page.$$eval(`${selector} > li`, (all) => all.map((one) => one.textContent));
  const [listed, seenLater] = await Promise.all([".review > .decisions", ".hindsight"].map(rows));
  check(JSON.stringify(listed) === JSON.stringify(["You: 4♥ · Best: A♥??blunder12.4 points lost",
    "You: 7♣★bestbetter than the bot: +17.0"]), `what cost points, and what was better than the bot's: ${listed}`);
  check(JSON.stringify(seenLater) === JSON.stringify(["4♠ – with open cards A♥: 1 trick more"]), `what open cards show: ${seenLater}`);
  const bad = await page.$$eval(".decisions .bad", (all) => all.map((one) => one.textContent));
  check(bad.join() === "12.4 points lost", `red: ${bad}`);
  // What was good is one line, which opens.
  const [summary] = await page.$$(".review summary");
  check((await summary.textContent()) === "Good decisions, given what you could see: 6 of 7.", "how many were good");
  check(!(await page.isVisible("details .decisions")), "good decisions are listed");
  await summary.click();
  const free = await rows("details .decisions");
  check(JSON.stringify(free) === JSON.stringify(["You: ask 8 ♦ · Best: go along 8 ♥✓good0.3 points lost", "You: 5♥ · Best: 6♥✓goodno loss", "You: 6♣ · Best: 10♣✓goodno loss"]), `what was good: ${free}`);
  // Cards look like cards, calls are said.
  const cards = await page.$$eval(".decisions .slip", (all) => all.map((one) => one.textContent));
  check(cards.join() === "4♥,A♥,7♣,5♥,6♥,6♣,10♣", `cards: ${cards}`);
  // A click on what open cards show leads to the position.
  await page.click(".hindsight button");
  check(/^Step 7 of 17/.test(await page.textContent(".step")), "what open cards show is not opened");
  // What was best is explained by the values of what could have been done, and by what the bot
  // would do.
  await page.click(".review > .decisions >> nth=1 >> button");
  const why = await page.textContent(".why");
  check(/Expected points: 7♣ \+3.0 · 8♣ \+1.0. better than the bot: \+17.0/.test(why) && /chooses 7♣ 10 % of the time here, 8♣ 80 %/.test(why), `why: ${why}`);
  // A point of the curve opens its decision, with the trick as it was.
  const points = await page.$$eval(".points button", (all) => all.map((one) => one.title));
  check(points.length === 7 && points[2] === "4♥: expected +1.0, 12.4 points lost", `the curve: ${points}`);
  await page.click(".points button >> nth=2");
  check(/^The trick then.*You/.test(await page.textContent(".why .then")), "the trick of a decision");
  check((await page.$$(".why")).length === 1 && /^Step 11 of 17/.test(await page.textContent(".step")), "the curve opens another decision");
  // Par is hindsight: it says what was missed, beside what could be known.
  await page.click("text=Par");
  await page.waitForFunction(() => document.querySelector(".review").textContent.includes("18 points more than you got."));
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
