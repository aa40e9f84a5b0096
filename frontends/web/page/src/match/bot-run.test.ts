import { expect, it, vi } from "vitest";

import { links, openLink } from "../testing/links";
import { table } from "../testing/tables";
import { startBotRun } from "./bot-run";
import { dailyMatch } from "./daily";

vi.mock("../net/link", () => ({ openLink }));

it("plays the deal from its beginning with the bot's choices", () => {
  const done = vi.fn();
  startBotRun({ ...dailyMatch("2026-01-15", "wiezen"), deals: [["pass"]] }, false, done);
  const link = links.at(-1)!;
  link.opened();
  expect(link.sent[0]).toMatchObject({ type: "new", rules: "wiezen", seed: 20260115, bots: {} });
  link.message(table({ turn: "N" }));
  link.message(table({ legal: ["pass", "8H"] }));
  link.message({ type: "hint", action: "8H", bot: "pass", policy: [], value: 0, candidates: [] });
  link.message(table({ legal: ["AS"] }));
  link.message(table({ legal: ["AS", "2S"], settled: true }));
  expect(link.sent.slice(1)).toEqual([
    { type: "hint" },
    { type: "act", action: "pass" },
    { type: "act", action: "AS" },
    { type: "claim" },
  ]);
  const contract = { kind: "suit", level: 8, trump: "H", declarers: "NS" } as const;
  link.message(table({ turn: null, contract, scores: { N: 0, E: 0, S: 7, W: 0 } }));
  expect([link.sent.at(-1), done.mock.calls]).toEqual([{ type: "results" }, []]);
  const results: [number, number][] = [
    [-10, 400],
    [7, 600],
  ];
  link.message({ type: "results", points: results });
  expect(done.mock.calls).toEqual([[{ points: 7, contract, results }]]);
  expect(link.isClosed).toBe(true);
});

it("keeps the result of a table that cannot play the deal often", () => {
  const done = vi.fn();
  startBotRun(dailyMatch("2026-01-15", "wiezen"), false, done);
  links.at(-1)!.message(table({ turn: null, scores: { N: 0, E: 0, S: 0, W: 0 }, void: true }));
  links.at(-1)!.message({ type: "refused", of: "results", message: "" });
  expect(done.mock.calls).toEqual([[{ points: 0, contract: null, results: [] }]]);
});

it("gives up if the table fails between the deal and its many plays", () => {
  const done = vi.fn();
  startBotRun(dailyMatch("2026-01-15", "wiezen"), false, done);
  links.at(-1)!.message(table({ turn: null, scores: { N: 0, E: 0, S: 0, W: 0 } }));
  links.at(-1)!.lost();
  expect(done.mock.calls).toEqual([[null]]);
});

it("gives up if the table refuses or fails", () => {
  const done = vi.fn();
  for (const fail of ["refused", "lost"] as const) {
    startBotRun(dailyMatch("2026-01-15", "wiezen"), false, done);
    if (fail === "lost") links.at(-1)!.lost();
    else links.at(-1)!.message({ type: "refused", of: "hint", message: "" });
  }
  expect(done.mock.calls).toEqual([[null], [null]]);
});

it("stops when the deal is left", () => {
  const done = vi.fn();
  startBotRun(dailyMatch("2026-01-15", "wiezen"), true, done)();
  expect([links.at(-1)!.isClosed, links.at(-1)!.isLocal, done.mock.calls]).toEqual([
    true,
    true,
    [],
  ]);
});
