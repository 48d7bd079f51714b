// A page that shows only a board or an editor, for the tests. They choose what it shows and read the user's choices.

import { defineMoves } from "../../../kogoma/web/board/pieces.js";
import { BoardEditor } from "../../../kogoma/web/board/editor.js";
import { BoardView } from "../../../kogoma/web/board/view.js";
import { parseSfen, play } from "../../../kogoma/web/board/state.js";

const host = /** @type {HTMLElement} */ (document.getElementById("board"));
/** The property of the window that the tests use. */
const told = {
  /** @type {string[]} */
  moves: [],
  dice: 0,
  /** @type {BoardView | null} */
  board: null,
  /** The SFENs that the editor reported.
   * @type {string[]} */
  sfens: [],
  /** @type {BoardEditor | null} */
  editor: null,
  defineMoves,
  /** Put a position into the editor.
   * @param {{variant: string, sfen: string, shape: import("../../../kogoma/web/board/state.js").Shape,
   *   view: import("../../../kogoma/web/board/drawing.js").View}} given */
  edit({ variant, sfen, shape, view }) {
    told.editor ??= new BoardEditor(host, { onChange: (text) => told.sfens.push(text) });
    told.editor.show(parseSfen(sfen, variant, shape), view);
  },
  /** Show a position after some moves, and return the milliseconds it took.
   * @param {{variant: string, sfen: string, moves: string[], shape: import("../../../kogoma/web/board/state.js").Shape,
   *   view: import("../../../kogoma/web/board/drawing.js").View}} given */
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
