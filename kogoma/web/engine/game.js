// A game: its variant, its WebAssembly kernels, and its constant structs in the kernels' memory.

import { Heap, NativeStruct } from "./structs.js";

/** @typedef {{letter: string, promotes_to: string, royal: boolean, steps: [number, number][], slides: [number, number][],
 *   short_slides: [number, number, number][], most_per_file: number, no_drop_mate: boolean}} Piece */
/** @typedef {{name: string, rules: string, files: number, ranks: number, start: string, pieces: Piece[], king_capture: boolean,
 *   goal: boolean, check_wins: boolean, stalemate_wins: boolean, die: string, promotion: string, promotion_ranks: number,
 *   promotion_forced: boolean, drop_either_side: boolean, drop_anywhere: boolean, repetition_fold: number,
 *   repetition_result: string, check_rule: string, max_plies: number, declaration: [number, number],
 *   placement_ranks: number, choices: string[], cards: boolean}} Variant some fields of a Variant of rules/variants.py */
/** @typedef {{variant: Variant, layout: string, most_pieces: number[], structs: {[name: string]: Description},
 *   changed: {[name: string]: number}, constants: {[name: string]: any},
 *   initial: {[name: string]: import("./structs.js").Values}}} GameDescription from web/game_data.py; `most_pieces` are
 *   the limits of the piece types, `changed` has the fields of the variant's rules that differ from those of the search,
 *   `initial` the values of new structs */

/** The imports of a module of kernels: the clock in ms. To stop a search, a clock may return Infinity. */
export const IMPORTS = { env: { now: () => performance.now() } };

/** Convert arguments for an entry point: structs to their addresses, numbers to BigInt.
 * @param {(NativeStruct | number)[]} values */
const toArguments = (values) => values.map((value) => (typeof value === "number" ? BigInt(value) : value.address));

/** The rules, weights and kernels of a variant. */
export class Game {
  /** @param {WebAssembly.Instance} instance of the module of the variant's layout
   * @param {GameDescription} description  @param {Uint8Array} struct the bytes of the struct `game`
   * @param {Uint8Array} network the network from web/game_data.py, empty if there is none
   * @param {WebAssembly.Memory} [memory] the memory that the module imports, if it does not export one */
  constructor(instance, description, struct, network, memory) {
    const exported = /** @type {any} */ (instance.exports);
    this._entries = exported;
    this._descriptions = description.structs;
    this._initial = description.initial;
    this.heap = new Heap(memory ?? exported.memory, exported.__heap_base.value);
    this.variant = description.variant;
    this.constants = description.constants;
    this.mostPieces = description.most_pieces;
    this._words = description.layout === "128" ? 2 : 1; // 64-bit words in a bitboard
    this.squares = this.variant.files * this.variant.ranks;
    /** @type {Map<string, number>} letter of a piece -> piece type, counted from 1 */
    this.letters = new Map(this.variant.pieces.map((piece, index) => [piece.letter, index + 1]));
    /** The struct of searches: first their rules, which leave out moves that are never useful, then the weights. */
    this.struct = this.newStruct("game");
    this.struct.bytes.set(struct);
    if (network.length) placeNetwork(this.heap, this.struct, network);
    /** The rules of the variant. */
    this.rules = this.newStruct("rules");
    this.rules.bytes.set(struct.subarray(0, this.rules.bytes.length));
    for (const [name, value] of Object.entries(description.changed)) this.rules.set(name, value);
    this.moveList = this.newStruct("moves");
    /** The type of the royal piece. */
    this.royal = this.variant.pieces.findIndex((piece) => piece.royal) + 1;
    /** The number of plies of the placement phase, 0 if there is none. */
    this.placements = this.variant.placement_ranks ? this.rules.get("placements") : 0;
  }

  /** Return a new struct with its initial values.
   * @param {string} name  @returns {NativeStruct} */
  newStruct(name) {
    return new NativeStruct(this.heap, this._descriptions[name], this._initial[name]);
  }

  /** Return the squares in one of the bitboards of a struct's field.
   * @param {NativeStruct} struct  @param {string} name  @param {number} index  @returns {number[]} */
  squaresIn(struct, name, index) {
    const start = index * this._words, bits = struct.view(name).slice(start, start + this._words);
    const squares = Array.from({ length: this.squares }, (_, square) => square);
    return squares.filter((square) => (bits[square >> 6] >> BigInt(square & 63)) & 1n);
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

/** Write the network into the memory, and its address into the struct `game`.
 * @param {Heap} heap  @param {NativeStruct} struct
 * @param {Uint8Array} data the result of `split_bytes` of eval/network_file.py */
export function placeNetwork(heap, struct, data) {
  const count = data.length / 2, address = heap.allocate(2 * count);
  const rows = new Int16Array(heap.memory.buffer, address, count);
  for (let index = 0; index < count; index++) {
    const low = (data[index] << 24) >> 24;
    rows[index] = ((((data[count + index] << 24) >> 24) ^ (low >> 7)) << 8) | (low & 255);
  }
  struct.set("network", address);
}
