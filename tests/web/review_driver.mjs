// Judges moves by page/review/judge.js for the tests. The argument is a file with [judging, first side, moves] as JSON.

import { readFileSync } from "node:fs";
import { judge, summary } from "../../kogoma/web/page/review/judge.js";

const games = JSON.parse(readFileSync(process.argv[2]).toString());
console.log(JSON.stringify(games.map(([judging, first, moves]) => {
  const judged = judge(judging, first, moves);
  return { judged, summaries: [0, 1].map((side) => summary(judging, judged, side, moves.length)) };
})));
