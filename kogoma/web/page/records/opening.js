// A record becomes the game that is open; and the open game becomes a record.

import { playerName } from "../play/board_panel.js";
import { casual } from "../play/match.js";
import { TEXTS } from "../texts.js";

/** What the lab and KIF call a reason, and what the page does. */
const RESIGN = "resign", RESIGNATION = "resignation";

/** How an engine of the lab can fail: lab/engines/faults.py. */
const FAULTS = new Set(["start", "absent", "rubbish", "hang", "disconnect"]);

/** Open a record as a game of two people to look at, with its first position shown, or the one after `ply` moves; an
 * Error, and nothing changed, if it is none.
 * @param {App} app  @param {GameRecord} record  @param {number} [ply] */
export async function openRecord(app, { tree, names, label, end }, ply = 0) {
  tree.names = [clip(names[0]), clip(names[1])];
  const reason = end?.reason === RESIGN ? RESIGNATION : end?.reason ?? "";
  const result = end && { winner: end.winner, reason: FAULTS.has(reason) ? "crash" : `end-${reason}` in TEXTS ? reason : "other" };
  const match = { ...casual(), live: tree.root.rest().map(() => 0), thrown: 0, spent: 0, result };
  const told = [label, names.filter((one) => one).join(" – ")].filter((part) => part).join(": ");
  const name = told || (tree.root.next.length ? "" : tree.start); // a position alone is kept under what it is
  await app.open(tree.toJSON(), { name: clip(name), match });
  app.goToPly(ply);
  app.changed("match"); // from now on it is kept
}

/** @param {string} text */
const clip = (text) => text.slice(0, 100);

/** The open game.
 * @param {App} app  @returns {GameRecord} */
export function currentRecord(app) {
  const { tree, match, name } = app, end = match.live === tree.end && match.result ? { ...match.result } : null;
  if (end?.reason === RESIGNATION) end.reason = RESIGN;
  const names = /** @type {[string, string]} */ ([playerName(app, 0), playerName(app, 1)]);
  return { tree, names, label: name, clock: "", end };
}
