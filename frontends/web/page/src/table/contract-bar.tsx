// The line above the seats: the contract, or the auction before there is one.

import { explanation } from "../language/rules-prose";
import { announcement, seatName } from "../language/sayings";
import { fill } from "../language/words";
import { certainContract, contractStakes, currentPoints } from "../messages/contracts";
import type { Contract, Seat } from "../messages/messages";
import { SEATS } from "../messages/seats";
import type { Scene } from "./scene";
import { SuitedText } from "./suited-text";

/** The announcement and the turn-up, before there is a contract. */
function AuctionBar({ scene: { table, speech } }: { scene: Scene }) {
  const { words } = speech;
  return (
    <div class="contract">
      {announcement(table, speech)?.text ?? words.auction}
      {table.turn_up && (
        <>
          {" "}
          · {words.turnUp} <SuitedText text={speech.cardSign(table.turn_up)} />
        </>
      )}
    </div>
  );
}

/** Returns the hint that a forced partnership has no trumps yet. */
function missingTrumpsText({ kind, trump }: Contract, { speech: { words } }: Scene): string {
  if (trump || !["trou", "troel"].includes(kind)) return "";
  return ` · ${kind === "trou" ? words.trumpsOpen : words.trumpsLater}`;
}

/** Returns the points of the declarers: those of the result, or those of the contract so far. */
function pointsText({ game, table, speech }: Scene, contract: Contract, taken: number): string {
  if (table.scores) return ` · ${speech.signed(table.scores[contract.declarers[0] as Seat])}`;
  const stakes = contractStakes(game.session.rules, contract.kind, contract.level);
  if (!stakes) return "";
  const played = SEATS.reduce((sum, seat) => sum + table.tricks[seat], 0);
  const points = currentPoints(stakes, contract, taken, played);
  return ` · ${fill(speech.words.worth, speech.signed(points))}`;
}

/** Returns the tricks that the declarers have, and those that they need. */
function tricksText({ table, speech }: Scene, { kind, level }: Contract, taken: number): string {
  const { words } = speech;
  if (level && !table.scores) return fill(words.tricksOf, { n: taken, of: level });
  if (kind === "troel" && !table.scores) return words.ends.troelTricks;
  return speech.count(words.tricks, taken);
}

export function ContractBar({ scene }: { scene: Scene }) {
  const { table, speech } = scene;
  const contract = certainContract(table);
  if (!contract) return <AuctionBar scene={scene} />;
  const declarers = [...contract.declarers] as Seat[];
  const names = declarers.map((seat) => seatName(table, seat, speech)).join(" + ");
  const taken = declarers.reduce((sum, seat) => sum + table.tricks[seat], 0);
  return (
    <div class="contract">
      <b title={explanation(speech, contract.kind)}>
        <SuitedText text={speech.contract(contract)} />
      </b>
      {missingTrumpsText(contract, scene)} · {names} · {tricksText(scene, contract, taken)}
      {pointsText(scene, contract, taken)}
    </div>
  );
}
