// The script of the report's page: the list of games, the replay, keyboard control, and links to positions by the
// URL's fragment (#game=3&ply=12).

import { hasKanji } from "../../../web/board/drawing.js";
import { drawGraph, forBlack, scoreText } from "../../../web/board/graph.js";
import { defineFaces } from "../../../web/board/pieces.js";
import { drawBoard } from "../../../web/board/scene.js";
import { parseSfen, play, writeSfen } from "../../../web/board/state.js";

const $$ = (id) => document.getElementById(id);
const root = document.documentElement;
const shown = { game: null, ply: 0, flipped: 0, western: !hasKanji(), timer: 0 };
let page = { variants: {}, faces: {}, cards: [], games: [] };

async function unpack(text) {
  const bytes = Uint8Array.from(atob(text.trim()), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

// Return a game for the replay, with the position after each move. `raw` is one of the records of report/replays.py.
function prepare(raw) {
  const book = (raw.book || "").split(" ").filter(Boolean), moves = (raw.moves || "").split(" ").filter(Boolean);
  const size = page.variants[raw.v] || [9, 9, ""];
  const states = [parseSfen(raw.start, raw.v, size)];
  for (const move of [...book, ...moves]) states.push(play(states[states.length - 1], move));
  return {
    raw, states, book: book.length, all: [...book, ...moves],
    number: +(raw.start.split(/\s+/)[3] || 1),
    said: (index) => (index < book.length ? null : forBlack((raw.scores || [])[index - book.length], (states[0].turn + index) % 2)),
    ms: (index) => (index < book.length ? undefined : (raw.ms || [])[index - book.length]),
    note: (index) => (raw.notes || [])[index] || ["", ""],
    die: (index) => (index < book.length ? 0 : +(raw.dice || "")[index - book.length] || 0),
  };
}

const result = (raw) => (raw.winner === 0 ? "1–0" : raw.winner === 1 ? "0–1" : "½–½");
const ending = (raw) => raw.reason.replaceAll("_", " ");

function moveText(game, index) {
  const die = game.die(index);
  return `${index + 1}. ${die ? `[${die}] ` : ""}${game.all[index]}${game.note(index)[0]}`;
}

// A game may start from a later position than the variant's start.
function startText(game) {
  return game.number > 1 ? `Start, ${game.number - 1} plies into the game` : "Start";
}

function show(ply) {
  const game = shown.game;
  shown.ply = Math.max(0, Math.min(ply, game.all.length));
  const state = game.states[shown.ply], last = shown.ply - 1, over = shown.ply === game.all.length;
  const view = {
    flipped: shown.flipped, pieceSet: shown.western ? "western" : "one", cards: page.cards, names: [game.raw.black, game.raw.white],
    die: over ? 0 : game.die(shown.ply), dice: Boolean(game.raw.dice), over,
  };
  $$("board").replaceChildren(drawBoard(state, view));
  $$("graph").replaceChildren(drawGraph(game, shown.ply, show, $$("graph").clientWidth || 320, "Scores over the game, as Black sees them"));
  const parts = [shown.ply ? moveText(game, last) : startText(game), scoreText(shown.ply ? game.said(last) : null)];
  if (shown.ply && game.ms(last) !== undefined) parts.push(`${game.ms(last)} ms`);
  if (shown.ply) parts.push(game.note(last)[1]);
  if (shown.ply && shown.ply <= game.book) parts.push("opening");
  if (over) parts.push(`${result(game.raw)}, ${game.raw.fault || ending(game.raw)}`);
  $$("status").textContent = parts.filter(Boolean).join(" · ");
  $$("slider").value = shown.ply;
  $$("slider").setAttribute("aria-valuetext", $$("status").textContent);
  $$("sfen").value = writeSfen(state, game.number + shown.ply);
  for (const step of $$("moves").querySelectorAll("[aria-current]")) step.removeAttribute("aria-current");
  const list = $$("moves"), step = list.children[shown.ply];
  step.firstChild.setAttribute("aria-current", "step");
  if (step.offsetTop < list.scrollTop || step.offsetTop + step.offsetHeight > list.scrollTop + list.clientHeight)
    list.scrollTop = step.offsetTop - list.clientHeight / 2;
  if (over) stop();
  history.replaceState(null, "", `#game=${game.raw.n + 1}&ply=${shown.ply}`);
}

function button(text, act, kind) {
  const made = document.createElement("button");
  made.type = "button";
  made.append(...text);
  if (kind) made.className = kind;
  made.addEventListener("click", act);
  const item = document.createElement("li");
  item.append(made);
  return item;
}

function open(raw, ply) {
  stop();
  const game = (shown.game = prepare(raw));
  $$("game-title").textContent = `Game ${raw.n + 1}: ${raw.black} – ${raw.white} ${result(raw)}`;
  $$("slider").max = game.all.length;
  $$("moves").replaceChildren(button([startText(game)], () => show(0), "book"), ...game.all.map((_, index) =>
    button([`${moveText(game, index)} `, scoreText(game.said(index))], () => show(index + 1), index < game.book ? "book" : "")));
  for (const item of $$("games").children) {
    if (item.raw === raw) {
      item.firstChild.setAttribute("aria-current", "true");
      const list = $$("games");
      if (item.offsetTop < list.scrollTop || item.offsetTop > list.scrollTop + list.clientHeight - 40) list.scrollTop = item.offsetTop - 60;
    } else item.firstChild.removeAttribute("aria-current");
  }
  show(ply);
}

function fillList() {
  const many = Object.keys(page.variants).length > 1;
  $$("games").replaceChildren(...page.games.map((raw) => {
    const small = document.createElement("small");
    const plies = ((raw.book || "") + " " + (raw.moves || "")).split(" ").filter(Boolean).length;
    small.textContent = [many ? raw.v : "", raw.fault ? "fault: " + ending(raw) : ending(raw), `${plies} plies`].filter(Boolean).join(" · ");
    const item = button([`${raw.n + 1}. ${raw.black} – ${raw.white} ${result(raw)}`, small], () => open(raw, 0));
    item.raw = raw;
    item.words = typed(item.textContent + (raw.fault || ""));
    return item;
  }));
}

// Return text for the search: in lower case, with results as people type them (0-1, 1/2-1/2).
const typed = (text) => text.toLowerCase().replace(/[–−]/g, "-").replaceAll("½", "1/2");

function find() {
  const words = typed($$("find").value).split(/\s+/).filter(Boolean);
  let count = 0;
  for (const item of $$("games").children) {
    item.hidden = !words.every((word) => item.words.includes(word));
    count += !item.hidden;
  }
  $$("found").textContent = `${count} games`;
}

function stop() {
  clearInterval(shown.timer);
  shown.timer = 0;
  $$("play").setAttribute("aria-pressed", "false");
}

function togglePlayback() {
  if (shown.timer) return stop();
  if (shown.ply === shown.game.all.length) show(0);
  shown.timer = setInterval(() => show(shown.ply + 1), 700);
  $$("play").setAttribute("aria-pressed", "true");
}

function toggle(name, id) {
  shown[name] = shown[name] ? 0 : 1;
  $$(id).setAttribute("aria-pressed", String(Boolean(shown[name])));
  show(shown.ply);
}

function openFromUrl() {
  const asked = new URLSearchParams(location.hash.slice(1));
  if (!asked.has("game")) return false;
  const raw = page.games.find((game) => game.n + 1 === +asked.get("game"));
  if (!raw) return false;
  open(raw, +asked.get("ply") || 0);
  $$("replay").scrollIntoView();
  return true;
}

const KEYS = {
  ArrowLeft: () => show(shown.ply - 1), ArrowRight: () => show(shown.ply + 1), Home: () => show(0),
  End: () => show(shown.game.all.length), f: () => toggle("flipped", "flip"), p: () => toggle("western", "faces"), " ": togglePlayback,
};
const BUTTONS = {
  "to-start": KEYS.Home, back: KEYS.ArrowLeft, play: togglePlayback, forward: KEYS.ArrowRight, "to-end": KEYS.End, flip: KEYS.f, faces: KEYS.p,
};

function start() {
  for (const [id, act] of Object.entries(BUTTONS)) $$(id).addEventListener("click", act);
  $$("faces").setAttribute("aria-pressed", String(Boolean(shown.western)));
  $$("slider").addEventListener("input", () => show(+$$("slider").value));
  $$("find").addEventListener("input", find);
  document.addEventListener("keydown", (event) => {
    // Inputs and scrolling elements handle their own keys; space presses focused buttons and links.
    const pressed = event.target.closest("button, summary, a");
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, .scroll, pre")) return;
    if (!KEYS[event.key] || (event.key === " " && pressed) || !isBoardVisible()) return;
    event.preventDefault();
    KEYS[event.key]();
  });
  window.addEventListener("hashchange", openFromUrl);
  document.querySelector(".replay").hidden = false;
  fillList();
  if (!openFromUrl()) open(page.games[0], 0);
  root.dataset.ready = "true";
}

// Return whether the board is visible. Otherwise, keys do not control the replay but scroll the page.
function isBoardVisible() {
  const box = $$("board").getBoundingClientRect();
  return box.bottom > 0 && box.top < innerHeight;
}

// Show an Elo plot's values for the point nearest to the pointer while it is over the plot.
function watchPlot(plot) {
  const points = JSON.parse(plot.dataset.points);
  const line = plot.querySelector(".cursor"), dot = plot.querySelector(".cursor-dot"), text = plot.querySelector(".readout");
  plot.addEventListener("pointermove", (event) => {
    const box = plot.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * plot.viewBox.baseVal.width;
    const [game, elo, low, high, at, y] = points.reduce((best, point) => (Math.abs(point[4] - x) < Math.abs(best[4] - x) ? point : best));
    line.setAttribute("x1", at);
    line.setAttribute("x2", at);
    dot.setAttribute("cx", at);
    dot.setAttribute("cy", y);
    text.textContent = `after ${game}: ${elo} [${low}, ${high}]`;
  });
  plot.addEventListener("pointerleave", () => {
    for (const [part, names] of [[line, ["x1", "x2"]], [dot, ["cx"]]]) names.forEach((name) => part.setAttribute(name, -9));
    text.textContent = "";
  });
}

document.querySelectorAll(".plot").forEach(watchPlot);
$$("theme").addEventListener("click", () => {
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
});
(async () => {
  try {
    page = await unpack($$("data").textContent);
    for (const name in page.faces) defineFaces(name, page.faces[name]);
    if (page.games.length) start();
    else root.dataset.ready = "true";
  } catch (error) {
    $$("replay-trouble").textContent = `The games cannot be shown here: ${error.message}`;
    $$("replay-trouble").hidden = false;
    console.error(error);
  }
})();
