// The match or the seat of a window, and the commands that ask a table for it.

import type { Command } from "../messages/messages";
import { ruleFileOf } from "./house-rules";
import type { Match } from "./match";
import type { SharedSeat } from "./storage";

/** The person's own match or a side match, which are stored. */
export interface OwnMatch {
  kind: "own";
  match: Match;
  /** Whether the table lacks the rules of the match. */
  areRulesAbsent: boolean;
  /** Whether deals that contradict the rules are dropped. */
  dropsDeals: boolean;
}

/** A shared table that does not exist yet: it is opened with the settings of `match`. */
export interface NewSharedTable {
  kind: "opening";
  seat: SharedSeat;
  match: Match;
}

/** A seat at a shared table that exists. */
export interface JoinedTable {
  kind: "joined";
  seat: SharedSeat;
  /** The match as far as it was seen; `null` before the first deal. */
  match: Match | null;
}

/**
 * Match or seat of this window. There is none before the first match, and while the stored match is
 * that of another version of the page.
 */
export type Activity = { kind: "none" } | OwnMatch | NewSharedTable | JoinedTable;

export const ownMatch = (match: Match): OwnMatch => ({
  kind: "own",
  match,
  areRulesAbsent: false,
  dropsDeals: false,
});

/** Returns the commands that ask a table for the match or the seat. */
export function openingCommands(activity: Activity): Command[] {
  switch (activity.kind) {
    case "none":
      return [];
    case "opening": {
      const { rules, seat, bots, length } = activity.match;
      return [{ type: "share", ...activity.seat, rules, seat, bots, length }];
    }
    case "joined":
      return [{ type: "join", ...activity.seat }];
    case "own":
      return [rulesCommand(activity.match), openingCommand(activity.match)];
  }
}

/** Returns the command that asks for the contract table of a match. */
function rulesCommand({ rules, house }: Match): Command {
  return { type: "rules", rules, rule_file: house && ruleFileOf(house) };
}

/** Returns the command that starts or restores a match. */
export function openingCommand(match: Match): Command {
  const { rules, house, seat, seed, bots, record, length, deals } = match;
  const rule_file = house && ruleFileOf(house);
  const opening = { rules, rule_file, seat, seed, bots, record, length };
  return deals.length ? { type: "restore", ...opening, deals } : { type: "new", ...opening };
}
