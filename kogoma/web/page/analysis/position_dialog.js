// The dialog to set up a position on a board or as SFEN.

import { BoardEditor } from "../../board/editor.js";
import { parseSfen } from "../../board/state.js";
import { entryOf, loadGame } from "../../client/loader.js";
import { Position } from "../../engine/position.js";
import { choice, h, openDialog } from "../elements.js";
import { GameTree } from "../game_tree.js";
import { translatedError } from "../game_records/errors.js";
import { gameOf } from "../game_records/known_games.js";
import { openRecord } from "../game_records/panel.js";
import { t } from "../later_texts.js";
import { gameName } from "../translate.js";

/** A dialog that asks for a position and opens a game that starts there. */
export class PositionDialog {
  /** @param {App} app */
  constructor(app) {
    this._app = app;
    this._asked = 0; // counts requests to the loader, so that an outdated answer is ignored
    const games = app.index.games.map(({ name }) => /** @type {[string, string]} */ ([name, gameName(name)]));
    this._game = choice(t("analysis.game"), games, app.tree.variant, () => this._setUpStart(), { id: "position-game" });
    this._sfen = h("input", {
      type: "text", id: "position-sfen", "aria-label": t("analysis.sfen"), spellcheck: "false", autocomplete: "off", maxlength: 400,
      oninput: () => this._typed(),
    });
    this._board = h("div", { class: "position-board" });
    this._status = h("p", { class: "told", role: "status", id: "position-told" });
    this._open = h("button", { type: "submit", class: "main" }, t("analysis.openPosition"));
    const usual = h("button", { type: "button", onclick: () => this._setUpStart() }, t("analysis.usual"));
    const form = h("form", { class: "ask", onsubmit: (/** @type {Event} */ event) => void this._submit(event) },
      this._game.row, this._board, h("label", {}, h("span", {}, t("analysis.sfen")), this._sfen), this._status,
      h("div", { class: "buttons" }, usual, this._open));
    this._dialog = openDialog(t("analysis.positionTitle"), t("close"), form);
    this._dialog.classList.add("wide");
    this._editor = new BoardEditor(this._board, { onChange: (sfen) => {
      this._sfen.value = this._entry.placements ? sfen.replace(/ \d+$/, "") : sfen; // then the move number follows from the pieces
      void this._check(false);
    } });
    this._sfen.value = app.position.sfen();
    void this._check();
  }

  get _entry() {
    return entryOf(this._app.index, this._game.select.value);
  }

  /** Set up the start position of the chosen variant. */
  _setUpStart() {
    this._sfen.value = this._entry.start;
    void this._check();
  }

  /** Select the variant that fits the typed SFEN, and check the position. */
  _typed() {
    const name = gameOf(this._sfen.value, this._app.index.games, this._game.select.value);
    if (name) this._game.select.value = name;
    void this._check();
  }

  /** Show whether the position is valid.
   * @param {boolean} [show] whether to draw a valid position on the board */
  async _check(show = true) {
    const asked = ++this._asked, { _entry: entry, _app: app } = this;
    let trouble = "", sfen = "";
    try {
      const game = await loadGame(app.index, entry.name);
      if (asked !== this._asked) return;
      const position = new Position(game, this._sfen.value.trim());
      sfen = position.sfen();
      position.release();
    } catch (error) {
      trouble = translatedError(error);
    }
    if (asked !== this._asked) return;
    this._status.textContent = trouble || t("analysis.good");
    this._status.classList.toggle("trouble", Boolean(trouble));
    this._open.disabled = Boolean(trouble);
    if (sfen && show) this._draw(sfen);
  }

  /** @param {string} sfen */
  _draw(sfen) {
    const { name, files, ranks, order, choices, die } = this._entry, { view, index } = this._app;
    const state = parseSfen(sfen, name, [files, ranks, order, choices]);
    this._editor.show(state, { ...view, names: [t("black"), t("white")], cards: index.cards, die: 0, dice: die !== "none", over: false, legal: [] });
  }

  /** @param {Event} event */
  async _submit(event) {
    event.preventDefault();
    const { _app: app, _entry: entry } = this, sfen = this._sfen.value.trim();
    try {
      await openRecord(app, new GameTree(entry.name, sfen));
      this._dialog.close();
    } catch (error) {
      this._status.textContent = translatedError(error);
    }
  }
}
