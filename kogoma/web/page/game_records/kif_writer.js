// Writer of KIF with comments and variations; its output is identical to that of lab/kifu/kif.py.
//
// Die rolls are written as comments (`# dice 4`) after their moves. If the pieces of a variant have no names in KIF,
// moves are written in USI notation.

import { Position } from "../../engine/position.js";
import { pieceLetter } from "../../engine/sfen.js";
import {
  FILES, HANDICAPS, RANKS, RARE, TITLES, boardName, endWord, hasKanji, numeral, pieceName, resultText, targetOf,
} from "./kif_names.js";
import { oneLine } from "./game_record.js";

const MOVES = "手数----指手---------消費時間--";

/** Write a game as KIF; every line ends in a newline. `titles` replaces the names and the label of the tree.
 * @param {Game} game  @param {GameTree} tree  @param {{names: [string, string], label: string}} [titles]  @returns {string} */
export function writeKif(game, tree, titles = tree) {
  const lines = [...head(tree, titles), ...(hasKanji(tree.variant) ? start(game, tree.start) : [`# sfen ${tree.start}`]), MOVES];
  lines.push(...comment(tree.root.comment), ...written(game, tree, tree.root, tree.root.rest()));
  for (const branch of branches(tree.root)) {
    const parent = /** @type {GameNode} */ (branch.parent);
    lines.push("", `変化：${branch.ply}手`, ...written(game, tree, parent, [branch, ...branch.rest()]));
  }
  return [...lines, ""].join("\n");
}

/** @param {GameTree} tree  @param {{names: [string, string], label: string}} titles */
function head({ variant, start, headers }, { names, label }) {
  const [black, white] = handicapOf(variant, start) ? ["下手", "上手"] : ["先手", "後手"];
  return [
    `# game${label && ` ${oneLine(label)}`}, ${variant}`, `${black}：${oneLine(names[0])}`, `${white}：${oneLine(names[1])}`,
    ...headers.map(([name, value]) => `${oneLine(name)}：${oneLine(value)}`),
  ];
}

/** The handicap's name of a start position, or undefined.
 * @param {string} variant  @param {string} start */
const handicapOf = (variant, start) =>
  (variant === "shogi" ? Object.keys(HANDICAPS).find((name) => HANDICAPS[name] === start && !RARE.has(name)) : undefined);

/** The KIF lines of a comment: each begins with *, except bookmarks, which begin with &.
 * @param {string} text */
const comment = (text) =>
  (text ? text.replaceAll("\0", "\ufffd").split(/\r\n|\r|\n/).map((line) => (line.startsWith("&") ? line : `*${line}`)) : []);

/** The first moves of the variations after a node, latest first, the order that KIF requires.
 * @param {GameNode} from  @returns {Generator<GameNode>} */
function* branches(from) {
  for (const node of [from, ...from.rest()].reverse()) {
    for (const other of node.variations) {
      yield other;
      yield* branches(other);
    }
  }
}

/** Write consecutive moves, with times, die rolls and comments, and the end of their line.
 * @param {Game} game  @param {GameTree} tree  @param {GameNode} from the node before them  @param {GameNode[]} nodes
 * @returns {string[]} */
function written(game, tree, from, nodes) {
  const before = from.path(), spent = [0, 0], position = new Position(game, tree.start), first = position.turn, lines = [];
  let target = "", ply = 0;
  for (const node of [...before, ...nodes]) {
    const { move, ms, dice } = node, side = (first + ply) % 2;
    spent[side] += ms ?? 0;
    if (ply++ >= before.length) {
      const text = hasKanji(tree.variant) ? moveText(position, move, ply > before.length + 1 ? target : "") : move;
      lines.push(`${`${ply}`.padStart(4)} ${text.padEnd(12)}${clock(ms, spent[side])}`.trimEnd());
      if (dice) lines.push(`# dice ${dice}`);
      lines.push(...comment(node.comment));
    }
    target = targetOf(move);
    position.push(move);
  }
  const { end } = nodes.at(-1) ?? from, side = position.turn;
  if (end) {
    const word = endWord(end, side), time = clock(end.ms ?? null, spent[side] + (end.ms ?? 0));
    lines.push(
      `${`${ply + 1}`.padStart(4)} ${time ? word.padEnd(12) : word}${time}`, `# ${oneLine(end.reason)}`,
      `まで${ply}手で${resultText(end)}`, ...comment(end.comment ?? ""),
    );
  }
  position.release();
  return lines;
}

