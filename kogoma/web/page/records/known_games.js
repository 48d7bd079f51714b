// Which game an SFEN belongs to.

import { wordsOf } from "../../engine/text.js";

/** @typedef {{name: string, files: number, ranks: number, letters: string[], cards: boolean, start: string}} KnownGame
 *   what games/index.json tells of a game, as far as texts are concerned */

/** The game of an SFEN by its board's shape and its pieces: `preferred` where they fit, otherwise the first one that
 * does; where the pieces fit nowhere, the shape decides alone; "" where that fits nowhere. As rules/variants.py has it.
 * @param {string} sfen  @param {KnownGame[]} games  @param {string} preferred  @returns {string} */
export function gameOf(sfen, games, preferred) {
  const words = wordsOf(sfen), board = (words[0] ?? "").split("/");
  const cells = board[0].match(/[0-9]+|\+?[A-Za-z]/g) ?? [];
  const files = cells.reduce((sum, cell) => sum + (/[0-9]/.test(cell) ? Number(cell) : 1), 0);
  const fitting = games.filter((game) => game.files === files && game.ranks === board.length);
  fitting.sort((a, b) => Number(b.name === preferred) - Number(a.name === preferred));
  const letters = words[0]?.toUpperCase().match(/\+?[A-Z]/g) ?? [], cards = words[2]?.includes(",") ?? false;
  const whole = fitting.find((game) => game.cards === cards && letters.every((letter) => game.letters.includes(letter)));
  return (whole ?? fitting[0])?.name ?? "";
}
