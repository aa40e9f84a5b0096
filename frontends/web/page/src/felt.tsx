// The felt: four seats, the cards between them, what was said, and the person's hand.

import { useEffect, useRef, useState } from "preact/hooks";

import { Card, Face, sorted, Suited } from "./card";
import type { Game } from "./game";
import type { Contract, ContractRow, Done, Rules, Seat, Table } from "./messages";
import { after, fewTricks, SEATS } from "./messages";
import { type Meaning, meanings, toFollow } from "./sayings";
import type { Settings } from "./saved";
import { fill, parts, type Speech } from "./words";

export interface Scene { game: Game; table: Table; speech: Speech; settings: Settings }

/** Where a seat sits, seen from the person. */
const place = (table: Table, seat: Seat): string =>
  ["me", "left", "top", "right"][(SEATS.indexOf(seat) - SEATS.indexOf(table.you) + 4) % 4];

export const nameOf = (table: Table, seat: Seat, speech: Speech): string =>
  seat === table.you ? speech.words.you : othersName(table, seat, speech);

/** What a seat is called: as its person is, where one sits. */
export const othersName = (table: Table, seat: Seat, speech: Speech): string => table.people?.[seat]?.name || speech.words.seats[seat];

/** The sentence for what a seat did. */
export function saying(table: Table, speech: Speech, { seat, action, phase }: Done, meaning: Meaning): string {
  const { words } = speech;
  const forms = words.says as Record<string, string[]>;
  const say = (form: string, what = "") => fill(forms[form][seat === table.you ? 0 : 1], { name: othersName(table, seat, speech), "": what });
  if (action === "-" || phase === "discard") return say("aside");
  if (phase === "play") return say("lead", speech.card(action));
  if (forms[action]) return say(action);
  if (phase === "exchange") return say("want", speech.card(action));
  const call = parts(action);
  if (call?.kind === "suit") return say(meaning, `${call.level} ${speech.strain(call.strain!)}`);
  return say("call", speech.call(action));
}

/** What was said before the first card, one sentence for each. */
export function sayings(table: Table, speech: Speech): { seat: Seat; text: string }[] {
  const calls = table.history.slice(0, table.calls);
  const [meant] = meanings(calls);
  return calls.map((done, i) => ({ seat: done.seat, text: saying(table, speech, done, meant[i]) }));
}

function Place({ seat, scene, said }: { seat: Seat; scene: Scene; said: string }) {
  const { table, speech, game } = scene;
  const { words } = speech;
  const shown = sorted(table.shown[seat]);
  const side = table.contract ? (table.contract.declarers.includes(seat) ? "declarer" : "defender") : "";
  const bot = seat === table.you ? "" : table.bots[seat];
  const person = seat === table.you ? undefined : table.people?.[seat];
  const botName = (words.botNames as Record<string, string>)[bot] ?? bot;
  const label = !person ? botName : person.bot ? fill(words.botFor, botName) : person.here ? words.seats[seat] : words.away;
  const turn = table.turn === seat && !game.trick;
  return (
    <div class={`place ${place(table, seat)} ${side} ${turn ? "turn" : ""}`} data-seat={seat}>
      <div class="plate">
        {table.dealer === seat && <span class="dealer" title={seat === table.you ? words.dealerYou : words.dealer}>D</span>}
        <span class="who">{nameOf(table, seat, speech)}</span>
        {label && <span class="bot">{label}</span>}
        {table.contract && <span class="won" title={speech.count(words.tricks, table.tricks[seat])}>{table.tricks[seat]}</span>}
      </div>
      {seat !== table.you && !shown.length && (
        <div class="backs" aria-hidden="true">{Array.from({ length: Math.min(13, table.cards[seat]) }, (_, i) => <i key={i} />)}</div>
      )}
      {shown.length > 0 && seat !== table.you && !table.scores && (
        <div class="open">{shown.map((code) => <Card key={code} code={code} speech={speech} />)}</div>
      )}
      {said && <div class="bubble"><Suited text={said} /></div>}
    </div>
  );
}

/** Points of the declarers for a contract that is just made, and for one trick short. */
export function stakes(rules: Rules | null, kind: string, level: number | null): { row: ContractRow; made: number; failed: number } | null {
  const rows = rules?.contracts.filter((row) => row.kind === kind) ?? [];
  const row = rows.find((row) => row.level === (level ?? 0)) ?? (rows.length === 1 ? rows[0] : undefined);
  if (!row) return null;
  const at = (tricks: number) => row.points.find(([taken]) => taken === tricks)?.[1] ?? 0;
  const few = fewTricks(kind);
  if (few !== null) return { row, made: at(few), failed: at(1 - few) };
  // A troel of nine tricks has the row of eight.
  return { row, made: at(row.level), failed: at(row.level - 1) };
}

