// Values that the page keeps in this browser.

import type { Contract, Results } from "../messages/messages";

/** Returns a storage. Reading the property throws where the browser forbids storage. */
type StorageOf = () => Storage;

const localStorageOf: StorageOf = () => localStorage;
const sessionStorageOf: StorageOf = () => sessionStorage;

export interface Settings {
  language: string;
  /** Rules of the last match; "" before the first one. */
  rules: string;
  /** Index into the speeds, from slow to at once. */
  speed: number;
  /** Whether a card has to be clicked twice. */
  twice: boolean;
  fourColours: boolean;
  /** Letters on the cards: a language, or "auto" for that of the page. */
  letters: string;
  theme: "system" | "light" | "dark";
  felt: "green" | "blue" | "red" | "dark";
  back: "stripes" | "diamonds" | "dots";
  largeCards: boolean;
  largeText: boolean;
  /** Whether cards have rank and suit in two corners. */
  bothCorners: boolean;
  /** Whether kings, queens and jacks are drawn. */
  courts: boolean;
  /** Whether the trumps come first in the hand. */
  trumpsFirst: boolean;
  sound: boolean;
  /** Whether hints are offered. */
  practice: boolean;
  /** Name of the person at a shared table. */
  name: string;
  /** Names of bots by place: to the left, opposite, to the right; "" is the usual bot. */
  bots: string[];
}

/** A person's seat at a shared table. */
export interface SharedSeat {
  /** Secret of the table. */
  table: string;
  /** Secret of the person at this table. */
  key: string;
  name: string;
}

/** The shared table that this browser sat at last. */
export interface LastTable {
  /** Secret of the table. */
  table: string;
  rules: string;
  /** Names of the other persons. */
  others: string[];
  /** Time of the last message from the table, in milliseconds. */
  seen: number;
}

/** The person's play of a daily deal. */
export interface DailyPlay {
  /** Date on which the person began it. */
  begun: string;
  /** Actions of the deal, until its first end. */
  actions: string[];
  /** Points at its first end; the other fields follow. */
  points?: number;
  /** Number of costly decisions, and stars for the decisions. */
  costly?: number;
  stars?: number;
  /** Points of the bot that played the person's cards. */
  bot?: number;
  /** The contract that the bot played; `null` for a void deal. */
  botContract?: Contract | null;
  /** Points of bots in many plays of the deal, ascending, and their frequency. */
  botResults?: Results["points"];
}

/** The person's progress in the puzzles. */
export interface PuzzleProgress {
  /** Number of puzzles that were answered, by rule set and kind. */
  answered: Record<string, number>;
  rating: number;
  /** Right answers in a row. */
  streak: number;
}

/** Statistics of the deals under a rule set. */
export interface Tally {
  deals: number;
  points: number;
  /** Deals with the person among the declarers. */
  declared: number;
  /** Contracts that the person made. */
  made: number;
  /** Deals with a complete review. */
  reviewed: number;
  /** Points that decisions cost in these reviews. */
  lost: number;
}

const DEFAULT_SETTINGS: Settings = {
  language: "",
  rules: "",
  speed: 1,
  twice: false,
  fourColours: false,
  letters: "auto",
  theme: "system",
  felt: "green",
  back: "stripes",
  largeCards: false,
  largeText: false,
  bothCorners: false,
  courts: false,
  trumpsFirst: false,
  sound: false,
  practice: true,
  name: "",
  bots: ["", "", ""],
};

const MAX_STORED_KEYS = 10;
const MAX_COUNTED_DEALS = 500;
/** Number of daily deals that are kept: more than a year of one rule set. */
const MAX_DAILY_DEALS = 400;
/** Rating of a person before the first puzzle. */
const FIRST_RATING = 1200;

/** Returns the stored value, or `fallback` if storage is forbidden or holds no JSON. */
function read<T>(key: string, fallback: T, storage = localStorageOf): T {
  try {
    return JSON.parse(storage().getItem(`troel-${key}`) ?? "null") ?? fallback;
  } catch {
    return fallback;
  }
}

/** Stores a value. Storage may be full or forbidden; the value is then lost with the window. */
function write(key: string, value: unknown, storage = localStorageOf) {
  try {
    storage().setItem(`troel-${key}`, JSON.stringify(value));
  } catch {
    // The match goes on without storage.
  }
}

const storedKeys = () => read<[table: string, key: string][]>("keys", []);

export const saved = {
  settings: (): Settings => ({ ...DEFAULT_SETTINGS, ...read<Partial<Settings>>("settings", {}) }),
  storeSettings: (settings: Settings) => write("settings", settings),
  /** Returns the shared seat of this window. Another window is another person. */
  sharedSeat: (): SharedSeat | null => {
    const seat = read<Partial<SharedSeat> | null>("shared", null, sessionStorageOf);
    const isWhole = [seat?.table, seat?.key, seat?.name].every((part) => typeof part === "string");
    return isWhole ? (seat as SharedSeat) : null;
  },
  storeSharedSeat: (seat: SharedSeat | null) => write("shared", seat, sessionStorageOf),
  /** Returns the person's secret at one of the last tables, to return after closing the window. */
  key: (table: string): string | undefined => storedKeys().find(([of]) => of === table)?.[1],
  storeKey: ({ table, key }: SharedSeat) => {
    const others = storedKeys().filter(([of]) => of !== table);
    write("keys", [[table, key], ...others].slice(0, MAX_STORED_KEYS));
  },
  lastTable: (): LastTable | null => {
    const last = read<Partial<LastTable> | null>("last-table", null);
    const isWhole = typeof last?.table === "string" && Array.isArray(last.others);
    return isWhole ? (last as LastTable) : null;
  },
  storeLastTable: (last: LastTable | null) => write("last-table", last),
  /**
   * Returns the stored side match of this window, unchecked; `null` if there is none. The key is
   * older than the other side matches: there were only lessons.
   */
  sideMatch: (): unknown => read<unknown>("lesson", null, sessionStorageOf),
  storeSideMatch: (match: object | null) => write("lesson", match, sessionStorageOf),
  /** Returns the names of the lessons that were played to their end. */
  finishedLessons: (): string[] => read<string[]>("lessons", []),
  storeFinishedLessons: (lessons: string[]) => write("lessons", lessons),
  /** Returns the house rules of the editor as part of an address; "" before the first ones. */
  houseRules: (): string => read<string>("house", ""),
  storeHouseRules: (hash: string) => write("house", hash),
  /** Returns the statistics by rule set. No prototype: a rule set may be called "constructor". */
  tallies: (): Record<string, Tally> =>
    Object.assign(Object.create(null), read<Record<string, Tally>>("statistics", {})),
  storeTallies: (tallies: Record<string, Tally>) => write("statistics", tallies),
  /** Returns the last deals that were counted in the statistics. */
  countedDeals: (): string[] => read<string[]>("counted", []),
  storeCountedDeals: (deals: string[]) => write("counted", deals.slice(-MAX_COUNTED_DEALS)),
  /** Returns the daily deals that were played, by date and rule set, the oldest first. */
  dailyPlays: (): Record<string, DailyPlay> => read<Record<string, DailyPlay>>("daily", {}),
  storeDailyPlays: (plays: Record<string, DailyPlay>) =>
    write("daily", Object.fromEntries(Object.entries(plays).slice(-MAX_DAILY_DEALS))),
  puzzles: (): PuzzleProgress => ({
    answered: {},
    rating: FIRST_RATING,
    streak: 0,
    ...read<Partial<PuzzleProgress>>("puzzles", {}),
  }),
  storePuzzles: (progress: PuzzleProgress) => write("puzzles", progress),
};
