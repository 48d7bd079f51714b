// A position for drawing, and its update by a move without the rules of the game: a captured piece goes to the hand
// unpromoted, `+` or `-` turns a piece over, and Onitama's used card is swapped with the card in the centre.

/** The board's size, the letters of pieces in the order in which hands are written, and groups of letters: who places one
 * of them loses the others.
 * @typedef {[files: number, ranks: number, order: string, choices?: string[]]} Shape */
/** The pieces in hand of one side: the number of pieces by letter (in upper case).
 * @typedef {{[letter: string]: number}} Hand */
/** A position for drawing. `board` has letters from the top left, "" for an empty square, White's in lower case; `cards`
 * are Onitama's (Black's, White's, the centre), null in other games; `from`, `to` and `used` (a card) are the last
 * move's, or -1, -1 and null.
 * @typedef {{variant: string, files: number, ranks: number, order: string, choices: string[], board: string[], turn: number,
 *   hands: Hand[], cards: number[][] | null, from: number, to: number, used: number | null}} State */

/** The piece that does not go to the hand when it is captured, where it is not K.
 * @type {{[variant: string]: string}} */
const NEVER_IN_HAND = { dobutsu: "L" };

/** Read an SFEN.
 * @param {string} sfen  @param {string} variant  @param {Shape} shape  @returns {State} */
export function parseSfen(sfen, variant, [files, ranks, order, choices = []]) {
  const [rows, turn, third] = sfen.split(/\s+/);
  const board = rows.split("/").flatMap((row) =>
    [...row.matchAll(/\d+|\+?[A-Za-z]/g)].flatMap(([cell]) => (/\d/.test(cell) ? Array(+cell).fill("") : [cell])));
  /** @type {State} */
  const state = { variant, files, ranks, order, choices, board, turn: turn === "w" ? 1 : 0, hands: [{}, {}], cards: null, from: -1, to: -1, used: null };
  if (third && third.includes(",")) {
    state.cards = third.split("/").map((hand) => hand.split(",").map(Number));
  } else {
    for (const [, count, letter] of (third || "-").matchAll(/(\d*)([A-Za-z])/g)) {
      state.hands[sideOf(letter)][letter.toUpperCase()] = +(count || 1);
    }
  }
  return state;
}

/** The index of a square, from the top left.
 * @param {State} state  @param {string} name */
export function squareIndex(state, name) {
  const { files, ranks, cards } = state;
  return cards
    ? (ranks - Number(name[1])) * files + name.charCodeAt(0) - 97
    : (name.charCodeAt(1) - 97) * files + files - Number(name[0]);
}

/** The name of a square: "5e", or in Onitama "a1".
 * @param {Pick<State, "files" | "ranks" | "cards">} state  @param {number} index */
export function squareName({ files, ranks, cards }, index) {
  const row = Math.floor(index / files), column = index % files;
  return cards ? String.fromCharCode(97 + column) + (ranks - row) : files - column + String.fromCharCode(97 + row);
}

/** The owner of a piece: 0 for Black, 1 for White.
 * @param {string} cell */
export const sideOf = (cell) => (cell === cell.toLowerCase() ? 1 : 0);

/** A piece's letter in the case of its side: upper case for Black, lower case for White.
 * @param {string} letter in upper case  @param {number} side */
export const cased = (letter, side) => (side ? letter.toLowerCase() : letter);

/** A piece's letter after it is turned over: with "+" added or removed.
 * @param {string} piece */
export const turnedOver = (piece) => (piece[0] === "+" ? piece.slice(1) : `+${piece}`);

/** Parse a move in USI notation: Onitama's card (-1 in other games), the dropped piece ("" for none) or the origin, the
 * target ("" for a pass), and the promotion ("+" or "-"); null if it is not a move.
 * @param {string} usi */
export function readMove(usi) {
  const found = /^(?:(\d+):)?(?:pass|(?:(\+?[A-Z])\*|([a-z\d]{2}))([a-z\d]{2})([+-]?))$/.exec(usi);
  if (!found) return null;
  const [, card = "-1", dropped = "", from = "", to = "", turned = ""] = found;
  return { card: Number(card), dropped, from, to, turned };
}

/** The position after a move in USI notation. If the text is not a move, only the side to move changes.
 * @param {State} before  @param {string} move  @returns {State} */
export function play(before, move) {
  /** @type {State} */
  const state = { ...before, board: [...before.board], hands: before.hands.map((hand) => ({ ...hand })), from: -1, to: -1, used: null };
  const side = before.turn, hand = state.hands[side];
  const found = readMove(move);
  state.turn = 1 - side;
  if (!found) return state;
  const { card, dropped, from, to, turned } = found;
  if (card >= 0) {
    const [first, second, centre] = before.cards ?? [];
    const hands = [first, second].map((held, owner) =>
      owner === side ? held.map((one) => (one === card ? centre[0] : one)).sort((a, b) => a - b) : held);
    state.cards = [...hands, [card]];
    state.used = card;
  }
  if (dropped) {
    state.to = squareIndex(state, to);
    state.board[state.to] = cased(dropped, side);
    const base = dropped.replace("+", "");
    for (const group of state.choices.filter((one) => one.includes(base) && count(before, one) > before.hands.length)) {
      for (const letter of group) delete hand[letter];
    }
    if (hand[base] && !--hand[base]) delete hand[base];
  } else if (to) {
    const taken = movePiece(state, squareIndex(state, from), squareIndex(state, to), turned !== "");
    const base = taken.replace("+", "").toUpperCase();
    if (taken && !state.cards && base !== (NEVER_IN_HAND[state.variant] || "K")) hand[base] = (hand[base] || 0) + 1;
  }
  return state;
}

/** The number of pieces of a group, with either side up. Until both sides have placed theirs, there are more than two.
 * @param {State} state  @param {string} group */
function count({ board, hands }, group) {
  const held = hands.flatMap((hand) => [...group].map((letter) => hand[letter] ?? 0));
  return held.reduce((sum, one) => sum + one, board.filter((cell) => cell && group.includes(cell.slice(-1).toUpperCase())).length);
}

/** Move a piece on the board, and turn it over if `turns`.
 * @param {State} state  @param {number} from  @param {number} to  @param {boolean} turns
 * @returns {string} the captured piece, "" for none */
function movePiece(state, from, to, turns) {
  const taken = state.board[to], piece = state.board[from];
  state.board[from] = "";
  state.board[to] = turns ? turnedOver(piece) : piece;
  state.from = from;
  state.to = to;
  return taken;
}

/** Return a position as SFEN, written like the engine's.
 * @param {State} state  @param {number} number the move number */
export function writeSfen(state, number) {
  const rows = [];
  for (let row = 0; row < state.ranks; row++) {
    const cells = state.board.slice(row * state.files, (row + 1) * state.files);
    rows.push(cells.map((cell) => cell || " ").join("").replace(/ +/g, (blank) => String(blank.length)));
  }
  const held = state.cards
    ? state.cards.map((hand) => hand.join(",")).join("/")
    : state.hands.map((hand, side) => handOrder(state, side).map((letter) =>
      (hand[letter] > 1 ? hand[letter] : "") + cased(letter, side)).join("")).join("") || "-";
  return `${rows.join("/")} ${state.turn ? "w" : "b"} ${held} ${number}`;
}

/** The letters of a side's pieces in hand, highest value first.
 * @param {Pick<State, "order" | "hands">} state  @param {number} side */
export function handOrder({ order, hands }, side) {
  return Object.keys(hands[side]).sort((a, b) => order.indexOf(a) - order.indexOf(b));
}
