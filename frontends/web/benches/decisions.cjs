// Times of decisions in Chromium, in the worker of the page, beside those of the native program.
//
//     npm install --prefix target/browser playwright-core@1     # once
//     export NODE_PATH=target/browser/node_modules TROEL_PROGRAM=target/release/troel
//     node frontends/web/benches/decisions.cjs                  # three minutes on a busy machine
//     node frontends/web/benches/decisions.cjs --rounds 10
//     node frontends/web/benches/decisions.cjs --quick          # checks that the script works
//
// It needs Linux, and Chromium in /usr/bin. The bot, its page and the library come from `troel
// export`, so both sides have the same weights and the same version. The positions are those of
// docs/deals.jsonl in which a seat has a choice. Both sides use one thread:
//
// - network, request: `act` of the bot protocol, from the JSON of a record to the JSON of an answer
// - network, decision: that time minus the time of `legal`, which reads and replays the same
//   record. It has the encoding, the network and the list of probabilities.
// - pimc:worlds=20: `act` of a search without a network
// - hint: `hint` of the table, a search with the network in 40 to 160 worlds, which the page runs.
//   The library has neither `search:BOT` nor a time limit (WebAssembly has no clock). Both sides
//   search the same worlds, so a time limit would allow fewer worlds by the ratio of the times.
//
// The native program answers `act` and `legal` over pipes (`troel bot`) and `hint` over a WebSocket
// (`troel serve`). Short requests are repeated, and their mean counts. Native and browser take
// turns in rounds. Mean, median and 99th percentile are over positions, each with its fastest
// round. This leaves out the warm-up of the browser's compiler and most of the load of other
// programs. The ratio is that of the means. "By round" is the range of the ratios of single rounds,
// except for the difference, which is too noisy in a single round.
"use strict";

const { execFileSync, spawn } = require("node:child_process");
const { once } = require("node:events");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { createInterface } = require("node:readline");
const { pathToFileURL } = require("node:url");
const { parseArgs } = require("node:util");
const { chromium } = require("playwright-core");
const { FLAGS } = require("../../../cli/tests/page-support.cjs");
const { countInstructions } = require("./simd.cjs");

const BOT = "luxembourg-v5";
const RULES = "luxembourg";
const SEARCH = "pimc:worlds=20";
const RECORDS = path.join(__dirname, "../../../docs/deals.jsonl");
/** Number of times that a request to the network is repeated, since clocks of pages are coarse. */
const REPETITIONS = 100;
/** Distance between the positions that `--quick` uses. */
const QUICK_STEP = 25;

/** Returns the command line; ends the program if it is wrong. */
function readArguments() {
  const options = { quick: { type: "boolean", default: false }, rounds: { type: "string" } };
  try {
    const { quick, rounds } = parseArgs({ options }).values;
    const number = Number(rounds ?? (quick ? 1 : 5));
    if (!Number.isInteger(number) || number < 1) throw new Error(`--rounds ${rounds}: write a whole number from 1 on`);
    const program = process.env.TROEL_PROGRAM;
    if (!program) throw new Error("TROEL_PROGRAM is not set: set it to the path of the program, such as target/release/troel");
    return { quick, rounds: number, program };
  } catch (error) {
    console.error(error.message);
    process.exit(2);
  }
}

/** The program as a bot, over pipes. */
class NativeBot {
  /** The request that waits for its answers. */
  #waiting = null;

  constructor(program, name) {
    this.process = spawn(program, ["bot", name], { stdio: ["pipe", "pipe", "inherit"] });
    this.process.stdout.on("data", (chunk) => this.#receive(chunk));
    this.ended = once(this.process, "exit").then(() => {
      throw new Error(`troel bot ${name} ended too early; see its message above`);
    });
    // Both matter only while an answer is awaited.
    this.ended.catch(() => {});
    this.process.stdin.on("error", () => {});
  }

  #receive(chunk) {
    const { chunks, resolve } = this.#waiting;
    chunks.push(chunk);
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) this.#waiting.missing--;
    if (this.#waiting.missing === 0) resolve(chunks);
  }

  /** Sends a request `times` times; returns the milliseconds per request and the answer. */
  async ask(request, times) {
    const lines = `${JSON.stringify(request)}\n`.repeat(times);
    const answers = new Promise((resolve) => {
      this.#waiting = { missing: times, chunks: [], resolve };
    });
    const start = performance.now();
    this.process.stdin.write(lines);
    const chunks = await Promise.race([answers, this.ended]);
    const ms = (performance.now() - start) / times;
    const [answer] = Buffer.concat(chunks).toString().split("\n", 1);
    return { ms, answer: JSON.parse(answer) };
  }

