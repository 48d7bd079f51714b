// The user's settings: language, colours, board, pieces, engine. Their dialog is in settings_dialog.js.

import { chooseLanguage } from "./translate.js";

/** @typedef {"auto" | "light" | "dark" | "contrast"} Theme */
/** @typedef {import("../board/drawing.js").PieceSet} PieceSet */
/** @typedef {"wood" | "plain" | "slate"} Board */
/** @typedef {{language: "en" | "ja", theme: Theme, board: Board, pieceSet: PieceSet, coordinates: boolean,
 *   sound: number, premoves: boolean, threads: number, hashMb: number, engine: string}} Chosen
 *   `sound` is the volume, from 0 (off) to 1; `engine` is the name of the analysis engine, "" for the page's own */

/** @type {Theme[]} */
export const THEMES = ["auto", "light", "dark", "contrast"];
/** @type {Board[]} */
export const BOARDS = ["wood", "plain", "slate"];
/** @type {PieceSet[]} */
export const PIECE_SETS = ["two", "one", "western", "moves"];

export const VOLUMES = [0, 0.2, 0.7];

/** @template T  @param {readonly T[]} known  @param {any} value  @param {T} otherwise  @returns {T} */
export const oneOf = (known, value, otherwise) => (known.includes(value) ? value : otherwise);

export class Settings {
  /** @param {Store} store  @param {boolean} kanji whether the browser has a font for kanji */
  constructor(store, kanji) {
    this._store = store;
    this._kanji = kanji;
    this.chosen = chosenOf(store.settings() ?? {}, kanji);
    this.apply();
  }

  /** Read the saved settings again, after a backup was restored. */
  load() {
    this.chosen = chosenOf(this._store.settings() ?? {}, this._kanji);
    this.apply();
  }

  /** @param {Partial<Chosen>} changed */
  change(changed) {
    Object.assign(this.chosen, changed);
    this._store.keepSettings(this.chosen);
    this.apply();
  }

  /** Set the language and the colours of the page. */
  apply() {
    const { language, theme, board } = this.chosen, { dataset } = document.documentElement;
    chooseLanguage(language);
    if (theme === "auto") delete dataset.theme;
    else dataset.theme = theme;
    dataset.board = board;
  }
}

/** The settings as saved, with defaults for those that are missing or invalid.
 * @param {any} kept  @param {boolean} kanji  @returns {Chosen} */
const chosenOf = (kept, kanji) => ({
  language: oneOf(/** @type {const} */ (["en", "ja"]), kept.language, preferred()),
  theme: oneOf(THEMES, kept.theme, "auto"),
  board: oneOf(BOARDS, kept.board, "wood"),
  pieceSet: oneOf(PIECE_SETS, kept.pieceSet, kanji ? "one" : "western"),
  coordinates: kept.coordinates !== false,
  premoves: kept.premoves === true,
  sound: oneOf(VOLUMES, kept.sound, 0),
  threads: Number.isInteger(kept.threads) && kept.threads > 0 ? kept.threads : 1,
  hashMb: [16, 64, 256].includes(kept.hashMb) ? kept.hashMb : 16,
  engine: typeof kept.engine === "string" ? kept.engine : "",
});

/** The first of the user's preferred languages that the page supports, or English.
 * @returns {"en" | "ja"} */
function preferred() {
  const asked = (navigator.languages ?? [navigator.language]).map((name) => name.slice(0, 2).toLowerCase());
  return asked.find((name) => name === "ja" || name === "en") === "ja" ? "ja" : "en";
}
