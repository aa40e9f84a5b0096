// Plays deals with the bots of a troel.wasm, doing what the hints say; prints each wish with its answers, for the
// test to compare with what the program itself answers.
import { readFileSync } from "node:fs";

const [module, wasm, deals, ...checkpoints] = process.argv.slice(2);
const { Troel } = await import(module);
const troel = await Troel.load(readFileSync(wasm));

for (const folder of checkpoints) {
  const weights = readFileSync(`${folder}/model.safetensors`);
  const bot = troel.bot(folder, readFileSync(`${folder}/bot.toml`, "utf8"), weights);
  const { rules: [rules] } = bot.answer({ cmd: "hello" });
  const table = bot.table();
  bot.free();
  const wish = (wish) => {
    const answers = table.do(wish);
    console.log(JSON.stringify({ folder, wish, answers }));
    return answers.at(-1);
  };
  let state = wish({ type: "new", rules, seat: "E", seed: 5 });
  for (let deal = 0; deal < deals;) {
    if (state.scores) {
      deal++;
      state = wish({ type: state.over ? "new" : "next", rules, seat: "W", seed: deal });
    } else {
      state = wish({ type: "act", action: wish({ type: "hint" }).action });
    }
  }
  table.free();
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
