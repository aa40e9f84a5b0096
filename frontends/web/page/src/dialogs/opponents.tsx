// The settings of the bots at the other seats.

import type { Speech } from "../language/speech";
import { fill } from "../language/words";
import type { Settings } from "../match/storage";
import type { Table } from "../messages/messages";
import { Portrait } from "../table/portrait";
import { Select } from "./select";

/** Seats in the order of `Settings.bots`, for a person at South. */
const BOT_SEATS = ["W", "N", "E"] as const;

interface OpponentsProps {
  settings: Settings;
  speech: Speech;
  /** `null` before the first table. */
  table: Table | null;
  changeSettings(changes: Partial<Settings>): void;
}

/** Selections of a temperament, which is a bot, for each of the other seats. */
export function Opponents({ settings, speech: { words }, table, changeSettings }: OpponentsProps) {
  const { life } = words;
  const names: Record<string, string> = { "": words.usual, ...words.botNames };
  const tempers: Record<string, string> = life.tempers;
  const choose = (bot: string, place: number) =>
    changeSettings({ bots: settings.bots.map((old, i) => (i === place ? bot : old)) });
  const seated = table && BOT_SEATS.map((at) => `${life.names[at]} ${table.bots[at]}`).join(" · ");
  return (
    <fieldset class="opponents">
      <legend>{life.others}</legend>
      {BOT_SEATS.map((at, place) => (
        <label key={at}>
          <span>
            <Portrait seat={at} /> {life.names[at]}
          </span>{" "}
          <Select
            id={`bot-${at}`}
            value={settings.bots[place]}
            names={names}
            pick={(bot) => choose(bot, place)}
          />
        </label>
      ))}
      {[...new Set(settings.bots)].map((bot) => (
        <p key={bot} class="note">
          <b>{names[bot]}</b>
          {words.colon}
          {tempers[bot]}
        </p>
      ))}
      <p class="note">
        {life.fromNext} {seated && !table.people && fill(life.now, seated)}
      </p>
    </fieldset>
  );
}
