// A reader of CodinGame turns that reports and skips missing or garbled lines: the counterpart of
// arena/codingame/turn_reader.py, which explains the method.

import { clip } from "./lines.js";

/** @typedef {import("./lines.js").Line} Line */
/** @typedef {import("./lines.js").LineReader} LineReader */
/** @typedef {[name: string, pattern: string]} FieldText */
/** @typedef {{name: string, pattern: string, fits: (line: Line) => boolean,
 *   matches: (text: string) => boolean}} Field */
/** @typedef {{at: number, once: (string | null)[], each: (string | null)[], actions: string[], complete: boolean}}
 *   RawTurn the lines of one turn, null for unreadable ones; `at`: arrival time of the first */

const QUIET = 20; // ms without input that end a list of unknown length

/** Thrown when the rest of a turn is missing. */
class Cut extends Error {}

/** @param {FieldText} text  @returns {Field} */
function fieldOf([name, pattern]) {
  const whole = new RegExp(`^(?:${pattern})$`);
  return { name, pattern, fits: (line) => whole.test(line.text), matches: (text) => whole.test(text) };
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
    this._garbled = 0; // number of garbled lines before the turn
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
      at: start.at, once: once.map(() => null), each: this._each.map(() => null), actions: [],
      complete: !this._garbled,
    };
    this._turn = turn;
    try {
      await this._readFields(fields, 0, turn.once);
      await this._readFields(fields, once.length, turn.each);
      /** @type {(string | null)[]} */
      const count = [null];
      await this._readFields(fields, fields.length - 1, count);
      await this._readActions(count[0]);
    } catch (error) {
      if (!(error instanceof Cut)) throw error;
      this._reportError(error.message);
    }
    return turn;
  }

  /** Skip the remaining lines of an earlier turn, and count the garbled lines after them in `_garbled`. Return the first
   * line of the next turn without consuming it, null at the end of input.
   * @returns {Promise<Line | null>} */
  async _findStart() {
    const starts = [this._once[0], this._each[0]], others = [this._count, this._action, ...this._each];
    /** @type {Line[]} */
    const skipped = [];
    let line;
    this._garbled = 0;
    while ((line = await this._next()) !== null) {
      const shown = line;
      if (starts.some((one) => one.fits(shown))) break;
      const garbled = !others.some((one) => one.fits(shown));
      if (this._garbled && !garbled) break;
      this._garbled += Number(garbled);
      skipped.push(shown);
      this._lines.take();
    }
    if (skipped.length) this._unexpected(skipped[0], starts[Number(this._hasRead)].name);
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

  /** Consume the lines of the fields from `start` on, and write them into `texts`, one per field.
   * @param {Field[]} fields  @param {number} start  @param {(string | null)[]} texts */
  async _readFields(fields, start, texts) {
    for (let index = 0, end; index < texts.length; index = end) {
      const { pattern } = fields[start + index];
      for (end = index + 1; end < texts.length && fields[start + end].pattern === pattern;) end++;
      const found = await this._readGroup(fields, start + index, end - index);
      texts.splice(index, end - index, ...found);
    }
  }

  /** Consume and return the lines of `size` fields with the same pattern. A garbled line is null if a line is missing
   * without it. If the lines are too few or too many, it is unknown which ones are right: all are null.
   * @param {Field[]} fields  @param {number} index  @param {number} size  @returns {Promise<(string | null)[]>} */
  async _readGroup(fields, index, size) {
    const wanted = fields[index], later = [...fields.slice(index + size), this._action];
    /** @type {(string | null)[]} */
    const found = Array(this._garbled).fill(null);
    let valid;
    this._garbled = 0;
    for (;;) {
      valid = found.filter((text) => text !== null);
      const { name } = fields[index + Math.min(found.length, size - 1)], full = found.length >= size;
      let line;
      if (valid.length < size) {
        line = await this._peek(name);
      } else {
        if (later.length === 1) return valid.slice(0, size);
        line = await this._next(this._until);
        if (line === null) {
          // Without the line that ends this group, legal actions look like its lines.
          for (const text of valid.slice(size)) {
            if (text !== null && this._action.matches(text)) this._turn.actions.push(text);
          }
          return valid.slice(0, size);
        }
      }
      const shown = line;
      if (wanted.fits(shown) && !(full && later[0].fits(shown))) {
        if (full && valid.length >= size) this._unexpected(shown, later[0].name);
        found.push(this._lines.take().text);
        continue;
      }
      if (valid.length >= size) break;
      if (later.some((one) => one.fits(shown))) {
        if (!full) this._unexpected(shown, name);
        break;
      }
      this._unexpected(shown, name);
      if (!fields.slice(0, index).some((one) => one.fits(shown))) found.push(null);
      this._lines.take();
    }
    if (valid.length === size || (valid.length > size && new Set(valid).size === 1)) return valid.slice(0, size);
    return found.length === size ? found : Array(size).fill(null);
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
