// The session of this window: which match it plays, and how that match reaches a table, also after
// a lost connection, a refusal, or a change by another window.

import { Line } from "./line";
import { isAlone, playsHere } from "./link";
import { follow, isUnderway, newMatch, type Opened } from "./match";
import type { Hint, Message, Par, Refused, Review, Rules, Table, Values } from "./messages";
import { type Match, saved, type Settings, type Shared, StoredMatch } from "./saved";

/**
 * Reason why a stored match is kept but not shown: its rules need a server that is away, no table
 * here has its rules, another version of the page wrote it, or a deal contradicts the rules.
 */
export type Kept = "away" | "absent" | "unknown" | "misfit";

/** The game that a session belongs to. */
interface Ends {
  /** Returns the rules of a new match for which the player names none. */
  usualRules(): string;
  /** Whether nothing is shown, asked or on its way, so that another table can take over. */
  isQuiet(): boolean;
  /** Drops everything that waited for the table: the line to it is closed. */
  disconnected(): void;
  /** Removes the table from the screen: it belongs to a match or a seat that was left. */
  clearTable(): void;
  show(table: Table): void;
  /** Takes the answer to a question about the deal. */
  answered(message: Hint | Review | Values | Par): void;
  /** Notes that a question about the deal was refused. */
  refused(question: "hint" | "review" | "values" | "par"): void;
  /** Draws the screen again. */
  changed(): void;
}

/** Returns a secret of 128 random bits. */
const secret = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** Session of this window. Its match is the person's own, which is stored, or a shared table's. */
export class Session {
  match: Match | null = null;
  /** The shared table that this window sits at. */
  shared: Shared | null = null;
  /** Whether this person plays at the shared table from the next deal on. */
  isNext = false;
  /** Rules of the match, as the table explains them. */
  rules: Rules | null = null;
  /** Reason why the match does not go on as usual. */
  notice: "" | "lost" | "offline" | "unreadable" | "moved" | "noSeat" | Kept | { text: string } = "";

  /** The line to the table. */
  readonly line: Line = new Line({
    reconnect: () => this.#connect(),
    opened: () => this.#enter(),
    message: (message) => this.#take(message),
    lost: () => this.#lost(),
    // A shared table exists only on its server, and so do rules that this page has no bot for.
    canPlayHere: () => !this.shared && this.match !== null && playsHere(this.match.rules),
    isQuiet: () => this.ends.isQuiet(),
  });
  #stored = new StoredMatch();
  /** Whether the table does not have the rules of the match. */
  #isAbsent = false;
  /** Whether deals that contradict the rules are dropped. */
  #isDropping = false;
  /** Whether the shared table is to be opened, rather than joined. */
  #isHost = false;
  /** Refusal to report with the next table, which then shows an earlier match again. */
  #refusal: "" | "unreadable" | "noSeat" | { text: string } = "";
  /** Number of matches that were refused in a row. */
  #refusals = 0;

  constructor(private settings: () => Settings, private ends: Ends) {
    addEventListener("online", () => {
      if (this.notice === "moved" || this.notice === "unknown" || this.notice === "misfit") return;
      // No event reports that a change of the network cut the line, so an answer may never come.
      if (this.shared || (this.line.isWaiting && this.line.isOpen)) this.#connect();
      else this.line.hurry();
    });
    // Another window may have gone on with the match.
    addEventListener("storage", () => { if (!this.shared && this.#stored.isForeign) this.#yield(); });
    addEventListener("visibilitychange", () => {
      if (document.hidden) return;
      // A telephone that slept may have lost its table without an event.
      if (this.shared && this.notice !== "moved") this.#connect();
      else if (!this.shared && (this.#stored.isForeign || this.notice === "moved")) this.#adopt();
    });
  }

  /** Whether leaving would lose something. */
  get inProgress(): boolean {
    if (this.shared || this.notice === "unknown" || this.notice === "moved") return true;
    return this.match !== null && isUnderway(this.match);
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
    this.#start(opened);
    this.#connect();
  }

  /** Goes on with the deals before the first that contradicts the rules. */
  dropDeals() {
    this.#isDropping = true;
    this.#connect();
  }

  /** Opens a table for several persons, with the bots of the settings at seats that are free. */
  share(name: string) {
    const rules = this.ends.usualRules();
    this.#leave();
    this.#start({ rules });
    this.#isHost = true;
    this.#sitAt({ table: secret(), key: secret(), name });
  }

  /** Sits down at the table of another person. The person's own match stays stored meanwhile. */
  join(table: string, name: string) {
    this.#leave();
    this.match = null;
    this.#sitAt({ table, key: saved.key(table) ?? secret(), name });
  }

  /** Leaves the shared table and goes on with the person's own match. */
  leaveTable(otherwise: Opened) {
    this.#leave();
    this.ends.clearTable();
    this.begin(otherwise);
  }

  /** Takes the seat back that another window has taken. */
  retake() {
    this.notice = "";
    if (this.shared) this.#connect();
    else this.#adopt();
  }

  /** Removes the refusal that was reported, and reports the next one if there is one. */
  reportRefusal() {
    const { notice } = this;
    if (typeof notice === "object" || notice === "unreadable" || notice === "noSeat") this.notice = "";
    if (this.#refusal) this.notice = this.#refusal;
    this.#refusal = "";
  }

  #start(opened: Opened) {
    this.match = newMatch(opened, this.settings().bots);
    this.ends.clearTable();
    this.line.forgetCommand();
    this.#isDropping = false;
  }

  #resume(otherwise: Opened): boolean {
    const stored = this.#stored.read();
    if (stored === null) {
      this.open(otherwise);
      return true;
    }
    this.line.forgetCommand();
    this.ends.clearTable();
    this.rules = null;
    this.match = stored === "unknown" ? null : stored;
    if (this.match) this.#connect();
    else this.#halt("unknown");
    return false;
  }

  /** Goes on with the match as another window left it. */
  #adopt() {
    this.#resume({ rules: this.ends.usualRules() });
  }

  /** Leaves the match to the window that goes on with it. */
  #yield() {
    this.#disconnect();
    this.notice = "moved";
    this.ends.changed();
  }

  /** Keeps the stored match as it is, until the player gives it up or it can be played here. */
  #halt(why: Kept) {
    this.#disconnect();
    this.notice = why;
    if (why === "absent" && !isAlone) this.line.retry();
    this.ends.changed();
  }

  #sitAt(shared: Shared) {
    this.shared = shared;
    saved.keepShared(shared);
    saved.keepKey(shared);
    this.ends.clearTable();
    this.rules = null;
    this.#connect();
  }

