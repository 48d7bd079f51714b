// Backups: all saved games with their reviews, and the settings, as one JSON file:
//   {"format": "kogoma-backup", "version": 1, "settings": {...}, "games": {id: game in storage format 2, ...}}

import { t } from "./later_texts.js";
import { checkGame, packed, unpacked } from "./storage.js";

/** @typedef {{settings: any, games: Map<string, StoredGame>}} Backup */

const FORMAT = "kogoma-backup", VERSION = 1;
const ID = /^[\w-]{1,80}$/;

/** All valid games and the settings as text, and the number of unreadable games, which are left out.
 * @param {Store} store  @param {any} settings  @returns {{text: string, left: number}} */
export function backupText(store, settings) {
  const ids = store.ids(), games = ids.flatMap((id) => {
    try {
      return [[id, packed(checkGame(store.game(id)))]];
    } catch {
      return [];
    }
  });
  const text = JSON.stringify({ format: FORMAT, version: VERSION, settings, games: Object.fromEntries(games) });
  return { text: `${text}\n`, left: ids.length - games.length };
}

/** Read a backup. Throws an Error that says why, if any part of it is not valid.
 * @param {string} text  @returns {Backup} */
export function readBackup(text) {
  /** @param {boolean} fine  @param {string} what */
  const expect = (fine, what) => {
    if (!fine) throw new Error(t("backup.bad", { what }));
  };
  let file = null;
  try {
    file = JSON.parse(text.replace(/^\ufeff/, ""));
  } catch {
    expect(false, "JSON");
  }
  expect(file?.format === FORMAT, "format");
  if (Number.isInteger(file.version) && file.version > VERSION) throw new Error(t("backup.newer", { version: file.version }));
  expect(file.version === VERSION, "version");
  expect(isObject(file.settings), "settings");
  expect(isObject(file.games), "games");
  /** @type {Map<string, StoredGame>} */
  const games = new Map();
  for (const [id, game] of Object.entries(file.games)) {
    expect(ID.test(id), "games");
    try {
      games.set(id, checkGame(unpacked(game)));
    } catch {
      expect(false, `games.${id}`);
    }
  }
  return { settings: file.settings, games };
}

/** @param {any} value */
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** Save the games and settings of a backup. Of two versions of a game, the one changed later is saved under the game's id,
 * and the other under an id of its own if it has anything that the first lacks. Throws an Error, and changes nothing, if
 * the browser does not save all of it. Returns the numbers of games that were added, kept in both versions, and left as
 * they were, and the ids of those that were replaced.
 * @param {Store} store  @param {Backup} backup */
export function restored(store, { settings, games }) {
  /** @type {Map<string, StoredGame>} */
  const saved = new Map();
  /** @type {string[]} */
  const changed = [];
  let added = 0, both = 0, same = 0;
  for (const [id, game] of games) {
    const raw = store.game(id), here = raw === null ? null : validOrNull(raw);
    if (!here) {
      if (raw !== null) changed.push(id); // unreadable data
      else added += 1;
      saved.set(id, game);
      continue;
    }
    const [first, other] = game.changed > here.changed ? [game, here] : [here, game];
    if (first === game) {
      saved.set(id, game);
      changed.push(id);
    }
    // The id depends on the version only: restoring a backup twice adds nothing.
    const otherId = `${id}-${other.changed.toString(36)}`;
    if (!hasAll(first, other) && store.game(otherId) === null && ID.test(otherId)) {
      saved.set(otherId, other);
      both += 1;
    } else if (first === here) {
      same += 1;
    }
  }
  store.keepAll(saved, settings);
  return { added, both, same, changed };
}

/** @param {any} raw  @returns {StoredGame | null} */
function validOrNull(raw) {
  try {
    return checkGame(raw);
  } catch {
    return null;
  }
}

/** Whether a game has all moves, comments, reviewed lines and ends of another one.
 * @param {StoredGame} game  @param {StoredGame} other */
function hasAll(game, other) {
  if (JSON.stringify(packed(game)) === JSON.stringify(packed(other))) return true;
  if (game.tree.variant !== other.tree.variant || game.tree.start !== other.tree.start) return false;
  /** @type {[Omit<StoredNode, "move">, Omit<StoredNode, "move">][]} */
  const left = [[game.tree, other.tree]];
  for (let pair = left.pop(); pair; pair = left.pop()) {
    const [one, two] = pair;
    if (two.comment && one.comment !== two.comment) return false;
    if ((two.end && !one.end) || (two.lines && !one.lines)) return false;
    for (const next of two.next ?? []) {
      const found = one.next?.find(({ move, dice = 0 }) => move === next.move && dice === (next.dice ?? 0));
      if (!found) return false;
      left.push([found, next]);
    }
  }
  return true;
}
