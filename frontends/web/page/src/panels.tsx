// The contents of the panel beside the table: score, auction, rules, and the review of a deal.

import { useEffect, useState } from "preact/hooks";

import { Card, sorted, Suited } from "./card";
import { nameOf, saying, sayings, type Scene } from "./felt";
import type { BySeat, Decision, Seat, Table } from "./messages";
import { after, fewTricks, order, SEATS } from "./messages";
import { meanings, named } from "./sayings";
import { saved } from "./saved";
import { dealLink, isCopied } from "./urls";
import { fill, type Speech } from "./words";

export function Score({ scene: { game, table, speech } }: { scene: Scene }) {
  const { words } = speech;
  const seats = order(table);
  const scores = game.session.match?.scores ?? [];
  return (
    <>
      <table class="numbers">
        <thead>
          <tr><th scope="col">{words.points}</th>{seats.map((seat) => <th key={seat} scope="col"><span title={nameOf(table, seat, speech)}>{nameOf(table, seat, speech)}</span></th>)}</tr>
        </thead>
        <tbody>
          {scores.map((points, i) => points && (
            <tr key={i}><th scope="row">{words.deal} {i + 1}</th>{seats.map((seat) => <td key={seat}>{speech.signed(points[seat])}</td>)}</tr>
          ))}
          <tr class="total"><th scope="row">{words.total}</th>{seats.map((seat) => <td key={seat}>{speech.number(table.totals[seat])}</td>)}</tr>
        </tbody>
      </table>
      <p class="note">{table.target ? fill(words.target, speech.number(table.target)) : words.noTarget}</p>
      {table.last_trick.length > 0 && !game.trick && (
        <p class="last">{words.lastTrick} {table.last_trick.map(({ card }) => <Card key={card} code={card} speech={speech} />)}</p>
      )}
    </>
  );
}

export function AuctionLog({ scene: { table, speech } }: { scene: Scene }) {
  const mine = (seat: Seat) => (seat === table.you ? speech.words.you + speech.words.colon : "");
  return <ol class="log">{sayings(table, speech).map(({ seat, text }, i) => <li key={i}><Suited text={mine(seat) + text} /></li>)}</ol>;
}

