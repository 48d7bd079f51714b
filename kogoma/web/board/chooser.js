// A small question over the board, answered by one of a few drawn buttons.

/** @typedef {{words: string, icon: Node, answer: string}} Offer */

/** The question. It stands over the drawing that it is asked about, in the same element. */
export class Chooser {
  /** @param {HTMLElement} frame the element that holds the drawing  @param {(answer: string) => void} onAnswer "" if given up */
  constructor(frame, onAnswer) {
    this.frame = frame;
    this.onAnswer = onAnswer;
    /** @type {HTMLElement | null} */
    this.element = null;
  }

  /** Ask. The middle of what is asked about is told in shares of the frame's width and height.
   * @param {string} question  @param {Offer[]} offers  @param {{x: number, y: number}} at  @param {boolean} wide for cards */
  ask(question, offers, at, wide) {
    this.close();
    const box = document.createElement("div");
    box.className = wide ? "chooser wide" : "chooser";
    box.setAttribute("role", "dialog");
    box.setAttribute("aria-modal", "true");
    box.setAttribute("aria-label", question);
    for (const { words, icon, answer } of offers) {
      const button = document.createElement("button");
      button.type = "button";
      button.setAttribute("aria-label", words);
      button.title = words;
      button.dataset.answer = answer;
      button.append(icon);
      button.addEventListener("click", (event) => {
        event.stopPropagation();
        this._answer(answer);
      });
      box.append(button);
    }
    box.addEventListener("keydown", (event) => this._key(event));
    this.frame.append(box);
    this.element = box;
    const { offsetWidth: width, offsetHeight: height } = box, whole = this.frame.getBoundingClientRect();
    box.style.left = `${clamped(at.x * whole.width - width / 2, whole.width - width)}px`;
    box.style.top = `${clamped(at.y * whole.height - height / 2, whole.height - height)}px`;
    /** @type {HTMLElement} */ (box.firstElementChild).focus({ preventScroll: true });
  }

  /** Take the question away; nobody is told. */
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
    if (event.key === "Escape") this._answer("");
    else if (steps[event.key]) buttons[(at + steps[event.key] + count) % count].focus();
    else if (event.key !== "Enter" && event.key !== " ") return;
    else {
      event.stopPropagation();
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }
}

/** @param {number} value  @param {number} most */
const clamped = (value, most) => Math.max(0, Math.min(value, most));
