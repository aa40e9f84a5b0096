// The person's finished deals, which this browser keeps in a database. One deal is kept once.

import { clear, createStore, get, update, values } from "idb-keyval";

import { ENGLISH } from "../language/words";
import type { Contract, Decision, GameRecord, Seat, Table } from "../messages/messages";
import { SEATS } from "../messages/seats";
import type { Match, Side } from "./match";
import { addToTally, dealKey, dealTally, reviewTally } from "./tally";

/** A decision of the person that the review judged, with the points that it cost. */
export type KeptDecision = Pick<Decision, "at" | "did" | "best" | "points">;

/** Facts about a deal that its record does not have. */
export interface KeptFacts {
  /** Time of its end, ISO 8601 in UTC. */
  date: string;
  /** The person's seat. */
  seat: Seat;
  /** Seed of the match, from which the review samples. */
  seed: number;
  /** House rules as `packHouseRules` returns them. */
  house?: string;
  /** The person's points. */
  points: number;
  /** The contract; `null` if everybody passed. */
  contract: Contract | null;
  /** The person's decisions; `null` without a complete review. */
  decisions: KeptDecision[] | null;
}

/** A game record with the facts in a field of its own, which other readers of records ignore. */
export type KeptDeal = GameRecord & { actions: string[]; kept: KeptFacts };

/** Numbers of lines of an imported file. */
export interface ImportCounts {
  added: number;
  /** Deals that were kept before. */
  known: number;
  /** Lines that are no kept deal. */
  unreadable: number;
}

const store = createStore("troel-deals", "deals");
let hasFailed = false;

/** Whether the last access to the database failed: it is full or forbidden. */
export const cannotKeep = (): boolean => hasFailed;

/** Returns the result of an access to the database, or `fallback` if it fails. */
async function attempt<T>(access: () => Promise<T>, fallback: T): Promise<T> {
  try {
    return await access();
  } catch (error) {
    console.warn(error);
    hasFailed = true;
    return fallback;
  }
}

/** Parts of a match that a kept deal needs. */
export type MatchOfDeal = Pick<Match, "seed" | "house">;

/** Returns the deal of a table that has ended. */
export function finishedDeal(table: Table, { seed, house }: MatchOfDeal, end: Date): KeptDeal {
  const { record, you, scores, contract } = table;
  const kept = { date: end.toISOString(), seat: you, seed, house, points: scores![you], contract };
  return { ...record!, actions: record!.actions!, kept: { ...kept, decisions: null } };
}

const isSameGame = (a: KeptDeal, { actions }: GameRecord) => a.actions.join() === actions?.join();

/** Returns the deal with the decisions of another copy, if it has none and the game is the same. */
function withDecisions(deal: KeptDeal, decisions: KeptDecision[] | null, of: GameRecord): KeptDeal {
  if (deal.kept.decisions || !decisions || !isSameGame(deal, of)) return deal;
  return { ...deal, kept: { ...deal.kept, decisions } };
}

/** Adds a deal unless it is kept. Returns whether it was added. */
async function add(deal: KeptDeal): Promise<boolean> {
  let isNew = false;
  const merge = (old?: KeptDeal) => {
    isNew = !old;
    return old ? withDecisions(old, deal.kept.decisions, deal) : deal;
  };
  await update<KeptDeal>(dealKey(deal), merge, store);
  hasFailed = false;
  return isNew;
}

/** Keeps a deal. The first game of a deal stays if the deal is played again. */
export const keepDeal = (deal: KeptDeal): Promise<boolean> => attempt(() => add(deal), false);

/** Returns the kept deals, the oldest first. */
export async function keptDeals(): Promise<KeptDeal[]> {
  const deals = await attempt(() => values<KeptDeal>(store), []);
  return deals.sort((a, b) => (a.kept.date < b.kept.date ? -1 : 1));
}

