// A player of CodeAbbey's sequel to problem 469, Game of Generals: it prints the best move after the moves on
// standard input. The counterpart of arena/codeabbey/notation.py and of `play` in arena/codeabbey/command.py.

import { readFileSync } from "node:fs";
import { Position } from "../../../web/engine/position.js";
import { Searcher } from "../../../web/engine/searcher.js";
import { wordsOf } from "../../../web/engine/text.js";
import { clip } from "./lines.js";
import { optionsOf, say, tell } from "./streams.js";

const SIZE = 6, ROWS = "fedcba"; // USI's ranks, from the bottom
const CLOSING = "0 0 0 0"; // ends the list of moves

/** Thrown if standard input is not valid. The message names the line. */
class InputError extends Error {}

/** Return the row and the column of a USI square, as the problem writes them.
 * @param {string} name */
const numbers = (name) => `${ROWS.indexOf(name[1]) + 1} ${SIZE + 1 - Number(name[0])}`;

/** Return a move of the problem's notation in USI notation. Throw an Error if it is not legal.
 * `legal`: the legal moves in USI notation.
 * @param {string} words  @param {string[]} legal  @returns {string} */
function abbeyToUsi(words, legal) {
  if (!/^(?:[1-6]( [1-6]){3}|! [A-Za-z]( [1-6]){2})$/.test(words)) {
    throw new Error(`expected a move 'Y1 X1 Y2 X2', a drop '! P Y2 X2', or '${CLOSING}'`);
  }
  // Promotion is not written. If a piece may promote, but need not, the shorter move is meant.
  const found = [...legal].sort((a, b) => a.length - b.length).find((usi) => usiToAbbey(usi) === words.toUpperCase());
  if (found === undefined) throw new Error("the move is not legal here");
  return found;
}

/** Return a USI move in the problem's notation.
 * @param {string} usi  @returns {string} */
function usiToAbbey(usi) {
  return `${usi[1] === "*" ? `! ${usi[0]}` : numbers(usi.slice(0, 2))} ${numbers(usi.slice(2, 4))}`;
}

/** Return the problem's set-up line as an SFEN: a tokin is T in the problem, +P in the SFEN.
 * @param {string} words  @returns {string} */
function abbeyToSfen(words) {
  const [board, ...rest] = words.split(" ");
  return [board.replace(/T/g, "+P").replace(/t/g, "+p"), ...rest].join(" ");
}

/** Return the position after the set-up and the moves in the input; a line `0 0 0 0` ends the moves. Throw an
 * InputError if a line is not valid.
 * @param {Game} game  @param {string} text  @returns {Position} */
function follow(game, text) {
  let position = null, number = 0;
  const lines = text.split("\n");
  if (lines[lines.length - 1] === "") lines.pop();
  for (const line of lines) {
    number += 1;
    const words = wordsOf(line).join(" ");
    if (!words) continue;
    try {
      if (position === null) {
        position = new Position(game, abbeyToSfen(words));
        continue;
      }
      if (words === CLOSING) return position;
      const legal = position.legalMoves();
      if (!legal.length) throw new Error("the game is over");
      position.push(abbeyToUsi(words, legal));
    } catch (error) {
      throw new InputError(`line ${number}: ${clip(words)}: ${/** @type {Error} */ (error).message}`);
    }
  }
  if (position === null) throw new InputError(`line ${number + 1}: the set-up is missing`);
  return position;
}

/** Print the best move after the moves on standard input; the exit status is 2 if the input is not valid.
 * `--movetime MS` sets the time of the search; `--depth N` searches to that depth without a time limit.
 * @param {Game} game  @param {{hashMb: number, time: number[]}} options  @param {string[]} words */
export function playAbbey(game, { hashMb, time }, words) {
  const given = optionsOf(words, { "--movetime": [1, 3_600_000], "--depth": [1, 100] }), depth = given["--depth"];
  try {
    const position = follow(game, readFileSync(0).toString("utf8"));
    const limits = depth ? { depth } : { movetime: given["--movetime"] ?? time[0] };
    const { best } = new Searcher(game, hashMb).search(position, limits);
    if (best === null) throw new InputError("the game is over: there is no move to find");
    say(usiToAbbey(best));
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    tell(`codeabbey: ${error.message}`);
    process.exitCode = 2;
  }
}
