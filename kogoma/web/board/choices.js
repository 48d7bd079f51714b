// Legal moves as what a user chooses one after the other: what moves, where to, and how.

/** A move: `from` and `to` are keys of the scene (squares, `hand0P`, cards), `face` is the piece as it comes to lie, or ""
 * where that is no question, `card` Onitama's card, -1 elsewhere. A pass goes from its card to nowhere.
 * @typedef {{usi: string, from: string, to: string, face: string, card: number}} Choice */

/** The moves of the side to move, read from USI notation.
 * @param {State} state  @param {string[]} legal  @returns {Choice[]} */
export function choicesOf(state, legal) {
  const side = state.turn;
  return legal.flatMap((usi) => {
    const [, number, plain] = /** @type {RegExpExecArray} */ (/^(?:(\d+):)?(.*)$/.exec(usi));
    const card = number ? Number(number) : -1;
    if (plain === "pass") return [{ usi, from: `card${card}`, to: "", face: "", card }];
    const found = /^(?:(\+?)([A-Z])\*|([a-z\d]{2}))([a-z\d]{2})([+-]?)$/.exec(plain);
    if (!found) return [];
    const [, turned, dropped, from, to, suffix] = found;
    if (dropped) return [{ usi, from: `hand${side}${dropped}`, to, face: cased(turned + dropped, side), card }];
    return [{ usi, from, to, face: suffix, card }];
  });
}

/** @param {string} letter  @param {number} side */
const cased = (letter, side) => (side ? letter.toLowerCase() : letter);

/** The piece that a choice shows: for a drop the face that comes up, otherwise the piece that moves, turned or not.
 * @param {string} piece what stands on the square that the move starts from  @param {Choice} choice */
export function faceOf(piece, { from, face }) {
  if (from.startsWith("hand")) return face;
  return face === "" ? piece : piece[0] === "+" ? piece.slice(1) : `+${piece}`;
}
