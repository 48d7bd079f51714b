// Players of limited strength (fewer nodes, random errors in scores), the same as in search/levels.py.

import { normal } from "./random.js";

/** @typedef {[elo: number, nodes: number, noise: number]} Level */
/** @typedef {{moves: string[], score: number, info: Info}} Line
 *   `score` is in centipawns, infinite for a mate */

const MIN_LINES = 4;
const MAX_SCORE = 3000; // centipawns; larger scores and mates count as this

/** Interpolate geometrically: `low` for a `part` of 0, `high` for 1.
 * @param {number} low  @param {number} high  @param {number} part */
const between = (low, high, part) =>
  Math.round(Math.exp(Math.log(low + 1) * (1 - part) + Math.log(high + 1) * part)) - 1;

/** The level with an Elo, interpolated geometrically between measured levels. Throws an Error if it is out of range.
 * @param {Level[]} levels  @param {number} elo  @returns {Level} */
export function levelOf(levels, elo) {
  const at = levels.findIndex(([known]) => known >= elo);
  if (at < 0 || !(elo >= levels[0][0])) {
    throw new Error(`Elo must be between ${levels[0][0]} and ${levels[levels.length - 1][0]}, not ${elo}`);
  }
  if (levels[at][0] === elo) return levels[at];
  const [below, above] = [levels[at - 1], levels[at]], part = (elo - below[0]) / (above[0] - below[0]);
  return [elo, between(below[1], above[1], part), between(below[2], above[2], part)];
}

/** The number of the level whose Elo is nearest.
 * @param {Level[]} levels  @param {number} elo */
export function levelNumber(levels, elo) {
  const distances = levels.map(([known]) => Math.abs(known - elo));
  return distances.indexOf(Math.min(...distances));
}

/** The last line with an exact score for each `multipv` number, best first. Of lines with the same first move, only the
 * best is returned.
 * @param {Iterable<Info>} infos in the order in which the engine sent them  @returns {Line[]} */
export function linesOf(infos) {
  /** @type {Map<number, Info>} */
  const latest = new Map();
  for (const info of infos) if (!info.bound) latest.set(info.multipv, info);
  /** @type {Map<string, Line>} */
  const found = new Map();
  for (const [, info] of [...latest].sort(([a], [b]) => a - b)) {
    const [move] = info.pv, score = info.scoreKind === "mate" ? (info.score > 0 ? Infinity : -Infinity) : info.score;
    if (move !== undefined && !found.has(move)) found.set(move, { moves: info.pv, score, info });
  }
  return [...found.values()];
}

/** A player of limited strength: the caller searches with `nodes` and `multipv`, then calls `choose`. */
export class LimitedPlayer {
  /** @param {Level[]} levels  @param {number} elo
   * @param {() => number} [error] returns standard normal random numbers */
  constructor(levels, elo, error = normal) {
    this._level = levelOf(levels, elo);
    this._error = error;
  }

  /** The number of nodes per move. */
  get nodes() {
    return this._level[1];
  }

  /** The number of lines to compare. */
  get multipv() {
    return Math.max(MIN_LINES, 1 + Math.floor(this._level[2] / 10));
  }

  /** The line with the highest score after a random error is added to each. `lines` must not be empty.
   * @param {Line[]} lines  @returns {Line} */
  choose(lines) {
    const seen = lines.map(({ score }) => Math.min(Math.max(score, -MAX_SCORE), MAX_SCORE) + this._error() * this._level[2]);
    return lines[seen.indexOf(Math.max(...seen))];
  }
}
