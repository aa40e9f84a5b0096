// Plays a deal of each rule set by clicking, in a desktop window and at phone width; fails on any error of the page.
"use strict";

const { chromium } = require("playwright-core");
const [url, folder] = process.argv.slice(2);
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync"];

const check = (condition, message) => {
  if (!condition) throw new Error(message);
};

async function play(page, rules) {
  await page.selectOption("#rules", rules);
  await page.waitForFunction(() => table && table.rules === document.querySelector("#rules").value && !queue.length);
  const acted = "#calls button, #hand button:enabled, #next:not([hidden])";
  for (let step = 0; step < 80; step++) {
    await page.waitForSelector(acted);
    if (await page.isVisible("#next")) break;
    const before = await page.evaluate(() => table.history.length);
    // What the bot advises, so that deals are played and not only passed.
    await page.click("#hint");
    await page.waitForSelector("#advice li");
    const action = await page.getAttribute("#advice", "data-action");
    await page.click(`[data-action="${action}"]:enabled`);
    await page.waitForFunction((n) => table.history.length > n && !queue.length, before);
  }
  check(await page.isVisible("#next"), `${rules}: the deal did not end`);
  const scores = await page.evaluate(() => table.scores);
  check(Object.values(scores).every(Number.isInteger), `${rules}: no score`);
}

(async () => {
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: FLAGS });
  const page = await browser.newPage({ viewport: { width: 1200, height: 850 } });
  const errors = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("request", (request) => check(request.url().startsWith(url) || request.url().startsWith("data:")
    || request.url().startsWith("ws:"), `a request to elsewhere: ${request.url()}`));
  await page.goto(`${url}?fast&seed=7`);
  await page.check("#practice");
  const sets = await page.$$eval("#rules option", (options) => options.map((option) => option.value));
  check(sets.length > 0, "no rule set");
  for (const rules of sets) await play(page, rules);
  await page.screenshot({ path: `${folder}/over.png` });

  // Taking back the last card gives the points back.
  const before = await page.evaluate(() => table.totals);
  await page.click("#undo");
  await page.waitForFunction(() => !table.scores);
  check(JSON.stringify(before) !== JSON.stringify(await page.evaluate(() => table.totals)) || Object.values(before).every((n) => n === 0), "undo");

  // By keyboard: an arrow takes the focus to something that may be done, Enter does it.
  const length = await page.evaluate(() => table.history.length);
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await page.waitForFunction((n) => table.history.length > n, length);

  // At phone width nothing is wider than the screen, under any rules and in any language.
  await page.setViewportSize({ width: 360, height: 740 });
  for (const rules of sets) {
    await page.selectOption("#rules", rules);
    for (const language of ["lb", "nl", "de", "fr", "en"]) {
      await page.selectOption("#language", language);
      await page.click("#new");
      await page.waitForSelector("#calls button, #hand button:enabled");
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      check(width <= 360, `${rules}, ${language}: ${width} pixels wide`);
    }
  }
  check(errors.length === 0, errors.join("\n"));
  await browser.close();
})().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
