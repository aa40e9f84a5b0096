import { describe, expect, it } from "vitest";

import { knownRecord } from "../src/messages/replay";
import { calls, cardsOf, table } from "../src/testing/tables";
import { isDefensible } from "./defensible";

const OFFERED = ["pass", "8S", "8H", "8D", "8C", "misere", "small-misere"];

/** Whether a hand such as "A2 KQ3 … …" in the order ♠♥♦♣ defends a call against others. */
function defends(hand: string, best: string, wrong: string[], history = "") {
  const state = table({
    hand: cardsOf(hand),
    legal: OFFERED,
    history: history ? calls(history) : [],
  });
  const answers = (codes: string[]) => codes.map((action) => ({ action, points: 0 }));
  const puzzle = { right: answers([best]), wrong: answers(wrong) };
  return isDefensible({ ...state, record: knownRecord(state) }, puzzle);
}

describe("isDefensible", () => {
  it("keeps an ask with tricks and trumps", () => {
    expect(defends("AKJ73 A5 862 K94", "8S", ["pass"])).toBe(true);
  });

  it("drops an ask with a bare jack of trumps", () => {
    expect(defends("J AKT54 K973 Q82", "8S", ["pass"])).toBe(false);
  });

  it("drops an ask with too few tricks, or with another suit that is as good", () => {
    expect(defends("KJ9732 T5 862 94", "8S", ["pass"])).toBe(false);
    expect(defends("AK862 AK753 4 94", "8S", ["8H"])).toBe(false);
  });

  it("goes along with fewer trumps than an ask needs", () => {
    const hand = "K73 A95 KQ86 A42";
    expect(defends(hand, "8S", ["pass"], "N:8S")).toBe(true);
    expect(defends(hand, "8S", ["pass"])).toBe(false);
  });

  it("keeps a pass only if the hand lacks what every call needs, and one tempts", () => {
    expect(defends("KJ87 Q62 K86 J93", "pass", ["8S"])).toBe(true);
    expect(defends("AKJ73 A5 862 K94", "pass", ["8S"])).toBe(false);
    expect(defends("KJ87 Q62 K86 J93", "pass", ["misere"])).toBe(false);
  });

  it("keeps a misère without weak cards", () => {
    expect(defends("9642 7532 7532 2", "misere", ["8S"])).toBe(true);
    expect(defends("9642 T5 K532 Q42", "misere", ["8S"])).toBe(false);
  });
});
