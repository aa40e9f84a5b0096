// A question for the rules, without a match.

import type { Rules } from "../messages/messages";
import { type Link, openLink } from "./link";
import { isStandalone } from "./packed";

/**
 * Asks for a rule set: the server, or the library in this page if the server is away. `answered` is
 * called once, with `null` if neither knows the rules. Returns a function that gives up.
 */
export function askRules(rules: string, answered: (rules: Rules | null) => void): () => void {
  let link: Link;
  const ask = (isLocal: boolean) => {
    const finish = (answer: Rules | null) => {
      link.close();
      if (answer || isLocal) answered(answer);
      else ask(true);
    };
    link = openLink(
      {
        opened: () => link.send({ type: "rules", rules }),
        message: (message) => finish(message.type === "rules" ? message : null),
        lost: () => finish(null),
      },
      isLocal,
    );
  };
  ask(isStandalone);
  return () => link.close();
}
