// The board for playing: it draws the position and lets the user choose a move by clicks, drags or keys.

import { cardIcon, drawPiece, h, pieceIcon } from "./drawing.js";
import { pieceName } from "./pieces.js";
import { Pointer } from "./pointer.js";
import { Scene } from "./scene.js";
import { cased, readMove, squareIndex, turnedOver } from "./state.js";
import { boardText, cardWords, squareWord } from "./descriptions.js";

/** An interactive board. `onMove` is called with each move that the user chooses; `onDie`, if given, is called when the
 * die is pressed, `onCancel` when the user presses Escape or the right button, or clicks where no move begins or ends (it
 * returns whether there was something to cancel), and `onMarks` with the new marks and a text for screen readers when the user draws or removes some. */
export class BoardView {
  /** @param {Element} host  @param {{onMove: (usi: string) => void, onDie?: () => void, onCancel?: () => boolean, onMarks?: (marks: Mark[], told: string) => void}} callbacks */
  constructor(host, { onMove, onDie, onCancel, onMarks }) {
    this.onMove = onMove;
    this.onDie = onDie;
    this.onCancel = onCancel;
    this.onMarks = onMarks;
    /** The item that a key has marked last, from which an arrow can be drawn; "" for none. */
    this._markedByKey = "";
    /** @type {Choice[]} */
    this._choices = [];
    /** The key of the chosen item, "" for none. */
    this._from = "";
    /** The chosen item when the pointer was pressed. */
    this._pressedFrom = "";
    /** The Onitama card that the user chose before the piece, -1 for none. */
    this._card = -1;
    this._over = "";
    /** Whether the focus was on the board when the question was opened; it returns there afterwards. */
    this._byKey = false;
    this._known = ""; // position and legal moves of the last `show`, as text
    this.frame = h("div", { class: "board-frame" });
    this.scene = new Scene({ live: true, dieKey: Boolean(onDie) });
    this.scene.enter(this.frame);
    host.append(this.frame);
    this._chooser = new Chooser(this.frame, (answer) => this._answered(answer));
    this._pointer = new Pointer(this.scene, {
      press: (key) => this._press(key), activate: (key, pressed) => this._activate(key, pressed), lift: (key) => this._lift(key),
      drop: (from, to) => this._drop(from, to), over: (key) => this._setOver(key), escape: () => this._escape(),
      ...(onMarks && {
        draw: (from, to, second, done) => this._draw(from, to, second, done), key: (key, event) => this._markByKey(key, event),
      }),
    });
    this.frame.addEventListener("pointerdown", (event) => {
      if (this._chooser.element && !this._chooser.element.contains(/** @type {Node} */ (event.target))) this.cancel();
    }, true);
  }

  /** Show a position. The chosen item stays chosen if the position and its legal moves are unchanged.
   * @param {State} state  @param {View} view */
  show(state, view) {
    const legal = view.over ? [] : view.legal ?? [];
    const known = [state.board.join(), JSON.stringify([state.hands, state.cards, state.turn, view.flipped]), legal.join()].join();
    const before = this.view;
    this.state = state;
    this.view = view;
    this._choices = choicesOf(view.mover ?? state.turn, legal);
    // A piece that was chosen for a premove stays chosen when it may move.
    const stays = before?.mover !== undefined && view.mover === undefined && !this._chooser.element && this._canMove(this._from);
    if (known !== this._known && stays) this._known = known;
    if (known !== this._known) {
      this._known = known;
      this._forget();
      this._pointer.cancel();
    }
    this.frame.classList.toggle("active", legal.length > 0);
    this.scene.show(state, view);
    this._mark();
  }

  /** Cancel the choice. */
  cancel() {
    this._pointer.cancel();
    this._forget();
    this._mark();
  }

  /** Cancel the choice; if nothing is chosen, remove the marks. */
  _escape() {
    const had = this._from || this._card >= 0 || this._markedByKey || this.onCancel?.();
    this.cancel();
    if (!had) this._clearMarks();
  }

