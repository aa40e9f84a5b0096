// The actions of the auction, one sentence each.

import { explain } from "../language/rules-prose";
import { auctionSayings } from "../language/sayings";
import { calledKinds } from "../messages/kinds";
import type { Scene } from "../table/scene";
import { SuitedText } from "../table/suited-text";
import { Explanations } from "./explanations";

export function AuctionLog({ scene: { table, speech } }: { scene: Scene }) {
  const { you, colon, guide } = speech.words;
  const explained = explain(speech, calledKinds(table));
  return (
    <>
      <ol class="log">
        {auctionSayings(table, speech).map(({ seat, text }, i) => (
          <li key={i}>
            <SuitedText text={seat === table.you ? you + colon + text : text} />
          </li>
        ))}
      </ol>
      {explained.length > 0 && (
        <details>
          <summary>{guide.explain}</summary>
          <Explanations list={explained} />
        </details>
      )}
    </>
  );
}
