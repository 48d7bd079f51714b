// Detection of the format and the variant of a text or file, and the one-line USI format.

import { clipped, wordsOf } from "../../engine/text.js";
import { pausing } from "../elements.js";
import { GameTree } from "../game_tree.js";
import { t, winnerText } from "../translate.js";
import { translatedError } from "./errors.js";
import { isCsa, readCsa } from "./csa_reader.js";
import { playersOf, readJkf } from "./jkf_reader.js";
import { readHead, readKif, variantOf, winnerOf } from "./kif_reader.js";
import { LineError } from "./game_record.js";
import { Recorder } from "./recorder.js";

/** @typedef {{variant: string, title: string, read: (game: Game) => Reading}} Found
 *   `title` is shown in the list of games; `read` reads the game, given the Game of `variant` */

export const LONGEST = 20_000_000; // characters of a text, enough for the games of a large match

const BLOCK = 200_000; // characters or bytes that are read at a time

/** Decode a file as UTF-8, Shift_JIS or UTF-16, with pauses for the page. Throws an Error if it is none of them.
 * @param {Uint8Array} bytes  @returns {Promise<string>} */
export async function textOf(bytes) {
  const rest = pausing();
  const utf16 = { "255,254": ["utf-16le"], "254,255": ["utf-16be"] }[[...bytes.subarray(0, 2)].join()]; // byte order marks
  for (const encoding of utf16 ?? ["utf-8", "shift_jis"]) {
    try {
      const decoder = new TextDecoder(encoding, { fatal: true });
      let text = "";
      for (let at = 0; at < bytes.length; at += BLOCK) {
        text += decoder.decode(bytes.subarray(at, at + BLOCK), { stream: true });
        await rest();
      }
      return text + decoder.decode();
    } catch {
      continue; // try the next encoding
    }
  }
  throw new Error(t("records.encoding"));
}

/** Find the games in a text, with pauses for the page. Throws LineError if there is none.
 * @param {string} text  @param {KnownGame[]} games  @param {string} preferred the variant to try first
 * @returns {Promise<Found[]>} */
export async function gamesIn(text, games, preferred) {
  if (text.length > LONGEST) throw new LineError(1, t("records.tooLong", { most: LONGEST }));
  const rest = pausing(), lines = await linesOf(text, rest);
  const first = lines.findIndex((line) => line.trim() && !line.startsWith("#"));
  /** @type {Found[]} */
  const found = [];
  for (const game of foundIn(text, lines, first, games, preferred)) {
    if (game) found.push(game);
    await rest();
  }
  if (!found.length) {
    if (first < 0) throw new LineError(1, t("records.nothing"));
    throw new LineError(first + 1, t("records.word", { word: clipped(lines[first], 40) }));
  }
  return found;
}

/** Split a text into lines.
 * @param {string} text  @param {() => Promise<void>} rest  @returns {Promise<string[]>} */
async function linesOf(text, rest) {
  const lines = [];
  for (let at = text.startsWith("\ufeff") ? 1 : 0, end = at; at < text.length; at = end) {
    end = text.indexOf("\n", at + BLOCK) + 1 || text.length;
    const block = text.slice(at, end).split(/\r\n|\r|\n/);
    if (!block.at(-1)) block.pop();
    for (const line of block) lines.push(line);
    await rest();
  }
  return lines;
}

/** The games of a text, by the format of its first line.
 * @param {string} text  @param {string[]} lines  @param {number} first index of the first line that is not blank or a
 * comment, or -1  @param {KnownGame[]} games  @param {string} preferred  @returns {Iterable<Found | null>} */
function foundIn(text, lines, first, games, preferred) {
  const opening = lines[first] ?? "";
  if (splitUsiLine(opening)) return usiGames(lines, games, preferred);
  if (opening.trimStart().startsWith("{")) return jkfGames(text, lines);
  return isCsa(opening) ? csaGames(lines) : kifGames(lines, games, preferred);
}

/** @param {string[]} lines  @param {KnownGame[]} games  @param {string} preferred  @returns {Generator<Found>} */
function* usiGames(lines, games, preferred) {
  for (const [index, line] of lines.entries()) {
    if (!line.trim() || line.startsWith("#")) continue;
    const sfen = splitUsiLine(line)?.sfen ?? "", { variant: named } = remarkOf(line);
    const known = games.some((game) => game.name === named), fitting = sfen ? gameOf(sfen, games, preferred) : preferred;
    const variant = known ? named : fitting;
    if (!variant) throw new LineError(index + 1, t("records.unknownGame"));
    const title = /#(.*)$/.exec(line)?.[1].trim() ?? clipped(line, 60);
    yield { variant, title, read: (game) => readUsiLine(game, line, index + 1) };
  }
}

