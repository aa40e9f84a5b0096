// The page while its server is stopped, started again, or started with other rules: no match is lost, no action is
// lost or repeated. page-server.cjs PROGRAM FOLDER
"use strict";

const { spawn } = require("node:child_process");
const { once } = require("node:events");
const path = require("node:path");
const { chromium } = require("playwright-core");
const { FLAGS, cards, check, mine, toPlay, watch } = require("./page-support.cjs");
const [program, folder, only] = process.argv.slice(2);
const HOUSE = ["--rules", "examples/rules/club-wiezen.toml"];
/** The machine may be slow; what is waited for comes within seconds on a fast one. */
const LONG = { timeout: 90000 };

/** The server of the page, always at the same address. */
const server = {
  process: null,
  port: "0",
  async start(...more) {
    const command = ["serve", "--port", this.port, "--bot", "rules", ...more];
    this.process = spawn(program, command, { cwd: path.join(__dirname, "../.."), stdio: ["ignore", "pipe", "inherit"] });
    const ended = once(this.process, "exit").then(([status]) => { throw new Error(`the server ended with ${status}`); });
    const [line] = await Promise.race([once(this.process.stdout, "data"), ended]);
    ended.catch(() => {});
    this.url = String(line).trim();
    this.port = new URL(this.url).port;
  },
  async stop(signal = "SIGKILL") {
    if (!this.process || this.process.exitCode !== null || this.process.signalCode !== null) return;
    const ended = once(this.process, "exit");
    this.process.kill(signal);
    await ended;
  },
};

let browser = null;
let context = null;
async function open(address, { width = 1366, height = 768, ...more } = {}) {
  await context?.close();
  context = await browser.newContext({ viewport: { width, height }, serviceWorkers: "block", ...more });
  const page = await context.newPage();
  page.errors = watch(page, server.url);
  await page.goto(server.url + address);
  return page;
}
/** What the server says when it cannot restore is logged, and no error of the page. */
const done = (page) => {
  const errors = page.errors.filter((error) => !/no such rule set|Failed to load|not possible/.test(error));
  check(errors.length === 0, errors.join("\n"));
};

const stored = (page) => page.evaluate(() => localStorage.getItem("troel-match"));
const actions = async (page) => JSON.parse(await stored(page)).deals.at(-1);
const notice = (page, text) => page.waitForFunction((text) => document.querySelector(".notice")?.textContent.includes(text), text, LONG);
const noNotice = (page) => page.waitForFunction(() => !document.querySelector(".notice"), null, LONG);

/** Plays a card, and waits until the next is due. */
async function playCard(page) {
  await page.waitForTimeout(300);
  const left = (await cards(page)).length;
  await page.click(".hand .legal");
  await page.waitForFunction((left) => document.querySelectorAll(".hand .card").length < left, left, LONG);
  await page.waitForSelector(mine, LONG);
}

const isPrefix = (short, long) => short.every((action, i) => long[i] === action);

/** House rules, which the page cannot play without the server: the match waits for it. */
async function house() {
  await server.start(...HOUSE);
  const page = await open("?lang=en&rules=club-wiezen&seed=3", { serviceWorkers: "allow" });
  await toPlay(page);
  await playCard(page);
  await page.evaluate(() => navigator.serviceWorker.ready);
  const [before, hand] = [await stored(page), JSON.stringify(await cards(page))];
  await server.stop();
  await notice(page, "Your match is kept");
  await page.screenshot({ path: `${folder}/house-away.png` });
  // Longer than the page once tried before it dealt another match.
  await page.waitForTimeout(6000);
  check((await stored(page)) === before, "the stored match changed while the server was away");
  check(JSON.stringify(await cards(page)) === hand, "the table shows another match");
  check((await page.$eval("#rules", (box) => box.value)) === "club-wiezen", "other rules are shown");
  // Also for a page that is opened meanwhile.
  await page.reload();
  await notice(page, "Your match is kept");
  check((await stored(page)) === before, "a reload without the server changed the stored match");
  await server.start(...HOUSE);
  await page.waitForSelector(".hand .legal", LONG);
  await noNotice(page);
  check(JSON.stringify(await cards(page)) === hand, "another match after the server came back");
  await playCard(page);
  check(isPrefix(JSON.parse(before).deals.at(-1), await actions(page)), "the match did not go on where it was");
  done(page);
}

