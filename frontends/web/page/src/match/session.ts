// Session of this window: the match or the shared table that it plays at. It goes on after a lost
// connection, a refusal, or a change by another window.

import type {
  Hint,
  Message,
  Par,
  Refused,
  Review,
  Rules,
  Said,
  Table,
  Values,
} from "../messages/messages";
import { BUSY_RETRY_DELAY_MS, Connection } from "../net/connection";
import { isPlayableOffline, isStandalone } from "../net/packed";
import {
  type Activity,
  type JoinedTable,
  type NewSharedTable,
  type OwnMatch,
  openingCommands,
  ownMatch,
} from "./activity";
import { forgetLastTable, noteLastTable } from "./last-table";
import {
  isUnderway,
  type Match,
  type MatchRequest,
  newMatch,
  type Side,
  updateMatch,
} from "./match";
import { noteSideMatch, storedSideMatch } from "./side-match";
import { type Settings, type SharedSeat, saved } from "./storage";
import { StoredMatch } from "./stored-match";

/** Refused matches in a row after which the stored match is not tried again. */
const MAX_REFUSED_MATCHES = 3;
const SECRET_BYTES = 16;

/**
 * Reason why a stored match is kept but not shown.
 *
 * - "away": its rules need a server that is away
 * - "absent": no table here has its rules
 * - "unknown": another version of the page wrote it
 * - "misfit": a deal contradicts the rules
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
  /** Takes a phrase of a person at a shared table. */
  said(message: Said): void;
  /** Notes that a question about the deal was refused. */
  refused(question: DealQuestion): void;
  redraw(): void;
}

/** Whether the bots of this page can play a match. */
const isPlayableHere = ({ rules, house }: Match) => Boolean(house) || isPlayableOffline(rules);

/** Whether a notice reports that the person got no seat at a shared table. */
const isNoSeat = (notice: Session["notice"]): boolean =>
  notice === "noSeat" || typeof notice === "object";

/** Returns random bytes as hexadecimal digits. */
const randomSecret = (): string =>
  [...crypto.getRandomValues(new Uint8Array(SECRET_BYTES))]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");

/** Session of this window. Plays the person's own match, which is stored, or at a shared table. */
export class Session {
  /** Rules of the match, as the table explains them. */
  rules: Rules | null = null;
  /** Reason why the match does not go on as usual. */
  notice: "" | "lost" | "offline" | "moved" | KeptReason | Refusal = "";

  readonly connection: Connection = new Connection({
    reconnect: () => this.#connect(),
    opened: () => this.#requestMatch(),
    message: (message) => this.#handle(message),
    lost: () => this.#noteLoss(),
    // A shared table exists only on its server, and so do rules that this page has no bot for.
    canPlayHere: () => this.#activity.kind === "own" && isPlayableHere(this.#activity.match),
    needsPage: () => Boolean(this.match?.house),
    isQuiet: () => this.callbacks.isQuiet(),
  });
  #activity: Activity = { kind: "none" };
  #stored = new StoredMatch();
  /** Refusal to report with the next table, which then shows an earlier match again. */
  #unreportedRefusal: "" | Refusal = "";
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
    // A socket notices much later that the network is gone.
    addEventListener("offline", () => {
      if (this.sharedSeat && this.notice !== "moved") this.#connect();
    });
    // Another window may have gone on with the match.
    addEventListener("storage", () => {
      if (this.#isPlayedElsewhere) this.#yieldToOtherWindow();
    });
    addEventListener("visibilitychange", () => {
      if (document.hidden) return;
      // A phone that was asleep may have lost its table without an event.
      if (this.sharedSeat && this.notice !== "moved") this.#connect();
      else if (this.#isPlayedElsewhere || (!this.sharedSeat && this.notice === "moved"))
        this.#resumeUsual();
    });
  }

  get match(): Match | null {
    return this.#activity.kind === "none" ? null : this.#activity.match;
  }

  /** Seat of this window at a shared table; `null` for the person's own match. */
  get sharedSeat(): SharedSeat | null {
    return "seat" in this.#activity ? this.#activity.seat : null;
  }

  /** The side match that is played; `null` for the person's own match and at a shared table. */
  get side(): Side | null {
    return this.match?.side ?? null;
  }

  /** Whether this window has no match, no seat, and no stored match to report about. */
  get isIdle(): boolean {
    return this.#activity.kind === "none" && (this.notice === "" || isNoSeat(this.notice));
  }

  /** Whether leaving would lose a seat, or part of a match. */
  get inProgress(): boolean {
    if (this.sharedSeat || this.notice === "unknown" || this.notice === "moved") return true;
    // Another window may have stored a match since this one was opened.
    if (this.isIdle) return this.#stored.isForeign;
    return this.match !== null && isUnderway(this.match);
  }

  /** Whether another window has gone on with the person's own match. */
  get #isPlayedElsewhere(): boolean {
    return !this.sharedSeat && !this.side && !this.isIdle && this.#stored.isForeign;
  }

