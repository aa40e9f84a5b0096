// The bot that plays in a person's place at a shared table.

import type { Person, Table } from "../messages/messages";

/** News about the bot in the person's place. */
export type StandInNews =
  | { kind: "plays" }
  /** The person is back before the bot has done anything. */
  | { kind: "stopped" }
  /** The person is back; `cards` is `null` if it is not known whether the bot played cards. */
  | { kind: "played"; cards: number | null };

/** Follows the tables of a person, to report a bot that played in the person's place. */
export class StandIn {
  #before: Table | null = null;
  /** Actions of the bot since the person was there, and the cards among them. */
  #actions = 0;
  #cards: number | null = 0;

  /** Returns the news in the next table; `null` for none. */
  follow(table: Table): StandInNews | null {
    const isFollowed = this.#before?.people && this.#before.you === table.you;
    const before = isFollowed ? this.#before : null;
    const [was, is] = [personAt(before), personAt(table)];
    this.#before = table;
    if (!is) return null;
    const isAbsence = is.bot || was?.bot || (!is.whole && was?.whole !== false);
    if (!isAbsence) return null;
    this.#count(before, table);
    if (is.bot) return { kind: "plays" };
    const news = { kind: "played", cards: this.#cards } as const;
    const hasPlayed = this.#actions > 0;
    this.#actions = this.#cards = 0;
    if (hasPlayed) return news;
    return was?.bot ? { kind: "stopped" } : null;
  }

  #count(before: Table | null, table: Table) {
    const isSameDeal = before?.deal === table.deal;
    const seen = isSameDeal ? before.history.length : 0;
    const actions = table.history.slice(seen).filter(({ seat }) => seat === table.you);
    this.#actions += actions.length;
    // The person may have played the first cards, or the bot the last cards of another deal.
    if (!isSameDeal) this.#cards = null;
    if (this.#cards !== null) this.#cards += actions.filter(({ phase }) => phase === "play").length;
  }
}

/** Returns the person who plays at a table; `undefined` for one who watches. */
const personAt = (table: Table | null): Person | undefined =>
  table?.watching ? undefined : table?.people?.[table.you];
