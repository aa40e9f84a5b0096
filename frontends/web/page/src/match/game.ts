// The game as the page shows it, and the actions of the person. Input is locked until everything
// that was received is shown.

import type { Command, Hint, Table } from "../messages/messages";
import { isPlayableOffline } from "../net/packed";
import { DealReview } from "./deal-review";
import { botsBySeat } from "./match";
import { Session } from "./session";
import type { Settings } from "./storage";
import { type FullTrick, TableQueue } from "./table-queue";

/** Time after an action in which clicks on a card do not count; twice as long for a full trick. */
const CLICK_PAUSE_MS = 260;

/** Game of this window. Components read it, and are drawn again when it calls `redraw`. */
export class Game {
  hint: Hint | null = null;

  readonly session: Session = new Session(() => this.settings(), {
    usualRules: () => this.usualRules,
    isQuiet: () => !this.isLocked && !this.hint && !this.#awaitsHint && this.review.isIdle,
    disconnected: () => {
      this.#dropHint();
      this.#queue.stop();
      this.review.clear();
    },
    clearTable: () => this.#queue.clear(),
    show: (table) => this.#queue.push(table),
    answered: (message) => {
      if (message.type !== "hint") {
        this.review.answered(message, this.table, Boolean(this.session.match?.daily));
        return;
      }
      if (this.#awaitsHint) this.hint = message;
      this.#awaitsHint = false;
    },
    refused: (question) => {
      if (question === "hint") this.#awaitsHint = false;
      else this.review.refused(question);
    },
    redraw: () => this.redraw(),
  });
  readonly review = new DealReview(
    (command) => this.session.connection.send(command),
    () => this.redraw(),
  );

  #queue = new TableQueue({
    speed: () => this.settings().speed,
    replaced: (before, next) => {
      this.session.reportRefusal();
      const isSameDeal = before !== null && before.deal === next.deal;
      if (!isSameDeal || (before.scores && !next.scores)) this.review.clear();
    },
    emptied: () => {
      // A lesson has its coach. It does not count in the statistics.
      const { lesson, match } = this.session;
      if (!lesson && match) this.review.startJudging(this.table, match);
    },
    redraw: () => this.redraw(),
  });
  /** Whether a hint was asked for that is still wanted. */
  #awaitsHint = false;
  /** Time of `performance.now` until which clicks on a card do not count. */
  #clicksFrom = 0;

  constructor(
    private settings: () => Settings,
    private redraw: () => void,
    /** Rule sets that can be chosen. */
    private playableRules: readonly string[],
  ) {
    // Marks the person as active after input, so that the bot at their seat stops.
    for (const input of ["pointerdown", "keydown"]) {
      addEventListener(input, () => {
        if (this.table?.people?.[this.table.you]?.bot)
          this.session.connection.send({ type: "here" });
      });
    }
  }

  /** The table on the screen. */
  get table(): Table | null {
    return this.#queue.table;
  }

  /** The full trick that is still on the table. */
  get fullTrick(): FullTrick | null {
    return this.#queue.fullTrick;
  }

  /** Whether the person may not act: something is being shown, or an answer is awaited. */
  get isLocked(): boolean {
    const { connection } = this.session;
    const turn = this.table?.turn ?? null;
    const isOthersTurn = turn !== null && turn !== this.table?.you;
    return isOthersTurn || this.#queue.isBusy || connection.isBlocked || !connection.isOpen;
  }

  get isPersonsTurn(): boolean {
    return !this.isLocked && this.table !== null && this.table.turn === this.table.you;
  }

  /** Rules of a new match for which none are named: those on the table, if they can be played. */
  get usualRules(): string {
    const { match, notice } = this.session;
    const chosen = this.settings().rules;
    const current = (this.table ?? match)?.rules ?? chosen;
    const canPlay = (rules: string) =>
      this.playableRules.includes(rules) &&
      !(rules === current && notice === "absent") &&
      (notice !== "away" || isPlayableOffline(rules));
    return [current, chosen, ...this.playableRules].find(canPlay) ?? current;
  }

  /** Plays the same deal from its first call. Bots that are named, by place, take their seats. */
  replayDeal(botNames: string[] = []) {
    const { match } = this.session;
    if (this.isLocked || !match) return;
    const bots = botsBySeat(match.seat, botNames);
    Object.assign(match.bots, bots);
    this.#sendCommand({ type: "again", bots });
  }

  act(code: string) {
    if (this.isPersonsTurn && performance.now() >= this.#clicksFrom) {
      this.#sendCommand({ type: "act", action: code });
    }
  }

  nextDeal = () => this.#sendCommand({ type: "next" });
  undo = () => this.#sendCommand({ type: "undo" });
  claim = () => this.#sendCommand({ type: "claim" });
  /** Goes back to the person's decision that was action number `to` of the deal, from 0. */
  goBack = (to: number) => this.#sendCommand({ type: "back", to });
  requestHint = () => {
    if (!this.isPersonsTurn || this.#awaitsHint) return;
    this.#awaitsHint = true;
    this.session.connection.send({ type: "hint" });
  };

  /** Ends the pause after a full trick. */
  skipTrickPause = () => {
    // A second click on the card that completed the trick is not a click on the trick.
    if (performance.now() >= this.#clicksFrom + CLICK_PAUSE_MS) this.#queue.skipTrickPause();
  };

  #sendCommand(command: Command) {
    if (this.isLocked) return;
    this.#dropHint();
    // At a shared table the deal stays until all persons want the next one.
    if (!(this.session.sharedSeat && command.type === "next")) this.review.interrupt();
    this.#clicksFrom = performance.now() + CLICK_PAUSE_MS;
    this.session.connection.sendReliably(command);
    this.redraw();
  }

  #dropHint() {
    this.hint = null;
    this.#awaitsHint = false;
  }
}
