// The page: a table, and what stands around it.

import { render } from "preact";
import { useEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";

import { useBack } from "./back";
import { Bidding } from "./bidding";
import { Suited } from "./card";
import { Felt, Hand, lastEvent, nameOf, prompt, type Scene } from "./felt";
import { type Opened, Game } from "./game";
import { isAlone, playable } from "./link";
import { type GameRecord, SEATS, type Table } from "./messages";
import { Notice } from "./notice";
import { AuctionLog, resultText, Review, RulesTable, Score, Statistics, Together, unpacked } from "./panels";
import { BUILT_IN } from "./rulesets";
import { saved, type Settings } from "./saved";
import { meanings, named } from "./sayings";
import "./style.css";
import { fill, LANGUAGES, Speech } from "./words";

/** Rule sets by name: those built in, and what the page lists beside them. */
const RULES: Record<string, string> = { ...BUILT_IN };
for (const house of JSON.parse(document.getElementById("house-rules")?.textContent || "[]") as string[]) RULES[house] = house;
const SETS = playable ?? Object.keys(RULES);
const TABS = ["score", "auction", "rules", "review"] as const;
type Tab = (typeof TABS)[number];

const query = new URLSearchParams(location.search);

/** The settings of this browser, in the language that the address asks for, with the rules that are played where it is spoken. */
function firstSettings(): Settings {
  const settings = saved.settings();
  const asked = query.get("lang") ?? "";
  if (Object.hasOwn(LANGUAGES, asked)) settings.language = asked;
  const isBelgian = firstLanguage(settings.language) === "nl" || navigator.language.endsWith("-BE");
  return { ...settings, rules: settings.rules || (isBelgian ? "wiezen" : "luxembourg") };
}

/** The language of the page: chosen, or that of the browser. */
function firstLanguage(chosen: string): string {
  const wanted = [chosen, ...navigator.languages.map((name) => name.slice(0, 2)), "en"];
  return wanted.find((name) => name && Object.hasOwn(LANGUAGES, name))!;
}

/** What the address asks for. */
function wish(settings: Settings): Opened & { isWish: boolean; isBad: boolean } {
  const hash = new URLSearchParams(location.hash.slice(1));
  const asked = (name: string) => hash.get(name) ?? query.get(name);
  let record: GameRecord | undefined;
  let isBad = false;
  try {
    record = hash.has("record") ? (unpacked(hash.get("record")!) as unknown as GameRecord) : undefined;
    isBad = hash.has("record") && !(typeof record?.deal === "string" && SETS.includes(record.rules));
  } catch {
    isBad = true;
  }
  if (isBad) record = undefined;
  const rules = [record?.rules, asked("rules"), settings.rules, SETS[0]].find((name) => name && SETS.includes(name))!;
  const number = asked("seed");
  const seed = number !== null && /^\d{1,15}$/.test(number) ? Number(number) : undefined;
  return { rules, seed, record: record?.rules === rules ? record : undefined, isWish: record !== undefined || seed !== undefined || asked("rules") === rules, isBad };
}

interface Question { text: string; yes: string; no: string; then(): void }

function Dialog({ title, close, children, speech }: { title: string; close(): void; children: unknown; speech: Speech }) {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => { box.current?.showModal(); }, []);
  return (
    <dialog ref={box} onClose={close} aria-label={title} onClick={(event) => { if (event.target === box.current) close(); }}>
      <header><h2>{title}</h2><button type="button" onClick={close} aria-label={speech.words.close}>✕</button></header>
      <div class="body">{children as never}</div>
    </dialog>
  );
}

const People = () => (
  <svg viewBox="0 0 24 16" width="24" height="16" fill="currentColor" aria-hidden="true">
    <circle cx="8" cy="4" r="3.5" /><path d="M1 16c0-5 3-7.5 7-7.5s7 2.5 7 7.5z" /><circle cx="17" cy="5" r="2.8" /><path d="M16.5 16c0-3-.7-5-1.8-6.3 4-1 7.3 1 7.3 6.3z" />
  </svg>
);

