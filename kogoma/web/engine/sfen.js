// SFEN and USI notation of positions and moves. The error messages are the same as in rules/notation.py.

import { clipped, quoted, wordsOf } from "./text.js";

/** @typedef {{board: number[], hands: number[][], turn: number, number: number}} Setup
 *   `board` holds side << 4 | piece type for each square, 0 if empty; `hands[side][type]` counts pieces */

// The move encoding of rules/move_encoding.py.
export const SQUARE_MASK = 127;
export const ORIGIN_SHIFT = 7;
export const PROMOTION = 1 << 14;
export const DROP = 1 << 15;

/** A move: the dropped piece or the origin, the target and the suffix. */
export const USI_MOVE = /^(?:(\+?[A-Z])\*|([1-9][a-z]))([1-9][a-z])([+-]?)$/;
export const SIDES = ["b", "w"];
export const SIDE_NAMES = ["Black", "White"];

/** Return the name of a square: "5e" for the bottom-left corner of a 5x5 board.
 * @param {Game} game  @param {number} square */
export function squareName({ variant: { files } }, square) {
  return `${files - (square % files)}${String.fromCharCode(97 + Math.floor(square / files))}`;
}

/** Return the square with the name `text`. Throw an Error if the board has no such square.
 * @param {Game} game  @param {string} text */
export function parseSquare({ variant: { files, ranks } }, text) {
  if (/^[1-9][a-z]$/.test(text)) {
    const column = files - Number(text[0]), row = text.charCodeAt(1) - 97;
    if (column >= 0 && row < ranks) return row * files + column;
  }
  throw new Error(`no square ${quoted(text)} on a board of ${files} files and ${ranks} ranks`);
}

/** Return a move code in USI notation: "2e3d", "2b2a+", "P*3c".
 * @param {Game} game  @param {number} move */
export function moveToUsi(game, move) {
  const to = squareName(game, move & SQUARE_MASK), origin = (move >> ORIGIN_SHIFT) & SQUARE_MASK;
  if (move & DROP) return `${game.variant.pieces[origin - 1].letter}*${to}`;
  return squareName(game, origin) + to + (move & PROMOTION ? "+" : "");
}

/** Return the move code of a USI move, legal or not. Throw an Error if the text is not a move.
 * @param {Game} game  @param {string} usi  @returns {number} */
export function usiToMove(game, usi) {
  const found = USI_MOVE.exec(usi);
  if (!found) throw new Error(`illegal move ${quoted(clipped(usi, 20))}: not a USI move`);
  const [, letter, origin, to, promotion] = found;
  let code = 0;
  try {
    code = parseSquare(game, to);
    if (origin) return code | (parseSquare(game, origin) << ORIGIN_SHIFT) | (promotion ? PROMOTION : 0);
  } catch (error) {
    throw new Error(`illegal move ${quoted(usi)}: ${/** @type {Error} */ (error).message}`);
  }
  const type = game.letters.get(letter);
  if (type === undefined || promotion) throw new Error(`illegal move ${quoted(usi)}: no such drop`);
  return code | (type << ORIGIN_SHIFT) | DROP;
}

/** Parse an SFEN, in which turn, hands and move number are optional. Throw an Error if it is not valid.
 * @param {Game} game  @param {string} text  @returns {Setup} */
export function parseSfen(game, text) {
  const words = wordsOf(text);
  if (!(words.length >= 1 && words.length <= 4)) {
    throw new Error(`sfen: 4 fields expected (board, turn, hands, move number), not ${words.length}`);
  }
  const board = parseBoard(game, words[0]), turn = parseTurn(words[1] ?? "b");
  const hands = parseHands(game, words[2] ?? "-");
  const number = words.length > 3 ? parseNumber(words[3]) : firstNumber(game, board, hands);
  const setup = { board, hands, turn, number };
  checkPieces(game, setup);
  if (game.placements) checkPlacements(game, setup);
  return setup;
}

/** The move number of a position that does not state it: 1 or, in a variant with a placement phase, that of the first
 * move after it. If a king is in hand, it follows from the number of pieces that have been placed.
 * @param {Game} game  @param {number[]} board  @param {number[][]} hands */
export function firstNumber(game, board, hands) {
  if (!hands.some((hand) => hand[game.royal])) return game.placements + 1;
  const [first] = game.variant.start.split(" "), pieces = (/** @type {number[]} */ cells) => cells.filter((cell) => cell).length;
  return Math.max(1 + pieces(board) - pieces(parseBoard(game, first)), 1);
}

/** @param {string} text  @returns {number} */
export function parseTurn(text) {
  const side = SIDES.indexOf(text);
  if (side < 0) throw new Error(`sfen: the side to move must be b or w, not ${quoted(clipped(text, 20))}`);
  return side;
}

/** @param {string} text  @returns {number} */
export function parseNumber(text) {
  if (!/^[0-9]{1,9}$/.test(text) || Number(text) < 1) {
    throw new Error(`sfen: the move number must be a whole number, at least 1, not ${quoted(clipped(text, 20))}`);
  }
  return Number(text);
}

