// The page: the table, the panel beside it, and the dialogs over it.

import { useEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";

import { Dialog, type DialogName } from "../dialogs/dialog";
import { type Question, QuestionDialog } from "../dialogs/question";
import { SettingsDialog } from "../dialogs/settings";
import { SharedTableDialog } from "../dialogs/shared-table";
import { SitDownDialog } from "../dialogs/sit-down";
import { StatisticsDialog } from "../dialogs/statistics";
import { Speech } from "../language/speech";
import { pageLanguage } from "../language/words";
import { Game } from "../match/game";
import type { MatchRequest } from "../match/match";
import { type Settings, saved } from "../match/storage";
import { PLAYABLE_RULES } from "../net/packed";
import { ruleSetName } from "../net/rulesets";
import { Tabs, useTab } from "../panels/tabs";
import { Bidding } from "../table/bidding";
import { Felt } from "../table/felt";
import { Hand } from "../table/hand";
import { Prompt } from "../table/prompt";
import { Result } from "../table/result";
import { isResultShown, type Scene } from "../table/scene";
import { firstSettings, useAddress } from "./address";
import { useBack } from "./back";
import { Bar } from "./bar";
import {
  useAppearance,
  useFocusOnNext,
  useIsNarrow,
  usePresence,
  useServiceWorker,
} from "./effects";
import { Loading } from "./loading";
import { Notice } from "./notice";

/** Built-in rules with a turn-up. They use the Flemish names of contracts. */
const FLEMISH_RULES = ["wiezen", "iwwa"];
/** The message about a bad link stays for this many actions. */
const BAD_LINK_ACTIONS = 4;

/** Returns the language of the page, with the names that the rules use. */
function useSpeech({ table, session }: Game, { language, letters, rules }: Settings): Speech {
  const code = pageLanguage(language);
  const current = table?.rules ?? session.match?.rules ?? rules;
  // Before the table has sent the rules, only the built-in ones are known to have a turn-up.
  const isFlemish =
    session.rules?.rules === current ? session.rules.turn_up : FLEMISH_RULES.includes(current);
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
    const changed = { ...settings, ...changes };
    setSettings(changed);
    saved.storeSettings(changed);
  };
  return { settings, latest, changeSettings };
}

export function App() {
  const { settings, latest, changeSettings } = useSettings();
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const [message, showMessage] = useState("");
  const [question, setQuestion] = useState<Question | null>(null);
  const [dialog, openDialog] = useState<DialogName>("");
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
  const speech = useSpeech(game, settings);
  const { words } = speech;

  const closeDialog = () => openDialog("");
  const closeQuestion = () => setQuestion(null);
  const confirm = (text: string, yes: string, then: () => void) =>
    setQuestion({ text, yes, no: words.cancel, onYes: then });
  const leaveTable = () => session.leaveTable({ rules: settings.rules });
  const leaveToOwnMatch = () => {
    closeDialog();
    leaveTable();
  };
  /** Leaves the match; asks before something is lost. */
  const leaveMatch = (then: () => void) => {
    const no = words.stayHere;
    if (session.sharedSeat) {
      // This leads to the person's own match. Giving up that match, too, takes another question.
      const { sureTable: text, leaveTable: yes } = words;
      setQuestion({ text, yes, no, onYes: leaveToOwnMatch });
    } else if (session.inProgress)
      setQuestion({ text: words.sure, yes: words.leave, no, onYes: then });
    else then();
  };
  const openMatch = (request: MatchRequest) =>
    leaveMatch(() => {
      closeDialog();
      showMessage("");
      changeSettings({ rules: request.rules });
      session.startMatch(request);
    });
  const newMatch = () => openMatch({ rules: game.usualRules });
  const reportBadLink = () => showMessage(words.badLink);

  useAddress(game, {
    settings: () => latest.current,
    reportBadLink,
    invite: (secret) => {
      setInvitedTo(secret);
      openDialog("join");
    },
    leaveMatch,
  });
  useServiceWorker();
  useAppearance(speech.language, settings);
  const scene: Scene | null = table && { game, table, speech, settings };
  const isOver = scene !== null && isResultShown(scene) && !game.isLocked;
  const [tab, setTab] = useTab(isOver, table, () => {
    if (dialog === "panel") closeDialog();
  });
  useFocusOnNext(isOver);
  const progress = table && `${table.deal}/${table.history.length}/${table.turn}`;
  useEffect(() => {
    const isRead = message !== words.badLink || (table && table.history.length > BAD_LINK_ACTIONS);
    if (isRead) showMessage("");
  }, [progress]);
  usePresence(table, words, showMessage);
  const isNarrow = useIsNarrow();
  const layers = Number(dialog !== "") + Number(question !== null);
  useBack(layers, question ? closeQuestion : closeDialog);

  const openReview = () => {
    setTab("review");
    openDialog("panel");
  };
  const panel = scene && <Tabs scene={scene} tab={tab} setTab={setTab} isOver={isOver} />;
  return (
    <>
      <Bar
        speech={speech}
        isShared={session.sharedSeat !== null}
        changeSettings={changeSettings}
        openMatch={openMatch}
        newMatch={newMatch}
        openDialog={openDialog}
      />
      <main class={scene ? scene.table.phase : ""}>
        <Notice
          game={game}
          words={words}
          rules={ruleSetName(speech.rules)}
          newMatch={newMatch}
          leaveTable={leaveTable}
        />
        {scene ? (
          <Felt scene={scene}>
            <Result scene={scene} newMatch={newMatch} openReview={openReview} />
          </Felt>
        ) : (
          session.notice === "" &&
          !session.sharedSeat && <Loading words={words} rules={speech.rules} />
        )}
        {scene && <Bidding scene={scene} confirm={confirm} />}
        <Prompt game={game} speech={speech} scene={scene} message={message} />
        {scene && <Hand scene={scene} showMessage={showMessage} />}
      </main>
      {!isNarrow && <aside>{panel}</aside>}
      {dialog === "panel" && isNarrow && (
        <Dialog title={words[tab]} speech={speech} close={closeDialog}>
          {panel}
        </Dialog>
      )}
      {dialog === "statistics" && scene && <StatisticsDialog speech={speech} close={closeDialog} />}
      {dialog === "together" && scene && session.sharedSeat && (
        <SharedTableDialog
          scene={scene}
          secret={session.sharedSeat.table}
          leave={leaveToOwnMatch}
          close={closeDialog}
        />
      )}
      {(dialog === "join" || (dialog === "together" && !session.sharedSeat)) && (
        <SitDownDialog
          session={session}
          table={dialog === "join" ? invitedTo : null}
          settings={settings}
          speech={speech}
          changeSettings={changeSettings}
          close={closeDialog}
        />
      )}
      {dialog === "settings" && (
        <SettingsDialog
          game={game}
          settings={settings}
          speech={speech}
          changeSettings={changeSettings}
          openMatch={openMatch}
          newMatch={newMatch}
          openDialog={openDialog}
        />
      )}
      {question && <QuestionDialog question={question} speech={speech} close={closeQuestion} />}
    </>
  );
}
