// The match: what it is told over a link, shown at a person's pace; what the person does, locked until all is shown.

import { connect, isAlone, type Link } from "./link";
import type { BySeat, Command, Decision, Hint, Message, Par, Played, Refused, Rules, Seat, Table } from "./messages";
import { after, SEATS } from "./messages";
import { type Match, saved, type Settings, type Shared } from "./saved";

/** Milliseconds between two actions, and for which a full trick lies, by speed. */
const PACE = [[1000, 2200], [550, 1300], [280, 700], [0, 450]];
/** Milliseconds in which the cards of a trick go to the winner. */
const COLLECT = 300;
/** Milliseconds after which what was clicked may be clicked again. */
const REST = 260;
/** Attempts after which the bots of this page play in place of a server's. */
const ATTEMPTS = 3;
/** Attempts after which nothing helps any more. */
const GIVE_UP = 8;

export interface Trick { cards: Played[]; winner: Seat; leaving: boolean }
export interface Opened { rules: string; seed?: number; record?: Match["record"]; daily?: string; bots?: string[] }

/** A secret that nobody guesses. */
const secret = (): string => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

export class Game {
  /** What is shown. */
  table: Table | null = null;
  /** A trick that is full and still lies there. */
  trick: Trick | null = null;
  rules: Rules | null = null;
  hint: Hint | null = null;
  decisions: Decision[] = [];
  /** How far the person's decisions are judged. */
  judging: "none" | "running" | "done" | "failed" = "none";
  judge = "";
  par: Par | "computing" | null = null;
  values: Record<number, Record<string, [number, number]>> = {};
  notice: "" | "lost" | "offline" | "unreadable" | "moved" | "noSeat" | { text: string } = "";
  /** The table of several persons that this window sits at. */
  shared: Shared | null = null;
  /** Whether this person plays at the shared table from the next deal on. */
  isNext = false;
  match: Match | null = null;

  #link: Link | null = null;
  #isOpen = false;
  #queue: Table[] = [];
  #retry: ReturnType<typeof setTimeout> | null = null;
  #hinting = false;
  /** Steps of the open hands: the one that is being solved, and the one wanted next. */
  #solving: number | null = null;
  #wanted: number | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #onTimer: (() => void) | null = null;
  #waiting = false;
  #restUntil = 0;
  #attempts = 0;
  #here = isAlone;
  /** Whether the shared table is to be opened, rather than joined. */
  #isHost = false;
  /** Why the table goes back to what it was: what was asked for cannot be played. */
  #refusal: "" | "unreadable" | "noSeat" | { text: string } = "";
  /** Matches that were refused in a row. */
  #refusals = 0;
  /** Whether the deal on the table counts in the statistics. */
  #counts = false;

