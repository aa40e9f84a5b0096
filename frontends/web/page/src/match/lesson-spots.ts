// Situations at a table that the coach of the lessons speaks about.

import { winningCard } from "../messages/cards";
import type { Seat, Suit, Table } from "../messages/messages";

const isPersonsTurn = ({ turn, you }: Table): boolean => turn === you;
const isPlaying = (table: Table): boolean => table.phase === "play" && isPersonsTurn(table);

/** Returns the suit that was led to the trick on the table, `null` before the first card. */
export const ledSuit = ({ trick }: Table): Suit | null =>
  (trick[0]?.card[1] as Suit | undefined) ?? null;

/** Whether the person is to call in the auction. */
export const isCalling = (table: Table): boolean =>
  table.phase === "auction" && isPersonsTurn(table);

/** Whether the person leads to a trick. */
export const isLeading = (table: Table): boolean => isPlaying(table) && table.trick.length === 0;

/** Whether the person leads to the first trick. */
export const isFirstCard = (table: Table): boolean =>
  isLeading(table) && table.last_trick.length === 0;

/** Whether the person has to follow suit. */
export const isFollowing = (table: Table): boolean =>
  isPlaying(table) && table.hand.some((card) => card[1] === ledSuit(table));

/** Whether the person has no card of the suit that was led. */
export const hasNoneOfLedSuit = (table: Table): boolean =>
  isPlaying(table) && table.trick.length > 0 && !isFollowing(table);

/** Whether the person is to play to the first trick. */
export const isFirstTrick = (table: Table): boolean =>
  isPlaying(table) && table.last_trick.length === 0;

/** Whether the person has taken a trick. */
export const hasTakenTrick = ({ tricks, you }: Table): boolean => tricks[you] > 0;

/** Returns the other declarer of a contract of the person, `null` if there is none. */
export function partnerOf({ contract, you }: Table): Seat | null {
  const declarers = [...(contract?.declarers ?? "")] as Seat[];
  const isPair = declarers.length === 2 && declarers.includes(you);
  return isPair ? declarers.find((seat) => seat !== you)! : null;
}

/** Whether the person is to play to a trick that the partner wins so far. */
export function isPartnerWinning(table: Table): boolean {
  const partner = partnerOf(table);
  const winner = winningCard(table.trick, table.contract?.trump ?? null);
  return isPlaying(table) && partner !== null && winner?.seat === partner;
}
