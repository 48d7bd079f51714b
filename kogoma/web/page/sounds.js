// Sounds of a game: short tones, made when they are played. This module is loaded when the user switches sounds on.

import { includes } from "./app.js";

/** @typedef {"move" | "capture" | "check" | "end" | "time"} Sound */

/** The tones of each sound: delay, frequency in Hz at the beginning and at the end, duration; times in seconds.
 * @type {{[sound in Sound]: [delay: number, from: number, to: number, seconds: number][]}} */
const TONES = {
  move: [[0, 320, 140, 0.07]],
  capture: [[0, 320, 140, 0.07], [0.06, 220, 90, 0.09]],
  check: [[0, 320, 140, 0.07], [0.09, 880, 880, 0.12]],
  end: [[0, 523, 523, 0.16], [0.17, 392, 392, 0.3]],
  time: [[0, 740, 740, 0.08], [0.14, 740, 740, 0.08]],
};
const LOW = 10_000; // ms left on a person's clock when the sound for low time is played
const SILENT = 0.0001; // a gain: exponential ramps cannot end at 0

export class Sounds {
  /** @param {App} app  @param {number} volume from 0 (off) to 1 */
  constructor(app, volume) {
    this._app = app;
    this.volume = volume;
    /** Created after the user's first action, because browsers allow no sound before it.
     * @type {AudioContext | null} */
    this._context = null;
    this._live = app.match.live;
    this._node = app.node;
    this._over = app.match.result !== null;
    this._lowTimer = 0;
    app.on("changed", (what) => this._follow(what));
    if (/** @type {any} */ (navigator).userActivation?.hasBeenActive) this._open();
    for (const event of ["pointerdown", "keydown"]) document.addEventListener(event, () => this._open(), { capture: true });
  }

  _open() {
    if (this.volume && !this._context) this._context = new AudioContext();
  }

  /** Play a sound, unless sounds are off or not allowed yet.
   * @param {Sound} name */
  play(name) {
    const { _context: context, volume } = this;
    if (!context || !volume) return;
    void context.resume();
    for (const [delay, from, to, seconds] of TONES[name]) {
      const start = context.currentTime + delay, end = start + seconds, tone = context.createOscillator(), gain = context.createGain();
      tone.type = "triangle";
      tone.frequency.setValueAtTime(from, start);
      tone.frequency.exponentialRampToValueAtTime(to, end);
      gain.gain.setValueAtTime(volume, start);
      gain.gain.exponentialRampToValueAtTime(SILENT, end);
      tone.connect(gain).connect(context.destination);
      tone.start(start);
      tone.stop(end);
    }
  }

  /** Play the sound of a change: the most important one if there are several.
   * @param {Change} what */
  _follow(what) {
    const { _app: app, _live: live, _node: node } = this, { match } = app, over = match.result !== null;
    if (!includes(what, "match")) return;
    const moved = what === "game" ? null : match.live.parent === live ? match.live : app.node.parent === node ? app.node : null;
    if (over && !this._over && what !== "game") this.play("end");
    else if (moved) this.play(this._soundOf(moved));
    this._live = match.live;
    this._node = app.node;
    this._over = over;
    this._watchTime();
  }

  /** @param {GameNode} node not the root
   * @returns {Sound} */
  _soundOf(node) {
    const { _app: app } = this, { match } = app;
    if (node === app.node ? app.position.inCheck : node === match.live && match.inCheck) return "check";
    const count = (/** @type {GameNode} */ one) => app.stateAt(one).board.filter(Boolean).length;
    return count(node) < count(/** @type {GameNode} */ (node.parent)) ? "capture" : "move";
  }

  /** Set a timer for the moment at which a person's time becomes low. */
  _watchTime() {
    const { clock, seat } = this._app.match;
    clearTimeout(this._lowTimer);
    if (!clock.control || clock.running === null || seat.kind !== "person") return;
    const wait = clock.left(clock.running).total - LOW;
    if (wait > 0) this._lowTimer = setTimeout(() => this.play("time"), wait);
  }
}
