// A helper thread: a Worker that shares the kernels' memory with engine_worker.js and is controlled by shared words
// (helpers.js).

import { IMPORTS } from "../engine/game.js";
import {
  BUSY, GAME, IDLE, MAIN_THREAD, POSITION, STACK, STATE, THREAD, WORDS,
} from "./helpers.js";

/** Help in searches, in an endless loop.
 * @param {{module: WebAssembly.Module, memory: WebAssembly.Memory, words: Int32Array, number: number}} start */
async function help({ module, memory, words, number }) {
  const first = WORDS * (number + 1);
  /** @param {number} word */
  const read = (word) => Atomics.load(words, first + word);
  // The main thread stops its helpers.
  const { exports } = await WebAssembly.instantiate(module, { env: { ...IMPORTS.env, memory } });
  const { kogoma_help_root, __stack_pointer } = /** @type {any} */ (exports);
  Atomics.store(words, first + STATE, IDLE);
  for (;;) {
    Atomics.wait(words, first + STATE, IDLE);
    __stack_pointer.value = read(STACK);
    kogoma_help_root(read(GAME), read(POSITION), read(THREAD), read(MAIN_THREAD));
    Atomics.compareExchange(words, first + STATE, BUSY, IDLE);
    Atomics.notify(words, first + STATE);
  }
}

onmessage = ({ data }) => {
  help(data).catch((error) => setTimeout(() => { throw error; })); // reported by the Worker's onerror
};
