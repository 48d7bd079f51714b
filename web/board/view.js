// A board to play on: the position drawn, and moves chosen by clicking.

import { drawBoard } from "./drawing.js";
import { squareName } from "./state.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./drawing.js").View} View */

/** The board in an element of the page. `onMove` is told of each move that the user has chosen. */
export class BoardView {
  /** @param {Element} host  @param {{onMove: (usi: string) => void}} told */
  constructor(host, { onMove }) {
    this.host = host;
    this.onMove = onMove;
    this.from = "";
    host.addEventListener("click", (event) => this._click(/** @type {MouseEvent} */ (event)));
  }

  /** Show a position.
   * @param {State} state  @param {View} view */
  show(state, view) {
    this.state = state;
    this.view = view;
    this.from = "";
    this.host.replaceChildren(drawBoard(state, view));
  }

  /** Give a choice half made up. */
  cancel() {
    this.from = "";
  }

  /** @param {MouseEvent} event */
  _click(event) {
    if (!this.state) return;
    const legal = this.view?.legal ?? [];
    const piece = /** @type {SVGElement | null} */ (/** @type {Element} */ (event.target).closest("[data-square], [data-held]"));
    const rects = [...this.host.querySelectorAll("rect.square, rect.to, rect.from")];
    const under = rects.findIndex((rect) => {
      const box = rect.getBoundingClientRect();
      return event.clientX >= box.left && event.clientX < box.right && event.clientY >= box.top && event.clientY < box.bottom;
    });
    const to = under < 0 ? "" : squareName(this.state, under);
    const chosen = this.from && legal.find((usi) => usi.replace(/^\d+:/, "").startsWith(this.from + to));
    if (to && chosen) this.onMove(chosen);
    else this.from = piece?.dataset.held ? `${piece.dataset.held.toUpperCase()}*` : to;
  }
}
