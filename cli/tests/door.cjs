// The start screen, the lessons, the deal of the day and the puzzles, at a person's pace.
// door.cjs URL FOLDER [STEP]
"use strict";

const { chromium } = require("playwright-core");
const { FLAGS, advised, axe, cards, check, chooseLanguage, mine, shows, take, toPlay, watch } = require("./page-support.cjs");
const [url, folder, only] = process.argv.slice(2);
const LONG = { timeout: 60000 };
const LESSONS = ["tricks", "ask", "along", "alone", "misere", "aces", "abondance"];
/** Calls that the lessons ask for, with a turn-up and without. */
const WANTED = { ask: ["8H", "8H"], along: ["8D", "8D"], alone: ["solo-5S", "solo-6S"], misere: ["misere", "misere"], aces: ["keep", "keep"], abondance: ["abondance-9S", "abondance-9S"] };

let browser = null;
let context = null;
async function open(address, { width = 360, height = 640, before, ...more } = {}) {
  await context?.close();
  context = await browser.newContext({ viewport: { width, height }, serviceWorkers: "block", ...more });
  const page = await context.newPage();
  page.errors = watch(page, url);
  await before?.(page);
  // The deal of the day depends on the date.
  await page.clock.setFixedTime(new Date("2026-01-15T12:00:00Z"));
  await page.goto(url + address);
  return page;
}
const done = (page) => check(page.errors.length === 0, page.errors.join("\n"));
const shot = (page, name) => page.screenshot({ path: `${folder}/door-${name}.png` });
const stored = (page) => page.evaluate(() => localStorage.getItem("troel-match"));
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/** Nothing is wider than the window; the start screen may scroll, but the page may not. */
async function fits(page, where) {
  const { width, height } = page.viewportSize();
  const [wide, high] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.scrollHeight]);
  check(wide <= width && high <= height, `${where}: the page is ${wide} × ${high}`);
  const beyond = await page.$$eval("main *", (all) => all.filter((one) => {
    const { left, right, width } = one.getBoundingClientRect();
    return width > 1 && (left < -1 || right > innerWidth + 1) && !one.closest(".middle");
  }).map((one) => `${one.tagName} ${one.textContent.slice(0, 30)}`));
  check(beyond.length === 0, `${where}: beyond the edge: ${beyond}`);
}

const fast = async (page) => {
  await page.click("#settings");
  await page.selectOption("#speed", "3");
  await page.keyboard.press("Escape");
};
/** Waits for a bubble of the coach, and returns its name. */
const bubble = async (page) => (await page.waitForSelector(".coach p:not([data-bubble=''])", LONG)).getAttribute("data-bubble");

async function playLesson(page, name, isFlemish) {
  await page.waitForSelector(mine, LONG);
  const first = await bubble(page);
  await fits(page, `lesson ${name}`);
  const seen = new Set([first]);
  const wanted = WANTED[name]?.[isFlemish ? 0 : 1];
  if (wanted) {
    // The lesson accepts no other call, and says so.
    const other = wanted === "keep" ? ".chip" : ".bids .pass";
    if (await page.$(".bids .pass")) {
      await page.click(other);
      check(/lesson/i.test(await page.textContent(".prompt [role=status]")), `${name} accepts another call`);
    }
    await take(page, wanted);
  }
  for (let n = 0; n < 80; n++) {
    await page.waitForSelector(mine, LONG);
    if (await page.$("#next")) break;
    seen.add(await page.getAttribute(".coach p", "data-bubble"));
    if (await page.$("#claim")) await page.click("#claim");
    else if (await page.$(".hand .legal")) {
      const left = (await cards(page)).length;
      await page.waitForTimeout(300);
      await page.click(".hand .legal >> nth=0");
      await page.waitForFunction((left) => document.querySelectorAll(".hand .card").length < left, left, LONG);
    } else if (await page.$(".bids .hinted")) await take(page, await page.getAttribute(".bids .hinted", "data-action"));
    else await advised(page);
  }
  await page.waitForSelector("#next", LONG);
  await fits(page, `the end of lesson ${name}`);
  return [...seen].filter(Boolean);
}

