// A drawing of a position that is updated in place. Squares, pieces in hand, cards and the die can have keyboard focus.

import {
  CELL, drawArrows, drawBetween, drawFrame, drawMarks, drawNames, drawPiece, drawPlate, drawStand, layoutOf, setOf, svg,
} from "./drawing.js";
import { sideOf, squareName } from "./state.js";
import { boardText, cellWords, comma, describe } from "./descriptions.js";

/** A square, a piece in hand, a card or the die. `element` is its drawing, `button` the element with the accessible
 * name and the focus, `x` and `y` its centre, `index` its square (-1 if it is not a square), `words` its name. Keys are
 * names of squares, `hand0P` (side and letter) for pieces in hand, `card7` for cards, and `die`.
 * @typedef {{key: string, group: string, element: SVGElement, button: SVGElement, x: number, y: number, index: number, words: string}} Item */
/** Highlighted items: the chosen one, its targets, the square under a dragged piece, and the movable items.
 * @typedef {{chosen: Set<string>, targets: Set<string>, over: string, movable: Set<string>}} Marks */
/** Options of a scene. With `live`, each item has a name and keyboard focus; otherwise the drawing is one image. `full`
 * shows all kinds of pieces in the hands, even those of which there are none; `dieKey` makes the die a button.
 * @typedef {{live: boolean, full?: boolean, dieKey?: boolean}} SceneOptions */

const MOVING = 130; // ms, the duration of a move's animation
const NO_MARKS = { chosen: new Set(), targets: new Set(), over: "", movable: new Set() };

/** The drawing of a position. */
export class Scene {
  /** @param {SceneOptions} manner */
  constructor(manner) {
    this.manner = manner;
    this.svg = /** @type {SVGSVGElement} */ (svg("svg", { class: "board" }));
    /** @type {Map<string, Item>} */
    this.items = new Map();
    /** The items in rows, from the top of the screen.
     * @type {string[][]} */
    this.rows = [];
    /** The item of each group that Tab moves to.
     * @type {Map<string, string>} */
    this._stops = new Map();
    /** @type {Map<number, {cell: string, element: SVGElement}>} */
    this._pieces = new Map();
    /** @type {Marks} */
    this._marks = NO_MARKS;
    // The arguments of the last `_build`, the last arrows, and the settings that change the look of pieces, as text.
    this._form = this._arrows = this._look = "";
    /** The drawn contents of each stand as text, to detect changes. */
    this._stood = ["", ""];
    /** Whether the next move was made by a drag and so needs no animation. */
    this.settled = false;
    this.pieces = svg("g", { "aria-hidden": "true", class: "pieces" });
    this.arrows = svg("g", { "aria-hidden": "true", class: "arrows" });
    this.drawn = svg("g", { "aria-hidden": "true", class: "arrows" });
    this.lifted = svg("g", { "aria-hidden": "true", class: "lifted" });
    this._names = this._grid = this._between = svg("g");
    this._stands = [svg("g"), svg("g")];
  }

  /** Attach to an element of the page.
   * @param {HTMLElement} frame */
  enter(frame) {
    frame.append(this.svg);
    // A focus listener on the SVG itself would make it a tab stop.
    frame.addEventListener("focusin", ({ target }) => {
      const item = this.items.get(this.keyOf(target));
      if (item) this._setTabStop(item);
    });
  }

  /** @param {State} state  @param {View} view */
  show(state, view) {
    const layout = (this.layout = layoutOf(state, view));
    const { variant, files, ranks, cards } = state, language = view.language ?? "en";
    const form = [variant, files, ranks, view.flipped, layout.coordinates, layout.height, layout.width, language].join(" ");
    const look = `${form} ${setOf(view)}`;
    this.state = state;
    this.view = view;
    if (form !== this._form) this._build(state, view, layout);
    const still = look !== this._look;
    if (still) {
      this._pieces.clear();
      this.pieces.replaceChildren();
    }
    this._form = form;
    this._look = look;
    this._replace("_names", drawNames(state, view, layout));
    this._showCells(state, view, language);
    this._showPieces(state, view, layout, still);
    this._showStands(state, view, layout);
    if (cards && layout.between) this._replace("_between", drawBetween(state, view, layout.between, this.manner.live));
    const arrows = JSON.stringify([view.arrows ?? [], state.turn, look]);
    if (arrows !== this._arrows) this.arrows.replaceChildren(...drawArrows(state, view, layout.at));
    this._arrows = arrows;
    this.draw(view.marks ?? []);
    if (this.manner.live) this._order();
    else this.svg.setAttribute("aria-label", describe(state, view));
    this.mark(this._marks);
  }

