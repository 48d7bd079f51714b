// The bot of a CodinGame arena, which chooses a move for each turn: the counterpart of arena/codingame/bot.py.

import { Position } from "../../../web/engine/position.js";
import { Searcher } from "../../../web/engine/searcher.js";
import { Margin } from "../../../web/engine/time_margin.js";
import { processorWaits } from "./processor_waits.js";
import { readOnitama, readShogi, usiToOnitama, usiToShogi } from "./turns.js";

/** @typedef {import("./turn_reader.js").RawTurn} RawTurn */
/** @typedef {import("./turns.js").Turn} Turn */
/** @typedef {import("../../../web/engine/searcher.js").Result} Result */

const MAX_NAMED = 6; // most moves that a message lists
const WARM_UP = 10; // ms, the length of a search before the game
const ENTRY = 6; // bytes of a book move: the low half of the position's hash key, and the move's code

/** Return the moves of a book that arena/codingame/book.py has packed, by the low halves of the hash keys.
 * @param {Buffer} data  @returns {Map<number, number>} */
function unpackBook(data) {
  const book = new Map();
  for (let offset = 0; offset < data.length; offset += ENTRY) {
    book.set(data.readUInt32LE(offset), data.readUInt16LE(offset + 4));
  }
  return book;
}

/** A player of one arena. If the referee and the engine's rules differ, it follows the referee. */
export class Bot {
  /** `margin`: the time margin in ms; `oneStart`: every game begins with the variant's start position; `chat`: answers
   * include depth and score; `limits(first)` returns the limits of a search; `complain` is called with a description of
   * each problem.
   * @param {Game} game  @param {{margin: number, hashMb: number, oneStart: boolean, chat: boolean, book: Buffer}} options
   * @param {(first: boolean) => Limits} limits  @param {(text: string) => void} complain */
  constructor(game, { margin, hashMb, oneStart, chat, book }, limits, complain) {
    this._game = game;
    this._limits = limits;
    this._complain = complain;
    this._oneStart = oneStart;
    this._chat = chat;
    this._wholeBook = book;
    this._book = unpackBook(book); // moves that were not played in this game: a book knows no repetitions
    this._margin = new Margin(margin, processorWaits);
    this._read = game.variant.cards ? readOnitama : readShogi;
    this._toAction = game.variant.cards ? usiToOnitama : usiToShogi;
    this._searcher = new Searcher(game, hashMb);
    /** @type {number | null} */
    this._player = null;
    this._ply = 0; // of the current turn
    /** @type {Position | null} after the bot's last move, including the game's history */
    this._position = null;
    // The first search allocates memory, and measures how much later than planned a search ends.
    const start = new Position(game);
    this._searchInTime(start, { movetime: WARM_UP }, 0, performance.now());
    this._searcher.newGame();
    start.release();
  }

  /** Return the answer to a turn, or null if no legal action is known. `since`: when the turn's clock started.
   * @param {RawTurn} raw  @param {number} since  @returns {string | null} */
  answer(raw, since) {
    const first = raw.once.length > 0;
    if (first) this._book = unpackBook(this._wholeBook);
    const turn = this._read(raw, first ? null : this._player);
    this._player = turn.player;
    this._ply = first ? turn.player ?? 0 : this._ply + 2;
    const position = this._follow(turn, first, raw.complete);
    this._position = null;
    const moves = position ? position.allowed(turn.dice) : [], listed = [...turn.actions.keys()];
    if (raw.complete && position) this._reportDifference(moves, listed);
    const both = moves.filter((move) => turn.actions.has(move));
    const candidates = [both, listed, moves].find((list) => list.length) ?? [];
    if (!candidates.length) {
      position?.release();
      this._complain("no legal action is known: no answer");
      return null;
    }
    let best = candidates[0], message = "";
    if (position && moves.includes(best)) {
      const known = this._bookMove(position);
      if (known !== null && candidates.includes(known)) {
        best = known;
        message = " book";
      } else {
        const restricted = candidates.length < moves.length ? candidates : [];
        const found = this._search(position, turn, restricted, first, since);
        if (found?.best && candidates.includes(found.best)) {
          best = found.best;
          message = messageOf(found);
        }
      }
      position.push(best);
      this._position = position;
    } else {
      position?.release();
    }
    return (turn.actions.get(best) ?? this._toAction(best, this._player ?? 0)) + (this._chat ? message : "");
  }

  /** Return the book's move, and remove it from the book; null if there is none.
   * @param {Position} position  @returns {string | null} */
  _bookMove(position) {
    const key = Number(BigInt.asUintN(32, position.key)), known = this._book.get(key);
    this._book.delete(key);
    return known === undefined ? null : position.usi(known);
  }

