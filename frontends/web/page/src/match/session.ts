// Session of this window: the match or the shared table that it plays at. It goes on after a lost
// connection, a refusal, or a change by another window.

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
import { ruleFileOf } from "./house-rules";
import { isLessonName } from "./lessons";
import { isUnderway, type Match, type MatchRequest, newMatch, updateMatch } from "./match";
import { type Settings, type SharedSeat, saved } from "./storage";
import { isMatch, StoredMatch } from "./stored-match";

/** Refused matches in a row after which the stored match is not tried again. */
const MAX_REFUSED_MATCHES = 3;
const BUSY_RETRY_DELAY_MS = 1000;
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

/** The person's own match, which is stored. */
interface OwnMatch {
  kind: "own";
  match: Match;
  /** Whether the table lacks the rules of the match. */
  areRulesAbsent: boolean;
  /** Whether deals that contradict the rules are dropped. */
  dropsDeals: boolean;
}

/** A shared table that does not exist yet: it is opened with the settings of `match`. */
interface NewSharedTable {
  kind: "opening";
  seat: SharedSeat;
  match: Match;
}

/** A seat at a shared table that exists. */
interface JoinedTable {
  kind: "joined";
  seat: SharedSeat;
  /** The match as far as it was seen; `null` before the first deal. */
  match: Match | null;
  /** Whether the person plays from the next deal on. */
  playsNextDeal: boolean;
}

/**
 * Match or seat of this window. There is none before the first match, and while the stored match is
 * that of another version of the page.
 */
type Activity = { kind: "none" } | OwnMatch | NewSharedTable | JoinedTable;

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

