// The panel beside the table, or over it in a narrow window: four tabs.

import { useEffect, useState } from "preact/hooks";

import type { Scene } from "./felt";
import type { Table } from "./messages";
import { AuctionLog, Review, RulesTable, Score } from "./panels";

const TABS = ["score", "auction", "rules", "review"] as const;
type Tab = (typeof TABS)[number];

/** Keeps the current tab. The review comes up when a deal is over, and goes with the next deal. */
export function useTab(over: boolean, table: Table | null, closePanel: () => void) {
  const [tab, setTab] = useState<Tab>("score");
  useEffect(() => {
    if (over) setTab("review");
    else if (table) {
      if (tab === "review") setTab("score");
      closePanel();
    }
  }, [over]);
  return [tab, setTab] as const;
}

interface Props {
  scene: Scene;
  tab: Tab;
  setTab(tab: Tab): void;
  /** Whether the deal is over and its result is shown. */
  over: boolean;
}

export function Tabs({ scene, tab, setTab, over }: Props) {
  const { table, speech: { words } } = scene;
  const move = (event: KeyboardEvent, from: Tab) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = TABS[(TABS.indexOf(from) + step + TABS.length) % TABS.length];
    setTab(next);
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <>
      <div class="tabs" role="tablist">
        {TABS.map((name) => (
          <button key={name} type="button" role="tab" id={`tab-${name}`} aria-selected={tab === name}
            aria-controls="tab-panel" tabIndex={tab === name ? 0 : -1} onClick={() => setTab(name)}
            onKeyDown={(event) => move(event, name)}>{words[name]}</button>
        ))}
      </div>
      <div class="panel" id="tab-panel" role="tabpanel" aria-labelledby={`tab-${tab}`} tabIndex={0}>
        {tab === "score" && <Score scene={scene} />}
        {tab === "auction" && <AuctionLog scene={scene} />}
        {tab === "rules" && <RulesTable scene={scene} />}
        {tab === "review" && <Review key={`${table.record?.deal}/${over}`} scene={scene} />}
      </div>
    </>
  );
}
