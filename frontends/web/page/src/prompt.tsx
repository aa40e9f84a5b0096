// The row below the felt: a message or the prompt, the tools, and the advice of a bot.

import { Suited } from "./card";
import { lastEvent, prompt, type Scene } from "./felt";
import type { Game } from "./game";
import { meanings, named } from "./sayings";
import type { Speech } from "./words";

/** Number of actions that a hint names. */
const ADVISED = 3;

/** The best actions with their expected points, and the bot's choice where it is another one. */
function adviceText({ game: { hint }, table, speech }: Scene): string {
  const { action, bot, candidates } = hint!;
  const [, auction] = meanings(table.history.slice(0, table.calls));
  const name = (code: string) => named(speech, auction, table.you, code, table.phase);
  const parts = candidates.slice(0, ADVISED).map(({ action: code, points }, i) => {
    const shown = speech.signed(points, 1);
    return `${name(code)} ${i === 0 ? speech.count(speech.words.expects, points, shown) : shown}`;
  });
  if (bot !== action) parts.push(`${speech.words.botWould}${speech.words.colon}${name(bot)}`);
  return parts.join(" · ") || name(action);
}

/** Whether the person may end the deal early because its result is settled. */
const canEnd = ({ game, table }: Scene): boolean =>
  game.myTurn && table.settled && !table.certain && table.hand.length > 1;

/** The buttons to claim tricks, to undo and to ask for a hint. */
function Tools({ scene }: { scene: Scene }) {
  const { game, table, settings, speech: { words } } = scene;
  const isSettled = canEnd(scene);
  // No help at a table of several persons, nor beside the result.
  const isHelped = settings.practice && !table.people && !table.scores;
  return (
    <div class="tools">
      {(table.certain || isSettled) && game.myTurn && (
        <button type="button" id="claim" onClick={game.claim}>{isSettled ? words.endDeal : words.claim}</button>
      )}
      {isHelped && (
        <button type="button" id="undo" disabled={!table.undo || game.locked} onClick={game.undo}>{words.undo}</button>
      )}
      {isHelped && !isSettled && (
        <button type="button" id="hint" disabled={!game.myTurn} onClick={game.askHint}>{words.hint}</button>
      )}
    </div>
  );
}

/** The text of a refusal, "" if nothing was refused. */
function refusalText({ session: { notice } }: Game, { words }: Speech): string {
  if (typeof notice === "object") return notice.text;
  return notice === "unreadable" ? words.badLink : notice === "noSeat" ? words.noSeat : "";
}

/** The prompt to the person. It is empty while the notice above the felt says why play stopped. */
function promptText({ session }: Game, { words }: Speech, scene: Scene | null): string {
  if (!session.line.isOpen && session.notice !== "") return "";
  if (!scene) return words.busy;
  return prompt(scene) + (canEnd(scene) ? ` · ${words.settled}` : "");
}

interface Props {
  game: Game;
  speech: Speech;
  /** `null` before the first table. */
  scene: Scene | null;
  /** Message of the page to the person, "" for none. */
  message: string;
}

export function Prompt({ game, speech, scene, message }: Props) {
  return (
    <div class="prompt">
      <p role="status" aria-live="polite" class={game.myTurn ? "mine" : ""}>
        <Suited text={message || refusalText(game, speech) || promptText(game, speech, scene)} />
        {scene && <span class="hidden"> {lastEvent(scene)}</span>}
      </p>
      {scene && <Tools scene={scene} />}
      <p role="status" class="advised">
        {scene && game.hint && (
          <span class="advice" data-action={game.hint.action}><Suited text={adviceText(scene)} /></span>
        )}
      </p>
    </div>
  );
}
