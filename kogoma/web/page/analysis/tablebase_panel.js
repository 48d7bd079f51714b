// Perfect play: every legal move of the shown position with its value, from a tablebase. The tab is there in games that
// have one on this site, and loads it when it is chosen.

import { shortMove } from "../../board/descriptions.js";
import { Tablebase } from "../../client/tablebase.js";
import { includes } from "../app.js";
import { h } from "../elements.js";
import { t } from "../later_texts.js";
import { sideName } from "../translate.js";
import { actsFor } from "./lines_view.js";

const NAME = "table"; // of the tab

export class TablebasePanel {
  /** @param {App} app  @param {import("../tabs.js").Tabs} tabs */
  constructor(app, tabs) {
    this._app = app;
    this._tabs = tabs;
    this._acts = actsFor(app);
    /** @type {Promise<Tablebase> | null} of the open game */
    this._tablebase = null;
    this._asked = 0; // the number of the newest request
    this._shows = ""; // the position and the words that are shown
    this._keepsFocus = false; // whether the panel has the focus in place of a move
    this._status = h("p", { role: "status", id: "table-status" });
    this._list = h("ol", { class: "table-moves", id: "table-moves" });
    this._panel = tabs.add(NAME, "tab-table", () => this.show("node"));
    this._panel.append(this._status, this._list);
    app.on("changed", (what) => this.show(what));
  }

  /** @param {Change} what */
  show(what) {
    const { _app: app } = this, name = app.tree?.variant;
    if (what === "game") {
      this._tablebase = null;
      this._shows = "";
      this._tabs.offer(NAME, this._exists);
    }
    if (includes(what, "node") || what === "view") void this._look();
  }

  /** Whether the open game has a tablebase, or winning replies from the start. */
  get _exists() {
    const { index, tree } = this._app;
    return Boolean(index.tablebases[tree?.variant]) || index.replies.includes(tree?.variant);
  }

  /** Look up the shown position, and show its moves. */
  async _look() {
    const { _app: app, _panel: panel } = this, name = app.tree?.variant;
    if (!panel || panel.hidden || !this._exists) return;
    const game = { start: app.position.startSfen, moves: app.tree.moves() }, hides = app.answer !== null;
    const shows = JSON.stringify([game, app.view.language, hides]);
    if (shows === this._shows) return;
    this._shows = shows;
    const asked = ++this._asked;
    if (hides || app.outcome) {
      this._draw(hides ? t("analysis.busy") : t("analysis.over"), []);
      return;
    }
    const loading = setTimeout(() => this._draw(t("analysis.waiting"), []), 300);
    let status = "";
    /** @type {Known[]} */
    let moves = [];
    try {
      this._tablebase ??= Tablebase.load(app.index, name);
      const found = await (await this._tablebase).known(game);
      moves = found ?? [];
      const isKnown = found !== null && found.every(({ value }) => value !== null);
      status = found ? this._words(found[0], app.position.turn, isKnown) : t(app.index.tablebases[name] ? "table.unknown" : "table.outside");
    } catch (error) {
      if (asked === this._asked) this._tablebase = null;
      status = t("table.failed", { text: /** @type {Error} */ (error).message });
      this._shows = ""; // try again when the position is shown again
    }
    clearTimeout(loading);
    if (asked === this._asked) this._draw(status, moves);
  }

  /** The value of a position in words. If it is not known of all moves (`isKnown`), the best one wins, but another may win
   * sooner.
   * @param {Known} best  @param {number} turn  @param {boolean} isKnown */
  _words({ value }, turn, isKnown) {
    if (!value) return t("table.even");
    return t(isKnown ? "table.wins" : "table.winsAtMost", { side: sideName(value > 0 ? turn : 1 - turn), plies: Math.abs(value) });
  }

  /** @param {string} status  @param {Known[]} moves */
  _draw(status, moves) {
    const { _app: app, _list: list, _panel: panel } = this, focused = document.activeElement;
    const hadFocus = list.contains(focused) || (this._keepsFocus && focused === panel);
    this._keepsFocus = hadFocus && !moves.length; // the panel has it until there are moves again
    if (this._status.textContent !== status) this._status.textContent = status;
    list.replaceChildren(...moves.map((known) => h("li", {}, this._row(known))));
    if (hadFocus) (/** @type {HTMLElement | null} */ (list.querySelector("button")) ?? panel).focus();
    if (hadFocus && !moves.length) app.look(null);
  }

  /** A button that plays a move, and shows it while it has the focus or the pointer.
   * @param {Known} known */
  _row({ move, value, repeats }) {
    const { _app: { state, view, index }, _acts: acts } = this;
    const result = value === null ? "open" : value > 0 ? "win" : value < 0 ? "loss" : "draw";
    const look = () => acts.look([move]), leave = () => acts.look(null);
    return h("button", {
      type: "button", class: `table-move ${result}`, "data-usi": move, "data-value": value,
      onclick: () => {
        leave();
        acts.play([move]);
      },
      onfocus: look, onblur: leave, onpointerenter: look, onpointerleave: leave,
    }, h("strong", {}, shortMove(state, move, view.language, index.cards)), " ",
    h("span", {}, t(`table.${result}`, { plies: Math.abs(value ?? 0) }), repeats ? t("table.repeats") : ""));
  }
}
