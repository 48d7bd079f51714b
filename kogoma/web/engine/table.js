// The memory of the transposition table, whose entries search/transposition.py defines.

const SAMPLE = 250; // buckets that `permilleUsed` examines
const WORDS = 8; // 64-bit words in a bucket

export class Table {
  /** Allocate the largest power of two of buckets that fits into `megabytes` MB.
   * @param {Game} game  @param {number} megabytes */
  constructor(game, megabytes) {
    const bucketBytes = game.constants.BUCKET_BYTES;
    this.buckets = 2 ** Math.floor(Math.log2((Math.max(megabytes, 1) * 2 ** 20) / bucketBytes));
    this._heap = game.heap;
    this._size = this.buckets * bucketBytes;
    this.address = game.heap.allocate(this._size);
    this.generation = 0;
    this.clear();
  }

  /** Delete all entries. */
  clear() {
    this.generation = 0;
    this._heap.bytes(this.address, this._size).fill(0);
  }

  /** Begin a new search: entries of earlier searches are replaced first. */
  nextGeneration() {
    this.generation = (this.generation + 1) & 63;
  }

  /** Return the share of entries that this search has written, in thousandths, estimated from a sample. */
  permilleUsed() {
    const words = new BigUint64Array(this._heap.memory.buffer, this.address, SAMPLE * WORDS);
    let used = 0;
    for (let index = 1; index < words.length; index += 2) {
      if (words[index] !== 0n && Number((words[index] >> 56n) & 63n) === this.generation) used += 1;
    }
    return Math.floor((used * 1000) / (words.length / 2));
  }
}
