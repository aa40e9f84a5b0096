import { describe, expect, it } from "vitest";

import type { Grade } from "../match/grades";
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

/** Grade of the decisions in these tests: a loss below two points is good. */
const gradeOf = ({ did, best, points }: Decision): Grade => {
  if (did === best) return "best";
  return points < 2 ? "good" : "mistake";
};

const lists = (...decisions: Decision[]) => {
  const sorted = Object.entries<Decision[]>({ ...sortDecisions(decisions, gradeOf) });
  return Object.fromEntries(sorted.map(([name, list]) => [name, list.map(({ at }) => at)]));
};

describe("sortDecisions", () => {
  it("puts the worst decision first, and equally bad ones in playing order", () => {
    const sorted = lists(
      decision(3, { did: "KS", points: 3 }),
      decision(1, { did: "KS", points: 3 }),
      decision(2, { did: "KS", points: 5 }),
    );
    expect(sorted.costly).toEqual([2, 1, 3]);
  });

  it("lists only inaccuracies and worse as costly", () => {
    const sorted = lists(
      decision(1, { did: "KS", points: 1.9 }),
      decision(2, { did: "KS", points: 2 }),
      decision(3, { over_bot: 3 }),
    );
    expect(sorted).toMatchObject({ costly: [2], close: [1], better: [3], fine: [1, 3] });
  });

  it("lists a loss without a grade unless it would be written as 0.0", () => {
    const losses = [decision(1, { points: 0.05 }), decision(2, { points: 0.04 })];
    const { costly, fine } = sortDecisions(losses, () => null);
    expect([costly, fine]).toEqual([[losses[0]], [losses[1]]]);
  });

  it("keeps losses with open cards apart from those of points", () => {
    const sorted = lists(
      decision(1, { did: "KS", points: 2, tricks: 2 }),
      decision(2, { tricks: 1 }),
      decision(3, { tricks: 2 }),
      decision(4, { tricks: 0 }),
    );
    expect(sorted).toMatchObject({ costly: [1], hindsight: [3, 2], fine: [2, 3, 4] });
  });

  it("lists a good decision only if it is not the best action", () => {
    const sorted = lists(decision(1, {}), decision(2, { did: "KS" }));
    expect(sorted).toMatchObject({ fine: [1, 2], close: [2] });
  });

  it("lists a decision that beats the bot once", () => {
    const sorted = lists(decision(1, { did: "KS", over_bot: 3 }), decision(2, { over_bot: 4 }));
    expect(sorted).toMatchObject({ better: [2, 1], close: [] });
  });
});
