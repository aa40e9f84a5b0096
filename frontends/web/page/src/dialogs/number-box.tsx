// A box for a number that says which numbers are possible.

import { useState } from "preact/hooks";

import type { Speech } from "../language/speech";
import { fill } from "../language/words";

interface NumberBoxProps {
  value: number;
  least?: number;
  largest: number;
  /** Text about a number out of range, with `least` and `largest`; a general one if it is missing. */
  rangeText?: string;
  /** Name of the box where no label surrounds it. */
  label?: string;
  speech: Speech;
  set(value: number): void;
}

export function NumberBox(props: NumberBoxProps) {
  const { value, least = 0, largest, rangeText, label, speech, set } = props;
  const [isRefused, setIsRefused] = useState(false);
  const changed = ({ currentTarget: box }: { currentTarget: HTMLInputElement }) => {
    const isValid = box.value !== "" && box.validity.valid;
    setIsRefused(!isValid);
    if (isValid) set(Number(box.value));
    else box.value = String(value);
  };
  const range = { least: speech.number(least), largest: speech.number(largest) };
  return (
    <span>
      <input
        type="number"
        inputMode="numeric"
        min={least}
        max={largest}
        value={value}
        aria-label={label}
        onChange={changed}
      />
      {isRefused && (
        <small role="alert">{fill(rangeText ?? speech.words.house.between, range)}</small>
      )}
    </span>
  );
}
