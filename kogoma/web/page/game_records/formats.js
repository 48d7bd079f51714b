// Detection of the format and the variant of a text or file, and the one-line USI format.

import { Position } from "../../engine/position.js";
import { clipped, wordsOf } from "../../engine/text.js";
import { pausing } from "../elements.js";
import { GameTree } from "../game_tree.js";
import { t, winnerText } from "../translate.js";
import { inWords } from "./errors.js";
import { readEnd, readHead, readKif, variantOf } from "./kif_reader.js";
import { LineError, bareRecord } from "./game_record.js";

/** @typedef {{variant: string, title: string, read: (game: Game) => Reading}} Found
 *   `title` is for a list; `read` takes the rules of `variant` */

export const LONGEST = 20_000_000; // characters of a text: the games of a large match

const BLOCK = 200_000; // characters or bytes that are read at a time

/** Decode a file as UTF-8 or Shift_JIS, with pauses for the page. Throws an Error if it is neither.
 * @param {Uint8Array} bytes  @returns {Promise<string>} */
export async function textOf(bytes) {
  const rest = pausing();
  for (const encoding of ["utf-8", "shift_jis"]) {
    try {
      const decoder = new TextDecoder(encoding, { fatal: true });
      let text = "";
      for (let at = 0; at < bytes.length; at += BLOCK) {
        text += decoder.decode(bytes.subarray(at, at + BLOCK), { stream: true });
        await rest();
      }
      return text + decoder.decode();
    } catch {
      continue; // the next encoding
    }
  }
  throw new Error(t("records.encoding"));
}

/** Find the games in a text, with pauses for the page. Throws LineError if there is none.
 * @param {string} text  @param {KnownGame[]} games  @param {string} preferred the variant to try first
 * @returns {Promise<Found[]>} */
export async function gamesIn(text, games, preferred) {
  if (text.length > LONGEST) throw new LineError(1, t("records.tooLong", { most: LONGEST }));
  const rest = pausing(), lines = await linesOf(text, rest);
  const first = lines.findIndex((line) => line.trim() && !line.startsWith("#"));
  const read = first >= 0 && splitUsiLine(lines[first]) ? usiGames : kifGames;
  /** @type {Found[]} */
  const found = [];
  for (const game of read(lines, games, preferred)) {
    if (game) found.push(game);
    await rest();
  }
  if (!found.length) {
    if (first < 0) throw new LineError(1, t("records.nothing"));
    throw new LineError(first + 1, t("records.word", { word: clipped(lines[first], 40) }));
  }
  return found;
}

/** Split a text into lines.
 * @param {string} text  @param {() => Promise<void>} rest  @returns {Promise<string[]>} */
async function linesOf(text, rest) {
  const lines = [];
  for (let at = text.startsWith("\ufeff") ? 1 : 0, end = at; at < text.length; at = end) {
    end = text.indexOf("\n", at + BLOCK) + 1 || text.length;
    const block = text.slice(at, end).split(/\r\n|\r|\n/);
    if (!block.at(-1)) block.pop();
    for (const line of block) lines.push(line);
    await rest();
  }
  return lines;
}

/** @param {string[]} lines  @param {KnownGame[]} games  @param {string} preferred  @returns {Generator<Found>} */
function* usiGames(lines, games, preferred) {
  for (const [index, line] of lines.entries()) {
    if (!line.trim() || line.startsWith("#")) continue;
    const sfen = splitUsiLine(line)?.sfen ?? "", variant = sfen ? gameOf(sfen, games, preferred) : preferred;
    if (!variant) throw new LineError(index + 1, t("records.unknownGame"));
    const title = / # (.*)$/.exec(line)?.[1] ?? clipped(line, 60);
    yield { variant, title, read: (game) => readUsiLine(game, line, index + 1) };
  }
}

