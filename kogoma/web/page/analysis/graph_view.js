// The evaluation graph, and the analysis of the whole game.

import { drawGraph, forBlack } from "../../board/graph.js";
import { choice, h, spoken } from "../elements.js";
import { say, t } from "../translate.js";

const TIMES = [100, 300, 1000, 3000, 10000]; // ms for a position
const USUAL = 300; // the default of TIMES
const USUAL_WIDTH = 320, MIN_WIDTH = 160; // pixels of the graph

export class GraphView {
  /** @param {App} app  @param {() => void} busyChanged called when the analysis of the whole game starts or ends, or the graph
   *   has another width */
  constructor(app, busyChanged) {
    this._app = app;
    this._busyChanged = busyChanged;
    /** The running analysis of the whole game, or null.
     * @type {EngineLike | null} */
    this.whole = null;
    this._stopped = false;
    this._graph = h("div", { class: "graph" });
    this._width = USUAL_WIDTH;
    new ResizeObserver(([{ contentRect }]) => {
      this._width = Math.max(Math.round(contentRect.width), MIN_WIDTH);
      if (app.tree) busyChanged();
    }).observe(this._graph);
    this._time = choice(spoken("analysis.each"), [], "", undefined, { id: "whole-time" });
    this._time.select.append(...TIMES.map((ms) =>
      h("option", { value: ms, selected: ms === USUAL, "data-text": "analysis.seconds", "data-seconds": ms / 1000 })));
    this._button = h("button", { type: "button", id: "whole-game", "data-text": "analysis.whole", onclick: () => this._press() });
    this._progress = h("progress", { hidden: true });
    this._status = h("p", { class: "told", role: "status" });
    this.element = h("div", {}, this._graph,
      h("div", { class: "row" }, this._button, this._time.row), this._progress, this._status);
  }

  /** Draw the graph of the shown line's scores.
   * @param {Score | null} now the engine's score of the shown position, for the side to move */
  draw(now) {
    const { tree, node, position } = this._app, line = tree.line(), first = (position.turn + node.ply) % 2;
    /** @param {number} index */
    const said = (index) => {
      const shown = line[index], mover = (first + index) % 2;
      return now && shown === node ? forBlack(now, 1 - mover) : forBlack(shown.said, mover);
    };
    this._graph.replaceChildren(drawGraph({ all: line, said }, node.ply, (ply) => this._app.goToPly(ply), this._width, t("analysis.scores")));
    this._button.disabled = !line.length && !this.whole;
  }

  /** Stop the running analysis. */
  stop() {
    this._stopped = true;
    this.whole?.stop();
  }

  _press() {
    if (this.whole) this.stop();
    else void this._run();
  }

  /** Search the position after each move of the shown line, from the last to the first, so that the transposition table
   * helps with earlier positions. */
  async _run() {
    const { _app: app, _progress: progress, _status: told } = this, { tree } = app, line = tree.line(), all = line.length;
    const engine = (this.whole = app.engine("analysis"));
    this._stopped = false;
    Object.assign(progress, { hidden: false, max: all, value: 0 });
    say(this._button, "analysis.stop");
    this._busyChanged();
    let text = "";
    try {
      const start = app.position.startSfen, movetime = Number(this._time.select.value), moves = line.map(({ move }) => move);
      for (let done = 1; done <= all && !this._stopped; done++) {
        const game = { start, moves: moves.slice(0, all - done + 1) };
        const { best, scoreKind, score, depth } = await engine.search(game, { movetime }, {}, () => {});
        if (this._stopped) break;
        // The engine's score is for the side to move; a node stores the score for its mover.
        if (best !== null) line[all - done].said = [scoreKind, -score, depth];
        progress.value = done;
        told.textContent = t("analysis.progress", { done, all });
        if (app.tree === tree) app.changed("tree");
      }
      if (!this._stopped) text = t("analysis.done");
    } catch (error) {
      if (app.tree === tree) app.tell(t("analysis.failed", { text: /** @type {Error} */ (error).message }), "problem");
    }
    this.whole = null;
    progress.hidden = true;
    told.textContent = text;
    say(this._button, "analysis.whole");
    this._busyChanged();
  }
}
