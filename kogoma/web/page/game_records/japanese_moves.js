// Moves in Japanese: KIF's `７六歩(77)` with the origin square, and KI2's `５八金右`, the notation of books, whose suffixes
// distinguish pieces. The functions are those of lab/kifu/japanese_moves.py.

import { parseSquare, pieceLetter } from "../../engine/sfen.js";
import { recordError } from "./errors.js";
import { halfWidth, hasKanji, letterOf, pattern, pieceName, squareOf, squareText, targetOf } from "./terms.js";

/** Groups: file, rank, piece, side, way, promotion, drop, file and rank of the origin. */
export const MOVE = pattern("move");

/** The letter of the piece on a square, or "" if the square is empty. Throws an Error if the board has no such square.
 * @param {Position} position  @param {string} square */
export const letterAt = ({ game, struct }, square) =>
  pieceLetter(game, struct.get("board", parseSquare(game, square)) & 15);

/** A move as KIF: `７六歩(77)`, `同　角成(88)`, `５二金打`. `before` is the last move's target square.
 * @param {Position} position  @param {string} usi  @param {string} before */
export function kifMove(position, usi, before) {
  const { variant } = position.game, target = targetOf(usi);
  if (!hasKanji(variant)) return usi;
  const where = target === before ? "同　" : squareText(target);
  if (usi.includes("*")) return `${where}${pieceName(variant, usi.slice(0, usi.indexOf("*")))}打`;
  const name = pieceName(variant, letterAt(position, usi.slice(0, 2))), turns = /[+-]$/.test(usi) ? "成" : "";
  return `${where}${name}${turns}(${usi[0]}${usi.charCodeAt(1) - 96})`;
}

/** A move in KIF or KI2 in USI notation: with an origin square, the move as written, otherwise the only legal move that
 * fits; missing, unusual or wrong suffixes are accepted. Throws an Error if no move fits, or several.
 * @param {Position} position  @param {string[]} found a match of MOVE  @returns {string} */
export function usiOf(position, [, file, rank, name, side, way, turns, drop, ...origin]) {
  const { game } = position;
  if (!file && !position.moves.length) throw recordError("same-square-first");
  const target = file ? squareOf(file, rank) : targetOf(/** @type {string} */ (position.moves.at(-1)));
  const letter = letterOf(game, name), square = halfWidth(origin.join(""));
  if (drop || square === "00") return `${letter}*${target}`;
  if (!square) return fitting(position, letter, target, side, way, turns);
  const [column, row] = square, { files, ranks } = game.variant;
  if (!(+column >= 1 && +column <= files && +row >= 1 && +row <= ranks)) {
    throw recordError("no-such-square", { square });
  }
  const usi = squareOf(column, row) + target, here = letterAt(position, usi.slice(0, 2));
  if (!here) throw recordError("empty-square", { square, other: name });
  if (here !== letter) throw recordError("other-piece-there", { piece: pieceName(game.variant, here), square, other: name });
  // If pieces turn over anywhere, promotion is not marked.
  if (game.variant.promotion !== "in_zone" && turns === undefined && !isLegal(position, usi)) return `${usi}+`;
  return usi + (turns === "成" ? "+" : "");
}

/** @param {Position} position  @param {string} letter  @param {string} target  @param {string} side
 * @param {string} way
 * @param {string | undefined} turns  @returns {string} */
function fitting(position, letter, target, side, way, turns) {
  const legal = position.legalMoves().filter((usi) => targetOf(usi) === target);
  const all = legal.filter((usi) => !usi.includes("*") && letterAt(position, usi.slice(0, 2)) === letter);
  const plain = all.filter((usi) => usi.length === 4), turned = all.filter((usi) => usi.length > 4);
  let steps = turns !== "成" && plain.length ? plain : turns === "成" || turns === undefined ? turned : [];
  if (!steps.length && turns === undefined && legal.includes(`${letter}*${target}`)) return `${letter}*${target}`;
  if (steps.length > 1) steps = byDirection(steps, target, side, way, position.turn ? -1 : 1);
  if (steps.length !== 1) throw recordError(steps.length ? "several-moves-fit" : "no-move-fits");
  return steps[0];
}

/** Those of `steps` whose direction fits the suffixes. All of `steps` bring the same type of piece to `target`; `sign`
 * is -1 for White. Some books write 直 for 上, and for dragons and horses 行 for 上.
 * @param {string[]} steps  @param {string} target  @param {string} side  @param {string} way  @param {number} sign */
function byDirection(steps, target, side, way, sign) {
  let ways = steps.map((usi) => ({
    usi,
    right: sign * Math.sign(Number(target[0]) - Number(usi[0])),
    forward: sign * Math.sign(usi.charCodeAt(1) - target.charCodeAt(1)),
  }));
  if (way) ways = ways.filter(({ forward }) => forward === (way === "寄" ? 0 : way === "引" ? -1 : 1));
  if (side === "直") ways = ways.filter(({ right, forward }) => right === 0 && forward === 1);
  else if (side) {
    // A piece from the right goes to the left.
    const most = (side === "右" ? Math.max : Math.min)(...ways.map(({ right }) => right));
    ways = ways.filter(({ right }) => right === most);
  }
  return ways.map(({ usi }) => usi);
}

/** Whether a move in USI notation is legal.
 * @param {Position} position  @param {string} usi */
function isLegal(position, usi) {
  try {
    return position.code(usi) >= 0;
  } catch {
    return false;
  }
}
