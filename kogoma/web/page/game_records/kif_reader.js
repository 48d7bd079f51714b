// Reader of KIF and KI2 with variations. Every move is checked against the rules. The part before an invalid line is kept.

import { pieceLetter } from "../../engine/sfen.js";
import { clipped } from "../../engine/text.js";
import { t } from "../translate.js";
import { translatedError } from "./errors.js";
import {
  END_WORDS, FILES, HANDICAPS, MINISHOGI, NOBODY, RANKS, TITLES, countOf, hasKanji, letterOf, outcomeBy, usiSquare,
} from "./kif_names.js";
import { MARKS, fittingMoves, ki2Moves } from "./ki2_moves.js";
import { LineError } from "./game_record.js";
import { Recorder } from "./recorder.js";

const TIME = "\\(\\s*(?:(\\d+):)?(\\d+):(\\d+(?:\\.\\d+)?)\\s*(?:/[^)]*)?\\)";
const NUMBERED = new RegExp(`^(\\d+)[\\s.]+(\\S.*?)\\s*(?:${TIME})?[\\s+]*(?:(?<=[\\s+)])\\*(.*))?$`);
const RESULT = /^まで、?([0-9]{1,6})手で(.*)/;
const MOVE = /^(同|([1-9１-９])([1-9一二三四五六七八九]))[\s　]*([^0-9()\s　成打不]|成[香桂銀])(不成|成|打)?(?:\(([1-9])([1-9])\))?$/u;

/** Read the game whose first line is `lines[from]`; line numbers count from the file's first line.
 * @param {Game} game  @param {string[]} lines  @param {number} [from]  @param {number} [until] index after its last line
 * @returns {Reading} */
export function readKif(game, lines, from = 0, until = lines.length) {
  const head = readHead(lines, from, until);
  /** @type {LineReader | null} */
  let reader = null;
  try {
    reader = new LineReader(game, startOf(head, game.variant));
    Object.assign(reader.tree, { names: head.names, label: head.label, headers: head.headers });
    for (let index = head.first; index < until; index++) reader.take(lines[index], index + 1);
    return { tree: reader.tree, trouble: null };
  } catch (error) {
    if (!(error instanceof LineError)) throw error;
    return { tree: reader && reader.tree, trouble: { line: error.line, text: error.message } };
  } finally {
    reader?.position.release();
  }
}

/** Reads the lines of moves, one at a time. */
class LineReader extends Recorder {
  /** @param {Game} game  @param {{line: number, text: string}} start */
  constructor(game, start) {
    try {
      super(game, start.text);
    } catch (error) {
      throw new LineError(start.line, translatedError(error));
    }
    /** The number of the first move in the text, minus 1; null before that move.
     * @type {number | null} */
    this._offset = null;
  }

