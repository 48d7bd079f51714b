// Results of the game record readers, and helpers of the readers and the writer.

/** @typedef {{line: number, text: string}} Trouble an error in a text; `line` is counted from 1 */
/** @typedef {{tree: GameTree | null, trouble: Trouble | null}} Reading what a reader returns:
 *   `tree` has the moves before the error, null if the start position is missing or invalid */

/** Replace line breaks and control characters, so that a text fits one line of a file.
 * @param {string} text */
export const oneLine = (text) => text.replace(/[\0-\x1f\x7f\x85\u2028\u2029]/g, " ").trim();

/** An error in a line of a text being read. */
export class LineError extends Error {
  /** @param {number} line from 1  @param {string} text */
  constructor(line, text) {
    super(text);
    this.line = line;
  }
}
