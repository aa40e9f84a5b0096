import { expect, it } from "vitest";

import type { Command } from "../messages/messages";
import { DealReview } from "./deal-review";

function review() {
  const sent: Command[] = [];
  const deal = new DealReview(
    (command) => void sent.push(command),
    () => {},
    () => {},
  );
  const answer = (at: number) => deal.answered({ type: "values", at, values: {} }, null);
  const asked = () => sent.map((command) => (command.type === "values" ? command.at : -1));
  return { deal, answer, asked };
}

it("asks for one position at a time, the wanted one before the queue", () => {
  const { deal, answer, asked } = review();
  deal.queueValues([10, 20, 30]);
  deal.requestValues(40);
  expect(asked()).toEqual([10]);
  for (const at of [10, 40, 20, 30]) answer(at);
  expect(asked()).toEqual([10, 40, 20, 30]);
  expect(deal.isIdle).toBe(true);
});

it("asks for no position again, and drops the queue after a refusal", () => {
  const { deal, answer, asked } = review();
  deal.requestValues(10);
  answer(10);
  deal.queueValues([10, 20, 30]);
  deal.refused("values");
  expect(asked()).toEqual([10, 20]);
  expect(deal.isIdle).toBe(true);
});
