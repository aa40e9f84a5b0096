// The page of a server as a person uses it, at a person's pace. page.cjs URL FOLDER
//
// Each step names what was wrong once: tricks that nobody could follow, double clicks, lost matches.
"use strict";

const fs = require("node:fs");
const { chromium } = require("playwright-core");
const { FLAGS, advised, axe, cards, check, chooseLanguage, mine, play, toPlay, watch } = require("./page-support.cjs");
const [url, folder] = process.argv.slice(2);
const shot = (page, name) => page.screenshot({ path: `${folder}/${name}.png` });

let context = null;
async function open(address, { width = 1280, height = 800, socket, script, waitUntil, ...more } = {}) {
  await context?.close();
  const browser = context?.browser() ?? await chromium.launch({ executablePath: "/usr/bin/chromium", args: FLAGS });
  context = await browser.newContext({ viewport: { width, height }, serviceWorkers: "block", permissions: ["clipboard-read", "clipboard-write"], ...more });
  const page = await context.newPage();
  page.errors = watch(page, url);
  if (socket) await page.routeWebSocket(/v1\/table/, socket);
  if (script) await page.route(/app\.js/, script);
  await page.goto(url + address, { waitUntil });
  return page;
}
const done = (page) => check(page.errors.length === 0, page.errors.join("\n"));

/** Clicks a card; clicks in quick succession count once. */
async function playCard(page) {
  await page.waitForTimeout(300);
  await page.click(".hand .legal");
}

/** The first view is painted before the script arrives, which replaces it. */
async function firstView() {
  let release = null;
  const released = new Promise((resolve) => { release = resolve; });
  const script = (route) => released.then(() => route.continue());
  const page = await open("?lang=en&rules=wiezen&seed=4", { script, waitUntil: "commit" });
  await page.waitForSelector("#first-view progress");
  await page.waitForFunction(() => performance.getEntriesByName("first-contentful-paint").length > 0);
  check((await page.textContent("h1")) === "Troel", "the first view has no title");
  await shot(page, "first-view");
  await axe(page, "the first view");
  release();
  await page.waitForSelector(mine, { timeout: 60000 });
  check(!(await page.$("#first-view, .loading")), "the first view stays");
  check((await page.$$("h1, main")).length === 2, "there are two titles");
  done(page);
}

/** A trick can be followed: it lies there whole, and nothing can be done until it is gone. */
async function pace() {
  const page = await open("?lang=en&rules=wiezen&seed=4");
  await toPlay(page);
  await page.evaluate(() => {
    window.seen = [];
    const look = () => {
      const middle = document.querySelector(".middle");
      const now = `${middle?.querySelectorAll(".card").length ?? 0}${document.querySelector(".hand.mine") ? "m" : ""}`;
      if (now !== window.seen.at(-1)?.now) window.seen.push({ now, at: performance.now() });
      requestAnimationFrame(look);
    };
    look();
  });
  const top = () => page.$eval(".hand", (hand) => hand.getBoundingClientRect().top);
  const place = await top();
  for (let n = 0; n < 4; n++) {
    await page.waitForSelector(".hand .legal");
    const before = (await cards(page)).length;
    const legal = await page.$$(".hand .legal");
    const box = await legal[0].boundingBox();
    // Twice, as people do who are not sure that the first was taken.
    await page.mouse.click(box.x + 8, box.y + 20);
    await page.waitForTimeout(180);
    check((await top()) === place, "the hand jumps");
    await page.mouse.click(box.x + 8, box.y + 20);
    await page.waitForTimeout(600);
    check((await cards(page)).length === before - 1, "a double click plays two cards");
    if (n === 1) await page.waitForSelector(".middle .winner").then(() => shot(page, "trick"));
    await page.waitForSelector(mine, { timeout: 60000 });
    check((await top()) === place, "the hand jumps between tricks");
  }
  const seen = await page.evaluate(() => window.seen);
  // Each card has its time: from one, two or three cards to the next, unless it was the person's own.
  const gaps = seen.slice(1).map(({ now, at }, i) => ({ mine: seen[i - 1]?.now.endsWith("m"), from: seen[i].now, to: now, lasts: at - seen[i].at }))
    .filter(({ mine, from, to }) => !mine && /^[123]$/.test(from) && Number(to[0]) === Number(from) + 1);
  check(gaps.length > 4 && gaps.every(({ lasts }) => lasts > 400), `cards come too fast: ${JSON.stringify(gaps)}`);
  const full = seen.map((one, i) => ({ ...one, lasts: (seen[i + 1]?.at ?? Infinity) - one.at })).filter(({ now }) => now.startsWith("4"));
  check(full.length >= 4, `${full.length} of 4 tricks were whole`);
  check(full.every(({ now, lasts }) => now === "4" && lasts > 900), `tricks do not lie long enough: ${JSON.stringify(full)}`);
  // Whoever has seen enough taps.
  await page.waitForSelector(".hand .legal");
  await playCard(page);
  await page.waitForSelector(".middle .winner", { timeout: 20000 });
  await page.waitForTimeout(600);
  const begun = Date.now();
  await page.click(".middle");
  await page.waitForFunction(() => !document.querySelector(".middle .winner"));
  check(Date.now() - begun < 550, "a tap does not take the trick away");
  // A card that may not be played says why.
  for (let n = 0; n < 9; n++) {
    await toPlay(page);
    const dimmed = await page.$(".hand .card[aria-disabled=true]");
    if (dimmed) {
      const before = (await cards(page)).length;
      await dimmed.click({ force: true });
      const text = await page.textContent(".prompt [role=status]");
      check(/follow suit|due/.test(text), `no reason: ${text}`);
      check((await cards(page)).length === before, "an illegal card was played");
      return done(page);
    }
    await playCard(page);
    await page.waitForFunction(() => !document.querySelector(".hand.mine"));
  }
  throw new Error("no card was ever illegal");
}