  constructor(private settings: () => Settings, private changed: () => void, private sets: string[]) {
    addEventListener("online", () => { if (this.notice === "lost" || (this.shared && this.notice !== "moved")) this.#connect(); });
    // Whoever did nothing for long is there again.
    for (const sign of ["pointerdown", "keydown"]) {
      addEventListener(sign, () => { if (this.table?.people?.[this.table.you]?.bot) this.#send({ type: "here" }); });
    }
    // Another window may have gone on with the match.
    addEventListener("visibilitychange", () => {
      const kept = saved.match();
      // A telephone that slept may have lost its table without being told.
      if (!document.hidden && this.shared && this.notice !== "moved") this.#connect();
      if (!document.hidden && !this.shared && kept && this.#isOpen && JSON.stringify(kept) !== JSON.stringify(this.match)) {
        this.match = kept;
        this.#connect();
      }
    });
  }

  /** Whether nothing may be done: something is being shown, or an answer is awaited. */
  get locked(): boolean {
    const isBots = this.table !== null && this.table.turn !== null && this.table.turn !== this.table.you;
    return this.#waiting || this.#timer !== null || this.#queue.length > 0 || this.trick !== null || !this.#isOpen || isBots;
  }

  get myTurn(): boolean {
    return !this.locked && this.table !== null && this.table.turn === this.table.you;
  }

  /** Whether leaving would lose something. */
  get inProgress(): boolean {
    const { match } = this;
    if (this.shared) return true;
    const isDone = match?.over || (match?.daily && match.scores.length > 0);
    return match !== null && !isDone && match.deals.some((actions) => actions.length > 4);
  }

  /** Goes on with the match that was saved, or starts one. */
  begin(otherwise: Opened) {
    this.shared = saved.shared();
    if (this.shared) return this.#connect();
    this.match = saved.match();
    if (this.match && this.sets.includes(this.match.rules)) this.#connect();
    else this.open(otherwise);
  }

  /** Starts a match. */
  open(opened: Opened) {
    this.#leave();
    this.match = this.#made(opened);
    this.#connect();
  }

  /** Opens a table for several persons, with the bots of the settings at seats that are free. */
  share(name: string) {
    const rules = this.table?.rules ?? this.match!.rules;
    this.#leave();
    this.match = this.#made({ rules });
    this.#isHost = true;
    this.#sitAt({ table: secret(), key: secret(), name });
  }

  /** Sits down at somebody's table; the person's own match is there again afterwards. */
  join(table: string, name: string) {
    this.#leave();
    this.match = null;
    this.#sitAt({ table, key: saved.key(table) ?? secret(), name });
  }

  /** Leaves the shared table, for the match of before. */
  leaveTable(otherwise: Opened) {
    this.#leave();
    this.table = null;
    this.begin(otherwise);
  }

  #sitAt(shared: Shared) {
    this.shared = shared;
    saved.keepShared(shared);
    saved.keepKey(shared);
    this.table = this.rules = null;
    this.#here = false;
    this.#connect();
  }

  /** Takes the seat back that another window has taken. */
  retake() {
    this.notice = "";
    this.#connect();
  }

  #leave() {
    if (this.shared) this.#send({ type: "leave" });
    this.#forgetShared();
  }

  #forgetShared() {
    this.shared = null;
    this.#isHost = this.isNext = false;
    saved.keepShared(null);
  }

  #made({ rules, seed, record, daily, bots = this.settings().bots }: Opened): Match {
    const seat: Seat = "S";
    const named: Partial<BySeat<string>> = {};
    bots.forEach((name, place) => { if (name) named[after(seat, place + 1)] = name; });
    this.#here = isAlone;
    this.table = null;
    // Whole numbers that JavaScript has.
    const chance = Number(crypto.getRandomValues(new BigUint64Array(1))[0] >> 11n);
    return { rules, seat, seed: seed ?? chance, bots: named, record, daily, deals: [], scores: [], over: false };
  }

  /** The same deal from its first call, by these bots if they are given. */
  again(bots?: string[]) {
    if (this.locked || !this.match) return;
    const named: Partial<BySeat<string>> = {};
    bots?.forEach((name, place) => { named[after(this.match!.seat, place + 1)] = name; });
    Object.assign(this.match.bots, named);
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
    if (!this.myTurn || this.#hinting) return;
    this.#hinting = true;
    this.#send({ type: "hint" });
  };
  askPar = () => {
    this.par = "computing";
    this.#send({ type: "par" });
    this.changed();
  };

  askValues(at: number) {
    // One at a time: whoever draws the slider wants the last.
    this.#wanted = at;
    if (this.#solving !== null || this.values[at]) return;
    this.#solving = at;
    this.#send({ type: "values", at });
  }

  /** What is being shown is there at once. */
  hurry = () => {
    // A second click on the card that filled it is none on the trick.
    if (this.#timer === null || !this.trick || performance.now() < this.#restUntil + REST) return;
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#onTimer?.();
  };

  #do(command: Command) {
    if (this.locked) return;
    this.hint = null;
    this.#hinting = false;
    // At a shared table the deal stays until all want the next.
    if (this.judging === "running" && !(this.shared && command.type === "next")) this.judging = "none";
    this.#waiting = true;
    this.#restUntil = performance.now() + REST;
    this.#send(command);
    this.changed();
  }

  #send(command: Command) {
    if (this.#isOpen) this.#link?.send(command);
  }

  #connect() {
    if (this.#retry !== null) clearTimeout(this.#retry);
    this.#retry = null;
    this.#link?.close();
    this.#isOpen = this.#hinting = false;
    this.#queue = [];
    this.#stop();
    // What lay on the table stays to be seen until it is there again.
    this.trick = this.hint = null;
    this.#forget();
    this.#waiting = true;
    this.#link = connect({
      opened: () => this.#opened(),
      message: (message) => this.#take(message),
      lost: (reason) => this.#lost(reason),
    }, this.#here);
    this.changed();
  }

  #opened() {
    this.#isOpen = true;
    if (this.shared) {
      const { rules, seat, bots } = this.#isHost && this.match ? this.match : ({} as Partial<Match>);
      this.#send({ type: this.#isHost ? "share" : "join", ...this.shared, rules, seat, bots });
      return;
    }
    const match = this.match!;
    this.notice = this.#here && !isAlone ? "offline" : "";
    const { rules, seat, seed, bots, record, deals } = match;
    this.#send({ type: "rules", rules });
    this.#send({ type: deals.length ? "restore" : "new", rules, seat, seed, bots, record, ...(deals.length ? { deals } : {}) });
  }

