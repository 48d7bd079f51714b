// Time management: the counterpart of search/time.py. All times are in ms.

/** @typedef {{btime?: number, wtime?: number, byoyomi?: number, binc?: number, winc?: number, movestogo?: number,
 *   movetime?: number, depth?: number, nodes?: number, infinite?: boolean, searchmoves?: string[],
 *   dice?: number | null}} Limits the limits of one search; `dice` is the die roll, 1 to 6 */
/** @typedef {{networkDelay: number, minimumThinkingTime: number, slowMover: number}} ClockOptions */
/** @typedef {{optimum: number, maximum: number, minimum: number}} Budget when to stop, after the clock has started:
 *   usually by `optimum`, at the latest by `maximum`, not before `minimum` */

/** @type {ClockOptions} */
export const CLOCK = { networkDelay: 15, minimumThinkingTime: 0, slowMover: 100 };

/** Return the main time and byoyomi in ms that are left to the side `turn`.
 * @param {Limits} limits  @param {number} turn */
export function timeLeft({ btime = 0, wtime = 0, byoyomi = 0 }, turn) {
  return (turn ? wtime : btime) + byoyomi;
}

/** Return the time for one move, or null if it is not limited. `turn` is the side to move, `ply` the number of plies
 * played, `squares` the number of squares of the board.
 * @param {{[name: string]: any}} constants  @param {Limits} limits  @param {number} turn  @param {number} ply
 * @param {ClockOptions} options  @param {number} squares  @returns {Budget | null} */
export function budgetOf(constants, limits, turn, ply, options, squares) {
  const clocks = [...(turn ? [limits.wtime, limits.winc] : [limits.btime, limits.binc]), limits.byoyomi];
  const hasClock = clocks.some((clock) => clock !== undefined);
  if (limits.infinite || !(hasClock || limits.movetime !== undefined)) return null;
  const fixed = limits.movetime === undefined ? Infinity : usable(constants, limits.movetime, options);
  if (!hasClock) return { optimum: fixed, maximum: fixed, minimum: 0 };
  const share = clockShare(constants, limits, turn, ply, options, squares);
  const maximum = Math.min(share.maximum, fixed);
  const minimum = Math.min(options.minimumThinkingTime, maximum);
  return { optimum: Math.min(Math.max(share.optimum, minimum), maximum), maximum, minimum };
}

/** Return whether a search should end before the next iteration, `elapsed` ms after the clock has started. `depth`: the
 * last finished depth; `choices`: the number of root moves; `steady`: the number of iterations with the same best move;
 * `falling`: by how many centipawns the last iteration lowered the score; `effort`: the best move's share of nodes.
 * @param {{[name: string]: any}} constants  @param {Budget} budget
 * @param {{elapsed: number, depth: number, choices: number, steady: number, falling: number, effort: number}} found
 * @returns {boolean} */
export function isSpent({ ENOUGH_WITHOUT_CHOICE }, { optimum, maximum, minimum }, found) {
  if (found.choices === 1 && found.depth >= ENOUGH_WITHOUT_CHOICE) return found.elapsed >= minimum;
  if (optimum >= maximum) return found.elapsed >= maximum;
  // A stable best move gets less time, a falling score or a disputed best move more.
  let share = optimum * (1.2 - 0.08 * Math.min(found.steady, 8));
  share *= 1 + Math.min(Math.max(found.falling, 0), 200) / 200;
  share *= 1.5 - 0.8 * found.effort;
  return found.elapsed >= Math.max(share * 0.7, minimum);
}

/** Return the available time minus the network delay, but at least LAST_MOMENTS or half of the available time,
 * whichever is less.
 * @param {{[name: string]: any}} constants  @param {number} available  @param {ClockOptions} options */
function usable({ LAST_MOMENTS }, available, options) {
  return Math.max(available - options.networkDelay, Math.min(LAST_MOMENTS, available / 2));
}

/** Round to the nearest integer, ties to even, as Python does.
 * @param {number} value */
function rounded(value) {
  const below = Math.floor(value), rest = value - below;
  return rest < 0.5 || (rest === 0.5 && below % 2 === 0) ? below : below + 1;
}

/** Return the optimum and the maximum time of one move, from main time, increment and byoyomi.
 * @param {{[name: string]: any}} constants  @param {Limits} limits  @param {number} turn  @param {number} ply
 * @param {ClockOptions} options  @param {number} squares  @returns {{optimum: number, maximum: number}} */
function clockShare(constants, limits, turn, ply, options, squares) {
  const { MOVES_AT_LEAST, MOVES_AT_START, PART_OF_CLOCK, PART_OF_INCREMENT, PATIENCE, SQUARES } = constants;
  let clock = (turn ? limits.wtime : limits.btime) ?? 0, increment = (turn ? limits.winc : limits.binc) ?? 0;
  const byoyomi = limits.byoyomi ?? 0;
  // Without main time and byoyomi, only the increment can be used.
  if (!clock && !byoyomi) {
    const all = usable(constants, increment, options);
    return { optimum: all, maximum: all };
  }
  const most = usable(constants, clock + byoyomi, options);
  const longer = Math.max(1, Math.sqrt(squares / SQUARES));
  let moves = rounded(Math.max(MOVES_AT_LEAST * longer, MOVES_AT_START * longer - ply / 3)), part = PART_OF_CLOCK;
  if (limits.movestogo) {
    moves = Math.min(moves, limits.movestogo);
    part = Math.max(part, 0.8 / moves);
  }
  // Every move costs the network delay, for which an increment may compensate.
  const delay = options.networkDelay;
  const pool = Math.max(clock + increment * (moves - 1) - delay * moves, clock / 10);
  const reserve = Math.max(delay - increment, 0) * moves;
  const cap = part * Math.max(clock - reserve, clock / 10) + PART_OF_INCREMENT * Math.min(increment, clock);
  const share = ((pool / moves) * options.slowMover) / 100;
  // Byoyomi is renewed at every move, so main time of up to one byoyomi is spent in addition.
  const remainder = Math.min(clock, byoyomi);
  const optimum = byoyomi + Math.max(Math.min(share, cap), remainder);
  const maximum = byoyomi + Math.max(Math.min(PATIENCE * share, cap), remainder);
  return { optimum: Math.min(optimum, most), maximum: Math.min(maximum, most) };
}
