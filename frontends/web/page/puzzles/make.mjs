// Writes the pack of puzzles, or those of some kinds: node puzzles/make.mjs [horesca/card ...]
// It walks through seeded deals at the tables of the library, with the released bots in all seats,
// and keeps the positions in which the search finds one clearly best action. A certain fact must
// speak for it, or searches with other bots must agree. The hand must defend a call (defensible.ts).

import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "vite";

import { Troel } from "../../assets/troel.mjs";

const BOTS = {
  luxembourg: "luxembourg-v5",
  horesca: "horesca-v5",
  wiezen: "wiezen-v5",
  iwwa: "iwwa-v5",
};
/** Bots of other trainings, whose searches must find the same best action. */
const otherBots = (rules) => [`${rules}-v4`, "universal-v2"];
const SEAT = "S";
/** Number of puzzles of each kind under each rule set. */
const PUZZLES = 40;
/** Seconds after which a kind has as many puzzles as were found. */
const MAX_SECONDS = 140;
/** Largest number of puzzles in each third of the difficulties, by rating. */
const BUCKETS = [
  { below: 1150, puzzles: 16 },
  { below: 1450, puzzles: 18 },
  { below: Number.POSITIVE_INFINITY, puzzles: 18 },
];
/** Largest number of puzzles of a kind with the same answer. */
const MAX_SAME_ANSWER = { call: 12, card: 6 };
/** Largest number of puzzles of a kind without a certain reason. */
const MAX_UNREASONED = 10;
/** Number of seeds in which contracts that cannot fail are looked for, and of such puzzles. */
const [SURE_SEEDS, SURE_PUZZLES] = [15_000, 8];
/** Largest probability of the bot's choice where the search is asked. */
const MAX_OPEN_CHANCE = 0.93;
/** Largest probability of the bot's call where the search is asked. */
const MAX_OPEN_CALL_CHANCE = 0.98;
/** Smallest probability of a wrong action that a reason speaks against. */
const MIN_TEMPTING_CHANCE = 0.02;
const MAX_ANSWERS = 4;
/** Number of tricks in which puzzles begin. */
const TRICKS_WITH_PUZZLES = 11;
/** Largest number of searches in a deal. */
const MAX_ASKED = 3;
/** Phases whose actions all seats see. */
const PUBLIC_PHASES = ["auction", "trump", "play"];
/**
 * Smallest lead of the best action over a wrong one, in standard errors. All actions are played out
 * in the same worlds, so the error of the lead is smaller than that of independent samples.
 */
const MIN_ERRORS = 2;
/** Smallest lead in the searches with other bots, in standard errors. */
const MIN_AGREED_ERRORS = 1;
/** Smallest lead of the best action over a wrong one, as a share of the cheapest stake. */
const MIN_LEAD_SHARE = 0.1;
/** Largest lead over an action that is about as good. */
const MAX_RIGHT_SHARE = 0.04;
/** Rating of the bot, which answers half of the puzzles of this rating. */
const BOT_RATING = 1500;
/** Rating that a puzzle gains as its lead becomes small. */
const SMALL_LEAD_RATING = 200;
/** Limits of the bot's probability of a right answer. */
const [MIN_CHANCE, MAX_CHANCE] = [0.02, 0.98];

const root = new URL("..", import.meta.url);
const read = (path) => readFileSync(new URL(path, root));
const vite = await createServer({
  root: root.pathname,
  configFile: false,
  server: { middlewareMode: true, ws: false },
  logLevel: "error",
});
globalThis.document = { getElementById: () => null };
const load = (file) => vite.ssrLoadModule(`/${file}.ts`);
const { isDefensible } = await load("puzzles/defensible");
const { openingCommand } = await load("src/match/activity");
const { isSureCall } = await load("src/match/call-reasons");
const { newMatch } = await load("src/match/match");
const { countReason, puzzleReason, withRecord } = await load("src/match/puzzle-answer");
const { puzzleLine } = await load("src/match/puzzles");
const { reasonFor, speaksAgainst } = await load("src/match/reasons");
const { parseCall } = await load("src/messages/actions");
const { replayAuction } = await load("src/messages/auction");
const { cheapestStake } = await load("src/messages/contracts");
const { knownRecord } = await load("src/messages/replay");
const troel = await Troel.load(read("../assets/troel.wasm"));

/**
 * Returns the bot's choice for the person and its policy. `null` if the record of public actions
 * does not determine the position.
 */
function askBot(bot, table) {
  const answer = bot.answer({ id: 1, cmd: "act", record: knownRecord(table), seat: SEAT });
  return answer.error ? null : answer;
}

