// Where everything is in the drawing of a position, in units of which a square has 60.

/** @typedef {{x: number, y: number, wide: number, high: number}} Box */

export const CELL = 60;
export const CARD = { wide: 88, high: 106 };
const GAP = 6, LABEL = 24, STAND = 58, EDGE = 3;

/** The places of a position's parts. Stands and labels are those of Black and of White; `column` and `row` tell where a
 * square is shown.
 * @typedef {{width: number, height: number, plate: Box, board: Box, stands: Box[], labels: (number | null)[],
 *   between: Box | null, coordinates: boolean, at: (index: number) => {x: number, y: number},
 *   square: (x: number, y: number) => number}} Layout */

/** @param {State} state  @param {View} view  @returns {Layout} */
export function layoutOf(state, view) {
  const { files, ranks } = state, cards = Boolean(state.cards), coordinates = view.coordinates !== false;
  const wide = files * CELL, high = ranks * CELL, flipped = Boolean(view.flipped);
  const pad = coordinates ? 19 : 9, around = { top: cards ? 9 : pad, right: cards ? 9 : pad, bottom: cards ? pad : 9, left: cards ? pad : 9 };
  const plateWide = wide + around.left + around.right, plateHigh = high + around.top + around.bottom;
  const beside = cards ? CARD.wide + GAP : 0, least = view.dice ? 262 : 200;
  const outer = Math.max(plateWide + beside, least), standHigh = cards ? CARD.high : STAND;
  const label = view.names.some(Boolean) ? LABEL : 0;
  const plate = { x: EDGE + (outer - plateWide - beside) / 2, y: EDGE + label + standHigh + GAP, wide: plateWide, high: plateHigh };
  const board = { x: plate.x + around.left, y: plate.y + around.top, wide, high };
  const upper = { x: EDGE, y: EDGE + label, wide: outer - beside, high: standHigh };
  const lower = { ...upper, y: plate.y + plateHigh + GAP };
  const height = lower.y + standHigh + label + EDGE;
  const labels = label ? [lower.y + standHigh + 17, upper.y - 8] : [null, null];
  const ordered = [lower, upper];
  /** @param {number} index */
  const shown = (index) => (flipped ? files * ranks - 1 - index : index);
  return {
    width: outer + 2 * EDGE, height, plate, board, coordinates,
    stands: flipped ? ordered.reverse() : ordered,
    labels: flipped ? labels.reverse() : labels,
    between: cards ? { x: plate.x + plateWide + GAP, y: plate.y + (plateHigh - CARD.high) / 2, ...CARD } : null,
    at: (index) => ({
      x: board.x + (shown(index) % files) * CELL + CELL / 2,
      y: board.y + Math.floor(shown(index) / files) * CELL + CELL / 2,
    }),
    square: (x, y) => {
      const column = Math.floor((x - board.x) / CELL), row = Math.floor((y - board.y) / CELL);
      return column >= 0 && column < files && row >= 0 && row < ranks ? shown(row * files + column) : -1;
    },
  };
}
