// The options of house rules: check boxes, then numbers.

import type { Speech } from "../language/speech";
import { fill } from "../language/words";
import { changeOption, houseContracts, largestOption } from "../match/house-contracts";
import {
  change,
  contractsOfOption,
  type HouseRules,
  largestOf,
  type OptionKey,
  optionsOf,
  TRICK_OPTIONS,
} from "../match/house-rules";
import { NumberBox } from "./number-box";

/** A part of the editor of house rules. */
export interface EditorProps {
  house: HouseRules;
  /** Has the names of contracts under these rules. */
  speech: Speech;
  store(house: HouseRules): void;
}

/** Returns the text of an option. One about points names its contracts. */
function optionText(base: string, key: OptionKey, speech: Speech): string {
  const texts: Readonly<Record<string, string>> = speech.words.house.options;
  const option = TRICK_OPTIONS[key];
  if (!option) return texts[key];
  const codes = contractsOfOption(base, key);
  const kinds = houseContracts({ base, id: "", changes: {} })
    .filter(({ code }) => codes.includes(code))
    .map(({ row }) => (row.kind === "suit" ? "♠♣♦♥" : speech.kindName(row.kind)));
  return fill(option.isOver ? texts.over : texts.short, speech.list([...new Set(kinds)]));
}

/** Options with their values under house rules. */
function valuesOf({ base, changes }: HouseRules) {
  const options = optionsOf(base).map(({ key, value }) => ({ key, value: changes[key] ?? value }));
  const isSwitch = ({ value }: { value: string }) => value === "true" || value === "false";
  return {
    switches: options.filter(isSwitch),
    numbers: options.filter((option) => !isSwitch(option)),
  };
}

/** Whether the points of a contract limit an option. */
const isLimited = (house: HouseRules, key: OptionKey): boolean =>
  largestOption(house, key) < largestOf(key);

export function HouseOptions({ house, speech, store }: EditorProps) {
  const { switches, numbers } = valuesOf(house);
  return (
    <>
      {switches.map(({ key, value }) => (
        <label key={key} class="check">
          <input
            type="checkbox"
            name={key}
            checked={value === "true"}
            onChange={(event) => store(change(house, key, String(event.currentTarget.checked)))}
          />{" "}
          {optionText(house.base, key, speech)}
        </label>
      ))}
      {numbers.map(({ key, value }) => (
        <label key={`${house.base}/${key}`}>
          {optionText(house.base, key, speech)}{" "}
          <NumberBox
            value={Number(value)}
            largest={largestOption(house, key)}
            rangeText={isLimited(house, key) ? speech.words.house.betweenShort : undefined}
            speech={speech}
            set={(chosen) => store(changeOption(house, key, String(chosen)))}
          />
        </label>
      ))}
    </>
  );
}
