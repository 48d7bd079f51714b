// Games as lines: USI's `position startpos moves ...`, or `sfen ... moves ...`, one line per game. Other information
// follows after a #: `# game 12, dice: Black - White 1-0 checkmate`. The functions are those of lab/kifu/usi_lines.py.

import { clipped, quoted, stripped, wordsOf } from "../../engine/text.js";
import { GameReader, messageOf } from "./game_record.js";
import { find, infer } from "./known_games.js";
import { pattern, wordEnd } from "./terms.js";

const WORD = pattern("usi_word"), REMARK = pattern("usi_remark"); // groups: label, variant, names, result, reason
const SEPARATOR = " - "; // between the names

/** Write the shown line of a tree, up to its end, as `position sfen ... moves ...`.
 * @param {GameTree} tree  @returns {string} */
export function writeUsiLine(tree) {
  const moves = tree.line().map((node) => node.move);
  return `position sfen ${tree.start}${moves.length ? ` moves ${moves.join(" ")}` : ""}`;
}

/** Whether a line without surrounding blanks is in this format.
 * @param {string} line */
export const isUsiLine = (line) => /^(position|startpos|sfen|[0-9A-Za-z+]+(\/[0-9A-Za-z+]+)+)(?=[\s#]|$)/.test(line);

/** Find the games of a text, one per line.
 * @param {string[]} lines  @param {KnownGame[]} games  @param {KnownGame} preferred the variant of `startpos`, and of
 * an SFEN that fits several variants
 * @returns {Generator<{variant: string, title: string, read: (game: Game) => Reading}>} */
export function* usiRecords(lines, games, preferred) {
  for (const [index, line] of lines.entries()) {
    const text = stripped(line.replace(/^\ufeff/, ""));
    if (!text || text.startsWith("#")) continue;
    const record = new UsiLine(text);
    let variant = preferred.name, fault = "";
    try {
      variant = record.variantOf(games, preferred).name;
    } catch (error) {
      fault = messageOf(error);
    }
    /** @param {Game} game */
    const read = (game) => record.read(game, index + 1, fault);
    yield { variant, title: record.remark || clipped(text, 60), read };
  }
}

/** A line. */
class UsiLine {
  /** @param {string} line */
  constructor(line) {
    const hash = line.indexOf("#"), text = hash < 0 ? line : line.slice(0, hash), at = text.indexOf("moves");
    this._text = text;
    this._moves = at < 0 ? [] : wordsOf(text.slice(at + 5));
    this.remark = hash < 0 ? "" : stripped(line.slice(hash + 1));
    this._start = wordsOf(at < 0 ? text : text.slice(0, at));
    for (const word of ["position", "sfen"]) if (this._start[0] === word) this._start.shift();
  }

  /** @param {KnownGame[]} games  @param {KnownGame} preferred  @returns {KnownGame} */
  variantOf(games, preferred) {
    if (!this._start.length) throw new Error(`not a position: ${quoted(clipped(stripped(this._text), 40))}`);
    const name = REMARK.exec(this.remark)?.[2];
    if (name) return find(name, games);
    return this._start.join(" ") === "startpos" ? preferred : infer(this._start.join(" "), preferred.name, games);
  }

  /** Read the game, up to the first illegal move.
   * @param {Game} game  @param {number} number of the line  @param {string} fault why no variant fits, or ""
   * @returns {Reading} */
  read(game, number, fault) {
    const reader = new GameReader(game, number), sfen = this._start.join(" ");
    reader.attempt(number, () => {
      if (fault) throw new Error(fault);
      reader.begin(sfen === "startpos" ? game.variant.start : sfen);
      this._take(reader);
    });
    return reader.reading();
  }

  /** @param {GameReader} reader */
  _take(reader) {
    const recorder = /** @type {import("./game_record.js").Recorder} */ (reader.recorder), { position } = recorder;
    let end = "";
    for (const usi of this._moves) {
      try {
        if (end) throw new Error("this move comes after the end of the game");
        if (WORD.test(usi)) end = usi;
        else recorder.play(usi);
      } catch (error) {
        throw new Error(`move ${position.moves.length + 1}: ${messageOf(error)}`);
      }
    }
    const [, label = "", , names = "", result = "", reason = ""] = REMARK.exec(this.remark) ?? [];
    const [black, ...white] = stripped(names).split(SEPARATOR);
    reader.label = stripped(label);
    reader.names = [black, white.join(SEPARATOR)];
    const winner = result === "1-0" ? 0 : result === "0-1" ? 1 : null;
    const outcome = result ? { winner, reason } : position.outcome();
    if (outcome) recorder.finish(outcome);
    else if (end) reader.finish(reader.first, wordEnd("usi_ends", end, position), end);
  }
}
