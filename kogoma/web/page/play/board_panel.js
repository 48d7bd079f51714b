// The board panel: board, clocks, status, die rolls and actions.

import { sideIcon } from "../../board/drawing.js";
import { squareName } from "../../board/state.js";
import { BoardView } from "../../board/view.js";
import { moveWords } from "../../board/descriptions.js";
import { includes } from "../app.js";
import { h, iconButton } from "../elements.js";
import { endText, sideName, t } from "../translate.js";
import { clockText } from "./clock.js";
import { levelNumber } from "./levels.js";

/** @type {[name: string, moves: number, ...paths: string[]][]} */
const STEPS = [
  ["to-start", -Infinity, "-M6 5v14M18 5l-7 7 7 7"], ["back", -1, "-M15 5l-7 7 7 7"], ["forward", 1, "-M9 5l7 7-7 7"],
  ["to-end", Infinity, "-M18 5v14M6 5l7 7-7 7"], ["flip", 0, "M7 3l5 6H9v12H5V9H2zM17 21l-5-6h3V3h4v12h3z"],
];
const LONGEST_NAME = 100; // characters of a player's name that are shown
const FACES = [1, 2, 3, 4, 5, 6];

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
  /** @param {App} app  @param {HTMLElement} slot  @param {{newGame: () => void, rematch: () => void}} dialogs
   * @param {(text: string) => void} announce announces a text to screen readers */
  constructor(app, slot, dialogs, announce) {
    this._app = app;
    this._dialogs = dialogs;
    this._announce = announce;
    this._host = h("div", { id: "board" });
    this._status = h("p", { id: "status" });
    this._clocks = h("div", { id: "clocks" });
    this._dice = h("div", { id: "dice" });
    this._steps = h("div", { id: "steps", role: "group" });
    this._actions = h("div", { id: "actions", role: "group" });
    /** @type {Map<string, HTMLButtonElement>} */
    this._stepButtons = new Map(STEPS.map(([name, moves, ...paths]) =>
      [name, iconButton("", paths, () => (moves ? app.step(moves) : this.flip()), { id: name })]));
    this._steps.append(...this._stepButtons.values());
    this._clockTimer = 0;
    this._lastSaid = "";
    slot.append(this._clocks, this._host, this._status, this._dice, this._steps, this._actions);
    this.board = new BoardView(this._host, { onMove: (usi) => this._moved(usi) });
    app.on("changed", (what) => this.show(what));
  }

  /** Update the whole panel, and announce a new move or result after a change of the match.
   * @param {Change} what */
  show(what) {
    this._drawBoard();
    this._status.replaceChildren(...this._statusParts());
    this._status.dataset.stands = this._statusKeyword();
    this._showDice();
    this._showClocks();
    this._showSteps();
    this._showActions();
    if (includes(what, "match")) this._announceMove();
  }

  /** @param {string} usi */
  _moved(usi) {
    try {
      this._app.play(usi);
    } catch (error) {
      this._app.match.tell(/** @type {Error} */ (error).message, "problem");
    }
  }

  _drawBoard() {
    const { _app: app } = this, { match, view, entry, outcome, looksAhead, seen: state } = app;
    const mayMove = !looksAhead && !outcome && (!app.isLive || match.awaitsPerson);
    const checked = app.position.inCheck && !looksAhead ? [squareName(state, app.position.king(app.position.turn))] : [];
    this.board.show(state, {
      ...view, names: [playerName(app, 0), playerName(app, 1)], cards: app.index.cards, die: /** @type {any} */ (app.rollShown),
      dice: entry.die !== "none", over: outcome !== null || (app.node === match.live && match.result !== null),
      legal: mayMove ? app.legal : [], check: checked, arrows: looksAhead ? [] : app.arrows,
    });
    const { layout } = this.board.scene;
    if (layout) this._host.style.maxWidth = `min(40rem, max(17rem, calc((100dvh - 14.5rem) * ${layout.width / layout.height})))`;
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
      return [...(last ? [sideIcon(1 - match.turn)] : []), parts.join(" · ")];
    }
    const line = match.live.path(), at = line.indexOf(node), { ply } = node;
    const text = at >= 0 || !node.parent ? t("looking-back", { ply, plies: line.length }) : t("looking-aside", { ply });
    return [
      ...(outcome ? [h("strong", {}, endText(outcome, variant)), " "] : []), text, " ",
      h("button", { type: "button", class: "small", onclick: () => app.goTo(match.live) }, t("to-the-game")), " ",
      ...(outcome ? [] : [h("button", { type: "button", class: "small", onclick: () => match.playFrom(node) }, t("play-from-here"))]),
    ];
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

  _showClocks() {
    clearTimeout(this._clockTimer);
    const { _app: app } = this, { match, view } = app, { clock } = match;
    this._clocks.hidden = !clock.control;
    if (!clock.control) return;
    const sides = /** @type {(0 | 1)[]} */ (view.flipped ? [0, 1] : [1, 0]);
    this._clocks.replaceChildren(...sides.map((side) => {
      const left = clock.left(side, side === match.turn), running = clock.running === side;
      return h("div", { class: `clock${running ? " running" : ""}${left.total < 10_000 ? " low" : ""}` },
        sideIcon(side), h("span", { class: "player" }, playerName(app, side, true)), h("time", { id: `clock-${side}` }, clockText(left)));
    }));
    if (clock.running === null) return;
    // Update again at the next full second, or in the last ten seconds at the next tenth of a second.
    const { total } = clock.left(clock.running), step = total < 10_000 ? 100 : 1000;
    this._clockTimer = setTimeout(() => this._showClocks(), Math.max((total % step) + 5, 20));
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
    ];
    this._actions.setAttribute("aria-label", t("actions"));
    if (!this._actions.childElementCount) {
      this._actions.append(...all.map(([name]) => h("button", { type: "button", id: `do-${name}` })));
    }
    all.forEach(([name, act, shown, may], index) => {
      const ariaBusy = name === "hint" ? String(match.hinting) : null;
      Object.assign(this._actions.children[index], { textContent: t(name), hidden: !shown, disabled: !may, onclick: act, ariaBusy });
    });
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
