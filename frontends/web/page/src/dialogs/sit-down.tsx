// The dialog to open or join a shared table.

import type { Speech } from "../language/speech";
import type { Settings } from "../match/storage";
import { ruleSetName } from "../net/rulesets";
import { Dialog } from "./dialog";

interface SitDownDialogProps {
  /** Rules of the table that the person opens; `null` for a person who joins a table. */
  rules: string | null;
  settings: Settings;
  speech: Speech;
  changeSettings(changes: Partial<Settings>): void;
  sitDown(): void;
  close(): void;
}

/** Asks for the name of the person who opens or joins a shared table. */
export function SitDownDialog(props: SitDownDialogProps) {
  const { rules, settings, speech, changeSettings, sitDown, close } = props;
  const { words } = speech;
  const isJoining = rules === null;
  const submit = (event: Event) => {
    event.preventDefault();
    sitDown();
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
        <div class="row">
          <button type="submit" class="large" id="sit">
            {isJoining ? words.joinTable : words.invite}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
