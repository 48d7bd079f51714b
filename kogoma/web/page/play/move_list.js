// The moves of the line shown, to be clicked.

import { forBlack, scoreText } from "../../board/graph.js";
import { shortMove } from "../../board/words.js";
import { includes } from "../app.js";
import { h } from "../elements.js";
import { t } from "../words.js";

export class MoveList {
  /** @param {App} app  @param {HTMLElement} slot */
  constructor(app, slot) {
    this._app = app;
    this._title = h("h2", { id: "moves-title" });
    this._list = h("ol", { id: "moves", "aria-labelledby": "moves-title" });
    /** @type {GameNode[]} */
    this._shown = [];
    slot.append(this._title, this._list);
    app.on("changed", (what) => this.show(what));
  }

  /** @param {Change} what */
  show(what) {
    const { _app: app, _list: list } = this, { tree, node } = app;
    this._title.textContent = t("moves");
    const line = [tree.root, ...tree.line()];
    const same = line.length === this._shown.length && line.every((one, index) => one === this._shown[index]);
    if (!same || includes(what, "tree") || what === "view") {
      const first = app.position.moves.length % 2 ? 1 - app.position.turn : app.position.turn;
      list.replaceChildren(...line.map((one, index) => h("li", {}, this._button(one, index, first))));
      this._shown = line;
    }
    list.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const step = /** @type {HTMLElement | undefined} */ (list.children[line.indexOf(node)]);
    if (!step) return;
    step.firstElementChild?.setAttribute("aria-current", "step");
    if (step.offsetTop < list.scrollTop || step.offsetTop + step.offsetHeight > list.scrollTop + list.clientHeight) {
      list.scrollTop = step.offsetTop - list.clientHeight / 2;
    }
  }

  /** @param {GameNode} node  @param {number} index  @param {number} first the side that made the first move */
  _button(node, index, first) {
    const mover = (first + index + 1) % 2;
    const act = () => this._app.goTo(node);
    if (!index) return h("button", { type: "button", onclick: act }, t("start-position"));
    const dice = node.dice ? `[${node.dice}] ` : "", mark = mover ? "☖" : "☗", { index: { cards }, view } = this._app;
    const text = shortMove(this._app.stateAt(/** @type {GameNode} */ (node.parent)), node.move, view.language, cards);
    return h("button", { type: "button", onclick: act, "data-move": node.move, "data-dice": node.dice }, h("span", {}, `${index}. ${mark} ${dice}${text}`),
      h("small", {}, node.said ? scoreText(forBlack(node.said, mover)) : ""));
  }
}
