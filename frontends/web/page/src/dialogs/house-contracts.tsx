// The contracts of house rules: which are played, and their points.

import { pointsDetails } from "../language/rules-prose";
import { KINDS_WITH_LEVEL, type Speech, suitContract } from "../language/speech";
import {
  changePlayed,
  changePoints,
  type HouseContract,
  houseContracts,
} from "../match/house-contracts";
import { largestOf } from "../match/house-rules";
import type { ContractRow } from "../messages/messages";
import type { EditorProps } from "./house-options";
import { NumberBox } from "./number-box";

/** Returns the name of a contract, with its level. */
function contractName({ kind, level }: ContractRow, speech: Speech): string {
  if (kind === "suit") return suitContract(level);
  const name = speech.kindName(kind);
  return KINDS_WITH_LEVEL.includes(kind) ? `${name} ${level}` : name;
}

interface ContractProps extends EditorProps {
  contract: HouseContract;
}

/** The two boxes of a contract, in cells. */
function PointsBoxes({ contract, house, speech, store }: ContractProps) {
  const { code, made, short, eachShort, row } = contract;
  const { words } = speech;
  const name = contractName(row, speech);
  const largest = largestOf(code);
  const box = { largest, speech };
  return (
    <>
      <td>
        <NumberBox
          {...box}
          value={made}
          label={`${name}, ${words.ifMade}`}
          set={(points) => store(changePoints(house, contract, points, short))}
        />
      </td>
      <td>
        <NumberBox
          {...box}
          value={short}
          least={eachShort}
          label={`${name}, ${words.ifFailed}`}
          set={(points) => store(changePoints(house, contract, made, points))}
        />
      </td>
    </>
  );
}

/** A contract: whether it is played, its points, and in a second row what follows from them. */
function ContractRows(props: ContractProps) {
  const { contract, house, speech, store } = props;
  const { code, isPlayed, row } = contract;
  const details = isPlayed && pointsDetails(speech, row);
  return (
    <>
      <tr class={details ? "has-details" : ""}>
        <th scope="row">
          <label class="check">
            <input
              type="checkbox"
              name={code}
              checked={isPlayed}
              onChange={(event) => store(changePlayed(house, code, event.currentTarget.checked))}
            />{" "}
            {contractName(row, speech)}
          </label>
        </th>
        {isPlayed ? <PointsBoxes {...props} /> : <td colSpan={2} />}
      </tr>
      {details && (
        <tr>
          <td colSpan={3} class="details">
            {details}
          </td>
        </tr>
      )}
    </>
  );
}

export function HouseContracts(props: EditorProps) {
  const { house, speech } = props;
  const { words } = speech;
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
        {houseContracts(house).map((contract) => (
          <ContractRows key={`${house.base}/${contract.code}`} {...props} contract={contract} />
        ))}
      </tbody>
    </table>
  );
}
