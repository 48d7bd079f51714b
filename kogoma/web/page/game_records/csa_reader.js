// Reader of CSA V2.2 (9x9 shogi), the counterpart of lab/kifu/csa.py.

import { pieceLetter } from "../../engine/sfen.js";
import { clipped } from "../../engine/text.js";
import { t } from "../translate.js";
import { translatedError } from "./errors.js";
import { CSA_ENDS, CSA_PIECES, outcomeBy, usiSquare } from "./kif_names.js";
import { LineError } from "./game_record.js";
import { Recorder } from "./recorder.js";

/** KIF's names of CSA's keywords.
 * @type {{[keyword: string]: string}} */
const HEADERS = { EVENT: "棋戦", SITE: "場所", START_TIME: "開始日時", END_TIME: "終了日時", OPENING: "戦型", TIME_LIMIT: "持ち時間" };
const SIGNS = "+-";

/** Whether a line can begin a CSA file.
 * @param {string} line */
export const isCsa = (line) => /^('|V[0-9]|N[+-]|\$[A-Z_]+:|P[I1+-]|[+-]$)/.test(line);

/** Read the game in the lines `from` to `until`.
 * @param {Game} game  @param {string[]} lines  @param {number} from  @param {number} until  @returns {Reading} */
export function readCsa(game, lines, from, until) {
  const reader = new Reader(game);
  try {
    for (let index = from; index < until; index++) {
      try {
        reader.take(lines[index]);
      } catch (error) {
        throw new LineError(index + 1, translatedError(error));
      }
    }
    if (!reader.recorder) throw new LineError(from + 1, t("records.nothing"));
    return { tree: reader.tree(), trouble: null };
  } catch (error) {
    if (!(error instanceof LineError)) throw error;
    return { tree: reader.tree(), trouble: { line: error.line, text: error.message } };
  } finally {
    reader.recorder?.position.release();
  }
}

/** Reads the lines of a game, one at a time. Methods throw an Error for a line that cannot be read. */
class Reader {
  /** @param {Game} game */
  constructor(game) {
    this._game = game;
    /** @type {string[][]} letters by rank and from the 9th file, "" for an empty square */
    this._board = Array.from({ length: 9 }, () => Array(9).fill(""));
    /** @type {{[letter: string]: number}[]} */
    this._hands = [{}, {}];
    this._number = 1;
    /** @type {[string, string]} */
    this._names = ["", ""];
    this._label = "";
    /** @type {[string, string][]} */
    this._headers = [];
    /** @type {string[]} comment lines before the start is known */
    this._ahead = [];
    /** @type {Recorder | null} null until the start is known */
    this.recorder = null;
  }

  /** The game as far as it was read, or null. */
  tree() {
    const { recorder, _names: names, _label: label, _headers: headers } = this;
    return recorder && Object.assign(recorder.tree, { names, label, headers });
  }

  /** @param {string} line */
  take(line) {
    const keyword = /^\$([^:]*):(.*)$/.exec(line);
    if (line.startsWith("'")) this._remark(line);
    else if (/^N[+-]/.test(line)) this._names[SIGNS.indexOf(line[1])] = line.slice(2).trim();
    else if (keyword) this._headers.push([HEADERS[keyword[1]] ?? keyword[1], keyword[2].trim()]);
    else for (const part of line.startsWith("P") ? [line] : line.split(",")) this._part(part.trimEnd());
  }

  /** @param {string} line */
  _remark(line) {
    const { recorder } = this, label = /^'# game (.*)$/.exec(line), number = /^'# number ([0-9]{1,6})$/.exec(line);
    const end = /^'# ([a-z_]+) ([bw-])$/.exec(line), header = /^'([^：]*)：(.*)$/.exec(line);
    if (line.startsWith("'*")) recorder ? recorder.say(line.slice(2)) : this._ahead.push(line.slice(2));
    else if (label) this._label = label[1].trim();
    else if (number) this._number = Number(number[1]);
    else if (!recorder && header) this._headers.push([header[1].trim(), header[2].trim()]);
    else if (recorder?.end && end) Object.assign(recorder.end, { winner: end[2] === "-" ? null : "bw".indexOf(end[2]), reason: end[1] });
  }

  /** @param {string} text */
  _part(text) {
    const { recorder } = this, move = /^([+-])([0-9]{2})([1-9]{2})([A-Z]{2})$/.exec(text), time = /^T([0-9]{1,9}(?:\.[0-9]{0,6})?)$/.exec(text);
    if (!recorder) {
      if (text === "+" || text === "-") this._begin(text);
      else if (/^P./.test(text)) this._place(text);
      else if (text && !text.startsWith("V")) throw new Error(t("records.line", { text: clipped(text, 40) }));
    } else if (move) {
      this._move(recorder, move);
    } else if (time && recorder.tree.current.parent) {
      (recorder.end ?? recorder.tree.current).ms = 1000 * Number(time[1]);
    } else if (text.startsWith("%")) {
      this._end(recorder, text.slice(1));
    } else if (text) {
      throw new Error(t("records.line", { text: clipped(text, 40) }));
    }
  }

  /** @param {string} sign of the side to move */
  _begin(sign) {
    const rows = this._board.map((row) => row.map((letter) => letter || " ").join("").replace(/ +/g, (blank) => `${blank.length}`));
    const held = this._hands.flatMap((hand, side) => Object.entries(hand).map(([letter, count]) =>
      (count > 1 ? count : "") + (side ? letter.toLowerCase() : letter))).join("");
    this.recorder = new Recorder(this._game, `${rows.join("/")} ${sign === "+" ? "b" : "w"} ${held || "-"} ${this._number}`);
    this._ahead.forEach((text) => this.recorder?.say(text));
  }

  /** Take a line of the start position.
   * @param {string} text */
  _place(text) {
    const side = SIGNS.indexOf(text[1]), rest = text.slice(2);
    if (text[1] === "I") {
      this._board = this._game.variant.start.split(" ")[0].split("/").map((row) =>
        [...row.replace(/[0-9]/g, (count) => " ".repeat(Number(count)))].map((letter) => letter.trim()));
      for (const [, place] of rest.matchAll(/([0-9]{2})[A-Z]{2}/g)) this._put(place, "");
    } else if (/[1-9]/.test(text[1])) {
      const cells = rest.match(/[+-][A-Z]{2}| \*[ ]?/g) ?? [];
      if (cells.length !== 9) throw new Error(t("records.wide", { count: cells.length, files: 9 }));
      this._board[Number(text[1]) - 1] = cells.map((cell) => (cell[1] === "*" ? "" : letterOf(cell.slice(1), SIGNS.indexOf(cell[0]))));
    } else if (side >= 0) {
      for (const [, place, name] of rest.matchAll(/([0-9]{2})([A-Z]{2})/g)) {
        if (place !== "00") this._put(place, letterOf(name, side));
        else if (name === "AL") this._putRest(side);
        else this._hands[side][letterOf(name, 0)] = (this._hands[side][letterOf(name, 0)] ?? 0) + 1;
      }
    } else {
      throw new Error(t("records.line", { text: clipped(text, 40) }));
    }
  }

  /** @param {string} place two digits  @param {string} letter */
  _put(place, letter) {
    this._board[Number(place[1]) - 1][9 - Number(place[0])] = letter;
  }

  /** Put all pieces that are not placed yet into a hand.
   * @param {number} side */
  _putRest(side) {
    const placed = [...this._board.flat(), ...this._hands.flatMap((hand) => Object.entries(hand).flatMap(([letter, count]) => Array(count).fill(letter)))]
      .map((letter) => letter.replace("+", "").toUpperCase());
    for (const letter of "RBGSNLP") {
      const total = this._game.variant.start.split(" ")[0].toUpperCase().split(letter).length - 1;
      const left = total - placed.filter((other) => other === letter).length;
      if (left > 0) this._hands[side][letter] = (this._hands[side][letter] ?? 0) + left;
    }
  }

  /** @param {Recorder} recorder  @param {RegExpExecArray} found */
  _move({ position }, found) {
    const [text, sign, from, to, name] = found, letter = letterOf(name, 0);
    const target = usiSquare(Number(to[0]), Number(to[1]));
    if (SIGNS.indexOf(sign) !== position.turn) throw new Error(t("records.line", { text }));
    let usi = `${letter}*${target}`;
    if (from !== "00") {
      const cell = position.struct.get("board", 9 * (Number(from[1]) - 1) + 9 - Number(from[0])), here = pieceLetter(this._game, cell & 15);
      if (letter !== here && letter !== `+${here}`) throw new Error(t("records.origin", { square: from, piece: name }));
      usi = usiSquare(Number(from[0]), Number(from[1])) + target + (letter === here ? "" : "+");
    }
    try {
      this.recorder?.play(usi);
    } catch (error) {
      throw new Error(t("records.illegal", { move: text, why: translatedError(error) }));
    }
  }

  /** @param {Recorder} recorder  @param {string} word */
  _end(recorder, word) {
    const faulty = /^([+-])ILLEGAL_ACTION$/.exec(word), judged = faulty && recorder.position.outcome();
    const winner = faulty?.[1] === "+" ? 1 : 0;
    if (judged?.reason === "perpetual_check" && judged.winner === winner) recorder.finish(judged);
    else if (faulty) recorder.finish({ winner, reason: "illegal_move" });
    else if (word in CSA_ENDS) recorder.finish(outcomeBy(...CSA_ENDS[word], recorder.position));
    else throw new Error(t("records.line", { text: `%${clipped(word, 30)}` }));
  }
}

/** The letter of a piece; lower case for White. Throws an Error if CSA has no such piece.
 * @param {string} name  @param {number} side */
function letterOf(name, side) {
  const letter = CSA_PIECES[name];
  if (!letter) throw new Error(t("records.piece", { piece: name }));
  return side ? letter.toLowerCase() : letter;
}
