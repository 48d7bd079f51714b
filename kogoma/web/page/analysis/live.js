// Live analysis: an engine searches the shown position until another is shown.

import { pause } from "../elements.js";

/** @typedef {{key: string, node: GameNode, game: Played, dice: number | null,
 *   lines: number}} Task a position to search, identified by `key` */
/** @typedef {{engine: () => EngineLike, heard: (task: Task) => void, left: (task: Task, result: Result) => void,
 *   failed: (text: string) => void}} Callbacks callbacks: `engine` returns the engine, `heard` is called after each
 *   report, `left` with the result of an ended search, `failed` with the message of an error */

// A search begins this many ms after the last request, so that stepping through a game starts no searches.
const QUIET = 80;

/** Store a report at its rank. If another line begins with the same move, that line is replaced by the one that had
 * this rank, so that no move begins two lines.
 * @param {Info[]} lines  @param {Info} info */
function takeLine(lines, info) {
  const place = info.multipv - 1;
  const before = lines.findIndex((line, index) => index !== place && line?.pv[0] === info.pv[0]);
  if (before >= 0 && lines[place]) lines[before] = lines[place];
  lines[place] = info;
}

export class Live {
  /** @param {Callbacks} told */
  constructor(told) {
    this._callbacks = told;
    /** The current or next task.
     * @type {Task | null} */
    this.task = null;
    /** The newest report of each line, best first.
     * @type {Info[]} */
    this.lines = [];
    /** @type {EngineLike | null} */
    this._searching = null;
    this._runs = false;
  }

  /** Search this task instead of the current one; null stops.
   * @param {Task | null} task */
  ask(task) {
    if (task?.key === this.task?.key) return;
    this.task = task;
    this.lines = [];
    this._searching?.stop();
    if (task && !this._runs) void this._run();
  }

  /** Search the current task, then the newest one, until there is no new task. */
  async _run() {
    this._runs = true;
    /** @type {Task | null} */
    let done = null;
    while (this.task && this.task !== done) {
      /** @type {Task} */
      const task = this.task;
      await pause(QUIET);
      if (task !== this.task) continue;
      done = task;
      await this._search(task);
    }
    this._runs = false;
  }

  /** @param {Task} task */
  async _search(task) {
    /** @type {Info[]} */
    const lines = [];
    try {
      this._searching = this._callbacks.engine();
      const limits = { infinite: true, ...(task.dice && { dice: task.dice }) };
      const result = await this._searching.search(task.game, limits, { multipv: task.lines }, (info) => {
        takeLine(lines, info);
        if (task !== this.task) return;
        this.lines = lines;
        this._callbacks.heard(task);
      });
      this._callbacks.left(task, result);
    } catch (error) {
      if (task === this.task) {
        this.task = null;
        this._callbacks.failed(/** @type {Error} */ (error).message);
      }
    }
    this._searching = null;
  }
}
