// The match: what it is told over a link, shown at a person's pace; what the person does, locked until all is shown.

import { Line } from "./line";
import { isAlone, playsHere } from "./link";
import type { BySeat, Command, Decision, Hint, Message, Par, Played, Refused, Rules, Seat, Table } from "./messages";
import { after, SEATS } from "./messages";
import { type Match, saved, type Settings, type Shared, StoredMatch } from "./saved";
import { countDeal, countReview } from "./tally";

/** Milliseconds between two actions, and for which a full trick lies, by speed. */
const PACE = [[1000, 2200], [550, 1300], [280, 700], [0, 450]];
/** Milliseconds in which the cards of a trick go to the winner. */
const COLLECT = 300;
/** Milliseconds after which what was clicked may be clicked again. */
const REST = 260;

export interface Trick { cards: Played[]; winner: Seat; leaving: boolean }
/**
 * Why a stored match is kept but not shown: its rules need a server that is away, nobody here has them,
 * another version of the page wrote it, or a deal contradicts the rules.
 */
export type Kept = "away" | "absent" | "unknown" | "misfit";
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
  notice: "" | "lost" | "offline" | "unreadable" | "moved" | "noSeat" | Kept | { text: string } = "";
  /** The table of several persons that this window sits at. */
  shared: Shared | null = null;
  /** Whether this person plays at the shared table from the next deal on. */
  isNext = false;
  match: Match | null = null;

  #stored = new StoredMatch();
  #line = new Line({
    reconnect: () => this.#connect(),
    opened: (isMoving) => this.#opened(isMoving),
    message: (message) => this.#take(message),
    lost: () => this.#lost(),
    // Who sits at a table with others waits for it, and rules that only the server has wait for the server.
    canPlayHere: () => !this.shared && this.match !== null && playsHere(this.match.rules),
    isQuiet: () => !this.locked && !this.hint && !this.#hinting && this.judging !== "running" && this.par !== "computing" && this.#solving === null,
  });
  /** Whether the match was asked for over a new line, and is not there yet. */
  #isEntering = false;
  /** Whether it is asked for while the table stays in use: commands wait until it is there. */
  #isMoving = false;
  /** The command that is not answered yet. It is sent again after a lost connection. */
  #pending: Command | null = null;
  /** Whether the table does not have the rules of the match. */
  #isAbsent = false;
  /** Whether deals that contradict the rules are dropped. */
  #isDropping = false;
  #queue: Table[] = [];
  #hinting = false;
  /** Steps of the open hands: the one that is being solved, and the one wanted next. */
  #solving: number | null = null;
  #wanted: number | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #onTimer: (() => void) | null = null;
  #waiting = false;
  #restUntil = 0;
  /** Whether the shared table is to be opened, rather than joined. */
  #isHost = false;
  /** Why the table goes back to what it was: what was asked for cannot be played. */
  #refusal: "" | "unreadable" | "noSeat" | { text: string } = "";
  /** Matches that were refused in a row. */
  #refusals = 0;
  /** Whether the deal on the table counts in the statistics. */
  #counts = false;

  constructor(private settings: () => Settings, private changed: () => void, private sets: string[]) {
    addEventListener("online", () => {
      if (this.notice === "moved" || this.notice === "unknown" || this.notice === "misfit") return;
      // What waits for an answer may wait for ever: a network that changes tells nobody.
      if (this.shared || (this.#waiting && this.#line.isOpen)) this.#connect();
      else this.#line.hurry();
    });
    // Whoever did nothing for long is there again.
    for (const sign of ["pointerdown", "keydown"]) {
      addEventListener(sign, () => { if (this.table?.people?.[this.table.you]?.bot) this.#send({ type: "here" }); });
    }
    // Another window may have gone on with the match.
    addEventListener("storage", () => { if (!this.shared && this.#stored.isForeign) this.#yield(); });
    addEventListener("visibilitychange", () => {
      if (document.hidden) return;
      // A telephone that slept may have lost its table without being told.
      if (this.shared && this.notice !== "moved") this.#connect();
      else if (!this.shared && (this.#stored.isForeign || this.notice === "moved")) this.#adopt();
    });
  }

  /** Whether nothing may be done: something is being shown, or an answer is awaited. */
  get locked(): boolean {
    const isBots = this.table !== null && this.table.turn !== null && this.table.turn !== this.table.you;
    const isAwaited = this.#waiting && !this.#isMoving;
    return isAwaited || this.#timer !== null || this.#queue.length > 0 || this.trick !== null || !this.#line.isOpen || isBots;
  }

  /** Whether there is a table, of a server or in this page. */
  get isConnected(): boolean {
    return this.#line.isOpen;
  }

  get myTurn(): boolean {
    return !this.locked && this.table !== null && this.table.turn === this.table.you;
  }

  /** Whether leaving would lose something. */
  get inProgress(): boolean {
    const { match } = this;
    if (this.shared || this.notice === "unknown" || this.notice === "moved") return true;
    const isDone = match?.over || (match?.daily && match.scores.length > 0);
    return match !== null && !isDone && match.deals.some((actions) => actions.length > 4);
  }

  /** Rules of a new match for which the player names none: those on the table, where they can be played. */
  get usualRules(): string {
    const chosen = this.settings().rules;
    const current = (this.table ?? this.match)?.rules ?? chosen;
    const canPlay = (rules: string) => this.sets.includes(rules)
      && !(rules === current && this.notice === "absent") && (this.notice !== "away" || playsHere(rules));
    return [current, chosen, ...this.sets].find(canPlay) ?? current;
  }

  /** Goes on with the match that was stored, or starts one; true if it started one. */
  begin(otherwise: Opened): boolean {
    this.shared = saved.shared();
    if (!this.shared) return this.#resume(otherwise);
    this.#connect();
    return false;
  }

  /** Starts a match in place of the stored one, which the player has given up. */
  open(opened: Opened) {
    this.#leave();
    this.#stored.giveUp();
    this.match = this.#made(opened);
    this.#connect();
  }

  #resume(otherwise: Opened): boolean {
    const stored = this.#stored.read();
    if (stored === null) {
      this.open(otherwise);
      return true;
    }
    this.#pending = null;
    this.table = this.rules = null;
    this.match = stored === "unknown" ? null : stored;
    if (this.match) this.#connect();
    else this.#halt("unknown");
    return false;
  }

  /** Goes on with the match as another window left it. */
  #adopt() {
    this.#resume({ rules: this.usualRules });
  }

  /** Leaves the match to the window that goes on with it. */
  #yield() {
    this.#disconnect();
    this.notice = "moved";
    this.changed();
  }

  /** Keeps the stored match as it is, until the player gives it up or it can be played here. */
  #halt(why: Kept) {
    this.#disconnect();
    this.notice = why;
    if (why === "absent" && !isAlone) this.#line.retry();
    this.changed();
  }

  /** Goes on with the deals before the first that contradicts the rules. */
  dropDeals() {
    this.#isDropping = true;
    this.#connect();
  }

  /** Opens a table for several persons, with the bots of the settings at seats that are free. */
  share(name: string) {
    const rules = this.usualRules;
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
    this.#connect();
  }

  /** Takes the seat back that another window has taken. */
  retake() {
    this.notice = "";
    if (this.shared) this.#connect();
    else this.#adopt();
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
    this.table = this.#pending = null;
    this.#isDropping = false;
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
    this.#isMoving = false;
    this.#restUntil = performance.now() + REST;
    this.#pending = command;
    if (!this.#isEntering) this.#send(command);
    this.changed();
  }

  #send(command: Command) {
    this.#line.send(command);
  }

  #disconnect() {
    this.#line.close();
    this.#isEntering = this.#isMoving = this.#hinting = false;
    this.#queue = [];
    this.#stop();
    // What lay on the table stays to be seen until it is there again.
    this.trick = this.hint = null;
    this.#forget();
    this.#waiting = true;
  }

  #connect() {
    if (!this.shared && this.#stored.isForeign) return this.#yield();
    if (!this.shared && isAlone && !playsHere(this.match!.rules)) return this.#halt("absent");
    this.#disconnect();
    this.#line.open();
    this.changed();
  }

  #opened(isMoving = false) {
    this.#isEntering = this.#waiting = true;
    this.#isMoving = isMoving;
    this.#isAbsent = false;
    if (this.shared) {
      if (this.#isHost && this.match) {
        const { rules, seat, bots } = this.match;
        this.#send({ type: "share", ...this.shared, rules, seat, bots });
      } else this.#send({ type: "join", ...this.shared });
      return;
    }
    const match = this.match!;
    const { rules, seat, seed, bots, record, deals } = match;
    this.#send({ type: "rules", rules });
    const opening = { rules, seat, seed, bots, record };
    this.#send(deals.length ? { type: "restore", ...opening, deals } : { type: "new", ...opening });
  }

  #lost() {
    this.#isEntering = this.#isMoving = false;
    const canPlayHere = this.shared || playsHere(this.match!.rules);
    this.notice = this.#line.isAway && !canPlayHere ? "away" : "lost";
    this.changed();
  }

  #take(message: Message) {
    switch (message.type) {
      case "table":
        this.#line.answers();
        this.#refusals = 0;
        if (!this.shared && this.#stored.isForeign) return this.#yield();
        if (this.#isEntering) this.#entered();
        else this.#pending = null;
        this.#waiting = this.#pending !== null;
        if (this.shared) this.#seated(message);
        else this.#keep(message);
        this.#queue.push(message);
        this.#show();
        return;
      case "seated":
        this.#waiting = false;
        this.#line.answers();
        this.#refusals = 0;
        this.#isHost = false;
        this.isNext = true;
        this.notice = "";
        // What was seen of an earlier seat is not this person's any more.
        this.#stop();
        this.table = this.trick = null;
        this.#queue = [];
        break;
      case "moved":
        this.#line.close();
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
          if (this.#counts && this.table) countReview(this.table.rules, this.decisions);
          this.#counts = false;
          if (this.match?.daily) this.askPar();
        }
        break;
      case "refused":
        this.#refused(message);
    }
    this.changed();
  }

  /** The match has arrived over a new line. */
  #entered() {
    this.#isEntering = this.#isMoving = this.#isDropping = false;
    if (this.shared) {
      // The table may have taken it before the connection was lost.
      this.#pending = null;
      return;
    }
    this.notice = this.#line.isStandIn ? "offline" : "";
    if (this.#pending) this.#send(this.#pending);
  }

  #refused({ of, message, lost, busy }: Refused) {
    if (busy) {
      if (this.#waiting) this.#line.retry(1000);
      return;
    }
    if (of === "join") {
      this.#forgetShared();
      this.begin({ rules: this.usualRules });
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
      case "rules": this.#isAbsent = true; return;
      case "restore": {
        const { deals, scores } = this.match!;
        if (lost && this.#isDropping) {
          deals.pop();
          scores.length = Math.min(scores.length, deals.length);
          return this.#opened();
        }
        console.error(message);
        return this.#halt(this.#isAbsent ? "absent" : lost ? "misfit" : "unknown");
      }
      case "new":
        this.#refusals += 1;
        console.error(message);
        if (this.#isAbsent) this.notice = "absent";
        else this.#refusal = "unreadable";
        // What was asked for cannot be played: back to what was.
        if (this.#refusals < 3) this.#resume({ rules: this.usualRules });
        return;
      default:
        this.#waiting = false;
        this.#pending = null;
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
    this.#stored.write(this.match!);
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
      if (isOwn) this.#counts = countDeal(table);
      this.judging = table.void || !isOwn ? "done" : "running";
      if (this.judging === "running") this.#send({ type: "review", from: 0 });
    }
    this.#show();
  }
}
