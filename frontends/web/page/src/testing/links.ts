// Links to tables for unit tests, which mock `net/link` with this module.

import type { Command } from "../messages/messages";
import type { Link, LinkCallbacks } from "../net/link";

/** A link that was opened, with the callbacks that stand for its table. */
export interface FakeLink extends LinkCallbacks {
  isLocal: boolean;
  sent: Command[];
  isClosed: boolean;
}

/** The links that were opened, the latest last. */
export const links: FakeLink[] = [];

export function openLink(callbacks: LinkCallbacks, isLocal: boolean): Link {
  const link: FakeLink = { ...callbacks, isLocal, sent: [], isClosed: false };
  links.push(link);
  return {
    send: (command) => void link.sent.push(command),
    close: () => {
      link.isClosed = true;
    },
  };
}
