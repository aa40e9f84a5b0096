import { describe, expect, it } from "vitest";

import type { GameRecord, VisibleAction } from "../messages/messages";
import { table } from "../testing/tables";
import { botsBySeat, isUnderway, newMatch, updateMatch } from "./match";

const NO_BOTS = ["", "", ""];

describe("newMatch", () => {
  it("seats named bots by place, and leaves the others to the usual bot", () => {
    const match = newMatch({ rules: "iwwa", seed: 7 }, ["random", "", "expert"]);
    expect(match).toMatchObject({ rules: "iwwa", seed: 7, bots: { W: "random", E: "expert" } });
    expect(match.bots.N).toBeUndefined();
  });

  it("draws seeds that are exact numbers", () => {
    const { seed } = newMatch({ rules: "iwwa" }, NO_BOTS);
    expect(Number.isSafeInteger(seed)).toBe(true);
  });
});

describe("botsBySeat", () => {
  it("starts to the left of the person", () => {
    expect(botsBySeat("N", ["a", "b", "c"])).toEqual({ E: "a", S: "b", W: "c" });
  });
});

describe("updateMatch", () => {
  it("drops the deals after the one on the table", () => {
    const match = newMatch({ rules: "iwwa" }, NO_BOTS);
    const scores = { N: 1, E: -1, S: 0, W: 0 };
    match.deals = [["pass"], ["8S"], ["8H"]];
    match.scores = [scores, scores];
    updateMatch(match, table({ deal: 1, history: [] }));
    expect(match.deals).toEqual([["pass"], []]);
    expect(match.scores).toEqual([scores]);
  });

  it("takes the actions of the record, which has no hidden cards", () => {
    const match = newMatch({ rules: "iwwa" }, NO_BOTS);
    const record: GameRecord = { rules: "iwwa", dealer: "N", deal: "", actions: ["3S"] };
    const history: VisibleAction[] = [{ seat: "W", action: "-", phase: "discard" }];
    updateMatch(match, table({ history, record, over: true }));
    expect(match.deals).toEqual([["3S"]]);
    expect(match.over).toBe(true);
  });
});

describe("isUnderway", () => {
  const match = (changes: object) => ({ ...newMatch({ rules: "iwwa" }, NO_BOTS), ...changes });
  const deals = [["8S", "pass", "pass", "pass", "9S"]];
  const scores = [{ N: 0, E: 0, S: 0, W: 0 }];

  it("is true from the fifth action until the end of the match", () => {
    expect(isUnderway(match({ deals: [["8S", "pass", "pass", "pass"]] }))).toBe(false);
    expect(isUnderway(match({ deals, scores }))).toBe(true);
    expect(isUnderway(match({ deals, scores, over: true }))).toBe(false);
  });

  it("is false for a match that comes back beside the person's own", () => {
    const side = { kind: "daily", name: "2026-01-01" };
    expect(isUnderway(match({ deals, side }))).toBe(false);
  });
});
