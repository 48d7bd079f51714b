// The games of the lab's match files, which the local server was given: found, and opened with their scores and times.

import { readMatch } from "../../client/remote_engine.js";
import { choice, h, openDialog } from "../elements.js";
import { GameTree } from "../game_tree.js";
import { openRecord } from "./opening.js";
import { t } from "./words.js";

const MOST = 300; // games that are listed at a time

/** A game as the page has it.
 * @param {MatchGame} game  @returns {import("./record.js").GameRecord} */
export function recordOf({ number, variant, start, moves, book, dice, black, white, winner, reason, scores, ms }) {
  const tree = new GameTree(variant, start);
  moves.forEach((move, index) => {
    const place = index - book, node = tree.play(move, dice[place] ?? 0);
    node.said = scores[place] || null;
    node.ms = ms[place] ?? 0;
  });
  return { tree, names: [black, white], label: `${number + 1}`, clock: "", end: { winner, reason } };
}

/** @param {MatchGame} game */
function titleOf({ number, black, white, winner, reason, fault, moves }) {
  const result = winner === 0 ? "1–0" : winner === 1 ? "0–1" : "½–½";
  const end = fault || reason.replaceAll("_", " ");
  return `${number + 1}. ${black} – ${white} ${result} · ${end} · ${t("records.plies", { plies: moves.length })}`;
}

/** @param {App} app */
export function askMatch(app) {
  const server = /** @type {NonNullable<App["index"]["server"]>} */ (app.index.server);
  const files = server.matches.map((/** @type {string} */ name) => /** @type {[string, string]} */ ([name, name]));
  const file = choice(t("records.match"), files, server.matches[0], () => void load(), { id: "match-file" });
  const find = h("input", { type: "search", id: "match-find", oninput: fill });
  const count = h("p", { class: "told", role: "status" });
  const list = h("ol", { class: "found", id: "match-games" });
  /** @type {{game: MatchGame, title: string}[]} */
  let games = [];
  const dialog = openDialog(t("records.matchesTitle"), t("close"), h("div", { class: "ask" }, file.row,
    h("label", { class: "field" }, h("span", {}, t("records.find")), find), count, list));
  void load();

  async function load() {
    const name = file.select.value;
    games = [];
    list.replaceChildren();
    count.textContent = t("records.loading");
    try {
      const read = await readMatch(server, name);
      if (name !== file.select.value) return;
      games = read.games.map((game) => ({ game, title: titleOf(game) }));
      fill();
    } catch (error) {
      count.textContent = /** @type {Error} */ (error).message;
    }
  }

  function fill() {
    const words = find.value.toLowerCase().split(/\s+/).filter((word) => word);
    const found = games.filter(({ title }) => words.every((word) => title.toLowerCase().includes(word)));
    count.textContent = t("records.found", { count: found.length, all: games.length });
    list.replaceChildren(...found.slice(0, MOST).map(({ game, title }) => h("li", {},
      h("button", { type: "button", class: "open", onclick: () => void open(game) }, title))));
  }

  /** @param {MatchGame} game */
  async function open(game) {
    try {
      await openRecord(app, recordOf(game));
      dialog.close();
    } catch (error) {
      count.textContent = /** @type {Error} */ (error).message;
    }
  }
}
