// A page in one file while it arrives: it paints before its bots are there, shows its progress, and
// then plays. It reports a file that is cut off and a browser that lacks a feature.
// Arguments: FILE FOLDER [STEP]
//
// The server sends as much as a step allows, so no step depends on the speed of the machine.
"use strict";

const fs = require("node:fs");
const http = require("node:http");
const { chromium } = require("playwright-core");
const { FLAGS, axe, check, play, watch } = require("./page-support.cjs");
const [file, folder, only] = process.argv.slice(2);
const LONG = { timeout: 90000 };
/** Bytes of the file within which something must be painted. */
const FIRST_VIEW_BYTES = 60000;

const bytes = fs.readFileSync(file);

/** A server of the page that sends as many bytes as it is allowed to. */
const server = {
  allowed: 0,
  /** Length after which the file ends. */
  length: bytes.length,
  sent: 0,
  response: null,
  async start() {
    const listener = http.createServer((request, response) => {
      if (new URL(request.url, "http://localhost").pathname !== "/") return response.writeHead(404).end();
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
      Object.assign(this, { response, sent: 0 });
      this.allow(this.allowed);
    });
    await new Promise((resolve) => listener.listen(0, "127.0.0.1", resolve));
    this.url = `http://127.0.0.1:${listener.address().port}/`;
    this.close = () => listener.close();
  },
  /** Sends the file up to this byte. */
  allow(end) {
    this.allowed = end;
    const to = Math.min(end, this.length);
    if (!this.response || to < this.sent) return;
    this.response.write(bytes.subarray(this.sent, to));
    this.sent = to;
    if (to === this.length) this.response.end();
  },
};

let browser = null;
let context = null;
async function open({ length = bytes.length, allowed = length, without, query = "lang=en&seed=7" } = {}) {
  await context?.close();
  context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  page.errors = watch(page, server.url);
  if (without) await page.addInitScript((name) => delete globalThis[name], without);
  Object.assign(server, { length, allowed, response: null });
  await page.goto(`${server.url}?${query}`, { waitUntil: "commit" });
  return page;
}
const done = (page) => check(page.errors.length === 0, page.errors.join("\n"));
const shot = (page, name) => page.screenshot({ path: `${folder}/${name}.png` });
const notice = (page, text) => page.waitForFunction((text) => document.querySelector(".notice")?.textContent.includes(text), text, LONG);

/** The first bytes paint, all bytes up to the last show progress, and then a deal is played. */
async function arrives() {
  const page = await open({ allowed: FIRST_VIEW_BYTES });
  await page.waitForSelector("#first-view progress", LONG);
  await page.waitForFunction(() => performance.getEntriesByName("first-contentful-paint").length > 0, null, LONG);
  check((await page.textContent("h1")) === "Troel", "the first view has no title");
  await shot(page, "file-first-view");
  await axe(page, "the first view");
  let before = -1;
  for (const share of [0.3, 0.6, 0.9]) {
    server.allow(Math.round(share * bytes.length));
    await page.waitForFunction((before) => document.querySelector("progress[value]")?.value > before, before, LONG);
    const value = await page.$eval("progress", (bar) => bar.value);
    check(value < 1, `${value} has arrived of ${share}`);
    check(!(await page.$(".felt, #first-view, .notice")), "a table or a notice before the bot");
    before = Math.max(value, share - 0.2);
  }
  check((await page.textContent(".loading")).includes("Loading the bots"), "the page does not say what it waits for");
  await shot(page, "file-loading");
  await axe(page, "the page while it loads");
  server.allow(bytes.length);
  await page.waitForSelector(".felt", LONG);
  check(!(await page.$(".loading")), "still loading");
  await page.click("#settings");
  await page.selectOption("#speed", "3");
  await page.keyboard.press("Escape");
  await play(page, "the page in one file");
  check((await page.$$("script[data-part]")).length === 0, "the document keeps the parts");
  await shot(page, "file-over");
  done(page);
}

/** A file that ends too early says so, wherever it ends. */
async function isCutOff() {
  const appEnds = bytes.indexOf("data-part=");
  check(appEnds > 0, "the file has no parts");
  const cases = [
    [5000, "This page cannot start"],
    [30000, "This page cannot start"],
    [appEnds - 5000, "This page cannot start"],
    [appEnds + 1000, "This file is incomplete"],
    [bytes.length - 100000, "This file is incomplete"],
  ];
  for (const [length, text] of cases) {
    const page = await open({ length });
    await notice(page, text);
    check((await page.getAttribute(".notice", "role")) === "alert", "the notice is not announced");
    check(!(await page.$("progress")), `${length} bytes: the page still seems to load`);
    await shot(page, `file-cut-${length}`);
    // A script without its end is an error.
    if (length > appEnds) done(page);
  }
}

/** A browser without a needed feature names it. */
async function lacksFeature() {
  for (const name of ["DecompressionStream", "WebAssembly"]) {
    const page = await open({ without: name });
    await notice(page, `This browser has no ${name}`);
    check(!(await page.$("progress")), `${name}: the page still seems to load`);
    done(page);
  }
}

/** A frame shows the table without the bar and the start screen, and links to the whole page. */
async function isEmbedded() {
  const page = await open({ query: "embed&lang=en" });
  await page.waitForSelector(".bids button, .hand .legal", LONG);
  check(!(await page.$(".bar, .door")), "the embedded table has a bar or a start screen");
  check((await page.$eval(".embedded a", (link) => link.href)) === `${server.url}?lang=en`, "the link to the whole page");
  await shot(page, "file-embedded");
  await axe(page, "the embedded table");
  done(page);
}

const steps = { arrives, isCutOff, lacksFeature, isEmbedded };
// A script that ends before all steps have passed has failed.
process.exitCode = 1;
(async () => {
  await server.start();
  browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: FLAGS });
  for (const name of only ? [only] : Object.keys(steps)) {
    await steps[name]().catch(async (error) => {
      await context?.pages()[0]?.screenshot({ path: `${folder}/failed-${name}.png` }).catch(() => {});
      throw new Error(`${name}: ${error.stack}`);
    });
    console.log(`${name}: passed`);
  }
  process.exitCode = 0;
})().catch((error) => console.error(error.message)).finally(async () => {
  await browser?.close();
  server.close?.();
});
