// Par: the contract that the auction would reach with open cards.

import { seatName } from "../language/sayings";
import { fill } from "../language/words";
import type { Par, Seat } from "../messages/messages";
import type { Scene } from "../table/scene";
import { SuitedText } from "../table/suited-text";

function parText({ contract, points }: Par, { table, speech }: Scene): string {
  const { words } = speech;
  if (!points) return words.parLong;
  if (!contract) return words.parNone;
  const declarers = [...contract.declarers] as Seat[];
  const names = declarers.map((seat) => seatName(table, seat, speech)).join(" + ");
  return fill(words.parIs, {
    contract: `${speech.contract(contract)} (${names})`,
    points: speech.signed(points[table.you]),
  });
}

/** Par, or the button that asks for it. */
export function ParResult({ scene }: { scene: Scene }) {
  const { game, table, speech } = scene;
  const { words } = speech;
  const { par, requestPar } = game.review;
  // Par knows no partnership that aces force.
  if (table.announces) return null;
  if (par === null || par === "computing") {
    return (
      <button type="button" disabled={par !== null} onClick={requestPar}>
        {par ? words.computing : words.par}
      </button>
    );
  }
  const regret = par.regret?.[table.you] ?? 0;
  return (
    <p class="note">
      <b>{words.par}.</b> <SuitedText text={parText(par, scene)} />
      {regret > 0 && <> {speech.count(words.parRegret, regret)}</>}
      {regret < 0 && <> {speech.count(words.parGain, -regret)}</>}
    </p>
  );
}
