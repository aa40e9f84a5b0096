// A link to a table: a socket to the server that the page came from, or the library in a worker.

import type { Command, Message } from "../messages/messages";
import { type Packed, packed } from "./packed";

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

/** Starts the worker with this script, which runs the library, so that the page draws meanwhile. */
function startWorker(url: string, { opened, message, lost }: LinkCallbacks): Worker {
  const worker = new Worker(url);
  worker.onerror = (event) => lost(event.message);
  worker.onmessage = ({ data }) => {
    if (data === "opened") opened();
    else if (typeof data === "string") lost(data);
    else for (const answer of data as Message[]) message(answer);
  };
  return worker;
}

/** Opens a table in this page, with the library of the server that the page came from. */
function openLocal(callbacks: LinkCallbacks): Link {
  const worker = startWorker(new URL("worker.js", location.href).href, callbacks);
  worker.postMessage({ base: location.href });
  return {
    send: (command) => worker.postMessage({ command }),
    close: () => worker.terminate(),
  };
}

/** Opens a table in a page in one file. Commands wait until their bot has arrived. */
function openPacked(packed: Packed, callbacks: LinkCallbacks): Link {
  // The page reports the fault. A link that never opens does nothing more.
  if (packed.lackingFeature) return { send: () => {}, close: () => {} };
  const script = new Blob([packed.worker], { type: "text/javascript" });
  const worker = startWorker(URL.createObjectURL(script), callbacks);
  let last: Promise<void> = Promise.resolve();
  const post = (content: () => unknown) => {
    last = last.then(content).then((arrived) => worker.postMessage(arrived));
  };
  post(() => packed.library());
  const sentBots = new Set<string>();
  return {
    send: (command) => {
      const needsBot = "rules" in command && !("rule_file" in command && command.rule_file);
      if (needsBot && command.rules && !sentBots.has(command.rules)) {
        const { rules } = command;
        sentBots.add(rules);
        post(async () => ({ bot: await packed.bot(rules) }));
      }
      post(() => ({ command }));
    },
    close: () => worker.terminate(),
  };
}

/** Opens a link to a table: to one in this page if `isLocal` or if the page needs no server. */
export function openLink(callbacks: LinkCallbacks, isLocal: boolean): Link {
  if (packed) return openPacked(packed, callbacks);
  return isLocal ? openLocal(callbacks) : openSocket(callbacks);
}
