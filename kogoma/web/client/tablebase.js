// The values of all moves of a position, from the blocks of a tablebase. It does what search/tablebase/root.py does in
// Python; the kernels that number the positions are the same. Where there are no blocks, the values come from a small
// file with the winning replies from the start (search/tablebase/dobutsu/replies.py), which does not have all positions.

import { Game, IMPORTS } from "../engine/game.js";
import { Position } from "../engine/position.js";
import { fetchFile, loadData, loadModule, loadPacked, loadRaw } from "./loader.js";

/** A move and its value for the side that plays it: 0 for a draw, otherwise plies to the end of the game, positive for a
 * win, and null if it is not known. `repeats` tells that the position after it occurs for the third time: the fourth would be a draw.
 * @typedef {{move: string, value: number | null, repeats: boolean}} Known */

const LAST_WARNING = 3; // occurrences of a position, as in root.py
const HEAD = 5; // bytes before the values of winning replies

export class Tablebase {
  /** Load what is needed to number the positions of a game that has a tablebase.
   * @param {Index} index  @param {string} name  @returns {Promise<Tablebase>} */
  static async load(index, name) {
    const tables = await (await fetchFile("games/tablebases.json", index.base)).json(), { kernels, data, replies } = tables[name];
    const [module, game, own, known] = await Promise.all([
      loadModule(index, kernels), loadData(index, name), loadPacked(index, data),
      index.tablebases[name] || !replies ? new Uint8Array() : loadRaw(index, replies),
    ]);
    const structs = { ...game.description.structs, ...own.description.structs };
    const instance = await WebAssembly.instantiate(module, IMPORTS);
    return new Tablebase(index, name, new Game(instance, { ...game.description, structs }, game.struct, new Uint8Array()), own, known);
  }

  /** @param {Index} index  @param {string} name  @param {Game} game  @param {GameData} data
   * @param {Uint8Array} replies the winning replies from the start, where there are no blocks */
  constructor(index, name, game, { description, struct }, replies) {
    this._index = index;
    this._folder = index.tablebases[name];
    this._game = game;
    this._constants = description.constants;
    this._tables = game.newStruct("tablebase");
    this._tables.bytes.set(struct);
    this._seen = game.newStruct("seen");
    this._replies = unpackReplies(replies);
  }

  /** Return all legal moves of a position that has not ended, the best first, or null if it is not known which is best:
   * the value of a move is not known, and no other wins. Throw an Error if a block cannot be loaded.
   * @param {Played} played  @returns {Promise<Known[] | null>} */
  async known({ start, moves }) {
    const found = this._numbered(start, moves), afterReply = this._replies.size > 0 && this._replies.has(this._number(start, moves));
    const known = await Promise.all(found.map(async ({ move, value, number, repeats }) =>
      ({ move, repeats, value: number === null ? value : forMover(await this._value(number, start, [...moves, move], afterReply)) })));
    known.sort((one, other) => rank(one) - rank(other) || (one.move < other.move ? -1 : 1));
    return known.some(({ value }) => value === null) && !((known[0].value ?? 0) > 0) ? null : known;
  }

  /** Return for each legal move either the number of the position after it, or, if the board alone tells it, the move's
   * value (null: it is not known).
   * @param {string} start  @param {string[]} moves
   * @returns {{move: string, value: number | null, number: number | null, repeats: boolean}[]} */
  _numbered(start, moves) {
    const { _game: game, _constants: { WIN, WINS_AT_ONCE, NO_ENTRY } } = this, position = new Position(game, start || undefined);
    try {
      for (const move of moves) position.push(move);
      return position.legalMoves().map((move) => {
        const mover = position.turn;
        position.push(move);
        const end = position.outcome(), repeats = position.timesSeen >= LAST_WARNING;
        const number = end ? NO_ENTRY : game.call("tablebase_number", this._tables, this._seen, position.struct);
        position.pop();
        if (number >= 0) return { move, value: null, number, repeats };
        const value = number === WINS_AT_ONCE ? forMover(WIN) : !end ? null : end.winner === null ? 0 : end.winner === mover ? 1 : -1;
        return { move, value, number: null, repeats };
      });
    } finally {
      position.release();
    }
  }

  /** Return the number of the position after `moves`, or a negative number if it has none.
   * @param {string} start  @param {string[]} moves  @returns {number} */
  _number(start, moves) {
    const position = new Position(this._game, start || undefined);
    try {
      for (const move of moves) position.push(move);
      return this._game.call("tablebase_number", this._tables, this._seen, position.struct);
    } finally {
      position.release();
    }
  }

  /** Return the value of the position with a number, which is the one after `moves`, as search/tablebase/tables.py defines
   * it, or null if it is not known. `afterReply` says whether the last move follows a winning reply.
   * @param {number} number  @param {string} start  @param {string[]} moves  @param {boolean} afterReply
   * @returns {Promise<number | null>} */
  async _value(number, start, moves, afterReply) {
    if (this._folder === undefined) return this._valueByReplies(number, start, moves, afterReply);
    const { BLOCK } = this._constants, path = `${this._folder}/${Math.floor(number / BLOCK)}.gz`;
    const block = await loadRaw(this._index, path), value = block[number % BLOCK];
    if (value === undefined) throw new Error(`${path} is damaged`);
    return value;
  }

  /** Do what `_value` does, by the winning replies: the position is after one of them, or one of them is a move in it.
   * Then it is the fastest one only if the position can occur in a game with these replies.
   * @param {number} number  @param {string} start  @param {string[]} moves  @param {boolean} afterReply
   * @returns {number | null} */
  _valueByReplies(number, start, moves, afterReply) {
    const { WIN, LOSS } = this._constants, known = this._replies.get(number);
    if (known !== undefined) return known;
    const after = this._numbered(start, moves);
    /** @param {{value: number | null}[]} all */
    const isLostAtOnce = (all) => all.every(({ value }) => value !== null && value < 0);
    if (isLostAtOnce(after)) return LOSS;
    if (after.some((one) => one.number !== null && isLostAtOnce(this._numbered(start, [...moves, one.move])))) return LOSS + WIN;
    const least = afterReply ? Math.min(...after.map((one) => this._replies.get(one.number ?? NaN) ?? Infinity)) : Infinity;
    return least < Infinity ? least + WIN : null;
  }
}

/** Read the values of positions by their numbers, as search/tablebase/dobutsu/replies.py writes them.
 * @param {Uint8Array} content  @returns {Map<number, number>} */
function unpackReplies(content) {
  const found = new Map();
  if (!content.length) return found;
  const head = new DataView(content.buffer, content.byteOffset), count = head.getUint32(0, true), low = head.getUint8(4);
  let at = 8 * (HEAD + count), number = 0;
  const bit = () => (content[at >> 3] >> (at++ & 7)) & 1;
  for (const value of content.subarray(HEAD, HEAD + count)) {
    while (bit()) number += 1 << low;
    for (let place = 0; place < low; place++) number += bit() << place;
    found.set(number, value);
  }
  return found;
}

/** Return a move's value for the side that plays it; null if it is not known.
 * @param {number | null} after the value of the position after it: plies to the end, odd if the side to move wins; 0 for a
 *   draw */
const forMover = (after) => (after === null || after === 0 ? after : after % 2 ? -1 - after : 1 + after);

/** A number by which moves are sorted, the best first: fast wins, wins that repeat, draws, slow losses, unknown values.
 * @param {Known} known */
const rank = ({ value, repeats }) => (value === null ? 10000 : value > 0 ? -2000 + value + (repeats ? 500 : 0) : value < 0 ? 2000 + value : 0);
