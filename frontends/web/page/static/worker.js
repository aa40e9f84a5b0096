// The library in a worker. Receives commands and posts lists of messages. Posts "opened" once the
// library is loaded, and another string if it failed.
"use strict";

let library = null;
let packed = null;
const bots = {};
let table = null;

const unpack = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));

async function load(given) {
  if (given.base) {
    const { Troel } = await import(new URL("troel.mjs", given.base).href);
    const wasm = await fetch(new URL("troel.wasm", given.base));
    if (!wasm.ok) throw new Error(`troel.wasm: ${wasm.status}`);
    library = await Troel.load(await wasm.arrayBuffer());
  } else {
    packed = given.bots;
    const { Troel } = await import(`data:text/javascript;base64,${given.module}`);
    library = await Troel.load(unpack(given.wasm));
  }
}

function bot(rules) {
  if (!packed) {
    bots.expert ??= library.named("expert");
    return bots.expert;
  }
  const found = packed[rules];
  if (!found) throw new Error(`there is no bot for ${rules} in this page`);
  bots[rules] ??= library.bot(found.name, found.info, unpack(found.weights));
  return bots[rules];
}

function execute(command) {
  if (command.rules) {
    table?.free();
    table = null;
    table = bot(command.rules).table();
  }
  if (!table) return [{ type: "refused", message: "open a table first" }];
  return table.do(command);
}

self.onmessage = async ({ data }) => {
  try {
    if (!data.command) {
      await load(data);
      postMessage("opened");
    } else if (data.command.type === "rules") {
      const asked = bot(data.command.rules).table();
      postMessage(asked.do(data.command));
      asked.free();
    } else {
      postMessage(execute(data.command));
    }
  } catch (error) {
    postMessage(String(error));
  }
};
