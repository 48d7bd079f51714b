// Terms of KIF (http://kakinoki.o.oo7.jp/kif_format.html): games, pieces, endings. lab/kifu/kif.py has the same tables.

import { allLetters, pieceFace } from "../../board/pieces.js";

export const RANKS = "一二三四五六七八九";
export const FILES = "１２３４５６７８９";

/** The value of the header 手合割 for a variant.
 * @type {{[variant: string]: string}} */
export const TITLES = { shogi: "平手", minishogi: "5五将棋", kyoto: "京都将棋" };

/** Other values of the header 手合割 that mean minishogi. */
export const MINISHOGI = ["五々将棋", "五五将棋", "５五将棋", "55将棋", "５５将棋"];

const REST = "/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1";

/** Start positions of handicap games, by the value of the header 手合割.
 * @type {{[name: string]: string}} */
export const HANDICAPS = {
  香落ち: `lnsgkgsn1/1r5b1${REST}`, 右香落ち: `1nsgkgsnl/1r5b1${REST}`, 角落ち: `lnsgkgsnl/1r7${REST}`,
  飛車落ち: `lnsgkgsnl/7b1${REST}`, 飛落ち: `lnsgkgsnl/7b1${REST}`, 飛香落ち: `lnsgkgsn1/7b1${REST}`,
  二枚落ち: `lnsgkgsnl/9${REST}`, 三枚落ち: `lnsgkgsn1/9${REST}`, 四枚落ち: `1nsgkgsn1/9${REST}`,
  五枚落ち: `2sgkgsn1/9${REST}`, 左五枚落ち: `1nsgkgs2/9${REST}`, 六枚落ち: `2sgkgs2/9${REST}`,
  左七枚落ち: `2sgkg3/9${REST}`, 右七枚落ち: `3gkgs2/9${REST}`, 八枚落ち: `3gkg3/9${REST}`, 十枚落ち: `4k4/9${REST}`,
};

/** Handicaps that some programs read as an even game. For these, the board is written instead of the name. */
export const RARE = new Set(["三枚落ち", "五枚落ち", "左五枚落ち", "左七枚落ち", "右七枚落ち"]);

/** Names of pieces that are longer in a move than in the diagram.
 * @type {{[name: string]: string}} */
const IN_MOVES = { 杏: "成香", 圭: "成桂", 全: "成銀" };
/** Alternative names of pieces.
 * @type {{[name: string]: string}} */
const SAME = { 王: "玉", 竜: "龍", ...IN_MOVES };

/** Variants whose pieces all have names in KIF; for others, moves are written in USI notation. */
const WITH_KANJI = new Set([
  "shogi", "minishogi", "minishogi-codingame", "dice", "dice-hyper", "dice-codingame", "judkins", "gorogoro", "micro",
  "kyoto",
]);

/** @param {string} variant */
export const hasKanji = (variant) => WITH_KANJI.has(variant);

/** The character of a piece in the diagram.
 * @param {string} variant  @param {string} letter as in SFEN, upper case */
export const boardName = (variant, letter) => pieceFace(hasKanji(variant) ? variant : "shogi", letter, "one");

/** The name of a piece in a move.
 * @param {string} variant  @param {string} letter */
export function pieceName(variant, letter) {
  const name = boardName(variant, letter);
  return IN_MOVES[name] ?? name;
}

/** The letter of the piece with this name, or undefined.
 * @param {string} variant  @param {string} name  @returns {string | undefined} */
export const letterOf = (variant, name) =>
  allLetters(hasKanji(variant) ? variant : "shogi").find((letter) => pieceName(variant, letter) === (SAME[name] ?? name));

const LOSES = -1, WINS = 1; // results for the side to move

/** The result of a draw or an interrupted game. */
export const NOBODY = 0;

/** KIF's words for the end of a game, with the reason and the result for the side to move. If a reason has several
 * words, the writer uses the first.
 * @type {{[word: string]: [reason: string, mover: number]}} */
export const END_WORDS = {
  詰み: ["checkmate", LOSES], 詰: ["checkmate", LOSES], 投了: ["resign", LOSES], 千日手: ["repetition", NOBODY],
  持将棋: ["impasse", NOBODY], 入玉勝ち: ["declaration", WINS], 反則負け: ["illegal_move", LOSES],
  反則勝ち: ["illegal_move", WINS], 切れ負け: ["time", LOSES], 不戦敗: ["default", LOSES], 不戦勝: ["default", WINS],
  不詰: ["no_mate", NOBODY], 中断: ["interrupted", NOBODY], 封じ手: ["interrupted", NOBODY],
};

