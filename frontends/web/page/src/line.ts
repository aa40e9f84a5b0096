// The line to a table. A line that is lost is opened again, and the command that was not answered
// is sent again. If the server stays away, the bots of this page play, and the match moves back to
// the server once that is there again.

import { connect, isAlone, type Link } from "./link";
import type { Command, Message } from "./messages";

/** Attempts after which the bots of this page play in place of a server's. */
const ATTEMPTS = 3;
/** Attempts after which a page that needs no server gives up. */
const GIVE_UP = 8;
/** Most milliseconds between two attempts. */
const RETRY = 8000;
/** Milliseconds between two looks for the server while the page plays without it. */
const SEEK = 4000;

/** The game at this end of a line. */
export interface Ends {
  /** Opens the line again, if the match is still this window's. */
  reconnect(): void;
  /** A table is there, and is to be asked for the match. */
  opened(): void;
  message(message: Message): void;
  /** The table is gone. The line is tried again. */
  lost(): void;
  /** Whether the bots of this page may play. */
  canPlayHere(): boolean;
  /** Whether nothing is shown, asked or on its way, so that another table can take over. */
  isQuiet(): boolean;
}

/** Line to a table. The game sees one line, also while it is opened again or to another table. */
export class Line {
  #link: Link | null = null;
  /** The server that is looked for. */
  #candidate: Link | null = null;
  /** The next attempt, or the next look for the server. */
  #timer: ReturnType<typeof setTimeout> | null = null;
  #attempts = 0;
  #here = isAlone;
  #isOpen = false;
  /** Whether the match was asked for over a new line, and has not arrived yet. */
  #isEntering = false;
  /** Whether the earlier table stays in use until then. Commands wait for the new one. */
  #isMoving = false;
  #isWaiting = false;
  /** The command that is not answered yet. */
  #pending: Command | null = null;

  constructor(private ends: Ends) {}

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Whether the bots of this page play in place of a server's. */
  get isStandIn(): boolean {
    return this.#here && !isAlone;
  }

  /** Whether the line has been lost for long. */
  get isAway(): boolean {
    return this.#attempts >= ATTEMPTS;
  }

  /** Whether an answer is awaited. */
  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  /** Whether an answer is awaited before anything else may be done. */
  get isBlocked(): boolean {
    return this.#isWaiting && !this.#isMoving;
  }

  /** Sends a command that is not repeated if it is lost. */
  send(command: Command) {
    if (this.#isOpen) this.#link?.send(command);
  }

  /** Sends a command to the match, and sends it again over a new line until it is answered. */
  do(command: Command) {
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

  /** Opens the line, to the table that was tried last. */
  open() {
    this.close();
    this.#here = isAlone || (this.#here && this.ends.canPlayHere());
    this.#link = connect({
      opened: () => {
        this.#isOpen = true;
        if (this.isStandIn) this.#later(SEEK, () => this.#seek());
        this.#enter(false);
      },
      message: (message) => this.ends.message(message),
      lost: (reason) => this.#lost(reason),
    }, this.#here);
  }

  close() {
    this.#clear();
    this.#link?.close();
    this.#candidate?.close();
    this.#link = this.#candidate = null;
    this.#isOpen = this.#isEntering = this.#isMoving = false;
    this.#isWaiting = true;
  }

  /** The table answers: the next loss is a first one. */
  answers() {
    this.#attempts = 0;
  }

  /**
   * Notes that the table sent the match: as the answer to the last command, or over a new line. A
   * command without an answer over the old line is then sent again, if `repeats`. Returns whether
   * the line is new.
   */
  arrived(repeats: boolean): boolean {
    const isNew = this.#isEntering;
    this.#isEntering = this.#isMoving = false;
    if (!isNew || !repeats) this.#pending = null;
    this.#isWaiting = this.#pending !== null;
    if (this.#pending) this.send(this.#pending);
    return isNew;
  }

  /** Closes the line and opens it again after a while. */
  retry(milliseconds = RETRY) {
    this.#later(milliseconds, () => this.ends.reconnect());
  }

  /** There may be a network again. */
  hurry() {
    if (this.isStandIn && this.#isOpen) this.#seek();
    else if (!this.#isOpen) this.ends.reconnect();
  }

  /** Asks for the match over a line that is open. */
  #enter(isMoving: boolean) {
    this.#isEntering = this.#isWaiting = true;
    this.#isMoving = isMoving;
    this.ends.opened();
  }

  #lost(reason?: string) {
    if (reason) console.error(reason);
    this.#isOpen = this.#isEntering = this.#isMoving = false;
    this.#attempts += 1;
    // Where the library of this page fails, too, the server may be there again.
    if (this.isAway) this.#here = isAlone || (this.ends.canPlayHere() && !this.#here);
    if (this.#attempts < GIVE_UP || !isAlone) this.retry(Math.min(500 * 2 ** (this.#attempts - 1), RETRY));
    this.ends.lost();
  }

  #seek() {
    const again = () => this.#later(SEEK, () => this.#seek());
    this.#clear();
    this.#candidate?.close();
    this.#candidate = null;
    if (!this.ends.isQuiet()) return again();
    const link = connect({
      opened: () => {
        this.#candidate = null;
        if (!this.ends.isQuiet()) {
          link.close();
          return again();
        }
        this.#link?.close();
        this.#link = link;
        this.#here = false;
        this.#enter(true);
      },
      message: (message) => this.ends.message(message),
      lost: (reason) => (this.#link === link ? this.#lost(reason) : again()),
    }, false);
    this.#candidate = link;
  }

  #clear() {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #later(milliseconds: number, then: () => void) {
    this.#clear();
    this.#timer = setTimeout(then, milliseconds);
  }
}
