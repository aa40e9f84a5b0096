// The table: shows what it is told over a link (link-server.js, link-wasm.js), sends what the person does. It never gets a
// card that the person may not see.
"use strict";

const SUITS = { S: "♠", C: "♣", D: "♦", H: "♥" };
const RED = "DH";
const PATHS = {
  H: "M0,10 C-14,-2 -9,-12 -4,-12 C-1,-12 0,-9 0,-8 C0,-9 1,-12 4,-12 C9,-12 14,-2 0,10Z",
  D: "M0,-13 L9,0 L0,13 L-9,0Z",
  S: "M0,-13 C10,-3 12,0 11,4 C9,9 3,8 1,5 L4,12 L-4,12 L-1,5 C-3,8 -9,9 -11,4 C-12,0 -10,-3 0,-13Z",
  C: "M0,-13 a6,6 0 0 1 4,10 a6,6 0 1 1 -3,8 L4,12 L-4,12 L-1,5 a6,6 0 1 1 -3,-8 a6,6 0 0 1 4,-10Z",
};
const RANKS = "23456789TJQKA";
const ORDER = ["S", "H", "C", "D"];
const SEATS = ["N", "E", "S", "W"];
const KINDS = /^(solo-slim|small-slam|small-misere|open-misere|misere|piccolo|solo|abondance|slam|trump)(?:-(.*))?$/;
const $ = (id) => document.getElementById(id);

let words = WORDS.en;
let link = null;
let queue = [];
let table = null;
let showing = false;
let deals = [];
/** Milliseconds between two things that happen. */
const PACE = new URLSearchParams(location.search).has("fast") ? 0 : 550;

function element(tag, properties = {}, ...children) {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children);
  return node;
}

/** Cards are drawn, so that they look the same with any font. */
function card(code, tag = "span") {
  const rank = code[0] === "T" ? "10" : code[0];
  const suit = code[1];
  const colour = RED.includes(suit) ? "#c22432" : "#1c2321";
  const node = element(tag, { className: "card", title: spell(code) });
  node.dataset.card = code;
  node.setAttribute("aria-label", rank + SUITS[suit]);
  if (tag === "span") node.setAttribute("role", "img");
  node.innerHTML = `<svg viewBox="0 0 60 84" aria-hidden="true"><rect x="1" y="1" width="58" height="82" rx="6" fill="#fff" stroke="#b9b4a5"/>
    <g fill="${colour}"><text x="5" y="24" font-size="22" font-weight="700" font-family="sans-serif" letter-spacing="-2">${rank}</text>
    <path d="${PATHS[suit]}" transform="translate(14,38) scale(.75)"/><path d="${PATHS[suit]}" transform="translate(36,58) scale(1.5)"/></g></svg>`;
  return node;
}

/** A suit or strain as a sign. */
const sign = (strain) => strain.replace("NT", words.noTrumps).replace(/[SCDH]$/, (s) => SUITS[s]);

/** A call as people say it. */
function spell(code, phase = "auction") {
  if (words.calls[code] && code !== "solo") return words.calls[code];
  const suited = /^(\d+)([SCDH])$/.exec(code);
  if (suited && (phase === "auction" || suited[1].length > 1)) return `${suited[1]} ${SUITS[suited[2]]}`;
  const kind = KINDS.exec(code);
  if (!kind) return code.replace("T", "10").replace(/[SCDH]$/, (s) => SUITS[s]);
  const rest = kind[2] ? sign(kind[2]).replace(/^(\d+)/, "$1 ") : "";
  const name = kind[1] === "solo" && kind[2].startsWith("5") ? "alone" : kind[1];
  return words.calls[name].replace("{}", rest).trim();
}

function name(seat) {
  return seat === table.you ? words.you : words[seat];
}

function sorted(codes) {
  return [...codes].sort((a, b) => ORDER.indexOf(a[1]) - ORDER.indexOf(b[1]) || RANKS.indexOf(b[0]) - RANKS.indexOf(a[0]));
}

/** Where a seat sits, seen from the person. */
function place(seat) {
  return ["me", "left", "top", "right"][(SEATS.indexOf(seat) - SEATS.indexOf(table.you) + 4) % 4];
}

function contractText() {
  const { kind, level, trump, declarers } = table.contract;
  const label = kind === "suit" ? "" : words.calls[kind].replace("{}", "");
  const strain = trump ? `${words.trumps} ${SUITS[trump]}` : words.noTrumps;
  return `${label} ${level || ""} · ${strain} · ${words.by} ${[...declarers].map(name).join(" + ")}`.trim();
}

