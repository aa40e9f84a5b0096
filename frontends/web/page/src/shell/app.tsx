// The page: the table, the panel beside it, and the dialogs over it.

import { useMemo, useReducer, useRef, useState } from "preact/hooks";

import type { DialogName } from "../dialogs/dialog";
import { type Question, QuestionDialog } from "../dialogs/question";
import type { Explanation } from "../language/rules-prose";
import { Speech } from "../language/speech";
import { isLoaded, pageLanguage } from "../language/words";
import { today } from "../match/daily";
import { Game } from "../match/game";
import { Guide } from "../match/guide";
import { packHouseRules } from "../match/house-rules";
import { type KeptDeal, matchOfDeal } from "../match/kept-deals";
import { lastTable } from "../match/last-table";
import type { LessonName } from "../match/lessons";
import type { Match, MatchRequest } from "../match/match";
import { type Settings, saved } from "../match/storage";
import { PLAYABLE_RULES } from "../net/packed";
import { hasTurnUp, ruleSetName } from "../net/rulesets";
import { type Tab, Tabs, useTab } from "../panels/tabs";
import { Bidding } from "../table/bidding";
import { Felt } from "../table/felt";
import { Hand } from "../table/hand";
import { Prompt } from "../table/prompt";
import { isResultShown, type Scene } from "../table/scene";
import { firstSettings, useAddress } from "./address";
import { useBack } from "./back";
import { Bar } from "./bar";
import { Door } from "./door";
import {
  useAppearance,
  useFocusOnNext,
  useIsNarrow,
  usePresence,
  useServiceWorker,
  useStandIn,
} from "./effects";
import { EmbeddedHead, isEmbedded } from "./embedded";
import { useLanguageChoice } from "./language-choice";
import { Loading } from "./loading";
import { useMessage } from "./message";
import { Notice } from "./notice";
import { OpenDialog } from "./open-dialog";
import { sideMatches } from "./side-matches";
import { DealEnd, SideHead } from "./side-parts";
import { useSounds } from "./sounds";
import { useViewLayers, type View } from "./views";

/** Returns the language of the page, with the names that the rules use. */
function useSpeech({ table, session }: Game, { language, letters, rules }: Settings): Speech {
  const wanted = pageLanguage(language);
  const code = isLoaded(wanted) ? wanted : "en";
  const current = table?.rules ?? session.match?.rules ?? rules;
  // Rules with a turn-up use the Flemish names of contracts. Before the table has sent the rules,
  // only listed ones are known to have one.
  const isFlemish = session.rules?.rules === current ? session.rules.turn_up : hasTurnUp(current);
  return useMemo(
    () => new Speech(code, current, letters, isFlemish),
    [code, current, letters, isFlemish],
  );
}

/** Keeps the settings, also in this browser. `latest` holds those of the last render. */
function useSettings() {
  const [settings, setSettings] = useState(firstSettings);
  const latest = useRef(settings);
  latest.current = settings;
  const changeSettings = (changes: Partial<Settings>) => {
    const changed = { ...latest.current, ...changes };
    latest.current = changed;
    setSettings(changed);
    saved.storeSettings(changed);
  };
  return { settings, latest, changeSettings };
}