  /** Read one line of the text: a comment, die roll, move, variation, result or reason.
   * @param {string} whole  @param {number} line */
  take(whole, line) {
    const text = whole.trim(), branch = /^変化[：:]\s*([0-9０-９]+)手/.exec(text), remark = /^# ?(?:dice ([1-6])|([a-z_]+))$/.exec(text);
    const result = RESULT.exec(text), first = Number(branch?.[1].normalize("NFKC")) - (this._offset ?? 0);
    if (/^[*&]/.test(whole)) this.say(whole.replace(/^\*/, ""));
    else if (remark?.[1]) this.tree.current.dice = Number(remark[1]);
    else if (remark?.[2] && this.end) this.end.reason = remark[2];
    else if (branch && this.branch(first - 1)) return;
    else if (branch) throw new LineError(line, t("records.branch", { number: first }));
    else if (MARKS.test(text[0])) for (const move of ki2Moves(text)) this._ki2(move, line);
    else if (result) this._result(result[2].trim(), line);
    else if (text && !/^(#|手数--|まで)/.test(text)) this._numbered(text, line);
  }

  /** @param {string} text  @param {number} line */
  _numbered(text, line) {
    const found = NUMBERED.exec(text);
    if (!found) throw new LineError(line, t("records.line", { text: clipped(text, 40) }));
    const [, number, words, hours, minutes, seconds, comment] = found;
    const ms = seconds === undefined ? null : 1000 * (3600 * Number(hours ?? 0) + 60 * Number(minutes) + Number(seconds));
    this._offset ??= Number(number) - 1;
    if (words in END_WORDS) this.finish(outcomeBy(...END_WORDS[words], this.position), ms);
    else this._move(hasKanji(this.tree.variant) ? this._usi(words, line) : words, clipped(words, 20), line, ms);
    if (comment) this.say(comment.trim());
  }

  /** @param {string} usi  @param {string} written the move as in the text, for messages  @param {number} line
   * @param {number | null} ms */
  _move(usi, written, line, ms = null) {
    try {
      this.play(usi, ms);
    } catch (error) {
      throw new LineError(line, t("records.illegal", { move: written, why: translatedError(error) }));
    }
  }

  /** @param {string} text  @param {number} line */
  _ki2(text, line) {
    const [usi, ...others] = fittingMoves(this.position, text, this.target);
    if (!usi || others.length) throw new LineError(line, t(usi ? "records.several" : "records.move", { move: clipped(text, 20) }));
    this._move(usi, clipped(text, 20), line);
  }

  /** Convert a KIF move to USI notation.
   * @param {string} words  @param {number} line */
  _usi(words, line) {
    const { position, tree: { variant } } = this, { game } = position;
    const found = MOVE.exec(words);
    if (!found) throw new LineError(line, t("records.move", { move: clipped(words, 20) }));
    const [, where, file, rank, name, how, fromFile, fromRank] = found;
    const letter = letterOf(variant, name);
    if (!letter || !game.letters.has(letter)) throw new LineError(line, t("records.piece", { piece: name }));
    const to = where === "同" ? this.target : usiSquare(digit(file, FILES), digit(rank, RANKS));
    if (!to) throw new LineError(line, t("records.same"));
    if (how === "打") return `${letter}*${to}`;
    if (!fromFile) throw new LineError(line, t("records.from", { move: clipped(words, 20) }));
    const { files, ranks } = game.variant, column = files - Number(fromFile), row = Number(fromRank) - 1;
    const cell = column >= 0 && row < ranks ? position.struct.get("board", row * files + column) : 0;
    if (pieceLetter(game, cell & 15) !== letter) {
      throw new LineError(line, t("records.origin", { square: fromFile + fromRank, piece: name }));
    }
    return usiSquare(Number(fromFile), Number(fromRank)) + to + (how === "成" ? "+" : "");
  }

  /** Read a result line such as まで77手で先手の勝ち: it sets the winner of an end that was read before, or else the end.
   * @param {string} text  @param {number} line */
  _result(text, line) {
    const { end } = this, { turn } = this.position, winner = winnerIn(text);
    if (end) {
      if (winner !== null) end.winner = winner;
      return;
    }
    const word = text.startsWith("時間切れ") ? "切れ負け" : winner === null ? text : text.slice(3) in END_WORDS ? text.slice(3) : "投了";
    if (!(word in END_WORDS)) throw new LineError(line, t("records.line", { text: clipped(text, 40) }));
    const [reason, mover] = END_WORDS[word];
    if (winner === null) this.finish(outcomeBy(reason, mover, this.position));
    else this.finish({ winner, reason: reason === "resign" && winner === turn ? "unknown" : reason });
  }
}

/** The winner named in a result line, or null.
 * @param {string} text the line after まで77手で  @returns {number | null} */
function winnerIn(text) {
  const side = SIDES[text.slice(0, 2)];
  return side === undefined || !text.startsWith("の", 2) ? null : text.includes("負け") ? 1 - side : side;
}

/** Find the winner of a game without reading its moves: null for a draw, undefined if no line has the result.
 * @param {string[]} lines  @param {number} from index of the first line of moves  @param {number} until index after the last
 * @returns {number | null | undefined} */
export function winnerOf(lines, from, until) {
  for (let index = from; index < until; index++) {
    const text = RESULT.exec(lines[index].trim())?.[2].trim() ?? "", winner = winnerIn(text);
    if (winner !== null) return winner;
    if (END_WORDS[text]?.[1] === NOBODY && END_WORDS[text][0] !== "interrupted") return null;
  }
}

/** @param {string} text  @param {string} digits */
const digit = (text, digits) => (digits.indexOf(text) >= 0 ? digits.indexOf(text) + 1 : Number(text));

// The header: names, variant, diagram.

/** @typedef {{variant: string, label: string, sfen: {line: number, text: string} | null, title: string,
 *   rows: {line: number, cells: string[]}[], hands: {line: number, text: string}[], white: boolean, names: [string, string],
 *   headers: [string, string][], first: number}} Head
 *   `variant` is "" if no comment names it; `first` is the index of the first line of moves */

/** @type {{[key: string]: number}} */
const SIDES = { 先手: 0, 下手: 0, 後手: 1, 上手: 1 };

/** Read the header of a game, up to its first move. Unknown lines are ignored.
 * @param {string[]} lines  @param {number} from index of the game's first line  @param {number} until index after its last
 * @returns {Head} */
export function readHead(lines, from, until) {
  /** @type {Head} */
  const head = {
    variant: "", label: "", sfen: null, title: "", rows: [], hands: [{ line: 0, text: "" }, { line: 0, text: "" }],
    white: false, names: ["", ""], headers: [], first: from,
  };
  for (; head.first < until; head.first++) {
    const text = lines[head.first].trim(), line = head.first + 1;
    if (text.startsWith("手数--") || text.startsWith("*") || MARKS.test(text[0]) || /^[0-9]+[\s.]+\S/.test(text)) break;
    const field = /^([^：:]+)[：:](.*)$/.exec(text), remark = /^# game(?: (.*))?, ([a-z][a-z0-9-]*)$/.exec(text);
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
  else head.headers.push([key, value]);
}

/** Split a row of the diagram: "| ・v玉|一" gives ["・", "v玉"].
 * @param {string} text  @returns {string[]} */
function cellsOf(text) {
  const inside = text.slice(1, text.lastIndexOf("|") > 0 ? text.lastIndexOf("|") : undefined);
  return inside.match(/[v^]?[^\sv^]/gu) ?? [];
}

/** The variant of a header: the named one, else one that fits the diagram, `preferred` first.
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

/** The start position as SFEN, and the number of the line that contains it. Throws LineError if it is invalid.
 * @param {Head} head  @param {{name: string, files: number, start: string}} game
 * @returns {{line: number, text: string}} */
function startOf({ sfen, title, rows, hands, white, first }, game) {
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