/** A server that does not have the rules of the match: it is kept, and given up only when the player says so. */
async function withoutRules() {
  await server.start(...HOUSE);
  const page = await open("?lang=en&rules=club-wiezen&seed=3");
  await toPlay(page);
  await playCard(page);
  const [before, hand] = [await stored(page), JSON.stringify(await cards(page))];
  await server.stop("SIGTERM");
  await server.start();
  await notice(page, "not available here");
  check((await stored(page)) === before, "the stored match changed under other rules");
  await page.goto(`${server.url}?lang=en`);
  await notice(page, "not available here");
  await page.screenshot({ path: `${folder}/house-absent.png` });
  // A link to another match asks.
  await page.goto(`${server.url}?lang=en&rules=wiezen&seed=4`);
  await page.click("#no");
  check((await stored(page)) === before, "a link replaced the match");
  // The rules are back: so is the match, without a reload.
  await server.stop();
  await server.start(...HOUSE);
  await page.waitForSelector(".hand .legal", LONG);
  check(JSON.stringify(await cards(page)) === hand, "another match with the rules back");
  // Away for good: the player gives the match up.
  await server.stop();
  await server.start();
  await page.goto(`${server.url}?lang=en`);
  await notice(page, "not available here");
  await page.click(".notice .new");
  await page.click("#yes");
  await page.waitForSelector(mine, LONG);
  await noNotice(page);
  check(JSON.parse(await stored(page)).rules === "luxembourg", "the new match is under other rules");
  done(page);
}

/** Rules that the page can play: it goes on with its own bots, and back to the server by itself. */
async function andBack() {
  for (const size of [{ width: 1366, height: 768 }, { width: 360, height: 640 }]) {
    await server.start();
    const page = await open("?lang=en&rules=wiezen&seed=4", { ...size, serviceWorkers: "allow" });
    await toPlay(page);
    await page.evaluate(() => navigator.serviceWorker.ready);
    const served = await actions(page);
    await server.stop();
    await notice(page, "No server");
    await page.waitForSelector(".hand .legal", LONG);
    const box = (selector) => page.$eval(selector, (found) => { const { top, bottom } = found.getBoundingClientRect(); return { top, bottom }; });
    const [over, bar, hand] = [await box(".notice"), await box(".felt .contract"), await box(".hand")];
    check(over.bottom <= bar.top + 0.5, `the notice ends at ${over.bottom}, the contract begins at ${bar.top}`);
    check(hand.bottom <= size.height + 1, `the notice pushes the hand to ${hand.bottom} of ${size.height}`);
    await page.screenshot({ path: `${folder}/offline-${size.width}.png` });
    await playCard(page);
    const alone = await actions(page);
    check(isPrefix(served, alone) && alone.length > served.length, "the page did not go on where the server was");
    await server.start();
    await noNotice(page);
    await page.waitForSelector(mine, LONG);
    check(JSON.stringify(await actions(page)) === JSON.stringify(alone), "the way back to the server lost or repeated something");
    done(page);
    await server.stop();
  }
}

/** A card that is played just when the server dies is played once. */
async function onTheWay() {
  await server.start();
  const page = await open("?lang=en&rules=iwwa&seed=4");
  await toPlay(page);
  await playCard(page);
  const before = await actions(page);
  server.process.kill("SIGSTOP");
  await page.waitForTimeout(300);
  const card = await page.getAttribute(".hand .legal", "data-action");
  await page.click(`.hand .legal[data-action="${card}"]`);
  await page.waitForTimeout(300);
  await server.stop();
  await server.start();
  await page.waitForFunction((card) => !document.querySelector(`.hand [data-card="${card}"]`), card, LONG);
  await page.waitForSelector(mine, LONG);
  const after = await actions(page);
  check(isPrefix([...before, card], after), `${card} was lost: ${before} became ${after}`);
  check(after.filter((action, i) => i >= before.length && action === card).length === 1, `${card} was played twice`);
  await playCard(page);
  done(page);
}

const steps = { house, withoutRules, andBack, onTheWay };
// A script that ends before all steps have passed has failed.
process.exitCode = 1;
(async () => {
  browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: FLAGS });
  for (const name of only ? [only] : Object.keys(steps)) {
    await steps[name]().catch(async (error) => {
      await context?.pages()[0]?.screenshot({ path: `${folder}/failed-${name}.png` }).catch(() => {});
      throw new Error(`${name}: ${error.stack}`);
    });
    await server.stop();
    server.port = "0";
    console.log(`${name}: passed`);
  }
  process.exitCode = 0;
})().catch((error) => console.error(error.message)).finally(async () => {
  await server.stop();
  await browser?.close();
});
