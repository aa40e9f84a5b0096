// The panel beside the table, or over it in a narrow window: four tabs.

import { useEffect, useState } from "preact/hooks";

import type { Table } from "../messages/messages";
import type { Scene } from "../table/scene";
import { AuctionLog } from "./auction-log";
import { Review } from "./review";
import { RulesText } from "./rules-text";
import { Score } from "./score";

const TABS = ["score", "auction", "rules", "review"] as const;
export type Tab = (typeof TABS)[number];

/** Keeps the current tab: the review at the end of a deal, and another tab in the next deal. */
export function useTab(isOver: boolean, table: Table | null, closePanel: () => void) {
  const [tab, setTab] = useState<Tab>("score");
  useEffect(() => {
    if (isOver) setTab("review");
    else if (table) {
      if (tab === "review") setTab("score");
      closePanel();
    }
  }, [isOver, table === null]);
  return [tab, setTab] as const;
}

interface TabsProps {
  scene: Scene;
  tab: Tab;
  setTab(tab: Tab): void;
  /** Whether the deal is over and its result is shown. */
  isOver: boolean;
}

export function Tabs({ scene, tab, setTab, isOver }: TabsProps) {
  const { game, table, speech } = scene;
  const { words } = speech;
  const tabs: readonly Tab[] = TABS.filter((name) => name !== "review" || game.hasReview);
  const move = (event: KeyboardEvent, from: Tab) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = tabs[(tabs.indexOf(from) + step + tabs.length) % tabs.length];
    setTab(next);
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <>
      <div class="tabs" role="tablist">
        {tabs.map((name) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`tab-${name}`}
            aria-selected={tab === name}
            aria-controls="tab-panel"
            tabIndex={tab === name ? 0 : -1}
            onClick={() => setTab(name)}
            onKeyDown={(event) => move(event, name)}
          >
            {words[name]}
          </button>
        ))}
      </div>
      <div class="panel" id="tab-panel" role="tabpanel" aria-labelledby={`tab-${tab}`} tabIndex={0}>
        {tab === "score" && <Score scene={scene} />}
        {tab === "auction" && <AuctionLog scene={scene} />}
        {tab === "rules" && game.session.rules && (
          <RulesText
            rules={game.session.rules}
            house={game.session.match?.house}
            speech={speech}
            isAtTable
          />
        )}
        {tab === "review" && <Review key={`${table.record?.deal}/${isOver}`} scene={scene} />}
      </div>
    </>
  );
}
