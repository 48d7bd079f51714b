// The evaluation over the game, and the search of all its positions.

import { drawGraph, forBlack } from "../../board/graph.js";
import { choice, h, spoken } from "../elements.js";
import { say, t } from "../words.js";

const TIMES = [100, 300, 1000, 3000, 10000]; // ms for a position
const USUAL = 300;

export class GraphView {
  /** @param {App} app  @param {() => void} busyChanged told when the whole game begins or ends to be searched */
  constructor(app, busyChanged) {
    this._app = app;
    this._busyChanged = busyChanged;
    /** The search of the whole game that is under way.
     * @type {WholeGame | null} */
    this.whole = null;
    this._graph = h("div", { class: "graph" });
    this._time = choice(spoken("analysis.each"), [], "", undefined, { id: "whole-time" });
    this._time.select.append(...TIMES.map((ms) =>
      h("option", { value: ms, selected: ms === USUAL, "data-text": "analysis.seconds", "data-seconds": ms / 1000 })));
    this._button = h("button", { type: "button", id: "whole-game", "data-text": "analysis.whole", onclick: () => this._press() });
    this._progress = h("progress", { hidden: true });
    this._told = h("p", { class: "told", role: "status" });
    this.element = h("div", {}, h("h3", { "data-text": "analysis.graph" }), this._graph,
      h("div", { class: "row" }, this._button, this._time.row), this._progress, this._told);
  }

  /** Draw the line shown.
   * @param {Said | null} now what the engine says of the position shown, for the side to move */
  draw(now) {
    const { tree, node, position } = this._app, line = tree.line(), first = (position.turn + node.ply) % 2;
    /** @param {number} index */
    const said = (index) => {
      const shown = line[index], mover = (first + index) % 2;
      return now && shown === node ? forBlack(now, 1 - mover) : forBlack(shown.said, mover);
    };
    this._graph.replaceChildren(drawGraph({ all: line, said }, node.ply, (ply) => this._app.goToPly(ply)));
    this._button.disabled = !line.length && !this.whole;
  }

  /** End what is under way. */
  stop() {
    this.whole?.stop();
  }

  _press() {
    if (this.whole) this.whole.stop();
    else void this._run();
  }

  async _run() {
    const { _app: app, _progress: progress, _told: told } = this, { tree } = app, line = tree.line();
    const whole = (this.whole = new WholeGame());
    Object.assign(progress, { hidden: false, max: line.length, value: 0 });
    say(this._button, "analysis.stop");
    this._busyChanged();
    let text = "";
    try {
      const start = app.position.startSfen, ms = Number(this._time.select.value);
      const finished = await whole.run(app.engine("analysis"), start, line, ms, (done, node, said) => {
        node.said = said ?? node.said;
        progress.value = done;
        told.textContent = t("analysis.progress", { done, all: line.length });
        if (app.tree === tree) app.changed("tree");
      });
      if (finished) text = t("analysis.done");
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

/** A score for every move of a game: its positions are searched from the last one back, so that what the table holds of
 * later moves serves earlier ones. */
class WholeGame {
  constructor() {
    this._stopped = false;
    /** @type {EngineLike | null} */
    this._engine = null;
  }

  /** Search the position after each move of a line. A rejected promise tells of an engine that has died.
   * @param {EngineLike} engine  @param {string} start  @param {GameNode[]} line from the first move on
   * @param {number} ms for each position
   * @param {(done: number, node: GameNode, said: Said | null) => void} report after each position; null where no move
   *   can be made
   * @returns {Promise<boolean>} whether it came to its end */
  async run(engine, start, line, ms, report) {
    this._engine = engine;
    const moves = line.map((node) => node.move);
    for (let index = line.length - 1; index >= 0 && !this._stopped; index--) {
      const game = { start, moves: moves.slice(0, index + 1) };
      const { best, scoreKind, score, depth } = await engine.search(game, { movetime: ms }, {}, () => {});
      if (this._stopped) break;
      // The engine speaks for the side to move; what is kept with a move is what its mover gets of it.
      report(line.length - index, line[index], best === null ? null : [scoreKind, -score, depth]);
    }
    return !this._stopped;
  }

  stop() {
    this._stopped = true;
    this._engine?.stop();
  }
}