  async askAll(requests, times) {
    const results = [];
    for (const request of requests) results.push(await this.ask(request, times));
    return results;
  }

  end() {
    this.process.kill();
  }
}

/** Asks a bot of the page's worker as `NativeBot.askAll` does. */
function askPage(worker, bot, requests, times) {
  return worker.evaluate(([name, requests, times]) => {
    self.measured ??= {};
    self.measured[name] ??= packed[name] ?? library.named(name);
    const bot = self.measured[name];
    return requests.map((request) => {
      let answer = null;
      const start = performance.now();
      for (let i = 0; i < times; i++) answer = bot.answer(request);
      return { ms: (performance.now() - start) / times, answer };
    });
  }, [bot, requests, times]);
}

/** Restores each match in the page's worker and asks for a hint. Returns the times and hints. */
function hintsOfPage(worker, matches) {
  return worker.evaluate(([rules, matches]) => matches.map((match) => {
    const table = packed[rules].table();
    table.do(match);
    const start = performance.now();
    const [answer] = table.do({ type: "hint" });
    const ms = performance.now() - start;
    table.free();
    return { ms, answer };
  }), [RULES, matches]);
}

/** Does the same as `hintsOfPage` with the native server, from a page of that server. */
function hintsOfServer(page, matches) {
  return page.evaluate(async (matches) => {
    const socket = new WebSocket(`ws://${location.host}/v1/table`);
    const ask = (command) => new Promise((resolve, reject) => {
      socket.onmessage = ({ data }) => resolve(JSON.parse(data));
      socket.onclose = () => reject(new Error("the server closed the connection"));
      socket.send(JSON.stringify(command));
    });
    await new Promise((resolve, reject) => {
      socket.onopen = resolve;
      socket.onerror = () => reject(new Error("the server refused the connection"));
    });
    const results = [];
    for (const match of matches) {
      await ask(match);
      const start = performance.now();
      const answer = await ask({ type: "hint" });
      results.push({ ms: performance.now() - start, answer });
    }
    socket.onclose = null;
    socket.close();
    return results;
  }, matches);
}

/** Returns the positions in which a seat has a choice, each once, as requests `legal`. */
async function positions(bot, step) {
  const requests = new Map();
  for (const line of fs.readFileSync(RECORDS, "utf8").trim().split("\n")) {
    const { rules, dealer, deal, actions } = JSON.parse(line);
    for (let length = 0; length < actions.length; length++) {
      const record = { rules, dealer, deal, actions: actions.slice(0, length) };
      const request = { cmd: "legal", record, seat: "S" };
      const { seat } = (await bot.ask(request, 1)).answer;
      const { legal } = (await bot.ask({ ...request, seat }, 1)).answer;
      if (legal.length > 1) requests.set(JSON.stringify(record), { ...request, seat });
    }
  }
  return [...requests.values()].filter((_, i) => i % step === 0);
}

/** Starts `troel serve` on one core, because a hint uses all idle cores. Also returns its address. */
async function serve(program) {
  const args = ["-c", "0", program, "serve", "--port", "0", "--bot", BOT];
  const server = spawn("taskset", args, { stdio: ["ignore", "pipe", "inherit"] });
  await once(server, "spawn");
  const line = once(createInterface(server.stdout), "line");
  const ended = once(server, "exit").then(() => {
    throw new Error("troel serve ended too early; see its message above");
  });
  const [url] = await Promise.race([line, ended]);
  ended.catch(() => {});
  return { server, url: url.trim() };
}

const mean = (numbers) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
const quantile = (numbers, q) => [...numbers].sort((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(numbers.length * q))];

/** The rounds of a measurement: for each round the milliseconds by position. */
class Rounds {
  rounds = [];

  add(results) {
    this.rounds.push(results.map(({ ms }) => ms));
  }

  /** The fastest round of each position. */
  get best() {
    return this.rounds[0].map((_, i) => Math.min(...this.rounds.map((round) => round[i])));
  }

  get means() {
    return this.rounds.map(mean);
  }
}

/** Returns the cells of a row of the table: the times of `plus` minus those of `minus`. */
function row(name, plus, minus) {
  const subtract = (all, others) => all.map((ms, i) => ms - (others?.[i] ?? 0));
  const times = (side) => subtract(plus[side].best, minus?.[side].best);
  const [native, browser] = [times("native"), times("browser")];
  const figures = (side) => [mean(side), quantile(side, 0.5), quantile(side, 0.99)].map((ms) => ms.toFixed(3));
  const ratios = plus.browser.means.map((ms, round) => ms / plus.native.means[round]);
  const range = minus ? "" : `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`;
  return [name, native.length, ...figures(native), ...figures(browser), (mean(browser) / mean(native)).toFixed(2), range];
}

