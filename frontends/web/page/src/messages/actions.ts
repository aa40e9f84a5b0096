// Reading the codes of actions.

import type { Phase, Strain, Suit } from "./messages";

const SUIT_CALL = /^(\d+)([SCDH])$/;
const CONTRACT_KINDS = [
  "solo-slim",
  "small-slam",
  "small-misere",
  "open-misere",
  "misere",
  "piccolo",
  "solo",
  "abondance",
  "slam",
  "trump",
];
const CONTRACT_CALL = new RegExp(`^(${CONTRACT_KINDS.join("|")})(?:-(\\d*)(NT|[SCDH])?)?$`);
const CARD = /^[2-9TJQKA][SHDC]$/;

/** Contract that a call names. The level is 0 for contracts without one. */
export interface ContractCall {
  kind: string;
  level: number;
  strain: Strain | null;
}

/** Parses a call that names a contract; `null` for other actions. */
export function parseCall(code: string): ContractCall | null {
  const suitCall = SUIT_CALL.exec(code);
  if (suitCall) return { kind: "suit", level: Number(suitCall[1]), strain: suitCall[2] as Suit };
  const call = CONTRACT_CALL.exec(code);
  if (!call) return null;
  const level = Number(call[2] || 0);
  const kind = call[1] === "solo" && level === 5 ? "alone" : call[1];
  return { kind, level, strain: (call[3] as Strain | undefined) ?? null };
}

/** Whether an action in this phase is a card. In the auction, `8S` is a call. */
export const isCard = (code: string, phase: Phase): boolean =>
  phase !== "auction" && CARD.test(code);
