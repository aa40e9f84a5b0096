// The page's ways to a table: a socket to the server that the page came from, or the library in a
// worker.

import type { Command, Message } from "./messages";
import { BUILT_IN, RULES } from "./rulesets";

export interface Link {
  send(command: Command): void;
  close(): void;
}

export interface Ends {
  /** The table is there. */
  opened(): void;
  message(message: Message): void;
  /** There will be no more messages. */
  lost(reason?: string): void;
}

/** Content that `troel page` put into the page: the library and the bots, in Base64. */
interface Packed {
  worker: string;
  module: string;
  wasm: string;
  bots: Record<string, { name: string; info: string; weights: string }>;
}

const element = document.getElementById("packed");
const packed: Packed | null = element ? JSON.parse(element.textContent!) : null;

/** The rule sets that this page has a bot for; `null` if it comes from a server. */
const playable = packed ? Object.keys(packed.bots) : null;
/** The rule sets that can be chosen. */
export const SETS = playable ?? Object.keys(RULES);
/** Whether this page can play a rule set without a server. */
export const playsHere = (rules: string): boolean => (playable ?? Object.keys(BUILT_IN)).includes(rules);
/** Whether the page needs no server. */
export const isAlone = packed !== null;

/** A table on the server that the page came from. */
function server({ opened, message, lost }: Ends): Link {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  const query = new URLSearchParams(location.search);
  const token = query.has("token") ? `?token=${encodeURIComponent(query.get("token")!)}` : "";
  const socket = new WebSocket(`${scheme}://${location.host}/v1/table${token}`);
  socket.onopen = opened;
  socket.onclose = () => lost();
  socket.onmessage = ({ data }) => message(JSON.parse(data));
  return {
    send: (command) => socket.send(JSON.stringify(command)),
    close: () => { socket.onclose = socket.onmessage = null; socket.close(); },
  };
}

/** A table in this page. The library is in a worker, so that the page can draw while bots think. */
function inPage({ opened, message, lost }: Ends): Link {
  const url = packed
    ? URL.createObjectURL(new Blob([atob(packed.worker)], { type: "text/javascript" }))
    : new URL("worker.js", location.href).href;
  const worker = new Worker(url);
  worker.onerror = (event) => lost(event.message);
  worker.onmessage = ({ data }) => {
    if (data === "opened") opened();
    else if (typeof data === "string") lost(data);
    else (data as Message[]).forEach(message);
  };
  const base = location.href;
  worker.postMessage(packed ? { module: packed.module, wasm: packed.wasm, bots: packed.bots } : { base });
  return { send: (command) => worker.postMessage({ command }), close: () => worker.terminate() };
}

/** A table; `here` if no server is wanted. */
export const connect = (ends: Ends, here: boolean): Link => (here || isAlone ? inPage(ends) : server(ends));
