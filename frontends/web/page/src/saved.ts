// What the page remembers in this browser.

import type { BySeat, GameRecord, Seat } from "./messages";

export interface Settings {
  language: string;
  /** Rules of the last match; "" before the first. */
  rules: string;
  /** 0 slow to 3 at once. */
  speed: number;
  twice: boolean;
  fourColours: boolean;
  letters: string;
  theme: "system" | "light" | "dark";
  practice: boolean;
  /** What others at a table call this person. */
  name: string;
  /** Names of bots by place: to the left, opposite, to the right; "" is the usual one. */
  bots: string[];
}

export interface Match {
  rules: string;
  seat: Seat;
  seed: number;
  bots: Partial<BySeat<string>>;
  record?: GameRecord;
  daily?: string;
  /** Actions by deal, as far as they were seen. */
  deals: string[][];
  /** Points by deal. */
  scores: BySeat<number>[];
  over: boolean;
}

/** A seat at a table of several persons. */
export interface Shared {
  /** The secrets of the table and of the person there. */
  table: string;
  key: string;
  name: string;
}

export interface Tally { deals: number; points: number; declared: number; made: number; reviewed: number; lost: number }

const usual: Settings = {
  language: "", rules: "", speed: 1, twice: false, fourColours: false, letters: "auto", theme: "system", practice: true, name: "", bots: ["", "", ""],
};

/** Storage may be full, forbidden or hold what another version wrote: then nothing is remembered. */
function read<T>(key: string, otherwise: T, storage: () => Storage = () => localStorage): T {
  try {
    const found = JSON.parse(storage().getItem(`troel-${key}`) ?? "null");
    return found === null ? otherwise : Array.isArray(otherwise) || typeof otherwise !== "object" || otherwise === null ? found : { ...otherwise, ...found };
  } catch {
    return otherwise;
  }
}

function write(key: string, value: unknown, storage: () => Storage = () => localStorage) {
  try {
    storage().setItem(`troel-${key}`, JSON.stringify(value));
  } catch {
    // Nothing to be done about it; the match goes on.
  }
}

export const saved = {
  settings: (): Settings => read("settings", usual),
  keepSettings: (settings: Settings) => write("settings", settings),
  /** The shared table that this window sits at: another window is another person. */
  shared: (): Shared | null => {
    const found = read<Shared | null>("shared", null, () => sessionStorage);
    return typeof found?.table === "string" && typeof found.key === "string" && typeof found.name === "string" ? found : null;
  },
  keepShared: (shared: Shared | null) => write("shared", shared, () => sessionStorage),
  /** The person's secret at the last tables, by table: for who closes the window and opens the link again. */
  key: (table: string): string | undefined => read<[string, string][]>("keys", []).find(([of]) => of === table)?.[1],
  keepKey: ({ table, key }: Shared) => write("keys", [[table, key], ...read<[string, string][]>("keys", []).filter(([of]) => of !== table)].slice(0, 10)),
  // Without a prototype: a rule set may be called "constructor".
  tallies: (): Record<string, Tally> => Object.assign(Object.create(null), read("statistics", {})),
  keepTallies: (tallies: Record<string, Tally>) => write("statistics", tallies),
  /** The last deals that were counted. */
  counted: (): string[] => read<string[]>("counted", []),
  keepCounted: (deals: string[]) => write("counted", deals.slice(-500)),
};

/**
 * The stored match. All windows of a browser share it, and versions of the page come and go: a window
 * replaces only what it has read or written itself, or what the player gave up in it.
 */
export class StoredMatch {
  #known: string | null = null;

  /** Reads the stored match; `null` if there is none, "unknown" if another version wrote it. */
  read(): Match | "unknown" | null {
    this.#known = this.#text();
    if (this.#known === null) return null;
    let found: Partial<Match> | null = null;
    try {
      found = JSON.parse(this.#known);
    } catch {
      return "unknown";
    }
    const { rules, seat, seed, bots, deals, scores } = found ?? {};
    const isWhole = typeof rules === "string" && ["N", "E", "S", "W"].includes(String(seat)) && Number.isSafeInteger(seed) && typeof bots === "object"
      && bots !== null && Array.isArray(deals) && deals.every(Array.isArray) && Array.isArray(scores);
    return isWhole ? (found as Match) : "unknown";
  }

  /** Whether something is stored that this window has neither read nor written. */
  get isForeign(): boolean {
    const text = this.#text();
    return text !== null && text !== this.#known;
  }

  /** Lets the next match replace what is stored now. */
  giveUp() {
    this.#known = this.#text();
  }

  write(match: Match) {
    write("match", match);
    // Where nothing can be written, what is stored is still what this window knew.
    if (this.#text() === JSON.stringify(match)) this.giveUp();
  }

  #text(): string | null {
    try {
      return localStorage.getItem("troel-match");
    } catch {
      return null;
    }
  }
}
