// Reader of KIF and KI2, any number of games in a text. Moves are checked as they are read. The two formats differ only
// in how moves are written, and a text may contain both. The functions are those of lab/kifu/kif_reader.py.

import { writeSfen } from "../../engine/sfen.js";
import { clipped, quoted, stripped } from "../../engine/text.js";
import { GameReader, LineError, excerpt, messageOf } from "./game_record.js";
import { MOVE, usiOf } from "./japanese_moves.js";
import { byShape, find, infer } from "./known_games.js";
import {
  BLANKS, GRAMMAR, HANDICAPS, RANKS, endOf, halfWidth, hasKanji, kindOf, letterOf, numberOf, pattern, pieceName, saidBy,
} from "./terms.js";

/** @typedef {import("./game_record.js").Recorder} Recorder */
/** @typedef {import("./terms.js").Kind} Kind */
/** @typedef {{variant: string, head: Head, winner: number | null | undefined, read: (game: Game) => Reading}} KifRecord
 *   a game in a text; `winner` is null for a draw, undefined if no line names the result */

const BODY = ["table", "branch", "result", "marked", "numbered"]; // kinds of lines that begin the moves of a game
const SAY_NOTHING = ["", "comment", "bookmark", "program", "dice", "reason", "header"]; // kinds of lines that any text may have
const HELD = pattern("held", "gsu"), CELL = pattern("cell", "gsu"), TOKEN = pattern("token");
const AFTER_MOVE = pattern("after_move"), ORIGIN = pattern("origin");
const MOVE_LIKE = pattern("move_like"), TIME = pattern("time");
const NUMBERING = pattern("numbering"), REMARK = pattern("remark"); // of moves in a line of KI2

/** @param {string} text */
const trimmed = (text) => stripped(text, BLANKS);

/** What the lines before the moves of a game say. */
export class Head {
  /** Read the lines from index `begin` to before index `end`.
   * @param {string[]} lines  @param {Kind[]} kinds  @param {number} begin  @param {number} end */
  constructor(lines, kinds, begin, end) {
    this.variant = ""; // from a remark
    this.name = ""; // after 手合割
    this.sfen = "";
    /** The diagram's rows without the frame.
     * @type {string[]} */
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
    /** Indices of lines that say nothing known.
     * @type {number[]} */
    this.odd = [];
    /** The index of the first line of moves. */
    this.until = begin;
    while (this.until < end && !BODY.includes(kinds[this.until][0])) this.until++;
    this.known = this.until < end;
    for (let index = begin; index < this.until; index++) if (lines[index]) this._take(index, ...kinds[index]);
  }

  /** @param {number} index  @param {string} kind  @param {string[]} groups */
  _take(index, kind, groups) {
    this.known ||= !SAY_NOTHING.includes(kind);
    if (kind === "comment" || kind === "bookmark") this.comments.push(groups[0]);
    else if (kind === "game") [this.label, this.variant] = [trimmed(groups[0]), groups[1]];
    else if (kind === "sfen") this.sfen = groups[0];
    else if (kind === "rank") this.rows.push(groups[0].split("|", 1)[0]);
    else if (kind === "turn") this.turn = GRAMMAR.players[`${groups[0]}手`];
    else if (kind === "header") this._header(trimmed(groups[0]), trimmed(groups[1]));
    else if (!kind) this.odd.push(index);
  }

  /** @param {string} name  @param {string} value */
  _header(name, value) {
    this.known ||= GRAMMAR.openers.includes(name) || name in GRAMMAR.hands;
    if (name in GRAMMAR.hands) this.hands[GRAMMAR.hands[name]] = value;
    else if (name in GRAMMAR.players) this.names[GRAMMAR.players[name]] = value;
    else if (name === "手合割" || name === "手合") this.name = value;
    else this.headers.set(name, value);
  }

