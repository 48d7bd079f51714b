// Translation of error messages of the readers of game records and of web/engine.

import { language } from "../translate.js";
import { RECORD_ERRORS } from "./record_errors.js";

/** @type {{[english: string]: string}} */
const SIDES = { Black: "先手", White: "後手" };
const MESSAGES = ["message", "reason"]; // placeholders of texts that are translated, too

/** Patterns of messages and their Japanese translations; the placeholders' names are those of the groups.
 * @type {[RegExp, string][]} */
const JAPANESE = Object.entries(RECORD_ERRORS).map(([english, japanese]) => {
  const literal = english.replace(/[.+*?^$()|[\]\\]/g, "\\$&").replaceAll("{side}", "(?<side>Black|White)");
  return [new RegExp(`^${literal.replace(/\{(\w+)\}/g, "(?<$1>.+?)")}$`, "s"), japanese];
});

/** An error message in the page's language; messages without a translation stay in English.
 * @param {unknown} error  @returns {string} */
export const translatedError = (error) => translated(/** @type {Error} */ (error).message);

/** A message in the page's language; one without a translation stays in English.
 * @param {string} message  @returns {string} */
export const translated = (message) =>
  (language() === "ja" ? inJapanese(message) : message.replace(/^sfen: /, "SFEN: "));

/** @param {string} message  @returns {string} */
function inJapanese(message) {
  for (const [pattern, japanese] of JAPANESE) {
    const found = pattern.exec(message), values = found?.groups ?? {};
    if (found) {
      return japanese.replace(/\{(\w+)\}/g, (_, name) =>
        (MESSAGES.includes(name) ? inJapanese(values[name]) : SIDES[values[name]] ?? values[name]));
    }
  }
  return message;
}
