// The dialog "My games": statistics of all deals, and the deals that this browser keeps.

import { useEffect, useState } from "preact/hooks";

import { Speech } from "../language/speech";
import { contractResults, lossesOverTime } from "../match/deal-statistics";
import { cannotKeep, type KeptDeal, keptDeals } from "../match/kept-deals";
import { saved } from "../match/storage";
import { ruleSetName } from "../net/rulesets";
import { ContractTable, TallyTable } from "./deal-tables";
import { Dialog } from "./dialog";
import { KeptDealActions } from "./kept-deal-actions";
import { LastDeals, Mistakes, type ShowDeal } from "./last-deals";
import { LossChart } from "./loss-chart";
import type { Question } from "./question";
import { Select } from "./select";

interface KeptDealsProps {
  /** The kept deals, the oldest first; at least one. */
  deals: KeptDeal[];
  speech: Speech;
  /** Missing where the person cannot leave the table to see a deal. */
  show?: ShowDeal;
}

/** Results, chart and list of the kept deals of one rule set. */
function KeptDeals({ deals, speech, show }: KeptDealsProps) {
  const { words } = speech;
  const sets = [...new Set(deals.map(({ rules }) => rules))];
  const [chosen, setChosen] = useState("");
  const rules = sets.includes(chosen) ? chosen : deals.at(-1)!.rules;
  const shown = deals.filter((deal) => deal.rules === rules);
  const newestFirst = shown.toReversed();
  const isFlemish = shown.some(({ turn_up }) => turn_up);
  // Contracts have the names of their own rules, not of those on the table.
  const rulesSpeech = new Speech(speech.language, rules, speech.letters, isFlemish);
  return (
    <>
      {sets.length > 1 && (
        <label class="row">
          {words.rules}{" "}
          <Select
            id="kept-rules"
            value={rules}
            names={Object.fromEntries(sets.map((set) => [set, ruleSetName(set)]))}
            pick={setChosen}
          />
        </label>
      )}
      <h3>{words.history.byContract}</h3>
      <ContractTable results={contractResults(shown)} speech={rulesSpeech} />
      <h3>{words.history.chart}</h3>
      <LossChart losses={lossesOverTime(shown)} speech={speech} />
      <Mistakes deals={newestFirst} speech={speech} show={show} />
      <h3>{words.history.last}</h3>
      <LastDeals key={rules} deals={newestFirst} speech={rulesSpeech} show={show} />
    </>
  );
}

interface StatisticsDialogProps {
  speech: Speech;
  /** Missing where the person cannot leave the table to see a deal. */
  show?: ShowDeal;
  ask(question: Question): void;
  close(): void;
}

export function StatisticsDialog({ speech, show, ask, close }: StatisticsDialogProps) {
  const { words } = speech;
  const [deals, setDeals] = useState<KeptDeal[]>([]);
  const load = () => void keptDeals().then(setDeals);
  useEffect(load, []);
  const tallies = Object.entries(saved.tallies());
  return (
    <Dialog title={words.door.games} close={close} speech={speech}>
      {tallies.length > 0 ? (
        <TallyTable tallies={tallies} speech={speech} />
      ) : (
        <p>{words.door.noGames}</p>
      )}
      {deals.length > 0 && <KeptDeals deals={deals} speech={speech} show={show} />}
      {cannotKeep() && (
        <p class="note" role="status">
          {words.history.notKept}
        </p>
      )}
      <KeptDealActions
        deals={deals}
        isEmpty={tallies.length + deals.length === 0}
        speech={speech}
        ask={ask}
        changed={load}
      />
    </Dialog>
  );
}
