// A Worker that searches along with the one of engine_worker.js, in the same memory; words tell it when, and with what.

import {
  BUSY, CURRENT, IDLE, LEADER, POSITION, RULES, STACK, STATE, STOPPED, THREAD, WEIGHTS, WORDS,
} from "./helpers.js";

/** @param {{module: WebAssembly.Module, memory: WebAssembly.Memory, words: Int32Array, number: number}} start */
async function help({ module, memory, words, number }) {
  const first = WORDS * (number + 1);
  /** @param {number} word */
  const told = (word) => Atomics.load(words, first + word);
  const now = () => (Atomics.load(words, STOPPED) >= Atomics.load(words, CURRENT) ? Infinity : performance.now());
  const { exports } = await WebAssembly.instantiate(module, { env: { now, memory } });
  const { kogoma_help_root, __stack_pointer } = /** @type {any} */ (exports);
  Atomics.store(words, first + STATE, IDLE);
  for (;;) {
    Atomics.wait(words, first + STATE, IDLE);
    __stack_pointer.value = told(STACK);
    kogoma_help_root(told(RULES), told(WEIGHTS), told(POSITION), told(THREAD), told(LEADER));
    Atomics.compareExchange(words, first + STATE, BUSY, IDLE);
    Atomics.notify(words, first + STATE);
  }
}

onmessage = ({ data }) => {
  help(data).catch((error) => setTimeout(() => { throw error; })); // the page hears of it
};
