// Descriptions of positions and moves for screen readers, in English and Japanese.

import { nameInMoves, pieceName } from "./pieces.js";
import { handOrder, readMove, sideOf, squareIndex, squareName, turnedOver } from "./state.js";

/** @typedef {"en" | "ja"} Language */
/** Onitama's cards by number: the name, and the steps as [squares to the right, squares forward] from the user's side.
 * @typedef {[name: string, steps: [number, number][]][]} Cards */

/** @type {{[language in Language]: string[]}} */
const SIDES = { en: ["Black", "White"], ja: ["先手", "後手"] };
const RANKS = "一二三四五六七八九";

/** The Japanese names of the cards.
 * @type {{[english: string]: string}} */
const CARDS = {
  eel: "鰻", crane: "鶴", frog: "蛙", horse: "馬", boar: "猪", rooster: "鶏", crab: "蟹", ox: "牛", cobra: "コブラ",
  rabbit: "兎", dragon: "龍", monkey: "猿", goose: "雁", elephant: "象", mantis: "蟷螂", tiger: "虎",
};

/** "Black" or "White".
 * @param {number} side  @param {Language} language */
export const sideName = (side, language) => SIDES[language][side];

/** A rank's name: "e", or "五" in Japanese.
 * @param {State} state  @param {number} row  @param {Language} language */
export const rankName = (state, row, language) =>
  language === "ja" && !state.cards ? RANKS[row] : squareName(state, row * state.files)[1];

/** A square's name: "5e", or "5五" in Japanese.
 * @param {State} state  @param {number} index  @param {Language} language */
export const squareWord = (state, index, language) =>
  language === "ja" && !state.cards
    ? squareName(state, index)[0] + RANKS[Math.floor(index / state.files)]
    : squareName(state, index);

/** The separator of a list.
 * @param {Language} language */
export const comma = (language) => (language === "ja" ? "、" : ", ");

/** A piece with its owner: "Black's king".
 * @param {State} state  @param {string} cell  @param {Language} language */
export function pieceWords({ variant }, cell, language) {
  const owner = sideName(sideOf(cell), language), name = pieceName(variant, cell, language);
  return language === "ja" ? `${owner}の${name}` : `${owner}'s ${name}`;
}

/** A square and its piece: "5e, Black's king".
 * @param {State} state  @param {number} index  @param {Language} language */
export function cellWords(state, index, language) {
  const cell = state.board[index], empty = language === "ja" ? "空き" : "empty";
  return squareWord(state, index, language) + comma(language) + (cell ? pieceWords(state, cell, language) : empty);
}

/** Pieces in hand: "Black's hand: pawn, 2".
 * @param {State} state  @param {number} side  @param {string} letter  @param {number} count  @param {Language} language */
export function heldWords(state, side, letter, count, language) {
  const name = pieceName(state.variant, letter, language);
  return language === "ja" ? `${SIDES.ja[side]}の持ち駒、${name}${count}枚` : `${SIDES.en[side]}'s hand: ${name}, ${count}`;
}

/** The name of the area of a side's pieces in hand or cards: "Black's hand", "White's cards".
 * @param {State} state  @param {number} side  @param {Language} language */
export function standWords(state, side, language) {
  if (state.cards) return language === "ja" ? `${SIDES.ja[side]}のカード` : `${SIDES.en[side]}'s cards`;
  const none = Object.keys(state.hands[side]).length === 0;
  return language === "ja"
    ? `${SIDES.ja[side]}の持ち駒${none ? "なし" : ""}`
    : `${SIDES.en[side]}'s hand${none ? ": empty" : ""}`;
}

/** A card's name.
 * @param {Cards} cards  @param {number} card  @param {Language} language */
export function cardName(cards, card, language) {
  const name = cards[card]?.[0] ?? String(card);
  return language === "ja" ? CARDS[name] ?? name : name;
}

/** Steps from their user's side: "1 forward; 1 left, 1 back".
 * @param {[right: number, forward: number][]} steps  @param {Language} language */
export function stepWords(steps, language) {
  const ja = language === "ja";
  return steps.map(([dx, dy]) => {
    const aside = dx && (ja ? `${dx < 0 ? "左" : "右"}${Math.abs(dx)}` : `${Math.abs(dx)} ${dx < 0 ? "left" : "right"}`);
    const ahead = dy && (ja ? `${dy < 0 ? "後" : "前"}${Math.abs(dy)}` : `${Math.abs(dy)} ${dy < 0 ? "back" : "forward"}`);
    return [aside, ahead].filter(Boolean).join(ja ? "" : ", ");
  }).join(ja ? "、" : "; ");
}

/** A card and its steps: "crane: 1 forward; 1 left, 1 back; 1 right, 1 back".
 * @param {Cards} cards  @param {number} card  @param {Language} language */
export const cardWords = (cards, card, language) =>
  `${cardName(cards, card, language)}${language === "ja" ? "：" : ": "}${stepWords(cards[card]?.[1] ?? [], language)}`;

/** Describe a move: "Black: pawn 2d to 2c, takes silver, becomes tokin".
 * @param {State} state the position before it  @param {string} usi  @param {Language} language
 * @param {Cards} [cards] in Onitama */
