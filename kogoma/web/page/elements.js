// Helpers that create elements. Text is never parsed as HTML.

import { h, svg } from "../board/drawing.js";

export { h } from "../board/drawing.js";

/** The element of index.html with an id.
 * @param {string} id  @returns {HTMLElement} */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`no element ${id}`);
  return found;
}

/** A 24x24 icon: paths are filled, or stroked if they begin with "-".
 * @param {...string} paths */
export const icon = (...paths) => svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, ...paths.map((path) =>
  svg("path", path[0] === "-" ? { d: path.slice(1), class: "stroke" } : { d: path })));

/** A button with an icon and an accessible name.
 * @param {string} name  @param {string[]} paths  @param {() => void} act  @param {Attributes} [more] */
export const iconButton = (name, paths, act, more = {}) =>
  h("button", { type: "button", "aria-label": name, title: name, onclick: act, ...more }, icon(...paths));

/** A span whose text is translated again when the language changes (translate.js).
 * @param {string} key */
export const spoken = (key) => h("span", { "data-text": key });

/** A select element with its label. Each choice is a [value, text] pair, or a string that is both.
 * @param {string | Node} label  @param {(string | [string, string])[]} choices  @param {string} value
 * @param {(value: string) => void} [act]  @param {Attributes} [more] */
export function choice(label, choices, value, act, more = {}) {
  /** @type {HTMLSelectElement} */
  const select = h("select", { ...more, onchange: () => act?.(select.value) },
    ...choices.map((one) => (typeof one === "string" ? [one, one] : one))
      .map(([key, text]) => h("option", { value: key, selected: key === value }, text)));
  return { row: h("label", { class: "field" }, h("span", {}, label), select), select };
}

/** A number input with its label.
 * @param {string} id  @param {string} label  @param {number} value
 * @param {{min: number, max: number, step?: number}} range */
export function numberField(id, label, value, { min, max, step = 1 }) {
  const input = h("input", { id, type: "number", min, max, step, value, inputmode: "decimal", required: true });
  return { row: h("label", { class: "field" }, h("span", {}, label), input), input };
}

/** Make `wanted` the children of an element. Those that it has already are not touched, so that a long list with one new
 * item costs little.
 * @param {Element} host  @param {Node[]} wanted */
export function setChildren(host, wanted) {
  let at = host.firstChild;
  for (const child of wanted) {
    if (child === at) at = at.nextSibling;
    else host.insertBefore(child, at);
  }
  while (at) {
    const after = at.nextSibling;
    at.remove();
    at = after;
  }
}

/** Scroll a list until an item is visible, when the next frame is drawn: before that, each question for a place on the
 * page would cost a layout of its own.
 * @param {HTMLElement} list  @param {HTMLElement} item */
export function showInList(list, item) {
  requestAnimationFrame(() => {
    const { offsetTop, offsetHeight } = item;
    if (offsetTop < list.scrollTop || offsetTop + offsetHeight > list.scrollTop + list.clientHeight) {
      list.scrollTop = offsetTop - list.clientHeight / 2;
    }
  });
}

/** A promise that resolves after `ms` milliseconds.
 * @param {number} ms  @returns {Promise<void>} */
export const pause = (ms) => new Promise((resolve) => {
  setTimeout(resolve, ms);
});

const SLICE = 40; // ms that long work may occupy the page at a time

/** A function for long work, to be awaited often: it lets the page go on when the work has lasted for SLICE ms.
 * @returns {() => Promise<void>} */
export function pausing() {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < SLICE) return;
    await pause(0);
    since = performance.now();
  };
}

/** Let the browser save a file. Characters that file systems may forbid are replaced.
 * @param {string} name  @param {string} ending without the dot  @param {string | Blob} content */
export function saveFile(name, ending, content) {
  const plain = name.replace(/[^\p{L}\p{N}._ -]+/gu, "_").slice(0, 80);
  const address = URL.createObjectURL(typeof content === "string" ? new Blob([content], { type: "text/plain" }) : content);
  h("a", { href: address, download: `${plain}.${ending}` }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** A dialog with a title and a close button; it is removed when it closes.
 * @param {string} title  @param {string} closeName  @param {...Node} children */
export function openDialog(title, closeName, ...children) {
  const heading = h("h2", { id: "dialog-title" }, title);
  const close = iconButton(closeName, ["-M6 6l12 12M18 6L6 18"], () => dialog.close(), { class: "close" });
  /** @type {HTMLDialogElement} */
  const dialog = h("dialog", { "aria-labelledby": "dialog-title", tabindex: -1, onclose: () => dialog.remove() },
    h("div", { class: "dialog-head" }, heading, close), ...children);
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** Call `act` with a module that is loaded when it is needed, or show why that failed.
 * @template M  @param {App["tell"]} tell  @param {Promise<M>} loading  @param {(loaded: M) => void} act */
export async function whenLoaded(tell, loading, act) {
  try {
    act(await loading);
  } catch (error) {
    tell(/** @type {Error} */ (error).message, "problem");
  }
}