  /**
   * Resumes the shared table or the side match of this window, or the stored match. Returns false
   * if there is nothing to resume.
   */
  resume(): boolean {
    const seat = saved.sharedSeat();
    const sideMatch = storedSideMatch();
    if (seat) {
      this.#activity = { kind: "joined", seat, match: null };
    } else if (sideMatch) {
      this.#setOwnMatch(sideMatch);
    } else {
      return this.#resumeOwn();
    }
    this.#connect();
    return true;
  }

  /** Resumes what there is, or else starts a match. Returns whether it started one. */
  resumeOrStart(otherwise: MatchRequest): boolean {
    const isResumed = this.resume();
    if (!isResumed) this.startMatch(otherwise);
    return !isResumed;
  }

  /** Starts a side match. The person's own match stays stored meanwhile. */
  startSideMatch(match: Match) {
    this.#leaveSharedTable();
    saved.storeSideMatch(match);
    this.#setOwnMatch(match);
    this.#connect();
  }

  /** Leaves the shared table or the side match, and resumes the person's own match if any. */
  leave() {
    this.#leaveSharedTable();
    saved.storeSideMatch(null);
    this.#activity = { kind: "none" };
    this.#disconnect();
    this.callbacks.clearTable();
    this.notice = "";
    this.resume();
    this.callbacks.redraw();
  }

  /** Keeps the answer to the puzzle that is played. */
  answerPuzzle(action: string) {
    const { match } = this;
    if (!match?.side) return;
    match.side.answer = action;
    saved.storeSideMatch(match);
    this.callbacks.redraw();
  }

  /** Starts a match in place of the stored one, which the person has given up. */
  startMatch(request: MatchRequest) {
    this.#leaveSharedTable();
    saved.storeSideMatch(null);
    this.#stored.giveUp();
    this.#setOwnMatch(newMatch(request, this.settings().bots));
    this.#connect();
  }