/** Whether the bot considers more than one action. */
const isOpenPolicy = ({ policy }, maxChance) => Math.max(...Object.values(policy)) < maxChance;

/** Returns the rating of a puzzle for the bot's chance and the lead, as a share of the stake. */
function ratingOf(chance, leadShare) {
  const p = Math.min(Math.max(chance, MIN_CHANCE), MAX_CHANCE);
  const closeness = SMALL_LEAD_RATING * Math.max(0, 0.5 - leadShare);
  return Math.round(BOT_RATING + 400 * Math.log10((1 - p) / p) + closeness);
}

/** Returns the answers and the rating of a position; `null` if no action is clearly best. */
function judge(table, stake) {
  const [{ candidates }] = table.do({ type: "hint" });
  if (candidates.length < 2) return null;
  const best = candidates[0].points;
  const isRight = ({ points }) => best - points <= MAX_RIGHT_SHARE * stake;
  const right = candidates.filter(isRight);
  const wrong = candidates.filter((candidate) => !isRight(candidate));
  if (right.length > MAX_ANSWERS - 1 || wrong.length === 0) return null;
  const lead = best - Math.max(...wrong.map(({ points }) => points));
  const isClear = ({ points, error }) =>
    best - points >= MIN_ERRORS * Math.hypot(error, candidates[0].error);
  if (lead < MIN_LEAD_SHARE * stake || !wrong.every(isClear)) return null;
  const chance = right.reduce((sum, candidate) => sum + candidate.chance, 0);
  const tempting = wrong.toSorted((a, b) => b.chance - a.chance || b.points - a.points);
  const answers = (list) =>
    list.toSorted((a, b) => b.points - a.points).map(({ action, points }) => ({ action, points }));
  return {
    right: answers(right),
    wrong: answers(tempting.slice(0, MAX_ANSWERS - right.length)),
    rating: ratingOf(chance, lead / stake),
  };
}

/** Whether the search at another table also finds a right action better than the wrong ones. */
function agrees(table, match, { right, wrong }) {
  table.do(openingCommand(match));
  const [{ candidates = [] }] = table.do({ type: "hint" });
  const candidateOf = ({ action }) => candidates.find((candidate) => candidate.action === action);
  const best = candidateOf(right[0]);
  const isWorse = (candidate) =>
    best.points - candidate.points >= MIN_AGREED_ERRORS * Math.hypot(best.error, candidate.error);
  return best !== undefined && wrong.map(candidateOf).filter(Boolean).every(isWorse);
}

/** Puzzles of one kind, mixed by difficulty and answer. */
class Collection {
  found = [];
  #buckets = BUCKETS.map(({ puzzles }) => puzzles);
  #answers = new Map();
  #unreasoned = 0;
  #end = Date.now() + 1000 * MAX_SECONDS;

  constructor(kind, rules, otherTables) {
    this.kind = kind;
    this.rules = rules;
    this.otherTables = otherTables;
  }

  get isDone() {
    return this.found.length === PUZZLES || Date.now() > this.#end;
  }

