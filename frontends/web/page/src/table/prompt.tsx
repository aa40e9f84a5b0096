// The row below the felt: a message or the prompt, the tools, and the hint of a bot.

import { actionText, othersName, sayingAt, seatName } from "../language/sayings";
import type { Speech } from "../language/speech";
import { fill, type Words } from "../language/words";
import type { Game } from "../match/game";
import { callsBefore, type LessonName } from "../match/lessons";
import { replayAuction } from "../messages/auction";
import { isStandalone } from "../net/packed";
import { PhraseMenu } from "./phrase-menu";
import { isResultShown, type Scene } from "./scene";
import { SuitedText } from "./suited-text";

/** Returns the best action, with its points unless there is no choice. */
function hintText({ game: { hint }, table, speech }: Scene): string {
  const { words } = speech;
  const { action, candidates } = hint!;
  const { auction } = replayAuction(table.history.slice(0, table.calls));
  const name = actionText(speech, auction, table.you, action, table.phase);
  const best = candidates.find((candidate) => candidate.action === action);
  if (!best) return name;
  const { points } = best;
  return name + words.colon + speech.count(words.expects, points, speech.signed(points, 1));
}

/** Whether the person may end the deal early because its points are settled. */
const canEndDeal = ({ game, table }: Scene): boolean =>
  game.isPersonsTurn && table.settled && !table.certain && table.hand.length > 1;

/** Whether the person has a decision to take back; in a lesson, one since its beginning. */
function canUndo({ game: { session }, table }: Scene): boolean {
  const { side } = session;
  if (side?.kind !== "lesson") return table.undo;
  return table.undo && table.mine.some((at) => at >= callsBefore(side.name as LessonName));
}

interface ToolsProps {
  scene: Scene;
  /** Whether the coach of a lesson advises the person at this decision. */
  isCoached: boolean;
  explain(): void;
}

/** The buttons to claim tricks, to undo, to ask for a hint, and to explain calls and signs. */
function Tools({ scene, isCoached, explain }: ToolsProps) {
  const { game, table, settings, speech, wanted } = scene;
  const { words } = speech;
  const isSettled = canEndDeal(scene);
  // There is no help at a shared table, nor beside the result.
  const hasHelp = settings.practice && game.hasHelp && !table.people && !table.scores;
  const isPuzzle = game.session.side?.kind === "puzzle";
  return (
    <div class="tools">
      {(table.certain || isSettled) && game.isPersonsTurn && !isPuzzle && (
        <button type="button" id="claim" onClick={game.claim}>
          {isSettled ? words.endDeal : words.claim}
        </button>
      )}
      {hasHelp && (
        <button
          type="button"
          id="undo"
          disabled={!canUndo(scene) || game.isLocked}
          onClick={game.undo}
        >
          {words.undo}
        </button>
      )}
      {hasHelp && !isSettled && !wanted && !isCoached && (
        <button type="button" id="hint" disabled={!game.isPersonsTurn} onClick={game.requestHint}>
          {words.hint}
        </button>
      )}
      {table.people && <PhraseMenu scene={scene} />}
      {!table.scores && (
        <button type="button" id="explain" aria-label={words.guide.explain} onClick={explain}>
          ?
        </button>
      )}
    </div>
  );
}

/** Returns the text of a refusal, "" if nothing was refused. */
export function refusalText({ session: { notice } }: Game, words: Words): string {
  if (typeof notice === "object") return notice.text;
  if (notice === "unreadable") return words.badLink;
  return notice === "noSeat" ? words.noSeat : "";
}

/** Returns the action that the table waits for. */
function awaitedText(scene: Scene): string {
  const { game, table, speech } = scene;
  const { words } = speech;
  if (isResultShown(scene) || game.session.side?.answer) return "";
  if (!game.isPersonsTurn) {
    const isOthersTurn = table.turn && table.turn !== table.you;
    return isOthersTurn ? fill(words.thinks, othersName(table, table.turn!, speech)) : words.busy;
  }
  switch (table.phase) {
    case "discard":
      return words.discard;
    case "exchange":
      return words.exchange;
    case "trump":
      return words.trump;
    case "answer":
      return fill(words.answer, table.asked_for ? speech.cardName(table.asked_for) : "");
    default:
      return words.yourTurn;
  }
}

/** Returns the prompt. It is empty while the notice above the felt says why play stopped. */
function promptText({ session }: Game, { words }: Speech, scene: Scene | null): string {
  if (!session.connection.isOpen && session.notice !== "") return "";
  if (!scene) return isStandalone ? "" : words.busy;
  return awaitedText(scene) + (canEndDeal(scene) ? ` · ${words.settled}` : "");
}

/** Returns the last action or the winner of the trick, for screen readers. */
function lastEventText({ game, table, speech }: Scene): string {
  if (game.fullTrick) {
    const { winner } = game.fullTrick;
    const { trickToYou, trickTo } = speech.words.terminal;
    const name = seatName(table, winner, speech);
    return fill(winner === table.you ? trickToYou : trickTo, {
      name,
      tricks: table.tricks[winner],
    });
  }
  const { length } = table.history;
  return length > 0 ? sayingAt(table, speech, length - 1) : "";
}

interface PromptProps {
  game: Game;
  speech: Speech;
  /** `null` before the first table. */
  scene: Scene | null;
  /** Message of the page to the person, "" for none. */
  message: string;
  /** Whether the coach of a lesson advises the person at this decision. */
  isCoached: boolean;
  /** Opens the explanations. */
  explain(): void;
}

export function Prompt(props: PromptProps) {
  const { game, speech, scene, message, isCoached, explain } = props;
  const text = message || refusalText(game, speech.words) || promptText(game, speech, scene);
  return (
    <div class="prompt">
      <p role="status" aria-live="polite" class={game.isPersonsTurn ? "mine" : ""}>
        <SuitedText text={text} />
        {scene && <span class="hidden"> {lastEventText(scene)}</span>}
      </p>
      {scene && <Tools scene={scene} isCoached={isCoached} explain={explain} />}
      <p role="status" class="advised">
        {scene && game.hint && (
          <span class="advice" data-action={game.hint.action}>
            <SuitedText text={hintText(scene)} />
          </span>
        )}
      </p>
    </div>
  );
}
