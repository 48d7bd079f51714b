// Writer of KIF with comments and variations; its output is identical to that of lab/kifu/kif.py.
//
// Die rolls are comments (`# dice 4`) after their moves. Variants whose pieces have no names in KIF have their moves in
// USI notation.

import { Position } from "../../engine/position.js";
import { pieceLetter } from "../../engine/sfen.js";
import {
  BROKEN_OFF, DRAWN, ENDS, FILES, HANDICAPS, ILLEGAL_BEFORE, INTERRUPTED, RANKS, RARE, REPETITION, TITLES, boardName,
  hasKanji, numeral, pieceName, targetOf,
} from "./kif_names.js";
import { oneLine } from "./game_record.js";

const MOVES = "手数----指手---------消費時間--";

/** Write a game; every line ends in a newline.
 * @param {Game} game  @param {GameRecord} record  @returns {string} */
export function writeKif(game, record) {
  const { tree } = record, kanji = hasKanji(tree.variant);
  const lines = [...head(record), ...(kanji ? start(game, tree.start) : [`# sfen ${tree.start}`]), MOVES];
  lines.push(...comment(tree.root));
  const moves = tree.root.rest();
  lines.push(...written(game, record, moves), ...end(game, record, moves.map((node) => node.move)));
  for (const branch of branches(tree.root)) {
    lines.push("", `変化：${branch.ply}手`, ...written(game, record, [branch, ...branch.rest()]));
  }
  return [...lines, ""].join("\n");
}

/** @param {GameRecord} record */
function head({ tree, names, label, clock }) {
  const [black, white] = handicapOf(tree.variant, tree.start) ? ["下手", "上手"] : ["先手", "後手"];
  return [
    `# game${label && ` ${oneLine(label)}`}, ${tree.variant}`,
    `${black}：${oneLine(names[0])}`, `${white}：${oneLine(names[1])}`, `持ち時間：${oneLine(clock)}`,
  ];
}

/** The handicap's name of a start position, or undefined.
 * @param {string} variant  @param {string} start */
const handicapOf = (variant, start) =>
  (variant === "shogi" ? Object.keys(HANDICAPS).find((name) => HANDICAPS[name] === start && !RARE.has(name)) : undefined);

/** @param {GameNode} node */
const comment = (node) => (node.comment ? node.comment.split(/\r\n|\r|\n/).map((line) => `*${line}`) : []);

/** The first moves of the variations below a node, latest first, the order that KIF requires.
 * @param {GameNode} from  @returns {Generator<GameNode>} */
function* branches(from) {
  for (const node of from.rest().reverse()) {
    const parent = /** @type {GameNode} */ (node.parent);
    for (const other of parent.next.slice(1)) {
      yield other;
      yield* branches(other);
    }
  }
}

/** Write consecutive moves, with times, die rolls and comments.
 * @param {Game} game  @param {GameRecord} record  @param {GameNode[]} nodes  @returns {string[]} */
function written(game, { tree }, nodes) {
  if (!nodes.length) return [];
  const before = nodes[0].path().slice(0, -1), spent = [0, 0], position = new Position(game, tree.start);
  let side = position.turn, target = "";
  for (const { move, ms } of before) {
    spent[side] += ms;
    side = 1 - side;
    target = targetOf(move);
    position.push(move);
  }
  const lines = [];
  for (const [index, node] of nodes.entries()) {
    const { move, ms, dice } = node, number = `${before.length + index + 1}`.padStart(4);
    spent[side] += ms;
    const text = hasKanji(tree.variant) ? moveText(position, move, index ? target : "") : move;
    lines.push(`${number} ${text.padEnd(12)}${clock(ms, spent[side])}`);
    if (dice) lines.push(`# dice ${dice}`);
    lines.push(...comment(node));
    target = targetOf(move);
    side = 1 - side;
    position.push(move);
  }
  position.release();
  return lines;
}

/** The time of a move and the player's total, in ms.
 * @param {number} ms  @param {number} all */
function clock(ms, all) {
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

/** Write the start position: its name if it has one, else the diagram, with White's hand above and Black's below.
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

/** Write the end of the main line, from the record or else from the rules.
 * @param {Game} game  @param {GameRecord} record  @param {string[]} moves  @returns {string[]} */
function end(game, { tree, end: told }, moves) {
  const position = new Position(game, tree.start);
  for (const move of moves) position.push(move);
  // Readers without support for variations would take the variations for moves of the game if it had no end.
  const { winner, reason } = told ?? position.outcome() ?? { winner: null, reason: INTERRUPTED }, { turn } = position;
  position.release();
  const word = ENDS[reason] ?? (winner === null ? DRAWN : BROKEN_OFF);
  const draw = reason === "repetition" ? REPETITION : reason === INTERRUPTED ? BROKEN_OFF : DRAWN;
  return [
    `${`${moves.length + 1}`.padStart(4)} ${reason === "illegal_move" && winner === turn ? ILLEGAL_BEFORE : word}`,
    `# ${oneLine(reason)}`, `まで${moves.length}手で${winner === null ? draw : `${"先後"[winner]}手の勝ち`}`,
  ];
}
