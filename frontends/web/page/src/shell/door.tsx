// The start screen: the ways into the game, the rules and the language.

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import type { DialogName } from "../dialogs/dialog";
import { LanguageSelect } from "../dialogs/select";
import type { Speech } from "../language/speech";
import { fill } from "../language/words";
import { dailyPlay, today } from "../match/daily";
import type { Game } from "../match/game";
import { lastTable } from "../match/last-table";
import { builtInRules } from "../match/lessons";
import type { MatchRequest } from "../match/match";
import { puzzleRules } from "../match/puzzle-progress";
import { PUZZLE_KINDS, type PuzzleKind } from "../match/puzzles";
import type { LastTable, Settings } from "../match/storage";
import { isStandalone, PLAYABLE_RULES } from "../net/packed";
import { ruleSetName } from "../net/rulesets";
import { starsText } from "../panels/daily-end";

interface DoorProps {
  game: Game;
  speech: Speech;
  /** Rule set of a new match. */
  rules: string;
  /** Whether the person came back to the start screen. */
  isReturn: boolean;
  changeSettings(changes: Partial<Settings>): void;
  chooseLanguage(language: string): void;
  openMatch(request: MatchRequest): void;
  /** Plays today's daily deal, or shows its result. */
  startDaily(): void;
  startPuzzle(kind: PuzzleKind): void;
  openDialog(name: DialogName): void;
  /** Goes to the table of the match. */
  goOn(): void;
  /** Sits down again at the last shared table. */
  returnToTable(last: LastTable): void;
  /** The notice of the page. */
  children: ComponentChildren;
}

/** Returns how far today's deal was played. */
function dailyText(rules: string, speech: Speech): string {
  const { door, today: texts } = speech.words;
  const play = dailyPlay(today(), rules);
  if (!play) return door.dailyText;
  if (play.points === undefined) return texts.begun;
  return `${speech.signed(play.points)} ${play.stars ? starsText(play.stars) : ""}`;
}

/** Returns the rule set and the deal number of the unfinished match; "" without one. */
function matchText({ session: { match } }: Game, { words }: Speech): string {
  if (!match) return "";
  const n = Math.max(match.deals.length, 1);
  return fill(words.door.where, { rules: ruleSetName(match.rules), n });
}

/** Returns the words for the way back to a shared table. */
function backText(last: LastTable | null, speech: Speech): string {
  const { ends, door } = speech.words;
  return last?.others.length ? fill(ends.backTo, speech.list(last.others)) : door.toTable;
}

interface DoorHeadProps {
  speech: Speech;
  chooseLanguage(language: string): void;
  openSettings(): void;
}

/** The name of the game, the language and the settings. */
function DoorHead({ speech, chooseLanguage, openSettings }: DoorHeadProps) {
  const { words } = speech;
  const { door } = words;
  return (
    <header>
      <span class="corner">
        <label>
          <span class="hidden">{words.language}</span>
          <LanguageSelect id="language" speech={speech} choose={chooseLanguage} />
        </label>
        <button type="button" id="settings" onClick={openSettings} aria-label={words.settings}>
          ⚙
        </button>
      </span>
      <p class="signs" aria-hidden="true">
        <span>♠</span>
        <span class="red">♥</span>
        <span>♣</span>
        <span class="red">♦</span>
      </p>
      <h1>Troel</h1>
      <p>{door.tagline}</p>
    </header>
  );
}

interface RulesFieldProps {
  speech: Speech;
  /** The chosen rule set; "" for the house rules of the match. */
  rules: string;
  /** Name of the house rules of the match, if they are offered. */
  house?: string;
  choose(rules: string): void;
  chooseHouse(): void;
  /** Opens the editor of house rules. */
  openEditor(): void;
}

