// How long this thread waits for a processor.

import { readFileSync } from "node:fs";

/** Return how long this thread has waited for a processor so far, in ms, and how often; zeros if unknown.
 * @returns {number[]} */
export function processorWaits() {
  try {
    const [, waited, times] = readFileSync("/proc/thread-self/schedstat").toString().split(" ").map(Number);
    return [waited / 1e6, times];
  } catch {
    return [0, 0];
  }
}
