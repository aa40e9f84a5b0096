// The dialog to open or join a shared table.

import type { Speech } from "../language/speech";
import type { Session } from "../match/session";
import type { Settings } from "../match/storage";
import { Dialog } from "./dialog";

interface SitDownDialogProps {
  session: Session;
  /** Secret of the table to join; `null` to open a table. */
  table: string | null;
  settings: Settings;
  speech: Speech;
  changeSettings(changes: Partial<Settings>): void;
  close(): void;
}

/** Asks for the name of the person who opens or joins a shared table. */
export function SitDownDialog(props: SitDownDialogProps) {
  const { session, table, settings, speech, changeSettings, close } = props;
  const { words } = speech;
  const isJoining = table !== null;
  const sitDown = (event: Event) => {
    event.preventDefault();
    // The dialog of the shared table takes the place of this one once the table is open.
    if (!isJoining) return session.share(settings.name);
    session.join(table, settings.name);
    close();
  };
  return (
    <Dialog title={words.together} close={close} speech={speech}>
      <form class="form" onSubmit={sitDown}>
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
