// Reader of JKF, the JSON format of game records: 9x9 shogi, and minishogi from its start position. Moves are checked
// as they are read. The functions are those of lab/kifu/jkf.py.

import { parseNumber, writeSfen } from "../../engine/sfen.js";
import { recordError, wrapped } from "./errors.js";
import { GameReader } from "./game_record.js";
import { letterAt } from "./japanese_moves.js";
import { CSA_LETTERS, GRAMMAR, HANDICAPS, csaEnd, readRemark, targetOf } from "./terms.js";

/** @typedef {import("./errors.js").Place} Place */

const KEYS = ["move", "special", "time", "comments", "forks"];
const MOST = 1e9; // of a number
const PART = /"(?:[^"\\]+|\\.)*"?|[{}]/gs; // a string or a brace

/** Find the games of a text in JKF. Throws an Error if the text is not JSON or contains no game record.
 * @param {string} text  @returns {Generator<{variant: string, names: string[], read: (game: Game) => Reading}>} */
export function* jkfRecords(text) {
  let at = text.search(/[^ \t\n\r]/), line = 1, last = 0;
  if (at < 0) throw recordError("no-record");
  while (at < text.length) {
    line += text.slice(last, at).split("\n").length - 1;
    last = at;
    const before = text.slice(text.lastIndexOf("\n", at) + 1, at);
    /** @type {Place} */
    const place = [line, before, before.length];
    if (text[at] !== "{") throw recordError("not-jkf", { text: text.slice(at).split("\n", 1)[0] }).at(place);
    const source = objectAt(text, at), record = parsed(source, place);
    const { initial, header, moves } = record;
    if (!Array.isArray(moves)) throw recordError("no-jkf-moves").at(place);
    const variant = GRAMMAR.preset_variants[`${initial?.preset}`] ?? "shogi";
    const names = [header?.["先手"] ?? header?.["下手"], header?.["後手"] ?? header?.["上手"]].map((name) => `${name ?? ""}`);
    yield { variant, names, read: (game) => new JkfReader(game, record, place).reading() };
    at += source.length;
    while (" \t\n\r".includes(text[at] ?? "x")) at++;
  }
}

/** The text of the JSON object that begins at index `begin`.
 * @param {string} text  @param {number} begin */
function objectAt(text, begin) {
  const part = new RegExp(PART);
  part.lastIndex = begin;
  let depth = 0;
  for (let found = part.exec(text); found; found = part.exec(text)) {
    if (found[0] === "{") depth += 1;
    if (found[0] === "}") depth -= 1;
    if (!depth) return text.slice(begin, part.lastIndex);
  }
  return text.slice(begin);
}

/** @param {string} source  @param {Place} place  @returns {any} */
function parsed(source, place) {
  try {
    return JSON.parse(source);
  } catch {
    throw recordError("not-json").at(place);
  }
}

/** Reads one game: the record that begins at `place`. */
class JkfReader extends GameReader {
  /** @param {Game} game  @param {any} record  @param {Place} place */
  constructor(game, record, place) {
    super(game, place[0]);
    this.attempt(place, () => this._begin(record));
    this.attempt(place, () => {
      try {
        this._moves(record.moves);
      } catch (error) {
        throw wrapped(error, "in-move-number", { n: this.started.position.moves.length + 1 });
      }
    });
  }

  /** Take the header and the start position.
   * @param {any} record */
  _begin(record) {
    let number = "1";
    try {
      for (const [name, value] of Object.entries(field(record, "header", "object") ?? {})) {
        if (value === null) continue;
        if (typeof value !== "string") this.note("ignored", name);
        else if (name === GRAMMAR.number_header) number = value;
        else if (name === GRAMMAR.label_header) this.label = value;
        else if (name in GRAMMAR.players) this.names[GRAMMAR.players[name]] = value;
        else this.headers.set(name, value);
      }
      this.begin(this._start(field(record, "initial", "object") ?? { preset: "HIRATE" }, number));
    } catch (error) {
      throw wrapped(error, "in-start");
    }
  }

  /** The SFEN of the start position that a record describes.
   * @param {any} initial  @param {string} number the move number to write in the SFEN  @returns {string} */
  _start(initial, number) {
    const preset = valid(field(initial, "preset", "string"));
    if (preset !== "OTHER") {
      return preset in GRAMMAR.preset_variants ? this.game.variant.start : valid(HANDICAPS[GRAMMAR.presets[preset]]);
    }
    const { letters, constants } = this.game, data = valid(field(initial, "data", "object")), cells = Array(81).fill(0);
    for (const [file, column] of listOf(data.board, 9).entries()) {
      for (const [row, cell] of listOf(column, 9).entries()) {
        const kind = cell === null ? null : field(cell, "kind", "string");
        const type = kind && letters.get(valid(CSA_LETTERS[kind]));
        if (kind) cells[9 * row + 8 - file] = (whole(cell.color, 0, 1) << 4) | type;
      }
    }
    const hands = listOf(data.hands, 2).map((held) => {
      const hand = Array(this.game.variant.pieces.length + 1).fill(0);
      if (kindOf(held) !== "object") valid(null);
      for (const [kind, count] of Object.entries(held)) {
        const letter = valid(CSA_LETTERS[kind]), pieces = whole(count, 0, MOST);
        if (pieces > constants.HAND_LIMIT || letter.length > 1 || letter === "K") {
          throw recordError("hand-count", { n: pieces, kind });
        }
        hand[valid(letters.get(letter))] = pieces;
      }
      return hand;
    });
    return writeSfen(this.game, { board: cells, hands, turn: whole(data.color, 0, 1), number: parseNumber(number) });
  }

