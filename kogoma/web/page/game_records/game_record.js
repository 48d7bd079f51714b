// A game record: the game tree, names, clock and result.

/** @typedef {{winner: number | null, reason: string}} End 0 for Black, 1 for White, null for a draw */
/** @typedef {{tree: GameTree, names: [string, string], label: string, clock: string, end: End | null}} GameRecord
 *   names of Black and White; `label` and `clock` are free text; `end` is the result, null if the last position
 *   implies it or the game is unfinished */
/** @typedef {{line: number, text: string}} Trouble an error in a text; `line` is counted from 1 */
/** @typedef {{record: GameRecord | null, trouble: Trouble | null}} Reading the part read before the error */

/** A game record with only a tree.
 * @param {GameTree} tree  @returns {GameRecord} */
export const bareRecord = (tree) => ({ tree, names: ["", ""], label: "", clock: "", end: null });

/** Replace line breaks, so that a text fits one line of a file.
 * @param {string} text */
export const oneLine = (text) => text.replace(/[\p{Cc}\u2028\u2029]+/gu, " ").trim();

/** An error in a line of a text being read. */
export class LineError extends Error {
  /** @param {number} line from 1  @param {string} text */
  constructor(line, text) {
    super(text);
    this.line = line;
  }
}
