// The daily deal: its rule before the first call, and the result with a line to share.

import { useState } from "preact/hooks";

import { othersName } from "../language/sayings";
import type { Speech } from "../language/speech";
import { fill } from "../language/words";
import { compareResults } from "../match/bot-results";
import { dailyPlay, daysInRow, MAX_STARS } from "../match/daily";
import type { DailyPlay } from "../match/storage";
import type { Seat, Table } from "../messages/messages";
import { ruleSetName } from "../net/rulesets";
import { copyText, dailyUrl } from "../net/urls";
import { ReviewButton } from "../table/result";
import { resultLines } from "../table/result-text";
import type { Scene } from "../table/scene";
import { SuitedText } from "../table/suited-text";
import { BotResults } from "./bot-results";

/** Returns stars, the lost ones as outlines. */
export const starsText = (stars: number): string =>
  "★".repeat(stars) + "☆".repeat(MAX_STARS - stars);

/** Returns the number of costly decisions in words. */
const costlyText = (costly: number, speech: Speech): string => {
  const { today } = speech.words;
  return costly ? speech.count(today.costly, costly) : today.noCostly;
};

/** Returns a result in one line that gives no card away. */
export function shareLine(play: DailyPlay, date: string, rules: string, speech: Speech): string {
  const { points, costly, stars } = play;
  const decisions =
    stars === undefined ? "" : `, ${costlyText(costly!, speech)} ${starsText(stars)}`;
  const result = speech.signed(points!) + decisions;
  return ["Troel", speech.date(date), ruleSetName(rules), result].join(" · ");
}

/** Returns the stars with the worst grade of the decisions. */
function starsLine({ stars, costly }: DailyPlay, speech: Speech): string {
  const { today } = speech.words;
  const text = costlyText(costly!, speech);
  if (stars === MAX_STARS) return `${starsText(stars)} ${text}`;
  return `${starsText(stars!)} ${fill(stars === 1 ? today.mistake : today.noMistake, text)}`;
}

/** Returns the lines about the result that counts. `points` are those on the table. */
function countedLines(play: DailyPlay, points: number, speech: Speech): string[] {
  const { today } = speech.words;
  const row = daysInRow();
  return [
    play.points === points ? "" : fill(today.result, speech.signed(play.points!)),
    play.stars === undefined ? "" : starsLine(play, speech),
    row > 1 ? speech.count(today.row, row) : "",
  ].filter(Boolean);
}

/** Returns the contract and the points of the bot with the person's cards. */
export function botText({ bot, botContract }: DailyPlay, table: Table, speech: Speech): string {
  const { today } = speech.words;
  const points = speech.signed(bot!);
  // Plays that older versions stored have no contract.
  if (botContract === undefined) return fill(today.bot, points);
  if (botContract === null) return fill(today.bot, fill(today.botPassed, { points }));
  const declarers = [...botContract.declarers] as Seat[];
  const partners = declarers.filter((seat) => seat !== table.you);
  const isDeclarer = partners.length < declarers.length;
  const form = isDeclarer ? (partners.length > 0 ? "botWith" : "botAlone") : "botAgainst";
  const result = fill(today[form], {
    contract: speech.contract(botContract),
    partner: speech.list(partners.map((seat) => othersName(table, seat, speech))),
    points,
  });
  return fill(today.bot, result);
}

/** Whether most bots scored more, though no decision of the person was costly. */
function isUnlucky({ stars, points, botResults = [] }: DailyPlay): boolean {
  const { plays, more } = compareResults(botResults, points!);
  return stars === MAX_STARS && more > plays / 2;
}

/** The rule of the daily deal, until the person has called or played. */
export function DailyRule({ scene: { table, speech }, date }: { scene: Scene; date: string }) {
  const { words } = speech;
  if (table.mine.length > 0) return null;
  return (
    <section class="coach" aria-label={words.door.daily}>
      <b>{fill(words.dailyIs, speech.date(date))}</b>
      <p>{words.today.counts}</p>
    </section>
  );
}

/** The button that copies the line and the address of the daily deal. */
function ShareButton({ line, url, speech }: { line: string; url: string; speech: Speech }) {
  const [status, setStatus] = useState("");
  const text = `${line}\n${url}`;
  const share = async () => {
    setStatus((await copyText(text)) ? speech.words.today.copied : text);
  };
  return (
    <>
      <button type="button" id="share" class="large" onClick={share}>
        {speech.words.today.share}
      </button>
      <p role="status" class="told">
        {status}
      </p>
    </>
  );
}

interface DailyEndProps {
  scene: Scene;
  date: string;
  openReview(): void;
  /** Opens the start screen. */
  goHome(): void;
}

/** The result of the daily deal, that of the bot with the same cards, and the way to share it. */
export function DailyEnd({ scene, date, openReview, goHome }: DailyEndProps) {
  const { game, table, speech } = scene;
  const { words } = speech;
  const { today } = words;
  const play = dailyPlay(date, table.rules);
  const isCounted = play?.points !== undefined;
  const lines = [
    ...resultLines(scene),
    ...(isCounted ? countedLines(play, table.scores![table.you], speech) : []),
  ];
  return (
    <>
      {lines.map((line, i) => (
        <p key={line} class={i === 0 ? "result" : ""}>
          <SuitedText text={line} />
        </p>
      ))}
      {play?.bot !== undefined && (
        <p id="bot">
          <SuitedText text={botText(play, table, speech)} />
        </p>
      )}
      {game.dailyResult.isBotPlaying && <p>{today.botPlays}</p>}
      <div class="row">
        {isCounted && (
          <ShareButton
            line={shareLine(play, date, table.rules, speech)}
            url={dailyUrl(date, table.rules)}
            speech={speech}
          />
        )}
        <button type="button" id="next" class="large" onClick={goHome}>
          {words.door.home}
        </button>
        <ReviewButton scene={scene} openReview={openReview} />
      </div>
      {isCounted && play.botResults && play.botResults.length > 1 && (
        <BotResults results={play.botResults} own={play.points!} speech={speech} />
      )}
      {isCounted && play.stars !== undefined && (
        <p class="note">
          {today.starsAre} {isUnlucky(play) && today.luck}
        </p>
      )}
    </>
  );
}
