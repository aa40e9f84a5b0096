// Actions on a finished deal: play it again, copy its address, download its record.

import { useState } from "preact/hooks";

import { copyText, dealUrl } from "../net/urls";
import type { Scene } from "../table/scene";

/** The choice of the bots for playing the deal again. */
function OtherBotsSelect({ scene: { game, speech } }: { scene: Scene }) {
  const { words } = speech;
  const replay = (bot: string) => game.replayDeal([bot, bot, bot]);
  return (
    <label class="others">
      {words.otherBots}{" "}
      <select onChange={(event) => replay(event.currentTarget.value)}>
        <option value="" selected disabled hidden>
          …
        </option>
        {Object.entries(words.botNames).map(([bot, name]) => (
          <option key={bot} value={bot}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

export function DealActions({ scene }: { scene: Scene }) {
  const { game, table, speech } = scene;
  const { words } = speech;
  const [status, setStatus] = useState("");
  const { rules, dealer, deal, turn_up } = table.record!;
  const copyUrl = async () => {
    const url = dealUrl({ rules, dealer, deal, turn_up });
    setStatus((await copyText(url)) ? words.copied : url);
  };
  const line = encodeURIComponent(`${JSON.stringify(table.record)}\n`);
  const file = `troel-${rules}-${game.session.match?.seed}-${table.deal + 1}.jsonl`;
  return (
    <div class="after">
      {!table.people && (
        <button type="button" onClick={() => game.replayDeal()}>
          {words.sameDeal}
        </button>
      )}
      {!table.people && <OtherBotsSelect scene={scene} />}
      <button type="button" onClick={copyUrl}>
        {words.copyLink}
      </button>
      <a class="button" download={file} href={`data:application/x-ndjson,${line}`}>
        {words.download}
      </a>
      <p role="status" class="note told">
        {status}
      </p>
    </div>
  );
}
