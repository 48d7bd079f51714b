// The board with what belongs to it: players, clocks, status, die rolls and actions.

import { layoutOf, sideIcon } from "../../board/drawing.js";
import { squareName } from "../../board/state.js";
import { BoardView } from "../../board/view.js";
import { moveWords, shortMove } from "../../board/descriptions.js";
import { includes } from "../app.js";
import { h, icon, iconButton, spoken, whenLoaded } from "../elements.js";
import { endText, sideName, t } from "../translate.js";
import { openView } from "../views.js";
import { clockText } from "./clock.js";
import { levelNumber } from "./levels.js";

/** @type {[name: string, moves: number, ...paths: string[]][]} */
const STEPS = [
  ["to-start", -Infinity, "-M6 5v14M18 5l-7 7 7 7"], ["back", -1, "-M15 5l-7 7 7 7"], ["forward", 1, "-M9 5l7 7-7 7"],
  ["to-end", Infinity, "-M18 5v14M6 5l7 7-7 7"], ["flip", 0, "M7 3l5 6H9v12H5V9H2zM17 21l-5-6h3V3h4v12h3z"],
];
const LONGEST_NAME = 100; // characters of a player's name that are shown
const FACES = [1, 2, 3, 4, 5, 6];
const STANDS = /** @type {const} */ (["above", "beside"]);
/** The icons of the actions, in their order.
 * @type {{[name: string]: string[]}} */
const ACTIONS = {
  "take-back": ["-M9 14L4 9l5-5M4 9h11a5 5 0 0 1 0 10h-4"],
  hint: ["-M9 18h6M10 21h4M9 16c0-1-.2-1.7-1-2.500a6 6 0 1 1 8 0c-.8.800-1 1.500-1 2.500z"],
  pause: ["-M8 5v14M16 5v14"],
  "go-on": ["M7 4l13 8-13 8z"],
  declare: ["-M4 20h16M5 16L3 6l5 4 4-6 4 6 5-4-2 10z"],
  "swap-sides": ["-M7 4L3 8l4 4M3 8h14M17 12l4 4-4 4M21 16H7"],
  resign: ["-M5 21V4h13l-3 4 3 4H5"],
  rematch: ["-M20 12a8 8 0 1 1-2.500-5.800M20 3v4h-4"],
  "new-game": ["-M12 4v16M4 12h16"],
  rules: ["-M6 3h12v18H8a2 2 0 0 1-2-2zM6 17h12M10 8h4"],
};

/** How the shown position is drawn, without names, arrows and moves.
 * @param {App} app  @returns {View} */
export function viewOf(app) {
  const { match, view, entry, outcome, position, state } = app;
  return {
    ...view, names: ["", ""], cards: app.index.cards, die: app.rollShown, dice: entry.die !== "none",
    over: outcome !== null || (app.node === match.live && match.result !== null),
    check: position.inCheck && !app.looksAhead ? [squareName(state, position.king(position.turn))] : [],
  };
}

/** The name of a side's player.
 * @param {App} app  @param {number} side  @param {boolean} [short] without the level */
export function playerName({ entry, match, tree }, side, short = false) {
  const seat = match.terms.seats[side], name = tree.names[side];
  if (seat.kind === "person" && name) return name.slice(0, LONGEST_NAME);
  if (seat.kind === "person") return match.people.length === 1 ? t("you") : sideName(side);
  const engine = seat.engine || t("engine-here");
  return seat.level === null || short ? engine : t("player-level", { name: engine, level: levelNumber(entry.levels, seat.level) });
}

