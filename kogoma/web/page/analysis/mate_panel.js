// Finding mates: the solver searches the shown position. A mate's line is shown like those of the engine; after a move of
// the attacker, all defences are shown, each with the line that mates. Both also for positions that are reached later.

import { Mates } from "../../client/mates.js";
import { includes } from "../app.js";
import { choice, h, spoken } from "../elements.js";
import { t } from "../later_texts.js";
import { language, say, translate } from "../translate.js";
import { LinesView, actsFor } from "./lines_view.js";

/** What is known of a position in a proof: the attacker mates within `plies` plies. At the turn of the attacker there is
 * one line; at the turn of the defender there are lines for all defences, null before they are searched. `said` is the key
 * of a sentence about the position and its values.
 * @typedef {{proof: Proof | null, plies: number, attacks: boolean, lines: {plies: number, moves: string[]}[] | null,
 *   said: [key: string, values: {[name: string]: number}]}} Step */

const TIMES = [10, 60, 300]; // s
const USUAL = 60; // the default of TIMES
const LONGEST = 512; // moves of a line

export class MatePanel {
  /** @param {App} app  @param {HTMLElement} slot  @param {HTMLElement} button starts and stops the search */
  constructor(app, slot, button) {
    this._app = app;
    this._button = button;
    /** @type {Mates | null} the solver for the open game */
    this._mates = null;
    this._solves = ""; // the variant and the memory of the solver
    /** What is known, by position.
     * @type {Map<string, Step>} */
    this._steps = new Map();
    this._searched = ""; // the position that is being searched, "" for none
    this._shows = ""; // the lines that are shown
    this._follows = false; // whether the focus moves to the next lines
    this._time = choice(spoken("mate.time"), [], "", undefined, { id: "mate-time" });
    this._time.select.append(...TIMES.map((seconds) =>
      h("option", { value: seconds, selected: seconds === USUAL, "data-text": "review.seconds", "data-seconds": seconds })));
    this._memory = h("span", { class: "told" });
    this._progress = h("p", { class: "told", id: "mate-progress" });
    this._status = h("p", { role: "status", id: "mate-status" });
    const host = h("ol", { class: "lines", id: "mate-lines" });
    this._lines = new LinesView(host, actsFor(app), LONGEST);
    this._element = h("div", { id: "mate", role: "group", "aria-labelledby": "find-mate" },
      this._progress, this._status, host, h("div", { class: "row" }, this._time.row, this._memory));
    slot.append(this._element);
    translate();
    app.on("leaving", () => this._forget());
    app.on("changed", (what) => this.show(what));
  }

  /** @param {Change} what */
  show(what) {
    if (includes(what, "node") && this._searched && this._searched !== this._key) this.stop();
    this._element.hidden = this._app.entry.die !== "none";
    if (includes(what, "node") || what === "view") this._draw();
  }

  /** Start the search for a mate in the shown position, or stop the running one. */
  press() {
    const step = this._steps.get(this._key);
    if (this._searched) this.stop();
    else if (step?.proof && !step.attacks) void this._search(step);
    else {
      this._steps.delete(this._key);
      void this._search(null);
    }
  }

  /** Stop the running search. */
  stop() {
    this._mates?.stop();
  }

  /** Forget everything about the open game. */
  _forget() {
    this.stop();
    this._mates = null;
    this._steps.clear();
  }

  /** The shown position. */
  get _key() {
    return this._keyAfter([]);
  }

  /** The position after these moves from the shown one.
   * @param {string[]} moves */
  _keyAfter(moves) {
    return [this._app.position.startSfen, ...this._app.tree.moves(), ...moves].join(" ");
  }

  /** The solver for the open game, which is kept for as long as the game and the setting of its memory.
   * @returns {Mates} */
  _solver() {
    const { index, entry: { name }, power: { hashMb } } = this._app, solves = `${name} ${hashMb}`;
    if (solves !== this._solves) this.stop();
    if (solves !== this._solves || !this._mates) this._mates = new Mates(index, name, hashMb);
    this._solves = solves;
    return this._mates;
  }

