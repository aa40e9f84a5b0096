// Statistics of the kept deals.

import { hasDeclared, type KeptDeal, type KeptDecision } from "./kept-deals";

/** Minimum number of deals of a point of the chart: single deals vary too much. */
export const DEALS_PER_POINT = 5;
const MAX_POINTS = 12;
const MAX_MISTAKES = 5;
/** Minimum number of points that a mistake cost. */
const MIN_MISTAKE_POINTS = 1;

/** Results of the deals with one kind of contract. */
export interface ContractResults {
  /** Kind of the contract; "" for all contracts that the person defended against. */
  kind: string;
  deals: number;
  /** Number of deals in which the person gained points. */
  gained: number;
  points: number;
}

/**
 * Returns the results by kind of the contracts that the person declared, the most frequent first,
 * and at the end those of the other deals. Deals without a contract are left out.
 */
export function contractResults(deals: KeptDeal[]): ContractResults[] {
  const byKind = new Map<string, ContractResults>();
  for (const deal of deals) {
    const { contract, points } = deal.kept;
    if (!contract) continue;
    const kind = hasDeclared(deal) ? contract.kind : "";
    const results = byKind.get(kind) ?? { kind, deals: 0, gained: 0, points: 0 };
    results.deals += 1;
    results.gained += points > 0 ? 1 : 0;
    results.points += points;
    byKind.set(kind, results);
  }
  const order = ({ kind, deals }: ContractResults) => (kind ? deals : 0);
  return [...byKind.values()].sort((a, b) => order(b) - order(a));
}

/** Returns the points that the decisions of a deal cost, `null` without a review. */
export const dealLoss = ({ kept: { decisions } }: KeptDeal): number | null =>
  decisions?.reduce((sum, { points }) => sum + points, 0) ?? null;

/** A costly decision in a kept deal. */
export interface Mistake {
  deal: KeptDeal;
  decision: KeptDecision;
}

/** Returns the most costly decisions, at most five, the worst first. */
export function worstMistakes(deals: KeptDeal[]): Mistake[] {
  return deals
    .flatMap((deal) => (deal.kept.decisions ?? []).map((decision) => ({ deal, decision })))
    .filter(({ decision }) => decision.points >= MIN_MISTAKE_POINTS)
    .sort((a, b) => b.decision.points - a.decision.points)
    .slice(0, MAX_MISTAKES);
}

/**
 * Returns the points lost per decision over time: the averages of groups of deals, the oldest
 * first. Each group has about the same number of deals.
 */
export function lossesOverTime(deals: KeptDeal[]): number[] {
  const reviewed = deals.filter(({ kept }) => kept.decisions?.length);
  const groups = Math.min(MAX_POINTS, Math.floor(reviewed.length / DEALS_PER_POINT));
  const start = (group: number) => Math.round((group * reviewed.length) / groups);
  return Array.from({ length: groups }, (_, group) => {
    const decisions = reviewed
      .slice(start(group), start(group + 1))
      .flatMap(({ kept }) => kept.decisions!);
    return decisions.reduce((sum, { points }) => sum + points, 0) / decisions.length;
  });
}