  /** The variant of the start position. If several variants fit, `preferred` is chosen; `usual` is that of a record
   * that says nothing about its start. Throws an Error if no variant fits.
   * @param {KnownGame[]} games  @param {KnownGame} preferred  @param {KnownGame} usual  @returns {KnownGame} */
  variantOf(games, preferred, usual) {
    let named = this.variant ? find(this.variant, games) : null;
    const title = Object.keys(GRAMMAR.variants).find((name) => GRAMMAR.variants[name].includes(this.name));
    if (!named && title) {
      const { files, ranks, start } = preferred;
      named = find(title, games);
      if (named.files === files && named.ranks === ranks && named.start === start) named = preferred;
    }
    if (this.sfen) return named ?? infer(this.sfen, preferred.name, games);
    if (this.rows.length) return named ?? this._byShape(games, preferred);
    if (this.name in HANDICAPS) return find("shogi", games);
    if (this.name && !named && !GRAMMAR.other_start.includes(this.name)) {
      throw new Error(`unknown handicap or game ${quoted(clipped(this.name, 20))}, and there is no diagram`);
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
    const files = [...this.rows[0].matchAll(CELL)].length, ranks = this.rows.length;
    const [fitting] = byShape(files, ranks, preferred.name, games);
    if (!fitting) throw new Error(`no variant has a board of ${files}x${ranks} squares`);
    return fitting;
  }

  /** @param {Game} game */
  _diagram(game) {
    const { name, files, ranks } = game.variant;
    if (this.rows.length !== ranks) throw new Error(`the board of ${name} has ${ranks} ranks, not ${this.rows.length}`);
    /** @type {number[]} */
    const board = [];
    for (const [row, text] of this.rows.entries()) {
      const cells = [...text.matchAll(CELL)];
      if (cells.length !== files) {
        throw new Error(`rank ${RANKS[row]} of the board does not have ${files} squares: ${excerpt(text)}`);
      }
      for (const [, mark, piece] of cells) {
        const white = mark === "v" || mark === "V" ? 16 : 0;
        board.push("・･.".includes(piece) ? 0 : white | /** @type {number} */ (game.letters.get(letterOf(game, piece))));
      }
    }
    const hands = this.hands.map((text) => handOf(game, text));
    return writeSfen(game, { board, hands, turn: this.turn, number: 1 });
  }
}

/** @param {Game} game  @param {string} whole  @returns {number[]} */
function handOf(game, whole) {
  const { variant, letters, constants } = game, hand = Array(variant.pieces.length + 1).fill(0);
  const text = halfWidth(whole.replace(/[ 　]/g, ""));
  if (text === "" || text === "なし") return hand;
  const held = [...text.matchAll(HELD)];
  if (held.map(([one]) => one).join("") !== text) throw new Error(`cannot read the pieces in hand ${excerpt(text)}`);
  for (const [, name, count] of held) {
    const letter = hasKanji(variant) ? [...letters.keys()].find((one) => pieceName(variant, one) === name) : undefined;
    if (!letter || "+K".includes(letter[0])) throw new Error(`${quoted(name)} cannot be in hand in ${variant.name}`);
    const type = /** @type {number} */ (letters.get(letter));
    hand[type] += numberOf(count);
    if (hand[type] > constants.HAND_LIMIT) throw new Error(`too many ${quoted(name)} in hand: ${hand[type]}`);
  }
  return hand;
}

/** Find the games of a text in KIF or KI2. Throws an Error if the text contains no game record.
 * @param {string[]} text its lines  @param {KnownGame[]} games
 * @param {KnownGame} preferred the variant if the start position fits several
 * @param {KnownGame} usual the variant if nothing tells the start position
 * @returns {Generator<KifRecord | null>} null while the first lines of games are sought */
export function* kifRecords(text, games, preferred, usual) {
  /** @type {string[]} */
  const lines = [];
  /** @type {Kind[]} */
  const kinds = [];
  for (const line of text) {
    const whole = line.replace(/^\ufeff/, ""), kept = /^[*&]/.test(whole) ? whole : trimmed(whole);
    lines.push(kept);
    if (kinds.push(kindOf(kept)) % 500 === 0) yield null;
  }
  const starts = startsOf(kinds, lines);
  if (!starts.length) throw new Error("the input contains no game record");
  for (const [index, begin] of starts.entries()) {
    const end = starts[index + 1] ?? lines.length, head = new Head(lines, kinds, begin, end);
    if (starts.length === 1 && !head.known) {
      throw new LineError(begin + 1, `not a KIF record: ${excerpt(lines[begin])}`);
    }
    let variant = preferred, fault = "";
    try {
      variant = head.variantOf(games, preferred, usual);
    } catch (error) {
      fault = messageOf(error);
    }
    /** @param {Game} game */
    const read = (game) => new KifReader(game, lines, kinds, head, { begin, end, fault }).reading();
    yield { variant: variant.name, head, winner: winnerOf(kinds, head.until, end), read };
  }
}

/** The index of the first line of each game. A game begins with the first line, and after moves with a line that can
 * stand only before moves.
 * @param {Kind[]} kinds  @param {string[]} lines  @returns {number[]} */
function startsOf(kinds, lines) {
  const starts = [];
  let hasMoves = false;
  for (const [index, [kind, groups]] of kinds.entries()) {
    if (!lines[index]) continue;
    const isOpener = kind === "header" && GRAMMAR.openers.includes(trimmed(groups[0]));
    if (!starts.length || (hasMoves && (isOpener || kind === "game" || kind === "table" || kind === "rank"))) {
      starts.push(index);
      hasMoves = false;
    }
    hasMoves ||= BODY.includes(kind);
  }
  return starts;
}

/** The winner that a game's first result line names: null for a draw, undefined if there is no such line.
 * @param {Kind[]} kinds  @param {number} begin  @param {number} end  @returns {number | null | undefined} */
function winnerOf(kinds, begin, end) {
  for (let index = begin; index < end; index++) {
    const said = kinds[index][0] === "result" ? saidBy(kinds[index][1][0]) : null;
    if (said?.hasSide) return said.winner;
    if (said && said.mover === 0 && said.reason !== "interrupted") return null;
  }
}

/** Reads one game: the lines from index `begin` to before index `end`. */
class KifReader extends GameReader {
  /** @param {Game} game  @param {string[]} lines  @param {Kind[]} kinds  @param {Head} head
   * @param {{begin: number, end: number, fault: string}} about `fault` tells why no variant fits, or is "" */
  constructor(game, lines, kinds, head, { begin, end, fault }) {
    super(game, begin + 1);
    Object.assign(this, { names: head.names, label: head.label, headers: new Map(head.headers), ahead: head.comments });
    this._kinds = kinds;
    /** The number of the first move, minus 1; null before that move.
     * @type {number | null} */
    this._offset = null;
    this.attempt(Math.min(head.until, end - 1) + 1, () => {
      if (fault) throw new Error(fault);
      this.begin(head.startOf(game));
    });
    for (const index of head.odd) this.note("ignored", index + 1, lines[index]);
    for (let index = head.until; index < end; index++) {
      if (lines[index]) this.attempt(index + 1, () => this._take(index + 1, lines[index]));
    }
    const [first] = head.odd.filter((index) => MOVE_LIKE.test(lines[index]));
    if (first !== undefined && !this.recorder?.tree.root.following) {
      this.attempt(first + 1, () => cannotRead(lines[first]));
    }
  }

