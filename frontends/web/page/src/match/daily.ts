// The daily deals: one for each date and rule set. The first result of the person counts.

import type { Decision, Table } from "../messages/messages";
import type { BotResult } from "./bot-run";
import { COSTLY_GRADES, type Grade, gradeOf } from "./grades";
import { type Match, newMatch } from "./match";
import { reasonFor, speaksAgainst } from "./reasons";
import { type DailyPlay, saved } from "./storage";

const DATE = /^\d{4}-\d\d-\d\d$/;
/** Date of the first daily deal that an address may name. */
const FIRST_DATE = "2025-01-01";
const DAY_MS = 24 * 60 * 60 * 1000;
/** Stars for a deal without a costly decision. */
export const MAX_STARS = 3;

/** Returns a date as text. The day begins everywhere at the same moment. */
const dateText = (time: number): string => new Date(time).toISOString().slice(0, 10);

export const today = (): string => dateText(Date.now());

/** Whether a text is the date of a daily deal that has begun. */
export const isDailyDate = (text: string): boolean =>
  DATE.test(text) && !Number.isNaN(Date.parse(text)) && text >= FIRST_DATE && text <= today();

const playKey = (date: string, rules: string): string => `${date}/${rules}`;

/** Returns the person's play of a daily deal, `undefined` before its first action. */
export const dailyPlay = (date: string, rules: string): DailyPlay | undefined =>
  saved.dailyPlays()[playKey(date, rules)];

/** Whether a match is a daily deal without a result. It has no help, as it has none for others. */
export const isOpenDaily = ({ side, rules }: Match): boolean =>
  side?.kind === "daily" && dailyPlay(side.name, rules)?.points === undefined;

/** Returns the match of a daily deal, as far as it was played. The date is its seed. */
export function dailyMatch(date: string, rules: string): Match {
  const match = newMatch({ rules, seed: Number(date.replaceAll("-", "")) }, []);
  const actions = dailyPlay(date, rules)?.actions ?? [];
  return { ...match, side: { kind: "daily", name: date }, deals: actions.length ? [actions] : [] };
}

/** Stores changes of the play of a daily deal. */
function changePlay({ side, rules }: Match, changes: Partial<DailyPlay>) {
  const plays = saved.dailyPlays();
  const key = playKey(side!.name, rules);
  const play = plays[key] ?? { begun: today(), actions: [] };
  saved.storeDailyPlays({ ...plays, [key]: { ...play, ...changes } });
}

/** Stores a daily deal as far as it was played, until its first end. */
export function noteDaily(match: Match, { scores, you }: Table) {
  if (!isOpenDaily(match) || match.deals.length !== 1) return;
  changePlay(match, { actions: match.deals[0], ...(scores && { points: scores[you] }) });
}

/** Returns the play with the result that counts, if it is that of the deal on the table. */
function countedPlay({ side, rules, deals }: Match): DailyPlay | null {
  const play = dailyPlay(side!.name, rules);
  const isOnTable = play?.actions.join() === deals[0]?.join();
  return isOnTable && play?.points !== undefined ? play : null;
}

/** Notes the decisions of a daily deal, once. `stake` is that of the grades. */
export function noteDailyDecisions(
  match: Match,
  table: Table,
  decisions: Decision[],
  stake: number,
) {
  const play = countedPlay(match);
  if (!play || play.stars !== undefined || !Number.isFinite(stake)) return;
  const grades = decisions.map((decision) =>
    gradeOf(decision, stake, speaksAgainst(reasonFor(table, decision))),
  );
  const costly = grades.filter((grade) => COSTLY_GRADES.includes(grade)).length;
  changePlay(match, { costly, stars: starsFor(grades) });
}

/** Returns the stars for grades: the worst grade decides. */
export function starsFor(grades: (Grade | null)[]): number {
  if (grades.includes("mistake") || grades.includes("blunder")) return 1;
  return grades.includes("inaccuracy") ? 2 : MAX_STARS;
}

/** Notes the result of the bot that played the person's cards. */
export const noteBotResult = (match: Match, { points, contract, results }: BotResult) =>
  changePlay(match, { bot: points, botContract: contract, botResults: results });

/** Returns the days in a row, up to today or yesterday, whose deal was begun on its day. */
export function daysInRow(): number {
  const days = new Set(
    Object.entries(saved.dailyPlays())
      .filter(([key, { begun, points }]) => points !== undefined && key.startsWith(begun))
      .map(([, { begun }]) => begun),
  );
  const isPlayed = (daysAgo: number) => days.has(dateText(Date.now() - daysAgo * DAY_MS));
  let daysAgo = isPlayed(0) ? 0 : 1;
  const first = daysAgo;
  while (isPlayed(daysAgo)) daysAgo += 1;
  return daysAgo - first;
}
