// The actions of the auction, one sentence each.

import { auctionSayings } from "../language/sayings";
import type { Scene } from "../table/scene";
import { SuitedText } from "../table/suited-text";

export function AuctionLog({ scene: { table, speech } }: { scene: Scene }) {
  const { you, colon } = speech.words;
  return (
    <ol class="log">
      {auctionSayings(table, speech).map(({ seat, text }, i) => (
        <li key={i}>
          <SuitedText text={seat === table.you ? you + colon + text : text} />
        </li>
      ))}
    </ol>
  );
}
