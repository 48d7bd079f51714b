// The queue of searches that all engines of a page use: one search runs at a time and can be stopped.

/** A game: its start position as SFEN, "" for that of the variant, and its moves in USI notation.
 * @typedef {{start: string, moves: string[]}} Played */
/** A requested search. `forget`: it is the first of a new game; `begun`: the engine has received it; `last`: the last
 * report of the best line with an exact score; `late`: the search did not stop in time and is answered with `last`.
 * @typedef {{id: number, game: Played, limits: Limits, options: Options, report: (info: Info) => void, onBegun: () => void,
 *   resolve: (result: Result) => void, reject: (error: Error) => void, forget: boolean, begun: boolean,
 *   stopped: boolean, late: boolean, last: Info | null}} Job */
/** The interface of engines: Kogoma in this page, and engines of the local server.
 * @typedef {{name: string, ready: Promise<void>, newGame(): void, close(): void,
 *   search(game: Played, limits: Limits, options: Options, report: (info: Info) => void, onBegun?: () => void): Promise<Result>,
 *   stop(): void, onFailure: (text: string) => void}} EngineLike */

/** The base class of engines. Subclasses define how to begin (`_next`) and to stop (`_stop`) the first search. */
export class Queue {
  /** @param {string} name */
  constructor(name) {
    this.name = name;
    /** Called when the engine has failed; the next search restarts it.
     * @type {(text: string) => void} */
    this.onFailure = () => {};
    /** @type {Job[]} the first one is running or starts next */
    this._jobs = [];
    this._id = 0;
    this._closed = false;
    this._forget = false; // whether the next search begins a new game
  }

  /** Search a position until a limit is reached or stop() is called. A running search is stopped first.
   * @param {Played} game  @param {Limits} limits  @param {Options} options  @param {(info: Info) => void} report
   * @param {() => void} [onBegun] called when the engine begins to search, after its start-up
   * @returns {Promise<Result>} rejected if the game or a limit is not valid, or if the engine fails */
  search(game, limits, options, report, onBegun = () => {}) {
    if (this._closed) return Promise.reject(new Error("the engine was closed"));
    this.stop();
    return new Promise((resolve, reject) => {
      const state = { forget: this._forget, begun: false, stopped: false, late: false, last: null };
      this._forget = false;
      this._jobs.push({ id: ++this._id, game, limits, options, report, onBegun, resolve, reject, ...state });
      this._next();
    });
  }

  /** Stop all searches. Each is resolved with its best move so far, after at least one finished depth. */
  stop() {
    for (const job of this._jobs) {
      if (job.stopped) continue;
      job.stopped = true;
      if (job.begun) this._stop(job);
    }
  }

  /** Begin the first search of the queue, if it is not running. */
  _next() {}

  /** Stop a running search.
   * @param {Job} job */
  _stop(job) {}

  /** Clear the engine's memory before the next search, which makes that search reproducible. */
  newGame() {
    this._forget = true;
  }

  /** Close the engine and reject all searches. */
  close() {
    this._closed = true;
    this._end(new Error("the engine was closed"));
  }

  /** Reject all searches.
   * @param {Error} error */
  _end(error) {
    for (const job of this._jobs.splice(0)) job.reject(error);
  }

  /** Handle a report of the running search.
   * @param {Info} info */
  _report(info) {
    const [job] = this._jobs;
    if (info.multipv === 1 && !info.bound) job.last = info;
    job.report(info);
  }

  /** Resolve or reject the running search, and begin the next one.
   * @param {Result | null} result  @param {string} [trouble] the error message if there is no result */
  _settle(result, trouble) {
    const job = this._jobs.shift();
    if (result) job?.resolve(result);
    else job?.reject(new Error(trouble));
    this._next();
  }

  /** Resolve the running search with its last report.
   * @param {Info} last */
  _settleEarly(last) {
    const { pv: [best, ponder = null], scoreKind, score, depth, nodes } = last;
    this._settle({ best, ponder, scoreKind, score, depth, nodes });
  }
}
