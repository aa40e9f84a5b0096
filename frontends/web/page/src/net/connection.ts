// The connection to a table. A lost connection is opened again, and the command without an answer
// is sent again. While the server is away, the bots of this page play; the match moves back to the
// server as soon as it answers.

import type { Command, Message } from "../messages/messages";
import { type Link, openLink } from "./link";
import { isStandalone } from "./packed";

/** Time after which a busy server is asked again. */
export const BUSY_RETRY_DELAY_MS = 1000;
/** Failed attempts in a row after which the bots of this page play in place of the server's. */
const ATTEMPTS_BEFORE_STAND_IN = 3;
/** Failed attempts in a row after which a page that needs no server gives up. */
const MAX_STANDALONE_ATTEMPTS = 8;
/** Delay of the first retry. It doubles with each failed attempt. */
const FIRST_RETRY_DELAY_MS = 500;
const MAX_RETRY_DELAY_MS = 8000;
/** Time between two attempts to reach the server while the bots of this page play. */
const SERVER_CHECK_INTERVAL_MS = 4000;

export interface ConnectionCallbacks {
  /** Opens the connection again, if the match is still this window's. */
  reconnect(): void;
  /** Asks the table for the match. */
  opened(): void;
  message(message: Message): void;
  /** Notes that the table is gone. The connection retries. */
  lost(): void;
  /** Whether the bots of this page may play. */
  canPlayHere(): boolean;
  /** Whether only the bots of this page may play. */
  needsPage(): boolean;
  /** Whether nothing is shown, asked or awaited, so that another table can take over. */
  isQuiet(): boolean;
}

/** Connection to a table. It stays the same object when the table behind it changes. */
export class Connection {
  #link: Link | null = null;
  /** Link to the server that is tried while the bots of this page play. */
  #candidate: Link | null = null;
  /** Timer of the next retry or server check. */
  #timer: ReturnType<typeof setTimeout> | null = null;
  /** Failed attempts in a row. */
  #attempts = 0;
  #isLocal = isStandalone;
  /** Whether only the bots of this page may play the match of the link. */
  #needsPage = false;
  #isOpen = false;
  /** Whether the match was asked for over a new link, and has not arrived yet. */
  #isEntering = false;
  /** Whether the earlier table stays in use until then. Commands wait for the new one. */
  #isMoving = false;
  #isWaiting = false;
  /** The command that is not answered yet. */
  #pending: Command | null = null;

  constructor(private callbacks: ConnectionCallbacks) {}

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Whether the table is in this page. */
  get isLocal(): boolean {
    return this.#isLocal;
  }

  /** Whether the bots of this page play in place of the server's. */
  get isStandIn(): boolean {
    return this.#isLocal && !isStandalone && !this.#needsPage;
  }

  /** Whether several attempts in a row have failed. */
  get isAway(): boolean {
    return this.#attempts >= ATTEMPTS_BEFORE_STAND_IN;
  }

  /** Whether an answer is awaited. */
  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  /** Whether an answer is awaited before the person may act again. */
  get isBlocked(): boolean {
    return this.#isWaiting && !this.#isMoving;
  }

  /** Sends a command that is not repeated if it is lost. */
  send(command: Command) {
    if (this.#isOpen) this.#link?.send(command);
  }

  /** Sends a command to the match, and repeats it over a new link until it is answered. */
  sendReliably(command: Command) {
    this.#isWaiting = true;
    this.#isMoving = false;
    this.#pending = command;
    if (!this.#isEntering) this.send(command);
  }

  /** Stops awaiting an answer: the command was refused, or belongs to a match that was left. */
  forgetCommand() {
    this.#isWaiting = false;
    this.#pending = null;
  }

  /** Opens a link to the table that was tried last. */
  open() {
    this.close();
    const isStandIn = this.isStandIn && this.callbacks.canPlayHere();
    this.#needsPage = this.callbacks.needsPage();
    this.#isLocal = isStandalone || this.#needsPage || isStandIn;
    const callbacks = {
      opened: () => {
        this.#isOpen = true;
        if (this.isStandIn) this.#checkServerLater();
        this.#enter(false);
      },
      message: (message: Message) => this.callbacks.message(message),
      lost: (reason?: string) => this.#lost(reason),
    };
    this.#link = openLink(callbacks, this.#isLocal);
  }

  close() {
    this.#clearTimer();
    this.#link?.close();
    this.#candidate?.close();
    this.#link = this.#candidate = null;
    this.#isOpen = this.#isEntering = this.#isMoving = false;
    this.#isWaiting = true;
  }

  /** Notes that the table answers: the failed attempts no longer count. */
  noteAnswer() {
    this.#attempts = 0;
  }

  /**
   * Notes that the table sent the match, as the answer to the last command or over a new link.
   * Over a new link, a command without an answer is sent again if `repeats`. Returns whether the
   * link is new.
   */
  noteMatch(repeats: boolean): boolean {
    const isNew = this.#isEntering;
    this.#isEntering = this.#isMoving = false;
    if (!isNew || !repeats) this.#pending = null;
    this.#isWaiting = this.#pending !== null;
    if (this.#pending) this.send(this.#pending);
    return isNew;
  }

  /** Opens the connection again after a delay. */
  retry(delayMs = MAX_RETRY_DELAY_MS) {
    this.#later(delayMs, () => this.callbacks.reconnect());
  }

  /** Tries the server now, because there may be a network again. */
  retryNow() {
    if (this.isStandIn && this.#isOpen) this.#checkServer();
    else if (!this.#isOpen) this.callbacks.reconnect();
  }

  /** Asks for the match over a link that is open. */
  #enter(isMoving: boolean) {
    this.#isEntering = this.#isWaiting = true;
    this.#isMoving = isMoving;
    this.callbacks.opened();
  }

  #lost(reason?: string) {
    if (reason) console.error(reason);
    this.#isOpen = this.#isEntering = this.#isMoving = false;
    this.#attempts += 1;
    // The library of this page may fail, too. The server is then tried again.
    if (this.isAway) {
      this.#isLocal = isStandalone || (this.callbacks.canPlayHere() && !this.#isLocal);
    }
    if (this.#attempts < MAX_STANDALONE_ATTEMPTS || !isStandalone) {
      const delay = FIRST_RETRY_DELAY_MS * 2 ** (this.#attempts - 1);
      this.retry(Math.min(delay, MAX_RETRY_DELAY_MS));
    }
    this.callbacks.lost();
  }

  /** Tries to reach the server, and moves the match to it if it answers in a quiet moment. */
  #checkServer() {
    this.#clearTimer();
    this.#candidate?.close();
    this.#candidate = null;
    if (!this.callbacks.isQuiet()) return this.#checkServerLater();
    const callbacks = {
      opened: () => {
        this.#candidate = null;
        if (!this.callbacks.isQuiet()) {
          link.close();
          return this.#checkServerLater();
        }
        this.#link?.close();
        this.#link = link;
        this.#isLocal = false;
        this.#enter(true);
      },
      message: (message: Message) => this.callbacks.message(message),
      lost: (reason?: string) =>
        this.#link === link ? this.#lost(reason) : this.#checkServerLater(),
    };
    const link = openLink(callbacks, false);
    this.#candidate = link;
  }

  #checkServerLater() {
    this.#later(SERVER_CHECK_INTERVAL_MS, () => this.#checkServer());
  }

  #clearTimer() {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #later(delayMs: number, then: () => void) {
    this.#clearTimer();
    this.#timer = setTimeout(then, delayMs);
  }
}
