// Engines of the local server, connected by WebSocket, and the server's match files. The server's side is in
// lab/board/messages.py and lab/board/session.py.
//
// A lost connection is re-established as long as there are unanswered searches, and the running search is sent again.

import { ROOT } from "./loader.js";
import { Queue } from "./queue.js";

/** @typedef {NonNullable<Index["server"]>} Server */
/** A game of a match. `book` is the number of opening moves. `dice`, `scores` and `ms` have one entry for each later
 * move: the die roll, the score [kind, value, depth] from the mover's side (0 for none), and the time.
 * @typedef {{number: number, variant: string, start: string, moves: string[], book: number, dice: number[],
 *   black: string, white: string, winner: 0 | 1 | null, reason: string, fault: string,
 *   scores: ([string, number, number] | 0)[], ms: number[]}} MatchGame */

const MIN_WAIT = 250, MAX_WAIT = 5000; // ms before reconnecting
/** @type {(keyof Options)[]} */
const OPTIONS = ["multipv", "drawValueBlack", "drawValueWhite", "maxMovesToDraw"];
/** @type {(keyof Limits)[]} */
const NUMBERS = ["btime", "wtime", "byoyomi", "binc", "winc", "movestogo", "movetime", "depth", "nodes", "dice"];

/** Return the limits in the server's format, with whole numbers only.
 * @param {Limits} limits */
function plainLimits(limits) {
  const numbers = NUMBERS.filter((name) => typeof limits[name] === "number" && Number.isFinite(limits[name]));
  const plain = numbers.map((name) => [name, Math.max(0, Math.round(/** @type {number} */ (limits[name])))]);
  return { ...Object.fromEntries(plain), infinite: Boolean(limits.infinite), searchmoves: limits.searchmoves ?? [] };
}

/** Return the options that the server knows.
 * @param {Options} options */
const plainOptions = (options) => Object.fromEntries(
  OPTIONS.filter((name) => typeof options[name] === "number").map((name) => [name, options[name]]));

/** An engine of the local server for one game, in its own process. @implements {EngineLike} */
export class RemoteEngine extends Queue {
  /** @param {Server} server  @param {string} engineName  @param {string} variantName
   * @param {{threads?: number, hashMb?: number}} [settings] by default all threads and a large table */
  constructor(server, engineName, variantName, settings = {}) {
    super(engineName);
    /** Called with a message if the connection is lost, and with "" when it is re-established.
     * @type {(text: string) => void} */
    this.onNotice = () => {};
    this._address = new URL(server.socket, ROOT);
    this._address.protocol = this._address.protocol.replace("http", "ws");
    this._opening = { do: "open", engine: engineName, variant: variantName, ...settings };
    /** @type {WebSocket | null} */
    this._socket = null;
    this._isReady = this._lost = false;
    this._wait = MIN_WAIT;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this._timer = undefined;
    this.ready = new Promise((resolve, reject) => {
      this._resolveReady = resolve;
      this._rejectReady = reject;
    });
    this.ready.catch(() => {}); // onFailure reports it
    this._connect();
  }

  /** Search, and reconnect first if the connection is lost.
   * @param {Parameters<Queue["search"]>} request */
  search(...request) {
    const answer = super.search(...request);
    if (!this._closed && !this._socket && this._timer === undefined) this._connect();
    return answer;
  }

  /** Close the engine and reject all searches. */
  close() {
    super.close();
    clearTimeout(this._timer);
    this._socket?.close();
  }

  _connect() {
    this._timer = undefined;
    const socket = new WebSocket(this._address);
    this._socket = socket;
    socket.onopen = () => this._say(this._opening);
    socket.onmessage = ({ data }) => this._socket === socket && this._handleMessage(JSON.parse(data));
    socket.onclose = ({ reason }) => this._socket === socket && this._lose(reason);
  }

  /** Handle the loss of the connection: reconnect if there are searches, which are then sent again.
   * @param {string} reason */
  _lose(reason) {
    this._socket = null;
    this._isReady = false;
    if (this._closed) return;
    for (const job of this._jobs) job.begun = false;
    const [job] = this._jobs;
    if (!job) return; // the next search reconnects
    if (job.stopped && job.last) this._settleEarly(job.last);
    if (!this._lost) this.onNotice(reason || `no connection to ${this.name}`);
    this._lost = true;
    this._timer = setTimeout(() => this._connect(), this._wait);
    this._wait = Math.min(2 * this._wait, MAX_WAIT);
  }

  /** Send the first search of the queue. */
  _next() {
    const [job] = this._jobs;
    if (!job || job.begun || !this._isReady) return;
    job.begun = true;
    const { id, game: { start, moves }, limits, options } = job;
    if (job.forget) this._say({ do: "newGame" });
    this._say({ do: "search", id, start, moves, limits: plainLimits(limits), options: plainOptions(options) });
    if (job.stopped) this._stop();
  }

  _stop() {
    this._say({ do: "stop" });
  }

  /** @param {object} message */
  _say(message) {
    if (this._socket?.readyState === WebSocket.OPEN) this._socket.send(JSON.stringify(message));
  }

  /** @param {any} message */
  _handleMessage({ tell, id, text, ...rest }) {
    if (tell === "ready") this._handleReady();
    else if (tell === "failure") this._fail(text, id);
    else if (this._jobs[0]?.id === id) {
      if (tell === "begun") this._jobs[0].onBegun();
      else if (tell === "info") this._report(rest);
      else this._settle(tell === "result" ? rest : null, text);
    }
  }

  _handleReady() {
    this._isReady = true;
    this._wait = MIN_WAIT;
    this._resolveReady?.(undefined);
    if (this._lost) this.onNotice("");
    this._lost = this._forget = false;
    for (const job of this._jobs) job.forget = false; // a new process has nothing to forget
    this._next();
  }

  /** Handle a failure of the engine. The server restarts it for the next search; `id` is null if it did not start.
   * @param {string} text  @param {number | null} id */
  _fail(text, id) {
    const error = new Error(text);
    if (id === null) {
      this._socket?.close();
      this._socket = null;
      this._isReady = false;
      this._rejectReady?.(error);
      this._end(error);
    } else if (this._jobs[0]?.id === id) {
      this._jobs.shift()?.reject(error);
    }
    this.onFailure(text);
    this._next();
  }
}

/** Load the games that a match file has so far. Throw an Error if the file cannot be read.
 * @param {Server} server  @param {string} name  @returns {Promise<{games: MatchGame[], of: number}>} at most
 *   5000 games, and the number of games in the file */
export async function readMatch(server, name) {
  const number = server.matches.indexOf(name);
  if (number < 0) throw new Error(`no match is called ${name}`);
  const response = await fetch(new URL(`matches/${number}`, ROOT), { cache: "no-store" });
  const found = await response.json();
  if (found.error) throw new Error(found.error);
  return found;
}