  #lost(reason?: string) {
    if (reason) console.error(reason);
    this.#isOpen = false;
    this.notice = "lost";
    this.changed();
    this.#attempts += 1;
    // Who sits at a table with others waits for it.
    if (this.#attempts >= ATTEMPTS && !this.shared) this.#here = true;
    if (this.#attempts < GIVE_UP || this.shared) this.#retryIn(Math.min(500 * 2 ** (this.#attempts - 1), 8000));
  }

  #retryIn(milliseconds: number) {
    if (this.#retry !== null) clearTimeout(this.#retry);
    this.#retry = setTimeout(() => this.#connect(), milliseconds);
  }

  #take(message: Message) {
    switch (message.type) {
      case "table":
        this.#waiting = false;
        this.#attempts = this.#refusals = 0;
        if (this.shared) this.#seated(message);
        else this.#keep(message);
        this.#queue.push(message);
        this.#show();
        return;
      case "seated":
        this.#waiting = false;
        this.#attempts = this.#refusals = 0;
        this.#isHost = false;
        this.isNext = true;
        this.notice = "";
        // What was seen of an earlier seat is not this person's any more.
        this.#stop();
        this.table = this.trick = null;
        this.#queue = [];
        break;
      case "moved":
        this.#link?.close();
        this.#isOpen = false;
        this.notice = "moved";
        break;
      case "rules": this.rules = message; break;
      case "hint":
        if (this.#hinting) this.hint = message;
        this.#hinting = false;
        break;
      case "values":
        this.values[message.at] = message.values;
        this.#solving = null;
        if (this.#wanted !== null && !this.values[this.#wanted]) this.askValues(this.#wanted);
        break;
      case "par": this.par = message; break;
      case "review":
        // What is still said of a deal that was left.
        if (this.judging !== "running") break;
        this.judge = message.judge;
        if (message.decision) {
          this.decisions.push(message.decision);
          this.#send({ type: "review", from: message.from + 1 });
        } else {
          this.judging = "done";
          this.#tallyReview();
          if (this.match?.daily) this.askPar();
        }
        break;
      case "refused":
        this.#refused(message);
    }
    this.changed();
  }

  #refused({ of, message, lost }: Refused) {
    const match = this.match!;
    if (of === "join") {
      this.#forgetShared();
      this.begin({ rules: this.sets[0] });
      // It has ended, or others sit at all its seats; or the server cannot at this moment.
      this.#refusal = lost ? "noSeat" : { text: message };
      return;
    }
    switch (of) {
      case "review":
        if (this.judging === "running") this.judging = "failed";
        return;
      case "values": this.#solving = null; return;
      case "par": this.par = null; return;
      case "hint": this.#hinting = false; return;
      case "rules": return;
      case "restore":
        this.#refusals += 1;
        // The deal that contradicts the rules goes, those before it stay.
        if (lost && match.deals.length > 1) {
          match.deals.pop();
          match.scores.length = match.deals.length;
          this.#opened();
        } else {
          this.open({ rules: this.sets[0] });
        }
        return;
      case "new":
        this.#refusals += 1;
        // What was asked for cannot be played: back to what was.
        this.match = this.#refusals === 1 ? saved.match() : null;
        if (this.match && this.sets.includes(this.match.rules)) this.#connect();
        else if (this.#refusals < 3) this.open({ rules: this.sets[0] });
        console.error(message);
        this.#refusal = "unreadable";
        return;
      case undefined:
        // A server that is busy says so before it looks at what is asked.
        if (this.#waiting) this.#retryIn(1000);
        return;
      default:
        this.#waiting = false;
        this.notice = { text: message };
    }
  }

  /** What a table of several persons shows: the match of this window is the one that is played there. */
  #seated(table: Table) {
    this.notice = "";
    // Whoever comes back finds the table there.
    this.#isHost = this.isNext = false;
    const { rules, you: seat } = table;
    if (!this.match || this.match.rules !== rules || this.match.seat !== seat) {
      this.match = { rules, seat, seed: 0, bots: {}, deals: [], scores: [], over: false };
    }
    if (this.rules?.rules !== rules) this.#send({ type: "rules", rules });
    this.#follow(table);
  }

  /** Remembers the match as far as it was played. */
  #keep(table: Table) {
    this.#follow(table);
    saved.keepMatch(this.match!);
  }

  #follow(table: Table) {
    const match = this.match!;
    match.deals.length = match.scores.length = table.deal;
    match.deals[table.deal] = table.record?.actions ?? table.history.map(({ action }) => action);
    if (table.scores) match.scores[table.deal] = table.scores;
    match.over = table.over;
  }

