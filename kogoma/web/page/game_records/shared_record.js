// Whole games as URL fragments, with variations, comments, names and the end:
//   #game=minishogi&record=...&node=0.0.1
// `record` is the game as KIF in UTF-8, compressed, in base64url. `node` is the node to show, as its `indices`: "3.1" is
// the first move, three times, then the second of the next moves; it is omitted for the start.

import { clipped } from "../../engine/text.js";
import { t } from "../later_texts.js";
import { translatedError } from "./errors.js";
import { fieldsOf } from "./fragment.js";
import { kifRecords } from "./kif_reader.js";
import { find } from "./known_games.js";

/** The zlib format: its checksum detects damaged addresses, which "deflate-raw" would not. */
const FORMAT = "deflate";
const LONGEST = 200_000; // characters of a fragment; browsers allow at least a million in an address
const MOST = 2_000_000; // bytes of the KIF
const DEEPEST = 100_000; // moves to the shown node

/** The fragment for a game. Throws an Error if it would be too long.
 * @param {string} kif the game as KIF  @param {GameTree} tree  @returns {Promise<string>} begins with # */
export async function writeRecordAddress(kif, tree) {
  const bytes = new TextEncoder().encode(kif);
  const packed = bytes.length <= MOST ? await piped(bytes, "CompressionStream", LONGEST) : null;
  const indices = tree.current.indices(), node = indices.length ? `&node=${writeIndices(indices)}` : "";
  const hash = packed && `#game=${tree.variant}&record=${inBase64(packed)}${node}`;
  if (!hash || hash.length > LONGEST) throw new Error(t("records.shareTooLong"));
  return hash;
}

/** Read a game from a fragment. Throws an Error that states what is invalid.
 * @param {Game} game the variant from `addressGame`  @param {string} hash  @param {KnownGame[]} games
 * @returns {Promise<GameTree>} */
export async function readRecordAddress(game, hash, games) {
  try {
    if (hash.length > LONGEST) throw new Error(t("records.tooLong", { most: LONGEST }));
    const fields = fieldsOf(hash) ?? new Map(), tree = readKif(game, await readText(fields.get("record") ?? ""), games);
    const node = fields.get("node") ?? "", indices = readIndices(node);
    tree.goTo(tree.at(indices));
    if (tree.current.indices().join() !== indices.join()) throw new Error(t("records.addressPly", { ply: clipped(node, 9) }));
    return tree;
  } catch (error) {
    throw new Error(t("records.address", { why: translatedError(error) }));
  }
}

/** @param {string} record  @returns {Promise<string>} */
async function readText(record) {
  let text = null;
  try {
    const bytes = await piped(fromBase64(record), "DecompressionStream", MOST);
    text = bytes && new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Error(t("records.addressDamaged"));
  }
  if (text === null) throw new Error(t("records.tooLong", { most: MOST }));
  return text;
}

/** @param {Game} game  @param {string} text  @param {KnownGame[]} games  @returns {GameTree} */
function readKif(game, text, games) {
  const { name } = game.variant, known = find(name, games), found = [...kifRecords(text.split(/\r\n|\r|\n/), games, known, known)];
  const [record, ...others] = found.flatMap((one) => one ?? []);
  if (record?.variant !== name || others.length) throw new Error(t("records.addressDamaged"));
  const { tree, trouble } = record.read(game);
  if (!tree || trouble) throw trouble ?? new Error(t("records.addressDamaged"));
  return tree;
}

/** Send bytes through a stream. Returns null, and stops, if the result would be longer than `most`.
 * @param {Uint8Array} bytes  @param {"CompressionStream" | "DecompressionStream"} name  @param {number} most
 * @returns {Promise<Uint8Array | null>} */
async function piped(bytes, name, most) {
  const stream = new /** @type {any} */ (globalThis)[name](FORMAT);
  const reader = new Blob([/** @type {any} */ (bytes)]).stream().pipeThrough(stream).getReader();
  /** @type {Uint8Array[]} */
  const parts = [];
  let size = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    size += part.value.length;
    if (size > most) {
      void reader.cancel().catch(() => {});
      return null;
    }
    parts.push(part.value);
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** @param {Uint8Array} bytes */
const inBase64 = (bytes) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))
  .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

/** Throws an Error if the text is not base64url.
 * @param {string} text  @returns {Uint8Array} */
function fromBase64(text) {
  if (!/^[\w-]+$/.test(text)) throw new Error("not base64url");
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0));
}

/** Indices as numbers: how often the first move is chosen, the index of another one, and so on.
 * @param {number[]} indices  @returns {string} */
function writeIndices(indices) {
  const numbers = [0];
  for (const index of indices) {
    if (index) numbers.push(index, 0);
    else numbers[numbers.length - 1] += 1;
  }
  return numbers.join(".");
}

/** The indices of a text, or [-1] if it is not valid.
 * @param {string} text  @returns {number[]} */
function readIndices(text) {
  if (text === "") return [];
  const numbers = text.split(".").map(Number), moves = numbers.reduce((sum, number, place) => sum + (place % 2 ? 1 : number), 0);
  if (!/^\d{1,5}(\.\d{1,5}\.\d{1,5})*$/.test(text) || moves > DEEPEST) return [-1];
  return numbers.flatMap((number, place) => (place % 2 ? [number] : new Array(number).fill(0)));
}