/** A choice among named values. */
function Select({ id, value, names, pick }: { id?: string; value: string; names: Record<string, string>; pick(value: string, box: HTMLSelectElement): void }) {
  return (
    <select id={id} value={value} onChange={(event) => pick(event.currentTarget.value, event.currentTarget)}>
      {Object.entries(names).map(([key, name]) => <option key={key} value={key} selected={key === value}>{name}</option>)}
    </select>
  );
}

/** Actions that a hint names. */
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

function App() {
  const [settings, setSettings] = useState(firstSettings);
  const [, refresh] = useReducer((n: number) => n + 1, 0);
  const [told, tell] = useState("");
  const [question, ask] = useState<Question | null>(null);
  const [dialog, show] = useState<"" | "settings" | "panel" | "statistics" | "together" | "join">("");
  const [invited, invite] = useState("");
  const [tab, setTab] = useState<Tab>("score");
  const current = useRef(settings);
  current.current = settings;
  const game = useMemo(() => new Game(() => current.current, () => refresh(0), SETS), []);
  const { table } = game;
  const language = firstLanguage(settings.language);
  const rules = table?.rules ?? game.match?.rules ?? settings.rules;
  const flanders = game.rules?.rules === rules ? game.rules.turn_up : ["wiezen", "iwwa"].includes(rules);
  const speech = useMemo(() => new Speech(language, rules, settings.letters, flanders), [language, rules, settings.letters, flanders]);
  const { words } = speech;

  const change = (some: Partial<Settings>) => {
    const next = { ...settings, ...some };
    setSettings(next);
    saved.keepSettings(next);
  };
  /** Leaves the match; asks before something is lost. */
  const leave = (then: () => void) => {
    // From a shared table the way leads back to the own match, which is asked about in its turn.
    if (game.shared) ask({ text: words.sureTable, yes: words.leaveTable, no: words.stayHere, then: () => { show(""); game.leaveTable({ rules: settings.rules }); } });
    else if (game.inProgress) ask({ text: words.sure, yes: words.leave, no: words.stayHere, then });
    else then();
  };
  const open = (opened: Opened) => leave(() => {
    show("");
    tell("");
    change({ rules: opened.rules });
    game.open(opened);
  });

  useEffect(() => {
    const take = (isFirst: boolean) => {
      const asked = wish(current.current);
      const table = new URLSearchParams(location.hash.slice(1)).get("table") ?? "";
      // A link is followed once: a reload goes on with what it led to.
      if (location.hash) history.replaceState(history.state, "", location.pathname + location.search);
      if (asked.isBad) tell(words.badLink);
      if (table && !/^[\w-]{16,64}$/.test(table)) tell(words.badLink);
      else if (table && !isAlone && saved.shared()?.table !== table) {
        invite(table);
        show("join");
      }
      if (isFirst && game.begin(asked)) return;
      const kept = isFirst ? game.match : null;
      const isSame = kept?.rules === asked.rules && (asked.seed === undefined || kept.seed === asked.seed) && !asked.record;
      if (asked.isBad || !asked.isWish || isSame) return;
      leave(() => game.open(asked));
    };
    take(true);
    const onHash = () => { if (location.hash.length > 1) take(false); };
    addEventListener("hashchange", onHash);
    if ("serviceWorker" in navigator && !isAlone && location.protocol.startsWith("http")) void navigator.serviceWorker.register("sw.js").catch(console.error);
    return () => removeEventListener("hashchange", onHash);
  }, []);
  useEffect(() => {
    document.documentElement.lang = language;
    document.documentElement.dataset.theme = settings.theme;
    document.documentElement.classList.toggle("four", settings.fourColours);
    document.documentElement.dataset.speed = String(settings.speed);
  }, [language, settings]);
  const over = Boolean(table?.scores) && !game.trick && !game.locked;
  useEffect(() => {
    if (over) setTab("review");
    else if (table) {
      if (tab === "review") setTab("score");
      if (dialog === "panel") show("");
    }
    // Whoever plays by keyboard goes on with Enter.
    if (over && document.activeElement === document.body) document.getElementById("next")?.focus();
  }, [over]);
  const happened = table && `${table.deal}/${table.history.length}/${table.turn}`;
  useEffect(() => { if (told !== words.badLink || (table && table.history.length > 4)) tell(""); }, [happened]);
  // Who has come, is away or has left.
  const people = useRef<Table["people"]>(undefined);
  const present = table?.people && JSON.stringify(table.people);
  useEffect(() => {
    const [before, now] = [people.current, table?.people];
    people.current = now;
    if (!before || !now) return;
    for (const seat of SEATS) {
      const [was, is] = [before[seat], now[seat]];
      if (is && was?.name !== is.name) tell(fill(words.sitsDown, is.name));
      else if (was && !is) tell(fill(words.hasLeft, was.name));
      else if (was?.here && is && !is.here) tell(fill(words.isAway, is.name));
    }
  }, [present]);
  const [isNarrow, narrow] = useState(() => matchMedia("(max-width: 60rem)").matches);
  useEffect(() => {
    const query = matchMedia("(max-width: 60rem)");
    const changed = () => narrow(query.matches);
    query.addEventListener("change", changed);
    return () => query.removeEventListener("change", changed);
  }, []);

  useBack(Number(dialog !== "") + Number(question !== null), () => (question ? ask(null) : show("")));

  const scene: Scene | null = table && { game, table, speech, settings };
  const isSettled = table !== null && game.myTurn && table.settled && !table.certain && table.hand.length > 1;
  // Not at a table of several persons, nor beside the result.
  const isHelped = settings.practice && table !== null && !table.people && !table.scores;
  // What stops the match is said in the notice.
  const isStopped = !game.isConnected && game.notice !== "";
  const now = isStopped ? "" : scene ? prompt(scene) + (isSettled ? ` · ${words.settled}` : "") : words.busy;
  // Whom the others wait for who has said to be ready.
  const waits = table?.ready?.includes(table.you) ? SEATS.filter((seat) => table.people?.[seat]?.here && !table.ready!.includes(seat)).map((seat) => nameOf(table, seat, speech)) : [];
  const say = told || (typeof game.notice === "object" ? game.notice.text : game.notice === "unreadable" ? words.badLink : game.notice === "noSeat" ? words.noSeat : "");
  const daily = () => {
    const today = new Date().toISOString().slice(0, 10);
    open({ rules: game.usualRules, seed: Number(today.replaceAll("-", "")), daily: today });
  };
  const startNew = () => open({ rules: game.usualRules });
  const nameOfRules = (name: string) => RULES[name] ?? name;
  // The rules of a match that is kept are named, too, where they cannot be played.
  const sets = Object.fromEntries([...new Set([...SETS, rules])].map((name) => [name, nameOfRules(name)]));
  const languages = Object.fromEntries(Object.entries(LANGUAGES).map(([code, { name }]) => [code, name]));
  const botNames = { "": words.usual, ...words.botNames };
  // What is shown follows the match, which is asked about first.
  const pickRules = (to: string, box: HTMLSelectElement) => { box.value = rules; open({ rules: to }); };
  const panel = scene && (
    <>
      <div class="tabs" role="tablist">
        {TABS.map((name) => (
          <button key={name} type="button" role="tab" id={`tab-${name}`} aria-selected={tab === name} aria-controls="tab-panel" tabIndex={tab === name ? 0 : -1} onClick={() => setTab(name)}
            onKeyDown={(event) => {
              const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
              if (step) {
                const next = TABS[(TABS.indexOf(name) + step + TABS.length) % TABS.length];
                setTab(next);
                document.getElementById(`tab-${next}`)?.focus();
              }
            }}>{words[name]}</button>
        ))}
      </div>
      <div class="panel" id="tab-panel" role="tabpanel" aria-labelledby={`tab-${tab}`} tabIndex={0}>
        {tab === "score" && <Score scene={scene} />}
        {tab === "auction" && <AuctionLog scene={scene} />}
        {tab === "rules" && <RulesTable scene={scene} />}
        {tab === "review" && <Review key={`${table!.record?.deal}/${over}`} scene={scene} />}
      </div>
    </>
  );
  return (
    <>
      <header class="bar">
        <h1>Troel</h1>
        <label class="rules"><span class="hidden">{words.rules}</span>
          <Select id="rules" value={rules} names={sets} pick={pickRules} />
        </label>
        <label class="language"><span class="hidden">{words.language}</span>
          <Select id="language" value={language} names={languages} pick={(name) => change({ language: name })} />
        </label>
        {game.shared && <button type="button" id="people" onClick={() => show("together")} aria-label={words.together}><People /></button>}
        <button type="button" id="new" onClick={startNew}>{words.newMatch}</button>
        <button type="button" id="panel" class="narrow" onClick={() => show("panel")} aria-label={words.score}>≣</button>
        <button type="button" id="settings" onClick={() => show("settings")} aria-label={words.settings}>⚙</button>
      </header>
      <main class={scene ? table!.phase : ""}>
        <Notice game={game} words={words} rules={nameOfRules(rules)} newMatch={startNew} leaveTable={() => game.leaveTable({ rules: settings.rules })} />
        {scene && (
          <Felt scene={scene}>
            {resultText(scene).map((line, i) => <p key={i} class={i === 0 ? "result" : ""}><Suited text={line} /></p>)}
            {table!.ready && table!.ready.length > 0 && !table!.ready.includes(table!.you) && <p>{fill(words.othersWait, table!.ready.map((seat) => nameOf(table!, seat, speech)).join(", "))}</p>}
            <div class="row">
              {!table!.over && <button type="button" id="next" class="large" disabled={waits.length > 0} onClick={game.next}>{waits.length ? fill(words.waitingFor, waits.join(", ")) : words.nextDeal}</button>}
              {table!.over && <button type="button" id="next" class="large" disabled={waits.length > 0} onClick={() => (game.shared ? game.next() : startNew())}>{waits.length ? fill(words.waitingFor, waits.join(", ")) : words.newMatch}</button>}
              <button type="button" class="large narrow" onClick={() => { setTab("review"); show("panel"); }}>{words.review}</button>
            </div>
          </Felt>
        )}
        {scene && <Bidding scene={scene} confirm={(text, yes, then) => ask({ text, yes, no: words.cancel, then })} />}
        <div class="prompt">
          <p role="status" aria-live="polite" class={game.myTurn ? "mine" : ""}>
            <Suited text={say || now} />
            {scene && <span class="hidden"> {lastEvent(scene)}</span>}
          </p>
          {scene && (
            <div class="tools">
              {(table!.certain || isSettled) && game.myTurn && <button type="button" id="claim" onClick={game.claim}>{isSettled ? words.endDeal : words.claim}</button>}
              {isHelped && <button type="button" id="undo" disabled={!table!.undo || game.locked} onClick={game.undo}>{words.undo}</button>}
              {isHelped && !isSettled && <button type="button" id="hint" disabled={!game.myTurn} onClick={game.askHint}>{words.hint}</button>}
            </div>
          )}
          <p role="status" class="advised">
            {scene && game.hint && <span class="advice" data-action={game.hint.action}><Suited text={adviceText(scene)} /></span>}
          </p>
        </div>
        {scene && <Hand scene={scene} tell={tell} />}
      </main>
      {!isNarrow && <aside>{panel}</aside>}
      {dialog === "panel" && isNarrow && <Dialog title={words[tab]} close={() => show("")} speech={speech}>{panel}</Dialog>}
      {dialog === "statistics" && scene && <Dialog title={words.statistics} close={() => show("")} speech={speech}><Statistics scene={scene} names={RULES} /></Dialog>}
      {dialog === "together" && scene && game.shared && (
        <Dialog title={words.together} close={() => show("")} speech={speech}><Together scene={scene} leave={() => { show(""); game.leaveTable({ rules: settings.rules }); }} /></Dialog>
      )}
      {(dialog === "join" || (dialog === "together" && !game.shared)) && (
        <Dialog title={words.together} close={() => show("")} speech={speech}>
          <form class="form" onSubmit={(event) => {
            event.preventDefault();
            if (dialog === "join") game.join(invited, settings.name);
            else game.share(settings.name);
            show(dialog === "join" ? "" : "together");
          }}>
            <p>{dialog === "join" ? words.joinText : words.inviteText}</p>
            <label>{words.yourName} <input id="name" maxLength={20} value={settings.name} required pattern={".*\\S.*"} autofocus onInput={(event) => change({ name: event.currentTarget.value })} /></label>
            <div class="row"><button type="submit" class="large" id="sit">{dialog === "join" ? words.joinTable : words.invite}</button></div>
          </form>
        </Dialog>
      )}
      {dialog === "settings" && (
        <Dialog title={words.settings} close={() => show("")} speech={speech}>
          <div class="form">
            <label>{words.rules} <Select value={rules} names={sets} pick={pickRules} /></label>
            <label>{words.language} <Select value={language} names={languages} pick={(name) => change({ language: name })} /></label>
            <label>{words.speed} <Select id="speed" value={String(settings.speed)} names={Object.fromEntries(words.speeds.entries())} pick={(speed) => change({ speed: Number(speed) })} /></label>
            <label>{words.theme} <Select value={settings.theme} names={words.themes} pick={(theme) => change({ theme: theme as Settings["theme"] })} /></label>
            <label>{words.letters4} <Select value={settings.letters} names={words.lettersOf} pick={(letters) => change({ letters })} /></label>
            <label class="check"><input type="checkbox" id="practice" checked={settings.practice} onChange={(event) => change({ practice: event.currentTarget.checked })} /> {words.practice}</label>
            <label class="check"><input type="checkbox" id="twice" checked={settings.twice} onChange={(event) => change({ twice: event.currentTarget.checked })} /> {words.twice}</label>
            <label class="check"><input type="checkbox" checked={settings.fourColours} onChange={(event) => change({ fourColours: event.currentTarget.checked })} /> {words.fourColours}</label>
            <fieldset><legend>{words.bots} ({words.newMatch})</legend>
              {(["W", "N", "E"] as const).map((seat, place) => (
                <label key={seat}>{words.seats[seat]} <Select value={settings.bots[place]} names={botNames} pick={(bot) => change({ bots: settings.bots.with(place, bot) })} /></label>
              ))}
            </fieldset>
            <div class="row">
              <button type="button" id="daily" onClick={daily}>{words.daily}</button>
              {!isAlone && game.notice !== "offline" && <button type="button" id="together" onClick={() => show("together")}>{words.together}</button>}
              <button type="button" id="statistics" onClick={() => show("statistics")}>{words.statistics}</button>
              <button type="button" onClick={startNew}>{words.newMatch}</button>
            </div>
          </div>
        </Dialog>
      )}
      {question && (
        <Dialog title={question.yes} close={() => ask(null)} speech={speech}>
          <p><Suited text={question.text} /></p>
          <div class="row">
            <button type="button" class="large" id="yes" onClick={() => { ask(null); question.then(); }}>{question.yes}</button>
            <button type="button" class="large" id="no" onClick={() => ask(null)}>{question.no}</button>
          </div>
        </Dialog>
      )}
    </>
  );
}

render(<App />, document.getElementById("app")!);
