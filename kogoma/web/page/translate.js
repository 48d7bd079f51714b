// Translation of the page's texts.

import { royalName } from "../board/pieces.js";
import { TEXTS } from "./messages.js";

/** The language of the page.
 * @type {Language} */
let chosen = "en";

/** The languages, each with its name in that language.
 * @type {[Language, string][]} */
export const LANGUAGES = [["en", "English"], ["ja", "日本語"]];

/** Set the language of the page.
 * @param {Language} name */
export function chooseLanguage(name) {
  chosen = name;
  document.documentElement.lang = name;
}

/** The language of the page. */
export const language = () => chosen;

/** A text in the page's language, with `{name}` replaced by values. Throws an Error for an unknown key.
 * @param {string} key  @param {{[name: string]: string | number}} [values]  @returns {string} */
export function t(key, values = {}) {
  const both = TEXTS[key];
  if (!both) throw new Error(`no text for ${key}`);
  return both[chosen === "ja" ? 1 : 0].replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));
}

/** Set an element's text to the text of a key, with the element's `data-` attributes as values. `translate` updates it.
 * @param {HTMLElement} element  @param {string} key */
export function say(element, key) {
  element.dataset.text = key;
  element.textContent = t(key, /** @type {{[name: string]: string}} */ (element.dataset));
}

/** Update all elements that have a text (`data-text`). */
export function translate() {
  for (const element of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-text]"))) {
    say(element, element.dataset.text ?? "");
  }
}

/** The name of a side.
 * @param {number} side */
export const sideName = (side) => t(side ? "white" : "black");

/** The result of a game: "Black wins", or a draw.
 * @param {number | null} winner */
export const winnerText = (winner) => (winner === null ? t("draw") : t("wins", { side: sideName(winner) }));

/** The displayed name of a variant; for a custom variant, `name` unchanged.
 * @param {string} name */
export const gameName = (name) => (`game-${name}` in TEXTS ? t(`game-${name}`) : name);

/** Failures of engines, as in lab/engines/faults.py. */
const FAULTS = new Set(["start", "absent", "rubbish", "hang", "disconnect"]);

/** The result of a game and its reason as text, such as "Black wins: checkmate."
 * @param {Outcome} outcome  @param {Variant} variant  @returns {string} */
export function endText({ winner, reason }, variant) {
  let key = FAULTS.has(reason) ? "end-crash" : `end-${reason}` in TEXTS ? `end-${reason}` : "end-other";
  if (reason === "stalemate" && variant.stalemate_wins) key = "end-stalemate-wins";
  if (reason === "repetition" && winner !== null) key = "end-repetition-lost";
  if (reason === "perpetual_check" && variant.check_rule === "standing") key = "end-perpetual_check-standing";
  /** @type {{[name: string]: string}} */
  const sides = winner === null ? {} : { side: sideName(winner), other: sideName(1 - winner) };
  return t("result-with", { result: winnerText(winner), reason: t(key, { ...sides, plies: variant.max_plies, royal: royalName(variant.name, language()) }) });
}
