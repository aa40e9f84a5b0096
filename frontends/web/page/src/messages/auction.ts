// Meanings of suit calls: depending on the auction, 8♣ asks for a partner, goes along or raises.

import { parseCall } from "./actions";
import type { Seat, Strain, VisibleAction } from "./messages";

/** Meaning of a call; "call" for calls other than those of a suit. */
export type Meaning = "ask" | "along" | "raise" | "call";

/** Proposals and partnerships of an auction, call by call. */
export class Auction {
  /** The suit that each seat proposes, alone or with a partner. */
  #suits: Partial<Record<Seat, Strain>> = {};
  #paired = new Set<Seat>();

  /** Returns the meaning that a call of `seat` would have now. */
  meaning(seat: Seat, code: string): Meaning {
    const call = parseCall(code);
    if (call?.kind !== "suit") return "call";
    if (this.#paired.has(seat) && this.#suits[seat] === call.strain) return "raise";
    const proposals = Object.entries(this.#suits) as [Seat, Strain][];
    const isProposed = proposals.some(
      ([other, suit]) => other !== seat && suit === call.strain && !this.#paired.has(other),
    );
    return isProposed ? "along" : "ask";
  }

  /** Adds a call to the auction and returns its meaning. */
  add(seat: Seat, code: string): Meaning {
    const meaning = this.meaning(seat, code);
    const suit = parseCall(code)?.strain;
    if (meaning === "along") {
      this.#paired.add(seat);
      for (const other of Object.keys(this.#suits) as Seat[]) {
        if (this.#suits[other] === suit) this.#paired.add(other);
      }
    }
    if (meaning === "ask" || meaning === "along") this.#suits[seat] = suit ?? undefined;
    else if (meaning === "call" && code !== "stay" && code !== "wait") {
      delete this.#suits[seat];
      this.#paired.delete(seat);
    }
    return meaning;
  }
}

/** Replays the actions of a deal. Returns the meaning of each action and the auction after them. */
export function replayAuction(history: VisibleAction[]): { meanings: Meaning[]; auction: Auction } {
  const auction = new Auction();
  const meanings = history.map(({ seat, action, phase }) =>
    phase === "auction" ? auction.add(seat, action) : "call",
  );
  return { meanings, auction };
}