  #leave() {
    if (this.shared) this.line.send({ type: "leave" });
    this.#forgetShared();
  }

  #forgetShared() {
    this.shared = null;
    this.#isHost = this.isNext = false;
    saved.keepShared(null);
  }

  #disconnect() {
    this.line.close();
    this.ends.disconnected();
  }

  #connect() {
    if (!this.shared && this.#stored.isForeign) return this.#yield();
    if (!this.shared && isAlone && !playsHere(this.match!.rules)) return this.#halt("absent");
    this.#disconnect();
    this.line.open();
    this.ends.changed();
  }

  /** Asks for the match over a line that is open. */
  #enter() {
    this.#isAbsent = false;
    if (this.shared) {
      if (this.#isHost && this.match) {
        const { rules, seat, bots } = this.match;
        this.line.send({ type: "share", ...this.shared, rules, seat, bots });
      } else this.line.send({ type: "join", ...this.shared });
      return;
    }
    const { rules, seat, seed, bots, record, deals } = this.match!;
    this.line.send({ type: "rules", rules });
    const opening = { rules, seat, seed, bots, record };
    this.line.send(deals.length ? { type: "restore", ...opening, deals } : { type: "new", ...opening });
  }

  #lost() {
    const canPlayHere = this.shared || playsHere(this.match!.rules);
    this.notice = this.line.isAway && !canPlayHere ? "away" : "lost";
    this.ends.changed();
  }

  #take(message: Message) {
    switch (message.type) {
      case "table":
        this.line.answers();
        this.#refusals = 0;
        if (!this.shared && this.#stored.isForeign) return this.#yield();
        // A shared table may have received the last command before the connection was lost.
        if (this.line.arrived(!this.shared)) this.#entered();
        if (this.shared) this.#followShared(message);
        else this.#keep(message);
        this.ends.show(message);
        return;
      case "seated":
        this.line.forgetCommand();
        this.line.answers();
        this.#refusals = 0;
        this.#isHost = false;
        this.isNext = true;
        this.notice = "";
        // The table on the screen was seen from an earlier seat.
        this.ends.clearTable();
        break;
      case "moved":
        this.line.close();
        this.notice = "moved";
        break;
      case "rules": this.rules = message; break;
      case "refused": this.#refused(message); break;
      default: this.ends.answered(message);
    }
    this.ends.changed();
  }

  /** Takes note that the match has arrived over a new line. */
  #entered() {
    this.#isDropping = false;
    if (!this.shared) this.notice = this.line.isStandIn ? "offline" : "";
  }

  /** Makes the match at the shared table the match of this window. */
  #followShared(table: Table) {
    this.notice = "";
    // The table exists from now on: after a lost connection it is joined, not opened.
    this.#isHost = this.isNext = false;
    const { rules, you: seat } = table;
    if (!this.match || this.match.rules !== rules || this.match.seat !== seat) {
      this.match = { rules, seat, seed: 0, bots: {}, deals: [], scores: [], over: false };
    }
    if (this.rules?.rules !== rules) this.line.send({ type: "rules", rules });
    follow(this.match, table);
  }

  /** Stores the match as far as it was played. */
  #keep(table: Table) {
    follow(this.match!, table);
    this.#stored.write(this.match!);
  }

  #refused({ of, message, lost, busy }: Refused) {
    if (busy) {
      if (this.line.isWaiting) this.line.retry(1000);
      return;
    }
    switch (of) {
      case "join":
        this.#forgetShared();
        this.begin({ rules: this.ends.usualRules() });
        // `lost`: the table has ended or is full. Otherwise the server cannot seat anybody now.
        this.#refusal = lost ? "noSeat" : { text: message };
        return;
      case "hint": case "review": case "values": case "par": return this.ends.refused(of);
      case "rules": this.#isAbsent = true; return;
      case "restore": {
        const { deals, scores } = this.match!;
        if (lost && this.#isDropping) {
          deals.pop();
          scores.length = Math.min(scores.length, deals.length);
          return this.#enter();
        }
        console.error(message);
        return this.#halt(this.#isAbsent ? "absent" : lost ? "misfit" : "unknown");
      }
      case "new":
        this.#refusals += 1;
        console.error(message);
        if (this.#isAbsent) this.notice = "absent";
        else this.#refusal = "unreadable";
        // The new match cannot be played, so the stored one goes on.
        if (this.#refusals < 3) this.#adopt();
        return;
      default:
        this.line.forgetCommand();
        this.notice = { text: message };
    }
  }
}
