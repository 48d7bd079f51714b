// The panel and dialogs that open, save and share games.

import { readMatch } from "../../client/remote_engine.js";
import { choice, h, openDialog, saveFile } from "../elements.js";
import { GameTree } from "../game_tree.js";
import { t } from "../later_texts.js";
import { compiled } from "../local_server.js";
import { playerName } from "../play/board_panel.js";
import { casual } from "../play/match.js";
import { TEXTS } from "../messages.js";
import { gameName, sideName, winnerText } from "../translate.js";
import { openView, shownView } from "../views.js";
import { addressGame, readAddress, writeAddress } from "./address.js";
import { RecordError, translated, translatedError } from "./errors.js";
import { hasRecord, namedGame } from "./fragment.js";
import { gameSearch } from "./game_search.js";
import { noteText } from "./game_record.js";

const LONG_ADDRESS = 8000; // characters; some mail programs and messengers cut longer addresses

let readLast = /** @type {ReadFile | null} */ (null); // of the last dialog that opens a record

/** Fill the panel of game records.
 * @param {App} app  @param {HTMLElement} slot */
export function recordsPanel(app, slot) {
  /** @type {[id: string, key: string, act: () => void][]} */
  const acts = [
    ["open-record", "records.open", () => askRecord(app)],
    ["save-record", "records.save", () => void showSave(app).catch((error) => app.tell(error.message, "problem"))],
    ["share-record", "records.share", () => void showShare(app)],
  ];
  if (app.index.server?.matches.length) acts.push(["open-match", "records.matches", () => askMatch(app)]);
  slot.append(h("div", { class: "row" },
    ...acts.map(([id, key, act]) => h("button", { type: "button", id, "data-text": key, onclick: act }))));
  const headers = h("dl", { id: "headers" });
  slot.append(headers);
  showHeaders(headers, app.tree);
  app.on("changed", (what) => (what === "game" || what === "view") && showHeaders(headers, app.tree));
}

/** Read a file in the dialog that opens records, which is opened if necessary.
 * @param {App} app  @param {File} file */
export const readRecord = (app, file) => void (readLast && document.getElementById("record-file") ? readLast : askRecord(app))(file);

/** Show the headers of a record, such as event and date, or nothing if it has none. Unusual names are not translated.
 * @param {HTMLElement} list  @param {GameTree} tree */
function showHeaders(list, tree) {
  const shown = tree.headers.filter(([, value]) => value);
  list.replaceChildren(...shown.flatMap(([name, value]) => [
    h("dt", {}, `header-${name}` in TEXTS ? t(`header-${name}`) : name), h("dd", {}, value),
  ]));
  list.hidden = !shown.length;
}

/** Open the game in the page's address, which names a variant. If the local server is still compiling it, wait for that.
 * The fragment is then removed, so that a reload does not open it again.
 * @param {App} app */
export async function openAddress(app) {
  const { hash } = location;
  await compiled(app, namedGame(hash));
  if (location.hash !== hash) return; // another address was entered meanwhile
  try {
    const game = await app.gameOf(addressGame(hash, app.index.games));
    const tree = hasRecord(hash) ? await (await loadFormats()).readRecordAddress(game, hash, app.index.games) : readAddress(game, hash);
    await openRecord(app, tree, tree.current.indices());
  } catch (error) {
    app.tell(/** @type {Error} */ (error).message, "problem");
  }
  openView(shownView(), false);
}

// Conversion between game records and the open game.

/** Open a record as a game of two people, at its start or the node with these `indices`. Throws an Error, and changes
 * nothing, if the record is invalid.
 * @param {App} app  @param {GameTree} tree  @param {number[]} [indices] */
