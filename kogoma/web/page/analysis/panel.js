// The analysis panel: the engine's lines, the evaluation graph, and the tree of variations.

import { includes } from "../app.js";
import { choice, h, spoken, whenLoaded } from "../elements.js";
import { t } from "../later_texts.js";
import { language, say } from "../translate.js";
import { GraphView } from "./graph_view.js";
import { LinesView, actsFor } from "./lines_view.js";
import { Live } from "./live.js";
import { TreePanel } from "./tree_panel.js";

/** Open the dialog that sets up a position.
 * @param {App} app */
const setPosition = (app) => void whenLoaded(app.tell, import("./position_dialog.js"), ({ PositionDialog }) => new PositionDialog(app));

const MOST_LINES = 5;
const FRAME = 100; // ms between two updates of the lines

export class AnalysisPanel {
  /** @param {App} app  @param {{lines: HTMLElement, graph: HTMLElement, tree: HTMLElement}} slots
   * @param {import("../review/review.js").Review} review */
  constructor(app, slots, review) {
    this._app = app;
    this._review = review;
    this._on = false;
    this._timer = 0;
    this._trouble = "";
    this._live = new Live({
      engine: () => app.engine("analysis"),
      heard: () => this._drawSoon(),
      left: (task, result) => this._storeScore(task, result),
      failed: (text) => this._fail(text),
    });
    this._toggle = h("button", {
      type: "button", id: "analyse", class: "main", "data-running": "false", "data-text": "analysis.start", onclick: () => this._press(),
    });
    const counts = Array.from({ length: MOST_LINES }, (_, index) => `${index + 1}`);
    this._count = choice(spoken("analysis.lines"), counts, "1", () => this.show("node"), { id: "line-count" });
    this._arrows = h("input", { type: "checkbox", id: "show-arrows", checked: true, onchange: () => this._drawArrows() });
    /** @type {import("./mate_panel.js").MatePanel | null} */
    this._mates = null;
    this._findMate = h("button", { type: "button", id: "find-mate", "data-text": "mate.find", onclick: () => this._pressMate(slots.lines) });
    this._speed = h("p", { class: "told", id: "speed" });
    this._list = h("ol", { class: "lines", id: "lines" });
    this._lines = new LinesView(this._list, actsFor(app));
    this._graph = new GraphView(app, () => this.show("node"));
    this._tree = new TreePanel(app, slots.tree);
    slots.lines.append(
      h("div", { class: "row" }, this._toggle, this._count.row), this._list, this._speed,
      h("div", { class: "row" }, h("label", { class: "field" }, spoken("analysis.arrows"), this._arrows), this._findMate,
        h("button", { type: "button", id: "set-position", "data-text": "analysis.position", onclick: () => setPosition(app) })),
    );
    slots.graph.append(this._graph.element);
    app.on("changed", (what) => this.show(what));
    document.addEventListener("visibilitychange", () => app.tree && this.show("node"));
  }

  /** @param {Change} what */
  show(what) {
    this._count.select.disabled = this._findMate.hidden = !this._hasLineChoice;
    if (includes(what, "node")) this._findMate.disabled = this._app.answer !== null || this._app.outcome !== null;
    if (includes(what, "node")) this._lines.clear();
    this._tree.show(what);
    this._live.ask(this._task());
    if (what !== "match") this._draw();
  }

  /** The task to search now, or null.
   * @returns {Task | null} */
  _task() {
    const { _app: app } = this;
    if (!this._on || this._review.engine || app.answer || document.hidden || app.outcome) return null;
    const game = { start: app.position.startSfen, moves: app.tree.moves() };
    const lines = this._hasLineChoice ? Number(this._count.select.value) : 1;
    const dice = app.rollShown || null;
    const key = JSON.stringify([app.tree.variant, game, dice, lines, app.engineName("analysis"), app.power]);
    return { key, game, dice, lines, node: app.node };
  }

  /** Whether the number of lines can be chosen; in variants with a die there is one line. */
  get _hasLineChoice() {
    return this._app.entry.die === "none";
  }