  #forget() {
    this.decisions = [];
    this.judging = "none";
    this.par = null;
    this.values = {};
    this.#solving = this.#wanted = null;
  }

  #stop() {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = this.#onTimer = null;
  }

  #later(milliseconds: number, then: () => void) {
    this.#onTimer = then;
    this.#timer = setTimeout(() => { this.#timer = null; then(); }, milliseconds);
  }

  /** Shows what happened, one thing after the other. */
  #show() {
    if (this.#timer !== null) return;
    const next = this.#queue.shift();
    if (!next) return this.changed();
    const before = this.table;
    this.table = next;
    if (typeof this.notice === "object" || this.notice === "unreadable" || this.notice === "noSeat") this.notice = "";
    if (this.#refusal) this.notice = this.#refusal;
    this.#refusal = "";
    const [pace, lies] = PACE[this.settings().speed] ?? PACE[1];
    const winner = before && before.deal === next.deal ? SEATS.find((seat) => next.tricks[seat] > before.tricks[seat]) : undefined;
    if (!before || before.deal !== next.deal || (before.scores && !next.scores)) this.#forget();
    if (winner) {
      this.trick = { cards: next.last_trick, winner, leaving: false };
      this.#later(lies, () => {
        this.trick = { ...this.trick!, leaving: true };
        this.#later(COLLECT, () => { this.trick = null; this.#shown(); });
        this.changed();
      });
    } else if (next.turn !== null && next.turn !== next.you) {
      // A bot is next, whether it has decided or not.
      this.#later(pace, () => this.#show());
    } else {
      this.#shown();
    }
    this.changed();
  }

  #shown() {
    const { table } = this;
    if (!this.#queue.length && table?.scores && this.judging === "none") {
      // A deal in which a bot stood in is not this person's.
      const isOwn = !table.people || table.people[table.you]?.whole === true;
      if (isOwn) this.#tally(table);
      this.judging = table.void || !isOwn ? "done" : "running";
      if (this.judging === "running") this.#send({ type: "review", from: 0 });
    }
    this.#show();
  }

  /** Counts a finished deal; one that is shown again, or played again, counts once. */
  #tally(table: Table) {
    const key = `${table.rules}/${table.dealer}/${table.record?.deal}`;
    const counted = saved.counted();
    this.#counts = !counted.includes(key);
    if (!this.#counts) return;
    saved.keepCounted([...counted, key]);
    const tallies = saved.tallies();
    const tally = tallies[table.rules] ?? { deals: 0, points: 0, declared: 0, made: 0, reviewed: 0, lost: 0 };
    const points = table.scores![table.you];
    tally.deals += 1;
    tally.points += points;
    if (table.contract?.declarers.includes(table.you)) {
      tally.declared += 1;
      tally.made += points > 0 ? 1 : 0;
    }
    saved.keepTallies({ ...tallies, [table.rules]: tally });
  }

  #tallyReview() {
    const tallies = saved.tallies();
    const tally = this.table && tallies[this.table.rules];
    if (!tally || !this.#counts) return;
    this.#counts = false;
    tally.reviewed += 1;
    tally.lost += this.decisions.reduce((sum, { points }) => sum + points, 0);
    saved.keepTallies(tallies);
  }
}
