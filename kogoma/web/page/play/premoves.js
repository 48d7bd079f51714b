// The moves that a person may enter in advance: those that could be legal after some move of the opponent. This module is
// loaded when the user switches premoves on.

import { sideOf, squareName } from "../../board/state.js";

/** The moves, in USI notation, that a side could make after its opponent's move. Pieces in between and the side's own pieces
 * on the target do not matter, because they may be captured; whether a move is legal is known when it is made.
 * @param {State} state  @param {Variant} variant  @param {number} side  @param {Cards} cards
 * @returns {string[]} */
export function premovesOf(state, variant, side, cards) {
  const squares = state.board.map((cell, index) => ({ cell, index, name: squareName(state, index) }));
  const own = squares.filter(({ cell }) => cell && sideOf(cell) === side);
  if (state.cards) {
    return state.cards[side].flatMap((card) => own.flatMap(({ index, name }) =>
      cards[card][1].flatMap((step) => targets(state, index, side, step, 1)).map((to) => `${card}:${name}${squareName(state, to)}`)));
  }
  /** @param {string} letter  @param {number} from */
  const reach = (letter, from) => {
    const piece = variant.pieces.find((one) => one.letter === letter);
    return piece ? [
      ...piece.steps.flatMap((way) => targets(state, from, side, way, 1)),
      ...piece.slides.flatMap((way) => targets(state, from, side, way, Infinity)),
      ...piece.short_slides.flatMap(([dx, dy, most]) => targets(state, from, side, [dx, dy], most))] : [];
  };
  const moves = own.flatMap(({ cell, index, name }) => {
    const letter = cell.toUpperCase(), turned = turnsTo(variant, letter);
    return reach(letter, index).flatMap((to) =>
      waysToMove(state, variant, side, index, to, Boolean(turned), reach(letter, to).length > 0).map((sign) => `${name}${squareName(state, to)}${sign}`));
  });
  const faces = Object.keys(state.hands[side]).flatMap((letter) => {
    const turned = turnsTo(variant, letter);
    return variant.drop_either_side && turned ? [letter, turned] : [letter];
  });
  const drops = faces.flatMap((letter) => squares
    .filter(({ cell, index }) => (!cell || sideOf(cell) !== side) && (variant.drop_anywhere || reach(letter, index).length))
    .map(({ name }) => `${letter}*${name}`));
  return [...moves, ...drops];
}

/** What a piece turns into, "" if it never turns.
 * @param {Variant} variant  @param {string} letter */
const turnsTo = ({ pieces }, letter) => pieces.find((piece) => piece.letter === letter)?.promotes_to ?? "";

/** The squares that a side's piece reaches in one direction.
 * @param {State} state  @param {number} from  @param {number} side  @param {[number, number]} way  @param {number} most */
function targets({ files, ranks }, from, side, [dx, dy], most) {
  const sign = side ? -1 : 1, found = [];
  let column = from % files, row = Math.floor(from / files);
  for (let count = 0; count < most; count++) {
    column += sign * dx;
    row -= sign * dy;
    if (column < 0 || column >= files || row < 0 || row >= ranks) break;
    found.push(row * files + column);
  }
  return found;
}

/** The signs with which a move may be written: "" without promotion, "+" with it.
 * @param {State} state  @param {Variant} variant  @param {number} side  @param {number} from  @param {number} to
 * @param {boolean} turns whether the piece can be turned over  @param {boolean} goesOn whether it could move again unpromoted
 * @returns {string[]} */
function waysToMove({ files, ranks }, variant, side, from, to, turns, goesOn) {
  if (!turns) return [""];
  if (variant.promotion === "every_move") return ["+"];
  if (variant.promotion === "capture") return [""]; // whether it captures, and so promotes, is known when it is made
  const zone = [from, to].some((index) => {
    const row = Math.floor(index / files);
    return (side ? ranks - 1 - row : row) < variant.promotion_ranks;
  });
  if (!zone) return [""];
  return variant.promotion_forced || !goesOn ? ["+"] : ["+", ""];
}
