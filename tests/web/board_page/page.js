// A page with a board or an editor alone, for the tests: they say what to show and read what the user chose.

import { BoardView } from "../../../web/board/view.js";
import { parseSfen, play } from "../../../web/board/state.js";

const host = /** @type {HTMLElement} */ (document.getElementById("board"));
/** What the tests find on the window. */
const told = {
  /** @type {string[]} */
  moves: [],
  dice: 0,
  /** @type {BoardView | null} */
  board: null,
  /** Show a position after some moves.
   * @param {{variant: string, sfen: string, moves: string[], shape: import("../../../web/board/state.js").Shape,
   *   view: import("../../../web/board/drawing.js").View}} given */
  show({ variant, sfen, moves, shape, view }) {
    told.board ??= new BoardView(host, { onMove: (usi) => told.moves.push(usi), onDie: () => (told.dice += 1) });
    const state = moves.reduce(play, parseSfen(sfen, variant, shape));
    const start = performance.now();
    told.board.show(state, view);
    told.board.scene.svg.getBoundingClientRect();
    return performance.now() - start;
  },
};
Object.assign(window, { told });
document.documentElement.dataset.ready = "true";
