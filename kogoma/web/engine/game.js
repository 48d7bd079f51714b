// A game: its variant, its WebAssembly kernels, and its constant structs in the kernels' memory.

import { Heap, NativeStruct } from "./structs.js";

/** @typedef {{letter: string, steps: number[][], slides: number[][], promotes_to: string, royal: boolean,
 *   most_per_file: number, short_slides: number[][], no_drop_mate: boolean, points: number}} Piece */
/** @typedef {{name: string, files: number, ranks: number, start: string, pieces: Piece[], drop_anywhere: boolean,
 *   any_set_up: boolean, king_capture: boolean, stalemate_wins: boolean, die: string, promotion: string, repetition_fold: number,
 *   repetition_result: string, check_rule: string, max_plies: number, declaration: [number, number],
 *   cards: boolean}} Variant the fields of a Variant of rules/variants.py */
/** @typedef {{variant: Variant, layout: string, structs: {[name: string]: Description},
 *   changed: {[name: string]: number}, constants: {[name: string]: any},
 *   initial: {[name: string]: import("./structs.js").Values}}} GameDescription from web/game_data.py; `changed` has the
 *   fields of the game's rules that differ from those of the search, `initial` the values of new structs */

/** The imports of a module of kernels: the clock in ms. To stop a search, a clock may return Infinity. */
export const IMPORTS = { env: { now: () => performance.now() } };

/** Convert arguments for an entry point: structs to their addresses, numbers to BigInt.
 * @param {(NativeStruct | number)[]} values */
const toArguments = (values) => values.map((value) => (typeof value === "number" ? BigInt(value) : value.address));

/** The rules, weights and kernels of a variant. */
export class Game {
  /** @param {WebAssembly.Instance} instance of the module of the variant's layout
   * @param {GameDescription} description  @param {Uint8Array} rules  @param {Uint8Array} weights the structs' bytes
   * @param {Uint8Array} network the network from web/game_data.py, empty if there is none
   * @param {WebAssembly.Memory} [memory] the memory that the module imports, if it does not export one */
  constructor(instance, description, rules, weights, network, memory) {
    const exported = /** @type {any} */ (instance.exports);
    this._entries = exported;
    this._descriptions = description.structs;
    this._initial = description.initial;
    this.heap = new Heap(memory ?? exported.memory, exported.__heap_base.value);
    this.variant = description.variant;
    this.constants = description.constants;
    this.squares = this.variant.files * this.variant.ranks;
    /** @type {Map<string, number>} letter of a piece -> piece type, counted from 1 */
    this.letters = new Map(this.variant.pieces.map((piece, index) => [piece.letter, index + 1]));
    this.searchRules = this.newStruct("rules");
    this.searchRules.bytes.set(rules);
    this.weights = this.newStruct("weights");
    this.weights.bytes.set(weights);
    if (network.length) placeNetwork(this.heap, this.weights, network);
    /** The rules of the game; `searchRules` leave out moves that are never useful. */
    this.rules = this.searchRules.copy();
    for (const [name, value] of Object.entries(description.changed)) this.rules.set(name, value);
    this.moveList = this.newStruct("moves");
  }

  /** Return a new struct with its initial values.
   * @param {string} name  @returns {NativeStruct} */
  newStruct(name) {
    return new NativeStruct(this.heap, this._descriptions[name], this._initial[name]);
  }

  /** Call an entry point.
   * @param {string} name  @param {...(NativeStruct | number)} values  @returns {number} */
  call(name, ...values) {
    return Number(this._entries[`kogoma_${name}`](...toArguments(values)));
  }

  /** Call an entry point that the module's clock may suspend, if the clock is a WebAssembly.Suspending.
   * @param {string} name  @param {...(NativeStruct | number)} values  @returns {Promise<number>} */
  async promise(name, ...values) {
    const { promising } = /** @type {any} */ (WebAssembly);
    return Number(await promising(this._entries[`kogoma_${name}`])(...toArguments(values)));
  }
}

/** Write the network into the memory, and its address into the weights.
 * @param {Heap} heap  @param {NativeStruct} weights
 * @param {Uint8Array} data the result of `split_bytes` of eval/network_file.py */
export function placeNetwork(heap, weights, data) {
  const count = data.length / 2, address = heap.allocate(2 * count);
  const rows = new Int16Array(heap.memory.buffer, address, count);
  for (let index = 0; index < count; index++) {
    const low = (data[index] << 24) >> 24;
    rows[index] = ((((data[count + index] << 24) >> 24) ^ (low >> 7)) << 8) | (low & 255);
  }
  weights.set("network", address);
}
