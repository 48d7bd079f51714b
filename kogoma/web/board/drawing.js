// SVG drawing of a position: layout, pieces, cards, die, board, arrows.

import { FIGURES, KINDS, isRoyal, kindOf, movesOf, pieceFace } from "./pieces.js";
import { cased, handOrder, readMove, sideOf, squareIndex, squareName } from "./state.js";
import { boardText, cardName, cardWords, heldWords, rankName, sideName, standWords } from "./descriptions.js";

/** @typedef {{[name: string]: string | number | boolean | null | undefined | ((event: any) => void)}} Attributes */
/** `moves`: the letter with signs of the moves around it.
 * @typedef {"two" | "one" | "western" | "moves"} PieceSet */
/** A mark that the user has drawn: an arrow between two items of a scene, or a circle if they are the same one. `second` is
 * for the second colour.
 * @typedef {{from: string, to: string, second: boolean}} Mark */
/** Where hands and cards are drawn: above and below the board, in columns beside it (then without names), or nowhere.
 * @typedef {"above" | "beside" | "none"} Stands */
/** @typedef {{usi: string, weight: number, label?: string, kind: "line" | "hint" | "threat" | "premove", side?: number}} Arrow
 *   `side` is that of a dropped piece, by default the side to move */
/** Display settings of a position. `flipped` is the side at the bottom: 0 for Black, 1 for White. `names` are the names
 * of Black and White, "" for none. `die` is the die roll (0 for none), `dice` whether the variant has a die. `legal`
 * are the legal moves in USI notation, `check` the squares of kings in check; `stands` is "above" by default.
 * @typedef {{flipped: number, pieceSet?: PieceSet, names: string[], cards: Cards, die: number,
 *   dice: boolean, over: boolean, legal?: string[], check?: string[], arrows?: Arrow[], language?: "en" | "ja",
 *   coordinates?: boolean, stands?: Stands, marks?: Mark[], mover?: number}} View
 *   `mover` is the side of the legal moves, by default the side to move */

// Layout, in units of 1/60 of a square.

/** @typedef {{x: number, y: number, wide: number, high: number}} Box */

export const CELL = 60;
export const CARD = { wide: 88, high: 106 };
const GAP = 6, LABEL = 24, STAND = 58, EDGE = 3;

/** The layout of a drawing. `plate` is the wooden board with its margin, `board` its squares. `stands` are the areas
 * for hands or cards, `labels` the heights (y) of the names, both in the order Black, White; `between` is the place of
 * the centre card. `at` returns the centre of a square, `square` the square at a point (-1 for none).
 * @typedef {{width: number, height: number, plate: Box, board: Box, stands: Box[], labels: (number | null)[],
 *   between: Box | null, coordinates: boolean, at: (index: number) => {x: number, y: number},
 *   square: (x: number, y: number) => number}} Layout */

/** @param {State} state  @param {View} view  @returns {Layout} */
export function layoutOf(state, view) {
  const { files, ranks } = state, cards = Boolean(state.cards), coordinates = view.coordinates !== false;
  const wide = files * CELL, high = ranks * CELL, flipped = Boolean(view.flipped);
  const pad = coordinates ? 19 : 9, around = { top: cards ? 9 : pad, right: cards ? 9 : pad, bottom: cards ? pad : 9, left: cards ? pad : 9 };
  const size = { wide: wide + around.left + around.right, high: high + around.top + around.bottom };
  const { plate, between, upper, lower, labels, ...whole } = PLACES[view.stands ?? "above"](size, around, cards, view);
  const board = { x: plate.x + around.left, y: plate.y + around.top, wide, high };
  const stands = [lower, upper];
  /** @param {number} index */
  const shown = (index) => (flipped ? files * ranks - 1 - index : index);
  return {
    ...whole, plate: { ...plate, ...size }, board, coordinates, between,
    stands: flipped ? stands.reverse() : stands,
    labels: flipped ? labels.reverse() : labels,
    at: (index) => ({
      x: board.x + (shown(index) % files) * CELL + CELL / 2,
      y: board.y + Math.floor(shown(index) / files) * CELL + CELL / 2,
    }),
    square: (x, y) => {
      const column = Math.floor((x - board.x) / CELL), row = Math.floor((y - board.y) / CELL);
      return column >= 0 && column < files && row >= 0 && row < ranks ? shown(row * files + column) : -1;
    },
  };
}

