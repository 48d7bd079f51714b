// The position editor. It allows positions that are not legal.

import { boardIcon, drawPiece, h, pieceIcon, sideIcon, svg } from "./drawing.js";
import { isRoyal, lettersOf } from "./pieces.js";
import { Pointer } from "./pointer.js";
import { Scene } from "./scene.js";
import { cased, sideOf, turnedOver, writeSfen } from "./state.js";
import { boardText, cardName, pieceWords, sideName } from "./descriptions.js";

const MOVE = "move", ERASE = "erase"; // tools; every other tool is the letter of the piece that it places
const MOST_HELD = 18; // most pieces of one kind in a hand
/** @type {{[tool: string]: string}} */
const ICONS = {
  [MOVE]: "M0-20L7-11H3V-3H11V-7L20 0 11 7V3H3V11H7L0 20-7 11H-3V3H-11V7L-20 0-11-7V-3H-3V-11H-7Z",
  [ERASE]: "M-14-18L0-4 14-18 18-14 4 0 18 14 14 18 0 4-14 18-18 14-4 0-18-14Z",
};

/** A position editor, appended to an element of the page. `onChange` receives the SFEN after each change. */
export class BoardEditor {
  /** @param {Element} host  @param {{onChange: (sfen: string) => void}} listeners */
  constructor(host, { onChange }) {
    this.onChange = onChange;
    this.tool = MOVE;
    this._from = "";
    this._over = "";
    this._form = "";
    /** The edited position, set by `show`.
     * @type {State} */
    this.state = /** @type {any} */ (null);
    /** @type {View} */
    this.view = /** @type {any} */ (null);
    this.scene = new Scene({ live: true, full: true });
    this.frame = h("div", { class: "board-frame editor active" });
    this.palette = h("div", { class: "palette", role: "radiogroup", onkeydown: (event) => this._paletteKey(event) });
    this.more = h("div", { class: "editor-more" });
    this.scene.enter(this.frame);
    this.frame.append(this.palette, this.more);
    host.append(this.frame);
    this._pointer = new Pointer(this.scene, {
      press: (key) => Boolean(this._cellAt(key)), activate: (key) => this._activate(key), lift: (key) => this._lift(key),
      drop: (from, to) => this._drop(from, to), over: (key) => this._setOver(key), escape: () => this._choose(""),
      key: (key, event) => this._key(key, event),
    });
    this.scene.svg.addEventListener("contextmenu", (event) => {
      const key = this.scene.keyOf(event.target);
      if (!key) return;
      event.preventDefault();
      this._take(key);
    });
  }

  /** Show a position to edit.
   * @param {State} state  @param {View} view */
  show(state, view) {
    this.state = { ...state, board: [...state.board], hands: state.hands.map((hand) => ({ ...hand })), cards: state.cards && state.cards.map((hand) => [...hand]), from: -1, to: -1, used: null };
    this.view = { ...view, legal: [], check: [], arrows: [], die: 0, dice: false, over: false };
    const form = JSON.stringify([state.variant, state.order, view.language, view.pieceSet, view.flipped]);
    if (form !== this._form) this._fillPalette();
    this._form = form;
    this._from = "";
    this._draw();
  }

  _draw() {
    this.scene.settled = true;
    this.scene.show(this.state, this.view);
    this._mark();
    this._updateControls();
  }

  _changed() {
    this._draw();
    this.onChange(writeSfen(this.state, 1));
  }

  _mark() {
    const chosen = new Set(this._from ? [this._from] : []);
    const movable = new Set([...this.scene.items.keys()].filter((key) => this._cellAt(key)));
    this.scene.mark({ chosen, targets: new Set(), over: this._over, movable });
  }

  /** @param {string} key */
  _choose(key) {
    this._from = key;
    this._mark();
  }

  /** @param {string} key */
  _setOver(key) {
    if (key === this._over) return;
    this._over = key;
    this._mark();
  }

  /** The piece of an item, which is a square or a kind of piece in hand; "" for none.
   * @param {string} key */
  _cellAt(key) {
    const item = this.scene.items.get(key);
    if (!item) return "";
    if (item.index >= 0) return this.state.board[item.index];
    const held = item.element.dataset.held ?? "";
    return held && this.state.hands[sideOf(held)][held.toUpperCase()] ? held : "";
  }

  /** @param {string} key */
  _lift(key) {
    const cell = this._cellAt(key);
    return cell ? drawPiece(this.state, cell, this.view) : null;
  }