export class BoardPanel {
  /** @param {App} app  @param {HTMLElement} slot  @param {{newGame: () => void, rematch: () => void, rules: () => void}} dialogs
   * @param {(text: string) => void} announce announces a text to screen readers */
  constructor(app, slot, dialogs, announce) {
    this._app = app;
    this._dialogs = dialogs;
    /** Texts that are announced together, because they came in the same moment.
     * @type {string[]} */
    const said = [];
    this._announce = (/** @type {string} */ text) => {
      if (said.push(text) === 1) queueMicrotask(() => announce(said.splice(0).join(". ")));
    };
    this._host = h("div", { id: "board" });
    this._status = h("p", { id: "status" });
    this._stage = h("div", { id: "stage" }, this._host);
    this._room = { width: 0, height: 0 }; // of the stage
    /** The size of the board in the page's style sheet, as text, to detect changes. */
    this._size = "";
    this._players = [0, 1].map((side) => {
      const name = h("span", { class: "name" }), turn = spoken("moves-next"), clock = h("time", { id: `clock-${side}` });
      turn.className = "turn";
      return { name, turn, clock, row: h("div", { id: `player-${side}` }, sideIcon(side), name, turn, clock) };
    });
    this._dice = h("div", { id: "dice" });
    this._steps = h("div", { id: "steps", role: "group" });
    this._actions = h("div", { id: "actions", role: "group" });
    /** @type {Map<string, HTMLButtonElement>} */
    this._stepButtons = new Map(STEPS.map(([name, moves, ...paths]) =>
      [name, iconButton("", paths, () => (moves ? app.step(moves) : this.flip()), { id: name })]));
    this._steps.append(...this._stepButtons.values());
    this._clockTimer = 0;
    this._lastSaid = "";
    slot.prepend(...this._players.map(({ row }) => row), this._stage, h("div", { id: "told" }, this._status, this._dice),
      h("div", { id: "controls" }, this._steps, this._actions));
    /** The marks that the user has drawn, by position.
     * @type {WeakMap<GameNode, Mark[]>} */
    this._marks = new WeakMap();
    /** The module with the moves that can be entered in advance, null until it is loaded.
     * @type {typeof import("./premoves.js") | null} */
    this._ahead = null;
    /** @type {{node: GameNode | null, moves: string[]}} the moves that can be entered in advance at a node */
    this._premoves = { node: null, moves: [] };
    this.board = new BoardView(this._host, {
      onCancel: () => this.cancelPremove(),
      onMove: (usi) => this._moved(usi),
      onMarks: (marks, told) => {
        this._marks.set(app.node, marks);
        this._drawBoard();
        this._announce(told);
      },
    });
    this._actions.append(...Object.entries(ACTIONS).map(([name, paths]) =>
      h("button", { type: "button", id: `do-${name}`, class: "brief" }, icon(...paths), spoken(name))));
    new ResizeObserver(([{ contentRect: { width, height } }]) => {
      this._room = { width, height };
      if (app.tree) this._drawBoard();
    }).observe(this._stage);
    app.on("changed", (what) => this.show(what));
  }

  /** Update the whole panel, and announce a new move or result after a change of the match.
   * @param {Change} what */
  show(what) {
    this._drawBoard();
    this._status.replaceChildren(...this._statusParts());
    this._status.dataset.stands = this._statusKeyword();
    this._showDice();
    this._showPlayers();
    this._showSteps();
    this._showActions();
    if (includes(what, "match")) this._announceMove();
  }

  /** @param {string} usi */
  _moved(usi) {
    const { match } = this._app;
    if (this._premover !== null) {
      match.setPremove(usi);
      this._announce(this._premoveText());
      return;
    }
    this._marks.delete(this._app.node);
    try {
      this._app.play(usi);
    } catch (error) {
      this._app.match.tell(/** @type {Error} */ (error).message, "problem");
    }
  }

  /** The side that may enter a move in advance on the shown board, or null. */
  get _premover() {
    const { premoves, isLive, looksAhead, answer, match } = this._app;
    return premoves && isLive && !looksAhead && !answer ? match.premover : null;
  }

  /** Forget the move that was entered in advance. Return whether there was one. */
  cancelPremove() {
    const { match } = this._app;
    if (!match?.premove) return false;
    match.setPremove("");
    this._announce(t("premove-cancelled"));
    return true;
  }

  _premoveText() {
    const { match, state, view, index } = this._app;
    return t("premove", { move: shortMove(state, match.premove, view.language, index.cards) });
  }

  /** The moves that a side may enter in advance at the shown node; none until their module is loaded.
   * @param {0 | 1} side */
  _movesAhead(side) {
    const { _app: app } = this;
    if (!this._ahead) {
      void whenLoaded(app.tell, import("./premoves.js"), (loaded) => {
        this._ahead = loaded;
        this._drawBoard();
      });
      return [];
    }
    if (this._premoves.node !== app.node) {
      this._premoves = { node: app.node, moves: this._ahead.premovesOf(app.state, app.game.variant, side, app.index.cards) };
    }
    return this._premoves.moves;
  }