/** Returns a match that shows a kept deal again, after its first `step` actions or at its end. */
export function matchOfDeal(deal: KeptDeal, step = deal.actions.length): Match {
  const { kept, ...record } = deal;
  const { seat, seed, house } = kept;
  const { rules, actions } = record;
  const played = { deals: [actions.slice(0, step)], scores: [], over: false };
  const side: Side = { kind: "kept", name: kept.date };
  return { rules, house, seat, seed, bots: {}, record, side, ...played };
}

/** Adds the review to a deal that is kept. */
export async function keepReview(record: GameRecord, decisions: Decision[]) {
  const shortened = decisions.map(({ at, did, best, points }) => ({ at, did, best, points }));
  const known = await attempt(() => get<KeptDeal>(dealKey(record), store), undefined);
  if (known) await keepDeal(withDecisions(known, shortened, record));
}

/** Deletes all deals. */
export async function deleteDeals() {
  await attempt(async () => {
    await clear(store);
    // There is room again.
    hasFailed = false;
  }, undefined);
}

/** Returns the deals as JSON Lines. */
export const exportLines = (deals: KeptDeal[]): string =>
  deals.map((deal) => `${JSON.stringify(deal)}\n`).join("");

const isText = (value: unknown) => typeof value === "string";
const isSeat = (value: unknown) => SEATS.some((seat) => seat === value);

function isContract(value: Partial<Contract> | null): boolean {
  if (value === null) return true;
  const { kind, level, trump, declarers } = value ?? {};
  return (
    Object.hasOwn(ENGLISH.calls, kind!) &&
    (level === null || Number.isInteger(level)) &&
    (trump === null || ["S", "H", "D", "C"].includes(trump!)) &&
    /^[NESW]+$/.test(declarers!)
  );
}

function isDecision(value: Partial<KeptDecision> | null): boolean {
  const { at, did, best, points } = value ?? {};
  return Number.isInteger(at) && isText(did) && isText(best) && Number.isFinite(points);
}

/** Whether a value from a file is a kept deal. */
function isKeptDeal(value: Partial<KeptDeal> | null): value is KeptDeal {
  const { rules, dealer, deal, actions, kept } = value ?? {};
  if (!isText(rules) || !isSeat(dealer) || !isText(deal) || !kept) return false;
  const { date, seat, seed, house, points, contract, decisions } = kept;
  return (
    Array.isArray(actions) &&
    actions.every(isText) &&
    new Date(date).getTime() > 0 &&
    isSeat(seat) &&
    Number.isSafeInteger(seed) &&
    (house === undefined || isText(house)) &&
    Number.isFinite(points) &&
    isContract(contract) &&
    (decisions === null || (Array.isArray(decisions) && decisions.every(isDecision)))
  );
}

function readLine(line: string): KeptDeal | null {
  try {
    const value = JSON.parse(line);
    if (!isKeptDeal(value)) return null;
    // Dates are compared as texts, so they need one form.
    const date = new Date(value.kept.date).toISOString();
    return { ...value, kept: { ...value.kept, date } };
  } catch {
    return null;
  }
}

/** Whether the person was among the declarers. */
export const hasDeclared = ({ kept: { contract, seat } }: KeptDeal): boolean =>
  Boolean(contract?.declarers.includes(seat));

function tallyImported(deal: KeptDeal) {
  const { rules, kept } = deal;
  addToTally(rules, dealTally(kept.points, hasDeclared(deal)));
  if (kept.decisions) addToTally(rules, reviewTally(kept.decisions));
}

/** Adds the deals of a file that `exportLines` wrote, also to the statistics. */
export async function importLines(text: string): Promise<ImportCounts> {
  const counts: ImportCounts = { added: 0, known: 0, unreadable: 0 };
  for (const line of text.split("\n").filter((line) => line.trim())) {
    const deal = readLine(line);
    if (!deal) {
      counts.unreadable += 1;
      continue;
    }
    const isNew = await attempt(() => add(deal), null);
    // The database takes no deals. The dialog says so.
    if (isNew === null) break;
    if (isNew) {
      counts.added += 1;
      tallyImported(deal);
    } else counts.known += 1;
  }
  return counts;
}
