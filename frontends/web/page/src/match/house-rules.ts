// House rules: a built-in rule set with changes, as a rule file and as part of an address.

import type { RuleFacts } from "../language/rules-prose";
import type { Speech } from "../language/speech";
import { fill } from "../language/words";
import { TRICKS_OF_DEAL } from "../messages/contracts";
import { BUILT_IN_NAMES } from "../net/rulesets";
import {
  BASES,
  joinFile,
  type Lines,
  MAX_POINTS,
  read,
  readJustMade,
  readKind,
  readNumber,
  readOver,
  splitFile,
  write,
  writeFailed,
  writeMade,
  writeShort,
} from "./rule-lines";

const ID = /^[A-Za-z0-9][\w-]{0,63}$/;
const NUMBER = /^(0|[1-9]\d{0,4})$/;

/** A built-in rule set with changes. */
export interface HouseRules {
  /** Name of the built-in rule set. */
  base: string;
  /** Name of the changed rule set. */
  id: string;
  /**
   * Changed values: by key of an option, and by code of a contract. The value of a contract is its
   * points for making and failing it, such as "7/7", or "off". Points for each trick short come on
   * top of those for failing, also for the first one.
   */
  changes: Readonly<Record<string, string>>;
}

/** An option with its value in the built-in rule set. */
export interface Option {
  key: OptionKey;
  /** A number, "true" or "false". */
  value: string;
}

/** A contract with its points in the built-in rule set, as `HouseRules` has them. */
export interface ContractChoice {
  code: string;
  value: string;
}

/** Keys of the options, with the auction that has them. */
const OPTIONS = {
  match_target: "",
  share_miseres: "",
  void_moves_dealer: "",
  open_misere_shown_after: "",
  stay: "proposals",
  solo_needs_proposal: "proposals",
  misere_ends_proposals: "proposals",
  gather: "turn-up",
  exchange: "turn-up",
  turn_up_always_shown: "turn-up",
  troel_leads_key_card: "turn-up",
  over: "turn-up",
  short: "",
  troel_over: "turn-up",
  troel_short: "turn-up",
} as const;

export type OptionKey = keyof typeof OPTIONS;

/** Options that are the points of several contracts for each overtrick, or each trick short. */
export const TRICK_OPTIONS: Readonly<
  Partial<Record<OptionKey, { kinds: readonly string[]; isOver: boolean }>>
> = {
  over: { kinds: ["suit", "alone"], isOver: true },
  short: { kinds: ["suit", "solo", "alone"], isOver: false },
  troel_over: { kinds: ["troel"], isOver: true },
  troel_short: { kinds: ["troel"], isOver: false },
};

/** Whether an option is the points of a contract. One of all tricks has none over or short. */
function changesPoints(key: OptionKey, lines: Lines): boolean {
  const isOfKind = TRICK_OPTIONS[key]?.kinds.includes(readKind(lines)) ?? false;
  return isOfKind && readNumber(lines, "level") < TRICKS_OF_DEAL;
}

/** Returns the codes of the contracts whose points an option is, `[]` if it is another one. */
export const contractsOfOption = (base: string, key: OptionKey): string[] =>
  splitFile(base)
    .contracts.filter((lines) => changesPoints(key, lines))
    .map(codeOf);

function readOption(key: OptionKey, head: Lines, contracts: Lines[]): string {
  if (key === "gather") return String(read(head, "deal") === '"gather"');
  const option = TRICK_OPTIONS[key];
  if (!option) return read(head, key) ?? "false";
  const first = contracts.find((lines) => changesPoints(key, lines))!;
  return String(option.isOver ? readOver(first) : readNumber(first, "undertrick"));
}

/** Returns the options of a built-in rule set. */
export function optionsOf(base: string): Option[] {
  const { head, contracts } = splitFile(base);
  const family = JSON.parse(read(head, "family")!);
  const keys = Object.keys(OPTIONS) as OptionKey[];
  return keys
    .filter((key) => OPTIONS[key] === "" || OPTIONS[key] === family)
    .map((key) => ({ key, value: readOption(key, head, contracts) }));
}

/** Returns the code of a contract, for example `abondance-9`. */
export function codeOf(lines: Lines): string {
  const level = readNumber(lines, "level");
  return level ? `${readKind(lines)}-${level}` : readKind(lines);
}

const pointsOf = (lines: Lines) => `${readJustMade(lines)}/${read(lines, "failed")}`;

/** Returns the contracts of a built-in rule set, the lowest rank first. */
export const contractsOf = (base: string): ContractChoice[] =>
  splitFile(base).contracts.map((lines) => ({ code: codeOf(lines), value: pointsOf(lines) }));

function writePoints(lines: Lines, value: string) {
  const [made, failed] = value.split("/").map(Number);
  writeMade(lines, made, readOver(lines));
  writeFailed(lines, failed);
}

