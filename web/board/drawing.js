// A position as SVG: board, hands or cards, the last move and the throw.

import { pieceFace, pieceName } from "./pieces.js";
import { handOrder, squareName } from "./state.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {{usi: string, weight: number, label?: string, kind: "line" | "hint" | "threat"}} Arrow */
/** How a position is shown: `flipped` is the side that sits below, `names` are the players' (Black's first), `cards` are
 * Onitama's by number with their steps, `die` is the throw (0 for none), `dice` whether the game has a die at all;
 * `legal` are the moves that may be made now, `check` the squares of kings in check.
 * @typedef {{flipped: number, pieceSet?: "two" | "one" | "western", names: string[],
 *   cards: [string, [number, number][]][], die: number, dice: boolean, over: boolean, legal?: string[], check?: string[],
 *   arrows?: Arrow[], language?: "en" | "ja", coordinates?: boolean}} View */

const CELL = 60, MARGIN = 24, STAND = 62, LABEL = 24;
/** @type {{[throwOf: number]: number[]}} */
const PIPS = { 1: [4], 2: [0, 8], 3: [0, 4, 8], 4: [0, 2, 6, 8], 5: [0, 2, 4, 6, 8], 6: [0, 2, 3, 5, 6, 8] };

/** An SVG element with these attributes and children.
 * @param {string} tag  @param {{[name: string]: string | number}} attributes  @param {...(string | Node)} children
 * @returns {SVGElement} */
export function svg(tag, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.append(...children);
  return made;
}

/** 0 for a piece of Black, 1 for one of White.
 * @param {string} cell */
export const sideOf = (cell) => (cell === cell.toLowerCase() ? 1 : 0);

/** A piece in a square of the given size around (x, y). The one who sits at the top has it the other way up.
 * @param {State} state  @param {string} cell  @param {number} x  @param {number} y  @param {number} size
 * @param {View} view */
export function drawPiece(state, cell, x, y, size, view) {
  const side = sideOf(cell), letter = cell.toUpperCase();
  const piece = svg("g", { transform: `translate(${x} ${y}) scale(${size / CELL})${side === view.flipped ? "" : " rotate(180)"}` });
  if (state.cards) {
    const master = letter === "M";
    piece.append(svg("path", {
      class: side ? "figure-white" : "figure-black",
      d: master
        ? "M-17 22H17L14 6C20 0 20-8 17-18L9-9 0-22-9-9-17-18C-20-8-20 0-14 6Z"
        : "M-13 20H13L7 3A10 10 0 1 0-7 3Z",
    }));
    return piece;
  }
  const set = view.pieceSet ?? "one", kanji = set === "western" ? "" : pieceFace(state.variant, cell, set);
  const face = kanji ? [...kanji] : [letter], size2 = face.length > 1 ? 21 : kanji ? 31 : 25;
  piece.append(svg("path", { class: "wood", d: "M0-26L17-19 23 25H-23L-17-19Z" }));
  face.forEach((one, index) => piece.append(svg("text", {
    class: `face${letter[0] === "+" ? " turned" : ""}${kanji ? "" : " letter"}`, "text-anchor": "middle", "font-size": size2,
    y: face.length > 1 ? 21 * index - 1 : kanji ? 14 : 13,
  }, one)));
  return piece;
}

/** A position as a drawing that stands still.
 * @param {State} state  @param {View} view */
