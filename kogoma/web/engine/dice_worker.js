// What a search of a dice game works in: the counterpart of search/dice/worker.py.

import { Steered } from "./worker.js";

/** As Worker, for games with a die: one line, and scores made from winning chances. */
export class DiceWorker extends Steered {
  /** @param {Game} game  @param {Table} table */
  constructor(game, table) {
    super(game, table);
    /** Whether the moves of the next search are those that a throw allows. */
    this.thrown = false;
    this._curve = chanceCurve(game);
    this.thread.fill("chance_curve", this._curve);
  }

  /** As new. */
  forget() {
    this.thread.view("history").fill(0);
  }

  /** Get ready for a search of `position` among these moves; nothing is declared in these games.
   * @param {Position} position  @param {number[]} moves  @param {number} maxPlies  @param {number[]} draws */
  prepare(position, moves, maxPlies, draws) {
    this.begin(position, moves);
    this.thread.set("last_ply", maxPlies || this.game.constants.NO_LIMIT);
    this.thread.fill("draw_value", draws.map((draw) => this._valueOf(draw)));
    this.lines = [[moves[0]]];
    this.scores = moves.map(() => 0); // only the first is a score
  }

  /** One iteration; there is one line, of one move, since what comes then depends on the dice.
   * @param {number} wanted  @param {number} multipv  @param {(line: Line) => void} report
   * @returns {Generator<Promise<number>, void, number>} */
  *deepen(wanted, multipv, report) {
    const depth = Math.min(wanted, this.game.constants.MAX_DICE_DEPTH);
    const value = yield* this.run("expectimax", depth, this.thrown ? 1 : 0);
    const move = this.thread.get("root_best");
    if (move) this.lines = [[move]];
    if (this.stopped) return;
    this.scores[0] = this._score(value, depth);
    this.depth = depth;
    report({ index: 0, score: this.scores[0], moves: this.lines[0], bound: "" });
  }

  /** Centipawns; plies to mate only where the dice have no say any more.
   * @param {number} value  @param {number} depth */
  _score(value, depth) {
    const { CERTAIN, CERTAIN_NODES, FULL, MATE } = this.game.constants;
    if (Math.abs(value) > CERTAIN * FULL) {
      const winning = value > 0 ? 1 : 0;
      this.thread.set("proof_nodes", CERTAIN_NODES);
      for (let plies = winning ? 1 : 2; plies <= depth; plies += 2) {
        // Before the throw, a win has to be there for every face.
        const sure = this.thrown ? this.call("certain", plies, winning) : this.call("decided", plies, 0, winning);
        if (sure) return winning ? MATE - plies : plies - MATE;
      }
    }
    let low = 0, high = this._curve.length; // the score whose leaf would have the value next to this one
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this._curve[middle] < Math.abs(value)) low = middle + 1;
      else high = middle;
    }
    const centipawns = Math.min(low, this._curve.length - 1);
    return value >= 0 ? centipawns : -centipawns;
  }

  /** The value of a leaf that is worth so many centipawns.
   * @param {number} centipawns */
  _valueOf(centipawns) {
    const value = this._curve[Math.min(Math.abs(centipawns), this._curve.length - 1)];
    return centipawns >= 0 ? value : -value;
  }

  /** The share of nodes that went into the best move: not counted here. */
  effort() {
    return 0.6;
  }
}

/** Centipawns from 0 on -> value, as in search/dice/values.py.
 * @param {Game} game  @returns {number[]} */
function chanceCurve({ constants: { FULL, SCALE, SUREST, TABLED } }) {
  return Array.from({ length: TABLED }, (_, centipawns) => {
    const chance = 2 / (1 + 10 ** (-centipawns / SCALE)) - 1;
    return Math.round(chance * SUREST * FULL);
  });
}
