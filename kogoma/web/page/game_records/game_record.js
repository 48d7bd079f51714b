// The results of the readers of game records, and what the readers share. The classes are those of lab/kifu/game.py.

import { Position } from "../../engine/position.js";
import { stripped } from "../../engine/text.js";
import { GameTree } from "../game_tree.js";
import { filled, recordError, wrapped } from "./errors.js";

/** @typedef {import("./errors.js").RecordError} RecordError */
/** @typedef {import("./errors.js").Place} Place */
/** @typedef {{kind: "ignored" | "unknown_end" | "start" | "undecodable", line: number, text: string}} Note
 *   a part of a text that a reader did not keep as it is: a line that says nothing known ("ignored"), an end word that
 *   no table has ("unknown_end"), or characters that could not be decoded ("undecodable") */
/** @typedef {{tree: GameTree | null, trouble: RecordError | null, notes: Note[]}} Reading what a reader returns:
 *   `tree` has the moves before the error, null if the start position is missing or invalid */

const MOST_STEPS = 100_000; // moves of a record, including variations

/** A note as text in English, without the line.
 * @param {Note} note  @returns {string} */
export const noteText = ({ kind, text }) => filled(kind, { text });

/** Replace line breaks and control characters by spaces, so that a text fits one line of a file.
 * @param {string} text */
export const oneLine = (text) => stripped(text.replace(/[\0-\x1f\x7f\x85\u2028\u2029]/g, " "));

/** Split a comment into lines, and replace characters that files cannot store. An empty comment has no lines.
 * @param {string} text  @returns {string[]} */
export const commentLines = (text) => (text ? text.replaceAll("\0", "\ufffd").split(/\r\n|\r|\n/) : []);

/** Builds a game tree move by move, checked by the rules. */
export class Recorder {
  /** Throws an Error if the SFEN is invalid.
   * @param {Game} game  @param {string} start an SFEN */
  constructor(game, start) {
    this.position = new Position(game, start);
    this.tree = new GameTree(game.variant.name, this.position.sfen());
    /** The nodes of the current line, from the root to its last move. */
    this._path = [this.tree.root];
    /** The end of the current line, or null.
     * @type {End | null} */
    this.end = null;
    /** The last move or end; null before the first move of a variation.
     * @type {GameNode | End | null} */
    this.at = this.tree.root;
    this._said = false; // whether `at` has a comment
    /** Comment lines before the first move of a variation.
     * @type {string[]} */
    this._ahead = [];
    this._count = 0;
  }

  /** Add a move to the current line. Throws an Error, and changes nothing, if it is illegal or the line has ended.
   * @param {string} usi  @param {number | null} [ms] the time for it, null if unknown */
  play(usi, ms = null) {
    if (this.end) throw recordError("after-end");
    this._counted();
    this.position.push(usi);
    const node = this.tree.add(/** @type {string} */ (this.position.moves.at(-1)));
    node.ms = ms;
    node.comment = this._ahead.join("\n");
    this._path.push(node);
    [this.at, this._said, this._ahead] = [node, this._ahead.length > 0, []];
  }

  /** Set the die roll of the last move of the line, if it has moves.
   * @param {number} dice */
  roll(dice) {
    if (this.at && this.tree.current.parent) this.tree.current.dice = dice;
  }

  /** Record the end of the current line; `text` is an end word that no table has. Returns false for an end in place of
   * a variation's first move, which cannot be recorded. Throws an Error if the line already has an end.
   * @param {Outcome} outcome  @param {number | null} [ms]  @param {string} [text]  @returns {boolean} */
  finish({ winner, reason }, ms = null, text = "") {
    if (this.end) throw recordError("ended-twice");
    if (!this.at) return false;
    this.end = this.tree.current.end = { winner, reason, ...(text && { text }), ...(ms !== null && { ms }) };
    [this.at, this._said] = [this.end, false];
    return true;
  }

