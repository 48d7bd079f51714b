// Judges the moves of a game by the winning chances that they gave away. The functions are those of
// lab/analysis/judge.py, and the constants come from there by way of the index of games.

/** A line of the search and its score for the side to move: `kind` is "cp" or "mate", `value` centipawns or plies.
 * @typedef {[moves: string[], kind: string, value: number, depth: number]} Line */
/** The constants of search/winning_chance.py: the kinds of mistakes with their smallest losses, the worst first, the loss
 * that a missed mate counts as, the smallest loss of each column of the histogram, the number of phases of a game, from
 * which severity on a move is searched again and how many times as long, the largest score in centipawns, and the variant's
 * scale.
 * @typedef {{mistakes: [kind: string, least: number][], missedMate: number, losses: number[], phases: number,
 *   doubts: [least: number, times: number][], most: number, scale: number}} Judging */
/** A judged move: `ply` counts from 0, `best` and `line` are the best line of the position before it and its own,
 * `missedMate` is the number of plies of a mate that it missed, or 0, `severity` the loss or what the missed mate counts
 * as, and `name` the kind of mistake, or "".
 * @typedef {{ply: number, side: number, best: Line, line: Line, loss: number, missedMate: number, severity: number,
 *   name: string}} Judgement */
/** The moves of a side: `accuracy` is 100 minus the mean loss in percent, `counts` are the mistakes of each kind, `phases`
 * the mean losses in the parts of the game. Means of no moves are null.
 * @typedef {{accuracy: number | null, counts: {[kind: string]: number}, missedMates: number, phases: (number | null)[],
 *   histogram: number[]}} Summary */

/** The constants for the variant of the open game.
 * @param {App} app  @returns {Judging} */
export const judgingOf = ({ index, entry }) => ({ ...index.judging, scale: entry.scale });

/** The winning chance of a line's score, from 0 to 1.
 * @param {Judging} judging  @param {Line} line */
function chance({ most, scale }, [, kind, value]) {
  if (kind === "mate") return value > 0 ? 1 : 0;
  return 1 / (1 + Math.exp(-Math.max(Math.min(value, most), -most) / scale));
}

/** Judge the first move of `line`, if `best` is the best line of the position before it.
 * @param {Judging} judging  @param {number} ply  @param {number} side  @param {Line} best  @param {Line} line
 * @returns {Judgement} */
export function judgement(judging, ply, side, best, line) {
  const loss = Math.max(chance(judging, best) - chance(judging, line), 0);
  const least = Math.min(...judging.mistakes.map(([, part]) => part));
  const missedMate = best[1] === "mate" && best[2] > 0 && loss >= least ? best[2] : 0;
  const severity = missedMate ? Math.max(loss, judging.missedMate) : loss;
  const name = judging.mistakes.find(([, least]) => severity >= least)?.[0] ?? "";
  return { ply, side, best, line, loss, missedMate, severity, name };
}

/** Kinds of mistakes that become questions, and are wrong answers to them. */
export const WRONG = ["mistake", "blunder"];

/** The line that begins with a move, or undefined.
 * @param {Line[] | null} lines  @param {string} move */
export const lineOf = (lines, move) => lines?.find(([[first]]) => first === move);

/** Judge the moves of a game. A move is left out if it has no line.
 * @param {Judging} judging  @param {number} first the side of the first move
 * @param {{move: string, lines: Line[] | null}[]} moves with the lines of the positions before them, best first
 * @returns {Judgement[]} */
export const judge = (judging, first, moves) => moves.flatMap(({ move, lines }, ply) => {
  const line = lineOf(lines, move);
  return lines && line ? [judgement(judging, ply, (first + ply) % 2, lines[0], line)] : [];
});

/** @param {Judgement[]} judgements  @returns {number | null} */
const meanLoss = (judgements) =>
  (judgements.length ? judgements.reduce((sum, { loss }) => sum + loss, 0) / judgements.length : null);

/** The summary of a side's moves in a game of `plies` moves.
 * @param {Judging} judging  @param {Judgement[]} judgements  @param {number} side  @param {number} plies
 * @returns {Summary} */
export function summary({ mistakes, losses, phases }, judgements, side, plies) {
  const own = judgements.filter((one) => one.side === side), mean = meanLoss(own);
  const columns = own.map(({ loss }) => losses.filter((least) => loss >= least).length - 1);
  return {
    accuracy: mean === null ? null : 100 * (1 - mean),
    counts: Object.fromEntries(mistakes.map(([kind]) => [kind, own.filter(({ name }) => name === kind).length])),
    missedMates: own.filter(({ missedMate }) => missedMate > 0).length,
    phases: Array.from({ length: phases }, (_, phase) => meanLoss(own.filter(({ ply }) => Math.floor((ply * phases) / plies) === phase))),
    histogram: losses.map((_, column) => columns.filter((one) => one === column).length),
  };
}
