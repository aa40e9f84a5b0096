// The side match of a window: a lesson, a daily deal, a puzzle or a kept deal.

import type { Table } from "../messages/messages";
import { isDailyDate, noteDaily } from "./daily";
import { isLessonName } from "./lessons";
import type { Match, Side, SideKind } from "./match";
import { isPuzzleName, puzzleOf } from "./puzzle-progress";
import { saved } from "./storage";
import { isMatch } from "./stored-match";

/** Tells for each kind whether this version of the page knows a side match of that name. */
const IS_KNOWN: Readonly<Record<SideKind, (name: string, rules: string) => boolean>> = {
  lesson: isLessonName,
  daily: isDailyDate,
  puzzle: isPuzzleName,
  kept: (name) => !Number.isNaN(Date.parse(name)),
};

/** A match as earlier versions stored it, which had no other side matches than lessons. */
type StoredSideMatch = Partial<Match> & { lesson?: string };

/** Returns the side match of this window; `null` if there is none that can be resumed. */
export function storedSideMatch(): Match | null {
  const match = saved.sideMatch() as StoredSideMatch | null;
  if (!isMatch(match)) return null;
  const { lesson } = match as StoredSideMatch;
  const side: Side | undefined = lesson ? { kind: "lesson", name: lesson } : match.side;
  if (!side || !Object.hasOwn(IS_KNOWN, side.kind)) return null;
  if (!IS_KNOWN[side.kind](side.name, match.rules)) return null;
  const known = { ...match, side };
  // The pack of another version may have another puzzle at this place.
  const puzzle = puzzleOf(known);
  return puzzle && puzzle.seed !== match.seed ? null : known;
}

/** Stores a side match as far as it was played. */
export function noteSideMatch(match: Match, table: Table) {
  saved.storeSideMatch(match);
  if (match.side?.kind === "daily") noteDaily(match, table);
}
