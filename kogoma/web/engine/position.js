// A position with the moves of its game: the counterpart of rules/position.py, rules/onitama/position.py and
// rules/outcome.py.

import { moveToText, pack, parseOnitama, swapped, textToMove, unpack, writeOnitama } from "./onitama.js";
import { SIDE_NAMES, moveToUsi, parseSfen, squareName, usiToMove, writeSfen } from "./sfen.js";
import { quoted } from "./text.js";

const SEEN_MASK = 4095n; // the bits of a hash key that index the field `seen`

export class Position {
  /** Set up an SFEN, or the variant's start position. Throw an Error if the SFEN is not valid.
   * @param {Game} game  @param {string} [sfen] */
  constructor(game, sfen) {
    this.game = game;
    this.startSfen = sfen ?? game.variant.start;
    this.struct = game.newStruct("position");
    try {
      this._startNumber = this._start();
    } catch (error) {
      this.struct.release();
      throw error;
    }
    /** @type {string[]} in USI notation, since the start */
    this.moves = [];
    /** @type {number[]} */
    this._codes = [];
    this._keys = [this.key];
    this._checks = [this.inCheck];
  }

  /** Set up the start position.
   * @returns {number} the number of the first move, counted from 1 */
  _start() {
    const { game, struct } = this;
    if (game.variant.cards) {
      const setup = parseOnitama(game, this.startSfen);
      struct.fill("board", setup.board);
      struct.set("cards", pack(setup.cards));
      this._initialize(setup.turn, setup.number);
      return setup.number;
    }
    const setup = parseSfen(game, this.startSfen), width = struct.shape("hand")[1];
    struct.fill("board", setup.board);
    setup.hands.forEach((hand, side) => struct.fill("hand", hand, side * width));
    if (this._initialize(setup.turn, setup.number) && !game.variant.king_capture) {
      throw new Error(`sfen: ${SIDE_NAMES[setup.turn]} is to move and could capture the king`);
    }
    return setup.number;
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
    return this._startNumber - 1 + this.moves.length;
  }

  /** The hash key.
   * @returns {bigint} */
  get key() {
    return this.struct.view("key")[this.struct.get("ply")];
  }

  /** The squares of the pieces that give check to the side to move.
   * @returns {string[]} */
  get checkers() {
    if (this.game.variant.cards) return [];
    const words = this.struct.shape("checkers")[1] ?? 1, ply = this.struct.get("ply");
    const bits = [...this.struct.view("checkers").subarray(ply * words, (ply + 1) * words)];
    const squares = Array.from({ length: this.game.squares }, (_, square) => square);
    return squares.filter((square) => (bits[square >> 6] >> BigInt(square & 63)) & 1n)
      .map((square) => squareName(this.game, square));
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
    const { HISTORY } = this.game.constants;
    if (this.struct.get("ply") >= HISTORY) this._dropOldest(HISTORY / 2);
    const inCheck = this.game.call("play", this.game.rules, this.struct, move);
    this._codes.push(move);
    this._keys.push(this.key);
    this._checks.push(inCheck !== 0);
  }

  /** Remove the oldest entries of the struct's arrays, whose length is fixed. `outcome` uses `_keys` and `_checks`,
   * which keep the whole game.
   * @param {number} entries */
  _dropOldest(entries) {
    const { struct } = this, { PLIES } = this.game.constants;
    for (const name of struct.names) {
      const [length, words = 1] = struct.shape(name);
      if (length === PLIES) struct.view(name).copyWithin(0, entries * words);
    }
    struct.set("ply", struct.get("ply") - entries);
    struct.set("game_ply", struct.get("game_ply") + entries);
    if (struct.has("seen")) {
      const seen = struct.view("seen").fill(0);
      for (const key of struct.view("key").subarray(0, struct.get("ply") + 1)) seen[Number(key & SEEN_MASK)] += 1;
    }
  }

