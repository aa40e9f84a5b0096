import { beforeEach, describe, expect, it, vi } from "vitest";

import type { Contract, Decision, GameRecord } from "../messages/messages";
import { table } from "../testing/tables";
import {
  cannotKeep,
  deleteDeals,
  exportLines,
  finishedDeal,
  importLines,
  keepDeal,
  keepReview,
  keptDeals,
  matchOfDeal,
} from "./kept-deals";
import { saved } from "./storage";

const database = vi.hoisted(() => ({
  deals: new Map<string, unknown>(),
  isForbidden: false,
  isFull: false,
}));

vi.mock("idb-keyval", () => {
  const deals = () => {
    if (database.isForbidden) throw new Error("forbidden by the test");
    return database.deals;
  };
  return {
    createStore: () => null,
    get: async (key: string) => deals().get(key),
    update: async (key: string, change: (old: unknown) => unknown) => {
      if (database.isFull) throw new Error("full by the test");
      deals().set(key, change(deals().get(key)));
    },
    values: async () => [...deals().values()],
    clear: async () => deals().clear(),
  };
});

const CONTRACT: Contract = { kind: "suit", level: 8, trump: "S", declarers: "NS" };
const DECISIONS = [{ at: 1, did: "8S", best: "pass", points: 1.5 }];

const record = (deal: string, actions = ["8S", "pass"]): GameRecord => ({
  rules: "wiezen",
  dealer: "W",
  deal,
  turn_up: "2H",
  actions,
});

/** Returns a deal that ended on a day of January. */
function deal(name: string, day: number, actions?: string[]) {
  const scores = { N: 4, E: -4, S: 4, W: -4 };
  const over = table({ record: record(name, actions), scores, contract: CONTRACT });
  return finishedDeal(over, { seed: 7 }, new Date(Date.UTC(2026, 0, day)));
}

beforeEach(() => {
  database.deals.clear();
  database.isForbidden = database.isFull = false;
});

describe("keepDeal", () => {
  it("keeps the first game of a deal, also if another window has it, too", async () => {
    const both = [deal("a", 1), deal("a", 2, ["pass"])];
    expect(await Promise.all(both.map(keepDeal))).toEqual([true, false]);
    expect(await keptDeals()).toEqual([both[0]]);
  });

  it("returns the deals by date", async () => {
    for (const day of [3, 1, 2]) await keepDeal(deal(`day ${day}`, day));
    expect((await keptDeals()).map(({ deal }) => deal)).toEqual(["day 1", "day 2", "day 3"]);
  });

  it("goes on without a database, and says so", async () => {
    vi.spyOn(console, "warn").mockImplementation(() => {});
    database.isForbidden = true;
    expect(await keepDeal(deal("a", 1))).toBe(false);
    expect(await keptDeals()).toEqual([]);
    expect(cannotKeep()).toBe(true);
    database.isForbidden = false;
    await keepDeal(deal("a", 1));
    expect(cannotKeep()).toBe(false);
  });
});

describe("cannotKeep", () => {
  it("is true from a failed change to the next one that succeeds", async () => {
    vi.spyOn(console, "warn").mockImplementation(() => {});
    database.isFull = true;
    await keepDeal(deal("a", 1));
    await keptDeals();
    expect(cannotKeep()).toBe(true);
    await deleteDeals();
    expect(cannotKeep()).toBe(false);
  });
});

describe("keepReview", () => {
  it("adds the decisions to the game that was reviewed", async () => {
    await keepDeal(deal("a", 1));
    await keepReview(record("a", ["pass"]), DECISIONS as Decision[]);
    expect((await keptDeals())[0].kept.decisions).toBeNull();
    await keepReview(record("a"), DECISIONS as Decision[]);
    expect((await keptDeals())[0].kept.decisions).toEqual(DECISIONS);
    await keepReview(record("a"), []);
    expect((await keptDeals())[0].kept.decisions).toEqual(DECISIONS);
  });

  it("keeps nothing of a deal that is not kept", async () => {
    await keepReview(record("a"), DECISIONS as Decision[]);
    expect(await keptDeals()).toEqual([]);
  });
});

describe("importLines", () => {
  it("reads what was exported, and counts each deal once", async () => {
    await keepDeal(deal("a", 1));
    await keepDeal(deal("b", 2));
    await keepReview(record("b"), DECISIONS as Decision[]);
    const deals = await keptDeals();
    const text = exportLines(deals);
    expect(await importLines(text)).toEqual({ added: 0, known: 2, unreadable: 0 });
    expect(saved.tallies()).toEqual({});
    await deleteDeals();
    expect(await importLines(text)).toEqual({ added: 2, known: 0, unreadable: 0 });
    expect(await keptDeals()).toEqual(deals);
    const tally = { deals: 2, points: 8, declared: 2, made: 2, reviewed: 1, lost: 1.5 };
    expect(saved.tallies().wiezen).toEqual(tally);
  });

  it("adds a review to a deal that was kept without one", async () => {
    const reviewed = deal("a", 1);
    reviewed.kept.decisions = DECISIONS;
    await keepDeal(deal("a", 1));
    await importLines(exportLines([reviewed]));
    expect((await keptDeals())[0].kept.decisions).toEqual(DECISIONS);
  });

  const changed = (changes: object) => {
    const { kept, ...rest } = deal("a", 1);
    return JSON.stringify({ ...rest, kept: { ...kept, ...changes } });
  };

  it.each([
    ["is no JSON", "{"],
    ["is no object", "null"],
    ["is a record of another program", JSON.stringify(record("a"))],
    ["has no date", changed({ date: "yesterday" })],
    ["has no seat", changed({ seat: "Q" })],
    ["has no points", changed({ points: null })],
    ["has an unknown contract", changed({ contract: { ...CONTRACT, kind: "constructor" } })],
    ["has a bad decision", changed({ decisions: [{ ...DECISIONS[0], points: "1" }] })],
  ])("leaves out a line that %s", async (_, line) => {
    expect(await importLines(`${line}\n`)).toEqual({ added: 0, known: 0, unreadable: 1 });
    expect(await keptDeals()).toEqual([]);
  });
});

it("shows a kept deal as a match that is over and loses nothing", () => {
  expect(matchOfDeal(deal("a", 1))).toMatchObject({
    rules: "wiezen",
    seat: "S",
    seed: 7,
    record: record("a"),
    deals: [["8S", "pass"]],
    side: { kind: "kept" },
  });
  expect(matchOfDeal(deal("a", 1), 1).deals).toEqual([["8S"]]);
});
