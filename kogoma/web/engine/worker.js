// What a search works in: its record, its copy of the position, and one iteration over its root moves. The counterpart
// of search/worker.py.

/** @typedef {{index: number, score: number, moves: number[], bound: string}} Line */

const NANOSECONDS = 1e6; // in a millisecond
const NEVER = Number.MAX_SAFE_INTEGER; // as a deadline: kernels look at the clock all the same, which may jump

/** What steers a kernel through the record that it works in. */
export class Steered {
  /** @param {Game} game  @param {Table} table */
  constructor(game, table) {
    this.game = game;
    this.table = table;
    this.thread = game.record("thread");
    this.record = game.record("position");
    this.rules = game.searchRules;
    this.depth = 0;
    /** @type {number[]} of the last iteration, best first */
    this.scores = [];
    /** @type {number[][]} variations in the same order */
    this.lines = [];
    /** Whether kernels are called so that their clock may suspend them. */
    this.suspends = false;
    /** @type {import("../client/helpers.js").Helpers | null} the other threads */
    this.helpers = null;
  }

  /** What every search begins with.
   * @param {Position} position  @param {number[]} moves */
  begin(position, moves) {
    const { thread, table } = this;
    this.record.bytes.set(position.record.bytes);
    thread.set("tt", table.address);
    thread.set("tt_mask", table.buckets - 1);
    thread.set("generation", table.generation);
    for (const name of ["stop", "nodes", "seldepth", "node_limit", "deadline"]) thread.set(name, 0);
    thread.set("root_count", moves.length);
    thread.fill("root_move", moves);
    this.depth = 0;
  }

  /** Stop after so many nodes, or at that performance.now(); 0 is no limit.
   * @param {number} nodes  @param {number} until */
  limit(nodes, until) {
    this.thread.set("node_limit", nodes);
    this.thread.set("deadline", until ? Math.round(until * NANOSECONDS) : NEVER);
  }

  /** Whether the last iteration was broken off. */
  get stopped() {
    return this.thread.get("stop") !== 0;
  }

  /** Nodes of this search so far. */
  get nodes() {
    return this.thread.get("nodes");
  }

  get seldepth() {
    return this.thread.get("seldepth");
  }

  /** Call an entry of the search.
   * @param {string} name  @param {...number} values */
  call(name, ...values) {
    return this.game.call(name, this.rules, this.game.weights, this.record, this.thread, ...values);
  }

  /** As `call`, for an entry that takes long: where it may be suspended, its promise is yielded, and what that becomes
   * is expected.
   * @param {string} name  @param {...number} values  @returns {Generator<Promise<number>, number, number>} */
  *run(name, ...values) {
    if (!this.suspends) return this.call(name, ...values);
    return yield this.game.promise(name, this.rules, this.game.weights, this.record, this.thread, ...values);
  }
}

/** Histories live on from move to move, until the next game. */
export class Worker extends Steered {
  /** @param {Game} game  @param {Table} table */
  constructor(game, table) {
    super(game, table);
    this._withoutDeclaration = game.searchRules.copy();
    if (this._withoutDeclaration.has("declaration")) this._withoutDeclaration.fill("declaration", [0, 0]);
    this.forget();
  }

  /** As new. */
  forget() {
    const { REDUCTIONS, REDUCTION_SCALE } = this.game.constants;
    this.thread.bytes.fill(0);
    for (let i = 1; i < REDUCTIONS; i++) this.thread.set("reduction", Math.trunc(REDUCTION_SCALE * Math.log(i)), i);
  }

  /** Get ready for a search of `position` among these moves.
   * @param {Position} position  @param {number[]} moves  @param {boolean} restricted `moves` leaves out better ones
   * @param {number} maxPlies  @param {number[]} draws  @param {boolean} declaration */
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

  /** One iteration: bring the best `multipv` moves to the front, each with its score and variation.
   * @param {number} depth  @param {number} multipv  @param {(line: Line) => void} report
   * @returns {Generator<Promise<number>, void, number>} */
  *deepen(depth, multipv, report) {
    const count = Math.min(multipv, this.scores.length);
    for (let index = 0; index < count; index++) {
      yield* this._line(depth, index, report);
      if (this.stopped) {
        // The line under way may hold a new best move, but only an older score to compare with.
        this._sort(index);
        return;
      }
    }
    this._sort(count);
    this.depth = depth;
    for (let index = 0; index < count; index++) {
      report({ index, score: this.scores[index], moves: this.lines[index], bound: "" });
    }
  }

  /** Find the best move from `index` on, in a window around its last score, widened as far as needed.
   * @param {number} depth  @param {number} index  @param {(line: Line) => void} report
   * @returns {Generator<Promise<number>, void, number>} */
  *_line(depth, index, report) {
    const { DECIDED, INFINITE, NARROW_FROM, WIDEST, WINDOW } = this.game.constants;
    const expected = this.scores[index];
    let delta = WINDOW, alpha = -INFINITE, beta = INFINITE;
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
      this._order(index);
      if (this.stopped || (alpha < score && score < beta)) return;
      report({ index, score, moves: this.lines[index], bound: score <= alpha ? "upperbound" : "lowerbound" });
      if (score <= alpha) {
        beta = Math.floor((alpha + beta) / 2);
        alpha = delta < WIDEST ? score - delta : -INFINITE;
      } else {
        beta = delta < WIDEST ? score + delta : INFINITE;
      }
      delta *= 2;
    }
  }

  /** Put the moves from `first` on into the order of their scores; those without one keep theirs, behind.
   * @param {number} first */
  _order(first) {
    const count = this.thread.get("root_count"), unknown = -this.game.constants.INFINITE;
    const found = this.thread.slice("root_score", 0, count);
    const order = found.map((_, index) => index).slice(first).sort((a, b) => found[b] - found[a]);
    const lines = order.map((i) => (found[i] > unknown ? this._variation(i) : this.lines[i]));
    const scores = order.map((i) => (found[i] > unknown ? found[i] : this.scores[i]));
    this.lines.splice(first, lines.length, ...lines);
    this.scores.splice(first, scores.length, ...scores);
    this._rearrange(order, first);
  }

  /** Put the first `count` lines into the order of their scores: a later one may have turned out better.
   * @param {number} count */
  _sort(count) {
    const order = this.scores.slice(0, count).map((_, index) => index).sort((a, b) => this.scores[b] - this.scores[a]);
    this.scores.splice(0, count, ...order.map((index) => this.scores[index]));
    this.lines.splice(0, count, ...order.map((index) => this.lines[index]));
    this._rearrange(order, 0);
  }

  /** @param {number[]} order  @param {number} first */
  _rearrange(order, first) {
    for (const name of ["root_move", "root_score", "root_nodes"]) {
      const view = this.thread.view(name);
      order.map((index) => view[index]).forEach((value, place) => {
        view[first + place] = value;
      });
    }
  }

  /** @param {number} index  @returns {number[]} */
  _variation(index) {
    const width = this.thread.shape("root_pv")[1];
    const moves = this.thread.slice("root_pv", index * width, (index + 1) * width);
    return moves.slice(0, moves.indexOf(0));
  }

  /** The share of nodes that went into the best move, from 0 to 1. */
  effort() {
    const nodes = this.thread.slice("root_nodes", 0, this.scores.length);
    const total = nodes.reduce((sum, count) => sum + count, 0);
    return total ? nodes[0] / total : 0;
  }
}