  /** Handle one line of moves.
   * @param {number} number  @param {string} line */
  _take(number, line) {
    const recorder = /** @type {Recorder} */ (this.recorder), { end } = recorder, [kind, groups] = this._kinds[number - 1];
    if (kind === "comment" || kind === "bookmark") recorder.say(groups[0]);
    else if (kind === "dice") recorder.roll(Number(groups[0]));
    else if (kind === "reason" && end) {
      if (groups[1]) end.winner = groups[1] === "-" ? null : "bw".indexOf(groups[1]);
      end.reason = groups[0];
    } else if (kind === "branch") recorder.branch(Number(halfWidth(groups[0])) - 1 - (this._offset ?? 0));
    else if (kind === "result") this._result(recorder, number, trimmed(groups[0]));
    else if (kind === "numbered") this._numbered(recorder, number, Number(halfWidth(groups[0])), groups[1]);
    else if (kind === "marked") this._marked(recorder, number, groups[0]);
    else if (kind === "header" && !MOVE_LIKE.test(line)) {
      const name = trimmed(groups[0]);
      if (!this.headers.has(name)) this.headers.set(name, trimmed(groups[1]));
    } else if (["", "header", "rank", "frame", "turn"].includes(kind)) this._odd(number, line);
  }

  /** Note a line that says nothing known. Throws an Error if it may have moves.
   * @param {number} number  @param {string} line */
  _odd(number, line) {
    if (MOVE_LIKE.test(line)) cannotRead(line);
    this.note("ignored", number, line);
  }