  /** Take the last move back. Throw an Error if there is none. */
  pop() {
    if (!this.moves.length) throw new Error("no move to take back");
    if (this.struct.get("ply") === 0) {
      const codes = this._codes.slice(0, -1);
      this.struct.bytes.fill(0);
      this._start();
      this._codes = [];
      this._keys.length = this._checks.length = 1;
      for (const code of codes) this._play(code);
      this.moves.pop();
      return;
    }
    this.game.call("take_back", this.game.rules, this.struct);
    for (const history of [this.moves, this._codes, this._keys, this._checks]) history.pop();
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
    const { game, turn } = this, { ENDING } = game.constants;
    const sudden = game.call("ended_by", game.rules, this.struct);
    const captured = sudden === ENDING.KING_CAPTURED;
    if (game.variant.cards) {
      if (sudden !== ENDING.NONE) return { winner: 1 - turn, reason: captured ? "master_captured" : "shrine" };
      return this.ply >= game.variant.max_plies ? { winner: null, reason: "max_plies" } : null;
    }
    if (captured) return { winner: 1 - turn, reason: "king_captured" };
    if (sudden === ENDING.CHECK_GIVEN) return { winner: 1 - turn, reason: "check" };
    if (sudden !== ENDING.NONE) return { winner: sudden === ENDING.GOAL_HELD ? turn : 1 - turn, reason: "goal" };
    return outcomeOf(game.variant, this._keys, this._checks, turn, this.ply, this.legalCodes().length > 0);
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

/** @typedef {{winner: number | null, reason: string}} Outcome
 *   `winner` is 0 for Black, 1 for White, null for a draw; the reasons are those of rules/outcome.py */

/** Return the outcome of a game, or null if it is not over. `keys` holds the hash keys of the game's positions,
 * `checks` whether the side to move was in check there; `turn` is the side to move now, `ply` the number of plies.
 * @param {Variant} variant  @param {bigint[]} keys  @param {boolean[]} checks
 * @param {number} turn  @param {number} ply  @param {boolean} canMove  @returns {Outcome | null} */
export function outcomeOf(variant, keys, checks, turn, ply, canMove) {
  const newest = keys.length - 1;
  if (!canMove) {
    if (checks[newest]) return { winner: 1 - turn, reason: "checkmate" };
    return { winner: variant.stalemate_wins ? turn : 1 - turn, reason: "stalemate" };
  }
  if (variant.repetition_result !== "none") {
    const same = keys.flatMap((key, index) => (key === keys[newest] ? [index] : []));
    if (same.length >= variant.repetition_fold) {
      return repeated(variant, checks, turn, same[same.length - variant.repetition_fold], newest);
    }
  }
  return variant.max_plies && ply >= variant.max_plies ? { winner: null, reason: "max_plies" } : null;
}

/** Return the outcome of a repetition. The positions with the indices `first` and `newest` are the same.
 * @param {Variant} variant  @param {boolean[]} checks  @param {number} turn
 * @param {number} first  @param {number} newest  @returns {Outcome} */
function repeated(variant, checks, turn, first, newest) {
  if (variant.check_rule === "standing" && checks[newest]) return { winner: turn, reason: "perpetual_check" };
  if (variant.check_rule === "perpetual") {
    // A move gave check if the side to move after it is in check. The opponent's moves led to the positions with the
    // indices newest, newest - 2, ...
    const byOpponent = allChecks(checks, newest, first), byMover = allChecks(checks, newest - 1, first);
    if (byOpponent !== byMover) return { winner: byOpponent ? turn : 1 - turn, reason: "perpetual_check" };
  }
  const winners = new Map([["black_loses", 1], ["repeater_loses", turn]]);
  return { winner: winners.get(variant.repetition_result) ?? null, reason: "repetition" };
}

/** Return whether every second entry is true, from index `from` down to, but not including, index `until`.
 * @param {boolean[]} checks  @param {number} from  @param {number} until */
function allChecks(checks, from, until) {
  for (let index = from; index > until; index -= 2) if (!checks[index]) return false;
  return true;
}
