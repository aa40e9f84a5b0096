// The score of the match.

import { seatName } from "../language/sayings";
import { fill } from "../language/words";
import { seatsFromPerson } from "../messages/seats";
import { Card } from "../table/card";
import type { Scene } from "../table/scene";

export function Score({ scene: { game, table, speech } }: { scene: Scene }) {
  const { words } = speech;
  const seats = seatsFromPerson(table);
  const scores = game.session.match?.scores ?? [];
  return (
    <>
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
          {scores.map(
            (points, deal) =>
              points && (
                <tr key={deal}>
                  <th scope="row">
                    {words.deal} {deal + 1}
                  </th>
                  {seats.map((seat) => (
                    <td key={seat}>{speech.signed(points[seat])}</td>
                  ))}
                </tr>
              ),
          )}
          <tr class="total">
            <th scope="row">{words.total}</th>
            {seats.map((seat) => (
              <td key={seat}>{speech.number(table.totals[seat])}</td>
            ))}
          </tr>
        </tbody>
      </table>
      {!game.session.side && (
        <p class="note">
          {table.target ? fill(words.target, speech.number(table.target)) : words.noTarget}
        </p>
      )}
      {table.last_trick.length > 0 && !game.fullTrick && (
        <p class="last">
          {words.lastTrick}{" "}
          {table.last_trick.map(({ card }) => (
            <Card key={card} code={card} speech={speech} />
          ))}
        </p>
      )}
    </>
  );
}
