// Reader of JKF, the JSON format of game records (9x9 shogi): the counterpart of lab/kifu/jkf.py.

import { pieceLetter } from "../../engine/sfen.js";
import { t } from "../translate.js";
import { translatedError } from "./errors.js";
import { CSA_ENDS, CSA_PIECES, HANDICAPS, outcomeBy, usiSquare } from "./kif_names.js";
import { Recorder } from "./recorder.js";

const LABEL = "棋譜番号", NUMBER = "手数"; // headers for a game's number, and for the move number of its start

/** The handicap of each preset.
 * @type {{[preset: string]: string}} */
const PRESETS = {
  KY: "香落ち", KY_R: "右香落ち", KA: "角落ち", HI: "飛車落ち", HIKY: "飛香落ち", 2: "二枚落ち", 3: "三枚落ち", 4: "四枚落ち",
  5: "五枚落ち", "5_L": "左五枚落ち", 6: "六枚落ち", "7_L": "左七枚落ち", "7_R": "右七枚落ち", 8: "八枚落ち", 10: "十枚落ち",
};
/** @type {{[header: string]: 0 | 1}} */
const PLAYERS = { 先手: 0, 下手: 0, 後手: 1, 上手: 1 };

/** The names of a record's players.
 * @param {any} record  @returns {[string, string]} */
export function playersOf({ header = {} }) {
  return [`${header["先手"] ?? header["下手"] ?? ""}`, `${header["後手"] ?? header["上手"] ?? ""}`];
}

/** Read a parsed JSON record, up to the first error. `line` is the line number of the record for error messages.
 * @param {Game} game  @param {any} record  @param {number} line  @returns {Reading} */
export function readJkf(game, record, line) {
  /** @type {Recorder | null} */
  let recorder = null;
  let trouble = null;
  const { header = {}, initial = null, moves } = record;
  try {
    recorder = new Recorder(game, startOf(game, initial, Number(header[NUMBER] ?? 1)));
    const { tree } = recorder;
    tree.names = playersOf(record);
    tree.label = `${header[LABEL] ?? ""}`;
    tree.headers = Object.entries(header).filter(([name]) => !(name in PLAYERS) && name !== LABEL && name !== NUMBER)
      .map(([name, value]) => [name, `${value}`]);
    readLines(recorder, moves);
  } catch (error) {
    // A TypeError is a missing or wrong field of the record.
    const why = error instanceof TypeError ? t("records.line", { text: "JKF" }) : translatedError(error);
    trouble = { line, text: recorder ? t("records.illegal", { move: `${recorder.position.moves.length + 1}`, why }) : why };
  }
  recorder?.position.release();
  return { tree: recorder && recorder.tree, trouble };
}

/** Add all lines in KIF's order. The first entry is the start position.
 * @param {Recorder} recorder  @param {any[]} moves */
function readLines(recorder, moves) {
  (moves[0]?.comments ?? []).forEach((/** @type {string} */ text) => recorder.say(text));
  /** @type {{plies: number, entries: any[]}[]} */
  const waiting = [{ plies: 0, entries: moves.slice(1) }];
  for (let line = waiting.pop(), first = true; line; line = waiting.pop(), first = false) {
    if (!first) recorder.branch(line.plies);
    for (const [index, entry] of line.entries.entries()) {
      take(recorder, entry);
      for (const entries of [...(entry.forks ?? [])].reverse()) waiting.push({ plies: line.plies + index, entries });
    }
  }
}

/** Add a move or an end, with its comments.
 * @param {Recorder} recorder  @param {any} entry */
function take(recorder, { move, special, time, comments = [] }) {
  const now = time?.now, ms = now ? 1000 * (3600 * (now.h ?? 0) + 60 * now.m + now.s) : null;
  if (move) recorder.play(usiOf(recorder, move), ms);
  else if (special in CSA_ENDS) recorder.finish(outcomeBy(...CSA_ENDS[special], recorder.position), ms);
  else if (special) recorder.finish(/^[+-]/.test(special) ? { winner: special[0] === "+" ? 1 : 0, reason: "illegal_move" } : { winner: null, reason: "unknown" }, ms);
  for (const text of comments) {
    const remark = /^# ([a-z_]+) ([bw-])$/.exec(text), { end } = recorder;
    if (end && remark) Object.assign(end, { winner: remark[2] === "-" ? null : "bw".indexOf(remark[2]), reason: remark[1] });
    else recorder.say(text);
  }
}

/** @param {Recorder} recorder  @param {any} move  @returns {string} in USI notation */
function usiOf({ position, target }, { from, to, piece, promote }) {
  const letter = CSA_PIECES[piece], where = to ? usiSquare(to.x, to.y) : target;
  if (!letter) throw new Error(t("records.piece", { piece }));
  if (!from) return `${letter}*${where}`;
  const here = pieceLetter(position.game, position.struct.get("board", 9 * (from.y - 1) + 9 - from.x) & 15);
  if (here !== letter) throw new Error(t("records.origin", { square: `${from.x}${from.y}`, piece }));
  return usiSquare(from.x, from.y) + where + (promote ? "+" : "");
}

/** The start position as SFEN.
 * @param {Game} game  @param {any} initial  @param {number} number of its first move  @returns {string} */
function startOf(game, initial, number) {
  if (!initial || initial.preset === "HIRATE") return game.variant.start;
  if (initial.preset !== "OTHER") return HANDICAPS[PRESETS[initial.preset]];
  const { color, board, hands } = initial.data, rows = [];
  for (let row = 0; row < 9; row++) {
    const cells = [...board].reverse().map((/** @type {any[]} */ column) => {
      const { color: side, kind } = column[row], letter = kind ? CSA_PIECES[kind] : " ";
      return side ? letter.toLowerCase() : letter;
    });
    rows.push(cells.join("").replace(/ +/g, (blank) => `${blank.length}`));
  }
  const held = hands.flatMap((/** @type {{[kind: string]: number}} */ hand, /** @type {number} */ side) => Object.entries(hand)
    .filter(([, count]) => count).map(([kind, count]) => (count > 1 ? count : "") + (side ? CSA_PIECES[kind].toLowerCase() : CSA_PIECES[kind])));
  return `${rows.join("/")} ${color ? "w" : "b"} ${held.join("") || "-"} ${number}`;
}
