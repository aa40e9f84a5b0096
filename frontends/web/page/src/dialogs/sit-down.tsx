// The dialog to open or join a shared table.

import type { Speech } from "../language/speech";
import type { Settings } from "../match/storage";
import { Dialog } from "./dialog";

interface SitDownDialogProps {
  /** Whether the person joins a table. Otherwise the person opens one. */
  isJoining: boolean;
  settings: Settings;
  speech: Speech;
  changeSettings(changes: Partial<Settings>): void;
  sitDown(): void;
  close(): void;
}

/** Asks for the name of the person who opens or joins a shared table. */
export function SitDownDialog(props: SitDownDialogProps) {
  const { isJoining, settings, speech, changeSettings, sitDown, close } = props;
  const { words } = speech;
  const submit = (event: Event) => {
    event.preventDefault();
    sitDown();
  };
  return (
    <Dialog title={words.together} close={close} speech={speech}>
      <form class="form" onSubmit={submit}>
        <p>{isJoining ? words.joinText : words.inviteText}</p>
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
