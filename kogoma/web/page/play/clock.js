// The game clock: remaining times, and whose time has run out. All times are milliseconds.

/** @typedef {{main: number, byoyomi: number, increment: number}} TimeControl */

export class Clock {
  /** @param {TimeControl | null} control null: times are measured, without a limit
   * @param {() => void} onFlag called once the running side has nothing left
   * @param {() => number} [now] */
  constructor(control, onFlag, now = () => performance.now()) {
    this.control = control;
    this._onFlag = onFlag;
    this._now = now;
    /** Main time left after each side's last move. */
    this._main = [control?.main ?? 0, control?.main ?? 0];
    this._spent = 0;
    this._since = 0;
    this._timer = 0;
    /** @type {0 | 1 | null} the side whose clock is running */
    this.running = null;
  }

  /** Set the clock to the state after the moves so far, `spent` ms into the next move, and stop it.
   * @param {number[]} used ms of each move of the game  @param {number} first the side that made the first
   * @param {number} [spent] */
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
    this._timer = setTimeout(() => this._ring(), Math.max(this.left(side).total, 0) + 1);
  }

  /** Pause the clock. */
  stop() {
    clearTimeout(this._timer);
    this._spent = this.spent;
    this.running = null;
  }

  /** The time spent on the current move. */
  get spent() {
    return this._spent + (this.running === null ? 0 : this._now() - this._since);
  }

  /** A side's main time, byoyomi, and their sum (negative after time-out).
   * @param {0 | 1} side  @param {boolean} [toMove] whether the move under way is this side's */
  left(side, toMove = side === this.running) {
    const { byoyomi } = this.control ?? { byoyomi: 0 }, spent = toMove ? this.spent : 0;
    const main = this._main[side] - spent;
    return { main: Math.max(main, 0), byoyomi: Math.max(byoyomi + Math.min(main, 0), 0), total: main + byoyomi };
  }

  _ring() {
    const side = this.running;
    if (side === null) return;
    // timers may fire a little early
    if (this.left(side).total > 0) this.start(side);
    else this._onFlag();
  }
}

/** A time as text: "4:59", "0:07.3" near the end.
 * @param {{main: number, byoyomi: number, total: number}} left */
export function clockText({ main, byoyomi, total }) {
  if (total <= 0) return "0:00";
  const ms = main > 0 ? main : byoyomi, tenths = total < 10_000 ? Math.ceil(ms / 100) : 10 * Math.ceil(ms / 1000);
  const seconds = Math.floor(tenths / 10), minutes = Math.floor(seconds / 60), hours = Math.floor(minutes / 60);
  const two = (/** @type {number} */ value) => String(value).padStart(2, "0");
  const text = hours ? `${hours}:${two(minutes % 60)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
  return total < 10_000 ? `${text}.${tenths % 10}` : text;
}
