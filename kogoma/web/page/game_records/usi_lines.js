// Games as lines: USI's `position startpos moves ...`, or `sfen ... moves ...`, one line per game. Other information
// follows after a #: `# game 12, dice: Black - White 1-0 checkmate`. The functions are those of lab/kifu/usi_lines.py.

import { clipped, stripped, wordsOf } from "../../engine/text.js";
import { recordError, wrapped } from "./errors.js";
import { GameReader } from "./game_record.js";
import { find, infer, inferFromMoves } from "./known_games.js";
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
    const whole = line.replace(/^\ufeff/, ""), text = stripped(whole);
    if (!text || text.startsWith("#")) continue;
    const record = new UsiLine(whole);
    let variant = preferred.name, fault = /** @type {import("./errors.js").RecordError | null} */ (null);
    try {
      variant = record.variantOf(games, preferred).name;
    } catch (error) {
      fault = wrapped(error);
    }
    /** @param {Game} game */
    const read = (game) => record.read(game, index + 1, fault);
    yield { variant, title: record.remark || clipped(text, 60), read };
  }
}

/** Words that follow one another in a text after the index `at`, each with its index.
 * @param {string} text  @param {string[]} words  @param {number} at  @returns {[word: string, index: number][]} */
function withIndices(text, words, at) {
  return words.map((word) => {
    const from = text.indexOf(word, at);
    at = from + word.length;
    return [word, from];
  });
}

/** A line. */
class UsiLine {
  /** @param {string} line */
  constructor(line) {
    const hash = line.indexOf("#"), text = hash < 0 ? line : line.slice(0, hash), at = text.indexOf("moves");
    this._text = text;
    /** @type {[word: string, index: number][]} */
    this._moves = at < 0 ? [] : withIndices(text, wordsOf(text.slice(at + 5)), at + 5);
    this.remark = hash < 0 ? "" : stripped(line.slice(hash + 1));
    const start = withIndices(text, wordsOf(at < 0 ? text : text.slice(0, at)), 0);
    for (const word of ["position", "sfen"]) if (start[0]?.[0] === word) start.shift();
    this._start = start.map(([word]) => word);
    this._line = line;
    this._index = start[0]?.[1] ?? line.indexOf(stripped(line)); // of the start
  }

  /** @param {KnownGame[]} games  @param {KnownGame} preferred  @returns {KnownGame} */
  variantOf(games, preferred) {
    if (!this._start.length) throw recordError("not-a-position", { text: stripped(this._text) });
    const name = REMARK.exec(this.remark)?.[2];
    if (name) return find(name, games);
    const start = this._start.join(" ");
    return start === "startpos" ? inferFromMoves(this._moves[0]?.[0] ?? "", preferred, games) : infer(start, preferred.name, games);
  }

  /** Read the game, up to the first illegal move.
   * @param {Game} game  @param {number} number of the line
   * @param {import("./errors.js").RecordError | null} fault why no variant fits
   * @returns {Reading} */
  read(game, number, fault) {
    const reader = new GameReader(game, number), sfen = this._start.join(" ");
    reader.attempt([number, this._line, this._index], () => {
      if (fault) throw fault;
      reader.begin(sfen === "startpos" ? game.variant.start : sfen);
      this._take(reader);
    });
    return reader.reading();
  }

  /** @param {GameReader} reader */
  _take(reader) {
    const { started: recorder, started: { position } } = reader;
    let end = "";
    for (const [usi, index] of this._moves) {
      reader.go(this._line, index);
      try {
        if (end) throw recordError("after-end");
        if (WORD.test(usi)) end = usi;
        else recorder.play(usi);
      } catch (error) {
        throw wrapped(error, "in-move-number", { n: position.moves.length + 1 });
      }
    }
    const [, label = "", , names = "", result = "", reason = ""] = REMARK.exec(this.remark) ?? [];
    const [black, ...white] = stripped(names).split(SEPARATOR);
    reader.label = stripped(label);
    reader.names = [black, white.join(SEPARATOR)];
    const winner = result === "1-0" ? 0 : result === "0-1" ? 1 : null;
    const outcome = result ? { winner, reason } : position.outcome();
    if (outcome) recorder.finish(outcome);
    else if (end) reader.finish(wordEnd("usi_ends", end, position), end);
  }
}
