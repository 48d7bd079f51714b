// The view for analysis: the engine's lines, the graph, the tablebase, the review and the game records in tabs, and the
// tree of moves.
// It is loaded when it is first shown.

import { byId } from "../elements.js";
import { recordsPanel } from "../game_records/panel.js";
import { ReviewPanel } from "../review/panel.js";
import { Review } from "../review/review.js";
import { Tabs } from "../tabs.js";
import { AnalysisPanel } from "./panel.js";
import { TablebasePanel } from "./tablebase_panel.js";

/** Fill the view.
 * @param {App} app */
export function fillAnalysis(app) {
  const tabs = new Tabs(byId("analysis")), tree = byId("tree-panel"), review = new Review(app);
  const panel = new AnalysisPanel(app, { lines: tabs.add("lines", "tab-lines"), graph: tabs.add("graph", "tab-graph"), tree }, review);
  const tablebase = new TablebasePanel(app, tabs);
  const reviewPanel = new ReviewPanel(app, tabs.add("review", "tab-review"), review);
  recordsPanel(app, tabs.add("records", "tab-records"));
  for (const part of [panel, tablebase, reviewPanel]) part.show("game");
}
