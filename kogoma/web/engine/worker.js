// Search workers: each has a thread struct and a copy of the position, and searches the root moves one iteration at a
// time. The counterpart of search/worker.py and search/dice/worker.py.

/** @typedef {{index: number, score: number, moves: number[], bound: string}} Line */

const NANOSECONDS = 1e6; // in a millisecond
// The deadline of a search without time limit. With deadline 0, kernels would not read the clock,
// which may stop a search.
const NEVER = Number.MAX_SAFE_INTEGER;

/** The base class of search workers: the structs of a search, and calls of the kernels with them. */
export class BaseWorker {
  /** @param {Game} game  @param {Table} table */
  constructor(game, table) {
    this.game = game;
    this.table = table;
    this.thread = game.newStruct("thread");
    this.struct = game.newStruct("position");
    this.rules = game.searchRules;
    /** The last finished depth. */
    this.depth = 0;
    /** The best score at this depth. */
    this.score = 0;
    /** @type {number[]} scores of the last iteration, best first; some are bounds if it was interrupted */
    this.scores = [];
    /** @type {number[][]} variations in the same order */
    this.lines = [];
    /** Whether the clock may suspend kernels. */
    this.suspends = false;
    /** @type {Helpers | null} the helper threads */
    this.helpers = null;
  }

  /** Begin a search of `position` with these root moves: set the fields that all searches use.
   * @param {Position} position  @param {number[]} moves */
  begin(position, moves) {
    const { thread, table } = this;
    this.struct.bytes.set(position.struct.bytes);
    thread.set("tt", table.address);
    thread.set("tt_mask", table.buckets - 1);
    thread.set("generation", table.generation);
    for (const name of ["stop", "nodes", "seldepth", "node_limit", "deadline"]) thread.set(name, 0);
    thread.set("root_count", moves.length);
    thread.fill("root_move", moves);
    this.depth = this.score = 0;
  }

  /** Set limits: a number of nodes, and a time of performance.now(); 0 is no limit.
   * @param {number} nodes  @param {number} until */
  limit(nodes, until) {
    this.thread.set("node_limit", nodes);
    this.thread.set("deadline", until ? Math.round(until * NANOSECONDS) : NEVER);
  }

  /** Whether the last iteration was interrupted. */
  get stopped() {
    return this.thread.get("stop") !== 0;
  }

  /** The number of nodes of this search so far. */
  get nodes() {
    return this.thread.get("nodes");
  }

  get seldepth() {
    return this.thread.get("seldepth");
  }

  /** Call an entry point of the search.
   * @param {string} name  @param {...number} values */
  call(name, ...values) {
    return this.game.call(name, this.rules, this.game.weights, this.struct, this.thread, ...values);
  }

  /** Call an entry point that runs for long. If the clock may suspend it, yield a promise; the caller passes the
   * promise's value to `next`.
   * @param {string} name  @param {...number} values  @returns {Generator<Promise<number>, number, number>} */
  *run(name, ...values) {
    if (!this.suspends) return this.call(name, ...values);
    return yield this.game.promise(name, this.rules, this.game.weights, this.struct, this.thread, ...values);
  }
}

/** The alpha-beta search. Histories are kept from move to move, until the next game. */
export class Worker extends BaseWorker {
  /** @param {Game} game  @param {Table} table */
  constructor(game, table) {
    super(game, table);
    this._withoutDeclaration = game.searchRules.copy();
    if (this._withoutDeclaration.has("declaration")) this._withoutDeclaration.fill("declaration", [0, 0]);
    this.forget();
  }

  /** Clear the thread struct with its histories, and write the search parameters into it. */
  forget() {
    const { parameters } = this.game, factor = parameters.reduction / 10;
    this.thread.bytes.fill(0);
    for (const [name, value] of Object.entries(parameters)) this.thread.set(name, value);
    for (let i = 1; i < this.game.constants.REDUCTIONS; i++) {
      this.thread.set("reductions", Math.trunc(factor * Math.log(i)), i);
    }
  }

  /** Prepare a search of `position` with these root moves.
   * @param {Position} position  @param {number[]} moves
   * @param {boolean} restricted whether `searchmoves` excludes moves  @param {number} maxPlies 0 for no limit
   * @param {number[]} draws the draw values for Black and for White
   * @param {boolean} declaration whether wins by declaration are allowed */
  prepare(position, moves, restricted, maxPlies, draws, declaration) {
    this.begin(position, moves);
    this.thread.set("root_restricted", Number(restricted));
    this.rules = declaration ? this.game.searchRules : this._withoutDeclaration;
    this.thread.set("max_plies", maxPlies);
    this.thread.fill("draw_value", draws);
    this.thread.view("root_nodes").fill(0n, 0, moves.length);
    this.thread.view("killer").fill(0);
    this.scores = moves.map(() => -this.game.constants.INFINITE);
    this.lines = moves.map((move) => [move]);
  }