function writeOption(key: OptionKey, value: string, head: Lines, contracts: Lines[]) {
  if (key === "gather") return write(head, "deal", value === "true" ? '"gather"' : '"shuffle"');
  const option = TRICK_OPTIONS[key];
  if (!option) return write(head, key, value);
  for (const lines of contracts.filter((lines) => changesPoints(key, lines))) {
    if (option.isOver) writeMade(lines, readJustMade(lines), Number(value));
    else writeShort(lines, Number(value));
  }
}

/** Whether house rules have a contract. */
export const isPlayed = ({ changes }: HouseRules, code: string): boolean => changes[code] !== "off";

/** Returns the lines of house rules: the head, and all contracts, also those that are not played. */
export function changedLines({ base, changes }: HouseRules): { head: Lines; contracts: Lines[] } {
  const { head, contracts } = splitFile(base);
  for (const lines of contracts) {
    const value = changes[codeOf(lines)];
    if (value && value !== "off") writePoints(lines, value);
  }
  for (const { key } of optionsOf(base)) {
    if (changes[key]) writeOption(key, changes[key], head, contracts);
  }
  return { head, contracts };
}

/** Returns the rule file of house rules. */
export function ruleFile(house: HouseRules, description = ""): string {
  const { head, contracts } = changedLines(house);
  write(head, "id", JSON.stringify(house.id));
  write(head, "description", JSON.stringify(description));
  return joinFile(
    head,
    contracts.filter((lines) => isPlayed(house, codeOf(lines))),
  );
}

/** Returns the rule file of packed house rules, `undefined` if the text has none. */
export function ruleFileOf(packed: string): string | undefined {
  const house = unpackHouseRules(packed);
  return house ? ruleFile(house) : undefined;
}

/** Returns the problem with a name for house rules; `null` if there is none. */
export function idProblem(id: string): "characters" | "builtIn" | null {
  if (Object.hasOwn(BASES, id)) return "builtIn";
  return ID.test(id) ? null : "characters";
}

/** Returns the largest number that an option or the points of a contract may have. */
export const largestOf = (key: string): number =>
  key === "open_misere_shown_after" ? TRICKS_OF_DEAL : MAX_POINTS;

/** Whether `value` can take the place of `before`, the value in the built-in rule set. */
function canReplace(key: string, before: string, value: string): boolean {
  const isNumber = (text: string) => NUMBER.test(text) && Number(text) <= largestOf(key);
  if (before.includes("/")) {
    const points = value.split("/");
    return value === "off" || (points.length === 2 && points.every(isNumber));
  }
  return isNumber(before) ? isNumber(value) : ["true", "false"].includes(value);
}

/** Returns the house rules with another value of an option or contract. */
export function change(house: HouseRules, key: string, value: string): HouseRules {
  const choices = [
    ...optionsOf(house.base).map(({ key, value }) => [key, value]),
    ...contractsOf(house.base).map(({ code, value }) => [code, value]),
  ];
  const before = choices.find(([of]) => of === key)?.[1];
  if (before === undefined || !canReplace(key, before, value)) return house;
  const others = Object.entries(house.changes).filter(([of]) => of !== key);
  const changes = value === before ? others : [...others, [key, value]];
  return { ...house, changes: Object.fromEntries(changes) };
}

/** Returns house rules as the hash of an address. */
export const packHouseRules = ({ base, id, changes }: HouseRules): string =>
  new URLSearchParams({ house: base, id, ...changes }).toString();

/** Reverses `packHouseRules`, without unknown changes. Returns `null` if the text has none. */
export function unpackHouseRules(hash: string): HouseRules | null {
  const { house: base, id, ...changes } = Object.fromEntries(new URLSearchParams(hash));
  if (!base || !Object.hasOwn(BASES, base)) return null;
  const named = { base, id: idProblem(id ?? "") === null ? id : `my-${base}`, changes: {} };
  return Object.entries(changes).reduce<HouseRules>(
    (house, [key, value]) => change(house, key, value),
    named,
  );
}

/**
 * Returns the facts about rules that this page knows: packed house rules with this name, or else a
 * built-in rule set. Returns `null` for other rules.
 */
export function factsOf(speech: Speech, rules: string, packed = ""): RuleFacts | null {
  const packedRules = unpackHouseRules(packed);
  const isHouse = packedRules?.id === rules;
  const house = isHouse ? packedRules : unpackHouseRules(`house=${rules}`);
  if (!house) return null;
  const { base, changes } = house;
  const values = optionsOf(base).map(({ key, value }) => [key, changes[key] ?? value]);
  const origins: Readonly<Record<string, string>> = speech.words.guide.origin;
  const origin = isHouse ? fill(speech.words.house.from, BUILT_IN_NAMES[base]) : origins[base];
  return { origin, options: Object.fromEntries(values) };
}
