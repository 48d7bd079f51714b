// Detection of the encoding and the format of a text or file, and the list of its games. The functions are those of
// lab/kifu/formats.py.

import { stripped } from "../../engine/text.js";
import { pausing } from "../elements.js";
import { t } from "../later_texts.js";
import { isReviewFile, reviewRecords } from "../review/review_file.js";
import { winnerText } from "../translate.js";
import { csaRecords, isCsa } from "./csa_reader.js";
import { recordError } from "./errors.js";
import { jkfRecords } from "./jkf_reader.js";
import { kifRecords } from "./kif_reader.js";
import { find } from "./known_games.js";
import { isUsiLine, usiRecords } from "./usi_lines.js";
export { writeKif } from "./kif_writer.js";
export { readRecordAddress, writeRecordAddress } from "./shared_record.js";
export { writeUsiLine } from "./usi_lines.js";

/** @typedef {{variant: string, title: string, read: (game: Game) => Reading}} Found
 *   `title` is shown in the list of games; `read` reads the game, given the Game of `variant` */
/** @typedef {"kif" | "csa" | "jkf" | "usi" | "review"} Format KI2 belongs to "kif", SFEN to "usi" */

const LONGEST = 20_000_000; // characters of a text, enough for the games of a large match
const BLOCK = 200_000; // characters or bytes that are read at a time
const HALF_WIDTH = /[\uff61-\uff9f]/g, LOST = /\ufffd/g;

/** Decode a file that is in UTF-8, Shift_JIS or EUC-JP, whichever fits, or in UTF-16 with a byte order mark, with
 * pauses for the page. A few characters that cannot be decoded are replaced by U+FFFD. Throws RecordError for data that
 * is not a text.
 * @param {Uint8Array} whole the bytes of the file  @returns {Promise<string>} */
export async function textOf(whole) {
  const rest = pausing(), [one, other] = whole;
  if (one === 0xff && other === 0xfe) return decoded(whole, "utf-16le", rest);
  if (one === 0xfe && other === 0xff) return decoded(whole, "utf-16be", rest);
  let end = whole.length;
  while (whole[end - 1] === 0x1a) end--; // the end of a file of DOS
  const bytes = whole.subarray(0, end), nul = bytes.indexOf(0);
  if (nul >= 0) throw recordError("not-text").at(placeAfter(new TextDecoder().decode(bytes.subarray(0, nul))));
  const utf8 = await decoded(bytes, "utf-8", rest), first = utf8.indexOf("\ufffd");
  if (first < 0) return utf8;
  const texts = [(await decoded(bytes, "shift_jis", rest)).replaceAll("\x80", "\ufffd"), await decoded(bytes, "euc-jp", rest), utf8];
  // A text in EUC-JP, read as Shift_JIS, is full of half-width katakana. A name in these, read as EUC-JP, is damaged.
  const odd = texts.map((text) => count(text, HALF_WIDTH) + 10 * count(text, LOST)), text = texts[odd.indexOf(Math.min(...odd))];
  if (20 * count(text, LOST) > text.length) {
    throw recordError("unknown-encoding").at(placeAfter(utf8.slice(0, first)));
  }
  return text;
}

/** @param {Uint8Array} bytes  @param {string} encoding  @param {() => Promise<void>} rest
 * @returns {Promise<string>} */
async function decoded(bytes, encoding, rest) {
  const decoder = new TextDecoder(encoding);
  let text = "";
  for (let at = 0; at < bytes.length; at += BLOCK) {
    text += decoder.decode(bytes.subarray(at, at + BLOCK), { stream: true });
    await rest();
  }
  return text + decoder.decode();
}

/** @param {string} text  @param {RegExp} pattern  @returns {number} */
const count = (text, pattern) => text.match(pattern)?.length ?? 0;

/** The place of what follows the text.
 * @param {string} text  @returns {import("./errors.js").Place} */
const placeAfter = (text) => [count(text, /\n/g) + 1, text.slice(text.lastIndexOf("\n") + 1), text.length];

/** Find the games in a text, with pauses for the page. Throws an Error if there is none.
 * @param {string} text  @param {KnownGame[]} games  @param {string} preferred the variant to try first
 * @param {Format} [format] by default, the content decides; KIF that says nothing about its start is then shogi
 * @returns {Promise<Found[]>} */