export function RulesTable({ scene: { game, speech } }: { scene: Scene }) {
  const { words } = speech;
  const { rules } = game.session;
  if (!rules) return null;
  return (
    <table class="numbers">
      <thead><tr><th scope="col">{words.contract}</th><th scope="col">{words.ifMade}</th><th scope="col">{words.ifFailed}</th><th scope="col">{words.others}</th></tr></thead>
      <tbody>
        {rules.contracts.map(({ kind, level, points }, i) => {
          const few = fewTricks(kind);
          const at = (tricks: number) => points.find(([taken]) => taken === tricks);
          const [made, failed] = few === null ? [at(level), at(level - 1)] : [at(few), at(1 - few)];
          const name = fill(speech.kind(kind), level ? String(level) : "").trim();
          return (
            <tr key={i}>
              <th scope="row">{kind === "suit" ? `${level} ♠♣♦♥` : name}</th>
              <td>{made && speech.signed(made[1])}</td><td>{failed && speech.signed(failed[1])}</td><td>{failed && speech.signed(failed[2])}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** The result of a deal in words. */
export function resultText({ game, table, speech }: Scene): string[] {
  const { words } = speech;
  const { contract, scores } = table;
  if (!scores) return [];
  const lines: string[] = [];
  const namesOf = (seats: Seat[]) => speech.list(order(table).filter((seat) => seats.includes(seat)).map((seat) => nameOf(table, seat, speech)));
  const daily = game.session.match?.daily;
  if (daily) lines.push(fill(words.dailyIs, new Date(daily).toLocaleDateString(words.locale)));
  if (table.void || !contract) lines.push(words.everybodyPassed);
  else {
    const name = speech.contract(contract);
    const few = fewTricks(contract.kind);
    const tell = (who: Seat[], taken: number, made: boolean) => {
      const difference = contract.level ? taken - contract.level : 0;
      const more = difference > 0 ? `, ${fill(words.over, { n: difference })}` : difference < 0 ? `, ${fill(words.short, { n: -difference })}` : "";
      const form = speech.about(made ? words.made : words.failed, who.includes(table.you), who.length > 1);
      lines.push(fill(form, { who: namesOf(who), contract: name, tricks: speech.count(words.tricks, taken) + more }));
    };
    const declarers = [...contract.declarers] as Seat[];
    if (few !== null) for (const seat of declarers) tell([seat], table.tricks[seat], table.tricks[seat] === few);
    else {
      const taken = declarers.reduce((sum, seat) => sum + table.tricks[seat], 0);
      tell(declarers, taken, taken >= (contract.level ?? 0));
    }
    lines.push(speech.count(words.youGet, scores[table.you], speech.signed(scores[table.you])));
  }
  if (table.over) {
    const best = Math.max(...SEATS.map((seat) => table.totals[seat]));
    const winners = SEATS.filter((seat) => table.totals[seat] === best);
    lines.push(fill(speech.about(words.matchWon, winners.includes(table.you), winners.length > 1), { who: namesOf(winners) }));
    lines.push(order(table).map((seat) => `${nameOf(table, seat, speech)} ${speech.number(table.totals[seat])}`).join(" · "));
  }
  return lines;
}

/** The hands as dealt, of a record. */
function dealt(table: Table): BySeat<string[]> {
  const hands: BySeat<string[]> = { N: [], E: [], S: [], W: [] };
  const [first, rest] = table.record!.deal.split(":");
  rest.split(" ").forEach((hand, i) => {
    const cards = hand.split(".").flatMap((ranks, suit) => [...ranks].map((rank) => rank + "SHDC"[suit]));
    hands[after(first as Seat, i)] = cards;
  });
  return hands;
}

/** Hands, the trick on the table, and who is to act, after so many actions. */
function position(table: Table, at: number) {
  const hands = dealt(table);
  let trick: { seat: Seat; card: string }[] = [];
  const actions = table.history.slice(0, at);
  for (const [i, { seat, action, phase }] of actions.entries()) {
    const code = action === "-" ? table.record!.actions![i] : action;
    if (phase === "play" || phase === "discard") hands[seat] = hands[seat].filter((card) => card !== code);
    // The card that the dealer asks for is exchanged for the turn-up, unless its holder refuses.
    if (phase === "exchange" && code.length === 2 && table.turn_up && table.history[i + 1]?.action !== "refuse") {
      const answers = table.history[i + 1]?.phase === "answer";
      const holder = SEATS.find((other) => hands[other].includes(code));
      if (holder && (!answers || i + 1 < at)) {
        hands[holder] = hands[holder].map((card) => (card === code ? table.turn_up! : card));
        hands[seat] = hands[seat].map((card) => (card === table.turn_up ? code : card));
      }
    }
    if (phase === "play") trick = [...(trick.length === 4 ? [] : trick), { seat, card: code }];
  }
  return { hands, trick, next: table.history[at] };
}

/** Four open hands with a slider through the deal. */
export function OpenHands({ scene, at, go }: { scene: Scene; at: number; go(at: number): void }) {
  const { game, table, speech } = scene;
  const { words } = speech;
  const [solve, setSolve] = useState(true);
  const { hands, trick, next } = position(table, at);
  const wanted = solve && next?.phase === "play" && table.contract?.level;
  useEffect(() => {
    if (!wanted) return;
    const later = setTimeout(() => game.review.askValues(at), 150);
    return () => clearTimeout(later);
  }, [at, wanted]);
  const values = wanted ? game.review.values[at] : undefined;
  const done = table.history[at - 1];
  const text = done ? saying(table, speech, done, meanings(table.history.slice(0, at))[0][at - 1]) : words.start;
  return (
    <div class="hands">
      <div class="slider">
        <button type="button" onClick={() => go(Math.max(0, at - 1))} disabled={at === 0} aria-label="−1">‹</button>
        <input type="range" min={0} max={table.history.length} value={at} aria-label={fill(words.step, { n: at, of: table.history.length })}
          onInput={(event) => go(Number(event.currentTarget.value))} />
        <button type="button" onClick={() => go(Math.min(table.history.length, at + 1))} disabled={at === table.history.length} aria-label="+1">›</button>
      </div>
      <p class="step">{fill(words.step, { n: at, of: table.history.length })}: <Suited text={text} /></p>
      {order(table).map((seat) => (
        <div key={seat} class={`held ${next?.seat === seat ? "next" : ""}`}>
          <b>{nameOf(table, seat, speech)}</b>
          <span>
            {sorted(hands[seat]).map((code) => {
              const value = next?.seat === seat ? values?.[code] : undefined;
              return (
                <Card key={code} code={code} speech={speech} label={value && `${speech.card(code)}${words.colon}${speech.count(words.tricks, value[0])}`} class={next?.action === code && next.seat === seat ? "played" : ""}>
                  {value && <em>{value[0] === value[1] ? value[0] : `${value[0]}–${value[1]}`}</em>}
                </Card>
              );
            })}
            {trick.filter(({ seat: who }) => who === seat).map(({ card }) => <Card key={card} code={card} speech={speech} class="tabled" />)}
          </span>
        </div>
      ))}
      {table.contract?.level && (
        <label class="check"><input type="checkbox" checked={solve} onChange={() => setSolve(!solve)} /> {words.doubleDummy} ({words.declarers})</label>
      )}
    </div>
  );
}

/** Points that are shown: less is none to one decimal. */
const LEAST = 0.05;

const overBot = ({ over_bot }: Decision, speech: Speech) => fill(speech.words.overBot, speech.signed(over_bot, 1));

/** The person's decisions that cost points, the worst first; those better than the bot's; what only open cards show; why, and again from there. */
export function Review({ scene }: { scene: Scene }) {
  const { game, table, speech } = scene;
  const { words } = speech;
  const [at, go] = useState(table.calls);
  const [chosen, choose] = useState<number | null>(null);
  if (!table.record) return <p class="note">{words.notNow}</p>;
  const { decisions, judging } = game.review;
  const costly = decisions.filter(({ points }) => points >= LEAST).sort((a, b) => b.points - a.points || a.at - b.at);
  const seenLater = decisions.filter(({ points, tricks }) => points < LEAST && tricks)
    .sort((a, b) => b.tricks! - a.tricks! || a.at - b.at);
  const free = decisions.filter(({ points, tricks }) => points < LEAST && !tricks);
  const better = decisions.filter(({ points, over_bot }) => points < LEAST && over_bot >= LEAST)
    .sort((a, b) => b.over_bot - a.over_bot || a.at - b.at);
  const others = free.filter((decision) => decision.did !== decision.best && !better.includes(decision));
  const list = (decisions: Decision[], loss: (decision: Decision) => unknown) => (
    <ol class="decisions">
      {decisions.map((decision) => (
        <Decided key={decision.at} scene={scene} decision={decision} loss={loss(decision)} open={chosen === decision.at}
          toggle={() => { go(decision.at - 1); choose(chosen === decision.at ? null : decision.at); }} />
      ))}
    </ol>
  );
  const tricks = ({ tricks }: Decision) => <span class="note">{speech.count(words.lostTricks, tricks!)}</span>;
  const summary = speech.count(words.costNothing, free.length);
  return (
    <div class="review">
      {(costly.length > 0 || judging === "running") && <h2>{words.yourDecisions}</h2>}
      {judging === "running" && <p class="note" role="status">{words.judging}</p>}
      {judging === "done" && !costly.length && !free.length && <p class="note">{words.noMistakes}</p>}
      {list(costly, ({ points }) => <span class={points >= 1 ? "bad" : ""}>{speech.count(words.lostPoints, points, speech.number(points, 1))}</span>)}
      {better.length > 0 && list(better, (decision) => <span class="note">{overBot(decision, speech)}</span>)}
      {free.length > 0 && (others.length
        ? <details><summary class="note">{summary}</summary>{list(others, () => <span class="note">{words.same}</span>)}</details>
        : <p class="note">{summary}</p>)}
      {seenLater.length > 0 && <><h2 class="note">{words.hindsight}</h2>{list(seenLater, tricks)}</>}
      <h2>{words.openHands}</h2>
      <OpenHands scene={scene} at={at} go={go} />
      {table.mine.includes(at) && <button type="button" onClick={() => game.back(at)}>{words.tryAgain}</button>}
      <Par scene={scene} />
      <After scene={scene} />
    </div>
  );
}

/** A decision: what was done and what was best; when it is opened, what else was worth, and how sure the bot was. */
function Decided({ scene: { game, table, speech }, decision, loss, open, toggle }: { scene: Scene; decision: Decision; loss: unknown; open: boolean; toggle(): void }) {
  const { words } = speech;
  const [, auction] = meanings(table.history.slice(0, decision.at - 1));
  const action = (code: string) => named(speech, auction, decision.seat, code, decision.phase);
  const percent = (share: number) => speech.number(100 * share);
  const [did, best, would] = [action(decision.did), action(decision.best), action(decision.bot)];
  const values = decision.candidates.map(({ action: code, points }) => `${action(code)} ${speech.signed(points, 1)}`);
  const [p, q] = [percent(decision.chance), percent(decision.bot_chance)];
  const why = fill(did === would ? words.whySame : words.why, { bot: game.review.judge, did, p, would, q });
  return (
    <li>
      <button type="button" aria-expanded={open} onClick={toggle}>
        <span>{words.youDid}{words.colon}<Suited text={did} /> · {words.best}{words.colon}<Suited text={best} /></span>
        {loss as never}
      </button>
      {open && (
        <div class="why">
          <p><Suited text={fill(words.candidates, values.join(" · "))} />{decision.over_bot >= LEAST && <> {overBot(decision, speech)}</>}</p>
          <p><Suited text={why} />{decision.value !== null && <> {fill(words.botExpects, speech.signed(decision.value, 1))}</>}</p>
          {!table.people && <button type="button" onClick={() => game.back(decision.at - 1)}>{words.tryAgain}</button>}
        </div>
      )}
    </li>
  );
}

function Par({ scene: { game, table, speech } }: { scene: Scene }) {
  const { words } = speech;
  const { par, askPar } = game.review;
  if (par === null || par === "computing") {
    return <button type="button" disabled={par !== null} onClick={askPar}>{par ? words.computing : words.par}</button>;
  }
  const text = !par.points ? words.parLong : !par.contract ? words.parNone
    : fill(words.parIs, { contract: `${speech.contract(par.contract)} (${[...par.contract.declarers].map((seat) => nameOf(table, seat as Seat, speech)).join(" + ")})`, points: speech.signed(par.points[table.you]) });
  const regret = par.regret?.[table.you] ?? 0;
  return <p class="note"><b>{words.par}.</b> <Suited text={text} />{regret > 0 && <> {speech.count(words.parRegret, regret)}</>}</p>;
}

/** Actions on a finished deal: play it again, copy its link, download its record. */
export function After({ scene: { game, table, speech } }: { scene: Scene }) {
  const { words } = speech;
  const [told, tell] = useState("");
  const { rules, dealer, deal, turn_up } = table.record!;
  const copy = async () => {
    const link = dealLink({ rules, dealer, deal, turn_up });
    tell((await isCopied(link)) ? words.copied : link);
  };
  const record = `data:application/x-ndjson,${encodeURIComponent(`${JSON.stringify(table.record)}\n`)}`;
  const file = `troel-${rules}-${game.session.match?.seed}-${table.deal + 1}.jsonl`;
  return (
    <div class="after">
      {!table.people && <button type="button" onClick={() => game.again()}>{words.sameDeal}</button>}
      {!table.people && <label class="others">{words.otherBots}{" "}
        <select onChange={(event) => { const bot = event.currentTarget.value; game.again([bot, bot, bot]); }}>
          <option value="" selected disabled hidden>…</option>
          {Object.entries(words.botNames).map(([bot, name]) => <option key={bot} value={bot}>{name}</option>)}
        </select>
      </label>}
      <button type="button" onClick={copy}>{words.copyLink}</button>
      <a class="button" download={file} href={record}>{words.download}</a>
      <p role="status" class="note told">{told}</p>
    </div>
  );
}

export function Statistics({ scene: { speech }, names }: { scene: Scene; names: Record<string, string> }) {
  const { words } = speech;
  const [tallies, set] = useState(saved.tallies());
  const rows = Object.entries(tallies);
  return (
    <>
      <div class="wide" tabIndex={0} role="group" aria-label={words.statistics}>
      <table class="numbers">
        <thead><tr><th scope="col">{words.rules}</th><th scope="col">{words.played}</th><th scope="col">{words.contractsPlayed}</th><th scope="col">{words.contractsMade}</th><th scope="col">{words.pointsPerDeal}</th><th scope="col">{words.lostPerDeal}</th></tr></thead>
        <tbody>
          {rows.map(([rules, tally]) => (
            <tr key={rules}>
              <th scope="row">{names[rules] ?? rules}</th><td>{speech.number(tally.deals)}</td><td>{speech.number(tally.declared)}</td>
              <td>{tally.declared ? `${speech.number((100 * tally.made) / tally.declared)} %` : "–"}</td>
              <td>{speech.signed(tally.points / tally.deals, 1)}</td><td>{tally.reviewed ? speech.number(tally.lost / tally.reviewed, 1) : "–"}</td>
            </tr>
          ))}
        </tbody>
      </table>
      </div>
      {rows.length > 0 && <button type="button" onClick={() => { saved.keepTallies({}); set({}); }}>{words.reset}</button>}
    </>
  );
}
