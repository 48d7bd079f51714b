// Writer of KIF with comments and variations. The functions are those of lab/kifu/kif.py, and write the same text for
// the same game.

import { Position } from "../../engine/position.js";
import { parseSfen, pieceLetter } from "../../engine/sfen.js";
import { commentLines, oneLine } from "./game_record.js";
import { kifMove } from "./japanese_moves.js";
import {
  FILES, GRAMMAR, HANDICAP_OF, RANKS, endOf, endWord, hasKanji, numeral, pieceName, resultText, targetOf,
} from "./terms.js";

const MOVES = "手数----指手---------消費時間--";

/** Write a game as KIF; every line ends in a newline. `titles` replaces the names and the label of the tree.
 * @param {Game} game  @param {GameTree} tree  @param {{names: [string, string], label: string}} [titles]
 * @returns {string} */
export function writeKif(game, tree, titles = tree) {
  return [...head(game, tree, titles), MOVES, ...comment(tree.root.comment), ...branches(game, tree), ""].join("\n");
}

/** @param {Game} game  @param {GameTree} tree  @param {{names: [string, string], label: string}} titles */
function* head(game, { start, headers }, { names, label }) {
  const handicap = HANDICAP_OF.get(start), { name } = game.variant;
  const [black, white] = handicap ? ["下手", "上手"] : ["先手", "後手"];
  yield `${`# game ${oneLine(label)}`.trimEnd()}, ${name}`;
  yield `${black}：${oneLine(names[0])}`;
  yield `${white}：${oneLine(names[1])}`;
  for (const [key, value] of headers) yield `${oneLine(key)}：${oneLine(value)}`;
  if (!hasKanji(game.variant)) yield `# sfen ${start}`;
  else if (handicap && name === "shogi") yield `手合割：${handicap}`;
  else yield* startLines(game, start);
}

/** @param {Game} game  @param {string} start */
function* startLines(game, start) {
  const { name } = game.variant, isPlain = start === game.variant.start && name in GRAMMAR.variants;
  yield isPlain ? `手合割：${GRAMMAR.variants[name][0]}` : `# sfen ${start}`;
  if (!isPlain || name !== "shogi") yield* board(game, start);
}

/** All lines of play, each with the node before it, in KIF's order, in which each variation branches off the line
 * written before it.
 * @param {GameTree} tree  @returns {Generator<{from: GameNode, nodes: GameNode[]}>} */
export function* linesOf({ root }) {
  yield { from: root, nodes: root.rest() };
  const waiting = branchesAfter([root, ...root.rest()]);
  for (let branch = waiting.pop(); branch; branch = waiting.pop()) {
    const nodes = [branch, ...branch.rest()];
    yield { from: /** @type {GameNode} */ (branch.parent), nodes };
    for (const other of branchesAfter(nodes)) waiting.push(other);
  }
}

/** The first moves of the variations after these nodes, in the reverse of KIF's order.
 * @param {GameNode[]} nodes */
const branchesAfter = (nodes) => nodes.flatMap((node) => [...node.variations].reverse());

/** The lines of text of all lines of play, each variation after the number of the move that it replaces.
 * @param {Game} game  @param {GameTree} tree  @returns {Generator<string>} */
function* branches(game, tree) {
  const position = new Position(game, tree.start);
  const times = [0]; // after each ply, the total time of the player who moved; first a 0
  let isMain = true;
  for (const { from, nodes } of linesOf(tree)) {
    const plies = from.ply;
    while (position.moves.length > plies) position.pop();
    times.length = plies + 1;
    if (!isMain) yield* ["", `変化：${plies + 1}手`];
    isMain = false;
    yield* movesOf(position, from, nodes, times);
  }
  position.release();
}

/** The moves of a line with times, die rolls and comments, and its end.
 * @param {Position} position  @param {GameNode} from  @param {GameNode[]} nodes  @param {number[]} times */