/** The size of a plate, and the places of the parts around it.
 * @typedef {{wide: number, high: number}} Size
 * @typedef {{width: number, height: number, plate: {x: number, y: number}, upper: Box, lower: Box, between: Box | null,
 *   labels: (number | null)[]}} Places */

/** The places for each value of `View.stands`.
 * @type {{[stands in Stands]: (plate: Size, around: {top: number, bottom: number}, cards: boolean, view: View) => Places}} */
const PLACES = {
  above: ({ wide, high }, _around, cards, view) => {
    const beside = cards ? CARD.wide + GAP : 0, outer = Math.max(wide + beside, view.dice ? 262 : 200);
    const standHigh = cards ? CARD.high : STAND, label = view.names.some(Boolean) ? LABEL : 0;
    const plate = { x: EDGE + (outer - wide - beside) / 2, y: EDGE + label + standHigh + GAP };
    const upper = { x: EDGE, y: EDGE + label, wide: outer - beside, high: standHigh };
    const lower = { ...upper, y: plate.y + high + GAP };
    return {
      width: outer + 2 * EDGE, height: lower.y + standHigh + label + EDGE, plate, upper, lower,
      between: cards ? { x: plate.x + wide + GAP, y: plate.y + (high - CARD.high) / 2, ...CARD } : null,
      labels: label ? [lower.y + standHigh + 17, upper.y - 8] : [null, null],
    };
  },
  beside: ({ wide, high }, around, cards) => {
    const standWide = cards ? CARD.wide : STAND, pair = 2 * CARD.high + GAP;
    const inner = cards ? Math.max(high, pair + 3 * GAP + CARD.high) : high;
    const plate = { x: EDGE + standWide + GAP, y: EDGE + (inner - high) / 2 };
    const right = plate.x + wide + GAP, bottom = EDGE + inner;
    const size = { wide: standWide, high: cards ? pair : high - around.top - around.bottom };
    return {
      width: right + standWide + EDGE, height: inner + 2 * EDGE, plate,
      upper: { x: EDGE, y: cards ? EDGE : plate.y + around.top, ...size },
      lower: { x: right, y: cards ? bottom - pair : plate.y + around.top, ...size },
      between: cards ? { x: EDGE, y: bottom - CARD.high, ...CARD } : null, labels: [null, null],
    };
  },
  none: ({ wide, high }) => {
    const box = { x: 0, y: 0, wide: 0, high: 0 };
    return { width: wide + 2 * EDGE, height: high + 2 * EDGE, plate: { x: EDGE, y: EDGE }, upper: box, lower: box, between: null, labels: [null, null] };
  },
};

// Parts of the drawing.

const WOOD = "M0-27L17.5-19.5 23.5 26H-23.5L-17.5-19.5Z";
/** @type {{[roll: number]: number[]}} */
const PIPS = { 1: [4], 2: [0, 8], 3: [0, 4, 8], 4: [0, 2, 6, 8], 5: [0, 2, 4, 6, 8], 6: [0, 2, 3, 5, 6, 8] };
/** The number of files of boards with star points. */
const STARRED = 9;

/** Create an SVG element.
 * @param {string} tag  @param {{[name: string]: string | number}} [attributes]  @param {...(string | Node)} children
 * @returns {SVGElement} */
export function svg(tag, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.append(...children);
  return made;
}

/** Create an HTML element. Attributes that are false, null or undefined are omitted, true ones are empty. A function is
 * added as an event listener: `onclick` for the event "click".
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag  @param {Attributes} [attributes]  @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[T]} */
export function h(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, String(value));
  }
  made.append(...children);
  return made;
}

/** @type {boolean | null} */
let kanjiKnown = null;

/** Whether the fonts have kanji. Without them, all kanji are drawn as the same box. */
export function hasKanji() {
  if (kanjiKnown !== null) return kanjiKnown;
  const brush = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  if (!brush) return true;
  brush.canvas.width = brush.canvas.height = 32;
  brush.font = "24px serif";
  /** @param {string} text */
  const print = (text) => {
    brush.clearRect(0, 0, 32, 32);
    brush.fillText(text, 2, 26);
    return brush.getImageData(0, 0, 32, 32).data.join();
  };
  return (kanjiKnown = print("歩") !== print("飛"));
}

