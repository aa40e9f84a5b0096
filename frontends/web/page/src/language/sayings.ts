// Names of seats, and sentences for actions.

import { parseCall } from "../messages/actions";
import { type Auction, type Meaning, replayAuction } from "../messages/auction";
import type { Phase, Seat, Table, VisibleAction } from "../messages/messages";
import type { Speech } from "./speech";
import { fill } from "./words";

/** A sentence and the seat that it is about. */
export interface Saying {
  seat: Seat;
  text: string;
}

/** Returns the name of a seat: "you", the name of the person there, or that of its bot. */
export const seatName = (table: Table, seat: Seat, speech: Speech): string =>
  seat === table.you ? speech.words.you : othersName(table, seat, speech);

/** Returns the name of another seat: that of the person there, or of its bot. */
export const othersName = (table: Table, seat: Seat, speech: Speech): string =>
  table.people?.[seat]?.name || speech.words.life.names[seat];

/** Returns the sentence for an action; `meaning` is that of a suit call. */
export function saying(
  table: Table,
  speech: Speech,
  { seat, action, phase }: VisibleAction,
  meaning: Meaning,
): string {
  const forms = speech.words.says as Record<string, string[]>;
  const say = (form: string, object = "") => {
    const sentence = forms[form][seat === table.you ? 0 : 1];
    return fill(sentence, { name: othersName(table, seat, speech), "": object });
  };
  if (action === "-" || phase === "discard") return say("aside");
  if (phase === "play") return say("lead", speech.cardName(action));
  if (forms[action]) return say(action);
  if (phase === "exchange") return say("want", speech.cardName(action));
  const call = parseCall(action);
  if (call?.kind === "suit") return say(meaning, `${call.level} ${speech.strain(call.strain!)}`);
  return say("call", speech.call(action));
}

/** Returns the sentence for action number `step` of the deal, from 0. */
export function sayingAt(table: Table, speech: Speech, step: number): string {
  const { meanings } = replayAuction(table.history.slice(0, step + 1));
  return saying(table, speech, table.history[step], meanings[step]);
}

/** Returns a sentence for each action before the first card. */
export function auctionSayings(table: Table, speech: Speech): Saying[] {
  const calls = table.history.slice(0, table.calls);
  const { meanings } = replayAuction(calls);
  return calls.map((done, i) => ({
    seat: done.seat,
    text: saying(table, speech, done, meanings[i]),
  }));
}

/** Returns the sentence for the partnership that the aces of a seat force, if there is one. */
export function announcement(table: Table, speech: Speech): Saying | null {
  const { announcer, announces, you } = table;
  if (!announcer || !announces) return null;
  const sentence = announcer === you ? speech.words.announcesYou : speech.words.announces;
  const name = othersName(table, announcer, speech);
  return { seat: announcer, text: fill(sentence, { name, "": speech.kind(announces) }) };
}

/** Returns an action as a short text: a suit call with its meaning, a card as its sign. */
export function actionText(
  speech: Speech,
  auction: Auction,
  seat: Seat,
  code: string,
  phase: Phase,
): string {
  const call = phase === "auction" ? parseCall(code) : null;
  if (call?.kind !== "suit") return speech.action(code, phase);
  const forms = speech.words.calls as Record<string, string>;
  const height = `${call.level} ${speech.strain(call.strain!)}`;
  return fill(forms[auction.meaning(seat, code)], height);
}
