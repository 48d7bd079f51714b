// The graph of scores over a game, from Black's point of view.

import { svg } from "./drawing.js";

/** A score: ["cp", centipawns] or ["mate", plies], and the depth if known.
 * @typedef {[kind: string, value: number, depth?: number]} Score */

const GRAPH = { high: 140, left: 34, right: 6, top: 6, bottom: 22 }; // pixels
const SHALLOW = 0.6; // part of the usual depth of a game: scores of shallower searches are drawn faintly
const LEVELS = [10, 4, 0, -4, -10]; // scores with a grid line, in pawns

/** A score scaled to -1..1, with more resolution near 0.
 * @param {number} pawns */
const heightOf = (pawns) => Math.tanh(pawns / 8);

/** A score from Black's point of view; engines report it for the side to move.
 * @param {Score | null | undefined} said  @param {number} mover 0 or 1  @returns {Score | null} */
export function forBlack(said, mover) {
  if (!said) return null;
  const [kind, value, depth] = said;
  return [kind, mover ? -value : value, depth];
}

/** @param {string} text */
const signed = (text) => text.replace("-", "−");

/** A score as text: "+1.30 d14" with its depth, "−mate 5 d9", "" for none.
 * @param {Score | null | undefined} said */
export function scoreText(said) {
  if (!said) return "";
  const [kind, value, depth] = said;
  const sign = value > 0 ? "+" : "";
  const score = kind === "mate" ? `${sign || (value < 0 ? "-" : "")}mate ${Math.abs(value)}` : sign + (value / 100).toFixed(2);
  return signed(score) + (depth ? ` d${depth}` : "");
}

/** Draw the graph of scores over the plies; a click calls `jump` with the nearest ply, which may be out of range. Scores
 * of shallow searches are connected by a faint line.
 * @param {{all: {length: number}, said: (index: number) => Score | null, mark?: (index: number) => string}} game `all` are
 *   the moves, `said` returns the score of a move by its index, from Black's point of view, `mark` its kind of mistake or ""
 * @param {number} ply the ply that the cursor marks  @param {(ply: number) => void} jump
 * @param {number} wide the width in pixels  @param {string} label the text for screen readers */
export function drawGraph(game, ply, jump, wide, label) {
  const { high, left, right, top, bottom } = GRAPH;
  const plies = Math.max(game.all.length, 1), across = (wide - left - right) / plies, down = (high - top - bottom) / 2;
  /** @param {number} at */
  const x = (at) => left + across * at;
  /** @param {number} height */
  const y = (height) => top + down * (1 - height);
  const drawing = svg("svg", { viewBox: `0 0 ${wide} ${high}`, width: wide, height: high, role: "img", "aria-label": label });
  for (const pawns of LEVELS) {
    const at = y(heightOf(pawns));
    drawing.append(svg("line", { x1: left, x2: wide - right, y1: at, y2: at, class: pawns ? "grid" : "zero" }));
    drawing.append(svg("text", { x: left - 5, y: at + 4, "text-anchor": "end", class: "scale" }, (pawns > 0 ? "+" : "") + signed(String(pawns))));
  }
  const step = [1, 2, 5, 10, 20, 50, 100, 200, 500].find((width) => plies / width <= wide / 40) || 1000;
  for (let at = step; at <= plies; at += step)
    drawing.append(svg("text", { x: x(at), y: high - 5, "text-anchor": "middle", class: "scale" }, String(at)));
  const said = Array.from({ length: game.all.length }, (_, index) => game.said(index));
  // The usual depth is the upper quartile. A mate is exact however shallow, and its depth often large.
  const depths = said.flatMap((one) => (one?.[0] === "cp" && one[2] ? [one[2]] : [])).sort((a, b) => a - b);
  const usual = depths[Math.floor(depths.length * 0.75)] ?? 0;
  const paths = { line: "", shallow: "" };
  const dots = svg("g", { class: "dots" });
  let last = "", wasShallow = false;
  said.forEach((one, index) => {
    if (!one) return;
    const [kind, value, depth = usual] = one, height = kind === "mate" ? Math.sign(value) : heightOf(value / 100);
    const mark = game.mark?.(index);
    if (mark) dots.append(svg("circle", { cx: x(index + 1), cy: y(height), r: 4, class: mark }));
    const at = `${x(index + 1).toFixed(1)} ${y(height).toFixed(1)}`, isShallow = kind === "cp" && depth < usual * SHALLOW;
    // Each score is a dot, a line of zero length with round ends, and is connected with the one before it.
    paths[isShallow ? "shallow" : "line"] += `M${at}h0`;
    if (last) paths[isShallow || wasShallow ? "shallow" : "line"] += `M${last}L${at}`;
    [last, wasShallow] = [at, isShallow];
  });
  for (const [name, d] of Object.entries(paths)) drawing.append(svg("path", { d: d || "M0 0", class: name }));
  drawing.append(dots, svg("line", { x1: x(ply), x2: x(ply), y1: top, y2: high - bottom, class: "cursor" }));
  drawing.addEventListener("click", (event) => {
    const box = drawing.getBoundingClientRect();
    jump(Math.round((((event.clientX - box.left) / box.width) * wide - left) / across));
  });
  return drawing;
}