  /** Search one iteration: find the best `multipv` root moves, put them first in `lines` and `scores`, and report them.
   * @param {number} depth  @param {number} multipv  @param {(line: Line) => void} report
   * @returns {Generator<Promise<number>, void, number>} */
  *deepen(depth, multipv, report) {
    const count = Math.min(multipv, this.scores.length);
    for (let index = 0; index < count; index++) {
      yield* this._line(depth, index, report);
      if (this.stopped) {
        // The interrupted line may have a new best move, but its score is not comparable.
        this._sort(index);
        return;
      }
    }
    this._sort(count);
    this.depth = depth;
    this.score = this.scores[0];
    for (let index = 0; index < count; index++) {
      report({ index, score: this.scores[index], moves: this.lines[index], bound: "" });
    }
  }

  /** Search the root moves from `index` on and move the best one to `index`. The aspiration window starts around the
   * last score of the move at `index`.
   * @param {number} depth  @param {number} index  @param {(line: Line) => void} report
   * @returns {Generator<Promise<number>, void, number>} */
  *_line(depth, index, report) {
    const { DECIDED, INFINITE, LOWER_BOUND, NARROW_FROM, UPPER_BOUND, WIDEST } = this.game.constants;
    const expected = this.scores[index];
    let delta = this.game.parameters.window, alpha = -INFINITE, beta = INFINITE;
    if (depth >= NARROW_FROM && Math.abs(expected) < DECIDED) {
      alpha = expected - delta;
      beta = expected + delta;
    }
    this.helpers?.pause(this);
    this.thread.set("root_first", index);
    for (;;) {
      this.helpers?.announce(this, alpha, beta, depth);
      const score = yield* this.run("search_root", alpha, beta, depth);
      this.helpers?.pause(this);
      this._takeResults(index);
      if (this.stopped || (alpha < score && score < beta)) return;
      report({ index, score, moves: this.lines[index], bound: score <= alpha ? UPPER_BOUND : LOWER_BOUND });
      if (score <= alpha) {
        beta = Math.floor((alpha + beta) / 2);
        alpha = delta < WIDEST ? score - delta : -INFINITE;
      } else {
        beta = delta < WIDEST ? score + delta : INFINITE;
      }
      delta *= 2;
    }
  }

  /** Sort the root moves from `first` on by the scores of the last search, and copy its scores and variations to
   * `scores` and `lines`. Moves without a new score follow in their old order.
   * @param {number} first */
  _takeResults(first) {
    const count = this.thread.get("root_count"), unknown = -this.game.constants.INFINITE;
    const found = this.thread.slice("root_score", 0, count);
    const order = found.map((_, index) => index).slice(first).sort((a, b) => found[b] - found[a]);
    const lines = order.map((i) => (found[i] > unknown ? this._variation(i) : this.lines[i]));
    const scores = order.map((i) => (found[i] > unknown ? found[i] : this.scores[i]));
    this.lines.splice(first, lines.length, ...lines);
    this.scores.splice(first, scores.length, ...scores);
    this._rearrange(order, first);
  }

  /** Sort the first `count` lines by score: a later line may have a better score.
   * @param {number} count */
  _sort(count) {
    const order = this.scores.slice(0, count).map((_, index) => index).sort((a, b) => this.scores[b] - this.scores[a]);
    this.scores.splice(0, count, ...order.map((index) => this.scores[index]));
    this.lines.splice(0, count, ...order.map((index) => this.lines[index]));
    this._rearrange(order, 0);
  }

  /** Reorder the root moves of the thread struct from `first` on; `order` has their old indices.
   * @param {number[]} order  @param {number} first */
  _rearrange(order, first) {
    for (const name of ["root_move", "root_score", "root_nodes"]) {
      const view = this.thread.view(name);
      order.map((index) => view[index]).forEach((value, position) => {
        view[first + position] = value;
      });
    }
  }

  /** @param {number} index  @returns {number[]} */
  _variation(index) {
    const width = this.thread.shape("root_pv")[1];
    const moves = this.thread.slice("root_pv", index * width, (index + 1) * width);
    return moves.slice(0, moves.indexOf(0));
  }

  /** Return the best move's share of nodes, from 0 to 1. */
  effort() {
    const nodes = this.thread.slice("root_nodes", 0, this.scores.length);
    const total = nodes.reduce((sum, count) => sum + count, 0);
    return total ? nodes[0] / total : 0;
  }
}

/** The expectimax search of games with a die, whose scores are computed from winning chances. */
export class DiceWorker extends BaseWorker {
  /** @param {Game} game  @param {Table} table */
  constructor(game, table) {
    super(game, table);
    /** Whether the die roll is known in the next search. */
    this.rolled = false;
    this._curve = chanceCurve(game);
    this.thread.fill("chance_curve", this._curve);
  }