/** First visit, lesson 1, a reload. */
async function evening() {
  const page = await open("?lang=en");
  await page.waitForSelector("#play");
  check((await page.$$(".felt, .bids, #go-on")).length === 0 && (await stored(page)) === null, "a first visit begins with an auction");
  check((await page.$$("h1")).length === 1 && (await page.textContent("h1")) === "Troel", "no title");
  await fits(page, "the start screen");
  await shot(page, "first");
  await axe(page, "the start screen");
  for (const id of ["learn", "daily", "puzzle-call", "puzzle-card", "together", "statistics"]) check(await page.isVisible(`#${id}`), `no ${id}`);
  // The rules and the language can be changed there.
  await page.check("input[value=wiezen]");
  check(/Wiezen/.test(await page.textContent("#play")), "the rules are not changed");
  await chooseLanguage(page, "nl");
  check(/Spelen/.test(await page.textContent("#play")), "the language is not changed");
  await chooseLanguage(page, "en");
  await page.check("input[value=luxembourg]");
  // The rules in words, of each rule set, without a match.
  await page.click("#read-rules");
  await page.selectOption("dialog[open] select", "wiezen");
  await page.waitForSelector("dialog[open] .prose th:text('troel')", LONG);
  await axe(page, "the rules");
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => !document.querySelector("dialog"));
  // Lesson 1, to its end.
  await page.click("#learn");
  await page.waitForSelector(".lessons");
  await axe(page, "the list of lessons");
  await page.click("[data-lesson=tricks]");
  check((await bubble(page)) === "follow", "lesson 1 does not begin with following suit");
  await axe(page, "a lesson");
  await shot(page, "lesson");
  // A reload leads back to the lesson.
  const hand = await cards(page);
  await page.reload();
  await bubble(page);
  check(same(await cards(page), hand), "a reload leaves the lesson");
  await fast(page);
  const seen = await playLesson(page, "tricks", false);
  check(["follow", "free", "lead"].every((text) => seen.includes(text)), `bubbles: ${seen}`);
  check(/Well done|Not this time/.test(await page.textContent(".coach")), "no praise");
  await shot(page, "lesson-end");
  await axe(page, "the end of a lesson");
  check((await stored(page)) === null, "a lesson is stored as a match");
  await page.click("#home");
  await page.click("#learn");
  check(/done/.test(await page.textContent("dialog[open] [data-lesson=tricks]")), "the lesson is not marked as done");
  await page.keyboard.press("Escape");
  // A lesson counts in no statistics.
  await page.click("#statistics");
  await page.waitForSelector("dialog[open]");
  check(/No deals yet/.test(await page.textContent("dialog[open]")), "a lesson counts in the statistics");
  await page.keyboard.press("Escape");
  done(page);
}

/** Calls or plays something without a hint. */
async function goAhead(page) {
  // Clicks in quick succession count once.
  await page.waitForTimeout(300);
  const target = [".hand .legal", ".bids .suits button", ".bids button"];
  for (const one of target) if (await page.$(one)) return page.click(`${one} >> nth=0`);
}

