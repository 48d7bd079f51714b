// Reader of KIF and KI2, any number of games in a text. Moves are checked as they are read. The two formats differ only
// in how moves are written, and a text may contain both. The functions are those of lab/kifu/kif_reader.py.

import { USI_MOVE, canBeHeld, firstNumber, writeSfen } from "../../engine/sfen.js";
import { clipped, stripped } from "../../engine/text.js";
import { recordError, wrapped } from "./errors.js";
import { GameReader } from "./game_record.js";
import { MOVE, usiOf } from "./japanese_moves.js";
import { byShape, find, infer } from "./known_games.js";
import {
  BLANKS, GRAMMAR, HANDICAPS, RANKS, endOf, halfWidth, hasKanji, kindOf, letterOf, numberOf, pattern, pieceName, saidBy,
} from "./terms.js";

/** @typedef {import("./terms.js").Kind} Kind */
/** @typedef {{variant: string, head: Head, winner: number | null | undefined, read: (game: Game) => Reading}} KifRecord
 *   a game in a text; `winner` is null for a draw, undefined if no line names the result */

const BODY = ["table", "branch", "result", "marked", "numbered"]; // kinds of lines that begin the moves of a game
const SAY_NOTHING = ["", "comment", "bookmark", "program", "dice", "reason", "header"]; // kinds of lines that any text may have
const HELD = pattern("held", "gsu"), CELL = pattern("cell", "gsu"), TOKEN = pattern("token");
const AFTER_MOVE = pattern("after_move"), ORIGIN = pattern("origin");
const MOVE_LIKE = pattern("move_like"), TIME = pattern("time");
const NUMBERING = pattern("numbering"), REMARK = pattern("remark"); // of moves in a line of KI2

const BETWEEN = /^[ \t　、，,。]+/; // characters between moves of KI2

/** @param {string} text */
const trimmed = (text) => stripped(text, BLANKS);

/** @typedef {import("./errors.js").Place} Place */

/** A line without the blanks around it. */
class TextLine {
  /** @param {number} number  @param {string} whole */
  constructor(number, whole) {
    const kept = whole.replace(/^\ufeff/, "");
    this.number = number;
    this.text = /^[*&]/.test(kept) ? kept : trimmed(kept);
    const [kind, groups] = kindOf(this.text);
    this.kind = kind;
    this.groups = groups;
    this._whole = whole;
  }

  /** The place where `rest`, the end of the text, begins.
   * @param {string} rest  @returns {Place} */
  placeOf(rest) {
    return [this.number, this._whole, this._whole.indexOf(this.text) + this.text.length - rest.length];
  }

  /** The place of the text.
   * @returns {Place} */
  get place() {
    return this.placeOf(this.text);
  }
}

/** What the lines before the moves of a game say. */
export class Head {
  /** @param {TextLine[]} lines the lines of the game */
  constructor(lines) {
    this.variant = ""; // from a remark
    this.name = ""; // after 手合割
    this.sfen = "";
    /** The lines of the diagram.
     * @type {TextLine[]} */
    this.rows = [];
    this.hands = ["", ""];
    this.turn = 0;
    this.label = "";
    /** @type {[string, string]} */
    this.names = ["", ""];
    /** @type {Map<string, string>} */
    this.headers = new Map();
    /** @type {string[]} */
    this.comments = [];
    /** Lines that say nothing known.
     * @type {TextLine[]} */
    this.odd = [];
    const first = lines.findIndex(({ kind }) => BODY.includes(kind));
    /** The lines of moves. */
    this.body = first < 0 ? [] : lines.slice(first);
    this.known = first >= 0;
    /** Where the parts that determine the start position are.
     * @type {Map<string | number, Place>} */
    this.places = new Map();
    /** Which of these parts was read last.
     * @type {Place} */
    this.place = (this.body[0] ?? lines[lines.length - 1]).place;
    for (const line of first < 0 ? lines : lines.slice(0, first)) this._take(line);
  }

  /** @param {TextLine} line */
  _take(line) {
    const { kind, groups } = line;
    this.known ||= !SAY_NOTHING.includes(kind);
    if (kind === "comment" || kind === "bookmark") this.comments.push(groups[0]);
    else if (kind === "game") {
      [this.label, this.variant] = [trimmed(groups[0]), groups[1]];
      this.places.set("variant", line.placeOf(groups[1]));
    } else if (kind === "written_by") this.variant ||= GRAMMAR.programs[groups[0]] ?? "";
    else if (kind === "sfen") {
      this.sfen = groups[0];
      this.places.set("sfen", line.placeOf(groups[0]));
    } else if (kind === "rank") {
      this.rows.push(line);
      if (!this.places.has("rows")) this.places.set("rows", line.place);
    } else if (kind === "turn") this.turn = GRAMMAR.players[`${groups[0]}手`];
    else if (kind === "header") this._header(trimmed(groups[0]), trimmed(groups[1]), line.placeOf(trimmed(groups[1])));
    else if (!kind) this.odd.push(line);
  }

