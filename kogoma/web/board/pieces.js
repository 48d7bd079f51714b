// Pieces of all games: kanji, names, and the drawings of the western set and of Onitama's figures.

/** A kind of piece. `two` and `one` are its texts in the two-kanji and one-kanji sets, `en` and `ja` its names,
 * `size` is its scale (1 for the king), `turned` is true for the red (promoted) side.
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

const ROYAL = ["king", "lion", "master"];

/** All letters of a variant's table in GAMES, which may have pieces that the variant does not use.
 * @param {string} variant  @returns {string[]} */
export const allLetters = (variant) => Object.keys(GAMES[variant] ?? SHOGI);

/** The letters of a variant's pieces: those in `order` with their promoted sides, and the royal piece.
 * @param {string} variant  @param {string} order  @returns {string[]} */
export const lettersOf = (variant, order) =>
  allLetters(variant).filter((letter) => order.includes(letter.replace("+", "")) || isRoyal(variant, letter));

/** The name of a game's royal piece: king, lion or master.
 * @param {string} variant  @param {"en" | "ja"} language */
export const royalName = (variant, language) =>
  pieceName(variant, allLetters(variant).find((letter) => isRoyal(variant, letter)) ?? "", language);

/** Whether the piece is royal.
 * @param {string} variant  @param {string} cell */
export const isRoyal = (variant, cell) => ROYAL.includes(kindOf(variant, cell));

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

/** How a path is painted: filled, cut out of a fill, or stroked.
 * @typedef {[paint: "ink" | "cut" | "line", path: string]} Stroke */

/** A circle as a path.
 * @param {number} x  @param {number} y  @param {number} r */