  /** Search the shown position: for a mate, or for the defences of a step.
   * @param {Step | null} step */
  async _search(step) {
    const { _app: app } = this, key = this._key, solver = this._solver(), seconds = Number(this._time.select.value);
    const game = { start: app.position.startSfen, moves: app.tree.moves() }, started = performance.now();
    /** @param {number} nodes */
    const progress = (nodes) => {
      const number = new Intl.NumberFormat(language(), { notation: "compact", maximumFractionDigits: 1 });
      const passed = Math.round((performance.now() - started) / 1000);
      this._progress.textContent = t("mate.progress", { nodes: number.format(nodes), passed, seconds });
    };
    this._searched = key;
    say(this._button, "mate.stop");
    this._progress.textContent = t("analysis.waiting");
    this._draw();
    this._element.scrollIntoView({ block: "nearest" });
    /** @type {[key: string, values: {[name: string]: number}]} */
    let ended = ["mate.stopped", {}];
    try {
      if (step?.proof) {
        const found = await solver.defences(game, step.proof, step.plies, 1000 * seconds, progress);
        if (found) this._keepDefences(step, found);
      } else {
        const answer = await solver.solve(game, 1000 * seconds, progress, (found) => this._searched === key && this._keepMate(found, true));
        if (answer?.verdict === "mate") this._keepMate(answer, false);
        else if (answer) ended = answer.verdict === "nomate" ? [app.entry.kingCapture ? "mate.none" : "mate.noChecks", {}] : ["mate.unknown", { seconds }];
      }
    } catch (error) {
      app.tell(app.index.server?.compiling ? t("mate.later") : t("mate.failed", { text: /** @type {Error} */ (error).message }), "problem");
    }
    this._searched = "";
    this._progress.textContent = "";
    say(this._button, "mate.find");
    if (this._mates !== solver) return; // another game is open
    const known = this._steps.get(key);
    if (!known) this._steps.set(key, { proof: null, plies: 0, attacks: true, lines: [], said: ended });
    else if (!known.lines) Object.assign(known, { lines: [], said: ended });
    else if (known.said[0] === "mate.sooner") known.said = ["mate.within", known.said[1]];
    this._draw();
    if (key === this._key) this._element.scrollIntoView({ block: "nearest" });
  }

  /** Keep a mate in the shown position.
   * @param {MateAnswer} answer  @param {boolean} goesOn whether a shorter mate is being searched for */
  _keepMate({ moves, plies, proof, isShortest, useless }, goesOn) {
    this._keepLine([], plies, moves, proof, [goesOn ? "mate.sooner" : isShortest ? "mate.in" : "mate.within", { plies, useless }]);
    if (goesOn) this._draw();
  }

  /** Keep the positions of a line that mates within `plies` plies, after `before` from the shown position.
   * @param {string[]} before  @param {number} plies  @param {string[]} moves  @param {Proof | null} proof
   * @param {Step["said"]} said about the first position */
  _keepLine(before, plies, moves, proof, said) {
    for (let ply = 0; ply <= moves.length; ply++) {
      const attacks = ply % 2 === 0, left = Math.max(plies - ply, 0), ends = ply === moves.length, key = this._keyAfter([...before, ...moves.slice(0, ply)]);
      if (ply && this._steps.get(key)?.lines?.length) continue;
      this._steps.set(key, {
        proof, plies: left, attacks,
        lines: ends || !proof ? [] : attacks ? [{ plies: left, moves: moves.slice(ply) }] : null,
        said: ends ? ["mate.mated", {}] : ply ? ["mate.within", { plies: left }] : said,
      });
    }
  }

  /** Keep the defences in the shown position.
   * @param {Step} step  @param {Defence[]} found */
  _keepDefences(step, found) {
    const solved = found.filter(({ plies }) => plies > 0), lost = found.length - solved.length;
    step.lines = solved.map(({ move, plies, moves }) => ({ plies, moves: [move, ...moves] }));
    step.said = found.length ? [lost ? "mate.someDefences" : "mate.defences", { count: solved.length, lost }] : ["mate.mated", {}];
    for (const { move, plies, moves } of solved) this._keepLine([move], plies, moves, step.proof, ["mate.within", { plies }]);
  }

  /** Move the focus to the first move of the lines, or to the button if there are none. */
  _focus() {
    (/** @type {HTMLElement | null} */ (this._element.querySelector(".line:not([hidden]) .move")) ?? this._button).focus();
  }

  /** Show what is known of the shown position; search the defences if they are not known yet. */
  _draw() {
    const { _app: app } = this, step = this._steps.get(this._key), lines = step?.lines ?? [];
    // With the keyboard, the focus stays in the lines when they change.
    this._follows ||= document.activeElement?.matches("#mate-lines :focus-visible") ?? false;
    this._memory.textContent = t("mate.memory", { mb: app.power.hashMb });
    const useless = step?.said[1].useless ? ` ${t("mate.useless", step.said[1])}` : "", said = step ? t(...step.said) + useless : "";
    if (this._status.textContent !== said) this._status.textContent = said;
    const shows = JSON.stringify([this._key, lines, app.view.language]);
    if (shows !== this._shows) {
      this._shows = shows;
      this._lines.clear();
      const { turn } = app.position, mater = step?.attacks ? 1 : -1;
      const infos = lines.map(({ plies, moves }, index) => ({
        pv: moves, scoreKind: "mate", score: mater * plies, depth: 0, seldepth: 0, bound: "", multipv: index + 1, nodes: 0, nps: 0, hashfull: 0, timeMs: 0,
      }));
      this._lines.show(infos, turn, infos.length, app.game.constants.LOWER_BOUND);
    }
    if (this._follows && (!step || step.lines)) {
      this._follows = false;
      if (!document.activeElement?.matches("#mate-lines :focus-visible")) this._focus();
    }
    if (step && !step.lines && !this._searched && !app.answer) void this._search(step);
  }
}
