// An engine of the local server, at the other end of a socket, and the matches whose files the server was given.
//
// A lost connection is made again for as long as something is asked for, and a search that was under way is begun anew:
// the game goes on where it was. lab/board/messages.py and session.py have the other end of this conversation.

import { Queue } from "./queue.js";

/** @typedef {NonNullable<Index["server"]>} Server */
/** A game of a match. `book`: how many of the first moves are its opening; of what follows, one each for the moves after
 * the book: the die's throws in `dice`, `scores` as [kind, value, depth] from the mover's side, or 0, and `ms`.
 * @typedef {{number: number, variant: string, start: string, moves: string[], book: number, dice: number[],
 *   black: string, white: string, winner: 0 | 1 | null, reason: string, fault: string,
 *   scores: ([string, number, number] | 0)[], ms: number[]}} MatchGame */

const ROOT = new URL("../../", import.meta.url);
const SOONEST = 250, LATEST = 5000; // ms before a connection is tried again
/** @type {(keyof Options)[]} */
const OPTIONS = ["multipv", "drawValueBlack", "drawValueWhite", "maxMovesToDraw"];
/** @type {(keyof Limits)[]} */
const NUMBERS = ["btime", "wtime", "byoyomi", "binc", "winc", "movestogo", "movetime", "depth", "nodes", "dice"];

/** The limits as the server takes them: whole numbers, nothing else.
 * @param {Limits} limits */
function plainLimits(limits) {
  const numbers = NUMBERS.filter((name) => typeof limits[name] === "number" && Number.isFinite(limits[name]));
  const plain = numbers.map((name) => [name, Math.max(0, Math.round(/** @type {number} */ (limits[name])))]);
  return { ...Object.fromEntries(plain), infinite: Boolean(limits.infinite), searchmoves: limits.searchmoves ?? [] };
}

/** @param {Options} options */
const plainOptions = (options) => Object.fromEntries(
  OPTIONS.filter((name) => typeof options[name] === "number").map((name) => [name, options[name]]));

/** An engine of the server's for one game; a process of its own there. @implements {EngineLike} */
export class RemoteEngine extends Queue {
  /** @param {Server} server  @param {string} engineName  @param {string} variantName
   * @param {{threads?: number, hashMb?: number}} [settings] all threads and a large table where nothing is said */
  constructor(server, engineName, variantName, settings = {}) {
    super(engineName);
    /** Hears that the connection is lost, and with "" that it is there again.
     * @type {(text: string) => void} */
    this.onNotice = () => {};
    this._address = new URL(server.socket, ROOT);
    this._address.protocol = this._address.protocol.replace("http", "ws");
    this._opening = { do: "open", engine: engineName, variant: variantName, ...settings };
    /** @type {WebSocket | null} */
    this._socket = null;
    this._isReady = this._lost = false;
    this._wait = SOONEST;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this._timer = undefined;
    this.ready = new Promise((resolve, reject) => {
      this._resolveReady = resolve;
      this._rejectReady = reject;
    });
    this.ready.catch(() => {}); // onFailure has told
    this._connect();
  }

  /** As any engine does; a connection that has gone is made again.
   * @param {Parameters<Queue["search"]>} asked */
  search(...asked) {
    const answer = super.search(...asked);
    if (!this._closed && !this._socket && this._timer === undefined) this._connect();
    return answer;
  }

  /** End it for good; a search under way is rejected. */
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
    socket.onmessage = ({ data }) => this._socket === socket && this._hear(JSON.parse(data));
    socket.onclose = ({ reason }) => this._socket === socket && this._lose(reason);
  }

  /** The connection has gone: what was asked for is asked again as soon as there is a new one.
   * @param {string} reason */
  _lose(reason) {
    this._socket = null;
    this._isReady = false;
    if (this._closed) return;
    for (const job of this._jobs) job.begun = false;
    const [job] = this._jobs;
    if (!job) return; // the next search connects
    if (job.stopped && job.last) this._settleEarly(job.last);
    if (!this._lost) this.onNotice(reason || `no connection to ${this.name}`);
    this._lost = true;
    this._timer = setTimeout(() => this._connect(), this._wait);
    this._wait = Math.min(2 * this._wait, LATEST);
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
  _hear({ tell, id, text, ...rest }) {
    if (tell === "ready") this._begun();
    else if (tell === "failure") this._fail(text, id);
    else if (this._jobs[0]?.id === id) {
      if (tell === "info") this._take(rest);
      else this._settle(tell === "result" ? rest : null, text);
    }
  }

  _begun() {
    this._isReady = true;
    this._wait = SOONEST;
    this._resolveReady?.(undefined);
    if (this._lost) this.onNotice("");
    this._lost = this._forget = false;
    for (const job of this._jobs) job.forget = false; // it is as new
    this._next();
  }

  /** The engine has failed: the server starts it anew for the next search, if it had started at all.
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

/** The games of a match, as they stand in its file now. An Error, in one line, if it can't be read.
 * @param {Server} server  @param {string} name  @returns {Promise<{games: MatchGame[], of: number}>} `of`: how many
 *   games the file has, of which at most 5000 are told */
export async function readMatch(server, name) {
  const number = server.matches.indexOf(name);
  if (number < 0) throw new Error(`no match is called ${name}`);
  const response = await fetch(new URL(`matches/${number}`, ROOT), { cache: "no-store" });
  const found = await response.json();
  if (found.error) throw new Error(found.error);
  return found;
}