  /** @param {string} name  @param {string} value  @param {Place} place of the value */
  _header(name, value, place) {
    this.known ||= GRAMMAR.openers.includes(name) || name in GRAMMAR.hands;
    if (name in GRAMMAR.hands) {
      this.hands[GRAMMAR.hands[name]] = value;
      this.places.set(GRAMMAR.hands[name], place);
    } else if (name in GRAMMAR.players) this.names[GRAMMAR.players[name]] = value;
    else if (name === "手合割" || name === "手合") {
      this.name = value;
      this.places.set("name", place);
    } else this.headers.set(name, value);
  }

  /** @param {string | number} part */
  _goTo(part) {
    this.place = this.places.get(part) ?? this.place;
  }

  /** The variant of the start position. If several variants fit, `preferred` is chosen; `usual` is that of a record
   * that says nothing about its start. Throws an Error if no variant fits.
   * @param {KnownGame[]} games  @param {KnownGame} preferred  @param {KnownGame} usual  @returns {KnownGame} */
  variantOf(games, preferred, usual) {
    this._goTo("variant");
    let named = this.variant ? find(this.variant, games) : null;
    const title = Object.keys(GRAMMAR.variants).find((name) => GRAMMAR.variants[name].includes(this.name));
    if (!named && title) {
      const { files, ranks, start } = preferred;
      named = find(title, games);
      if (named.files === files && named.ranks === ranks && named.start === start) named = preferred;
    }
    this._goTo(this.sfen ? "sfen" : this.rows.length ? "rows" : "name");
    if (this.sfen) return named ?? infer(this.sfen, preferred.name, games);
    if (this.rows.length) return named ?? this._byShape(games, preferred);
    if (this.name in HANDICAPS) return find("shogi", games);
    if (this.name && !named && !GRAMMAR.other_start.includes(this.name)) {
      throw recordError("unknown-handicap", { text: this.name });
    }
    return named ?? usual;
  }

  /** The SFEN of the start position. Throws an Error if the diagram is invalid.
   * @param {Game} game the variant from `variantOf`  @returns {string} */
  startOf(game) {
    return this.sfen || (this.rows.length ? this._diagram(game) : HANDICAPS[this.name] ?? game.variant.start);
  }

  /** @param {KnownGame[]} games  @param {KnownGame} preferred */
  _byShape(games, preferred) {
    const files = [...rowOf(this.rows[0]).matchAll(CELL)].length, ranks = this.rows.length;
    const [fitting] = byShape(files, ranks, preferred.name, games);
    if (!fitting) throw recordError("board-size", { files, ranks });
    return fitting;
  }

  /** @param {Game} game */
  _diagram(game) {
    const { name, files, ranks } = game.variant;
    if (this.rows.length !== ranks) throw recordError("board-ranks", { game: name, ranks, n: this.rows.length });
    /** @type {number[]} */
    const board = [];
    for (const [row, line] of this.rows.entries()) {
      const text = rowOf(line), cells = [...text.matchAll(CELL)], place = line.placeOf(line.groups[0]);
      this.place = place;
      if (cells.length !== files) throw recordError("board-files", { rank: RANKS[row], files, text });
      for (const { 1: mark, 2: piece, index } of cells) {
        this.place = [place[0], place[1], place[2] + (index ?? 0) + mark.length];
        const white = mark === "v" || mark === "V" ? 16 : 0;
        board.push("・･.".includes(piece) ? 0 : white | /** @type {number} */ (game.letters.get(letterOf(game, piece))));
      }
    }
    const hands = [0, 1].map((side) => this._hand(game, side));
    this._goTo("rows");
    return writeSfen(game, { board, hands, turn: this.turn, number: firstNumber(game, board, hands) });
  }

  /** @param {Game} game  @param {number} side  @returns {number[]} */
  _hand(game, side) {
    this._goTo(side);
    const { variant, letters, constants } = game, hand = Array(variant.pieces.length + 1).fill(0);
    const text = halfWidth(this.hands[side].replace(/[ 　]/g, ""));
    if (text === "" || text === "なし") return hand;
    const held = [...text.matchAll(HELD)];
    if (held.map(([one]) => one).join("") !== text) throw recordError("unreadable-hand", { text });
    for (const [, name, count] of held) {
      const piece = variant.pieces.find((one) => pieceName(variant, one.letter) === name && canBeHeld(game, one));
      if (!piece || !hasKanji(variant)) throw recordError("not-in-this-hand", { text: name, game: variant.name });
      const type = /** @type {number} */ (letters.get(piece.letter));
      hand[type] += numberOf(count);
      if (hand[type] > constants.HAND_LIMIT) throw recordError("many-in-hand", { text: name, n: hand[type] });
    }
    return hand;
  }
}

