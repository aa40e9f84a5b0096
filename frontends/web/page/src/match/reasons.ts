// Reasons why the best action of a decision is better, from facts that the person could know.

import { parseCall } from "../messages/actions";
import { rankOf, suitOf, winningCard } from "../messages/cards";
import { exactTricks } from "../messages/contracts";
import type { Decision, Seat, Table, TrickCard } from "../messages/messages";
import { positionAt } from "../messages/replay";
import { seatAfter } from "../messages/seats";
import {
  areTrumpsGone,
  goesAhead,
  isHighestLeft,
  isSureToTake,
  isUnbeatable,
  type KnownCards,
  knownCards,
  mayHold,
} from "./known-cards";
import { isSureMisere, sureTricks } from "./sure-tricks";

/** A reason. The key is that of its text; the other fields fill the gaps of the text. */
export type Reason =
  | { key: "sureTricks"; tricks: number }
  | { key: "partnerHas" | "canBeTrumped"; seat: Seat }
  | { key: "sureToTake" | "staysBelow"; winner: string }
  | {
      key:
        | "sureMisere"
        | "takesTrick"
        | "safeNow"
        | "drawsNothing"
        | "thrownAway"
        | "tooLate"
        | "cheaper";
    };

/** The parts of a decision that its reason depends on. */
export type Choice = Pick<Decision, "at" | "phase" | "did" | "best">;

/** A decision on a card, with the cards that were known. */
interface CardChoice {
  known: KnownCards;
  did: string;
  best: string;
  /** Card that wins the trick before the decision, and its seat. */
  winner: TrickCard | undefined;
}

/** Kinds of contract in which the lone declarer leads. */
const LEADING_KINDS = ["abondance", "small-slam", "slam", "solo-slim"];
/** Kinds of contract in which a lone declarer plays and eldest leads. */
const FOLLOWING_KINDS = ["solo", "alone"];
/** Tricks of the kinds whose calls have no level. */
const SLAM_TRICKS: Readonly<Record<string, number>> = {
  "small-slam": 12,
  slam: 13,
  "solo-slim": 13,
};

const KING = rankOf("KS");
const TEN = rankOf("TS");

/** Whether the person plays for no trick at all. */
const avoidsTricks = ({ contract, you }: Table): boolean =>
  contract !== null && exactTricks(contract.kind) === 0 && contract.declarers.includes(you);

/** Returns a reason why `best` is better than `did`, `null` if no fact is certain. */
export function reasonFor(table: Table, { at, phase, did, best }: Choice): Reason | null {
  if (did === best) return null;
  const step = at - 1;
  if (phase === "auction") return auctionReason(table, step, did, best);
  if (phase !== "play" || !table.contract) return null;
  // The first card of a troel names trumps, which are therefore not known before it.
  if (table.contract.kind === "troel" && step === table.calls) return null;
  const known = knownCards(table, step);
  const winner = winningCard(known.trick, known.trump);
  const choice = { known, did, best, winner };
  if (avoidsTricks(table)) return misereReason(choice);
  if (exactTricks(table.contract.kind) !== null) return null;
  const reasons = known.trick.length === 0 ? LEAD_REASONS : FOLLOW_REASONS;
  for (const find of reasons) {
    const reason = find(choice);
    if (reason) return reason;
  }
  return null;
}

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

function auctionReason(table: Table, step: number, did: string, best: string): Reason | null {
  const hand = positionAt(table, step).hands[table.you];
  const done = sureCall(table, hand, did);
  const better = sureCall(table, hand, best);
  const isDoneSure = done !== null && done.sure >= done.needed;
  if (better && better.sure >= better.needed) {
    if (isDoneSure && done.needed >= better.needed) return null;
    return { key: "sureTricks", tricks: better.sure };
  }
  if (isDoneSure || isSureMisereCall(table, hand, did)) return null;
  return isSureMisereCall(table, hand, best) ? { key: "sureMisere" } : null;
}

/** Returns the reason for a declarer who must not take a trick. */
function misereReason({ known, did, best, winner }: CardChoice): Reason | null {
  if (!winner || !goesAhead(known, did) || goesAhead(known, best)) return null;
  const key = isUnbeatable(known, did) ? "sureToTake" : "staysBelow";
  return { key, winner: winner.card };
}

