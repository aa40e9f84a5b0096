// The lessons: fixed deals, and the bubbles of the coach. The texts are in `words.learn`.

import type { Seat, Table } from "../messages/messages";
import { hasTurnUp, TURN_UP_RULES } from "../net/rulesets";
import {
  hasNoneOfLedSuit,
  hasTakenTrick,
  isCalling,
  isFirstCard,
  isFirstTrick,
  isFollowing,
  isLeading,
  isPartnerWinning,
} from "./lesson-spots";
import { type Match, newMatch } from "./match";

export const LESSON_NAMES = [
  "tricks",
  "ask",
  "along",
  "alone",
  "misere",
  "aces",
  "abondance",
] as const;
export type LessonName = (typeof LESSON_NAMES)[number];

/** Kind of auction: any suit may be proposed, or only the suit of the turn-up. */
type Auction = "proposals" | "turn-up";

/** Text of the coach. It depends on the table only, because the bots decide for themselves. */
export interface Bubble {
  /** Key of the text, in the lesson or among those of all lessons. */
  text: string;
  when(table: Table): boolean;
  /** The only auction that the bubble is for. */
  auction?: Auction;
  /** The only actions that the lesson accepts now. */
  wanted?: string[];
}

interface Lesson {
  dealer: Seat;
  deal: string;
  /** Turn-up, under rules that have one. */
  turnUp: string;
  /** Calls that are made before the lesson begins. */
  calls: string[];
  /** Tricks that the declarers take at least if the person plays as the bot advises. */
  tricks: number;
  /** Bubbles, the most important one first. */
  bubbles: Bubble[];
}

/** Built-in rule sets by their auction. */
const RULES_BY_AUCTION: Readonly<Record<Auction, readonly string[]>> = {
  proposals: ["luxembourg", "horesca"],
  "turn-up": TURN_UP_RULES,
};

/** Seed of the bots, which have to do the same each time. */
const SEED = 1;
/** Bot at the other seats. It bids by simple rules. */
const BOT = "rules";

/** Returns the condition that the person is to call after this number of calls. */
const isCallAfter =
  (calls: number) =>
  (table: Table): boolean =>
    isCalling(table) && table.history.length === calls;

