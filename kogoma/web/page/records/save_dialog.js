// The dialogs that show the game as a text to copy or to save, and as an address to share.

import { choice, h, openDialog } from "../elements.js";
import { writeAddress } from "./address.js";
import { writeKif } from "./kif_writer.js";
import { currentRecord } from "./opening.js";
import { t } from "./words.js";
import { writeUsiLine } from "./usi_line.js";

/** How the game is written, and the ending of its file; .kifu stands for KIF in UTF-8.
 * @type {{[format: string]: {ending: string, write: (app: App) => string}}} */
const FORMATS = {
  kif: { ending: "kifu", write: (app) => writeKif(app.game, currentRecord(app)) },
  usi: { ending: "usi", write: (app) => writeUsiLine(app.tree) + "\n" },
  sfen: { ending: "sfen", write: (app) => app.position.sfen() + "\n" },
};

/** @param {App} app */
export function showSave(app) {
  /** @type {[string, string][]} */
  const names = Object.keys(FORMATS).map((name) => [name, t(`records.${name}`)]);
  const format = choice(t("records.format"), names, "kif", fill, { id: "save-format" });
  const text = h("textarea", { id: "save-text", rows: 12, readonly: true, spellcheck: "false", "aria-label": t("records.saveTitle") });
  const told = h("p", { class: "told", role: "status" });
  openDialog(t("records.saveTitle"), t("close"), h("div", { class: "ask" }, format.row, text, told, h("div", { class: "buttons" },
    h("button", { type: "button", onclick: () => void copy(text, told) }, t("records.copy")),
    h("button", { type: "button", class: "main", id: "download", onclick: save }, t("records.download")))));
  fill();

  function fill() {
    text.value = FORMATS[format.select.value].write(app);
  }

  function save() {
    const name = (app.name || app.tree.variant).replace(/[^\p{L}\p{N}._ -]+/gu, "_").slice(0, 80);
    const address = URL.createObjectURL(new Blob([text.value], { type: "text/plain" }));
    h("a", { href: address, download: `${name}.${FORMATS[format.select.value].ending}` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
  }
}

/** @param {App} app */
export function showShare(app) {
  const here = location.origin + location.pathname;
  const told = h("p", { class: "told", role: "status" });
  /** @type {[string, string, boolean][]} */
  const kinds = [["share-game", "records.shareGame", false], ["share-position", "records.sharePosition", true]];
  const rows = kinds.map(([id, key, alone]) => {
    const input = h("input", { type: "text", id, readonly: true, spellcheck: "false" });
    input.value = here + writeAddress(app.game, app.tree, alone);
    const button = h("button", { type: "button", "aria-label": `${t("records.copy")}: ${t(key)}`, class: "copy", onclick: () => void copy(input, told) }, t("records.copy"));
    return h("div", { class: "copied" }, h("label", {}, h("span", {}, t(key)), input), button);
  });
  openDialog(t("records.shareTitle"), t("close"), h("div", { class: "ask" }, ...rows, h("p", { class: "told" }, t("records.shareNote")), told));
}

/** @param {HTMLInputElement | HTMLTextAreaElement} field  @param {HTMLElement} told */
async function copy(field, told) {
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
    told.textContent = t("records.copied");
  } catch {
    told.textContent = t("records.notCopied");
  }
}
