// Reads game records with tsshogi for the tests. Each line on standard input is {format, text, write} as JSON. The answer
// has the nodes of the game's tree in the order of KIF and, if `write` is set, the game as tsshogi writes it.

import { createInterface } from "node:readline";

const { Move, exportCSA, exportJKFString, exportKIF, importCSA, importJKFString, importKI2, importKIF } =
  await import(`${process.argv[2]}/node_modules/tsshogi/dist/esm/index.mjs`);
const readers = { kif: importKIF, ki2: importKI2, csa: importCSA, jkf: importJKFString };

for await (const line of createInterface({ input: process.stdin })) {
  const { format, text, write } = JSON.parse(line);
  const record = readers[format](text);
  if (record instanceof Error) {
    console.log(JSON.stringify({ error: `${record.name}: ${record.message}` }));
    continue;
  }
  const nodes = [];
  record.forEach((node) => {
    const move = node.move instanceof Move ? node.move.usi : node.move.type;
    nodes.push([node.ply, move, node.comment.trim(), node.elapsedMs, node.bookmark]);
  });
  const start = record.initialPosition.sfen;
  console.log(JSON.stringify({ start, nodes, ...(write && { kif: exportKIF(record), csa: exportCSA(record), jkf: exportJKFString(record) }) }));
}