  /** @param {Recorder} recorder  @param {number} line  @param {number} number  @param {string} text */
  _numbered(recorder, line, number, text) {
    const { position } = recorder, { variant } = position.game;
    this._offset ??= number - 1;
    const expected = position.moves.length + 1 + this._offset;
    if (number !== expected) throw new Error(`expected move ${expected}, but found move ${number}`);
    const move = hasKanji(variant) ? MOVE.exec(text) : null;
    if (move && !(move[7] || move[8]) && MOVE_LIKE.test(text.slice(move[0].length).split("*", 1)[0])) {
      this._marked(recorder, line, text); // a line of several moves in KI2
      return;
    }
    const token = move ? move[0] : /** @type {RegExpExecArray} */ (TOKEN.exec(text))[0];
    let rest = text.slice(token.length);
    const time = TIME.exec(rest), [hours, minutes, seconds] = time?.slice(1).map((one) => Number(one ?? 0)) ?? [];
    const ms = time && 1000 * (3600 * hours + 60 * minutes + seconds);
    if (time) rest = stripped(rest.slice(time[0].length), `${BLANKS}+`);
    const end = move ? null : endOf(token, position, true), isUsi = !hasKanji(variant) && /^[\0-\x7f]*$/.test(token);
    if (!(move || end || isUsi) || !AFTER_MOVE.test(rest) || ORIGIN.test(rest)) {
      throw new Error(`move ${number}: cannot read ${excerpt(trimmed(text))}`);
    }
    if (end) this.finish(line, end, token, ms);
    else this._play(recorder, move ?? token, token, number, ms);
    rest = stripped(rest, `${BLANKS}+`);
    const star = rest.indexOf("*"), extra = star < 0 ? rest : rest.slice(0, star);
    if (extra) this.note("ignored", line, extra);
    if (star >= 0) recorder.say(trimmed(rest.slice(star + 1)));
  }

  /** @param {Recorder} recorder  @param {string | RegExpExecArray} move  @param {string} text  @param {number} number
   * @param {number | null} [ms] */
  _play(recorder, move, text, number, ms = null) {
    try {
      recorder.play(typeof move === "string" ? move : usiOf(recorder.position, move), ms);
    } catch (error) {
      throw new Error(`move ${number}, ${clipped(trimmed(text), 20)}: ${messageOf(error)}`);
    }
  }

  /** Take line `index`, which has moves in KI2, with or without marks, and perhaps the end of the game.
   * @param {Recorder} recorder  @param {number} index  @param {string} whole */
  _marked(recorder, index, whole) {
    const { position } = recorder, { variant } = position.game;
    if (!hasKanji(variant)) throw new Error(`KI2 has no names for the pieces of ${variant.name}`);
    for (let line = whole.replace(NUMBERING, ""); line; line = line.replace(NUMBERING, "")) {
      const remark = REMARK.exec(line);
      if (remark) {
        this.note("ignored", index, remark[0]);
        line = stripped(line.slice(remark[0].length), `${BLANKS}、，,。`);
        continue;
      }
      const found = MOVE.exec(line), number = position.moves.length + 1;
      if (!found) {
        const [kind, groups] = kindOf(line);
        if (kind === "result") return this._result(recorder, index, trimmed(groups[0]));
        const [word] = stripped(line, BLANKS + GRAMMAR.marks).split(" ", 1), end = endOf(word, position, true);
        if (!end || end.text) throw new Error(`move ${number}, ${clipped(line, 20)}: no such legal move`);
        this.finish(index, end, word);
        line = trimmed(line.slice(line.indexOf(word) + word.length));
        continue;
      }
      this._play(recorder, found, stripped(found[0], BLANKS + GRAMMAR.marks), number);
      line = stripped(line.slice(found[0].length), `${BLANKS}、，,。`);
    }
  }

  /** Handle the text of a result line, such as 先手の勝ち: set the winner or, if the game has no end, end it.
   * @param {Recorder} recorder  @param {number} number  @param {string} text */
  _result(recorder, number, text) {
    const told = text ? endOf(text, recorder.position) : null, { end } = recorder;
    if (!told) this._odd(number, text);
    else if (!end) this.finish(number, told, text);
    else if (told.hasSide && told.winner !== null) end.winner = told.winner;
  }
}

/** @param {string} line */
function cannotRead(line) {
  throw new Error(`cannot read ${excerpt(line)}`);
}
