// The person's expected points in the course of a deal.

import type { Decision } from "../messages/messages";

/** Expected points of the deal around a decision. */
export interface Expectation {
  decision: Decision;
  /** Expected points if the decision had cost nothing. */
  before: number;
  /** Expected points of the action that the person chose. */
  after: number;
}

/** Returns the expected points around each decision that has them, in playing order. */
export function expectations(decisions: readonly Decision[]): Expectation[] {
  return decisions.flatMap((decision) => {
    const chosen = decision.candidates.find(({ action }) => action === decision.did);
    if (!chosen) return [];
    return [{ decision, before: chosen.points + decision.points, after: chosen.points }];
  });
}