/** A rank of a diagram without its frame.
 * @param {TextLine} line */
const rowOf = ({ groups }) => groups[0].split("|", 1)[0];

/** Find the games of a text in KIF or KI2. Throws an Error if the text contains no game record.
 * @param {string[]} text its lines  @param {KnownGame[]} games
 * @param {KnownGame} preferred the variant if the start position fits several
 * @param {KnownGame} usual the variant if nothing tells the start position
 * @returns {Generator<KifRecord | null>} null while the first lines of games are sought */
export function* kifRecords(text, games, preferred, usual) {
  /** The lines of each game.
   * @type {TextLine[][]} */
  const parts = [];
  let hasMoves = false;
  for (const [index, whole] of text.entries()) {
    if (index % 500 === 499) yield null;
    const line = new TextLine(index + 1, whole), { kind, groups } = line;
    if (!line.text) continue;
    // A game begins with the first line, and after moves with a line that can stand only before moves.
    const isOpener = kind === "header" && GRAMMAR.openers.includes(trimmed(groups[0]));
    if (!parts.length || (hasMoves && (isOpener || kind === "game" || kind === "table" || kind === "rank"))) {
      parts.push([]);
      hasMoves = false;
    }
    parts[parts.length - 1].push(line);
    hasMoves ||= BODY.includes(kind);
  }
  if (!parts.length) throw recordError("no-record");
  for (const part of parts) {
    const head = new Head(part);
    if (parts.length === 1 && !head.known) throw recordError("not-kif", { text: part[0].text }).at(part[0].place);
    let variant = preferred, fault = /** @type {import("./errors.js").RecordError | null} */ (null);
    try {
      variant = head.variantOf(games, preferred, usual);
    } catch (error) {
      fault = wrapped(error);
    }
    /** @param {Game} game */
    const read = (game) => new KifReader(game, part[0].number, head, fault).reading();
    yield { variant: variant.name, head, winner: winnerOf(head.body), read };
  }
}

/** The winner that the first result line of a game names: null for a draw, undefined if there is no such line.
 * @param {TextLine[]} body  @returns {number | null | undefined} */
function winnerOf(body) {
  for (const { kind, groups } of body) {
    const said = kind === "result" ? saidBy(groups[0]) : null;
    if (said?.hasSide) return said.winner;
    if (said && said.mover === 0 && said.reason !== "interrupted") return null;
  }
}

/** Reads one game. */
class KifReader extends GameReader {
  /** @param {Game} game  @param {number} first  @param {Head} head
   * @param {import("./errors.js").RecordError | null} fault why no variant fits */
  constructor(game, first, head, fault) {
    super(game, first);
    Object.assign(this, { names: head.names, label: head.label, headers: new Map(head.headers), ahead: head.comments });
    /** The number of the first move, minus 1; null before that move.
     * @type {number | null} */
    this._offset = null;
    this.attempt(head.place, () => {
      try {
        if (fault) throw fault;
        this.begin(head.startOf(game));
      } finally {
        this.at = head.place;
      }
    });
    for (const { number, text } of head.odd) this.notes.push({ kind: "ignored", line: number, text });
    for (const line of head.body) this.attempt(line.place, () => this._take(line));
    this.attempt(this.at, () => this._endByHeader());
    if (this.recorder && !this.recorder.tree.root.following) {
      for (const { place, text } of head.odd) this.attempt(place, () => checkOdd(text));
    }
  }

  /** End the game as a header says, if neither the lines of moves nor the rules end it. */
  _endByHeader() {
    const winner = GRAMMAR.winners.indexOf(this.headers.get(GRAMMAR.result_header)), { recorder } = this;
    if (!recorder || winner < 0 || recorder.end || recorder.position.outcome()) return;
    recorder.finish({ winner: [0, 1, null][winner], reason: "unknown" });
  }

  /** Handle one line of moves.
   * @param {TextLine} line */
  _take(line) {
    const recorder = this.started, { end } = recorder, { kind, groups, text } = line;
    if (kind === "comment" || kind === "bookmark") recorder.say(groups[0]);
    else if (kind === "dice") recorder.roll(Number(groups[0]));
    else if (kind === "reason" && end) {
      if (groups[1]) end.winner = groups[1] === "-" ? null : "bw".indexOf(groups[1]);
      end.reason = groups[0];
    } else if (kind === "branch") recorder.branch(Number(halfWidth(groups[0])) - 1 - (this._offset ?? 0));
    else if (kind === "result") this._result(trimmed(groups[0]));
    else if (kind === "numbered") this._numbered(Number(halfWidth(groups[0])), groups[1], line);
    else if (kind === "marked") this._marked(groups[0], line);
    else if (kind === "header" && !MOVE_LIKE.test(text)) {
      const name = trimmed(groups[0]);
      if (!this.headers.has(name)) this.headers.set(name, trimmed(groups[1]));
    } else if (["", "header", "rank", "frame", "turn"].includes(kind)) this._odd(text);
  }

