// A game as files hold it: its tree, and what stands around it.

/** @typedef {{winner: number | null, reason: string}} End 0 for Black, 1 for White, null for a draw */
/** @typedef {{tree: GameTree, names: [string, string], label: string, clock: string, end: End | null}} GameRecord
 *   names of Black and White; `label` and `clock` are any words; `end` is why the main line goes no further, null where
 *   its last position says it or it goes on */
/** @typedef {{line: number, text: string}} Trouble what is wrong with a text, by its line counted from 1 */
/** @typedef {{record: GameRecord | null, trouble: Trouble | null}} Reading what could be read before the trouble */

/** A tree with nothing said about it.
 * @param {GameTree} tree  @returns {GameRecord} */
export const bareRecord = (tree) => ({ tree, names: ["", ""], label: "", clock: "", end: null });

/** A text without what would begin a new line in a file.
 * @param {string} text */
export const oneLine = (text) => text.replace(/[\p{Cc}\u2028\u2029]+/gu, " ").trim();

/** What is wrong in a line of a text that is read. */
export class LineError extends Error {
  /** @param {number} line from 1  @param {string} text */
  constructor(line, text) {
    super(text);
    this.line = line;
  }
}
