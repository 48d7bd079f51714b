// The start of the file: what is packed in it becomes a game, and the game is played.

import { inflateSync } from "node:zlib";
import { unpack } from "./unpack.js";

/** Play the packed game. `packed` holds, compressed, the script that plays, JSON that describes game and arena, the
 * records of rules and weights, the evaluation's tables, and the WebAssembly module.
 * @param {string} packed  @param {(name: string) => object} requires what the script finds modules of Node with */
export function start(packed, requires) {
  const contents = inflateSync(unpack(packed));
  let place = 0;
  /** The next part: its length in four bytes, then its bytes. */
  const next = () => {
    const length = contents.readUInt32LE(place);
    place += 4 + length;
    return contents.subarray(place - length, place);
  };
  const { Game, IMPORTS, play } = new Function("require", next().toString())(requires);
  const { description, options } = JSON.parse(next().toString()), rules = next(), weights = next();
  const tables = next();
  const instance = new WebAssembly.Instance(new WebAssembly.Module(Uint8Array.from(next())), IMPORTS);
  play(new Game(instance, description, rules, weights, tables), options, process.argv.slice(2));
}
