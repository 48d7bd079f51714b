// Searches that wait for each other, as every engine of a page has them: one at a time, with reports, that can be stopped.

/** A game: the SFEN that it began with, "" for the variant's own, and its moves in USI notation.
 * @typedef {{start: string, moves: string[]}} Played */
/** A search. `forget`: earlier games are forgotten before it; `begun`: it was handed over; `last` is the last depth of the
 * best line, `late` whether that has to do as an answer.
 * @typedef {{id: number, game: Played, limits: Limits, options: Options, report: (info: Info) => void,
 *   resolve: (result: Result) => void, reject: (error: Error) => void, forget: boolean, begun: boolean, stopped: boolean,
 *   late: boolean, last: Info | null}} Job */
/** What any engine is for a page: its own one, and one at the other end of a line.
 * @typedef {{name: string, ready: Promise<void>, newGame(): void, close(): void,
 *   search(game: Played, limits: Limits, options: Options, report: (info: Info) => void): Promise<Result>,
 *   stop(): void, onFailure: (text: string) => void}} EngineLike */

/** What all engines have in common. How the first search of the queue is begun, and how one is stopped, is their own. */
export class Queue {
  /** @param {string} name */
  constructor(name) {
    this.name = name;
    /** Hears of what no search can answer for: the engine has failed, and the next search starts it anew.
     * @type {(text: string) => void} */
    this.onFailure = () => {};
    /** @type {Job[]} the first is under way, or about to be */
    this._jobs = [];
    this._id = 0;
    this._closed = false;
    this._forget = false; // before the next search
  }

  /** Search a position until a limit is reached, or stop() comes. A search that is under way ends first, soon.
   * @param {Played} game  @param {Limits} limits  @param {Options} options  @param {(info: Info) => void} report
   * @returns {Promise<Result>} rejected, in one line, where the game or a limit is not possible, or the engine fails */
  search(game, limits, options, report) {
    if (this._closed) return Promise.reject(new Error("the engine was closed"));
    this.stop();
    return new Promise((resolve, reject) => {
      const state = { forget: this._forget, begun: false, stopped: false, late: false, last: null };
      this._forget = false;
      this._jobs.push({ id: ++this._id, game, limits, options, report, resolve, reject, ...state });
      this._next();
    });
  }

  /** End all searches: each answers with the best move found so far, after at least one depth. */
  stop() {
    for (const job of this._jobs) {
      if (job.stopped) continue;
      job.stopped = true;
      if (job.begun) this._stop(job);
    }
  }

  /** Begin the first search of the queue, if it is not under way. */
  _next() {}

  /** @param {Job} job that is under way */
  _stop(job) {}

  /** Forget earlier games, so that the next search repeats node for node. */
  newGame() {
    this._forget = true;
  }

  /** End it for good; a search under way is rejected. */
  close() {
    this._closed = true;
    this._end(new Error("the engine was closed"));
  }

  /** Reject all searches.
   * @param {Error} error */
  _end(error) {
    for (const job of this._jobs.splice(0)) job.reject(error);
  }

  /** What the search under way reports.
   * @param {Info} info */
  _take(info) {
    const [job] = this._jobs;
    if (info.multipv === 1 && !info.bound) job.last = info;
    job.report(info);
  }

  /** The search under way is over.
   * @param {Result | null} result  @param {string} [trouble] why there is none */
  _settle(result, trouble) {
    const job = this._jobs.shift();
    if (result) job?.resolve(result);
    else job?.reject(new Error(trouble));
    this._next();
  }

  /** Answer with what the search under way has told last.
   * @param {Info} last */
  _settleEarly(last) {
    const { pv: [best, ponder = null], scoreKind, score, depth, nodes } = last;
    this._settle({ best, ponder, scoreKind, score, depth, nodes });
  }
}
