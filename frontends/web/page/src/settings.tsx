// The dialog of the settings. It also leads to new matches, a shared table and the statistics.

import { Dialog, type DialogName } from "./dialog";
import type { Game } from "./game";
import { isAlone } from "./link";
import type { Opened } from "./match";
import type { Settings } from "./saved";
import { LanguageSelect, RulesSelect, Select } from "./select";
import type { Speech } from "./words";

interface Props {
  game: Game;
  settings: Settings;
  speech: Speech;
  change(some: Partial<Settings>): void;
  open(opened: Opened): void;
  newMatch(): void;
  show(dialog: DialogName): void;
}

export function SettingsDialog({ game, settings, speech, change, open, newMatch, show }: Props) {
  const { words } = speech;
  const speeds = Object.fromEntries(words.speeds.entries());
  const botNames = { "": words.usual, ...words.botNames };
  /** Opens the deal of the day, which is the same for everybody. */
  const daily = () => {
    const today = new Date().toISOString().slice(0, 10);
    open({ rules: game.usualRules, seed: Number(today.replaceAll("-", "")), daily: today });
  };
  /** A setting that is on or off. */
  const check = (name: "practice" | "twice" | "fourColours", id?: string) => (
    <label class="check">
      <input type="checkbox" id={id} checked={settings[name]}
        onChange={(event) => change({ [name]: event.currentTarget.checked })} /> {words[name]}
    </label>
  );
  return (
    <Dialog title={words.settings} close={() => show("")} speech={speech}>
      <div class="form">
        <label>{words.rules} <RulesSelect speech={speech} open={open} /></label>
        <label>{words.language} <LanguageSelect speech={speech} change={change} /></label>
        <label>{words.speed}{" "}
          <Select id="speed" value={String(settings.speed)} names={speeds}
            pick={(speed) => change({ speed: Number(speed) })} />
        </label>
        <label>{words.theme}{" "}
          <Select value={settings.theme} names={words.themes}
            pick={(theme) => change({ theme: theme as Settings["theme"] })} />
        </label>
        <label>{words.letters4}{" "}
          <Select value={settings.letters} names={words.lettersOf} pick={(letters) => change({ letters })} />
        </label>
        {check("practice", "practice")}
        {check("twice", "twice")}
        {check("fourColours")}
        <fieldset><legend>{words.bots} ({words.newMatch})</legend>
          {(["W", "N", "E"] as const).map((seat, place) => (
            <label key={seat}>{words.seats[seat]}{" "}
              <Select value={settings.bots[place]} names={botNames}
                pick={(bot) => change({ bots: settings.bots.with(place, bot) })} />
            </label>
          ))}
        </fieldset>
        <div class="row">
          <button type="button" id="daily" onClick={daily}>{words.daily}</button>
          {!isAlone && game.session.notice !== "offline" && (
            <button type="button" id="together" onClick={() => show("together")}>{words.together}</button>
          )}
          <button type="button" id="statistics" onClick={() => show("statistics")}>{words.statistics}</button>
          <button type="button" onClick={newMatch}>{words.newMatch}</button>
        </div>
      </div>
    </Dialog>
  );
}
