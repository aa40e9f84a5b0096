// Plays a deal of each rule set of a page by clicking, in a desktop window and at phone width; fails on any error of the page.
// browser.cjs URL FOLDER
"use strict";

const { chromium } = require("playwright-core");
const { FLAGS, axe, check, play, watch } = require("./page-support.cjs");
const [url, folder] = process.argv.slice(2);

(async () => {
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: FLAGS });
  const context = await browser.newContext({ viewport: { width: 1200, height: 850 } });
  const page = await context.newPage();
  const errors = watch(page, url);
  await page.goto(`${url}?lang=en&seed=7`);
  await page.waitForSelector(".bids button, .hand .legal");
  // As fast as the page has it for those who know it; a person's pace: page.cjs.
  await page.click("#settings");
  await page.selectOption("#speed", "3");
  await page.keyboard.press("Escape");
  const sets = await page.$$eval("#rules option", (options) => options.map((option) => option.value));
  check(sets.length > 0, "no rule set");
  for (const [i, rules] of sets.entries()) {
    if (i > 0) {
      await page.selectOption("#rules", rules);
      if (await page.$("#yes")) await page.click("#yes");
      await page.waitForFunction((rules) => document.querySelector("#rules").value === rules, rules);
    }
    await play(page, rules);
    await page.click("#tab-score");
    const points = await page.$$eval(".numbers tbody td", (cells) => cells.map((cell) => cell.textContent));
    check(points.length > 0 && points.every((text) => /^[+−]?[\d.]+$/.test(text)), `${rules}: points ${points}`);
    const row = await page.$$eval(".numbers tbody tr:first-child td", (cells) => cells.map((cell) => Number(cell.textContent.replace("−", "-"))));
    check(row.length === 4 && row.every(Number.isInteger), `${rules}: no score`);
  }
  await page.screenshot({ path: `${folder}/over.png` });
  await axe(page, "the end of a deal");

  // The same deal again gives the points back; a card is not taken back beside the result.
  const total = () => page.$$eval(".numbers .total td", (cells) => cells.map((cell) => cell.textContent).join());
  const before = await total();
  check(!(await page.$("#undo")), "the last card can be taken back beside the result");
  await page.click("#tab-review");
  await page.click(".after > button");
  await page.waitForSelector(".hand .legal, .bids button");
  check(!(await page.$("#next")), "the deal is still over");
  const scored = await page.$$eval(".numbers tbody tr", (rows) => rows.length);
  check(scored === 1 && (before === "0,0,0,0" || (await total()) !== before), "undo");

  // At phone width nothing is wider or higher than the screen, under any rules and in any language.
  await page.setViewportSize({ width: 360, height: 740 });
  for (const rules of sets) {
    for (const language of ["lb", "nl", "de", "fr", "en"]) {
      await page.evaluate(() => localStorage.clear());
      await page.goto(`${url}?lang=${language}&rules=${rules}&seed=3`);
      await page.waitForSelector(".bids button, .hand .legal");
      const shown = [await page.$eval("#rules", (select) => select.value), await page.getAttribute("html", "lang")];
      check(shown.join() === `${rules},${language}`, `${shown} in place of ${rules}, ${language}`);
      const size = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.scrollHeight]);
      const wide = await page.$$eval("body *", (all) => all.filter((one) => {
        const box = one.getBoundingClientRect();
        return box.width > 0 && (box.left < -1 || box.right > 361) && !one.closest(".middle");
      }).map((one) => `${one.tagName}.${one.className} ${one.textContent.slice(0, 30)}`));
      check(size[0] <= 360 && size[1] <= 740, `${rules}, ${language}: ${size} pixels: ${wide}`);
      check(wide.length === 0, `${rules}, ${language}: beyond the edge: ${wide}`);
    }
  }
  check(errors.length === 0, errors.join("\n"));
  await browser.close();
})().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