export async function gamesIn(text, games, preferred, format) {
  if (text.length > LONGEST) throw new Error(t("records.tooLong", { most: LONGEST }));
  const rest = pausing(), lines = await linesOf(text, rest), form = format ?? (isReviewFile(text) ? "review" : formatOf(lines));
  const usual = format ? preferred : "shogi";
  /** @type {Found[]} */
  const found = [];
  for (const game of foundIn(lines, form, games, [preferred, usual])) {
    if (game) found.push(game);
    await rest();
  }
  if (!found.length) throw recordError("no-record");
  const odd = form === "usi" ? -1 : lines.findIndex((line) => line.includes("\ufffd"));
  if (odd < 0) return found;
  const [{ read }] = found;
  found[0].read = (game) => {
    const reading = read(game);
    return { ...reading, notes: [...reading.notes, { kind: "undecodable", line: odd + 1, text: lines[odd] }] };
  };
  return found;
}

/** Split a text into lines.
 * @param {string} text  @param {() => Promise<void>} rest  @returns {Promise<string[]>} */
async function linesOf(text, rest) {
  const lines = [];
  let isWhole = false;
  for (let at = 0; !isWhole; ) {
    const end = text.indexOf("\n", at + BLOCK) + 1 || text.length, block = text.slice(at, end).split(/\r\n|\r|\n/);
    isWhole = end === text.length;
    if (!isWhole) block.pop(); // the empty text after the last line break
    for (const line of block) lines.push(line);
    at = end;
    await rest();
  }
  return lines;
}

/** The format of a text, by its first line that is neither blank nor a remark.
 * @param {string[]} lines  @returns {Format} */
function formatOf(lines) {
  for (const line of lines) {
    const opening = stripped(line.replace(/^\ufeff/, ""));
    if (!opening || opening.startsWith("#")) continue;
    if (isUsiLine(opening)) return "usi";
    return opening.startsWith("{") ? "jkf" : isCsa(opening) ? "csa" : "kif";
  }
  return "kif";
}

/** The games of a text.
 * @param {string[]} lines  @param {Format} format  @param {KnownGame[]} games
 * @param {string[]} names of the variant to try first, and of that of KIF that says nothing about its start
 * @returns {Generator<Found | null>} null while the first lines of games are sought */
function* foundIn(lines, format, games, names) {
  const [preferred, usual] = names.map((name) => games.find((game) => game.name === name) ?? games[0]);
  if (format === "usi") yield* usiRecords(lines, games, preferred);
  else if (format === "csa") {
    for (const { lines: part, read } of csaRecords(lines)) {
      /** @param {string} key */
      const value = (key) => part.find((line) => line.startsWith(key))?.slice(key.length).trim() ?? "";
      const title = titleOf("", [value("N+"), value("N-")], [value("$EVENT:"), value("$START_TIME:")]);
      yield { variant: "shogi", title, read };
    }
  } else if (format === "review") {
    for (const { variant, title, names: players, read } of reviewRecords(lines.join("\n"))) {
      yield { variant: find(variant, games).name, title: titleOf(title, players), read };
    }
  } else if (format === "jkf") {
    for (const { variant, names: players, read } of jkfRecords(lines.join("\n").replace(/^\ufeff/, ""))) {
      yield { variant, title: titleOf("", players), read };
    }
  } else {
    for (const record of kifRecords(lines, games, preferred, usual)) {
      yield record && { ...record, title: kifTitle(record) };
    }
  }
}

/** @param {import("./kif_reader.js").KifRecord} record */
function kifTitle({ head: { label, names, headers }, winner }) {
  const result = winner === undefined ? "" : winnerText(winner);
  return titleOf(label, names, [headers.get("棋戦") ?? "", headers.get("開始日時") ?? "", result]);
}

/** The title of a game in the list: label and players, then other facts.
 * @param {string} label  @param {string[]} names  @param {string[]} [facts] */
function titleOf(label, names, facts = []) {
  const players = [label, names.filter((name) => name).join(" – ")].filter((part) => part).join(": ");
  return [players, ...facts].filter((part) => part).join(" · ");
}
