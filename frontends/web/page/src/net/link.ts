// A link to a table: a socket to the server that the page came from, or the library in a worker.

import type { Command, Message } from "../messages/messages";
import { isStandalone, packed } from "./packed";

export interface Link {
  send(command: Command): void;
  close(): void;
}

export interface LinkCallbacks {
  /** Notes that the table accepts commands. */
  opened(): void;
  message(message: Message): void;
  /** Notes that no message will follow. */
  lost(reason?: string): void;
}

/** Opens a table on the server that the page came from. */
function openSocket({ opened, message, lost }: LinkCallbacks): Link {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  const token = new URLSearchParams(location.search).get("token");
  const query = token === null ? "" : `?token=${encodeURIComponent(token)}`;
  const socket = new WebSocket(`${scheme}://${location.host}/v1/table${query}`);
  socket.onopen = opened;
  socket.onclose = () => lost();
  socket.onmessage = ({ data }) => message(JSON.parse(data));
  return {
    send: (command) => socket.send(JSON.stringify(command)),
    close: () => {
      socket.onclose = socket.onmessage = null;
      socket.close();
    },
  };
}

/** Opens a table in this page. A worker runs the library, so that the page draws meanwhile. */
function openWorker({ opened, message, lost }: LinkCallbacks): Link {
  const url = packed
    ? URL.createObjectURL(new Blob([atob(packed.worker)], { type: "text/javascript" }))
    : new URL("worker.js", location.href).href;
  const worker = new Worker(url);
  worker.onerror = (event) => lost(event.message);
  worker.onmessage = ({ data }) => {
    if (data === "opened") opened();
    else if (typeof data === "string") lost(data);
    else for (const answer of data as Message[]) message(answer);
  };
  const content = packed && { module: packed.module, wasm: packed.wasm, bots: packed.bots };
  worker.postMessage(content ?? { base: location.href });
  return {
    send: (command) => worker.postMessage({ command }),
    close: () => worker.terminate(),
  };
}

/** Opens a link to a table: to one in this page if `isLocal` or if the page needs no server. */
export const openLink = (callbacks: LinkCallbacks, isLocal: boolean): Link =>
  isLocal || isStandalone ? openWorker(callbacks) : openSocket(callbacks);
