// Storage in the browser: settings, and games by id. The page also works without storage.

import { t } from "./translate.js";

/** @typedef {{format: 1, name: string, changed: number, tree: StoredTree, match: StoredMatch}} StoredGame
 *   `changed`: ms since 1970 */

const PREFIX = "kogoma/", GAME = `${PREFIX}game/`, SETTINGS = `${PREFIX}settings`;
const CURRENT = `${PREFIX}current`, SHOWN = `${PREFIX}shown`;

export class Store {
  /** @param {(text: string) => void} complain called once, when saving fails for the first time */
  constructor(complain) {
    this._complain = complain;
    this._hasComplained = false;
    /** @type {Map<string, string>} values that could not be saved and are kept in memory */
    this._unsaved = new Map();
  }

  /** Return the JSON value of a key, or null if it is missing or unreadable.
   * @param {string} key  @returns {any} */
  read(key) {
    try {
      const text = this._unsaved.get(key) ?? localStorage.getItem(key);
      return text === null ? null : JSON.parse(text);
    } catch {
      return null;
    }
  }

  /** Save a JSON value. If that fails, keep it in memory and, the first time, complain.
   * @param {string} key  @param {any} value */
  write(key, value) {
    const text = JSON.stringify(value);
    try {
      localStorage.setItem(key, text);
      this._unsaved.delete(key);
    } catch (error) {
      this._unsaved.set(key, text);
      if (this._hasComplained) return;
      this._hasComplained = true;
      this._complain(t(isFull(error) ? "storage-full" : "storage-missing"));
    }
  }

  /** @param {string} key */
  remove(key) {
    this._unsaved.delete(key);
    try {
      localStorage.removeItem(key);
    } catch {
      // no storage
    }
  }

  /** @returns {any} */
  settings() {
    return this.read(SETTINGS);
  }

  /** @param {any} settings */
  keepSettings(settings) {
    this.write(SETTINGS, settings);
  }

  /** The ids of all games, in no particular order.
   * @returns {string[]} */
  ids() {
    const keys = [...this._unsaved.keys()];
    try {
      keys.push(...Object.keys(localStorage));
    } catch {
      // no storage: only the games in memory
    }
    return [...new Set(keys)].filter((key) => key.startsWith(GAME)).map((key) => key.slice(GAME.length));
  }

  /** The raw data of a saved game, to be checked by `checkGame`.
   * @param {string} id  @returns {any} */
  game(id) {
    return unpacked(this.read(GAME + id));
  }

  /** @param {string} id  @param {StoredGame} game */
  keepGame(id, game) {
    this.write(GAME + id, packed(game));
  }

  /** Save games by id, and settings: all of them or, if the browser refuses one of them, none. Throws an Error then.
   * @param {Map<string, StoredGame>} games  @param {any} settings */
  keepAll(games, settings) {
    const texts = new Map([...games].map(([id, game]) => [GAME + id, JSON.stringify(packed(game))]));
    texts.set(SETTINGS, JSON.stringify(settings));
    try {
      replaceAll(texts);
    } catch (error) {
      throw new Error(t(isFull(error) ? "restore-full" : "storage-missing"));
    }
    for (const key of texts.keys()) this._unsaved.delete(key);
  }

  /** Call a function with the id of each game that another tab saves.
   * @param {(id: string) => void} watcher */
  onKeptElsewhere(watcher) {
    window.addEventListener("storage", ({ key, newValue }) => {
      if (newValue !== null && key?.startsWith(GAME)) watcher(key.slice(GAME.length));
    });
  }

  /** @param {string} id */
  removeGame(id) {
    this.remove(GAME + id);
  }

  /** Keep which node of a game was shown last, as its `indices`.
   * @param {string} id  @param {number[]} indices */
  keepShown(id, indices) {
    this.write(SHOWN, { id, indices });
  }