export async function openRecord(app, tree, indices = []) {
  const match = { ...casual(), live: tree.root.rest().map(() => 0), thrown: 0, spent: 0 };
  // Without a label, a position without moves is named after its players or else by its SFEN.
  const name = tree.label || (tree.root.next.length ? "" : tree.names.filter((one) => one).join(" – ") || tree.start);
  await app.open(tree.toJSON(), { name: clip(name), match });
  openView("analyse", !namedGame(location.hash));
  app.goTo(app.tree.at(indices));
  app.changed("match"); // so that the record is saved
}

/** @param {string} text */
const clip = (text) => text.slice(0, 100);

/** The open game as KIF.
 * @param {App} app  @param {Formats} formats  @returns {string} */
function openGameAsKif(app, { writeKif }) {
  const { game, tree, match, name: label } = app;
  const names = match.people.length === 2 ? tree.names : /** @type {[string, string]} */ ([playerName(app, 0), playerName(app, 1)]);
  return writeKif(game, tree, { names, label });
}

// Dialogs.

/** The readers and writers of records, which are loaded when they are needed. */
const loadFormats = () => import("./formats.js");

/** @typedef {(file: File) => Promise<void>} ReadFile */

/** The dialog that opens a game or a position from a text or a file, and shows errors. The result reads another file into
 * the dialog.
 * @param {App} app  @returns {ReadFile} */
export function askRecord(app) {
  const text = h("textarea", { id: "record-text", rows: 8, spellcheck: "false", autocomplete: "off" });
  const file = h("input", { type: "file", id: "record-file", accept: ".kif,.kifu,.ki2,.ki2u,.csa,.jkf,.json,.usi,.sfen,.txt" });
  const told = h("p", { class: "trouble", role: "alert", id: "record-told" });
  const part = h("div", {}), more = h("div", {});
  const games = gameSearch("record", (/** @type {Found} */ found) => void open(found).catch(complain));
  let reads = 0; // texts whose reading has begun
  const form = h("form", { class: "ask", onsubmit: (/** @type {Event} */ event) => {
    event.preventDefault();
    void look(text.value);
  } },
    h("label", { class: "block" }, h("span", {}, t("records.text")), text),
    h("label", { class: "field" }, h("span", {}, t("records.file")), file),
    told, part, h("div", { class: "buttons" }, h("button", { type: "submit", class: "main" }, t("open"))));
  const dialog = openDialog(t("records.openTitle"), t("close"), form, more);
  file.addEventListener("change", async () => {
    if (file.files?.[0]) await readFile(file.files[0]);
    file.value = "";
  });
  return (readLast = readFile);

  /** @param {File} chosen */
  async function readFile(chosen) {
    try {
      const { textOf } = await loadFormats();
      const read = await textOf(new Uint8Array(await chosen.arrayBuffer()));
      if (read.length < 100_000) text.value = read;
      await look(read);
    } catch (error) {
      complain(error);
    }
  }

  /** @param {string} given */
  async function look(given) {
    const number = ++reads;
    told.textContent = "";
    part.replaceChildren();
    more.replaceChildren(h("p", { class: "told", role: "status" }, t("loading")));
    try {
      const { gamesIn } = await loadFormats();
      const found = await gamesIn(given, app.index.games, app.tree.variant);
      if (number !== reads || !dialog.open) return;
      more.replaceChildren();
      if (found.length === 1) return await open(found[0]);
      more.append(games.element);
      games.show(found, ({ variant, title }, index) => `${index + 1}. ${gameName(variant)} · ${title}`);
    } catch (error) {
      if (number !== reads) return;
      more.replaceChildren();
      complain(error);
    }
  }

  /** @param {Found} found */
  async function open(found) {
    part.replaceChildren();
    const { tree, trouble, notes } = found.read(await app.gameOf(found.variant));
    if (!trouble && tree) return take(tree, notes);
    const plies = tree ? tree.root.rest().length : 0;
    told.textContent = [trouble ? errorText(trouble) : "", plies ? t("records.kept", { plies }) : ""].join(" ");
    if (!tree || !plies) return;
    part.replaceChildren(h("button", { type: "button", id: "open-part", onclick: () => void take(tree, notes) }, t("records.openPart")));
  }

  /** @param {GameTree} tree  @param {Reading["notes"]} notes */
  async function take(tree, notes) {
    try {
      await openRecord(app, tree);
      dialog.close();
      for (const text of noteTexts(notes)) app.tell(text);
    } catch (error) {
      complain(error);
    }
  }

  /** @param {unknown} error */
  function complain(error) {
    told.textContent = errorText(error);
  }
}

