// Runs the modules of web/engine for the tests. The argument is a folder with the files of a variant. Each line on
// standard input is a question as JSON, and gets a line as its answer.

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { Game, IMPORTS } from "../../kogoma/web/engine/game.js";
import { Position } from "../../kogoma/web/engine/position.js";
import { Searcher } from "../../kogoma/web/engine/searcher.js";

const read = (name) => readFileSync(`${process.argv[2]}/${name}`);
const instance = new WebAssembly.Instance(new WebAssembly.Module(read("module.wasm")), IMPORTS);
const description = JSON.parse(read("description.json").toString());
const game = new Game(instance, description, read("struct.bin"), read("tables.bin"));
let searcher = null;

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
