// The lists of the last kept deals, and of the most costly decisions in them.

import { useState } from "preact/hooks";

import type { Speech } from "../language/speech";
import { dealLoss, worstMistakes } from "../match/deal-statistics";
import type { KeptDeal } from "../match/kept-deals";
import type { Seat } from "../messages/messages";
import { PLAYABLE_RULES } from "../net/packed";
import { SuitedText } from "../table/suited-text";

/** Number of deals that the list shows at first, and that each click adds. */
const DEALS_PER_PAGE = 10;

/** Shows a deal again: at its end, or after its first `step` actions. */
export type ShowDeal = (deal: KeptDeal, step?: number) => void;

interface DealListProps {
  /** The deals, the newest first. */
  deals: KeptDeal[];
  speech: Speech;
  /** Missing where the person cannot leave the table to see a deal. */
  show?: ShowDeal;
}

/** Whether the rules of a deal can be played here. */
const isPlayable = ({ rules, kept }: KeptDeal) =>
  kept.house !== undefined || PLAYABLE_RULES.includes(rules);

export function LastDeals({ deals, speech, show }: DealListProps) {
  const { words } = speech;
  const [limit, setLimit] = useState(DEALS_PER_PAGE);
  return (
    <>
      <ol class="decisions">
        {deals.slice(0, limit).map((deal) => (
          <li key={deal.deal}>
            <button
              type="button"
              disabled={!show || !isPlayable(deal)}
              onClick={() => show?.(deal)}
            >
              <b>
                <SuitedText text={titleOf(deal, speech)} />
              </b>
              <span class="note">{detailsOf(deal, speech)}</span>
            </button>
          </li>
        ))}
      </ol>
      {deals.length > limit && (
        <button type="button" onClick={() => setLimit(limit + DEALS_PER_PAGE)}>
          {words.history.more}
        </button>
      )}
    </>
  );
}

/** The most costly decisions. Each leads to the table before it, and does not say what was best. */
export function Mistakes({ deals, speech, show }: DealListProps) {
  const { history, lostPoints } = speech.words;
  const mistakes = worstMistakes(deals.filter(isPlayable));
  if (mistakes.length === 0 || !show) return null;
  return (
    <>
      <h3>{history.mistakes}</h3>
      <ol class="decisions mistakes">
        {mistakes.map(({ deal, decision: { at, points } }) => (
          <li key={`${deal.deal}/${at}`}>
            <button type="button" onClick={() => show(deal, at - 1)}>
              {speech.count(lostPoints, points, speech.number(points, 1))}
              <span class="note">
                <SuitedText text={`${titleOf(deal, speech)} · ${dateOf(deal, speech)}`} />
              </span>
            </button>
          </li>
        ))}
      </ol>
    </>
  );
}

/** Returns the contract with its declarers, and the person's points. */
function titleOf({ kept: { contract, seat, points } }: KeptDeal, speech: Speech): string {
  const { words } = speech;
  if (!contract) return words.everybodyPassed;
  const name = (declarer: string) =>
    declarer === seat ? words.you : words.life.names[declarer as Seat];
  const declarers = [...contract.declarers].map(name).join(" + ");
  return `${speech.contract(contract)} · ${declarers} · ${speech.signed(points)}`;
}

function dateOf(deal: KeptDeal, { words: { locale } }: Speech): string {
  const format = { dateStyle: "medium", timeStyle: "short" } as const;
  // The date of plain English has the month before the day.
  return new Date(deal.kept.date).toLocaleString(locale === "en" ? "en-GB" : locale, format);
}

/** Returns the date, and the points that the person's decisions cost. */
function detailsOf(deal: KeptDeal, speech: Speech): string {
  const { words } = speech;
  const date = dateOf(deal, speech);
  const loss = dealLoss(deal);
  if (loss === null) return date;
  return `${date} · ${speech.count(words.lostPoints, loss, speech.number(loss, 1))}`;
}
