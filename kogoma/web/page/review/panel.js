// The review panel: searches the whole game, shows its mistakes with better lines, accuracy, losses and a histogram.

import { svg } from "../../board/drawing.js";
import { LinesView, actsFor } from "../analysis/lines_view.js";
import { includes } from "../app.js";
import { choice, h, spoken } from "../elements.js";
import { t } from "../later_texts.js";
import { language, say, sideName } from "../translate.js";
import { WRONG, judge, judgingOf, summary } from "./judge.js";
import { Learn } from "./learn.js";
import { markOf } from "./marks.js";
import { legalPart } from "./review.js";

/** @typedef {import("./judge.js").Summary} Summary */
/** @typedef {import("./review.js").Review} Review */

const TIMES = [100, 300, 1000, 3000, 10000]; // ms for a position
const USUAL = 300; // the default of TIMES
const CHART = { wide: 320, high: 120, top: 14, bottom: 20 }; // pixels of the histogram

export class ReviewPanel {
  /** @param {App} app  @param {HTMLElement} slot  @param {Review} review */
  constructor(app, slot, review) {
    this._app = app;
    this._review = review;
    this._shows = "";
    /** The mistake whose position is shown, or null.
     * @type {Judgement | null} */
    this._shown = null;
    this._time = choice(spoken("review.each"), [], "", undefined, { id: "review-time" });
    this._time.select.append(...TIMES.map((ms) =>
      h("option", { value: ms, selected: ms === USUAL, "data-text": "review.seconds", "data-seconds": ms / 1000 })));
    this._button = h("button", { type: "button", id: "review-game", class: "main", "data-text": "review.start", onclick: () => void this._press() });
    this._progress = h("progress", { hidden: true, "aria-labelledby": "tab-review" });
    this._status = h("p", { class: "told", role: "status", id: "review-status" });
    this._figures = h("div", { id: "review-figures" });
    this._list = h("ol", { class: "kept", id: "mistakes" });
    const host = h("ol", { class: "lines", id: "better-lines" });
    this._lines = new LinesView(host, actsFor(app));
    this._learn = new Learn(app, () => this._questions());
    slot.append(
      h("div", { class: "row" }, this._button, this._time.row), this._progress, this._status, this._figures,
      this._learn.element, this._list, host,
    );
    app.on("changed", (what) => this.show(what));
  }

  /** @param {Change} what */
  show(what) {
    const { _app: app, _review: review } = this, { tree } = app, running = review.engine !== null, key = running ? "review.stop" : "review.start";
    if (includes(what, "game")) this._status.textContent = "";
    if (this._button.dataset.text !== key) say(this._button, key);
    this._button.disabled = !running && !tree.root.next.length;
    this._progress.hidden = !running;
    if (running) {
      Object.assign(this._progress, { max: tree.line().length, value: review.done });
      this._status.textContent = t("review.progress", { done: review.done, all: tree.line().length });
    }
    if (this._shown && (includes(what, "game") || app.node !== this._moveOf(this._shown)?.parent)) {
      this._shown = null;
      this._lines.clear();
    }
    if (includes(what, "node") || what === "view") this._draw();
  }

  /** The judgements of the shown line. */
  get _judgements() {
    const { _app: app } = this, { tree, node, position } = app;
    return judge(judgingOf(app), (position.turn + node.ply) % 2, tree.line());
  }

  /** The questions: the worse mistakes of the shown line.
   * @returns {{node: GameNode, side: number}[]} */
  _questions() {
    const line = this._app.tree.line();
    return this._judgements.filter(({ name }) => WRONG.includes(name)).map(({ ply, side }) => ({ node: line[ply], side }));
  }

  /** The node of a judged move.
   * @param {Judgement} judged  @returns {GameNode | undefined} */
  _moveOf({ ply }) {
    return this._app.tree.line()[ply];
  }

  async _press() {
    const { _app: app, _review: review } = this, { tree } = app;
    if (review.engine) return review.stop();
    this._learn.end();
    let text = "";
    try {
      if (await review.run({ movetime: Number(this._time.select.value) })) text = t("review.done");
    } catch (error) {
      if (app.tree === tree) app.tell(t("analysis.failed", { text: /** @type {Error} */ (error).message }), "problem");
    }
    this._status.textContent = app.tree === tree ? text : "";
  }

  /** Draw figures and mistakes, if they have changed. */
  _draw() {
    const { _app: app } = this, { view, tree } = app, line = tree.line(), judged = this._judgements;
    const shows = [language(), view.language, line.length, this._review.engine !== null, ...judged.map(({ ply, name, loss }) => `${ply}${name}${loss}`)].join();
    if (shows === this._shows) return;
    this._shows = shows;
    const summaries = [0, 1].map((side) => summary(judgingOf(app), judged, side, line.length));
    const left = line.length - judged.length, mistakes = judged.filter(({ name }) => name);
    this._figures.replaceChildren(...(judged.length ? [
      figures(summaries), histogram(summaries, app.index.judging.losses),
      ...(left && !this._review.engine ? [h("p", { class: "told" }, t("review.left", { count: left }))] : []),
      ...(mistakes.length ? [] : [h("p", { class: "told" }, t("review.none"))]),
    ] : []));
    this._learn.show();
    this._list.replaceChildren(...mistakes.map((one) => h("li", {}, this._mistake(one, line[one.ply]))));
    this._list.setAttribute("aria-label", t("review.list"));
    this._list.hidden = !mistakes.length;
  }

