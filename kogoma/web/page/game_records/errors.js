// Translation of error messages of web/engine (sfen.js, onitama.js, position.js).

import { language } from "../translate.js";

const SIDE = "(Black|White)";

/** Patterns of messages and their Japanese translations; $1, $2 ... are the groups.
 * @type {[RegExp, string][]} */
const JAPANESE = [
  [/^sfen: 4 fields expected .*, not (\d+)$/, "SFEN は4つの部分（盤、手番、持駒または札、手数）からなります（$1個あります）"],
  [/^sfen: the side to move must be b or w, not (.*)$/, "手番は b か w です（$1）"],
  [/^sfen: the move number must be a whole number, at least 1, not (.*)$/, "手数は1以上の整数です（$1）"],
  [/^sfen: (\d+) ranks expected, not (\d+)$/, "盤は$1段ですが、$2段あります"],
  [/^sfen: cannot read rank (\w+): (.*)$/, "$1段目を読めません: $2"],
  [/^sfen: rank (\w+) is (\d+) squares wide, not (\d+)$/, "$1段目が$2マスあります（盤は$3マス）"],
  [/^sfen: unknown piece letter (.*)$/, "駒 $1 は不明です"],
  [/^sfen: cannot read the hands (.*)$/, "持駒 $1 を読めません"],
  [/^sfen: a piece (.*) cannot be in hand$/, "$1 を持駒にできません"],
  [/^sfen: a hand cannot hold (\d+) pieces (.*)$/, "持駒の $2 が$1枚あります"],
  [/^sfen: neither side has a king$/, "どちらの玉もありません"],
  [new RegExp(`^sfen: ${SIDE} has no king$`), "$1の玉がありません"],
  [new RegExp(`^sfen: ${SIDE} has (\\d+) kings$`), "$1の玉が$2枚あります"],
  [new RegExp(`^sfen: ${SIDE} has two unpromoted (\\S+) \\(pawns\\) on one file$`), "$1の $2 が二歩です"],
  [new RegExp(`^sfen: ${SIDE}'s (\\S+) on (\\S+) can never move$`), "$3 にある$1の $2 は行き所がありません"],
  [/^sfen: too many pieces (\S+): (\d+), where the game has (\d+)$/, "$1 が多すぎます: $2枚（この将棋では$3枚）"],
  [new RegExp(`^sfen: ${SIDE} is to move and could capture the king$`), "$1の手番で相手の玉を取れる局面です"],
  [/^sfen: cannot read the cards (.*): they are written like (.*)$/, "札 $1 を読めません（例: $2）"],
  [/^sfen: five different cards from 0 to (\d+) expected, not (.*)$/, "0から$1までの異なる5枚の札が必要です（$2）"],
  [new RegExp(`^sfen: ${SIDE} has (\\d+) masters$`), "$1の師が$2個あります"],
  [new RegExp(`^sfen: ${SIDE} has more than (\\d+) students$`), "$1の弟子が$2個を超えています"],
  [new RegExp(`^sfen: ${SIDE}'s master is captured, but ${SIDE} is to move$`), "$1の師は取られていますが、$2の手番です"],
  [
    new RegExp(`^sfen: ${SIDE} is to move, but has already won: the master is on the opponent's shrine$`),
    "$1の手番ですが、$1の師が相手の神殿にいて、すでに勝っています",
  ],
  [/^illegal move (.*): not a USI move$/, "$1 は USI の指し手ではありません"],
  [/^illegal move (.*): not a move like (.*) or (.*)$/, "$1 は $2 や $3 のような指し手ではありません"],
  [/^illegal move (.*): no such drop$/, "$1 という打ち方はありません"],
  [/^illegal move (.*): no such square$/, "$1: そのマスはありません"],
  [/^illegal move (.*): no square (.*) on a board of (\d+) files and (\d+) ranks$/, "$1: $3×$4 の盤に $2 はありません"],
  [new RegExp(`^illegal move (.*): ${SIDE} has the cards (\\d+) and (\\d+)$`), "$1: $2の札は $3 と $4 です"],
  [/^illegal move (.*) in .*$/, "$1 は反則です"],
];

/** An error message in the page's language; messages without a translation stay in English.
 * @param {unknown} error  @returns {string} */
export function translatedError(error) {
  const { message } = /** @type {Error} */ (error);
  if (language() !== "ja") return message.replace(/^sfen: /, "SFEN: ");
  const known = JAPANESE.find(([pattern]) => pattern.test(message));
  if (!known) return message;
  return message.replace(known[0], known[1]).replaceAll("Black", "先手").replaceAll("White", "後手");
}
