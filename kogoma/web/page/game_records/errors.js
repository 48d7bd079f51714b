// Translation of error messages of web/engine (sfen.js, onitama.js, position.js).

import { language } from "../translate.js";
import { POSITION_ERRORS } from "./position_errors.js";

/** @type {{[english: string]: string}} */
const SIDES = { Black: "先手", White: "後手" };

/** Patterns of messages and their Japanese translations; the placeholders' names are those of the groups.
 * @type {[RegExp, string][]} */
const JAPANESE = Object.entries(POSITION_ERRORS).map(([english, japanese]) => {
  const literal = english.replace(/[.+*?^$()|[\]\\]/g, "\\$&");
  return [new RegExp(`^${literal.replaceAll("{side}", "(?<side>Black|White)").replace(/\{(\w+)\}/g, "(?<$1>.+?)")}$`, "s"), japanese];
});

/** An error message in the page's language; messages without a translation stay in English.
 * @param {unknown} error  @returns {string} */
export function translatedError(error) {
  const { message } = /** @type {Error} */ (error);
  if (language() !== "ja") return message.replace(/^sfen: /, "SFEN: ");
  for (const [pattern, japanese] of JAPANESE) {
    const found = pattern.exec(message), values = found?.groups ?? {};
    if (found) return japanese.replace(/\{(\w+)\}/g, (_, name) => SIDES[values[name]] ?? values[name]);
  }
  return message;
}
