// Games and positions as URL fragments, for sharing:
//   #game=minishogi&start=SFEN&moves=...&dice=...&ply=12
// `start` is omitted for the variant's start position. A move has two characters, on large boards three. `dice` has one
// digit per move, 0 without a roll. `ply` is the move to show, omitted for the last one. Whole games with variations and
// comments are those of shared_record.js.

import { Position } from "../../engine/position.js";
import { DROP, ORIGIN_SHIFT, PROMOTION, SQUARE_MASK } from "../../engine/sfen.js";
import { clipped } from "../../engine/text.js";
import { GameTree } from "../game_tree.js";
import { t } from "../later_texts.js";
import { translatedError } from "./errors.js";
import { fieldsOf, namedGame } from "./fragment.js";

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const LONGEST = 20000; // characters of a fragment, enough for about 6,000 moves

/** The number of characters of a move. A move consists of the origin square or dropped piece, the target square and a
 * promotion bit.
 * @param {Game} game */
const widthOf = (game) => ((game.squares + game.variant.pieces.length + 1) * game.squares * 2 <= 64 ** 2 ? 2 : 3);

/** The fragment for the shown line and ply or, with `alone`, for the shown position only. If that position ends the
 * game, the line is written anyway, because some final positions are not valid start positions.
 * @param {Game} game  @param {GameTree} tree  @param {boolean} [alone]  @returns {string} begins with # */
export function writeAddress(game, tree, alone = false) {
  const position = new Position(game, tree.start);
  try {
    const all = tree.line(), ply = tree.current.ply;
    let moves = "";
    for (const { move } of alone ? all.slice(0, ply) : all) {
      if (!alone) moves += writeMove(game, position.code(move));
      position.push(move);
    }
    if (alone && position.outcome()) return writeAddress(game, tree);
    const start = alone ? position.sfen() : tree.start, fields = [`game=${tree.variant}`];
    if (start !== game.variant.start) fields.push(`start=${encodeURI(start.replaceAll(" ", "_"))}`);
    if (moves) fields.push(`moves=${moves}`);
    if (!alone && all.some((node) => node.dice)) fields.push(`dice=${all.map((node) => node.dice).join("")}`);
    if (!alone && ply < all.length) fields.push(`ply=${ply}`);
    return `#${fields.join("&")}`;
  } finally {
    position.release();
  }
}

/** @param {Game} game  @param {number} code  @returns {string} */
function writeMove(game, code) {
  const place = (code >> ORIGIN_SHIFT) & SQUARE_MASK, origin = code & DROP ? game.squares + place : place;
  let number = (origin * game.squares + (code & SQUARE_MASK)) * 2 + (code & PROMOTION ? 1 : 0), text = "";
  for (let count = widthOf(game); count > 0; count--) {
    text += DIGITS[number & 63];
    number >>= 6;
  }
  return text;
}

/** @param {Game} game  @param {string} text  @returns {number} the move code, legal or illegal; -1 if invalid */
function readMove(game, text) {
  let number = 0;
  for (const digit of [...text].reverse()) number = (number << 6) | DIGITS.indexOf(digit);
  const half = number >> 1, to = half % game.squares, origin = Math.floor(half / game.squares);
  if (origin > game.squares + game.variant.pieces.length) return -1;
  const code = to | (number & 1 ? PROMOTION : 0);
  if (origin < game.squares) return code | (origin << ORIGIN_SHIFT);
  return code | ((origin - game.squares) << ORIGIN_SHIFT) | DROP;
}

/** The variant's name in a fragment. Throws an Error for an unknown variant.
 * @param {string} hash  @param {KnownGame[]} games  @returns {string} */
export function addressGame(hash, games) {
  const name = namedGame(hash) ?? "";
  if (!games.some((game) => game.name === name)) {
    throw new Error(t("records.address", { why: t("records.addressVariant", { name: clipped(name, 30) }) }));
  }
  return name;
}

/** Read a game from a fragment. Throws an Error that states what is invalid.
 * @param {Game} game the variant from `addressGame`  @param {string} hash  @returns {GameTree} */
export function readAddress(game, hash) {
  try {
    if (hash.length > LONGEST) throw new Error(t("records.tooLong", { most: LONGEST }));
    return readFields(game, fieldsOf(hash) ?? new Map());
  } catch (error) {
    throw new Error(t("records.address", { why: translatedError(error) }));
  }
}

/** @param {Game} game  @param {Map<string, string>} fields  @returns {GameTree} */
function readFields(game, fields) {
  const start = (fields.get("start") ?? "").replaceAll("_", " "), moves = fields.get("moves") ?? "";
  const width = widthOf(game), throws = fields.get("dice") ?? "", count = moves.length / width;
  if (!/^[\w-]*$/.test(moves) || moves.length % width) throw new Error(t("records.addressText"));
  if (throws && !(/^[0-6]*$/.test(throws) && throws.length === count && game.variant.die !== "none")) {
    throw new Error(t("records.addressRoll"));
  }
  const position = new Position(game, start ? decodeURIComponent(start) : undefined);
  try {
    const tree = new GameTree(game.variant.name, position.sfen());
    for (let index = 0; index < count; index++) {
      const code = readMove(game, moves.slice(index * width, (index + 1) * width));
      if (!position.legalCodes().includes(code)) throw new Error(t("records.addressMove", { number: index + 1 }));
      const usi = position.usi(code);
      position.push(usi);
      tree.play(usi, Number(throws[index] ?? 0));
    }
    const ply = fields.get("ply") ?? `${count}`;
    if (!(/^[0-9]{1,5}$/.test(ply) && Number(ply) <= count)) throw new Error(t("records.addressPly", { ply: clipped(ply, 9) }));
    tree.goTo([tree.root, ...tree.line()][Number(ply)]);
    return tree;
  } finally {
    position.release();
  }
}
