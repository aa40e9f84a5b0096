// The dialog of the settings.

import type { Speech } from "../language/speech";
import type { MatchRequest } from "../match/match";
import type { Settings } from "../match/storage";
import { Dialog } from "./dialog";
import { LanguageSelect, RulesSelect, Select } from "./select";

/** Seats in the order of `Settings.bots`, as they are named for a person at South. */
const BOT_SEATS = ["W", "N", "E"] as const;

interface SettingsDialogProps {
  settings: Settings;
  speech: Speech;
  changeSettings(changes: Partial<Settings>): void;
  openMatch(request: MatchRequest): void;
  close(): void;
}

export function SettingsDialog(props: SettingsDialogProps) {
  const { settings, speech, changeSettings, openMatch, close } = props;
  const { words } = speech;
  const speeds = Object.fromEntries(words.speeds.entries());
  const botNames = { "": words.usual, ...words.botNames };
  const checkbox = (name: "practice" | "twice" | "fourColours", id?: string) => (
    <label class="check">
      <input
        type="checkbox"
        id={id}
        checked={settings[name]}
        onChange={(event) => changeSettings({ [name]: event.currentTarget.checked })}
      />{" "}
      {words[name]}
    </label>
  );
  return (
    <Dialog title={words.settings} close={close} speech={speech}>
      <div class="form">
        <label>
          {words.rules} <RulesSelect speech={speech} openMatch={openMatch} />
        </label>
        <label>
          {words.language} <LanguageSelect speech={speech} changeSettings={changeSettings} />
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
        <label>
          {words.theme}{" "}
          <Select
            value={settings.theme}
            names={words.themes}
            pick={(theme) => changeSettings({ theme: theme as Settings["theme"] })}
          />
        </label>
        <label>
          {words.letters4}{" "}
          <Select
            value={settings.letters}
            names={words.lettersOf}
            pick={(letters) => changeSettings({ letters })}
          />
        </label>
        {checkbox("practice", "practice")}
        {checkbox("twice", "twice")}
        {checkbox("fourColours")}
        <fieldset>
          <legend>
            {words.bots} ({words.newMatch})
          </legend>
          {BOT_SEATS.map((seat, place) => (
            <label key={seat}>
              {words.seats[seat]}{" "}
              <Select
                value={settings.bots[place]}
                names={botNames}
                pick={(bot) =>
                  changeSettings({ bots: settings.bots.map((old, i) => (i === place ? bot : old)) })
                }
              />
            </label>
          ))}
        </fieldset>
      </div>
    </Dialog>
  );
}
