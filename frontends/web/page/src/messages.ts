// Names for the messages of a table (docs/table.md), and helpers for the codes in them.

import type { Seat } from "./codes";
import type { Message as AnyMessage, SharedView } from "./protocol";

export type * from "./codes";
export type { Candidate, Command, ContractRow, Decision, Done, Person, Played } from "./protocol";

type Of<Type extends AnyMessage["type"]> = Extract<AnyMessage, { type: Type }>;

/** The table as the person may see it; at a table of several persons with those of `SharedView`. */
export type Table = Of<"table"> & Partial<SharedView>;
export type SeatedMessage = Of<"seated">;
export type Rules = Of<"rules">;
export type Hint = Of<"hint">;
export type Review = Of<"review">;
export type Values = Of<"values">;
export type Par = Of<"par">;
export type Refused = Of<"refused">;
export type Message = Exclude<AnyMessage, { type: "table" }> | Table;

export const SEATS: readonly Seat[] = ["N", "E", "S", "W"];

/** Tricks that a declarer takes who has promised few of them; `null` for contracts of many tricks. */
export const fewTricks = (kind: string): number | null =>
  kind === "piccolo" ? 1 : ["misere", "small-misere", "open-misere"].includes(kind) ? 0 : null;

/** The seat `steps` places to the left of another. */
export const after = (seat: Seat, steps: number): Seat => SEATS[(SEATS.indexOf(seat) + steps + 8) % 4];

/** The seats in playing order, from the person's. */
export const order = (table: Table): Seat[] => [0, 1, 2, 3].map((steps) => after(table.you, steps));
