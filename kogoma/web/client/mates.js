// The mate solver in a Web Worker, which answers one request at a time.

import { fetchFile, loadData, loadModule, loadPacked } from "./loader.js";

/** @typedef {{resolve: (found: any) => void, reject: (error: Error) => void, progress: (nodes: number) => void,
 *   found: (answer: MateAnswer) => void}} Asked */

/** The mate solver for one game. */
export class Mates {
  /** @param {Index} index  @param {string} name of the game  @param {number} hashMb */
  constructor(index, name, hashMb) {
    this._index = index;
    this._name = name;
    this._hashMb = hashMb;
    this._number = 0; // of searches for mates
    this._id = 0;
    /** @type {globalThis.Worker | null} */
    this._worker = null;
    /** The request that is being answered.
     * @type {Asked | null} */
    this._asked = null;
  }

  /** Search for a forced mate by the side to move, for at most `ms` milliseconds.
   * @param {Played} game  @param {number} ms  @param {(nodes: number) => void} progress
   * @param {(answer: MateAnswer) => void} found called with mates that may not be the shortest
   * @returns {Promise<MateAnswer | null>} null if the search was stopped */
  solve(game, ms, progress, found) {
    return this._ask({ game, ms, number: ++this._number, proof: null }, { progress, found });
  }

  /** Find the mate after each move of the defender, who is to move; the attacker mates within `plies` plies.
   * @param {Played} game  @param {Proof} proof  @param {number} plies  @param {number} ms
   * @param {(nodes: number) => void} progress  @returns {Promise<Defence[] | null>} null if the search was stopped */
  defences(game, proof, plies, ms, progress) {
    return this._ask({ game, ms, proof, plies }, { progress, found: () => {} });
  }

  /** Stop the request that is being answered, with its Worker: what the table holds is lost. */
  stop() {
    this._worker?.terminate();
    this._worker = null;
    this._asked?.resolve(null);
    this._asked = null;
  }

  /** Answer a request in place of the earlier one.
   * @param {object} request  @param {Pick<Asked, "progress" | "found">} told  @returns {Promise<any>} */
  async _ask(request, told) {
    if (this._asked) this.stop();
    const id = ++this._id;
    const answer = new Promise((resolve, reject) => { this._asked = { resolve, reject, ...told }; });
    const start = this._worker ? null : this._load();
    start?.catch((error) => this._fail(id, error.message));
    const loaded = await start?.catch(() => null);
    if (id === this._id && this._asked) {
      if (loaded) this._start(loaded);
      this._worker?.postMessage({ ...request, id });
    }
    return answer;
  }

  /** Load the files of the solver. */
  async _load() {
    const index = this._index, mates = await (await fetchFile("games/mates.json", index.base)).json();
    const { kernels, data } = mates[this._name];
    const loads = /** @type {const} */ ([loadModule(index, kernels), loadData(index, this._name), loadPacked(index, data)]);
    return Promise.all(loads);
  }

  /** @param {[WebAssembly.Module, GameData, GameData]} loaded */
  _start([module, data, mate]) {
    const worker = new globalThis.Worker(new URL("mate_worker.js", import.meta.url), { type: "module" });
    worker.onerror = (event) => {
      event.preventDefault();
      this._fail(this._id, event.message || "mate_worker.js could not be loaded");
    };
    worker.onmessage = ({ data: { type, id, nodes, found, text } }) => {
      if (worker !== this._worker || id !== this._id) return;
      if (type === "progress") this._asked?.progress(nodes);
      else if (type === "found") this._asked?.found(found);
      else if (type === "failed") this._fail(id, text);
      else {
        this._asked?.resolve(found);
        this._asked = null;
      }
    };
    worker.postMessage({ type: "start", module, data, mate, hashMb: this._hashMb });
    this._worker = worker;
  }

  /** @param {number} id  @param {string} text */
  _fail(id, text) {
    if (id !== this._id) return;
    this._asked?.reject(new Error(text));
    this._asked = null;
    this.stop();
  }
}