  /** Resumes the match before the first deal that contradicts the rules. */
  dropDeals() {
    if (this.#activity.kind === "own") this.#activity.dropsDeals = true;
    this.#connect();
  }

  /** Opens a shared table, with the bots of the settings at free seats. */
  share(name: string, request: MatchRequest) {
    const match = newMatch(request, this.settings().bots);
    this.#leaveSharedTable();
    this.connection.forgetCommand();
    const seat = { table: randomSecret(), key: randomSecret(), name };
    this.#sitDown({ kind: "opening", seat, match });
  }

  /** Joins the table of another person. The person's own match stays stored meanwhile. */
  join(table: string, name: string) {
    this.#leaveSharedTable();
    const seat = { table, key: saved.key(table) ?? randomSecret(), name };
    this.#sitDown({ kind: "joined", seat, match: null });
  }

  /** Takes back the seat that another window has taken. */
  retake() {
    this.notice = "";
    if (this.sharedSeat) this.#connect();
    else this.#resumeUsual();
  }

  /**
   * Removes the reported refusal, and reports the next one if there is one. That there was no seat
   * stays until the person `hasActed`: the bots of the own match are not the friends.
   */
  reportRefusal(hasActed: boolean) {
    const { notice } = this;
    if (typeof notice === "object" || notice === "unreadable" || (notice === "noSeat" && hasActed))
      this.notice = "";
    if (this.#unreportedRefusal) this.notice = this.#unreportedRefusal;
    this.#unreportedRefusal = "";
  }

  #setOwnMatch(match: Match) {
    this.#activity = ownMatch(match);
    this.callbacks.clearTable();
    this.connection.forgetCommand();
  }

  /** Resumes the stored match. Returns false if there is none. */
  #resumeOwn(): boolean {
    const stored = this.#stored.read();
    if (stored === null) return false;
    this.rules = null;
    if (stored === "unknown") {
      this.#activity = { kind: "none" };
      this.callbacks.clearTable();
      this.connection.forgetCommand();
      this.#keepStored("unknown");
    } else {
      this.#setOwnMatch(stored);
      this.#connect();
    }
    return true;
  }

  /** Resumes the match as another window left it, or starts one with the usual rules. */
  #resumeUsual() {
    if (!this.#resumeOwn()) this.startMatch({ rules: this.callbacks.usualRules() });
  }

