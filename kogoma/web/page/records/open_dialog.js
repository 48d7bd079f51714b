// The dialog that opens a game or a position from a text or a file, and says what is wrong with it.

import { h, openDialog } from "../elements.js";
import { gamesIn, textOf } from "./formats.js";
import { openRecord } from "./opening.js";
import { LineError, mainLine } from "./record.js";
import { gameName } from "../texts.js";
import { t } from "./words.js";

const MOST = 500; // games of a file that are listed

/** @param {App} app */
export function askText(app) {
  const text = h("textarea", { id: "record-text", rows: 8, spellcheck: "false", autocomplete: "off" });
  const file = h("input", { type: "file", id: "record-file", accept: ".kif,.kifu,.usi,.sfen,.txt" });
  const told = h("p", { class: "trouble", role: "alert", id: "record-told" });
  const more = h("div", {});
  const form = h("form", { class: "ask", onsubmit: (/** @type {Event} */ event) => {
    event.preventDefault();
    void look(text.value);
  } },
    h("label", { class: "block" }, h("span", {}, t("records.text")), text),
    h("label", { class: "field" }, h("span", {}, t("records.file")), file),
    told, more, h("div", { class: "buttons" }, h("button", { type: "submit", class: "main" }, t("records.openThis"))));
  const dialog = openDialog(t("records.openTitle"), t("close"), form);
  file.addEventListener("change", () => void readFile());

  async function readFile() {
    const chosen = file.files?.[0];
    if (!chosen) return;
    try {
      const read = textOf(new Uint8Array(await chosen.arrayBuffer()));
      if (read.length < 100_000) text.value = read;
      await look(read);
    } catch (error) {
      complain(error);
    }
    file.value = "";
  }

  /** @param {string} given */
  async function look(given) {
    told.textContent = "";
    more.replaceChildren();
    try {
      const found = gamesIn(given, app.index.games, app.tree.variant);
      if (found.length === 1) await open(found[0]);
      else list(found);
    } catch (error) {
      complain(error);
    }
  }

  /** @param {Found} found */
  async function open(found) {
    const { record, trouble } = found.read(await app.rules(found.variant));
    if (!trouble && record) return take(record);
    const plies = record ? mainLine(record.tree).length : 0;
    told.textContent = [
      trouble ? t("records.at", { line: trouble.line, text: trouble.text }) : "", plies ? t("records.kept", { plies }) : "",
    ].join(" ");
    if (!record || !plies) return;
    more.replaceChildren(h("button", { type: "button", id: "open-part", onclick: () => void take(record) }, t("records.openPart")));
  }

  /** @param {GameRecord} record */
  async function take(record) {
    try {
      await openRecord(app, record);
      dialog.close();
    } catch (error) {
      complain(error);
    }
  }

  /** @param {Found[]} found */
  function list(found) {
    const items = found.slice(0, MOST).map((one, index) => h("li", {},
      h("button", { type: "button", class: "open", onclick: () => void open(one).catch(complain) },
        `${index + 1}. ${gameName(one.variant)} ${one.title}`)));
    more.replaceChildren(h("p", {}, t("records.choose", { count: found.length })), h("ol", { class: "found" }, ...items));
  }

  /** @param {unknown} error */
  function complain(error) {
    const text = /** @type {Error} */ (error).message;
    told.textContent = error instanceof LineError ? t("records.at", { line: error.line, text }) : text;
  }
}
