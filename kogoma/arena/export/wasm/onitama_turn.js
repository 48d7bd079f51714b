// A turn of CodinGame's Onitama: the counterpart of arena/codingame/onitama_turn.py.

/** @typedef {import("./turn_reader.js").RawTurn} RawTurn */
/** @typedef {import("./shogi_turn.js").Turn} Turn */

const SIZE = 5;
/** @type {{[letter: string]: string}} */
const PIECES = { W: "M", w: "S", B: "m", b: "s" };

/** The turn in the engine's notation. `known` is the player, from the first turn.
 * @param {RawTurn} raw  @param {number | null} known  @returns {Turn} */
export function readOnitama(raw, known) {
  const rows = raw.each.slice(0, SIZE), cards = raw.each.slice(SIZE);
  let player = known;
  if (raw.once.length && raw.once[0] !== null) player = Number(raw.once[0]);
  if (player === null) player = guessPlayer(rows, raw.actions);
  let sfen = null;
  if (!raw.each.includes(null) && player !== null) {
    const board = rows.map((row) => `${row}`.replace(/\.+/g, (empty) => `${empty.length}`)).join("/");
    const hands = ["0", "1", "-1"].map((owner) => {
      const held = cards.map((card) => `${card}`.split(" ")).filter((words) => words[0] === owner);
      return held.map((words) => Number(words[1])).sort((a, b) => a - b).join(",");
    });
    sfen = `${board.replace(/[WwBb]/g, (letter) => PIECES[letter])} ${"bw"[player]} ${hands.join("/")}`;
  }
  const actions = new Map(raw.actions.map((action) => [action.replace(/ /g, ":").toLowerCase(), action]));
  return { player, sfen, last: null, dice: null, actions };
}

/** `12:b1b3` -> `12 B1B3`, for either player.
 * @param {string} usi */
export const usiToOnitama = (usi) => usi.replace(/:/g, " ").toUpperCase();

/** Whose turn it is, where the line that says so could not be read: by the pieces that may move.
 * @param {(string | null)[]} rows  @param {string[]} actions  @returns {number | null} */
function guessPlayer(rows, actions) {
  for (const action of actions) {
    const move = action.split(" ")[1], row = move === "PASS" ? null : rows[SIZE - Number(move[1])];
    if (row !== null) return "Bb".includes(row["ABCDE".indexOf(move[0])]) ? 1 : 0;
  }
  return null;
}
