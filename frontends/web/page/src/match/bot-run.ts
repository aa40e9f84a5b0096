// A second table at which the bot plays the person's cards, for comparison.

import type { Command, Contract, Message, Results, Table } from "../messages/messages";
import { BUSY_RETRY_DELAY_MS } from "../net/connection";
import { type Link, openLink } from "../net/link";
import { openingCommand } from "./activity";
import type { Match } from "./match";

/** Result of the bot with the person's cards. */
export interface BotResult {
  points: number;
  /** `null` for a void deal. */
  contract: Contract | null;
  /** Points, and their frequency in a thousand plays of the deal by bots that vary their actions. */
  results: Results["points"];
}

/** Returns the command for the person's turn; a hint asks the bot first. */
function nextCommand({ legal, settled, certain }: Table): Command {
  if (settled || certain) return { type: "claim" };
  return legal.length === 1 ? { type: "act", action: legal[0] } : { type: "hint" };
}

/**
 * Plays the first deal of a match, with the bot's choices for the person. Calls `done` with the
 * result, `null` if the table fails. Returns a function that stops.
 */
export function startBotRun(
  match: Match,
  isLocal: boolean,
  done: (result: BotResult | null) => void,
): () => void {
  let retry: ReturnType<typeof setTimeout> | undefined;
  const stop = () => {
    clearTimeout(retry);
    link.close();
  };
  const end = (result: BotResult | null) => {
    stop();
    done(result);
  };
  let played: Omit<BotResult, "results"> | null = null;
  const endWith = (results: Results["points"]) => end(played && { ...played, results });
  let last: Command;
  const send = (command: Command) => {
    last = command;
    link.send(command);
  };
  const answer = (message: Message) => {
    if (message.type === "hint") send({ type: "act", action: message.bot });
    else if (message.type === "refused" && message.busy)
      retry = setTimeout(() => link.send(last), BUSY_RETRY_DELAY_MS);
    else if (message.type === "refused") endWith([]);
    else if (message.type === "results") endWith(message.points);
    else if (message.type !== "table") return;
    else if (message.scores) {
      played = { points: message.scores[message.you], contract: message.contract };
      send({ type: "results" });
    } else if (message.turn === message.you) send(nextCommand(message));
  };
  const link: Link = openLink(
    {
      opened: () => send(openingCommand({ ...match, bots: {}, deals: [] })),
      message: answer,
      lost: () => end(null),
    },
    isLocal,
  );
  return stop;
}
