// The shared table that this browser sat at last. The start screen offers the way back to it.

import type { Table } from "../messages/messages";
import { SEATS } from "../messages/seats";
import { isStandalone } from "../net/packed";
import { type LastTable, saved } from "./storage";

/** Time for which the way back is offered. Only a join shows whether the table still exists. */
const OFFER_TIME_MS = 12 * 60 * 60 * 1000;

/** Notes the shared table that this window sits at. */
export function noteLastTable(secret: string, { rules, people, you }: Table) {
  const others = SEATS.filter((seat) => seat !== you).flatMap((seat) => people?.[seat]?.name ?? []);
  saved.storeLastTable({ table: secret, rules, others, seen: Date.now() });
}

/** Forgets a table that has ended or that the person has left. */
export function forgetLastTable(secret: string) {
  if (saved.lastTable()?.table === secret) saved.storeLastTable(null);
}

/** Returns the table to offer a way back to; `null` if there is none. */
export function lastTable(): LastTable | null {
  const last = isStandalone ? null : saved.lastTable();
  return last && Date.now() - last.seen < OFFER_TIME_MS ? last : null;
}
