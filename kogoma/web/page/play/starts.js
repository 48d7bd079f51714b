// Where games start: the usual position, or what chance makes of it.

import { sample } from "./chance.js";

/** @typedef {"usual" | "random" | "symmetric" | "typed"} StartKind */

const OFFICERS = [..."GSCYXRVH"]; // of the Game of Generals: five of them stand beside the king
const IN_PLAY = 5; // cards

/** The kinds of starts that a game has.
 * @param {GameEntry} entry  @returns {StartKind[]} */
export function startKinds({ cards, anySetUp }) {
  return ["usual", ...(anySetUp ? /** @type {StartKind[]} */ (["random", "symmetric"]) : []),
    ...(cards ? /** @type {StartKind[]} */ (["random"]) : []), "typed"];
}

/** The king and five different officers, in any order. */
const row = () => sample(["K", ...sample(OFFICERS, 5)], 6);

/** A start, as SFEN.
 * @param {GameEntry} entry  @param {StartKind} kind  @param {string} typed what was typed, for "typed"
 * @param {number} cardCount how many cards there are  @returns {string} */
export function startOf(entry, kind, typed, cardCount) {
  if (kind === "typed") return typed.trim().replace(/^(position\s+)?sfen\s+/, "");
  if (kind === "usual") return entry.start;
  if (entry.cards) {
    const cards = sample(Array.from({ length: cardCount }, (_, card) => card), IN_PLAY);
    const hands = [cards.slice(0, 2), cards.slice(2, 4)].map((hand) => hand.sort((a, b) => a - b).join(","));
    return entry.start.replace(/\S+,\S+/, `${hands.join("/")}/${cards[4]}`);
  }
  const black = row(), white = kind === "symmetric" ? [...black].reverse() : row();
  return `${white.join("").toLowerCase()}/pppppp/6/6/PPPPPP/${black.join("")} b - 1`;
}
