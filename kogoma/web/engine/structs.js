// The kernels' records in the memory of a WebAssembly module, by the description that Python makes of them.

/** @typedef {[offset: number, kind: string, shape: number[]]} Field */
/** @typedef {{size: number, fields: {[name: string]: Field}}} Description */
/** @typedef {Uint8Array | Int8Array | Uint16Array | Int16Array | Uint32Array | Int32Array} NarrowArray */
/** @typedef {BigUint64Array | BigInt64Array} WideArray */

const PAGE = 1 << 16; // bytes by which a memory grows
const ALIGNMENT = 64; // a cache line

/** @type {{[kind: string]: any}} */
const KINDS = {
  uint8: Uint8Array, int8: Int8Array, uint16: Uint16Array, int16: Int16Array, uint32: Uint32Array, int32: Int32Array,
  uint64: BigUint64Array, int64: BigInt64Array,
};

/** Room in a module's memory. What is given back is used again for something of the same size. */
export class Heap {
  /** @param {WebAssembly.Memory} memory  @param {number} base first address that is free */
  constructor(memory, base) {
    this.memory = memory;
    this._next = base;
    /** @type {Map<number, number[]>} */
    this._free = new Map();
  }

  /** The address of so many bytes, all 0. RangeError if the memory can't grow so far.
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

  /** Give back what allocate() gave.
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

/** One record. Numbers go in and out as JavaScript's; only what needs all of 64 bits is read through `view`. */
export class NativeRecord {
  /** A record of zeros.
   * @param {Heap} heap  @param {Description} description */
  constructor(heap, description) {
    this._heap = heap;
    this._description = description;
    this.address = heap.allocate(description.size);
    /** @type {Map<string, NarrowArray | WideArray>} */
    this._views = new Map();
  }

  /** All of it. */
  get bytes() {
    return this._heap.bytes(this.address, this._description.size);
  }

  /** @param {string} name */
  has(name) {
    return name in this._description.fields;
  }

  /** The length of each dimension of a field.
   * @param {string} name  @returns {number[]} */
  shape(name) {
    return this._description.fields[name][2];
  }

  /** The names of the fields. */
  get names() {
    return Object.keys(this._description.fields);
  }

  /** A field's numbers, row by row. Not to be kept: a memory that grows leaves it behind.
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

  /** @param {string} name  @param {number[]} values  @param {number} [start] */
  fill(name, values, start = 0) {
    values.forEach((value, index) => this.set(name, value, start + index));
  }

  /** Another record that holds the same.
   * @returns {NativeRecord} */
  copy() {
    const twin = new NativeRecord(this._heap, this._description);
    twin.bytes.set(this.bytes);
    return twin;
  }

  /** Give its memory back; it must not be used again. */
  release() {
    this._heap.release(this.address, this._description.size);
    this._views.clear();
  }
}
