// Makes the pictures docs/table/*.png of the page.
//
//     node frontends/web/page/pictures/stills.mjs [PROGRAM [NAME...]]
//
// Without names, all pictures are made.

import { join } from "node:path";

import {
  AT_ONCE,
  clicks,
  madeUp,
  openWindow,
  PICTURES,
  sharp,
  waitForReview,
  withPage,
} from "./support.mjs";

const DESKTOP = { width: 1280, height: 800 };
const PHONE = { width: 360, height: 740 };

/** Plays the first legal card each time, which costs points, and the calls that the hint advises. */
async function playBadly(page) {
  for (;;) {
    await page.waitForSelector(clicks.mine, { timeout: 60000 });
    if (await page.$("#next")) return waitForReview(page);
    const left = await page.locator(".hand .card").count();
    if (await page.$(".hand .legal")) {
      // The page ignores a click shortly after another one.
      await page.waitForTimeout(300);
      await page.click(".hand .legal >> nth=0");
      const isPlayed = (count) => document.querySelectorAll(".hand .card").length < count;
      await page.waitForFunction(isPlayed, left);
    } else {
      await clicks.advised(page);
      await page.waitForFunction(() => !document.querySelector(".advice"));
    }
  }
}

/** Plays to a complete trick. Needs a slow pace: at the fastest one, the trick disappears too soon. */
async function toFullTrick(page) {
  await clicks.toPlay(page);
  await page.waitForTimeout(300);
  await page.click(".hand .legal");
  await page.waitForSelector(".middle .winner", { timeout: 20000 });
}

async function openWorstDecision(page) {
  await playBadly(page);
  await page.click(".decisions button >> nth=0");
  await page.waitForSelector(".held em", { timeout: 60000 });
}

const AUCTION = { rules: "luxembourg", seed: 7 };
const REVIEW = { rules: "luxembourg", seed: 20 };
/** Pictures of matches: window, language, match, and the steps to the state. */
const MATCHES = {
  auction: { window: DESKTOP, match: AUCTION },
  trick: { window: DESKTOP, match: AUCTION, speed: 1, steps: toFullTrick },
  review: { window: DESKTOP, match: REVIEW, steps: playBadly },
  decisions: { window: DESKTOP, match: REVIEW, steps: openWorstDecision },
  tablet: { window: { width: 768, height: 1024 }, match: AUCTION, speed: 1, steps: toFullTrick },
  "large-dark": {
    window: { width: 1920, height: 1080 },
    theme: "dark",
    match: { rules: "wiezen", seed: 12 },
  },
  "phone-auction": { window: PHONE, language: "fr", match: AUCTION },
  "phone-play": { window: PHONE, language: "fr", match: AUCTION, steps: clicks.toPlay },
  "phone-side": {
    window: { width: PHONE.height, height: PHONE.width },
    language: "fr",
    match: AUCTION,
    steps: clicks.toPlay,
  },
  "phone-dark": { window: PHONE, theme: "dark", match: { rules: "wiezen", seed: 12 } },
};

const { BASE, call, codes, seats } = madeUp;
/** Pictures of made-up tables, for states that are rare in play. */
const TABLES = {
  exchange: {
    window: DESKTOP,
    steps: (page) => page.click(".chip"),
    table: {
      ...BASE,
      rules: "iwwa",
      bots: seats("iwwa-v5"),
      dealer: "S",
      phase: "exchange",
      calls: 2,
      history: [call("S", "misere"), call("W", "pass")],
      turn_up: "KD",
      totals: seats(0),
      contract: { kind: "misere", level: null, trump: null, declarers: "S" },
      legal: codes("keep 2S 3S 4S 5S 2H 3H 5H 2D 4D 3C 4C"),
    },
  },
  "open-misere": {
    window: PHONE,
    table: {
      ...BASE,
      rules: "wiezen",
      bots: seats("wiezen-v5"),
      totals: seats(0),
      contract: { kind: "open-misere", level: null, trump: null, declarers: "NW" },
      legal: codes("AS KS 9S"),
      shown: {
        ...seats([]),
        N: codes("2S 3S 4S 5S 2H 3H 5H 2D 4D 3C 4C 5C 6C"),
        W: codes("6S 7S 8S 6H 7H 8H 5D 6D 7D 7C 8C JC QC"),
      },
    },
  },
};

/** Writes a picture as a PNG with a palette: a third of the size of true colour. */
async function shoot(page, name) {
  await page.mouse.move(0, 0);
  // A person who uses a mouse sees no ring around the focus.
  await page.evaluate(() => document.activeElement?.blur());
  const file = join(PICTURES, `${name}.png`);
  const { size } = await sharp(await page.screenshot())
    .png({ palette: true, colours: 256, effort: 10 })
    .toFile(file);
  console.log(`${file}: ${Math.round(size / 1024)} KiB`);
}

const names = process.argv.slice(3);
const known = [...Object.keys(MATCHES), ...Object.keys(TABLES)];
const unknown = names.filter((name) => !known.includes(name));
if (unknown.length) {
  throw new Error(`unknown pictures: ${unknown.join(", ")}; use ${known.join(", ")}`);
}
const isWanted = ([name]) => !names.length || names.includes(name);

await withPage(async (browser, url) => {
  for (const [name, still] of Object.entries(MATCHES).filter(isWanted)) {
    const { window, language = "en", theme = "light", match, speed = AT_ONCE, steps } = still;
    const options = { viewport: window, reducedMotion: "reduce" };
    const page = await openWindow(browser, options, { speed, theme });
    await page.goto(`${url}?lang=${language}&rules=${match.rules}&seed=${match.seed}`);
    await page.waitForSelector(clicks.mine);
    await steps?.(page);
    await shoot(page, name);
    await page.context().close();
  }
  for (const [name, { window, table, steps }] of Object.entries(TABLES).filter(isWanted)) {
    const page = await madeUp.open(browser, url, "en", table);
    await page.setViewportSize(window);
    await page.waitForSelector(".hand .card");
    await steps?.(page);
    await shoot(page, name);
    await page.context().close();
  }
});