  /** Return the position of this turn, or null if it is unknown. Normally it is the known game continued by the
   * opponent's reply, with the game's history. If the referee's board differs from it, return the referee's board
   * without history; the boards are compared only if the turn is `complete`.
   * @param {Turn} turn  @param {boolean} first  @param {boolean} complete  @returns {Position | null} */
  _follow(turn, first, complete) {
    let shown = null, known = this._position;
    if (turn.sfen !== null) {
      try {
        if (turn.sfen.toLowerCase().split("k").length === 2) throw new Error("a king is missing");
        shown = new Position(this._game, `${turn.sfen} ${this._ply + 1}`);
      } catch (error) {
        this._complain(`the board is not a valid position: ${/** @type {Error} */ (error).message}`);
      }
    }
    if (first) {
      known?.release();
      known = this._oneStart ? new Position(this._game) : null;
    }
    if (known === null) return shown;
    if ((first && turn.player === 0) || this._playReply(known, turn, shown)) {
      if (shown === null || shown.key === known.key || !complete) {
        shown?.release();
        return known;
      }
    }
    known.release();
    if (shown) this._complain("the board is not the one expected: continuing from this board, without earlier moves");
    return shown;
  }

  /** Play the opponent's last action in `known`. If the turn does not contain it, play the legal move that leads to the
   * referee's board. Return whether a move was played.
   * @param {Position} known  @param {Turn} turn  @param {Position | null} shown  @returns {boolean} */
  _playReply(known, turn, shown) {
    if (turn.last !== null) {
      try {
        known.push(turn.last);
      } catch (error) {
        this._complain(`the opponent's last action: ${/** @type {Error} */ (error).message}`);
        return false;
      }
      return true;
    }
    for (const move of shown ? known.legalMoves() : []) {
      known.push(move);
      if (known.key === shown?.key) return true;
      known.pop();
    }
    return false;
  }

  /** Return the result of a search among `moves` (all moves if the list is empty), or null if the search fails.
   * @param {Position} position  @param {Turn} turn  @param {string[]} moves  @param {boolean} first
   * @param {number} since  @returns {Result | null} */
  _search(position, turn, moves, first, since) {
    const { variant, constants } = this._game, limits = this._limits(first);
    const dice = variant.die === "none" ? null : turn.dice ?? constants.FREE;
    try {
      const margin = this._margin.of(limits.movetime ?? 0);
      return this._searchInTime(position, { ...limits, searchmoves: moves, dice }, margin, since);
    } catch (failure) {
      const { name, message } = /** @type {Error} */ (failure);
      this._complain(`internal: ${name}: ${message}: playing any legal action`);
      return null;
    }
  }

  /** Return the result of a search that should end `margin` ms before the time limit, and record how many ms after
   * that time it ended. `since`: when the turn's clock started.
   * @param {Position} position  @param {Limits} limits  @param {number} margin  @param {number} since
   * @returns {Result} */
  _searchInTime(position, limits, margin, since) {
    const options = { clock: { networkDelay: margin } };
    const result = this._searcher.search(position, limits, options, null, since);
    if (limits.movetime !== undefined) this._margin.note(performance.now() - since - (limits.movetime - margin));
    return result;
  }

  /** Report legal moves that only the referee lists or only the engine finds.
   * @param {string[]} here the engine's moves  @param {string[]} listed the referee's */
  _reportDifference(here, listed) {
    const more = listed.filter((move) => !here.includes(move)), fewer = here.filter((move) => !listed.includes(move));
    /** @type {[string, string[]][]} */
    const kinds = [["also lists", more], ["does not list", fewer]];
    const parts = kinds.filter(([, moves]) => moves.length).map(([what, moves]) => {
      const named = moves.sort().slice(0, MAX_NAMED).map((move) => this._toAction(move, this._player ?? 0)).join(", ");
      return `${what} ${named}${moves.length > MAX_NAMED ? ` and ${moves.length - MAX_NAMED} more` : ""}`;
    });
    if (parts.length) {
      this._complain(`the legal actions differ from the engine's: the referee ${parts.join(" and ")}`);
    }
  }
}

/** Return depth and score as a chat message that follows the action, with a leading space.
 * @param {Result} result  @returns {string} */
function messageOf({ scoreKind, score, depth }) {
  const words = scoreKind === "mate"
    ? `${score > 0 ? "win" : "loss"} in ${Math.abs(score)}`
    : `${score < 0 ? "-" : "+"}${(Math.abs(score) / 100).toFixed(2)}`;
  return ` depth ${depth}, score ${words}`;
}
