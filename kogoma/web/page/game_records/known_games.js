// The games that the page knows, and the choice of one for a position, as in rules/variants.py.

import { quoted, wordsOf } from "../../engine/text.js";
import { recordError } from "./errors.js";

/** @typedef {{name: string, files: number, ranks: number, letters: string[], held: string, placements: number, cards: boolean, start: string}} KnownGame
 *   the part of an entry in games/index.json that readers need */

/** The game with the name `name`. Throws an Error if there is none.
 * @param {string} name  @param {KnownGame[]} games  @returns {KnownGame} */
export function find(name, games) {
  const found = games.find((game) => game.name === name);
  if (!found) throw recordError("unknown-variant", { name: quoted(name), names: games.map((game) => game.name).join(", ") });
  return found;
}

/** The games with a board of this size, `preferred` first.
 * @param {number} files  @param {number} ranks  @param {string} preferred  @param {KnownGame[]} games
 * @returns {KnownGame[]} */
export function byShape(files, ranks, preferred, games) {
  const fitting = games.filter((game) => game.files === files && game.ranks === ranks);
  return fitting.sort((a, b) => Number(b.name === preferred) - Number(a.name === preferred));
}

/** The game to which an SFEN belongs: `preferred` if board size and pieces fit, else the first that fits, else the
 * first with this board size. A king in hand fits games with a placement phase. Throws an Error if there is none.
 * @param {string} sfen  @param {string} preferred  @param {KnownGame[]} games  @returns {KnownGame} */
export function infer(sfen, preferred, games) {
  const words = wordsOf(sfen), board = words[0] ?? "", [row] = board.split("/");
  if (!board.includes("/")) throw recordError("sfen-board", { text: board });
  if (row.length > 64 || !/^(?:[0-9]+|\+?[A-Za-z])+$/.test(row)) {
    throw recordError("sfen-first-row", { text: row });
  }
  const cells = row.match(/[0-9]+|[A-Za-z]/g) ?? [], ranks = board.split("/").length;
  const files = cells.reduce((sum, cell) => sum + (/[0-9]/.test(cell) ? Number(cell) : 1), 0);
  const fitting = byShape(files, ranks, preferred, games);
  if (!fitting.length) throw recordError("sfen-size", { files, ranks });
  const pieces = board.toUpperCase().match(/\+?[A-Z]/g) ?? [], hasCards = words[2]?.includes(",") ?? false;
  const held = (words[2] ?? "-").toUpperCase().match(/[A-Z]/g) ?? [];
  const whole = fitting.find(({ letters, held: holdable, cards }) =>
    cards === hasCards && pieces.every((piece) => letters.includes(piece)) && held.every((piece) => holdable.includes(piece)));
  return whole ?? fitting[0];
}

/** The game from whose start position the move `first` is played: `preferred` or, if its start has no pieces in hand and
 * the move is a drop, the first game with a placement phase that has the piece.
 * @param {string} first  @param {KnownGame} preferred  @param {KnownGame[]} games  @returns {KnownGame} */
export function inferFromMoves(first, preferred, games) {
  const [piece, target] = first.split("*");
  if (target === undefined || preferred.start.split(" ")[2] !== "-") return preferred;
  return games.find(({ placements, letters }) => placements > 0 && letters.includes(piece)) ?? preferred;
}

/** The name of the game from `infer`, or "" if there is none.
 * @param {string} sfen  @param {KnownGame[]} games  @param {string} preferred  @returns {string} */
export function gameOf(sfen, games, preferred) {
  try {
    return infer(sfen, preferred, games).name;
  } catch {
    return "";
  }
}
