// Reader of KIF and KI2 with variations. Every move is checked against the rules. The part before an invalid line is kept.

import { Position } from "../../engine/position.js";
import { pieceLetter } from "../../engine/sfen.js";
import { clipped } from "../../engine/text.js";
import { GameTree } from "../game_tree.js";
import { t } from "../translate.js";
import { inWords } from "./errors.js";
import {
  DRAWN, ENDS, END_WORDS, FILES, HANDICAPS, ILLEGAL_BEFORE, INTERRUPTED, MINISHOGI, RANKS, REPETITION, TITLES, countOf,
  hasKanji, letterOf, targetOf, usiSquare,
} from "./kif_names.js";
import { MARKS, fittingMoves, ki2Moves } from "./ki2_moves.js";
import { LineError } from "./game_record.js";

const TIME = "\\(\\s*(?:(\\d+):)?(\\d+):(\\d+(?:\\.\\d+)?)\\s*(?:/[^)]*)?\\)";
const NUMBERED = new RegExp(`^(\\d+)[\\s.]+(\\S.*?)\\s*(?:${TIME})?\\s*\\+?$`);
const BRANCH = /^変化[：:]\s*([0-9０-９]+)手/, RESULT = "まで";
const MOVE = /^(同|([1-9１-９])([1-9一二三四五六七八九]))[\s　]*([^0-9()\s　成打不]|成[香桂銀])(不成|成|打)?(?:\(([1-9])([1-9])\))?$/u;

/** Read the game whose first line is `lines[from]`; line numbers count from the file's first line.
 * @param {Game} game  @param {string[]} lines  @param {number} [from]  @param {number} [until] index after its last line
 * @returns {Reading} */
export function readKif(game, lines, from = 0, until = lines.length) {
  const head = readHead(lines, from, until);
  /** @type {Lines | null} */
  let reader = null;
  try {
    reader = new Lines(game, startOf(head, game.variant));
    for (let index = head.first; index < until; index++) reader.take(lines[index].trim(), index + 1);
    return { record: reader.record(head), trouble: null };
  } catch (error) {
    if (!(error instanceof LineError)) throw error;
    return { record: reader && reader.record(head), trouble: { line: error.line, text: error.message } };
  } finally {
    reader?.position.release();
  }
}

/** Reads the lines of moves, one at a time. */
class Lines {
  /** @param {Game} game  @param {{line: number, text: string}} start */
  constructor(game, start) {
    try {
      this.position = new Position(game, start.text);
    } catch (error) {
      throw new LineError(start.line, inWords(error));
    }
    this.tree = new GameTree(game.variant.name, this.position.sfen());
    this._target = "";
    /** Whether the main line has ended; variations follow. */
    this._varies = false;
    /** @type {Ending} */
    this._ending = { word: "", reason: "", result: "" };
  }

