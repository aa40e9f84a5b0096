import { describe, expect, it } from "vitest";

import type { Candidate, Decision } from "../messages/messages";
import { countGrades, gradeOf, praisedDecisions } from "./grades";

const STAKE = 20;

const candidate = (action: string, points: number, chance = 0.5): Candidate => ({
  action,
  points,
  error: 0.5,
  chance,
});

const decision = (changes: Partial<Decision>): Decision => ({
  at: 1,
  seat: "S",
  phase: "play",
  did: "2S",
  best: "AS",
  bot: "AS",
  chance: 0.5,
  bot_chance: 0.5,
  value: null,
  points: 0,
  bot_points: 0,
  over_bot: 0,
  candidates: [],
  tricks: null,
  ...changes,
});

describe("gradeOf", () => {
  it.each([
    [0, "good"],
    [0.9, "good"],
    [1, "inaccuracy"],
    [2.9, "inaccuracy"],
    [3, "mistake"],
    [7.9, "mistake"],
    [8, "blunder"],
  ] as const)("grades a loss of %d points as %s if 20 are at stake", (points, grade) => {
    expect(gradeOf(decision({ points }), STAKE, false)).toBe(grade);
  });

  it("calls only the best action best", () => {
    expect(gradeOf(decision({ did: "AS" }), STAKE, false)).toBe("best");
  });

  it("is relative to the stakes", () => {
    expect(gradeOf(decision({ points: 2 }), 4, false)).toBe("blunder");
  });

  it("is mild where the bot does the same and no fact speaks against it", () => {
    const shared = decision({ points: 9, bot: "2S" });
    expect(gradeOf(shared, STAKE, false)).toBe("inaccuracy");
    expect(gradeOf(shared, STAKE, true)).toBe("blunder");
  });

  it("gives no grade without the stakes", () => {
    expect(gradeOf(decision({ points: 9 }), Number.POSITIVE_INFINITY, false)).toBeNull();
  });
});

describe("countGrades", () => {
  it("counts the decisions of each grade", () => {
    const decisions = [decision({ did: "AS" }), decision({}), decision({ points: 9 })];
    expect(countGrades(decisions, STAKE, () => false)).toEqual({
      best: 1,
      good: 1,
      inaccuracy: 0,
      mistake: 0,
      blunder: 1,
    });
  });
});

describe("praisedDecisions", () => {
  const seen = (at: number, margin: number, changes: Partial<Decision> = {}) =>
    decision({
      at,
      did: "AS",
      candidates: [candidate("AS", 9), candidate("KS", 9 - margin), candidate("2S", -9)],
      ...changes,
    });
  const praised = (...decisions: Decision[]) =>
    praisedDecisions(decisions, STAKE).map(({ at }) => at);

  it("praises the three decisions with the largest margins, in playing order", () => {
    expect(praised(seen(1, 3), seen(2, 6), seen(3, 4), seen(4, 5))).toEqual([2, 3, 4]);
  });

  it("needs the best action, several candidates and a clear margin", () => {
    expect(praised(seen(1, 5, { did: "KS" }))).toEqual([]);
    expect(praised(seen(1, 5, { candidates: [candidate("AS", 9), candidate("KS", 0)] }))).toEqual(
      [],
    );
    expect(praised(seen(1, 2.9))).toEqual([]);
  });

  it("does not praise a margin within the error", () => {
    const candidates = ["AS", "KS", "2S"].map((action, i) => ({
      ...candidate(action, 9 - 5 * i),
      error: 3,
    }));
    expect(praised(seen(1, 5, { candidates }))).toEqual([]);
    const unknown = candidates.map((known) => ({ ...known, error: null }));
    expect(praised(seen(1, 5, { candidates: unknown }))).toEqual([]);
  });

  it("does not praise an obvious decision", () => {
    const candidates = [candidate("AS", 9), candidate("KS", 0, 0.01), candidate("2S", 0, 0.01)];
    expect(praised(seen(1, 5, { candidates }))).toEqual([]);
    expect(praised(seen(1, 5, { candidates, bot: "KS" }))).toEqual([1]);
  });
});
