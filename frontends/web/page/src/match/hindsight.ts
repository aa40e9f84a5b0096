// The best card with all hands visible.

import { suitOf } from "../messages/cards";
import type { Values } from "../messages/messages";

/**
 * Returns the card that is sure to win more tricks than `did` for its side with all hands visible,
 * `null` if there is none. It is of the same suit as `did` if possible.
 */
export function betterOpenCard(
  values: Values["values"],
  did: string,
  isDeclarer: boolean,
): string | null {
  if (!values[did]) return null;
  /** Tricks that the person's side is sure of; those of the declarers count against defenders. */
  const sure = ([least, most]: [number, number]) => (isDeclarer ? least : -most);
  const [least, most] = values[did];
  const possible = isDeclarer ? most : -least;
  const best = Math.max(...Object.values(values).map(sure));
  if (best <= possible) return null;
  const cards = Object.keys(values).filter((card) => sure(values[card]) === best);
  return cards.find((card) => suitOf(card) === suitOf(did)) ?? cards[0];
}
