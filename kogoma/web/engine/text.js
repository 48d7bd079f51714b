// Text functions that give the same results as Python's: str.strip, str.split, slices, repr and `printable`.

const SPACE = "[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]";
const SPACES = new RegExp(`${SPACE}+`), ONE_SPACE = new RegExp(SPACE);

/** Return a text without the characters `letters` at its ends, by default without surrounding white space.
 * @param {string} text  @param {string} [letters] */
export function stripped(text, letters) {
  /** @param {string} one */
  const isGone = (one) => (letters === undefined ? ONE_SPACE.test(one) : letters.includes(one));
  let from = 0, until = text.length;
  while (from < until && isGone(text[from])) from++;
  while (until > from && isGone(text[until - 1])) until--;
  return text.slice(from, until);
}

/** Split a text at white space.
 * @param {string} text */
export const wordsOf = (text) => text.split(SPACES).filter((word) => word);

/** Return the first `count` characters of a text.
 * @param {string} text  @param {number} count */
export const clipped = (text, count) => [...text.slice(0, 2 * count)].slice(0, count).join("");

/** Return the text as Python's `repr`: quoted, with escapes for characters that are not printable.
 * @param {string} text  @param {boolean} [asciiOnly] also escape characters outside ASCII, like Python's `ascii` */
export function quoted(text, asciiOnly = false) {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  /** @type {{[character: string]: string}} */
  const named = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\", [quote]: `\\${quote}` };
  const shown = asciiOnly ? /^[ -~]$/ : /^(?:[^\p{C}\p{Z}]| )$/u;
  return quote + [...text].map((one) => named[one] ?? (shown.test(one) ? one : escaped(one))).join("") + quote;
}

/** Return a text in which control characters other than tab and newline are replaced by escapes, like Python's
 * `printable` (escapes.py).
 * @param {string} text */
export const printable = (text) => text.replace(/[\0-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]/gu, escaped);

/** @param {string} character  @returns {string} */
function escaped(character) {
  const code = character.codePointAt(0) ?? 0, digits = code.toString(16);
  if (code < 1 << 8) return `\\x${digits.padStart(2, "0")}`;
  return code < 1 << 16 ? `\\u${digits.padStart(4, "0")}` : `\\U${digits.padStart(8, "0")}`;
}