/** The choice of the rules. */
function RulesField(props: RulesFieldProps) {
  const { speech, rules, house, choose, chooseHouse, openEditor } = props;
  const { words } = speech;
  const setTexts: Record<string, string> = words.door.sets;
  return (
    <fieldset>
      <legend>{words.door.rules}</legend>
      {PLAYABLE_RULES.map((set) => (
        <label key={set}>
          <input
            type="radio"
            name="rules"
            value={set}
            checked={set === rules}
            onChange={() => choose(set)}
          />
          <span>
            <b>{ruleSetName(set)}</b>
            <small>{setTexts[set]}</small>
          </span>
        </label>
      ))}
      {house && (
        <label>
          <input type="radio" name="rules" checked={rules === ""} onChange={chooseHouse} />
          <span>
            <b>{house}</b>
            <small>{words.house.title}</small>
          </span>
        </label>
      )}
      <button type="button" id="house" onClick={openEditor}>
        {words.house.title}
      </button>
    </fieldset>
  );
}

export function Door(props: DoorProps) {
  const { game, speech, rules, isReturn, changeSettings, openMatch, openDialog, goOn } = props;
  const { session } = game;
  const { words } = speech;
  const { door, puzzles } = words;
  const first = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (isReturn) first.current?.focus();
  }, []);
  const own = session.match;
  // A new match has the house rules of the own match, until the person chooses other rules.
  const [isBuiltIn, chooseBuiltIn] = useState(!own?.house);
  const request = !isBuiltIn && own?.house ? { rules: own.rules, house: own.house } : { rules };
  const isShared = session.sharedSeat !== null;
  const hasMatch = !session.isIdle && (isShared || !session.match?.over);
  const last = lastTable();
  const left = isShared || session.notice === "offline" ? null : last;
  const sitAgain = () => props.returnToTable(left!);
  const goOnText = isShared ? backText(last, speech) : door.goOn;
  const choice = (id: string, title: string, text: string, choose: () => void, isMain = false) => (
    <button
      type="button"
      id={id}
      class={`choice ${isMain ? "main" : ""}`}
      ref={isMain ? first : undefined}
      onClick={choose}
    >
      <b>{title}</b>
      <small>{text}</small>
    </button>
  );
  const kinds = PUZZLE_KINDS.filter((kind) => puzzleRules(rules, kind, PLAYABLE_RULES));
  const puzzleChoice = (kind: PuzzleKind) =>
    choice(`puzzle-${kind}`, puzzles[kind], puzzles[`${kind}Text`], () => props.startPuzzle(kind));
  return (
    <main class="door">
      <DoorHead
        speech={speech}
        chooseLanguage={props.chooseLanguage}
        openSettings={() => openDialog("settings")}
      />
      {props.children}
      <div class="ways">
        {left &&
          choice("back-to-table", backText(left, speech), ruleSetName(left.rules), sitAgain, true)}
        {hasMatch && choice("go-on", goOnText, matchText(game, speech), goOn, !left)}
        {choice(
          "play",
          hasMatch ? words.newMatch : door.play,
          ruleSetName(request.rules),
          () => openMatch(request),
          !left && !hasMatch,
        )}
        <div class="others">
          {choice("daily", door.daily, dailyText(rules, speech), props.startDaily)}
          {builtInRules(rules, PLAYABLE_RULES) &&
            choice("learn", door.learn, door.learnText, () => openDialog("learn"))}
          {kinds.map(puzzleChoice)}
          {!isStandalone &&
            session.notice !== "offline" &&
            choice("together", door.friends, door.friendsText, () => openDialog("together"))}
          {choice("read-rules", words.rules, words.guide.doorText, () => openDialog("rules"))}
          {choice("statistics", door.games, door.gamesText, () => openDialog("statistics"))}
        </div>
      </div>
      {PLAYABLE_RULES.length > 1 && (
        <RulesField
          speech={speech}
          rules={isBuiltIn ? rules : ""}
          house={own?.house && own.rules}
          choose={(set) => {
            chooseBuiltIn(true);
            changeSettings({ rules: set });
          }}
          chooseHouse={() => chooseBuiltIn(false)}
          openEditor={() => openDialog("house")}
        />
      )}
    </main>
  );
}