  _drawBoard() {
    const { _app: app } = this, { match, outcome, looksAhead, seen: state } = app;
    const mayMove = !looksAhead && !outcome && (!app.isLive || match.awaitsPerson);
    const side = this._premover, ahead = side !== null && match.premove;
    const arrows = [...app.arrows, ...(ahead ? [{ usi: ahead, weight: 1, kind: /** @type {const} */ ("premove"), side }] : [])];
    /** @type {View} */
    const shown = {
      ...viewOf(app), legal: mayMove ? app.legal : side === null ? [] : this._movesAhead(side),
      ...(side !== null && { mover: side }), arrows: looksAhead ? [] : arrows, marks: (!looksAhead && this._marks.get(app.node)) || [],
    };
    this.board.show(state, { ...shown, stands: this._fit(state, shown) });
  }

  /** Choose the place of the hands that allows the larger squares in the room on the page, and give the board its size.
   * @param {State} state  @param {View} view */
  _fit(state, view) {
    const { width, height } = this._room;
    const [best, other] = STANDS.map((stands) => {
      const layout = layoutOf(state, { ...view, stands });
      return { stands, layout, scale: Math.min(width / layout.width, height / layout.height) };
    }).sort((a, b) => b.scale - a.scale);
    const { layout } = best.stands === "beside" ? best : other;
    const size = `${Math.floor(best.scale * best.layout.width)}px ${(layout.width / layout.height).toFixed(3)}`;
    if (size !== this._size && width) {
      const [wide, shape] = (this._size = size).split(" ");
      this._host.style.width = wide;
      // the style sheet gives a wide window's stage the width that the board can use
      document.documentElement.style.setProperty("--shape", shape);
    }
    return best.stands;
  }

  /** The status as a keyword: over, aside (the shown node is not the game's current one), paused, roll, person or
   * engine. */
  _statusKeyword() {
    const { match, isLive, node } = this._app;
    if (node === match.live && match.result) return "over";
    if (!isLive) return "aside";
    return match.paused ? "paused" : match.awaitsRoll ? "roll" : match.seat.kind;
  }

  /** @returns {(Node | string)[]} */
  _statusParts() {
    const { _app: app } = this, { match, node, outcome, position } = app;
    const { variant } = app.game;
    if (node === match.live) {
      if (match.result) return [h("strong", {}, endText(match.result, variant))];
      if (match.paused) return [t("paused")];
      const last = node.parent && app.written(node);
      const parts = [...(last ? [` ${last}`] : []), match.thinking ? t("thinking", { name: playerName(app, match.turn, true) })
        : match.people.length === 1 && match.awaitsPerson ? t("your-move") : t("to-move", { side: sideName(match.turn) })];
      if (position.inCheck) parts.push(t("check"));
      if (match.premove && this._premover !== null) parts.push(this._premoveText());
      return [...(last ? [sideIcon(1 - match.turn)] : []), parts.join(" · ")];
    }
    const line = match.live.path(), at = line.indexOf(node), { ply } = node;
    const text = at >= 0 || !node.parent ? t("looking-back", { ply, plies: line.length }) : t("looking-aside", { ply });
    return [
      ...(outcome ? [h("strong", {}, endText(outcome, variant)), " "] : []), text, " ",
      h("button", { type: "button", class: "small", onclick: () => app.goTo(match.live) }, t("to-the-game")), " ",
      ...(outcome ? [] : [h("button", { type: "button", class: "small", onclick: () => this._playFrom(node) }, t("play-from-here"))]),
    ];
  }

  /** @param {GameNode} node */
  _playFrom(node) {
    this._app.match.playFrom(node);
    openView("play");
  }

  _showDice() {
    const { _app: app } = this, { match, entry, rollShown, position, outcome } = app;
    this._dice.hidden = entry.die === "none" || outcome !== null || (app.node === match.live && match.result !== null);
    if (this._dice.hidden) return;
    const free = rollShown === 6 || (entry.die === "unless_in_check" && position.inCheck);
    const told = rollShown && !position.allowed(rollShown).every((move) => move.slice(2, 3) === `${rollShown}`);
    const text = !rollShown ? "" : t(free || told ? "roll-free" : "roll-file", { dice: rollShown });
    const typed = app.isLive && match.awaitsRoll && !match.paused, aside = !app.isLive;
    const faces = typed || aside ? FACES.map((face) => h("button", {
      type: "button", "aria-pressed": String(face === rollShown), "aria-label": t("roll", { dice: face }),
      onclick: () => (typed ? match.setRoll(face) : this._choose(face)),
    }, `${face}`)) : [];
    this._dice.replaceChildren(h("span", {}, text || t(typed ? "enter-roll" : "choose-roll")), ...faces);
  }

