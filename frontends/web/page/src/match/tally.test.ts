import { describe, expect, it } from "vitest";

import type { Decision, GameRecord, Table } from "../messages/messages";
import { table } from "../testing/tables";
import { saved } from "./storage";
import { countDeal, countReview } from "./tally";

const record = (deal: string): GameRecord => ({ rules: "luxembourg", dealer: "W", deal });

const dealOver = (deal: string, points: number, changes: Partial<Table> = {}) =>
  table({ record: record(deal), scores: { N: 0, E: 0, S: points, W: 0 }, ...changes });

const suitContract = (declarers: string) =>
  ({ kind: "suit", level: 8, trump: "S", declarers }) as const;

describe("countDeal", () => {
  it("counts a deal once, also if it is shown or played again", () => {
    expect(countDeal(dealOver("a", 5))).toBe(true);
    expect(countDeal(dealOver("a", -5))).toBe(false);
    expect(countDeal(dealOver("b", -2))).toBe(true);
    expect(saved.tallies().luxembourg).toMatchObject({ deals: 2, points: 3, declared: 0 });
  });

  it("counts the contracts of the person, and those that were made", () => {
    countDeal(dealOver("a", 5, { contract: suitContract("NS") }));
    countDeal(dealOver("b", -5, { contract: suitContract("NS") }));
    countDeal(dealOver("c", 5, { contract: suitContract("NE") }));
    expect(saved.tallies().luxembourg).toMatchObject({ deals: 3, declared: 2, made: 1 });
  });

  it("counts each rule set apart, also one named like a property of objects", () => {
    countDeal(dealOver("a", 5));
    countDeal(dealOver("a", 7, { rules: "constructor" }));
    expect(saved.tallies().luxembourg.points).toBe(5);
    expect(saved.tallies().constructor).toMatchObject({ deals: 1, points: 7 });
  });
});

describe("countReview", () => {
  const decisions = [{ points: 1.5 }, { points: 0 }, { points: 2 }] as Decision[];

  it("adds up the points that the decisions lost", () => {
    countDeal(dealOver("a", 5));
    countReview("luxembourg", decisions);
    expect(saved.tallies().luxembourg).toMatchObject({ reviewed: 1, lost: 3.5 });
  });

  it("counts nothing after the statistics were cleared", () => {
    countDeal(dealOver("a", 5));
    saved.storeTallies({});
    countReview("luxembourg", decisions);
    expect(saved.tallies()).toEqual({});
  });
});
