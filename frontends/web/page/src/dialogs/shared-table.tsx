// The dialog of a shared table: its seats, its address, and the way to leave it.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { renderSVG } from "uqr";

import { fill } from "../language/words";
import type { Seat } from "../messages/messages";
import { seatsFromPerson } from "../messages/seats";
import { ruleSetName } from "../net/rulesets";
import { copyText, isLocalAddress, tableUrl } from "../net/urls";
import { dealOfText, matchEndText } from "../table/result-text";
import type { Scene } from "../table/scene";
import { Dialog } from "./dialog";

/** Returns the state of a seat, "" for a person who plays. */
function seatState(seat: Seat, { table, speech: { words } }: Scene): string {
  const person = table.people?.[seat];
  if (!person) return words.free;
  if (!person.here) return person.bot ? fill(words.botFor, words.botWould) : words.away;
  return table.ready?.includes(seat) ? words.ends.ready : "";
}

/** Returns the rules of the match, the number of the deal, and the end of the match. */
function matchText({ table, speech }: Scene): string {
  const rules = ruleSetName(table.rules);
  const dealText = dealOfText(table, speech);
  if (dealText) return `${rules} · ${dealText}`;
  const deal = { rules, n: table.deal + 1 };
  return `${fill(speech.words.door.where, deal)}. ${matchEndText(table, speech)}`;
}

/** Returns the address of a picture with a QR code. */
const codeImage = (text: string): string =>
  `data:image/svg+xml,${encodeURIComponent(renderSVG(text, { border: 2 }))}`;

/** A text whose gap `{}` is filled by an element. */
function Filled({ text, gap }: { text: string; gap: ComponentChildren }) {
  const [before, after] = text.split("{}");
  return (
    <>
      {before}
      {gap}
      {after}
    </>
  );
}

interface SharedTableDialogProps {
  scene: Scene;
  /** Secret of the table. */
  secret: string;
  leave(): void;
  close(): void;
}

export function SharedTableDialog({ scene, secret, leave, close }: SharedTableDialogProps) {
  const { table, speech } = scene;
  const { words } = speech;
  const [status, setStatus] = useState("");
  const url = tableUrl(secret, table.address, table.token);
  const isOnlyHere = isLocalAddress() && !table.address;
  const copyUrl = async () => setStatus((await copyText(url)) ? words.copied : "");
  return (
    <Dialog title={words.together} close={close} speech={speech}>
      <p>{words.inviteText}</p>
      <p class="link">
        <a href={url} id="link" onClick={(event) => event.preventDefault()}>
          {url}
        </a>
      </p>
      {isOnlyHere ? (
        <p class="note">
          <Filled text={words.friends.onlyHere} gap={<code>troel serve --lan</code>} />
        </p>
      ) : (
        <p class="code">
          <img src={codeImage(url)} alt={words.friends.code} width="160" height="160" />
          <small>{words.friends.scan}</small>
        </p>
      )}
      {table.deal === 0 && table.scores === null && <p>{words.lobby.wait}</p>}
      <p>{matchText(scene)}</p>
      <ul>
        {seatsFromPerson(table).map((seat) => {
          const state = seatState(seat, scene);
          return (
            <li key={seat}>
              <b>{words.seats[seat]}</b> {table.people?.[seat]?.name}
              {state && ` (${state})`}
            </li>
          );
        })}
      </ul>
      <div class="row">
        <button type="button" class="large" id="copy" onClick={copyUrl}>
          {words.copyLink}
        </button>
        <button type="button" class="large" id="leave" onClick={leave}>
          {words.leaveTable}
        </button>
      </div>
      <p role="status" class="note">
        {status}
      </p>
    </Dialog>
  );
}