  /** Set the die roll at a node that is not the game's current one; choosing the same roll again removes it.
   * @param {number} face */
  _choose(face) {
    const { _app: app } = this;
    app.rollShown = app.rollShown === face ? 0 : face;
  }

  _showPlayers() {
    clearTimeout(this._clockTimer);
    const { _app: app } = this, { match, view } = app, { clock } = match, over = app.outcome || (app.node === match.live && match.result);
    this._players.forEach(({ row, name, turn, clock: time }, index) => {
      const side = /** @type {0 | 1} */ (index), running = clock.control !== null && clock.running === side;
      const left = clock.control && clock.left(side, side === match.turn);
      row.className = `player ${side === view.flipped ? "lower" : "upper"}${running ? " running" : ""}${left && left.total < 10_000 ? " low" : ""}`;
      name.textContent = name.title = playerName(app, side);
      turn.hidden = Boolean(over) || side !== app.position.turn;
      time.hidden = !left;
      time.textContent = left && clockText(left);
    });
    if (!clock.control || clock.running === null) return;
    // Update again at the next full second, or in the last ten seconds at the next tenth of a second.
    const { total } = clock.left(clock.running), step = total < 10_000 ? 100 : 1000;
    this._clockTimer = setTimeout(() => this._showPlayers(), Math.max((total % step) + 5, 20));
  }

  _showSteps() {
    const { node, view } = this._app;
    this._steps.setAttribute("aria-label", t("steps"));
    for (const [name, button] of this._stepButtons) {
      button.ariaLabel = button.title = t(name);
      if (name === "flip") button.ariaPressed = String(Boolean(view.flipped));
      else button.disabled = name === "to-start" || name === "back" ? !node.parent : !node.next.length;
    }
  }

  flip() {
    const { view } = this._app;
    view.flipped = view.flipped ? 0 : 1;
    this._app.changed("view");
  }

  _showActions() {
    const { _app: app } = this, { match } = app, over = match.result !== null;
    const engines = match.people.length < 2, declares = app.game.variant.declaration[0] > 0;
    /** @type {[string, () => void, boolean, boolean][]} name, action, visible, enabled */
    const all = [
      ["take-back", () => match.takeBack(), match.people.length > 0, match.mayTakeBack],
      ["hint", () => void match.hint(), true, app.legal.length > 0 && !match.hinting && !(app.isLive && match.awaitsRoll)],
      ["pause", () => match.pause(), !over && !match.paused && (match.clock.control !== null || !match.people.length), true],
      ["go-on", () => match.goOn(), match.paused && !over, true],
      ["declare", () => match.declare(), declares && !over, match.mayDeclare],
      ["swap-sides", () => match.swapSides(), engines && !over, match.people.length > 0],
      ["resign", () => this._resign(), !over && match.people.length > 0, match.people.length === 2 || match.live.parent !== null],
      ["rematch", this._dialogs.rematch, over, true],
      ["new-game", this._dialogs.newGame, over, true],
      ["rules", this._dialogs.rules, true, true],
    ];
    this._actions.setAttribute("aria-label", t("actions"));
    for (const [name, act, shown, may] of all) {
      const button = /** @type {HTMLButtonElement} */ (document.getElementById(`do-${name}`)), ariaBusy = name === "hint" ? String(match.hinting) : null;
      Object.assign(button, { title: t(name), ariaLabel: t(name), hidden: !shown, disabled: !may, onclick: act, ariaBusy });
    }
  }

  _resign() {
    const { match } = this._app;
    const side = match.people.length === 2 ? match.turn : match.people[0], undo = match.remember();
    match.resign(side);
    match.offerUndo(t("resigned"), undo);
  }

  /** Announce the last move and the end of the game to screen readers. */
  _announceMove() {
    const { _app: app } = this, { match, tree } = app;
    const { live, result } = match;
    const key = `${live.ply} ${live.move} ${result?.reason ?? ""}`;
    if (key === this._lastSaid || !tree) return;
    this._lastSaid = key;
    const parts = [];
    if (live.parent) parts.push(moveWords(app.stateAt(live.parent), live.move, app.view.language, app.index.cards));
    if (result) parts.push(endText(result, app.game.variant));
    if (parts.length) this._announce(parts.join(". "));
  }
}
