// The dialog to open or join a shared table.

import { useState } from "preact/hooks";

import type { Speech } from "../language/speech";
import type { Settings } from "../match/storage";
import { ruleSetName } from "../net/rulesets";
import { Dialog } from "./dialog";
import { Select } from "./select";

/** Numbers of deals that can be chosen. Each of four persons deals equally often. */
const LENGTHS = [4, 8, 12, 16, 24, 32];

interface SitDownDialogProps {
  /** Rules of the table that the person opens; `null` for a person who joins a table. */
  rules: string | null;
  settings: Settings;
  speech: Speech;
  changeSettings(changes: Partial<Settings>): void;
  /** Opens or joins the table. `length` is the number of deals, if the person has chosen it. */
  sitDown(length?: number): void;
  close(): void;
}

/** Asks for the name of the person who opens or joins a shared table. */
export function SitDownDialog(props: SitDownDialogProps) {
  const { rules, settings, speech, changeSettings, sitDown, close } = props;
  const { words } = speech;
  const isJoining = rules === null;
  const [length, setLength] = useState("0");
  const lengthNames = {
    0: words.lobby.usual,
    ...Object.fromEntries(LENGTHS.map((n) => [n, speech.count(words.lobby.deals, n)])),
  };
  const submit = (event: Event) => {
    event.preventDefault();
    sitDown(Number(length) || undefined);
  };
  return (
    <Dialog title={words.together} close={close} speech={speech}>
      <form class="form" onSubmit={submit}>
        <p>{isJoining ? words.joinText : words.inviteText}</p>
        {rules !== null && (
          <p>
            {words.rules}
            {words.colon}
            <b>{ruleSetName(rules)}</b>
          </p>
        )}
        <label>
          {words.yourName}{" "}
          <input
            id="name"
            maxLength={20}
            value={settings.name}
            required
            pattern={".*\\S.*"}
            autofocus
            onInput={(event) => changeSettings({ name: event.currentTarget.value })}
          />
        </label>
        {!isJoining && (
          <label>
            {words.lobby.length}{" "}
            <Select id="length" value={length} names={lengthNames} pick={setLength} />
          </label>
        )}
        <div class="row">
          <button type="submit" class="large" id="sit">
            {isJoining ? words.joinTable : words.invite}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
