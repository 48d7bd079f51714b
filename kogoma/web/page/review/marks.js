// The marks of mistakes.

import { h } from "../elements.js";
import { t } from "../translate.js";

/** @type {{[kind: string]: string}} */
const SYMBOLS = { inaccuracy: "?!", mistake: "?", blunder: "??" };

/** The mark of a kind of mistake, a symbol that screen readers read as a word.
 * @param {string} kind  @returns {Node[]} */
export const markOf = (kind) => [
  h("b", { class: `mark ${kind}`, "aria-hidden": "true" }, SYMBOLS[kind]), h("span", { class: "unseen" }, ` ${t(`review.${kind}`)}`),
];