function draw() {
  for (const node of document.querySelectorAll("[data-word]")) node.textContent = words[node.dataset.word];
  if (!table) return;
  const mine = table.turn === table.you && !queue.length;
  const lastCall = {};
  for (const { seat, action } of table.history) lastCall[seat] = action;
  for (const seat of SEATS) {
    const box = $(place(seat));
    const won = table.tricks[seat];
    const said = table.phase === "auction" && lastCall[seat] ? spell(lastCall[seat]) : "";
    const badge = table.dealer === seat ? ` · ${words.deals}` : "";
    const open = element("div", { className: "open" }, ...sorted(table.shown[seat]).map((c) => card(c)));
    box.replaceChildren(
      element("span", { className: "name", textContent: name(seat) + badge }),
      element("div", { textContent: table.contract ? `${words.tricks}: ${won}` : "" }),
      element("div", { className: "say", textContent: said }),
      open);
    box.classList.toggle("turn", table.turn === seat);
  }
  drawMiddle();
  drawAsk(mine);
  drawAside();
}

function drawMiddle() {
  const middle = $("middle");
  middle.replaceChildren();
  middle.className = "";
  if (table.trick.length) {
    for (const played of table.trick) {
      const node = card(played.card);
      node.style.gridArea = { me: "m", left: "l", top: "t", right: "r" }[place(played.seat)];
      middle.append(node);
    }
    return;
  }
  middle.className = "say";
  const lines = [];
  if (table.scores) lines.push(table.void ? words.everybodyPassed : words.dealOver);
  if (table.contract) lines.push(contractText());
  if (table.announcer) {
    lines.push(`${name(table.announcer)} ${words.announces.replace("{}", words.calls[table.announces])}`);
  }
  middle.append(...lines.map((text) => element("div", { className: "contract", textContent: text })));
  if (table.turn_up && !table.contract) {
    middle.append(element("div", { textContent: words.turnUp }), card(table.turn_up));
  }
}

function drawAsk(mine) {
  const ask = { discard: words.discard, exchange: words.exchange, trump: words.trump,
    answer: words.answer.replace("{}", table.asked_for ? spell(table.asked_for, "play") : "") }[table.phase];
  $("contract").textContent = table.contract ? contractText() : "";
  $("turn").textContent = table.over ? words.matchOver : table.scores ? words.dealOver
    : mine ? ask || words.yourTurn : table.turn ? words.thinks.replace("{}", name(table.turn)) : "";
  const inHand = new Set(table.hand);
  const cardPhase = table.phase !== "auction" && table.phase !== "trump";
  const calls = mine ? table.legal.filter((code) => !cardPhase || !inHand.has(code)) : [];
  $("calls").replaceChildren(...groups(calls).map(([title, codes]) => {
    if (codes.length === 1) return callButton(codes[0], spell(codes[0], table.phase));
    const signs = codes.map((code) => callButton(code, /NT$/.test(code) ? words.noTrumps : SUITS[code.at(-1)]));
    return element("div", { className: "group" }, element("span", { textContent: title }), ...signs);
  }));
  const playable = mine && (table.phase === "play" || table.phase === "discard");
  $("hand").className = playable ? "" : "idle";
  $("hand").replaceChildren(...sorted(table.hand).map((code) => {
    const button = card(code, "button");
    button.disabled = !(playable && table.legal.includes(code));
    button.dataset.action = code;
    button.onclick = () => act(code);
    return button;
  }));
  const practice = $("practice").checked;
  $("undo").hidden = $("hint").hidden = !practice;
  $("undo").disabled = !table.undo || queue.length > 0;
  $("hint").disabled = !mine;
  $("next").hidden = !table.scores || table.over;
}

/** Calls that differ in their suit only go together: what they are called, and the calls. */
function groups(calls) {
  const found = new Map();
  for (const code of calls) {
    const suited = table.phase === "auction" && /^([a-z-]*?\d*)-?(?:NT|[SCDH])$/.exec(code);
    const stem = suited ? suited[1] : code;
    const title = suited ? spell(code, table.phase).replace(words.noTrumps, "").replace(/[♠♣♦♥]/, "").trim() : "";
    if (!found.has(stem)) found.set(stem, [title, []]);
    found.get(stem)[1].push(code);
  }
  return [...found.values()];
}

function callButton(code, text) {
  const button = element("button", { textContent: text, title: spell(code, table.phase), onclick: () => act(code) });
  button.setAttribute("aria-label", spell(code, table.phase));
  button.classList.toggle("red", /[♦♥]/.test(text));
  button.dataset.action = code;
  return button;
}

