// A decision of the person that a bot has judged.

import type { ComponentChildren } from "preact";

import { actionText } from "../language/sayings";
import type { Speech } from "../language/speech";
import { fill } from "../language/words";
import { COSTLY_GRADES, gradeOf } from "../match/grades";
import { reasonFor, speaksAgainst } from "../match/reasons";
import { replayAuction } from "../messages/auction";
import type { Decision } from "../messages/messages";
import type { Scene } from "../table/scene";
import { SuitedText } from "../table/suited-text";
import { MIN_SHOWN_POINTS } from "./decisions";
import { GradeMark } from "./grade-mark";
import { reasonText } from "./reason-text";
import { TrickThen } from "./trick-then";

/** Returns a function that names the actions of a decision. */
export function actionNames(
  { table, speech }: Scene,
  decision: Decision,
): (code: string) => string {
  const { auction } = replayAuction(table.history.slice(0, decision.at - 1));
  return (code) => actionText(speech, auction, decision.seat, code, decision.phase);
}

/** Returns the text for a decision that is better than the bot's. */
export const betterThanBotText = ({ over_bot }: Decision, speech: Speech): string =>
  fill(speech.words.overBot, speech.signed(over_bot, 1));

/** Returns the expected points of actions. */
function candidatesText(
  candidates: readonly { action: string; points: number }[],
  speech: Speech,
  name: (code: string) => string,
): string {
  const texts = candidates.map(
    ({ action, points }) => `${name(action)} ${speech.signed(points, 1)}`,
  );
  return fill(speech.words.candidates, texts.join(" · "));
}

/** Returns the probabilities of the person's action and of the bot's choice in its policy. */
function policyText(
  { did, bot, chance, bot_chance }: Decision,
  speech: Speech,
  name: (code: string) => string,
): string {
  const { words } = speech;
  const percent = (probability: number) => speech.number(100 * probability);
  const text = fill(name(did) === name(bot) ? words.whySame : words.why, {
    bot: words.life.bot,
    did: name(did),
    p: percent(chance),
    would: name(bot),
    q: percent(bot_chance),
  });
  return speech.sentence(text);
}

interface JudgedDecisionProps {
  scene: Scene;
  decision: Decision;
  /** Least difference in points between making and failing a contract of the rules. */
  stake: number;
  /** Points or tricks that the decision lost. */
  loss: ComponentChildren;
  isOpen: boolean;
  toggle(): void;
}

/**
 * The action of the person and the best action, with a grade and a reason. An open decision also
 * shows the points of other actions and the probabilities in the bot's policy.
 */
export function JudgedDecision({
  scene,
  decision,
  stake,
  loss,
  isOpen,
  toggle,
}: JudgedDecisionProps) {
  const { game, table, speech } = scene;
  const { words } = speech;
  const { did, best } = decision;
  const name = actionNames(scene, decision);
  const reason = reasonFor(table, decision);
  const grade = gradeOf(decision, stake, speaksAgainst(reason));
  const shownReason = COSTLY_GRADES.includes(grade) ? reason : null;
  return (
    <li>
      <button type="button" aria-expanded={isOpen} onClick={toggle}>
        <span>
          {words.youDid}
          {words.colon}
          <SuitedText text={name(did)} />
          {did !== best && (
            <>
              {" · "}
              {words.best}
              {words.colon}
              <SuitedText text={name(best)} />
            </>
          )}
        </span>
        <span class="verdict">
          {grade && <GradeMark grade={grade} speech={speech} />}
          {loss}
        </span>
        {shownReason && (
          <span class="reason">
            <SuitedText text={reasonText(table, speech, decision, shownReason, name)} />
          </span>
        )}
      </button>
      {isOpen && (
        <div class="why">
          <TrickThen scene={scene} decision={decision} />
          <p>
            <SuitedText text={candidatesText(decision.candidates, speech, name)} />
            {decision.over_bot >= MIN_SHOWN_POINTS && <> {betterThanBotText(decision, speech)}</>}
          </p>
          <p title={game.review.judge}>
            <SuitedText text={policyText(decision, speech, name)} />
            {decision.value !== null && (
              <> {fill(words.botExpects, speech.signed(decision.value, 1))}</>
            )}
          </p>
          {!table.people && (
            <button type="button" onClick={() => game.goBack(decision.at - 1)}>
              {words.tryAgain}
            </button>
          )}
        </div>
      )}
    </li>
  );
}
