// What one thread of a search works on: its struct, with histories that are kept until `forget`, and its copy of the
// position.

export class SearchThread {
  /** @param {Game} game  @param {Table} table */
  constructor(game, table) {
    this._game = game;
    this._table = table;
    this.struct = game.newStruct("thread");
    this.position = game.newStruct("position");
  }

  /** Clear the struct with its histories, and write the constants of the search into it. */
  forget() {
    this.struct.reset();
  }

  /** Prepare the search of a position that the kernel `begin` has begun.
   * @param {Position} position  @param {NativeStruct} control */
  prepare(position, control) {
    const { struct, _table: table } = this;
    this.position.bytes.set(position.struct.bytes);
    struct.set("tt", table.address);
    struct.set("tt_mask", table.buckets - 1);
    struct.set("generation", table.generation);
    this._game.call("prepare", this.position, struct, control);
  }

  /** Make the kernel that runs with this struct on another thread return soon. */
  stop() {
    Atomics.store(this.struct.view("stop"), 0, 1n);
  }

  /** The number of nodes of this search so far. */
  get nodes() {
    return this.struct.get("nodes");
  }

  /** The largest ply that this search has reached so far. */
  get seldepth() {
    return this.struct.get("seldepth");
  }
}