  /** The `indices` of the node that was shown last, if it was one of this game; otherwise null.
   * @param {string} id  @returns {number[] | null} */
  shown(id) {
    const kept = this.read(SHOWN);
    return kept?.id === id && Array.isArray(kept.indices) ? kept.indices : null;
  }

  /** The id of the last game opened in this tab; in a new tab, of the last game opened in any tab. "" if none. */
  get current() {
    try {
      const here = sessionStorage.getItem(CURRENT);
      if (here) return here;
    } catch {
      // treated as missing
    }
    return String(this.read(CURRENT) ?? "");
  }

  set current(id) {
    try {
      sessionStorage.setItem(CURRENT, id);
    } catch {
      // the id is saved in localStorage below
    }
    if (this.read(CURRENT) !== id) this.write(CURRENT, id);
  }
}

/** @param {unknown} error */
const isFull = (error) => /** @type {Error} */ (error).name === "QuotaExceededError";

/** Set several values of the browser's storage, or none. Throws the browser's error.
 * @param {Map<string, string>} texts */
function replaceAll(texts) {
  const before = [...texts].map(([key, text]) => ({ key, text, old: localStorage.getItem(key) }));
  try {
    for (const [key, text] of texts) localStorage.setItem(key, text);
  } catch (error) {
    // Values that become shorter are set first: so there is always room for the others.
    const growth = (/** @type {typeof before[0]} */ { text, old }) => (old?.length ?? 0) - text.length;
    for (const { key, old } of before.sort((a, b) => growth(a) - growth(b))) {
      if (old === null) localStorage.removeItem(key);
      else localStorage.setItem(key, old);
    }
    throw error;
  }
}

/** A line in storage format 2: an array of consecutive moves. The `next` of a move contains only the variations that
 * begin after it. Nested nodes, as in `StoredTree`, would be too deep for JSON in a game of several thousand moves.
 * @typedef {(Omit<StoredNode, "next"> & {next?: PackedLine[]})[]} PackedLine */

/** @param {StoredNode[]} nodes  @returns {PackedLine[]} */
function packedLines(nodes) {
  return nodes.map((first) => {
    /** @type {PackedLine} */
    const line = [];
    for (let node = /** @type {StoredNode | undefined} */ (first); node;) {
      const { next: [following, ...others] = [], ...rest } = node;
      line.push({ ...rest, ...(others.length && { next: packedLines(others) }) });
      node = following;
    }
    return line;
  });
}

/** @param {PackedLine[]} lines  @returns {StoredNode[]} */
function unpackedLines(lines) {
  return lines.map((line) => {
    /** @type {StoredNode | undefined} */
    let following;
    for (const { next: others = [], ...rest } of [...line].reverse()) {
      const next = [...(following ? [following] : []), ...unpackedLines(others)];
      following = { ...rest, ...(next.length && { next }) };
    }
    return /** @type {StoredNode} */ (following);
  });
}

/** Convert a game to storage format 2. A value that is not a valid game is returned unchanged.
 * @param {any} game */
export const packed = (game) => (game?.format === 1 && areNodes(game.tree?.next)
  ? { ...game, format: 2, tree: { ...game.tree, next: packedLines(game.tree.next) } } : game);

/** Convert a game from storage format 2. Invalid data and games in format 1 are returned unchanged.
 * @param {any} stored */
export function unpacked(stored) {
  try {
    return stored.format === 2 ? { ...stored, format: 1, tree: { ...stored.tree, next: unpackedLines(stored.tree.next) } } : stored;
  } catch {
    return stored;
  }
}

/** A new unique id. */
export const newId = () => `${Date.now().toString(36)}-${crypto.getRandomValues(new Uint32Array(1))[0].toString(36)}`;

/** @param {any} value  @param {number} low  @param {number} high */
const isNumber = (value, low, high) => typeof value === "number" && value >= low && value <= high;

