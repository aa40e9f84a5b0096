// The queue of received tables, shown one after the other at a pace that people can follow.

import type { Played, Seat, Table } from "./messages";
import { SEATS } from "./messages";

/** Milliseconds between two actions, and for which a full trick stays on the table, by speed. */
const PACE = [[1000, 2200], [550, 1300], [280, 700], [0, 450]];
/** Milliseconds in which the cards of a trick move to the winner. */
const COLLECT = 300;

/** A full trick that is still on the table. */
export interface Trick { cards: Played[]; winner: Seat; leaving: boolean }

/** The game that a queue belongs to. */
interface Ends {
  /** Returns the speed of the settings, an index of `PACE`. */
  speed(): number;
  /** Notes that `next` takes the place of `before` on the screen. */
  replaced(before: Table | null, next: Table): void;
  /** Notes that the last table is shown. Not called while the queue pauses for a bot's action. */
  emptied(): void;
  /** Draws the screen again. */
  changed(): void;
}

/** Queue of tables. Each table stays on the screen for its time, and then the next one follows. */
export class ShowQueue {
  /** The table on the screen. */
  table: Table | null = null;
  trick: Trick | null = null;

  /** Tables that are not shown yet, the oldest first. */
  #tables: Table[] = [];
  /** The pause that is going on, and the step after it. */
  #timer: ReturnType<typeof setTimeout> | null = null;
  #onTimer: (() => void) | null = null;

  constructor(private ends: Ends) {}

  /** Whether something is being shown or waits to be shown. */
  get isBusy(): boolean {
    return this.#timer !== null || this.#tables.length > 0 || this.trick !== null;
  }

  push(table: Table) {
    this.#tables.push(table);
    this.#next();
  }

  /** Ends the pause for a full trick. */
  hurry() {
    if (this.#timer === null || !this.trick) return;
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#onTimer?.();
  }

  /** Drops the tables that are not shown yet. The last table stays on the screen. */
  stop() {
    this.#tables = [];
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = this.#onTimer = null;
    this.trick = null;
  }

  /** Drops all tables, the one on the screen included. */
  clear() {
    this.stop();
    this.table = null;
  }

  #later(milliseconds: number, then: () => void) {
    this.#onTimer = then;
    this.#timer = setTimeout(() => { this.#timer = null; then(); }, milliseconds);
  }

  /** Shows the next table, unless a pause is going on. */
  #next() {
    if (this.#timer !== null) return;
    const next = this.#tables.shift();
    if (!next) return this.ends.changed();
    const before = this.table;
    this.table = next;
    this.ends.replaced(before, next);
    const [pace, trickPace] = PACE[this.ends.speed()] ?? PACE[1];
    const isSameDeal = before !== null && before.deal === next.deal;
    const winner = isSameDeal ? SEATS.find((seat) => next.tricks[seat] > before.tricks[seat]) : undefined;
    if (winner) {
      this.trick = { cards: next.last_trick, winner, leaving: false };
      this.#later(trickPace, () => {
        this.trick = { ...this.trick!, leaving: true };
        this.#later(COLLECT, () => { this.trick = null; this.#shown(); });
        this.ends.changed();
      });
    } else if (next.turn !== null && next.turn !== next.you) {
      // The pause comes before a bot's action, even if the table with that action is here already.
      this.#later(pace, () => this.#next());
    } else {
      this.#shown();
    }
    this.ends.changed();
  }

  #shown() {
    if (!this.#tables.length) this.ends.emptied();
    this.#next();
  }
}
