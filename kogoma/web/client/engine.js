// The engine in Web Workers, as a page uses it: one search at a time, with reports, that can be stopped.

import { CURRENT, STOPPED, WORDS } from "./helpers.js";
import { entryOf, loadData, loadKernels } from "./loader.js";

/** @typedef {{start: string, moves: string[]}} Played a game: the SFEN that it began with, "" for the variant's own,
 *   and its moves in USI notation */
/** @typedef {{id: number, begin: () => void, report: (info: Info) => void, resolve: (result: Result) => void,
 *   reject: (error: Error) => void, begun: boolean, stopped: boolean, late: boolean,
 *   last: Info | null}} Job `last` is the last depth of the best line, `late` whether that has to do as an answer */
/** What any engine is for a page: this one, and one at the other end of a line.
 * @typedef {{name: string, ready: Promise<void>, newGame(): void, close(): void,
 *   search(game: Played, limits: Limits, options: Options, report: (info: Info) => void): Promise<Result>,
 *   stop(): void, onFailure: (text: string) => void}} EngineLike */

const PAGE = 1 << 16; // bytes by which a memory grows
const EXTRA = 192 << 20; // bytes, at most, of all but the table
const PATIENCE = 150; // ms that a search which is to stop may take where nothing need reach it

/** How many threads are worth asking for: several only where the page is cross-origin isolated. */
export const mostThreads = () => (globalThis.crossOriginIsolated ? navigator.hardwareConcurrency || 1 : 1);

/** Kogoma's own engine for one game. @implements {EngineLike} */
export class Engine {
  /** @param {Index} index  @param {string} name of the game  @param {{threads?: number, hashMb?: number}} [settings] */
  constructor(index, name, settings = {}) {
    const { threads = 1, hashMb = 16 } = settings;
    this.name = `Kogoma ${index.version}`;
    /** Hears of what no search can answer for: the engine has died, and the next search starts it anew.
     * @type {(text: string) => void} */
    this.onFailure = () => {};
    this._index = index;
    this._game = entryOf(index, name);
    this._hashMb = hashMb;
    const most = this._game.die === "none" ? mostThreads() : 1;
    this._helpers = Math.max(1, Math.min(threads, most)) - 1;
    /** @type {globalThis.Worker[]} the one that searches, and its helpers */
    this._workers = [];
    /** @type {Int32Array | null} words that all share, where the page is isolated */
    this._words = null;
    /** @type {Job[]} the first is under way, or about to be */
    this._jobs = [];
    this._id = 0;
    this._closed = false;
    this._died = false;
    this._forget = false; // before the next search
    this.ready = this._start();
    this.ready.catch(() => {}); // onFailure has told
  }

