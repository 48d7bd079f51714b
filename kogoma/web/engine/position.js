// A position with the moves of its game, as rules/position.py and rules/onitama/position.py: the text of positions and
// moves; the rules themselves are kernels.

import { moveToText, pack, parseOnitama, swapped, textToMove, unpack, writeOnitama } from "./onitama.js";
import { SIDE_NAMES, moveToUsi, parseSfen, squareName, usiToMove, writeSfen } from "./sfen.js";
import { NativeStruct } from "./structs.js";
import { quoted } from "./text.js";

/** @typedef {import("./structs.js").Field} Field */
/** @typedef {{winner: number | null, reason: string}} Outcome
 *   `winner` is 0 for Black, 1 for White, null for a draw; the reasons are those of rules/outcome.py */

export class Position {
  /** Set up an SFEN, or the variant's start position. Throw an Error if the SFEN is not valid.
   * @param {Game} game  @param {string} [sfen] */
  constructor(game, sfen) {
    this.game = game;
    this.startSfen = sfen ?? game.variant.start;
    this.struct = game.newStruct("position");
    try {
      this._start();
    } catch (error) {
      this.struct.release();
      throw error;
    }
    /** @type {string[]} in USI notation, since the start */
    this.moves = [];
    /** @type {number[]} */
    this._codes = [];
    /** @type {bigint[]} keys of the plies that the struct does not contain any more */
    this._removed = [];
  }

  /** Set up the start position. */
  _start() {
    const { game, struct } = this;
    if (game.variant.cards) {
      const setup = parseOnitama(game, this.startSfen);
      struct.fill("board", setup.board);
      struct.set("cards", pack(setup.cards));
      this._initialize(setup.turn, setup.number);
      return;
    }
    const setup = parseSfen(game, this.startSfen), width = struct.shape("hand")[1];
    struct.fill("board", setup.board);
    setup.hands.forEach((hand, side) => struct.fill("hand", hand, side * width));
    if (this._initialize(setup.turn, setup.number) && !game.variant.king_capture) {
      throw new Error(`sfen: ${SIDE_NAMES[setup.turn]} is to move and could capture the king`);
    }
  }

  /** Set side and move number, and compute the other fields. Return 1 if that side could capture the king, otherwise 0.
   * @param {number} turn  @param {number} number  @returns {number} */
  _initialize(turn, number) {
    this.struct.set("side", turn);
    this.struct.set("game_ply", number - 1);
    return this.game.call("init_position", this.game.rules, this.struct);
  }

  /** Free the memory. The position must not be used any more. */
  release() {
    this.struct.release();
  }

  /** 0 if Black is to move, 1 if White is. */
  get turn() {
    return this.struct.get("side");
  }

  /** The number of plies played, including those before the start position according to its move number. */
  get ply() {
    return this.struct.get("game_ply") + this.struct.get("ply");
  }

  /** The hash key.
   * @returns {bigint} */
  get key() {
    return this.struct.view("key")[this.struct.get("ply")];
  }

  /** How often this position has occurred in the game; 1 if it is new. */
  get timesSeen() {
    const { key } = this, keys = /** @type {BigUint64Array} */ (this.struct.view("key")).subarray(0, this.struct.get("ply") + 1);
    return keys.filter((one) => one === key).length + this._removed.filter((one) => one === key).length;
  }

  /** The squares of the pieces that give check to the side to move.
   * @returns {string[]} */
  get checkers() {
    if (this.game.variant.cards) return [];
    const squares = this.game.squaresIn(this.struct, "checkers", this.struct.get("ply"));
    return squares.map((square) => squareName(this.game, square));
  }

  get inCheck() {
    return this.checkers.length > 0;
  }

  /** Black's two cards, White's two and the centre card.
   * @returns {number[]} */
  get cards() {
    return unpack(this.struct.get("cards", this.struct.get("ply")));
  }

  /** Return the legal moves as move codes, or those that a die roll of 1 to 6 allows.
   * @param {number} [roll]  @returns {number[]} */
  legalCodes(roll = 0) {
    const { game } = this;
    const count = game.call("legal_moves", game.rules, this.struct, game.moveList, roll);
    return game.moveList.slice("list", 0, count);
  }

  /** Return the legal moves in USI notation, in no particular order. */
  legalMoves() {
    return this.legalCodes().map((move) => this.usi(move));
  }

  /** Return whether the side to move may claim a win by declaration. */
  mayDeclare() {
    return this.game.call("declares", this.game.rules, this.struct) !== 0;
  }

