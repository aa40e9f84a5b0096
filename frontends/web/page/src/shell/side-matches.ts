// The ways into side matches: lessons, the daily deal and puzzles.

import { dailyMatch } from "../match/daily";
import { builtInRules, type LessonName, lessonMatch } from "../match/lessons";
import type { Match } from "../match/match";
import { nextPuzzleMatch, puzzleRules } from "../match/puzzle-progress";
import type { PuzzleKind } from "../match/puzzles";
import type { Session } from "../match/session";
import { PLAYABLE_RULES } from "../net/packed";

export interface SideMatches {
  startLesson(name: LessonName): void;
  startPuzzle(kind: PuzzleKind): void;
  startDaily(date: string, rules: string): void;
}

/**
 * Returns the functions that start side matches. `start` starts one; `chosenRules` are those of the
 * start screen.
 */
export function sideMatches(
  { match, side }: Session,
  chosenRules: string,
  start: (match: Match) => void,
): SideMatches {
  // The next lesson or puzzle has the rules of the last one.
  const rules = side ? match!.rules : chosenRules;
  return {
    startLesson: (name) => start(lessonMatch(name, builtInRules(rules, PLAYABLE_RULES)!)),
    startPuzzle: (kind) => start(nextPuzzleMatch(puzzleRules(rules, kind, PLAYABLE_RULES)!, kind)),
    startDaily: (date, dailyRules) => start(dailyMatch(date, dailyRules)),
  };
}
