// Pieces of all games: kanji, names, and the drawings of Onitama's figures.

/** A kind of piece. `two` and `one` are its texts in the two-kanji and one-kanji sets, `en` and `ja` its names,
 * `size` is its scale (1 for the king), `turned` is true for the red (promoted) side.
 * @typedef {{two: string, one: string, en: string, ja: string, size: number, turned: boolean, royal?: boolean}} Kind */

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

/** The kinds of pieces by variant and letter; other variants have shogi's.
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

for (const name of ["king", "lion", "master"]) KINDS[name].royal = true;

/** Define how the pieces of a custom variant are shown.
 * @param {string} variant  @param {import("../client/loader.js").Faces} faces */
export function defineFaces(variant, faces) {
  const kinds = Object.entries(faces).map(([letter, face]) => {
    if (typeof face === "string") return [letter, kindOf(face, letter)];
    const [name, text, royal] = face, shown = name || letter, own = `${variant} ${letter}`;
    KINDS[own] = { ...kind(text, text, shown, shown, royal ? 1 : 0.95, letter.startsWith("+")), royal };
    return [letter, own];
  });
  GAMES[variant] = Object.fromEntries(kinds);
}

/** How a piece moves: steps and slides as [squares to the right, squares forward], short slides with their longest way.
 * @typedef {{steps: [number, number][], slides: [number, number][], short_slides: [number, number, number][]}} Moves */

/** The moves of the pieces by variant and letter.
 * @type {{[variant: string]: {[letter: string]: Moves}}} */
const MOVES = {};

/** Define how the pieces of a variant move.
 * @param {string} variant  @param {import("../client/loader.js").MovesByLetter} moves */
export function defineMoves(variant, moves) {
  MOVES[variant] = Object.fromEntries(Object.entries(moves).map(([letter, text]) => [letter, readMoves(text)]));
}

/** @param {string} text  @returns {Moves} */
function readMoves(text) {
  /** @type {Moves} */
  const found = { steps: [], slides: [], short_slides: [] };
  for (const [pair, most] of [...text.matchAll(/([a-z]{2})(\d*)/gi)].map((one) => one.slice(1))) {
    const [dx, dy] = [...pair.toLowerCase()].map((one) => one.charCodeAt(0) - "n".charCodeAt(0));
    if (most) found.short_slides.push([dx, dy, Number(most)]);
    else (pair < "a" ? found.slides : found.steps).push([dx, dy]);
  }
  return found;
}

/** How a piece moves; no moves for an unknown letter.
 * @param {string} variant  @param {string} cell  @returns {Moves} */
export const movesOf = (variant, cell) => MOVES[variant]?.[cell.toUpperCase()] ?? { steps: [], slides: [], short_slides: [] };

/** All letters of a variant's table in GAMES, which may have pieces that the variant does not use.
 * @param {string} variant  @returns {string[]} */
export const allLetters = (variant) => Object.keys(GAMES[variant] ?? SHOGI);

/** The letters of a variant's pieces: those in `order` with their promoted sides, and the royal piece.
 * @param {string} variant  @param {string} order  @returns {string[]} */
export const lettersOf = (variant, order) =>
  allLetters(variant).filter((letter) => order.includes(letter.replace("+", "")) || isRoyal(variant, letter));

/** The name of a variant's royal piece: king, lion, master, or that of a custom variant.
 * @param {string} variant  @param {"en" | "ja"} language */
export const royalName = (variant, language) =>
  pieceName(variant, allLetters(variant).find((letter) => isRoyal(variant, letter)) ?? "", language);

/** The Japanese names of pieces that are shorter in records of games.
 * @type {{[kind: string]: string}} */
const SHORT = { lance: "香", knight: "桂", rook: "飛", tokin: "と" };

/** The Japanese name of a piece as records of games write it: 飛 for 飛車.
 * @param {string} variant  @param {string} cell */
export const nameInMoves = (variant, cell) => SHORT[kindOf(variant, cell)] ?? pieceName(variant, cell, "ja");

/** Whether the piece is royal.
 * @param {string} variant  @param {string} cell */
export const isRoyal = (variant, cell) => KINDS[kindOf(variant, cell)]?.royal ?? false;

/** The name in KINDS of a piece, "" for an unknown letter.
 * @param {string} variant  @param {string} cell its letter, in either case */
export const kindOf = (variant, cell) => (GAMES[variant] ?? SHOGI)[cell.toUpperCase()] ?? "";

/** A piece's name in words.
 * @param {string} variant  @param {string} cell  @param {"en" | "ja"} [language] */
export const pieceName = (variant, cell, language = "en") => KINDS[kindOf(variant, cell)]?.[language] ?? cell;

/** The text on a piece in a kanji set, "" for an unknown letter. White's king is 王.
 * @param {string} variant  @param {string} cell  @param {"two" | "one"} set */
export function pieceFace(variant, cell, set) {
  const face = KINDS[kindOf(variant, cell)]?.[set] ?? "";
  return cell === cell.toLowerCase() ? face.replace("玉", "王") : face;
}

// Drawings. Paths are centred at (0, 0); a square of the board has 60 units.

/** How a path is painted: filled or stroked.
 * @typedef {[paint: "ink" | "line", path: string]} Stroke */

/** A circle as a path.
 * @param {number} x  @param {number} y  @param {number} r */
const disc = (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`;

/** The drawings of Onitama's pieces.
 * @type {{[kind: string]: Stroke[]}} */
export const FIGURES = {
  master: [
    ["ink", "M-21 25C-20 15-13 11-12 5-15 1-13-4-9-6-10-13-6-18 0-18S10-13 9-6C13-4 15 1 12 5 13 11 20 15 21 25Z"],
    ["ink", disc(0, -21, 4.5)], ["line", "M-9-6C-5-3 5-3 9-6M-8 25C-6 17-2 11 0 9 2 11 6 17 8 25"],
  ],
  student: [["ink", "M-17 23C-16 14-10 10-7 3A11.5 11.5 0 1 1 7 3C10 10 16 14 17 23Z"], ["line", "M-7 3C-3.5 5.5 3.5 5.5 7 3"]],
};