  /** Add the moves and variations of a record in the order of KIF. The first entry of `moves` stands for the start
   * position, unless it has a move.
   * @param {any[]} moves */
  _moves(moves) {
    if (moves.length && !field(moves[0], "move", "object")) {
      this._entry(moves[0]);
      moves = moves.slice(1);
    }
    /** @type {[plies: number, entries: any[]][]} */
    const waiting = [[0, moves]];
    for (let line = waiting.pop(); line; line = waiting.pop()) {
      const [plies, entries] = line;
      if (entries !== moves) this.started.branch(plies);
      for (const [index, entry] of entries.entries()) {
        if (!field(entry, "move", "object") && !field(entry, "special", "string")) valid(null);
        this._entry(entry);
        const forks = [...(field(entry, "forks", "list") ?? [])].reverse();
        for (const other of forks) waiting.push([plies + index, listOf(other)]);
      }
    }
  }

  /** Add a move, an end or the start position, with its comments.
   * @param {any} entry */
  _entry(entry) {
    const recorder = this.started, now = field(field(entry, "time", "object") ?? {}, "now", "object");
    if (Object.keys(entry).some((name) => !KEYS.includes(name))) valid(null);
    const [hours, minutes] = ["h", "m"].map((unit) => (now ? number(field(now, unit, "any") ?? 0) : 0));
    const ms = now && 1000 * (3600 * hours + 60 * minutes + number(now.s));
    const move = field(entry, "move", "object"), word = field(entry, "special", "string");
    if (move) recorder.play(usiOf(recorder.position, move), ms);
    else if (word) this.finish(csaEnd(word, recorder.position), word, ms);
    const { comments } = entry;
    for (const comment of typeof comments === "string" ? [comments] : field(entry, "comments", "list") ?? []) {
      if (typeof comment !== "string") valid(null);
      if (!recorder.amend(readRemark(comment))) recorder.say(comment);
    }
  }
}

/** @param {Position} position  @param {any} move  @returns {string} in USI notation */
function usiOf(position, move) {
  const to = field(move, "to", "object"), from = field(move, "from", "object"), piece = field(move, "piece", "string");
  if (!to && !position.moves.length) throw recordError("no-target");
  const target = to ? squareOf(to) : targetOf(/** @type {string} */ (position.moves.at(-1)));
  const letter = valid(CSA_LETTERS[piece]);
  if (!from) return `${letter}*${target}`;
  const origin = squareOf(from);
  if (letterAt(position, origin) !== letter) throw recordError("no-piece-there", { piece, square: `${from.x}${from.y}` });
  return origin + target + (field(move, "promote", "any") ? "+" : "");
}

/** @param {any} place */
const squareOf = ({ x, y }) => `${whole(x, 1, 9)}${String.fromCharCode(96 + whole(y, 1, 9))}`;

// Checks of values.

/** A value that must not be missing.
 * @param {any} value  @returns {any} */
function valid(value) {
  if (value === null || value === undefined) throw recordError("not-valid-jkf");
  return value;
}

/** A field of an object, null if it is missing or empty (false, 0, "", [], {}).
 * @param {any} record  @param {string} name  @param {"object" | "list" | "string" | "any"} kind what it must be
 * @returns {any} */
function field(record, name, kind) {
  if (kindOf(record) !== "object") valid(null);
  const value = record[name];
  if (!value || (typeof value === "object" && !Object.keys(value).length)) return null;
  return kind === "any" || kindOf(value) === kind ? value : valid(null);
}

/** @param {any} value */
const kindOf = (value) => (Array.isArray(value) ? "list" : value === null ? "null" : typeof value);

/** @param {any} value  @param {number} [length]  @returns {any[]} */
const listOf = (value, length) =>
  (Array.isArray(value) && value.length === (length ?? value.length) ? value : valid(null));

/** @param {any} value  @returns {number} */
const number = (value) => (typeof value === "number" && value >= 0 && value <= MOST ? value : valid(null));

/** @param {any} value  @param {number} least  @param {number} most  @returns {number} */
const whole = (value, least, most) =>
  (Number.isInteger(value) && value >= least && value <= most ? value : valid(null));
