// The part of the page that opens, saves and shares games.

import { h } from "../elements.js";
import { language } from "../words.js";
import { addressGame, readAddress } from "./address.js";
import { askText } from "./open_dialog.js";
import { askMatch } from "./matches_dialog.js";
import { openRecord } from "./opening.js";
import { bareRecord } from "./record.js";
import { showSave, showShare } from "./save_dialog.js";
import { t } from "./words.js";

/** @param {App} app  @param {HTMLElement} slot */
export function recordsPanel(app, slot) {
  const title = h("h2", { id: "records-title" });
  /** @type {[id: string, key: string, act: () => void][]} */
  const acts = [
    ["open-record", "records.open", () => askText(app)],
    ["save-record", "records.save", () => showSave(app)],
    ["share-record", "records.share", () => showShare(app)],
  ];
  if (app.index.server?.matches.length) acts.push(["open-match", "records.matches", () => askMatch(app)]);
  const buttons = acts.map(([id, , act]) => h("button", { type: "button", id, onclick: act }));
  let spoken = "";
  slot.setAttribute("aria-labelledby", "records-title");
  slot.append(title, h("div", { class: "row" }, ...buttons));
  slot.hidden = false;
  let first = true;
  app.on("changed", () => {
    if (spoken !== language()) {
      spoken = language();
      title.textContent = t("records.title");
      buttons.forEach((button, index) => {
        button.textContent = t(acts[index][1]);
      });
    }
    // An address is looked at once the game that was open last is there: if it is rubbish, that one stays.
    if (first) setTimeout(() => void openAddress(app));
    first = false;
  });
  window.addEventListener("hashchange", () => void openAddress(app));
}

/** Open the game of the page's address, if it has one; the address then is the page's own again, so that a reload goes on
 * with the game as it has become.
 * @param {App} app */
async function openAddress(app) {
  const { hash } = location;
  try {
    const name = addressGame(hash, app.index.games);
    if (name === null) return;
    const tree = readAddress(await app.rules(name), hash);
    await openRecord(app, bareRecord(tree), tree.current.ply);
  } catch (error) {
    app.tell(/** @type {Error} */ (error).message, "problem");
  }
  history.replaceState(null, "", location.pathname + location.search);
}
