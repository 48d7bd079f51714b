// The bot of a CodinGame arena: it reads turns from standard input and prints its actions.

import { isatty } from "node:tty";
import { Bot } from "./bot.js";
import { LineReader } from "./lines.js";
import { optionsOf, say, tell } from "./streams.js";
import { TurnReader } from "./turn_reader.js";

/** @typedef {{form: any, oneStart: boolean, patience: number[], time: number[], margin: number, hashMb: number, chat: boolean,
 *   book: Buffer}} Arena the options that arena/export/wasm_flavor.py writes; times in ms, for later turns and for the
 *   first */

const SOON = 50; // ms after loading; the clock of an earlier turn starts with the process, as it may have waited

/** Play until the end of input. The clock of the first turn starts with the process.
 * `--margin MS`, `--hash MB` and `--chat` replace the options; `--depth N` searches to that depth without a time limit,
 * for reproducible tests.
 * @param {Game} game  @param {Arena} arena  @param {string[]} words of the command line */
export async function playArena(game, arena, words) {
  /** @param {string} text */
  const complain = (text) => tell(`codingame: ${text}`);
  const given = optionsOf(words, { "--margin": [0, 1000], "--hash": [1, 65536], "--depth": [1, 100], "--chat": [] });
  const depth = given["--depth"];
  /** @param {boolean} first */
  const limits = (first) => (depth ? { depth } : { movetime: arena.time[Number(first)] });
  const lines = new LineReader(process.stdin), reader = new TurnReader(arena.form, lines, complain);
  const margin = given["--margin"] ?? arena.margin, hashMb = given["--hash"] ?? arena.hashMb;
  const chat = arena.chat || "--chat" in given;
  const bot = new Bot(game, { ...arena, margin, hashMb, chat }, limits, complain);
  const loaded = performance.now(), atTerminal = isatty(0); // no time limit for a person who types the lines
  for (;;) {
    const raw = await reader.read((first) => (atTerminal ? null : arena.patience[Number(first)]));
    if (raw === null) return;
    const answer = bot.answer(raw, raw.at < loaded + SOON ? 0 : raw.at);
    if (answer !== null) say(answer);
  }
}
