import { beforeEach, describe, expect, it, vi } from "vitest";

import type { Command } from "../messages/messages";
import { openLink } from "./link";
import type { Packed } from "./packed";

const { content } = vi.hoisted(() => ({ content: { packed: null as unknown } }));
vi.mock("./packed", () => ({
  get packed() {
    return content.packed;
  },
}));

/** Data that was posted to workers, in order. */
const posted: unknown[] = [];

class FakeWorker {
  postMessage = (data: unknown) => void posted.push(data);
  terminate() {}
}

const RULES: Command = { type: "rules", rules: "wiezen" };
const HINT: Command = { type: "hint" };
const callbacks = { opened: vi.fn(), message: vi.fn(), lost: vi.fn() };
/** Lets everything run that is ready. */
const settle = () => new Promise((resolve) => setTimeout(resolve));

/** Puts a page in one file around the link, whose bot arrives when `arrive` is called. */
function packedPage(changes: Partial<Packed> = {}) {
  let arrive = () => {};
  const bot = { rules: "wiezen", name: "wiezen-v5", info: "", weights: "" };
  const arrived = new Promise<typeof bot>((resolve) => {
    arrive = () => resolve(bot);
  });
  const library = { module: "", wasm: "" };
  const own = { worker: "", library: async () => library, bot: () => arrived };
  content.packed = { ...own, ...changes };
  return { arrive, bot, library };
}

describe("a link in a page in one file", () => {
  beforeEach(() => {
    posted.length = 0;
    vi.stubGlobal("Worker", FakeWorker);
  });

  it("keeps commands until their bot has arrived, and sends the bot once", async () => {
    const { arrive, bot, library } = packedPage();
    const link = openLink(callbacks, true);
    link.send(RULES);
    link.send(HINT);
    await settle();
    expect(posted).toEqual([library]);
    arrive();
    await settle();
    link.send(RULES);
    await settle();
    expect(posted).toEqual([
      library,
      { bot },
      { command: RULES },
      { command: HINT },
      { command: RULES },
    ]);
  });

  it("waits for no bot under rules that come as a file", async () => {
    const { library } = packedPage();
    const command: Command = { ...RULES, rules: "club", rule_file: "id = 'club'" };
    openLink(callbacks, true).send(command);
    await settle();
    expect(posted).toEqual([library, { command }]);
  });

  it("starts no worker if the browser lacks a feature", async () => {
    packedPage({ lackingFeature: "WebAssembly" });
    openLink(callbacks, true).send(RULES);
    await settle();
    expect(posted).toEqual([]);
  });
});