/** An error in the page's language, with its place if that is known.
 * @param {unknown} error */
function errorText(error) {
  const text = translatedError(error);
  return error instanceof RecordError && error.line ? t("records.at", { line: error.line, column: error.column, text }) : text;
}

/** The first note of each kind as a text, with the number of the others.
 * @param {Reading["notes"]} notes */
function noteTexts(notes) {
  const kinds = [...new Set(notes.map(({ kind }) => kind))].map((kind) => notes.filter((note) => note.kind === kind));
  return kinds.map(([first, ...others]) => t("records.noteAt", { line: first.line, text: translated(noteText(first)) })
    + (others.length ? ` ${t("records.more", { count: others.length })}` : ""));
}

/** The formats, and their file extensions; .kifu is KIF in UTF-8.
 * @typedef {Awaited<ReturnType<typeof loadFormats>>} Formats
 * @type {{[format: string]: {ending: string, write: (app: App, formats: Formats) => string}}} */
const FORMATS = {
  kif: { ending: "kifu", write: (app, formats) => openGameAsKif(app, formats) },
  usi: { ending: "usi", write: (app, { writeUsiLine }) => writeUsiLine(app.tree) + "\n" },
  sfen: { ending: "sfen", write: (app) => app.position.sfen() + "\n" },
};

/** The drawing of pictures, which is loaded when it is needed. */
const loadPictures = () => import("./picture.js");

const PICTURES = ["svg", "png"];

/** The dialog that shows the game as text or the shown position as a picture, to copy or save.
 * @param {App} app */
async function showSave(app) {
  const formats = await loadFormats(), { positionPicture, pictureAsPng } = await loadPictures();
  /** @type {[string, string][]} */
  const names = [...Object.keys(FORMATS), ...PICTURES].map((name) => [name, t(`records.${name}`)]);
  const format = choice(t("records.format"), names, "kif", fill, { id: "save-format" });
  const text = h("textarea", { id: "save-text", rows: 12, readonly: true, spellcheck: "false", "aria-label": t("records.saveTitle") });
  const image = h("img", { id: "save-picture" }), told = h("p", { class: "told", role: "status" });
  const copyText = h("button", { type: "button", onclick: () => void copy(text, told) }, t("records.copy"));
  openDialog(t("records.saveTitle"), t("close"), h("div", { class: "ask" }, format.row, text, image, told, h("div", { class: "buttons" },
    copyText, h("button", { type: "button", class: "main", id: "download", onclick: () => void save() }, t("records.download")))));
  fill();

  function fill() {
    const { value } = format.select, isPicture = PICTURES.includes(value);
    text.hidden = copyText.hidden = isPicture;
    image.hidden = !isPicture;
    told.textContent = "";
    if (!isPicture) {
      text.value = FORMATS[value].write(app, formats);
      return;
    }
    const picture = positionPicture(app);
    Object.assign(image, { src: `data:image/svg+xml,${encodeURIComponent(picture.text)}`, alt: picture.words });
  }

  async function save() {
    const { value } = format.select, name = app.name || app.tree.variant;
    if (!PICTURES.includes(value)) return saveFile(name, FORMATS[value].ending, text.value);
    try {
      const picture = positionPicture(app);
      saveFile(name, value, value === "png" ? await pictureAsPng(picture) : new Blob([picture.text], { type: "image/svg+xml" }));
    } catch (error) {
      told.textContent = /** @type {Error} */ (error).message;
    }
  }
}