export function drawBoard(state, view) {
  const { files, ranks } = state;
  const wide = files * CELL, high = ranks * CELL;
  const cardWide = state.cards ? 96 : 0;
  const stand = state.cards ? 112 : STAND;
  const outer = Math.max(wide, view.die || view.dice ? 260 : 200);
  const left = (state.cards ? MARGIN : MARGIN / 2) + (outer - wide) / 2, top = LABEL + stand + MARGIN;
  const width = outer + 2 * MARGIN + cardWide, height = high + 2 * (stand + LABEL) + MARGIN + 8;
  const drawing = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": describe(state, view) });
  for (let index = 0; index < files * ranks; index++) {
    const { x, y } = place(index);
    const kind = index === state.to ? "to" : index === state.from ? "from" : "square";
    drawing.append(svg("rect", { x, y, width: CELL, height: CELL, class: kind }));
    const shrine = state.cards && (index === 2 || index === files * ranks - 3);
    if (shrine) drawing.append(svg("circle", { cx: x + CELL / 2, cy: y + CELL / 2, r: 25, class: "shrine" }));
  }
  drawing.append(svg("rect", { x: left, y: top, width: wide, height: high, class: "frame" }));
  coordinates();
  state.board.forEach((cell, index) => {
    if (!cell) return;
    const { x, y } = place(index);
    const piece = drawPiece(state, cell, x + CELL / 2, y + CELL / 2, CELL, view);
    piece.dataset.square = squareName(state, index);
    piece.dataset.piece = cell;
    drawing.append(piece);
  });
  for (const side of [0, 1]) {
    const y = (side === 1) === !view.flipped ? LABEL : top + high + 8;
    drawName(side, y < top ? y - 8 : y + stand + 17);
    if (state.cards) drawCards(side, y);
    else drawHand(side, y);
  }
  if (state.cards) drawCard(state.cards[2][0], left + wide + 12, top + high / 2 - 52, state.turn);
  return drawing;

  /** @param {number} index */
  function place(index) {
    const shown = view.flipped ? files * ranks - 1 - index : index;
    return { x: left + (shown % files) * CELL, y: top + Math.floor(shown / files) * CELL };
  }

  function coordinates() {
    for (let index = 0; index < files; index++) {
      const { x } = place(index);
      drawing.append(svg("text", { x: x + CELL / 2, y: top - 7, "text-anchor": "middle", class: "coordinate" }, squareName(state, index)[0]));
    }
    for (let row = 0; row < ranks; row++) {
      const { y } = place(row * files);
      const at = state.cards ? { x: left - 11 } : { x: left + wide + 11 };
      drawing.append(svg("text", { ...at, y: y + CELL / 2 + 5, "text-anchor": "middle", class: "coordinate" }, squareName(state, row * files)[1]));
    }
  }

  /** The player's name with a mark in the colour, at the outer edge.
   * @param {number} side  @param {number} y */
  function drawName(side, y) {
    const turn = side === state.turn && !view.over, x = MARGIN / 2;
    drawing.append(svg("path", { class: side ? "mark white" : "mark", d: "M0-7L5-5 7 7H-7L-5-5Z", transform: `translate(${x + 9} ${y - 5})` }));
    drawing.append(svg("text", { x: x + 22, y, class: turn ? "who turn" : "who" }, view.names[side] + (turn ? " to move" : "")));
  }

  /** @param {number} side  @param {number} y */
  function drawHand(side, y) {
    const turn = side === state.turn && !view.over;
    const start = MARGIN / 2;
    drawing.append(svg("rect", { x: start, y, width: outer, height: stand, rx: 6, class: turn ? "stand turn" : "stand" }));
    const group = svg("g", { "data-hand": side });
    const letters = handOrder(state, side);
    const room = outer - (view.die && turn ? 66 : 0) - 8;
    const step = Math.min(62, room / Math.max(letters.length, 1)), size = Math.min(50, step * 0.86);
    letters.forEach((letter, index) => {
      const cell = side ? letter.toLowerCase() : letter, count = state.hands[side][letter];
      const x = start + 8 + step * index + size / 2;
      const piece = drawPiece(state, cell, x, y + stand / 2, size, view);
      piece.dataset.held = cell;
      piece.dataset.count = String(count);
      group.append(piece);
      if (count > 1) group.append(svg("text", { x: x + size * 0.3, y: y + stand - 6, class: "many", "text-anchor": "middle" }, String(count)));
    });
    drawing.append(group);
    if (view.die && turn) drawing.append(drawDie(view.die, start + outer - 54, y + stand / 2 - 22));
  }

  /** @param {number} side  @param {number} y */
  function drawCards(side, y) {
    (state.cards ?? [])[side].forEach((card, index) => drawCard(card, left + wide / 2 + (index ? 8 : -96), y, side));
  }

  /** Cards are drawn as the one who uses them sees the board: Black's up, White's down, or the other way round.
   * @param {number} card  @param {number} x  @param {number} y  @param {number} side */
  function drawCard(card, x, y, side) {
    const [name, steps] = view.cards[card] || [`card ${card}`, /** @type {[number, number][]} */ ([])];
    const group = svg("g", { transform: `translate(${x} ${y})`, "data-card": card });
    group.append(svg("title", {}, name));
    group.append(svg("rect", { width: 88, height: 108, rx: 6, class: card === state.used ? "card used" : "card" }));
    const sign = side === (view.flipped ? 1 : 0) ? 1 : -1;
    for (let row = 0; row < 5; row++)
      for (let column = 0; column < 5; column++) {
        const at = { x: 6.5 + 15 * column, y: 6 + 15 * row, width: 15, height: 15 };
        const step = steps.some(([dx, dy]) => 2 + sign * dx === column && 2 - sign * dy === row);
        const kind = row === 2 && column === 2 ? "card-origin" : step ? `card-step${side ? " white" : ""}` : "card-cell";
        group.append(svg("rect", { ...at, class: kind }));
        if (kind !== "card-cell") group.append(svg("rect", { ...at, class: "card-cell" }));
      }
    group.append(svg("text", { x: 44, y: 99, "text-anchor": "middle", class: "card-name" }, name));
    drawing.append(group);
  }
}

