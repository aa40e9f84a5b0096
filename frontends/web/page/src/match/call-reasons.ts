// Reasons why a call of the person is better than another one.

import { parseCall } from "../messages/actions";
import { suitOf } from "../messages/cards";
import { exactTricks, TRICKS_OF_DEAL } from "../messages/contracts";
import type { Suit, Table } from "../messages/messages";
import { positionAt } from "../messages/replay";
import { seatAfter } from "../messages/seats";
import { isSureMisere, sureTricks } from "./sure-tricks";

/** A reason for a call, as in `Reason`. */
export type CallReason =
  | { key: "sureTricks"; tricks: number }
  | { key: "sureMisere" }
  | { key: "longSuit" | "shortSuit"; tricks: number; suit: Suit };

/** Kinds of contract in which the lone declarer leads. */
const LEADING_KINDS = ["abondance", "small-slam", "slam", "solo-slim"];
/** Kinds of contract in which a lone declarer plays and eldest leads. */
const FOLLOWING_KINDS = ["solo", "alone"];
/** Tricks of the kinds whose calls have no level. */
const SLAM_TRICKS: Readonly<Record<string, number>> = {
  "small-slam": 12,
  slam: TRICKS_OF_DEAL,
  "solo-slim": TRICKS_OF_DEAL,
};

/** Fewest cards of a suit that are worth a remark as trumps. */
const MIN_LONG_SUIT = 5;
/** Most cards of a suit that are few for trumps. */
const MAX_SHORT_SUIT = 3;

/** Tricks that a call of a lone declarer needs and is sure of. */
interface SureCall {
  needed: number;
  sure: number;
}

/** Returns the tricks of a call of a lone declarer; `null` for other calls. */
function sureCall(table: Table, hand: string[], code: string): SureCall | null {
  const call = parseCall(code);
  if (!call) return null;
  const { kind, level } = call;
  const hasFirstLead = LEADING_KINDS.includes(kind);
  if (!hasFirstLead && !FOLLOWING_KINDS.includes(kind)) return null;
  // With a troel the turn-up is hidden during the auction, and with it the trumps of a solo slim.
  const turnUpSuit = table.turn_up && !table.announces ? suitOf(table.turn_up) : null;
  const strain = call.strain ?? turnUpSuit;
  if (!strain) return null;
  return { needed: SLAM_TRICKS[kind] ?? level, sure: sureTricks(hand, strain, hasFirstLead) };
}

/** Whether a call is a misère that cannot fail. */
function isSureMisereCall(table: Table, hand: string[], code: string): boolean {
  const isEldest = seatAfter(table.dealer, 1) === table.you;
  return exactTricks(code) === 0 && isSureMisere(hand, isEldest);
}

/** Whether a call of a lone declarer cannot fail, however the other cards lie. */
export function isSureCall(table: Table, hand: string[], code: string): boolean {
  const call = sureCall(table, hand, code);
  return (call !== null && call.sure >= call.needed) || isSureMisereCall(table, hand, code);
}

/** Returns the trump suit of a call and the number of its cards; `null` for a call without one. */
function trumpsOfCall(hand: string[], code: string): { suit: Suit; length: number } | null {
  const strain = parseCall(code)?.strain;
  if (!strain || strain === "NT") return null;
  return { suit: strain, length: hand.filter((card) => suitOf(card) === strain).length };
}

/** Finds that the trumps of the better call are long, or those of the other call short. */
function lengthReason(hand: string[], did: string, best: string): CallReason | null {
  const better = trumpsOfCall(hand, best);
  const done = trumpsOfCall(hand, did);
  if (better?.suit === done?.suit) return null;
  const doneLength = done?.length ?? 0;
  if (better && better.length >= MIN_LONG_SUIT && better.length > doneLength)
    return { key: "longSuit", tricks: better.length, suit: better.suit };
  if (done && doneLength <= MAX_SHORT_SUIT && doneLength < (better?.length ?? MAX_SHORT_SUIT + 1))
    return { key: "shortSuit", tricks: doneLength, suit: done.suit };
  return null;
}

/** Returns a reason why the call `best` is better than `did`, `null` if no fact is certain. */
export function callReason(
  table: Table,
  step: number,
  did: string,
  best: string,
): CallReason | null {
  const hand = positionAt(table, step).hands[table.you];
  const done = sureCall(table, hand, did);
  const better = sureCall(table, hand, best);
  const isDoneSure = done !== null && done.sure >= done.needed;
  if (better && better.sure >= better.needed) {
    if (isDoneSure && done.needed >= better.needed) return null;
    return { key: "sureTricks", tricks: better.sure };
  }
  if (isDoneSure || isSureMisereCall(table, hand, did)) return null;
  if (isSureMisereCall(table, hand, best)) return { key: "sureMisere" };
  return lengthReason(hand, did, best);
}