/** Write the time of a move and the player's total, both given in ms; "" if the time of the move is unknown.
 * @param {number | null} ms  @param {number} all */
function clock(ms, all) {
  if (ms === null) return "";
  const seconds = Math.floor(ms / 1000), total = Math.floor(all / 1000);
  /** @param {number} value */
  const two = (value) => `${value}`.padStart(2, "0");
  const sum = [Math.floor(total / 3600), Math.floor(total / 60) % 60, total % 60].map(two).join(":");
  return `(${`${Math.floor(seconds / 60)}`.padStart(2)}:${two(seconds % 60)}/${sum})`;
}

/** Write a move: `７六歩(77)`, `同　角成(88)`, `５二金打`.
 * @param {Position} position before the move  @param {string} usi  @param {string} before the target square of the last move */
function moveText({ game, struct }, usi, before) {
  const { name, files } = game.variant, target = targetOf(usi);
  const where = target === before ? "同　" : FILES[Number(target[0]) - 1] + RANKS[target.charCodeAt(1) - 97];
  if (usi.includes("*")) return `${where}${pieceName(name, usi.slice(0, usi.indexOf("*")))}打`;
  const row = usi.charCodeAt(1) - 97, cell = struct.get("board", row * files + files - Number(usi[0]));
  const piece = pieceName(name, pieceLetter(game, cell & 15));
  return `${where}${piece}${usi.endsWith("+") ? "成" : ""}(${usi[0]}${row + 1})`;
}

/** Write the start position: its name if it has one, else its SFEN. Except for shogi and handicap games by name, the
 * diagram follows, with White's hand above and Black's below.
 * @param {Game} game  @param {string} sfen  @returns {string[]} */
function start(game, sfen) {
  const { name, start: usual } = game.variant, handicap = handicapOf(name, sfen);
  if (handicap) return [`手合割：${handicap}`];
  const plain = sfen === usual && name in TITLES;
  const lines = plain ? [`手合割：${TITLES[name]}`] : [`# sfen ${sfen}`];
  return plain && name === "shogi" ? lines : [...lines, ...diagram(game, sfen)];
}

/** @param {Game} game  @param {string} sfen  @returns {string[]} */
function diagram(game, sfen) {
  const { name, files, ranks } = game.variant, position = new Position(game, sfen), { struct, turn } = position;
  const edge = `+${"-".repeat(3 * files)}+`, rows = [];
  for (let row = 0; row < ranks; row++) {
    const cells = struct.slice("board", row * files, (row + 1) * files).map((cell) =>
      (cell >> 4 ? "v" : " ") + (cell ? boardName(name, pieceLetter(game, cell & 15)) : "・"));
    rows.push(`|${cells.join("")}|${RANKS[row]}`);
  }
  const hands = [0, 1].map((side) => hand(position, side));
  position.release();
  return [
    `後手の持駒：${hands[1]}`, `  ${[...FILES.slice(0, files)].reverse().join(" ")}`, edge, ...rows, edge,
    `先手の持駒：${hands[0]}`, ...(turn ? ["後手番"] : []),
  ];
}

/** @param {Position} position  @param {number} side */
function hand({ game, struct }, side) {
  const { pieces, name } = game.variant, width = struct.shape("hand")[1], held = [];
  for (let type = Math.min(pieces.length, width - 1); type > 0; type--) {
    const count = struct.get("hand", side * width + type);
    if (count) held.push(pieceName(name, pieces[type - 1].letter) + numeral(count));
  }
  return held.join("　") || "なし";
}
