// The entry point of the exported file: it unpacks the game and plays it.

import { inflateSync } from "node:zlib";
import { unpack } from "./unpack.js";

/** Play the packed game. `packed` holds, compressed, the six parts that arena/export/wasm_flavor.py lists.
 * @param {string} packed  @param {(name: string) => object} requires the function that loads modules of Node */
export function start(packed, requires) {
  const contents = inflateSync(unpack(packed));
  let offset = 0;
  /** Return the next part, which follows its length in four bytes. */
  const next = () => {
    const length = contents.readUInt32LE(offset);
    offset += 4 + length;
    return contents.subarray(offset - length, offset);
  };
  const { Game, IMPORTS, play } = new Function("require", next().toString())(requires);
  const { description, options } = JSON.parse(next().toString()), struct = next(), network = next();
  const instance = new WebAssembly.Instance(new WebAssembly.Module(Uint8Array.from(next())), IMPORTS);
  const game = new Game(instance, description, struct, network);
  play(game, { ...options, book: next() }, process.argv.slice(2));
}