/** Whether `best` is of the same suit as `did`, and another seat may hold a card between them. */
const isLower = ({ known, did, best }: CardChoice): boolean =>
  suitOf(did) === suitOf(best) &&
  known.unseen.some(
    (card) =>
      suitOf(card) === suitOf(did) && rankOf(card) > rankOf(best) && rankOf(card) < rankOf(did),
  );

const isTrump = ({ trump }: KnownCards, card: string): boolean => suitOf(card) === trump;

/** Finds that the best card takes the trick, which the other side has so far. */
function takesTrick({ known, did, best, winner }: CardChoice): Reason | null {
  if (known.allies.includes(winner!.seat)) return null;
  if (goesAhead(known, did) || !isSureToTake(known, best)) return null;
  return { key: "takesTrick" };
}

/** Finds that a high card or a trump was spent on a trick of the person's side. */
function partnerHas(choice: CardChoice): Reason | null {
  const { known, did, best, winner } = choice;
  const { seat, card } = winner!;
  if (!known.allies.includes(seat) || !isUnbeatable(known, card)) return null;
  const isTrumped = isTrump(known, did) && !isTrump(known, best);
  const isHigher = isLower(choice) && rankOf(did) >= TEN && !goesAhead(known, best);
  return isTrumped || isHigher ? { key: "partnerHas", seat } : null;
}

/** Returns an opponent behind the person who has no card of the suit and may have a trump. */
function trumpingSeat(known: KnownCards, card: string): Seat | undefined {
  const { behind, allies, trump, unseen, voids } = known;
  if (trump === null || isTrump(known, card)) return undefined;
  const trumps = unseen.filter((other) => suitOf(other) === trump);
  return behind.find(
    (seat) =>
      !allies.includes(seat) &&
      voids[seat].has(suitOf(card)) &&
      trumps.some((other) => mayHold(known, seat, other)),
  );
}

/** Finds that an opponent behind can trump the ace or king that was played. */
function canBeTrumped({ known, did, best }: CardChoice): Reason | null {
  const led = known.trick[0]?.card ?? did;
  if (rankOf(did) < KING || suitOf(did) !== suitOf(led) || !goesAhead(known, did)) return null;
  const seat = trumpingSeat(known, did);
  if (!seat) return null;
  const isBestExposed = rankOf(best) >= KING && trumpingSeat(known, best) !== undefined;
  return isBestExposed ? null : { key: "canBeTrumped", seat };
}

/** Finds that nobody else has trumps, and the best card is safe or another trump is wasted. */
function trumpsGone({ known, did, best }: CardChoice): Reason | null {
  if (!areTrumpsGone(known) || isTrump(known, best)) return null;
  if (isTrump(known, did)) return { key: "drawsNothing" };
  return isSureToTake(known, best) && !isSureToTake(known, did) ? { key: "safeNow" } : null;
}

/** Finds that the highest card left of a suit was played to a trick that it cannot take. */
function thrownAway({ known, did, best }: CardChoice): Reason | null {
  if (goesAhead(known, did) || isTrump(known, did) || isTrump(known, best)) return null;
  const isThrown = isHighestLeft(known, did) && !isHighestLeft(known, best);
  return isThrown ? { key: "thrownAway" } : null;
}

/** Finds that a high card was played to a trick that it cannot take. */
function tooLate(choice: CardChoice): Reason | null {
  const { known, did } = choice;
  if (goesAhead(known, did) || !isLower(choice) || rankOf(did) < TEN) return null;
  return { key: "tooLate" };
}

/** Finds that a lower card of the suit takes the trick as surely. */
function cheaper(choice: CardChoice): Reason | null {
  const { known, did, best } = choice;
  if (!isLower(choice) || !isSureToTake(known, did) || !isSureToTake(known, best)) return null;
  return { key: "cheaper" };
}

type FindReason = (choice: CardChoice) => Reason | null;
/** Reasons for a card that is led, the most important first. */
const LEAD_REASONS: readonly FindReason[] = [canBeTrumped, trumpsGone];
/** Reasons for a card that is played to a trick, the most important first. */
const FOLLOW_REASONS: readonly FindReason[] = [
  takesTrick,
  partnerHas,
  canBeTrumped,
  thrownAway,
  tooLate,
  cheaper,
];
