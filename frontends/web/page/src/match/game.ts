// The game as the page shows it, and the actions of the person. Input is locked until everything
// that was received is shown.

import { cheapestStake } from "../messages/contracts";
import type { Command, Hint, Phrase, Table } from "../messages/messages";
import { isPlayableOffline } from "../net/packed";
import { isOpenDaily } from "./daily";
import { DailyResult } from "./daily-result";
import { DealReview } from "./deal-review";
import { botsBySeat } from "./match";
import { Phrases } from "./phrases";
import { isRightAnswer } from "./puzzle-answer";
import { noteAnswer, puzzleOf } from "./puzzle-progress";
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
      this.dailyResult.stop();
    },
    clearTable: () => {
      this.#queue.clear();
      this.phrases.clear();
    },
    show: (table) => this.#queue.push(table),
    answered: (message) => {
      if (message.type !== "hint") return this.review.answered(message, this.table);
      if (this.#awaitsHint) this.hint = message;
      this.#awaitsHint = false;
    },
    said: (message) => this.phrases.said(message),
    refused: (question) => {
      if (question === "hint") this.#awaitsHint = false;
      else this.review.refused(question);
    },
    redraw: () => this.redraw(),
  });
  /** Phrases that persons at a shared table have just said. */
  readonly phrases = new Phrases(() => this.redraw());
  readonly review = new DealReview(
    (command) => this.session.connection.send(command),
    () => this.redraw(),
    () => this.#completeDaily(),
  );
  readonly dailyResult = new DailyResult(() => this.redraw());

  #queue = new TableQueue({
    speed: () => this.settings().speed,
    replaced: (before, next) => {
      this.session.reportRefusal(next.mine.length > (before?.mine.length ?? 0));
      const isSameDeal = before !== null && before.deal === next.deal;
      if (!isSameDeal || (before.scores && !next.scores)) this.review.clear();
    },
    emptied: () => {
      const { match } = this.session;
      if (this.hasReview && match) this.review.startJudging(this.table, match);
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
    // Somebody who watches has a seat at which a bot plays.
    const isOthersTurn = turn !== null && (turn !== this.table?.you || this.table?.watching);
    return isOthersTurn || this.#queue.isBusy || connection.isBlocked || !connection.isOpen;
  }

  get isPersonsTurn(): boolean {
    if (this.isLocked || this.session.side?.answer) return false;
    return this.table !== null && this.table.turn === this.table.you;
  }

  /** Whether deals are reviewed and counted. Lessons and puzzles explain themselves. */
  get hasReview(): boolean {
    const { side } = this.session;
    return side === null || side.kind === "daily" || side.kind === "kept";
  }

  /** Whether hints are given and decisions taken back. */
  get hasHelp(): boolean {
    const { match, side } = this.session;
    return side?.kind !== "puzzle" && !(match && isOpenDaily(match));
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
    if (!this.isPersonsTurn || performance.now() < this.#clicksFrom) return;
    if (this.session.side?.kind === "puzzle") this.#answerPuzzle(code);
    else this.#sendCommand({ type: "act", action: code });
  }

  nextDeal = () => this.#sendCommand({ type: "next" });
  undo = () => this.#sendCommand({ type: "undo" });
  claim = () => this.#sendCommand({ type: "claim" });
  /** Goes back to the person's decision that was action number `to` of the deal, from 0. */
  goBack = (to: number) => this.#sendCommand({ type: "back", to });
  /** Says a phrase to the others at a shared table. */
  say = (phrase: Phrase) => this.session.connection.send({ type: "say", phrase });
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

  #answerPuzzle(code: string) {
    const puzzle = puzzleOf(this.session.match!);
    if (puzzle) noteAnswer(puzzle, isRightAnswer(puzzle, this.table!, code));
    this.session.answerPuzzle(code);
  }

  /** Completes the result of a daily deal whose decisions are judged. */
  #completeDaily() {
    const { match, rules, connection } = this.session;
    if (match?.side?.kind !== "daily" || !this.table) return;
    this.review.requestPar();
    const stake = cheapestStake(rules);
    this.dailyResult.complete(match, this.table, this.review.decisions, stake, connection.isLocal);
  }

  #dropHint() {
    this.hint = null;
    this.#awaitsHint = false;
  }
}