/** Whether the bots of this page can play a match. */
const isPlayableHere = ({ rules, house }: Match) => Boolean(house) || isPlayableOffline(rules);

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

  /** Name of the lesson that is played, "" for none. */
  get lesson(): string {
    return this.match?.lesson ?? "";
  }

  /** Whether the person's own match waits beside a lesson or a deal that is shown again. */
  get isBesideMatch(): boolean {
    return Boolean(this.match?.lesson || this.match?.isShownAgain);
  }

  /** Whether this window has no match, no seat, and no stored match to report about. */
  get isIdle(): boolean {
    return this.#activity.kind === "none" && this.notice === "";
  }

  /** Whether the person plays at the shared table from the next deal on. */
  get playsNextDeal(): boolean {
    return this.#activity.kind === "joined" && this.#activity.playsNextDeal;
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
    return !this.sharedSeat && !this.isBesideMatch && !this.isIdle && this.#stored.isForeign;
  }

  /**
   * Resumes the shared table, or the match beside the person's own in this window, or the stored
   * match. Returns false if there is nothing to resume.
   */
  resume(): boolean {
    const seat = saved.sharedSeat();
    const lesson = saved.lesson() as Match | null;
    if (seat) {
      this.#activity = { kind: "joined", seat, match: null, playsNextDeal: false };
    } else if (isMatch(lesson) && (lesson.isShownAgain || isLessonName(lesson.lesson ?? ""))) {
      this.#setOwnMatch(lesson);
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

  /** Starts a lesson, or shows a kept deal. The person's own match stays stored meanwhile. */
  startLesson(beside: Match) {
    saved.storeLesson(beside);
    this.#setOwnMatch(beside);
    this.#connect();
  }

  /** Leaves the lesson or kept deal, and resumes the person's own match if there is one. */
  leaveLesson() {
    saved.storeLesson(null);
    this.#activity = { kind: "none" };
    this.notice = "";
    this.callbacks.clearTable();
    this.#disconnect();
    this.resume();
    this.callbacks.redraw();
  }

  /** Starts a match in place of the stored one, which the person has given up. */
  startMatch(request: MatchRequest) {
    this.#leaveSharedTable();
    saved.storeLesson(null);
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
  share(name: string) {
    const match = newMatch({ rules: this.callbacks.usualRules() }, this.settings().bots);
    this.#leaveSharedTable();
    this.connection.forgetCommand();
    const seat = { table: randomSecret(), key: randomSecret(), name };
    this.#sitDown({ kind: "opening", seat, match });
  }

  /** Joins the table of another person. The person's own match stays stored meanwhile. */
  join(table: string, name: string) {
    this.#leaveSharedTable();
    const seat = { table, key: saved.key(table) ?? randomSecret(), name };
    this.#sitDown({ kind: "joined", seat, match: null, playsNextDeal: false });
  }

  /** Leaves the shared table and resumes the person's own match, if there is one. */
  leaveTable() {
    this.#leaveSharedTable();
    this.#disconnect();
    this.callbacks.clearTable();
    this.notice = "";
    this.resume();
    this.callbacks.redraw();
  }

  /** Takes back the seat that another window has taken. */
  retake() {
    this.notice = "";
    if (this.sharedSeat) this.#connect();
    else this.#resumeUsual();
  }

  /** Removes the reported refusal, and reports the next one if there is one. */
  reportRefusal() {
    const { notice } = this;
    if (typeof notice === "object" || notice === "unreadable" || notice === "noSeat")
      this.notice = "";
    if (this.#unreportedRefusal) this.notice = this.#unreportedRefusal;
    this.#unreportedRefusal = "";
  }

  #setOwnMatch(match: Match) {
    this.#activity = { kind: "own", match, areRulesAbsent: false, dropsDeals: false };
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
    if (this.sharedSeat) this.connection.send({ type: "leave" });
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
    const activity = this.#activity;
    switch (activity.kind) {
      case "none":
        return;
      case "opening": {
        const { rules, seat, bots } = activity.match;
        this.connection.send({ type: "share", ...activity.seat, rules, seat, bots });
        return;
      }
      case "joined":
        this.connection.send({ type: "join", ...activity.seat });
        return;
      case "own": {
        activity.areRulesAbsent = false;
        const { rules, house, seat, seed, bots, record, deals } = activity.match;
        const rule_file = house && ruleFileOf(house);
        this.connection.send({ type: "rules", rules, rule_file });
        const opening = { rules, rule_file, seat, seed, bots, record };
        this.connection.send(
          deals.length ? { type: "restore", ...opening, deals } : { type: "new", ...opening },
        );
      }
    }
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
      case "seated":
        this.#noteAnswer();
        this.connection.forgetCommand();
        this.#waitForNextDeal();
        break;
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
    if (this.isBesideMatch) saved.storeLesson(own.match);
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
    this.#activity = { kind: "joined", seat, match, playsNextDeal: false };
    if (this.rules?.rules !== rules) this.connection.send({ type: "rules", rules });
    updateMatch(match, table);
  }

  /** Notes that the current deal of the shared table goes on without the person. */
  #waitForNextDeal() {
    this.notice = "";
    if ("seat" in this.#activity) {
      const { seat, match } = this.#activity;
      this.#activity = { kind: "joined", seat, match, playsNextDeal: true };
    }
    // The table on the screen was seen from an earlier seat.
    this.callbacks.clearTable();
  }

  #handleRefusal({ of, message, lost, busy }: Refused) {
    if (busy) {
      if (this.connection.isWaiting) this.connection.retry(BUSY_RETRY_DELAY_MS);
      return;
    }
    const activity = this.#activity;
    switch (of) {
      case "join": {
        const rules = this.callbacks.usualRules();
        this.#forgetSharedSeat();
        this.resumeOrStart({ rules });
        // `lost`: the table has ended or is full. Otherwise the server cannot seat a person now.
        this.#unreportedRefusal = lost ? "noSeat" : { text: message };
        return;
      }
      case "hint":
      case "review":
      case "values":
      case "par":
        return this.callbacks.refused(of);
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

  /** Drops the last deal if the person wants that. Otherwise keeps the match as it is stored. */
  #handleRefusedRestore(own: OwnMatch, message: string, isMisfit: boolean) {
    const { deals, scores } = own.match;
    // A lesson of another version of the page, or a bad deal of a file, is not worth a question.
    if (this.isBesideMatch) return this.leaveLesson();
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
