// The match of this window, and its way to a table: also after a lost connection, a refusal, or a
// change by another window.

import type {
  Hint,
  Message,
  Par,
  Refused,
  Review,
  Rules,
  Table,
  Values,
} from "../messages/messages";
import { Connection } from "../net/connection";
import { isPlayableOffline, isStandalone } from "../net/packed";
import { isUnderway, type Match, type MatchRequest, newMatch, updateMatch } from "./match";
import { type Settings, type SharedSeat, saved } from "./storage";
import { StoredMatch } from "./stored-match";

/** Refused matches in a row after which the stored match is not tried again. */
const MAX_REFUSED_MATCHES = 3;
const BUSY_RETRY_DELAY_MS = 1000;
const SECRET_BYTES = 16;

/**
 * Reason why a stored match is kept but not shown: its rules need a server that is away, no table
 * here has its rules, another version of the page wrote it, or a deal contradicts the rules.
 */
type KeptReason = "away" | "absent" | "unknown" | "misfit";

/** Refusal that the page reports: a bad link, a shared table without a seat, or another text. */
type Refusal = "unreadable" | "noSeat" | { text: string };

/** Question about the deal on the table. */
export type DealQuestion = "hint" | "review" | "values" | "par";

/** The game that a session belongs to. */
interface SessionCallbacks {
  /** Returns the rules of a new match for which the player names none. */
  usualRules(): string;
  /** Whether nothing is shown, asked or awaited, so that another table can take over. */
  isQuiet(): boolean;
  /** Drops everything that awaits an answer: the connection to the table is closed. */
  disconnected(): void;
  /** Removes the table from the screen: it belongs to a match or a seat that was left. */
  clearTable(): void;
  show(table: Table): void;
  /** Takes the answer to a question about the deal. */
  answered(message: Hint | Review | Values | Par): void;
  /** Notes that a question about the deal was refused. */
  refused(question: DealQuestion): void;
  redraw(): void;
}

/** Returns random bytes as hexadecimal digits. */
const randomSecret = (): string =>
  [...crypto.getRandomValues(new Uint8Array(SECRET_BYTES))]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");

/** Session of this window. Plays the person's own match, which is stored, or at a shared table. */
export class Session {
  match: Match | null = null;
  /** Seat of this window at a shared table; `null` for the person's own match. */
  sharedSeat: SharedSeat | null = null;
  /** Whether the person plays at the shared table from the next deal on. */
  playsNextDeal = false;
  /** Rules of the match, as the table explains them. */
  rules: Rules | null = null;
  /** Reason why the match does not go on as usual. */
  notice: "" | "lost" | "offline" | "moved" | KeptReason | Refusal = "";

  readonly connection: Connection = new Connection({
    reconnect: () => this.#connect(),
    opened: () => this.#enter(),
    message: (message) => this.#take(message),
    lost: () => this.#lost(),
    // A shared table exists only on its server, and so do rules that this page has no bot for.
    canPlayHere: () =>
      !this.sharedSeat && this.match !== null && isPlayableOffline(this.match.rules),
    isQuiet: () => this.callbacks.isQuiet(),
  });
  #stored = new StoredMatch();
  /** Whether the table lacks the rules of the match. */
  #areRulesAbsent = false;
  /** Whether deals that contradict the rules are dropped. */
  #dropsDeals = false;
  /** Whether the shared table is to be opened, rather than joined. */
  #isHost = false;
  /** Refusal to report with the next table, which then shows an earlier match again. */
  #refusal: "" | Refusal = "";
  /** Number of matches that were refused in a row. */
  #refusedMatches = 0;