  /** Leaves the match to the window that has gone on with it. */
  #yieldToOtherWindow() {
    this.#disconnect();
    this.notice = "moved";
    this.callbacks.redraw();
  }

  /** Keeps the stored match as it is, until the person gives it up or it can be played here. */
  #keepStored(reason: KeptReason) {
    this.#disconnect();
    this.notice = reason;
    if (reason === "absent" && !isStandalone) this.connection.retry();
    this.callbacks.redraw();
  }

  #sitDown(shared: NewSharedTable | JoinedTable) {
    this.#activity = shared;
    saved.storeSharedSeat(shared.seat);
    saved.storeKey(shared.seat);
    this.callbacks.clearTable();
    this.rules = null;
    this.#connect();
  }

  #leaveSharedTable() {
    if (this.sharedSeat) {
      this.connection.send({ type: "leave" });
      forgetLastTable(this.sharedSeat.table);
    }
    this.#forgetSharedSeat();
  }

  #forgetSharedSeat() {
    if (this.sharedSeat) this.#activity = { kind: "none" };
    saved.storeSharedSeat(null);
  }

  #disconnect() {
    this.connection.close();
    this.callbacks.disconnected();
  }

  #connect() {
    if (this.#isPlayedElsewhere) return this.#yieldToOtherWindow();
    const activity = this.#activity;
    if (activity.kind === "none") return;
    if (activity.kind === "own" && isStandalone && !isPlayableHere(activity.match))
      return this.#keepStored("absent");
    this.#disconnect();
    this.connection.open();
    this.callbacks.redraw();
  }

  /** Asks the table for the match. */
  #requestMatch() {
    if (this.#activity.kind === "own") this.#activity.areRulesAbsent = false;
    for (const command of openingCommands(this.#activity)) this.connection.send(command);
  }

  #noteLoss() {
    const activity = this.#activity;
    const needsServer = activity.kind === "own" && !isPlayableHere(activity.match);
    this.notice = this.connection.isAway && needsServer ? "away" : "lost";
    this.callbacks.redraw();
  }

  #handle(message: Message) {
    switch (message.type) {
      case "table":
        return this.#followTable(message);
      case "moved":
        this.connection.close();
        this.notice = "moved";
        break;
      case "rules":
        this.rules = message;
        break;
      case "refused":
        this.#handleRefusal(message);
        break;
      case "said":
        this.callbacks.said(message);
        break;
      case "results":
        // Only the table of a daily deal's bot is asked for them.
        return;
      default:
        this.callbacks.answered(message);
    }
    this.callbacks.redraw();
  }

  #noteAnswer() {
    this.connection.noteAnswer();
    this.#refusedMatches = 0;
  }

  #followTable(table: Table) {
    this.#noteAnswer();
    if (this.#isPlayedElsewhere) return this.#yieldToOtherWindow();
    const activity = this.#activity;
    // Nothing is sent twice to a shared table, which may have received the last command before the
    // connection was lost.
    const isNewLink = this.connection.noteMatch(activity.kind === "own");
    if (activity.kind === "own") this.#followOwn(activity, table, isNewLink);
    else if (activity.kind !== "none") this.#followShared(activity, table);
    this.callbacks.show(table);
  }

  /** Stores the match as far as it was played. */
  #followOwn(own: OwnMatch, table: Table, isNewLink: boolean) {
    if (isNewLink) {
      own.dropsDeals = false;
      this.notice = this.connection.isStandIn ? "offline" : "";
    }
    updateMatch(own.match, table);
    if (own.match.side) noteSideMatch(own.match, table);
    else this.#stored.write(own.match);
  }

  /** Makes the match at the shared table the match of this window. */
  #followShared({ seat, match: known }: NewSharedTable | JoinedTable, table: Table) {
    this.notice = "";
    const { rules, you } = table;
    const match =
      known?.rules === rules && known.seat === you
        ? known
        : { rules, seat: you, seed: 0, bots: {}, deals: [], scores: [], over: false };
    // The table exists from now on: after a lost connection it is joined, not opened.
    this.#activity = { kind: "joined", seat, match };
    if (this.rules?.rules !== rules) this.connection.send({ type: "rules", rules });
    noteLastTable(seat.table, table);
    updateMatch(match, table);
  }

  #handleRefusal({ of, message, lost, busy }: Refused) {
    if (busy) {
      if (this.connection.isWaiting) this.connection.retry(BUSY_RETRY_DELAY_MS);
      return;
    }
    const activity = this.#activity;
    switch (of) {
      case "join":
        // `lost`: the table has ended or is full. Otherwise the server cannot seat a person now.
        if (lost && this.sharedSeat) forgetLastTable(this.sharedSeat.table);
        return this.#leaveRefusedTable(lost ? "noSeat" : { text: message });
      case "hint":
      case "review":
      case "values":
      case "par":
        return this.callbacks.refused(of);
      case "say":
        // A phrase too soon after another one is dropped.
        return;
      case "rules":
        if (activity.kind === "own") activity.areRulesAbsent = true;
        return;
      case "restore":
        if (activity.kind === "own") this.#handleRefusedRestore(activity, message, Boolean(lost));
        return;
      case "new":
        this.#refusedMatches += 1;
        console.error(message);
        if (activity.kind === "own" && activity.areRulesAbsent) this.notice = "absent";
        else this.#unreportedRefusal = "unreadable";
        // The new match cannot be played, so the stored one is resumed.
        if (this.#refusedMatches < MAX_REFUSED_MATCHES) this.#resumeUsual();
        return;
      default:
        this.connection.forgetCommand();
        this.notice = { text: message };
    }
  }

  /** Resumes the person's own match. Without one, the start screen reports the refusal. */
  #leaveRefusedTable(refusal: Refusal) {
    this.#forgetSharedSeat();
    if (this.resume()) {
      this.#unreportedRefusal = refusal;
    } else {
      this.#disconnect();
      this.callbacks.clearTable();
      this.notice = refusal;
    }
  }

  /** Drops the last deal if the person wants that. Otherwise keeps the match as it is stored. */
  #handleRefusedRestore(own: OwnMatch, message: string, isMisfit: boolean) {
    const { deals, scores } = own.match;
    // A side match of another version of the page is not worth a question.
    if (own.match.side) return this.leave();
    if (isMisfit && own.dropsDeals) {
      deals.pop();
      scores.length = Math.min(scores.length, deals.length);
      return this.#requestMatch();
    }
    console.error(message);
    if (own.areRulesAbsent) this.#keepStored("absent");
    else this.#keepStored(isMisfit ? "misfit" : "unknown");
  }
}
