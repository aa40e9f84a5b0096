// Tables that a server could send, made up, and the real page that shows them.
"use strict";

const { watch } = require("./page-support.cjs");

const seats = (value) => ({ N: value, E: value, S: value, W: value });
const codes = (text) => text.split(" ");
const call = (seat, action) => ({ seat, action, phase: "auction" });
/** A table in the middle of a deal, the person to act. */
const BASE = {
  type: "table", rules: "luxembourg", target: 0, seed: 1, deal: 0, you: "S", bots: seats("luxembourg-match-v1"), dealer: "W", turn: "S", phase: "play",
  hand: codes("AS KS 9S AH TH 4H KD QD 3D AC TC 9C 2C"), shown: seats([]), cards: seats(13), legal: [], calls: 0, history: [],
  turn_up: null, announcer: null, announces: null, asked_for: null, contract: null, trick: [], last_trick: [], tricks: seats(0), scores: null,
  totals: { N: -128, E: 116, S: 24, W: -12 }, void: false, over: false, undo: true, mine: [], certain: false, record: null,
};

/** A page that shows this table, and others with `page.show`; the rules are those of the server. */
async function open(browser, url, language, table, answers = {}, settings = {}) {
  const context = await browser.newContext({ viewport: { width: 1366, height: 768 }, serviceWorkers: "block", reducedMotion: "reduce" });
  await context.addInitScript((text) => localStorage.setItem("troel-settings", text), JSON.stringify(settings));
  const page = await context.newPage();
  page.errors = watch(page, url);
  await page.routeWebSocket(/v1\/table/, (socket) => {
    const server = socket.connectToServer();
    page.show = (next) => socket.send(JSON.stringify(next));
    socket.onMessage((text) => {
      const command = JSON.parse(text);
      if (command.type === "rules") server.send(text);
      else if (["new", "restore"].includes(command.type)) page.show(table);
      else if (answers[command.type]) page.show(answers[command.type](command));
    });
  });
  await page.goto(`${url}?lang=${language}&rules=${table.rules}`);
  await page.waitForSelector(".felt .plate");
  return page;
}

module.exports = { BASE, call, codes, open, seats };
