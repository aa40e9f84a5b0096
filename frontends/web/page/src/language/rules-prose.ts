// The rules of the game in sentences.

import { exactTricks, TRICKS_OF_DEAL } from "../messages/contracts";
import type { ContractRow, Rules } from "../messages/messages";
import { type Speech, suitContract } from "./speech";
import { fill } from "./words";

/** A call or a contract with the sentence that explains it. */
export interface Explanation {
  kind: string;
  name: string;
  text: string;
}

/** Section of the rules. The calls or contracts are a list after the sentences. */
export interface Section {
  title: string;
  text: string;
  calls?: Explanation[];
}

/** Values of the options of a rule set by key, as in rule files. */
type Options = Readonly<Record<string, string>>;

/** Facts about a rule set that its message lacks. */
export interface RuleFacts {
  /** Where the rules come from, as a sentence. */
  origin: string;
  options: Options;
}

/** Contracts that a player's aces force. They have a section of their own. */
const FORCED_KINDS = ["trou", "troel"];

/** Returns the name of a kind of call; a gap for its level or suit is shown as dots. */
function kindTitle(speech: Speech, kind: string): string {
  const { turnUp, keepTurnUp } = speech.words;
  if (kind === "keepTurnUp") return keepTurnUp;
  if (kind === "withdraw") return speech.kind("pass");
  if (kind === "card") return turnUp;
  return speech.kind(kind).replace("{}", "…");
}

/** Returns the sentence that explains a kind of call or contract, "" if there is none. */
export function explanation({ words }: Speech, kind: string): string {
  const texts: Record<string, string> = words.guide.calls;
  return texts[kind] ?? "";
}

/** Returns the explanations of kinds of calls and contracts. */
export const explain = (speech: Speech, kinds: readonly string[]): Explanation[] =>
  kinds
    .map((kind) => ({ kind, name: kindTitle(speech, kind), text: explanation(speech, kind) }))
    .filter(({ text }) => text !== "");

/** Returns the points of a contract for a number of tricks: of a declarer, and of each other. */
const pointsFor = ({ points }: ContractRow, tricks: number) =>
  points.find(([taken]) => taken === tricks)?.slice(1) ?? [0, 0];

const trickContracts = ({ contracts }: Rules): ContractRow[] =>
  contracts.filter(({ kind }) => exactTricks(kind) === null);

/** Whether the sides pay each other. Otherwise the others have nothing if a contract is made. */
const isSettled = (rules: Rules): boolean =>
  trickContracts(rules).some((row) => pointsFor(row, row.level)[1] !== 0);

/** Whether a contract pays more for tricks beyond those that it needs. */
const paysMore = (row: ContractRow): boolean =>
  pointsFor(row, TRICKS_OF_DEAL)[0] > pointsFor(row, row.level)[0];

/** Whether a contract costs more for two tricks short than for one. */
const costsMore = (row: ContractRow): boolean =>
  pointsFor(row, row.level - 2)[0] < pointsFor(row, row.level - 1)[0];

/** Returns the points of a contract by the number of tricks that make it. */
function madeParts(speech: Speech, row: ContractRow): string[] {
  const pointsOf = (tricks: number) => pointsFor(row, tricks)[0];
  const parts: string[] = [];
  for (let tricks = row.level; tricks <= TRICKS_OF_DEAL; tricks += 1) {
    const fewest = tricks;
    while (tricks < TRICKS_OF_DEAL && pointsOf(tricks + 1) === pointsOf(fewest)) tricks += 1;
    const range = tricks > fewest ? `${fewest}–${tricks}` : `${fewest}`;
    const points = speech.signed(pointsOf(fewest));
    parts.push(fill(speech.words.guide.text.byTricks, { tricks: range, points }));
  }
  return parts;
}

/** Returns what each further trick short costs, `[]` if it costs nothing. */
function shortParts(speech: Speech, row: ContractRow): string[] {
  if (!costsMore(row)) return [];
  const [one, two] = [pointsFor(row, row.level - 1), pointsFor(row, row.level - 2)];
  const own = speech.signed(two[0] - one[0]);
  const others = speech.signed(two[1] - one[1]);
  return [fill(speech.words.guide.text.perShort, { own, others })];
}

/** Returns the points of a contract by the number of tricks, and what each trick short costs. */
const pointsText = (speech: Speech, row: ContractRow): string =>
  [...madeParts(speech, row), ...shortParts(speech, row)].join(" · ");

/** Returns the points of a contract besides those for just making it and for one trick short. */
export function pointsDetails(speech: Speech, row: ContractRow): string {
  const exact = exactTricks(row.kind);
  const { words } = speech;
  const [, others] = pointsFor(row, exact === null ? row.level - 1 : 1 - exact);
  const [, othersIfMade] = pointsFor(row, exact ?? row.level);
  // In a settlement the others have the same points as the declarers, with another sign.
  const when = exact === null ? words.ifFailed : words.ifNotMade;
  const failed = othersIfMade === 0 ? [`${words.others} ${speech.signed(others)} (${when})`] : [];
  const made = exact === null && paysMore(row) ? madeParts(speech, row) : [];
  const short = exact === null ? shortParts(speech, row) : [];
  return [...made, ...failed, ...short].join(" · ");
}

