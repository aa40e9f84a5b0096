// Content that `troel page` packs into the page, and the rule sets that can be played with it.

import { BUILT_IN_NAMES, RULE_SET_NAMES } from "./rulesets";

/** The library and the bots by rule set, in Base64. */
export interface Packed {
  worker: string;
  module: string;
  wasm: string;
  bots: Record<string, { name: string; info: string; weights: string }>;
}

const element = document.getElementById("packed");

/** The packed content; `null` if the page comes from a server. */
export const packed: Packed | null = element ? JSON.parse(element.textContent!) : null;

/** Whether the page needs no server. */
export const isStandalone = packed !== null;

/** The rule sets that can be chosen. */
export const PLAYABLE_RULES = Object.keys(packed?.bots ?? RULE_SET_NAMES);

/** Whether this page can play a rule set without a server. */
export const isPlayableOffline = (rules: string): boolean =>
  Object.keys(packed?.bots ?? BUILT_IN_NAMES).includes(rules);
