// Reader of the files of `analyse` (lab/analysis/review_file.py): reviewed games, and problems. Each problem is a game of
// the move before it, if known, and the mistake, with the lines of a review.

import { RecordError, recordError } from "../game_records/errors.js";
import { Recorder } from "../game_records/game_record.js";
import { t } from "../later_texts.js";
import { sideName } from "../translate.js";
import { areLines } from "../storage.js";

const REVIEW = "kogoma-review", SHOGIHOME = "shogihome-next-move", OTHERS = "kogoma-next-move"; // names of formats
const VERSION = 1;
const NAMED = new RegExp(`"format"\\s*:\\s*"(${[REVIEW, SHOGIHOME, OTHERS].join("|")})"`);

/** Whether a text is a file of this kind.
 * @param {string} text */
export const isReviewFile = (text) => /^\ufeff?\s*\{/.test(text) && NAMED.test(text);

/** The error of a file of which a part, `what`, is not valid.
 * @param {string} what */
const bad = (what) => new RecordError(t("review.badFile", { what }), "");

/** @param {any} value */
const asText = (value) => (typeof value === "string" ? value : "");

/** @param {any} value */
const areMoves = (value) => Array.isArray(value) && value.every((move) => typeof move === "string");

/** Find the games or problems of a file. Throws an Error that names the first part that is not valid.
 * @param {string} text
 * @returns {Generator<{variant: string, title: string, names: string[], read: (game: Game) => Reading}>} */
export function* reviewRecords(text) {
  let file;
  try {
    file = JSON.parse(text.replace(/^\ufeff/, ""));
  } catch {
    throw recordError("not-json");
  }
  if (file.version !== VERSION) throw bad(`version ${file.version}`);
  const key = file.format === REVIEW ? "games" : "problems", all = file[key];
  if (!Array.isArray(all)) throw bad(key);
  for (const [index, one] of all.entries()) {
    const where = `${key}[${index}]`;
    if (!one || typeof one !== "object") throw bad(where);
    const { variant = "shogi", source, names = [source?.blackPlayer, source?.whitePlayer] } = one;
    if (typeof variant !== "string" || !Array.isArray(names)) throw bad(where);
    const players = /** @type {[string, string]} */ ([asText(names[0]), asText(names[1])]);
    const [, turn] = asText(one.sfen).split(" "), side = sideName(turn === "w" ? 1 : 0);
    const title = key === "games" ? "" : t("review.problem", { number: index + 1, side });
    const fill = key === "games" ? fillGame : fillProblem;
    const more = { names: players, label: title };
    yield { variant, title, names: players, read: (game) => reading(() => Object.assign(fill(game, one, where), more)) };
  }
}

/** @param {() => GameTree} read  @returns {Reading} */
function reading(read) {
  try {
    return { tree: read(), trouble: null, notes: [] };
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    return { tree: null, trouble: error instanceof RecordError ? error : new RecordError(message), notes: [] };
  }
}

/** Read a reviewed game. Throws an Error if it is not valid.
 * @param {Game} game  @param {any} record  @param {string} where */
function fillGame(game, { start, moves, dice = [], lines = [], end = null }, where) {
  if (typeof start !== "string" || !areMoves(moves) || !Array.isArray(dice) || !Array.isArray(lines)) throw bad(where);
  const recorder = new Recorder(game, start);
  try {
    for (const [ply, move] of moves.entries()) {
      const own = lines[ply]?.length ? lines[ply] : null;
      if (!areLines(own)) throw bad(`${where}.lines[${ply}]`);
      addMove(recorder, move, dice[ply] ?? 0, own);
    }
    if (end !== null) {
      if (![0, 1, null].includes(end.winner) || typeof end.reason !== "string") throw bad(`${where}.end`);
      recorder.finish(end);
    }
    return recorder.tree;
  } finally {
    recorder.position.release();
  }
}

/** Read a problem. Throws an Error if it is not valid.
 * @param {Game} game  @param {any} problem  @param {string} where */
function fillProblem(game, { sfen, dice = 0, candidates, actualMove, previousMove = null, analysis }, where) {
  if (typeof sfen !== "string") throw bad(`${where}.sfen`);
  if (previousMove !== null && (typeof previousMove.sfen !== "string" || typeof previousMove.usi !== "string")) throw bad(`${where}.previousMove`);
  const recorder = new Recorder(game, previousMove?.sfen ?? sfen);
  try {
    if (previousMove) {
      recorder.play(previousMove.usi);
      if (withoutNumber(recorder.position.sfen()) !== withoutNumber(sfen)) throw bad(`${where}.previousMove`);
    }
    const { turn } = recorder.position, legal = recorder.position.legalMoves();
    if (!Array.isArray(candidates) || !candidates.length) throw bad(`${where}.candidates`);
    const lines = candidates.map((one, index) => {
      const line = candidateLine(one, turn);
      if (!areLines([line]) || !legal.includes(line[0][0])) throw bad(`${where}.candidates[${index}]`);
      return line;
    });
    const actual = { score: analysis?.scoreAfterMove, depth: lines[0][3], ...actualMove };
    const line = candidateLine(actual, turn);
    if (!areLines([line])) throw bad(`${where}.actualMove`);
    addMove(recorder, line[0][0], dice, [...lines.filter(([[first]]) => first !== line[0][0]), line]);
    return recorder.tree;
  } finally {
    recorder.position.release();
  }
}

/** The line of a candidate. The scores of problems are Black's, those of lines of the side to move.
 * @param {any} candidate  @param {number} turn  @returns {Line} which may be invalid */
function candidateLine(candidate, turn) {
  const { usi, mate, score, depth = 0, pv } = candidate ?? {}, sign = turn ? -1 : 1;
  return [areMoves(pv) && pv[0] === usi ? pv : [usi], mate === undefined ? "cp" : "mate", sign * (mate ?? score), depth];
}

/** @param {string} sfen */
const withoutNumber = (sfen) => sfen.trim().split(/\s+/).slice(0, -1).join(" ");

/** Add a move with its roll and the lines of the position before it.
 * @param {Recorder} recorder  @param {string} move  @param {any} dice  @param {Line[] | null} lines */
function addMove(recorder, move, dice, lines) {
  if (!Number.isInteger(dice) || dice < 0 || dice > 6) throw bad(`dice ${dice}`);
  recorder.play(move);
  recorder.roll(dice);
  const node = recorder.tree.current;
  node.lines = lines;
  const own = lines?.find(([[first]]) => first === node.move);
  if (own) node.said = [own[1], own[2], own[3]];
}
