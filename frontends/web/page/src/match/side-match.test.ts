import { expect, it } from "vitest";

import { lessonMatch } from "./lessons";
import { newMatch } from "./match";
import { puzzleAt } from "./puzzles";
import { storedSideMatch } from "./side-match";
import { saved } from "./storage";

const store = (changes: object) =>
  saved.storeSideMatch({ ...newMatch({ rules: "luxembourg", seed: 1 }, []), ...changes });

it("resumes lessons, daily deals and puzzles", () => {
  for (const side of [
    { kind: "lesson", name: "alone" },
    { kind: "daily", name: "2026-01-15" },
    { kind: "puzzle", name: "card/0", answer: "AS" },
  ]) {
    store({ side, seed: puzzleAt("luxembourg", "card", 0).seed });
    expect(storedSideMatch()?.side).toEqual(side);
  }
});

it("resumes a lesson that an earlier version stored", () => {
  const { side, ...match } = lessonMatch("alone", "luxembourg");
  saved.storeSideMatch({ ...match, lesson: side!.name });
  expect(storedSideMatch()?.side).toEqual({ kind: "lesson", name: "alone" });
});

it("resumes no puzzle of another pack", () => {
  store({ side: { kind: "puzzle", name: "card/0" }, seed: 1 });
  expect(storedSideMatch()).toBe(null);
});

it("resumes nothing that this version does not know", () => {
  for (const side of [
    { kind: "lesson", name: "bridge" },
    { kind: "daily", name: "2999-01-01" },
    { kind: "puzzle", name: "card/9999" },
    { kind: "toString", name: "" },
    undefined,
  ]) {
    store({ side });
    expect(storedSideMatch()).toBe(null);
  }
});
