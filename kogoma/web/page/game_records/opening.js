// Opens games from the page's address and from files that are dropped on the page. The readers are loaded when they are
// needed.

import { whenLoaded } from "../elements.js";
import { t } from "../translate.js";
import { namedGame } from "./fragment.js";

/** Show the dialog that opens a record.
 * @param {App} app */
export const askFile = (app) => void whenLoaded(app.tell, import("./panel.js"), ({ askRecord }) => askRecord(app));

/** Open the game in the page's address, if any.
 * @param {App} app */
function openAddress(app) {
  if (namedGame(location.hash) === null) return;
  void whenLoaded(app.tell, import("./panel.js"), (panel) => panel.openAddress(app));
}

/** Open games whenever their address is entered or a file is dropped.
 * @param {App} app */
export function openEntered(app) {
  let first = true;
  app.on("changed", () => {
    // The last open game is loaded before the address is read: if the address is invalid, that game stays open.
    if (first) setTimeout(() => openAddress(app));
    first = false;
  });
  window.addEventListener("hashchange", () => openAddress(app));
  window.addEventListener("dragover", (event) => {
    if (!takesText(event)) event.preventDefault(); // the browser would open the file instead of the page
  });
  window.addEventListener("drop", (event) => {
    if (takesText(event)) return;
    event.preventDefault();
    const { files, items } = /** @type {DataTransfer} */ (event.dataTransfer);
    const isFolder = items[0]?.webkitGetAsEntry?.()?.isDirectory, [file] = files, { length } = files;
    if (length !== 1 || isFolder) app.tell(t(length > 1 ? "records.dropped" : "records.noFile"), "problem");
    else void whenLoaded(app.tell, import("./panel.js"), ({ readRecord }) => readRecord(app, file));
  });
}

/** Whether the browser itself puts a dropped text into a text field.
 * @param {DragEvent} event */
const takesText = ({ target, dataTransfer }) =>
  !dataTransfer?.types.includes("Files") && /** @type {Element} */ (target).matches?.("input, textarea");
