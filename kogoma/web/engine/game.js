// A game: its variant, the WebAssembly kernels that play it, and its read-only records in their memory.

import { Heap, NativeRecord } from "./structs.js";

/** @typedef {{letter: string, steps: number[][], slides: number[][], promotes_to: string, royal: boolean,
 *   most_per_file: number, short_slides: number[][], no_drop_mate: boolean, points: number}} Piece */
/** @typedef {{name: string, files: number, ranks: number, start: string, pieces: Piece[], drop_anywhere: boolean,
 *   any_set_up: boolean, king_capture: boolean, stalemate_wins: boolean, die: string, repetition_fold: number,
 *   repetition_result: string, check_rule: string, max_plies: number, declaration: [number, number],
 *   cards: boolean}} Variant a record of rules/variants.py */
/** @typedef {{variant: Variant, layout: string, records: {[name: string]: Description},
 *   changed: {[name: string]: number}, constants: {[name: string]: any}}} GameDescription made by web/game_data.py */

/** What a module of kernels imports: the clock by which its searches end. A loader whose searches can be stopped from
 * outside may hand over another one, which jumps to Infinity. */
export const IMPORTS = { env: { now: () => performance.now() } };

/** Arguments as entries take them.
 * @param {(NativeRecord | number)[]} values */
const passed = (values) => values.map((value) => (typeof value === "number" ? BigInt(value) : value.address));

/** What does not change from position to position. */
export class Game {
  /** @param {WebAssembly.Instance} instance of the module of the variant's layout
   * @param {GameDescription} description  @param {Uint8Array} rules  @param {Uint8Array} weights the records' bytes
   * @param {Uint8Array} tables the evaluation's tables as web/game_data.py gives them, empty where there are none
   * @param {WebAssembly.Memory} [memory] the module's where it does not export one */
  constructor(instance, description, rules, weights, tables, memory) {
    const exported = /** @type {any} */ (instance.exports);
    this._entries = exported;
    this._records = description.records;
    this.heap = new Heap(memory ?? exported.memory, exported.__heap_base.value);
    this.variant = description.variant;
    this.constants = description.constants;
    this.squares = this.variant.files * this.variant.ranks;
    /** @type {Map<string, number>} letter of a piece -> its type, counted from 1 */
    this.letters = new Map(this.variant.pieces.map((piece, index) => [piece.letter, index + 1]));
    this.searchRules = this.record("rules");
    this.searchRules.bytes.set(rules);
    this.weights = this.record("weights");
    this.weights.bytes.set(weights);
    if (tables.length) placeTable(this.heap, this.weights, tables);
    /** The game's own rules; the search's leave out what never pays. */
    this.rules = this.searchRules.copy();
    for (const [name, value] of Object.entries(description.changed)) this.rules.set(name, value);
    this.moveList = this.record("moves");
  }

  /** A new record of zeros.
   * @param {string} name  @returns {NativeRecord} */
  record(name) {
    return new NativeRecord(this.heap, this._records[name]);
  }

  /** Call an entry.
   * @param {string} name  @param {...(NativeRecord | number)} values  @returns {number} */
  call(name, ...values) {
    return Number(this._entries[`kogoma_${name}`](...passed(values)));
  }

  /** Call an entry on a stack that the module's clock may suspend, where it is a WebAssembly.Suspending.
   * @param {string} name  @param {...(NativeRecord | number)} values  @returns {Promise<number>} */
  async promise(name, ...values) {
    const { promising } = /** @type {any} */ (WebAssembly);
    return Number(await promising(this._entries[`kogoma_${name}`])(...passed(values)));
  }
}

/** Put the table into the memory, and where it is into the record of weights.
 * @param {Heap} heap  @param {NativeRecord} weights  @param {Uint8Array} data what `split_bytes` of eval/relation_table.py gives:
 * every two features of different numbers */
export function placeTable(heap, weights, data) {
  const features = weights.get("features"), count = data.length / 2;
  /** @param {number} index  @returns {number} */
  const numberAt = (index) => {
    const low = (data[index] << 24) >> 24;
    return ((((data[count + index] << 24) >> 24) ^ (low >> 7)) << 8) | (low & 255);
  };
  const address = heap.allocate(2 * features * features);
  const table = new Int16Array(heap.memory.buffer, address, features * features);
  for (let row = 1, index = 0; row < features; row++) {
    for (let column = 0; column < row; column++, index++) {
      table[row * features + column] = table[column * features + row] = numberAt(index);
    }
  }
  weights.set("pair_table", address);
}