/** Returns the number of answers that differ in their action, or have none. */
function differing(native, browser) {
  const differs = ({ answer: { action } }, i) => !action || action !== browser[i].answer.action;
  return native.filter(differs).length;
}

async function measure({ quick, rounds, program }, folder, started) {
  const exported = path.join(folder, "bot");
  execFileSync(program, ["export", BOT, exported], { stdio: ["ignore", "ignore", "inherit"] });
  const wasm = fs.readFileSync(path.join(exported, "troel.wasm"));
  const { all, vector, relaxed } = countInstructions(wasm);
  console.log(`${os.cpus()[0].model}, ${os.cpus().length} cores; load ${os.loadavg()[0].toFixed(1)}`);
  console.log(`troel.wasm: ${wasm.length} bytes, ${all} instructions, ${vector} on 128-bit vectors, ${relaxed} of relaxed SIMD`);

  const network = new NativeBot(program, exported);
  started.push(() => network.end());
  const search = new NativeBot(program, SEARCH);
  started.push(() => search.end());
  const { server, url } = await serve(program);
  started.push(() => server.kill());
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: FLAGS });
  started.push(() => browser.close());
  console.log(`Chromium ${browser.version()}`);

  const legal = await positions(network, quick ? QUICK_STEP : 1);
  const act = legal.map((request) => ({ ...request, cmd: "act" }));
  const restore = { type: "restore", rules: RULES, seed: 1 };
  const allMatches = legal.map(({ record, seat }) => ({ ...restore, seat, record, deals: [record.actions] }));
  // A page without a script of its own.
  const client = await browser.newPage();
  await client.goto(new URL("health", url).href);
  // Once the points are settled there is no hint.
  const tried = await hintsOfServer(client, allMatches);
  const matches = allMatches.filter((_, i) => tried[i].answer.type === "hint");

  const page = await browser.newPage();
  await page.goto(`${pathToFileURL(path.join(exported, "play.html"))}?lang=en&seed=7`);
  await page.waitForSelector(".bids button, .hand .legal", { timeout: 60000 });
  const [worker] = page.workers();
  const [firstHint] = await hintsOfPage(worker, matches.slice(0, 1));
  const [firstAct] = await askPage(worker, RULES, act.slice(0, 1), 1);
  console.log(`first decisions in the new page: hint ${firstHint.ms.toFixed(1)} ms, network ${firstAct.ms.toFixed(1)} ms`);

  const times = {};
  let differences = 0;
  const measurements = {
    act: [() => network.askAll(act, REPETITIONS), () => askPage(worker, RULES, act, REPETITIONS)],
    legal: [() => network.askAll(legal, REPETITIONS), () => askPage(worker, RULES, legal, REPETITIONS)],
    search: [() => search.askAll(act, 1), () => askPage(worker, SEARCH, act, 1)],
    hint: [() => hintsOfServer(client, matches), () => hintsOfPage(worker, matches)],
  };
  for (let round = 0; round < rounds; round++) {
    for (const [name, [native, inBrowser]] of Object.entries(measurements)) {
      times[name] ??= { native: new Rounds(), browser: new Rounds() };
      const results = { native: await native(), browser: await inBrowser() };
      for (const side of ["native", "browser"]) times[name][side].add(results[side]);
      if (round === 0 && name !== "legal") differences += differing(results.native, results.browser);
    }
  }
  console.log(`decisions that differ between native and browser: ${differences}`);
  console.log(`milliseconds; ${rounds} round${rounds === 1 ? "" : "s"}`);
  const heads = ["", "positions", "native mean", "median", "p99", "browser mean", "median", "p99", "ratio", "by round"];
  const rows = [
    row("network, request", times.act),
    row("network, decision", times.act, times.legal),
    row(SEARCH, times.search),
    row("hint", times.hint),
  ];
  for (const [name, ...cells] of [heads, ...rows]) {
    console.log(name.padEnd(18) + cells.map((cell) => String(cell).padStart(13)).join(""));
  }
}

(async () => {
  const options = readArguments();
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "troel-decisions-"));
  /** Functions that end what was started. */
  const started = [];
  try {
    await measure(options, folder, started);
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  } finally {
    for (const end of started.reverse()) await end();
    fs.rmSync(folder, { recursive: true });
  }
})();
