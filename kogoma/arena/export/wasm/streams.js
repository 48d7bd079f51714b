// The bot's output and its command-line arguments: the counterpart of console/streams.py.

import { writeSync } from "node:fs";
import { clip } from "./lines.js";

const ANSWERS_LOST = 1, WRONG_WORDS = 2; // exit codes

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

/** Return the values of the options among the words of the command line, by name; an option without a value has the
 * value 1. If a word is wrong, say so and exit with the status WRONG_WORDS. `known`: the least and the greatest number of
 * each option; empty for an option without a value.
 * @param {string[]} words  @param {{[name: string]: number[]}} known  @returns {{[name: string]: number}} */
export function optionsOf(words, known) {
  /** @type {{[name: string]: number}} */
  const found = {};
  const left = words.flatMap((word) => word.split(/=(.*)/s, 2)); // --margin=30 is --margin 30
  while (left.length) {
    const name = left.shift() ?? "";
    if (!Object.keys(known).includes(name)) refuse(`unrecognized arguments: ${name}`, known);
    const [least, most] = known[name], text = least === undefined ? "1" : left.shift() ?? "";
    const number = /^[0-9]{1,15}$/.test(text) ? Number(text) : -1;
    if (least !== undefined && !(least <= number && number <= most)) {
      refuse(`argument ${name}: needs a whole number from ${least} to ${most}, not ${clip(text)}`, known);
    }
    found[name] = number;
  }
  return found;
}

/** Say what is wrong with the command line, and exit.
 * @param {string} text  @param {{[name: string]: number[]}} known */
function refuse(text, known) {
  const names = Object.entries(known).map(([name, limits]) => `[${name}${limits.length ? " N" : ""}]`);
  tell(`kogoma: ${text}\nusage: node FILE.js ${names.join(" ")}`);
  process.exit(WRONG_WORDS);
}