  get _marks() {
    return this.view?.marks ?? [];
  }

  _clearMarks() {
    if (this._marks.length) this.onMarks?.([], boardText("unmarked", this.view?.language ?? "en"));
  }

  /** Draw a mark with the pointer.
   * @param {string} from  @param {string} to  @param {boolean} second  @param {boolean} done
   * @returns {boolean} whether drawing goes on */
  _draw(from, to, second, done) {
    if (!done && this.onCancel?.()) return false;
    if (this._from) this.cancel();
    if (done && from && to) this._toggleMark(from, to, second);
    else this.scene.draw(done ? this._marks : [...this._marks, { from, to, second }]);
    return true;
  }

  /** A mark with the key M: a circle, or an arrow from the item that was marked just before.
   * @param {string} key  @param {KeyboardEvent} event */
  _markByKey(key, event) {
    if (event.key.toLowerCase() !== "m") return false;
    const from = this._markedByKey, arrow = from !== "" && from !== key;
    const added = this._toggleMark(arrow ? from : key, key, event.shiftKey, arrow ? from : "");
    this._markedByKey = added && !arrow ? key : "";
    return true;
  }

  /** Add a mark, or remove it if it is there in the same colour. Return whether it was added.
   * @param {string} from  @param {string} to  @param {boolean} second
   * @param {string} [instead] the item whose circle it replaces */
  _toggleMark(from, to, second, instead = "") {
    /** @param {Mark} one */
    const same = (one) => one.from === from && one.to === to;
    const added = !this._marks.some((one) => same(one) && one.second === second), language = this.view?.language ?? "en";
    const kept = this._marks.filter((one) => !same(one) && !(instead && one.from === instead && one.to === instead));
    const names = [...new Set([from, to])].map((key) => this._nameOf(key)).join(language === "ja" ? "から" : " → ");
    this.onMarks?.(added ? [...kept, { from, to, second }] : kept,
      `${boardText(added ? "marked" : "unmarked", language)}${language === "ja" ? "：" : ": "}${names}`);
    return added;
  }

  /** The name of an item for screen readers.
   * @param {string} key */
  _nameOf(key) {
    const item = this.scene.items.get(key), language = this.view?.language ?? "en";
    return item && this.state && item.index >= 0 ? squareWord(this.state, item.index, language) : item?.words ?? key;
  }

  _forget() {
    this._markedByKey = "";
    const asked = this._chooser.element;
    const had = asked?.contains(document.activeElement) && this._byKey, from = this._from;
    this._chooser.close();
    this._from = "";
    this._card = -1;
    this._over = "";
    if (had) this.scene.focus(from);
  }

  /** The legal moves with the chosen card, or all legal moves if no card is chosen. */
  _openChoices() {
    return this._choices.filter(({ card }) => this._card < 0 || card === this._card);
  }

  /** The choices from one item to another.
   * @param {string} from  @param {string} to */
  _fitting(from, to) {
    return this._openChoices().filter((choice) => choice.from === from && choice.to === to);
  }

  /** Whether any move starts at an item.
   * @param {string} key */
  _canMove(key) {
    return key !== "" && this._openChoices().some(({ from, to }) => from === key && to);
  }

  _mark() {
    const open = this._openChoices();
    const targets = open.filter(({ from, to }) => to && from === this._from).map(({ to }) => to);
    const chosen = [this._from, this._card >= 0 ? `card${this._card}` : ""].filter(Boolean);
    const movable = open.flatMap(({ from, card }) => (card < 0 ? [from] : [from, `card${card}`]));
    this.scene.mark({ chosen: new Set(chosen), targets: new Set(targets), over: this._over, movable: new Set(movable) });
  }

  /** @param {string} key */
  _setOver(key) {
    const over = this._fitting(this._from, key).length ? key : "";
    if (over === this._over) return;
    this._over = over;
    this._mark();
  }

