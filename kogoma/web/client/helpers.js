// The helper threads of a search, as the main thread sees them. Shared words start the Workers; the kernels give them
// their tasks (search/lazy_smp.py).

import { SearchThread } from "../engine/search_thread.js";

/** The words that the page, the main thread and its helpers share: first a group of WORDS words for the search, then
 * one group for each helper.
 * @typedef {{words: Int32Array, count: number}} SharedWords `count` is the number of helpers */
export const WORDS = 8;
/** Indices in the first group: the id of the last search that should stop, and the id of the running search. */
export const STOPPED = 0, CURRENT = 1;
/** Indices in a helper's group: its state, and addresses in the memory of the kernels. */
export const STATE = 0, STACK = 1, GAME = 2, POSITION = 3, THREAD = 4, MAIN_THREAD = 5;
/** States of a helper: waiting, searching; 0 if it has not started. */
export const IDLE = 1, BUSY = 2;

const STACK_BYTES = 1 << 18;
const PATIENCE = 2000; // ms, the time limit for a helper to stop

/** The helper threads. In the methods, `main` is the main thread, which they help. */
export class Helpers {
  /** @param {Game} game  @param {Table} table  @param {SharedWords} shared */
  constructor(game, table, { words, count }) {
    this._game = game;
    this._words = words;
    this._marks = game.heap.allocate(8 * game.constants.MARKS); // marks of moves being searched (search/abdada.py)
    this._stops = game.heap.allocate(8 * count); // addresses of the fields that end the helpers' tasks
    this._threads = Array.from({ length: count }, (_, number) => {
      this._set(number, STACK, game.heap.allocate(STACK_BYTES) + STACK_BYTES);
      return new SearchThread(game, table);
    });
    const stops = new BigUint64Array(game.heap.memory.buffer, this._stops, count);
    this._threads.forEach(({ struct }, number) => { stops[number] = BigInt(struct.view("stop").byteOffset); });
  }

  /** @param {number} number  @param {number} word  @param {number} value */
  _set(number, word, value) {
    Atomics.store(this._words, WORDS * (number + 1) + word, value);
  }

  /** @param {number} number */
  _state(number) {
    return Atomics.load(this._words, WORDS * (number + 1) + STATE);
  }

  /** Reset the memory of earlier searches. */
  forget() {
    for (const thread of this._threads) thread.forget();
  }

  /** Prepare the helpers for a search for which the main thread was prepared.
   * @param {SearchThread} main  @param {Position} position  @param {NativeStruct} control */
  prepare(main, position, control) {
    for (const thread of this._threads) thread.prepare(position, control);
    for (const { struct } of [main, ...this._threads]) struct.set("marks", this._marks);
    main.struct.set("helpers", this._threads.length);
    main.struct.set("helper_stops", this._stops);
  }

  /** Start the idle helpers.
   * @param {SearchThread} main  @param {NativeStruct} searched the struct `game` of the search */
  start(main, searched) {
    this._threads.forEach(({ position, struct }, number) => {
      if (this._state(number) !== IDLE) return;
      const needed = [searched, position, struct, main.struct];
      [GAME, POSITION, THREAD, MAIN_THREAD].forEach((word, i) => this._set(number, word, needed[i].address));
      this._set(number, STATE, BUSY);
      Atomics.notify(this._words, WORDS * (number + 1) + STATE);
    });
  }

  /** Stop all threads, since the main thread's search is over.
   * @param {SearchThread} main */
  stop(main) {
    for (const thread of [main, ...this._threads]) thread.stop();
  }

  /** Wait until all helpers have stopped. Throw a RangeError if one does not. */
  wait() {
    this._threads.forEach((_, number) => {
      while (this._state(number) === BUSY) {
        if (Atomics.wait(this._words, WORDS * (number + 1) + STATE, BUSY, PATIENCE) === "timed-out") {
          throw new RangeError("a thread does not stop"); // a plain Error would only refuse the request (postError)
        }
      }
    });
  }

  /** The nodes of all helpers in this search. */
  get nodes() {
    return this._threads.reduce((sum, thread) => sum + thread.nodes, 0);
  }

  get seldepth() {
    return Math.max(0, ...this._threads.map((thread) => thread.seldepth));
  }
}
