// Threads that search along with the main one, as search/lazy_smp.py tells: their records and what they are told.
// Who runs them looks at words in a memory of its own that all share (`Crew`).

import { Worker } from "../engine/worker.js";

/** Words by which the main thread and its helpers understand each other, in groups of WORDS: the first group is the
 * search's (what it is to stop for, its number), then comes one a helper.
 * @typedef {{words: Int32Array, count: number}} Crew `count` is the number of helpers */
export const WORDS = 8;
/** Of the first group: the last search that is to stop, and the one under way. */
export const STOPPED = 0, CURRENT = 1;
/** Of a helper's group: its state, and the addresses that it needs. */
export const STATE = 0, STACK = 1, RULES = 2, WEIGHTS = 3, POSITION = 4, THREAD = 5, LEADER = 6;
/** A helper's states: waiting, at work; 0 where it is not there (yet). */
export const IDLE = 1, BUSY = 2;

const STACK_BYTES = 1 << 18;
const PATIENCE = 2000; // ms in which a helper that was stopped has stopped

/** As `task_word` of search/thread.py.
 * @param {number} number  @param {number} alpha  @param {number} beta  @param {number} depth */
function taskWord(number, alpha, beta, depth) {
  const [low, high] = [alpha, beta].map((score) => BigInt.asUintN(16, BigInt(score)));
  return BigInt(number) << 40n | BigInt(depth) << 32n | high << 16n | low;
}

export class Helpers {
  /** @param {Game} game  @param {Table} table  @param {Crew} crew */
  constructor(game, table, { words, count }) {
    this._game = game;
    this._words = words;
    this._tasks = 0; // announced so far
    const { MARKS } = game.constants;
    this._marks = game.heap.allocate(8 * MARKS);
    this._workers = Array.from({ length: count }, (_, number) => {
      this._tell(number, STACK, game.heap.allocate(STACK_BYTES) + STACK_BYTES);
      return new Worker(game, table);
    });
  }

  /** @param {number} number  @param {number} word  @param {number} value */
  _tell(number, word, value) {
    Atomics.store(this._words, WORDS * (number + 1) + word, value);
  }

  /** @param {number} number */
  _state(number) {
    return Atomics.load(this._words, WORDS * (number + 1) + STATE);
  }

  /** As new. */
  forget() {
    for (const worker of this._workers) worker.forget();
  }

  /** Get ready for the search for which the leader is.
   * @param {Worker} leader  @param {Parameters<Worker["prepare"]>} search */
  prepare(leader, ...search) {
    this.pause(leader);
    for (const worker of this._workers) worker.prepare(...search);
    for (const { thread } of [leader, ...this._workers]) thread.set("marks", this._marks);
  }

  /** There is nothing to be searched along while the leader's root moves change.
   * @param {Worker} leader */
  pause({ thread }) {
    Atomics.store(thread.view("task"), 0, 0n);
  }

  /** Tell what the leader searches next, from the depth on that is worth a thread's start.
   * @param {Worker} leader  @param {number} alpha  @param {number} beta  @param {number} depth */
  announce({ thread, rules }, alpha, beta, depth) {
    if (depth < this._game.constants.HELP_FROM) return;
    this._tasks += 1;
    Atomics.store(thread.view("task"), 0, taskWord(this._tasks, alpha, beta, depth));
    this._workers.forEach((worker, number) => {
      const state = this._state(number);
      if (state === BUSY) this._breakOff(worker);
      if (state !== IDLE) return;
      const needed = [rules, worker.game.weights, worker.record, worker.thread, thread];
      [RULES, WEIGHTS, POSITION, THREAD, LEADER].forEach((word, place) => this._tell(number, word, needed[place].address));
      this._tell(number, STATE, BUSY);
      Atomics.notify(this._words, WORDS * (number + 1) + STATE);
    });
  }

  /** @param {Worker} worker */
  _breakOff(worker) {
    Atomics.store(worker.thread.view("stop"), 0, 1n);
  }

  /** Stop at that performance.now(); 0 is no limit.
   * @param {number} until */
  limit(until) {
    for (const worker of this._workers) worker.limit(0, until);
  }

  /** The leader's search is over.
   * @param {Worker} leader */
  stop(leader) {
    for (const worker of [leader, ...this._workers]) this._breakOff(worker);
  }

  /** Until all have stopped; an Error if one does not. */
  wait() {
    this._workers.forEach((_, number) => {
      while (this._state(number) === BUSY) {
        if (Atomics.wait(this._words, WORDS * (number + 1) + STATE, BUSY, PATIENCE) === "timed-out") {
          throw new RangeError("a thread does not stop"); // a fault, which a plain Error is not
        }
      }
    });
  }

  /** Of all helpers in this search. */
  get nodes() {
    return this._workers.reduce((sum, worker) => sum + worker.nodes, 0);
  }

  get seldepth() {
    return Math.max(0, ...this._workers.map((worker) => worker.seldepth));
  }
}
