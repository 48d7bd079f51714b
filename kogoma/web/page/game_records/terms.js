// The words, names and patterns of game records, and what is written with them: names of pieces and squares, numbers,
// and ends of games. The functions are those of lab/kifu/grammar.py.

import { recordError } from "./errors.js";
import { GRAMMAR as TABLES } from "./grammar.js";

/** @typedef {[kind: string, groups: string[]]} Kind what a line is, and the groups of its pattern */
/** @typedef {{winner: number | null, reason: string, text: string, hasSide: boolean}} WrittenEnd
 *   an end word as it was read: the outcome, the word itself if no table has it, and whether it names a side */

/** The tables of grammar.js, without the properties of all objects: words of a file are looked up in them.
 * @type {any} */
export const GRAMMAR = JSON.parse(JSON.stringify(TABLES), (_, value) =>
  (value.constructor === Object ? Object.setPrototypeOf(value, null) : value));

/** @type {string} */
export const RANKS = GRAMMAR.ranks;
/** @type {string} */
export const FILES = GRAMMAR.files;
/** @type {{[name: string]: string}} */
export const HANDICAPS = Object.create(null);
for (const name of Object.keys(GRAMMAR.handicaps)) HANDICAPS[name] = GRAMMAR.handicaps[name] + GRAMMAR.handicap_rest;
/** The name of a handicap's start position. Some programs read the other names as an even game.
 * @type {Map<string, string>} */
export const HANDICAP_OF = new Map(Object.entries(HANDICAPS).filter(([name]) => !GRAMMAR.drawn_handicaps.includes(name))
  .map(([name, sfen]) => [sfen, name]));
for (const other of Object.keys(GRAMMAR.handicap_synonyms)) HANDICAPS[other] = HANDICAPS[GRAMMAR.handicap_synonyms[other]];
/** @type {{[name: string]: string}} */
export const CSA_LETTERS = Object.create(null);
for (const [letter, name] of Object.entries(GRAMMAR.csa_pieces)) CSA_LETTERS[name] = letter;

const LOSES = -1, WINS = 1, NOBODY = 0; // for the side to move
export const BLANKS = " \t　";
/** @type {[RegExp, string, number][]} */
const ENDS = GRAMMAR.ends.map((/** @type {[string, string, number]} */ [source, ...said]) =>
  [new RegExp(source, "u"), ...said]);
/** @type {[string, RegExp][]} */
const LINES = GRAMMAR.lines.map((/** @type {[string, string]} */ [kind, source]) => [kind, new RegExp(source, "su")]);

/** A pattern of the table.
 * @param {string} name  @param {string} [flags] */
export const pattern = (name, flags = "su") => new RegExp(GRAMMAR[name], flags);

const [REMARK, SIDE, NO_WORD, WORD] = ["end_remark", "side", "no_word", "word"].map((name) => pattern(name));

/** What a stripped line of KIF or KI2 is; ["", []] if no pattern fits.
 * @param {string} line  @returns {Kind} */
export function kindOf(line) {
  for (const [kind, shape] of LINES) {
    const found = shape.exec(line);
    if (found) return [kind, found.slice(1)];
  }
  return ["", []];
}

/** Whether the variant's pieces have kanji names. Moves of other variants are written in USI notation.
 * @param {{name: string}} variant @returns {boolean} */
export const hasKanji = ({ name }) => GRAMMAR.kanji.includes(name);

/** The Japanese name of a piece, for example "成銀" for "+S".
 * @param {{name: string}} variant  @param {string} letter  @returns {string} */
export const pieceName = ({ name }, letter) => GRAMMAR.promoted[name]?.[letter] ?? GRAMMAR.pieces[letter];

/** The letter of the piece with this name. Less usual names are accepted too. Throws an Error if the variant has no
 * such piece.
 * @param {Game} game  @param {string} name  @returns {string} */
export function letterOf({ variant, letters }, name) {
  const usual = GRAMMAR.synonyms[name] ?? name;
  const letter = hasKanji(variant) ? [...letters.keys()].find((one) => pieceName(variant, one) === usual) : undefined;
  if (!letter) throw recordError("no-such-piece", { game: variant.name, text: name });
  return letter;
}

/** A count of pieces in hand (up to 99) as a kanji numeral, for example 十八; "" for 1.
 * @param {number} count */
export function numeral(count) {
  if (count === 1) return "";
  const tens = Math.floor(count / 10), ones = count % 10;
  return (tens > 1 ? RANKS[tens - 1] : "") + (tens ? "十" : "") + (ones ? RANKS[ones - 1] : "");
}

/** The number of pieces that `text`, digits or a kanji numeral, means. Throws an Error if it is no such number.
 * @param {string} text */
export function numberOf(text) {
  if (/^[0-9]{1,3}$/.test(text)) return Number(text);
  const at = text.indexOf("十"), tens = at < 0 ? "" : text.slice(0, at), ones = text.slice(at + 1);
  if (!/^[一二三四五六七八九]?$/.test(tens) || !/^[一二三四五六七八九]?$/.test(ones)) {
    throw recordError("unreadable-number", { text });
  }
  if (!text) return 1;
  return (at < 0 ? 0 : 10) * (tens ? RANKS.indexOf(tens) + 1 : 1) + (ones ? RANKS.indexOf(ones) + 1 : 0);
}

/** A USI square in Japanese: "７六" for "7f".
 * @param {string} square */
export const squareText = (square) => FILES[Number(square[0]) - 1] + RANKS[square.charCodeAt(1) - 97];

/** A text in which full-width digits are replaced by ASCII ones.
 * @param {string} text */
