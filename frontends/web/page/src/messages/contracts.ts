// Points of contracts, from the contract table of the rules.

import type { Contract, ContractRow, Rules, Table } from "./messages";
import { SEATS } from "./seats";

/** Number of tricks of a deal. */
export const TRICKS_OF_DEAL = 13;
const MOST_TROEL_TRICKS = 9;

/** Returns the number of tricks that a misère or piccolo must take; `null` for other contracts. */
export function exactTricks(kind: string): number | null {
  if (kind === "piccolo") return 1;
  return ["misere", "small-misere", "open-misere"].includes(kind) ? 0 : null;
}

/**
 * Returns the contract as far as the cards on the table settle it. Its level is `null` while a troel
 * may need eight or nine tricks: the table counts eight until the first trick is over.
 */
export function certainContract({ contract, trick, tricks }: Table): Contract | null {
  const isOpen = contract?.kind === "troel" && SEATS.every((seat) => tricks[seat] === 0);
  if (!isOpen || contract.level === MOST_TROEL_TRICKS) return contract;
  const [led] = trick;
  // Where the card that calls the partner must be led, trumps are known before the lead.
  if (!led) return contract.trump ? contract : { ...contract, level: null };
  const [rank, suit] = led.card;
  if (rank === "A") return contract;
  // With four aces the partner is called by a heart, which the others do not know.
  return { ...contract, level: suit === "H" ? null : MOST_TROEL_TRICKS };
}

/** Points of each declarer for a contract that is just made, and for one trick short of it. */
export interface Stakes {
  row: ContractRow;
  made: number;
  failed: number;
}

/** Returns the stakes of a contract; `null` if the rules do not list it. */
export function contractStakes(
  rules: Rules | null,
  kind: string,
  level: number | null,
): Stakes | null {
  const rows = rules?.contracts.filter((row) => row.kind === kind) ?? [];
  const onlyRow = rows.length === 1 ? rows[0] : undefined;
  // A troel of nine tricks has the row of eight.
  const row = rows.find((row) => row.level === (level ?? 0)) ?? onlyRow;
  if (!row) return null;
  const pointsFor = (tricks: number) => row.points.find(([taken]) => taken === tricks)?.[1] ?? 0;
  const exact = exactTricks(kind);
  if (exact !== null) return { row, made: pointsFor(exact), failed: pointsFor(1 - exact) };
  return { row, made: pointsFor(row.level), failed: pointsFor(row.level - 1) };
}

/** Returns the least difference in points between making a contract of the rules and failing it. */
export function cheapestStake(rules: Rules | null): number {
  const stakes =
    rules?.contracts.map(({ kind, level }) => contractStakes(rules, kind, level)!) ?? [];
  const differences = stakes.map(({ made, failed }) => made - failed);
  return Math.min(...differences.filter((difference) => difference > 0));
}

/**
 * Returns the points of a contract during card play. They are those for failing once it cannot be
 * made any more, and those with overtricks once it has overtricks. Otherwise they are those for
 * just making it. `taken` are the tricks of the declarers, `played` the tricks of all seats.
 */
export function currentPoints(
  { row, made, failed }: Stakes,
  { kind, level, declarers }: Contract,
  taken: number,
  played: number,
): number {
  const exact = exactTricks(kind);
  if (exact !== null) return declarers.length === 1 && taken > exact ? failed : made;
  const goal = level ?? row.level;
  // The row of a troel counts from eight tricks, but the contract may ask for nine.
  const shift = goal - row.level;
  const [fewest, most] = [row.points[0][0], row.points.at(-1)![0]];
  const pointsFor = (tricks: number) => {
    const listed = Math.min(Math.max(tricks - shift, fewest), most);
    return row.points.find(([of]) => of === listed)![1];
  };
  const possible = TRICKS_OF_DEAL - (played - taken);
  if (possible < goal) return pointsFor(possible);
  return taken > goal ? pointsFor(taken) : made;
}
