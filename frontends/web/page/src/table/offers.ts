// The legal calls as the page offers them: large buttons, groups of suits, and chips that open.

import { actionText } from "../language/sayings";
import type { Speech } from "../language/speech";
import { isCard, parseCall } from "../messages/actions";
import { type Auction, replayAuction } from "../messages/auction";
import { cheapestStake, contractStakes } from "../messages/contracts";
import type { Rules, Table } from "../messages/messages";

/** A call needs a confirmation if its stake is more than this many times the cheapest stake. */
const CONFIRMED_STAKE_RATIO = 3;

/** Kinds of contract that share a chip: those without tricks, and those of all tricks. */
const CHIP_KINDS: Readonly<Record<string, string>> = {
  "small-misere": "misere",
  "open-misere": "misere",
  piccolo: "misere",
  "small-slam": "slam",
  "solo-slim": "slam",
};

/** Kinds of offers with a large button each. */
const PRIMARY_KINDS = ["plain", "trump"];
/** Kinds of offers that are suit calls: the meanings of `8♣` in an auction. */
const SUIT_CALL_KINDS = ["ask", "along", "raise"];

/** A legal action on the screen. */
export interface Offer {
  code: string;
  /**
   * Kind of the offer: "plain" for calls that name no contract, "trump", "card", or the meaning of
   * a suit call. For other calls it is the kind of contract, which is also the chip.
   */
  kind: string;
  label: string;
  /** Points of the contract; missing if the rules have no stake for it. */
  points?: { made: number; failed: number };
}

/** Offers of one kind behind a chip. */
export interface Chip {
  kind: string;
  offers: Offer[];
}

/** Arrangement of the offers. */
export interface OfferLayout {
  /** Offers with a large button each. */
  buttons: Offer[];
  /** Lowest suit calls with the same level and meaning, which differ in their suit. */
  suitGroups: Offer[][];
  /** All other offers. */
  chips: Chip[];
}

/** Returns the legal actions that are not cards of the hand to play or discard. */
export function callCodes({ legal, phase, hand }: Table): string[] {
  const isHandCard = (code: string) =>
    isCard(code, phase) && (phase === "discard" || hand.includes(code));
  return legal.filter((code) => !isHandCard(code));
}

/** Returns an offer for each legal call, and for each card that may be asked for. */
export function listOffers(table: Table, rules: Rules | null, speech: Speech): Offer[] {
  const { auction } = replayAuction(table.history.slice(0, table.calls));
  return callCodes(table).map((code) => toOffer(code, table, rules, speech, auction));
}

function toOffer(
  code: string,
  table: Table,
  rules: Rules | null,
  speech: Speech,
  auction: Auction,
): Offer {
  const { you, phase } = table;
  if (isCard(code, phase)) return { code, kind: "card", label: speech.cardSign(code) };
  const call = parseCall(code);
  if (!call) return { code, kind: "plain", label: plainLabel(code, table, speech) };
  if (call.kind === "trump") return { code, kind: "trump", label: speech.call(code) };
  const stakes = contractStakes(rules, call.kind, call.level || null);
  const points = stakes ? { made: stakes.made, failed: stakes.failed } : undefined;
  if (call.kind === "suit") {
    const label = actionText(speech, auction, you, code, phase);
    return { code, kind: auction.meaning(you, code), label, points };
  }
  return { code, kind: CHIP_KINDS[call.kind] ?? call.kind, label: speech.call(code), points };
}

function plainLabel(code: string, { phase, announces }: Table, speech: Speech): string {
  if (code !== "keep" || announces === "trou") return speech.call(code);
  return phase === "exchange" ? speech.words.keepTurnUp : speech.words.keepTroel;
}

/** Arranges offers in large buttons, groups of suits, and chips. */
export function arrangeOffers(offers: Offer[]): OfferLayout {
  const primary = offers
    .filter(({ kind }) => PRIMARY_KINDS.includes(kind))
    .sort((a, b) => Number(b.code === "keep") - Number(a.code === "keep"));
  const lowest = lowestSuitCalls(offers);
  const groups = groupBy(lowest, ({ kind, code }) => `${kind}/${parseCall(code)!.level}`);
  const others = offers.filter((offer) => !primary.includes(offer) && !lowest.includes(offer));
  return {
    buttons: [...primary, ...groups.filter((group) => group.length === 1).flat()],
    suitGroups: groups.filter((group) => group.length > 1),
    chips: groupBy(others, ({ kind }) => kind).map((group) => ({
      kind: group[0].kind,
      offers: group,
    })),
  };
}

/** Returns the lowest call of each meaning and suit. */
function lowestSuitCalls(offers: Offer[]): Offer[] {
  const calls = offers.filter(({ kind }) => SUIT_CALL_KINDS.includes(kind));
  const key = ({ kind, code }: Offer) => `${kind}/${parseCall(code)!.strain}`;
  const level = ({ code }: Offer) => parseCall(code)!.level;
  const isLower = (a: Offer, b: Offer) => key(a) === key(b) && level(a) < level(b);
  return calls.filter((call) => !calls.some((other) => isLower(other, call)));
}

/** Groups the offers of an opened chip that differ only in their suit. */
export const groupBySuit = (offers: Offer[]): Offer[][] =>
  groupBy(offers, ({ code, points }) => {
    const { kind, level } = parseCall(code)!;
    return `${kind}/${level}/${points?.made}/${points?.failed}`;
  });

/** Whether a call has a far higher stake than the cheapest contract of the rules. */
export const needsConfirmation = ({ points }: Offer, rules: Rules | null): boolean =>
  points !== undefined &&
  points.made - points.failed > CONFIRMED_STAKE_RATIO * cheapestStake(rules);

/** Groups items by key, in the order in which the keys appear. */
function groupBy<T>(items: T[], key: (item: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(key(item));
    if (group) group.push(item);
    else groups.set(key(item), [item]);
  }
  return [...groups.values()];
}
