// Iterative deepening: the counterpart of search/searcher.py.

import { SQUARE_MASK } from "./sfen.js";
import { Table } from "./table.js";
import { CLOCK, budgetOf, isSpent } from "./time.js";
import { DiceWorker, Worker } from "./worker.js";

/** @typedef {{multipv?: number, drawValueBlack?: number, drawValueWhite?: number, maxMovesToDraw?: number,
 *   declaration?: boolean, clock?: import("./time.js").ClockOptions}} Options the SearchOptions of search/limits.py */
/** @typedef {{depth: number, seldepth: number, multipv: number, scoreKind: string, score: number, bound: string,
 *   nodes: number, nps: number, hashfull: number, timeMs: number, pv: string[]}} Info */
/** @typedef {{best: string | null, ponder: string | null, scoreKind: string, score: number, depth: number,
 *   nodes: number, elapsed?: number}} Result `best` is null if there is no legal move, "win" if a win is declared;
 *   `elapsed`: the ms from the start of the search to its answer, if the engine measures them */

/** Return a score as ["cp", centipawns] or ["mate", plies], negative if the side to move is worse.
 * @param {Game} game  @param {number} score  @returns {[string, number]} */
function scoreWords({ constants: { MATE, MATE_BOUND } }, score) {
  if (Math.abs(score) <= MATE_BOUND) return ["cp", score];
  return ["mate", score > 0 ? MATE - score : -MATE - score];
}

/** Return the codes of the root moves: legal, and allowed by the die roll and by `searchmoves`. Moves that lose the
 * king at once are left out if there are others. Throw an Error if the roll is not possible, or a move of `searchmoves`
 * is not legal.
 * @param {Position} position  @param {Limits} limits  @returns {number[]} */
function rootMoves(position, limits) {
  const legal = position.allowedCodes(limits.dice ?? null), moves = withoutBlunders(position, legal);
  if (!limits.searchmoves?.length) return moves;
  const known = new Map(legal.map((move) => [position.usi(move), move]));
  const unknown = limits.searchmoves.find((move) => !known.has(move));
  if (unknown !== undefined) throw new Error(`searchmoves: ${unknown} is not legal here`);
  const wanted = new Set(limits.searchmoves.map((move) => known.get(move)));
  const chosen = moves.filter((move) => wanted.has(move));
  return chosen.length ? chosen : legal.filter((move) => wanted.has(move));
}

/** Return the legal moves without those that lose the king at once, in variants in which kings are captured. These are
 * the captures of the king if there are any, otherwise the moves that end the game or do not leave the own king in
 * check. If there are none of these, and in other variants, return all legal moves.
 * @param {Position} position  @param {number[]} legal  @returns {number[]} */
function withoutBlunders(position, legal) {
  const { game } = position;
  if (!game.variant.king_capture || game.variant.cards) return legal;
  const king = position.king(1 - position.turn);
  const captures = legal.filter((move) => (move & SQUARE_MASK) === king);
  if (captures.length) return captures;
  const struct = position.struct.copy();
  game.call("init_position", game.searchRules, struct); // finds pins, which the game's rules ignore
  const safe = legal.filter((move) => game.call("may_play", game.searchRules, struct, move) || ends(position, move));
  struct.release();
  return safe.length ? safe : legal;
}

/** Return whether a move ends the game, for example by repetition.
 * @param {Position} position  @param {number} move */
function ends(position, move) {
  position.push(position.usi(move));
  const over = position.outcome() !== null;
  position.pop();
  return over;
}

/** The engine's memory between searches (transposition table and histories), and the searches made with it. */
export class Searcher {
  /** Create a searcher with a table of `hashMb` MB. If `suspends` is true, the clock may suspend kernels; then `steps`
   * must be used instead of `search`. `helpers` creates the helper threads.
   * @param {Game} game  @param {number} hashMb  @param {boolean} [suspends]
   * @param {((table: Table) => Helpers) | null} [helpers] */
  constructor(game, hashMb, suspends = false, helpers = null) {
    this._game = game;
    this._table = new Table(game, hashMb);
    this._worker = game.variant.die === "none" ? new Worker(game, this._table) : new DiceWorker(game, this._table);
    this._worker.suspends = suspends;
    /** The time limits of the last search. @type {Budget | null} */
    this.budget = null;
    if (helpers && this._worker instanceof Worker) this._worker.helpers = helpers(this._table);
  }