  /** Highlight items.
   * @param {Marks} marks */
  mark(marks) {
    this._marks = marks;
    const language = this.view?.language ?? "en";
    for (const { key, element, button, words, group } of this.items.values()) {
      const target = marks.targets.has(key), chosen = marks.chosen.has(key);
      element.classList.toggle("target", target);
      element.classList.toggle("chosen", chosen);
      element.classList.toggle("over", marks.over === key);
      element.classList.toggle("movable", marks.movable.has(key));
      if (!this.manner.live) continue;
      button.setAttribute("aria-label", target ? words + comma(language) + boardText("reachable", language) : words);
      if (group === "board") button.setAttribute("aria-selected", String(chosen));
      else button.setAttribute("aria-pressed", String(chosen));
    }
  }

  /** Draw the user's marks.
   * @param {Mark[]} marks */
  draw(marks) {
    this.drawn.replaceChildren(...drawMarks(marks, (key) => this.items.get(key)));
  }

  /** The key of the item that contains an element, "" for none.
   * @param {EventTarget | null} element */
  keyOf(element) {
    return element instanceof Element ? element.closest("[data-key]")?.getAttribute("data-key") ?? "" : "";
  }

  /** The pointer's position in units of the drawing.
   * @param {{clientX: number, clientY: number}} event */
  point({ clientX, clientY }) {
    const matrix = this.svg.getScreenCTM();
    const { x, y } = matrix ? new DOMPoint(clientX, clientY).matrixTransform(matrix.inverse()) : { x: 0, y: 0 };
    return { x, y };
  }

  /** The item at a point, or null. With `full`, the free area of a stand counts as one of its items.
   * @param {{x: number, y: number}} point */
  itemAt({ x, y }) {
    if (!this.layout || !this.state) return null;
    const index = this.layout.square(x, y);
    if (index >= 0) return this.items.get(squareName(this.state, index)) ?? null;
    for (const item of this.items.values())
      if (item.index < 0 && Math.abs(item.x - x) < CELL / 2 && Math.abs(item.y - y) < CELL / 2) return item;
    if (!this.manner.full) return null;
    const side = this.layout.stands.findIndex((box) => x >= box.x && x < box.x + box.wide && y >= box.y && y < box.y + box.high);
    return [...this.items.values()].find(({ group }) => group === `stand${side}`) ?? null;
  }

  /** The piece drawn on a square.
   * @param {number} index */
  pieceAt(index) {
    return this._pieces.get(index)?.element ?? null;
  }

  /** Focus an item.
   * @param {string} key */
  focus(key) {
    this.items.get(key)?.button.focus();
  }

  /** Move the focus from an item to a neighbour: `dx` or `dy` is 1 or -1, the other is 0.
   * @param {string} key  @param {number} dx  @param {number} dy */
  step(key, dx, dy) {
    const row = this.rows.findIndex((keys) => keys.includes(key)), item = this.items.get(key);
    if (row < 0 || !item) return;
    if (dx) {
      const next = this.rows[row][this.rows[row].indexOf(key) + dx];
      if (next) this.focus(next);
      return;
    }
    const next = this.rows[row + dy];
    if (!next) return;
    /** @param {string} other */
    const aside = (other) => Math.abs((this.items.get(other)?.x ?? 0) - item.x);
    this.focus(next.reduce((best, other) => (aside(other) < aside(best) ? other : best)));
  }

