// A score for every move of a game: its positions are searched from the last one back, so that what the table holds of
// later moves serves earlier ones.

export class WholeGame {
  constructor() {
    this._stopped = false;
    /** @type {EngineLike | null} */
    this._engine = null;
  }

  /** Search the position after each move of a line. A rejected promise tells of an engine that has died.
   * @param {EngineLike} engine  @param {string} start  @param {GameNode[]} line from the first move on
   * @param {number} ms for each position
   * @param {(done: number, node: GameNode, said: Said | null) => void} report after each position; null where no move
   *   can be made
   * @returns {Promise<boolean>} whether it came to its end */
  async run(engine, start, line, ms, report) {
    this._engine = engine;
    const moves = line.map((node) => node.move);
    for (let index = line.length - 1; index >= 0 && !this._stopped; index--) {
      const game = { start, moves: moves.slice(0, index + 1) };
      const { best, scoreKind, score, depth } = await engine.search(game, { movetime: ms }, {}, () => {});
      if (this._stopped) break;
      // The engine speaks for the side to move; what is kept with a move is what its mover gets of it.
      report(line.length - index, line[index], best === null ? null : [scoreKind, -score, depth]);
    }
    return !this._stopped;
  }

  stop() {
    this._stopped = true;
    this._engine?.stop();
  }
}
