// The dialog of the settings.

import type { Speech } from "../language/speech";
import type { MatchRequest } from "../match/match";
import type { Settings } from "../match/storage";
import type { Table } from "../messages/messages";
import { Dialog } from "./dialog";
import { Switch } from "./fields";
import { Looks } from "./looks";
import { Opponents } from "./opponents";
import { LanguageSelect, RulesSelect, Select } from "./select";

interface SettingsDialogProps {
  settings: Settings;
  speech: Speech;
  /** `null` before the first table. */
  table: Table | null;
  changeSettings(changes: Partial<Settings>): void;
  chooseLanguage(language: string): void;
  openMatch(request: MatchRequest): void;
  close(): void;
}

export function SettingsDialog(props: SettingsDialogProps) {
  const { settings, speech, table, changeSettings, chooseLanguage, openMatch, close } = props;
  const { words } = speech;
  const speeds = Object.fromEntries(words.speeds.entries());
  const fields = { settings, changeSettings };
  return (
    <Dialog title={words.settings} close={close} speech={speech}>
      <div class="form">
        <label>
          {words.rules} <RulesSelect speech={speech} openMatch={openMatch} />
        </label>
        <label>
          {words.language} <LanguageSelect speech={speech} choose={chooseLanguage} />
        </label>
        <label>
          {words.speed}{" "}
          <Select
            id="speed"
            value={String(settings.speed)}
            names={speeds}
            pick={(speed) => changeSettings({ speed: Number(speed) })}
          />
        </label>
        <Switch {...fields} name="practice" label={words.practice} />
        <Switch {...fields} name="twice" label={words.twice} />
        <Switch {...fields} name="sound" label={words.life.sound} />
        <Opponents {...fields} speech={speech} table={table} />
        <Looks {...fields} speech={speech} />
      </div>
    </Dialog>
  );
}
