import { describe, expect, it } from "vitest";

import type { Decision } from "../messages/messages";
import { sortDecisions } from "./decisions";

const decision = (at: number, changes: Partial<Decision>): Decision => ({
  at,
  seat: "S",
  phase: "play",
  did: "AS",
  best: "AS",
  bot: "AS",
  chance: 1,
  bot_chance: 1,
  value: null,
  points: 0,
  bot_points: 0,
  over_bot: 0,
  candidates: [],
  tricks: null,
  ...changes,
});

const lists = (...decisions: Decision[]) => {
  const sorted = Object.entries<Decision[]>({ ...sortDecisions(decisions) });
  return Object.fromEntries(sorted.map(([name, list]) => [name, list.map(({ at }) => at)]));
};

describe("sortDecisions", () => {
  it("puts the worst decision first, and equally bad ones in playing order", () => {
    const sorted = lists(
      decision(3, { points: 1 }),
      decision(1, { points: 1 }),
      decision(2, { points: 5 }),
    );
    expect(sorted.costly).toEqual([2, 1, 3]);
  });

  it("takes a loss that would be written as 0.0 for none", () => {
    const sorted = lists(decision(1, { points: 0.05 }), decision(2, { points: 0.04 }));
    expect(sorted).toMatchObject({ costly: [1], free: [2] });
  });

  it("keeps losses with open cards apart from those of points", () => {
    const sorted = lists(
      decision(1, { points: 1, tricks: 2 }),
      decision(2, { tricks: 1 }),
      decision(3, { tricks: 2 }),
      decision(4, { tricks: 0 }),
    );
    expect(sorted).toMatchObject({ costly: [1], hindsight: [3, 2], free: [4] });
  });

  it("lists a free decision only if it is not the best action", () => {
    const sorted = lists(decision(1, {}), decision(2, { did: "KS" }));
    expect(sorted).toMatchObject({ free: [1, 2], equal: [2] });
  });

  it("lists a decision that beats the bot once", () => {
    const sorted = lists(decision(1, { did: "KS", over_bot: 3 }), decision(2, { over_bot: 4 }));
    expect(sorted).toMatchObject({ better: [2, 1], equal: [] });
  });
});
