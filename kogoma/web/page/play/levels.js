// The levels of limited strength (search/levels.py).

import { below } from "./random.js";

/** @typedef {[elo: number, nodes: number, noise: number]} Level */

/** The number of the level whose Elo is nearest.
 * @param {Level[]} levels  @param {number} elo */
export function levelNumber(levels, elo) {
  const distances = levels.map(([known]) => Math.abs(known - elo));
  return distances.indexOf(Math.min(...distances));
}

/** The limits and options of one search at the level whose Elo is nearest; none without `elo`.
 * @param {Level[]} levels  @param {number | null} elo  @returns {[Limits, Options]} */
export function atLevel(levels, elo) {
  if (elo === null) return [{}, {}];
  const [, nodes, noise] = levels[levelNumber(levels, elo)];
  return [{ nodes }, { noise, seed: below(2 ** 32) }];
}
