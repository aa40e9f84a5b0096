// The page's way to a table: in the page itself, with what `troel page` put into it.
"use strict";

const packed = JSON.parse(document.getElementById("packed").textContent);

const unpack = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));

/** The library, once it is there. */
const library = import(`data:text/javascript;base64,${packed.module}`)
  .then(({ Troel }) => Troel.load(unpack(packed.wasm)));

/** The bot for each rule set that somebody wanted to play, once it is there. */
const bots = {};

/** What there is a bot for. */
const playable = Object.keys(packed.bots);

/** Opens a table; `message` is called with each message, `lost` when there will be no more. */
function connect({ opened, message, lost }) {
  let table = null;
  let closed = false;
  const fail = (error) => {
    console.error(error);
    if (!closed) lost();
  };
  library.then(() => closed || opened()).catch(fail);
  const handle = async (command) => {
    const troel = await library;
    if (closed) return;
    if (command.type === "new") {
      const { name, info, weights } = packed.bots[command.rules];
      bots[command.rules] ??= troel.bot(name, info, unpack(weights));
      table?.free();
      table = bots[command.rules].table();
    }
    for (const answer of table?.do(command) ?? []) message(answer);
  };
  return {
    send: (command) => handle(command).catch(fail),
    close: () => { closed = true; table?.free(); table = null; },
  };
}
