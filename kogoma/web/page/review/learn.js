// Questions about the mistakes of a game: a person looks for a better move. The tree of the game does not change.

import { shortMove } from "../../board/descriptions.js";
import { actsFor } from "../analysis/lines_view.js";
import { includes } from "../app.js";
import { choice, h, spoken } from "../elements.js";
import { t } from "../later_texts.js";
import { focusBoard } from "../play/set_up.js";
import { sideName } from "../translate.js";
import { WRONG, judgement, judgingOf } from "./judge.js";
import { legalPart, lineFor } from "./review.js";

/** @typedef {{node: GameNode, side: number}} Question `node` is that of the mistake */

export class Learn {
  /** @param {App} app  @param {() => Question[]} questions returns the questions of the shown line */
  constructor(app, questions) {
    this._app = app;
    this._find = questions;
    /** @type {Question[]} */
    this._asked = [];
    this._number = 0;
    this._right = 0;
    /** The engine that judges a move, or null.
     * @type {EngineLike | null} */
    this._engine = null;
    this._sides = choice(spoken("learn.sides"), [], "", () => this.show(), { id: "learn-side" });
    this._sides.select.append(...["both", "black", "white"].map((key, index) =>
      h("option", { value: index - 1, "data-text": key === "both" ? "learn.both" : key })));
    /** @param {string} id  @param {() => void} act */
    const button = (id, act) => h("button", { type: "button", id: `learn-${id}`, "data-text": `learn.${id}`, onclick: act });
    this._start = button("start", () => this._begin());
    this._again = button("again", () => this._retry());
    this._solution = button("solution", () => this._solve());
    this._next = button("next", () => this._ask(this._number + 1));
    this._end = button("end", () => {
      this.end();
      this._start.focus();
    });
    this._told = h("p", { id: "learn-told", role: "status" });
    this._acts = h("div", { class: "row", hidden: true }, this._again, this._solution, this._next, this._end);
    this._setUp = h("div", { class: "row", hidden: true }, this._start, this._sides.row);
    this.element = h("div", { id: "learn" }, this._setUp, this._told, this._acts);
    app.on("leaving", () => this.end());
    app.on("changed", (what) => {
      if (includes(what, "node") && app.answer && app.node !== this._question.node.parent) this.end();
    });
  }

  /** Show the button if there are mistakes, and enable it if the chosen side has some. */
  show() {
    const found = this._find(), asks = this._app.answer !== null;
    this._setUp.hidden = asks || !found.length;
    this._start.disabled = !this._chosen(found).length;
  }

  /** @param {Question[]} questions */
  _chosen(questions) {
    const side = Number(this._sides.select.value);
    return questions.filter((one) => side < 0 || one.side === side);
  }

  get _question() {
    return this._asked[this._number];
  }

  _begin() {
    this._asked = this._chosen(this._find());
    this._right = 0;
    this._ask(0);
  }

  /** End the questions. */
  end() {
    const { _app: app } = this;
    if (!app.answer) return;
    app.answer = null;
    this._engine?.stop();
    this._told.textContent = t("learn.result", { right: this._right, all: this._asked.length });
    this._acts.hidden = true;
    this.show();
    if (app.looksAhead) app.look(null);
    app.setArrows("review", []);
  }

  /** @param {number} number */
  _ask(number) {
    const { _app: app } = this;
    this._engine?.stop();
    if (number >= this._asked.length) {
      this.end();
      this._start.focus();
      return;
    }
    this._number = number;
    const { node } = this._question;
    app.answer = (move) => void this._judge(move);
    app.goTo(/** @type {GameNode} */ (node.parent));
    if (node.dice) app.rollShown = node.dice;
    this._acts.hidden = false;
    this._again.hidden = true;
    this._solution.hidden = false;
    this.show();
    this._showQuestion();
  }

  /** Judge a move of the person. The engine searches it if that was not done in the review.
   * @param {string} move */
  async _judge(move) {
    const { _app: app, _question: question } = this, { node, side } = question, lines = /** @type {Line[]} */ (node.lines);
    if (this._engine) return;
    const written = shortMove(app.state, move, app.view.language, app.index.cards);
    const asks = () => app.answer !== null && this._question === question;
    this._told.textContent = t("learn.judging", { move: written });
    try {
      this._engine = app.engine("analysis");
      const game = { start: app.position.startSfen, moves: app.tree.moves() };
      const line = await lineFor(this._engine, game, node.dice ? { dice: node.dice } : {}, lines, move);
      if (!asks()) return;
      if (!line) return this._fail(t("learn.unknown"));
      const { name, loss, missedMate } = judgement(judgingOf(app), node.ply - 1, side, lines[0], line);
      app.look([move]);
      const wrong = WRONG.includes(name);
      this._again.hidden = !wrong;
      this._solution.hidden = !wrong;
      if (!wrong) this._right += 1;
      const why = missedMate ? t("review.missed", { plies: missedMate }) : t("review.loss", { percent: Math.round(100 * loss) });
      this._told.textContent = t(wrong ? "learn.wrong" : "learn.right", { move: written, why });
      (wrong ? this._again : this._next).focus();
    } catch (error) {
      if (asks()) this._fail(t("analysis.failed", { text: /** @type {Error} */ (error).message }));
    } finally {
      this._engine = null;
    }
  }

  /** @param {string} text */
  _fail(text) {
    this._told.textContent = text;
  }

  _retry() {
    this._app.look(null);
    this._again.hidden = true;
    this._showQuestion();
  }

  _showQuestion() {
    const { _app: app } = this, { node, side } = this._question;
    const texts = { number: this._number + 1, all: this._asked.length, side: sideName(side), move: app.written(node) };
    this._told.textContent = t("learn.question", texts);
    focusBoard();
  }

  /** Show the best line in words, and its first move as an arrow. The question then counts as not solved. */
  _solve() {
    const { _app: app } = this, [[line]] = /** @type {Line[]} */ (this._question.node.lines), moves = legalPart(app.position, line);
    this._engine?.stop();
    app.look(null);
    app.setArrows("review", moves.slice(0, 1).map((usi) => ({ usi, weight: 1, kind: "hint" })));
    this._again.hidden = true;
    this._solution.hidden = true;
    this._told.textContent = t("learn.best", { moves: actsFor(app).write(moves).join(" ") });
    app.answer = () => {};
    this._next.focus();
  }
}