/** Nothing is lost: by reloading, by changing rules, with the connection. */
async function keeps() {
  let cut = null;
  const page = await open("?lang=en&rules=luxembourg&seed=0", { socket: (socket) => { const server = socket.connectToServer(); cut = () => { socket.close(); server.close(); }; } });
  await toPlay(page);
  await playCard(page);
  await page.waitForFunction(() => !document.querySelector(".hand.mine"));
  await page.waitForSelector(".hand .legal");
  const state = async () => JSON.stringify([await cards(page), await page.$$eval(".middle .card", (all) => all.map((one) => one.dataset.card).sort()), await page.textContent(".felt .contract")]);
  const before = await state();
  await page.reload();
  await page.waitForSelector(".hand .legal");
  check((await state()) === before, `a reload loses the match: ${before} ${await state()}`);
  cut();
  await page.waitForSelector("[role=alert]");
  await page.waitForSelector(".hand .legal", { timeout: 20000 });
  check((await state()) === before && !(await page.$("[role=alert]")), "a lost connection loses the match");
  for (const leave of [() => page.selectOption("#rules", "wiezen"), () => page.click("#new")]) {
    await leave();
    await page.waitForSelector("#no");
    await page.click("#no");
    check((await state()) === before, "the match is left without asking");
    check((await page.$eval("#rules", (select) => select.value)) === "luxembourg", "the rules are changed");
  }
  await page.selectOption("#rules", "iwwa");
  await page.click("#yes");
  await page.waitForFunction(() => document.querySelector("#rules").value === "iwwa");
  await page.waitForSelector(mine);
  check((await state()) !== before, "no new match");
  done(page);
}