  /** Return the move code of a USI move. Throw an Error if it is not legal.
   * @param {string} usi */
  code(usi) {
    const { game } = this;
    const move = game.variant.cards ? textToMove(game, usi, this.cards, this.turn) : usiToMove(game, usi);
    if (!game.call("may_play", game.rules, this.struct, move)) {
      throw new Error(`illegal move ${quoted(usi)} in ${this.sfen()}`);
    }
    return move;
  }

  /** Return a move code in USI notation.
   * @param {number} move */
  usi(move) {
    return this.variation([move])[0];
  }

  /** Return a line of move codes, played from this position, in USI notation.
   * @param {number[]} moves  @returns {string[]} */
  variation(moves) {
    if (!this.game.variant.cards) return moves.map((move) => moveToUsi(this.game, move));
    let cards = this.cards, side = this.turn;
    return moves.map((move) => {
      const text = moveToText(this.game, move, cards, side);
      cards = swapped(cards, side, move);
      side = 1 - side;
      return text;
    });
  }

  /** Play a move in USI notation. Throw an Error, and change nothing, if it is not legal.
   * @param {string} usi */
  push(usi) {
    const move = this.code(usi);
    this.moves.push(this.usi(move));
    this._play(move);
  }

  /** @param {number} move */
  _play(move) {
    const { game, struct } = this, { HISTORY, REMOVED } = game.constants;
    if (struct.get("ply") >= HISTORY) this._removed.push(...struct.view("key").subarray(0, REMOVED));
    game.call("play", game.rules, struct, move);
    this._codes.push(move);
  }

  /** Take the last move back. Throw an Error if there is none. */
  pop() {
    if (!this.moves.length) throw new Error("no move to take back");
    this.moves.pop();
    this._codes.pop();
    if (this._removed.length && this.struct.get("ply") === 1) { // play all moves again, to restore the removed plies
      const codes = this._codes;
      this.struct.bytes.fill(0);
      this._start();
      this._codes = [];
      this._removed = [];
      for (const code of codes) this._play(code);
    } else {
      this.game.call("take_back", this.game.rules, this.struct);
    }
  }

  /** Return the square of a side's king.
   * @param {number} side */
  king(side) {
    return this.struct.get("king", side * this.struct.shape("king")[1]);
  }

  /** Return the SFEN, with the move number. */
  sfen() {
    const { game, struct, turn } = this, board = struct.slice("board", 0, game.squares), number = this.ply + 1;
    if (game.variant.cards) return writeOnitama(game, { board, cards: this.cards, turn, number });
    const width = struct.shape("hand")[1];
    const hands = [0, 1].map((side) => struct.slice("hand", side * width, (side + 1) * width));
    return writeSfen(game, { board, hands, turn, number });
  }

  /** Return how the game has ended by the variant's rules, or null if it has not.
   * @returns {Outcome | null} */
  outcome() {
    const { game, turn } = this, { heap, variant, constants: { REASONS, RESULT_SHIFT } } = game;
    const count = this._removed.length, fields = { key: /** @type {Field} */ ([0, "uint64", [count]]) };
    const removed = new NativeStruct(heap, { size: 8 * count, fields });
    removed.view("key").set(this._removed);
    const code = game.call("outcome", game.rules, this.struct, removed, count, variant.max_plies);
    removed.release();
    if (code === 0) return null;
    const winner = [turn, 1 - turn, null][(code >> RESULT_SHIFT) - 1]; // the side to move wins, loses, or draws
    return { winner, reason: REASONS[code & ((1 << RESULT_SHIFT) - 1)] };
  }

  /** Return the codes of the legal moves that a die roll of 1 to 6 allows, all if `dice` is null. Throw an Error for
   * other numbers, and in a variant without a die.
   * @param {number | null} dice  @returns {number[]} */
  allowedCodes(dice) {
    const { variant, constants } = this.game;
    if (dice === null) return this.legalCodes();
    if (variant.die === "none") throw new Error(`${variant.name} is played without a die`);
    if (!(Number.isInteger(dice) && dice >= 1 && dice <= constants.FACES)) {
      throw new Error(`a die roll is a number from 1 to ${constants.FACES}, not ${dice}`);
    }
    return this.legalCodes(dice);
  }

  /** Return the moves of `allowedCodes` in USI notation.
   * @param {number | null} dice */
  allowed(dice) {
    return this.allowedCodes(dice).map((move) => this.usi(move));
  }
}
