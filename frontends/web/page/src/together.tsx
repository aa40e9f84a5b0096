// The dialogs of a shared table: one to sit down at it, one with its seats and its link.

import { useState } from "preact/hooks";

import { Dialog } from "./dialog";
import type { Scene } from "./felt";
import { order } from "./messages";
import type { Settings } from "./saved";
import type { Session } from "./session";
import { isCopied, tableLink } from "./urls";
import { fill, type Speech } from "./words";

interface SitDownProps {
  session: Session;
  /** Secret of the table to join; `null` to open a table. */
  table: string | null;
  settings: Settings;
  speech: Speech;
  change(some: Partial<Settings>): void;
  close(): void;
}

/** Asks for the name of the person who opens or joins a shared table. */
export function SitDownDialog({ session, table, settings, speech, change, close }: SitDownProps) {
  const { words } = speech;
  const isJoining = table !== null;
  const sitDown = (event: Event) => {
    event.preventDefault();
    // A table that was opened stays in the dialog, which then shows its link.
    if (!isJoining) return session.share(settings.name);
    session.join(table, settings.name);
    close();
  };
  return (
    <Dialog title={words.together} close={close} speech={speech}>
      <form class="form" onSubmit={sitDown}>
        <p>{isJoining ? words.joinText : words.inviteText}</p>
        <label>{words.yourName}{" "}
          <input id="name" maxLength={20} value={settings.name} required pattern={".*\\S.*"} autofocus
            onInput={(event) => change({ name: event.currentTarget.value })} />
        </label>
        <div class="row">
          <button type="submit" class="large" id="sit">{isJoining ? words.joinTable : words.invite}</button>
        </div>
      </form>
    </Dialog>
  );
}

interface TogetherProps { scene: Scene; secret: string; leave(): void; close(): void }

/** The seats of the shared table, its link, and the way to leave it. */
export function TogetherDialog({ scene: { table, speech }, secret, leave, close }: TogetherProps) {
  const { words } = speech;
  const [told, tell] = useState("");
  const link = tableLink(secret, table.token);
  return (
    <Dialog title={words.together} close={close} speech={speech}>
      <p>{words.inviteText}</p>
      <p class="link"><a href={link} id="link" onClick={(event) => event.preventDefault()}>{link}</a></p>
      <ul>
        {order(table).map((seat) => {
          const person = table.people?.[seat];
          const state = !person ? words.free : person.here ? ""
            : person.bot ? fill(words.botFor, table.bots[seat]) : words.away;
          return <li key={seat}><b>{words.seats[seat]}</b> {person?.name}{state && ` (${state})`}</li>;
        })}
      </ul>
      <div class="row">
        <button type="button" class="large" id="copy"
          onClick={async () => tell((await isCopied(link)) ? words.copied : "")}>{words.copyLink}</button>
        <button type="button" class="large" id="leave" onClick={leave}>{words.leaveTable}</button>
      </div>
      <p role="status" class="note">{told}</p>
    </Dialog>
  );
}
