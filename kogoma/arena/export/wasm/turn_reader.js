// A reader of CodinGame turns that reports and skips missing or garbled lines: the counterpart of
// arena/codingame/turn_reader.py, which explains the method.

import { clip } from "./lines.js";

/** @typedef {import("./lines.js").Line} Line */
/** @typedef {import("./lines.js").LineReader} LineReader */
/** @typedef {[name: string, pattern: string]} FieldText */
/** @typedef {{name: string, fits: (line: Line) => boolean}} Field */
/** @typedef {{at: number, once: (string | null)[], each: (string | null)[], actions: string[], complete: boolean}}
 *   RawTurn the lines of one turn, null for unreadable ones; `at`: arrival time of the first */

const QUIET = 20; // ms without input that end a list of unknown length

/** Thrown when the rest of a turn is missing. */
class Cut extends Error {}

/** @param {FieldText} text  @returns {Field} */
function fieldOf([name, pattern]) {
  const whole = new RegExp(`^(?:${pattern})$`);
  return { name, fits: (line) => whole.test(line.text) };
}

/** A reader of the turns of one or more games. The lines that are sent once per game start a new one. */
export class TurnReader {
  /** @param {{once: FieldText[], each: FieldText[], action: FieldText, count: FieldText}} form
   * @param {LineReader} lines  @param {(text: string) => void} complain */
  constructor(form, lines, complain) {
    this._once = form.once.map(fieldOf);
    this._each = form.each.map(fieldOf);
    this._action = fieldOf(form.action);
    this._count = fieldOf(form.count);
    this._lines = lines;
    this._complain = complain;
    /** @type {RawTurn} */
    this._turn = { at: 0, once: [], each: [], actions: [], complete: true };
    /** @type {number | null} */
    this._until = null;
    this._hasRead = false; // whether a turn has been read
  }

  /** Return the next turn; null at the end of input. `patience(first)` is the time limit in ms after the first line,
   * null for no limit. After this time, the reader stops waiting for missing lines, provided that the lines so far
   * suffice to find a move.
   * @param {(first: boolean) => number | null} patience  @returns {Promise<RawTurn | null>} */
  async read(patience) {
    const start = await this._findStart();
    if (start === null) return null;
    const first = !this._hasRead || this._once[0].fits(start);
    this._hasRead = true;
    const time = patience(first);
    this._until = time === null ? null : start.at + time;
    const once = first ? this._once : [], fields = [...once, ...this._each, this._count];
    /** @type {RawTurn} */
    const turn = {
      at: start.at, once: once.map(() => null), each: this._each.map(() => null), actions: [], complete: true,
    };
    this._turn = turn;
    try {
      for (let index = 0; index < once.length; index++) turn.once[index] = await this._readField(fields, index);
      for (let index = 0; index < this._each.length; index++) {
        turn.each[index] = await this._readField(fields, once.length + index);
      }
      await this._readActions(await this._readField(fields, fields.length - 1));
    } catch (error) {
      if (!(error instanceof Cut)) throw error;
      this._reportError(error.message);
    }
    return turn;
  }

  /** Skip the remaining lines of an earlier turn. Return the first line of the next turn without consuming it.
   * @returns {Promise<Line | null>} */
  async _findStart() {
    const starts = [this._once[0], this._each[0]], others = [this._count, this._action, ...this._each];
    /** @type {Line[]} */
    const skipped = [];
    let line;
    while ((line = await this._next()) !== null) {
      const shown = line;
      if (starts.some((one) => one.fits(shown)) || !others.some((one) => one.fits(shown))) break;
      skipped.push(shown);
      this._lines.take();
    }
    if (skipped.length) this._unexpected(skipped[0], starts[1].name);
    if (skipped.length > 1) {
      this._complain(`lines ${skipped[1].number} to ${skipped[skipped.length - 1].number} are skipped`);
    }
    return line;
  }

  /** Return the next line that is not blank without consuming it; otherwise like `LineReader.peek`.
   * @param {number | null} [until]  @returns {Promise<Line | null>} */
  async _next(until = null) {
    let line;
    while ((line = await this._lines.peek(until)) !== null && !line.text) this._lines.take();
    return line;
  }

  /** Return the next line of this turn without consuming it; throw Cut if there is none. `name` describes the expected
   * line in messages.
   * @param {string} name  @returns {Promise<Line>} */
  async _peek(name) {
    let line = await this._next(this._until);
    const playable = this._turn.actions.length > 0 || !this._turn.each.includes(null);
    if (line === null && !playable) line = await this._next();
    if (line === null) {
      const why = this._lines.ended ? "the input ends" : "no more lines arrive";
      throw new Cut(`line ${this._lines.number + 1}: ${why}, but ${name} is missing`);
    }
    return line;
  }

  /** Consume and return the line of a field, after skipping lines of earlier fields; null if it is missing or garbled.
   * @param {Field[]} fields  @param {number} index  @returns {Promise<string | null>} */
  async _readField(fields, index) {
    const wanted = fields[index];
    for (;;) {
      const line = await this._peek(wanted.name);
      if (wanted.fits(line)) return this._lines.take().text;
      this._unexpected(line, wanted.name);
      if ([...fields.slice(index + 1), this._action].some((one) => one.fits(line))) return null;
      this._lines.take();
      if (!fields.slice(0, index).some((one) => one.fits(line))) return null;
    }
  }

  /** Read `count` actions, and further ones that have already arrived. If `count` is null, read until no line arrives
   * for QUIET ms.
   * @param {string | null} count  @returns {Promise<void>} */
  async _readActions(count) {
    const wanted = count === null ? 0 : Number(count), { actions } = this._turn;
    for (let number = 1; number <= wanted; number++) {
      const name = `legal action ${number} of ${wanted}`, line = await this._peek(name);
      if (this._action.fits(line)) actions.push(line.text);
      else {
        this._unexpected(line, name);
        if (this._each[0].fits(line)) return; // the next turn
      }
      this._lines.take();
    }
    const pause = count === null ? QUIET : 0;
    let further;
    while ((further = await this._next(performance.now() + pause)) !== null && this._action.fits(further)) {
      if (count !== null) this._reportError(`line ${further.number}: more legal actions than the ${wanted} announced`);
      actions.push(this._lines.take().text);
    }
    if (count === null && further !== null && this._count.fits(further)) {
      actions.length = 0; // the lines before the count were not actions
      await this._readActions(this._lines.take().text);
    }
  }

  /** @param {Line} line  @param {string} name */
  _unexpected(line, name) {
    this._reportError(`line ${line.number}: expected ${name}, not ${clip(line.text)}`);
  }

  /** @param {string} text */
  _reportError(text) {
    this._turn.complete = false;
    this._complain(text);
  }
}
