// Saved games: the open game is saved after every move; others can be listed, opened, named and deleted.

import { h, iconButton, openDialog, saveFile } from "./elements.js";
import { compiled } from "./local_server.js";
import { checkGame, newId } from "./storage.js";
import { gameName, language, t, winnerText } from "./translate.js";
import { openView } from "./views.js";

/** The reader and writer of backups, loaded when they are needed. */
const loadBackup = () => import("./backup.js");

const SOON = 200; // ms from a change until it is saved
const TYPED = 1000; // ms from the last key pressed in a comment until it is saved

/** Saves the open game. If the game is open in two tabs, the tab that saved it last continues it; later changes in the
 * other tab are saved as a new game. */
export class Keeper {
  /** @param {App} app  @param {Store} store */
  constructor(app, store) {
    this._app = app;
    this._store = store;
    this.id = newId();
    /** The time of the save that this tab made or opened last, in ms since 1970; 0 if none. */
    this._kept = 0;
    /** The saved game that is being opened: its id ("" for none) and when it was saved. Other games get a new id. */
    this._opening = { id: "", kept: 0 };
    this._timer = 0;
    this._changed = false;
    this._live = app.match.live;
    app.on("leaving", () => this.flush());
    app.on("changed", (what) => {
      if (what === "game") {
        this.id = this._opening.id || newId();
        this._kept = this._opening.kept;
        this._changed = false;
      } else if (what !== "view" && what !== "node") {
        this._soon();
      }
    });
    app.on("commented", () => {
      this._changed = true;
      clearTimeout(this._timer);
      this._timer = setTimeout(() => this.flush(), TYPED);
    });
    document.addEventListener("change", () => this._changed && this.flush()); // the end of typing
    store.onKeptElsewhere((id) => id === this.id && this._isElsewhere() && this._part());
    const leave = () => {
      this.flush();
      if (this._kept && app.tree) store.keepShown(this.id, app.node.indices());
    };
    window.addEventListener("pagehide", leave);
    document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && leave());
  }

  /** Open a saved game, when its variant is compiled. Throws an Error, and changes nothing, if it is invalid.
   * @param {string} id */
  async open(id) {
    const stored = checkGame(this._store.game(id));
    await compiled(this._app, stored.tree.variant);
    this._opening = { id, kept: stored.changed };
    try {
      await this._app.open(stored.tree, { name: stored.name, match: stored.match });
    } finally {
      this._opening = { id: "", kept: 0 };
    }
    this._store.current = id;
    const shown = this._store.shown(id);
    if (shown) this._app.goTo(this._app.tree.at(shown));
  }

  /** Open a saved game, or show why that fails. Returns whether it was opened.
   * @param {string} id */
  async tryOpen(id) {
    try {
      await this.open(id);
      return true;
    } catch (error) {
      this._app.tell(t("cannot-open", { text: /** @type {Error} */ (error).message }), "problem");
      return false;
    }
  }

  /** Save the open game if it has changed or its clock is running. A game without moves, result and name
   * is not saved, unless it was saved before its moves were taken back or deleted. */
  flush() {
    clearTimeout(this._timer);
    this._timer = 0;
    const { _app: app } = this, { tree, match, name } = app;
    if (!this._changed && !(match?.clock.control && match.clock.running !== null)) return;
    if (!tree.root.next.length && !match.result && !name && !this._kept) return;
    if (this._isElsewhere()) this._part();
    this._changed = false;
    this._kept = Date.now();
    this._store.keepGame(this.id, { format: 1, name, changed: this._kept, tree: tree.toJSON(), match: match.toJSON() });
    this._store.current = this.id;
  }

  /** Whether another tab has saved this game since this tab saved or opened it. */
  _isElsewhere() {
    const changed = this._store.game(this.id)?.changed ?? this._kept;
    return changed !== this._kept;
  }

  /** Leave the saved game to the other tab and continue under a new id. A message offers to take the game back. */
  _part() {
    const { _app: app, id } = this;
    this.id = newId();
    this._kept = 0;
    this._live = app.match.live;
    if (!app.match.result) app.match.pause();
    clearTimeout(this._timer);
    this._timer = 0;
    this._changed = false;
    app.match.tell(t("elsewhere"), "problem", { label: t("go-on-here"), act: async () => {
      if (await this.tryOpen(id)) this.saveNow(); // saving notifies the other tab
    } });
  }

  /** Save the open game at once, after it has been renamed or taken over from another tab. */
  saveNow() {
    this._changed = true;
    this.flush();
  }

  /** Save moves at once, and other changes after a short delay. */
  _soon() {
    this._changed = true;
    const { live } = this._app.match;
    if (live !== this._live) this.flush();
    this._live = live;
    if (this._changed && !this._timer) this._timer = setTimeout(() => this.flush(), SOON);
  }
}

/** All valid saved games, the last changed one first, each with its id, title, and whether its main line has an end.
 * @param {Store} store */
export function savedGames(store) {
  return store.ids().flatMap((id) => {
    try {
      const game = checkGame(store.game(id));
      return [{ id, game, title: titleOf(game), over: Boolean(mainLine(game).end) }];
    } catch {
      return []; // the dialog of all games says what is wrong
    }
  }).sort((a, b) => b.game.changed - a.game.changed);
}

/** The title of a game in the list.
 * @param {StoredGame} game */
const titleOf = ({ name, tree, changed }) =>
  name || tree.names?.filter((one) => one).join(" – ") || `${gameName(tree.variant)}, ${dateText(changed)}`;

/** @param {number} time */
const dateText = (time) => new Intl.DateTimeFormat(language(), { dateStyle: "medium", timeStyle: "short" }).format(time);

