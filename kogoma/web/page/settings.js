// The user's settings (language, theme, pieces, engine), and their dialog.

import { choice, openDialog } from "./elements.js";
import { LANGUAGES, chooseLanguage, t } from "./translate.js";

/** @typedef {"auto" | "light" | "dark" | "contrast"} Theme */
/** @typedef {{language: "en" | "ja", theme: Theme, pieceSet: "two" | "one" | "western", coordinates: boolean,
 *   threads: number, hashMb: number, engine: string}} Chosen
 *   `engine` is the name of the analysis engine, "" for the page's own */

/** @type {Theme[]} */
const THEMES = ["auto", "light", "dark", "contrast"];
const PIECE_SETS = /** @type {const} */ (["two", "one", "western"]);

/** @template T  @param {readonly T[]} known  @param {any} value  @param {T} otherwise  @returns {T} */
const oneOf = (known, value, otherwise) => (known.includes(value) ? value : otherwise);

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
    const { language, theme } = this.chosen, { dataset } = document.documentElement;
    chooseLanguage(language);
    if (theme === "auto") delete dataset.theme;
    else dataset.theme = theme;
  }
}

/** The settings as saved, with defaults for those that are missing or invalid.
 * @param {any} kept  @param {boolean} kanji  @returns {Chosen} */
const chosenOf = (kept, kanji) => ({
  language: oneOf(/** @type {const} */ (["en", "ja"]), kept.language, preferred()),
  theme: oneOf(THEMES, kept.theme, "auto"),
  pieceSet: oneOf(PIECE_SETS, kept.pieceSet, kanji ? "one" : "western"),
  coordinates: kept.coordinates !== false,
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

/** Show the settings dialog; changes are applied at once.
 * @param {Settings} settings  @param {number} mostThreads  @param {string[]} engines the names of the server's
 * @param {() => void} changed called after each change */
export function askSettings(settings, mostThreads, engines, changed) {
  const { chosen } = settings;
  /** @param {Partial<Chosen>} values */
  const set = (values) => {
    settings.change(values);
    changed();
    if ("language" in values) {
      dialog.close();
      askSettings(settings, mostThreads, engines, changed);
    }
  };
  const counts = Array.from({ length: mostThreads }, (_, index) => `${index + 1}`);
  const rows = [
    choice(t("language"), LANGUAGES, chosen.language, (value) => set({ language: /** @type {"en" | "ja"} */ (value) })),
    choice(t("theme"), THEMES.map((name) => [name, t(`theme-${name}`)]), chosen.theme, (value) => set({ theme: /** @type {Theme} */ (value) })),
    choice(t("pieces"), PIECE_SETS.map((name) => [name, t(`pieces-${name}`)]), chosen.pieceSet,
      (value) => set({ pieceSet: oneOf(PIECE_SETS, value, "one") })),
    choice(t("coordinates"), [["yes", t("yes")], ["no", t("no")]], chosen.coordinates ? "yes" : "no",
      (value) => set({ coordinates: value === "yes" })),
    ...(engines.length ? [choice(t("analysis-engine"), [["", t("this-page")], ...engines], chosen.engine,
      (value) => set({ engine: value }))] : []),
    ...(mostThreads > 1 ? [choice(t("threads"), counts, `${Math.min(chosen.threads, mostThreads)}`, (value) => set({ threads: Number(value) }))] : []),
    choice(t("memory"), ["16", "64", "256"].map((mb) => [mb, `${mb} MB`]), `${chosen.hashMb}`, (value) => set({ hashMb: Number(value) })),
  ];
  const dialog = openDialog(t("settings"), t("close"), ...rows.map(({ row }) => row));
}
