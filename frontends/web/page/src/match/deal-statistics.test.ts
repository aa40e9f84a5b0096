import { describe, expect, it } from "vitest";

import { table } from "../testing/tables";
import { contractResults, dealLoss, lossesOverTime, worstMistakes } from "./deal-statistics";
import { finishedDeal, type KeptDeal } from "./kept-deals";

/** Returns a deal with a contract such as "suit NS", and the points that decisions lost. */
function deal(contract: string, points: number, losses: number[] | null = null): KeptDeal {
  const [kind, declarers] = contract.split(" ");
  const over = table({
    record: { rules: "wiezen", dealer: "W", deal: "a", actions: [] },
    scores: { N: 0, E: 0, S: points, W: 0 },
    contract: contract ? { kind, level: null, trump: null, declarers } : null,
  });
  const kept = finishedDeal(over, { seed: 1 }, new Date(0));
  const decision = (points: number) => ({ at: 1, did: "pass", best: "pass", points });
  kept.kept.decisions = losses?.map(decision) ?? null;
  return kept;
}

describe("contractResults", () => {
  it("counts contracts of the person by kind, and the others together", () => {
    const deals = [
      deal("misere S", -21),
      deal("suit NS", 4),
      deal("suit SW", -2),
      deal("suit EW", 2),
      deal("troel EN", -4),
      deal("solo N", 5),
      deal("", 0),
    ];
    expect(contractResults(deals)).toEqual([
      { kind: "suit", deals: 2, gained: 1, points: 2 },
      { kind: "misere", deals: 1, gained: 0, points: -21 },
      { kind: "", deals: 3, gained: 2, points: 3 },
    ]);
  });
});

describe("dealLoss", () => {
  it("is the sum over the decisions, and unknown without a review", () => {
    expect(dealLoss(deal("suit NS", 4, [1, 0, 0.5]))).toBe(1.5);
    expect(dealLoss(deal("suit NS", 4))).toBeNull();
  });
});

describe("worstMistakes", () => {
  it("are at most five decisions that cost a point or more, the worst first", () => {
    const deals = [deal("suit NS", 4, [0.9, 2]), deal("suit NS", 4), deal("solo S", 4, [1, 5, 0])];
    const found = worstMistakes(deals);
    expect(found.map(({ decision }) => decision.points)).toEqual([5, 2, 1]);
    expect(found[1].deal).toBe(deals[0]);
    expect(worstMistakes([deal("suit NS", 4, [1, 2, 3, 4, 5, 6])])).toHaveLength(5);
  });
});

describe("lossesOverTime", () => {
  const deals = (count: number, losses: number[] | null) =>
    Array.from({ length: count }, () => deal("suit NS", 4, losses));

  it("averages over the decisions of groups of at least five reviewed deals", () => {
    expect(lossesOverTime([...deals(5, [1, 3]), ...deals(9, null), ...deals(5, [1, 0])])).toEqual([
      2, 0.5,
    ]);
    expect(lossesOverTime(deals(9, [1]))).toHaveLength(1);
    expect(lossesOverTime(deals(4, [1]))).toEqual([]);
  });

  it("has at most twelve points, which use every deal", () => {
    const losses = lossesOverTime([...deals(99, [0]), ...deals(1, [9])]);
    expect(losses).toHaveLength(12);
    expect(losses.at(-1)).toBeGreaterThan(0);
  });

  it("leaves out deals in which the person had no choice", () => {
    expect(lossesOverTime(deals(10, []))).toEqual([]);
  });
});