const LESSONS: Readonly<Record<LessonName, Lesson>> = {
  tricks: {
    dealer: "N",
    deal: "N:K52.AJ63.A84.652 J94.72.95.AKQJ83 A73.KQT85.KJ62.4 QT86.94.QT73.T97",
    turnUp: "6H",
    calls: ["pass", "8H", "pass", "8H"],
    tricks: 9,
    bubbles: [
      { text: "follow", when: isFollowing },
      { text: "free", when: hasNoneOfLedSuit },
      { text: "lead", when: isLeading },
      { text: "partner", when: isPartnerWinning },
    ],
  },
  ask: {
    dealer: "E",
    deal: "N:8753.KT64.AQ.AK6 QT42.52.J74.QT95 A6.AQJ973.K82.74 KJ9.8.T9653.J832",
    turnUp: "2H",
    calls: [],
    tricks: 11,
    bubbles: [
      { text: "ask", when: isCallAfter(0), auction: "proposals", wanted: ["8H"] },
      { text: "askTurnUp", when: isCallAfter(0), auction: "turn-up", wanted: ["8H"] },
      { text: "nobody", when: isCalling },
      { text: "lead", when: isFirstCard },
      { text: "partner", when: isPartnerWinning },
      { text: "draw", when: isLeading },
    ],
  },
  along: {
    dealer: "S",
    deal: "N:74.A85.KQJ94.K73 AJ96.KJ4.82.JT85 KQ52.63.AT63.AQ4 T83.QT972.75.962",
    turnUp: "3D",
    calls: ["pass", "8D", "pass"],
    tricks: 9,
    bubbles: [
      { text: "along", when: isCallAfter(3), wanted: ["8D"] },
      { text: "pair", when: isFirstTrick },
      { text: "partner", when: isPartnerWinning },
      { text: "draw", when: isLeading },
    ],
  },
  alone: {
    dealer: "E",
    deal: "N:T3.Q862.J94.QJ95 842.KJ7.QT8.AT73 AKQJ96.A5.K73.82 75.T943.A652.K64",
    turnUp: "8S",
    calls: ["8S", "pass", "pass", "pass"],
    tricks: 7,
    bubbles: [
      { text: "solo", when: isCallAfter(4), auction: "proposals", wanted: ["solo-6S"] },
      { text: "alone", when: isCallAfter(4), auction: "turn-up", wanted: ["solo-5S"] },
      { text: "lead", when: isFirstCard },
      { text: "cash", when: isLeading },
    ],
  },
  misere: {
    dealer: "S",
    deal: "N:KT5.AJ8.AJ6.K974 Q73.K94.QT8.AJT5 9642.7532.7532.2 AJ8.QT6.K94.Q863",
    turnUp: "7D",
    calls: ["pass", "pass", "pass"],
    tricks: 0,
    bubbles: [
      { text: "call", when: isCallAfter(3), wanted: ["misere"] },
      { text: "keep", when: ({ phase }) => phase === "exchange", wanted: ["keep"] },
      { text: "lost", when: hasTakenTrick },
      { text: "free", when: (table) => hasNoneOfLedSuit(table) && !hasTakenTrick(table) },
      { text: "duck", when: (table) => isFollowing(table) && !hasTakenTrick(table) },
    ],
  },
  aces: {
    dealer: "S",
    deal: "N:Q5.KJ853.K64.AK4 J983.T2.Q92.QT93 AK6.AQ94.A73.852 T742.76.JT85.J76",
    turnUp: "3D",
    calls: ["pass", "pass", "pass"],
    tricks: 9,
    bubbles: [
      { text: "trou", when: isCallAfter(3), auction: "proposals", wanted: ["keep"] },
      { text: "troel", when: isCallAfter(3), auction: "turn-up", wanted: ["keep"] },
      { text: "named", when: isFirstTrick, auction: "proposals" },
      { text: "led", when: isFirstTrick, auction: "turn-up" },
      { text: "partner", when: isPartnerWinning },
      { text: "lead", when: isLeading },
    ],
  },
  abondance: {
    dealer: "S",
    deal: "N:82.QJ75.Q96.K974 53.T842.AJ7.AJT5 AKQJT97.AK.K4.63 64.963.T8532.Q82",
    turnUp: "4D",
    calls: ["pass", "pass", "pass"],
    tricks: 9,
    bubbles: [
      { text: "call", when: isCallAfter(3), wanted: ["abondance-9S"] },
      { text: "lead", when: isFirstCard },
      { text: "count", when: isLeading },
    ],
  },
};

const auctionOf = (rules: string): Auction => (hasTurnUp(rules) ? "turn-up" : "proposals");

/** Returns the bubbles of a lesson under these rules. */
export const bubblesOf = (name: LessonName, rules: string): Bubble[] =>
  LESSONS[name].bubbles.filter(({ auction }) => !auction || auction === auctionOf(rules));

/**
 * Returns the rules of lessons and puzzles for a person who plays by `chosen`: those rules, or
 * others with the same auction if possible. `null` if no built-in rules can be played here.
 */
export function builtInRules(chosen: string, playable: readonly string[]): string | null {
  const auction = auctionOf(chosen);
  const builtIn = Object.values(RULES_BY_AUCTION).flat();
  const candidates = [chosen, ...RULES_BY_AUCTION[auction], ...builtIn];
  const isPossible = (rules: string) => builtIn.includes(rules) && playable.includes(rules);
  return candidates.find(isPossible) ?? null;
}

/** Returns the match of a lesson, after the calls that are made before it begins. */
export function lessonMatch(name: LessonName, rules: string): Match {
  const { dealer, deal, turnUp, calls } = LESSONS[name];
  const isTurned = auctionOf(rules) === "turn-up";
  const record = { rules, dealer, deal, ...(isTurned && { turn_up: turnUp }) };
  const match = newMatch({ rules, seed: SEED, record }, [BOT, BOT, BOT]);
  return { ...match, side: { kind: "lesson", name }, deals: calls.length > 0 ? [[...calls]] : [] };
}

/** Returns the tricks that the declarers of a lesson take by sensible play. */
export const sensibleTricks = (name: LessonName): number => LESSONS[name].tricks;

/** Returns the number of calls that are made before a lesson begins. */
export const callsBefore = (name: LessonName): number => LESSONS[name].calls.length;

/** Whether a text is the name of a lesson. */
export const isLessonName = (name: string): name is LessonName =>
  LESSON_NAMES.some((known) => known === name);

/** Returns the lesson after this one; `null` after the last one. */
export const lessonAfter = (name: LessonName): LessonName | null =>
  LESSON_NAMES[LESSON_NAMES.indexOf(name) + 1] ?? null;
