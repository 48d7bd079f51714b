// The views of the page, each with an address: #home, #play, #analyse. The style sheet shows the view that
// `data-view` of the body names.

/** @typedef {"home" | "play" | "analyse"} ViewName */

/** @type {ViewName[]} */
const NAMES = ["home", "play", "analyse"];
const OPENED = "viewopened"; // an event of the document

/** The view that the address names, or null.
 * @returns {ViewName | null} */
const named = () => NAMES.find((name) => location.hash === `#${name}`) ?? null;

/** The shown view. */
export const shownView = () => /** @type {ViewName} */ (document.body.dataset.view ?? "home");

/** Show a view as a new step of the browser's history; without `step`, instead of the current one.
 * @param {ViewName} name  @param {boolean} [step] */
export function openView(name, step = true) {
  if (named() !== name) history[step ? "pushState" : "replaceState"](null, "", `#${name}`);
  show(name);
}

/** Call a function whenever a view has been opened.
 * @param {(name: ViewName) => void} act */
export function onView(act) {
  document.addEventListener(OPENED, () => act(shownView()));
}

/** Show the view that the address names, now and when it changes: by a link, or by the browser's back and forward.
 * @param {ViewName} otherwise the first view if the address names none */
export function followAddress(otherwise) {
  window.addEventListener("hashchange", () => show(named() ?? shownView()));
  show(named() ?? otherwise);
}

/** @param {ViewName} name */
function show(name) {
  if (document.body.dataset.view === name) return;
  document.body.dataset.view = name;
  for (const link of document.querySelectorAll("#menu a")) {
    if (link.getAttribute("href") === `#${name}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  scrollTo(0, 0);
  document.dispatchEvent(new Event(OPENED));
}