  /** The button that shows a mistake.
   * @param {Judgement} one  @param {GameNode} node */
  _mistake(one, node) {
    const { ply, side, loss, missedMate, name } = one;
    const said = missedMate ? t("review.missed", { plies: missedMate }) : t("review.loss", { percent: Math.round(100 * loss) });
    return h("button", { type: "button", class: "open", "data-ply": ply + 1, onclick: () => this._showMistake(one) },
      `${ply + 1}. ${sideName(side)} ${this._app.written(node)}`, ...markOf(name), h("small", {}, said));
  }

  /** Show the position before a mistake, the better move and the mistake as arrows, and the better line.
   * @param {Judgement} one */
  _showMistake(one) {
    const { _app: app } = this, node = this._moveOf(one);
    if (!node?.parent) return;
    this._learn.end();
    app.goTo(node.parent);
    if (node.dice) app.rollShown = node.dice;
    this._shown = one;
    const best = legalPart(app.position, one.best[0]);
    app.setArrows("review", [
      { usi: node.move, weight: 0.5, kind: "threat" }, ...best.slice(0, 1).map((usi) => ({ usi, weight: 1, kind: /** @type {"hint"} */ ("hint") })),
    ]);
    const lines = [one.best, one.line].map(([moves, scoreKind, score, depth], index) => ({
      pv: legalPart(app.position, moves), scoreKind, score, depth, seldepth: depth, bound: "", multipv: index + 1, nodes: 0, nps: 0, hashfull: 0, timeMs: 0,
    }));
    this._lines.clear();
    this._lines.show(lines, one.side, lines.length, app.game.constants.LOWER_BOUND);
  }
}

/** A part as percent, or a dash.
 * @param {number | null} part */
const percent = (part) => (part === null ? "–" : `${(100 * part).toFixed(1)}%`);

/** The table of both sides' figures.
 * @param {Summary[]} summaries */
function figures(summaries) {
  /** @type {[key: string, cell: (one: Summary) => string][]} */
  const rows = [
    ["accuracy", ({ accuracy }) => percent(accuracy === null ? null : accuracy / 100)],
    .../** @type {[string, (one: Summary) => string][]} */ (["inaccuracy", "mistake", "blunder"].map((kind) => [`${kind}-count`, ({ counts }) => `${counts[kind]}`])),
    ["missed-count", ({ missedMates }) => `${missedMates}`],
    .../** @type {[string, (one: Summary) => string][]} */ (["opening", "middle", "ending"].map((key, phase) => [key, ({ phases }) => percent(phases[phase])])),
  ];
  return h("table", { class: "figures" },
    h("thead", {}, h("tr", {}, h("td", {}), ...[0, 1].map((side) => h("th", { scope: "col" }, sideName(side))))),
    h("tbody", {}, ...rows.map(([key, cell]) =>
      h("tr", {}, h("th", { scope: "row" }, t(`review.${key}`)), ...summaries.map((one) => h("td", {}, cell(one)))))));
}

/** The histogram of both sides' losses.
 * @param {Summary[]} summaries  @param {number[]} losses the smallest loss of each column */
function histogram(summaries, losses) {
  const { wide, high, top, bottom } = CHART, column = wide / losses.length, bar = column / 3;
  const names = losses.map((least, index) => `${Math.round(100 * least)}${index + 1 < losses.length ? `–${Math.round(100 * losses[index + 1])}` : "+"}%`);
  const most = Math.max(1, ...summaries.flatMap((one) => one.histogram));
  const told = summaries.map((one, side) => `${sideName(side)}: ${one.histogram.map((count, index) => `${names[index]} ${count}`).join(", ")}`);
  const chart = svg("svg", {
    viewBox: `0 0 ${wide} ${high}`, class: "histogram", role: "img", "aria-label": `${t("review.histogram")}. ${told.join(". ")}`,
  });
  summaries.forEach((one, side) => one.histogram.forEach((count, index) => {
    const tall = ((high - top - bottom) * count) / most, x = index * column + (0.5 + side) * bar, y = high - bottom - tall;
    chart.append(svg("rect", { x, y, width: bar - 2, height: tall, class: side ? "white" : "black" }));
    if (count) chart.append(svg("text", { x: x + bar / 2 - 1, y: y - 3, "text-anchor": "middle" }, `${count}`));
  }));
  names.forEach((name, index) => chart.append(svg("text", { x: (index + 0.5) * column, y: high - 5, "text-anchor": "middle" }, name)));
  chart.append(svg("line", { x1: 0, x2: wide, y1: high - bottom, y2: high - bottom }));
  return h("figure", {}, chart, h("figcaption", { class: "told" }, t("review.histogram")));
}
