// The home page: the games as small boards, the game to continue, and the last games.

import { drawBoard } from "../board/scene.js";
import { parseSfen } from "../board/state.js";
import { h } from "./elements.js";
import { aboutGame, savedGames } from "./games_list.js";
import { TEXTS } from "./messages.js";
import { gameName, t } from "./translate.js";

const SHOWN = 5; // games in the list of the last ones

export class HomePage {
  /** @param {App} app  @param {HTMLElement} slot  @param {Store} store
   * @param {{play: (variant: string) => void, open: (id: string) => void, openFile: () => void}} acts */
  constructor(app, slot, store, acts) {
    this._app = app;
    this._store = store;
    this._acts = acts;
    this._drawn = "";
    this._first = h("div", { class: "row" });
    this._cards = h("ul", { class: "cards" });
    this._last = h("ul", { class: "last" });
    slot.append(this._first,
      h("h2", { "data-text": "choose-game" }), this._cards,
      h("h2", { "data-text": "last-games" }), this._last);
  }

  /** Draw the page; the boards only if games, language or look have changed. */
  show() {
    const { index, view } = this._app, games = savedGames(this._store);
    const drawn = JSON.stringify([index.games.map(({ name }) => name), view.language, view.pieceSet]);
    if (drawn !== this._drawn) this._cards.replaceChildren(...index.games.map((entry) => this._card(entry)));
    this._drawn = drawn;
    const unfinished = games.find(({ over }) => !over), { open, openFile } = this._acts;
    this._first.replaceChildren(
      ...(unfinished ? [h("button", { type: "button", id: "continue", class: "main", onclick: () => open(unfinished.id) },
        `${t("continue")}: ${unfinished.title}`)] : []),
      h("button", { type: "button", id: "open-file", onclick: openFile }, t("open-file")));
    this._last.replaceChildren(...games.slice(0, SHOWN).map(({ id, title, game }) => h("li", {},
      h("button", { type: "button", onclick: () => open(id) }, h("strong", {}, title), " ", h("small", {}, aboutGame(game))))));
    if (!games.length) this._last.append(h("li", { class: "told" }, t("no-games")));
  }

  /** @param {GameEntry} entry */
  _card({ name, files, ranks, order, choices, start }) {
    const { index, view } = this._app, about = `about-${name}`;
    const state = parseSfen(start, name, [files, ranks, order, choices]);
    const board = drawBoard(state, {
      ...view, flipped: 0, names: ["", ""], cards: index.cards, die: 0, dice: false, over: false, coordinates: false, stands: "none",
    });
    board.setAttribute("aria-hidden", "true");
    return h("li", { class: "card", "data-variant": name }, h("div", { class: "card-board" }, board),
      h("h3", {}, gameName(name), " ", h("small", {}, `${files}×${ranks}`)),
      h("p", {}, about in TEXTS ? t(about) : ""),
      h("button", { type: "button", class: "main", "aria-label": `${t("play-now")}: ${gameName(name)}`, onclick: () => this._acts.play(name) }, t("play-now")));
  }
}
