// The person's own match, as this browser stores it.

import { SEATS } from "../messages/seats";
import type { Match } from "./match";

const KEY = "troel-match";

/** Whether a value from the storage has the fields of a match. */
export function isMatch(value: Partial<Match> | null): value is Match {
  const { rules, seat, seed, bots, deals, scores } = value ?? {};
  return (
    typeof rules === "string" &&
    SEATS.some((known) => known === seat) &&
    Number.isSafeInteger(seed) &&
    typeof bots === "object" &&
    bots !== null &&
    Array.isArray(deals) &&
    deals.every(Array.isArray) &&
    Array.isArray(scores)
  );
}

/**
 * The stored match, which all windows of a browser and all versions of the page share. A window
 * replaces only a match that it has read or written, or that the person gave up in it.
 */
export class StoredMatch {
  /** Stored text that this window has read or written. */
  #known: string | null = null;

  /** Reads the stored match; `null` if there is none, "unknown" if another version wrote it. */
  read(): Match | "unknown" | null {
    this.#known = this.#text();
    if (this.#known === null) return null;
    try {
      const value = JSON.parse(this.#known);
      return isMatch(value) ? value : "unknown";
    } catch {
      return "unknown";
    }
  }

  /** Whether something is stored that this window has neither read nor written. */
  get isForeign(): boolean {
    const text = this.#text();
    return text !== null && text !== this.#known;
  }

  /** Lets the next match replace the stored one. */
  giveUp() {
    this.#known = this.#text();
  }

  write(match: Match) {
    const text = JSON.stringify(match);
    try {
      localStorage.setItem(KEY, text);
    } catch {
      // Storage is full or forbidden.
    }
    // If nothing was written, the stored match is still the known one.
    if (this.#text() === text) this.#known = text;
  }

  #text(): string | null {
    try {
      return localStorage.getItem(KEY);
    } catch {
      return null;
    }
  }
}
