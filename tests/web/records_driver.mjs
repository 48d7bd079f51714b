// Runs the modules of web/page/game_records for the tests. The argument is a folder with the files of a variant. Each
// line on standard input is a question as JSON, and gets a line as its answer.

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { Game, IMPORTS } from "../../kogoma/web/engine/game.js";
import { Position } from "../../kogoma/web/engine/position.js";
import { GameTree } from "../../kogoma/web/page/game_tree.js";
import { addressGame, readAddress, writeAddress } from "../../kogoma/web/page/game_records/address.js";
import { translatedError } from "../../kogoma/web/page/game_records/errors.js";
import { gamesIn, textOf, writeUsiLine } from "../../kogoma/web/page/game_records/formats.js";
import { writeKif } from "../../kogoma/web/page/game_records/kif_writer.js";
import { chooseLanguage } from "../../kogoma/web/page/translate.js";

globalThis.document = { documentElement: {} };
const read = (name) => readFileSync(`${process.argv[2]}/${name}`);
const instance = new WebAssembly.Instance(new WebAssembly.Module(read("module.wasm")), IMPORTS);
const description = JSON.parse(read("description.json").toString());
const game = new Game(instance, description, read("struct.bin"), read("tables.bin"));

const tree = (stored) => GameTree.from(stored);

const answers = {
  kif: ({ record }) => writeKif(game, tree(record)),
  usi: ({ record }) => writeUsiLine(tree(record)),
  // The games of a text, or of a file's bytes in base64. Of a game of another variant, only the title is returned.
  open: async ({ text, bytes, games, preferred }) =>
    (await gamesIn(text ?? await textOf(Buffer.from(bytes, "base64")), games, preferred)).map((found) => {
      if (found.variant !== game.variant.name) return { variant: found.variant, title: found.title };
      const { tree: record, trouble } = found.read(game);
      return { variant: found.variant, title: found.title, record: record && record.toJSON(), trouble };
    }),
  share: ({ stored, ply, alone }) => {
    const made = tree(stored);
    if (ply !== undefined) made.goTo([made.root, ...made.line()][ply]);
    return writeAddress(game, made, alone);
  },
  shared: ({ hash, games }) => {
    if (addressGame(hash, games) === null) return null;
    const made = readAddress(game, hash);
    return { tree: made.toJSON(), ply: made.current.ply };
  },
  language: ({ name }) => chooseLanguage(name),
  error: ({ sfen, moves = [] }) => {
    try {
      const position = new Position(game, sfen);
      for (const move of moves) position.push(move);
    } catch (error) {
      return translatedError(error);
    }
    return "";
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const asked = JSON.parse(line);
  let answer;
  try {
    answer = { is: (await answers[asked.ask](asked)) ?? null };
  } catch (error) {
    answer = { error: error.message, line: error.line };
  }
  console.log(JSON.stringify(answer));
}