  /** Replace the outcome and the word of the line's end by those of a remark. Returns whether there are both.
   * @param {Outcome & {text: string} | null} told  @returns {boolean} */
  amend(told) {
    if (!told || !this.end) return false;
    Object.assign(this.end, { winner: told.winner, reason: told.reason, text: told.text });
    if (!told.text) delete this.end.text;
    return true;
  }

  /** Add a line of text to the comment on the last move or end, or on the start position.
   * @param {string} line */
  say(line) {
    if (this.at) this.at.comment = this._said ? `${this.at.comment}\n${line}` : line;
    else this._ahead.push(line);
    this._said = true;
  }

  /** Start a variation that replaces the moves of the current line after the first `plies` plies of the game. Throws an
   * Error if the current line is shorter.
   * @param {number} plies */
  branch(plies) {
    const count = this._path.length - 1;
    if (!(plies >= 0 && plies <= count)) {
      throw recordError("short-line-before", { n: plies + 1, count });
    }
    this._counted();
    if (plies === count && !this.end) return; // there is no move to replace, so the line continues
    this._path.length = plies + 1;
    while (this.position.moves.length > plies) this.position.pop();
    this.tree.goTo(this._path[plies]);
    [this.end, this.at, this._said] = [null, null, false];
  }

  _counted() {
    this._count += 1;
    if (this._count > MOST_STEPS) throw recordError("many-moves", { n: MOST_STEPS });
  }
}

/** The base class of readers. A reader reads one game, whose first line has the number `first`. An error belongs to the
 * place `at` of the part that is being read. */
export class GameReader {
  /** @param {Game} game  @param {number} first */
  constructor(game, first) {
    this.game = game;
    this.first = first;
    /** @type {Place} */
    this.at = [first, "", 0];
    /** @type {RecordError | null} */
    this.trouble = null;
    /** @type {[string, string]} */
    this.names = ["", ""];
    this.label = "";
    /** @type {Map<string, string>} */
    this.headers = new Map();
    /** @type {Note[]} */
    this.notes = [];
    /** Null until the start is known.
     * @type {Recorder | null} */
    this.recorder = null;
    /** Comment lines before the start is known.
     * @type {string[]} */
    this.ahead = [];
  }

  /** The game as far as it could be read. The reader cannot be used afterwards.
   * @returns {Reading} */
  reading() {
    const { recorder, names, label, headers, trouble, notes } = this;
    recorder?.position.release();
    if (recorder) Object.assign(recorder.tree, { names, label, headers: [...headers] });
    return { tree: recorder && recorder.tree, trouble, notes };
  }

  /** The recorder. Throws a RecordError if the start is not known yet.
   * @returns {Recorder} */
  get started() {
    if (!this.recorder) throw recordError("early-move");
    return this.recorder;
  }

  /** Note a part of the line that is not kept as it is.
   * @param {Note["kind"]} kind  @param {string} text */
  note(kind, text) {
    this.notes.push({ kind, line: this.at[0], text });
  }

  /** Do something with the text at a place. An error in the text becomes the reader's trouble; after that, nothing is
   * done.
   * @param {Place} place  @param {() => void} act */
  attempt(place, act) {
    if (this.trouble) return;
    this.at = place;
    try {
      act();
    } catch (error) {
      this.trouble = wrapped(error).at(this.at);
    }
  }

  /** Go to a part of the line that is being read.
   * @param {string} line  @param {number} index */
  go(line, index) {
    this.at = [this.at[0], line, index];
  }

  /** Begin to record moves. Throws an Error if the SFEN is invalid.
   * @param {string} start */
  begin(start) {
    this.recorder = new Recorder(this.game, start);
    for (const line of this.ahead) this.recorder.say(line);
  }

  /** Record an end, and note what is not kept as it is.
   * @param {import("./terms.js").WrittenEnd} end  @param {string} word as it is in the text  @param {number | null} [ms] */
  finish(end, word, ms = null) {
    if (!this.started.finish(end, ms, end.text)) this.note("ignored", word);
    else if (end.text) this.note("unknown_end", word);
  }
}
