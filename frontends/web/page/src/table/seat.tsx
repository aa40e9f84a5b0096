// A seat on the felt: its name plate, its cards and the last call.

import { seatName } from "../language/sayings";
import { fill } from "../language/words";
import type { Seat } from "../messages/messages";
import { Card } from "./card";
import { Portrait } from "./portrait";
import { type Scene, sideOf } from "./scene";
import { sortedHand } from "./sorting";
import { SuitedText } from "./suited-text";

const MAX_CARDS = 13;

/** Returns the text beside the name of a seat at a shared table: the state of its person. */
function occupantText(seat: Seat, { table, speech: { words } }: Scene): string {
  if (seat === table.you || !table.people) return "";
  const person = table.people[seat];
  if (!person) return words.botWould;
  if (person.bot) return fill(words.botFor, words.botWould);
  return person.here ? words.seats[seat] : words.away;
}

/** The plate with the name of a seat, its dealer button and its tricks. */
function NamePlate({ seat, scene }: { seat: Seat; scene: Scene }) {
  const { table, speech } = scene;
  const { words } = speech;
  const occupant = occupantText(seat, scene);
  const tricks = table.tricks[seat];
  const dealerText = seat === table.you ? words.dealerYou : words.dealer;
  const isBot = seat !== table.you && !table.people?.[seat];
  return (
    <div class="plate" title={isBot ? `${words.seats[seat]} · ${table.bots[seat]}` : undefined}>
      {isBot && <Portrait seat={seat} />}
      {table.dealer === seat && (
        <span class="dealer" role="img" aria-label={dealerText} title={dealerText}>
          D
        </span>
      )}
      <span class="who">{seatName(table, seat, speech)}</span>
      {occupant && <span class="bot">{occupant}</span>}
      <span class="won" title={speech.count(words.tricks, tricks)}>
        {tricks}
      </span>
    </div>
  );
}

/** The hand of another seat: its exposed cards, or the backs of the cards. */
function OthersHand({ seat, scene: { table, speech } }: { seat: Seat; scene: Scene }) {
  const shown = sortedHand(table.shown[seat]);
  if (!shown.length) {
    return (
      <div class="backs" aria-hidden="true">
        {Array.from({ length: Math.min(MAX_CARDS, table.cards[seat]) }, (_, i) => (
          <i key={i} />
        ))}
      </div>
    );
  }
  if (table.scores) return null;
  return (
    <div class="open">
      {shown.map((code) => (
        <Card key={code} code={code} speech={speech} />
      ))}
    </div>
  );
}

interface SeatProps {
  seat: Seat;
  scene: Scene;
  /** The last call of the seat, "" for none. */
  said: string;
}

export function SeatView({ seat, scene, said }: SeatProps) {
  const { table, game, speech } = scene;
  const phrase = game.phrases.of(seat);
  const role = table.contract?.declarers.includes(seat) ? "declarer" : "defender";
  const turn = table.turn === seat && !game.fullTrick ? "turn" : "";
  return (
    <div
      class={`place ${sideOf(table, seat)} ${table.contract ? role : ""} ${turn}`}
      data-seat={seat}
    >
      <NamePlate seat={seat} scene={scene} />
      {seat !== table.you && <OthersHand seat={seat} scene={scene} />}
      {phrase ? (
        <div class="bubble phrase">{speech.words.phrases[phrase]}</div>
      ) : (
        said && (
          <div class="bubble">
            <SuitedText text={said} />
          </div>
        )
      )}
    </div>
  );
}
