// The list of the last kept deals.

import { useState } from "preact/hooks";

import type { Speech } from "../language/speech";
import { dealLoss } from "../match/deal-statistics";
import type { KeptDeal } from "../match/kept-deals";
import { PLAYABLE_RULES } from "../net/packed";
import { SuitedText } from "../table/suited-text";

/** Number of deals that the list shows at first, and that each click adds. */
const DEALS_PER_PAGE = 10;

interface LastDealsProps {
  /** The deals, the newest first. */
  deals: KeptDeal[];
  speech: Speech;
  /** Shows a deal again; missing where the person cannot leave the table for it. */
  show?(deal: KeptDeal): void;
}

export function LastDeals({ deals, speech, show }: LastDealsProps) {
  const { words } = speech;
  const [limit, setLimit] = useState(DEALS_PER_PAGE);
  const canShow = ({ rules, kept }: KeptDeal) =>
    show !== undefined && (kept.house !== undefined || PLAYABLE_RULES.includes(rules));
  return (
    <>
      <ol class="decisions">
        {deals.slice(0, limit).map((deal) => (
          <li key={deal.deal}>
            <button type="button" disabled={!canShow(deal)} onClick={() => show?.(deal)}>
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

/** Returns the contract with its declarers, and the person's points. */
function titleOf({ kept: { contract, seat, points } }: KeptDeal, speech: Speech): string {
  const { words } = speech;
  if (!contract) return words.everybodyPassed;
  const name = (declarer: string) =>
    declarer === seat ? words.you : words.seats[declarer as keyof typeof words.seats];
  const declarers = [...contract.declarers].map(name).join(" + ");
  return `${speech.contract(contract)} · ${declarers} · ${speech.signed(points)}`;
}

/** Returns the date, and the points that the person's decisions cost. */
function detailsOf(deal: KeptDeal, speech: Speech): string {
  const { words } = speech;
  const format = { dateStyle: "medium", timeStyle: "short" } as const;
  // The date of plain English has the day before the month, as the texts have.
  const locale = words.locale === "en" ? "en-GB" : words.locale;
  const date = new Date(deal.kept.date).toLocaleString(locale, format);
  const loss = dealLoss(deal);
  if (loss === null) return date;
  return `${date} · ${speech.count(words.lostPoints, loss, speech.number(loss, 1))}`;
}
