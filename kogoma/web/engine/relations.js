// The evaluation's table of relations between pieces (eval/relations.py) in the memory of the kernels.

/** Put the table into the memory, and where it is into the record of weights.
 * @param {Heap} heap  @param {NativeRecord} weights  @param {Uint8Array} data what `split_bytes` of eval/tables.py gives:
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