function* movesOf(position, from, nodes, times) {
  let before = "";
  for (const node of nodes) {
    const spent = spentOn(node, times);
    yield row(position, kifMove(position, node.move, before), clock(node.ms, spent));
    if (node.dice) yield `# dice ${node.dice}`;
    yield* comment(node.comment);
    position.push(node.move);
    before = targetOf(node.move);
    times.push(spent);
  }
  const { end } = nodes.at(-1) ?? from;
  if (!end) return;
  const word = oneLine(end.text ?? "") || endWord(end, position.turn);
  yield row(position, word, clock(end.ms ?? null, spentOn(end, times)));
  yield* result(position, end, word);
}

/** @param {Position} position  @param {string} text  @param {string} time */
const row = (position, text, time) =>
  `${`${position.moves.length + 1}`.padStart(4)} ${text.padEnd(12)}${time}`.trimEnd();

/** The result line of an end, a remark if `word` does not tell the outcome, and the comment.
 * @param {Position} position  @param {End} end  @param {string} word  @returns {Generator<string>} */
function* result(position, end, word) {
  const { winner, reason } = end, told = endOf(word, position);
  yield `まで${position.moves.length}手で${oneLine(end.text ?? "") || resultText(end, position.turn, word)}`;
  if (told?.winner !== winner || told.reason !== reason) {
    yield `# ${oneLine(reason)} ${winner === null ? "-" : "bw"[winner]}`;
  }
  yield* comment(end.comment ?? "");
}

/** @param {{ms?: number | null}} step  @param {number[]} times */
const spentOn = ({ ms }, times) => (times.at(-2) ?? 0) + (ms ?? 0);

/** The time of a move and the total time of its player: `( 0:05/00:01:23)`; "" if the time is unknown.
 * @param {number | null} ms  @param {number} spent */
function clock(ms, spent) {
  if (ms === null) return "";
  const seconds = Math.floor(ms / 1000), total = Math.floor(spent / 1000);
  /** @param {number} value */
  const two = (value) => `${value}`.padStart(2, "0");
  const sum = [Math.floor(total / 3600), Math.floor(total / 60) % 60, total % 60].map(two).join(":");
  return `(${`${Math.floor(seconds / 60)}`.padStart(2)}:${two(seconds % 60)}/${sum})`;
}

/** The KIF lines of a comment: each begins with *, except bookmarks, which begin with &.
 * @param {string} text */
const comment = (text) => commentLines(text).map((line) => (line.startsWith("&") ? line : `*${line}`));

/** The lines of a diagram: White's hand, the board, Black's hand and, if White is to move, a line that says so.
 * @param {Game} game  @param {string} start  @returns {Generator<string>} */
function* board(game, start) {
  const { variant } = game, { files, ranks } = variant, edge = `+${"-".repeat(3 * files)}+`;
  const setup = parseSfen(game, start);
  yield `後手の持駒：${hand(variant, setup.hands[1])}`;
  yield `  ${[...FILES.slice(0, files)].reverse().join(" ")}`;
  yield edge;
  for (let rank = 0; rank < ranks; rank++) {
    const cells = setup.board.slice(rank * files, (rank + 1) * files).map((cell) => {
      const name = cell ? pieceName(variant, pieceLetter(game, cell & 15)) : "・";
      return (cell >> 4 ? "v" : " ") + (GRAMMAR.on_board[name] ?? name);
    });
    yield `|${cells.join("")}|${RANKS[rank]}`;
  }
  yield edge;
  yield `先手の持駒：${hand(variant, setup.hands[0])}`;
  if (setup.turn) yield "後手番";
}

/** @param {Variant} variant  @param {number[]} counts */
function hand(variant, counts) {
  const held = variant.pieces.map(({ letter }, index) =>
    (counts[index + 1] ? pieceName(variant, letter) + numeral(counts[index + 1]) : ""));
  return held.filter((text) => text).reverse().join("　") || "なし";
}