/** Returns the contracts whose points depend on the tricks over or short, with these points. */
function pointsByTricks(speech: Speech, rules: Rules): Explanation[] {
  return trickContracts(rules)
    .filter((row) => paysMore(row) || costsMore(row))
    .map((row) => {
      const { kind, level } = row;
      const name = speech.contract({ kind, level, trump: null, declarers: "" });
      const shown = kind === "suit" ? suitContract(level) : name;
      return { kind: `${kind} ${level}`, name: shown, text: pointsText(speech, row) };
    });
}

/** Returns the kinds of calls of the rules: those without a contract first. */
function callKinds({ turn_up, contracts }: Rules, options: Options): string[] {
  const kinds = new Set(contracts.map(({ kind }) => kind));
  const others = [...kinds].filter((kind) => kind !== "suit" && !FORCED_KINDS.includes(kind));
  const proposals = turn_up ? [] : ["wait", ...(options.stay === "true" ? ["stay"] : []), "raise"];
  const suitCalls = kinds.has("suit") ? ["ask", "along", ...proposals] : [];
  const keep = FORCED_KINDS.some((kind) => kinds.has(kind)) ? ["keep"] : [];
  return ["pass", ...suitCalls, ...keep, ...others];
}

/** Returns sentences about the options of a rule set, as far as its contracts need them. */
function optionSentences(speech: Speech, rules: Rules, options: Options): (string | false)[] {
  const { guide, house } = speech.words;
  const { special } = guide;
  const isOn = (key: string) => options[key] === "true";
  const kinds = rules.contracts.map(({ kind }) => kind);
  const has = (...some: string[]) => some.some((kind) => kinds.includes(kind));
  const shownAfter = Number(options.open_misere_shown_after);
  return [
    !rules.turn_up && has("abondance", "small-slam", "slam") && special.first,
    isOn("solo_needs_proposal") && has("solo") && special.solo,
    isOn("misere_ends_proposals") && special.noAsk,
    isOn("gather") && special.cut,
    isOn("exchange") && has("misere") && special.swap,
    has("troel") && !isOn("turn_up_always_shown") && special.hidden,
    has("troel") && (isOn("troel_leads_key_card") ? special.leads : special.falls),
    isOn("share_miseres") && kinds.some((kind) => exactTricks(kind) !== null) && special.shared,
    has("open-misere") && (shownAfter > 0 ? speech.count(house.shown, shownAfter) : special.before),
    isOn("void_moves_dealer") ? special.next : special.again,
  ];
}

/**
 * Returns the rules in sections. Without `facts` they say only what is certain from the message of
 * the rules.
 */
export function ruleSections(speech: Speech, rules: Rules, facts: RuleFacts | null): Section[] {
  const { words } = speech;
  const { heads, text } = words.guide;
  const join = (...sentences: (string | false)[]) => sentences.filter(Boolean).join(" ");
  const forced = rules.contracts
    .map(({ kind }) => kind)
    .find((kind) => FORCED_KINDS.includes(kind));
  const specials = facts ? optionSentences(speech, rules, facts.options) : [];
  const rows = trickContracts(rules);
  const hasSuit = rows.some(({ kind }) => kind === "suit");
  const byTricks = pointsByTricks(speech, rules);
  const target = rules.target
    ? words.target.replace("{}", speech.number(rules.target))
    : words.noTarget;
  const sections: Section[] = [
    {
      title: heads.aim,
      text: join(facts?.origin ?? `${words.house.title} (${rules.rules}).`, text.aim, target),
    },
    { title: heads.tricks, text: join(text.tricks, text.lead) },
    {
      title: heads.auction,
      text: join(text.auction, hasSuit && (rules.turn_up ? text.turnUp : text.anySuit)),
      calls: explain(speech, callKinds(rules, facts?.options ?? {})),
    },
    { title: heads.aces, text: forced ? explanation(speech, forced) : "" },
    { title: heads.special, text: join(...specials) },
    {
      title: heads.points,
      text: join(
        isSettled(rules) ? text.settle : text.score,
        rows.some(paysMore) && text.over,
        rows.some(costsMore) ? text.under : text.same,
        byTricks.length > 0 && text.list,
      ),
      calls: byTricks.length > 0 ? byTricks : undefined,
    },
  ];
  return sections.filter((section) => section.text !== "");
}

/** Returns the signs on the table, each with its meaning. Only Flemish rules have a turn-up. */
export function signs({ words, isFlemish }: Speech): [sign: string, meaning: string][] {
  const { D, points, tricks, border, dot } = words.guide.marks;
  const always: [string, string][] = [
    ["D", D],
    ["+7 / −10", points],
    ["3", tricks],
    ["", border],
  ];
  return isFlemish ? [...always, ["", dot]] : always;
}
