// The points of a match, deal by deal.

import type { BySeat, Seat, Table } from "../messages/messages";
import { SEATS } from "../messages/seats";
import type { Match } from "./match";

/** Points of a deal. */
interface SheetRow {
  /** Number of the deal, from 0. */
  deal: number;
  points: BySeat<number>;
}

export interface ScoreSheet {
  /** The deals that are over, as far as this window saw them. */
  rows: SheetRow[];
  /** Points before the first row, if there are any: those of deals without the person. */
  earlier: BySeat<number> | null;
}

/** Returns the score sheet of the match of `table`. */
export function scoreSheet(match: Match | null, { deal, scores, totals }: Table): ScoreSheet {
  // A deal may be over before the table shows its end.
  const shown = (match?.scores ?? []).slice(0, scores ? deal + 1 : deal);
  const rows: SheetRow[] = [];
  // The deals before the person sat down are missing.
  shown.forEach((points, deal) => {
    if (points) rows.push({ deal, points });
  });
  const earlier = { ...totals };
  for (const seat of SEATS) for (const { points } of rows) earlier[seat] -= points[seat];
  return { rows, earlier: SEATS.some((seat) => earlier[seat] !== 0) ? earlier : null };
}

/** Returns the seats with the most points. */
export function leaders({ totals }: Table): Seat[] {
  const most = Math.max(...SEATS.map((seat) => totals[seat]));
  return SEATS.filter((seat) => totals[seat] === most);
}
