// The engines' scores over a game, as Black sees them; and the pointer over the Elo plots.
const GRAPH = { wide: 320, high: 120, left: 30, top: 6, bottom: 20 };
const LEVELS = [10, 4, 0, -4, -10]; // pawns

// From -1 to 1: small differences count most.
const heightOf = (pawns) => Math.tanh(pawns / 8);

// Engines tell scores for the mover.
function forBlack(said, mover) {
  if (!said) return null;
  const [kind, value, depth] = said;
  return [kind, mover ? -value : value, depth];
}

const signed = (text) => text.replace("-", "−");

function scoreText(said) {
  if (!said) return "";
  const [kind, value, depth] = said;
  const sign = value > 0 ? "+" : "";
  const score = kind === "mate" ? `${sign || (value < 0 ? "-" : "")}mate ${Math.abs(value)}` : sign + (value / 100).toFixed(2);
  return signed(score) + (depth ? `/${depth}` : "");
}

function drawGraph(game, ply, jump) {
  const { wide, high, left, top, bottom } = GRAPH;
  const plies = Math.max(game.all.length, 1), across = (wide - left - 6) / plies, down = (high - top - bottom) / 2;
  const x = (at) => left + across * at, y = (height) => top + down * (1 - height);
  const drawing = svg("svg", { viewBox: `0 0 ${wide} ${high}`, role: "img", "aria-label": "Scores over the game, as Black sees them" });
  for (const pawns of LEVELS) {
    const at = y(heightOf(pawns));
    drawing.append(svg("line", { x1: left, x2: wide - 6, y1: at, y2: at, class: pawns ? "grid" : "zero" }));
    drawing.append(svg("text", { x: left - 5, y: at + 3.5, "text-anchor": "end", class: "scale" }, (pawns > 0 ? "+" : "") + signed(String(pawns))));
  }
  const step = [1, 2, 5, 10, 20, 50, 100, 200, 500].find((width) => plies / width <= 8) || 1000;
  for (let at = step; at <= plies; at += step)
    drawing.append(svg("text", { x: x(at), y: high - 5, "text-anchor": "middle", class: "scale" }, at));
  let path = "", pen = "M";
  game.all.forEach((_, index) => {
    const said = game.said(index);
    if (!said) return;
    const [kind, value] = said;
    const height = kind === "mate" ? Math.sign(value) : heightOf(value / 100);
    path += `${pen}${x(index + 1).toFixed(1)} ${y(height).toFixed(1)}`;
    pen = "L";
  });
  drawing.append(svg("path", { d: path || "M0 0", class: "line" }));
  drawing.append(svg("line", { x1: x(ply), x2: x(ply), y1: top, y2: high - bottom, class: "cursor" }));
  drawing.addEventListener("click", (event) => {
    const box = drawing.getBoundingClientRect();
    jump(Math.round((((event.clientX - box.left) / box.width) * wide - left) / across));
  });
  return drawing;
}

function watchPlot(plot) {
  const points = JSON.parse(plot.dataset.points);
  const line = plot.querySelector(".cursor"), dot = plot.querySelector(".cursor-dot"), text = plot.querySelector(".readout");
  plot.addEventListener("pointermove", (event) => {
    const box = plot.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * plot.viewBox.baseVal.width;
    const [game, elo, low, high, at, y] = points.reduce((best, point) => (Math.abs(point[4] - x) < Math.abs(best[4] - x) ? point : best));
    line.setAttribute("x1", at);
    line.setAttribute("x2", at);
    dot.setAttribute("cx", at);
    dot.setAttribute("cy", y);
    text.textContent = `after ${game}: ${elo} [${low}, ${high}]`;
  });
  plot.addEventListener("pointerleave", () => {
    for (const [part, names] of [[line, ["x1", "x2"]], [dot, ["cx"]]]) names.forEach((name) => part.setAttribute(name, -9));
    text.textContent = "";
  });
}
