// What a call means where it is made: 8♣ asks, goes along or raises.

import type { Done, Phase, Seat, Table } from "./messages";
import { fill, parts, type Speech } from "./words";

export type Meaning = "ask" | "along" | "raise" | "call";

/** What calls mean, one after the other, as the auction goes. */
export class Auction {
  /** The suit that a seat proposes, or plays in with another. */
  #suits: Partial<Record<Seat, string>> = {};
  #paired = new Set<Seat>();

  /** What a call of a seat would mean now. */
  meaning(seat: Seat, code: string): Meaning {
    const call = parts(code);
    if (call?.kind !== "suit") return "call";
    if (this.#paired.has(seat) && this.#suits[seat] === call.strain) return "raise";
    const others = Object.entries(this.#suits) as [Seat, string][];
    const open = others.some(([other, suit]) => other !== seat && suit === call.strain && !this.#paired.has(other));
    return open ? "along" : "ask";
  }

  /** Takes a call, and says what it means. */
  take(seat: Seat, code: string): Meaning {
    const meaning = this.meaning(seat, code);
    const suit = parts(code)?.strain ?? "";
    if (meaning === "along") {
      this.#paired.add(seat);
      for (const other of Object.keys(this.#suits) as Seat[]) {
        if (this.#suits[other] === suit) this.#paired.add(other);
      }
    }
    if (meaning === "ask" || meaning === "along") this.#suits[seat] = suit;
    else if (meaning === "call" && code !== "stay" && code !== "wait") {
      delete this.#suits[seat];
      this.#paired.delete(seat);
    }
    return meaning;
  }
}

/** What the calls of the first so many actions of a deal mean, and the auction after them. */
export function meanings(history: Done[]): [Meaning[], Auction] {
  const auction = new Auction();
  return [history.map(({ seat, action, phase }) => (phase === "auction" ? auction.take(seat, action) : "call")), auction];
}

/** An action as a text: a call with what it means at this point of the auction, a card as its sign. */
export function named(speech: Speech, auction: Auction, seat: Seat, code: string, phase: Phase): string {
  const call = phase === "auction" ? parts(code) : null;
  if (call?.kind !== "suit") return speech.action(code, phase);
  return fill((speech.words.calls as Record<string, string>)[auction.meaning(seat, code)], `${call.level} ${speech.strain(call.strain!)}`);
}

/** The card that has to be followed: the suit led, if the hand has it. */
export function toFollow(table: Table): string | null {
  const led = table.trick[0]?.card[1];
  return led && table.hand.some((card) => card[1] === led) ? led : null;
}
