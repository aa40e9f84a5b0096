// Fields of the settings: selections and switches with their labels.

import type { Settings } from "../match/storage";
import { Select } from "./select";

type KeysOf<Value> = {
  [Key in keyof Settings]: Settings[Key] extends Value ? Key : never;
}[keyof Settings];

interface FieldsProps {
  settings: Settings;
  changeSettings(changes: Partial<Settings>): void;
}

interface ChoiceProps extends FieldsProps {
  name: KeysOf<string>;
  label: string;
  /** Names on the screen by value. */
  names: Record<string, string>;
}

/** A setting that is one of some values. */
export function Choice({ settings, changeSettings, name, label, names }: ChoiceProps) {
  return (
    <label>
      {label}{" "}
      <Select
        id={name}
        value={settings[name]}
        names={names}
        pick={(value) => changeSettings({ [name]: value })}
      />
    </label>
  );
}

interface SwitchProps extends FieldsProps {
  name: KeysOf<boolean>;
  label: string;
}

/** A setting that is on or off. */
export function Switch({ settings, changeSettings, name, label }: SwitchProps) {
  return (
    <label class="check">
      <input
        type="checkbox"
        id={name}
        checked={settings[name]}
        onChange={(event) => changeSettings({ [name]: event.currentTarget.checked })}
      />{" "}
      {label}
    </label>
  );
}
