import { describe, expect, it } from "vitest";

import type { Match } from "./match";
import {
  isPuzzleName,
  nextPuzzleMatch,
  noteAnswer,
  puzzleOf,
  puzzleRules,
  ratingAfter,
} from "./puzzle-progress";
import { PUZZLE_KINDS, puzzleCount } from "./puzzles";
import { saved } from "./storage";

/** Answers the puzzle of a match. */
const answer = (match: Match, isRight: boolean) => noteAnswer(puzzleOf(match)!, isRight);

describe("nextPuzzleMatch", () => {
  it("asks every puzzle before it asks one again", () => {
    const count = puzzleCount("wiezen", "card");
    const names = Array.from({ length: 2 * count }, () => {
      const match = nextPuzzleMatch("wiezen", "card");
      answer(match, true);
      return match.side!.name;
    });
    expect(new Set(names.slice(0, count)).size).toBe(count);
    expect(new Set(names.slice(count)).size).toBe(count);
    expect(names.slice(count)).not.toEqual(names.slice(0, count));
  });

  it("asks an unanswered puzzle again, and keeps the kinds and rule sets apart", () => {
    const first = nextPuzzleMatch("wiezen", "call");
    answer(nextPuzzleMatch("wiezen", "card"), true);
    answer(nextPuzzleMatch("iwwa", "call"), true);
    expect(nextPuzzleMatch("wiezen", "call")).toEqual(first);
  });
});

describe("puzzleRules", () => {
  const playable = ["luxembourg", "horesca", "wiezen", "iwwa"];

  it("has puzzles of both kinds for each auction", () => {
    for (const kind of PUZZLE_KINDS) {
      expect(puzzleRules("luxembourg", kind, playable)).toBe("luxembourg");
      expect(["iwwa", "wiezen"]).toContain(puzzleRules("iwwa", kind, playable));
      expect(["horesca", "luxembourg"]).toContain(puzzleRules("horesca", kind, playable));
    }
  });

  it("finds none where no rules with puzzles can be played", () => {
    expect(puzzleRules("my-rules", "call", ["my-rules"])).toBe(null);
  });
});

describe("isPuzzleName", () => {
  it("knows the puzzles of the pack only", () => {
    const names = ["call/0", "call/999", "call/x", "trick/0", ""];
    expect(names.map((name) => isPuzzleName(name, "luxembourg"))).toEqual([
      true,
      false,
      false,
      false,
      false,
    ]);
    expect(isPuzzleName("call/0", "my-rules")).toBe(false);
  });
});

describe("rating", () => {
  it("gains more by a hard puzzle, and loses more by an easy one", () => {
    expect(ratingAfter(1200, 1200, true)).toBe(1216);
    expect(ratingAfter(1200, 2000, true)).toBeGreaterThan(1228);
    expect(ratingAfter(1200, 800, true)).toBeLessThan(1205);
    expect(ratingAfter(1200, 800, false)).toBeLessThan(1175);
  });

  it("counts right answers in a row", () => {
    const streaks = [true, true, false, true].map((isRight) => {
      answer(nextPuzzleMatch("wiezen", "call"), isRight);
      return saved.puzzles().streak;
    });
    expect(streaks).toEqual([1, 2, 0, 1]);
  });
});
