// Mouse, pen, touch and keyboard input on a scene: pressing, dragging, keys.

import { svg } from "./drawing.js";

/** Input handlers, called with keys of items. `press` returns whether the item can be dragged, `lift` the drawing to
 * drag, `drop` whether the drop was accepted, `key` whether the key press was handled. `over` receives the item under
 * the dragged piece, "" for none. `activate` receives whether `press` was called before it.
 * @typedef {{press: (key: string) => boolean, activate: (key: string, pressed: boolean) => void, lift: (key: string) => Element | null,
 *   drop: (from: string, to: string) => boolean, over: (key: string) => void, escape: () => void,
 *   key?: (key: string, event: KeyboardEvent) => boolean,
 *   draw?: (from: string, to: string, second: boolean, done: boolean) => boolean}} Handlers
 *   `draw` is called while the right button, or the left one with Shift, is held: with the items where it was pressed and
 *   where the pointer is ("" for none), whether a key asks for the second colour, and whether the button was released.
 *   It returns whether drawing goes on. */

/** @type {{[key: string]: [number, number]}} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const SLACK = { mouse: 4, other: 9 }; // a drag begins when the pointer has moved this many pixels

/** Converts pointer and keyboard events of a scene into calls of the handlers. */
export class Pointer {
  /** @param {Scene} scene  @param {Handlers} handlers */
  constructor(scene, handlers) {
    this.scene = scene;
    this.handlers = handlers;
    /** The current press.
     * @type {{id: number, key: string, x: number, y: number, slack: number, drags: boolean} | null} */
    this._press = null;
    /** The current press that draws a mark.
     * @type {{id: number, key: string, second: boolean} | null} */
    this._stroke = null;
    /** @type {SVGElement | null} the drawing that follows the pointer during a drag */
    this._ghost = null;
    /** Whether pointerup has handled the press, so that the click event after it is ignored. */
    this._clicked = false;
    const drawing = scene.svg;
    drawing.addEventListener("pointerdown", (event) => this._down(event));
    drawing.addEventListener("pointermove", (event) => this._move(event));
    drawing.addEventListener("pointerup", (event) => this._up(event));
    drawing.addEventListener("pointercancel", () => this.cancel());
    drawing.addEventListener("keydown", (event) => this._key(event));
    drawing.addEventListener("mousedown", (event) => {
      event.preventDefault(); // a mouse press must not focus a square; only keys do
      const active = document.activeElement;
      if (active instanceof HTMLElement || active instanceof SVGElement) active.blur();
    });
    if (handlers.draw) {
      drawing.addEventListener("contextmenu", (event) => {
        event.preventDefault();
        if (this._press) handlers.escape(); // the right button during a drag cancels it
      });
    }
    drawing.addEventListener("click", (event) => {
      // Screen readers send a click without pointer events.
      const key = scene.keyOf(event.target);
      if (!this._clicked && key) handlers.activate(key, false);
      this._clicked = false;
    });
  }

  /** Whether an item is being dragged. */
  get dragging() {
    return this._ghost !== null;
  }

  /** Cancel a drag. */
  cancel() {
    this._ghost?.remove();
    this._ghost = this._press = this._stroke = null;
    this._dim("");
    this.handlers.over("");
  }

  /** @param {PointerEvent} event */
  _down(event) {
    if (!event.isPrimary) return;
    const key = this.scene.keyOf(event.target), right = event.button === 2;
    if (this.handlers.draw && (right || (event.button === 0 && event.shiftKey))) {
      const { pointerId: id, ctrlKey, altKey, shiftKey } = event;
      this._clicked = !right; // the right button sends no click
      const second = ctrlKey || altKey || (right && shiftKey);
      if (!this.handlers.draw(key, key, second, false)) return;
      this._stroke = { id, key, second };
      this.scene.svg.setPointerCapture(id);
      return;
    }
    if (event.button !== 0) return;
    this.cancel();
    this._clicked = false;
    this.scene.settled = false;
    const slack = event.pointerType === "mouse" ? SLACK.mouse : SLACK.other;
    this._press = { id: event.pointerId, key, x: event.clientX, y: event.clientY, slack, drags: this.handlers.press(key) };
    if (this._press.drags) this.scene.svg.setPointerCapture(event.pointerId);
  }

  /** @param {PointerEvent} event */
  _move(event) {
    const press = this._press;
    if (this._stroke) this._draw(event, false);
    if (!press?.drags || event.pointerId !== press.id) return;
    if (!this._ghost) {
      if (Math.hypot(event.clientX - press.x, event.clientY - press.y) < press.slack) return;
      const drawing = this.handlers.lift(press.key);
      if (!drawing) return;
      this._ghost = svg("g", {}, drawing);
      this.scene.lifted.replaceChildren(this._ghost);
      this._dim(press.key);
    }
    const point = this.scene.point(event);
    this._ghost.setAttribute("transform", `translate(${point.x.toFixed(1)} ${point.y.toFixed(1)}) scale(1.12)`);
    this.handlers.over(this.scene.itemAt(point)?.key ?? "");
  }

  /** @param {PointerEvent} event */
  _up(event) {
    const press = this._press, ghost = this._ghost;
    if (this._stroke) {
      this._draw(event, true);
      return;
    }
    if (!press || event.pointerId !== press.id) return;
    this._press = null;
    this._clicked = true;
    if (!ghost) {
      this.handlers.activate(press.key, true);
      return;
    }
    const point = this.scene.point(event), to = this.scene.itemAt(point)?.key ?? "";
    this._ghost = null;
    this.handlers.over("");
    this.scene.settled = true;
    if (to !== press.key && this.handlers.drop(press.key, to)) {
      ghost.remove();
      this._dim("");
      return;
    }
    this.scene.settled = false;
    const home = this.scene.items.get(press.key);
    const gliding = home && this.scene.glide(ghost, point, home);
    const done = () => {
      ghost.remove();
      if (!this._ghost) this._dim("");
    };
    if (gliding) gliding.finished.then(done, done);
    else done();
  }

  /** @param {PointerEvent} event  @param {boolean} done */
  _draw(event, done) {
    const stroke = this._stroke;
    if (!stroke || event.pointerId !== stroke.id) return;
    if (done) this._stroke = null;
    this.handlers.draw?.(stroke.key, this.scene.itemAt(this.scene.point(event))?.key ?? "", stroke.second, done);
  }

  /** Hide an item's piece while it is dragged; with the key "", show all pieces again.
   * @param {string} key */
  _dim(key) {
    this.scene.svg.querySelectorAll(".away").forEach((element) => element.classList.remove("away"));
    const item = this.scene.items.get(key);
    if (item) (item.index >= 0 ? this.scene.pieceAt(item.index) : item.element)?.classList.add("away");
  }

  /** @param {KeyboardEvent} event */
  _key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const key = this.scene.keyOf(event.target), arrow = ARROWS[event.key];
    if (!key) return;
    if (arrow) this.scene.step(key, ...arrow);
    else if (event.key === "Enter" || event.key === " ") this.handlers.activate(key, false);
    else if (event.key === "Escape") this.handlers.escape();
    else if (!this.handlers.key?.(key, event)) return;
    event.preventDefault();
    event.stopPropagation();
  }
}
