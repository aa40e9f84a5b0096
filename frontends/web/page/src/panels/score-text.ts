// The score of a match as text.

import { othersName } from "../language/sayings";
import { fill } from "../language/words";
import { today } from "../match/daily";
import { leaders, type ScoreSheet } from "../match/score-sheet";
import type { BySeat, Seat } from "../messages/messages";
import { seatsFromPerson } from "../messages/seats";
import { ruleSetName } from "../net/rulesets";
import type { Scene } from "../table/scene";

/** Returns the score sheet with tabs between its columns, as chats and spreadsheets take it. */
export function scoreText({ table, speech, settings }: Scene, { rows, earlier }: ScoreSheet) {
  const { words } = speech;
  const seats = seatsFromPerson(table);
  // Readers of the text want the person's name in place of "you".
  const name = (seat: Seat) =>
    (seat === table.you && (table.people?.[seat]?.name || settings.name || words.you)) ||
    othersName(table, seat, speech);
  const line = (head: string, points: BySeat<number>, format: (value: number) => string) =>
    [head, ...seats.map((seat) => format(points[seat]))].join("\t");
  const signed = (value: number) => speech.signed(value);
  const lines = [
    ["Troel", ruleSetName(table.rules), speech.date(today())].join(" · "),
    ["", ...seats.map(name)].join("\t"),
    ...(earlier ? [line(speech.sentence(words.seen.before), earlier, signed)] : []),
    ...rows.map(({ deal, points }) => line(`${words.deal} ${deal + 1}`, points, signed)),
    line(words.total, table.totals, (value) => speech.number(value)),
  ];
  if (table.over) {
    const winners = leaders(table);
    const { one, several } = words.matchWon;
    const who = speech.list(winners.map(name));
    lines.push(fill(winners.length > 1 ? several : one, { who }));
  }
  return lines.join("\n");
}
