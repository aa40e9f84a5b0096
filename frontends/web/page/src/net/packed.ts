// Contents of a page in one file, and the rule sets that can be played with it.

import { collectParts, Parts } from "./parts";
import { BUILT_IN_NAMES, RULE_SET_NAMES } from "./rulesets";

/** A bot of the page. Its weights are a part of the page. */
interface PackedBot {
  rules: string;
  name: string;
  /** Text of its `bot.toml`. */
  info: string;
}

/** List of the contents, which `troel page` writes before the parts. */
interface Contents {
  /** Script of the worker. */
  worker: string;
  /** Script of the library. */
  module: string;
  bots: PackedBot[];
  /** Numbers of characters of the parts: the library, then the weights of each bot. */
  lengths: number[];
}

/** Features of browsers without which a page in one file cannot play. */
const NEEDED_FEATURES = ["WebAssembly", "DecompressionStream", "Worker"];

/** Contents of a page that needs no server. */
export class Packed {
  readonly parts: Parts;
  /** The needed feature that this browser lacks. */
  readonly lackingFeature = NEEDED_FEATURES.find((name) => !(name in globalThis));

  constructor(private contents: Contents) {
    this.parts = new Parts(contents.lengths);
  }

  get worker(): string {
    return this.contents.worker;
  }

  get rules(): string[] {
    return this.contents.bots.map(({ rules }) => rules);
  }

  /** Returns the two halves of the library when they have arrived. */
  async library(): Promise<{ module: string; wasm: string }> {
    return { module: this.contents.module, wasm: await this.parts.text(0) };
  }

  /** Returns the bot for a rule set of this page when it has arrived. */
  async bot(rules: string): Promise<PackedBot & { weights: string }> {
    const bot = this.contents.bots.find((bot) => bot.rules === rules)!;
    return { ...bot, weights: await this.parts.text(this.#part(rules)) };
  }

  /** Returns the share of everything that a match with these rules waits for, from 0 to 1. */
  progress(rules: string): number {
    return this.parts.progress(this.#part(rules));
  }

  /** Returns the part with the bot for these rules. */
  #part(rules: string): number {
    return this.rules.indexOf(rules) + 1;
  }
}

function readPacked(): Packed | null {
  const element = document.getElementById("packed");
  if (!element) return null;
  const packed = new Packed(JSON.parse(element.textContent!));
  collectParts(packed.parts);
  return packed;
}

/** The contents of the page; `null` if it comes from a server. */
export const packed = readPacked();

/** Whether the page needs no server. */
export const isStandalone = packed !== null;

/** The rule sets that can be chosen. */
export const PLAYABLE_RULES = packed?.rules ?? Object.keys(RULE_SET_NAMES);

/** Whether this page can play a rule set without a server. */
export const isPlayableOffline = (rules: string): boolean =>
  (packed?.rules ?? Object.keys(BUILT_IN_NAMES)).includes(rules);