  /** Choose a movable item when the pointer is pressed, so that it can be dragged.
   * @param {string} key */
  _press(key) {
    this._clearMarks();
    this._pressedFrom = this._from;
    if (!this._canMove(key) || this._fitting(this._from, key).length) return false;
    this._from = key;
    this._mark();
    return true;
  }

  /** A click on an item, or a key pressed on it.
   * @param {string} key  @param {boolean} pressed by the pointer, so that `press` has chosen it already */
  _activate(key, pressed) {
    const before = pressed ? this._pressedFrom : this._from, fitting = key ? this._fitting(this._from, key) : [];
    if (key === "die") this.onDie?.();
    else if (key.startsWith("card")) this._activateCard(Number(key.slice(4)));
    else if (fitting.length) this._settle(fitting, key);
    else {
      this.onCancel?.();
      this._from = this._canMove(key) && before !== key ? key : "";
      this._mark();
    }
  }

  /** @param {number} card */
  _activateCard(card) {
    const pass = this._choices.find((choice) => choice.card === card && !choice.to);
    if (pass) {
      this.onMove(pass.usi);
      return;
    }
    if (!this._choices.some((choice) => choice.card === card)) return;
    this._card = this._card === card ? -1 : card;
    if (this._from && !this._canMove(this._from)) this._from = "";
    this._mark();
  }

  /** @param {string} key */
  _lift(key) {
    if (!this.state || !this.view) return null;
    const item = this.scene.items.get(key);
    const cell = item && item.index >= 0 ? this.state.board[item.index] : item?.element.dataset.held;
    return cell ? drawPiece(this.state, cell, this.view) : null;
  }

  /** @param {string} from  @param {string} to */
  _drop(from, to) {
    const fitting = this._fitting(from, to);
    if (fitting.length) this._settle(fitting, to);
    else {
      this.onCancel?.();
      this._from = "";
      this._mark();
    }
    return fitting.length > 0;
  }

  /** Play the only fitting move, or ask the user which one.
   * @param {Choice[]} fitting  @param {string} to */
  _settle(fitting, to) {
    if (fitting.length === 1) {
      this._finish(fitting[0].usi);
      return;
    }
    const { state, view } = this, item = this.scene.items.get(to), { layout } = this.scene;
    if (!state || !view || !item || !layout) return;
    const language = view.language ?? "en", [{ from, card }] = fitting;
    const piece = from.startsWith("hand") || from.startsWith("card") ? "" : state.board[squareIndex(state, from)];
    const offers = fitting.map((choice) => {
      if (choice.card >= 0) {
        return { answer: choice.usi, words: cardWords(view.cards, choice.card, language), icon: cardIcon({ ...state, turn: view.mover ?? state.turn }, choice.card, view) };
      }
      const face = faceOf(piece, choice);
      return { answer: choice.usi, words: pieceName(state.variant, face, language), icon: pieceIcon(state, face, view) };
    });
    if (card < 0) offers.sort((a, b) => Number(plain(a.answer)) - Number(plain(b.answer)));
    const question = boardText(card >= 0 ? "card" : from.startsWith("hand") ? "face" : "promote", language);
    this._from = from;
    this._over = to;
    this._mark();
    this._byKey = this.scene.svg.contains(document.activeElement);
    this._chooser.ask(question, offers, { x: item.x / layout.width, y: item.y / layout.height }, card >= 0);
  }

  /** @param {string} usi the chosen move, "" if the question was cancelled */
  _answered(usi) {
    const from = this._from;
    this.scene.settled = false;
    if (this._byKey) this.scene.focus(usi ? this._over : from);
    if (usi) this._finish(usi);
    else this.cancel();
  }

  /** @param {string} usi */
  _finish(usi) {
    this._forget();
    this._mark();
    this.onMove(usi);
  }
}

/** Whether a move does not promote. Such moves are offered last.
 * @param {string} usi */
const plain = (usi) => !usi.includes("+");

