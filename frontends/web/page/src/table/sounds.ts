// Sounds between two moments of the game.

import type { Table } from "../messages/messages";
import { isTriumph } from "./triumph";

export type Sound = "card" | "call" | "trick" | "turn" | "made" | "failed" | "slam";

/** Part of the game that sounds depend on. */
export interface Moment {
  table: Table;
  /** Whether a full trick is on the table. */
  isTrickFull: boolean;
  isPersonsTurn: boolean;
  isResultShown: boolean;
}

/** Returns the sound of a result, from the side of the person or else of the declarers. */
function resultSound(table: Table): Sound | null {
  const { contract, scores, you } = table;
  if (!contract || !scores) return null;
  if (isTriumph(table)) return "slam";
  const [declarer] = contract.declarers.includes(you) ? [you] : contract.declarers;
  return scores[declarer as typeof you] > 0 ? "made" : "failed";
}

/** Returns the sounds from one moment to the next, in the order in which they are heard. */
export function soundsBetween(before: Moment | null, now: Moment): Sound[] {
  const sounds: (Sound | null)[] = [];
  if (!before) return [];
  const { history } = now.table;
  const isSameDeal = before.table.deal === now.table.deal;
  // Fewer actions than before: the person has taken some back.
  if (isSameDeal && history.length > before.table.history.length) {
    const isCard = ["play", "discard"].includes(history.at(-1)!.phase);
    sounds.push(isCard ? "card" : "call");
  }
  if (now.isTrickFull && !before.isTrickFull) sounds.push("trick");
  if (now.isResultShown && !before.isResultShown) sounds.push(resultSound(now.table));
  if (now.isPersonsTurn && !before.isPersonsTurn) sounds.push("turn");
  return sounds.filter((sound) => sound !== null);
}
