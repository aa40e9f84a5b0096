// Names for the messages of a table (docs/table.md).

import type { Message as GeneratedMessage, SharedView } from "./protocol";

export type * from "./codes";
export type {
  CandidateView as Candidate,
  Command,
  ContractRow,
  DecisionView as Decision,
  Person,
  Phrase,
  TrickCard,
  VisibleAction,
} from "./protocol";

type MessageOf<Type extends GeneratedMessage["type"]> = Extract<GeneratedMessage, { type: Type }>;

/** The table as the person may see it, with the fields of `SharedView` if it is shared. */
export type Table = MessageOf<"table"> & Partial<SharedView>;
export type Rules = MessageOf<"rules">;
export type Hint = MessageOf<"hint">;
export type Review = MessageOf<"review">;
export type Values = MessageOf<"values">;
export type Par = MessageOf<"par">;
export type Results = MessageOf<"results">;
export type Said = MessageOf<"said">;
export type Refused = MessageOf<"refused">;
export type Message = Exclude<GeneratedMessage, { type: "table" }> | Table;
