// A text or a file whose format nobody has told: which games it holds, and in which format.

import { clipped } from "../../engine/text.js";
import { readHead, variantOf } from "./kif_head.js";
import { readKif } from "./kif_reader.js";
import { gameOf } from "./known_games.js";
import { LineError } from "./record.js";
import { readUsiLine, splitUsiLine } from "./usi_line.js";
import { t } from "./words.js";

/** @typedef {{variant: string, title: string, read: (game: Game) => Reading}} Found
 *   `variant` is the game it is of, `title` is for a list, `read` takes that game */

export const LONGEST = 20_000_000; // characters of a text: the games of a large match

/** A file's text: UTF-8, or else Shift_JIS; an Error if it is neither.
 * @param {Uint8Array} bytes  @returns {string} */
export function textOf(bytes) {
  for (const encoding of ["utf-8", "shift_jis"]) {
    try {
      return new TextDecoder(encoding, { fatal: true }).decode(bytes);
    } catch {
      continue; // the next encoding
    }
  }
  throw new Error(t("records.encoding"));
}

/** The games of a text. LineError if there is none.
 * @param {string} text  @param {KnownGame[]} games  @param {string} preferred the game to think of first
 * @returns {Found[]} */
export function gamesIn(text, games, preferred) {
  if (text.length > LONGEST) throw new LineError(1, t("records.tooLong", { most: LONGEST }));
  const lines = text.replace(/^\ufeff/, "").split(/\r\n|\r|\n/);
  const first = lines.findIndex((line) => line.trim() && !line.startsWith("#"));
  if (first >= 0 && splitUsiLine(lines[first])) return usiGames(lines, games, preferred);
  const found = kifGames(lines, games, preferred);
  if (!found.length) {
    if (first < 0) throw new LineError(1, t("records.nothing"));
    throw new LineError(first + 1, t("records.word", { word: clipped(lines[first], 40) }));
  }
  return found;
}

/** @param {string[]} lines  @param {KnownGame[]} games  @param {string} preferred  @returns {Found[]} */
function usiGames(lines, games, preferred) {
  return lines.flatMap((line, index) => {
    if (!line.trim() || line.startsWith("#")) return [];
    const sfen = splitUsiLine(line)?.sfen ?? "", variant = sfen ? gameOf(sfen, games, preferred) : preferred;
    if (!variant) throw new LineError(index + 1, t("records.unknownGame"));
    const title = / # (.*)$/.exec(line)?.[1] ?? clipped(line, 60);
    /** @param {Game} game */
    const read = (game) => readUsiLine(game, line, index + 1);
    return [{ variant, title, read }];
  });
}

const OPENS = /^(# game.*, [a-z-]+$|(開始日時|手合割|先手|下手|後手|上手|棋戦)[：:])/;
const MOVE = /^\s*[0-9]+[\s.]+(同|[1-9１-９][1-9一二三四五六七八九]|[1-9][a-z]|\+?[A-Z]\*|[0-9]+:|[^\s0-9])/;

/** @param {string[]} lines  @param {KnownGame[]} games  @param {string} preferred  @returns {Found[]} */
function kifGames(lines, games, preferred) {
  /** @type {number[]} */
  const starts = [];
  let filled = false; // whether the moves of the game under way have begun
  lines.forEach((line, index) => {
    const moves = line.startsWith("手数--") || MOVE.test(line), opens = OPENS.test(line.trim()) || line.startsWith("|");
    if (opens ? !starts.length || filled : moves && !starts.length) {
      starts.push(index);
      filled = false;
    }
    filled = filled || (moves && !opens);
  });
  return starts.map((from, number) => {
    // What stands before the first sign of a game is still its head: other programs begin with lines of their own.
    const begin = number ? from : 0, until = starts[number + 1] ?? lines.length;
    const head = readHead(lines.slice(0, until), begin);
    const title = [head.label, head.names.filter((name) => name).join(" – ")].filter((part) => part).join(": ");
    /** @param {Game} game */
    const read = (game) => readKif(game, lines, begin, until);
    return { variant: variantOf(head, games, preferred), title, read };
  });
}
