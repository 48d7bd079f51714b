// A turn of CodinGame's Minishogi or Dice-Shogi: the counterpart of arena/codingame/shogi_turn.py.

/** @typedef {import("./turn_reader.js").RawTurn} RawTurn */
/** @typedef {{player: number | null, sfen: string | null, last: string | null, dice: number | null,
 *   actions: Map<string, string>}} Turn what is known of a turn; `actions` by their USI notation */

const SIZE = 5, ROW_LETTERS = "abcde";

/** The turn in the engine's notation. `known` is the player, from the first turn.
 * @param {RawTurn} raw  @param {number | null} known  @returns {Turn} */
export function readShogi(raw, known) {
  const last = raw.each[raw.each.length - 1], rows = raw.each.slice(0, SIZE), hands = raw.each.slice(SIZE, SIZE + 2);
  const die = raw.each.slice(SIZE + 2, -1);
  let player = known;
  if (raw.once.length && raw.once[0] !== null) player = Number(raw.once[0]);
  if (player === null) player = guessPlayer(rows, raw.actions, last);
  let sfen = null;
  if (!rows.includes(null) && !hands.includes(null) && player !== null) {
    const board = rows.map((row) => `${row}`.replace(/\.+/g, (empty) => `${empty.length}`)).join("/");
    const held = `${hands[0]}`.toUpperCase() + `${hands[1]}`.toLowerCase();
    sfen = `${board} ${"bw"[player]} ${held.replace(/-/g, "") || "-"}`;
  }
  return {
    player, sfen, last: last === null || last === "none" ? null : shogiToUsi(last),
    dice: die.length && die[0] !== null ? Number(die[0]) : null,
    actions: new Map(raw.actions.map((action) => [shogiToUsi(action), action])),
  };
}

/** `4534+` -> `4e3d+`, `g*33` -> `G*3c`.
 * @param {string} action  @returns {string} */
function shogiToUsi(action) {
  const target = action[2] + ROW_LETTERS[Number(action[3]) - 1] + action.slice(4);
  if (action[1] === "*") return `${action[0].toUpperCase()}*${target}`;
  return action[0] + ROW_LETTERS[Number(action[1]) - 1] + target;
}

/** `4e3d+` -> `4534+`, `G*3c` -> `G*33`, or `g*33` for White.
 * @param {string} usi  @param {number} player */
export function usiToShogi(usi, player) {
  const action = usi.replace(/[a-e]/g, (row) => `${ROW_LETTERS.indexOf(row) + 1}`);
  return player ? action.toLowerCase() : action;
}

/** Whose turn it is, where the line that says so could not be read: by the pieces that may move.
 * @param {(string | null)[]} rows  @param {string[]} actions  @param {string | null} last  @returns {number | null} */
function guessPlayer(rows, actions, last) {
  if (last === "none") return 0;
  for (const action of actions) {
    if (action[1] === "*") return isLower(action[0]) ? 1 : 0;
    const row = rows[Number(action[1]) - 1];
    if (row !== null) {
      const cell = (row.match(/\+?[A-Za-z]|\./g) ?? [])[SIZE - Number(action[0])];
      return isLower(cell) ? 1 : 0;
    }
  }
  return null;
}

/** @param {string} text */
const isLower = (text) => text !== text.toUpperCase();
