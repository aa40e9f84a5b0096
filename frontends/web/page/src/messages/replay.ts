// Positions of a finished deal, from its record.

import { rankOf, suitOf } from "./cards";
import type { BySeat, GameRecord, Seat, Table, TrickCard, VisibleAction } from "./messages";
import { SEATS, seatAfter } from "./seats";

/** Order of the suits in the hands of a record. */
const RECORD_SUITS = "SHDC";
/** Hand of a record whose cards are not known. */
const HIDDEN_HAND = "-";

/** A position of a deal. */
export interface Position {
  hands: BySeat<string[]>;
  /** Cards of the trick on the table. A full trick stays until the next card. */
  trick: TrickCard[];
  /** The next action; missing at the end of the deal. */
  next: VisibleAction | undefined;
}

/** Returns the four hands of a record as they were dealt. */
export function dealtHands(record: GameRecord): BySeat<string[]> {
  const hands: BySeat<string[]> = { N: [], E: [], S: [], W: [] };
  const [first, texts] = record.deal.split(":");
  texts.split(" ").forEach((text, place) => {
    if (text === HIDDEN_HAND) return;
    hands[seatAfter(first as Seat, place)] = text
      .split(".")
      .flatMap((ranks, suit) => [...ranks].map((rank) => rank + RECORD_SUITS[suit]));
  });
  return hands;
}

/** Returns the record of an unfinished deal that the person knows, in which the others are hidden. */
export function knownRecord({ rules, you, dealer, hand, turn_up, history }: Table): GameRecord {
  const played = history.filter(({ seat, phase }) => seat === you && phase === "play");
  const dealt = [...hand, ...played.map(({ action }) => action)];
  const suits = [...RECORD_SUITS].map((suit) => {
    const cards = dealt.filter((card) => suitOf(card) === suit);
    const ranks = cards.sort((a, b) => rankOf(b) - rankOf(a)).map((card) => card[0]);
    return ranks.join("");
  });
  return {
    rules,
    dealer,
    deal: `${you}:${suits.join(".")} ${HIDDEN_HAND} ${HIDDEN_HAND} ${HIDDEN_HAND}`,
    ...(turn_up && { turn_up }),
    actions: history.map(({ action }) => action),
  };
}

/** Returns the position after the first `step` actions of a deal that is over. */
export function positionAt(table: Table, step: number): Position {
  const record = table.record!;
  const hands = dealtHands(record);
  let trick: TrickCard[] = [];
  for (const [i, { seat, action, phase }] of table.history.slice(0, step).entries()) {
    const code = action === "-" ? record.actions![i] : action;
    if (phase === "play" || phase === "discard") {
      hands[seat] = hands[seat].filter((card) => card !== code);
    }
    if (phase === "play") trick = [...(trick.length === 4 ? [] : trick), { seat, card: code }];
    const answer = table.history[i + 1];
    const isAsked = phase === "exchange" && code.length === 2 && answer?.action !== "refuse";
    const isGiven = answer?.phase !== "answer" || i + 1 < step;
    if (isAsked && isGiven && table.turn_up) swapTurnUp(hands, seat, code, table.turn_up);
  }
  return { hands, trick, next: table.history[step] };
}

/** Gives the dealer the card that the dealer asked for, and its holder the turn-up. */
function swapTurnUp(hands: BySeat<string[]>, dealer: Seat, card: string, turnUp: string) {
  const holder = SEATS.find((seat) => hands[seat].includes(card));
  if (!holder) return;
  hands[holder] = hands[holder].map((held) => (held === card ? turnUp : held));
  hands[dealer] = hands[dealer].map((held) => (held === turnUp ? card : held));
}
