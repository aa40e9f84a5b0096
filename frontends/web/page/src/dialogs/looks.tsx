// The settings that only change what the table looks like.

import type { Speech } from "../language/speech";
import type { Settings } from "../match/storage";
import { Choice, Switch } from "./fields";

interface LooksProps {
  settings: Settings;
  speech: Speech;
  changeSettings(changes: Partial<Settings>): void;
}

export function Looks({ settings, speech: { words }, changeSettings }: LooksProps) {
  const { life } = words;
  const fields = { settings, changeSettings };
  return (
    <fieldset>
      <legend>{life.looks}</legend>
      <Choice {...fields} name="theme" label={words.theme} names={words.themes} />
      <Choice {...fields} name="felt" label={life.felt} names={life.felts} />
      <Choice {...fields} name="back" label={life.back} names={life.backs} />
      <Choice {...fields} name="letters" label={words.letters4} names={words.lettersOf} />
      <Switch {...fields} name="fourColours" label={words.fourColours} />
      <Switch {...fields} name="largeCards" label={life.switches.largeCards} />
      <Switch {...fields} name="largeText" label={life.switches.largeText} />
      <Switch {...fields} name="bothCorners" label={life.switches.bothCorners} />
      <Switch {...fields} name="courts" label={life.switches.courts} />
      <Switch {...fields} name="trumpsFirst" label={life.switches.trumpsFirst} />
    </fieldset>
  );
}