/** @param {any} seat */
const isSeat = (seat) => seat?.kind === "person" || (seat?.kind === "engine" && typeof seat.engine === "string"
  && seat.engine.length < 100 && (seat.level === null || isNumber(seat.level, 0, 1e4)));

const DAY = 86_400_000;
const LONGEST_MOVE = 1e11; // ms; game records may contain long times

/** @param {any} value  @param {number} count */
const areTexts = (value, count) => Array.isArray(value) && value.length === count && value.every((one) => typeof one === "string");

/** Whether the value is the end of a line, or null.
 * @param {any} end */
const isEnd = (end) => end === null || (typeof end.reason === "string" && [0, 1, null].includes(end.winner)
  && isNumber(end.ms ?? 0, 0, LONGEST_MOVE) && [end.comment ?? "", end.text ?? ""].every((one) => typeof one === "string"));

/** Whether the value is a list of lines of a search, of which at least one, or null.
 * @param {any} lines */
export const areLines = (lines) => lines === null || (Array.isArray(lines) && lines.length > 0 && lines.every((line) => Array.isArray(line)
  && Array.isArray(line[0]) && line[0].length > 0 && areTexts(line[0], line[0].length) && ["cp", "mate"].includes(line[1])
  && line.length === 4 && line.slice(2).every(Number.isFinite)));

/** Whether the value is a valid `StoredNode[]`. Not recursive, because long games would overflow the call stack.
 * @param {any} nodes */
function areNodes(nodes) {
  const lists = [nodes];
  for (let list = lists.pop(); list !== undefined; list = lists.pop()) {
    if (!Array.isArray(list)) return false;
    for (const { move, dice = 0, ms = 0, said = null, lines = null, comment = "", end = null, next } of list.map((node) => node ?? {})) {
      const isSaid = said === null || (Array.isArray(said) && typeof said[0] === "string" && said.slice(1).every(Number.isFinite));
      const isNode = typeof move === "string" && Number.isInteger(dice) && isNumber(dice, 0, 6) && isNumber(ms ?? 0, 0, LONGEST_MOVE);
      if (!isNode || !isSaid || !areLines(lines) || typeof comment !== "string" || !isEnd(end) || next === null) return false;
      if (next !== undefined) lists.push(next);
    }
  }
  return true;
}

/** Check the data of a saved game and return it; throws an Error that names the invalid field. Whether the moves are
 * legal is checked when the game is opened.
 * @param {any} value  @returns {StoredGame} */
export function checkGame(value) {
  /** @param {boolean} fine  @param {string} what */
  const expect = (fine, what) => {
    if (!fine) throw new Error(t("not-a-game", { what }));
  };
  expect(value?.format === 1, "format");
  expect(typeof value.name === "string" && value.name.length <= 200, "name");
  expect(isNumber(value.changed, 0, 1e15), "changed");
  expect(typeof value.tree?.variant === "string" && typeof value.tree.start === "string", "tree");
  expect(areNodes(value.tree.next), "moves");
  const { names = ["", ""], label = "", headers = [], end = null } = value.tree;
  expect(areTexts(names, 2), "names");
  expect(typeof label === "string" && Array.isArray(headers) && headers.every((one) => areTexts(one, 2)), "headers");
  expect(isEnd(end), "result");
  const { match } = value;
  expect(Array.isArray(match?.seats) && match.seats.length === 2 && match.seats.every(isSeat), "seats");
  expect(match.control === null || ["main", "byoyomi", "increment"].every((name) => isNumber(match.control?.[name], 0, DAY)), "control");
  expect(isNumber(match.think, 1, DAY) && isNumber(match.spent, 0, DAY), "times");
  expect(Number.isInteger(match.thrown) && isNumber(match.thrown, 0, 6), "thrown");
  expect(Array.isArray(match.live) && match.live.every((/** @type {any} */ index) => Number.isInteger(index) && index >= 0), "live");
  return value;
}
