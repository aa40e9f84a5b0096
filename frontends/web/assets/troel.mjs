// Bots of troel in JavaScript: browsers, Node, Deno. Needs troel.wasm and, for a trained bot, the files of a checkpoint.
//
//   import { Troel } from "./troel.mjs";
//   const troel = await Troel.load(await (await fetch("troel.wasm")).arrayBuffer());
//   const bot = troel.bot("my-bot", await text("bot.toml"), await bytes("model.safetensors"));
//   const expert = troel.named("expert");                           // or rules, pimc:worlds=20: no file needed
//   bot.answer({ cmd: "hello" });                                   // docs/protocol.md
//   const table = bot.table();
//   table.do({ type: "new", rules: "luxembourg", seat: "S" });      // docs/table.md

const ERROR_LENGTH = 1024;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The library. */
export class Troel {
  #exports;

  /** @param {BufferSource | WebAssembly.Module} wasm  troel.wasm */
  static async load(wasm) {
    const result = await WebAssembly.instantiate(wasm, {});
    return new Troel((result.instance ?? result).exports);
  }

  /** Use `Troel.load`. */
  constructor(exports) {
    this.#exports = exports;
  }

  /**
   * A bot from the files of its checkpoint; throws if one is damaged.
   * @param {string} name      what the bot is called
   * @param {string} info      bot.toml
   * @param {Uint8Array} weights  model.safetensors
   */
  bot(name, info, weights) {
    const library = this.#exports;
    const given = [encoder.encode(`${name.replaceAll("\0", "")}\0`), encoder.encode(info), weights];
    return lend(library, given, ([name, info, weights]) =>
      lend(library, [new Uint8Array(ERROR_LENGTH)], ([error]) => {
        const bot = library.troel_bot_read(name.at, info.at, info.length, weights.at, weights.length, error.at, ERROR_LENGTH);
        if (!bot) throw new Error(string(library, error.at));
        return new Bot(library, bot);
      }));
  }

  /**
   * A bot without a file, under all built-in rule sets; throws if there is none of this name.
   * @param {string} name  `random`, `rules`, `expert` or `pimc:worlds=20`
   */
  named(name) {
    const library = this.#exports;
    const given = [encoder.encode(`${name.replaceAll("\0", "")}\0`), new Uint8Array(ERROR_LENGTH)];
    return lend(library, given, ([name, error]) => {
      const bot = library.troel_bot_named(name.at, error.at, ERROR_LENGTH);
      if (!bot) throw new Error(string(library, error.at));
      return new Bot(library, bot);
    });
  }
}

/** A loaded bot. */
class Bot {
  #library;
  #at;

  constructor(library, at) {
    this.#library = library;
    this.#at = at;
  }

  /** Answers a request of the bot protocol: an object in, an object out. */
  answer(request) {
    const library = this.#library;
    return lend(library, [encoder.encode(`${JSON.stringify(request)}\0`)], ([request]) => {
      const ask = (length) => lend(library, [new Uint8Array(length)], ([answer]) => {
        const needed = library.troel_bot_answer(this.#at, request.at, answer.at, length);
        return needed < length ? string(library, answer.at) : needed + 1;
      });
      const answer = ask(16384);
      return JSON.parse(typeof answer === "number" ? ask(answer) : answer);
    });
  }

  /** A table at which the bot takes the seats that the person does not. */
  table() {
    return new Table(this.#library, this.#library.troel_table_new(this.#at));
  }

  /** Gives the memory back; the bot must not be used any more. Tables that it sits at keep it. */
  free() {
    this.#library.troel_bot_free(this.#at);
    this.#at = 0;
  }
}

/** A person and three bots. */
class Table {
  #library;
  #at;

  constructor(library, at) {
    this.#library = library;
    this.#at = at;
  }

  /** Does what the person commands; returns what is to be shown, one message for each thing that happened. */
  do(command) {
    const seeded = command.type === "new" ? { ...command, seed: command.seed ?? chance() } : command;
    return lend(this.#library, [encoder.encode(`${JSON.stringify(seeded)}\0`)], ([command]) =>
      JSON.parse(string(this.#library, this.#library.troel_table_do(this.#at, command.at))));
  }

  /** Gives the memory back; the table must not be used any more. */
  free() {
    this.#library.troel_table_free(this.#at);
    this.#at = 0;
  }
}

/** Copies of arrays in the library's memory while `use` runs. */
function lend(library, arrays, use) {
  const lent = [];
  try {
    for (const array of arrays) {
      const room = Math.max(array.length, 1);
      const at = library.troel_alloc(room);
      if (!at) throw new Error("out of memory");
      lent.push({ at, room, length: array.length });
      new Uint8Array(library.memory.buffer, at).set(array);
    }
    return use(lent);
  } finally {
    for (const { at, room } of lent) library.troel_dealloc(at, room);
  }
}

/** A string of the library's that ends with a zero byte. */
function string(library, at) {
  const bytes = new Uint8Array(library.memory.buffer, at);
  return decoder.decode(bytes.subarray(0, bytes.indexOf(0)));
}

function chance() {
  const [high, low] = crypto.getRandomValues(new Uint32Array(2));
  return (high % 2 ** 20) * 2 ** 32 + low;
}
