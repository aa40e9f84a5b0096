// The result of a deal in words.

import { seatName } from "../language/sayings";
import type { Speech } from "../language/speech";
import { fill } from "../language/words";
import { leaders } from "../match/score-sheet";
import { exactTricks } from "../messages/contracts";
import type { Contract, Seat, Table } from "../messages/messages";
import { seatsFromPerson } from "../messages/seats";
import type { Scene } from "./scene";

/** Returns the lines that describe the result of a deal; none before its end. */
export function resultLines(scene: Scene): string[] {
  const { game, table, speech } = scene;
  const { words } = speech;
  const { contract, scores, you } = table;
  if (!scores) return [];
  const lines: string[] = [];
  const { side } = game.session;
  if (side?.kind === "daily") lines.push(fill(words.dailyIs, speech.date(side.name)));
  if (table.void || !contract) lines.push(words.everybodyPassed);
  else {
    const points = speech.count(words.youGet, scores[you], speech.signed(scores[you]));
    lines.push(...contractLines(scene, contract), points);
  }
  if (table.over && !side) lines.push(...matchLines(scene));
  return lines;
}

/** Returns the sentence about the end of the match. */
export function matchEndText({ length, target }: Table, speech: Speech): string {
  const { words } = speech;
  if (length) return speech.count(words.lobby.has, length);
  return target > 0 ? fill(words.target, speech.number(target)) : words.noTarget;
}

/**
 * Returns the number of the deal in a match of a number of deals; "" in another match, and for a
 * deal that does not count.
 */
export function dealOfText({ length, left, void: isVoid }: Table, speech: Speech): string {
  if (!length || isVoid) return "";
  return fill(speech.words.lobby.dealOf, { n: length - left!, of: length });
}

/** Joins the names of seats, the person first. */
function seatNames({ table, speech }: Scene, seats: Seat[]): string {
  const inOrder = seatsFromPerson(table).filter((seat) => seats.includes(seat));
  return speech.list(inOrder.map((seat) => seatName(table, seat, speech)));
}

/** Returns a line for the declarers, or for each declarer of a misère or piccolo. */
function contractLines(scene: Scene, contract: Contract): string[] {
  const { tricks } = scene.table;
  const declarers = [...contract.declarers] as Seat[];
  const exact = exactTricks(contract.kind);
  if (exact !== null) {
    return declarers.map((seat) =>
      contractLine(scene, contract, [seat], tricks[seat], tricks[seat] === exact),
    );
  }
  const taken = declarers.reduce((sum, seat) => sum + tricks[seat], 0);
  return [contractLine(scene, contract, declarers, taken, taken >= (contract.level ?? 0))];
}

function contractLine(
  scene: Scene,
  contract: Contract,
  declarers: Seat[],
  taken: number,
  isMade: boolean,
): string {
  const { table, speech } = scene;
  const { words } = speech;
  const forms = isMade ? words.made : words.failed;
  const difference = contract.level ? taken - contract.level : 0;
  let tricks = speech.count(words.tricks, taken);
  if (difference > 0) tricks += `, ${fill(words.over, { n: difference })}`;
  if (difference < 0) tricks += `, ${fill(words.short, { n: -difference })}`;
  return fill(speech.about(forms, declarers.includes(table.you), declarers.length > 1), {
    who: seatNames(scene, declarers),
    contract: speech.contract(contract),
    tricks,
  });
}

/** Returns the sentence that names the winners of a match that is over. */
export function winnersText(scene: Scene): string {
  const { table, speech } = scene;
  const winners = leaders(table);
  const isYou = winners.includes(table.you);
  const sentence = speech.about(speech.words.matchWon, isYou, winners.length > 1);
  return fill(sentence, { who: seatNames(scene, winners) });
}

/** Returns the winners and the totals of a match that is over. */
function matchLines(scene: Scene): string[] {
  const { table, speech } = scene;
  const totals = seatsFromPerson(table).map(
    (seat) => `${seatName(table, seat, speech)} ${speech.number(table.totals[seat])}`,
  );
  return [winnersText(scene), totals.join(" · ")];
}
