// The reason of a decision as a sentence.

import { othersName } from "../language/sayings";
import type { Speech } from "../language/speech";
import { fill } from "../language/words";
import type { Choice, Reason } from "../match/reasons";
import type { Table } from "../messages/messages";

/** Returns the sentence for a reason; `name` returns the text of an action. */
export function reasonText(
  table: Table,
  speech: Speech,
  { did, best }: Choice,
  reason: Reason,
  name: (code: string) => string,
): string {
  return fill(speech.words.reasons[reason.key], {
    did: name(did),
    best: name(best),
    suit: "suit" in reason ? speech.strain(reason.suit) : name(did).slice(-1),
    n: "tricks" in reason ? reason.tricks : "",
    seat: "seat" in reason ? othersName(table, reason.seat, speech) : "",
    winner: "winner" in reason ? speech.cardSign(reason.winner) : "",
  });
}