export function moveWords(state, usi, language, cards = []) {
  const ja = language === "ja", { variant, turn } = state;
  /** @param {string} name */
  const square = (name) => squareWord(state, squareIndex(state, name), language);
  /** @param {string} cell */
  const named = (cell) => pieceName(variant, cell, language);
  const start = ja ? `${SIDES.ja[turn]}、` : `${SIDES.en[turn]}: `;
  const move = readMove(usi);
  if (!move) return start + usi;
  const { dropped, from, to, turned } = move, card = move.card < 0 ? "" : cardName(cards, move.card, language);
  if (!to) return start + (ja ? `パス、${card}を渡す` : `passes, gives the ${card} away`);
  if (dropped) {
    return start + (ja ? `${square(to)}に${named(dropped)}を打つ` : `${named(dropped)} dropped on ${square(to)}`);
  }
  const piece = state.board[squareIndex(state, from)] ?? "", taken = state.board[squareIndex(state, to)];
  const parts = [ja ? `${named(piece)}、${square(from)}から${square(to)}` : `${named(piece)} ${square(from)} to ${square(to)}`];
  if (taken) parts.push(ja ? `${named(taken)}を取る` : `takes ${named(taken)}`);
  if (turned) parts.push(ja ? `${named(turnedOver(piece))}に成る` : `becomes ${named(turnedOver(piece))}`);
  if (card) parts.push(ja ? `${card}のカード` : `with the ${card}`);
  return start + parts.join(comma(language));
}

/** Describe a position: each side's pieces on the board and in hand (or cards), the side to move, and the die roll.
 * @param {State} state
 * @param {{cards: Cards, die: number, over: boolean, language?: Language}} view */
export function describe(state, { cards, die, over, language = "en" }) {
  const ja = language === "ja", between = comma(language);
  const sides = SIDES[language].map((name, side) => {
    const pieces = state.board.flatMap((cell, index) => cell && sideOf(cell) === side
      ? [ja ? squareWord(state, index, "ja") + pieceName(state.variant, cell, "ja")
        : `${pieceName(state.variant, cell)} ${squareName(state, index)}`] : []);
    const held = state.cards
      ? state.cards[side].map((card) => cardName(cards, card, language))
      : handOrder(state, side).map((letter) => {
        const named = pieceName(state.variant, letter, language), count = state.hands[side][letter];
        return ja ? `${named}${count}枚` : `${count} ${named}`;
      });
    const what = state.cards ? (ja ? "カード" : "cards") : ja ? "持ち駒" : "in hand";
    const list = held.join(between) || (ja ? "なし" : "nothing");
    return ja ? `${name}：${pieces.join(between)}。${what}：${list}。` : `${name}: ${pieces.join(between)}; ${what}: ${list}.`;
  });
  const next = over
    ? ja ? "終局。" : "The game is over."
    : ja ? `${SIDES.ja[state.turn]}の番。` : `${SIDES.en[state.turn]} to move.`;
  const roll = die ? (ja ? `サイコロは${die}。` : `The roll is ${die}.`) : "";
  return [...sides, next, roll].filter(Boolean).join(ja ? "" : " ");
}

/** Texts of the board and of the position editor, in both languages.
 * @type {{[key: string]: {[language in Language]: string}}} */
const TEXTS = {
  board: { en: "Board", ja: "盤" },
  toMove: { en: "to move", ja: "の番" },
  reachable: { en: "possible target", ja: "移動できます" },
  inCheck: { en: "in check", ja: "王手" },
  promote: { en: "Promote?", ja: "成りますか" },
  face: { en: "Which face up?", ja: "どちらの面を打ちますか" },
  card: { en: "With which card?", ja: "どのカードを使いますか" },
  between: { en: "next card", ja: "次のカード" },
  die: { en: "die", ja: "サイコロ" },
  marked: { en: "Marked", ja: "印を付けました" },
  unmarked: { en: "Marks removed", ja: "印を消しました" },
  palette: { en: "What a click does", ja: "クリックの動作" },
  move: { en: "Move pieces", ja: "駒を動かす" },
  erase: { en: "Remove pieces", ja: "駒を消す" },
  next: { en: "Who moves", ja: "手番" },
  moves: { en: "{side} to move", ja: "{side}の番" },
  slots: { en: "Cards", ja: "カード" },
};

/** @param {string} key of TEXTS  @param {Language} language */
export const boardText = (key, language) => TEXTS[key][language];

/** A move in short notation: "S4e-3d", "P2cx2b+", "P*3c", in Japanese "3四銀(45)", "2二歩成(23)", "3三歩打".
 * @param {State} state the position before it  @param {string} usi  @param {Language} language  @param {Cards} cards
 * @returns {string} */
export function shortMove(state, usi, language, cards) {
  const ja = language === "ja";
  const move = readMove(usi);
  if (!move) return usi;
  const { card, dropped, from, to, turned } = move, end = squareIndex(state, to);
  const takes = state.board[end] ? "x" : "-";
  if (card >= 0) {
    const name = cardName(cards, card, language);
    return to ? `${from}${takes}${to} ${name}` : ja ? `パス(${name})` : `pass (${name})`;
  }
  const square = squareWord(state, end, language);
  if (dropped) return ja ? `${square}${nameInMoves(state.variant, dropped)}打` : `${dropped}*${to}`;
  const piece = (state.board[squareIndex(state, from)] ?? "").toUpperCase();
  if (!ja) return `${piece}${from}${takes}${to}${turned && "+"}`;
  return `${square}${nameInMoves(state.variant, piece)}${turned ? "成" : ""}(${from[0]}${from.charCodeAt(1) - 96})`;
}
