// Standard input as numbered lines with their arrival times: the counterpart of console/lines.py.

import { clipped, quoted, stripped } from "../../../web/engine/text.js";

/** @typedef {{text: string, number: number, at: number}} Line a line; `at`: its arrival time (performance.now()) */

const LONGEST_LINE = 1 << 20; // bytes; the content of longer lines is discarded
const MAX_QUOTED = 60; // characters of input that a message repeats

/** A reader of the lines of a stream. */
export class LineReader {
  /** @param {Input} stream */
  constructor(stream) {
    /** @type {(Line | null)[]} */
    this._lines = [];
    this._kept = Buffer.alloc(0); // the incomplete last line
    this._dropped = 0; // number of its discarded bytes
    this._read = 0; // number of lines so far
    /** @type {(() => void) | null} */
    this._wake = null;
    this.ended = false;
    this.number = 0; // of the line last returned by take()
    stream.on("data", (data) => this._take(data, performance.now()));
    stream.on("end", () => this._end());
    stream.on("error", () => this._end());
  }

  /** Return the next line without consuming it; null at the end of input (`ended`), or if none arrives by `until`.
   * @param {number | null} [until]  @returns {Promise<Line | null>} */
  async peek(until = null) {
    while (!this._lines.length && !this.ended) {
      if (until !== null && performance.now() >= until) {
        // Process pending input events first: a line may have arrived before `until`.
        await new Promise((resolve) => setImmediate(resolve));
        if (!this._lines.length) return null;
        break;
      }
      await new Promise((resolve) => {
        const timer = until === null ? null : setTimeout(resolve, Math.max(until - performance.now(), 0));
        this._wake = () => {
          if (timer) clearTimeout(timer);
          resolve(null);
        };
      });
      this._wake = null;
    }
    if (this._lines[0] === null) this.ended = true;
    return this._lines[0] ?? null;
  }

  /** Consume and return the line that peek() has returned.
   * @returns {Line} */
  take() {
    const line = /** @type {Line} */ (this._lines.shift());
    this.number = line.number;
    return line;
  }

  /** @param {Buffer} data  @param {number} now */
  _take(data, now) {
    let start = 0;
    for (let end = data.indexOf(10); end >= 0; end = data.indexOf(10, start)) {
      this._keep(data.subarray(start, end));
      this._put(now);
      start = end + 1;
    }
    this._keep(data.subarray(start));
    if (this._kept.length > LONGEST_LINE) {
      this._dropped += this._kept.length;
      this._kept = Buffer.alloc(0);
    }
    this._wake?.();
  }

  /** @param {Buffer} data */
  _keep(data) {
    this._kept = Buffer.concat([this._kept, data]);
  }

  /** @param {number} now */
  _put(now) {
    const length = this._dropped + this._kept.length;
    const text = length <= LONGEST_LINE ? stripped(this._kept.toString("utf8")) : `(a line of ${length} bytes)`;
    this._read += 1;
    this._lines.push({ text, number: this._read, at: now });
    this._kept = Buffer.alloc(0);
    this._dropped = 0;
  }

  _end() {
    if (this._kept.length || this._dropped) this._put(performance.now());
    this._lines.push(null);
    this._wake?.();
  }
}

/** Return input text for a message: its first MAX_QUOTED characters in quotes, escaped to printable ASCII.
 * @param {string} text  @returns {string} */
export function clip(text) {
  const start = clipped(text, MAX_QUOTED);
  return quoted(start === text ? text : `${start}...`, true);
}