/** A deal, and after it: decisions, open hands, again from there, link, record, statistics. */
async function afterwards() {
  const page = await open("?lang=en&rules=horesca&seed=21");
  await page.click("#settings");
  await page.selectOption("#speed", "3");
  await axe(page, "the settings");
  await page.keyboard.press("Escape");
  await page.waitForSelector(mine);
  const dealt = await cards(page);
  await axe(page, "the auction");
  // The first legal card every time: there will be something to mend.
  for (;;) {
    await page.waitForSelector(mine, { timeout: 60000 });
    if (await page.$("#next")) break;
    if (await page.$(".hand .legal")) {
      // Clicks in quick succession count once.
      await page.waitForTimeout(300);
      const left = (await cards(page)).length;
      await page.click(".hand .legal >> nth=0");
      await page.waitForFunction((left) => document.querySelectorAll(".hand .card").length < left, left);
    } else {
      await advised(page);
      await page.waitForFunction(() => !document.querySelector(".advice"));
    }
  }
  check(/tricks|void/.test(await page.textContent(".over")), "no result in words");
  check(!(await page.$("#undo")), "the deal can be taken back beside its result");
  await page.waitForSelector("#tab-review[aria-selected=true]");
  await page.waitForFunction(() => !document.querySelector(".review > [role=status]"), null, { timeout: 60000 });
  await shot(page, "review");
  await axe(page, "the review");
  await page.waitForSelector(".decisions button");
  const losses = await page.$$eval(".decisions li", (all) => all.map((one) => one.textContent));
  check(/lost|no loss/.test(losses[0]), `no cost: ${losses[0]}`);
  await page.click(".decisions button >> nth=0");
  check(/chooses .* % of the time/.test(await page.textContent(".why")), "no reason");
  await page.waitForSelector(".held em", { timeout: 60000 });
  const values = await page.$$eval(".held.next em", (all) => all.map((one) => Number(one.textContent)));
  check(values.length > 0 && values.every((n) => n >= 0 && n <= 13), `values ${values}`);
  await shot(page, "decision");
  await page.click(".after button >> text=Copy link");
  await page.waitForFunction(() => document.querySelector(".told").textContent.includes("copied"));
  const address = await page.evaluate(() => navigator.clipboard.readText());
  check(address.includes("#record="), `the link: ${address}`);
  const record = decodeURIComponent((await page.getAttribute(".after a[download]", "href")).split(",").slice(1).join(","));
  fs.writeFileSync(`${folder}/record.jsonl`, record);
  // Again from the worst decision.
  await page.click(".why button");
  await page.waitForSelector(".hand .legal, .bids button");
  check(!(await page.$("#next")), "the deal is still over");
  // A friend opens the link.
  const friend = await context.browser().newPage();
  await friend.goto(address);
  await friend.waitForSelector(".bids button, .hand .legal", { timeout: 60000 });
  const theirs = await friend.$$eval(".hand .card", (all) => all.map((one) => one.dataset.card));
  check(JSON.stringify(theirs) === JSON.stringify(dealt), "the link leads to another deal");
  await friend.close();
  await play(page, "horesca");
  await page.click("#door");
  await page.click("#statistics");
  const row = await page.$$eval("dialog .numbers tbody td", (cells) => cells.map((cell) => cell.textContent));
  check(row[0] === "1", `a deal that is played twice counts once: ${row}`);
  done(page);
}

/** By keyboard and ear: the focus stays where something may be done, cards have names, what is due is said. */
async function keyboard() {
  const page = await open("?lang=lb&rules=wiezen&seed=4", { reducedMotion: "reduce" });
  await toPlay(page);
  await page.waitForTimeout(300);
  await page.focus(".hand .legal");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => !document.querySelector(".hand.mine"));
  await page.waitForSelector(".hand .legal", { timeout: 20000 });
  await page.waitForTimeout(50);
  check(await page.evaluate(() => document.activeElement.matches(".hand .legal")), "the focus is lost after Enter");
  await page.keyboard.press("ArrowRight");
  check(await page.evaluate(() => document.activeElement.matches(".hand .card")), "arrows do not move");
  const names = await page.$$eval(".hand .card", (all) => all.map((one) => one.getAttribute("aria-label")));
  check(names.every((name) => /^(Schëppen|Häerz|Rauten|Kräiz)-\S+$/.test(name)), `names ${names}`);
  check((await page.textContent("[role=status][aria-live=polite]")).includes("Du bass drun"), "whose turn it is is not said");
  const moving = await page.$$eval(".card", (all) => all.filter((one) => getComputedStyle(one).animationName !== "none").length);
  check(moving === 0, "cards move though less motion is wanted");
  await axe(page, "card play");
  done(page);
}

