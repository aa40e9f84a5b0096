import { describe, expect, it } from "vitest";

import { calls, cardsOf, table } from "../testing/tables";
import { callCount, probableTricks } from "./probable-tricks";

describe("probableTricks", () => {
  it.each([
    ["2345 2345 234 23", 1],
    ["A2345 K2 K QJ234", 3.5],
    ["AKQ2345 2 23 234", 6.5],
    ["KQ2 AQ2 - -", 2.5],
  ])("counts the hand %s with spades as trumps", (text, tricks) => {
    expect(probableTricks(cardsOf(text), "S")).toBe(tricks);
  });
});

describe("callCount", () => {
  const cards = cardsOf("AK42 AJ7 Q865 94");
  const needed = (code: string, history = "") =>
    callCount(table({ hand: cards, history: history ? calls(history) : [] }), code);

  it("expects tricks of a partner", () => {
    expect(needed("8S")).toMatchObject({ suit: "S", needed: 4.5, isLong: true });
    expect(needed("8H")).toMatchObject({ needed: 4.5, isLong: false });
    expect(needed("8H", "N:8H")).toMatchObject({ needed: 3.5, isLong: true });
    expect(needed("solo-6S")).toMatchObject({ needed: 6, isLong: false });
  });

  it("judges only contracts with trumps and a number of tricks", () => {
    expect(["pass", "misere", "slam-S", "slam-NT"].map((code) => needed(code))).toEqual([
      null,
      null,
      null,
      null,
    ]);
  });
});