/** Parse the board field of an SFEN and return the `board` of a Setup.
 * @param {Game} game  @param {string} text  @returns {number[]} */
export function parseBoard(game, text) {
  const { files, ranks } = game.variant, rows = text.split("/");
  if (rows.length !== ranks) throw new Error(`sfen: ${ranks} ranks expected, not ${rows.length}`);
  /** @type {number[]} */
  const board = [];
  rows.forEach((row, index) => {
    const name = String.fromCharCode(97 + index), cells = row.match(/[0-9]+|\+?[A-Za-z]/g) ?? [];
    if (cells.join("") !== row) throw new Error(`sfen: cannot read rank ${name}: ${quoted(clipped(row, 40))}`);
    let wide = 0;
    for (const cell of cells) {
      if (/[0-9]/.test(cell)) {
        const empty = Number(cell.slice(0, 4));
        wide += empty;
        for (let i = 0; i < Math.min(empty, files); i++) board.push(0);
      } else {
        wide += 1;
        board.push(pieceOf(game, cell));
      }
    }
    if (wide !== files) throw new Error(`sfen: rank ${name} is ${wide} squares wide, not ${files}`);
  });
  return board;
}

/** @param {string} text */
const isLower = (text) => text !== text.toUpperCase();

/** @param {Game} game  @param {string} cell  @returns {number} */
function pieceOf(game, cell) {
  const type = game.letters.get(cell.toUpperCase());
  if (type === undefined) throw new Error(`sfen: unknown piece letter ${quoted(cell)}`);
  return (isLower(cell) ? 16 : 0) | type;
}

/** @param {Game} game  @param {string} text  @returns {number[][]} */
function parseHands(game, text) {
  const { pieces } = game.variant;
  const hands = SIDES.map(() => Array(pieces.length + 1).fill(0));
  if (text === "-") return hands;
  const held = [...text.matchAll(/([0-9]*)([A-Za-z])/g)];
  if (held.map(([whole]) => whole).join("") !== text) {
    throw new Error(`sfen: cannot read the hands ${quoted(clipped(text, 40))}`);
  }
  for (const [, count, letter] of held) {
    const type = game.letters.get(letter.toUpperCase());
    if (type === undefined || !canBeHeld(game, pieces[type - 1])) {
      throw new Error(`sfen: a piece ${quoted(letter)} cannot be in hand`);
    }
    const pieceCount = Number(count.slice(0, 4));
    if (count && !(pieceCount >= 1 && pieceCount <= game.constants.HAND_LIMIT)) {
      throw new Error(`sfen: a hand cannot hold ${count.slice(0, 20)} pieces ${quoted(letter)}`);
    }
    hands[isLower(letter) ? 1 : 0][type] += Number(count || 1);
  }
  return hands;
}

/** Throw an Error for a wrong number of kings or pieces, or a piece that can never move. One of the kings may be
 * missing, as in mate problems, except in variants won by capturing the king. Pawns may share a file, as in composed
 * positions.
 * @param {Game} game  @param {Setup} setup */
function checkPieces(game, { board, hands, number }) {
  const { pieces } = game.variant, types = game.rules.shape("no_drop")[1];
  const missing = SIDE_NAMES.filter((_, side) => !board.includes((side << 4) | game.royal));
  if (missing.length === 2 && number > game.placements) throw new Error("sfen: neither side has a king");
  if (missing.length && game.variant.king_capture) throw new Error(`sfen: ${missing[0]} has no king`);
  SIDE_NAMES.forEach((name, side) => {
    pieces.forEach((piece, index) => {
      const code = (side << 4) | (index + 1);
      const on = board.flatMap((cell, square) => (cell === code ? [square] : []));
      if (piece.royal && on.length > 1) throw new Error(`sfen: ${name} has ${on.length} kings`);
      const stuck = game.squaresIn(game.rules, "no_drop", side * types + index + 1).find((one) => on.includes(one));
      if (stuck !== undefined) {
        throw new Error(`sfen: ${name}'s ${piece.letter} on ${squareName(game, stuck)} can never move`);
      }
    });
  });
  pieces.forEach((piece, index) => {
    if (!canBeHeld(game, piece)) return;
    const faces = [index + 1, game.letters.get(piece.promotes_to) ?? 0].filter((type) => type);
    const total = board.filter((cell) => faces.includes(cell & 15)).length + hands[0][index + 1] + hands[1][index + 1];
    const limit = game.mostPieces[index];
    if (total > limit) {
      throw new Error(`sfen: too many pieces ${piece.letter}: ${total}, where the game has ${limit}`);
    }
  });
}

/** Whether a piece can be in hand. A king can before it is placed.
 * @param {Game} game  @param {import("./game.js").Piece} piece */
export function canBeHeld(game, piece) {
  return !piece.letter.startsWith("+") && (!piece.royal || game.placements > 0);
}

