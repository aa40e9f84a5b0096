// Whole deals for unit tests, from the golden records of the rules.

import type { Contract, GameRecord, Phase, Seat, Table, VisibleAction } from "../messages/messages";
import deals from "./deals.json";
import { table } from "./tables";

/** A deal as it is stored. `before` has the phases of the actions before the first card. */
interface StoredDeal {
  record: Omit<GameRecord, "actions" | "dealer"> & { dealer: string; actions: string };
  seats: string;
  before: string;
  contract: Omit<Contract, "trump"> & { trump: string | null };
}

/** Returns the table of a finished deal as `you` sees it. */
export function finishedTable({ record, seats, before, contract }: StoredDeal, you: Seat): Table {
  const actions = record.actions.split(" ");
  const phases = before.split(" ") as Phase[];
  const history = actions.map((action, i): VisibleAction => {
    const seat = seats[i] as Seat;
    const phase = phases[i] ?? "play";
    return { seat, phase, action: phase === "discard" && seat !== you ? "-" : action };
  });
  return table({
    rules: record.rules,
    you,
    dealer: record.dealer as Seat,
    history,
    calls: phases.length,
    turn_up: record.turn_up ?? null,
    contract: contract as Contract,
    record: { ...record, dealer: record.dealer as Seat, actions },
  });
}

/** Deals with a solo, a suit contract, two misères and a troel. */
export const DEALS: readonly StoredDeal[] = deals;
