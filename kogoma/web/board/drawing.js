// The parts of a position as SVG: pieces, cards, the die, the wood around.

import { CARD, CELL } from "./layout.js";
import { KINDS, kindOf, pieceFace } from "./pieces.js";
import { FIGURES, shapeOf } from "./shapes.js";
import { squareName } from "./state.js";
import { cardName, rankName, sideName, boardText } from "./words.js";

/** @typedef {"two" | "one" | "western"} PieceSet */
/** @typedef {{usi: string, weight: number, label?: string, kind: "line" | "hint" | "threat"}} Arrow */
/** How a position is shown: `flipped` is the side that sits below, `names` are the players' (Black's first, "" for none),
 * `cards` are Onitama's by number with their steps, `die` is the throw (0 for none), `dice` whether the game has a die;
 * `legal` are the moves that may be made now, `check` the squares of kings in check.
 * @typedef {{flipped: number, pieceSet?: PieceSet, names: string[], cards: import("./words.js").Cards, die: number,
 *   dice: boolean, over: boolean, legal?: string[], check?: string[], arrows?: Arrow[], language?: "en" | "ja",
 *   coordinates?: boolean}} View */

const WOOD = "M0-27L17.5-19.5 23.5 26H-23.5L-17.5-19.5Z";
/** @type {{[throwOf: number]: number[]}} */
const PIPS = { 1: [4], 2: [0, 8], 3: [0, 4, 8], 4: [0, 2, 6, 8], 5: [0, 2, 4, 6, 8], 6: [0, 2, 3, 5, 6, 8] };
/** Squares of a side by the board's size, of which a star point marks each third. */
const STARRED = 9;

/** An SVG element with these attributes and children.
 * @param {string} tag  @param {{[name: string]: string | number}} [attributes]  @param {...(string | Node)} children
 * @returns {SVGElement} */
export function svg(tag, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.append(...children);
  return made;
}

/** 0 for a piece of Black, 1 for one of White.
 * @param {string} cell */
export const sideOf = (cell) => (cell === cell.toLowerCase() ? 1 : 0);

/** @type {boolean | null} */
let kanjiKnown = null;

/** Whether the fonts here have kanji. A font without them draws all of them with one box. */
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

/** The set that is drawn where one is asked for: western where the fonts have no kanji.
 * @param {View} view  @returns {PieceSet} */
export const setOf = (view) => (hasKanji() ? view.pieceSet ?? "one" : "western");

/** @param {Stroke[]} strokes */
const painted = (strokes) => strokes.map(([paint, d]) => svg("path", { class: paint, d }));

/** A piece around (0, 0) for a square of CELL units. The one who sits at the top has it the other way up.
 * @param {State} state  @param {string} cell  @param {View} view */
export function drawPiece(state, cell, view) {
  const kind = kindOf(state.variant, cell), side = sideOf(cell), size = KINDS[kind]?.size ?? 0.9;
  if (FIGURES[kind]) return svg("g", { class: `figure ${side ? "white" : "black"}` }, ...painted(FIGURES[kind]));
  const turned = cell[0] === "+" ? " turned" : "";
  const piece = svg("g", { class: `koma${turned}`, transform: `${side === view.flipped ? "" : "rotate(180) "}scale(${(1.07 * size).toFixed(3)})` });
  piece.append(svg("path", { class: "shade", d: WOOD, transform: `translate(0 ${side === view.flipped ? 2 : -2})` }));
  piece.append(svg("path", { class: "wood", d: WOOD }));
  const set = setOf(view), face = set === "western" ? [] : [...pieceFace(state.variant, cell, set)];
  if (face.length === 0) {
    const { strokes, sign } = shapeOf(kind);
    if (!strokes.length) piece.append(faceText(cell.toUpperCase(), 25, 13));
    piece.append(svg("g", { transform: `translate(0 4) scale(.92)` }, ...painted(strokes)));
    if (sign.length) {
      const small = svg("g", { class: "sign", transform: "translate(12.5 -8.5) scale(.46)" });
      small.append(svg("circle", { class: "halo", r: 23 }), ...painted(sign));
      piece.append(small);
    }
  } else if (face.length === 1) piece.append(faceText(face[0], 32, 15));
  else face.forEach((one, index) => piece.append(faceText(one, 21.5, index ? 21.5 : 0.5)));
  return piece;
}

/** @param {string} text  @param {number} size  @param {number} y */
const faceText = (text, size, y) => svg("text", { class: "face", "text-anchor": "middle", "font-size": size, y }, text);

/** A piece as a drawing of its own, for a button.
 * @param {State} state  @param {string} cell  @param {View} view */
export function pieceIcon(state, cell, view) {
  return svg("svg", { class: "board icon", viewBox: "-30 -30 60 60", "aria-hidden": "true" }, drawPiece(state, cell, view));
}

/** A card as a drawing of its own, for a button.
 * @param {State} state  @param {number} card  @param {View} view */
export function cardIcon(state, card, view) {
  const drawing = svg("svg", { class: "board icon", viewBox: `-2 -2 ${CARD.wide + 4} ${CARD.high + 4}`, "aria-hidden": "true" });
  drawing.append(...drawCard(state, card, state.turn, view));
  return drawing;
}

/** The wood, its lines' frame and the coordinates.
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

/** Lines over the squares: the frame, and the star points of the large board.
 * @param {State} state  @param {Layout} layout */
export function drawFrame(state, layout) {
  const { board } = layout, group = svg("g", { "aria-hidden": "true", class: "lines" });
  group.append(svg("rect", { x: board.x, y: board.y, width: board.wide, height: board.high, class: "frame" }));
  if (state.files === STARRED) {
    for (const column of [3, 6])
      for (const row of [3, 6])
        group.append(svg("circle", { class: "point", cx: board.x + column * CELL, cy: board.y + row * CELL, r: 3.6 }));
  }
  return group;
}

/** The players' names with a mark in their colours.
 * @param {State} state  @param {View} view  @param {Layout} layout */
export function drawNames(state, view, layout) {
  const group = svg("g", { "aria-hidden": "true" }), language = view.language ?? "en";
  layout.labels.forEach((y, side) => {
    if (y === null) return;
    const turn = side === state.turn && !view.over, most = Math.floor((layout.width - 90) / 7.5);
    const name = view.names[side] || sideName(side, language);
    const said = turn ? `${language === "ja" ? "" : " "}${boardText("toMove", language)}` : "";
    group.append(svg("path", { class: side ? "mark white" : "mark", d: "M0-7L5-5 7 7H-7L-5-5Z", transform: `translate(14 ${y - 5})` }));
    group.append(svg("text", { x: 27, y, class: turn ? "who turn" : "who" }, (name.length > most ? `${name.slice(0, most - 1)}…` : name) + said));
  });
  return group;
}

/** A card's parts at (0, 0). It is drawn as the one who uses it sees the board: Black's up, or down where White sits below.
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

/** The die's parts in a square of 44 units at (0, 0).
 * @param {number} throwOf 1 to 6, 0 for a die that lies not thrown  @returns {SVGElement[]} */
export function drawDie(throwOf) {
  const parts = [svg("rect", { width: 44, height: 44, rx: 9, class: "die" })];
  for (const pip of PIPS[throwOf] ?? []) parts.push(svg("circle", { cx: 11 + 11 * (pip % 3), cy: 11 + 11 * Math.floor(pip / 3), r: 4.2, class: "pip" }));
  if (!throwOf) parts.push(svg("text", { x: 22, y: 31, "text-anchor": "middle", class: "unknown" }, "?"));
  return parts;
}
