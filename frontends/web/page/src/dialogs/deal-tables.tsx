// The tables of results: by rule set, and by contract.

import type { ComponentChildren } from "preact";

import type { Speech } from "../language/speech";
import type { ContractResults } from "../match/deal-statistics";
import type { Tally } from "../match/storage";
import { ruleSetName } from "../net/rulesets";

interface NumbersProps {
  label: string;
  columns: string[];
  children: ComponentChildren;
}

/** A table of numbers that scrolls if it is wider than the dialog. */
function Numbers({ label, columns, children }: NumbersProps) {
  return (
    <div class="wide" tabIndex={0} role="group" aria-label={label}>
      <table class="numbers">
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

/** Formats a share as a percentage, or as a dash if it is a share of nothing. */
const percentage = (part: number, whole: number, speech: Speech): string =>
  whole ? `${speech.number((100 * part) / whole)} %` : "–";

interface TallyTableProps {
  tallies: [rules: string, tally: Tally][];
  speech: Speech;
}

/** The statistics by rule set. */
export function TallyTable({ tallies, speech }: TallyTableProps) {
  const { words } = speech;
  const { rules, played, contractsPlayed, contractsMade, pointsPerDeal, lostPerDeal } = words;
  const columns = [rules, played, contractsPlayed, contractsMade, pointsPerDeal, lostPerDeal];
  return (
    <Numbers label={words.statistics} columns={columns}>
      {tallies.map(([set, { deals, points, declared, made, reviewed, lost }]) => (
        <tr key={set}>
          <th scope="row">{ruleSetName(set)}</th>
          <td>{speech.number(deals)}</td>
          <td>{speech.number(declared)}</td>
          <td>{percentage(made, declared, speech)}</td>
          <td>{speech.signed(points / deals, 1)}</td>
          <td>{reviewed ? speech.number(lost / reviewed, 1) : "–"}</td>
        </tr>
      ))}
    </Numbers>
  );
}

interface ContractTableProps {
  results: ContractResults[];
  speech: Speech;
}

/** The results by contract. */
export function ContractTable({ results, speech }: ContractTableProps) {
  const { words } = speech;
  const { contract, played, contractsMade, pointsPerDeal } = words;
  const { partner, byContract, defended } = words.history;
  const name = (kind: string) => (kind ? speech.kindName(kind) || partner : defended);
  return (
    <Numbers label={byContract} columns={[contract, played, contractsMade, pointsPerDeal]}>
      {results.map(({ kind, deals, gained, points }) => (
        <tr key={kind}>
          <th scope="row">{name(kind)}</th>
          <td>{speech.number(deals)}</td>
          <td>{kind ? percentage(gained, deals, speech) : "–"}</td>
          <td>{speech.signed(points / deals, 1)}</td>
        </tr>
      ))}
    </Numbers>
  );
}
