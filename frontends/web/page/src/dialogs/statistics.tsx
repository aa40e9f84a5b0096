// The dialog of the statistics.

import { useState } from "preact/hooks";

import type { Speech } from "../language/speech";
import { saved, type Tally } from "../match/storage";
import { ruleSetName } from "../net/rulesets";
import { Dialog } from "./dialog";

interface TallyRowProps {
  rules: string;
  tally: Tally;
  speech: Speech;
}

/** The statistics of a rule set. */
function TallyRow({ rules, tally, speech }: TallyRowProps) {
  const { deals, points, declared, made, reviewed, lost } = tally;
  return (
    <tr>
      <th scope="row">{ruleSetName(rules)}</th>
      <td>{speech.number(deals)}</td>
      <td>{speech.number(declared)}</td>
      <td>{declared ? `${speech.number((100 * made) / declared)} %` : "–"}</td>
      <td>{speech.signed(points / deals, 1)}</td>
      <td>{reviewed ? speech.number(lost / reviewed, 1) : "–"}</td>
    </tr>
  );
}

interface StatisticsDialogProps {
  speech: Speech;
  close(): void;
}

export function StatisticsDialog({ speech, close }: StatisticsDialogProps) {
  const { words } = speech;
  const [tallies, setTallies] = useState(saved.tallies());
  const rows = Object.entries(tallies);
  const reset = () => {
    saved.storeTallies({});
    setTallies({});
  };
  if (rows.length === 0)
    return (
      <Dialog title={words.door.games} close={close} speech={speech}>
        <p>{words.door.noGames}</p>
      </Dialog>
    );
  return (
    <Dialog title={words.door.games} close={close} speech={speech}>
      <div class="wide" tabIndex={0} role="group" aria-label={words.statistics}>
        <table class="numbers">
          <thead>
            <tr>
              <th scope="col">{words.rules}</th>
              <th scope="col">{words.played}</th>
              <th scope="col">{words.contractsPlayed}</th>
              <th scope="col">{words.contractsMade}</th>
              <th scope="col">{words.pointsPerDeal}</th>
              <th scope="col">{words.lostPerDeal}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(([rules, tally]) => (
              <TallyRow key={rules} rules={rules} tally={tally} speech={speech} />
            ))}
          </tbody>
        </table>
      </div>
      <button type="button" onClick={reset}>
        {words.reset}
      </button>
    </Dialog>
  );
}
