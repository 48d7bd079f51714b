// The dialog for the user's settings, with a picture of the chosen board and pieces.

import { drawBoard } from "../board/scene.js";
import { cased } from "../board/state.js";
import { choice, h, openDialog } from "./elements.js";
import { t } from "./later_texts.js";
import { BOARDS, PIECE_SETS, THEMES, VOLUMES, oneOf } from "./settings.js";
import { LANGUAGES } from "./translate.js";

/** @typedef {import("./settings.js").Settings} Settings */
/** @typedef {import("./settings.js").Chosen} Chosen */

const PICTURE = { files: 5, ranks: 2 };

/** Show the settings dialog; changes are applied at once.
 * @param {App} app  @param {Settings} settings  @param {number} mostThreads  @param {() => void} changed called after each
 *   change */
export function askSettings(app, settings, mostThreads, changed) {
  const { chosen } = settings, engines = app.index.server?.engines ?? [];
  const picture = h("div", { id: "settings-picture" });
  /** @param {Partial<Chosen>} values */
  const set = (values) => {
    settings.change(values);
    changed();
    picture.replaceChildren(drawPicture(app));
    if ("language" in values) {
      dialog.close();
      askSettings(app, settings, mostThreads, changed);
    }
  };
  /** A choice between the names of a setting.
   * @template {string} T  @param {string} id  @param {string} label  @param {readonly T[]} names  @param {string} prefix of their texts
   * @param {T} value  @param {(value: T) => void} act */
  const names = (id, label, names, prefix, value, act) =>
    choice(t(label), names.map((name) => [name, t(`${prefix}-${name}`)]), value, (text) => act(oneOf(names, text, value)), { id });
  const counts = Array.from({ length: mostThreads }, (_, index) => `${index + 1}`);
  const rows = [
    choice(t("language"), LANGUAGES, chosen.language, (value) => set({ language: /** @type {"en" | "ja"} */ (value) })),
    names("set-theme", "theme", THEMES, "theme", chosen.theme, (theme) => set({ theme })),
    names("set-pieces", "pieces", PIECE_SETS, "pieces", chosen.pieceSet, (pieceSet) => set({ pieceSet })),
    names("set-board", "board", BOARDS, "board", chosen.board, (board) => set({ board })),
    choice(t("coordinates"), [["yes", t("yes")], ["no", t("no")]], chosen.coordinates ? "yes" : "no",
      (value) => set({ coordinates: value === "yes" })),
    choice(t("premoves"), [["no", t("off")], ["yes", t("on")]], chosen.premoves ? "yes" : "no",
      (value) => set({ premoves: value === "yes" }), { id: "set-premoves" }),
    choice(t("sound"), VOLUMES.map((volume, index) => [`${volume}`, t(`sound-${index}`)]), `${chosen.sound}`,
      (value) => set({ sound: Number(value) }), { id: "set-sound" }),
    ...(engines.length ? [choice(t("analysis-engine"), [["", t("this-page")], ...engines], chosen.engine,
      (value) => set({ engine: value }), { id: "set-engine" })] : []),
    ...(mostThreads > 1 ? [choice(t("threads"), counts, `${Math.min(chosen.threads, mostThreads)}`, (value) => set({ threads: Number(value) }))] : []),
    choice(t("memory"), ["16", "64", "256"].map((mb) => [mb, `${mb} MB`]), `${chosen.hashMb}`, (value) => set({ hashMb: Number(value) })),
  ];
  picture.append(drawPicture(app));
  const dialog = openDialog(t("settings"), t("close"), ...rows.slice(0, 4).map(({ row }) => row), picture, ...rows.slice(4).map(({ row }) => row));
}

/** Draw some pieces of the open game, White's above Black's.
 * @param {App} app */
function drawPicture({ state, view, game, index }) {
  const { files, ranks } = PICTURE, { pieces } = game.variant;
  const letters = Array.from({ length: files }, (_, column) => pieces[Math.round((column * (pieces.length - 1)) / (files - 1))].letter);
  const board = [1, 0].flatMap((side) => letters.map((letter) => cased(letter, side)));
  const drawn = drawBoard({ ...state, files, ranks, board, hands: [{}, {}], cards: null, from: 2, to: 7, used: null }, {
    ...view, flipped: 0, names: ["", ""], cards: index.cards, die: 0, dice: false, over: false, coordinates: false, stands: "none",
  });
  drawn.setAttribute("aria-hidden", "true");
  return drawn;
}
