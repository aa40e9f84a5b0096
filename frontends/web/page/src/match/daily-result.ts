// The result of a daily deal: the person's decisions, and the points of the bot.

import type { Decision, Table } from "../messages/messages";
import { startBotRun } from "./bot-run";
import { dailyPlay, noteBotResult, noteDailyDecisions } from "./daily";
import type { Match } from "./match";

/** Completes the result of the daily deal on the table. */
export class DailyResult {
  /** Whether the bot is playing the person's cards. */
  isBotPlaying = false;
  #stopBot = () => {};

  constructor(private redraw: () => void) {}

  /** Notes the judged decisions, and lets the bot play the deal if it has not yet. */
  complete(match: Match, table: Table, decisions: Decision[], stake: number, isLocal: boolean) {
    // The decisions of a void deal are not judged.
    if (!table.void) noteDailyDecisions(match, table, decisions, stake);
    if (dailyPlay(match.side!.name, match.rules)?.bot !== undefined) return;
    this.stop();
    this.isBotPlaying = true;
    this.#stopBot = startBotRun(match, isLocal, (result) => {
      this.isBotPlaying = false;
      if (result) noteBotResult(match, result);
      this.redraw();
    });
  }

  /** Stops the bot: the deal was left. */
  stop() {
    this.#stopBot();
    this.isBotPlaying = false;
  }
}
