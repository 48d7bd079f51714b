// Runs the mate solver: the host of its kernels (search/mate/), as search/mate/solver.py is in Python.

import { Position } from "./position.js";
import { squareName } from "./sfen.js";
import { Table } from "./table.js";

/** Limits of a search: the end as a time of performance.now(), and a number of nodes.
 * @typedef {{until?: number, nodes?: number}} MateLimits */
/** What is needed to read the table of a search again: its number, whether the attacker may play any move, and whether it
 * searched for short mates.
 * @typedef {{number: number, everyMove: boolean, isShort: boolean}} Proof */
/** The result of a search, as MateAnswer in search/mate/solver.py. A mate has a proof.
 * @typedef {{verdict: "mate" | "nomate" | "timeout", moves: string[], plies: number, isShortest: boolean, useless: number,
 *   nodes: number, proof: Proof | null}} MateAnswer */
/** A move of the defender, and the mate after it; `plies` is 0 if the limits did not suffice to find it.
 * @typedef {{move: string, plies: number, moves: string[], useless: number}} Defence */
/** @typedef {{moves: string[], useless: number}} Solution */
/** The result of `mate_data` in web/game_data.py.
 * @typedef {{description: Pick<import("./game.js").GameDescription, "structs" | "changed" | "constants">, struct: Uint8Array}} MateData */

const NANOSECONDS = 1e6; // in a millisecond
const NEVER = Number.MAX_SAFE_INTEGER; // with deadline 0, kernels would not read the clock, which reports progress

export class MateSolver {
  /** @param {Game} game a Game of the solver's kernels, whose structs include `mate`
   * @param {MateData} data  @param {number} hashMb */
  constructor(game, { description, struct }, hashMb) {
    this._game = game;
    this._constants = description.constants;
    this._number = 0; // of the current search
    this._isShort = false; // whether it searches for short mates
    /** @type {Map<number, [mask: number, growAt: number]>} the part of the table that each search has used */
    this._parts = new Map();
    this._rules = game.rules.copy();
    for (const [name, value] of Object.entries(description.changed)) this._rules.set(name, value);
    this._board = game.newStruct("position");
    this._mate = game.newStruct("mate");
    this._mate.bytes.set(struct);
    const table = new Table(game, hashMb);
    this._mate.set("copy", this._board.address);
    this._mate.set("tt", table.address);
    this._mate.set("tt_full", table.buckets / this._constants.MATE_BUCKET - 1);
  }

  /** The number of nodes of the current search. */
  get nodes() {
    return this._mate.get("nodes");
  }

  /** Search for a forced mate by the side to move, and then for shorter ones until there is none.
   * @param {Position} position  @param {number} number distinguishes the entries of this search in the table from others
   * @param {MateLimits} limits  @param {(answer: MateAnswer) => void} [report] called with each mate before the shortest
   * @returns {MateAnswer} */
  solve(position, number, limits, report = () => {}) {
    const { _constants: { REFUTED, UNDECIDED } } = this;
    this._begin(position, number, limits);
    if (position.outcome()) return this._answer("nomate");
    const capture = this._kingToTake(position);
    if (capture) return { ...this._answer("mate"), moves: [capture], plies: 1, isShortest: true };
    const allowed = this._pliesLeft(position);
    let plies = this._shortMate(allowed, limits);
    if (plies < 0) plies = this._ask(allowed);
    if (plies === REFUTED && this._triesAllMoves) {
      this._allowEveryMove();
      plies = this._ask(allowed);
    }
    if (plies < 0) return this._answer(plies === REFUTED ? "nomate" : "timeout");
    const first = this._line(position, plies);
    if (!first) return this._answer("timeout");
    let best = this._mateIn(plies, first, plies === 1);
    if (plies > 1 && this._triesAllMoves && !this._mate.get("every_move")) this._allowEveryMove();
    while (!best.isShortest) {
      report(best);
      const shorter = this._ask(best.plies - 2);
      if (shorter === UNDECIDED) break;
      const left = shorter === REFUTED ? best.plies : shorter, line = this._line(position, left, shorter === REFUTED);
      if (line) best = this._mateIn(left, line, shorter === REFUTED || shorter === 1);
      else if (shorter === REFUTED) best.isShortest = true;
      else break;
    }
    return { ...best, nodes: this.nodes };
  }

  /** Find the mate after each legal move of the defender, who is to move.
   * @param {Position} position  @param {Proof} proof of the search that has found the mate
   * @param {number} plies within which the attacker mates, counted from this position
   * @param {MateLimits} limits  @returns {Defence[]} the longest mates first */
  defences(position, proof, plies, limits) {
    const { _game: game } = this, count = game.call("legal_moves", this._rules, position.struct, game.moveList, 0);
    const codes = game.moveList.slice("list", 0, count), moves = codes.map((code) => position.usi(code));
    const found = moves.map((move) => {
      position.push(move);
      this._resume(position, proof, limits);
      const left = this._ask(plies - 1), line = left < 0 ? null : this._line(position, left);
      position.pop();
      return line ? { move, plies: left, ...line } : { move, plies: 0, moves: [], useless: 0 };
    });
    return found.sort((one, other) => other.plies - one.plies);
  }