  /** Animate a drawing from one place to another. Return null if the user prefers reduced motion.
   * @param {SVGElement} element  @param {{x: number, y: number}} from  @param {{x: number, y: number}} to */
  glide(element, from, to) {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return null;
    const frames = [from, to].map(({ x, y }) => ({ transform: `translate(${x}px, ${y}px)` }));
    return element.animate(frames, { duration: MOVING, easing: "ease-out" });
  }

  /** Draw everything anew, because the variant, the size, the orientation or the language has changed.
   * @param {State} state  @param {View} view  @param {Layout} layout */
  _build(state, view, layout) {
    const live = this.manner.live, language = view.language ?? "en";
    this.svg.setAttribute("viewBox", `0 0 ${layout.width} ${layout.height}`);
    this.svg.setAttribute("role", live ? "group" : "img");
    this.svg.setAttribute("data-variant", state.variant);
    if (live) this.svg.setAttribute("aria-label", boardText("board", language));
    this.items.clear();
    this._pieces.clear();
    this.pieces.replaceChildren();
    this.lifted.replaceChildren();
    this._stood = ["", ""];
    this._names = svg("g");
    this._between = svg("g");
    this._stands = [svg("g"), svg("g")];
    this._grid = svg("g", live ? { role: "grid", "aria-label": boardText("board", language) } : {});
    const order = Array.from({ length: state.files * state.ranks }, (_, index) => index);
    if (view.flipped) order.reverse();
    for (let row = 0; row < state.ranks; row++) {
      const group = svg("g", live ? { role: "row" } : {});
      for (const index of order.slice(row * state.files, (row + 1) * state.files)) group.append(this._cell(state, layout, index));
      this._grid.append(group);
    }
    const [upper, lower] = view.flipped ? this._stands : [...this._stands].reverse();
    this.svg.replaceChildren(
      drawPlate(state, view, layout), this._names, upper, this._grid, drawFrame(state, layout), this.pieces, this._between, lower,
      this.arrows, this.drawn, this.lifted);
  }

  /** @param {State} state  @param {Layout} layout  @param {number} index */
  _cell(state, layout, index) {
    const { x, y } = layout.at(index), key = squareName(state, index), left = x - CELL / 2, top = y - CELL / 2;
    const whole = { x: left, y: top, width: CELL, height: CELL };
    const element = svg("g", { class: "cell", "data-key": key, ...(this.manner.live && { role: "gridcell", tabindex: -1 }) });
    element.append(svg("rect", { ...whole, class: "square" }));
    const shrine = state.cards && (index === 2 || index === state.files * state.ranks - 3);
    if (shrine) element.append(svg("path", { d: `M${x - 20} ${y - 15}H${x + 20}M${x - 16} ${y - 6}H${x + 16}M${x - 11} ${y - 15}V${y + 18}M${x + 11} ${y - 15}V${y + 18}`, class: "shrine" }));
    element.append(svg("rect", { ...whole, class: "glow" }), svg("circle", { cx: x, cy: y, r: 9, class: "dot" }));
    element.append(svg("rect", { x: left + 2.5, y: top + 2.5, width: CELL - 5, height: CELL - 5, rx: 3, class: "ring" }));
    this.items.set(key, { key, group: "board", element, button: element, x, y, index, words: "" });
    return element;
  }

  /** @param {State} state  @param {View} view  @param {"en" | "ja"} language */
  _showCells(state, view, language) {
    for (const item of this.items.values()) {
      const { index, element, key } = item;
      if (index < 0) continue;
      const checked = (view.check ?? []).includes(key);
      element.children[0].setAttribute("class", index === state.to ? "to" : index === state.from ? "from" : "square");
      element.classList.toggle("taken", Boolean(state.board[index]));
      element.classList.toggle("check", checked);
      item.words = cellWords(state, index, language) + (checked ? comma(language) + boardText("inCheck", language) : "");
    }
  }

