// Iterative deepening: the counterpart of search/searcher.py, on one thread.
//
// A kernel has no clock and can't be interrupted. Under a clock an iteration is therefore searched in slices: it is
// broken off after as many nodes as half of the time that is left allows by the speed measured so far, and tried again
// while there is time; the table knows what was found before. Without a clock nothing is sliced, and a search repeats
// node for node what the native engine does.

import { DiceWorker } from "./dice_worker.js";
import { SQUARE_MASK } from "./sfen.js";
import { Table } from "./table.js";
import { CLOCK, budgetOf, isSpent } from "./time.js";
import { Worker } from "./worker.js";

/** @typedef {import("./game.js").Game} Game */
/** @typedef {import("./position.js").Position} Position */
/** @typedef {import("./time.js").Limits} Limits */
/** @typedef {import("./time.js").Budget} Budget */
/** @typedef {import("./worker.js").Line} Line */
/** @typedef {{multipv?: number, drawValueBlack?: number, drawValueWhite?: number, maxMovesToDraw?: number,
 *   declaration?: boolean, clock?: import("./time.js").ClockOptions}} Options as search/searcher.py has them */
/** @typedef {{depth: number, seldepth: number, multipv: number, scoreKind: string, score: number, bound: string,
 *   nodes: number, nps: number, hashfull: number, timeMs: number, pv: string[]}} Info */
/** @typedef {{best: string | null, ponder: string | null, scoreKind: string, score: number, depth: number,
 *   nodes: number}} Result `best` is null where there is no legal move, "win" where one is declared */

const SPEED = 100; // nodes a ms, until it is known
const SLICE = 0.5; // part of the time left that a slice is planned for
const LEAST_TIME = 0.3; // ms for which another slice pays
const LEAST_NODES = 200; // of a slice: its first nodes go to what the table knows
const MEASURED = 1; // ms after which a speed can be told

/** ["cp", centipawns] or ["mate", plies], negative where the side to move is mated.
 * @param {Game} game  @param {number} score  @returns {[string, number]} */
function scoreWords({ constants: { MATE, MATE_BOUND } }, score) {
  if (Math.abs(score) <= MATE_BOUND) return ["cp", score];
  return ["mate", score > 0 ? MATE - score : -MATE - score];
}

/** The moves that a search looks at, as the kernels encode them: legal, and allowed by the throw and `searchmoves`; an
 * Error for a throw or a move that can't be.
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

/** Where the game is won by capturing the king: its captures if there are any, otherwise the moves that do not leave
 * the own king to be captured, otherwise all. For the search's rules such moves are not legal.
 * @param {Position} position  @param {number[]} legal  @returns {number[]} */
function withoutBlunders(position, legal) {
  const { game } = position;
  if (!game.variant.king_capture || game.variant.cards) return legal;
  const king = position.king(1 - position.turn);
  const captures = legal.filter((move) => (move & SQUARE_MASK) === king);
  if (captures.length) return captures;
  const record = position.record.copy();
  game.call("init_position", game.searchRules, record); // for pins, which the real game does not have
  const safe = legal.filter((move) => game.call("may_play", game.searchRules, record, move));
  record.release();
  return safe.length ? safe : legal;
}

/** An engine's memory: table and histories, kept from move to move. */
export class Searcher {
  /** @param {Game} game  @param {number} hashMb  @param {() => number} [now] the clock, in ms */
  constructor(game, hashMb, now = () => performance.now()) {
    this._game = game;
    this._now = now;
    this._table = new Table(game, hashMb);
    this._worker = game.variant.die === "none" ? new Worker(game, this._table) : new DiceWorker(game, this._table);
    this._speed = SPEED;
  }

  /** Forget all earlier games, so that the next search repeats node for node. */
  newGame() {
    this._table.clear();
    this._worker.forget();
  }

