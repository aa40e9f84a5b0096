// Kinds of actions before the card play, as they are explained.

import { isCard, parseCall } from "./actions";
import { type Meaning, replayAuction } from "./auction";
import type { Phase, Table } from "./messages";

/** Actions that mean something else in the exchange of the turn-up. */
const EXCHANGE_KINDS: Readonly<Record<string, string>> = { keep: "keepTurnUp", pass: "withdraw" };

/**
 * Returns the kind of an action: the meaning of a suit call, the kind of another contract, or the
 * code itself. Cards are of the kind "card".
 */
export function kindOf(code: string, phase: Phase, meaning: Meaning): string {
  if (phase === "exchange" && EXCHANGE_KINDS[code]) return EXCHANGE_KINDS[code];
  if (isCard(code, phase)) return "card";
  const call = parseCall(code);
  if (!call) return code;
  return call.kind === "suit" ? meaning : call.kind;
}

/** Returns the kinds of actions that the person can take now, in their order, each once. */
export function offeredKinds(table: Table): string[] {
  const { legal, phase, you, history, calls } = table;
  const { auction } = replayAuction(history.slice(0, calls));
  const isCall = phase !== "play" && phase !== "discard";
  return isCall ? unique(legal.map((code) => kindOf(code, phase, auction.meaning(you, code)))) : [];
}

/** Returns the kinds of the actions before the first card, each once. */
export function calledKinds({ history, calls, announces }: Table): string[] {
  const before = history.slice(0, calls).filter(({ phase }) => phase !== "discard");
  const { meanings } = replayAuction(before);
  const kinds = before.map(({ action, phase }, i) => kindOf(action, phase, meanings[i]));
  return unique([...(announces ? [announces] : []), ...kinds]);
}

const unique = <T>(items: T[]): T[] => [...new Set(items)];
