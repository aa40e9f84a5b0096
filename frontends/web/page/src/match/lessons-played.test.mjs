// Plays the lessons at real tables, those of the library in ../../../assets.

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

import { Troel } from "../../../assets/troel.mjs";
import { Guide } from "./guide";
import { LESSON_NAMES, lessonMatch, sensibleTricks } from "./lessons";

const troel = await Troel.load(
  readFileSync(new URL("../../../assets/troel.wasm", import.meta.url)),
);
const RULES = ["luxembourg", "horesca", "wiezen", "iwwa"];
/** Contracts of the lessons, with a turn-up and without. */
const CONTRACTS = {
  tricks: ["suit", "suit"],
  ask: ["suit", "suit"],
  along: ["suit", "suit"],
  alone: ["alone", "solo"],
  misere: ["misere", "misere"],
  aces: ["troel", "trou"],
  abondance: ["abondance", "abondance"],
};

/** Plays a lesson. `choose` returns the card to play, where the lesson does not ask for an action. */
function play(name, rules, choose) {
  const table = troel.named("rules").table();
  const { seat, seed, bots, record, deals } = lessonMatch(name, rules);
  const match = { rules, seat, seed, bots, record };
  const opening =
    deals.length > 0 ? { type: "restore", ...match, deals } : { type: "new", ...match };
  const guide = new Guide(name, rules);
  const bubbles = [];
  let state = table.do(opening).at(-1);
  while (state.turn) {
    expect(state.type).toBe("table");
    const bubble = guide.bubble(state);
    bubbles.push(bubble?.text);
    for (const action of bubble?.wanted ?? []) expect(state.legal).toContain(action);
    const action = bubble?.wanted?.[0] ?? choose(table, state);
    state = table.do({ type: "act", action }).at(-1);
  }
  table.free();
  return { state, bubbles };
}

const asAdvised = (table, { legal }) =>
  legal.length === 1 ? legal[0] : table.do({ type: "hint" })[0].bot;
const firstLegal = (_, { legal }) => legal[0];
const lastLegal = (_, { legal }) => legal.at(-1);

it.each(RULES.flatMap((rules) => LESSON_NAMES.map((name) => [rules, name])))(
  "%s: %s is made by sensible play, and has bubbles whatever is played",
  (rules, name) => {
    const hasTurnUp = ["wiezen", "iwwa"].includes(rules);
    for (const choose of [asAdvised, firstLegal, lastLegal]) {
      const { state, bubbles } = play(name, rules, choose);
      expect(state.contract.kind).toBe(CONTRACTS[name][hasTurnUp ? 0 : 1]);
      expect(state.contract.declarers).toContain("S");
      expect(bubbles[0]).toBeDefined();
      expect(bubbles.filter(Boolean).length).toBeGreaterThan(2);
      if (choose === asAdvised) {
        expect(state.scores.S).toBeGreaterThan(0);
        const taken = [...state.contract.declarers].map((seat) => state.tricks[seat]);
        const sum = taken.reduce((all, tricks) => all + tricks, 0);
        expect(sum).toBeGreaterThanOrEqual(sensibleTricks(name));
      }
    }
  },
);

it("shows following suit, a ruff and a lead in the first lesson", () => {
  for (const rules of RULES) {
    const { bubbles } = play("tricks", rules, asAdvised);
    expect(bubbles).toEqual(expect.arrayContaining(["follow", "free", "lead"]));
  }
});
