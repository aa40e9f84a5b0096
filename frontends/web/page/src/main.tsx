// The page: the table, the panel beside it, and the dialogs over it.

import { render } from "preact";
import { useEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";

import { firstSettings, useAddress } from "./address";
import { useBack } from "./back";
import { Bar } from "./bar";
import { Bidding } from "./bidding";
import { Dialog, type DialogName, type Question, QuestionDialog } from "./dialog";
import { useAppearance, useFocusOnNext, useIsNarrow, usePresence, useServiceWorker } from "./effects";
import { Felt, Hand, type Scene } from "./felt";
import { Game } from "./game";
import { SETS } from "./link";
import type { Opened } from "./match";
import { Notice } from "./notice";
import { Statistics } from "./panels";
import { Prompt } from "./prompt";
import { Result } from "./result";
import { nameOfRules, RULES } from "./rulesets";
import { saved, type Settings } from "./saved";
import { SettingsDialog } from "./settings";
import "./style.css";
import { Tabs, useTab } from "./tabs";
import { SitDownDialog, TogetherDialog } from "./together";
import { pageLanguage, Speech } from "./words";

/** Returns the texts of the page, in its language and with the names that the rules use. */
function useSpeech({ table, session }: Game, settings: Settings): Speech {
  const language = pageLanguage(settings.language);
  const rules = table?.rules ?? session.match?.rules ?? settings.rules;
  // Rules with a turn-up use Flemish names. Before the table has sent the rules, only the built-in
  // ones are known to have a turn-up.
  const flanders = session.rules?.rules === rules ? session.rules.turn_up : ["wiezen", "iwwa"].includes(rules);
  const { letters } = settings;
  return useMemo(() => new Speech(language, rules, letters, flanders), [language, rules, letters, flanders]);
}

/** Keeps the settings, also in this browser. `latest` holds those of the last render. */
function useSettings() {
  const [settings, set] = useState(firstSettings);
  const latest = useRef(settings);
  latest.current = settings;
  const change = (some: Partial<Settings>) => {
    const next = { ...settings, ...some };
    set(next);
    saved.keepSettings(next);
  };
  return { settings, latest, change };
}

function App() {
  const { settings, latest, change } = useSettings();
  const [, refresh] = useReducer((n: number) => n + 1, 0);
  const [message, tell] = useState("");
  const [question, ask] = useState<Question | null>(null);
  const [dialog, show] = useState<DialogName>("");
  const [invited, invite] = useState("");
  const game = useMemo(() => new Game(() => latest.current, () => refresh(0), SETS), []);
  const { table, session } = game;
  const speech = useSpeech(game, settings);
  const { words } = speech;

  const close = () => show("");
  const leaveTable = () => session.leaveTable({ rules: settings.rules });
  const toOwnMatch = () => { close(); leaveTable(); };
  /** Leaves the match; asks before something is lost. */
  const leave = (then: () => void) => {
    const no = words.stayHere;
    // This leads to the person's own match. Giving up that match, too, takes another question.
    if (session.shared) ask({ text: words.sureTable, yes: words.leaveTable, no, then: toOwnMatch });
    else if (session.inProgress) ask({ text: words.sure, yes: words.leave, no, then });
    else then();
  };
  const open = (opened: Opened) => leave(() => {
    close();
    tell("");
    change({ rules: opened.rules });
    session.open(opened);
  });
  const newMatch = () => open({ rules: game.usualRules });

  useAddress(game, {
    settings: () => latest.current,
    badLink: () => tell(words.badLink),
    invite: (to) => { invite(to); show("join"); },
    leave,
  });
  useServiceWorker();
  useAppearance(speech.language, settings);
  const over = Boolean(table?.scores) && !game.trick && !game.locked;
  const [tab, setTab] = useTab(over, table, () => { if (dialog === "panel") close(); });
  useFocusOnNext(over);
  const happened = table && `${table.deal}/${table.history.length}/${table.turn}`;
  useEffect(() => { if (message !== words.badLink || (table && table.history.length > 4)) tell(""); }, [happened]);
  usePresence(table, words, tell);
  const isNarrow = useIsNarrow();
  useBack(Number(dialog !== "") + Number(question !== null), () => (question ? ask(null) : close()));

  const scene: Scene | null = table && { game, table, speech, settings };
  const confirm = (text: string, yes: string, then: () => void) => ask({ text, yes, no: words.cancel, then });
  const review = () => { setTab("review"); show("panel"); };
  const panel = scene && <Tabs scene={scene} tab={tab} setTab={setTab} over={over} />;
  return (
    <>
      <Bar speech={speech} isShared={session.shared !== null} change={change} open={open} newMatch={newMatch}
        show={show} />
      <main class={scene ? scene.table.phase : ""}>
        <Notice game={game} words={words} rules={nameOfRules(speech.rules)} newMatch={newMatch}
          leaveTable={leaveTable} />
        {scene && <Felt scene={scene}><Result scene={scene} newMatch={newMatch} review={review} /></Felt>}
        {scene && <Bidding scene={scene} confirm={confirm} />}
        <Prompt game={game} speech={speech} scene={scene} message={message} />
        {scene && <Hand scene={scene} tell={tell} />}
      </main>
      {!isNarrow && <aside>{panel}</aside>}
      {dialog === "panel" && isNarrow && <Dialog title={words[tab]} close={close} speech={speech}>{panel}</Dialog>}
      {dialog === "statistics" && scene && (
        <Dialog title={words.statistics} close={close} speech={speech}>
          <Statistics scene={scene} names={RULES} />
        </Dialog>
      )}
      {dialog === "together" && scene && session.shared && (
        <TogetherDialog scene={scene} secret={session.shared.table} leave={toOwnMatch} close={close} />
      )}
      {(dialog === "join" || (dialog === "together" && !session.shared)) && (
        <SitDownDialog session={session} table={dialog === "join" ? invited : null} settings={settings}
          speech={speech} change={change} close={close} />
      )}
      {dialog === "settings" && (
        <SettingsDialog game={game} settings={settings} speech={speech} change={change} open={open}
          newMatch={newMatch} show={show} />
      )}
      {question && <QuestionDialog question={question} close={() => ask(null)} speech={speech} />}
    </>
  );
}

render(<App />, document.getElementById("app")!);
