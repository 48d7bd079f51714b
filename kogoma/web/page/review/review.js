// The search of a whole game: the lines of all positions, and the score of each move.

import { Position } from "../../engine/position.js";
import { judgement, judgingOf, lineOf } from "./judge.js";

/** @typedef {import("./judge.js").Line} Line */

const LINES = 3; // of a position
const LONGEST = 10; // moves of a line that are kept

/** Search a position. Returns for each of the best `count` moves the last line with an exact score, best first.
 * @param {EngineLike} engine  @param {Played} game  @param {Limits} limits  @param {number} count
 * @returns {Promise<Line[]>} */
export async function linesOf(engine, game, limits, count) {
  /** @type {Line[]} */
  const found = [];
  await engine.search(game, limits, { multipv: count }, ({ bound, pv, multipv, scoreKind, score, depth }) => {
    if (!bound && pv.length) found[multipv - 1] = [pv.slice(0, LONGEST), scoreKind, score, depth];
  });
  // After a stopped iteration, two lines may begin with the same move.
  return found.filter(([[first]], index) => found.findIndex((other) => other?.[0][0] === first) === index);
}

/** The line of a move that is searched to the same depth as the best line, or null if the engine does not search it.
 * `limits` bound this search, too.
 * @param {EngineLike} engine  @param {Played} game  @param {Limits} limits  @param {Line[]} lines best first
 * @param {string} move  @returns {Promise<Line | null>} */
export async function lineFor(engine, game, limits, lines, move) {
  const depth = lines[0][3], known = lineOf(lines, move);
  if (known && known[3] >= depth) return known;
  return lineOf(await linesOf(engine, game, { ...limits, depth, searchmoves: [move] }, 1), move) ?? null;
}

export class Review {
  /** @param {App} app */
  constructor(app) {
    this._app = app;
    /** The engine that searches the game, or null.
     * @type {EngineLike | null} */
    this.engine = null;
    /** The number of searched positions. */
    this.done = 0;
    this._stopped = false;
    app.on("leaving", () => this.stop());
  }

  /** Stop the running review. */
  stop() {
    this._stopped = true;
    this.engine?.stop();
  }

  /** Search the position before each move of the shown line, from the last to the first, so that the transposition table
   * helps with earlier positions, and store the lines and the scores in the nodes. Returns whether all were searched.
   * @param {Limits} limits of each position  @returns {Promise<boolean>} */
  async run(limits) {
    const { _app: app } = this, line = app.tree.line(), moves = line.map(({ move }) => move);
    const engine = (this.engine = app.engine("analysis"));
    this._stopped = false;
    this.done = 0;
    app.changed("tree");
    const position = new Position(app.game, app.position.startSfen);
    try {
      for (const move of moves) position.push(move);
      for (let index = line.length - 1; index >= 0 && !this._stopped; index--) {
        const end = endScore(position);
        position.pop();
        await this._search(engine, { start: position.startSfen, moves: moves.slice(0, index + 1) }, limits, line[index], end);
        if (this._stopped) break;
        this.done += 1;
        app.changed("tree");
      }
    } finally {
      position.release();
      this.engine = null;
      app.changed("tree");
    }
    return !this._stopped;
  }

  /** Search the position before the last move of `played`, which is the move of `node`. In a game with dice, a move
   * whose roll is unknown gets a score only, because the best moves depend on the roll.
   * @param {EngineLike} engine  @param {Played} played  @param {Limits} limits  @param {GameNode} node
   * @param {[string, number] | null} end its score if it ends the game */
  async _search(engine, { start, moves }, limits, node, end) {
    const { die } = this._app.entry, { move, dice } = node, game = { start, moves: moves.slice(0, -1) };
    if (die !== "none" && !dice) {
      const [best] = end ? [] : await linesOf(engine, { start, moves }, limits, 1);
      if (best && !this._stopped) node.said = [best[1], -best[2], best[3]];
      return;
    }
    const count = die === "none" ? LINES : 1, judging = judgingOf(this._app), rolled = dice ? { ...limits, dice } : limits;
    let lines = await this._linesWith(engine, game, rolled, count, move, end), line = lineOf(lines, move);
    for (const [least, times] of judging.doubts) {
      if (!lines || !line || !limits.movetime || judgement(judging, 0, 0, lines[0], line).severity < least) break;
      lines = await this._linesWith(engine, game, { ...rolled, movetime: times * limits.movetime }, count, move, end);
      line = lineOf(lines, move);
    }
    if (!lines || !line) return;
    node.lines = lines;
    node.said = [line[1], line[2], line[3]];
  }

  /** The best lines of a position and that of `move`, searched to the depth of the best line, or null if the review was
   * stopped or the engine does not search that move.
   * @param {EngineLike} engine  @param {Played} game  @param {Limits} limits  @param {number} count  @param {string} move
   * @param {[string, number] | null} end  @returns {Promise<Line[] | null>} */
  async _linesWith(engine, game, limits, count, move, end) {
    const lines = await linesOf(engine, game, limits, count);
    if (!lines.length || this._stopped) return null;
    let [best] = lines;
    /** @type {Line | null} */
    const line = end ? [[move], ...end, best[3]] : await lineFor(engine, game, limits, lines, move);
    if (!line || this._stopped) return null;
    if (line[3] < best[3] && best[1] !== "mate") { // the limits did not suffice: compare the moves at a smaller depth
      const less = { ...(limits.dice && { dice: limits.dice }), depth: line[3], searchmoves: [best[0][0]] };
      [best] = [...await linesOf(engine, game, less, 1), best];
      if (this._stopped) return null;
    }
    const others = lines.slice(1).filter(([[first]]) => first !== move);
    return lines[0][0][0] === move ? [line, ...others] : [best, ...others, line];
  }
}

/** The beginning of a line that is legal in a position. Lines come from files, too.
 * @param {Position} position restored afterwards  @param {string[]} moves  @returns {string[]} */
export function legalPart(position, moves) {
  const before = position.moves.length;
  try {
    for (const move of moves) position.push(move);
  } catch {
    // the line ends here
  }
  const count = position.moves.length - before;
  while (position.moves.length > before) position.pop();
  return moves.slice(0, count);
}

/** If the game is over, its result as a score for the side that has moved last, otherwise null.
 * @param {Position} position  @returns {[string, number] | null} */
function endScore(position) {
  const end = position.outcome();
  if (!end) return null;
  return end.winner === null ? ["cp", 0] : ["mate", end.winner === position.turn ? -1 : 1];
}
