// A move as players write it: "S-3d", "Px2b+", "P*3c", in Japanese "3四銀", "2二歩成", "3三歩打".

import { pieceName } from "../../board/pieces.js";
import { squareIndex } from "../../board/state.js";
import { cardName, squareWord } from "../../board/words.js";

/** @typedef {"en" | "ja"} Language */

/** @param {State} state the position before it  @param {string} usi  @param {Language} language  @param {Cards} cards
 * @returns {string} */
export function shortMove(state, usi, language, cards) {
  const ja = language === "ja";
  const [, number, plain] = /** @type {RegExpExecArray} */ (/^(?:(\d+):)?(.*)$/.exec(usi));
  if (number) {
    const card = cardName(cards, Number(number), language);
    if (plain === "pass") return ja ? `パス(${card})` : `pass (${card})`;
    const takes = state.board[squareIndex(state, plain.slice(2, 4))] ? "x" : "-";
    return `${plain.slice(0, 2)}${takes}${plain.slice(2, 4)} ${card}`;
  }
  /** @param {string} name */
  const square = (name) => squareWord(state, squareIndex(state, name), language);
  const dropped = /^(\+?[A-Z])\*(..)$/.exec(plain);
  if (dropped) {
    const [, letter, to] = dropped;
    return ja ? `${square(to)}${pieceName(state.variant, letter, "ja")}打` : `${letter}*${to}`;
  }
  const found = /^([a-z\d]{2})([a-z\d]{2})([+-]?)$/.exec(plain);
  if (!found) return usi;
  const [, from, to, turned] = found, piece = (state.board[squareIndex(state, from)] ?? "").toUpperCase();
  if (ja) return `${square(to)}${pieceName(state.variant, piece, "ja")}${turned ? "成" : ""}(${from[0]}${from.charCodeAt(1) - 96})`;
  return `${piece}${from}${state.board[squareIndex(state, to)] ? "x" : "-"}${to}${turned && "+"}`;
}
