// What stands before the moves of a KIF: names, the kind of game, a drawn board.

import { HANDICAPS, MINISHOGI, TITLES, countOf, letterOf } from "./kif_names.js";
import { LineError } from "./record.js";
import { t } from "./words.js";

/** @typedef {{variant: string, label: string, sfen: {line: number, text: string} | null, title: string,
 *   rows: {line: number, cells: string[]}[], hands: {line: number, text: string}[], white: boolean, names: [string, string],
 *   clock: string, first: number}} Head
 *   `variant` is "" where no remark tells it; `first` is the index of the line at which the moves begin */

/** @type {{[key: string]: number}} */
const SIDES = { 先手: 0, 下手: 0, 後手: 1, 上手: 1 };

/** The head of a game; it never fails.
 * @param {string[]} lines  @param {number} from index of the game's first line  @returns {Head} */
export function readHead(lines, from) {
  /** @type {Head} */
  const head = {
    variant: "", label: "", sfen: null, title: "", rows: [], hands: [{ line: 0, text: "" }, { line: 0, text: "" }],
    white: false, names: ["", ""], clock: "", first: from,
  };
  for (; head.first < lines.length; head.first++) {
    const text = lines[head.first].trim(), line = head.first + 1;
    if (text.startsWith("手数--") || text.startsWith("*") || /^[0-9]+[\s.]+\S/.test(text)) break;
    const field = /^([^：:]+)[：:](.*)$/.exec(text), remark = /^# game(?: (.*))?, ([a-z-]+)$/.exec(text);
    if (remark) [head.label, head.variant] = [remark[1] ?? "", remark[2]];
    else if (text.startsWith("# sfen ")) head.sfen = { line, text: text.slice(7) };
    else if (text.startsWith("#")) continue;
    else if (text.startsWith("|")) head.rows.push({ line, cells: cellsOf(text) });
    else if (/^(後手|上手)番/.test(text)) head.white = true;
    else if (field) takeField(head, field[1].trim(), field[2].trim(), line);
  }
  return head;
}

/** @param {Head} head  @param {string} key  @param {string} value  @param {number} line */
function takeField(head, key, value, line) {
  const held = key.endsWith("の持駒") || key.endsWith("の持ち駒");
  const side = SIDES[held ? key.slice(0, 2) : key];
  if (held && side !== undefined) head.hands[side] = { line, text: value };
  else if (side !== undefined) head.names[side] = value;
  else if (key === "手合割") head.title = value;
  else if (key === "持ち時間") head.clock = value;
}

/** "| ・v玉|一" as ["・", "v玉"].
 * @param {string} text  @returns {string[]} */
function cellsOf(text) {
  const inside = text.slice(1, text.lastIndexOf("|") > 0 ? text.lastIndexOf("|") : undefined);
  return inside.match(/[v^]?[^\sv^]/gu) ?? [];
}

/** The game that a head belongs to: the one it names, or else one whose board looks like this, `preferred` before others.
 * @param {Head} head  @param {KnownGame[]} games  @param {string} preferred  @returns {string} */
export function variantOf({ variant, title, rows, sfen }, games, preferred) {
  if (variant && games.some((game) => game.name === variant)) return variant;
  const titled = Object.entries(TITLES).find(([, name]) => name === title)?.[0];
  if (titled) return titled;
  if (MINISHOGI.includes(title)) return "minishogi";
  if (title in HANDICAPS || (!rows.length && !sfen)) return "shogi";
  const ranks = rows.length || (sfen?.text.split(/[\s/]/).length ?? 0), files = rows[0]?.cells.length;
  const fitting = games.filter((game) => game.ranks === ranks && (!files || game.files === files));
  return (fitting.find((game) => game.name === preferred) ?? fitting[0])?.name ?? "shogi";
}

/** The start as SFEN, and the line that tells it; LineError for what can't be read.
 * @param {Head} head  @param {{name: string, files: number, start: string}} game
 * @returns {{line: number, text: string}} */
export function startOf({ sfen, title, rows, hands, white, first }, game) {
  if (sfen) return sfen;
  if (!rows.length) {
    if (title in HANDICAPS && game.name === "shogi") return { line: first, text: HANDICAPS[title] };
    return { line: first, text: game.start };
  }
  const board = rows.map(({ line, cells }) => {
    if (cells.length !== game.files) throw new LineError(line, t("records.wide", { count: cells.length, files: game.files }));
    return cells.map((cell) => cellLetter(game.name, cell, line)).join("").replace(/ +/g, (blank) => `${blank.length}`);
  });
  const held = hands.map(({ line, text }, side) => handLetters(game.name, text, side, line)).join("") || "-";
  return { line: rows[0].line, text: `${board.join("/")} ${white ? "w" : "b"} ${held} 1` };
}

/** @param {string} variant  @param {string} cell  @param {number} line */
function cellLetter(variant, cell, line) {
  const name = cell.replace(/^[v^]/, "");
  if ("・･.".includes(name)) return " ";
  const letter = letterOf(variant, name);
  if (!letter) throw new LineError(line, t("records.piece", { piece: name }));
  return cell.startsWith("v") ? letter.toLowerCase() : letter;
}

/** @param {string} variant  @param {string} text  @param {number} side  @param {number} line */
function handLetters(variant, text, side, line) {
  let letters = "";
  for (const word of text.split(/[\s　]+/)) {
    if (!word || word === "なし") continue;
    const letter = letterOf(variant, word[0])?.replace("+", ""), count = countOf(word.slice(1));
    if (!letter || !count) throw new LineError(line, t("records.hand", { piece: word }));
    letters += (count > 1 ? count : "") + (side ? letter.toLowerCase() : letter);
  }
  return letters;
}