  /** @param {State} state  @param {View} view  @param {Layout} layout  @param {boolean} still no animation */
  _showPieces(state, view, layout, still) {
    /** @type {{cell: string, index: number}[]} */
    const gone = [];
    /** @type {{cell: string, index: number}[]} */
    const come = [];
    state.board.forEach((cell, index) => {
      const shown = this._pieces.get(index);
      if ((shown?.cell ?? "") === cell) return;
      if (shown) {
        gone.push({ cell: shown.cell, index });
        shown.element.remove();
        this._pieces.delete(index);
      }
      if (!cell) return;
      const { x, y } = layout.at(index);
      const element = svg("g", { class: "piece", transform: `translate(${x} ${y})` }, drawPiece(state, cell, view));
      element.dataset.square = squareName(state, index);
      element.dataset.piece = cell;
      this._pieces.set(index, { cell, element });
      this.pieces.append(element);
      come.push({ cell, index });
    });
    if (!come.length && !gone.length) return;
    const moving = !still && !this.settled && come.length <= 2;
    this.settled = false;
    if (!moving) return;
    for (const { cell, index } of come) {
      const bare = cell.replace("+", ""), origin = gone.find((other) => other.index !== index && other.cell.replace("+", "") === bare);
      const from = origin ? layout.at(origin.index) : come.length === 1 ? this.items.get(`hand${sideOf(bare)}${bare.toUpperCase()}`) : null;
      const element = this._pieces.get(index)?.element;
      if (!from || !element) continue;
      this.pieces.append(element);
      this.glide(element, from, layout.at(index));
    }
  }

  /** @param {State} state  @param {View} view  @param {Layout} layout */
  _showStands(state, view, layout) {
    const focused = this.keyOf(document.activeElement);
    for (const side of [0, 1]) {
      const turn = side === state.turn && !view.over, die = turn ? [view.die, view.dice] : [];
      const key = JSON.stringify([state.hands[side], state.cards?.[side], turn, die, state.used, this._look]);
      if (key === this._stood[side]) continue;
      this._stood[side] = key;
      const { element, items } = drawStand(state, view, layout.stands[side], side, this.manner);
      for (const [name, item] of this.items) if (item.group === `stand${side}`) this.items.delete(name);
      for (const item of items) this.items.set(item.key, item);
      const had = this._stands[side].contains(document.activeElement);
      this._stands[side].replaceWith(element);
      this._stands[side] = element;
      if (had) (this.items.get(focused) ?? items[0] ?? this.items.get(this._stops.get("board") ?? ""))?.button.focus();
    }
  }

  /** @param {"_names" | "_between"} part  @param {SVGElement} element */
  _replace(part, element) {
    this[part].replaceWith(element);
    this[part] = element;
  }

  /** Compute the rows for the arrow keys, and give each group one tab stop. */
  _order() {
    /** @type {Map<number, Item[]>} */
    const rows = new Map();
    const { y: top, high } = /** @type {Layout} */ (this.layout).board;
    for (const item of this.items.values()) {
      const rank = Math.floor((item.y - top) / CELL); // pieces and cards beside the board belong to its ranks
      const y = item.y >= top && item.y < top + high ? top + (rank + 0.5) * CELL : Math.round(item.y);
      const row = rows.get(y);
      if (row) row.push(item);
      else rows.set(y, [item]);
    }
    this.rows = [...rows].sort(([a], [b]) => a - b).map(([, items]) => items.sort((a, b) => a.x - b.x).map(({ key }) => key));
    const middle = this.rows.map((keys) => keys[0]).find((key) => this.items.get(key)?.group === "board");
    for (const group of ["board", "stand0", "stand1"]) {
      const stop = this.items.get(this._stops.get(group) ?? "");
      if (stop?.group === group) {
        stop.button.setAttribute("tabindex", "0");
        continue;
      }
      const first = group === "board" ? this.items.get(middle ?? "") : [...this.items.values()].find((item) => item.group === group);
      if (first) this._setTabStop(first);
    }
  }

  /** Make an item the tab stop of its group.
   * @param {Item} item */
  _setTabStop(item) {
    this.items.get(this._stops.get(item.group) ?? "")?.button.setAttribute("tabindex", "-1");
    this._stops.set(item.group, item.key);
    item.button.setAttribute("tabindex", "0");
  }
}

/** A static drawing of a position, one image for screen readers.
 * @param {State} state  @param {View} view */
export function drawBoard(state, view) {
  const scene = new Scene({ live: false });
  scene.show(state, view);
  return scene.svg;
}
