// Builder of a game tree from the moves of a game record, checked by the rules: the counterpart of Recorder in
// lab/kifu/game.py.

import { Position } from "../../engine/position.js";
import { GameTree } from "../game_tree.js";
import { targetOf } from "./kif_names.js";

export class Recorder {
  /** Throws an Error if the SFEN is invalid.
   * @param {Game} game  @param {string} start an SFEN */
  constructor(game, start) {
    this.position = new Position(game, start);
    this.tree = new GameTree(game.variant.name, this.position.sfen());
    /** Comment lines before the first move of a variation; null after it.
     * @type {string[] | null} */
    this._ahead = null;
  }

  /** The end of the current line, or null. */
  get end() {
    return this._ahead ? null : this.tree.current.end;
  }

  /** The target square of the last move, "" before the first. */
  get target() {
    return targetOf(this.tree.current.move);
  }

  /** Add a move. Throws an Error if it is illegal or the line has ended.
   * @param {string} usi  @param {number | null} [ms] the time for it, null if unknown */
  play(usi, ms = null) {
    if (this.end) throw new Error("a move after the end of the game");
    this.position.push(usi);
    this.tree.add(/** @type {string} */ (this.position.moves.at(-1))).ms = ms;
    const ahead = this._ahead ?? [];
    this._ahead = null;
    ahead.forEach((text) => this.say(text));
  }

  /** End the line.
   * @param {Outcome} outcome  @param {number | null} [ms] */
  finish(outcome, ms = null) {
    this.tree.current.end = { ...outcome, ...(ms !== null && { ms }) };
  }

  /** Add a line to the comment on the last move or end.
   * @param {string} text */
  say(text) {
    const commented = this.end ?? this.tree.current;
    if (this._ahead) this._ahead.push(text);
    else commented.comment = commented.comment ? `${commented.comment}\n${text}` : text;
  }

  /** Start a variation after `plies` plies of the line. Returns false if the line is shorter.
   * @param {number} plies  @returns {boolean} */
  branch(plies) {
    const path = [this.tree.root, ...this.tree.current.path()];
    if (!(plies >= 0 && plies < path.length)) return false;
    this.tree.goTo(path[plies]);
    while (this.position.moves.length > plies) this.position.pop();
    this._ahead = [];
    return true;
  }
}
