// Makes docs/table/deal.webp: a deal from the auction to the review, on the real page.
//
//     node frontends/web/page/pictures/deal.mjs [PROGRAM]
//
// The clock of the page stands still between two frames, so the pace does not depend on the machine.
// Chromium draws no mouse pointer into screenshots; it is drawn into the frames afterwards.

import { join } from "node:path";

import { clicks, openWindow, PICTURES, sharp, withPage } from "./support.mjs";

const WINDOW = { width: 1024, height: 640 };
const ADDRESS = "?lang=en&rules=luxembourg&seed=20";
/** Index of the pace in the settings: 280 ms before an action, 700 ms after a trick. */
const FAST = 2;
const FRAME_MS = 50;
const TRICKS = 13;
/** Number of tricks that are shown card by card. The others are one frame each. */
const SLOW_TRICKS = 2;
/** Time that a full trick is recorded. */
const TRICK_MS = 900;
/** Time that one of the other tricks is shown. */
const LAPSE_MS = 120;
const QUALITY = 82;
/** Real time after which an element that does not appear is an error. */
const PATIENCE_MS = 60000;

const POINTER = Buffer.from(
  `<svg xmlns="http://www.w3.org/2000/svg" width="22" height="30" viewBox="0 0 11 15"><path
  d="M1 1v11l2.7-2.5 1.8 4.2 2-.9-1.8-4.1h3.6z" fill="#111" stroke="#fff"/></svg>`,
);
const RING = Buffer.from(
  `<svg xmlns="http://www.w3.org/2000/svg" width="44" height="44"><circle cx="22" cy="22" r="17"
  fill="#e0c070" fill-opacity="0.35" stroke="#e0c070" stroke-width="3"/></svg>`,
);

/** Frames of the page, with the pointer of a person who uses it. */
class Recording {
  /** Screenshots with the place of the pointer and the milliseconds that each one is shown. */
  frames = [];
  pointer = { x: 700, y: 420, isDown: false };

  constructor(page) {
    this.page = page;
  }

  /** Lets time pass on the page. Animations of style sheets do not follow its clock. */
  async pass(ms) {
    await this.page.clock.runFor(ms);
    await this.page.evaluate((step) => {
      for (const animation of document.getAnimations()) {
        const { endTime } = animation.effect.getComputedTiming();
        animation.shownMs = (animation.shownMs ?? 0) + step;
        animation.pause();
        if (animation.shownMs < endTime) animation.currentTime = animation.shownMs;
        else animation.finish();
      }
    }, ms);
  }

  /** Adds a frame that is shown for some time. The page's time does not pass. */
  async shoot(ms) {
    const image = await this.page.screenshot();
    const last = this.frames.at(-1);
    const pointer = { ...this.pointer };
    const isSame = JSON.stringify(last?.pointer) === JSON.stringify(pointer);
    if (isSame && last.image.equals(image)) last.ms += ms;
    else this.frames.push({ image, pointer, ms });
  }

  /** Records some time of the page. */
  async watch(ms) {
    for (let passed = 0; passed < ms; passed += FRAME_MS) {
      await this.pass(FRAME_MS);
      await this.shoot(FRAME_MS);
    }
  }

  /** Records the page until it has an element that matches. */
  async watchFor(selector) {
    const end = Date.now() + PATIENCE_MS;
    while (!(await this.page.$(selector))) {
      if (Date.now() > end) throw new Error(`no ${selector} on the page`);
      await this.watch(FRAME_MS);
    }
  }

