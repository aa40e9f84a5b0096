// The puzzles: positions with a clear best action. puzzles/make.mjs writes the pack.

import { DECK } from "../messages/cards";
import pack from "./puzzles.json";

/** Kinds of puzzles: an action of the auction, or a card. */
export const PUZZLE_KINDS = ["call", "card"] as const;
export type PuzzleKind = (typeof PUZZLE_KINDS)[number];

/** An action of a puzzle, and the expected points of the deal after it. */
export interface Answer {
  action: string;
  points: number;
}

export interface Puzzle {
  rules: string;
  kind: PuzzleKind;
  /** Seed of the match, whose first deal it is. */
  seed: number;
  /** Actions before the decision. */
  actions: string[];
  /** The best action, then others that are about as good. */
  right: Answer[];
  /** Plausible actions that are clearly worse, the best one first. */
  wrong: Answer[];
  rating: number;
}

/** Letters for the cards of the pack, in the order of the deck. */
const CARD_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** Points are stored in tenths. */
const POINT_PARTS = 10;

/** Lines of the pack by rule set and kind. Not every rule set has puzzles of both kinds. */
const LINES: Readonly<Record<string, Partial<Record<PuzzleKind, string[]>>>> = pack;

/** Returns the line of a puzzle, whose first `calls` actions are no cards. */
export function puzzleLine({ seed, actions, right, wrong, rating }: Puzzle, calls: number): string {
  const cards = actions.slice(calls).map((card) => CARD_LETTERS[DECK.indexOf(card)]);
  const texts = [right, wrong].map((answers) =>
    answers.map(({ action, points }) => `${action}:${Math.round(points * POINT_PARTS)}`).join(),
  );
  return [seed, actions.slice(0, calls).join(), cards.join(""), ...texts, rating].join(";");
}

/** Reverses `puzzleLine`. */
export function readPuzzle(rules: string, kind: PuzzleKind, line: string): Puzzle {
  const [seed, calls, cards, right, wrong, rating] = line.split(";");
  const readAnswers = (texts: string) =>
    texts.split(",").map((text) => {
      const [action, points] = text.split(":");
      return { action, points: Number(points) / POINT_PARTS };
    });
  const played = [...cards].map((letter) => DECK[CARD_LETTERS.indexOf(letter)]);
  const actions = [...(calls ? calls.split(",") : []), ...played];
  return {
    rules,
    kind,
    seed: Number(seed),
    actions,
    right: readAnswers(right),
    wrong: readAnswers(wrong),
    rating: Number(rating),
  };
}

/** Returns the number of puzzles of a kind. */
export const puzzleCount = (rules: string, kind: PuzzleKind): number =>
  LINES[rules]?.[kind]?.length ?? 0;

/** Returns puzzle number `index` of a kind, from 0. */
export const puzzleAt = (rules: string, kind: PuzzleKind, index: number): Puzzle =>
  readPuzzle(rules, kind, LINES[rules][kind]![index]);
