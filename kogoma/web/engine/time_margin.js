// The time margin of a move, adapted to recent delays: the counterpart of arena/codingame/time_margin.py.

const WEIGHT = 2; // factor of the measured delay: the clock had probably run for as long before the search began
const DECAY = 0.9; // share of a delay that is expected at the next move
const MAX_SHARE = 0.6; // largest margin, as a share of the move's time

/** The time margin of a game's moves, in ms. It grows with two measured delays: how much later than planned the last
 * search ended, and, if known, the thread's mean wait for a processor. */
export class Margin {
  /** `least` is the smallest margin in ms, for the transfer of the move. `waits` returns how long the thread has waited
   * for a processor so far, in ms, and how often.
   * @param {number} least  @param {() => number[]} [waits] */
  constructor(least, waits = () => [0, 0]) {
    this._least = least;
    this._waits = waits;
    this._late = 0;
    this._before = waits();
  }

  /** Return the margin in ms for a move with `time` ms that begins now.
   * @param {number} time  @param {number} [least] the smallest margin of this move */
  of(time, least = this._least) {
    this._before = this._waits();
    return Math.max(least, Math.min(least + WEIGHT * this._late, MAX_SHARE * time));
  }

  /** Record that a search ended `late` ms after the planned time (before, if negative).
   * @param {number} late */
  note(late) {
    const [waited, times] = this._waits().map((now, index) => now - this._before[index]);
    this._late = Math.max(late, waited / Math.max(times, 1), this._late * DECAY);
  }
}