  constructor(
    private settings: () => Settings,
    private callbacks: SessionCallbacks,
  ) {
    addEventListener("online", () => {
      if (this.notice === "moved" || this.notice === "unknown" || this.notice === "misfit") return;
      // A change of the network may have cut the connection without an event. The answer that is
      // awaited then never comes.
      if (this.sharedSeat || (this.connection.isWaiting && this.connection.isOpen)) this.#connect();
      else this.connection.retryNow();
    });
    // Another window may have gone on with the match.
    addEventListener("storage", () => {
      if (!this.sharedSeat && this.#stored.isForeign) this.#yield();
    });
    addEventListener("visibilitychange", () => {
      if (document.hidden) return;
      // A phone that was asleep may have lost its table without an event.
      if (this.sharedSeat && this.notice !== "moved") this.#connect();
      else if (!this.sharedSeat && (this.#stored.isForeign || this.notice === "moved"))
        this.#adopt();
    });
  }

  /** Whether leaving would lose something. */
  get inProgress(): boolean {
    if (this.sharedSeat || this.notice === "unknown" || this.notice === "moved") return true;
    return this.match !== null && isUnderway(this.match);
  }

  /** Resumes the stored match, or starts another one. Returns whether it started one. */
  begin(otherwise: MatchRequest): boolean {
    this.sharedSeat = saved.sharedSeat();
    if (!this.sharedSeat) return this.#resume(otherwise);
    this.#connect();
    return false;
  }

  /** Starts a match in place of the stored one, which the person has given up. */
  open(request: MatchRequest) {
    this.#leave();
    this.#stored.giveUp();
    this.#start(request);
    this.#connect();
  }

  /** Resumes the match before the first deal that contradicts the rules. */
  dropDeals() {
    this.#dropsDeals = true;
    this.#connect();
  }

  /** Opens a shared table, with the bots of the settings at free seats. */
  share(name: string) {
    const rules = this.callbacks.usualRules();
    this.#leave();
    this.#start({ rules });
    this.#isHost = true;
    this.#sitAt({ table: randomSecret(), key: randomSecret(), name });
  }

  /** Joins the table of another person. The person's own match stays stored meanwhile. */
  join(table: string, name: string) {
    this.#leave();
    this.match = null;
    this.#sitAt({ table, key: saved.key(table) ?? randomSecret(), name });
  }

  /** Leaves the shared table and resumes the person's own match. */
  leaveTable(otherwise: MatchRequest) {
    this.#leave();
    this.callbacks.clearTable();
    this.begin(otherwise);
  }

  /** Takes back the seat that another window has taken. */
  retake() {
    this.notice = "";
    if (this.sharedSeat) this.#connect();
    else this.#adopt();
  }

  /** Removes the reported refusal, and reports the next one if there is one. */
  reportRefusal() {
    const { notice } = this;
    if (typeof notice === "object" || notice === "unreadable" || notice === "noSeat")
      this.notice = "";
    if (this.#refusal) this.notice = this.#refusal;
    this.#refusal = "";
  }

  #start(request: MatchRequest) {
    this.match = newMatch(request, this.settings().bots);
    this.callbacks.clearTable();
    this.connection.forgetCommand();
    this.#dropsDeals = false;
  }

  /** Resumes the stored match, or starts another one. Returns whether it started one. */
  #resume(otherwise: MatchRequest): boolean {
    const stored = this.#stored.read();
    if (stored === null) {
      this.open(otherwise);
      return true;
    }
    this.connection.forgetCommand();
    this.callbacks.clearTable();
    this.rules = null;
    this.match = stored === "unknown" ? null : stored;
    if (this.match) this.#connect();
    else this.#halt("unknown");
    return false;
  }

  /** Resumes the match as another window left it. */
  #adopt() {
    this.#resume({ rules: this.callbacks.usualRules() });
  }

  /** Leaves the match to the window that has gone on with it. */
  #yield() {
    this.#disconnect();
    this.notice = "moved";
    this.callbacks.redraw();
  }

