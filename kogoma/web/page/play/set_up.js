// The dialog for a new game: variant, players, clocks, start position.

import { sideIcon } from "../../board/drawing.js";
import { entryOf } from "../../client/loader.js";
import { choice, h, numberField, openDialog } from "../elements.js";
import { gameName, sideName, t } from "../translate.js";
import { openView } from "../views.js";
import { sample } from "./random.js";

/** @typedef {Terms & {variant: string, typed: string}} GameChoices the choices in the dialog; `typed` is the entered SFEN */

const SECOND = 1000, MINUTE = 60 * SECOND;
const MEASURED = "minishogi"; // the game in which the Elo of the levels was measured
const PERSON = "person", ENGINE = "engine:"; // values of a player's select element; ENGINE precedes the engine's name

/** Begin a game. Throws an Error, and changes nothing, if the start position is invalid.
 * @param {App} app  @param {GameChoices} asked */
export async function begin(app, { variant, typed, ...terms }) {
  const start = startOf(entryOf(app.index, variant), terms.startKind, typed, app.index.cards.length);
  const fresh = { ...terms, live: [], thrown: 0, spent: 0 };
  await app.open({ variant, start, next: [] }, { match: fresh });
  orientBoard(app);
}

/** Begin a game and show it.
 * @param {App} app  @param {GameChoices} asked */
export async function beginShown(app, asked) {
  await begin(app, asked);
  openView("play");
  focusBoard();
}

/** Show the board from White's side if only White is a person, else from Black's side.
 * @param {App} app */
export function orientBoard(app) {
  const { people } = app.match;
  app.view.flipped = people.length === 1 ? people[0] : 0;
  app.changed("view");
}

/** Give the board the keyboard focus. */
export function focusBoard() {
  const item = /** @type {SVGElement | null} */ (document.querySelector("#board [tabindex='0']"));
  item?.focus({ preventScroll: true });
}

/** Show the dialog and begin the game.
 * @param {App} app  @param {GameChoices} last the choices shown first
 * @param {(asked: GameChoices) => void} chosen called with the new choices when the game has begun */
export function askGame(app, last, chosen) {
  const { index } = app;
  const game = choice(t("which-game"), index.games.map(({ name }) => [name, gameName(name)]), last.variant, refresh, { id: "ask-game" });
  const start = choice(t("begin-from"), [], "", refresh, { id: "ask-start" });
  const typed = h("input", { type: "text", id: "ask-sfen", "aria-label": "SFEN", spellcheck: "false", autocomplete: "off" });
  typed.value = last.typed;
  const players = [0, 1].map((side) => playerRows(app, side, last.seats[side], refresh));
  const kind = last.control === null ? "none" : last.control.main || last.control.increment ? "clock" : "move";
  const time = choice(t("time"), ["none", "move", "clock"].map((name) => [name, t(`time-${name}`)]), kind, refresh, { id: "ask-time" });
  const control = last.control ?? { main: 5 * MINUTE, byoyomi: 10 * SECOND, increment: 0 };
  const think = numberField("ask-think-seconds", t("think-seconds"), last.think / SECOND, { min: 0.1, max: 3600, step: 0.1 });
  const move = numberField("ask-move-seconds", t("move-seconds"), control.byoyomi / SECOND || 10, { min: 0.1, max: 3600, step: 0.1 });
  const main = numberField("ask-main-minutes", t("main-minutes"), control.main / MINUTE || 5, { min: 0, max: 600, step: 0.1 });
  const byoyomi = numberField("ask-byoyomi-seconds", t("byoyomi-seconds"), control.byoyomi / SECOND, { min: 0, max: 3600, step: 0.1 });
  const increment = numberField("ask-increment-seconds", t("increment-seconds"), control.increment / SECOND, { min: 0, max: 3600, step: 0.1 });
  const dice = choice(t("dice"), [["rolled", t("dice-rolled")], ["typed", t("dice-typed")]], last.typedDice ? "typed" : "rolled", undefined, { id: "ask-dice" });
  const trouble = h("p", { class: "trouble", role: "alert" });
  const note = h("p", { class: "told" }, t("level-note"));
  const form = h("form", { onsubmit: submit, class: "ask" },
    game.row, start.row, typed, ...players.flatMap(({ rows }) => rows), note,
    time.row, think.row, move.row, main.row, byoyomi.row, increment.row, dice.row, trouble,
    h("div", { class: "buttons" }, h("button", { type: "submit", class: "main" }, t("start"))));
  const dialog = openDialog(t("new-game"), t("close"), form);
  fillStarts();
  refresh();
  game.select.focus();

  function fillStarts() {
    const entry = entryOf(index, game.select.value), kinds = startKinds(entry);
    const before = start.select.value || last.startKind;
    start.select.replaceChildren(...kinds.map((name) => h("option", { value: name }, t(`start-${name}`))));
    start.select.value = kinds.includes(/** @type {StartKind} */ (before)) ? before : kinds[0];
    dice.row.hidden = entry.die === "none";
  }

  /** Show the inputs that apply to the current choices. */
  function refresh() {
    if (document.activeElement === game.select) fillStarts();
    typed.hidden = start.select.value !== "typed";
    const kindNow = time.select.value, engines = players.some(({ isEngine }) => isEngine());
    think.row.hidden = kindNow !== "none" || !engines;
    move.row.hidden = kindNow !== "move";
    for (const { row } of [main, byoyomi, increment]) row.hidden = kindNow !== "clock";
    const hasElo = game.select.value === MEASURED, entry = entryOf(index, game.select.value);
    for (const { show } of players) show(entry, hasElo);
    note.hidden = !hasElo || !players.some(({ isHere }) => isHere());
    // hidden inputs must not block submission
    for (const { row, input } of [think, move, main, byoyomi, increment]) input.disabled = row.hidden;
  }

  /** @param {Event} event */
  async function submit(event) {
    event.preventDefault();
    const kindNow = time.select.value;
    /** @type {Terms["control"]} */
    let clocks = null;
    if (kindNow === "move") clocks = { main: 0, byoyomi: ms(move), increment: 0 };
    if (kindNow === "clock") clocks = { main: ms(main, MINUTE), byoyomi: ms(byoyomi), increment: ms(increment) };
    if (clocks && !clocks.main && !clocks.byoyomi && !clocks.increment) clocks = { main: 5 * MINUTE, byoyomi: 0, increment: 0 };
    const asked = {
      variant: game.select.value, typed: typed.value, startKind: /** @type {StartKind} */ (start.select.value),
      seats: /** @type {[Seat, Seat]} */ (players.map(({ seat }) => seat())), control: clocks, think: ms(think),
      typedDice: dice.select.value === "typed",
    };
    try {
      await begin(app, asked);
      chosen(asked);
      dialog.close();
      openView("play");
      focusBoard();
    } catch (error) {
      trouble.textContent = /** @type {Error} */ (error).message;
    }
  }

  /** @param {{input: HTMLInputElement}} field  @param {number} [unit] */
  function ms({ input }, unit = SECOND) {
    return Math.round((input.valueAsNumber || 0) * unit);
  }
}

