// The score of the match.

import { useState } from "preact/hooks";

import { seatName } from "../language/sayings";
import type { Speech } from "../language/speech";
import { scoreSheet } from "../match/score-sheet";
import type { BySeat } from "../messages/messages";
import { seatsFromPerson } from "../messages/seats";
import { copyText } from "../net/urls";
import { Card } from "../table/card";
import { matchEndText, winnersText } from "../table/result-text";
import type { Scene } from "../table/scene";
import { scoreText } from "./score-text";

/** The button that copies the score sheet. */
function CopyScore({ text, speech }: { text: string; speech: Speech }) {
  const { seen } = speech.words;
  const [status, setStatus] = useState("");
  const copy = async () => setStatus((await copyText(text)) ? seen.copied : text);
  return (
    <div class="after">
      <button type="button" id="copy-score" onClick={copy}>
        {seen.copy}
      </button>
      <p role="status" class="note told">
        {status}
      </p>
    </div>
  );
}

export function Score({ scene }: { scene: Scene }) {
  const { game, table, speech } = scene;
  const { words } = speech;
  const seats = seatsFromPerson(table);
  const { side } = game.session;
  const sheet = scoreSheet(game.session.match, table);
  const row = (head: string, points: BySeat<number>) => (
    <tr key={head}>
      <th scope="row">{head}</th>
      {seats.map((seat) => (
        <td key={seat}>{speech.signed(points[seat])}</td>
      ))}
    </tr>
  );
  return (
    <>
      {table.over && !side && <p class="flawless">{winnersText(scene)}</p>}
      <table class="numbers">
        <thead>
          <tr>
            <th scope="col">{words.points}</th>
            {seats.map((seat) => {
              const name = seatName(table, seat, speech);
              return (
                <th key={seat} scope="col">
                  <span title={name}>{name}</span>
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>
          {sheet.earlier && row(speech.sentence(words.seen.before), sheet.earlier)}
          {sheet.rows.map(({ deal, points }) => row(`${words.deal} ${deal + 1}`, points))}
          <tr class="total">
            <th scope="row">{words.total}</th>
            {seats.map((seat) => (
              <td key={seat}>{speech.number(table.totals[seat])}</td>
            ))}
          </tr>
        </tbody>
      </table>
      {!side && <p class="note">{matchEndText(table, speech)}</p>}
      {!side && sheet.rows.length > 0 && (
        <CopyScore key={sheet.rows.length} text={scoreText(scene, sheet)} speech={speech} />
      )}
      {table.last_trick.length > 0 && !game.fullTrick && (
        <p class="last">
          {words.lastTrick}{" "}
          {table.last_trick.map(({ seat, card }) => (
            <span key={card} class="by">
              <Card code={card} speech={speech} />
              <small>{seatName(table, seat, speech)}</small>
            </span>
          ))}
        </p>
      )}
    </>
  );
}
