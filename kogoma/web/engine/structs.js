// The kernels' structs in the memory of a WebAssembly module, with the layouts of web/game_data.py.

/** @typedef {[offset: number, kind: string, shape: number[]]} Field */
/** @typedef {{size: number, fields: {[name: string]: Field}}} Description */
/** @typedef {{[name: string]: number | number[]}} Values the numbers of fields; each number of an array is given as the
 *   difference from the one before it */
/** @typedef {Uint8Array | Int8Array | Uint16Array | Int16Array | Uint32Array | Int32Array} NarrowArray */
/** @typedef {BigUint64Array | BigInt64Array} WideArray */

const PAGE = 1 << 16; // bytes in a page, the unit in which a WebAssembly memory grows
const ALIGNMENT = 64; // a cache line

/** @type {{[kind: string]: any}} */
const KINDS = {
  uint8: Uint8Array, int8: Int8Array, uint16: Uint16Array, int16: Int16Array, uint32: Uint32Array, int32: Int32Array,
  uint64: BigUint64Array, int64: BigInt64Array,
};

/** An allocator in a module's memory, which reuses freed blocks for blocks of the same size. */
export class Heap {
  /** @param {WebAssembly.Memory} memory  @param {number} base the first free address */
  constructor(memory, base) {
    this.memory = memory;
    this._next = base;
    /** @type {Map<number, number[]>} */
    this._free = new Map();
  }

  /** Return the address of `size` zero bytes. Throw a RangeError if the memory cannot grow enough.
   * @param {number} size  @returns {number} */
  allocate(size) {
    const used = this._free.get(size)?.pop();
    if (used !== undefined) {
      this.bytes(used, size).fill(0);
      return used;
    }
    const address = Math.ceil(this._next / ALIGNMENT) * ALIGNMENT;
    const missing = address + size - this.memory.buffer.byteLength;
    if (missing > 0) this.memory.grow(Math.ceil(missing / PAGE));
    this._next = address + size;
    return address;
  }

  /** Free a block that `allocate` has returned.
   * @param {number} address  @param {number} size */
  release(address, size) {
    const free = this._free.get(size);
    if (free) free.push(address);
    else this._free.set(size, [address]);
  }

  /** @param {number} address  @param {number} size */
  bytes(address, size) {
    return new Uint8Array(this.memory.buffer, address, size);
  }
}

/** A struct in a module's memory. `get` and `set` convert to and from JavaScript numbers; read fields that need all 64
 * bits with `view`. */
export class NativeStruct {
  /** Allocate a struct with `initial` values; its other fields are 0.
   * @param {Heap} heap  @param {Description} description  @param {Values} [initial] */
  constructor(heap, description, initial = {}) {
    this._heap = heap;
    this._description = description;
    this._initial = initial;
    this.address = heap.allocate(description.size);
    /** @type {Map<string, NarrowArray | WideArray>} */
    this._views = new Map();
    this._initialize();
  }

  _initialize() {
    for (const [name, given] of Object.entries(this._initial)) {
      let value = 0;
      this.fill(name, [given].flat().map((difference) => (value += difference)));
    }
  }

  /** Restore the initial values. */
  reset() {
    this.bytes.fill(0);
    this._initialize();
  }

  /** The bytes of the struct. */
  get bytes() {
    return this._heap.bytes(this.address, this._description.size);
  }

  /** Return the length of each dimension of a field.
   * @param {string} name  @returns {number[]} */
  shape(name) {
    return this._description.fields[name][2];
  }

  /** Return a typed array of a field's numbers. It becomes invalid when the memory grows.
   * @param {string} name  @returns {any} */
  view(name) {
    const known = this._views.get(name);
    if (known && known.buffer === this._heap.memory.buffer) return known;
    const [offset, kind, shape] = this._description.fields[name];
    const count = shape.reduce((product, length) => product * length, 1);
    const made = new KINDS[kind](this._heap.memory.buffer, this.address + offset, count);
    this._views.set(name, made);
    return made;
  }

  /** @param {string} name  @param {number} [index]  @returns {number} */
  get(name, index = 0) {
    return Number(this.view(name)[index]);
  }

  /** @param {string} name  @param {number} value  @param {number} [index] */
  set(name, value, index = 0) {
    const view = this.view(name);
    view[index] = view.BYTES_PER_ELEMENT === 8 ? BigInt(value) : value;
  }

  /** @param {string} name  @param {number} start  @param {number} end  @returns {number[]} */
  slice(name, start, end) {
    return Array.from(this.view(name).subarray(start, end), Number);
  }

  /** Write `values` into a field, from the index `start` on.
   * @param {string} name  @param {number[]} values  @param {number} [start] */
  fill(name, values, start = 0) {
    values.forEach((value, index) => this.set(name, value, start + index));
  }

  /** Return a copy in newly allocated memory.
   * @returns {NativeStruct} */
  copy() {
    const twin = new NativeStruct(this._heap, this._description);
    twin.bytes.set(this.bytes);
    return twin;
  }

  /** Free the memory. The struct must not be used any more. */
  release() {
    this._heap.release(this.address, this._description.size);
    this._views.clear();
  }
}
