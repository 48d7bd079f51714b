// The engine's lines, a row each, whose moves can be clicked or previewed.

import { shortMove } from "../../board/descriptions.js";
import { forBlack, scoreText } from "../../board/graph.js";
import { play } from "../../board/state.js";
import { h } from "../elements.js";
import { t } from "../later_texts.js";
import { sideName } from "../translate.js";

/** @typedef {{play: (moves: string[]) => void, look: (moves: string[] | null) => void,
 *   write: (moves: string[]) => string[]}} Acts callbacks: `play` plays a line up to the clicked move, `look`
 *   previews these moves (null ends the preview), `write` returns moves in players' notation */
/** @typedef {{row: HTMLElement, score: HTMLElement, depth: HTMLElement, moves: HTMLElement, pv: string[]}} Row */

const LONGEST = 10; // moves of a line that are usually shown

/** The callbacks for lines from the shown node: a played line is added to the tree, and its last move is shown.
 * @param {App} app  @returns {Acts} */
export const actsFor = (app) => ({
  play: (moves) => {
    for (const move of moves) app.tree.play(move, 0);
    app.edited();
  },
  look: (moves) => app.look(moves),
  write: (moves) => {
    let { state } = app;
    return moves.map((move) => {
      const text = shortMove(state, move, app.view.language, app.index.cards);
      state = play(state, move);
      return text;
    });
  },
});

export class LinesView {
  /** @param {HTMLElement} host  @param {Acts} acts  @param {number} [longest] moves of a line that are shown */
  constructor(host, acts, longest = LONGEST) {
    this._host = host;
    this._acts = acts;
    this._longest = longest;
    /** @type {Row[]} */
    this._rows = [];
    /** The row under the pointer or with the focus: its moves are not updated.
     * @type {Row | null} */
    this._held = null;
    /** The number of previewed moves of that row. */
    this._previewed = 0;
  }

  /** Show the lines of a position.
   * @param {Info[]} lines best first, with holes for lines not yet reported  @param {number} turn the side to move
   * @param {number} count the number of rows
   * @param {string} lowerBound the value of `bound` for a lower bound (search/answers.py) */
  show(lines, turn, count, lowerBound) {
    while (this._rows.length < count) this._rows.push(this._makeRow(this._rows.length));
    this._rows.forEach((row, index) => {
      const info = lines[index];
      row.row.hidden = index >= count || !info;
      if (!info) {
        row.pv = [];
        return;
      }
      // Scores are shown for Black: a lower bound for White is an upper bound for Black.
      const bound = info.bound && ((info.bound === lowerBound) === (turn === 0) ? "≥ " : "≤ ");
      setText(row.score, bound + scoreText(forBlack([info.scoreKind, info.score], turn)));
      row.score.title = info.scoreKind === "mate" ? t("analysis.mate", { side: sideName(info.score > 0 ? turn : 1 - turn), plies: Math.abs(info.score) }) : "";
      setText(row.depth, info.depth ? t("analysis.depth", { depth: `${info.depth}/${info.seldepth}` }) : "");
      row.row.dataset.depth = `${info.depth}`;
      row.row.setAttribute("aria-label", t("analysis.line", { number: index + 1, score: row.score.textContent ?? "" }));
      if (row !== this._held) this._showMoves(row, info.pv.slice(0, this._longest));
    });
  }

  /** Clear the rows for another position. */
  clear() {
    this._held = null;
    this._stopLooking();
    for (const row of this._rows) {
      row.row.hidden = true;
      row.pv = [];
    }
  }

  /** @param {number} index  @returns {Row} */
  _makeRow(index) {
    const score = h("strong", { class: "line-score" }), depth = h("small", {}), moves = h("span", { class: "line-moves" });
    const row = h("li", { class: "line", "data-line": index + 1 }, score, " ", depth, " ", moves);
    /** @type {Row} */
    const made = { row, score, depth, moves, pv: [] };
    /** @param {Event} event */
    const at = (event) => {
      const step = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest("button"));
      return step ? made.pv.slice(0, Number(step.dataset.step)) : null;
    };
    /** @param {Event} event */
    const look = (event) => {
      const line = at(event);
      if (!line || this._previewed === line.length && this._held === made) return;
      this._held = made;
      this._previewed = line.length;
      this._acts.look(line);
    };
    const leave = () => {
      this._held = null;
      this._stopLooking();
    };
    // Rows that appear under a resting pointer are not previewed.
    moves.addEventListener("pointermove", (event) => event.pointerType === "mouse" && (event.movementX !== 0 || event.movementY !== 0) && look(event));
    moves.addEventListener("pointerleave", () => !moves.contains(document.activeElement) && leave());
    moves.addEventListener("focusin", look);
    // Keep the preview while the focus moves from one move of the row to the next.
    moves.addEventListener("focusout", (event) => !moves.contains(/** @type {Node | null} */ (event.relatedTarget)) && leave());
    moves.addEventListener("click", (event) => {
      const line = at(event);
      if (!line) return;
      leave();
      this._acts.play(line);
    });
    moves.addEventListener("keydown", (event) => stepFocus(event));
    this._host.append(row);
    return made;
  }

  _stopLooking() {
    if (!this._previewed) return;
    this._previewed = 0;
    this._acts.look(null);
  }

  /** Show moves in a row. Existing buttons get a new text, since a click on a button that is replaced would be lost.
   * @param {Row} row  @param {string[]} pv */
  _showMoves(row, pv) {
    // If the new line is only the beginning of the old one, keep the old one.
    if (pv.length <= row.pv.length && pv.every((move, index) => move === row.pv[index])) return;
    row.pv = pv;
    this._acts.write(pv).forEach((move, index) => {
      const known = /** @type {HTMLElement | undefined} */ (row.moves.children[index]);
      const button = known ?? h("button", { type: "button", class: "move", "data-step": index + 1, tabindex: index ? -1 : 0 });
      if (!known) row.moves.append(button);
      button.hidden = false;
      button.dataset.usi = pv[index];
      setText(button, move);
    });
    for (let index = pv.length; index < row.moves.children.length; index++) {
      /** @type {HTMLElement} */ (row.moves.children[index]).hidden = true;
    }
  }
}

/** @param {Element} element  @param {string} text */
function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Move the focus along a line with the arrow keys.
 * @param {KeyboardEvent} event */
function stepFocus(event) {
  const button = /** @type {HTMLElement} */ (event.target);
  const ways = /** @type {{[key: string]: Element | null}} */ ({
    ArrowRight: button.nextElementSibling, ArrowLeft: button.previousElementSibling,
  });
  if (!(event.key in ways)) return;
  event.preventDefault();
  const next = /** @type {HTMLElement | null} */ (ways[event.key]);
  if (next && !next.hidden) next.focus();
}
