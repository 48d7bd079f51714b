// What the page says, in two languages. Each part of the page adds its own words.

/** @typedef {"en" | "ja"} Language */
/** @typedef {{[key: string]: [english: string, japanese: string]}} Words */

/** @type {Map<string, [string, string]>} */
const known = new Map();
/** @type {Language} */
let chosen = "en";

/** The languages and what they call themselves.
 * @type {[Language, string][]} */
export const LANGUAGES = [["en", "English"], ["ja", "日本語"]];

/** Make words known; a key that is known already is an Error.
 * @param {Words} words */
export function addWords(words) {
  for (const [key, both] of Object.entries(words)) {
    if (known.has(key)) throw new Error(`two texts for ${key}`);
    known.set(key, both);
  }
}

/** The language of the page, from now on.
 * @param {Language} name */
export function chooseLanguage(name) {
  chosen = name;
  document.documentElement.lang = name;
}

/** Whether there is such a text.
 * @param {string} key */
export const hasWords = (key) => known.has(key);

/** The language of the page. */
export const language = () => chosen;

/** A text in the language of the page; `{name}` in it stands for a value. An Error for a key that nobody made known.
 * @param {string} key  @param {{[name: string]: string | number}} [values]  @returns {string} */
export function t(key, values = {}) {
  const both = known.get(key);
  if (!both) throw new Error(`no text for ${key}`);
  return both[chosen === "ja" ? 1 : 0].replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));
}