  /** Adds a puzzle if it is sound, and its difficulty and its answer are still wanted. */
  add(state, seed, judged) {
    const bucket = BUCKETS.findIndex(({ below }) => judged.rating < below);
    const answer = this.#answerKind(state, judged.right[0].action);
    const same = this.#answers.get(answer) ?? 0;
    if (this.#buckets[bucket] === 0 || same === MAX_SAME_ANSWER[this.kind]) return;
    const actions = state.history.map(({ action }) => action);
    const puzzle = { rules: this.rules, kind: this.kind, seed, actions, ...judged };
    const wrong = judged.wrong[0].action;
    const reason = puzzleReason(puzzle, state, wrong);
    const isUnreasoned = !reason && !countReason(puzzle, state, wrong);
    if (isUnreasoned && this.#unreasoned === MAX_UNREASONED) return;
    if (!this.#isSound(state, puzzle, speaksAgainst(reason))) return;
    this.#buckets[bucket] -= 1;
    this.#answers.set(answer, same + 1);
    this.#unreasoned += Number(isUnreasoned);
    this.found.push(puzzleLine(puzzle, state.calls));
  }

  /** Whether the hand defends a call, and a certain fact or the other bots the best action. */
  #isSound(state, puzzle, isProven) {
    if (this.kind === "call" && !isDefensible(withRecord(state), puzzle)) return false;
    const { rules, seed, actions } = puzzle;
    const deals = actions.length ? [actions] : [];
    const match = { ...newMatch({ rules, seed }, []), deals };
    return isProven || this.otherTables.every((table) => agrees(table, match, puzzle));
  }

  /** Returns the answer as far as puzzles with the same one are limited. */
  #answerKind(state, action) {
    const call = this.kind === "call" ? parseCall(action) : null;
    if (!call) return action;
    const meaning = replayAuction(state.history).auction.meaning(state.you, action);
    return call.kind === "suit" ? meaning : call.kind;
  }
}

/** Whether a position has only phases that can be restored from the public actions. */
const isPublic = ({ history, phase, shown }) =>
  [...history, { phase }].every(({ phase }) => PUBLIC_PHASES.includes(phase)) &&
  Object.values(shown).every((cards) => cards.length === 0);

/** Collects first calls: contracts that cannot fail, then hands with which the bot is not sure. */
function collectCalls(collection, bot, stake) {
  const { rules } = collection;
  const table = bot.table();
  const collect = (seeds, puzzles, isWanted) => {
    for (let seed = 1; seed <= seeds && !collection.isDone; seed++) {
      const state = table.do({ type: "new", rules, seat: SEAT, seed }).at(-1);
      const isCall = state.turn === SEAT && state.phase === "auction" && state.legal.length > 1;
      if (!isCall || !isWanted(state)) continue;
      const judged = judge(table, stake);
      if (judged) collection.add(state, seed, judged);
      if (collection.found.length === puzzles) return;
    }
  };
  const isSure = (state) => state.legal.some((code) => isSureCall(state, state.hand, code));
  const isOpen = (state) => {
    const answer = askBot(bot, state);
    return answer !== null && isOpenPolicy(answer, MAX_OPEN_CALL_CHANCE) && !isSure(state);
  };
  collect(SURE_SEEDS, SURE_PUZZLES, isSure);
  collect(Number.POSITIVE_INFINITY, PUZZLES, isOpen);
  table.free();
}

/** Whether a tempting action of the bot's policy is worse for a certain reason. */
function isReasoned(state, { action, policy }) {
  const table = withRecord(state);
  const at = state.history.length + 1;
  const isWorse = (did) => reasonFor(table, { at, phase: state.phase, did, best: action }) !== null;
  return Object.keys(policy).some((did) => policy[did] >= MIN_TEMPTING_CHANCE && isWorse(did));
}

/** Collects at most one card of each deal. */
function collectCards(collection, bot, stake) {
  const { rules } = collection;
  const table = bot.table();
  for (let seed = 1; !collection.isDone; seed++) {
    let state = table.do({ type: "new", rules, seat: SEAT, seed }).at(-1);
    // Puzzles are spread over the tricks, and the search is asked at most three times in a deal.
    const firstTrick = seed % TRICKS_WITH_PUZZLES;
    let asked = 0;
    while (state.turn === SEAT && isPublic(state) && asked < MAX_ASKED) {
      const answer = askBot(bot, state);
      if (!answer) break;
      const trick = Math.floor((state.history.length - state.calls) / 4);
      const isCard = state.phase === "play" && state.legal.length > 1 && !state.settled;
      const isOpen = () => isOpenPolicy(answer, MAX_OPEN_CHANCE) || isReasoned(state, answer);
      if (isCard && trick >= firstTrick && isOpen()) {
        asked += 1;
        const judged = judge(table, stake);
        if (judged) {
          collection.add(state, seed, judged);
          break;
        }
      }
      state = table.do({ type: "act", action: answer.action }).at(-1);
    }
  }
  table.free();
}

/** Returns a released bot. */
function released(name) {
  const folder = `../../../checkpoints/${name}/`;
  const info = read(`${folder}bot.toml`).toString();
  return troel.bot(name, info, read(`${folder}model.safetensors`));
}

const path = new URL("src/match/puzzles.json", root);
const wanted = process.argv.slice(2);
const isWanted = (name) => wanted.length === 0 || wanted.includes(name);
const COLLECTORS = { call: collectCalls, card: collectCards };
for (const [rules, name] of Object.entries(BOTS)) {
  const kinds = Object.keys(COLLECTORS).filter((kind) => isWanted(`${rules}/${kind}`));
  if (kinds.length === 0) continue;
  const bot = released(name);
  const otherTables = otherBots(rules).map((other) => released(other).table());
  const stake = cheapestStake(otherTables[0].do({ type: "rules", rules })[0]);
  for (const kind of kinds) {
    const collection = new Collection(kind, rules, otherTables);
    COLLECTORS[kind](collection, bot, stake);
    // Read again, because other kinds may have been collected meanwhile.
    const pack = JSON.parse(readFileSync(path, "utf8"));
    pack[rules] = { ...pack[rules], [kind]: collection.found };
    console.log(rules, kind, collection.found.length);
    writeFileSync(path, `${JSON.stringify(pack, null, 2)}\n`);
  }
  for (const table of otherTables) table.free();
}
await vite.close();
