// The list of moves of the shown line.

import { sideIcon } from "../../board/drawing.js";
import { forBlack, scoreText } from "../../board/graph.js";
import { h, setChildren, showInList } from "../elements.js";
import { t } from "../translate.js";

/** @param {App} app  @param {HTMLElement} slot */
export function moveList(app, slot) {
  const list = h("ol", { id: "moves", "aria-labelledby": "moves-title" });
  /** The rows, each with all that it shows: it is drawn again only if this changes.
   * @type {WeakMap<GameNode, {shows: string, row: HTMLElement}>} */
  const known = new WeakMap();
  /** @type {Element | null} */
  let marked = null;
  slot.append(h("h2", { id: "moves-title", "data-text": "moves" }), list);
  app.on("changed", () => {
    const { tree, node, position } = app, line = [tree.root, ...tree.line()];
    const first = position.moves.length % 2 ? 1 - position.turn : position.turn;
    setChildren(list, line.map((one, index) => row(one, index, first)));
    const step = /** @type {HTMLElement} */ (list.children[line.indexOf(node)]);
    marked?.removeAttribute("aria-current");
    marked = step.firstElementChild;
    marked?.setAttribute("aria-current", "step");
    showInList(list, step);
  });

  /** @param {GameNode} node  @param {number} index  @param {number} first the side that made the first move */
  function row(node, index, first) {
    const mover = (first + index + 1) % 2, score = node.said ? scoreText(forBlack(node.said, mover)) : "";
    const shows = `${t("start-position")} ${app.view.language} ${index} ${mover} ${node.dice} ${score}`, old = known.get(node);
    if (old?.shows === shows) return old.row;
    const made = h("li", {}, button(node, index, mover, score));
    known.set(node, { shows, row: made });
    return made;
  }

  /** @param {GameNode} node  @param {number} index  @param {number} mover  @param {string} score */
  function button(node, index, mover, score) {
    const act = () => app.goTo(node);
    if (!index) return h("button", { type: "button", onclick: act }, t("start-position"));
    const dice = node.dice ? `[${node.dice}] ` : "";
    return h("button", { type: "button", onclick: act, "data-move": node.move, "data-dice": node.dice },
      h("span", {}, `${index}. `, sideIcon(mover), ` ${dice}${app.written(node)}`), h("small", {}, score));
  }
}
