// Plays deals with the bots of a troel.wasm, doing what the hints say; prints each command with its answers, for the
// test to compare with what the program itself answers.
import { readFileSync } from "node:fs";

/** Deals of each bot that are played as the hints say the bot would. */
const HINTED = 2;

const [module, wasm, deals, ...checkpoints] = process.argv.slice(2);
const { Troel } = await import(module);
const troel = await Troel.load(readFileSync(wasm));

for (const folder of checkpoints) {
  const weights = readFileSync(`${folder}/model.safetensors`);
  const bot = troel.bot(folder, readFileSync(`${folder}/bot.toml`, "utf8"), weights);
  const { rules: [rules] } = bot.answer({ cmd: "hello" });
  const table = bot.table();
  bot.free();
  const order = (command) => {
    const answers = table.do(command);
    console.log(JSON.stringify({ folder, command, answers }));
    return answers.at(-1);
  };
  let state = order({ type: "new", rules, seat: "E", seed: 5 });
  for (let deal = 0; deal < deals;) {
    if (state.scores) {
      deal++;
      state = order({ type: state.over ? "new" : "next", rules, seat: "W", seed: deal });
    } else {
      // A hint searches: in a few deals only. In the others any action, so that the bots answer.
      const action = deal < HINTED ? order({ type: "hint" }).bot : state.legal[state.history.length % state.legal.length];
      state = order({ type: "act", action });
    }
  }
  table.free();
}

// Bots that need no file search here, too, and do it well enough to decide legally.
for (const name of ["rules", "expert", "pimc:worlds=2"]) {
  const bot = troel.named(name);
  if (bot.answer({ cmd: "hello" }).rules.length !== 4) throw new Error(`${name} plays all rule sets`);
  const table = bot.table();
  let state = table.do({ type: "new", rules: "wiezen", seat: "E", seed: 3 }).at(-1);
  for (let steps = 0; !state.scores; steps++) {
    if (state.type !== "table" || steps > 60) throw new Error(`${name}: ${JSON.stringify(state)}`);
    const { action } = table.do({ type: "hint" })[0];
    state = table.do({ type: "act", action }).at(-1);
  }
}
for (const name of ["nobody", "bot:true", "checkpoints/wiezen-v5", "wiezen-v5"]) {
  try {
    troel.named(name);
  } catch (error) {
    if (!error.message.includes("is not a built-in bot")) throw error;
    continue;
  }
  throw new Error(`${name} was found`);
}

// What is damaged is refused with the place, and the library goes on.
const info = readFileSync(`${checkpoints[0]}/bot.toml`, "utf8");
for (const [text, bytes] of [["nope", new Uint8Array(9)], ["", new Uint8Array(9)], [info, new Uint8Array(9)], [info, new Uint8Array(0)]]) {
  try {
    troel.bot("damaged", text, bytes);
  } catch (error) {
    if (!/^damaged\/(bot\.toml|model\.safetensors): /.test(error.message)) throw error;
    continue;
  }
  throw new Error("a damaged bot was loaded");
}
