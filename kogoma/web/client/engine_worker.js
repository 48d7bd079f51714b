// The main Worker, which searches at the request of engine.js.

import { Game } from "../engine/game.js";
import { Position } from "../engine/position.js";
import { Searcher } from "../engine/searcher.js";
import { Margin } from "../engine/time_margin.js";
import { CURRENT, Helpers, STOPPED } from "./helpers.js";

/** @type {Game} */
let game;
/** @type {Searcher} */
let searcher;
/** @type {SharedWords | null} */
let shared = null;
let current = 0; // id of the running search
let stopped = 0; // id of the last search that should stop
let onStop = () => {}; // called when the running search should stop
let done = Promise.resolve(); // resolves when all earlier requests are done

// The smallest time margin of a move in a game with a clock: this part of the time, but at most this many ms. On a busy
// machine, the Worker may wait for a processor at any moment, also before a delay was measured.
const MARGIN_SHARE = 0.2, MARGIN_MOST = 300;
const margin = new Margin(0);
const MESSAGE_INTERVAL = 20; // ms between checks for messages during a search without shared memory

let lastCheck = 0; // time of the last check for messages

/** The kernels' clock, which returns Infinity if the search should stop. */
const sharedClock = () => (shared && Atomics.load(shared.words, STOPPED) >= current ? Infinity : performance.now());

/** The kernels' clock if there is no shared memory. From time to time it suspends the search to receive messages.
 * @returns {number | Promise<number>} */
function suspendingClock() {
  const time = performance.now();
  if (stopped >= current) return Infinity;
  if (time < lastCheck + MESSAGE_INTERVAL) return time;
  lastCheck = time;
  return handleMessages().then(suspendingClock);
}

/** Load the game and create the searcher.
 * @param {{module: WebAssembly.Module, data: GameData, hashMb: number, suspends: boolean,
 *   memory: WebAssembly.Memory | null, shared: SharedWords | null}} start */
async function begin({ module, data, hashMb, suspends, memory, shared: words }) {
  shared = words;
  const { Suspending } = /** @type {any} */ (WebAssembly);
  const now = suspends ? new Suspending(suspendingClock) : sharedClock;
  const instance = await WebAssembly.instantiate(module, { env: memory ? { now, memory } : { now } });
  game = new Game(instance, data.description, data.struct, data.network, memory ?? undefined);
  searcher = new Searcher(game, hashMb, suspends, words?.count ? (table) => new Helpers(game, table, words) : null);
  postMessage({ type: "ready" });
}

const channel = new MessageChannel();
/** Return a promise that resolves when all pending messages have been handled: it waits for a message of its own, which
 * is queued after them. */
const handleMessages = () => new Promise((resolve) => {
  channel.port1.onmessage = resolve;
  channel.port2.postMessage(0);
});

/** Return the options of a search. If a game's clock limits it, the network delay becomes the time margin.
 * @param {Limits} limits  @param {Options} options  @param {number} turn  @returns {Options} */
function withMargin(limits, options, turn) {
  const { btime = 0, wtime = 0, byoyomi = 0, infinite, movetime } = limits;
  if (infinite || movetime !== undefined) return options;
  const time = (turn ? wtime : btime) + byoyomi, { networkDelay = game.constants.NETWORK_DELAY } = options.clock ?? {};
  const least = Math.max(networkDelay, Math.min(MARGIN_SHARE * time, MARGIN_MOST));
  return { ...options, clock: { ...options.clock, networkDelay: margin.of(time, least) } };
}

/** Search, and post reports and the result.
 * @param {{id: number, game: Played, limits: Limits, options: Options, started: number}} request */
async function search({ id, game: played, limits, options, started }) {
  const position = new Position(game, played.start || undefined);
  try {
    for (const move of played.moves) position.push(move);
    current = id;
    lastCheck = performance.now();
    if (shared) Atomics.store(shared.words, CURRENT, id);
    /** @param {Info} info */
    const report = (info) => postMessage({ type: "info", id, info });
    const since = started - performance.timeOrigin;
    const steps = searcher.steps(position, limits, withMargin(limits, options, position.turn), report, since);
    let step = steps.next();
    while (!step.done) step = steps.next(await step.value);
    // An infinite search that has finished all depths answers only after `stop`.
    if (limits.infinite && stopped < id) await new Promise((resolve) => { onStop = () => resolve(null); });
    const elapsed = performance.now() - since;
    if (searcher.maximum !== null) margin.note(elapsed - searcher.maximum);
    postMessage({ type: "result", id, result: { ...step.value, elapsed } });
  } finally {
    position.release();
  }
}

/** Post an error: "refused" for a plain Error (the request is invalid), "crashed" for any other error.
 * @param {number} id  @param {any} error */
function postError(id, error) {
  const text = error.constructor === Error ? error.message : `the engine has failed: ${error}`;
  postMessage({ type: error.constructor === Error ? "refused" : "crashed", id, text });
}

onmessage = ({ data: message }) => {
  if (message.type === "stop") {
    stopped = Math.max(stopped, message.id);
    if (stopped >= current) onStop();
    return;
  }
  done = done.then(async () => {
    try {
      if (message.type === "start") await begin(message);
      else if (message.type === "newGame") searcher.newGame();
      else await search(message);
    } catch (error) {
      postError(message.id, error);
    }
  });
};