/** The deal of the day stands beside the match, goes on after a reload, and counts once. */
async function daily() {
  const page = await open("?lang=en&rules=luxembourg&seed=0");
  await toPlay(page);
  const [own, ownHand] = [await stored(page), await cards(page)];
  await page.click("#door");
  await page.waitForFunction(() => document.activeElement.id === "go-on", null, { timeout: 5000 }).catch(() => { throw new Error("the focus is lost on the start screen"); });
  await fits(page, "the start screen with a match");
  await shot(page, "match");
  await axe(page, "the start screen with a match");
  // Another match asks before this one is lost; the deal of the day does not.
  await page.click("#play");
  await page.click("#no");
  await page.click("#daily");
  await page.waitForSelector(mine, LONG);
  check((await page.$$("#hint, #undo, #rules, #new")).length === 0, "the deal of the day has help");
  // Each call on offer is explained.
  await page.click("#explain");
  check(/You are out of the auction/.test(await page.textContent("dialog[open] .explained")), "the calls are not explained");
  await axe(page, "the explanations");
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => !document.querySelector("dialog"));
  check(/first result/.test(await page.textContent(".coach")), "its rule is not shown");
  while (!(await page.$(".hand .legal"))) {
    await goAhead(page);
    await page.waitForSelector(mine, LONG);
  }
  const left = await cards(page);
  await page.click("#door");
  await page.waitForSelector("#go-on");
  check(/Go on/.test(await page.textContent("#daily")), "the start screen does not say that it has begun");
  await page.click("#daily");
  await page.waitForSelector(".hand .legal", LONG);
  check(same(await cards(page), left), "the deal of the day begins again");
  await page.reload();
  await page.waitForSelector(".hand .legal", LONG);
  check(same(await cards(page), left), "a reload leaves the deal of the day");
  check((await stored(page)) === own, "the deal of the day changes the match");
  await fast(page);
  while (!(await page.$("#share"))) {
    await page.waitForSelector(`${mine}, #share, #claim`, LONG);
    if (await page.$("#claim")) await page.click("#claim");
    else await goAhead(page);
  }
  await page.waitForSelector("#bot", LONG);
  check(/played these cards 1,000 times/.test(await page.textContent(".over figcaption")), "the results of many bots are not shown");
  await fits(page, "the end of the deal of the day");
  await shot(page, "daily-end");
  await axe(page, "the end of the deal of the day");
  const result = /[★☆]{3} (no|\d+) costly/.exec(await page.textContent(".over"))[0];
  // Without access to the clipboard the line is shown.
  await page.click("#share");
  const line = await page.waitForFunction(() => document.querySelector(".over [role=status]").textContent, null, LONG);
  check(/Copied|Troel · 15 Jan · /.test(await line.jsonValue()), "there is no line to share");
  // It can be looked at again, and the match goes on.
  await page.click("#next");
  await page.click("#daily");
  await page.waitForSelector("#share", LONG);
  check((await page.textContent(".over")).includes(result), "the result is another one");
  await page.goBack();
  await page.click("#go-on");
  await page.waitForSelector(".hand .legal", LONG);
  check(same(await cards(page), ownHand) && (await stored(page)) === own, "the match is another one after the deal of the day");
  // A link leads to the deal of an earlier day.
  await page.goto(`${url}?lang=en#daily=2026-01-14&rules=wiezen`);
  await page.waitForSelector(".coach", LONG);
  check(/14 Jan/.test(await page.textContent(".coach")), "the link leads to another day");
  done(page);
}

/** Puzzles: one answer each, which is kept; and the match stays. */
async function puzzles() {
  const page = await open("?lang=en&rules=wiezen&seed=0");
  await page.waitForSelector(mine, LONG);
  const own = await stored(page);
  for (const kind of ["call", "card"]) {
    await page.click("#door");
    await page.click(`#puzzle-${kind}`);
    await page.waitForSelector(mine, LONG);
    check((await page.$$("#hint, #undo, #claim")).length === 0, "a puzzle has help");
    await fits(page, `the puzzle ${kind}`);
    await axe(page, `the puzzle ${kind}`);
    const hand = await cards(page);
    await goAhead(page);
    await page.waitForSelector(".coach #next");
    const said = await page.textContent(".coach [role=status]");
    check(/Right|Not quite/.test(said) && /On average/.test(said), `${kind}: ${said}`);
    check((await page.$$(".bids button, .hand .legal")).length === 0, "a puzzle can be answered twice");
    await fits(page, `the answer to the puzzle ${kind}`);
    await shot(page, `puzzle-${kind}`);
    await axe(page, `the answer to the puzzle ${kind}`);
    await page.reload();
    await page.waitForSelector(".coach #next", LONG);
    check((await page.textContent(".coach [role=status]")) === said, "a reload forgets the answer");
    await page.click("#next");
    await page.waitForSelector(mine, LONG);
    check(!same(await cards(page), hand), "the next puzzle is the same one");
  }
  check((await stored(page)) === own, "a puzzle changes the match");
  done(page);
}

/** A lesson leaves the match of the person as it is. */
async function betweenDeals() {
  const page = await open("?lang=en&rules=luxembourg&seed=0");
  await toPlay(page);
  const [before, hand] = [await stored(page), await cards(page)];
  await page.click("#door");
  await page.click("#learn");
  await page.click("[data-lesson=misere]");
  await bubble(page);
  check((await page.$$("#rules, #new")).length === 0, "a lesson can be replaced by a match");
  check((await stored(page)) === before, "a lesson changes the match");
  // Back leads to the start screen, and from there to the match.
  await page.goBack();
  await page.waitForSelector("#go-on");
  await page.goBack();
  await page.waitForSelector(".hand .legal", LONG);
  check(same(await cards(page), hand) && (await stored(page)) === before, "the match is another one after a lesson");
  done(page);
}