  /** Search until a limit is reached. `started` is the time from which the clock counts.
   * @param {Position} position  @param {Limits} limits  @param {Options} [options]
   * @param {((info: Info) => void) | null} [report]  @param {number} [started]  @returns {Result} */
  search(position, limits, options = {}, report = null, started = this._now()) {
    const game = this._game, worker = this._worker, { declaration = true } = options;
    const moves = rootMoves(position, limits);
    const nothing = { ponder: null, depth: 0, nodes: 0 };
    if (!moves.length) return { ...nothing, best: null, scoreKind: "mate", score: 0 };
    if (declaration && position.mayDeclare()) {
      return { ...nothing, best: game.constants.DECLARATION, scoreKind: "cp", score: game.constants.RULE_WIN };
    }
    this._prepare(position, moves, limits, options);
    const clock = { ...CLOCK, ...options.clock };
    const budget = budgetOf(game.constants, limits, position.turn, position.ply, clock, game.squares);
    this._deepen(position, limits, options, budget, report, started);
    const line = position.variation(worker.lines[0]);
    const [scoreKind, score] = scoreWords(game, worker.scores[0]);
    return { best: line[0], ponder: line[1] ?? null, scoreKind, score, depth: worker.depth, nodes: worker.nodes };
  }

  /** @param {Position} position  @param {number[]} moves  @param {Limits} limits  @param {Options} options */
  _prepare(position, moves, limits, options) {
    const { drawValueBlack = 0, drawValueWhite = 0, maxMovesToDraw = 0, declaration = true } = options;
    this._table.nextGeneration();
    const ends = [position.game.variant.max_plies, maxMovesToDraw].filter((plies) => plies);
    // What a draw is worth to the engine's side, it is not worth to the other.
    const draw = position.turn ? drawValueWhite : drawValueBlack;
    const draws = position.turn ? [-draw, draw] : [draw, -draw];
    if (this._worker instanceof DiceWorker) this._worker.thrown = typeof limits.dice === "number";
    this._worker.prepare(position, moves, ends.length ? Math.min(...ends) : 0, draws, declaration);
  }

  /** @param {Position} position  @param {Limits} limits  @param {Options} options  @param {Budget | null} budget
   * @param {((info: Info) => void) | null} report  @param {number} started */
  _deepen(position, limits, options, budget, report, started) {
    const worker = this._worker, { MAX_DEPTH } = this._game.constants;
    const began = this._now(), until = budget ? started + budget.maximum : Infinity;
    let steady = 0;
    for (let depth = 1; depth <= Math.min(limits.depth || MAX_DEPTH, MAX_DEPTH); depth++) {
      const before = worker.lines[0][0], lastScore = worker.scores[0];
      /** @param {Line} line */
      const tell = (line) => report && report(this._info(position, depth, line, started));
      // The first depth is always searched: there must be a move to answer with.
      do {
        if (depth > 1) worker.goOn(this._sliceEnd(limits.nodes ?? 0, until, began));
        if (depth > 1 && until - this._now() < LEAST_TIME) return;
        worker.deepen(depth, options.multipv ?? 1, tell);
        this._measure(began);
        if (worker.stopped && limits.nodes && worker.nodes >= limits.nodes) return;
      } while (worker.stopped);
      steady = depth > 1 && worker.lines[0][0] === before ? steady + 1 : 0;
      const falling = depth > 1 ? lastScore - worker.scores[0] : 0;
      if (budget && this._isEnough(budget, steady, falling, this._now() - started)) return;
    }
  }

  /** How many nodes the search may have at the end of the next slice; 0 is no limit.
   * @param {number} wanted by the user  @param {number} until  @param {number} began  @returns {number} */
  _sliceEnd(wanted, until, began) {
    if (until === Infinity) return wanted;
    const slice = Math.floor((until - this._now()) * SLICE * this._speed);
    if (this._worker instanceof DiceWorker) {
      this._worker.proofNodes = Math.min(this._game.constants.CERTAIN_NODES, Math.max(slice, LEAST_NODES));
    }
    const end = this._worker.nodes + Math.max(slice, LEAST_NODES);
    return wanted ? Math.min(wanted, end) : end;
  }

  /** @param {number} began */
  _measure(began) {
    const elapsed = this._now() - began;
    if (elapsed >= MEASURED) this._speed = this._worker.nodes / elapsed;
  }

  /** Whether another iteration is not worth its time.
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
    const elapsed = this._now() - started, [scoreKind, value] = scoreWords(this._game, score), { nodes } = this._worker;
    return {
      depth, seldepth: this._worker.seldepth, multipv: index + 1, scoreKind, score: value, bound, nodes,
      nps: Math.floor((nodes * 1000) / Math.max(elapsed, 1e-3)), hashfull: this._table.permilleUsed(),
      timeMs: Math.floor(elapsed), pv: position.variation(moves),
    };
  }
}