/** @param {number} throwOf 1 to 6  @param {number} x  @param {number} y */
function drawDie(throwOf, x, y) {
  const group = svg("g", { transform: `translate(${x} ${y})`, "data-die": throwOf });
  group.append(svg("title", {}, `throw: ${throwOf}`), svg("rect", { width: 44, height: 44, rx: 8, class: "die" }));
  for (const pip of PIPS[throwOf] || [])
    group.append(svg("circle", { cx: 11 + 11 * (pip % 3), cy: 11 + 11 * Math.floor(pip / 3), r: 4, class: "pip" }));
  return group;
}

/** The position in words, for those who hear the page.
 * @param {State} state  @param {View} view */
function describe(state, view) {
  /** @type {string[][]} */
  const lists = [[], []];
  state.board.forEach((cell, index) => {
    if (cell) lists[sideOf(cell)].push(`${pieceName(state.variant, cell)} ${squareName(state, index)}`);
  });
  /** @param {number} side */
  const held = (side) => state.cards
    ? state.cards[side].map((card) => (view.cards[card] || [card])[0]).join(", ")
    : handOrder(state, side).map((letter) => `${state.hands[side][letter]} ${pieceName(state.variant, letter)}`).join(", ") || "nothing";
  const what = state.cards ? "cards" : "in hand";
  const sides = ["Black", "White"].map((name, side) => `${name}: ${lists[side].join(", ")}; ${what}: ${held(side)}.`);
  const die = view.die ? ` The throw is ${view.die}.` : "";
  return `${sides.join(" ")} ${view.over ? "The game is over." : `${state.turn ? "White" : "Black"} to move.`}${die}`;
}

let kanjiKnown = /** @type {boolean | null} */ (null);

/** Whether the fonts here have kanji. A font without them draws all of them with one box. */
export function hasKanji() {
  if (kanjiKnown !== null) return kanjiKnown;
  const brush = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  if (!brush) return true;
  /** @param {string} text */
  const print = (text) => {
    brush.canvas.width = brush.canvas.height = 32;
    brush.font = "24px serif";
    brush.fillText(text, 2, 26);
    return brush.getImageData(0, 0, 32, 32).data.join();
  };
  return (kanjiKnown = print("歩") !== print("飛"));
}
