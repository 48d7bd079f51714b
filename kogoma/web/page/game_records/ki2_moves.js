// Moves in KI2, the notation printed for people: "７六歩", "５二金右", "同　銀成". Origins follow from the suffixes.

import { pieceLetter } from "../../engine/sfen.js";
import { FILES, RANKS, letterOf, targetOf, usiSquare } from "./kif_names.js";

/** The signs before a move. */
export const MARKS = /[▲△▼▽☗☖]/;
const MOVES = /[▲△▼▽☗☖][^▲△▼▽☗☖]+/g;
const MOVE = /^(?:同|([1-9１-９])([1-9一二三四五六七八九]))[\s　]*(成[香桂銀]|[^\s　右左直上寄引打成不])[\s　]*([右左直]?)([上寄引]?)[\s　]*(成|不成|生|打)?$/u;

/** Return the texts of the moves in a line.
 * @param {string} line  @returns {string[]} */
export const ki2Moves = (line) => (line.match(MOVES) ?? []).map((text) => text.slice(1).trim());

/** @param {string} text  @param {string} digits */
const digit = (text, digits) => (digits.indexOf(text) >= 0 ? digits.indexOf(text) + 1 : Number(text));

/** Return the legal moves in USI notation that a text fits; a missing suffix leaves several.
 * @param {Position} position  @param {string} text  @param {string} before destination of the last move  @returns {string[]} */
export function fittingMoves(position, text, before) {
  const { game } = position, found = MOVE.exec(text), letter = found && letterOf(game.variant.name, found[3]);
  if (!found || !letter) return [];
  const [, file, rank, , side, way, how] = found;
  const to = file ? usiSquare(digit(file, FILES), digit(rank, RANKS)) : before, { files } = game.variant;
  const moves = position.legalMoves().filter((usi) => targetOf(usi) === to);
  const drops = moves.filter((usi) => usi.startsWith(`${letter}*`));
  /** @param {string} square */
  const place = (square) => [Number(square[0]), square.charCodeAt(1) - 97];
  /** @param {string} usi */
  const origin = (usi) => {
    const [column, row] = place(usi);
    return pieceLetter(game, position.struct.get("board", row * files + files - column) & 15);
  };
  let steps = how === "打" ? [] : moves.filter((usi) => usi[1] !== "*" && usi[2] !== "*" && origin(usi) === letter);
  const plain = steps.filter((usi) => !usi.endsWith("+"));
  if (how === "成" || !plain.length) steps = steps.filter((usi) => usi.endsWith("+"));
  else steps = plain;
  if (!steps.length) return drops;
  // Where the piece comes from, as its owner sees the board: to the right (1) or left (-1), from behind (1) or before (-1).
  const sign = position.turn ? -1 : 1, [toFile, toRow] = place(to);
  const ways = steps.map((usi) => {
    const [fromFile, fromRow] = place(usi);
    return { usi, right: sign * Math.sign(toFile - fromFile), forward: sign * Math.sign(fromRow - toRow) };
  });
  const wanted = { 上: 1, 寄: 0, 引: -1 }[way];
  const fitting = ways.filter(({ right, forward }) => (wanted === undefined || forward === wanted) && (side !== "直" || (right === 0 && forward === 1)));
  const rightmost = Math.max(...fitting.map(({ right }) => right)), leftmost = Math.min(...fitting.map(({ right }) => right));
  return fitting.filter(({ right }) => (side === "右" ? right === rightmost : side === "左" ? right === leftmost : true)).map(({ usi }) => usi);
}