/** A telephone, upright and on its side: no scrolling, all cards to be seen, calls below 45 % of the height. */
async function phone() {
  const page = await open("?lang=fr&rules=luxembourg&seed=7", { width: 360, height: 740, hasTouch: true });
  const fits = async (name) => {
    const { width, height } = page.viewportSize();
    const boxes = await page.$$eval(".hand .card", (all) => all.map((one) => one.getBoundingClientRect()).map(({ left, right, top, bottom }) => [left, right, top, bottom]));
    check(boxes.every(([left, right, , bottom]) => left >= 0 && right <= width && bottom <= height + 1), `${name}: cards beyond the screen`);
    const scroll = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.scrollHeight]);
    check(scroll[0] <= width && scroll[1] <= height, `${name}: ${scroll}`);
    check(await page.$eval(".bar", (bar) => bar.getBoundingClientRect().height) <= 44, `${name}: the header is high`);
  };
  await page.waitForSelector(".bids button");
  await fits("auction");
  check((await page.$eval(".bids", (bids) => bids.getBoundingClientRect().height)) <= 0.45 * 740, "the calls cover the table");
  await shot(page, "phone-auction");
  await axe(page, "a telephone");
  // What costs many points is asked again.
  const before = await page.$$eval(".bubble", (all) => all.length);
  await page.click(".chip[data-kind=misere]");
  await page.click(".choices button[data-action=open-misere]");
  await page.waitForSelector("#yes");
  check(/75/.test(await page.textContent("dialog[open]")), "the points are not said");
  await page.click("#no");
  check((await page.$$eval(".bubble", (all) => all.length)) === before, "a call was made");
  // A long press with a finger explains a call and does not make it.
  const pass = await (await page.$(".bids [data-action=pass]")).boundingBox();
  const finger = await page.context().newCDPSession(page);
  await finger.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [{ x: pass.x + pass.width / 2, y: pass.y + pass.height / 2 }] });
  await page.waitForSelector("dialog[open] .explained");
  await finger.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  await page.keyboard.press("Escape");
  check((await page.$$eval(".bubble", (all) => all.length)) === before, "a long press makes a call");
  check(/suivre à 8/.test(await page.textContent(".bids")) && /demander 8/.test(await page.textContent(".bids")), "calls do not say what they mean");
  await toPlay(page);
  await fits("card play");
  await shot(page, "phone-play");
  await page.setViewportSize({ width: 740, height: 360 });
  await page.waitForTimeout(200);
  await fits("on its side");
  await shot(page, "phone-side");
  done(page);
}

