// The editor of house rules.

import { useState } from "preact/hooks";

import { KINDS_WITH_LEVEL, Speech } from "../language/speech";
import {
  type ContractChoice,
  change,
  contractsOf,
  type HouseRules,
  isHouseId,
  largestOf,
  optionsOf,
  packHouseRules,
  ruleFile,
  unpackHouseRules,
} from "../match/house-rules";
import type { MatchRequest } from "../match/match";
import { saved } from "../match/storage";
import { BUILT_IN_NAMES } from "../net/rulesets";
import { copyText, pageUrl } from "../net/urls";
import { Dialog } from "./dialog";
import { Select } from "./select";

/** A part of the editor. */
interface EditorProps {
  house: HouseRules;
  speech: Speech;
  /** Changes the value of an option or contract. */
  set(key: string, value: string): void;
}

interface NumberBoxProps {
  value: string;
  largest: number;
  /** Name of the box where no label surrounds it. */
  label?: string;
  set(value: string): void;
}

function NumberBox({ value, largest, label, set }: NumberBoxProps) {
  return (
    <input
      type="number"
      inputMode="numeric"
      min={0}
      max={largest}
      value={value}
      aria-label={label}
      onChange={({ currentTarget: box }) => {
        if (box.value && box.validity.valid) set(String(Number(box.value)));
        else box.value = value;
      }}
    />
  );
}

/** The options: check boxes, then numbers. */
function Options({ house, speech, set }: EditorProps) {
  const texts = speech.words.house.options;
  const options = optionsOf(house.base).map(({ key, value }) => ({
    key,
    value: house.changes[key] ?? value,
  }));
  const isSwitch = ({ value }: { value: string }) => value === "true" || value === "false";
  return (
    <>
      {options.filter(isSwitch).map(({ key, value }) => (
        <label key={key} class="check">
          <input
            type="checkbox"
            name={key}
            checked={value === "true"}
            onChange={(event) => set(key, String(event.currentTarget.checked))}
          />{" "}
          {texts[key]}
        </label>
      ))}
      {options
        .filter((option) => !isSwitch(option))
        .map(({ key, value }) => (
          <label key={key}>
            {texts[key]}{" "}
            <NumberBox value={value} largest={largestOf(key)} set={(chosen) => set(key, chosen)} />
          </label>
        ))}
    </>
  );
}

/** Returns the name of a contract, with its level. */
function contractName({ kind, level }: ContractChoice, speech: Speech): string {
  if (kind === "suit") return `${level} ♠♣♦♥`;
  const name = speech.kindName(kind);
  return KINDS_WITH_LEVEL.includes(kind) ? `${name} ${level}` : name;
}

/** A contract: whether it is played, and its points. */
function ContractRow({ choice, house, speech, set }: EditorProps & { choice: ContractChoice }) {
  const { words } = speech;
  const { code, value: before } = choice;
  const value = house.changes[code] ?? before;
  const isPlayed = value !== "off";
  const [made, failed] = (isPlayed ? value : before).split("/");
  const name = contractName(choice, speech);
  const points = (label: string, shown: string, then: (points: string) => string) => (
    <td>
      {isPlayed && (
        <NumberBox
          value={shown}
          largest={largestOf(code)}
          label={`${name}, ${label}`}
          set={(chosen) => set(code, then(chosen))}
        />
      )}
    </td>
  );
  return (
    <tr>
      <th scope="row">
        <label class="check">
          <input
            type="checkbox"
            name={code}
            checked={isPlayed}
            onChange={(event) => set(code, event.currentTarget.checked ? before : "off")}
          />{" "}
          {name}
        </label>
      </th>
      {points(words.ifMade, made, (chosen) => `${chosen}/${failed}`)}
      {points(words.ifFailed, failed, (chosen) => `${made}/${chosen}`)}
    </tr>
  );
}

function Contracts(props: EditorProps) {
  const { words } = props.speech;
  const contracts = contractsOf(props.house.base);
  return (
    <table class="numbers house">
      <thead>
        <tr>
          <th scope="col">{words.contract}</th>
          <th scope="col">{words.ifMade}</th>
          <th scope="col">{words.ifFailed}</th>
        </tr>
      </thead>
      <tbody>
        {contracts.map((choice) => (
          <ContractRow key={`${props.house.base}/${choice.code}`} choice={choice} {...props} />
        ))}
      </tbody>
    </table>
  );
}

interface HouseRulesDialogProps {
  /** Rule set to start from at first. */
  rules: string;
  speech: Speech;
  openMatch(request: MatchRequest): void;
  close(): void;
}

export function HouseRulesDialog({ rules, speech, openMatch, close }: HouseRulesDialogProps) {
  const { words } = speech;
  const begin = (base: string) => unpackHouseRules(`house=${base}`);
  const [house, setHouse] = useState(
    () => unpackHouseRules(saved.houseRules()) ?? begin(rules) ?? begin("wiezen")!,
  );
  const [status, setStatus] = useState("");
  const store = (changed: HouseRules) => {
    setHouse(changed);
    saved.storeHouseRules(packHouseRules(changed));
    setStatus("");
  };
  const isFlemish = optionsOf(house.base).some(({ key }) => key === "exchange");
  // Contracts have the names of the chosen rules, not of those on the table.
  const houseSpeech = new Speech(speech.language, house.base, speech.letters, isFlemish);
  const set = (key: string, value: string) => store(change(house, key, value));
  const packed = packHouseRules(house);
  const url = pageUrl(packed);
  const copyUrl = async () => setStatus((await copyText(url)) ? words.copied : url);
  const hasContract = contractsOf(house.base).some(({ code }) => house.changes[code] !== "off");
  const isUsable = isHouseId(house.id) && hasContract;
  const editor = { house, speech: houseSpeech, set };
  return (
    <Dialog title={words.house.title} close={close} speech={speech}>
      <div class="form">
        <label>
          {words.house.base}{" "}
          <Select
            id="house-base"
            value={house.base}
            names={{ ...BUILT_IN_NAMES }}
            pick={(base) => store(begin(base)!)}
          />
        </label>
        <label>
          {words.house.id}{" "}
          <input
            id="house-id"
            maxLength={64}
            value={house.id}
            aria-invalid={!isHouseId(house.id)}
            onInput={(event) => store({ ...house, id: event.currentTarget.value })}
          />
        </label>
        <Options {...editor} />
      </div>
      {isFlemish && <p class="note">{words.house.settlement}</p>}
      <Contracts {...editor} />
      <div class="after">
        <button
          type="button"
          id="play-house"
          disabled={!isUsable}
          onClick={() => openMatch({ rules: house.id, house: packed })}
        >
          {words.door.play}
        </button>
        <button type="button" onClick={copyUrl} disabled={!isUsable}>
          {words.copyLink}
        </button>
        {isUsable && (
          <a
            class="button"
            download={`${house.id}.toml`}
            href={`data:application/toml,${encodeURIComponent(ruleFile(house))}`}
          >
            {words.house.file}
          </a>
        )}
        <p role="status" class="note told">
          {status}
        </p>
      </div>
    </Dialog>
  );
}