/** All lessons, one after the other, under rules of both kinds. */
async function lessons() {
  for (const rules of ["wiezen", "luxembourg"]) {
    const page = await open("?lang=en", { reducedMotion: "reduce" });
    await page.check(`input[value=${rules}]`);
    await page.click("#learn");
    await page.click("[data-lesson=tricks]");
    await fast(page);
    for (const name of LESSONS) {
      const seen = await playLesson(page, name, rules === "wiezen");
      check(seen.length >= 2, `${rules}, ${name}: bubbles ${seen}`);
      await shot(page, `${name}-${rules}`);
      if (name !== LESSONS.at(-1)) await page.click("#next");
    }
    await page.click("#next");
    await page.click("#learn");
    check((await page.$$("text=✓")).length === LESSONS.length, "a lesson is not marked as done");
    done(page);
  }
}

/** The way straight to the table, and languages whose words are longest. */
async function addresses() {
  let page = await open("?lang=en#play");
  await page.waitForSelector(mine, LONG);
  check(!new URL(page.url()).hash, "the address keeps #play");
  done(page);
  for (const language of ["lb", "nl", "de", "fr"]) {
    for (const size of [{ width: 360, height: 640 }, { width: 1366, height: 768 }, { width: 512, height: 300 }]) {
      page = await open(`?lang=${language}`, size);
      await page.waitForSelector("#play");
      await fits(page, `the start screen, ${language}`);
      await shot(page, `first-${language}-${size.width}`);
      await page.click("#learn");
      await page.click("[data-lesson=abondance]");
      await bubble(page);
      await fits(page, `a lesson, ${language}`);
      await shot(page, `lesson-${language}-${size.width}`);
      done(page);
    }
  }
}

/** The page loads one language at a time, keeps the last one meanwhile, and offers another attempt after a failure. */
async function languages() {
  const shown = (page) => page.evaluate(() => [document.documentElement.lang, document.querySelector("#play b")?.textContent, document.querySelector("#language")?.value]);
  /** Holds the first request for the texts of a language: `held.route` answers it. */
  const hold = (language) => {
    const held = { count: 0 };
    held.before = async (page) => {
      page.on("request", (request) => { held.count += request.url().endsWith(`/words/${language}.json`) ? 1 : 0; });
      held.route = new Promise((resolve) => { page.route(`**/words/${language}.json`, resolve, { times: 1 }); });
    };
    return held;
  };
  // Before its texts have come, a first visit shows no words of another language.
  let held = hold("nl");
  let page = await open("", { locale: "nl-BE", before: held.before });
  let route = await held.route;
  await page.waitForTimeout(300);
  check((await page.$("#first-view")) && (await page.innerText("body")).trim() === "Troel", "words before the texts have come");
  await route.continue();
  await shows(page, "nl");
  const dutch = await shown(page);
  check(dutch[2] === "nl", "the list names another language");
  await chooseLanguage(page, "en");
  await chooseLanguage(page, "nl");
  check(same(await shown(page), dutch) && held.count === 1, "a language was loaded twice");
  await page.reload();
  await shows(page, "nl");
  done(page);

  // The first attempts fail, at the start and later.
  held = hold("fr");
  page = await open("", { locale: "fr-BE", before: held.before });
  await (await held.route).abort();
  await page.waitForSelector("#yes", LONG);
  check((await shown(page))[0] === "en" && /Français/.test(await page.textContent("dialog")), "no question about the missing language");
  await axe(page, "a language that is missing");
  await shot(page, "language-missing");
  await page.click("#yes");
  await shows(page, "fr");
  const french = await shown(page);
  await page.route("**/words/de.json", (route) => route.abort(), { times: 2 });
  for (let attempt = 0; attempt < 2; attempt++) {
    await page.selectOption("#language", "de");
    await page.waitForSelector("#no", LONG);
    check(same(await shown(page), french), "the page left its language");
    await page.click("#no");
  }
  await chooseLanguage(page, "de");

  // The last choice counts, although an earlier one comes later.
  held = hold("lb");
  page = await open("?lang=en", { before: held.before });
  await page.selectOption("#language", "lb");
  route = await held.route;
  await chooseLanguage(page, "nl");
  await route.continue();
  await page.waitForTimeout(300);
  check((await shown(page))[0] === "nl", "an earlier choice came through");
  done(page);
}

const steps = { evening, daily, puzzles, betweenDeals, lessons, addresses, languages };
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