/** What a table says, made up: contracts without trumps yet, exchanges, open hands. */
async function madeUp() {
  const seats = (n) => ({ N: n, E: n, S: n, W: n });
  const base = {
    type: "table", rules: "wiezen", target: 0, seed: 1, deal: 0, you: "S", bots: seats("expert"), dealer: "W", turn: "S", phase: "play",
    hand: ["AS", "KS", "9S", "AH", "TH", "4H", "KD", "QD", "3D", "AC", "TC", "9C", "2C"], shown: seats([]), cards: seats(13), legal: ["AS", "KS", "9S"], calls: 0, history: [],
    turn_up: null, announcer: null, announces: null, asked_for: null, contract: null, trick: [], last_trick: [], tricks: seats(0), scores: null, totals: seats(0),
    void: false, over: false, undo: false, mine: [], certain: false, record: null,
  };
  const show = async (table, size = {}) => {
    const rules = { type: "rules", rules: "wiezen", description: "", target: 0, turn_up: true, contracts: [] };
    const page = await open(`?lang=${size.language ?? "en"}&rules=${table.rules ?? "wiezen"}`, { ...size, socket: (socket) => {
      socket.onMessage((text) => socket.send(JSON.stringify(JSON.parse(text).type === "rules" ? rules : { ...base, ...table })));
    } });
    await page.waitForSelector(".hand .card");
    return page;
  };
  let page = await show({ contract: { kind: "troel", level: 8, trump: null, declarers: "NS" } });
  const bar = await page.textContent(".felt .contract");
  check(/8 or 9 tricks needed/.test(bar) && !/no trumps/.test(bar) && /first card/.test(bar), `a troel whose trumps are to come: ${bar}`);
  done(page);
  const history = [{ seat: "S", action: "misere", phase: "auction" }, { seat: "W", action: "pass", phase: "auction" }];
  page = await show({ rules: "iwwa", dealer: "S", phase: "exchange", contract: { kind: "misere", level: null, trump: null, declarers: "S" }, turn_up: "KD", history, calls: 2,
    legal: ["keep", "2S", "3S", "4S", "5S", "2H", "3H", "5H", "2D", "4D", "3C", "4C"] });
  const first = await page.textContent(".bids button >> nth=0");
  check(/keep the turn-up/i.test(first), `keeping comes first: ${first}`);
  check((await page.$$(".bids button")).length <= 3, "all cards are shown at once");
  await page.click(".chip");
  check((await page.$$(".choices button")).length === 11, "the cards to be asked for");
  check((await page.$(".hand .turned")) !== null, "the turn-up is not marked");
  await shot(page, "exchange");
  done(page);
  page = await show({ certain: true, undo: true, contract: { kind: "suit", level: 8, trump: "S", declarers: "NS" } }, { width: 360, height: 740, language: "de" });
  await page.waitForSelector("#claim");
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  check(width <= 360, `with a claim the page is ${width} wide`);
  done(page);
  const shown = { ...seats([]), N: ["2S", "3S", "4S", "5S", "2H", "3H", "5H", "2D", "4D", "3C", "4C", "5C", "6C"], W: ["6S", "7S", "8S", "6H", "7H", "8H", "5D", "6D", "7D", "7C", "8C", "JC", "QC"] };
  for (const size of [{ width: 360, height: 740 }, { width: 740, height: 360 }, { width: 1280, height: 800 }]) {
    page = await show({ contract: { kind: "open-misere", level: null, trump: null, declarers: "NW" }, shown }, size);
    const bottom = await page.$$eval(".hand .card", (all) => Math.max(...all.map((one) => one.getBoundingClientRect().bottom)));
    check(bottom <= size.height + 1, `an open misère pushes the hand to ${bottom} of ${size.height}`);
    const inside = await page.$$eval(".open .card", (all) => all.every((one) => { const box = one.getBoundingClientRect(); return box.width > 0 && box.left >= -1 && box.right <= innerWidth + 1 && box.top >= 0; }));
    check(inside, "open cards are not to be seen");
    await shot(page, `open-${size.width}`);
    done(page);
  }
}

/** What the address asks for; numbers as the language writes them. */
async function address() {
  let page = await open("?rules=iwwa&lang=de&seed=0");
  await page.waitForSelector(mine);
  check((await page.$eval("#rules", (select) => select.value)) === "iwwa" && (await page.getAttribute("html", "lang")) === "de", "the address is not obeyed");
  const first = await cards(page);
  await page.click("#hint");
  await page.waitForSelector(".advice");
  check(/[+−]?\d,\d Punkte?/.test(await page.textContent(".advice")), `no decimal comma: ${await page.textContent(".advice")}`);
  await chooseLanguage(page, "nl");
  check(/gemiddeld/.test(await page.textContent(".advice")) && /beurt/.test(await page.textContent(".prompt")), "the hint stays in the old language");
  page = await open("?rules=iwwa&lang=de&seed=0");
  await page.waitForSelector(mine);
  check(JSON.stringify(await cards(page)) === JSON.stringify(first), "seed 0 is another deal every time");
  check((await page.$("link[rel=icon][href='icon.svg']")) !== null, "no icon");
  done(page);
}

/** Pictures of the main states, to be looked at; checked for accessibility, light and dark. */
async function pictures() {
  for (const [width, height] of [[360, 740], [768, 1024], [1280, 800], [1920, 1080]]) {
    for (const colorScheme of ["light", "dark"]) {
      const page = await open("?lang=en&rules=wiezen&seed=12", { width, height, colorScheme });
      await page.waitForSelector(".bids button");
      await shot(page, `auction-${width}-${colorScheme}`);
      await axe(page, `the auction at ${width}, ${colorScheme}`);
      done(page);
    }
  }
}