const disc = (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`;

/** A star as a path.
 * @param {number} points  @param {number} outer  @param {number} inner */
function star(points, outer, inner) {
  const corners = Array.from({ length: 2 * points }, (_, index) => {
    const turn = (Math.PI * index) / points, r = index % 2 ? inner : outer;
    return `${(r * Math.sin(turn)).toFixed(1)} ${(-r * Math.cos(turn)).toFixed(1)}`;
  });
  return `M${corners.join("L")}Z`;
}

const FOOT = "M-12 13H12V18H-12Z";

/** @type {{[kind: string]: Stroke[]}} */
const PLAIN = {
  pawn: [["ink", disc(0, -8, 6.5)], ["ink", "M-6-2H6L4 0C4 6 6 9 9 12H-9C-6 9-4 6-4 0Z"], ["ink", FOOT]],
  lance: [["ink", "M0-21L7-7 2.5-4V18H-2.5V-4L-7-7Z"], ["ink", "M-9 1H9V5H-9Z"]],
  knight: [
    ["ink", "M-9 18C-9 8-1 5-2-1-5 2-10 5-14 2-15-3-9-9-6-14L-5-20 0-15C10-13 14-3 13 18Z"],
    ["cut", disc(-4, -7, 1.7)],
  ],
  silver: [["ink", "M5-16A16 16 0 1 0 15 9 13 13 0 0 1 5-16Z"]],
  gold: [["ink", star(12, 18, 11.5)], ["cut", disc(0, 0, 9.5)], ["ink", disc(0, 0, 6)]],
  copper: [["line", disc(0, -7, 8.5)], ["line", "M0 2V19M-8 11H8"]],
  bishop: [
    ["ink", disc(0, -17, 2.8)], ["ink", "M0-14C8-8 12 0 8 7H-8C-12 0-8-8 0-14Z"], ["cut", "M1-5L6-9 7.5-7 2.5-3Z"],
    ["ink", "M-9 8.5H9V11.5H-9Z"], ["ink", FOOT],
  ],
  rook: [["ink", "M-13-16H-7V-11H-3V-16H3V-11H7V-16H13V-5L9-2V8L12 11V18H-12V11L-9 8V-2L-13-5Z"]],
  king: [
    ["ink", "M-1.7-23H1.7V-20H4.7V-16.6H1.7V-12H-1.7V-16.6H-4.7V-20H-1.7Z"],
    ["ink", "M0-12C3-12 4-9 4-7 8-12 17-11 17-4 17 2 12 5 11 11H-11C-12 5-17 2-17-4-17-11-8-12-4-7-4-9-3-12 0-12Z"],
    ["ink", FOOT],
  ],
  chick: [
    ["line", "M0-12C-2-16 1-19 4-17"], ["ink", disc(0, 2, 14)], ["cut", disc(-5.5, -1, 2.2)], ["cut", disc(5.5, -1, 2.2)],
    ["cut", "M-5 5H5L0 11Z"],
  ],
  hen: [
    ["ink", disc(-6, -12, 4.5)], ["ink", disc(0, -15, 5)], ["ink", disc(6, -12, 4.5)], ["ink", disc(0, 3, 14)],
    ["cut", disc(-5.5, 0, 2.2)], ["cut", disc(5.5, 0, 2.2)], ["cut", "M-5 5H5L0 10Z"], ["cut", disc(0, 12.5, 2)],
  ],
  elephant: [
    ["ink", "M-7-9C-18-17-23-6-19 3-17 8-12 8-9 5Z"], ["ink", "M7-9C18-17 23-6 19 3 17 8 12 8 9 5Z"],
    ["ink", "M-9-9C-7-15 7-15 9-9 11 0 8 6 4.5 8V13C4.5 15 8 16 9 14L12 16C10 21-4.5 21-4.5 12V8C-8 6-11 0-9-9Z"],
    ["cut", disc(-4, -3, 1.8)], ["cut", disc(4, -3, 1.8)],
  ],
  giraffe: [
    ["line", "M-4-8V-17M4-8V-17"], ["ink", disc(-4, -18, 3)], ["ink", disc(4, -18, 3)],
    ["ink", "M-8-9L-18-11C-17-5-12-3-8-3Z"], ["ink", "M8-9L18-11C17-5 12-3 8-3Z"],
    ["ink", "M-8-10H8C9-3 6 3 7 9 8 16 5 19 0 19S-8 16-7 9C-6 3-9-3-8-10Z"],
    ["cut", disc(-4, -4, 1.9)], ["cut", disc(4, -4, 1.9)], ["cut", disc(-2.7, 13, 1.5)], ["cut", disc(2.7, 13, 1.5)],
  ],
  lion: [
    ["ink", star(14, 20, 15.5)], ["cut", disc(0, 0, 11.5)], ["ink", disc(-4.5, -3, 1.9)], ["ink", disc(4.5, -3, 1.9)],
    ["ink", "M-3.5 1H3.5L0 5Z"], ["line", "M0 4V6C-1 8-4 8-5 6.5M0 6C1 8 4 8 5 6.5"],
  ],
  tile: [
    ["ink", "M0-17L19-3V2H13V17H-13V2H-19V-3Z"], ["cut", "M-9 2H9V4.4H-9Z"], ["cut", "M-9 8H9V10.4H-9Z"],
    ["cut", disc(0, -6, 2.4)],
  ],
  rat: [
    ["line", "M-13 12C-20 10-19 0-13-2"], ["ink", disc(1, -8, 5.5)], ["ink", disc(10, -8, 4.5)],
    ["ink", "M-13 14C-17 2-6-8 6-7 13-6 17 2 19 8 17 11 14 11 11 14Z"], ["cut", disc(9, -1, 1.8)],
  ],
  cat: [
    ["ink", "M-15-18L-6-11H6L15-18V2C15 11 8 16 0 16S-15 11-15 2Z"], ["cut", "M-9-3C-7-6-4-5-3-2-5 0-8-1-9-3Z"],
    ["cut", "M9-3C7-6 4-5 3-2 5 0 8-1 9-3Z"], ["cut", "M-2.5 3H2.5L0 6Z"], ["line", "M-12 6L-20 4M-12 9L-19 11M12 6L20 4M12 9L19 11"],
  ],
  vertical: [["ink", "M0-22L10-10H4V10H10L0 22-10 10H-4V-10H-10Z"]],
  horizontal: [["ink", "M-20 0L-9-10V-4H9V-10L20 0 9 10V4H-9V10Z"]],
};

/** Promoted pieces: the base piece, and the piece drawn as a small sign: gold if it now moves like a gold, king if it
 * has a king's moves in addition.
 * @type {{[kind: string]: [base: string, sign: string]}} */
const SIGNED = {
  tokin: ["pawn", "gold"], promotedLance: ["lance", "gold"], promotedKnight: ["knight", "gold"],
  promotedSilver: ["silver", "gold"], horse: ["bishop", "king"], dragon: ["rook", "king"],
};

/** The western drawing of a kind of piece: its strokes, and the strokes of its small sign ([] for no sign).
 * @param {string} kind  @returns {{strokes: Stroke[], sign: Stroke[]}} */
export function shapeOf(kind) {
  const [base, sign] = SIGNED[kind] ?? [kind, ""];
  return { strokes: PLAIN[base] ?? [], sign: PLAIN[sign] ?? [] };
}

/** The drawings of Onitama's pieces.
 * @type {{[kind: string]: Stroke[]}} */
export const FIGURES = {
  master: [
    ["ink", "M-21 25C-20 15-13 11-12 5-15 1-13-4-9-6-10-13-6-18 0-18S10-13 9-6C13-4 15 1 12 5 13 11 20 15 21 25Z"],
    ["ink", disc(0, -21, 4.5)], ["line", "M-9-6C-5-3 5-3 9-6M-8 25C-6 17-2 11 0 9 2 11 6 17 8 25"],
  ],
  student: [["ink", "M-17 23C-16 14-10 10-7 3A11.5 11.5 0 1 1 7 3C10 10 16 14 17 23Z"], ["line", "M-7 3C-3.5 5.5 3.5 5.5 7 3"]],
};
