// Loads the files of games that web/games_folder.py has written.

import { Game, IMPORTS } from "../engine/game.js";

/** How the pieces of a custom variant are shown, by letter: as in a built-in variant, or with a name and a text; {} for a
 * built-in variant.
 * @typedef {{[letter: string]: string | [name: string, face: string, royal: boolean]}} Faces */

/** How pieces move, by letter, as `moves_of` of web/games_folder.py writes it.
 * @typedef {{[letter: string]: string}} MovesByLetter */
/** @typedef {{name: string, files: number, ranks: number, order: string, choices: string[], letters: string[], held: string, placements: number, faces: Faces, moves: MovesByLetter, start: string, die: string,
 *   levels: [elo: number, nodes: number, noise: number][], cards: boolean, anySetUp: boolean, kingCapture: boolean, maxPlies: number,
 *   scale: number, data: string, dataBytes: number, kernels: string, shared: string}} GameEntry
 *   `data`, `kernels` and `shared` (kernels for several threads) are paths below the index's `base`; `order` are the letters
 *   in the order of hands; with `anySetUp`, positions may have other pieces than `start`; `scale` is that of winning
 *   chances */
/** @typedef {{format: number, version: string, games: GameEntry[], cards: [string, [number, number][]][],
 *   judging: Omit<Judging, "scale">, tablebases: {[game: string]: string}, replies: string[],
 *   server: {engines: string[], matches: string[], socket: string, threads: number, hashMb: number,
 *     compiling: string | null, progress: {elapsed: number, expected: number} | null} | null, base: string}} Index
 *   `tablebases` has the path of the blocks of each game that has a tablebase here; `replies` are the games that have
 *   winning replies from the start, without blocks;
 *   `server` is null if there is no local server; `compiling` is its current or failed build step, null when all games
 *   are built; `progress`: the seconds since its start, and until the first game is built, null if nothing is being built */
/** @typedef {{description: import("../engine/game.js").GameDescription, struct: Uint8Array, network: Uint8Array}}
 *   GameData `struct` is the struct `game` of searches */

/** The root of the site: the parent of this module's folder, and of that of the exported site's scripts. */
export const ROOT = new URL("../", import.meta.url);
const FORMAT = 1; // of index.json
/** @type {any} */
const browser = globalThis;

/** Return the names of required features that this browser lacks. */
export function missing() {
  return ["WebAssembly", "DecompressionStream", "BigInt64Array", "Worker"].filter((name) => !browser[name]);
}

/** Fetch a file below `base`. Throw an Error that names the file if that fails.
 * @param {string | URL} path  @param {string | URL} base  @returns {Promise<Response>} */
export async function fetchFile(path, base) {
  const address = new URL(path, base);
  const response = await fetch(address).catch((/** @type {Error} */ error) => error);
  if (response instanceof Error) throw new Error(`cannot load ${address}: ${response.message}`);
  if (!response.ok) throw new Error(`cannot load ${address}: ${response.status} ${response.statusText}`);
  return response;
}

/** Load the index of games. `base` is the site's root.
 * @param {string | URL} [base]  @returns {Promise<Index>} */
export async function loadIndex(base = ROOT) {
  const response = await fetchFile("games/index.json", base);
  const index = await response.json().catch(() => null);
  if (index?.format !== FORMAT || !Array.isArray(index.games)) {
    throw new Error(`${response.url} is not an index of games of this version`);
  }
  return { ...index, base: new URL(base, ROOT).href };
}

/** Return a game's entry in the index. Throw an Error if there is none.
 * @param {Index} index  @param {string} name  @returns {GameEntry} */
export function entryOf(index, name) {
  const entry = index.games.find((game) => game.name === name);
  if (!entry) throw new Error(`no game is called ${name}`);
  return entry;
}

/** Decompress data in gzip format.
 * @param {Uint8Array} packed  @returns {Promise<ArrayBuffer>} */
function inflated(packed) {
  const stream = new Blob([packed]).stream().pipeThrough(new browser.DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

/** Unpack a game's data.
 * @param {Uint8Array} packed  @returns {Promise<GameData>} */
export async function unpack(packed) {
  const buffer = await inflated(packed);
  const lengths = new DataView(buffer), parts = [];
  for (let at = 0; at < buffer.byteLength;) {
    const length = lengths.getUint32(at, true);
    parts.push(new Uint8Array(buffer, at + 4, length));
    at += 4 + length;
  }
  const [description, struct, network] = parts;
  return { description: JSON.parse(new TextDecoder().decode(description)), struct, network };
}

/** @type {Map<string, Promise<any>>} loaded contents by address */
const loaded = new Map();

/** Return the promise of the earlier call with this key. If there was none, or if it has failed, call `load`.
 * @template T  @param {string} key  @param {() => Promise<T>} load  @returns {Promise<T>} */
function once(key, load) {
  let promise = loaded.get(key);
  if (!promise) {
    promise = load();
    loaded.set(key, promise);
    promise.catch(() => loaded.delete(key));
  }
  return promise;
}

/** Load a file of the site and decode it with `read`, once.
 * @template T  @param {Index} index  @param {string} path  @param {(content: Uint8Array) => Promise<T>} read
 * @returns {Promise<T>} */
const loadFile = (index, path, read) => once(new URL(path, index.base).href, async () => {
  const response = await fetchFile(path, index.base);
  return read(new Uint8Array(await response.arrayBuffer()));
});

/** Load a file in gzip format.
 * @param {Index} index  @param {string} path  @returns {Promise<Uint8Array>} */
export const loadRaw = (index, path) => loadFile(index, path, async (content) => new Uint8Array(await inflated(content)));

/** Load packed data.
 * @param {Index} index  @param {string} path  @returns {Promise<GameData>} */
export const loadPacked = (index, path) => loadFile(index, path, unpack);

/** Load a game's data.
 * @param {Index} index  @param {string} name  @returns {Promise<GameData>} */
export const loadData = async (index, name) => loadPacked(index, entryOf(index, name).data);

/** Load and compile a WebAssembly module. Streaming compilation would need a MIME type that not every server sends.
 * @param {Index} index  @param {string} path  @returns {Promise<WebAssembly.Module>} */
export const loadModule = (index, path) =>
  loadFile(index, path, async (content) => WebAssembly.compile(path.endsWith(".gz") ? await inflated(content) : content));

/** Load and compile the kernels of a game; with `shared`, those for several threads.
 * @param {Index} index  @param {string} name  @param {boolean} [shared]  @returns {Promise<WebAssembly.Module>} */
export async function loadKernels(index, name, shared = false) {
  const entry = entryOf(index, name);
  return loadModule(index, shared ? entry.shared : entry.kernels);
}

/** Load a game's kernels and data on this thread, to use its rules without an engine Worker.
 * @param {Index} index  @param {string} name  @returns {Promise<Game>} */
export async function loadGame(index, name) {
  const { kernels } = entryOf(index, name);
  return once(`${new URL(kernels, index.base).href}#${name}`, async () => {
    const [module, data] = await Promise.all([loadKernels(index, name), loadData(index, name)]);
    const instance = await WebAssembly.instantiate(module, IMPORTS);
    return new Game(instance, data.description, data.struct, data.network);
  });
}