function drawAside() {
  const order = SEATS.map((_, i) => SEATS[(SEATS.indexOf(table.you) + i) % 4]);
  const row = (head, values, sign) => element("tr", {}, element("th", { textContent: head }),
    ...order.map((seat) => element("td", { textContent: sign ? signed(values[seat], 0) : values[seat] })));
  const head = element("tr", {}, element("th", { textContent: words.points }),
    ...order.map((seat) => element("th", { scope: "col", textContent: name(seat) })));
  $("points").replaceChildren(head, ...deals.map((scores, i) => row(`${words.deal} ${i + 1}`, scores, true)),
    row(words.total, table.totals));
  $("last").replaceChildren(...(table.last_trick.length ? [element("span", { textContent: words.lastTrick })] : []),
    ...table.last_trick.map((played) => card(played.card)));
  const calls = table.history.slice(0, table.calls);
  $("log").replaceChildren(...calls.map(({ seat, action }) =>
    element("li", { textContent: `${name(seat)}: ${action === "-" ? words.laidAside : spell(action)}` })));
}

function act(code) {
  $("advice").hidden = true;
  send({ type: "act", action: code });
}

function send(command) {
  if (link) link.send(command);
}

function notice(text) {
  $("notice").hidden = !text;
  $("notice").textContent = text;
}

function open() {
  if (link) link.close();
  queue = [], table = null, deals = [];
  $("advice").hidden = true;
  notice("");
  const seed = Number(new URLSearchParams(location.search).get("seed")) || undefined;
  link = connect({
    opened: () => send({ type: "new", rules: $("rules").value, seat: "S", seed }),
    lost: () => notice(`${words.lost} ${words.again}`),
    message: (message) => {
      if (message.type === "table") queue.push(message), show();
      else if (message.type === "hint") advise(message);
      else notice(message.message);
    },
  });
}

/** Shows what happened, one thing after the other. */
function show() {
  if (showing || !queue.length) return;
  table = queue.shift();
  if (table.scores) deals[table.deal] = table.scores;
  else deals.length = table.deal;
  notice("");
  draw();
  if (!queue.length) return;
  showing = true;
  const trickOver = table.phase === "play" && !table.trick.length;
  setTimeout(() => { showing = false; show(); }, trickOver ? 2 * PACE : PACE);
}

/** Points won or lost. */
const signed = (points, digits) => (points > 0 ? "+" : "") + points.toFixed(digits).replace("-", "−");

function advise({ action, policy, value }) {
  $("advice").dataset.action = action;
  const likely = policy.filter(([, p], i) => i === 0 || p >= 0.005).slice(0, 5);
  const list = element("ol", {}, ...likely.map(([code, p]) =>
    element("li", { textContent: `${spell(code, table.phase)} ${(100 * p).toFixed(0)} %` })));
  const points = value === null ? [] : [element("div", { textContent: words.expects.replace("{}", signed(value, 1)) })];
  $("advice").replaceChildren(list, ...points);
  $("advice").hidden = false;
}

function speak(language) {
  words = WORDS[language] || WORDS.en;
  document.documentElement.lang = language;
  remember(language);
  draw();
}

/** The language of the last visit; a browser may forbid to keep anything. */
function remember(language) {
  try {
    if (language) localStorage.setItem("language", language);
    return localStorage.getItem("language");
  } catch {
    return null;
  }
}

$("language").onchange = () => speak($("language").value);
$("new").onclick = open;
$("rules").onchange = open;
$("practice").onchange = draw;
$("undo").onclick = () => { $("advice").hidden = true; send({ type: "undo" }); };
$("hint").onclick = () => send({ type: "hint" });
$("next").onclick = () => send({ type: "next" });
// Arrow keys move among what may be done; Enter and space are the buttons' own.
document.addEventListener("keydown", (event) => {
  if (event.target.tagName === "SELECT" || !["ArrowLeft", "ArrowRight"].includes(event.key)) return;
  const choices = [...document.querySelectorAll("#calls button, #hand button:enabled, #next:not([hidden])")];
  if (!choices.length) return;
  const step = event.key === "ArrowRight" ? 1 : choices.length - 1;
  const at = choices.indexOf(document.activeElement);
  choices[at < 0 ? 0 : (at + step) % choices.length].focus();
  event.preventDefault();
});

const preferred = remember() || (navigator.language || "en").slice(0, 2);
$("language").value = WORDS[preferred] ? preferred : "en";
speak($("language").value);
// A page with its bots in it may not have one for every rule set.
if (typeof playable !== "undefined") {
  for (const option of [...$("rules").options]) if (!playable.includes(option.value)) option.remove();
}
open();
