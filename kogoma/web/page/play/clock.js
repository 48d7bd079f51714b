// The game clock: measures the remaining time of both sides and reports when it has run out. All times are in ms.

/** @typedef {{main: number, byoyomi: number, increment: number}} TimeControl */

export class Clock {
  /** @param {TimeControl | null} control null: the time for each move is measured without a limit
   * @param {() => void} onFlag called when the running side has no time left
   * @param {() => number} [now] */
  constructor(control, onFlag, now = () => performance.now()) {
    this.control = control;
    this._onFlag = onFlag;
    this._now = now;
    /** The main time that each side had left after its last move, Black first. */
    this._main = [control?.main ?? 0, control?.main ?? 0];
    /** Time spent on the current move before the clock was last started, at the time `_since`. */
    this._spent = 0;
    this._since = 0;
    this._timer = 0;
    /** @type {0 | 1 | null} the side whose clock is running */
    this.running = null;
  }

  /** Stop the clock, and set it to the state after the moves so far and `spent` ms of the next move.
   * @param {number[]} used the time of each move of the game
   * @param {number} first the side that made the first move  @param {number} [spent] */
  set(used, first, spent = 0) {
    this.stop();
    this._spent = spent;
    if (!this.control) return;
    const { main, increment } = this.control;
    this._main = [main, main];
    used.forEach((ms, index) => {
      const side = (index + first) & 1;
      this._main[side] = Math.max(this._main[side] - ms, 0) + increment;
    });
  }

  /** @param {0 | 1} side */
  start(side) {
    this.stop();
    this.running = side;
    this._since = this._now();
    if (!this.control) return;
    this._timer = setTimeout(() => this._checkTime(), Math.max(this.left(side).total, 0) + 1);
  }

  /** Stop the clock, and set the time spent on the current move; after `start` for the same side it continues.
   * @param {number} [spent] */
  stop(spent = this.spent) {
    clearTimeout(this._timer);
    this._spent = spent;
    this.running = null;
  }

  /** The time spent on the current move. */
  get spent() {
    return this._spent + (this.running === null ? 0 : this._now() - this._since);
  }

  /** A side's remaining main time and byoyomi, and their sum, `total` (negative when its time has run out).
   * @param {0 | 1} side  @param {boolean} [toMove] whether this side is making the current move */
  left(side, toMove = side === this.running) {
    const { byoyomi } = this.control ?? { byoyomi: 0 }, spent = toMove ? this.spent : 0;
    const main = this._main[side] - spent;
    return { main: Math.max(main, 0), byoyomi: Math.max(byoyomi + Math.min(main, 0), 0), total: main + byoyomi };
  }

  _checkTime() {
    const side = this.running;
    if (side === null) return;
    // timers may fire a little early
    if (this.left(side).total > 0) this.start(side);
    else this._onFlag();
  }
}

/** The remaining time as text: "4:59", or "0:07.3" in the last ten seconds.
 * @param {{main: number, byoyomi: number, total: number}} left */
export function clockText({ main, byoyomi, total }) {
  if (total <= 0) return "0:00";
  const ms = main > 0 ? main : byoyomi, tenths = total < 10_000 ? Math.ceil(ms / 100) : 10 * Math.ceil(ms / 1000);
  const seconds = Math.floor(tenths / 10), minutes = Math.floor(seconds / 60), hours = Math.floor(minutes / 60);
  const two = (/** @type {number} */ value) => String(value).padStart(2, "0");
  const text = hours ? `${hours}:${two(minutes % 60)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
  return total < 10_000 ? `${text}.${tenths % 10}` : text;
}
