// The review of a finished deal: its questions to the table, and the answers that have arrived.

import type { Command, Decision, Par, Review, Table, Values } from "./messages";
import { countDeal, countReview } from "./tally";

/** Review of the deal on the table: the judged decisions, the values of open hands, and par. */
export class DealReview {
  /** Decisions of the person that are judged so far. */
  decisions: Decision[] = [];
  /** State of the judging of the person's decisions. */
  judging: "none" | "running" | "done" | "failed" = "none";
  /** Name of the bot that judges. */
  judge = "";
  par: Par | "computing" | null = null;
  /** Values of the cards with open hands, by step of the deal. */
  values: Record<number, Record<string, [number, number]>> = {};

  /** The step whose open hands are being solved, and the step that is wanted last. */
  #solving: number | null = null;
  #wanted: number | null = null;
  /** Whether the deal counts in the statistics. */
  #counts = false;

  constructor(private send: (command: Command) => void, private changed: () => void) {}

  /** Whether no answer is awaited. */
  get isIdle(): boolean {
    return this.judging !== "running" && this.par !== "computing" && this.#solving === null;
  }

  /** Counts a deal that is over and asks for the decisions in it, once. */
  begin(table: Table | null) {
    if (!table?.scores || this.judging !== "none") return;
    // A bot stood in for the person in the other deals.
    const isOwn = !table.people || table.people[table.you]?.whole === true;
    if (isOwn) this.#counts = countDeal(table);
    this.judging = table.void || !isOwn ? "done" : "running";
    if (this.judging === "running") this.send({ type: "review", from: 0 });
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
  }

  askPar = () => {
    this.par = "computing";
    this.send({ type: "par" });
    this.changed();
  };

  /** Asks for the values of the open hands after `at` actions. */
  askValues(at: number) {
    // One request at a time: a person who drags the slider wants only the last step.
    this.#wanted = at;
    if (this.#solving !== null || this.values[at]) return;
    this.#solving = at;
    this.send({ type: "values", at });
  }

  /** Takes an answer about the deal of `table`, which is on the screen. */
  take(message: Review | Values | Par, table: Table | null, isDaily: boolean) {
    switch (message.type) {
      case "values":
        this.values[message.at] = message.values;
        this.#solving = null;
        if (this.#wanted !== null && !this.values[this.#wanted]) this.askValues(this.#wanted);
        return;
      case "par":
        this.par = message;
        return;
      case "review":
        // Only a running judging waits for decisions; others belong to a deal that was left.
        if (this.judging !== "running") return;
        this.judge = message.judge;
        if (message.decision) {
          this.decisions.push(message.decision);
          this.send({ type: "review", from: message.from + 1 });
          return;
        }
        this.judging = "done";
        if (this.#counts && table) countReview(table.rules, this.decisions);
        this.#counts = false;
        if (isDaily) this.askPar();
    }
  }

  /** Notes that the table refused a question. */
  refused(question: "review" | "values" | "par") {
    switch (question) {
      case "review":
        if (this.judging === "running") this.judging = "failed";
        return;
      case "values": this.#solving = null; return;
      case "par": this.par = null;
    }
  }
}