  /** @param {string} text  @param {number} line */
  take(text, line) {
    const branch = BRANCH.exec(text), roll = /^# dice ([1-6])$/.exec(text), { _ending: ending } = this;
    if (text.startsWith("*")) this._comment(text.slice(1));
    else if (roll) this.tree.current.dice = Number(roll[1]);
    else if (branch) this._branch(Number(branch[1].normalize("NFKC")), line);
    else if (MARKS.test(text[0])) for (const move of ki2Moves(text)) this._ki2(move, line);
    else if (text.startsWith(RESULT)) ending.result = this._varies ? ending.result : text;
    else if (text.startsWith("# ") && ending.word && !this._varies) ending.reason ||= text.slice(2);
    else if (text && !/^(#|&|手数--)/.test(text)) this._numbered(text, line);
  }

  /** @param {string} text */
  _comment(text) {
    const { current } = this.tree;
    current.comment += (current.comment && "\n") + text;
  }

  /** @param {number} number  @param {number} line */
  _branch(number, line) {
    const path = this.tree.current.path();
    if (!(number >= 1 && number <= path.length + 1)) throw new LineError(line, t("records.branch", { number }));
    this._varies = true;
    this.tree.goTo(path[number - 2] ?? this.tree.root);
    while (this.position.moves.length >= number) this.position.pop();
    this._target = "";
  }

  /** @param {string} text  @param {number} line */
  _numbered(text, line) {
    const found = NUMBERED.exec(text);
    if (!found) throw new LineError(line, t("records.line", { text: clipped(text, 40) }));
    const [, , words, hours, minutes, seconds] = found;
    if (END_WORDS.includes(words)) {
      if (!this._varies) this._ending.word = words;
      return;
    }
    const usi = hasKanji(this.tree.variant) ? this._usi(words, line) : words;
    try {
      this.position.push(usi);
    } catch (error) {
      throw new LineError(line, t("records.illegal", { move: clipped(words, 20), why: inWords(error) }));
    }
    const node = this.tree.play(usi);
    if (seconds !== undefined) node.ms = 1000 * (3600 * Number(hours ?? 0) + 60 * Number(minutes) + Number(seconds));
    this._target = targetOf(usi);
  }

  /** @param {string} text  @param {number} line */
  _ki2(text, line) {
    const [usi, ...others] = fittingMoves(this.position, text, this._target || targetOf(this.tree.current.move));
    if (!usi || others.length) throw new LineError(line, t(usi ? "records.several" : "records.move", { move: clipped(text, 20) }));
    this.position.push(usi);
    this.tree.play(usi);
    this._target = targetOf(usi);
  }

  /** A move in USI notation.
   * @param {string} words  @param {number} line */
  _usi(words, line) {
    const { position, tree: { variant } } = this, { game } = position;
    const found = MOVE.exec(words);
    if (!found) throw new LineError(line, t("records.move", { move: clipped(words, 20) }));
    const [, where, file, rank, name, how, fromFile, fromRank] = found;
    const letter = letterOf(variant, name);
    if (!letter || !game.letters.has(letter)) throw new LineError(line, t("records.piece", { piece: name }));
    const to = where === "同" ? this._target || targetOf(this.tree.current.move) : usiSquare(digit(file, FILES), digit(rank, RANKS));
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

  /** The game read so far, with the end of the main line as the shown node.
   * @param {Head} head  @returns {GameRecord} */
  record({ names, label, clock }) {
    const { tree, _ending: ending } = this;
    tree.goTo(tree.end);
    const first = tree.start.split(" ")[1] === "w" ? 1 : 0;
    return { tree, names, label, clock, end: endOf(ending, (first + tree.end.ply) % 2) };
  }
}

// The end of a game.

/** What the lines of a game tell about its end: the word in the place of a move, the comment after it, and the line that
 * begins with まで; "" for none.
 * @typedef {{word: string, reason: string, result: string}} Ending */

/** @param {Ending} ending  @param {number} mover the side to move in the last position  @returns {End | null} */
function endOf({ word, reason: given, result }, mover) {
  const told = /([先後下上])手の(入玉|反則)?(勝ち|負け)/.exec(result);
  const winner = told && ("先下".includes(told[1]) === (told[3] === "勝ち") ? 0 : 1);
  if (!word) { // KI2 has only the line with the result
    const how = result.includes("時間切れ") ? "time" : { 入玉: "declaration", 反則: "illegal_move" }[told?.[2] ?? ""] ?? "resign";
    return told && { winner, reason: how };
  }
  const named = Object.entries(ENDS).find(([, other]) => other === word)?.[0];
  const reason = given || named || { [DRAWN]: "impasse", [ILLEGAL_BEFORE]: "illegal_move", 詰: "checkmate" }[word];
  if (!reason || reason === INTERRUPTED) return null;
  if (told) return { winner, reason };
  if (word === REPETITION || word === DRAWN || word === ENDS.no_mate || result.endsWith(DRAWN) || result.endsWith(REPETITION)) {
    return { winner: null, reason };
  }
  return { winner: word === "入玉勝ち" || word === ILLEGAL_BEFORE ? mover : 1 - mover, reason };
}

/** Find the end of a game without reading its moves.
 * @param {string[]} lines  @param {Head} head  @param {number} until index after its last line  @returns {End | null} */
export function readEnd(lines, { sfen, title, rows, white, first }, until) {
  const ending = { word: "", reason: "", result: "" };
  let mover = Number(sfen ? / w /.test(sfen.text) : rows.length ? white : title in HANDICAPS);
  for (let index = first; index < until && !ending.result; index++) {
    const text = lines[index].trim(), numbered = /^(\d+)[\s.]+(\S+)/.exec(text);
    if (BRANCH.test(text)) break;
    if (text.startsWith(RESULT)) ending.result = text;
    else if (ending.word && text.startsWith("# ")) ending.reason ||= text.slice(2);
    else if (numbered && END_WORDS.includes(numbered[2])) ending.word = numbered[2];
    else if (numbered) mover = 1 - mover;
  }
  return endOf(ending, mover);
}

/** @param {string} text  @param {string} digits */
const digit = (text, digits) => (digits.indexOf(text) >= 0 ? digits.indexOf(text) + 1 : Number(text));

// The header: names, variant, diagram.

/** @typedef {{variant: string, label: string, sfen: {line: number, text: string} | null, title: string,
 *   rows: {line: number, cells: string[]}[], hands: {line: number, text: string}[], white: boolean, names: [string, string],
 *   event: string, date: string, clock: string, first: number}} Head
 *   `variant` is "" if no comment names it; `first` is the index of the first line of moves */

/** @type {{[key: string]: number}} */
const SIDES = { 先手: 0, 下手: 0, 後手: 1, 上手: 1 };

/** Read the header of a game; it accepts any text.
 * @param {string[]} lines  @param {number} from index of the game's first line  @param {number} until index after its last
 * @returns {Head} */
export function readHead(lines, from, until) {
  /** @type {Head} */
  const head = {
    variant: "", label: "", sfen: null, title: "", rows: [], hands: [{ line: 0, text: "" }, { line: 0, text: "" }],
    white: false, names: ["", ""], event: "", date: "", clock: "", first: from,
  };
  for (; head.first < until; head.first++) {
    const text = lines[head.first].trim(), line = head.first + 1;
    if (text.startsWith("手数--") || text.startsWith("*") || MARKS.test(text[0]) || /^[0-9]+[\s.]+\S/.test(text)) break;
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
  else if (key === "棋戦") head.event = value;
  else if (key === "開始日時") head.date = value;
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

/** The start position as SFEN, and the line number that gives it. Throws LineError if it is invalid.
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
