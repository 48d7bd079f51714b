// Reads game records with json-kifu-format for the tests. Each line on standard input is {format, text} as JSON. The
// answer has the nodes of the game's tree in the order of KIF: the number of the move, and the move in USI notation or
// the word for the end.

import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const { JKFPlayer } = createRequire(`${process.argv[2]}/`)("json-kifu-format");
const readers = { kif: "parseKIF", ki2: "parseKI2", csa: "parseCSA", jkf: "parseJKF" };
const letters = { FU: "P", KY: "L", KE: "N", GI: "S", KI: "G", KA: "B", HI: "R" };
const square = ({ x, y }) => `${x}${"abcdefghi"[y - 1]}`;
const usi = ({ from, to, piece, promote }) =>
  from ? `${square(from)}${square(to)}${promote ? "+" : ""}` : `${letters[piece]}*${square(to)}`;

function walk(moves, ply, nodes) {
  moves.forEach(({ move, special }, index) => {
    if (move || special) nodes.push([ply + index, move ? usi(move) : special]);
  });
  for (let index = moves.length - 1; index >= 0; index--)
    for (const fork of moves[index].forks ?? []) walk(fork, ply + index, nodes);
}

for await (const line of createInterface({ input: process.stdin })) {
  const { format, text } = JSON.parse(line);
  try {
    const player = JKFPlayer[readers[format]](text);
    const nodes = [];
    walk(player.kifu.moves, 0, nodes);
    console.log(JSON.stringify({ start: player.shogi.toSFENString(), nodes }));
  } catch (error) {
    console.log(JSON.stringify({ error: `${error.name}: ${error.message}`.slice(0, 200) }));
  }
}
