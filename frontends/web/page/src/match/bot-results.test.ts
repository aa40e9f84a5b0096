import { describe, expect, it } from "vitest";

import { compareResults, shownResults } from "./bot-results";

const RESULTS: [number, number][] = [
  [-10, 300],
  [-7, 5],
  [7, 600],
  [10, 95],
];

describe("compareResults", () => {
  it("counts every play once", () => {
    expect(compareResults(RESULTS, 7)).toEqual({ plays: 1000, fewer: 305, same: 600, more: 95 });
    expect(compareResults(RESULTS, 0)).toEqual({ plays: 1000, fewer: 305, same: 0, more: 695 });
  });
});

describe("shownResults", () => {
  it("leaves out the rarest of many results, but not the person's", () => {
    expect(shownResults(RESULTS, 7)).toEqual(RESULTS);
    expect(shownResults(RESULTS, 0)).toContainEqual([0, 0]);
    expect(shownResults(RESULTS, 0).map(([points]) => points)).toEqual([-10, -7, 0, 7, 10]);
    const many = Array.from({ length: 40 }, (_, i): [number, number] => [i, 40 - (i % 20)]);
    expect(shownResults(many, 39).map(([points]) => points)).toEqual([
      0, 1, 2, 3, 4, 20, 21, 22, 23, 24, 39,
    ]);
  });
});
