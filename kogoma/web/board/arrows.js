// Moves as arrows over the board: lines of the analysis, a hint, a threat.

import { drawPiece, svg } from "./drawing.js";
import { CELL } from "./layout.js";
import { squareIndex } from "./state.js";

/** @typedef {{x: number, y: number}} Point */

/** All arrows of a view, the weightiest on top.
 * @param {State} state  @param {View} view  @param {(index: number) => Point} at the middle of a square */
export function drawArrows(state, view, at) {
  const ordered = [...(view.arrows ?? [])].sort((a, b) => a.weight - b.weight);
  return ordered.flatMap((arrow) => {
    const found = /^(?:\d+:)?(?:(\+?[A-Z])\*|([a-z\d]{2}))([a-z\d]{2})[+-]?$/.exec(arrow.usi);
    if (!found || found[0].endsWith("pass")) return [];
    const [, dropped, from, to] = found, end = at(squareIndex(state, to));
    const weight = Math.max(0, Math.min(arrow.weight, 1));
    const group = svg("g", { class: `arrow ${arrow.kind}`, opacity: 0.45 + 0.5 * weight, "data-arrow": arrow.usi });
    if (dropped) {
      const piece = drawPiece(state, state.turn ? dropped.toLowerCase() : dropped, view);
      group.append(svg("circle", { cx: end.x, cy: end.y, r: CELL * 0.46, "stroke-width": 4 + 3 * weight }));
      group.append(svg("g", { transform: `translate(${end.x} ${end.y}) scale(.62)` }, piece));
    } else group.append(shaft(at(squareIndex(state, from)), end, 7 + 6 * weight));
    if (arrow.label) group.append(...label(arrow.label, end));
    return [group];
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
