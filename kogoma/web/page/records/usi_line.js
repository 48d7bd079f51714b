// Games and positions in a line: `position startpos moves ...`, `position sfen ... moves ...`, `sfen ...` or an SFEN alone.
// Throws, comments and variations have no place there.

import { Position } from "../../engine/position.js";
import { clipped, wordsOf } from "../../engine/text.js";
import { GameTree } from "../game_tree.js";
import { inWords } from "./errors.js";
import { bareRecord } from "./record.js";
import { t } from "./words.js";

/** The line shown of a tree, up to its end.
 * @param {GameTree} tree  @returns {string} */
export function writeUsiLine(tree) {
  const moves = tree.line().map((node) => node.move);
  return `position sfen ${tree.start}${moves.length ? ` moves ${moves.join(" ")}` : ""}`;
}

/** The start's SFEN ("" for `startpos`) and the moves, or null where the line has another form. What follows a # is
 * left out.
 * @param {string} text  @returns {{sfen: string, moves: string[]} | null} */
export function splitUsiLine(text) {
  const words = wordsOf(text.replace(/(^|\s)#.*$/, "")), given = words[0] === "position" ? words.slice(1) : words;
  const at = given.indexOf("moves"), start = at < 0 ? given : given.slice(0, at), moves = at < 0 ? [] : given.slice(at + 1);
  if (start[0] === "startpos") return start.length === 1 ? { sfen: "", moves } : null;
  const sfen = (start[0] === "sfen" ? start.slice(1) : start).join(" ");
  return /^[0-9A-Za-z+]+(\/[0-9A-Za-z+]+)+( |$)/.test(sfen) || start[0] === "sfen" ? { sfen, moves } : null;
}

/** Read a line; `number` is that of the line, for messages.
 * @param {Game} game  @param {string} text  @param {number} [number]  @returns {Reading} */
export function readUsiLine(game, text, number = 1) {
  const parts = splitUsiLine(text);
  if (!parts) return { record: null, trouble: { line: number, text: t("records.word", { word: clipped(text, 40) }) } };
  let position;
  try {
    position = new Position(game, parts.sfen || undefined);
  } catch (error) {
    return { record: null, trouble: { line: number, text: inWords(error) } };
  }
  const tree = new GameTree(game.variant.name, position.sfen());
  let trouble = null;
  for (const move of parts.moves) {
    try {
      position.push(move);
    } catch (error) {
      trouble = { line: number, text: t("records.illegal", { move: clipped(move, 20), why: inWords(error) }) };
      break;
    }
    tree.play(move);
  }
  position.release();
  return { record: bareRecord(tree), trouble };
}