  /** Note a text that says nothing known. Throws a RecordError if it may have moves.
   * @param {string} text */
  _odd(text) {
    checkOdd(text);
    this.note("ignored", text);
  }

  /** @param {number} number  @param {string} text  @param {TextLine} line */
  _numbered(number, text, line) {
    const { position } = this.started, { variant } = position.game;
    this._offset ??= number - 1;
    const expected = position.moves.length + 1 + this._offset;
    if (number !== expected) throw recordError("other-move-number", { n: expected, other: number });
    const move = hasKanji(variant) ? MOVE.exec(text) : null;
    if (move && !(move[7] || move[8]) && MOVE_LIKE.test(text.slice(move[0].length).split("*", 1)[0])) {
      this._marked(text, line); // a line of several moves in KI2
      return;
    }
    this.at = line.placeOf(text);
    const token = move ? move[0] : /** @type {RegExpExecArray} */ (TOKEN.exec(text))[0];
    let rest = text.slice(token.length);
    const time = TIME.exec(rest), [hours, minutes, seconds] = time?.slice(1).map((one) => Number(one ?? 0)) ?? [];
    const ms = time && 1000 * (3600 * hours + 60 * minutes + seconds);
    if (time) rest = stripped(rest.slice(time[0].length), `${BLANKS}+`);
    const end = move ? null : endOf(token, position, true), isUsi = /^[\0-\x7f]*$/.test(token) && (!hasKanji(variant) || USI_MOVE.test(token));
    if (!(move || end || isUsi) || !AFTER_MOVE.test(rest) || ORIGIN.test(rest)) {
      throw wrapped(recordError("unreadable", { text: trimmed(text) }), "in-move-number", { n: number });
    }
    if (end) this.finish(end, token, ms);
    else this._play(move ?? token, token, number, ms);
    rest = stripped(rest, `${BLANKS}+`);
    const star = rest.indexOf("*"), extra = star < 0 ? rest : rest.slice(0, star);
    if (extra) this.note("ignored", extra);
    if (star >= 0) this.started.say(trimmed(rest.slice(star + 1)));
  }

  /** @param {string | RegExpExecArray} move  @param {string} text  @param {number} number
   * @param {number | null} [ms] */
  _play(move, text, number, ms = null) {
    const recorder = this.started;
    try {
      recorder.play(typeof move === "string" ? move : usiOf(recorder.position, move), ms);
    } catch (error) {
      throw wrapped(error, "in-move", { n: number, move: clipped(trimmed(text), 20) });
    }
  }

  /** Take the end `whole` of a line, which has moves in KI2, with or without marks, and perhaps the end of the game.
   * @param {string} whole  @param {TextLine} line */
  _marked(whole, line) {
    const { position } = this.started, { variant } = position.game;
    if (!hasKanji(variant)) throw recordError("no-kanji", { name: variant.name });
    for (let text = whole.replace(NUMBERING, ""); text; text = text.replace(NUMBERING, "")) {
      this.at = line.placeOf(text);
      const remark = REMARK.exec(text);
      if (remark) {
        this.note("ignored", remark[0]);
        text = text.slice(remark[0].length).replace(BETWEEN, "");
        continue;
      }
      const found = MOVE.exec(text), number = position.moves.length + 1;
      if (!found) {
        const [kind, groups] = kindOf(text);
        if (kind === "result") return this._result(trimmed(groups[0]));
        const [word] = stripped(text, BLANKS + GRAMMAR.marks).split(" ", 1), end = endOf(word, position, true);
        if (!end || end.text) throw wrapped(recordError("no-move-fits"), "in-move", { n: number, move: clipped(text, 20) });
        this.finish(end, word);
        text = text.slice(text.indexOf(word) + word.length).replace(/^[ \t　]+/, "");
        continue;
      }
      this._play(found, stripped(found[0], BLANKS + GRAMMAR.marks), number);
      text = text.slice(found[0].length).replace(BETWEEN, "");
    }
  }

  /** Handle the text of a result line, such as 先手の勝ち: set the winner or, if the game has no end, end it.
   * @param {string} text */
  _result(text) {
    const { position, end } = this.started, told = text ? endOf(text, position) : null;
    if (!told) this._odd(text);
    else if (!end) this.finish(told, text);
    else if (told.hasSide && told.winner !== null) end.winner = told.winner;
  }
}

/** @param {string} text */
function checkOdd(text) {
  if (MOVE_LIKE.test(text)) throw recordError("unreadable", { text });
}
