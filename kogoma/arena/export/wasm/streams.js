// What a bot is told by the command line, and what it says: answers on standard output, and on standard error what is
// amiss: the counterpart of arena/streams.py.

import { writeSync } from "node:fs";

const ANSWERS_LOST = 1; // exit code

/** An answer. Where it can't be written, nobody waits for another: the process ends with ANSWERS_LOST.
 * @param {string} text */
export function say(text) {
  try {
    writeSync(1, `${text}\n`);
  } catch (error) {
    tell(`standard output can't be written to: ${/** @type {Error} */ (error).message}`);
    process.exit(ANSWERS_LOST);
  }
}

/** A line on standard error, if it can be written there.
 * @param {string} text */
export function tell(text) {
  try {
    writeSync(2, `${text}\n`);
  } catch {
    // The game goes on without.
  }
}

/** The number after a name (`--name N`), or what stands for it where the name is not given.
 * @param {string[]} words  @param {string} name  @param {number} otherwise */
export function numberAfter(words, name, otherwise) {
  return words.includes(name) ? Number(words[words.indexOf(name) + 1]) : otherwise;
}
