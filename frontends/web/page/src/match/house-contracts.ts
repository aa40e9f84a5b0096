// The contracts of house rules, with their points as players count them.

import type { ContractRow } from "../messages/messages";
import {
  change,
  changedLines,
  codeOf,
  contractsOfOption,
  type HouseRules,
  isPlayed,
  largestOf,
  type OptionKey,
  TRICK_OPTIONS,
} from "./house-rules";
import { contractRow, type Lines, read, readJustMade, readNumber } from "./rule-lines";

/** A contract under house rules. */
export interface HouseContract {
  code: string;
  isPlayed: boolean;
  /** Points for just making it. */
  made: number;
  /** Points lost with one trick short, or for a misère or piccolo that fails. */
  short: number;
  /** Points for each trick short, the least that one trick short can cost. */
  eachShort: number;
  /** Points by tricks. In a settlement they are those that one defender pays or receives. */
  row: ContractRow;
}

function houseContract(lines: Lines, isPlayed: boolean, isSettlement: boolean): HouseContract {
  const eachShort = readNumber(lines, "undertrick");
  return {
    code: codeOf(lines),
    isPlayed,
    made: readJustMade(lines),
    short: readNumber(lines, "failed") + eachShort,
    eachShort,
    row: contractRow(lines, isSettlement),
  };
}

/** Returns the contracts of house rules, also those that are not played, the lowest rank first. */
export function houseContracts(house: HouseRules): HouseContract[] {
  const { head, contracts } = changedLines(house);
  const isSettlement = read(head, "scoring") === '"settlement"';
  return contracts.map((lines) =>
    houseContract(lines, isPlayed(house, codeOf(lines)), isSettlement),
  );
}

/** Returns the house rules with other points of a contract: just made, and one trick short. */
export function changePoints(
  house: HouseRules,
  { code, eachShort }: HouseContract,
  made: number,
  short: number,
): HouseRules {
  return change(house, code, `${made}/${Math.max(short - eachShort, 0)}`);
}

/** Returns the house rules with a contract that is played with the built-in points, or not played. */
export function changePlayed(house: HouseRules, code: string, isPlayed: boolean): HouseRules {
  if (!isPlayed) return change(house, code, "off");
  const find = (rules: HouseRules) => houseContracts(rules).find((one) => one.code === code)!;
  const before = find({ ...house, changes: {} });
  return changePoints(house, find(house), before.made, before.short);
}

/** Returns the contracts that are played and lose an option's points for each trick short. */
function contractsByShort(house: HouseRules, key: OptionKey): HouseContract[] {
  if (TRICK_OPTIONS[key]?.isOver !== false) return [];
  const codes = contractsOfOption(house.base, key);
  return houseContracts(house).filter(({ code, isPlayed }) => isPlayed && codes.includes(code));
}

/**
 * Returns the largest value of an option. A further trick short cannot cost more than the first
 * one, because a rule file has no negative points.
 */
export const largestOption = (house: HouseRules, key: OptionKey): number =>
  Math.min(largestOf(key), ...contractsByShort(house, key).map(({ short }) => short));

/** Returns the house rules with another value of an option. One trick short costs as before. */
export function changeOption(house: HouseRules, key: OptionKey, value: string): HouseRules {
  const changed = change(house, key, value);
  const contracts = houseContracts(changed);
  return contractsByShort(house, key).reduce((rules, { code, made, short }) => {
    const contract = contracts.find((one) => one.code === code)!;
    return changePoints(rules, contract, made, short);
  }, changed);
}
