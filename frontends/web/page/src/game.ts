// The game as the page shows it, and the actions of the person. Input is locked until everything
// that was received is shown.

import { playsHere } from "./link";
import type { BySeat, Command, Hint, Table } from "./messages";
import { after } from "./messages";
import { ShowQueue, type Trick } from "./queue";
import { DealReview } from "./review";
import type { Settings } from "./saved";
import { Session } from "./session";

/** Milliseconds after a click in which further clicks on a card or a trick do not count. */
const REST = 260;

/** Game of this window. Components read it, and are drawn again whenever it calls `changed`. */
export class Game {
  hint: Hint | null = null;

  readonly session: Session = new Session(() => this.settings(), {
    usualRules: () => this.usualRules,
    isQuiet: () => !this.locked && !this.hint && !this.#isHinting && this.review.isIdle,
    disconnected: () => {
      this.#dropHint();
      this.#queue.stop();
      this.review.clear();
    },
    clearTable: () => this.#queue.clear(),
    show: (table) => this.#queue.push(table),
    answered: (message) => {
      if (message.type !== "hint") {
        this.review.take(message, this.table, Boolean(this.session.match?.daily));
        return;
      }
      if (this.#isHinting) this.hint = message;
      this.#isHinting = false;
    },
    refused: (question) => {
      if (question === "hint") this.#isHinting = false;
      else this.review.refused(question);
    },
    changed: () => this.changed(),
  });
  readonly review = new DealReview((command) => this.session.line.send(command), () => this.changed());

  #queue = new ShowQueue({
    speed: () => this.settings().speed,
    replaced: (before, next) => {
      this.session.reportRefusal();
      const isSameDeal = before !== null && before.deal === next.deal;
      if (!isSameDeal || (before.scores && !next.scores)) this.review.clear();
    },
    emptied: () => this.review.begin(this.table),
    changed: () => this.changed(),
  });
  /** Whether a hint was asked for that is still wanted. */
  #isHinting = false;
  /** Time of `performance.now` until which no card may be clicked. */
  #restUntil = 0;

  constructor(private settings: () => Settings, private changed: () => void, private sets: string[]) {
    // Any input shows that an absent person is back, so that the bot at their seat can stop.
    for (const sign of ["pointerdown", "keydown"]) {
      addEventListener(sign, () => {
        if (this.table?.people?.[this.table.you]?.bot) this.session.line.send({ type: "here" });
      });
    }
  }

  /** The table on the screen. */
  get table(): Table | null {
    return this.#queue.table;
  }

  /** The full trick that is still on the table. */
  get trick(): Trick | null {
    return this.#queue.trick;
  }

  /** Whether nothing may be done: something is being shown, or an answer is awaited. */
  get locked(): boolean {
    const isBots = this.table !== null && this.table.turn !== null && this.table.turn !== this.table.you;
    return isBots || this.#queue.isBusy || this.session.line.isBlocked || !this.session.line.isOpen;
  }

  get myTurn(): boolean {
    return !this.locked && this.table !== null && this.table.turn === this.table.you;
  }

  /** Rules of a new match if the player names none: those on the table, if they can be played. */
  get usualRules(): string {
    const { match, notice } = this.session;
    const chosen = this.settings().rules;
    const current = (this.table ?? match)?.rules ?? chosen;
    const canPlay = (rules: string) => this.sets.includes(rules)
      && !(rules === current && notice === "absent") && (notice !== "away" || playsHere(rules));
    return [current, chosen, ...this.sets].find(canPlay) ?? current;
  }

  /** Plays the same deal from its first call, with these bots by place if they are given. */
  again(bots?: string[]) {
    const { match } = this.session;
    if (this.locked || !match) return;
    const named: Partial<BySeat<string>> = {};
    bots?.forEach((name, place) => { named[after(match.seat, place + 1)] = name; });
    Object.assign(match.bots, named);
    this.#do({ type: "again", bots: named });
  }

  act(code: string) {
    if (this.myTurn && performance.now() >= this.#restUntil) this.#do({ type: "act", action: code });
  }

  next = () => this.#do({ type: "next" });
  undo = () => this.#do({ type: "undo" });
  claim = () => this.#do({ type: "claim" });
  back = (to: number) => this.#do({ type: "back", to });
  askHint = () => {
    if (!this.myTurn || this.#isHinting) return;
    this.#isHinting = true;
    this.session.line.send({ type: "hint" });
  };

  /** Ends the pause after a full trick. */
  hurry = () => {
    // A second click on the card that completed the trick is not a click on the trick.
    if (performance.now() >= this.#restUntil + REST) this.#queue.hurry();
  };

  #do(command: Command) {
    if (this.locked) return;
    this.#dropHint();
    // At a shared table the deal stays until all want the next.
    if (!(this.session.shared && command.type === "next")) this.review.interrupt();
    this.#restUntil = performance.now() + REST;
    this.session.line.do(command);
    this.changed();
  }

  #dropHint() {
    this.hint = null;
    this.#isHinting = false;
  }
}
