// The Worker that searches: told what to do by engine.js.

import { Game } from "../engine/game.js";
import { Position } from "../engine/position.js";
import { Searcher } from "../engine/searcher.js";
import { CURRENT, Helpers, STOPPED } from "./helpers.js";

/** @type {Game} */
let game;
/** @type {Searcher} */
let searcher;
/** @type {Crew | null} */
let crew = null;
let current = 0; // number of the search under way
let stopped = 0; // and of the last one that is to stop
let heard = () => {}; // called when a search is to stop
let done = Promise.resolve(); // what was asked for before

const BREATH = 20; // ms after which a search lets messages in, where no shared word can stop it

let breathed = 0; // when it did last

/** The kernels' clock: it jumps to the end of all time when the search is to stop. */
const stopTime = () => (crew && Atomics.load(crew.words, STOPPED) >= current ? Infinity : performance.now());

/** The same, where messages alone can stop a search: it waits for them from time to time.
 * @returns {number | Promise<number>} */
function breathingTime() {
  const time = performance.now();
  if (stopped >= current) return Infinity;
  if (time < breathed + BREATH) return time;
  breathed = time;
  return breathe().then(breathingTime);
}

/** @param {{module: WebAssembly.Module, data: GameData, hashMb: number, suspends: boolean,
 *   memory: WebAssembly.Memory | null, crew: Crew | null}} start */
async function begin({ module, data, hashMb, suspends, memory, crew: others }) {
  crew = others;
  const { Suspending } = /** @type {any} */ (WebAssembly);
  const now = suspends ? new Suspending(breathingTime) : stopTime;
  const instance = await WebAssembly.instantiate(module, { env: memory ? { now, memory } : { now } });
  game = new Game(instance, data.description, data.rules, data.weights, data.tables, memory ?? undefined);
  const helped = crew?.count ? crew : null;
  searcher = new Searcher(game, hashMb, suspends, helped && ((table) => new Helpers(game, table, helped)));
  postMessage({ type: "ready" });
}

// Messages that wait are handled before this one.
const channel = new MessageChannel();
const breathe = () => new Promise((resolve) => {
  channel.port1.onmessage = resolve;
  channel.port2.postMessage(0);
});

/** @param {{id: number, game: Played, limits: Limits,
 *   options: Options, started: number}} asked */
async function search({ id, game: played, limits, options, started }) {
  const position = new Position(game, played.start || undefined);
  try {
    for (const move of played.moves) position.push(move);
    current = id;
    breathed = performance.now();
    if (crew) Atomics.store(crew.words, CURRENT, id);
    /** @param {Info} info */
    const report = (info) => postMessage({ type: "info", id, info });
    const steps = searcher.steps(position, limits, options, report, started - performance.timeOrigin);
    let step = steps.next();
    while (!step.done) step = steps.next(await step.value);
    // All depths may be done; an endless search answers when it is told to.
    if (limits.infinite && stopped < id) await new Promise((resolve) => { heard = () => resolve(null); });
    postMessage({ type: "result", id, result: step.value });
  } finally {
    position.release();
  }
}

/** @param {number} id  @param {any} error */
function tell(id, error) {
  // What is asked for may be impossible, as a plain Error says; everything else is a fault of the engine.
  const text = error.constructor === Error ? error.message : `the engine has failed: ${error}`;
  postMessage({ type: error.constructor === Error ? "refused" : "crashed", id, text });
}

onmessage = ({ data: message }) => {
  if (message.type === "stop") {
    stopped = Math.max(stopped, message.id);
    if (stopped >= current) heard();
    return;
  }
  done = done.then(async () => {
    try {
      if (message.type === "start") await begin(message);
      else if (message.type === "newGame") searcher.newGame();
      else await search(message);
    } catch (error) {
      tell(message.id, error);
    }
  });
};