  /** Start or stop the search for a mate. Its part of the page is loaded when it is needed.
   * @param {HTMLElement} slot */
  _pressMate(slot) {
    void whenLoaded(this._app.tell, import("./mate_panel.js"), ({ MatePanel }) => {
      this._mates ??= new MatePanel(this._app, slot, this._findMate);
      this._mates.press();
    });
  }

  _press() {
    this._on = !this._on;
    this._trouble = "";
    this.show("node");
  }

  /** @param {string} text */
  _fail(text) {
    this._on = false;
    this._trouble = t("analysis.failed", { text });
    this._lines.clear();
    this._draw();
  }

  /** Draw the engine's lines soon: not more often than every FRAME ms. */
  _drawSoon() {
    if (this._timer) return;
    this._timer = setTimeout(() => {
      this._timer = 0;
      this._draw();
    }, FRAME);
  }

  _draw() {
    const { _app: app, _live: live } = this;
    if (this._toggle.dataset.running !== String(this._on)) {
      this._toggle.dataset.running = String(this._on);
      say(this._toggle, this._on ? "analysis.halt" : "analysis.start");
    }
    this._speed.textContent = this._status();
    this._speed.classList.toggle("trouble", Boolean(this._trouble));
    const lines = live.task?.node === app.node ? live.lines : [], turn = app.position.turn;
    if (lines.length) this._lines.show(lines, turn, live.task?.lines ?? 1, app.game.constants.LOWER_BOUND);
    this._graph.draw(lines[0] && !live.task?.dice ? saidOf(lines[0]) : null);
    this._drawArrows();
  }

  _status() {
    if (this._trouble || !this._on) return this._trouble;
    if (this._review.engine || this._app.answer) return t("analysis.busy");
    if (document.hidden) return t("analysis.hidden");
    if (this._app.outcome) return t("analysis.over");
    const newest = this._live.lines.reduce((best, info) => (info && info.timeMs >= (best?.timeMs ?? 0) ? info : best),
      /** @type {Info | null} */ (null));
    if (!newest) return t("analysis.waiting");
    const number = new Intl.NumberFormat(language(), { notation: "compact", maximumFractionDigits: 1 });
    const hash = (newest.hashfull / 10).toFixed(0);
    const engine = this._app.engine("analysis").name;
    return t("analysis.speed", { engine, nodes: number.format(newest.nodes), nps: number.format(newest.nps), hash });
  }

  /** Draw arrows for the first moves of the lines, if they have changed. */
  _drawArrows() {
    const { _app: app, _live: live } = this, wanted = /** @type {HTMLInputElement} */ (this._arrows).checked && live.task?.node === app.node;
    const lines = wanted ? live.lines.filter((info) => info?.pv.length) : [], count = lines.length;
    const arrows = lines.map(({ pv }, index) => ({
      usi: pv[0], weight: 1 - index / Math.max(count, 2), kind: /** @type {"line"} */ ("line"), ...(count > 1 && { label: `${index + 1}` }),
    }));
    const shown = app.arrows.filter(({ kind }) => kind === "line").map(({ usi }) => usi).join(" ");
    if (arrows.map(({ usi }) => usi).join(" ") !== shown) app.setArrows("analysis", arrows);
  }

  /** Store the score of an ended search in its node, unless a roll was given or the node has a
   * score of a deeper search.
   * @param {Task} task  @param {Result} result */
  _storeScore({ node, dice }, result) {
    const { _app: app } = this;
    let top = node;
    while (top.parent) top = top.parent;
    if (!result.depth || dice || !node.parent || top !== app.tree.root || result.depth < (node.said?.[2] ?? 0)) return;
    const [kind, value, depth] = saidOf(result);
    node.said = [kind, -value, depth];
    app.changed("tree");
  }
}

/** @param {Info | Result} info  @returns {Score} for the side to move */
const saidOf = ({ scoreKind, score, depth }) => [scoreKind, score, depth];
