// The order of the puzzles, and the person's rating.

import { builtInRules } from "./lessons";
import { type Match, newMatch } from "./match";
import { PUZZLE_KINDS, type Puzzle, type PuzzleKind, puzzleAt, puzzleCount } from "./puzzles";
import { seededOrder } from "./seeded-order";
import { saved } from "./storage";

/** Points of the rating that one puzzle can change at most. */
const MAX_RATING_CHANGE = 32;
/** Difference in ratings at which the better one is expected to win ten times out of eleven. */
const RATING_SCALE = 400;

const progressKey = (rules: string, kind: PuzzleKind): string => `${rules}/${kind}`;

/** Returns the rules of puzzles for a person who plays by `chosen`; `null` without puzzles. */
export const puzzleRules = (chosen: string, kind: PuzzleKind, playable: readonly string[]) =>
  builtInRules(
    chosen,
    playable.filter((rules) => puzzleCount(rules, kind) > 0),
  );

/** Returns the match of the next puzzle. All puzzles of a kind come before the first one again. */
export function nextPuzzleMatch(rules: string, kind: PuzzleKind): Match {
  const answered = saved.puzzles().answered[progressKey(rules, kind)] ?? 0;
  const count = puzzleCount(rules, kind);
  const round = Math.floor(answered / count);
  const index = seededOrder(count, round)[answered % count];
  const { seed, actions } = puzzleAt(rules, kind, index);
  const match = newMatch({ rules, seed }, []);
  const side = { kind: "puzzle", name: `${kind}/${index}` } as const;
  return { ...match, side, deals: actions.length ? [actions] : [] };
}

/** Returns the puzzle that a match is; `null` if it is none. */
export function puzzleOf({ rules, side }: Match): Puzzle | null {
  if (side?.kind !== "puzzle" || !isPuzzleName(side.name, rules)) return null;
  const [kind, index] = side.name.split("/");
  return puzzleAt(rules, kind as PuzzleKind, Number(index));
}

/** Whether a puzzle of this name is in the pack. */
export function isPuzzleName(name: string, rules: string): boolean {
  const [kind, index] = name.split("/");
  const known = PUZZLE_KINDS.find((one) => one === kind);
  return known !== undefined && Number(index) < puzzleCount(rules, known);
}

/** Returns the rating after an answer to a puzzle of rating `puzzle`. */
export function ratingAfter(rating: number, puzzle: number, isRight: boolean): number {
  const expected = 1 / (1 + 10 ** ((puzzle - rating) / RATING_SCALE));
  return rating + Math.round(MAX_RATING_CHANGE * (Number(isRight) - expected));
}

/** Notes the first answer to a puzzle. */
export function noteAnswer({ rules, kind, rating: puzzle }: Puzzle, isRight: boolean) {
  const { answered, rating, streak } = saved.puzzles();
  const key = progressKey(rules, kind);
  saved.storePuzzles({
    answered: { ...answered, [key]: (answered[key] ?? 0) + 1 },
    rating: ratingAfter(rating, puzzle, isRight),
    streak: isRight ? streak + 1 : 0,
  });
}
