// The library in a worker. Receives the library, bots and commands. Posts lists of messages,
// "opened" once the library is loaded, and another string if something failed.
"use strict";

let library = null;
/** The bots of a page in one file, by rule set; `null` if the page comes from a server. */
let packed = null;
const bots = {};
let table = null;

/** Returns the bytes of a compressed part of the page, which is in Base64. */
async function unpack(text) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function load({ base, module, wasm }) {
  if (base) {
    const { Troel } = await import(new URL("troel.mjs", base).href);
    const file = await fetch(new URL("troel.wasm", base));
    if (!file.ok) throw new Error(`troel.wasm: ${file.status}`);
    library = await Troel.load(await file.arrayBuffer());
  } else {
    packed = {};
    const { Troel } = await import(`data:text/javascript;base64,${btoa(module)}`);
    library = await Troel.load(await unpack(wasm));
  }
}

async function addBot({ rules, name, info, weights }) {
  packed[rules] = library.bot(name, info, await unpack(weights));
}

/** Returns the bot for the rules of a command. Rules that come as a file are played by `expert`. */
function bot({ rules, rule_file }) {
  if (!packed || rule_file) {
    bots.expert ??= library.named("expert");
    return bots.expert;
  }
  const found = packed[rules];
  if (!found) throw new Error(`there is no bot for ${rules} in this page`);
  return found;
}

function execute(command) {
  if (command.rules) {
    table?.free();
    table = null;
    table = bot(command).table();
  }
  if (!table) return [{ type: "refused", message: "open a table first" }];
  return table.do(command);
}

async function handle({ bot: added, command, ...given }) {
  if (added) {
    await addBot(added);
  } else if (!command) {
    await load(given);
    postMessage("opened");
  } else if (command.type === "rules") {
    const asked = bot(command).table();
    postMessage(asked.do(command));
    asked.free();
  } else {
    postMessage(execute(command));
  }
}

// A command needs the bot that was sent before it, so nothing is handled before its turn.
let last = Promise.resolve();
self.onmessage = ({ data }) => {
  last = last.then(() => handle(data)).catch((error) => postMessage(String(error)));
};