  /** Clear table and histories, so that the next search is reproducible node by node. */
  newGame() {
    this._worker.helpers?.wait();
    this._table.clear();
    this._worker.forget();
    this._worker.helpers?.forget();
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
    const game = this._game, worker = this._worker, { declaration = true } = options;
    const moves = rootMoves(position, limits);
    const nothing = { ponder: null, depth: 0, nodes: 0 };
    if (!moves.length) return { ...nothing, best: null, scoreKind: "mate", score: 0 };
    if (declaration && position.mayDeclare()) {
      return { ...nothing, best: game.constants.DECLARATION, scoreKind: "cp", score: game.constants.RULE_WIN };
    }
    this._prepare(position, moves, limits, options);
    const clock = { ...CLOCK, ...options.clock };
    this.budget = budgetOf(game.constants, limits, position.turn, position.ply, clock, game.squares);
    try {
      yield* this._deepen(position, limits, options, this.budget, report, started);
    } finally {
      if (worker instanceof Worker) worker.helpers?.stop(worker);
    }
    const line = position.variation(worker.lines[0]);
    const [scoreKind, score] = scoreWords(game, worker.score);
    return { best: line[0], ponder: line[1] ?? null, scoreKind, score, depth: worker.depth, nodes: this._nodes };
  }

  /** The nodes of all threads in this search. */
  get _nodes() {
    return this._worker.nodes + (this._worker.helpers?.nodes ?? 0);
  }

  /** @param {Position} position  @param {number[]} moves  @param {Limits} limits  @param {Options} options */
  _prepare(position, moves, limits, options) {
    const { drawValueBlack = 0, drawValueWhite = 0, maxMovesToDraw = 0, declaration = true } = options;
    const ends = [position.game.variant.max_plies, maxMovesToDraw].filter((plies) => plies);
    const worker = this._worker, maxPlies = ends.length ? Math.min(...ends) : 0;
    worker.helpers?.wait();
    this._table.nextGeneration();
    // The option of the side to move at the root is used; the opponent's draw value is its negative.
    const draw = position.turn ? drawValueWhite : drawValueBlack;
    const draws = position.turn ? [-draw, draw] : [draw, -draw];
    if (worker instanceof DiceWorker) {
      worker.rolled = typeof limits.dice === "number";
      worker.prepare(position, moves, maxPlies, draws);
      return;
    }
    const restricted = Boolean(limits.searchmoves?.length);
    worker.prepare(position, moves, restricted, maxPlies, draws, declaration);
    worker.helpers?.prepare(worker, position, moves, restricted, maxPlies, draws, declaration);
  }

  /** @param {Position} position  @param {Limits} limits  @param {Options} options  @param {Budget | null} budget
   * @param {((info: Info) => void) | null} report  @param {number} started
   * @returns {Generator<Promise<number>, void, number>} */
  *_deepen(position, limits, options, budget, report, started) {
    const worker = this._worker, { MAX_DEPTH } = this._game.constants;
    let steady = 0;
    for (let depth = 1; depth <= Math.min(limits.depth || MAX_DEPTH, MAX_DEPTH); depth++) {
      const before = worker.lines[0][0], lastScore = worker.scores[0];
      /** @param {Line} line */
      const tell = (line) => report && report(this._info(position, depth, line, started));
      yield* worker.deepen(depth, options.multipv ?? 1, tell);
      // The first depth has no limits: there must be a move to answer with.
      if (depth === 1) {
        const until = budget ? started + budget.maximum : 0;
        worker.limit(limits.nodes ?? 0, until);
        worker.helpers?.limit(until);
      }
      if (worker.stopped) return;
      steady = depth > 1 && worker.lines[0][0] === before ? steady + 1 : 0;
      const falling = depth > 1 ? lastScore - worker.scores[0] : 0;
      if (budget && this._isEnough(budget, steady, falling, performance.now() - started)) return;
    }
  }

  /** Return whether the search should end before the next iteration.
   * @param {Budget} budget  @param {number} steady
   * @param {number} falling  @param {number} elapsed  @returns {boolean} */
  _isEnough(budget, steady, falling, elapsed) {
    const { constants } = this._game, worker = this._worker;
    const plies = constants.MATE - Math.abs(worker.scores[0]);
    if (Math.abs(worker.scores[0]) > constants.MATE_BOUND && worker.depth > plies + 2) return true;
    const { depth, scores: { length: choices } } = worker;
    return isSpent(constants, budget, { elapsed, depth, choices, steady, falling, effort: worker.effort() });
  }

  /** @param {Position} position  @param {number} depth  @param {Line} line  @param {number} started  @returns {Info} */
  _info(position, depth, { index, score, moves, bound }, started) {
    const elapsed = performance.now() - started, [scoreKind, value] = scoreWords(this._game, score);
    const nodes = this._nodes, seldepth = Math.max(this._worker.seldepth, this._worker.helpers?.seldepth ?? 0);
    return {
      depth, seldepth, multipv: index + 1, scoreKind, score: value, bound, nodes,
      nps: Math.floor((nodes * 1000) / Math.max(elapsed, 1e-3)), hashfull: this._table.permilleUsed(),
      timeMs: Math.floor(elapsed), pv: position.variation(moves),
    };
  }
}