  /** Keeps the stored match as it is, until the person gives it up or it can be played here. */
  #halt(reason: KeptReason) {
    this.#disconnect();
    this.notice = reason;
    if (reason === "absent" && !isStandalone) this.connection.retry();
    this.callbacks.redraw();
  }

  #sitAt(seat: SharedSeat) {
    this.sharedSeat = seat;
    saved.storeSharedSeat(seat);
    saved.storeKey(seat);
    this.callbacks.clearTable();
    this.rules = null;
    this.#connect();
  }

  #leave() {
    if (this.sharedSeat) this.connection.send({ type: "leave" });
    this.#forgetSharedSeat();
  }

  #forgetSharedSeat() {
    this.sharedSeat = null;
    this.#isHost = this.playsNextDeal = false;
    saved.storeSharedSeat(null);
  }

  #disconnect() {
    this.connection.close();
    this.callbacks.disconnected();
  }

  #connect() {
    if (!this.sharedSeat && this.#stored.isForeign) return this.#yield();
    if (!this.sharedSeat && isStandalone && !isPlayableOffline(this.match!.rules)) {
      return this.#halt("absent");
    }
    this.#disconnect();
    this.connection.open();
    this.callbacks.redraw();
  }

  /** Asks the table for the match. */
  #enter() {
    this.#areRulesAbsent = false;
    if (this.sharedSeat) {
      if (this.#isHost && this.match) {
        const { rules, seat, bots } = this.match;
        this.connection.send({ type: "share", ...this.sharedSeat, rules, seat, bots });
      } else this.connection.send({ type: "join", ...this.sharedSeat });
      return;
    }
    const { rules, seat, seed, bots, record, deals } = this.match!;
    this.connection.send({ type: "rules", rules });
    const opening = { rules, seat, seed, bots, record };
    this.connection.send(
      deals.length ? { type: "restore", ...opening, deals } : { type: "new", ...opening },
    );
  }

  #lost() {
    const canPlayHere = this.sharedSeat || isPlayableOffline(this.match!.rules);
    this.notice = this.connection.isAway && !canPlayHere ? "away" : "lost";
    this.callbacks.redraw();
  }

  #take(message: Message) {
    switch (message.type) {
      case "table":
        this.connection.answers();
        this.#refusedMatches = 0;
        if (!this.sharedSeat && this.#stored.isForeign) return this.#yield();
        // Nothing is sent twice to a shared table, which may have received the last command before
        // the connection was lost.
        if (this.connection.arrived(!this.sharedSeat)) this.#entered();
        if (this.sharedSeat) this.#followShared(message);
        else this.#store(message);
        this.callbacks.show(message);
        return;
      case "seated":
        this.connection.forgetCommand();
        this.connection.answers();
        this.#refusedMatches = 0;
        this.#isHost = false;
        this.playsNextDeal = true;
        this.notice = "";
        // The table on the screen was seen from an earlier seat.
        this.callbacks.clearTable();
        break;
      case "moved":
        this.connection.close();
        this.notice = "moved";
        break;
      case "rules":
        this.rules = message;
        break;
      case "refused":
        this.#refused(message);
        break;
      default:
        this.callbacks.answered(message);
    }
    this.callbacks.redraw();
  }

  /** Notes that the match has arrived over a new link. */
  #entered() {
    this.#dropsDeals = false;
    if (!this.sharedSeat) this.notice = this.connection.isStandIn ? "offline" : "";
  }

  /** Makes the match at the shared table the match of this window. */
  #followShared(table: Table) {
    this.notice = "";
    // The table exists from now on: after a lost connection it is joined, not opened.
    this.#isHost = this.playsNextDeal = false;
    const { rules, you: seat } = table;
    if (!this.match || this.match.rules !== rules || this.match.seat !== seat) {
      this.match = { rules, seat, seed: 0, bots: {}, deals: [], scores: [], over: false };
    }
    if (this.rules?.rules !== rules) this.connection.send({ type: "rules", rules });
    updateMatch(this.match, table);
  }

  /** Stores the match as far as it was played. */
  #store(table: Table) {
    updateMatch(this.match!, table);
    this.#stored.write(this.match!);
  }

  #refused({ of, message, lost, busy }: Refused) {
    if (busy) {
      if (this.connection.isWaiting) this.connection.retry(BUSY_RETRY_DELAY_MS);
      return;
    }
    switch (of) {
      case "join":
        this.#forgetSharedSeat();
        this.begin({ rules: this.callbacks.usualRules() });
        // `lost`: the table has ended or is full. Otherwise the server cannot seat anybody now.
        this.#refusal = lost ? "noSeat" : { text: message };
        return;
      case "hint":
      case "review":
      case "values":
      case "par":
        return this.callbacks.refused(of);
      case "rules":
        this.#areRulesAbsent = true;
        return;
      case "restore": {
        const { deals, scores } = this.match!;
        if (lost && this.#dropsDeals) {
          deals.pop();
          scores.length = Math.min(scores.length, deals.length);
          return this.#enter();
        }
        console.error(message);
        if (this.#areRulesAbsent) return this.#halt("absent");
        return this.#halt(lost ? "misfit" : "unknown");
      }
      case "new":
        this.#refusedMatches += 1;
        console.error(message);
        if (this.#areRulesAbsent) this.notice = "absent";
        else this.#refusal = "unreadable";
        // The new match cannot be played, so the stored one is resumed.
        if (this.#refusedMatches < MAX_REFUSED_MATCHES) this.#adopt();
        return;
      default:
        this.connection.forgetCommand();
        this.notice = { text: message };
    }
  }
}