export function App() {
  const { settings, latest, changeSettings } = useSettings();
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const [question, setQuestion] = useState<Question | null>(null);
  const [dialog, openDialog] = useState<DialogName>("");
  /** The call that the dialog of explanations is about, `null` for all of the table. */
  const [explainedCall, setExplainedCall] = useState<Explanation | null>(null);
  /** Whether the person opened the start screen while there is a match. */
  const [isAtDoor, setAtDoor] = useState(false);
  /** Secret of the shared table that the address names. */
  const [invitedTo, setInvitedTo] = useState("");
  const game = useMemo(
    () =>
      new Game(
        () => latest.current,
        () => redraw(0),
        PLAYABLE_RULES,
      ),
    [],
  );
  const { table, session } = game;
  const [message, showMessage, showBriefly] = useMessage(table);
  const speech = useSpeech(game, settings);
  const { words } = speech;
  const { side } = session;
  const lesson = side?.kind === "lesson" ? (side.name as LessonName) : null;
  // Each start of a lesson has its own match, and the coach begins again.
  const guide = useMemo(() => lesson && new Guide(lesson, session.match!.rules), [session.match]);
  const tableView: View = side ? "side" : "table";
  const view = !isEmbedded() && (isAtDoor || session.isIdle) ? "door" : tableView;
  const viewLayers = useViewLayers(view);

  const closeDialog = () => openDialog("");
  const explain = (call: Explanation | null) => {
    setExplainedCall(call);
    openDialog("explain");
  };
  const closeQuestion = () => setQuestion(null);
  const chooseLanguage = useLanguageChoice(words, settings, changeSettings, (retry) =>
    setQuestion((current) => current ?? retry),
  );
  const confirm = (text: string, yes: string, then: () => void) =>
    setQuestion({ text, yes, no: words.cancel, onYes: then });
  const leaveTable = () => session.leave();
  const leaveToOwnMatch = () => {
    closeDialog();
    leaveTable();
  };
  const goHome = () => {
    if (session.side) session.leave();
    showMessage("");
    // An embedded page has no start screen, and shows the person's own match.
    if (isEmbedded() && session.isIdle) session.startMatch({ rules: doorRules });
    setAtDoor(true);
  };
  const backToGames = () => {
    goHome();
    openDialog("statistics");
  };
  const askToLeaveTable = () => {
    const { sureTable: text, leaveTable: yes, stayHere: no } = words;
    setQuestion({ text, yes, no, onYes: leaveToOwnMatch });
  };
  /** Leaves the match; asks before something is lost. */
  const leaveMatch = (then: () => void) => {
    const no = words.stayHere;
    // A side match loses nothing. The question is about the person's own match, which comes back.
    if (session.side) session.leave();
    // This leads to the person's own match. Giving up that match, too, takes another question.
    if (session.sharedSeat) askToLeaveTable();
    else if (session.inProgress)
      setQuestion({ text: words.sure, yes: words.leave, no, onYes: then });
    else then();
  };
  const startMatch = (request: MatchRequest) => {
    setAtDoor(false);
    session.startMatch(request);
  };
  const openMatch = (request: MatchRequest) =>
    leaveMatch(() => {
      closeDialog();
      showMessage("");
      // The start screen offers house rules in their editor only.
      if (!request.house) changeSettings({ rules: request.rules });
      startMatch(request);
    });
  const newMatch = () => {
    const { match } = session;
    const isHouse = match?.house && session.notice !== "absent";
    const { rules, house } = isHouse ? match : { rules: game.usualRules };
    openMatch({ rules, house });
  };
  const doorRules = PLAYABLE_RULES.includes(settings.rules) ? settings.rules : PLAYABLE_RULES[0];
  /** Rules of a new shared table. */
  const sharedRules = view === "door" ? doorRules : game.usualRules;
  const reportBadLink = () => showMessage(words.badLink, true);
  /** Starts a side match; asks before a seat at a shared table is lost. */
  const startSideMatch = (match: Match) => {
    const start = () => {
      closeDialog();
      setAtDoor(false);
      session.startSideMatch(match);
    };
    if (!session.sharedSeat) return start();
    const { sureTable: text, leaveTable: yes, stayHere: no } = words;
    setQuestion({ text, yes, no, onYes: start });
  };
  const showAgain = (deal: KeptDeal, step?: number) => startSideMatch(matchOfDeal(deal, step));
  const { startLesson, startPuzzle, startDaily } = sideMatches(session, doorRules, startSideMatch);
  /** Sits down at the shared table that the dialog is about. */
  const sitDown = (length?: number) => {
    setAtDoor(false);
    // The dialog of the shared table takes the place of this one once the table is open.
    if (dialog !== "join") return session.share(settings.name, { rules: sharedRules, length });
    session.join(invitedTo, settings.name);
    closeDialog();
  };

  useAddress(game, {
    settings: () => latest.current,
    reportBadLink,
    invite: (secret) => {
      setInvitedTo(secret);
      openDialog("join");
    },
    editHouseRules: (house) => {
      saved.storeHouseRules(packHouseRules(house));
      openDialog("house");
    },
    leaveMatch,
    startMatch,
    startDaily,
    arrived: (isPlain) => {
      // The start screen offers the way back to a shared table before the own match.
      const isFree = !session.sharedSeat && !session.side && !isEmbedded();
      const offersTable = isPlain && isFree && lastTable() !== null;
      if (offersTable) setAtDoor(true);
      const opened = session.side ? "side" : "table";
      viewLayers.noteFirst(session.isIdle || offersTable ? "door" : opened);
    },
  });
  useServiceWorker();
  useAppearance(speech.language, settings);
  const bubble = table && game.isPersonsTurn ? (guide?.bubble(table) ?? null) : null;
  const wanted = bubble?.wanted;
  const scene: Scene | null = table && { game, table, speech, settings, wanted };
  const isOver = scene !== null && isResultShown(scene) && !game.isLocked;
  const [tab, setTab] = useTab(isOver && game.hasReview, table, () => {
    if (dialog === "panel") closeDialog();
  });
  useFocusOnNext(isOver || side?.answer !== undefined);
  useSounds(scene);
  usePresence(table, words, showBriefly);
  useStandIn(table, speech, showMessage);
  const isNarrow = useIsNarrow();
  const dialogs = Number(dialog !== "") + Number(question !== null);
  const closeTop = () => {
    if (question) closeQuestion();
    else if (dialog) closeDialog();
    else if (view === "door") setAtDoor(false);
    else goHome();
  };
  useBack(viewLayers.layers + dialogs, closeTop);

  const openPanel = (name: Tab) => {
    setTab(name);
    if (isNarrow) openDialog("panel");
    else document.getElementById(`tab-${name}`)?.focus();
  };
  const openReview = () => openPanel("review");
  const panel = scene && <Tabs scene={scene} tab={tab} setTab={setTab} isOver={isOver} />;
  const notice = (
    <Notice
      game={game}
      words={words}
      rules={ruleSetName(speech.rules)}
      newMatch={newMatch}
      leaveTable={leaveTable}
    />
  );
  const door = (
    <Door
      game={game}
      speech={speech}
      rules={doorRules}
      isReturn={isAtDoor}
      changeSettings={changeSettings}
      chooseLanguage={chooseLanguage}
      openMatch={openMatch}
      startDaily={() => startDaily(today(), doorRules)}
      startPuzzle={startPuzzle}
      openDialog={openDialog}
      goOn={() => setAtDoor(false)}
      returnToTable={({ table: secret }) => {
        setAtDoor(false);
        session.join(secret, settings.name);
      }}
    >
      {notice}
      {message && (
        <p class="notice" role="status">
          {message}
        </p>
      )}
    </Door>
  );
  const tableWithBar = (
    <>
      {isEmbedded() ? (
        <EmbeddedHead speech={speech} />
      ) : (
        <Bar
          speech={speech}
          isShared={session.sharedSeat !== null}
          isSide={side !== null}
          chooseLanguage={chooseLanguage}
          openMatch={openMatch}
          newMatch={newMatch}
          openDialog={openDialog}
          goHome={goHome}
        />
      )}
      <main class={scene ? scene.table.phase : ""}>
        {notice}
        {scene && <SideHead scene={scene} bubble={bubble} startPuzzle={startPuzzle} />}
        {scene ? (
          <Felt scene={scene}>
            <DealEnd
              scene={scene}
              startLesson={startLesson}
              newMatch={newMatch}
              openReview={openReview}
              openScore={() => openPanel("score")}
              goHome={goHome}
              backToGames={backToGames}
            />
          </Felt>
        ) : (
          session.notice === "" &&
          !session.sharedSeat && <Loading words={words} rules={speech.rules} />
        )}
        {scene && (
          <Bidding
            scene={scene}
            confirm={confirm}
            showMessage={showMessage}
            explainCall={explain}
          />
        )}
        <Prompt
          game={game}
          speech={speech}
          scene={scene}
          message={message}
          isCoached={bubble !== null}
          explain={() => explain(null)}
        />
        {scene && <Hand scene={scene} showMessage={showMessage} />}
      </main>
      {!isNarrow && <aside>{panel}</aside>}
    </>
  );
  return (
    <>
      {view === "door" ? door : tableWithBar}
      <OpenDialog
        name={dialog}
        game={game}
        scene={scene}
        speech={speech}
        settings={settings}
        doorRules={doorRules}
        sharedRules={sharedRules}
        shownRules={view === "door" ? doorRules : speech.rules}
        explainedCall={explainedCall}
        panel={isNarrow ? panel : null}
        tab={tab}
        openDialog={openDialog}
        openMatch={openMatch}
        startLesson={startLesson}
        showAgain={showAgain}
        ask={setQuestion}
        sitDown={sitDown}
        askToLeaveTable={askToLeaveTable}
        changeSettings={changeSettings}
        chooseLanguage={chooseLanguage}
        close={closeDialog}
      />
      {question && <QuestionDialog question={question} speech={speech} close={closeQuestion} />}
    </>
  );
}
