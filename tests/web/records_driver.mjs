// Runs the modules of web/page/game_records for the tests. The argument is a folder with the files of a variant. Each
// line on standard input is a question as JSON, and gets a line as its answer.

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { Game, IMPORTS } from "../../kogoma/web/engine/game.js";
import { Position } from "../../kogoma/web/engine/position.js";
import { GameTree } from "../../kogoma/web/page/game_tree.js";
import { addressGame, readAddress, writeAddress } from "../../kogoma/web/page/game_records/address.js";
import { namedGame } from "../../kogoma/web/page/game_records/fragment.js";
import { RecordError, translated, translatedError } from "../../kogoma/web/page/game_records/errors.js";
import { gamesIn, textOf } from "../../kogoma/web/page/game_records/formats.js";
import { linesOf, writeKif } from "../../kogoma/web/page/game_records/kif_writer.js";
import { readRecordAddress, writeRecordAddress } from "../../kogoma/web/page/game_records/shared_record.js";
import { noteText } from "../../kogoma/web/page/game_records/game_record.js";
import { writeUsiLine } from "../../kogoma/web/page/game_records/usi_lines.js";
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
  open: async ({ text, bytes, games, preferred, format }) =>
    (await gamesIn(text ?? await textOf(Buffer.from(bytes, "base64")), games, preferred, format)).map((found) => {
      if (found.variant !== game.variant.name) return { variant: found.variant, title: found.title };
      const { tree: record, trouble, notes } = found.read(game);
      const told = notes.map((note) => `line ${note.line}: ${noteText(note)}`);
      const { variant, title } = found;
      return { variant, title, record: record && record.toJSON(), trouble: trouble && troubleOf(trouble), ...(told.length && { notes: told }) };
    }),
  // All that is read of the games of a file, in the form of support/kifu/both.py.
  read: async ({ bytes, games, preferred, format }) => {
    try {
      const found = await gamesIn(await textOf(Buffer.from(bytes, "base64")), games, preferred, format);
      return found.map((one) => (one.variant === game.variant.name ? content(one.read(game)) : { other: one.variant }));
    } catch (error) {
      if (!(error instanceof RecordError)) throw error.constructor === Error ? error : new Error(error.stack);
      return [{ raised: troubleOf(error) }];
    }
  },
  translated: ({ message }) => translated(message),
  share: ({ stored, ply, alone }) => {
    const made = tree(stored);
    if (ply !== undefined) made.goTo([made.root, ...made.line()][ply]);
    return writeAddress(game, made, alone);
  },
  shared: ({ hash, games }) => {
    if (namedGame(hash) === null) return null;
    addressGame(hash, games);
    const made = readAddress(game, hash);
    return { tree: made.toJSON(), ply: made.current.ply };
  },
  shareWhole: ({ stored, indices }) => {
    const made = tree(stored);
    made.goTo(made.at(indices));
    return writeRecordAddress(writeKif(game, made), made);
  },
  sharedWhole: async ({ hash, games }) => {
    const made = await readRecordAddress(game, hash, games);
    return { tree: made.toJSON(), indices: made.current.indices() };
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

const troubleOf = ({ code, line, column, message }) => ({ code, line, column, text: message });

function content({ tree: made, trouble, notes }) {
  const error = trouble && troubleOf(trouble);
  if (!made) return { error };
  const { variant, start, names, label, headers, root } = made, moves = [];
  for (const { from, nodes } of linesOf(made)) {
    const { end } = nodes.at(-1) ?? from;
    const steps = nodes.map(({ move, comment, ms, dice }) => [move, comment, ms, dice]);
    const ending = end && [end.winner, end.reason, end.text ?? "", end.comment ?? "", end.ms ?? null];
    if (nodes.length || end) moves.push([from.ply, steps, ending]);
  }
  const told = notes.map((note) => `line ${note.line}: ${noteText(note)}`);
  return { variant, start, names, label, headers, comment: root.comment, moves, notes: told, error };
}

for await (const line of createInterface({ input: process.stdin })) {
  const asked = JSON.parse(line);
  let answer;
  try {
    answer = { is: (await answers[asked.ask](asked)) ?? null };
  } catch (error) {
    answer = { error: error.message };
  }
  console.log(JSON.stringify(answer));
}
