// Runs searches: the host of the kernels that drive a search (search/root.py, search/deepening.py and
// search/dice/deepening.py). The control struct (search/control.py) holds limits, reports and the answer.

import { SearchThread } from "./search_thread.js";
import { Table } from "./table.js";

/** @typedef {{btime?: number, wtime?: number, byoyomi?: number, binc?: number, winc?: number, movestogo?: number,
 *   movetime?: number, depth?: number, nodes?: number, infinite?: boolean, searchmoves?: string[],
 *   dice?: number | null}} Limits the limits of one search, times in ms; `dice` is the die roll, 1 to 6 */
/** @typedef {{networkDelay?: number, minimumThinkingTime?: number, slowMover?: number}} ClockOptions */
/** @typedef {{multipv?: number, drawValueBlack?: number, drawValueWhite?: number, maxMovesToDraw?: number,
 *   declaration?: boolean, noise?: number, seed?: number, clock?: ClockOptions}} Options the SearchOptions of search/limits.py */
/** @typedef {{depth: number, seldepth: number, multipv: number, scoreKind: string, score: number, bound: string,
 *   nodes: number, nps: number, hashfull: number, timeMs: number, pv: string[]}} Info */
/** @typedef {{best: string | null, ponder: string | null, scoreKind: string, score: number, depth: number,
 *   nodes: number, elapsed?: number}} Result `best` is null if there is no legal move, "win" if a win is declared;
 *   `elapsed`: the ms from the start of the search to its answer, if the engine measures them */

const NANOSECONDS = 1e6; // in a millisecond
// The deadline of a search without time limit. With deadline 0, kernels would not read the clock, which may stop them.
const NEVER = Number.MAX_SAFE_INTEGER;

/** Return a time of performance.now() in ns.
 * @param {number} time */
const nanoseconds = (time) => Math.round(time * NANOSECONDS);

/** Return the move codes of `searchmoves`, [] if all moves are allowed. Throw an Error if one of them is not legal, or
 * if the roll is not possible.
 * @param {Position} position  @param {Limits} limits  @returns {number[]} */
function wantedMoves(position, { searchmoves = [], dice = null }) {
  const known = new Map(position.allowedCodes(dice).map((move) => [position.usi(move), move]));
  return [...new Set(searchmoves)].map((usi) => {
    const move = known.get(usi);
    if (move === undefined) throw new Error(`searchmoves: ${usi} is not legal here`);
    return move;
  });
}

/** The engine's memory between searches (transposition table and histories), and the searches made with it. */
export class Searcher {
  /** Create a searcher with a table of `hashMb` MB. If `suspends` is true, the clock may suspend kernels; then `steps`
   * must be used instead of `search`. `helpers` creates the helper threads.
   * @param {Game} game  @param {number} hashMb  @param {boolean} [suspends]
   * @param {((table: Table) => Helpers) | null} [helpers] */
  constructor(game, hashMb, suspends = false, helpers = null) {
    this._game = game;
    this._suspends = suspends;
    this._table = new Table(game, hashMb);
    this._main = new SearchThread(game, this._table);
    this._helpers = helpers && game.variant.die === "none" ? helpers(this._table) : null;
    this._control = game.newStruct("control");
    this._withoutDeclaration = game.struct.copy();
    this._withoutDeclaration.fill("declaration", [0, 0]);
  }

  /** Clear table and histories, so that the next search is reproducible node by node. */
  newGame() {
    this._helpers?.wait();
    this._table.clear();
    this._main.forget();
    this._helpers?.forget();
  }

  /** The time from the start of the last search at which it had to end, in ms; null if no clock has limited it.
   * @returns {number | null} */
  get maximum() {
    const control = this._control, timed = control.get("limited") && !control.get("held");
    return timed ? control.get("maximum") / 1000 : null;
  }

  /** Search until a limit is reached. `started` is the time at which the clock started.
   * @param {Position} position  @param {Limits} limits  @param {Options} [options]
   * @param {((info: Info) => void) | null} [report]  @param {number} [started] by performance.now()
   * @returns {Result} */
  search(position, limits, options = {}, report = null, started = performance.now()) {
    const steps = this.steps(position, limits, options, report, started);
    const { done, value } = steps.next();
    if (!done) throw new Error("call `steps` instead of `search` if the clock may suspend kernels");
    return value;
  }

