// What the page remembers in this browser.

import type { BySeat, GameRecord, Seat } from "./messages";

export interface Settings {
  language: string;
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
  language: "", rules: "luxembourg", speed: 1, twice: false, fourColours: false, letters: "auto", theme: "system", practice: true, name: "", bots: ["", "", ""],
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
  match: (): Match | null => {
    const found = read<Match | null>("match", null);
    // Another version, or a stranger, may have written something else.
    const { rules, seat, seed, bots, deals, scores } = (found ?? {}) as Partial<Match>;
    const isWhole = typeof rules === "string" && ["N", "E", "S", "W"].includes(String(seat)) && Number.isSafeInteger(seed) && typeof bots === "object"
      && bots !== null && Array.isArray(deals) && deals.every(Array.isArray) && Array.isArray(scores);
    return isWhole ? found : null;
  },
  keepMatch: (match: Match) => write("match", match),
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
