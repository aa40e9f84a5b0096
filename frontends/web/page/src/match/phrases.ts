// Phrases that persons at a shared table have just said.

import type { Phrase, Said, Seat } from "../messages/messages";

/** All phrases, in the order of the menu. */
export const PHRASES: readonly Phrase[] = [
  "hello",
  "well-played",
  "thanks",
  "sorry",
  "bad-luck",
  "laugh",
  "one-moment",
  "good-bye",
];

/** Time for which a phrase is shown. */
const SHOWN_MS = 6000;

/** The last phrase of each seat, for as long as it is shown. */
export class Phrases {
  /** The phrase that was said last. */
  latest: Said | null = null;
  #shown = new Map<Seat, Said>();

  constructor(private redraw: () => void) {}

  /** Returns the phrase that a seat has just said. */
  of(seat: Seat): Phrase | undefined {
    return this.#shown.get(seat)?.phrase;
  }

  /** Forgets all phrases: the table was left. */
  clear() {
    this.latest = null;
    this.#shown.clear();
  }

  said(message: Said) {
    this.latest = message;
    this.#shown.set(message.seat, message);
    this.redraw();
    setTimeout(() => {
      // The seat may have said something else meanwhile.
      if (this.#shown.get(message.seat) !== message) return;
      this.#shown.delete(message.seat);
      this.redraw();
    }, SHOWN_MS);
  }
}