/** The piece set to draw: not kanji if the fonts have none.
 * @param {View} view  @returns {PieceSet} */
export const setOf = ({ pieceSet = "one" }) => (pieceSet === "moves" || hasKanji() ? pieceSet : "western");

/** Draw a piece around (0, 0) for a square of CELL units; pieces of the player at the top are upside down.
 * @param {State} state  @param {string} cell  @param {View} view */
export function drawPiece(state, cell, view) {
  const kind = kindOf(state.variant, cell), side = sideOf(cell), size = KINDS[kind]?.size ?? 0.9, set = setOf(view);
  if (FIGURES[kind] && set !== "western") {
    return svg("g", { class: `figure ${side ? "white" : "black"}` }, ...FIGURES[kind].map(([paint, d]) => svg("path", { class: paint, d })));
  }
  const turned = cell[0] === "+" ? " turned" : "";
  const piece = svg("g", { class: `koma${turned}`, transform: `${side === view.flipped ? "" : "rotate(180) "}scale(${(1.07 * size).toFixed(3)})` });
  piece.append(svg("path", { class: "shade", d: WOOD, transform: `translate(0 ${side === view.flipped ? 2 : -2})` }));
  piece.append(svg("path", { class: "wood", d: WOOD }));
  const face = set === "two" || set === "one" ? [...pieceFace(state.variant, cell, set)] : [];
  if (set === "moves") piece.append(...signedFace(state.variant, cell));
  else if (face.length === 0) piece.append(faceText(cell.toUpperCase(), cell.length > 1 ? 26 : 32, 15));
  else if (face.length === 1) piece.append(faceText(face[0], 32, 15));
  else face.forEach((one, index) => piece.append(faceText(one, 21.5, index ? 21.5 : 0.5)));
  return piece;
}

/** @param {string} text  @param {number} size  @param {number} y */
const faceText = (text, size, y) => svg("text", { class: "face", "text-anchor": "middle", "font-size": size, y }, text);

const RING = 14; // from the middle of a piece to the signs around its letter

/** The letter of a piece with signs of its moves around it.
 * @param {string} variant  @param {string} cell */
function signedFace(variant, cell) {
  /** @param {number} dx  @param {number} dy */
  const at = (dx, dy) => {
    const far = Math.max(1, Math.abs(dx), Math.abs(dy));
    return { x: (dx / far) * RING, y: 4 - (dy / far) * (RING + 2) };
  };
  return [svg("g", { class: "signs" }, ...moveSigns(movesOf(variant, cell), at, 1, 3)), faceText(cell.toUpperCase(), cell.length > 1 ? 11.5 : 17, cell.length > 1 ? 8 : 10)];
}

/** Signs of a piece's moves: a dot for a step, a ring for a jump, a line for a slide, with a point if it goes on to the edge
 * of the board.
 * @param {Moves} moves  @param {(dx: number, dy: number) => {x: number, y: number}} at the place of a vector
 * @param {number} size the number of squares from the piece to the edge of the drawing  @param {number} radius of a dot */
export function moveSigns({ steps, slides, short_slides: short }, at, size, radius) {
  /** @type {[number, number, number][]} */
  const rays = [...slides.map(([dx, dy]) => /** @type {[number, number, number]} */ ([dx, dy, Infinity])), ...short];
  const lines = rays.flatMap(([dx, dy, most]) => {
    const far = Math.min(most, Math.floor(size / Math.max(Math.abs(dx), Math.abs(dy))) || 1), start = at(dx * 0.6, dy * 0.6), end = at(dx * far, dy * far);
    const line = svg("path", { class: "slide", d: `M${start.x} ${start.y}L${end.x} ${end.y}` });
    return most === Infinity || (size > 1 && most > far) ? [line, tip(end, Math.atan2(end.y - start.y, end.x - start.x), radius / 5)] : [line];
  });
  return [...lines, ...steps.map(([dx, dy]) => {
    const { x, y } = at(dx, dy);
    return svg("circle", { class: Math.max(Math.abs(dx), Math.abs(dy)) > 1 ? "jump" : "step-dot", cx: x, cy: y, r: radius });
  })];
}