/** Throw an Error if the board or the hands of a set-up contradict its move number, which tells whether pieces are still
 * to be placed.
 * @param {Game} game  @param {Setup} setup */
function checkPlacements(game, setup) {
  const groups = game.variant.choices.map((group) => [...group].map((letter) => game.letters.get(letter) ?? 0));
  if (setup.number > game.placements) checkAfterPlacements(game, setup, groups);
  else checkWhilePlacing(game, setup, groups);
}

/** Throw an Error if a king is in hand, or if there are pieces that had to leave the game.
 * @param {Game} game  @param {Setup} setup  @param {number[][]} groups */
function checkAfterPlacements(game, { board, hands, number }, groups) {
  const { pieces } = game.variant;
  SIDE_NAMES.forEach((name, side) => {
    if (hands[side][game.royal]) {
      throw new Error(`sfen: move number ${number} comes after the placements, but ${name}'s king is in hand`);
    }
  });
  const plain = board.filter((cell) => cell).map((cell) => game.letters.get(pieces[(cell & 15) - 1].letter.slice(-1)) ?? 0);
  for (const group of groups) {
    const held = hands.flatMap((hand) => group.map((type) => hand[type]));
    const total = held.reduce((sum, count) => sum + count, plain.filter((type) => group.includes(type)).length);
    if (total > SIDES.length) {
      const names = group.map((type) => pieces[type - 1].letter).join(" and ");
      throw new Error(`sfen: too many pieces ${names}: ${total}, where the game has ${SIDES.length}`);
    }
  }
}

/** Throw an Error unless the board is that of the start position with as many pieces on the players' first ranks as the
 * move number says, and the other pieces are in hand.
 * @param {Game} game  @param {Setup} setup  @param {number[][]} groups */
function checkWhilePlacing(game, { board, hands, turn, number }, groups) {
  const [firstBoard, firstTurn, firstHands] = game.variant.start.split(" "), first = parseBoard(game, firstBoard);
  const begins = parseTurn(firstTurn), toMove = (begins + number - 1) % 2, left = parseHands(game, firstHands);
  const wrong = `sfen: move number ${number} is in the placement phase, in which`, placed = [0, 0];
  if (turn !== toMove) throw new Error(`${wrong} ${SIDE_NAMES[toMove]} is then to move`);
  board.forEach((cell, square) => {
    if (cell === first[square]) return;
    const side = cell >> 4, type = cell & 15;
    if (first[square] || !game.squaresIn(game.rules, "home", side).includes(square) || !left[side][type]) {
      throw new Error(`${wrong} ${squareName(game, square)} must be as in the start position`);
    }
    placed[side] += 1;
    left[side][type] -= 1;
    for (const group of groups.filter((one) => one.includes(type))) for (const other of group) left[side][other] = 0;
  });
  SIDE_NAMES.forEach((name, side) => {
    const expected = (number - 1 + (side === begins ? 1 : 0)) >> 1;
    if (placed[side] !== expected) {
      throw new Error(`${wrong} the number of ${name}'s placed pieces is ${expected}, not ${placed[side]}`);
    }
    if (hands[side].join() !== left[side].join()) {
      throw new Error(`${wrong} ${name} then has in hand ${handText(game, left[side], side) || "nothing"}`);
    }
  });
}

/** Return the SFEN of a Setup.
 * @param {Game} game  @param {Setup} setup  @returns {string} */
export function writeSfen(game, { board, hands, turn, number }) {
  const held = handText(game, hands[0], 0) + handText(game, hands[1], 1) || "-";
  return `${writeBoard(game, board)} ${SIDES[turn]} ${held} ${number}`;
}

/** Return the board field of an SFEN.
 * @param {Game} game  @param {number[]} board  @returns {string} */
export function writeBoard(game, board) {
  const { files, ranks } = game.variant, rows = [];
  for (let row = 0; row < ranks; row++) {
    const cells = board.slice(row * files, (row + 1) * files);
    const text = cells.map((cell) => pieceLetter(game, cell) || " ").join("");
    rows.push(text.replace(/ +/g, (blank) => `${blank.length}`));
  }
  return rows.join("/");
}

/** Return the letter of a piece: "+p" for White's tokin, "" for an empty square.
 * @param {Game} game  @param {number} cell  @returns {string} */
export function pieceLetter(game, cell) {
  if (!cell) return "";
  const { letter } = game.variant.pieces[(cell & 15) - 1];
  return cell >> 4 ? letter.toLowerCase() : letter;
}

/** Return the SFEN of a hand: "R2P" for Black, "r2p" for White, "" if it is empty.
 * @param {Game} game  @param {number[]} hand  @param {number} side  @returns {string} */
export function handText(game, hand, side) {
  let text = "";
  for (let type = game.variant.pieces.length; type > 0; type--) {
    if (hand[type]) text += (hand[type] > 1 ? hand[type] : "") + game.variant.pieces[type - 1].letter;
  }
  return side ? text.toLowerCase() : text;
}
