// The bot's output and its command-line arguments: the counterpart of console/streams.py.

import { writeSync } from "node:fs";

const ANSWERS_LOST = 1; // exit code

/** Print an answer on standard output. If that fails, report it and exit with the status ANSWERS_LOST.
 * @param {string} text */
export function say(text) {
  try {
    writeSync(1, `${text}\n`);
  } catch (error) {
    tell(`standard output can't be written to: ${/** @type {Error} */ (error).message}`);
    process.exit(ANSWERS_LOST);
  }
}

/** Print a line on standard error, and ignore errors.
 * @param {string} text */
export function tell(text) {
  try {
    writeSync(2, `${text}\n`);
  } catch {
    // The game continues without messages.
  }
}

/** Return the number after an argument (`--name N`), or `otherwise` if the argument is not given.
 * @param {string[]} words  @param {string} name  @param {number} otherwise */
export function numberAfter(words, name, otherwise) {
  return words.includes(name) ? Number(words[words.indexOf(name) + 1]) : otherwise;
}
