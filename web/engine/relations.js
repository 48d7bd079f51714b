// The evaluation's tables of relations between pieces (eval/relations.py) in the memory of the kernels.

/** @typedef {import("./records.js").Heap} Heap */
/** @typedef {import("./records.js").NativeRecord} NativeRecord */

/** Put both tables into the memory, and where they are into the record of weights.
 * @param {Heap} heap  @param {NativeRecord} weights  @param {Uint8Array} data what `split_bytes` of eval/tables.py gives:
 * every two features of different numbers, then each square of the king with every feature */
export function placeTables(heap, weights, data) {
  const features = weights.get("features"), count = data.length / 2, pairs = (features * (features - 1)) / 2;
  /** @param {number} index  @returns {number} */
  const numberAt = (index) => {
    const low = (data[index] << 24) >> 24;
    return ((((data[count + index] << 24) >> 24) ^ (low >> 7)) << 8) | (low & 255);
  };
  const square = features * features, length = square + count - pairs;
  const address = heap.allocate(2 * length);
  const tables = new Int16Array(heap.memory.buffer, address, length);
  for (let row = 1, index = 0; row < features; row++) {
    for (let column = 0; column < row; column++, index++) {
      tables[row * features + column] = tables[column * features + row] = numberAt(index);
    }
  }
  for (let index = pairs; index < count; index++) tables[square + index - pairs] = numberAt(index);
  weights.set("pair_table", address);
  weights.set("king_table", address + 2 * square);
}
