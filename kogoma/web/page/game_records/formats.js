// Detection of the format and the variant of a text or file, and the one-line USI format.

import { Position } from "../../engine/position.js";
import { clipped, wordsOf } from "../../engine/text.js";
import { GameTree } from "../game_tree.js";
import { t } from "../translate.js";
import { inWords } from "./errors.js";
import { isCsa, readCsa } from "./csa_reader.js";
import { playersOf, readJkf } from "./jkf_reader.js";
import { readHead, readKif, variantOf } from "./kif_reader.js";
import { LineError } from "./game_record.js";

/** @typedef {{variant: string, title: string, read: (game: Game) => Reading}} Found
 *   `title` is shown in the list of games; `read` reads the game, given the rules of `variant` */

export const LONGEST = 20_000_000; // characters of a text, enough for the games of a large match

/** Decode a file as UTF-8 or Shift_JIS. Throws an Error if it is neither.
 * @param {Uint8Array} bytes  @returns {string} */
export function textOf(bytes) {
  for (const encoding of ["utf-8", "shift_jis"]) {
    try {
      return new TextDecoder(encoding, { fatal: true }).decode(bytes);
    } catch {
      continue; // try the next encoding
    }
  }
  throw new Error(t("records.encoding"));
}

/** Find the games in a text. Throws LineError if there is none.
 * @param {string} text  @param {KnownGame[]} games  @param {string} preferred the variant to try first
 * @returns {Found[]} */
export function gamesIn(text, games, preferred) {
  if (text.length > LONGEST) throw new LineError(1, t("records.tooLong", { most: LONGEST }));
  const lines = text.replace(/^\ufeff/, "").split(/\r\n|\r|\n/);
  const first = lines.findIndex((line) => line.trim() && !line.startsWith("#"));
  if (first >= 0 && splitUsiLine(lines[first])) return usiGames(lines, games, preferred);
  if (first >= 0 && lines[first].trimStart().startsWith("{")) return jkfGames(text);
  if (first >= 0 && isCsa(lines[first])) return csaGames(lines);
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

/** @param {string[]} lines  @returns {Found[]} */
function csaGames(lines) {
  const ends = [...lines.flatMap((line, index) => (line.trimEnd() === "/" ? [index] : [])), lines.length];
  return ends.flatMap((until, number) => {
    const from = number ? ends[number - 1] + 1 : 0, own = lines.slice(from, until);
    if (!own.some((line) => line.trim())) return [];
    const names = ["N+", "N-"].map((sign) => own.find((line) => line.startsWith(sign))?.slice(2).trim() ?? "");
    /** @param {Game} game */
    const read = (game) => readCsa(game, lines, from, until);
    return [{ variant: "shogi", title: titleOf("", names), read }];
  });
}

/** One JSON text, or one in each line.
 * @param {string} text  @returns {Found[]} */
function jkfGames(text) {
  /** @param {string} json  @param {number} line */
  const found = (json, line) => {
    const record = JSON.parse(json);
    if (!Array.isArray(record?.moves)) throw new LineError(line, t("records.line", { text: clipped(json, 40) }));
    /** @param {Game} game */
    const read = (game) => readJkf(game, record, line);
    return { variant: "shogi", title: titleOf("", playersOf(record)), read };
  };
  try {
    return [found(text, 1)];
  } catch (error) {
    if (error instanceof LineError) throw error;
    return text.split("\n").flatMap((line, index) => {
      try {
        return line.trim() ? [found(line, index + 1)] : [];
      } catch {
        throw new LineError(index + 1, t("records.line", { text: clipped(line, 40) }));
      }
    });
  }
}

/** @param {string} label  @param {string[]} names */
const titleOf = (label, names) => [label, names.filter((name) => name).join(" – ")].filter((part) => part).join(": ");

const OPENS = /^(# game.*, [a-z-]+$|(開始日時|手合割|先手|下手|後手|上手|棋戦)[：:])/;
const MOVE = /^\s*[▲△▼▽☗☖]|^\s*[0-9]+[\s.]+(同|[1-9１-９][1-9一二三四五六七八九]|[1-9][a-z]|\+?[A-Z]\*|[0-9]+:|[^\s0-9])/;

/** @param {string[]} lines  @param {KnownGame[]} games  @param {string} preferred  @returns {Found[]} */
function kifGames(lines, games, preferred) {
  /** @type {number[]} */
  const starts = [];
  let filled = false; // whether a move of the current game has been found
  lines.forEach((line, index) => {
    const moves = line.startsWith("手数--") || MOVE.test(line), opens = OPENS.test(line.trim()) || line.startsWith("|");
    if (opens ? !starts.length || filled : moves && !starts.length) {
      starts.push(index);
      filled = false;
    }
    filled = filled || (moves && !opens);
  });
  return starts.map((from, number) => {
    // Lines before the first game belong to its header: some programs write additional lines there.
    const begin = number ? from : 0, until = starts[number + 1] ?? lines.length;
    const head = readHead(lines.slice(0, until), begin);
    /** @param {Game} game */
    const read = (game) => readKif(game, lines, begin, until);
    return { variant: variantOf(head, games, preferred), title: titleOf(head.label, head.names), read };
  });
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

/** Write the shown line of a tree, up to its end, as `position sfen ... moves ...`.
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

/** Read a game in a one-line format, up to the first illegal move. `number` is the line number for error messages.
 * @param {Game} game  @param {string} text  @param {number} [number]  @returns {Reading} */
export function readUsiLine(game, text, number = 1) {
  const parts = splitUsiLine(text);
  if (!parts) return { tree: null, trouble: { line: number, text: t("records.word", { word: clipped(text, 40) }) } };
  let position;
  try {
    position = new Position(game, parts.sfen || undefined);
  } catch (error) {
    return { tree: null, trouble: { line: number, text: inWords(error) } };
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
  return { tree, trouble };
}
