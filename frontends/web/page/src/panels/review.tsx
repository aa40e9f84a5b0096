// The review of a deal: the person's decisions, all hands, par, and actions on the deal.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

import { fill } from "../language/words";
import { countGrades, gradeOf, praisedDecisions } from "../match/grades";
import { reasonFor, speaksAgainst } from "../match/reasons";
import { cheapestStake } from "../messages/contracts";
import type { Decision } from "../messages/messages";
import type { Scene } from "../table/scene";
import { betterCard, betterInHindsight } from "./better-card";
import { DealActions } from "./deal-actions";
import { MIN_SHOWN_POINTS, sortDecisions } from "./decisions";
import { ExpectationCurve } from "./expectation-curve";
import { GradeCounts } from "./grade-mark";
import { Hindsight } from "./hindsight";
import { betterThanBotText, JudgedDecision } from "./judged-decision";
import { OpenHands } from "./open-hands";
import { ParResult } from "./par-result";

interface DecisionListProps {
  scene: Scene;
  decisions: Decision[];
  /** Least difference in points between making and failing a contract of the rules. */
  stake: number;
  loss(decision: Decision): ComponentChildren;
  /** `at` of the open decision. */
  open: number | null;
  toggle(decision: Decision): void;
}

function DecisionList({ scene, decisions, stake, loss, open, toggle }: DecisionListProps) {
  return (
    <ol class="decisions">
      {decisions.map((decision) => (
        <JudgedDecision
          key={decision.at}
          scene={scene}
          decision={decision}
          stake={stake}
          loss={loss(decision)}
          isOpen={open === decision.at}
          toggle={() => toggle(decision)}
        />
      ))}
    </ol>
  );
}

/** The decision that the person looks at. */
interface OpenDecision {
  decision: Decision;
  /** Part of the review from which it was opened. */
  from: "curve" | "list" | "hindsight";
}

/** Returns the card to mark at a position: the better one of the open decision. */
function markedCard({ game, table }: Scene, open: OpenDecision | null, step: number) {
  if (open?.decision.at !== step + 1) return null;
  const { decision, from } = open;
  if (from !== "hindsight") return betterCard(decision);
  return betterInHindsight(table, decision, game.review.values[step]);
}

export function Review({ scene }: { scene: Scene }) {
  const { game, table, speech } = scene;
  const { words } = speech;
  const [step, setStep] = useState(table.calls);
  const [open, setOpen] = useState<OpenDecision | null>(null);
  if (!table.record) return <p class="note">{words.notNow}</p>;
  const { decisions, judging } = game.review;
  const stake = cheapestStake(game.session.rules);
  const hasReason = (decision: Decision) => speaksAgainst(reasonFor(table, decision));
  const { costly, better, close, hindsight, fine } = sortDecisions(decisions, (decision) =>
    gradeOf(decision, stake, hasReason(decision)),
  );
  const praised = praisedDecisions(decisions, stake);
  const wellSeen = [...praised, ...better.filter((decision) => !praised.includes(decision))];
  const openAt = (from: OpenDecision["from"]) => (open?.from === from ? open.decision.at : null);
  const toggleFrom = (from: OpenDecision["from"]) => (decision: Decision) => {
    setStep(decision.at - 1);
    setOpen(openAt(from) === decision.at ? null : { decision, from });
  };
  const list = (
    shown: Decision[],
    loss: (decision: Decision) => ComponentChildren,
    from: OpenDecision["from"] = "list",
  ) => (
    <DecisionList
      scene={scene}
      decisions={shown}
      stake={stake}
      loss={loss}
      open={openAt(from)}
      toggle={toggleFrom(from)}
    />
  );
  const lostPoints = ({ points }: Decision) => (
    <span class={points >= 1 ? "bad" : ""}>
      {speech.count(words.lostPoints, points, speech.number(points, 1))}
    </span>
  );
  const gain = (decision: Decision) =>
    decision.over_bot >= MIN_SHOWN_POINTS ? (
      <span class="note">{betterThanBotText(decision, speech)}</span>
    ) : null;
  const smallLoss = (decision: Decision) =>
    decision.points >= MIN_SHOWN_POINTS ? (
      lostPoints(decision)
    ) : (
      <span class="note">{words.same}</span>
    );
  const fineText = fill(
    words.guide.review.fine,
    fill(words.tricksOf, { n: fine.length, of: decisions.length }),
  );
  const isJudging = judging === "running";
  return (
    <div class="review">
      {judging === "done" && (
        <>
          <GradeCounts counts={countGrades(decisions, stake, hasReason)} speech={speech} />
          <ExpectationCurve
            scene={scene}
            decisions={decisions}
            open={openAt("curve")}
            toggle={toggleFrom("curve")}
          />
        </>
      )}
      {open?.from === "curve" && list([open.decision], smallLoss, "curve")}
      {(costly.length > 0 || isJudging) && <h2>{words.yourDecisions}</h2>}
      {isJudging && (
        <p class="note" role="status">
          {words.judging}
        </p>
      )}
      {judging === "done" && !costly.length && decisions.length > 0 && (
        <p class="flawless">{words.guide.review.flawless}</p>
      )}
      {judging === "done" && decisions.length === 0 && (
        <p class="note">{table.void ? words.everybodyPassed : words.guide.review.partly}</p>
      )}
      {costly.length > 0 && list(costly, lostPoints)}
      {[...costly, ...wellSeen].some(({ phase }) => phase === "auction") && (
        <p class="note">{words.guide.review.calls}</p>
      )}
      {wellSeen.length > 0 && (
        <>
          <h2>{words.wellSeen}</h2>
          {list(wellSeen, gain)}
        </>
      )}
      {!isJudging && fine.length > 0 && close.length === 0 && <p class="note">{fineText}</p>}
      {!isJudging && close.length > 0 && (
        <details>
          <summary class="note">{fineText}</summary>
          {list(close, smallLoss)}
        </details>
      )}
      {hindsight.length > 0 && (
        <>
          <h2 class="note">{words.hindsight}</h2>
          <Hindsight scene={scene} decisions={hindsight} show={toggleFrom("hindsight")} />
        </>
      )}
      <h2>{words.openHands}</h2>
      <OpenHands
        scene={scene}
        step={step}
        setStep={setStep}
        better={markedCard(scene, open, step)}
      />
      {table.mine.includes(step) && (
        <button type="button" onClick={() => game.goBack(step)}>
          {words.tryAgain}
        </button>
      )}
      <ParResult scene={scene} />
      <DealActions scene={scene} />
    </div>
  );
}
