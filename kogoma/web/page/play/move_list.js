// The list of moves of the shown line.

import { sideIcon } from "../../board/drawing.js";
import { forBlack, scoreText } from "../../board/graph.js";
import { includes } from "../app.js";
import { h, showInList } from "../elements.js";
import { t } from "../translate.js";

/** @param {App} app  @param {HTMLElement} slot */
export function moveList(app, slot) {
  const list = h("ol", { id: "moves", "aria-labelledby": "moves-title" });
  /** @type {GameNode[]} */
  let shown = [];
  slot.append(h("h2", { id: "moves-title", "data-text": "moves" }), list);
  app.on("changed", (what) => {
    const { tree, node, position } = app, line = [tree.root, ...tree.line()];
    const same = line.length === shown.length && line.every((one, index) => one === shown[index]);
    if (!same || includes(what, "tree") || what === "view") {
      const first = position.moves.length % 2 ? 1 - position.turn : position.turn;
      list.replaceChildren(...line.map((one, index) => h("li", {}, button(one, index, first))));
      shown = line;
    }
    list.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const step = /** @type {HTMLElement} */ (list.children[line.indexOf(node)]);
    step.firstElementChild?.setAttribute("aria-current", "step");
    showInList(list, step);
  });

  /** @param {GameNode} node  @param {number} index  @param {number} first the side that made the first move */
  function button(node, index, first) {
    const act = () => app.goTo(node);
    if (!index) return h("button", { type: "button", onclick: act }, t("start-position"));
    const mover = (first + index + 1) % 2, dice = node.dice ? `[${node.dice}] ` : "";
    return h("button", { type: "button", onclick: act, "data-move": node.move, "data-dice": node.dice },
      h("span", {}, `${index}. `, sideIcon(mover), ` ${dice}${app.written(node)}`),
      h("small", {}, node.said ? scoreText(forBlack(node.said, mover)) : ""));
  }
}