/** Windows of every width: the whole hand is beside the panel, not under it nor off the screen. */
async function windows() {
  const page = await open("?lang=en&rules=wiezen&seed=12", { width: 700, height: 800 });
  await page.waitForSelector(".bids button");
  for (const width of [700, 960, 961, 1000, 1024, 1100, 1160, 1440, 1920]) {
    await page.setViewportSize({ width, height: width < 1200 ? 768 : 900 });
    const [left, right] = await page.$eval("main", (main) => [main.getBoundingClientRect().left, main.getBoundingClientRect().right]);
    const boxes = await page.$$eval(".hand .card", (all) => all.map((one) => [one.getBoundingClientRect().left, one.getBoundingClientRect().right]));
    check(boxes.length === 13 && boxes.every(([from, to]) => from >= left && to <= right), `${width} wide: cards from ${boxes[0][0]} to ${boxes[12][1]} of ${left} to ${right}`);
    if (width === 1024) await shot(page, "tablet");
  }
  done(page);
}

/** What others wrote into the browser, and links that nobody can read, are no end of the page. */
async function damaged() {
  const page = await open("?lang=en&rules=luxembourg&seed=2");
  await toPlay(page);
  const before = JSON.stringify(await cards(page));
  for (const hash of ["#record=garbage", `#record=${btoa('{"rules":"nope","deal":"N:"}')}`]) {
    await page.evaluate((hash) => { location.hash = hash; }, hash);
    await page.waitForFunction(() => /link cannot be read/.test(document.querySelector(".prompt").textContent));
    check(JSON.stringify(await cards(page)) === before && !(await page.$("dialog[open]")), "a bad link ends the match");
  }
  // Cards that are dealt twice: only the table can say so.
  const twice = btoa(JSON.stringify({ rules: "luxembourg", dealer: "N", deal: "N:AKQJT98765432... AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432." }));
  await page.evaluate((hash) => { location.hash = hash; }, `#record=${twice}`);
  await page.click("#yes");
  await page.waitForFunction(() => /link cannot be read/.test(document.querySelector(".prompt").textContent));
  await page.waitForSelector(mine);
  check(JSON.stringify(await cards(page)) === before, "a deal that cannot be ends the match");
  const match = JSON.parse(await page.evaluate(() => localStorage.getItem("troel-match")));
  const spoilt = ['{"a":1}', "[]", "5", '"x"', "{", JSON.stringify({ ...match, rules: "nope" }), JSON.stringify({ ...match, seat: "Q" }),
    JSON.stringify({ ...match, deals: {}, scores: 5 }), JSON.stringify({ ...match, bots: { N: "bogus" } }), JSON.stringify({ ...match, deals: [["slam"]] })];
  for (const text of spoilt) {
    await page.evaluate((text) => localStorage.setItem("troel-match", text), text);
    await page.goto(`${url}?lang=en`);
    // It may be another version's match: it stays until the player gives it up.
    await page.waitForSelector(".notice .new", { timeout: 20000 }).catch(() => { throw new Error(`no word about ${text.slice(0, 40)}`); });
    check((await page.evaluate(() => localStorage.getItem("troel-match"))) === text, `overwritten: ${text.slice(0, 40)}`);
    await page.click(".notice .new");
    await page.waitForSelector(`#yes, ${mine}`);
    if (await page.$("#yes")) await page.click("#yes");
    await page.waitForSelector(mine, { timeout: 20000 }).catch(() => { throw new Error(`no table after ${text.slice(0, 40)}`); });
  }
  // A deal that contradicts the rules is dealt again, if the player wants.
  const contradicts = JSON.stringify({ ...match, deals: match.deals.with(-1, [...match.deals.at(-1), "slam"]) });
  await page.evaluate((text) => localStorage.setItem("troel-match", text), contradicts);
  await page.goto(`${url}?lang=en`);
  await page.waitForSelector("#drop");
  check((await page.evaluate(() => localStorage.getItem("troel-match"))) === contradicts, "a deal was dropped without asking");
  await page.click("#drop");
  await page.waitForSelector(mine, { timeout: 20000 });
  check(JSON.stringify(await cards(page)) === before, "another deal after the contradiction");
  page.errors = page.errors.filter((error) => !/dealt twice|no such|not possible|missing field|invalid/.test(error));
  done(page);
}

