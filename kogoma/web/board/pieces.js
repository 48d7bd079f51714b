// The pieces of every game: what stands on them, and what they are called.

/** What a piece is. `two` and `one` stand on it in the sets of two kanji and of one, `size` is its share of a square,
 * `turned` is true for the red side of a piece.
 * @typedef {{two: string, one: string, en: string, ja: string, size: number, turned: boolean}} Kind */

/** @param {string} two  @param {string} one  @param {string} en  @param {string} ja  @param {number} size
 * @returns {Kind} */
const kind = (two, one, en, ja, size, turned = false) => ({ two, one, en, ja, size, turned });

/** @type {{[name: string]: Kind}} */
export const KINDS = {
  pawn: kind("歩兵", "歩", "pawn", "歩", 0.86),
  lance: kind("香車", "香", "lance", "香車", 0.9),
  knight: kind("桂馬", "桂", "knight", "桂馬", 0.9),
  silver: kind("銀将", "銀", "silver", "銀", 0.95),
  gold: kind("金将", "金", "gold", "金", 0.95),
  bishop: kind("角行", "角", "bishop", "角", 0.98),
  rook: kind("飛車", "飛", "rook", "飛車", 0.98),
  king: kind("玉将", "玉", "king", "玉", 1),
  tokin: kind("と金", "と", "tokin", "と金", 0.86, true),
  promotedLance: kind("成香", "杏", "promoted lance", "成香", 0.9, true),
  promotedKnight: kind("成桂", "圭", "promoted knight", "成桂", 0.9, true),
  promotedSilver: kind("成銀", "全", "promoted silver", "成銀", 0.95, true),
  horse: kind("龍馬", "馬", "horse", "馬", 0.98, true),
  dragon: kind("龍王", "龍", "dragon", "龍", 0.98, true),
  chick: kind("雛", "ひ", "chick", "ひよこ", 0.9),
  hen: kind("鶏", "に", "hen", "にわとり", 0.9, true),
  elephant: kind("象", "象", "elephant", "ぞう", 0.96),
  giraffe: kind("麒麟", "麒", "giraffe", "きりん", 0.96),
  lion: kind("獅子", "獅", "lion", "ライオン", 1),
  tile: kind("瓦将", "瓦", "tile general", "瓦将", 0.9),
  rat: kind("老鼠", "鼠", "old rat", "老鼠", 0.9),
  copper: kind("銅将", "銅", "copper", "銅", 0.95),
  cat: kind("猫刃", "猫", "sword cat", "猫刃", 0.9),
  vertical: kind("竪行", "竪", "vertical mover", "竪行", 0.95),
  horizontal: kind("横行", "横", "horizontal mover", "横行", 0.95),
  master: kind("師", "師", "master", "師範", 1),
  student: kind("弟", "弟", "student", "弟子", 0.9),
};

const SHOGI = {
  P: "pawn", L: "lance", N: "knight", S: "silver", G: "gold", B: "bishop", R: "rook", K: "king",
  "+P": "tokin", "+L": "promotedLance", "+N": "promotedKnight", "+S": "promotedSilver", "+B": "horse", "+R": "dragon",
};

/** The kinds of a game by their letters; games that are not named have shogi's.
 * @type {{[variant: string]: {[letter: string]: string}}} */
const GAMES = {
  shogi: SHOGI,
  kyoto: { P: "pawn", L: "lance", N: "knight", S: "silver", K: "king", "+P": "rook", "+L": "tokin", "+N": "gold", "+S": "bishop" },
  micro: { P: "pawn", L: "lance", B: "bishop", R: "rook", K: "king", "+P": "knight", "+L": "silver", "+B": "tokin", "+R": "gold" },
  dobutsu: { C: "chick", "+C": "hen", E: "elephant", G: "giraffe", L: "lion" },
  generals: {
    P: "pawn", Y: "tile", R: "rat", C: "copper", X: "cat", S: "silver", G: "gold", V: "vertical", H: "horizontal",
    K: "king", "+P": "tokin",
  },
  onitama: { M: "master", S: "student" },
};

const ROYAL = ["king", "lion", "master"];

/** The letters of a game's pieces: those in its hand order, and their other sides.
 * @param {string} variant  @param {string} order  @returns {string[]} */
export function lettersOf(variant, order) {
  const all = Object.keys(GAMES[variant] ?? SHOGI);
  return all.filter((letter) => order.includes(letter.replace("+", "")) || isRoyal(variant, letter));
}

/** Whether the game is lost with this piece.
 * @param {string} variant  @param {string} cell */
export const isRoyal = (variant, cell) => ROYAL.includes(kindOf(variant, cell));

/** The name in KINDS of a piece, "" for a letter that the game does not have.
 * @param {string} variant  @param {string} cell its letter, in either case */
export const kindOf = (variant, cell) => (GAMES[variant] ?? SHOGI)[cell.toUpperCase()] ?? "";

/** What a piece is called.
 * @param {string} variant  @param {string} cell  @param {"en" | "ja"} [language] */
export const pieceName = (variant, cell, language = "en") => KINDS[kindOf(variant, cell)]?.[language] ?? cell;

/** What stands on a piece in a set of kanji, "" for a letter that the game does not have. White's king is 王.
 * @param {string} variant  @param {string} cell  @param {"two" | "one"} set */
export function pieceFace(variant, cell, set) {
  const face = KINDS[kindOf(variant, cell)]?.[set] ?? "";
  return cell === cell.toLowerCase() ? face.replace("玉", "王") : face;
}