const OPENS = /^(# game.*, [a-z-]+$|(開始日時|手合割|先手|下手|後手|上手|棋戦)[：:])/;
const MOVE = /^\s*[▲△▼▽☗☖]|^\s*[0-9]+[\s.]+(同|[1-9１-９][1-9一二三四五六七八九]|[1-9][a-z]|\+?[A-Z]\*|[0-9]+:|[^\s0-9])/;

/** @param {string[]} lines  @param {KnownGame[]} games  @param {string} preferred
 * @returns {Generator<Found | null>} null while the first lines of games are sought */
function* kifGames(lines, games, preferred) {
  /** @type {number[]} */
  const starts = [];
  let filled = false; // whether the moves of the game under way have begun
  for (const [index, line] of lines.entries()) {
    const moves = line.startsWith("手数--") || MOVE.test(line), opens = OPENS.test(line.trim()) || line.startsWith("|");
    if (opens ? !starts.length || filled : moves && !starts.length) {
      starts.push(index);
      filled = false;
      yield null;
    }
    filled = filled || (moves && !opens);
  }
  for (const [number, from] of starts.entries()) {
    // Lines before the first game belong to its header: some programs write lines of their own there.
    const begin = number ? from : 0, until = starts[number + 1] ?? lines.length;
    const head = readHead(lines, begin, until), end = readEnd(lines, head, until);
    const players = [head.label, head.names.filter((name) => name).join(" – ")].filter((part) => part).join(": ");
    const title = [players, head.event, head.date, end ? winnerText(end.winner) : ""].filter((part) => part).join(" · ");
    yield { variant: variantOf(head, games, preferred), title, read: (game) => readKif(game, lines, begin, until) };
  }
}

// The variant of an SFEN.

/** @typedef {{name: string, files: number, ranks: number, letters: string[], cards: boolean, start: string}} KnownGame
 *   the part of an entry in games/index.json that readers need */

/** Find the variant of an SFEN by board size and pieces, as rules/variants.py does: `preferred` if it fits, else the
 * first that fits, else the first with the same board size, else "".
 * @param {string} sfen  @param {KnownGame[]} games  @param {string} preferred  @returns {string} */
export function gameOf(sfen, games, preferred) {
  const words = wordsOf(sfen), board = (words[0] ?? "").split("/");
  const cells = board[0].match(/[0-9]+|\+?[A-Za-z]/g) ?? [];
  const files = cells.reduce((sum, cell) => sum + (/[0-9]/.test(cell) ? Number(cell) : 1), 0);
  const fitting = games.filter((game) => game.files === files && game.ranks === board.length);
  fitting.sort((a, b) => Number(b.name === preferred) - Number(a.name === preferred));
  const letters = words[0]?.toUpperCase().match(/\+?[A-Z]/g) ?? [], cards = words[2]?.includes(",") ?? false;
  const whole = fitting.find((game) => game.cards === cards && letters.every((letter) => game.letters.includes(letter)));
  return (whole ?? fitting[0])?.name ?? "";
}

// One-line formats: `position startpos moves ...`, `position sfen ... moves ...`, `sfen ...` or a bare SFEN. They have no
// die rolls, comments or variations.

/** Write the shown line of a tree, up to its end.
 * @param {GameTree} tree  @returns {string} */
export function writeUsiLine(tree) {
  const moves = tree.line().map((node) => node.move);
  return `position sfen ${tree.start}${moves.length ? ` moves ${moves.join(" ")}` : ""}`;
}

/** The SFEN ("" for `startpos`) and the moves of a line, or null for another format. Text after a # is ignored.
 * @param {string} text  @returns {{sfen: string, moves: string[]} | null} */
function splitUsiLine(text) {
  const words = wordsOf(text.replace(/(^|\s)#.*$/, "")), given = words[0] === "position" ? words.slice(1) : words;
  const at = given.indexOf("moves"), start = at < 0 ? given : given.slice(0, at), moves = at < 0 ? [] : given.slice(at + 1);
  if (start[0] === "startpos") return start.length === 1 ? { sfen: "", moves } : null;
  const sfen = (start[0] === "sfen" ? start.slice(1) : start).join(" ");
  return /^[0-9A-Za-z+]+(\/[0-9A-Za-z+]+)+( |$)/.test(sfen) || start[0] === "sfen" ? { sfen, moves } : null;
}

/** Read a line; `number` is its line number, for messages.
 * @param {Game} game  @param {string} text  @param {number} [number]  @returns {Reading} */
export function readUsiLine(game, text, number = 1) {
  const parts = splitUsiLine(text);
  if (!parts) return { record: null, trouble: { line: number, text: t("records.word", { word: clipped(text, 40) }) } };
  let position;
  try {
    position = new Position(game, parts.sfen || undefined);
  } catch (error) {
    return { record: null, trouble: { line: number, text: inWords(error) } };
  }
  const tree = new GameTree(game.variant.name, position.sfen());
  let trouble = null;
  for (const move of parts.moves) {
    try {
      position.push(move);
    } catch (error) {
      trouble = { line: number, text: t("records.illegal", { move: clipped(move, 20), why: inWords(error) }) };
      break;
    }
    tree.play(move);
  }
  position.release();
  return { record: bareRecord(tree), trouble };
}