/** The point of an arrow.
 * @param {{x: number, y: number}} place  @param {number} angle in radians  @param {number} scale */
const tip = ({ x, y }, angle, scale) => svg("path", {
  class: "tip", d: "M9 0L-3-6V6Z", transform: `translate(${x} ${y}) rotate(${((angle * 180) / Math.PI).toFixed(0)}) scale(${scale.toFixed(2)})`,
});

/** An SVG element of its own for the drawing on a button, hidden from screen readers.
 * @param {string} viewBox  @param {...SVGElement} parts */
export const boardIcon = (viewBox, ...parts) => svg("svg", { class: "board icon", viewBox, "aria-hidden": "true" }, ...parts);

/** A piece for a button.
 * @param {State} state  @param {string} cell  @param {View} view */
export const pieceIcon = (state, cell, view) => boardIcon("-30 -30 60 60", drawPiece(state, cell, view));

/** A card for a button.
 * @param {State} state  @param {number} card  @param {View} view */
export const cardIcon = (state, card, view) =>
  boardIcon(`-2 -2 ${CARD.wide + 4} ${CARD.high + 4}`, ...drawCard(state, card, state.turn, view));

/** Draw the board without lines, and the coordinates if the layout has them.
 * @param {State} state  @param {View} view  @param {Layout} layout */
export function drawPlate(state, view, layout) {
  const { plate, board, at } = layout, language = (view.language === "ja" && hasKanji()) ? "ja" : "en";
  const group = svg("g", { "aria-hidden": "true" });
  group.append(svg("rect", { class: "plate", x: plate.x, y: plate.y, width: plate.wide, height: plate.high, rx: 5 }));
  if (!layout.coordinates) return group;
  for (let column = 0; column < state.files; column++) {
    const y = state.cards ? board.y + board.high + 14 : board.y - 5;
    group.append(svg("text", { x: at(column).x, y, "text-anchor": "middle", class: "coordinate" }, squareName(state, column)[0]));
  }
  for (let row = 0; row < state.ranks; row++) {
    const x = state.cards ? board.x - 10 : board.x + board.wide + 10;
    const text = rankName(state, row, language);
    group.append(svg("text", { x, y: at(row * state.files).y + 4.5, "text-anchor": "middle", class: "coordinate" }, text));
  }
  return group;
}

/** The grain of a wooden board: a line for every step, bent a little.
 * @param {Box} board */
function grain({ x, y, wide, high }) {
  const lines = Array.from({ length: Math.round(wide / 16) }, (_, index) => {
    const bend = ((index * 7) % 11) - 5, left = x + 8 + 16 * index - bend / 2;
    return `M${left} ${y}q${bend} ${high / 4} 0 ${high / 2}t${bend / 3} ${high / 2}`;
  });
  return svg("path", { class: "grain", d: lines.join("") });
}

/** Draw the grain, the line around the squares and, on a board of 9 files, the star points.
 * @param {State} state  @param {Layout} layout */
export function drawFrame(state, layout) {
  const { board } = layout, group = svg("g", { "aria-hidden": "true", class: "lines" });
  group.append(grain(board), svg("rect", { x: board.x, y: board.y, width: board.wide, height: board.high, class: "frame" }));
  if (state.files === STARRED) {
    for (const column of [3, 6])
      for (const row of [3, 6])
        group.append(svg("circle", { class: "point", cx: board.x + column * CELL, cy: board.y + row * CELL, r: 3.6 }));
  }
  return group;
}

/** The mark of a side, around (0, 0). It has the same colours everywhere and in every theme.
 * @param {number} side  @param {{[name: string]: string}} [more] */
const sideMark = (side, more = {}) => svg("path", { class: side ? "mark white" : "mark", d: "M0-7L5-5 7 7H-7L-5-5Z", ...more });

/** The mark of a side, for a text.
 * @param {number} side */
export const sideIcon = (side) => svg("svg", { class: "side-icon", viewBox: "-8 -8 16 16", "aria-hidden": "true" }, sideMark(side));

const NAME_AT = 27; // x of a player's name
const ELLIPSIS = 15; // width of "…"

/** The approximate width of a text in the font of the names.
 * @param {string} text */
