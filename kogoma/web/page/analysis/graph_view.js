// The evaluation graph.

import { drawGraph, forBlack } from "../../board/graph.js";
import { h } from "../elements.js";
import { t } from "../later_texts.js";
import { judge, judgingOf } from "../review/judge.js";

const USUAL_WIDTH = 320, MIN_WIDTH = 160; // pixels of the graph

export class GraphView {
  /** @param {App} app  @param {() => void} widthChanged called when the graph has another width */
  constructor(app, widthChanged) {
    this._app = app;
    this._graph = h("div", { class: "graph" });
    this._width = USUAL_WIDTH;
    new ResizeObserver(([{ contentRect }]) => {
      this._width = Math.max(Math.round(contentRect.width), MIN_WIDTH);
      if (app.tree) widthChanged();
    }).observe(this._graph);
    this.element = h("div", {}, this._graph);
  }

  /** Draw the graph of the shown line's scores, with a dot for each mistake.
   * @param {Score | null} now the engine's score of the shown position, for the side to move */
  draw(now) {
    const { _app: app } = this, { tree, node, position } = app, line = tree.line(), first = (position.turn + node.ply) % 2;
    const marks = new Map(judge(judgingOf(app), first, line).map(({ ply, name }) => [ply, name]));
    /** @param {number} index */
    const said = (index) => {
      const shown = line[index], mover = (first + index) % 2;
      return now && shown === node ? forBlack(now, 1 - mover) : forBlack(shown.said, mover);
    };
    /** @param {number} index */
    const mark = (index) => marks.get(index) ?? "";
    const drawn = drawGraph({ all: line, said, mark }, node.ply, (ply) => app.goToPly(ply), this._width, t("analysis.scores"));
    this._graph.replaceChildren(drawn);
  }
}
