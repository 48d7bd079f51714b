// The engines' scores over a game, from Black's side; and the pointer over the Elo plots.
const GRAPH_WIDE = 300, GRAPH_HIGH = 90;

function blackScore(said, mover) {
  if (!said) return null;
  const [kind, value] = said;
  const height = kind === "mate" ? (value > 0 ? 1 : -1) : Math.tanh(value / 800);
  return mover ? -height : height;
}

function scoreText(said) {
  if (!said) return "";
  const [kind, value, depth] = said;
  const signed = kind === "mate" ? `mate ${value}` : (value > 0 ? "+" : "") + (value / 100).toFixed(2);
  return signed.replace("-", "−") + (depth ? `/${depth}` : "");
}

function drawGraph(game, ply, jump) {
  const across = GRAPH_WIDE / Math.max(game.all.length, 1), middle = GRAPH_HIGH / 2;
  const drawing = svg("svg", { viewBox: `0 0 ${GRAPH_WIDE} ${GRAPH_HIGH}`, role: "img", "aria-label": "Scores over the game, from Black's side" });
  let path = "", pen = "M";
  game.all.forEach((_, index) => {
    const height = blackScore(game.said(index), (game.first + index) % 2);
    if (height === null) return;
    path += `${pen}${(across * (index + 1)).toFixed(1)} ${(middle - height * (middle - 6)).toFixed(1)}`;
    pen = "L";
  });
  drawing.append(svg("line", { x1: 0, x2: GRAPH_WIDE, y1: middle, y2: middle, class: "grid" }));
  drawing.append(svg("path", { d: path || "M0 0", class: "line" }));
  drawing.append(svg("line", { x1: across * ply, x2: across * ply, y1: 0, y2: GRAPH_HIGH, class: "cursor" }));
  drawing.addEventListener("click", (event) => {
    const box = drawing.getBoundingClientRect();
    jump(Math.round(((event.clientX - box.left) / box.width) * game.all.length));
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
