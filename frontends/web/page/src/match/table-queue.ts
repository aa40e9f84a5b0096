// The queue of received tables, shown one after the other at a pace that people can follow.

import type { Seat, Table, TrickCard } from "../messages/messages";
import { SEATS } from "../messages/seats";

/** Pauses of the screen in milliseconds. */
interface Pauses {
  /** Before a bot's action. */
  action: number;
  /** After a full trick. */
  trick: number;
  /** While the cards of a trick move to the winner. */
  collect: number;
}

/** Pauses by speed, from slow to at once. */
const PAUSES_MS: readonly Pauses[] = [
  { action: 1000, trick: 2200, collect: 300 },
  { action: 550, trick: 1300, collect: 300 },
  { action: 280, trick: 700, collect: 300 },
  { action: 0, trick: 450, collect: 0 },
];
const DEFAULT_SPEED = 1;

/** A full trick that is still on the table. */
export interface FullTrick {
  cards: TrickCard[];
  winner: Seat;
  /** Whether the cards are moving to the winner. */
  isLeaving: boolean;
}

/** The game that a queue belongs to. */
interface QueueCallbacks {
  /** Returns the speed of the settings, an index of `PAUSES_MS`. */
  speed(): number;
  /** Notes that `next` takes the place of `before` on the screen. */
  replaced(before: Table | null, next: Table): void;
  /** Notes that the last table is shown. Not called while the queue pauses for a bot's action. */
  emptied(): void;
  redraw(): void;
}

/** Queue of tables. Each table stays on the screen for its pause, and then the next one follows. */
export class TableQueue {
  /** The table on the screen. */
  table: Table | null = null;
  fullTrick: FullTrick | null = null;

  /** Tables that are not shown yet, the oldest first. */
  #tables: Table[] = [];
  /** Timer of the current pause, and the step after the pause. */
  #timer: ReturnType<typeof setTimeout> | null = null;
  #afterPause: (() => void) | null = null;

  constructor(private callbacks: QueueCallbacks) {}

  /** Whether something is being shown or waits to be shown. */
  get isBusy(): boolean {
    return this.#timer !== null || this.#tables.length > 0 || this.fullTrick !== null;
  }

  get #pauses(): Pauses {
    return PAUSES_MS[this.callbacks.speed()] ?? PAUSES_MS[DEFAULT_SPEED];
  }

  push(table: Table) {
    this.#tables.push(table);
    this.#showNext();
  }

  /** Ends the pause after a full trick. */
  skipTrickPause() {
    if (this.#timer === null || !this.fullTrick) return;
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#afterPause?.();
  }

  /** Drops the tables that are not shown yet. The last table stays on the screen. */
  stop() {
    this.#tables = [];
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = this.#afterPause = null;
    this.fullTrick = null;
  }

  /** Drops all tables, including the one on the screen. */
  clear() {
    this.stop();
    this.table = null;
  }

  #pause(milliseconds: number, then: () => void) {
    this.#afterPause = then;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      then();
    }, milliseconds);
  }

  /** Shows the next table, except during a pause. */
  #showNext() {
    if (this.#timer !== null) return;
    const next = this.#tables.shift();
    if (!next) return this.callbacks.redraw();
    const before = this.table;
    this.table = next;
    this.callbacks.replaced(before, next);
    const pauses = this.#pauses;
    const winner = trickWinner(before, next);
    if (winner) {
      this.fullTrick = { cards: next.last_trick, winner, isLeaving: false };
      this.#pause(pauses.trick, () => this.#collectTrick());
    } else if (next.turn !== null && next.turn !== next.you) {
      // The pause comes before a bot's action, even if the table with that action is here already.
      this.#pause(pauses.action, () => this.#showNext());
    } else {
      this.#shown();
    }
    this.callbacks.redraw();
  }

  #collectTrick() {
    this.fullTrick = { ...this.fullTrick!, isLeaving: true };
    this.#pause(this.#pauses.collect, () => {
      this.fullTrick = null;
      this.#shown();
    });
    this.callbacks.redraw();
  }

  #shown() {
    if (!this.#tables.length) this.callbacks.emptied();
    this.#showNext();
  }
}

/** Returns the winner of the trick that was completed between two tables of a deal. */
function trickWinner(before: Table | null, next: Table): Seat | undefined {
  if (before?.deal !== next.deal) return undefined;
  return SEATS.find((seat) => next.tricks[seat] > before.tricks[seat]);
}
