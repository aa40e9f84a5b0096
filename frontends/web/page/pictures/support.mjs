// Shared by the scripts that make pictures of the page: a server, a browser and its windows.
//
// They need a built program, Chromium in /usr/bin, and in target/browser:
//
//     npm install --prefix target/browser playwright-core@1 sharp@0.35

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const ROOT = new URL("../../../../", import.meta.url);
export const PICTURES = fileURLToPath(new URL("docs/table/", ROOT));

const browserRequire = createRequire(new URL("target/browser/package.json", ROOT));
const rootRequire = createRequire(new URL("package.json", ROOT));
export const sharp = browserRequire("sharp");
export const clicks = rootRequire("./cli/tests/page-support.cjs");
export const madeUp = rootRequire("./cli/tests/made-up.cjs");

/** Bots with names that are short enough for their plates. */
const BOTS = ["luxembourg-v5", "horesca-v5", "wiezen-v5", "iwwa-v5"];

/** Index of the fastest pace in the settings. */
export const AT_ONCE = 3;

/**
 * Starts `troel serve` on a free port and a browser, calls `draw` with the browser and the address,
 * and ends both. The first argument of the script is the program.
 */
export async function withPage(draw) {
  const program = process.argv[2] ?? fileURLToPath(new URL("target/release/troel", ROOT));
  const args = ["serve", "--port", "0", ...BOTS.flatMap((bot) => ["--bot", bot])];
  const server = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] });
  let browser = null;
  try {
    await once(server, "spawn");
    const [url] = await once(createInterface(server.stdout), "line");
    const { chromium } = browserRequire("playwright-core");
    const options = { executablePath: "/usr/bin/chromium", args: clicks.FLAGS };
    browser = await chromium.launch(options);
    await draw(browser, url.trim());
  } finally {
    await browser?.close();
    server.kill();
  }
}

/** Opens a window with settings of the page, as a person would have chosen them before. */
export async function openWindow(browser, options, settings) {
  const context = await browser.newContext({ serviceWorkers: "block", ...options });
  const page = await context.newPage();
  await page.addInitScript(
    (stored) => localStorage.setItem("troel-settings", stored),
    JSON.stringify(settings),
  );
  return page;
}

/** Waits until the review of a finished deal is complete. */
export async function waitForReview(page) {
  await page.waitForSelector(".decisions button", { state: "attached", timeout: 60000 });
  const isComplete = () => !document.querySelector(".review > [role=status]");
  await page.waitForFunction(isComplete, null, { timeout: 60000 });
}
