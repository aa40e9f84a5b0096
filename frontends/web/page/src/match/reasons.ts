// Reasons why the best action of a decision is better, from facts that the person could know.

import { rankOf, strength, suitOf, winningCard } from "../messages/cards";
import { exactTricks } from "../messages/contracts";
import type { Decision, Seat, Table, TrickCard } from "../messages/messages";
import { type CallReason, callReason } from "./call-reasons";
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

/** A reason. The key is that of its text; the other fields fill the gaps of the text. */
export type Reason =
  | CallReason
  | { key: "partnerHas" | "canBeTrumped" | "notSafe" | "leaveIt"; seat: Seat }
  | { key: "sureToTake" | "staysBelow" | "trumpWasted"; winner: string }
  | { key: "drawTrumps"; tricks: number }
  | {
      key:
        | "sureLead"
        | "leadTakes"
        | "ridOf"
        | "takesTrick"
        | "safeNow"
        | "drawsNothing"
        | "thrownAway"
        | "tooLate"
        | "cheaper";
    };

/** Facts that speak for the best action, and not against another one. */
const MILD_REASONS: readonly Reason["key"][] = [
  "longSuit",
  "shortSuit",
  "drawTrumps",
  "sureLead",
  "ridOf",
];

/** Whether a certain fact speaks against a decision. */
export const speaksAgainst = (reason: Reason | null): boolean =>
  reason !== null && !MILD_REASONS.includes(reason.key);

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

const KING = rankOf("KS");
const TEN = rankOf("TS");

/** Whether the person plays for no trick at all. */
const avoidsTricks = ({ contract, you }: Table): boolean =>
  contract !== null && exactTricks(contract.kind) === 0 && contract.declarers.includes(you);

/** Returns a reason why `best` is better than `did`, `null` if no fact is certain. */
export function reasonFor(table: Table, { at, phase, did, best }: Choice): Reason | null {
  if (did === best) return null;
  const step = at - 1;
  if (phase === "auction") return callReason(table, step, did, best);
  if (phase !== "play" || !table.contract) return null;
  // The first card of a troel names trumps, which are therefore not known before it.
  if (table.contract.kind === "troel" && step === table.calls) return null;
  const known = knownCards(table, step);
  const winner = winningCard(known.trick, known.trump);
  const choice = { known, did, best, winner };
  if (avoidsTricks(table)) return misereReason(choice);
  if (exactTricks(table.contract.kind) !== null) return leaveIt(table, choice);
  const reasons = known.trick.length === 0 ? LEAD_REASONS : FOLLOW_REASONS;
  for (const find of reasons) {
    const reason = find(choice);
    if (reason) return reason;
  }
  return null;
}

/** Returns the reason for a declarer who must not take a trick. */
function misereReason({ known, did, best, winner }: CardChoice): Reason | null {
  if (!winner) {
    return isUnbeatable(known, did) && !isUnbeatable(known, best) ? { key: "leadTakes" } : null;
  }
  if (goesAhead(known, best)) return null;
  if (!goesAhead(known, did)) return rankOf(best) > rankOf(did) ? { key: "ridOf" } : null;
  const key = isUnbeatable(known, did) ? "sureToTake" : "staysBelow";
  return { key, winner: winner.card };
}

/** Finds that a card takes the trick from a declarer who must not take one. */
function leaveIt({ contract }: Table, { known, did, best, winner }: CardChoice): Reason | null {
  const { kind, declarers } = contract!;
  if (!winner || exactTricks(kind) !== 0 || !declarers.includes(winner.seat)) return null;
  const isTaken = goesAhead(known, did) && !goesAhead(known, best);
  return isTaken ? { key: "leaveIt", seat: winner.seat } : null;
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

/** Finds that the trick of the person's side could still be lost, and the best card is sure. */
function notSafe({ known, did, best, winner }: CardChoice): Reason | null {
  const { behind, allies, trick, trump, unseen } = known;
  const { seat, card } = winner!;
  if (!allies.includes(seat) || goesAhead(known, did) || !isSureToTake(known, best)) return null;
  const led = suitOf(trick[0].card);
  const isBeaten = behind.some(
    (other) =>
      !allies.includes(other) &&
      unseen.some(
        (higher) =>
          strength(higher, led, trump) > strength(card, led, trump) &&
          mayHold(known, other, higher),
      ),
  );
  return isBeaten ? { key: "notSafe", seat } : null;
}

/** Finds that a trump was played under a higher one. */
function trumpWasted({ known, did, best, winner }: CardChoice): Reason | null {
  const isWasted = isTrump(known, did) && !isTrump(known, best) && !goesAhead(known, did);
  return isWasted ? { key: "trumpWasted", winner: winner!.card } : null;
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

/** Finds that the best lead is sure to take the trick, and the other one is not. */
function sureLead({ known, did, best }: CardChoice): Reason | null {
  const isSure = isSureToTake(known, best) && !isSureToTake(known, did);
  return isSure ? { key: "sureLead" } : null;
}

/** Finds that a lone declarer draws trumps with the best lead. */
function drawTrumps({ known, did, best }: CardChoice): Reason | null {
  const trumps = known.unseen.filter((card) => isTrump(known, card));
  const isDrawn = isTrump(known, best) && !isTrump(known, did) && trumps.length > 0;
  return isDrawn && !known.allies.length ? { key: "drawTrumps", tricks: trumps.length } : null;
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
const LEAD_REASONS: readonly FindReason[] = [canBeTrumped, trumpsGone, drawTrumps, sureLead];
/** Reasons for a card that is played to a trick, the most important first. */
const FOLLOW_REASONS: readonly FindReason[] = [
  takesTrick,
  notSafe,
  partnerHas,
  trumpWasted,
  canBeTrumped,
  thrownAway,
  tooLate,
  cheaper,
];
