// Parsing of the turns of CodinGame's Minishogi, Dice-Shogi and Onitama: the counterpart of
// arena/codingame/shogi_turn.py and onitama_turn.py.

/** @typedef {import("./turn_reader.js").RawTurn} RawTurn */
/** @typedef {{player: number | null, sfen: string | null, last: string | null, dice: number | null,
 *   actions: Map<string, string>}} Turn a parsed turn, null for unreadable parts; `actions` maps the
 *   legal moves in USI notation to the referee's notation */

const SIZE = 5, ROW_LETTERS = "abcde";
/** @type {{[letter: string]: string}} */
const ONITAMA_PIECES = { W: "M", w: "S", B: "m", b: "s" };

/** Return the player: from a game's first turn, or `known`, or a guess from the legal actions.
 * @param {RawTurn} raw  @param {number | null} known  @param {() => number | null} guess  @returns {number | null} */
function playerOf(raw, known, guess) {
  if (raw.once.length && raw.once[0] !== null) return Number(raw.once[0]);
  return known ?? guess();
}

/** Return the board of an SFEN: ranks joined by slashes, empty squares as numbers.
 * @param {(string | null)[]} rows */
const boardOf = (rows) => rows.map((row) => `${row}`.replace(/\.+/g, (empty) => `${empty.length}`)).join("/");

/** Parse a turn of Minishogi or Dice-Shogi. `known` is the player that the game's first turn named, or null.
 * @param {RawTurn} raw  @param {number | null} known  @returns {Turn} */
export function readShogi(raw, known) {
  const last = raw.each[raw.each.length - 1], rows = raw.each.slice(0, SIZE), hands = raw.each.slice(SIZE, SIZE + 2);
  const die = raw.each.slice(SIZE + 2, -1);
  const player = playerOf(raw, known, () => guessShogiPlayer(rows, raw.actions, last));
  let sfen = null;
  if (!rows.includes(null) && !hands.includes(null) && player !== null) {
    const held = `${hands[0]}`.toUpperCase() + `${hands[1]}`.toLowerCase();
    sfen = `${boardOf(rows)} ${"bw"[player]} ${held.replace(/-/g, "") || "-"}`;
  }
  return {
    player, sfen, last: last === null || last === "none" ? null : shogiToUsi(last),
    dice: die.length && die[0] !== null ? Number(die[0]) : null,
    actions: new Map(raw.actions.map((action) => [shogiToUsi(action), action])),
  };
}

/** Return an action in USI notation: `4534+` -> `4e3d+`, `g*33` -> `G*3c`.
 * @param {string} action  @returns {string} */
function shogiToUsi(action) {
  const target = action[2] + ROW_LETTERS[Number(action[3]) - 1] + action.slice(4);
  if (action[1] === "*") return `${action[0].toUpperCase()}*${target}`;
  return action[0] + ROW_LETTERS[Number(action[1]) - 1] + target;
}

/** Return a USI move as an action: `4e3d+` -> `4534+`, `G*3c` -> `G*33`, or `g*33` for White.
 * @param {string} usi  @param {number} player */
export function usiToShogi(usi, player) {
  const action = usi.replace(/[a-e]/g, (row) => `${ROW_LETTERS.indexOf(row) + 1}`);
  return player ? action.toLowerCase() : action;
}

/** Return the player to move, derived from the last action ("none": the game starts) or from the pieces that the legal
 * actions move; null if this is impossible.
 * @param {(string | null)[]} rows  @param {string[]} actions  @param {string | null} last  @returns {number | null} */
function guessShogiPlayer(rows, actions, last) {
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

/** Parse a turn of Onitama. `known` is the player that the game's first turn named, or null.
 * @param {RawTurn} raw  @param {number | null} known  @returns {Turn} */
export function readOnitama(raw, known) {
  const rows = raw.each.slice(0, SIZE), cards = raw.each.slice(SIZE);
  const player = playerOf(raw, known, () => guessOnitamaPlayer(rows, raw.actions));
  let sfen = null;
  if (!raw.each.includes(null) && player !== null) {
    const hands = ["0", "1", "-1"].map((owner) => {
      const held = cards.map((card) => `${card}`.split(" ")).filter((words) => words[0] === owner);
      return held.map((words) => Number(words[1])).sort((a, b) => a - b).join(",");
    });
    const board = boardOf(rows).replace(/[WwBb]/g, (letter) => ONITAMA_PIECES[letter]);
    sfen = `${board} ${"bw"[player]} ${hands.join("/")}`;
  }
  const actions = new Map(raw.actions.map((action) => [action.replace(/ /g, ":").toLowerCase(), action]));
  return { player, sfen, last: null, dice: null, actions };
}

/** Return a USI move as an action: `12:b1b3` -> `12 B1B3`, for either player.
 * @param {string} usi */
export const usiToOnitama = (usi) => usi.replace(/:/g, " ").toUpperCase();

/** Return the player to move, derived from the pieces that the legal actions move; null if this is impossible.
 * @param {(string | null)[]} rows  @param {string[]} actions  @returns {number | null} */
function guessOnitamaPlayer(rows, actions) {
  for (const action of actions) {
    const move = action.split(" ")[1], row = move === "PASS" ? null : rows[SIZE - Number(move[1])];
    if (row !== null) return "Bb".includes(row["ABCDE".indexOf(move[0])]) ? 1 : 0;
  }
  return null;
}
