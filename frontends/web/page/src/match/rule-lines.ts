// Rule files as lines: the head, and the contracts with their points.

import horesca from "../../../../../configs/rules/horesca.toml?raw";
import iwwa from "../../../../../configs/rules/iwwa.toml?raw";
import luxembourg from "../../../../../configs/rules/luxembourg.toml?raw";
import wiezen from "../../../../../configs/rules/wiezen.toml?raw";
import { exactTricks, TRICKS_OF_DEAL } from "../messages/contracts";
import type { ContractRow } from "../messages/messages";

/** Rule files of the built-in rule sets by name. */
export const BASES: Readonly<Record<string, string>> = { luxembourg, horesca, wiezen, iwwa };

/** Largest points of a rule file. */
export const MAX_POINTS = 10000;
/** Tricks short that the library lists in the points of a contract. */
const LISTED_TRICKS_SHORT = 3;
const COMMENTS = /^#.*\n/gm;

/** Lines of a rule file, or of a contract in it. */
export type Lines = string[];

/** Returns the lines before the first contract, and those of each contract. */
export function splitFile(base: string): { head: Lines; contracts: Lines[] } {
  const parts = BASES[base].replace(COMMENTS, "").split("[[contract]]\n");
  const [head, ...contracts] = parts.map((part) => part.trim().split("\n"));
  return { head, contracts };
}

/** Reverses `splitFile`. */
export const joinFile = (head: Lines, contracts: Lines[]): string =>
  [head, ...contracts.map((lines) => ["[[contract]]", ...lines])]
    .map((lines) => `${lines.join("\n")}\n`)
    .join("\n");

export function read(lines: Lines, key: string): string | undefined {
  const start = `${key} = `;
  return lines.find((line) => line.startsWith(start))?.slice(start.length);
}

export const readNumber = (lines: Lines, key: string): number => Number(read(lines, key) ?? 0);
export const readKind = (lines: Lines): string => JSON.parse(read(lines, "kind")!);
const readMade = (lines: Lines): number[] => JSON.parse(read(lines, "made")!);

export function write(lines: Lines, key: string, value: string | number) {
  const line = `${key} = ${value}`;
  const at = lines.findIndex((old) => old.startsWith(`${key} = `));
  if (at < 0) lines.push(line);
  else lines[at] = line;
}

/** Returns the points for just making a contract. */
export const readJustMade = (lines: Lines): number => readMade(lines)[0];

/** Returns the points for each overtrick, without what all tricks pay in addition. */
export function readOver(lines: Lines): number {
  const [justMade, next] = readMade(lines);
  return next === undefined ? readNumber(lines, "overtrick") : next - justMade;
}

/**
 * Changes the points for just making a contract and for each overtrick. A figure of the table that
 * is a multiple of the regular one remains a multiple; another one keeps its distance.
 */
export function writeMade(lines: Lines, justMade: number, over: number) {
  const before = readMade(lines);
  const overBefore = readOver(lines);
  const figures = before.map((points, i) => {
    const regular = before[0] + i * overBefore;
    const changed = justMade + i * over;
    const factor = points / regular;
    const figure =
      factor > 1 && Number.isInteger(factor) ? factor * changed : changed + points - regular;
    return Math.min(Math.max(figure, 0), MAX_POINTS);
  });
  write(lines, "made", `[${figures.join(", ")}]`);
  if (before.length === 1 && over !== overBefore) write(lines, "overtrick", over);
}

/** Changes points of the defenders in proportion to a change from `before` to `after`. */
function scale(lines: Lines, key: string, before: number, after: number) {
  const points = readNumber(lines, key);
  if (points && before)
    write(lines, key, Math.min(Math.round((points * after) / before), MAX_POINTS));
}

/** Changes the points lost before the first trick short, and those of defenders with them. */
export function writeFailed(lines: Lines, failed: number) {
  const before = readNumber(lines, "failed");
  for (const key of ["opponents", "opponents_several"]) scale(lines, key, before, failed);
  write(lines, "failed", failed);
}

/** Changes the points lost for each trick short, and those of defenders with them. */
export function writeShort(lines: Lines, short: number) {
  scale(lines, "opponents_undertrick", readNumber(lines, "undertrick"), short);
  write(lines, "undertrick", short);
}

/** Returns the points of a declarer for a number of tricks, as `made` and `overtrick` say. */
function madePoints(lines: Lines, tricks: number): number {
  const made = readMade(lines);
  const over = tricks - readNumber(lines, "level");
  const last = Math.min(over, made.length - 1);
  const points = made[last] + readNumber(lines, "overtrick") * (over - last);
  return tricks === TRICKS_OF_DEAL
    ? points * (Number(read(lines, "all_tricks_factor")) || 1)
    : points;
}

/**
 * Returns the points of a contract as the library lists them. In a settlement they are those that
 * one defender pays or receives.
 */
export function contractRow(lines: Lines, isSettlement: boolean): ContractRow {
  const kind = readKind(lines);
  const level = readNumber(lines, "level");
  const lost = (short: number): [number, number] => {
    const own = readNumber(lines, "failed") + readNumber(lines, "undertrick") * short;
    const opponents =
      readNumber(lines, "opponents") + readNumber(lines, "opponents_undertrick") * short;
    return [0 - own, isSettlement ? own : opponents];
  };
  const won = (tricks: number): [number, number] => {
    const own = madePoints(lines, tricks);
    return [own, isSettlement ? 0 - own : 0];
  };
  const exact = exactTricks(kind);
  const points: ContractRow["points"] = [];
  if (exact !== null) points.push([exact, won(0)[0], won(0)[1]], [1 - exact, ...lost(0)]);
  else
    for (let tricks = level - LISTED_TRICKS_SHORT; tricks <= TRICKS_OF_DEAL; tricks += 1)
      points.push([tricks, ...(tricks < level ? lost(level - tricks) : won(tricks))]);
  return { kind, level, no_trumps: read(lines, "no_trumps") === "true", points };
}
