// The message of the page to the person, and the time for which it is shown.

import { useEffect, useRef, useState } from "preact/hooks";

import type { Table } from "../messages/messages";

/** Number of actions for which a lasting message stays. */
const LASTING_ACTIONS = 4;

interface Message {
  text: string;
  /** Deal in which it was shown; `undefined` before the first table. */
  deal?: number;
  /** Number of actions of the deal after which it goes away. */
  until: number;
}

/** Time for which a brief message stays, whatever happens at the table. */
const BRIEF_MS = 6000;

const NO_MESSAGE: Message = { text: "", until: -1 };

/**
 * Returns the message, "" for none, and functions that show one until the next action or for some
 * seconds.
 */
export function useMessage(
  table: Table | null,
): [
  message: string,
  showMessage: (text: string, isLasting?: boolean) => void,
  showBriefly: (text: string) => void,
] {
  const [message, setMessage] = useState(NO_MESSAGE);
  const latest = useRef(table);
  latest.current = table;
  const showMessage = (text: string, isLasting = false) => {
    const actions = latest.current?.history.length ?? 0;
    const until = isLasting ? actions + LASTING_ACTIONS : -1;
    setMessage({ text, deal: latest.current?.deal, until });
  };
  const showBriefly = (text: string) => {
    const shown = { text, deal: latest.current?.deal, until: Number.POSITIVE_INFINITY };
    setMessage(shown);
    setTimeout(() => setMessage((now) => (now === shown ? NO_MESSAGE : now)), BRIEF_MS);
  };
  const progress = table && `${table.deal}/${table.history.length}/${table.turn}`;
  useEffect(() => {
    if (table && message.until >= 0 && message.deal === undefined) {
      // Shown before the table: its actions so far do not count.
      const until = table.history.length + LASTING_ACTIONS;
      setMessage({ ...message, deal: table.deal, until });
      return;
    }
    const isOtherDeal = message.deal !== undefined && message.deal !== table?.deal;
    if (isOtherDeal || (table?.history.length ?? 0) > message.until) setMessage(NO_MESSAGE);
  }, [progress]);
  return [message.text, showMessage, showBriefly];
}
