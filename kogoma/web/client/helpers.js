// The helper threads of a search (search/lazy_smp.py), as the main thread sees them. Shared words control the Workers.

import { Worker } from "../engine/worker.js";

/** The words that the page, the main thread and its helpers share: first a group of WORDS words for the search, then
 * one group for each helper.
 * @typedef {{words: Int32Array, count: number}} SharedWords `count` is the number of helpers */
export const WORDS = 8;
/** Indices in the first group: the id of the last search that should stop, and the id of the running search. */
export const STOPPED = 0, CURRENT = 1;
/** Indices in a helper's group: its state, and addresses in the memory of the kernels. */
export const STATE = 0, STACK = 1, RULES = 2, WEIGHTS = 3, POSITION = 4, THREAD = 5, MAIN_THREAD = 6;
/** States of a helper: waiting, searching; 0 if it has not started. */
export const IDLE = 1, BUSY = 2;

const STACK_BYTES = 1 << 18;
const PATIENCE = 2000; // ms, the time limit for a helper to stop

/** Return a search task as one integer, like `task_word` of search/thread.py.
 * @param {number} number  @param {number} alpha  @param {number} beta  @param {number} depth */
function taskWord(number, alpha, beta, depth) {
  const [low, high] = [alpha, beta].map((score) => BigInt.asUintN(16, BigInt(score)));
  return BigInt(number) << 40n | BigInt(depth) << 32n | high << 16n | low;
}

/** The helper threads. In the methods, `leader` is the Worker of the main thread, which they help. */
export class Helpers {
  /** @param {Game} game  @param {Table} table  @param {SharedWords} shared */
  constructor(game, table, { words, count }) {
    this._game = game;
    this._words = words;
    this._tasks = 0; // number of announced tasks
    const { MARKS } = game.constants;
    this._marks = game.heap.allocate(8 * MARKS); // marks of moves being searched (search/abdada.py)
    this._workers = Array.from({ length: count }, (_, number) => {
      this._set(number, STACK, game.heap.allocate(STACK_BYTES) + STACK_BYTES);
      return new Worker(game, table);
    });
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
    for (const worker of this._workers) worker.forget();
  }

  /** Prepare the helpers for the search for which the leader was prepared.
   * @param {Worker} leader  @param {Parameters<Worker["prepare"]>} search */
  prepare(leader, ...search) {
    this.pause(leader);
    for (const worker of this._workers) worker.prepare(...search);
    for (const { thread } of [leader, ...this._workers]) thread.set("marks", this._marks);
  }

  /** Withdraw the task while the leader's root moves change.
   * @param {Worker} leader */
  pause({ thread }) {
    Atomics.store(thread.view("task"), 0, 0n);
  }

  /** Make the leader's next search the helpers' task, and start the idle helpers. Ignore depths that are too small.
   * @param {Worker} leader  @param {number} alpha  @param {number} beta  @param {number} depth */
  announce({ thread, rules }, alpha, beta, depth) {
    if (depth < this._game.constants.HELP_FROM) return;
    this._tasks += 1;
    Atomics.store(thread.view("task"), 0, taskWord(this._tasks, alpha, beta, depth));
    this._workers.forEach((worker, number) => {
      const state = this._state(number);
      if (state === BUSY) this._breakOff(worker);
      if (state !== IDLE) return;
      const needed = [rules, worker.game.weights, worker.struct, worker.thread, thread];
      [RULES, WEIGHTS, POSITION, THREAD, MAIN_THREAD].forEach((word, i) => this._set(number, word, needed[i].address));
      this._set(number, STATE, BUSY);
      Atomics.notify(this._words, WORDS * (number + 1) + STATE);
    });
  }

  /** @param {Worker} worker */
  _breakOff(worker) {
    Atomics.store(worker.thread.view("stop"), 0, 1n);
  }

  /** Set the time at which the search ends, in the scale of performance.now(); 0 is no limit.
   * @param {number} until */
  limit(until) {
    for (const worker of this._workers) worker.limit(0, until);
  }

  /** Stop all threads, since the leader's search is over.
   * @param {Worker} leader */
  stop(leader) {
    for (const worker of [leader, ...this._workers]) this._breakOff(worker);
  }

  /** Wait until all helpers have stopped. Throw a RangeError if one does not. */
  wait() {
    this._workers.forEach((_, number) => {
      while (this._state(number) === BUSY) {
        if (Atomics.wait(this._words, WORDS * (number + 1) + STATE, BUSY, PATIENCE) === "timed-out") {
          throw new RangeError("a thread does not stop"); // a plain Error would only refuse the request (postError)
        }
      }
    });
  }

  /** The nodes of all helpers in this search. */
  get nodes() {
    return this._workers.reduce((sum, worker) => sum + worker.nodes, 0);
  }

  get seldepth() {
    return Math.max(0, ...this._workers.map((worker) => worker.seldepth));
  }
}
