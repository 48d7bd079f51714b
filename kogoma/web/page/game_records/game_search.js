// A list of games in a dialog, with a search field.

import { h } from "../elements.js";
import { t } from "../later_texts.js";

const ADDED = 100; // games that are added to the list at a time

/** @param {string} text  @returns {string} as it is compared in a search: 1-0 also finds 1–0 */
const typed = (text) => text.normalize("NFKC").toLowerCase().replaceAll("–", "-");

/** Make a list of games that can be searched and opened. `show` fills it; entries are added to the page as the list is
 * scrolled. `told` is a line of text above the list.
 * @template Listed
 * @param {string} name of the ids  @param {(game: Listed) => void} open */
export function gameSearch(name, open) {
  const find = h("input", { type: "search", id: `${name}-find`, oninput: search });
  const told = h("p", { class: "told", role: "status" });
  const list = h("ol", { class: "found", id: `${name}-games`, onscroll: add });
  /** @type {{game: Listed, title: string, words: string}[]} */
  let games = [];
  let found = games;
  return { element: h("div", {}, h("label", { class: "field" }, h("span", {}, t("records.find")), find), told, list), told, show };

  /** @param {Listed[]} shown  @param {(game: Listed, index: number) => string} titleOf */
  function show(shown, titleOf) {
    games = shown.map((game, index) => {
      const title = titleOf(game, index);
      return { game, title, words: typed(title) };
    });
    search();
  }

  function search() {
    const words = typed(find.value).split(/\s+/);
    found = games.filter((game) => words.every((word) => game.words.includes(word)));
    told.textContent = t("records.found", { count: found.length, all: games.length });
    list.replaceChildren();
    list.scrollTop = 0;
    add();
  }

  /** Add entries while the end of the list is near. */
  function add() {
    const count = list.childElementCount;
    if (list.scrollTop + 3 * list.clientHeight < list.scrollHeight && count) return;
    list.append(...found.slice(count, count + ADDED).map(({ game, title }) => h("li", {},
      h("button", { type: "button", class: "open", onclick: () => open(game) }, title))));
  }
}