/** Points of a contract as it stands: when it is lost, when it is made with more tricks than it asks for. */
function present({ row, made, failed }: NonNullable<ReturnType<typeof stakes>>, { kind, level }: Contract, taken: number, played: number, declarers: number): number {
  const few = fewTricks(kind);
  if (few !== null) return declarers === 1 && taken > few ? failed : made;
  // The row of a troel counts from eight, the contract may from nine.
  const shift = (level ?? row.level) - row.level;
  const [least, most] = [row.points[0][0], row.points.at(-1)![0]];
  const at = (tricks: number) => row.points.find(([of]) => of === Math.min(Math.max(tricks - shift, least), most))![1];
  const possible = 13 - (played - taken);
  return possible < (level ?? row.level) ? at(possible) : taken > (level ?? row.level) ? at(taken) : made;
}

/** The contract in a line: what, who, how far, what for. */
export function ContractBar({ scene }: { scene: Scene }) {
  const { table, speech, game } = scene;
  const { words } = speech;
  const { contract } = table;
  if (!contract) {
    const forced = table.announcer && table.announces;
    const who = table.announcer === table.you ? words.announcesYou : words.announces;
    return (
      <div class="contract">
        {forced ? fill(who, { name: othersName(table, table.announcer!, speech), "": speech.kind(table.announces!) }) : words.auction}
        {table.turn_up && <> · {words.turnUp} <Suited text={speech.short(table.turn_up)} /></>}
      </div>
    );
  }
  const declarers = [...contract.declarers] as Seat[];
  const taken = declarers.reduce((sum, seat) => sum + table.tricks[seat], 0);
  const later = ["trou", "troel"].includes(contract.kind) && !contract.trump
    ? ` · ${contract.kind === "trou" ? words.trumpsOpen : words.trumpsLater}` : "";
  const at = stakes(game.session.rules, contract.kind, contract.level);
  const played = SEATS.reduce((sum, seat) => sum + table.tricks[seat], 0);
  const worth = at && present(at, contract, taken, played, declarers.length);
  const goal = contract.level && !table.scores ? fill(words.tricksOf, { n: taken, of: contract.level }) : speech.count(words.tricks, taken);
  return (
    <div class="contract">
      <b><Suited text={speech.contract(contract)} /></b>{later} · {declarers.map((seat) => nameOf(table, seat, speech)).join(" + ")} · {goal}
      {table.scores ? <> · {speech.signed(table.scores[declarers[0]])}</> : worth !== null && <> · {fill(words.worth, speech.signed(worth))}</>}
    </div>
  );
}

function Middle({ scene }: { scene: Scene }) {
  const { game, table, speech } = scene;
  const cards = game.trick?.cards ?? table.trick;
  const leaving = game.trick?.leaving ? `leaving to-${place(table, game.trick.winner)}` : "";
  return (
    <div class={`middle ${leaving}`} onClick={game.hurry}>
      {cards.map(({ seat, card }) => (
        <Card key={card} code={card} speech={speech} label={`${nameOf(table, seat, speech)}${speech.words.colon}${speech.card(card)}`}
          class={`from-${place(table, seat)} ${game.trick?.winner === seat ? "winner" : ""}`} />
      ))}
      {!cards.length && table.turn_up && !table.contract && (
        <div class="turn-up"><Card code={table.turn_up} speech={speech} /><span>{speech.words.turnUp}</span></div>
      )}
    </div>
  );
}

/** What is asked of the person, or going on. */
export function prompt({ game, table, speech }: Scene): string {
  const { words } = speech;
  if (table.scores && !game.trick) return "";
  if (!game.myTurn) return table.turn && table.turn !== table.you ? fill(words.thinks, othersName(table, table.turn, speech)) : words.busy;
  switch (table.phase) {
    case "discard": return words.discard;
    case "exchange": return words.exchange;
    case "trump": return words.trump;
    case "answer": return fill(words.answer, table.asked_for ? speech.card(table.asked_for) : "");
    default: return words.yourTurn;
  }
}