/** The number of moves of the main line, and its end, if it has one.
 * @param {StoredGame} game  @returns {{plies: number, end: End | undefined}} */
function mainLine({ tree }) {
  let plies = 0, last = /** @type {{end?: End, next?: StoredNode[]}} */ (tree);
  for (; !last.end && last.next?.length; last = last.next[0]) plies += 1;
  return { plies, end: last.end };
}

/** Variant, length, result and date of a saved game.
 * @param {StoredGame} game */
export function aboutGame(game) {
  const { plies, end } = mainLine(game);
  const result = end ? winnerText(end.winner) : t("in-progress");
  return [gameName(game.tree.variant), t("plies", { plies }), result, dateText(game.changed)].join(" · ");
}

/** Open a saved game in the view for it: a finished one to analyse. Returns whether it was opened.
 * @param {App} app  @param {Keeper} keeper  @param {string} id */
export async function openSaved(app, keeper, id) {
  if (id !== keeper.id && !(await keeper.tryOpen(id))) return false;
  openView(app.match.result ? "analyse" : "play");
  return true;
}

/** Show the dialog of saved games.
 * @param {App} app  @param {Store} store  @param {Keeper} keeper  @param {Settings} settings
 * @param {() => void} changed is called when the settings have changed */
export function showGames(app, store, keeper, settings, changed) {
  keeper.flush();
  const list = h("ul", { class: "kept" });
  const file = h("input", { type: "file", id: "backup-file", accept: ".json", hidden: true, onchange: () => void restore() });
  const told = h("p", { class: "trouble", role: "alert", id: "backup-told" });
  const dialog = openDialog(t("games"), t("close"), list, h("div", { class: "row backup" },
    h("button", { type: "button", id: "save-backup", onclick: () => void save() }, t("backup.save")),
    h("button", { type: "button", id: "restore-backup", onclick: () => file.click() }, t("backup.restore")), file),
    h("p", { class: "told" }, t("backup.note")), told);
  fill();

  async function save() {
    told.textContent = "";
    keeper.flush();
    const { backupText } = await loadBackup(), { text, left } = backupText(store, settings.chosen);
    saveFile(`kogoma-${new Date().toISOString().slice(0, 10)}`, "json", new Blob([text], { type: "application/json" }));
    if (left) app.tell(t("backup.left", { count: left }));
  }

  async function restore() {
    const [chosen] = file.files ?? [];
    if (!chosen) return;
    told.textContent = "";
    try {
      const { readBackup, restored } = await loadBackup(), backup = readBackup(await chosen.text());
      keeper.flush();
      const counts = restored(store, backup);
      dialog.close(); // the language may be another one
      settings.load();
      changed();
      if (counts.changed.includes(keeper.id)) await keeper.tryOpen(keeper.id);
      showGames(app, store, keeper, settings, changed);
      app.tell(t("backup.done", { added: counts.added, changed: counts.changed.length, both: counts.both, same: counts.same }));
    } catch (error) {
      told.textContent = /** @type {Error} */ (error).message;
    }
    file.value = "";
  }

  function fill() {
    const games = store.ids().map((id) => ({ id, raw: store.game(id) })).sort((a, b) => (b.raw?.changed ?? 0) - (a.raw?.changed ?? 0));
    const focused = [...list.children].findIndex((one) => one.contains(document.activeElement));
    list.replaceChildren(...games.map(({ id, raw }) => row(id, raw)));
    if (!games.length) list.append(h("li", { class: "told" }, t("no-games")));
    if (focused < 0) return;
    const next = list.children[Math.min(focused, games.length - 1)]?.querySelector(".erase");
    /** @type {HTMLElement} */ (next ?? dialog).focus();
  }

  /** @param {string} id  @param {any} raw */
  function row(id, raw) {
    const erase = iconButton(t("delete"), ["M6 7h12l-1 14H7zM9 3h6l1 2h4v2H4V5h4z"], () => remove(id, raw), { class: "erase" });
    /** @type {StoredGame} */
    let game;
    /** @type {string} */
    let about;
    try {
      game = checkGame(raw);
      about = aboutGame(game);
    } catch (error) {
      return h("li", { class: "unreadable" }, h("span", {}, `${t("unreadable")}: ${/** @type {Error} */ (error).message}`), erase);
    }
    /** @type {HTMLInputElement} */
    const name = h("input", { type: "text", "aria-label": t("rename"), maxlength: 200, placeholder: titleOf({ ...game, name: "" }), onchange: () => rename(id, game, name.value) });
    name.value = game.name;
    const open = h("button", { type: "button", class: "open", onclick: () => openGame(id) }, t("open"));
    const current = id === keeper.id;
    return h("li", { "aria-current": current ? "true" : null }, name, open, erase, h("small", {}, current ? `${t("open-now")} · ${about}` : about));
  }

  /** @param {string} id */
  async function openGame(id) {
    if (await openSaved(app, keeper, id)) dialog.close();
  }

  /** @param {string} id  @param {StoredGame} game  @param {string} name */
  function rename(id, game, name) {
    if (id === keeper.id) {
      app.name = name;
      keeper.saveNow();
    } else {
      store.keepGame(id, { ...game, name });
    }
  }

  /** @param {string} id  @param {any} raw */
  function remove(id, raw) {
    store.removeGame(id);
    let name = t("unreadable");
    try {
      name = titleOf(checkGame(raw));
    } catch {
      // invalid data has no name
    }
    app.tell(t("deleted", { name }), "note", { label: t("undo"), act: () => {
      store.keepGame(id, raw);
      fill();
    } });
    fill();
  }
}