  /** Apply the tool to an item after a click or Enter. The MOVE tool chooses a piece, then its target; a second click
   * on the piece changes its form. A piece tool places or removes its piece. In a hand, both can add a piece.
   * @param {string} key */
  _activate(key) {
    const item = this.scene.items.get(key);
    if (!item) this._choose("");
    else if (this.tool === ERASE) this._take(key);
    else if (item.index < 0) {
      const { held } = item.element.dataset, dropped = this._from && this.tool === MOVE && this._drop(this._from, key);
      if (held && !dropped) this._changeHeld(held, 1);
    } else if (this.tool !== MOVE) this._put(item.index, this.state.board[item.index] === this.tool ? "" : this.tool);
    else if (this._from === key) this._put(item.index, this._nextForm(this.state.board[item.index]));
    else if (this._from) this._drop(this._from, key);
    else this._choose(this._cellAt(key) ? key : "");
  }

  /** The next form of a piece: promoted if possible, otherwise unpromoted and of the other side.
   * @param {string} cell */
  _nextForm(cell) {
    const { variant, order } = this.state, letter = cell.toUpperCase();
    const turned = lettersOf(variant, order).includes(`+${letter}`);
    if (turned) return `+${cell}`;
    return cased(letter.replace("+", ""), 1 - sideOf(cell));
  }

  /** @param {number} index  @param {string} cell */
  _put(index, cell) {
    this.state.board[index] = cell;
    this._changed();
  }

  /** Change the number of a piece in a hand by `more`, which may be negative. It stays from 0 to MOST_HELD.
   * @param {string} held the piece, in the case of its side  @param {number} more */
  _changeHeld(held, more) {
    const hand = this.state.hands[sideOf(held)], letter = held.toUpperCase().replace("+", "");
    const count = Math.max(0, Math.min((hand[letter] ?? 0) + more, MOST_HELD));
    if (count) hand[letter] = count;
    else delete hand[letter];
    this._changed();
  }

  /** Remove a piece from a square or a hand.
   * @param {string} key */
  _take(key) {
    const item = this.scene.items.get(key), cell = this._cellAt(key);
    if (!item || !cell) return;
    this._from = "";
    if (item.index >= 0) this._put(item.index, "");
    else this._changeHeld(cell, -1);
  }

  /** Move a piece to a square or a hand; remove it if `to` is not an item. Return whether this is possible.
   * @param {string} from  @param {string} to */
  _drop(from, to) {
    const { state } = this, cell = this._cellAt(from), start = this.scene.items.get(from), end = this.scene.items.get(to);
    if (!cell || !start) return false;
    if (end && end.index < 0 && (state.cards || isRoyal(state.variant, cell))) return false;
    this._from = "";
    if (start.index >= 0) state.board[start.index] = "";
    else {
      const hand = state.hands[sideOf(cell)];
      if (!--hand[cell.toUpperCase()]) delete hand[cell.toUpperCase()];
    }
    if (end && end.index >= 0) state.board[end.index] = cell;
    else if (end) {
      const hand = state.hands[end.group === "stand1" ? 1 : 0], letter = cell.replace("+", "").toUpperCase();
      hand[letter] = (hand[letter] ?? 0) + 1;
    }
    this._changed();
    return true;
  }

  /** Handle a key on an item, and return whether it has a meaning there. On a square, letters place pieces (White's
   * without Shift) and + turns a piece over; in a hand, + and - change the count. Delete and Backspace remove a piece.
   * @param {string} key  @param {KeyboardEvent} event */
  _key(key, event) {
    const item = this.scene.items.get(key), { state } = this;
    if (!item) return false;
    const held = item.element.dataset.held;
    if (event.key === "Delete" || event.key === "Backspace") this._take(key);
    else if (held && event.key === "-") this._changeHeld(held, -1);
    else if (held && event.key === "+") this._changeHeld(held, 1);
    else if (item.index < 0) return false;
    else if (event.key === "+") {
      const other = turnedOver(state.board[item.index]);
      if (lettersOf(state.variant, state.order).includes(other.toUpperCase())) this._put(item.index, other);
    } else if (lettersOf(state.variant, state.order).includes(event.key.toUpperCase())) this._put(item.index, event.key);
    else return false;
    return true;
  }