  /** Search a position until a limit is reached, or stop() comes. A search that is under way ends first, soon.
   * @param {Played} game  @param {Limits} limits  @param {Options} options  @param {(info: Info) => void} report
   * @returns {Promise<Result>} rejected, in one line, where the game or a limit is not possible, or the engine dies */
  search(game, limits, options, report) {
    if (this._closed) return Promise.reject(new Error("the engine was closed"));
    this.stop();
    return new Promise((resolve, reject) => {
      const id = ++this._id, forget = this._forget;
      this._forget = false;
      const begin = () => {
        if (forget) this._workers[0].postMessage({ type: "newGame" });
        const started = performance.timeOrigin + performance.now();
        this._workers[0].postMessage({ type: "search", id, game, limits, options, started });
      };
      this._jobs.push({ id, begin, report, resolve, reject, begun: false, stopped: false, late: false, last: null });
      if (this._jobs.length === 1) this._next();
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

  /** Forget earlier games, so that the next search repeats node for node. */
  newGame() {
    this._forget = true;
  }

  /** End it for good; a search under way is rejected. */
  close() {
    this._closed = true;
    this._end(new Error("the engine was closed"));
  }

  /** Start the Workers. */
  async _start() {
    const shared = Boolean(globalThis.crossOriginIsolated && this._game.shared);
    try {
      const [module, data] = await Promise.all([
        loadKernels(this._index, this._game.name, shared), loadData(this._index, this._game.name),
      ]);
      if (this._closed) return;
      await this._startWorkers(module, data, shared);
    } catch (error) {
      this._fail(/** @type {Error} */ (error).message);
      throw error;
    }
  }

  /** @param {WebAssembly.Module} module  @param {import("./loader.js").GameData} data  @param {boolean} shared
   * @returns {Promise<void>} */
  _startWorkers(module, data, shared) {
    const count = shared ? this._helpers : 0, bytes = (this._hashMb << 20) + EXTRA + count * (48 << 20);
    const pages = Math.ceil(bytes / PAGE);
    const memory = shared ? new WebAssembly.Memory({ initial: 64, maximum: pages, shared: true }) : null;
    this._words = shared ? new Int32Array(new SharedArrayBuffer(4 * WORDS * (count + 1))) : null;
    // What has been asked for meanwhile is not stopped yet.
    const before = (this._jobs[0]?.id ?? this._id + 1) - 1;
    if (this._words) this._words[STOPPED] = this._words[CURRENT] = before;
    const crew = this._words && { words: this._words, count };
    const suspends = !shared && "Suspending" in WebAssembly;
    return new Promise((resolve, reject) => {
      /** @param {string} text */
      const fail = (text) => {
        this._fail(text);
        reject(new Error(text));
      };
      const [main, ...helpers] = ["engine_worker.js", ...Array(count).fill("helper_worker.js")].map((file) => {
        const worker = new globalThis.Worker(new URL(file, import.meta.url), { type: "module" });
        worker.onerror = (event) => {
          event.preventDefault();
          fail(event.message || `${file} could not be loaded`);
        };
        return worker;
      });
      this._workers = [main, ...helpers];
      main.onmessage = ({ data: message }) => {
        if (message.type === "ready") resolve();
        else if (message.type === "crashed") fail(message.text);
        else this._hear(message);
      };
      main.postMessage({ type: "start", module, data, hashMb: this._hashMb, suspends, memory, crew });
      helpers.forEach((helper, number) => helper.postMessage({ module, memory, words: this._words, number }));
    });
  }

  /** Begin the first search of the queue, with new Workers where they have died. */
  _next() {
    const job = this._jobs[0];
    if (!job) return;
    if (!this._workers.length && this._died) {
      this._died = false;
      this.ready = this._start();
    }
    this.ready.then(() => {
      if (job !== this._jobs[0] || job.begun) return;
      job.begun = true;
      job.begin();
      if (job.stopped) this._stop(job);
    }).catch(() => {});
  }

  /** @param {Job} job */
  _stop(job) {
    if (this._words) Atomics.store(this._words, STOPPED, job.id);
    this._workers[0].postMessage({ type: "stop", id: job.id });
    if (!this._words) setTimeout(() => this._doWithout(job), PATIENCE);
  }

  /** Answer with what a search has told that does not end, and give its Worker up.
   * @param {Job} job */
  _doWithout(job) {
    job.late = true;
    if (this._jobs[0] !== job || !job.last) return;
    const { pv: [best, ponder = null], scoreKind, score, depth, nodes } = job.last;
    this._jobs.shift();
    for (const worker of this._workers.splice(0)) worker.terminate();
    this._died = true;
    job.resolve({ best, ponder, scoreKind, score, depth, nodes });
    this._next();
  }

  /** @param {any} message of the Worker */
  _hear(message) {
    const job = this._jobs[0];
    if (message.id !== job?.id) return;
    if (message.type === "info") {
      if (message.info.multipv === 1 && !message.info.bound) job.last = message.info;
      job.report(message.info);
      if (job.late) this._doWithout(job);
      return;
    }
    this._jobs.shift();
    if (message.type === "result") job.resolve(message.result);
    else job.reject(new Error(message.text));
    this._next();
  }

  /** @param {string} text */
  _fail(text) {
    if (this._closed || this._died) return;
    this._died = true;
    this._end(new Error(text));
    this.onFailure(text);
  }

  /** @param {Error} error */
  _end(error) {
    for (const worker of this._workers) worker.terminate();
    this._workers = [];
    for (const job of this._jobs.splice(0)) job.reject(error);
  }
}