  /** Clear the history of earlier searches. */
  forget() {
    this.thread.view("history").fill(0);
  }

  /** Prepare a search of `position` with these root moves.
   * @param {Position} position  @param {number[]} moves  @param {number} maxPlies 0 for no limit
   * @param {number[]} draws the draw values for Black and for White, in centipawns */
  prepare(position, moves, maxPlies, draws) {
    this.begin(position, moves);
    this.thread.set("last_ply", maxPlies || this.game.constants.NO_LIMIT);
    this.thread.fill("draw_value", draws.map((draw) => this._valueOf(draw)));
    this.lines = [[moves[0]]];
    this.scores = moves.map(() => 0); // one per root move; `deepen` sets those of the reported lines
  }

  /** Search one iteration. A line has one move, since the continuation depends on the dice. Before the roll there is one
   * line; after it, each further line is a search of the root moves that are left. Lines are reported when all are found,
   * because scores of different depths cannot be compared.
   * @param {number} wanted  @param {number} multipv  @param {(line: Line) => void} report
   * @returns {Generator<Promise<number>, void, number>} */
  *deepen(wanted, multipv, report) {
    const depth = Math.min(wanted, this.game.constants.MAX_DICE_DEPTH);
    let moves = this._rootMoves();
    /** @type {number[]} */
    const found = [];
    for (let index = 0; index < (this.rolled ? Math.min(multipv, moves.length) : 1); index++) {
      this._setRootMoves(moves.filter((move) => !found.includes(move)));
      const value = yield* this.run("expectimax", depth, this.rolled ? 1 : 0);
      if (!index) moves = this._rootMoves(); // the best move is now the first
      const move = this.thread.get("root_best");
      if (move) {
        found.push(move);
        this.lines = [...found.map((one) => [one]), ...this.lines.slice(1).filter(([one]) => !found.includes(one))];
      }
      if (this.stopped) break;
      this.scores[index] = index ? this._centipawnsOf(value) : this._score(value, depth);
    }
    if (!this.stopped) {
      this.depth = depth;
      this.score = this.scores[0];
      found.forEach((_, index) => report({ index, score: this.scores[index], moves: this.lines[index], bound: "" }));
    }
    this._setRootMoves(moves);
  }

  _rootMoves() {
    return this.thread.slice("root_move", 0, this.thread.get("root_count"));
  }

  /** @param {number[]} moves */
  _setRootMoves(moves) {
    this.thread.set("root_count", moves.length);
    this.thread.fill("root_move", moves);
  }

  /** Return the score of a value (a winning chance) in centipawns, or a mate score if the result does not depend on the
   * dice.
   * @param {number} value  @param {number} depth */
  _score(value, depth) {
    const { CERTAIN, CERTAIN_NODES, FULL, MATE } = this.game.constants;
    if (Math.abs(value) > CERTAIN * FULL) {
      const winning = value > 0 ? 1 : 0;
      this.thread.set("proof_nodes", CERTAIN_NODES);
      for (let plies = winning ? 1 : 2; plies <= depth; plies += 2) {
        // Before the die roll, the win has to be certain for every roll.
        const sure = this.rolled ? this.call("certain", plies, winning) : this.call("decided", plies, 0, winning);
        if (sure) return winning ? MATE - plies : plies - MATE;
      }
    }
    return this._centipawnsOf(value);
  }

  /** Return the score in centipawns for a value: the smallest score whose value in the curve is at least `value`. For a
   * negative value, it is minus the score for the positive value.
   * @param {number} value */
  _centipawnsOf(value) {
    let low = 0, high = this._curve.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this._curve[middle] < Math.abs(value)) low = middle + 1;
      else high = middle;
    }
    const centipawns = Math.min(low, this._curve.length - 1);
    return value >= 0 ? centipawns : -centipawns;
  }

  /** Return the value (winning chance) of a score in centipawns.
   * @param {number} centipawns */
  _valueOf(centipawns) {
    const value = this._curve[Math.min(Math.abs(centipawns), this._curve.length - 1)];
    return centipawns >= 0 ? value : -value;
  }

  /** Return an assumed share of nodes for the best move, since this search does not count nodes per move. */
  effort() {
    return 0.6;
  }
}

/** Return the values of the scores from 0 centipawns on, as in search/dice/values.py.
 * @param {Game} game  @returns {number[]} */
function chanceCurve({ constants: { FULL, SCALE, SUREST, TABLED } }) {
  return Array.from({ length: TABLED }, (_, centipawns) => {
    const chance = 2 / (1 + 10 ** (-centipawns / SCALE)) - 1;
    return Math.round(chance * SUREST * FULL);
  });
}