// Legal moves as choices in steps: item, target, and promotion or card.

/** A legal move as a choice: `from` and `to` are keys of the scene (squares, `hand0P`, cards). `face` is the letter of
 * the dropped piece; for a move on the board it is "+", "-" or "". `card` is Onitama's card, or -1. A pass has a card
 * as `from` and "" as `to`.
 * @typedef {{usi: string, from: string, to: string, face: string, card: number}} Choice */

/** Convert a side's legal moves from USI notation.
 * @param {number} turn  @param {string[]} legal  @returns {Choice[]} */
function choicesOf(turn, legal) {
  return legal.flatMap((usi) => {
    const move = readMove(usi);
    if (!move) return [];
    const { card, dropped, from, to, turned } = move;
    if (!to) return [{ usi, from: `card${card}`, to, face: "", card }];
    if (!dropped) return [{ usi, from, to, face: turned, card }];
    return [{ usi, from: `hand${turn}${dropped.replace("+", "")}`, to, face: cased(dropped, turn), card }];
  });
}

/** The piece to draw for a choice: the moved or dropped piece, promoted or not.
 * @param {string} piece the piece on the origin square  @param {Choice} choice */
function faceOf(piece, { from, face }) {
  if (from.startsWith("hand")) return face;
  return face === "" ? piece : turnedOver(piece);
}

/** @typedef {{words: string, icon: Node, answer: string}} Offer */

/** A question over the board, answered by one of a few buttons. */
class Chooser {
  /** @param {HTMLElement} frame the element that holds the drawing  @param {(answer: string) => void} onAnswer
   *   called with the answer, "" if the question is cancelled */
  constructor(frame, onAnswer) {
    this.frame = frame;
    this.onAnswer = onAnswer;
    /** @type {HTMLElement | null} */
    this.element = null;
  }

  /** Ask; `at` is the centre of the question as fractions of the frame's width and height.
   * @param {string} question  @param {Offer[]} offers  @param {{x: number, y: number}} at  @param {boolean} wide for cards */
  ask(question, offers, at, wide) {
    this.close();
    const buttons = offers.map(({ words, icon, answer }) => h("button", {
      type: "button", "aria-label": words, title: words, "data-answer": answer,
      onclick: (event) => {
        event.stopPropagation();
        this._answer(answer);
      },
    }, icon));
    const box = h("div", {
      class: wide ? "chooser wide" : "chooser", role: "dialog", "aria-modal": "true", "aria-label": question,
      onkeydown: (event) => this._key(event),
    }, ...buttons);
    this.frame.append(box);
    this.element = box;
    const { offsetWidth: width, offsetHeight: height } = box, whole = this.frame.getBoundingClientRect();
    box.style.left = `${clamped(at.x * whole.width - width / 2, whole.width - width)}px`;
    box.style.top = `${clamped(at.y * whole.height - height / 2, whole.height - height)}px`;
    buttons[0].focus({ preventScroll: true });
  }

  /** Close the question without an answer. */
  close() {
    this.element?.remove();
    this.element = null;
  }

  /** @param {string} answer */
  _answer(answer) {
    this.close();
    this.onAnswer(answer);
  }

  /** @param {KeyboardEvent} event */
  _key(event) {
    const buttons = [...(this.element?.querySelectorAll("button") ?? [])];
    const at = buttons.findIndex((button) => button === document.activeElement), count = buttons.length;
    /** @type {{[key: string]: number}} */
    const steps = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1, Tab: event.shiftKey ? -1 : 1 };
    const presses = event.key === "Enter" || event.key === " ";
    if (event.key === "Escape") this._answer("");
    else if (steps[event.key]) buttons[(at + steps[event.key] + count) % count].focus();
    else if (!presses) return;
    if (!presses) event.preventDefault();
    event.stopPropagation();
  }
}

/** @param {number} value  @param {number} most */
const clamped = (value, most) => Math.max(0, Math.min(value, most));