  _fillPalette() {
    const { state, view } = this;
    const language = view.language ?? "en", letters = lettersOf(state.variant, state.order);
    const sides = view.flipped ? [0, 1] : [1, 0];
    const pieces = sides.map((side) => letters.map((letter) => cased(letter, side)));
    if (![MOVE, ERASE, ...pieces.flat()].includes(this.tool)) this.tool = MOVE;
    this.palette.setAttribute("aria-label", boardText("palette", language));
    this.palette.replaceChildren(...[[MOVE, ERASE], ...pieces].map((tools) =>
      h("div", { class: "palette-row" }, ...tools.map((tool) => this._toolButton(state, view, tool, language)))));
    this._showTool();
  }

  /** @param {State} state  @param {View} view  @param {string} tool  @param {"en" | "ja"} language */
  _toolButton(state, view, tool, language) {
    const path = ICONS[tool], words = path ? boardText(tool, language) : pieceWords(state, tool, language);
    return h("button", {
      type: "button", role: "radio", title: words, "aria-label": words, "data-tool": tool, onclick: () => this.take(tool),
    }, path ? boardIcon("-26 -26 52 52", svg("path", { class: "tool", d: path })) : pieceIcon(state, tool, view));
  }

  /** Select a tool: "move", "erase", or a piece by its letter.
   * @param {string} tool */
  take(tool) {
    this.tool = tool;
    this._showTool();
    this._choose("");
  }

  _showTool() {
    for (const button of this.palette.querySelectorAll("button")) {
      const taken = button.dataset.tool === this.tool;
      button.setAttribute("aria-checked", String(taken));
      button.tabIndex = taken ? 0 : -1;
    }
  }

  /** @param {KeyboardEvent} event */
  _paletteKey(event) {
    /** @type {{[key: string]: number}} */
    const steps = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };
    const step = steps[event.key], buttons = [...this.palette.querySelectorAll("button")];
    if (!step) return;
    const next = buttons[(buttons.findIndex((button) => button.dataset.tool === this.tool) + step + buttons.length) % buttons.length];
    this.take(next.dataset.tool ?? MOVE);
    next.focus();
    event.preventDefault();
    event.stopPropagation();
  }

  /** Update the controls below the palette: the side to move, and Onitama's cards. */
  _updateControls() {
    const { state, view } = this;
    const language = view.language ?? "en", look = JSON.stringify([state.turn, state.cards, this._form]);
    if (this.more.dataset.look === look) return;
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.part : undefined;
    this.more.dataset.look = look;
    const turns = [0, 1].map((side) => h("button", {
      type: "button", "data-part": `turn${side}`, "aria-pressed": String(side === state.turn),
      onclick: () => {
        state.turn = side;
        this._changed();
      },
    }, sideIcon(side), " ", boardText("moves", language).replace("{side}", sideName(side, language))));
    const turn = h("div", { class: "editor-turn", role: "group", "aria-label": boardText("next", language) }, ...turns);
    this.more.replaceChildren(turn, ...(state.cards ? [this._slots(state, view, language)] : []));
    if (focused) /** @type {HTMLElement | null} */ (this.more.querySelector(`[data-part="${focused}"]`))?.focus();
  }

  /** Create `select` elements for Onitama's five cards. Choosing a card that is in another place swaps the two cards.
   * @param {State} state  @param {View} view  @param {"en" | "ja"} language */
  _slots(state, view, language) {
    const owners = [sideName(0, language), sideName(1, language), boardText("between", language)];
    const slots = (state.cards ?? []).flatMap((hand, owner) => hand.map((card, place) => {
      /** @type {HTMLSelectElement} */
      const select = h("select", {
        "data-part": `card${owner}${place}`, onchange: () => this._setCard(owner, place, Number(select.value)),
      }, ...view.cards.map((_, number) => h("option", { value: number, selected: number === card }, cardName(view.cards, number, language))));
      return h("label", {}, `${owners[owner]} `, select);
    }));
    return h("div", { class: "editor-cards", role: "group", "aria-label": boardText("slots", language) }, ...slots);
  }

  /** @param {number} owner  @param {number} place  @param {number} card */
  _setCard(owner, place, card) {
    const cards = this.state.cards;
    if (!cards) return;
    const old = cards[owner][place];
    for (const hand of cards) hand.splice(0, hand.length, ...hand.map((other) => (other === card ? old : other)));
    cards[owner][place] = card;
    for (const hand of cards) hand.sort((a, b) => a - b);
    this._changed();
  }
}
