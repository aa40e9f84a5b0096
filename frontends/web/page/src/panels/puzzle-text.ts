// The result of a puzzle in sentences.

import { actionText } from "../language/sayings";
import { fill } from "../language/words";
import { countReason, plausibleAnswer, puzzleChoice, puzzleReason } from "../match/puzzle-answer";
import type { Answer, Puzzle } from "../match/puzzles";
import { replayAuction } from "../messages/auction";
import type { Scene } from "../table/scene";
import { reasonText } from "./reason-text";

type TextScene = Pick<Scene, "table" | "speech">;
type NameOf = (code: string) => string;

/** Returns a certain reason, or a count of tricks; "" if there is neither. */
function whyText({ table, speech }: TextScene, puzzle: Puzzle, answer: string, name: NameOf) {
  const reason = puzzleReason(puzzle, table, answer);
  if (reason) {
    const choice = puzzleChoice(puzzle, table, answer);
    return reasonText(table, speech, choice, reason, name);
  }
  const counted = countReason(puzzle, table, answer);
  if (!counted) return "";
  const { suit, tricks, needed } = counted.count;
  const halves = (value: number) => speech.number(value, value % 1 ? 1 : 0);
  return fill(speech.words.puzzles.count, {
    suit: speech.strain(suit),
    n: halves(tricks),
    call: name(counted.code),
    of: halves(needed),
  });
}

/**
 * Compares the points of the best action and of the compared one, then lists the others. `given` is
 * the plausible answer that the person's is worth the same as.
 */
function figuresText(
  { table, speech }: TextScene,
  puzzle: Puzzle,
  answer: string,
  given: Answer | undefined,
  name: NameOf,
) {
  const { puzzles } = speech.words;
  const [best] = puzzle.right;
  // The points of an answer that nobody would give are not known.
  const other = given && puzzle.wrong.includes(given) ? given : puzzle.wrong[0];
  const nameOf = (one: Answer) => name(one === given ? answer : one.action);
  const pointsOf = ({ points }: Answer) => speech.signed(points, 1);
  const others = [...puzzle.right, ...puzzle.wrong]
    .filter((one) => one !== best && one !== other)
    .map((one) => `${nameOf(one)} ${pointsOf(one)}`);
  return [
    fill(puzzles.figures, {
      best: nameOf(best),
      x: pointsOf(best),
      did: nameOf(other),
      y: pointsOf(other),
    }),
    others.length > 0 ? fill(puzzles.others, others.join(" · ")) : "",
    table.phase === "play" ? puzzles.equal : "",
  ];
}

/** Returns whether the answer is best, a reason, and the points of the plausible actions. */
export function puzzleText(scene: TextScene, puzzle: Puzzle, answer: string): string {
  const { table, speech } = scene;
  const { puzzles } = speech.words;
  const { auction } = replayAuction(table.history.slice(0, table.calls));
  const name: NameOf = (code) => actionText(speech, auction, table.you, code, table.phase);
  const given = plausibleAnswer(puzzle, table, answer);
  const isRight = given !== undefined && puzzle.right.includes(given);
  const named = isRight ? given : puzzle.right[0];
  const verdict = isRight
    ? fill(puzzles.right, name(answer))
    : fill(puzzles.wrong, name(named.action));
  const also = puzzle.right.filter((one) => one !== named).map(({ action }) => name(action));
  const texts = [
    verdict,
    also.length > 0 ? fill(puzzles.also, also.join(" · ")) : "",
    whyText(scene, puzzle, answer, name),
    ...figuresText(scene, puzzle, answer, given, name),
  ];
  return texts.filter(Boolean).join(" ");
}