/** Without the server the page goes on with its own bots. */
async function offline() {
  let refuse = false;
  const page = await open("?lang=en&rules=wiezen&seed=4", { serviceWorkers: "allow", socket: (socket) => { if (refuse) socket.close(); else { const server = socket.connectToServer(); offline.cut = () => { socket.close(); server.close(); }; } } });
  await toPlay(page);
  const before = JSON.stringify(await cards(page));
  await page.evaluate(() => navigator.serviceWorker.ready);
  refuse = true;
  offline.cut();
  await page.waitForFunction(() => document.querySelector(".notice")?.textContent.includes("No server"), null, { timeout: 30000 });
  await page.waitForSelector(mine, { timeout: 30000 });
  check(JSON.stringify(await cards(page)) === before, "another deal without the server");
  await advised(page);
  await page.waitForSelector(mine, { timeout: 30000 });
  // The page itself comes from what the browser has kept.
  const left = JSON.stringify(await cards(page));
  await context.setOffline(true);
  await page.reload();
  await page.waitForSelector(mine, { timeout: 30000 });
  check(JSON.stringify(await cards(page)) === left, "another deal without a network");
  await chooseLanguage(page, "fr");
  page.errors.length = 0;
}

/** Two persons and two bots at one table, by a link: each sees the own cards, waits for the other, comes back, is stood in for. */
async function together() {
  const anna = await open("?lang=en&rules=luxembourg&seed=3");
  await toPlay(anna);
  const own = JSON.stringify(await cards(anna));
  await anna.click("#door");
  await anna.click("#together");
  await anna.fill("#name", "Anna");
  await anna.selectOption("#length", "8");
  await anna.click("#sit");
  const link = await anna.waitForSelector("#link").then((found) => found.textContent());
  check(/#table=[0-9a-f]{32}$/.test(link), `no link: ${link}`);
  check(/deal 1 of 8/.test(await anna.textContent("dialog[open]")), "the length of the match is not said");
  check(/troel serve --lan/.test(await anna.textContent("dialog[open]")), "an address that only this machine can open is given to friends");
  await shot(anna, "invite");
  await axe(anna, "the invitation");
  await anna.keyboard.press("Escape");
  const visit = async () => {
    const other = await context.browser().newContext({ viewport: { width: 390, height: 800 } });
    const page = await other.newPage();
    page.errors = watch(page, url);
    await page.goto(`${link.replace("#", "?lang=en#")}`);
    return page;
  };
  const sit = async (page, name) => {
    await page.fill("#name", name);
    await page.click("#sit");
  };
  let bert = await visit();
  await bert.waitForSelector("#name");
  await shot(bert, "join");
  await axe(bert, "the question whether to sit down");
  await sit(bert, "Bert");
  const named = (page, name) => page.waitForFunction((name) => [...document.querySelectorAll(".place .who")].some((who) => who.textContent === name), name, { timeout: 20000 });
  await named(anna, "Bert");
  await named(bert, "Anna");
  check(!(await anna.$("#hint")) && !(await anna.$("#undo")), "there are hints at a shared table");
  const both = await Promise.all([anna, bert].map(cards));
  check(both[0].every((card) => !both[1].includes(card)), "both have the same cards");
  const act = async (page) => {
    if (await page.$("#next")) return true;
    const target = await page.$(".hand .legal, .bids button[data-action=pass], .bids button.large");
    if (target) {
      await page.waitForTimeout(300);
      await target.click().catch(() => {});
      await page.waitForTimeout(100);
      await page.click("#yes", { timeout: 200 }).catch(() => {});
    }
    return false;
  };
  const toEnd = async (pages) => {
    const until = Date.now() + 150000;
    for (;;) {
      const over = await Promise.all(pages.map(act));
      if (over.every(Boolean)) return;
      check(Date.now() < until, "the deal does not end");
      await anna.waitForTimeout(100);
    }
  };
  await toEnd([anna, bert]);
  await shot(anna, "shared-end");
  // A deal that everybody passed does not count, and has no number.
  const isVoid = /Everybody passed/.test(await anna.textContent(".over"));
  check(/deal 1 of 8/.test(await anna.textContent(".totals")) !== isVoid, "the end of a deal does not say how many follow");
  // The review on a telephone.
  check(await bert.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "the page is wider than a telephone");
  await bert.click(".over .narrow");
  await bert.waitForFunction(() => document.querySelector("dialog .decisions li, dialog .review > .note:not([role])"), null, { timeout: 60000 }).catch(async () => { throw new Error(`no review: ${await bert.textContent("dialog")}`); });
  await shot(bert, "phone-review");
  await axe(bert, "the review on a telephone");
  await bert.keyboard.press("Escape");
  // Who is ready waits for the other.
  await anna.click("#next");
  await anna.waitForFunction(() => /waiting for Bert/.test(document.querySelector("#next")?.textContent));
  await bert.waitForTimeout(1000);
  check(await bert.$("#next"), "the next deal comes before all want it");
  await bert.click("#next");
  for (const page of [anna, bert]) await page.waitForFunction(() => !document.querySelector("#next"), null, { timeout: 20000 });
  // A reload is no farewell.
  await bert.waitForTimeout(3000);
  const held = JSON.stringify(await cards(bert));
  await bert.reload();
  await named(bert, "Anna");
  check(JSON.stringify(await cards(bert)) === held, "a reload changes the seat");
  check((await bert.$$("dialog[open]")).length === 0, "a reload asks again");
  // Nor is a closed tab: the address of the server leads back.
  const closed = bert;
  bert = await closed.context().newPage();
  bert.errors = watch(bert, url);
  await closed.close();
  await bert.goto(`${url}?lang=en`);
  check(/with Anna/.test(await bert.textContent("#back-to-table")), "the way back names nobody");
  await axe(bert, "the way back to a table");
  await bert.click("#back-to-table");
  await named(bert, "Anna");
  check(JSON.stringify(await cards(bert)) === held, "the way back changes the seat");
  // Who is gone is stood in for.
  check(bert.errors.length === 0, bert.errors.join("\n"));
  await bert.context().close();
  const label = (text) => anna.waitForFunction((text) => [...document.querySelectorAll(".place .bot")].some((bot) => bot.textContent.includes(text)), text, { timeout: 40000 });
  await label("away");
  await label("for now");
  await shot(anna, "stood-in");
  // Who comes in the middle of a deal plays from the next one on.
  await anna.waitForSelector(mine, { timeout: 60000 });
  await act(anna);
  bert = await visit();
  await sit(bert, "Carla");
  await named(anna, "Carla");
  await bert.waitForFunction(() => /next deal on/.test(document.querySelector(".notice")?.textContent));
  check((await bert.$$(".hand .card")).length === 0, "a hand is shown in the middle of its deal");
  check((await bert.$$(".felt .place")).length === 4, "who waits for the next deal does not see this one");
  // Everybody hears a phrase, also who watches.
  await anna.click("#phrases");
  await axe(anna, "the phrases");
  await anna.click("[data-phrase=well-played]");
  for (const page of [anna, bert]) await page.waitForFunction(() => document.querySelector(".phrase")?.textContent === "Well played!", null, { timeout: 20000 });
  await shot(bert, "watches");
  await toEnd([anna]);
  await anna.click("#next");
  await named(bert, "Anna");
  await bert.waitForSelector(".hand .card");
  // Back to the own match, as it was.
  await anna.click("#people");
  await anna.click("#leave");
  await anna.click("#yes");
  await anna.waitForSelector("#hint");
  await anna.waitForSelector(mine);
  check(JSON.stringify(await cards(anna)) === own, "the own match is lost");
  await bert.waitForFunction(() => [...document.querySelectorAll(".place .who")].every((who) => who.textContent !== "Anna"), null, { timeout: 20000 });
  await bert.context().close();
  done(anna);
  // A link to a table that is not there costs nothing.
  const page = await open("?lang=en&rules=luxembourg&seed=3#table=00000000000000000000000000000000");
  await sit(page, "Dora");
  await page.waitForFunction(() => /table has ended/.test(document.querySelector(".prompt").textContent), null, { timeout: 20000 });
  await page.waitForSelector(mine, { timeout: 20000 });
  done(page);
}

const steps = { firstView, pace, keeps, afterwards, keyboard, phone, madeUp, address, damaged, windows, pictures, offline, together };
(async () => {
  const wanted = process.argv[4] ? [process.argv[4]] : Object.keys(steps);
  for (const name of wanted) {
    await steps[name]().catch(async (error) => {
      await shot(context.pages()[0], `failed-${name}`).catch(() => {});
      throw new Error(`${name}: ${error.stack}`);
    });
    console.log(`${name}: passed`);
  }
  await context.browser().close();
})().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
