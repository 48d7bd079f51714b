// Onitama's notation: SFEN with cards, and moves as `10:b1b3` or `10:pass`. The error messages are the same as in
// rules/onitama/notation.py.

import {
  DROP, ORIGIN_SHIFT, PROMOTION, SIDES, SIDE_NAMES, SQUARE_MASK, parseBoard, parseNumber, parseTurn, writeBoard,
} from "./sfen.js";
import { clipped, quoted, wordsOf } from "./text.js";

/** @typedef {{board: number[], cards: number[], turn: number, number: number}} CardSetup
 *   `cards` are Black's two, White's two (ascending) and the one in the centre */

const CARD = PROMOTION, PASS = DROP; // bits of a move code: the hand's second card is used; no piece moves
const CARDS = 16, HELD = 2, IN_PLAY = 5;

/** Return five cards as one integer, as the position's struct stores them.
 * @param {number[]} cards */
export const pack = (cards) => cards.reduce((word, card, place) => word | (card << (4 * place)), 0);

/** Return the five cards of an integer made by `pack`.
 * @param {number} word */
export const unpack = (word) => Array.from({ length: IN_PLAY }, (_, place) => (word >> (4 * place)) & 15);

/** Return the cards after a move of `side`: the used card and the card in the centre are swapped, hands stay sorted.
 * @param {number[]} cards  @param {number} side  @param {number} move */
export function swapped(cards, side, move) {
  const after = [...cards], place = HELD * side + (move & CARD ? 1 : 0);
  [after[place], after[IN_PLAY - 1]] = [after[IN_PLAY - 1], after[place]];
  const hand = after.slice(HELD * side, HELD * side + HELD).sort((a, b) => a - b);
  after.splice(HELD * side, HELD, ...hand);
  return after;
}

/** Return the name of a square: "a1" for the bottom-left corner.
 * @param {Game} game  @param {number} square */
export function cardSquareName({ variant: { files, ranks } }, square) {
  return `${String.fromCharCode(97 + (square % files))}${ranks - Math.floor(square / files)}`;
}

/** Return the notation of a move code of `side`, given the cards before the move.
 * @param {Game} game  @param {number} move  @param {number[]} cards  @param {number} side  @returns {string} */
export function moveToText(game, move, cards, side) {
  const card = cards[HELD * side + (move & CARD ? 1 : 0)];
  if (move & PASS) return `${card}:pass`;
  const origin = (move >> ORIGIN_SHIFT) & SQUARE_MASK;
  return `${card}:${cardSquareName(game, origin)}${cardSquareName(game, move & SQUARE_MASK)}`;
}

/** Return the move code of a move, legal or not. Throw an Error if the text is not a move of `side`.
 * @param {Game} game  @param {string} text  @param {number[]} cards  @param {number} side  @returns {number} */
export function textToMove(game, text, cards, side) {
  const { files, ranks } = game.variant;
  const found = /^([0-9]{1,2}):(?:pass|([a-z])([1-9])([a-z])([1-9]))$/.exec(text);
  if (!found) throw new Error(`illegal move ${quoted(clipped(text, 20))}: not a move like 10:b1b3 or 10:pass`);
  const hand = cards.slice(HELD * side, HELD * side + HELD), index = hand.indexOf(Number(found[1]));
  if (index < 0) {
    throw new Error(`illegal move ${quoted(text)}: ${SIDE_NAMES[side]} has the cards ${hand[0]} and ${hand[1]}`);
  }
  const code = CARD * index;
  if (found[2] === undefined) return code | PASS;
  const squares = [[found[2], found[3]], [found[4], found[5]]].map(([letter, digit]) => {
    const column = letter.charCodeAt(0) - 97, row = ranks - Number(digit);
    if (column >= files || row < 0) throw new Error(`illegal move ${quoted(text)}: no such square`);
    return row * files + column;
  });
  return code | (squares[0] << ORIGIN_SHIFT) | squares[1];
}

/** Parse an SFEN of Onitama, in which the move number is optional. Throw an Error that names the fault.
 * @param {Game} game  @param {string} text  @returns {CardSetup} */
export function parseOnitama(game, text) {
  const words = wordsOf(text);
  if (!(words.length >= 3 && words.length <= 4)) {
    throw new Error(`sfen: 4 fields expected (board, turn, cards, move number), not ${words.length}`);
  }
  const board = parseBoard(game, words[0]), number = parseNumber(words[3] ?? "1");
  const setup = { board, cards: parseCards(words[2]), turn: parseTurn(words[1]), number };
  checkPieces(game, setup);
  return setup;
}

/** @param {string} text  @returns {number[]} */
function parseCards(text) {
  const found = /^([0-9]{1,2}),([0-9]{1,2})\/([0-9]{1,2}),([0-9]{1,2})\/([0-9]{1,2})$/.exec(text);
  if (!found) {
    throw new Error(`sfen: cannot read the cards ${quoted(clipped(text, 40))}: they are written like 12,14/7,11/13`);
  }
  const cards = found.slice(1).map(Number);
  if (Math.max(...cards) >= CARDS || new Set(cards).size < IN_PLAY) {
    throw new Error(`sfen: five different cards from 0 to ${CARDS - 1} expected, not ${text}`);
  }
  /** @param {number} a  @param {number} b */
  const ascending = (a, b) => a - b;
  return [...cards.slice(0, 2).sort(ascending), ...cards.slice(2, 4).sort(ascending), cards[4]];
}

/** Throw an Error if there are too many pieces, or if the game was over before the last move.
 * @param {Game} game  @param {CardSetup} setup */
function checkPieces(game, { board, turn }) {
  const { files, start } = game.variant;
  const student = game.letters.get("S") ?? 0, master = game.letters.get("M") ?? 0;
  const students = start.split(" ")[0].split("S").length - 1;
  SIDE_NAMES.forEach((name, side) => {
    const masters = board.filter((cell) => cell === ((side << 4) | master)).length;
    if (masters > 1) throw new Error(`sfen: ${name} has ${masters} masters`);
    if (board.filter((cell) => cell === ((side << 4) | student)).length > students) {
      throw new Error(`sfen: ${name} has more than ${students} students`);
    }
    if (!masters && side !== turn) {
      throw new Error(`sfen: ${name}'s master is captured, but ${SIDE_NAMES[1 - side]} is to move`);
    }
  });
  const targetShrine = turn === 0 ? Math.floor(files / 2) : game.squares - 1 - Math.floor(files / 2);
  if (board[targetShrine] === ((turn << 4) | master)) {
    throw new Error(`sfen: ${SIDE_NAMES[turn]} is to move, but has already won: the master is on the opponent's shrine`);
  }
}

/** Return the SFEN of a set-up.
 * @param {Game} game  @param {CardSetup} setup  @returns {string} */
export function writeOnitama(game, { board, cards, turn, number }) {
  const text = `${cards[0]},${cards[1]}/${cards[2]},${cards[3]}/${cards[4]}`;
  return `${writeBoard(game, board)} ${SIDES[turn]} ${text} ${number}`;
}
