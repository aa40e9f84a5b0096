import { describe, expect, it } from "vitest";

import { Speech } from "../language/speech";
import { LANGUAGE_NAMES } from "../language/words";
import type { Puzzle } from "../match/puzzles";
import type { VisibleAction } from "../messages/messages";
import { calls, table } from "../testing/tables";
import { puzzleText } from "./puzzle-text";

const HAND = "AS KS 4S 2S AH 7H KC 8C 6C QD 8D 6D 5D".split(" ");

/** Returns the text for an answer to a puzzle about the first call. */
function text(answer: string, right: [string, number], wrong: [string, number][], language = "en") {
  const answers = (list: [string, number][]) =>
    list.map(([action, points]) => ({ action, points }));
  const seen = table({ hand: HAND, history: calls("W:pass"), turn: "S" });
  const puzzle = { kind: "call", right: answers([right]), wrong: answers(wrong) } as Puzzle;
  const speech = new Speech(language, "luxembourg", "auto", false);
  return puzzleText({ table: seen, speech }, puzzle, answer);
}

describe("puzzleText", () => {
  it("counts tricks where no fact is certain, and compares the answer with the best call", () => {
    expect(text("pass", ["8S", 4.1], [["pass", 1.2]])).toBe(
      "Not quite. The best is ask 8 ♠. With ♠ as trumps, your high cards and long trumps are worth " +
        "about 4.5 tricks, and ask 8 ♠ needs about 4.5 from your hand. " +
        "On average ask 8 ♠ scores +4.1 points, and pass +1.2.",
    );
  });

  it("lists the actions that are not compared", () => {
    expect(
      text(
        "8S",
        ["8S", 4.1],
        [
          ["misere", 2],
          ["pass", 1.2],
        ],
      ),
    ).toMatch(/^Right: ask 8 ♠\..* misère \+2\.0\. Other plausible answers: pass \+1\.2\.$/);
  });

  it("gives a card the points of a touching card", () => {
    const history = [..."NESW"].map((seat) => ({ seat, action: "pass", phase: "auction" }));
    const seen = table({
      hand: HAND,
      history: history as VisibleAction[],
      contract: { kind: "suit", level: 8, trump: "H", declarers: "NS" },
      phase: "play",
    });
    const puzzle = {
      kind: "card",
      right: [{ action: "AS", points: 4 }],
      wrong: [{ action: "6D", points: 1 }],
    } as Puzzle;
    const speech = new Speech("en", "luxembourg", "auto", false);
    const said = (card: string) => puzzleText({ table: seen, speech }, puzzle, card);
    expect(said("KS")).toMatch(/^Right: K♠\. .*K♠ scores \+4\.0 points, and 6♦ \+1\.0\. Touching/);
    expect(said("5D")).toMatch(/^Not quite\. .*A♠ scores \+4\.0 points, and 5♦ \+1\.0\. Touching/);
  });

  it("has figures where the answer has no points, and no reason is known", () => {
    expect(text("piccolo", ["misere", 4], [["pass", -1]])).toBe(
      "Not quite. The best is misère. On average misère scores +4.0 points, and pass −1.0.",
    );
  });

  it.each(Object.keys(LANGUAGE_NAMES))("leaves no gap in %s", (language) => {
    const found = text(
      "8D",
      ["pass", 2],
      [
        ["8D", -3],
        ["8S", -4],
      ],
      language,
    );
    expect(found).not.toMatch(/\{|\}| {2}|undefined/);
  });
});