/** The words of CSA and JKF for the end of a game.
 * @type {{[word: string]: [reason: string, mover: number]}} */
export const CSA_ENDS = {
  TSUMI: ["checkmate", LOSES], TORYO: ["resign", LOSES], SENNICHITE: ["repetition", NOBODY], JISHOGI: ["impasse", NOBODY],
  KACHI: ["declaration", WINS], ILLEGAL_MOVE: ["illegal_move", LOSES], TIME_UP: ["time", LOSES], FUZUMI: ["no_mate", NOBODY],
  CHUDAN: ["interrupted", NOBODY], HIKIWAKE: ["draw", NOBODY], MAX_MOVES: ["max_moves", NOBODY],
  MATTA: ["interrupted", NOBODY], ERROR: ["interrupted", NOBODY],
};

/** The letters of the pieces of CSA and JKF.
 * @type {{[name: string]: string}} */
export const CSA_PIECES = {
  FU: "P", KY: "L", KE: "N", GI: "S", KI: "G", KA: "B", HI: "R", OU: "K", TO: "+P", NY: "+L", NK: "+N", NG: "+S", UM: "+B", RY: "+R",
};

/** For a reason in a game record, the reasons that the rules may give for the same end.
 * @type {{[reason: string]: string[]}} */
const BY_RULES = {
  checkmate: ["checkmate", "stalemate", "king_captured", "goal", "check", "master_captured", "shrine"],
  repetition: ["repetition", "perpetual_check"], illegal_move: ["perpetual_check"],
};

/** The outcome for the reason and result of an end word. If the rules end the game for a matching reason, it is the
 * outcome by the rules.
 * @param {string} reason  @param {number} mover  @param {Position} position  @returns {Outcome} */
export function outcomeBy(reason, mover, position) {
  const judged = reason in BY_RULES ? position.outcome() : null;
  if (judged && BY_RULES[reason].includes(judged.reason)) return judged;
  if (reason === "repetition" && position.game.variant.repetition_result === "black_loses") return { winner: 1, reason };
  return { winner: mover === NOBODY ? null : mover === WINS ? position.turn : 1 - position.turn, reason };
}

/** The KIF word for an outcome, with side `turn` to move.
 * @param {Outcome} outcome  @param {number} turn */
export function endWord({ winner, reason }, turn) {
  if (winner === turn && reason === "illegal_move") return "反則勝ち";
  if (winner === turn && reason === "default") return "不戦勝";
  const word = reason === "impasse" ? undefined : Object.keys(END_WORDS).find((name) => END_WORDS[name][0] === reason);
  return word ?? (winner === null ? "持将棋" : "中断");
}

/** The result in the last line, after まで12手で.
 * @param {Outcome} outcome  @returns {string} */
export function resultText({ winner, reason }) {
  if (winner !== null) return `${"先後"[winner]}手の勝ち`;
  return { repetition: "千日手", interrupted: "中断" }[reason] ?? "持将棋";
}

/** A number of pieces in hand in kanji: "" for 1, up to 十八.
 * @param {number} count */
export const numeral = (count) =>
  (count === 1 ? "" : "十".repeat(Math.floor(count / 10)) + (count % 10 ? RANKS[(count % 10) - 1] : ""));

/** The inverse of `numeral`; 0 for other texts.
 * @param {string} text  @returns {number} */
export function countOf(text) {
  if (text === "") return 1;
  const found = /^(十?)([一二三四五六七八九]?)$/.exec(text);
  return found ? (found[1] ? 10 : 0) + (found[2] ? RANKS.indexOf(found[2]) + 1 : 0) : 0;
}

/** The target square of a move in USI notation.
 * @param {string} usi */
export const targetOf = (usi) => usi.replace(/[+-]$/, "").slice(-2);

/** The USI name of a square in KIF's coordinates.
 * @param {number} file from 1  @param {number} rank from 1 */
export const usiSquare = (file, rank) => `${file}${String.fromCharCode(96 + rank)}`;
