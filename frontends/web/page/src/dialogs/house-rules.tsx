// The editor of house rules.

import { useState } from "preact/hooks";

import { Speech } from "../language/speech";
import { fill } from "../language/words";
import {
  contractsOf,
  type HouseRules,
  idProblem,
  isPlayed,
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
import { HouseContracts } from "./house-contracts";
import { type EditorProps, HouseOptions } from "./house-options";
import { Select } from "./select";

const begin = (base: string) => unpackHouseRules(`house=${base}`);

/** The name of the house rules. Says what is wrong with it. */
function NameField({ house, speech, store }: EditorProps) {
  const { words } = speech;
  const problem = idProblem(house.id);
  return (
    <>
      <label>
        {words.house.id}{" "}
        <input
          id="house-id"
          maxLength={64}
          value={house.id}
          aria-invalid={problem !== null}
          aria-describedby="house-id-problem"
          onInput={(event) => store({ ...house, id: event.currentTarget.value })}
        />
      </label>
      <p id="house-id-problem" role="status" class="note told">
        {problem && fill(words.house.idProblems[problem], house.id)}
      </p>
    </>
  );
}

interface ActionsProps {
  house: HouseRules;
  speech: Speech;
  openMatch(request: MatchRequest): void;
}

/** Buttons to play the house rules and to pass them on. */
function Actions({ house, speech, openMatch }: ActionsProps) {
  const { words } = speech;
  const packed = packHouseRules(house);
  const url = pageUrl(packed);
  /** What was said when an address was copied. */
  const [status, setStatus] = useState({ url: "", text: "" });
  const copyUrl = async () => setStatus({ url, text: (await copyText(url)) ? words.copied : url });
  const copied = status.url === url ? status.text : "";
  const hasContract = contractsOf(house.base).some(({ code }) => isPlayed(house, code));
  const isUsable = idProblem(house.id) === null && hasContract;
  const description = fill(words.house.from, BUILT_IN_NAMES[house.base]);
  return (
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
          href={`data:application/toml,${encodeURIComponent(ruleFile(house, description))}`}
        >
          {words.house.file}
        </a>
      )}
      <p role="status" class="note told">
        {hasContract ? copied : words.house.noContract}
      </p>
    </div>
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
  const [house, setHouse] = useState(
    () => unpackHouseRules(saved.houseRules()) ?? begin(rules) ?? begin("wiezen")!,
  );
  const store = (changed: HouseRules) => {
    setHouse(changed);
    saved.storeHouseRules(packHouseRules(changed));
  };
  const isFlemish = optionsOf(house.base).some(({ key }) => key === "exchange");
  // Contracts have the names of the chosen rules, not of those on the table.
  const houseSpeech = new Speech(speech.language, house.base, speech.letters, isFlemish);
  const editor = { house, speech: houseSpeech, store };
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
        <NameField {...editor} />
        <HouseOptions {...editor} />
      </div>
      {isFlemish && <p class="note">{words.house.settlement}</p>}
      <HouseContracts {...editor} />
      <Actions house={house} speech={speech} openMatch={openMatch} />
    </Dialog>
  );
}
