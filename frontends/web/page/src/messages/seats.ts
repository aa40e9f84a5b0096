// The order of the seats.

import type { Seat, Table } from "./messages";

/** The seats clockwise. */
export const SEATS: readonly Seat[] = ["N", "E", "S", "W"];

/** Returns the seat `steps` places to the left of `seat`. */
export const seatAfter = (seat: Seat, steps: number): Seat =>
  SEATS[(SEATS.indexOf(seat) + steps + SEATS.length) % SEATS.length];

/** Returns the number of places from `from` to `to`, clockwise: 0 to 3. */
export const stepsBetween = (from: Seat, to: Seat): number =>
  (SEATS.indexOf(to) - SEATS.indexOf(from) + SEATS.length) % SEATS.length;

/** Returns the seats in playing order, the person's seat first. */
export const seatsFromPerson = (table: Table): Seat[] =>
  SEATS.map((_, steps) => seatAfter(table.you, steps));