/** The dialog that shows addresses to share, with their lengths.
 * @param {App} app */
async function showShare(app) {
  const here = location.origin + location.pathname, { game, tree } = app;
  const told = h("p", { class: "told", role: "status" }), trouble = h("p", { class: "trouble" });
  /** @type {[id: string, key: string, hash: string][]} */
  const kinds = [
    ["share-game", "records.shareGame", writeAddress(game, tree)], ["share-position", "records.sharePosition", writeAddress(game, tree, true)],
  ];
  try {
    const formats = await loadFormats();
    kinds.splice(1, 0, ["share-whole", "records.shareWhole", await formats.writeRecordAddress(openGameAsKif(app, formats), tree)]);
  } catch (error) {
    trouble.textContent = /** @type {Error} */ (error).message;
  }
  if (kinds.some(([, , hash]) => (here + hash).length > LONG_ADDRESS)) trouble.textContent += ` ${t("records.shareLong", { most: LONG_ADDRESS })}`;
  const rows = kinds.map(([id, key, hash]) => {
    const input = h("input", { type: "text", id, readonly: true, spellcheck: "false" });
    input.value = here + hash;
    const button = h("button", { type: "button", "aria-label": `${t("records.copy")}: ${t(key)}`, class: "copy", onclick: () => void copy(input, told) }, t("records.copy"));
    const name = h("span", {}, t(key), " ", h("small", {}, t("records.characters", { count: input.value.length })));
    return h("div", { class: "copied" }, h("label", {}, name, input), button);
  });
  openDialog(t("records.shareTitle"), t("close"), h("div", { class: "ask" }, ...rows, trouble, h("p", { class: "told" }, t("records.shareNote")), told));
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

/** Convert a game of a match file to a game tree.
 * @param {MatchGame} game  @returns {GameTree} */
function recordOf({ number, variant, start, moves, book, dice, black, white, winner, reason, scores, ms }) {
  const tree = new GameTree(variant, start);
  moves.forEach((move, index) => {
    const place = index - book, node = tree.play(move, dice[place] ?? 0);
    node.said = scores[place] || null;
    node.ms = ms[place] ?? null;
  });
  tree.end.end = { winner, reason };
  return Object.assign(tree, { names: [black, white], label: `${number + 1}` });
}

/** @param {MatchGame} game */
function matchTitle({ number, black, white, winner, reason, fault, moves }) {
  const end = fault || reason.replaceAll("_", " ");
  const names = `${black || sideName(0)} – ${white || sideName(1)}`;
  return `${number + 1}. ${names} · ${winnerText(winner)} · ${end} · ${t("plies", { plies: moves.length })}`;
}

/** The dialog that searches the local server's match files and opens their games, with scores and times.
 * @param {App} app */
function askMatch(app) {
  const server = /** @type {NonNullable<App["index"]["server"]>} */ (app.index.server);
  const file = choice(t("records.match"), server.matches, server.matches[0], () => void load(), { id: "match-file" });
  const games = gameSearch("match", (/** @type {MatchGame} */ game) => void open(game));
  const dialog = openDialog(t("records.matchesTitle"), t("close"), h("div", { class: "ask" }, file.row, games.element));
  void load();

  async function load() {
    const name = file.select.value;
    games.show(/** @type {MatchGame[]} */ ([]), matchTitle);
    games.told.textContent = t("loading");
    try {
      const read = await readMatch(server, name);
      if (name === file.select.value) games.show(read.games, matchTitle);
    } catch (error) {
      games.told.textContent = /** @type {Error} */ (error).message;
    }
  }

  /** @param {MatchGame} game */
  async function open(game) {
    try {
      await openRecord(app, recordOf(game));
      dialog.close();
    } catch (error) {
      games.told.textContent = /** @type {Error} */ (error).message;
    }
  }
}