/** @param {string[]} lines  @returns {Generator<Found>} */
function* csaGames(lines) {
  const ends = [...lines.flatMap((line, index) => (line.trimEnd() === "/" ? [index] : [])), lines.length];
  for (const [number, until] of ends.entries()) {
    const from = number ? ends[number - 1] + 1 : 0, part = lines.slice(from, until);
    if (!part.some((line) => line.trim())) continue;
    /** @param {string} key */
    const field = (key) => part.find((line) => line.startsWith(key))?.slice(key.length).trim() ?? "";
    /** @param {Game} game */
    const read = (game) => readCsa(game, lines, from, until);
    yield { variant: "shogi", title: titleOf("", [field("N+"), field("N-")], [field("$EVENT:"), field("$START_TIME:")]), read };
  }
}

/** One JSON text, or one in each line.
 * @param {string} text  @param {string[]} lines  @returns {Generator<Found>} */
function* jkfGames(text, lines) {
  /** @type {any} */
  let whole = null;
  try {
    whole = JSON.parse(text);
  } catch {} // one in each line
  for (const [index, json] of (whole ? [text] : lines).entries()) {
    if (!json.trim()) continue;
    let record = whole;
    try {
      record ??= JSON.parse(json);
    } catch {} // refused below
    if (!Array.isArray(record?.moves)) throw new LineError(index + 1, t("records.line", { text: clipped(json, 40) }));
    /** @param {Game} game */
    const read = (game) => readJkf(game, record, index + 1);
    yield { variant: "shogi", title: titleOf("", playersOf(record)), read };
  }
}

/** The title of a game in the list: label and players, then other facts.
 * @param {string} label  @param {string[]} names  @param {string[]} [facts] */
function titleOf(label, names, facts = []) {
  const players = [label, names.filter((name) => name).join(" – ")].filter((part) => part).join(": ");
  return [players, ...facts].filter((part) => part).join(" · ");
}

