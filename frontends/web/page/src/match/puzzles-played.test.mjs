// Restores every puzzle at a real table, one of the library in ../../../assets.

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

import { Troel } from "../../../assets/troel.mjs";
import { isDefensible } from "../../puzzles/defensible";
import { openingCommand } from "./activity";
import { newMatch } from "./match";
import { isRightAnswer, puzzleReason, withRecord } from "./puzzle-answer";
import { PUZZLE_KINDS, puzzleAt, puzzleCount, puzzleLine, readPuzzle } from "./puzzles";

const troel = await Troel.load(
  readFileSync(new URL("../../../assets/troel.wasm", import.meta.url)),
);
const bot = troel.named("rules");
const RULES = ["luxembourg", "horesca", "wiezen", "iwwa"];
const KINDS = RULES.flatMap((rules) => PUZZLE_KINDS.map((kind) => [rules, kind])).filter(
  ([rules, kind]) => puzzleCount(rules, kind) > 0,
);

/** Returns the puzzles of a kind with their tables. */
function puzzlesAtTables(rules, kind) {
  const table = bot.table();
  const found = Array.from({ length: puzzleCount(rules, kind) }, (_, index) => {
    const puzzle = puzzleAt(rules, kind, index);
    const { seed, actions } = puzzle;
    const deals = actions.length ? [actions] : [];
    const state = table.do(openingCommand({ ...newMatch({ rules, seed }, []), deals })).at(-1);
    return { puzzle, state };
  });
  table.free();
  return found;
}

it.each(KINDS)("%s %s: asks the person in the phase of its kind", (rules, kind) => {
  for (const { puzzle, state } of puzzlesAtTables(rules, kind)) {
    expect(state.type, JSON.stringify(state)).toBe("table");
    expect(state.turn).toBe("S");
    expect(state.phase).toBe(kind === "card" ? "play" : "auction");
    expect(state.history.map(({ action }) => action)).toEqual(puzzle.actions);
    for (const { action } of [...puzzle.right, ...puzzle.wrong])
      expect(state.legal).toContain(action);
  }
});

it.each(KINDS)("%s %s: has right and wrong answers, the best one first", (rules, kind) => {
  for (const { puzzle, state } of puzzlesAtTables(rules, kind)) {
    const [best] = puzzle.right;
    for (const { action, points } of puzzle.right) {
      expect(isRightAnswer(puzzle, state, action)).toBe(true);
      expect(points).toBeLessThanOrEqual(best.points);
    }
    for (const { action, points } of puzzle.wrong) {
      expect(isRightAnswer(puzzle, state, action)).toBe(false);
      expect(points).toBeLessThan(puzzle.right.at(-1).points);
    }
    // A reason may be missing, but finding it may not fail.
    for (const action of state.legal) puzzleReason(puzzle, state, action);
  }
});

it.each(RULES)("%s: the hand defends each call", (rules) => {
  for (const { puzzle, state } of puzzlesAtTables(rules, "call"))
    expect(isDefensible(withRecord(state), puzzle), JSON.stringify(puzzle)).toBe(true);
});

it("reads the lines that are written", () => {
  for (const [rules, kind] of KINDS) {
    for (const { puzzle, state } of puzzlesAtTables(rules, kind)) {
      expect(readPuzzle(rules, kind, puzzleLine(puzzle, state.calls))).toEqual(puzzle);
    }
  }
});
