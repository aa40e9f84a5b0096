// House rules: a built-in rule set with changes, as a rule file and as part of an address.

import horesca from "../../../../../configs/rules/horesca.toml?raw";
import iwwa from "../../../../../configs/rules/iwwa.toml?raw";
import luxembourg from "../../../../../configs/rules/luxembourg.toml?raw";
import wiezen from "../../../../../configs/rules/wiezen.toml?raw";

/** Rule files of the built-in rule sets by name. */
export const BASES: Readonly<Record<string, string>> = { luxembourg, horesca, wiezen, iwwa };

/** Largest points of a rule file. */
const MAX_POINTS = 10000;
const TRICKS_OF_DEAL = 13;

const ID = /^[A-Za-z0-9][\w-]{0,63}$/;
const NUMBER = /^(0|[1-9]\d{0,4})$/;
/** Contracts that pay for tricks over and lose for tricks short, unless they need all tricks. */
const KINDS_BY_TRICKS = ["suit", "solo", "alone"];
const COMMENTS = /^#.*\n/gm;

/** A built-in rule set with changes. */
export interface HouseRules {
  /** Name of the built-in rule set. */
  base: string;
  /** Name of the changed rule set. */
  id: string;
  /**
   * Changed values: by key of an option, and by code of a contract. The value of a contract is its
   * points for making and failing it, such as "7/7", or "off".
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
  /** Kind and level, for example `abondance-9`. */
  code: string;
  kind: string;
  level: number;
  value: string;
}

/** Keys of the options, with the auction that has them. `over` and `short` are for each trick. */
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
} as const;

export type OptionKey = keyof typeof OPTIONS;

/** Lines of a rule file, or of a contract in it. */
type Lines = string[];

/** Returns the lines before the first contract, and those of each contract. */
function splitFile(base: string): { head: Lines; contracts: Lines[] } {
  const parts = BASES[base].replace(COMMENTS, "").split("[[contract]]\n");
  const [head, ...contracts] = parts.map((part) => part.trim().split("\n"));
  return { head, contracts };
}

function read(lines: Lines, key: string): string | undefined {
  const start = `${key} = `;
  return lines.find((line) => line.startsWith(start))?.slice(start.length);
}

const readNumber = (lines: Lines, key: string): number => Number(read(lines, key) ?? 0);
const readMade = (lines: Lines): number[] => JSON.parse(read(lines, "made")!);
const readKind = (lines: Lines): string => JSON.parse(read(lines, "kind")!);

function write(lines: Lines, key: string, value: string | number) {
  const line = `${key} = ${value}`;
  const at = lines.findIndex((old) => old.startsWith(`${key} = `));
  if (at < 0) lines.push(line);
  else lines[at] = line;
}

function readOption(key: OptionKey, head: Lines, [suit]: Lines[]): string {
  if (key === "gather") return String(read(head, "deal") === '"gather"');
  if (key === "short") return String(readNumber(suit, "undertrick"));
  if (key !== "over") return read(head, key) ?? "false";
  const [least, next] = readMade(suit);
  return String(next ? next - least : readNumber(suit, "overtrick"));
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

/** Returns the contracts of a built-in rule set, the lowest rank first. */
export function contractsOf(base: string): ContractChoice[] {
  return splitFile(base).contracts.map((lines) => {
    const [kind, level] = [readKind(lines), readNumber(lines, "level")];
    const value = `${readMade(lines)[0]}/${read(lines, "failed")}`;
    return { code: level ? `${kind}-${level}` : kind, kind, level, value };
  });
}

/** Changes points of the defenders in proportion to a change from `before` to `after`. */
function scale(lines: Lines, key: string, before: number, after: number) {
  const points = readNumber(lines, key);
  if (points) write(lines, key, Math.min(Math.round((points * after) / before), MAX_POINTS));
}

/** Changes the points of a contract. Those for overtricks and of the defenders change with them. */
function writePoints(lines: Lines, value: string) {
  const [made, failed] = value.split("/").map(Number);
  const before = readNumber(lines, "failed");
  const [least, ...others] = readMade(lines);
  const limited = (points: number) => Math.min(Math.max(points, 0), MAX_POINTS);
  const shifted = [made, ...others.map((points) => limited(points + made - least))];
  write(lines, "made", `[${shifted.join(", ")}]`);
  write(lines, "failed", failed);
  if (before)
    for (const key of ["opponents", "opponents_several"]) scale(lines, key, before, failed);
}

function writeOption(key: OptionKey, value: string, head: Lines, contracts: Lines[]) {
  if (key === "gather") return write(head, "deal", value === "true" ? '"gather"' : '"shuffle"');
  if (key !== "over" && key !== "short") return write(head, key, value);
  for (const lines of contracts) {
    const isByTricks = KINDS_BY_TRICKS.includes(readKind(lines));
    if (!isByTricks || readNumber(lines, "level") === TRICKS_OF_DEAL) continue;
    if (key === "short") {
      scale(lines, "opponents_undertrick", readNumber(lines, "undertrick"), Number(value));
      write(lines, "undertrick", value);
    } else {
      write(lines, "made", `[${readMade(lines)[0]}]`);
      write(lines, "overtrick", value);
    }
  }
}

/** Returns the rule file of house rules. */
export function ruleFile({ base, id, changes }: HouseRules): string {
  const { head, contracts } = splitFile(base);
  write(head, "id", JSON.stringify(id));
  write(head, "description", JSON.stringify(`House rules, from ${base}`));
  const isPlayed = contractsOf(base).map(({ code }, i) => {
    const value = changes[code];
    if (value && value !== "off") writePoints(contracts[i], value);
    return value !== "off";
  });
  for (const { key } of optionsOf(base)) {
    if (changes[key]) writeOption(key, changes[key], head, contracts);
  }
  const played = contracts.filter((_, i) => isPlayed[i]);
  return [head, ...played.map((lines) => ["[[contract]]", ...lines])]
    .map((lines) => `${lines.join("\n")}\n`)
    .join("\n");
}

/** Returns the rule file of packed house rules, `undefined` if the text has none. */
export function ruleFileOf(packed: string): string | undefined {
  const house = unpackHouseRules(packed);
  return house ? ruleFile(house) : undefined;
}

/** Whether a text can be the name of house rules. */
export const isHouseId = (id: string): boolean => ID.test(id) && !Object.hasOwn(BASES, id);

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
  const named = { base, id: isHouseId(id ?? "") ? id : `my-${base}`, changes: {} };
  return Object.entries(changes).reduce<HouseRules>(
    (house, [key, value]) => change(house, key, value),
    named,
  );
}
