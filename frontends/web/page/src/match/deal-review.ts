// The review of a finished deal: the questions to the table, and the answers so far.

import type { Command, Decision, Par, Review, Table, Values } from "../messages/messages";
import { finishedDeal, keepDeal, keepReview } from "./kept-deals";
import type { Match } from "./match";
import { countDeal, countReview } from "./tally";

/** Review of the deal on the table: the judged decisions, the values of open hands, and par. */
export class DealReview {
  /** The person's decisions that are judged so far. */
  decisions: Decision[] = [];
  /** State of judging the person's decisions. */
  judging: "none" | "running" | "done" | "failed" = "none";
  /** Name of the bot that judges. */
  judge = "";
  par: Par | "computing" | null = null;
  /** Values of the cards with open hands, by number of actions before the card. */
  values: Record<number, Values["values"]> = {};

  /** Number of actions before the position that is being solved. */
  #solving: number | null = null;
  /** Number of actions before the position that was asked for last. */
  #wanted: number | null = null;
  /** Positions that are solved after the wanted one. */
  #queue: readonly number[] = [];
  /** Whether the deal counts in the statistics. */
  #isCounted = false;

  constructor(
    private send: (command: Command) => void,
    private redraw: () => void,
    /** Notes that all decisions of the deal are judged. */
    private judged: () => void,
  ) {}

  /** Whether no answer is awaited. */
  get isIdle(): boolean {
    return this.judging !== "running" && this.par !== "computing" && this.#solving === null;
  }

  /**
   * Asks for the decisions of a deal that is over, once. Counts and keeps the deal, unless it is a
   * kept one.
   */
  startJudging(table: Table | null, match: Match) {
    if (!table?.scores || this.judging !== "none") return;
    const hasPlayedAll = !table.people || table.people[table.you]?.whole === true;
    if (hasPlayedAll && match.side?.kind !== "kept") {
      this.#isCounted = countDeal(table);
      if (this.#isCounted) void keepDeal(finishedDeal(table, match, new Date()));
    }
    this.judging = table.void || !hasPlayedAll ? "done" : "running";
    if (this.judging === "running") this.send({ type: "review", from: 0 });
    else this.judged();
  }

  /** Stops the judging. Answers that are still on their way are dropped. */
  interrupt() {
    if (this.judging === "running") this.judging = "none";
  }

  /** Forgets the review: the table shows another deal, or the same deal from an earlier action. */
  clear() {
    this.decisions = [];
    this.judging = "none";
    this.par = null;
    this.values = {};
    this.#solving = this.#wanted = null;
    this.#queue = [];
  }

  requestPar = () => {
    this.par = "computing";
    this.send({ type: "par" });
    this.redraw();
  };

  /** Asks for the values of the open hands after `at` actions. */
  requestValues(at: number) {
    this.#wanted = at;
    this.#solveNext();
  }

  /** Asks for the values at several positions, after the one that is wanted at the moment. */
  queueValues(positions: readonly number[]) {
    this.#queue = positions;
    this.#solveNext();
  }

  #solveNext() {
    // One request at a time: a person who drags the slider wants only the last position.
    if (this.#solving !== null) return;
    const wanted = this.#wanted === null ? [] : [this.#wanted];
    const at = [...wanted, ...this.#queue].find((position) => !this.values[position]);
    if (at === undefined) return;
    this.#solving = at;
    this.send({ type: "values", at });
  }

  /** Takes an answer about the deal of `table`, which is on the screen. */
  answered(message: Review | Values | Par, table: Table | null) {
    switch (message.type) {
      case "values":
        this.values[message.at] = message.values;
        this.#solving = null;
        this.#solveNext();
        return;
      case "par":
        this.par = message;
        return;
      case "review":
        // Without a running judging, the answer belongs to a deal that was left.
        if (this.judging !== "running") return;
        this.judge = message.judge;
        if (message.decision) {
          this.decisions.push(message.decision);
          this.send({ type: "review", from: message.from + 1 });
          return;
        }
        this.judging = "done";
        if (this.#isCounted && table) countReview(table.rules, this.decisions);
        if (table?.record) void keepReview(table.record, this.decisions);
        this.#isCounted = false;
        this.judged();
    }
  }

  /** Notes that the table refused a question. */
  refused(question: "review" | "values" | "par") {
    switch (question) {
      case "review":
        if (this.judging === "running") this.judging = "failed";
        return;
      case "values":
        this.#solving = null;
        this.#queue = [];
        return;
      case "par":
        this.par = null;
    }
  }
}