export const halfWidth = (text) =>
  text.replace(/[０-９]/g, (digit) => String.fromCharCode(digit.charCodeAt(0) - 0xfee0));

/** The USI square of a file and a rank, each a digit from 1 to 9 of any kind: "7f" for "７", "六".
 * @param {string} file  @param {string} rank */
export function squareOf(file, rank) {
  const [column, row] = [file, rank].map((one) =>
    Math.max(...["123456789", FILES, RANKS].map((digits) => digits.indexOf(one))));
  return `${column + 1}${String.fromCharCode(97 + row)}`;
}

/** The square to which a move in USI notation goes.
 * @param {string} usi */
export const targetOf = (usi) => (usi.includes("*") ? usi.slice(usi.indexOf("*") + 1) : usi.slice(2, 4));

/** The outcome of a game whose record ends with `reason`. `mover` is the result for the side to move. If the rules end
 * the game for the same reason, the outcome by the rules is returned.
 * @param {string} reason  @param {number} mover  @param {Position} position  @returns {Outcome} */
function outcomeBy(reason, mover, position) {
  const judged = reason in GRAMMAR.by_rules ? position.outcome() : null;
  if (judged && GRAMMAR.by_rules[reason].includes(judged.reason)) return judged;
  const { turn, game: { variant } } = position;
  if (reason === "repetition" && variant.repetition_result === "black_loses") return { winner: 1, reason };
  return { winner: mover === NOBODY ? null : mover === WINS ? turn : 1 - turn, reason };
}

/** What an end word says without a position: the reason, the result for the side to move, the side that it names, and
 * the winner if it names a side. Returns null for a word that no table has.
 * @param {string} text */
export function saidBy(text) {
  const [, reason = "", mover = NOBODY] = ENDS.find(([shape]) => shape.test(text)) ?? [];
  if (!reason) return null;
  const side = SIDE.exec(text);
  if (!side) return { reason, mover, hasSide: false, winner: null };
  const named = GRAMMAR.players[`${side[1]}手`], wins = text.includes("勝");
  const loses = !wins && (mover === LOSES || text.includes("負") || text.includes("敗"));
  /** @type {number | null} */
  const winner = loses ? 1 - named : wins || mover === WINS ? named : null;
  return { reason, mover, hasSide: true, winner };
}

/** The end that a text means: the end word of a move line (`isWord`), or a result after まで12手で. A text that no table
 * has is an unknown end, which keeps the text. If a word cannot be an end, returns null.
 * @param {string} text  @param {Position} position  @param {boolean} [isWord]  @returns {WrittenEnd | null} */
export function endOf(text, position, isWord = false) {
  if (isWord && NO_WORD.test(text)) return null;
  const said = saidBy(text);
  if (!said) return isWord && !WORD.test(text) ? null : { winner: null, reason: "unknown", text, hasSide: false };
  const { reason, mover, hasSide, winner } = said;
  if (!hasSide) return { ...outcomeBy(reason, mover, position), text: "", hasSide };
  const judged = outcomeBy(reason, NOBODY, position);
  if (judged.winner === winner) return { ...judged, text: "", hasSide };
  if (reason !== "unknown" && reason !== "resign") return { winner, reason, text: "", hasSide };
  return { winner, reason: winner === position.turn ? "unknown" : "resign", text: "", hasSide };
}

/** The word of KIF for an outcome. `turn` is the side to move at the end. If there is no word for the reason, the word
 * tells at least who wins.
 * @param {Outcome} outcome  @param {number} turn  @returns {string} */
export function endWord({ winner, reason }, turn) {
  const index = winner === null ? 2 : winner === turn ? 1 : 0, words = GRAMMAR.kif;
  return (words[reason] ?? words[""])[index] || words[""][index];
}

/** The text of a result that follows まで12手で. After the end `word` of KIF, the text tells only who wins.
 * @param {Outcome} outcome  @param {number} turn the side to move at the end  @param {string} word
 * @returns {string} */
export function resultText(outcome, turn, word) {
  const winner = outcome.winner ?? 0; // the texts for games without a winner name no side
  const text = GRAMMAR.results[word && outcome.winner !== null ? "投了" : endWord(outcome, turn)];
  return text.replace("{winner}", "先後"[winner]).replace("{loser}", "後先"[winner]);
}

/** The end that a word of a table ("csa_ends" or "usi_ends") means. A word that the table lacks is an unknown end,
 * which keeps the word.
 * @param {string} table  @param {string} word  @param {Position} position  @returns {WrittenEnd} */
export function wordEnd(table, word, position) {
  if (!(word in GRAMMAR[table])) return { winner: null, reason: "unknown", text: word, hasSide: false };
  const [reason, mover] = GRAMMAR[table][word];
  return { ...outcomeBy(reason, mover, position), text: "", hasSide: false };
}

/** The end that a word of CSA or JKF, without %, means (see `wordEnd`).
 * @param {string} word  @param {Position} position  @returns {WrittenEnd} */
export function csaEnd(word, position) {
  if (!/^[+-]ILLEGAL_ACTION$/.test(word)) return wordEnd("csa_ends", word, position);
  const winner = word[0] === "+" ? 1 : 0;
  const judged = outcomeBy("illegal_move", winner === position.turn ? WINS : LOSES, position);
  return { ...(judged.winner === winner ? judged : { winner, reason: "illegal_move" }), text: "", hasSide: false };
}

/** The end that a remark of CSA or JKF tells, or null for another text.
 * @param {string} text  @returns {Outcome & {text: string} | null} */
export function readRemark(text) {
  const [, reason, winner, word = ""] = REMARK.exec(text) ?? [];
  return reason ? { winner: winner === "-" ? null : "bw".indexOf(winner), reason, text: word } : null;
}
