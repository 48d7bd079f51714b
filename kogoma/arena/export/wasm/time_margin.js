// The time margin of a turn, adapted to recent delays: the counterpart of arena/codingame/time_margin.py.

import { readFileSync } from "node:fs";

const WEIGHT = 2; // factor of the measured delay: reading the turn was probably delayed by as much
const DECAY = 0.9; // share of a delay that is expected at the next turn
const MAX_SHARE = 0.6; // largest margin, as a share of the turn's time

/** The time margin of a game's turns, in ms. It grows with two measured delays: how much later than planned the last
 * search ended, and, on Linux, this thread's mean wait for a processor. */
export class Margin {
  /** `least` is the smallest margin in ms, for the transfer to the referee.
   * @param {number} least */
  constructor(least) {
    this._least = least;
    this._late = 0;
    this._before = waiting();
  }

  /** Return the margin in ms for a turn of `time` ms that begins now.
   * @param {number} time */
  of(time) {
    this._before = waiting();
    return Math.max(this._least, Math.min(this._least + WEIGHT * this._late, MAX_SHARE * time));
  }

  /** Record that a search ended `late` ms after the planned time (before, if negative).
   * @param {number} late */
  note(late) {
    const [waited, times] = waiting().map((now, index) => now - this._before[index]);
    this._late = Math.max(late, waited / Math.max(times, 1), this._late * DECAY);
  }
}

/** Return how long this thread has waited for a processor so far, in ms, and how often; zeros if unknown.
 * @returns {number[]} */
function waiting() {
  try {
    const [, waited, times] = readFileSync("/proc/thread-self/schedstat").toString().split(" ").map(Number);
    return [waited / 1e6, times];
  } catch {
    return [0, 0];
  }
}
