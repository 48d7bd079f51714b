// A Worker that runs the mate solver at the request of mates.js.

import { Game } from "../engine/game.js";
import { MateSolver } from "../engine/mate_solver.js";
import { Position } from "../engine/position.js";

const REPORT_INTERVAL = 200; // ms between two reports of the progress

/** @type {Game} */
let game;
/** @type {MateSolver} */
let solver;
let id = 0; // of the current request
let reported = 0; // time of the last report

/** The kernels' clock, which also reports the progress. */
function now() {
  const time = performance.now();
  if (time > reported + REPORT_INTERVAL) {
    reported = time;
    postMessage({ type: "progress", id, nodes: solver.nodes });
  }
  return time;
}

/** Load the game and create the solver.
 * @param {{module: WebAssembly.Module, data: GameData, mate: MateData, hashMb: number}} start */
async function begin({ module, data: { description, struct }, mate, hashMb }) {
  const instance = await WebAssembly.instantiate(module, { env: { now } });
  const structs = { ...description.structs, ...mate.description.structs };
  game = new Game(instance, { ...description, structs }, struct, new Uint8Array());
  solver = new MateSolver(game, mate, hashMb);
}

/** @param {{game: Played, ms: number, number: number, proof: Proof | null, plies: number}} request with a `proof`, for
 *   the defences, else for a mate */
function answer({ game: played, ms, number, proof, plies }) {
  const position = new Position(game, played.start || undefined), limits = { until: performance.now() + ms };
  try {
    for (const move of played.moves) position.push(move);
    if (proof) return solver.defences(position, proof, plies, limits);
    return solver.solve(position, number, limits, (found) => postMessage({ type: "found", id, found }));
  } finally {
    position.release();
  }
}

let done = Promise.resolve(); // resolves when all earlier requests are done

onmessage = ({ data: message }) => {
  done = done.then(async () => {
    try {
      if (message.type === "start") return await begin(message);
      id = message.id;
      reported = performance.now();
      postMessage({ type: "answer", id, found: answer(message) });
    } catch (error) {
      postMessage({ type: "failed", id, text: String(/** @type {any} */ (error).message ?? error) });
    }
  });
};