/** The inputs for a player and, for the page's own engine, its level; `before` is the seat that is selected first.
 * @param {App} app  @param {number} side  @param {Seat} before  @param {() => void} changed */
function playerRows({ index }, side, before, changed) {
  /** @type {[string, string][]} */
  const choices = [[PERSON, t("person")], [ENGINE, t("engine-here")]];
  for (const name of index.server?.engines ?? []) choices.push([ENGINE + name, name]);
  const value = before.kind === "person" ? PERSON : ENGINE + before.engine;
  const player = choice(h("span", {}, sideIcon(side), ` ${sideName(side)}`), choices, value, changed, { id: `ask-player-${side}` });
  const known = before.kind === "engine" && before.level !== null ? `${before.level}` : "";
  const level = choice(t("level"), [], "", () => {}, { id: `ask-level-${side}` });
  const isHere = () => player.select.value === ENGINE;
  return {
    rows: [player.row, level.row],
    isHere,
    isEngine: () => player.select.value !== PERSON,
    /** Show the level only for the page's own engine, and its Elo only in the game in which it was measured.
     * @param {GameEntry} entry  @param {boolean} hasElo */
    show: ({ levels }, hasElo) => {
      const chosen = level.select.childElementCount ? level.select.value : known;
      const names = levels.map(([elo], number) => t(!number ? "level-random" : hasElo ? "level-number" : "level-plain", { number, elo }));
      level.select.replaceChildren(
        ...names.map((name, number) => h("option", { value: levels[number][0] }, name)), h("option", { value: "" }, t("level-full")));
      level.select.value = chosen;
      level.row.hidden = !isHere();
    },
    /** @returns {Seat} */
    seat: () => (player.select.value === PERSON ? { kind: "person" } : {
      kind: "engine", engine: player.select.value.slice(ENGINE.length),
      level: isHere() && level.select.value !== "" ? Number(level.select.value) : null,
    }),
  };
}

// Start positions: the usual one, or random ones.

/** @typedef {"usual" | "random" | "symmetric" | "typed"} StartKind */

const OFFICERS = [..."GSCYXRVH"]; // of the Game of Generals: five of them stand beside the king
const IN_PLAY = 5; // cards in a game of Onitama: two for each side, and one more

/** The kinds of start positions of a variant.
 * @param {GameEntry} entry  @returns {StartKind[]} */
function startKinds({ cards, anySetUp }) {
  return ["usual", ...(anySetUp ? /** @type {StartKind[]} */ (["random", "symmetric"]) : []),
    ...(cards ? /** @type {StartKind[]} */ (["random"]) : []), "typed"];
}

/** The king and five different officers in random order. */
const row = () => sample(["K", ...sample(OFFICERS, 5)], 6);

/** A start position as SFEN.
 * @param {GameEntry} entry  @param {StartKind} kind  @param {string} typed the entered SFEN, for the kind "typed"
 * @param {number} cardCount the number of existing cards  @returns {string} */
function startOf(entry, kind, typed, cardCount) {
  if (kind === "typed") return typed.trim().replace(/^(position\s+)?sfen\s+/, "");
  if (kind === "usual") return entry.start;
  if (entry.cards) {
    const cards = sample(Array.from({ length: cardCount }, (_, card) => card), IN_PLAY);
    const hands = [cards.slice(0, 2), cards.slice(2, 4)].map((hand) => hand.sort((a, b) => a - b).join(","));
    return entry.start.replace(/\S+,\S+/, `${hands.join("/")}/${cards[4]}`);
  }
  const black = row(), white = kind === "symmetric" ? [...black].reverse() : row();
  return `${white.join("").toLowerCase()}/pppppp/6/6/PPPPPP/${black.join("")} b - 1`;
}
