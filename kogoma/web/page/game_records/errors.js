// Errors of game records, and the translation of messages about records, positions and moves. The functions are those of
// lab/kifu/errors.py.

import { clipped, printable, quoted } from "../../engine/text.js";
import { language } from "../translate.js";
import { RECORD_ERRORS } from "./record_errors.js";

/** @typedef {keyof typeof RECORD_ERRORS} Code */
/** @typedef {[line: number, text: string, index: number]} Place where a part of a file begins: the number of its line, that
 * line, and the index in it. Characters are counted only for an error, because that takes time. */
/** @typedef {{[name: string]: string | number}} Values what replaces the placeholders of a text */

/** @type {Values} */
const SIDES = { Black: "先手", White: "後手" };

/** Codes with patterns of their English texts and the Japanese ones. The placeholders' names are those of the groups.
 * @type {[code: string, pattern: RegExp, japanese: string][]} */
const TEXTS = Object.entries(RECORD_ERRORS).map(([code, [english, japanese]]) => {
  const literal = english.replace(/[.+*?^$()|[\]\\]/g, "\\$&").replaceAll("{side}", "(?<side>Black|White)");
  return [code, new RegExp(`^${literal.replace(/\{(\w+)\}/g, "(?<$1>.+?)")}$`, "s"), japanese];
});

/** A game record that cannot be read. `code` names the kind of error: a key of RECORD_ERRORS, or "" if no entry fits.
 * `line` and `column` tell where the offending text is, in lines and characters from 1; they are 0 if that is unknown. */
export class RecordError extends Error {
  /** @param {string} text in English  @param {string} [code] by default, `text` determines it */
  constructor(text, code) {
    super(printable(text));
    this.code = code ?? TEXTS.find(([, pattern]) => pattern.test(text))?.[0] ?? "";
    this.line = this.column = 0;
  }

  /** Set the place of the error, and return the error.
   * @param {Place} place */
  at([line, text, index]) {
    this.line = line;
    this.column = [...text.slice(0, index)].length + 1;
    return this;
  }
}

/** The English text of a code. `text` is a part of a file, which is quoted and cut.
 * @param {Code} code  @param {Values} values */
export const filled = (code, { text, ...values }) => RECORD_ERRORS[code][0].replace(/\{(\w+)\}/g, (_, name) =>
  (name === "text" ? quoted(clipped(`${text}`, 40)) : `${values[name]}`));

/** The error with a code.
 * @param {Code} code  @param {Values} [values] */
export const recordError = (code, values = {}) => new RecordError(filled(code, values), code);

/** A new RecordError for an error of the rules or of a record, with its code. `context` is the code of a message that
 * contains the error's message. Throws other errors, which are faults of the program.
 * @param {unknown} error  @param {Code} [context]  @param {Values} [values] */
export function wrapped(error, context, values) {
  if (!(error instanceof RecordError) && (!(error instanceof Error) || error.constructor !== Error)) throw error;
  const { message, code } = error instanceof RecordError ? error : new RecordError(error.message);
  return new RecordError(context ? filled(context, { message, ...values }) : message, code);
}

/** An error message in the page's language; messages without a translation stay in English.
 * @param {unknown} error  @returns {string} */
export const translatedError = (error) => translated(/** @type {Error} */ (error).message);

/** A message in the page's language; one without a translation stays in English.
 * @param {string} message  @returns {string} */
export const translated = (message) =>
  (language() === "ja" ? inJapanese(message) : message.replace(/^sfen: /, "SFEN: "));

/** @param {string} message  @returns {string} */
function inJapanese(message) {
  for (const [, pattern, japanese] of TEXTS) {
    const found = pattern.exec(message), values = found?.groups ?? {};
    if (found) {
      return japanese.replace(/\{(\w+)\}/g, (_, name) =>
        (name === "message" ? inJapanese(values[name]) : `${SIDES[values[name]] ?? values[name]}`));
    }
  }
  return message;
}