  /** Prepare the structs and the table for a new search.
   * @param {Position} position  @param {number} number  @param {MateLimits} limits */
  _begin(position, number, { until = Infinity, nodes = 0 }) {
    const { _game: game } = this, { repetition_result: result, repetition_fold: fold } = game.variant;
    // If one more repetition may end the game, only table entries for equal hands are used.
    let sameHands = 0;
    if (position.moves.length && result !== "none") {
      /** @type {Map<bigint, number>} */
      const counts = new Map();
      for (const key of position.struct.view("key").subarray(0, position.struct.get("ply") + 1)) counts.set(key, (counts.get(key) ?? 0) + 1);
      sameHands = Number(Math.max(...counts.values()) >= fold - 1);
    }
    const deadline = Math.round(Math.min(until * NANOSECONDS, NEVER));
    this._parts.set(this._number, [this._mate.get("tt_mask"), this._mate.get("grow_at")]);
    game.call("begin", this._rules, this._board, this._mate, position.struct.address, number, 0, nodes, deadline, sameHands);
    this._number = number;
    this._isShort = false;
  }

  /** Prepare another search that uses the table of an earlier one.
   * @param {Position} position  @param {Proof} proof  @param {MateLimits} limits */
  _resume(position, { number, everyMove, isShort }, limits) {
    this._begin(position, number, limits);
    if (everyMove) this._allowEveryMove();
    if (isShort) this._separateShort();
    const part = this._parts.get(number);
    if (!part) return; // the search was made by another solver
    this._mate.set("tt_mask", part[0]);
    this._mate.set("grow_at", part[1]);
  }

  /** Search for short mates, with few nodes for each length, as `_short_mate` of search/mate/solver.py does.
   * @param {number} longest  @param {MateLimits} limits  @returns {number} */
  _shortMate(longest, { until = Infinity, nodes = 0 }) {
    const { SHORT, SHORT_NODES, SHORT_PART, NODES_PER_MS, REFUTED } = this._constants, mate = this._mate;
    const ms = Math.max(until - performance.now(), 0);
    const few = Math.floor(Math.min(SHORT_NODES, (nodes || Infinity) / SHORT_PART, (ms * NODES_PER_MS) / SHORT_PART));
    let found = REFUTED;
    this._separateShort();
    for (let plies = 1; plies <= Math.min(longest, SHORT) && !mate.get("stop"); plies += 2) {
      const last = this.nodes + few;
      if (!nodes || last < nodes) mate.set("node_limit", last);
      found = this._ask(plies);
      mate.set("node_limit", nodes);
      if (found > 0) return found;
      if (this.nodes >= last && (!nodes || last < nodes) && performance.now() < until) mate.set("stop", 0); // it was set because of `last`
    }
    this._separateShort();
    return found;
  }

  /** Begin or end to use other table entries than searches without a limit of plies do. */
  _separateShort() {
    this._mate.view("salt")[0] ^= BigInt(this._constants.SHORT_SALT);
    this._isShort = !this._isShort;
  }

  /** Return the longest mate that counts by the variant's limit of plies, in plies.
   * @param {Position} position */
  _pliesLeft(position) {
    const { max_plies: most, king_capture: captures, cards } = this._game.variant, { CAPTURE_DELAY, NO_LIMIT } = this._constants;
    return most ? Math.min(NO_LIMIT, most - (captures && !cards ? CAPTURE_DELAY : 0) - position.ply) : NO_LIMIT;
  }

  /** Return a move that captures the enemy king, "" if there is none or if that does not win.
   * @param {Position} position */
  _kingToTake(position) {
    const { variant } = this._game;
    if (!variant.king_capture || variant.cards) return "";
    const king = squareName(this._game, position.king(1 - position.turn));
    return position.legalMoves().find((move) => move.slice(2, 4) === king) ?? "";
  }

  /** Whether all moves are tried if checks and winning moves alone do not mate. */
  get _triesAllMoves() {
    return this._game.variant.king_capture;
  }

  /** Let the attacker play any move in the following searches, which do not use the table entries of earlier ones. */
  _allowEveryMove() {
    this._mate.set("every_move", 1);
    this._mate.view("salt")[0] ^= BigInt(this._constants.OTHER_SALT);
  }

  /** Run the kernel `solve` with a limit of plies, and return its result.
   * @param {number} limit */
  _ask(limit) {
    return this._game.call("solve", this._rules, this._board, this._mate, limit);
  }

  /** Return the moves of a mate within `plies` plies, which must be proven, against the longest defence, or null if the
   * search was stopped. `exact` is explained in the kernel `solution`.
   * @param {Position} position  @param {number} plies  @param {boolean} [exact]  @returns {Solution | null} */
  _line(position, plies, exact = false) {
    const found = this._game.call("solution", this._rules, this._board, this._mate, plies, Number(exact));
    if (!found) return null;
    const shift = 2 ** this._constants.USELESS_SHIFT;
    return { moves: position.variation(this._mate.slice("line", 0, found % shift)), useless: Math.floor(found / shift) };
  }

  /** @param {MateAnswer["verdict"]} verdict  @returns {MateAnswer} */
  _answer(verdict) {
    const { nodes } = this;
    return { verdict, moves: [], plies: 0, isShortest: false, useless: 0, nodes, proof: null };
  }

  /** @param {number} plies  @param {Solution} line  @param {boolean} isShortest  @returns {MateAnswer} */
  _mateIn(plies, line, isShortest) {
    const proof = { number: this._number, everyMove: this._mate.get("every_move") === 1, isShort: this._isShort };
    return { ...this._answer("mate"), ...line, plies, isShortest, proof };
  }
}
