// Runs the modules of web/engine for the tests. The argument is a folder with the files of a variant. Each line on
// standard input is a question as JSON, and gets a line as its answer.

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { Game, IMPORTS } from "../../kogoma/web/engine/game.js";
import { MateSolver } from "../../kogoma/web/engine/mate_solver.js";
import { Position } from "../../kogoma/web/engine/position.js";
import { Searcher } from "../../kogoma/web/engine/searcher.js";

const read = (name) => readFileSync(`${process.argv[2]}/${name}`);
const instance = new WebAssembly.Instance(new WebAssembly.Module(read("module.wasm")), IMPORTS);
const description = JSON.parse(read("description.json").toString());
const game = new Game(instance, description, read("struct.bin"), read("tables.bin"));
let searcher = null, solver = null, solved = 0;

// The mate solver; `support.node.write_mate` writes its files.
function makeSolver() {
  const module = new WebAssembly.Instance(new WebAssembly.Module(read("mate.wasm")), IMPORTS);
  const mate = { description: JSON.parse(read("mate.json").toString()), struct: read("mate.bin") };
  const structs = { ...description.structs, ...mate.description.structs };
  const own = new Game(module, { ...description, structs }, read("struct.bin"), new Uint8Array());
  return new MateSolver(own, mate, 16);
}

// The answer of the mate solver and, if it is a mate, the defences after each of the attacker's moves in its main line.
function mate({ sfen, moves = [], nodes = 0 }) {
  solver = solver ?? makeSolver();
  const made = new Position(solver._game, sfen);
  try {
    for (const move of moves) made.push(move);
    const answer = solver.solve(made, ++solved, { nodes }), walk = [];
    for (let ply = 1; answer.proof && ply < answer.plies; ply += 2) {
      for (const move of answer.moves.slice(Math.max(0, ply - 2), ply)) made.push(move);
      if (answer.moves.length < ply) break;
      walk.push(solver.defences(made, answer.proof, answer.plies - ply, {}));
    }
    return { ...answer, walk };
  } finally {
    made.release();
  }
}

function position({ sfen, moves = [] }, use) {
  const made = new Position(game, sfen);
  try {
    for (const move of moves) made.push(move);
    return use(made);
  } finally {
    made.release();
  }
}

const tell = (made) => ({
  sfen: made.sfen(), key: `${made.key}`, moves: made.legalMoves(), checkers: made.checkers, outcome: made.outcome(),
});

const answers = {
  show: (asked) => position(asked, tell),
  // The position's properties after each of the moves, and its SFEN after each of them is taken back.
  walk: (asked) => position({ sfen: asked.sfen }, (made) => {
    const seen = [tell(made)];
    for (const move of asked.moves) {
      made.push(move);
      seen.push(tell(made));
    }
    const back = asked.moves.map(() => {
      made.pop();
      return made.sfen();
    });
    return { seen, back };
  }),
  mate,
  perft: (asked) => position(asked, ({ game, struct }) => game.call("perft", game.rules, struct, game.moveList, asked.depth)),
  allowed: (asked) => position(asked, (made) => made.allowed(asked.dice)),
  search: (asked) => position(asked, (made) => {
    searcher = searcher ?? new Searcher(game, asked.hash ?? 4);
    if (!asked.keep) searcher.newGame();
    const infos = [], started = performance.now();
    const result = searcher.search(made, asked.limits, asked.options ?? {}, (info) => infos.push(info));
    return { ...result, elapsed: performance.now() - started, infos: asked.infos ? infos : [] };
  }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const asked = JSON.parse(line);
  let answer;
  try {
    answer = { is: answers[asked.ask](asked) };
  } catch (error) {
    answer = { error: error.message };
  }
  console.log(JSON.stringify(answer));
}
