// What the browser tests of the page share.
"use strict";

const fs = require("node:fs");

const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync"];

/** Where something may be done. */
const mine = ".bids button, .hand .legal, #next";
const cards = (page) => page.$$eval(".hand .card", (all) => all.map((one) => one.dataset.card));

function check(condition, message) {
  if (!condition) throw new Error(message);
}

/** Collects errors of a page, and requests to elsewhere. */
function watch(page, url) {
  const errors = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => { if (message.type() === "error" && !/WebSocket|ERR_/.test(message.text())) errors.push(message.text()); });
  page.on("request", (request) => {
    const to = request.url();
    if (!to.startsWith(url) && !/^(data|blob|ws):/.test(to)) errors.push(`a request to elsewhere: ${to}`);
  });
  return errors;
}

/** Fails on what the accessibility checker finds. */
async function axe(page, where) {
  // Not by a script element, which the page's policy forbids.
  await page.evaluate(fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8"));
  const found = await page.evaluate(async () => {
    const { violations } = await axe.run(document, { rules: { "page-has-heading-one": { enabled: true } } });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target, failureSummary }) => `${target} ${failureSummary}`).join("; ")}`);
  });
  check(found.length === 0, `${where}: ${found.join("\n")}`);
}

/** Waits until the page is in a language. */
const shows = (page, language) => page.waitForFunction((language) => document.documentElement.lang === language, language, { timeout: 60000 });

/** Chooses a language, whose texts may have to be loaded. */
async function chooseLanguage(page, language) {
  await page.selectOption("#language", language);
  await shows(page, language);
}

/** Clicks what the hint advises. */
async function advised(page) {
  // Where the points are settled there is no advice.
  if (!(await page.$("#hint"))) return page.click("#claim");
  await page.click("#hint");
  await page.waitForSelector(".advice", { timeout: 60000 });
  const action = await page.getAttribute(".advice", "data-action");
  await take(page, action);
  return action;
}

/** Clicks an action; calls of several suits are behind a chip, large ones are confirmed. */
async function take(page, action) {
  // Clicks in quick succession count once.
  await page.waitForTimeout(300);
  const target = `button[data-action="${action}"]`;
  for (const chip of (await page.$(target)) ? [] : await page.$$(".chip")) {
    await chip.click();
    if (await page.$(target)) break;
    // An opened chip is alone in a small window.
    await chip.click();
  }
  await page.click(target);
  // It opens within a frame, if it does.
  await page.waitForTimeout(50);
  const confirm = await page.$("#yes");
  if (confirm) await confirm.click();
}

/** Plays a deal to its end as the bot advises, so that deals are played and not only passed. */
async function play(page, rules) {
  for (let step = 0; step < 80; step++) {
    await page.waitForSelector(".bids button, .hand .legal, #next", { timeout: 60000 });
    if (await page.$("#next")) return;
    await advised(page);
    await page.waitForFunction(() => !document.querySelector(".advice"));
  }
  throw new Error(`${rules}: the deal did not end`);
}

/** Plays as advised until a card is due. */
async function toPlay(page) {
  for (;;) {
    await page.waitForSelector(mine, { timeout: 60000 });
    if (await page.$("#next")) await page.click("#next");
    else if (await page.$(".hand .legal")) return;
    else await advised(page);
    await page.waitForFunction(() => !document.querySelector(".advice"));
  }
}

module.exports = { FLAGS, advised, axe, cards, check, chooseLanguage, mine, play, shows, take, toPlay, watch };