  /** Returns the place where a person clicks an element. */
  async #place(selector) {
    const box = await this.page.locator(selector).first().boundingBox();
    // Cards lie over each other; their left part is free.
    const x = box.x + box.width / (box.width > 100 ? 2 : 3);
    const y = box.y + Math.min(box.height / 2, 48);
    return { x: Math.round(x), y: Math.round(y) };
  }

  /** Lets time pass, without recording, until the page has an element that matches. */
  async passTo(selector) {
    const end = Date.now() + PATIENCE_MS;
    while (!(await this.page.$(selector))) {
      if (Date.now() > end) throw new Error(`no ${selector} on the page`);
      await this.pass(FRAME_MS);
      await new Promise((resolve) => setTimeout(resolve, FRAME_MS));
    }
  }

  /** Clicks an element with the pointer there already. */
  async clickAtOnce(selector) {
    // The page ignores a click shortly after another one.
    await this.pass(300);
    this.pointer = { ...(await this.#place(selector)), isDown: false };
    await this.page.mouse.click(this.pointer.x, this.pointer.y);
    await this.answer();
  }

  /** Moves the pointer to an element and clicks it. */
  async click(selector, { moveMs = 450, restMs = 150 } = {}) {
    const to = await this.#place(selector);
    const from = this.pointer;
    const steps = Math.round(moveMs / FRAME_MS);
    for (let step = 1; step <= steps; step++) {
      const t = step / steps;
      const share = t * t * (3 - 2 * t);
      const x = Math.round(from.x + share * (to.x - from.x));
      const y = Math.round(from.y + share * (to.y - from.y));
      this.pointer = { x, y, isDown: false };
      await this.page.mouse.move(x, y);
      await this.watch(FRAME_MS);
    }
    await this.watch(restMs);
    this.pointer.isDown = true;
    await this.shoot(100);
    await this.page.mouse.click(this.pointer.x, this.pointer.y);
    this.pointer = { ...this.pointer, isDown: false };
    await this.answer();
  }

  /** Waits for messages of the server, whose time is real. */
  async answer() {
    await new Promise((resolve) => setTimeout(resolve, 400));
  }

  async write(file) {
    const drawn = this.frames.map(({ image, pointer: { x, y, isDown } }) => {
      const ring = { input: RING, left: x - 22, top: y - 22 };
      const layers = [...(isDown ? [ring] : []), { input: POINTER, left: x - 2, top: y - 2 }];
      return sharp(image).composite(layers).png().toBuffer();
    });
    const delay = this.frames.map(({ ms }) => ms);
    const film = sharp(await Promise.all(drawn), { join: { animated: true } });
    const { size } = await film
      .webp({ quality: QUALITY, effort: 4, minSize: true, mixed: true, loop: 0, delay })
      .toFile(file);
    const seconds = delay.reduce((sum, ms) => sum + ms, 0) / 1000;
    console.log(`${file}: ${delay.length} frames, ${seconds} s, ${Math.round(size / 1024)} KiB`);
  }
}

/** Records the person's part of the auction: the hint, and the call that it advises. */
async function bid(recording) {
  const { page } = recording;
  await recording.watch(400);
  await recording.click("#hint", { moveMs: 400 });
  await recording.passTo(".advice");
  await recording.watch(900);
  const action = await page.getAttribute(".advice", "data-action");
  await recording.click(`button[data-action="${action}"]`);
}

/** Records the first tricks card by card, and one frame of each other trick. */
async function playTricks(recording) {
  for (let trick = 0; trick < TRICKS; trick++) {
    const isSlow = trick < SLOW_TRICKS;
    const passTo = (selector) =>
      isSlow ? recording.watchFor(selector) : recording.passTo(selector);
    await passTo(".hand .legal");
    if (isSlow) await recording.click(".hand .legal", { moveMs: 300, restMs: 50 });
    else await recording.clickAtOnce(".hand .legal");
    await passTo(".middle .winner");
    if (isSlow) {
      await recording.watch(TRICK_MS);
    } else {
      // The last card arrives.
      await recording.pass(300);
      await recording.shoot(LAPSE_MS);
    }
    // The cards leave the table.
    await recording.passTo("main:not(:has(.middle .winner))");
  }
}

/** Records the result, and the decision of the person that cost most. */
async function showReview(recording) {
  await recording.passTo("#next");
  await recording.passTo(".review:not(:has(> [role=status])) .decisions button");
  await recording.watch(1500);
  await recording.click(".decisions button", { moveMs: 600 });
  await recording.passTo(".held em");
  await recording.watch(3000);
}

await withPage(async (browser, url) => {
  const page = await openWindow(browser, { viewport: WINDOW }, { speed: FAST });
  await page.clock.install({ time: 0 });
  await page.clock.pauseAt(1000);
  await page.goto(url + ADDRESS);
  const recording = new Recording(page);
  await recording.passTo(".hand .card");
  const session = await page.context().newCDPSession(page);
  await session.send("Animation.enable");
  await session.send("Animation.setPlaybackRate", { playbackRate: 0 });
  await recording.answer();
  await recording.watchFor(clicks.mine);
  while (!(await page.$(".hand .legal"))) {
    await bid(recording);
    await recording.watchFor(clicks.mine);
  }
  await playTricks(recording);
  await showReview(recording);
  await recording.write(join(PICTURES, "deal.webp"));
});
