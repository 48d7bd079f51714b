// How much of a turn's time is kept back, from what has been lost on the way lately: the counterpart of
// arena/codingame/time_margin.py.

import { readFileSync } from "node:fs";

const WEIGHT = 2; // an answer that came late by so much stands for a turn that was read as late, too
const DECAY = 0.9; // what of a delay is expected at the next turn
const MOST = 0.6; // of the turn's time

/** The margin of a game's turns, in ms. */
export class Margin {
  /** `least` is kept back whatever happens: for the way to the referee.
   * @param {number} least */
  constructor(least) {
    this._least = least;
    this._late = 0;
    this._before = waiting();
  }

  /** What to keep back of `time` ms for a turn that begins now.
   * @param {number} time */
  of(time) {
    this._before = waiting();
    return Math.max(this._least, Math.min(this._least + WEIGHT * this._late, MOST * time));
  }

  /** A search ended `late` ms after the moment that was planned (before it, if that is negative).
   * @param {number} late */
  note(late) {
    const [waited, times] = waiting().map((now, index) => now - this._before[index]);
    this._late = Math.max(late, waited / Math.max(times, 1), this._late * DECAY);
  }
}

/** How long this thread has waited for a processor so far, in ms, and how often; zeros where nobody counts that.
 * @returns {number[]} */
function waiting() {
  try {
    const [, waited, times] = readFileSync("/proc/thread-self/schedstat").toString().split(" ").map(Number);
    return [waited / 1e6, times];
  } catch {
    return [0, 0];
  }
}