const widthOf = (text) => [...text].reduce((sum, one) =>
  sum + (one >= "\u1100" ? 14.5 : /[A-Zmw@%&]/.test(one) ? 10.5 : /[ fijlrt.,:;'|()[\]]/.test(one) ? 5 : 8), 0);

/** A text, cut to a width.
 * @param {string} text  @param {number} most */
function shortened(text, most) {
  if (widthOf(text) <= most) return text;
  let kept = "";
  for (const one of text) {
    if (widthOf(kept + one) > most - ELLIPSIS) break;
    kept += one;
  }
  return `${kept}…`;
}

/** Draw the players' names, each after a small piece in the player's colour; the side to move is noted.
 * @param {State} state  @param {View} view  @param {Layout} layout */
export function drawNames(state, view, layout) {
  const group = svg("g", { "aria-hidden": "true" }), language = view.language ?? "en";
  layout.labels.forEach((y, side) => {
    if (y === null) return;
    const turn = side === state.turn && !view.over, said = turn ? `${language === "ja" ? "" : " "}${boardText("toMove", language)}` : "";
    const name = shortened(view.names[side] || sideName(side, language), layout.width - NAME_AT - widthOf(said));
    group.append(sideMark(side, { transform: `translate(14 ${y - 5})` }));
    group.append(svg("text", { x: NAME_AT, y, class: turn ? "who turn" : "who" }, name + said));
  });
  return group;
}

/** Draw a card at (0, 0), as its owner sees the board.
 * @param {State} state  @param {number} card  @param {number} side its owner  @param {View} view
 * @returns {SVGElement[]} */
export function drawCard(state, card, side, view) {
  const steps = view.cards[card]?.[1] ?? [], sign = side === view.flipped ? 1 : -1;
  const parts = [svg("rect", { width: CARD.wide, height: CARD.high, rx: 6, class: "paper" })];
  for (let row = 0; row < 5; row++)
    for (let column = 0; column < 5; column++) {
      const at = { x: 6.5 + 15 * column, y: 6 + 15 * row, width: 15, height: 15 };
      const step = steps.some(([dx, dy]) => 2 + sign * dx === column && 2 - sign * dy === row);
      parts.push(svg("rect", { ...at, class: row === 2 && column === 2 ? "origin" : step ? `step${side ? " white" : ""}` : "blank" }));
    }
  const text = cardName(view.cards, card, hasKanji() ? view.language ?? "en" : "en");
  parts.push(svg("text", { x: CARD.wide / 2, y: 98, "text-anchor": "middle", class: "card-name" }, text));
  return parts;
}

/** Draw the die in a square of 44 units at (0, 0).
 * @param {number} roll 1 to 6, 0 before the roll  @returns {SVGElement[]} */
export function drawDie(roll) {
  const parts = [svg("rect", { width: 44, height: 44, rx: 9, class: "die" })];
  for (const pip of PIPS[roll] ?? []) parts.push(svg("circle", { cx: 11 + 11 * (pip % 3), cy: 11 + 11 * Math.floor(pip / 3), r: 4.2, class: "pip" }));
  if (!roll) parts.push(svg("text", { x: 22, y: 31, "text-anchor": "middle", class: "unknown" }, "?"));
  return parts;
}

// Arrows on the board: lines of the analysis, a hint, a threat.

/** @typedef {{x: number, y: number}} Point */

/** Draw all arrows of a view, the most important on top.
 * @param {State} state  @param {View} view  @param {(index: number) => Point} at the centre of a square */
export function drawArrows(state, view, at) {
  const ordered = [...(view.arrows ?? [])].sort((a, b) => a.weight - b.weight);
  return ordered.flatMap((arrow) => {
    const move = readMove(arrow.usi);
    if (!move?.to) return [];
    const { dropped, from, to } = move, end = at(squareIndex(state, to));
    const weight = Math.max(0, Math.min(arrow.weight, 1));
    const group = svg("g", { class: `arrow ${arrow.kind}`, opacity: 0.45 + 0.5 * weight, "data-arrow": arrow.usi });
    if (dropped) {
      const piece = drawPiece(state, cased(dropped, arrow.side ?? state.turn), view);
      group.append(svg("circle", { cx: end.x, cy: end.y, r: CELL * 0.46, "stroke-width": 4 + 3 * weight }));
      group.append(svg("g", { transform: `translate(${end.x} ${end.y}) scale(.62)` }, piece));
    } else group.append(shaft(at(squareIndex(state, from)), end, 7 + 6 * weight));
    if (arrow.label) group.append(...label(arrow.label, end));
    return [group];
  });
}

/** Draw the user's marks.
 * @param {Mark[]} marks  @param {(key: string) => Point | undefined} at the centre of an item */
export function drawMarks(marks, at) {
  return marks.flatMap(({ from, to, second }) => {
    const start = at(from), end = at(to);
    if (!start || !end) return [];
    const drawn = from === to ? svg("circle", { cx: end.x, cy: end.y, r: CELL * 0.44, "stroke-width": 5 }) : shaft(start, end, 10);
    return [svg("g", { class: second ? "arrow drawn second" : "arrow drawn", opacity: 0.9, "data-mark": from === to ? to : `${from} ${to}` }, drawn)];
  });
}

/** @param {Point} start  @param {Point} end  @param {number} width */
function shaft(start, end, width) {
  const far = Math.hypot(end.x - start.x, end.y - start.y) || 1, head = width * 1.9;
  const from = CELL * 0.26, to = far - 6, neck = Math.max(from, to - head * 1.15);
  const half = width / 2, turn = (Math.atan2(end.y - start.y, end.x - start.x) * 180) / Math.PI;
  const d = `M${from} ${-half}L${neck} ${-half} ${neck} ${-head} ${to} 0 ${neck} ${head} ${neck} ${half} ${from} ${half}Z`;
  return svg("path", { d, transform: `translate(${start.x} ${start.y}) rotate(${turn.toFixed(2)})` });
}

/** @param {string} text  @param {Point} end */
function label(text, end) {
  const wide = Math.max(20, 8 * text.length + 8), x = end.x + CELL / 2 - wide / 2 - 1, y = end.y - CELL / 2 + 10;
  return [
    svg("rect", { class: "tag", x: x - wide / 2, y: y - 9, width: wide, height: 18, rx: 5 }),
    svg("text", { class: "tag-text", x, y: y + 4.5, "text-anchor": "middle" }, text),
  ];
}

// Parts above, below and beside the board: pieces in hand, Onitama's cards, the die.

const DIE = 44, MAX_PIECE = 50; // sizes of the die and of the largest piece, in units

/** Group parts and hide them from screen readers, which read the name of the surrounding element instead.
 * @param {SVGElement[]} parts */
const unread = (parts) => svg("g", { "aria-hidden": "true" }, ...parts);

/** Draw a side's hand or cards, and the die beside the hand of the side to move. Also return the items that can have
 * the focus.
 * @param {State} state  @param {View} view  @param {Box} box  @param {number} side  @param {SceneOptions} manner
 * @returns {{element: SVGElement, items: Item[]}} */
export function drawStand(state, view, box, side, manner) {
  const language = view.language ?? "en", turn = side === state.turn && !view.over;
  const element = svg("g", manner.live ? { role: "group", "aria-label": standWords(state, side, language) } : {});
  /** @type {Item[]} */
  const items = [];
  /** Add an item to the stand. The last child of `part` is its focus ring, and its button for screen readers.
   * @param {string} key  @param {SVGElement} part  @param {number} x  @param {number} y  @param {string} words */
  const add = (key, part, x, y, words) => {
    const button = /** @type {SVGElement} */ (part.lastElementChild);
    part.dataset.key = key;
    if (manner.live) for (const [name, value] of [["role", "button"], ["tabindex", "-1"], ["aria-label", words]]) button.setAttribute(name, value);
    element.append(part);
    items.push({ key, group: `stand${side}`, element: part, button, x, y, index: -1, words });
  };
  if (view.stands === "none") return { element, items };
  const column = box.high > box.wide, middle = box.y + box.high / 2, centre = box.x + box.wide / 2;
  if (state.cards) {
    const width = 2 * CARD.wide + 14, start = box.x + (box.wide - width) / 2;
    state.cards[side].forEach((card, index) => {
      const x = column ? box.x : start + index * (CARD.wide + 14), y = column ? box.y + index * (CARD.high + GAP) : box.y;
      const part = svg("g", { class: card === state.used ? "card used" : "card", transform: `translate(${x} ${y})`, "data-card": card });
      part.append(unread(drawCard(state, card, side, view)), svg("rect", { x: -2, y: -2, width: CARD.wide + 4, height: CARD.high + 4, rx: 8, class: "ring" }));
      add(`card${card}`, part, x + CARD.wide / 2, y + CARD.high / 2, cardWords(view.cards, card, language));
    });
    return { element, items };
  }
  element.append(svg("rect", { x: box.x, y: box.y, width: box.wide, height: box.high, rx: 6, class: turn ? "stand turn" : "stand" }));
  const die = turn && (view.die || (view.dice && manner.dieKey)), isUpper = side !== view.flipped;
  const held = state.hands[side], all = [...state.order].filter((letter) => held[letter] || !isRoyal(state.variant, letter));
  const letters = manner.full ? all : handOrder(state, side);
  const room = (column ? box.high : box.wide - 10) - (die ? DIE + 18 : 0);
  const step = Math.min(column ? CELL : 64, room / Math.max(letters.length, 1)), size = Math.min(MAX_PIECE, step * 0.92);
  letters.forEach((letter, index) => {
    // In a column, the first piece is next to the player, like the first rank.
    const along = step * (index + 0.5), count = held[letter] ?? 0;
    const x = column ? centre : box.x + 6 + along, y = column ? (isUpper ? box.y + along : box.y + box.high - along) : middle;
    const place = column ? { x: box.x + 2, y: y - step / 2 + 1, width: box.wide - 4, height: step - 2 }
      : { x: x - step / 2 + 1, y: box.y + 2, width: step - 2, height: box.high - 4 };
    const part = svg("g", { class: count ? "held" : "held none", "data-held": cased(letter, side), "data-count": count });
    part.append(svg("rect", { ...place, rx: 5, class: "under" }));
    const drawn = [svg("g", { transform: `translate(${x} ${y}) scale(${(size / CELL).toFixed(3)})` }, drawPiece(state, cased(letter, side), view))];
    if (count > 1 || manner.full) {
      const badge = { x: place.x + place.width - 9, y: place.y + place.height - 10 };
      drawn.push(svg("circle", { cx: badge.x, cy: badge.y, r: 10, class: "badge" }));
      drawn.push(svg("text", { x: badge.x, y: badge.y + 4.8, class: "many", "text-anchor": "middle" }, String(count)));
    }
    part.append(unread(drawn));
    part.append(svg("rect", { ...place, rx: 5, class: "ring" }));
    add(`hand${side}${letter}`, part, x, y, heldWords(state, side, letter, count, language));
  });
  if (die !== false && die !== 0) {
    const x = column ? centre - DIE / 2 : box.x + box.wide - DIE - 8;
    const y = column ? (isUpper ? box.y + box.high - DIE - 8 : box.y + 8) : middle - DIE / 2;
    const part = svg("g", { class: "roll", transform: `translate(${x} ${y})` }, unread(drawDie(view.die)));
    const words = `${boardText("die", language)}: ${view.die || "?"}`;
    if (view.die) part.dataset.die = String(view.die);
    part.append(svg("rect", { x: -2, y: -2, width: DIE + 4, height: DIE + 4, rx: 11, class: "ring" }));
    if (manner.dieKey) add("die", part, x + DIE / 2, y + DIE / 2, words);
    else {
      if (manner.live) for (const [name, value] of [["role", "img"], ["aria-label", words]]) part.setAttribute(name, value);
      element.append(part);
    }
  }
  return { element, items };
}

/** Draw Onitama's centre card, facing the side to move, which gets it after its move.
 * @param {State} state  @param {View} view  @param {Box} box  @param {boolean} live */
export function drawBetween(state, view, box, live) {
  const card = (state.cards ?? [])[2][0], language = view.language ?? "en";
  const words = `${boardText("between", language)}: ${cardWords(view.cards, card, language)}`;
  const part = svg("g", {
    class: card === state.used ? "card used" : "card", transform: `translate(${box.x} ${box.y})`, "data-card": card,
    ...(live && { role: "img", "aria-label": words }),
  });
  part.append(unread(drawCard(state, card, state.turn, view)));
  return part;
}
