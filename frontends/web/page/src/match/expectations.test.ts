import { expect, it } from "vitest";

import type { Decision } from "../messages/messages";
import { expectations } from "./expectations";

const decision = (did: string, points: number, candidates: [string, number][]) =>
  ({
    did,
    points,
    candidates: candidates.map(([action, expected]) => ({ action, points: expected })),
  }) as Decision;

it("drops by the clear loss of a decision, not by the difference of the candidates", () => {
  const costly = decision("2S", 3, [
    ["AS", 5],
    ["2S", 2],
  ]);
  const unclear = decision("2H", 0, [
    ["AH", 1.5],
    ["2H", 1],
  ]);
  expect(expectations([costly, unclear])).toEqual([
    { decision: costly, before: 5, after: 2 },
    { decision: unclear, before: 1, after: 1 },
  ]);
});

it("leaves out decisions without values", () => {
  expect(expectations([decision("2S", 0, [])])).toEqual([]);
});
