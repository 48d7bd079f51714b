// The values of all moves of a position, from the blocks of a tablebase. It does what search/tablebase/root.py does in
// Python; the kernels that number the positions are the same.

import { Game, IMPORTS } from "../engine/game.js";
import { Position } from "../engine/position.js";
import { fetchFile, loadData, loadModule, loadPacked, loadRaw } from "./loader.js";

/** A move and its value for the side that plays it: 0 for a draw, otherwise plies to the end of the game, positive for a
 * win. `repeats` tells that the position after it occurs for the third time: the fourth would be a draw.
 * @typedef {{move: string, value: number, repeats: boolean}} Known */

const LAST_WARNING = 3; // occurrences of a position, as in root.py

export class Tablebase {
  /** Load what is needed to number the positions of a game that has a tablebase.
   * @param {Index} index  @param {string} name  @returns {Promise<Tablebase>} */
  static async load(index, name) {
    const tables = await (await fetchFile("games/tablebases.json", index.base)).json(), { kernels, data } = tables[name];
    const [module, game, own] = await Promise.all([loadModule(index, kernels), loadData(index, name), loadPacked(index, data)]);
    const structs = { ...game.description.structs, ...own.description.structs };
    const instance = await WebAssembly.instantiate(module, IMPORTS);
    return new Tablebase(index, name, new Game(instance, { ...game.description, structs }, game.struct, new Uint8Array()), own);
  }

  /** @param {Index} index  @param {string} name  @param {Game} game  @param {GameData} data */
  constructor(index, name, game, { description, struct }) {
    this._index = index;
    this._folder = index.tablebases[name];
    this._game = game;
    this._constants = description.constants;
    this._tables = game.newStruct("tablebase");
    this._tables.bytes.set(struct);
    this._seen = game.newStruct("seen");
  }

  /** Return all legal moves of a position that has not ended, the best first, or null if one of them leads to a position
   * without an entry. Throw an Error if a block cannot be loaded.
   * @param {Played} played  @returns {Promise<Known[] | null>} */
  async known({ start, moves }) {
    const found = this._numbered(start, moves);
    const known = await Promise.all(found.map(async ({ move, value, number, repeats }) =>
      ({ move, repeats, value: number === null ? value : forMover(await this._value(number)) })));
    if (known.some(({ value }) => value === null)) return null;
    return /** @type {Known[]} */ (known).sort((one, other) => rank(one) - rank(other) || (one.move < other.move ? -1 : 1));
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

  /** Return the value of the position with a number, as search/tablebase/tables.py defines it.
   * @param {number} number  @returns {Promise<number>} */
  async _value(number) {
    const { BLOCK } = this._constants, path = `${this._folder}/${Math.floor(number / BLOCK)}.gz`;
    const block = await loadRaw(this._index, path), value = block[number % BLOCK];
    if (value === undefined) throw new Error(`${path} is damaged`);
    return value;
  }
}

/** Return a move's value for the side that plays it.
 * @param {number} after the value of the position after it: plies to the end, odd if the side to move wins; 0 for a draw */
const forMover = (after) => (after === 0 ? 0 : after % 2 ? -1 - after : 1 + after);

/** A number by which moves are sorted, the best first: fast wins, wins that repeat, draws, slow losses.
 * @param {Known} known */
const rank = ({ value, repeats }) => (value > 0 ? -2000 + value + (repeats ? 500 : 0) : value < 0 ? 2000 + value : 0);
