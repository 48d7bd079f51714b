// The engine in Web Workers, which searches one position at a time.

import { CURRENT, STOPPED, WORDS } from "./helpers.js";
import { entryOf, loadData, loadKernels } from "./loader.js";
import { Queue } from "./queue.js";

const PAGE = 1 << 16; // bytes by which a memory grows
const EXTRA = 192 << 20; // bytes of memory allowed besides the transposition table, without helpers
const PATIENCE = 150; // ms after which a search that does not receive `stop` is terminated

/** Return the number of useful threads: more than one only if the page is cross-origin isolated. */
export const mostThreads = () => (globalThis.crossOriginIsolated ? navigator.hardwareConcurrency || 1 : 1);

/** Kogoma for one game. @implements {EngineLike} */
export class Engine extends Queue {
  /** @param {Index} index  @param {string} name of the game  @param {{threads?: number, hashMb?: number}} [settings] */
  constructor(index, name, settings = {}) {
    super(`Kogoma ${index.version}`);
    const { threads = 1, hashMb = 16 } = settings;
    this._index = index;
    this._game = entryOf(index, name);
    this._hashMb = hashMb;
    const maxThreads = this._game.die === "none" ? mostThreads() : 1;
    this._helpers = Math.max(1, Math.min(threads, maxThreads)) - 1;
    /** @type {globalThis.Worker[]} the main Worker, and its helpers */
    this._workers = [];
    /** @type {Int32Array | null} memory shared by all Workers, if the page is isolated */
    this._words = null;
    this._died = false;
    this.ready = this._start();
    this.ready.catch(() => {}); // onFailure reports the error
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

  /** @param {WebAssembly.Module} module  @param {GameData} data  @param {boolean} shared
   * @returns {Promise<void>} */
  _startWorkers(module, data, shared) {
    const count = shared ? this._helpers : 0, bytes = (this._hashMb << 20) + EXTRA + count * (48 << 20);
    const pages = Math.ceil(bytes / PAGE);
    const memory = shared ? new WebAssembly.Memory({ initial: 64, maximum: pages, shared: true }) : null;
    this._words = shared ? new Int32Array(new SharedArrayBuffer(4 * WORDS * (count + 1))) : null;
    // Waiting searches are not stopped: STOPPED is the id before the first of them.
    const lastId = (this._jobs[0]?.id ?? this._id + 1) - 1;
    if (this._words) this._words[STOPPED] = this._words[CURRENT] = lastId;
    const words = this._words && { words: this._words, count };
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
        else this._handleMessage(message);
      };
      main.postMessage({ type: "start", module, data, hashMb: this._hashMb, suspends, memory, shared: words });
      helpers.forEach((helper, number) => helper.postMessage({ module, memory, words: this._words, number }));
    });
  }

  /** Begin the first search of the queue, with new Workers if the old ones were terminated. */
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
      const [main] = this._workers, { id, game, limits, options } = job;
      if (job.forget) main.postMessage({ type: "newGame" });
      const started = performance.timeOrigin + performance.now();
      main.postMessage({ type: "search", id, game, limits, options, started });
      job.onBegun();
      if (job.stopped) this._stop(job);
    }).catch(() => {});
  }

  /** @param {Job} job */
  _stop(job) {
    if (this._words) Atomics.store(this._words, STOPPED, job.id);
    this._workers[0].postMessage({ type: "stop", id: job.id });
    if (!this._words) setTimeout(() => this._terminate(job), PATIENCE);
  }

  /** Resolve a stopped search that is still running with its last report, and terminate the Workers. If there is no
   * report yet, wait for the first.
   * @param {Job} job */
  _terminate(job) {
    job.late = true;
    if (this._jobs[0] !== job || !job.last) return;
    for (const worker of this._workers.splice(0)) worker.terminate();
    this._died = true;
    this._settleEarly(job.last);
  }

  /** Handle a message of the main Worker.
   * @param {any} message */
  _handleMessage(message) {
    const job = this._jobs[0];
    if (message.id !== job?.id) return;
    if (message.type !== "info") {
      this._settle(message.type === "result" ? message.result : null, message.text);
      return;
    }
    this._report(message.info);
    if (job.late) this._terminate(job);
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
    for (const worker of this._workers.splice(0)) worker.terminate();
    super._end(error);
  }
}