  /** Like `search`, as a generator: the caller awaits each yielded promise and passes its value to `next`.
   * @param {Position} position  @param {Limits} limits  @param {Options} options
   * @param {((info: Info) => void) | null} report  @param {number} started
   * @returns {Generator<Promise<number>, Result, number>} */
  *steps(position, limits, options, report, started) {
    const game = this._game, control = this._control, { DECLARATION, DECLARES, DONE, REPORT, RULE_WIN } = game.constants;
    const searched = options.declaration ?? true ? game.struct : this._withoutDeclaration;
    this._write(position, limits, options, started);
    const begun = game.call("begin", game.rules, searched, position.struct, control);
    if (begun === 0) return { best: null, ponder: null, scoreKind: "mate", score: 0, depth: 0, nodes: 0 };
    if (begun === DECLARES) {
      return { best: DECLARATION, ponder: null, scoreKind: "cp", score: RULE_WIN, depth: 0, nodes: 0 };
    }
    this._helpers?.wait();
    this._table.nextGeneration();
    this._main.prepare(position, control);
    this._helpers?.prepare(this._main, position, control);
    try {
      for (;;) {
        const status = yield* this._iterate(searched);
        if (status === DONE) break;
        if (status === REPORT) report?.(this._info(position, started));
        // Also after HELP, because a helper may not have been ready before.
        if (control.get("helping")) this._helpers?.start(this._main, searched);
      }
    } finally {
      this._helpers?.stop(this._main);
    }
    const [best, ponder = null] = this._line(position), [scoreKind, score] = this._score();
    return { best, ponder, scoreKind, score, depth: control.get("depth"), nodes: this._nodes };
  }

  /** Write limits and options into the control struct. Throw an Error if they contain an illegal move or an impossible
   * roll.
   * @param {Position} position  @param {Limits} limits  @param {Options} options  @param {number} started */
  _write(position, limits, options, started) {
    const control = this._control, wanted = wantedMoves(position, limits), { MOST_TIME } = this._game.constants;
    const { clock = {}, maxMovesToDraw } = options, ownLimit = this._game.variant.max_plies || Infinity;
    /** @type {[name: string, value: number | boolean | null | undefined, index?: number][]} */
    const fields = [
      ["main_time", limits.btime, 0], ["main_time", limits.wtime, 1],
      ["increment", limits.binc, 0], ["increment", limits.winc, 1],
      ["byoyomi", limits.byoyomi], ["movetime", limits.movetime], ["movestogo", limits.movestogo],
      ["held", limits.infinite], ["depth_limit", limits.depth], ["node_limit", limits.nodes], ["roll", limits.dice],
      ["wanted_count", wanted.length], ["multipv", options.multipv], ["noise", options.noise], ["random", options.seed],
      ["draw_value", options.drawValueBlack, 0], ["draw_value", options.drawValueWhite, 1],
      ["max_plies", maxMovesToDraw ? Math.min(maxMovesToDraw, ownLimit) : null], ["declaration", options.declaration],
      ["network_delay", clock.networkDelay], ["minimum_thinking_time", clock.minimumThinkingTime],
      ["slow_mover", clock.slowMover],
    ];
    control.reset();
    for (const [name, value, index] of fields) {
      if (value !== undefined && value !== null) control.set(name, Math.round(Math.min(Number(value), MOST_TIME)), index);
    }
    control.fill("wanted", wanted);
    control.set("started", nanoseconds(started));
    control.set("no_deadline", NEVER);
  }

  /** Call the kernel `iterate`. If the clock may suspend it, yield a promise of the result; the caller passes the
   * result to `next`.
   * @param {NativeStruct} searched  @returns {Generator<Promise<number>, number, number>} */
  *_iterate(searched) {
    const game = this._game, { position, struct } = this._main, now = nanoseconds(performance.now());
    if (!this._suspends) return game.call("iterate", searched, position, struct, this._control, now);
    return yield game.promise("iterate", searched, position, struct, this._control, now);
  }

  /** The nodes of all threads in this search. */
  get _nodes() {
    return this._main.nodes + (this._helpers?.nodes ?? 0);
  }

  /** Return the reported score as ["cp", centipawns] or ["mate", plies], negative if the side to move is worse.
   * @returns {[string, number]} */
  _score() {
    const { MATE, MATE_BOUND } = this._game.constants, score = this._control.get("line_score");
    if (Math.abs(score) <= MATE_BOUND) return ["cp", score];
    return ["mate", score > 0 ? MATE - score : -MATE - score];
  }

  /** Return the moves of the reported line in USI notation.
   * @param {Position} position */
  _line(position) {
    return position.variation(this._control.slice("line", 0, this._control.get("line_length")));
  }

  /** @param {Position} position  @param {number} started  @returns {Info} */
  _info(position, started) {
    const control = this._control, { LOWER_BOUND, UPPER_BOUND } = this._game.constants;
    const bound = ["", UPPER_BOUND, LOWER_BOUND][control.get("line_bound")], [scoreKind, score] = this._score();
    const elapsed = performance.now() - started, nodes = this._nodes;
    return {
      depth: control.get(bound ? "iteration" : "depth"), multipv: control.get("line_index") + 1, scoreKind, score, bound,
      seldepth: Math.max(this._main.seldepth, this._helpers?.seldepth ?? 0), nodes,
      nps: Math.floor((nodes * 1000) / Math.max(elapsed, 1e-3)), hashfull: this._table.permilleUsed(),
      timeMs: Math.floor(elapsed), pv: this._line(position),
    };
  }
}
