// Reader of CSA V2.2 (9x9 shogi). Games are separated by a line "/". Moves are checked as they are read. The functions
// are those of lab/kifu/csa.py.

import { parseSfen, writeSfen } from "../../engine/sfen.js";
import { stripped } from "../../engine/text.js";
import { recordError, wrapped } from "./errors.js";
import { GameReader } from "./game_record.js";
import { letterAt } from "./japanese_moves.js";
import { CSA_LETTERS, GRAMMAR, csaEnd, pattern, readRemark, squareOf } from "./terms.js";

const SEPARATOR = "/"; // the line between two games
const MOVE = pattern("csa_move"), TIME = pattern("csa_time"), NUMBER = pattern("csa_number");
const CELL = pattern("csa_cell", "gsu"), PLACED = pattern("csa_placed", "gsu");

/** Whether a line can begin a CSA file.
 * @param {string} line */
export const isCsa = (line) => /^('|V[0-9]|N[+-]|\$[A-Z_]+:|P[I1+-]|[+-]$)/.test(line);

/** Find the games of a text in CSA. Throws an Error if the text contains no game record.
 * @param {string[]} lines  @returns {Generator<{lines: string[], read: (game: Game) => Reading}>} */
export function* csaRecords(lines) {
  const ends = [...lines.flatMap((line, index) => (stripped(line) === SEPARATOR ? [index] : [])), lines.length];
  const parts = ends.map((end, index) => ({ begin: index ? ends[index - 1] + 1 : 0, end }));
  for (const part of parts) while (part.begin < part.end && !stripped(lines[part.begin])) part.begin++;
  const games = parts.filter(({ begin, end }) => begin < end);
  if (!games.length) throw recordError("no-record");
  for (const { begin, end } of games) {
    /** @param {Game} game */
    const read = (game) => new CsaReader(game, lines, begin, end).readingOf(games.length === 1 && end === lines.length);
    yield { lines: lines.slice(begin, end), read };
  }
}

/** Reads one game: the lines from index `begin` to before index `end`. */
class CsaReader extends GameReader {
  /** @param {Game} game  @param {string[]} lines  @param {number} begin  @param {number} end */
  constructor(game, lines, begin, end) {
    super(game, begin + 1);
    this.known = false; // whether any line looked like part of a game record
    const hands = [0, 1].map(() => Array(game.variant.pieces.length + 1).fill(0));
    this._setup = { board: Array(81).fill(0), hands, turn: 0, number: 1 };
    this._placed = false;
    for (let index = begin; index < end; index++) {
      const line = lines[index].replace(/^\ufeff/, "");
      if (stripped(line)) this.attempt([index + 1, line, 0], () => this._take(line));
    }
  }

  /** @param {boolean} isAlone whether the text has no other game  @returns {Reading} */
  readingOf(isAlone) {
    const code = isAlone && !this.known ? "not-csa" : "no-side-to-move";
    if (!this.recorder) this.trouble ??= recordError(code).at([this.first, "", 0]);
    return this.reading();
  }

  /** @param {string} line */
  _take(line) {
    if (line.startsWith("'")) this._remark(line);
    else if (/^N[+-]/.test(line)) {
      this.known = true;
      this.names[line[1] === "+" ? 0 : 1] = stripped(line.slice(2));
    } else if (line.startsWith("$")) {
      this.known = true;
      const at = line.includes(":") ? line.indexOf(":") : line.length, keyword = line.slice(1, at);
      this.headers.set(GRAMMAR.csa_headers[keyword] ?? keyword, stripped(line.slice(at + 1)));
    } else {
      let end = 0;
      for (const part of line.split(",")) {
        const read = stripped(part);
        this.go(line, end + part.indexOf(read));
        this._read(read);
        end += part.length + 1;
      }
    }
  }

  /** @param {string} line */
  _remark(line) {
    const { recorder } = this, number = NUMBER.exec(line), at = line.indexOf("：");
    if (line.startsWith("'*")) {
      if (recorder) recorder.say(line.slice(2));
      else this.ahead.push(line.slice(2));
    } else if (line.startsWith("'# game ")) this.label = stripped(line.slice(8));
    else if (number) this._setup.number = Number(number[1]);
    else if (!recorder && at > 0) this.headers.set(stripped(line.slice(1, at)), stripped(line.slice(at + 1)));
    else if (recorder?.end) recorder.amend(readRemark(line.slice(1)));
  }

  /** @param {string} text */
  _read(text) {
    const { recorder } = this, move = MOVE.exec(text), time = TIME.exec(text);
    if (text.startsWith("V")) this.known = true;
    else if (text.startsWith("P") && !recorder) {
      this._place(text);
      this.known = this._placed = true;
    } else if ((text === "+" || text === "-") && !recorder) this._begin("+-".indexOf(text));
    else if (move) {
      if (!recorder) {
        this._begin("+-".indexOf(move[1]));
        this.note("start", move[1]);
      }
      this._move(move);
    } else if (time) {
      if (!recorder || recorder.at === recorder.tree.root) {
        throw recordError("early-time", { text });
      }
      /** @type {GameNode | End} */ (recorder.at).ms = 1000 * Number(time[1]);
    } else if (text.startsWith("%")) this.finish(csaEnd(text.slice(1), this.started.position), text);
    else if (text) throw recordError("unreadable", { text });
  }

  /** @param {number} turn */
  _begin(turn) {
    if (!this._placed) {
      this.note("start", "PI");
      this._place("PI");
    }
    this.known = true;
    this._setup.turn = turn;
    this.begin(writeSfen(this.game, this._setup));
  }

  /** Take a line of the start position.
   * @param {string} text */
  _place(text) {
    const { board, hands } = this._setup, rest = text.slice(2), side = "+-".indexOf(text[1] ?? " ");
    if (text.startsWith("PI")) {
      board.splice(0, 81, ...parseSfen(this.game, this.game.variant.start).board);
      for (const [square, name] of this._placements(rest)) {
        if ((board[square] & 15) !== this._type(name)) {
          throw recordError("nothing-to-remove", { text, piece: name });
        }
        board[square] = 0;
      }
    } else if (/^P[1-9]/.test(text)) {
      const cells = [...rest.matchAll(CELL)], [, line, first] = this.at;
      if (cells.length !== 9 || stripped(rest.replace(CELL, ""), " ")) throw recordError("unreadable-rank", { text });
      for (const [file, { 1: sign, 2: name, index }] of cells.entries()) {
        this.go(line, first + 2 + (index ?? 0));
        board[9 * (Number(text[1]) - 1) + file] = name ? (sign === "-" ? 16 : 0) | this._type(name) : 0;
      }
    } else if (side >= 0) {
      for (const [square, name] of this._placements(rest)) {
        const letter = CSA_LETTERS[name] ?? "";
        if (square >= 0) board[square] = (side << 4) | this._type(name);
        else if (name === "AL") this._rest(side);
        else if (letter.length !== 1 || letter === "K") throw recordError("not-in-hand", { name });
        else hands[side][this._type(name)] += 1;
      }
    } else throw recordError("unreadable", { text });
  }

  /** Give all pieces that are neither on the board nor in a hand to the hand of `side`.
   * @param {number} side */
  _rest(side) {
    const { board, hands } = this._setup, { letters, variant } = this.game, start = variant.start.toUpperCase();
    for (const [letter, type] of letters) {
      if (letter.length > 1 || letter === "K") continue;
      const faces = [type, letters.get(`+${letter}`)], total = start.split(" ")[0].split(letter).length - 1;
      const used = board.filter((cell) => faces.includes(cell & 15)).length + hands[0][type] + hands[1][type];
      hands[side][type] += Math.max(0, total - used);
    }
  }

  /** @param {RegExpExecArray} found */
  _move([text, sign, origin, target, name]) {
    const recorder = this.started, { position } = recorder;
    try {
      if ("+-".indexOf(sign) !== position.turn) {
        throw recordError("other-side-to-move", { sign: "+-"[position.turn], other: sign });
      }
      const letter = CSA_LETTERS[name], to = squareOf(target[0], target[1]);
      if (!letter) throw recordError("unknown-piece", { name });
      if (origin === "00") {
        recorder.play(`${letter}*${to}`);
        return;
      }
      if (origin.includes("0")) throw recordError("no-such-square", { square: origin });
      const from = squareOf(origin[0], origin[1]), here = letterAt(position, from);
      if (letter !== here && letter !== `+${here}`) throw recordError("no-piece-there", { piece: name, square: origin });
      recorder.play(from + to + (letter === here ? "" : "+"));
    } catch (error) {
      throw wrapped(error, "in-move", { n: position.moves.length + 1, move: text });
    }
  }

  /** The number of a piece. Throws an Error if CSA has no such piece.
   * @param {string} name */
  _type(name) {
    if (!(name in CSA_LETTERS)) throw recordError("unknown-piece", { name });
    return /** @type {number} */ (this.game.letters.get(CSA_LETTERS[name]));
  }

  /** Square (-1 for a hand) and name of each piece that a line of the start position places after its first two
   * characters.
   * @param {string} text  @returns {Generator<[number, string]>} */
  *_placements(text) {
    const found = [...text.matchAll(PLACED)], [, line, first] = this.at;
    if (found.map(([whole]) => whole).join("") !== text) throw recordError("unreadable-pieces", { text });
    for (const { 1: digits, 2: name, index } of found) {
      this.go(line, first + 2 + (index ?? 0));
      if (digits.includes("0") && digits !== "00") throw recordError("no-such-square", { square: digits });
      yield [digits === "00" ? -1 : 9 * (Number(digits[1]) - 1) + 9 - Number(digits[0]), name];
    }
  }
}