const OPENS = /^(# game.*, [a-z][a-z0-9-]*$|(開始日時|手合割|先手|下手|後手|上手|棋戦)[：:])/;
const MOVE = /^\s*[▲△▼▽☗☖]|^\s*[0-9]+[\s.]+(同|[1-9１-９][1-9一二三四五六七八九]|[1-9][a-z]|\+?[A-Z]\*|[0-9]+:|[^\s0-9])/;

/** @param {string[]} lines  @param {KnownGame[]} games  @param {string} preferred
 * @returns {Generator<Found | null>} null while the first lines of games are sought */
function* kifGames(lines, games, preferred) {
  /** @type {number[]} */
  const starts = [];
  let filled = false; // whether a move of the current game has been found
  for (const [index, line] of lines.entries()) {
    const moves = line.startsWith("手数--") || MOVE.test(line), opens = OPENS.test(line.trim()) || line.startsWith("|");
    if (opens ? !starts.length || filled : moves && !starts.length) {
      starts.push(index);
      filled = false;
      yield null;
    }
    filled = filled || (moves && !opens);
  }
  for (const [number, from] of starts.entries()) {
    // Lines before the first game belong to its header: some programs write additional lines there.
    const begin = number ? from : 0, until = starts[number + 1] ?? lines.length;
    const head = readHead(lines, begin, until), winner = winnerOf(lines, head.first, until);
    const [event, date] = ["棋戦", "開始日時"].map((key) => head.headers.find(([other]) => other === key)?.[1] ?? "");
    const result = winner === undefined ? "" : winnerText(winner);
    const title = titleOf(head.label, head.names, [event, date, result]);
    /** @param {Game} game */
    const read = (game) => readKif(game, lines, begin, until);
    yield { variant: variantOf(head, games, preferred), title, read };
  }
}

// The variant of an SFEN.

/** @typedef {{name: string, files: number, ranks: number, letters: string[], cards: boolean, start: string}} KnownGame
 *   the part of an entry in games/index.json that readers need */

/** Find the variant of an SFEN by board size and pieces, as rules/variants.py does: `preferred` if it fits, else the
 * first that fits, else the first with the same board size, else "".
 * @param {string} sfen  @param {KnownGame[]} games  @param {string} preferred  @returns {string} */
export function gameOf(sfen, games, preferred) {
  const words = wordsOf(sfen), board = (words[0] ?? "").split("/");
  const cells = board[0].match(/[0-9]+|\+?[A-Za-z]/g) ?? [];
  const files = cells.reduce((sum, cell) => sum + (/[0-9]/.test(cell) ? Number(cell) : 1), 0);
  const fitting = games.filter((game) => game.files === files && game.ranks === board.length);
  fitting.sort((a, b) => Number(b.name === preferred) - Number(a.name === preferred));
  const letters = words[0]?.toUpperCase().match(/\+?[A-Z]/g) ?? [], cards = words[2]?.includes(",") ?? false;
  const whole = fitting.find((game) => game.cards === cards && letters.every((letter) => game.letters.includes(letter)));
  return (whole ?? fitting[0])?.name ?? "";
}

// One-line formats: `position startpos moves ...`, `position sfen ... moves ...`, `sfen ...` or a bare SFEN, then the
// remark of lab/kifu/usi_lines.py: `# game 12, dice: Black - White 1-0 checkmate`. They have no die rolls, comments or
// variations.

const REMARK = /^(?:game( [^:,]*)?(?:, ([a-z][a-z0-9-]*))?: )?(.*?)(?:(?:^| )(1-0|0-1|1\/2-1\/2|\*) (\S+))?$/;
/** @type {Record<string, 0 | 1 | null>} */
const WINNERS = { "1-0": 0, "0-1": 1, "1/2-1/2": null, "*": null };
const SEPARATOR = " - "; // between the names

/** The text after the # of a line: variant ("" if not named), label, names, and the end or null.
 * @param {string} line
 * @returns {{variant: string, label: string, names: [string, string], end: Outcome | null}} */
function remarkOf(line) {
  const [, label, variant, names, result, reason] = REMARK.exec(/#(.*)$/.exec(line)?.[1].trim() ?? "") ?? [];
  const [black, ...white] = (names ?? "").trim().split(SEPARATOR);
  const end = result ? { winner: WINNERS[result], reason } : null;
  return { variant: variant ?? "", label: (label ?? "").trim(), names: [black, white.join(SEPARATOR)], end };
}

/** Write the shown line of a tree, up to its end, as `position sfen ... moves ...`.
 * @param {GameTree} tree  @returns {string} */
export function writeUsiLine(tree) {
  const moves = tree.line().map((node) => node.move);
  return `position sfen ${tree.start}${moves.length ? ` moves ${moves.join(" ")}` : ""}`;
}

/** The SFEN ("" for `startpos`) and the moves of a line, or null for another format. Text after a # is ignored.
 * @param {string} text  @returns {{sfen: string, moves: string[]} | null} */
function splitUsiLine(text) {
  const words = wordsOf(text.replace(/#.*$/, "")), given = words[0] === "position" ? words.slice(1) : words;
  const at = given.indexOf("moves"), start = at < 0 ? given : given.slice(0, at), moves = at < 0 ? [] : given.slice(at + 1);
  if (start[0] === "startpos") return start.length === 1 ? { sfen: "", moves } : null;
  const sfen = (start[0] === "sfen" ? start.slice(1) : start).join(" ");
  return /^[0-9A-Za-z+]+(\/[0-9A-Za-z+]+)+( |$)/.test(sfen) || start[0] === "sfen" ? { sfen, moves } : null;
}

/** Read a game in a one-line format, up to the first illegal move. `number` is the line number for error messages.
 * @param {Game} game  @param {string} text  @param {number} [number]  @returns {Reading} */
export function readUsiLine(game, text, number = 1) {
  const parts = splitUsiLine(text);
  if (!parts) return { tree: null, trouble: { line: number, text: t("records.word", { word: clipped(text, 40) }) } };
  let recorder;
  try {
    recorder = new Recorder(game, parts.sfen || game.variant.start);
  } catch (error) {
    return { tree: null, trouble: { line: number, text: translatedError(error) } };
  }
  const { position, tree } = recorder;
  try {
    for (const move of parts.moves) recorder.play(move);
    const { label, names, end } = remarkOf(text), outcome = end ?? position.outcome();
    Object.assign(tree, { label, names });
    if (outcome) recorder.finish(outcome);
    return { tree, trouble: null };
  } catch (error) {
    const move = clipped(parts.moves[position.moves.length], 20);
    return { tree, trouble: { line: number, text: t("records.illegal", { move, why: translatedError(error) }) } };
  } finally {
    position.release();
  }
}