/** The person's cards. What may not be played says why when it is touched. */
export function Hand({ scene, tell }: { scene: Scene; tell(text: string): void }) {
  const { game, table, speech, settings } = scene;
  const [chosen, choose] = useState<string | null>(null);
  const box = useRef<HTMLDivElement>(null);
  const keyboard = useRef(false);
  const playing = table.phase === "play" || table.phase === "discard";
  const mine = game.myTurn && playing;
  const turnKey = game.myTurn ? `${table.deal}/${table.history.length}` : "";
  useEffect(() => {
    choose(null);
    // Whoever plays by keyboard finds the focus where something may be done.
    if (turnKey && keyboard.current && (document.activeElement === document.body || box.current?.contains(document.activeElement))) {
      (box.current?.querySelector<HTMLElement>(".card.legal") ?? document.querySelector<HTMLElement>(".bids button"))?.focus();
    }
  }, [turnKey]);
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => { if (!event.metaKey && !event.ctrlKey) keyboard.current = true; };
    const pointed = () => { keyboard.current = false; };
    addEventListener("keydown", pressed);
    addEventListener("pointerdown", pointed);
    return () => { removeEventListener("keydown", pressed); removeEventListener("pointerdown", pointed); };
  }, []);
  const why = (): string => {
    if (!game.myTurn) return speech.words.notYourTurn;
    const led = playing && toFollow(table);
    if (led && table.legal.every((code) => code[1] === led)) return fill(speech.words.follow, speech.words.suits[led as "S"]);
    if (playing && table.legal.length === 1) return fill(speech.words.aceFirst, speech.card(table.legal[0]));
    return speech.words.notNow;
  };
  const touch = (code: string) => {
    if (game.trick) return game.hurry();
    if (!mine || !table.legal.includes(code)) return tell(why());
    if (settings.twice && chosen !== code) {
      choose(code);
      return tell(fill(speech.words.clickAgain, speech.card(code)));
    }
    tell("");
    game.act(code);
  };
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const cards = [...box.current!.querySelectorAll<HTMLElement>(".card")];
    const at = cards.indexOf(document.activeElement as HTMLElement);
    cards[(at + step + cards.length) % cards.length]?.focus();
    event.preventDefault();
  };
  const hand = sorted(table.hand);
  return (
    <div class={`hand ${mine ? "mine" : ""}`} ref={box} role="group" aria-label={speech.words.yourHand} onKeyDown={move}>
      {hand.map((code, i) => {
        const legal = mine && table.legal.includes(code);
        return (
          <button key={code} type="button" data-card={code} data-action={code} aria-disabled={!legal} aria-label={speech.card(code)}
            tabIndex={legal || (!mine && i === 0) || (mine && table.legal.length === 0) ? 0 : -1}
            class={`card ${legal ? "legal" : ""} ${chosen === code ? "chosen" : ""} ${table.turn_up === code ? "turned" : ""} ${game.hint?.action === code && mine ? "hinted" : ""} ${i > 0 && hand[i - 1][1] !== code[1] ? "gap" : ""}`}
            onClick={() => touch(code)}>
            <Face code={code} speech={speech} />
          </button>
        );
      })}
    </div>
  );
}

/** The last thing that happened, for those who listen. */
export function lastEvent({ game, table, speech }: Scene): string {
  const { words } = speech;
  if (game.trick) {
    const { winner } = game.trick;
    const text = winner === table.you ? words.terminal.trickToYou : words.terminal.trickTo;
    return fill(text, { name: nameOf(table, winner, speech), tricks: table.tricks[winner] });
  }
  const done = table.history.at(-1);
  if (!done) return "";
  const [meant] = meanings(table.history);
  return saying(table, speech, done, meant.at(-1)!);
}

export function Felt({ scene, children }: { scene: Scene; children?: unknown }) {
  const { table, speech, game } = scene;
  const calls = table.history.slice(0, table.calls);
  const isPlaying = table.history.length > table.calls;
  const said: Partial<Record<Seat, string>> = {};
  if (!isPlaying && !table.scores) for (const { seat, text } of sayings(table, speech)) said[seat] = text;
  if (!calls.length && table.announcer) {
    const who = table.announcer === table.you ? speech.words.announcesYou : speech.words.announces;
    said[table.announcer] = fill(who, { name: othersName(table, table.announcer, speech), "": speech.kind(table.announces!) });
  }
  const over = table.scores && !game.trick;
  return (
    <section class="felt" aria-label={speech.words.table}>
      <ContractBar scene={scene} />
      <div class="seats">
        {[2, 1, 3, 0].map((steps) => {
          const seat = after(table.you, steps);
          return <Place key={seat} seat={seat} scene={scene} said={over ? "" : said[seat] ?? ""} />;
        })}
        {over ? <div class="over">{children as never}</div> : <Middle scene={scene} />}
      </div>
    </section>
  );
}
