// Iterative deepening: the counterpart of search/searcher.py, on one thread.
//
// A kernel has no clock and can't be interrupted. Under a clock an iteration is therefore searched in slices: it is
// broken off after as many nodes as half of the time that is left allows by the speed measured so far, and tried again
// while there is time; the table knows what was found before. Without a clock nothing is sliced, and a search repeats
// node for node what the native engine does.

import { DiceWorker } from "./dice_worker.js";
import { SQUARE_MASK } from "./sfen.js";
import { Table } from "./table.js";
import { CLOCK, budgetOf } from "./time.js";
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

/** The legal moves that a search looks at: where the game is to capture the king, its captures if there are any,
 * otherwise the moves that do not leave the own king to be captured, otherwise all.
 * @param {Position} position  @returns {number[]} */
function rootMoves(position) {
  const { game } = position, moves = position.legalCodes();
  if (!game.variant.king_capture || game.variant.cards) return moves;
  const king = position.king(1 - position.turn);
  const captures = moves.filter((move) => (move & SQUARE_MASK) === king);
  if (captures.length) return captures;
  const record = position.record.copy();
  game.call("init_position", game.searchRules, record); // for pins, which the real game does not have
  const safe = moves.filter((move) => game.call("may_play", game.searchRules, record, move));
  record.release();
  return safe.length ? safe : moves;
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
    let moves = rootMoves(position);
    const nothing = { ponder: null, depth: 0, nodes: 0 };
    if (!moves.length) return { ...nothing, best: null, scoreKind: "mate", score: 0 };
    if (declaration && position.mayDeclare()) {
      return { ...nothing, best: game.constants.DECLARATION, scoreKind: "cp", score: game.constants.RULE_WIN };
    }
    if (limits.dice !== undefined) moves = position.allowedCodes(limits.dice);
    const wanted = limits.searchmoves ? moves.filter((move) => limits.searchmoves?.includes(position.usi(move))) : [];
    if (wanted.length) moves = wanted;
    this._prepare(position, moves, limits, options);
    const clock = { ...CLOCK, ...options.clock };
    const budget = budgetOf(game.constants, limits, position.turn, position.ply, clock, game.squares);
    this._deepen(position, limits, options, budget, report, started);
    const line = position.variation(worker.lines[0]);
    const [scoreKind, score] = scoreWords(game, worker.scores[0]);
    return { best: line[0], ponder: line[1] ?? null, scoreKind, score, depth: worker.depth, nodes: worker.nodes };
  }

  /** @param {Position} position  @param {number[]} moves  @param {Limits} limits  @param {Options} options */
  _prepare(position, moves, limits, { drawValueBlack = 0, drawValueWhite = 0, maxMovesToDraw = 0, declaration = true }) {
    this._table.nextGeneration();
    const ends = [position.game.variant.max_plies, maxMovesToDraw].filter((plies) => plies);
    // What a draw is worth to the engine's side, it is not worth to the other.
    const draw = position.turn ? drawValueWhite : drawValueBlack;
    const draws = position.turn ? [-draw, draw] : [draw, -draw];
    if (this._worker instanceof DiceWorker) this._worker.thrown = limits.dice !== undefined;
    this._worker.prepare(position, moves, ends.length ? Math.min(...ends) : 0, draws, declaration);
  }

  /** @param {Position} position  @param {Limits} limits  @param {Options} options  @param {Budget | null} budget
   * @param {((info: Info) => void) | null} report  @param {number} started */
  _deepen(position, limits, options, budget, report, started) {
    const worker = this._worker, { MAX_DEPTH } = this._game.constants;
    const began = this._now(), until = budget ? started + budget.maximum : Infinity;
    let lastBest = 0, steady = 0, lastScore = 0;
    for (let depth = 1; depth <= Math.min(limits.depth || MAX_DEPTH, MAX_DEPTH); depth++) {
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
      const best = worker.lines[0][0], score = worker.scores[0];
      steady = best === lastBest ? steady + 1 : 0;
      const falling = depth > 1 ? lastScore - score : 0;
      lastBest = best;
      lastScore = score;
      if (this._enough(limits, budget, depth, steady, falling, this._now() - started)) return;
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
   * @param {Limits} limits  @param {Budget | null} budget  @param {number} depth
   * @param {number} steady  @param {number} falling  @param {number} elapsed  @returns {boolean} */
  _enough(limits, budget, depth, steady, falling, elapsed) {
    const { ENOUGH_WITHOUT_CHOICE, MATE, MATE_BOUND } = this._game.constants, worker = this._worker;
    const score = worker.scores[0], plies = MATE - Math.abs(score);
    if (Math.abs(score) > MATE_BOUND) {
      if ((limits.mate !== undefined && score > 0 && plies <= limits.mate) || (budget && depth > plies + 2)) return true;
    }
    if (!budget) return false;
    if (worker.scores.length === 1 && depth >= ENOUGH_WITHOUT_CHOICE) return elapsed >= budget.minimum;
    if (budget.optimum >= budget.maximum) return elapsed >= budget.maximum;
    // A settled move deserves less than its share, a falling score or a contested move more.
    let share = budget.optimum * (1.2 - 0.08 * Math.min(steady, 8));
    share *= 1 + Math.min(Math.max(falling, 0), 200) / 200;
    share *= 1.5 - 0.8 * worker.effort();
    return elapsed >= Math.max(share * 0.7, budget.minimum);
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
