// Data that most components draw from.

import type { Speech } from "../language/speech";
import { fill } from "../language/words";
import type { Game } from "../match/game";
import type { Settings } from "../match/storage";
import type { Seat, Table } from "../messages/messages";
import { stepsBetween } from "../messages/seats";

/** A table on the screen, with its game and the language that describes it. */
export interface Scene {
  game: Game;
  table: Table;
  speech: Speech;
  settings: Settings;
  /** The only actions that a lesson accepts now. */
  wanted?: readonly string[];
}

/**
 * Whether the table accepts an action now. A lesson may want another one; then `showMessage` is
 * called with the reason.
 */
export function isAccepted(
  { table, speech, wanted }: Scene,
  code: string,
  showMessage: (text: string) => void,
): boolean {
  if (!wanted || wanted.includes(code)) return true;
  const names = wanted.map((action) => speech.action(action, table.phase));
  showMessage(fill(speech.words.learn.wanted, names.join(", ")));
  return false;
}

/** Side of the screen, as a class of the style sheet. */
export type Side = "me" | "left" | "top" | "right";

const SIDES: readonly Side[] = ["me", "left", "top", "right"];

/** Returns the side of the screen at which a seat is shown. */
export const sideOf = (table: Table, seat: Seat): Side => SIDES[stepsBetween(table.you, seat)];

/** Whether the deal is over and its result is shown. */
export const isResultShown = ({ game, table }: Pick<Scene, "game" | "table">): boolean =>
  Boolean(table.scores) && !game.fullTrick;
