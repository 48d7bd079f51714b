// The transposition table's memory. What an entry is: search/transposition.py.

const SAMPLE = 250; // buckets looked at for `permilleUsed`
const WORDS = 8; // of 64 bits in a bucket

export class Table {
  /** As many buckets as fit into that many MB, a power of two.
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

  /** Forget everything. This touches all pages, so that no search has to wait for them. */
  clear() {
    this.generation = 0;
    this._heap.bytes(this.address, this._size).fill(0);
  }

  /** A new search begins: entries of earlier ones are replaced first. */
  nextGeneration() {
    this.generation = (this.generation + 1) & 63;
  }

  /** How full the table is with this search's entries, in thousandths, by a sample. */
  permilleUsed() {
    const words = new BigUint64Array(this._heap.memory.buffer, this.address, SAMPLE * WORDS);
    let used = 0;
    for (let index = 1; index < words.length; index += 2) {
      if (words[index] !== 0n && Number((words[index] >> 56n) & 63n) === this.generation) used += 1;
    }
    return Math.floor((used * 1000) / (words.length / 2));
  }

  /** Give its memory back; it must not be used again. */
  release() {
    this._heap.release(this.address, this._size);
  }
}
