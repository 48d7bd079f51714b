// The page's state: the game that is open, the node of it that is shown, and what watches both.
//
// For the parts of the page (analysis, records, ...). A part is made once by main.js, with the app and
// an element of index.html to fill; it listens to "changed" and never keeps anything of the app's from one call
// to the next:
//
//   app.game, app.tree, app.node      the rules, the game with its variations, the node shown (tree.current)
//   app.position                      the engine layer's Position of the node shown: read it, never push or pop
//   app.state, app.stateAt(node)      the same for drawing, with the last move (board/state.js)
//   app.legal                         what may be moved there, in USI notation, with the throw app.throwShown (0: none)
//   app.outcome                       how the rules say that the game has ended there, or null
//   app.goTo(node), app.step(-1)      show another node
//   app.play(move, dice)              a move from the node shown: into the game, or as a variation of it
//   app.edited()                      after the tree was changed by hand (promoted, removed, commented)
//   app.open(stored, {name})          another game, from any start, of any variant; an Error, and nothing changed, if it
//                                     is none; `stored` is what GameTree.toJSON gives
//   app.engine("analysis")            an EngineLike of the variant; each role has a process of its own, which is closed
//                                     when another variant is opened or the settings ask for another engine
//   app.match                         who plays, and how that game stands (play/match.js); app.isLive: the node shown
//                                     is where it stands, and it goes on
//   app.look([...])                   the board shows what these moves from there lead to; null: the position again
//   app.setArrows("analysis", [...])  arrows on the board, by who wants them; they go when another node is shown
//   app.view                          how the board is shown: flipped, pieceSet, language, coordinates
//   app.tell(text, "problem")         a message on the page
//
//   app.on("leaving", () => ...)      another game is about to be opened
//   app.on("changed", (what) => ...)  what: "game" another game is open; "tree" nodes were added, removed or annotated;
//                                     "node" another one is shown; "match" seats, clocks, result, throw; "view" language,
//                                     sides, pieces, arrows. Each may stand for those after it, too: compare with
//                                     `includes(what, "node")`.

import { parseSfen, play } from "../board/state.js";
import { shortMove } from "../board/descriptions.js";
import { Engine } from "../client/engine.js";
import { entryOf, loadGame } from "../client/loader.js";
import { Position } from "../engine/position.js";
import { GameTree } from "./game_tree.js";

/** @typedef {{usi: string, weight: number, label?: string, kind: "line" | "hint" | "threat"}} Arrow */
/** @typedef {{flipped: 0 | 1, pieceSet: "two" | "one" | "western", language: "en" | "ja",
 *   coordinates: boolean}} BoardLook */
/** @typedef {"game" | "tree" | "node" | "match" | "view"} Change */
/** @typedef {"note" | "problem"} Tone */
/** @typedef {{label: string, act: () => void}} Remedy what a button beside a message does */

/** @type {Change[]} */
const CHANGES = ["game", "tree", "node", "match", "view"];

/** Whether a change may have changed `asked`, too: another game has other nodes.
 * @param {Change} what  @param {Change} asked */
export const includes = (what, asked) => CHANGES.indexOf(what) <= CHANGES.indexOf(asked);

export class App {
  /** Nothing is open before the first `open`. `tell` shows a message on the page, for screen readers, too, with something
   * that may be done about it.
   * @param {Index} index  @param {BoardLook} view  @param {(app: App) => Match} makeMatch
   * @param {(text: string, tone?: Tone, remedy?: Remedy) => void} tell */
  constructor(index, view, makeMatch, tell) {
    this.index = index;
    this.view = view;
    this.tell = tell;
    this.name = "";
    /** Which of the server's engines serves a role; "" or none is the page's own.
     * @type {(role: string) => string} */
    this.engineName = () => "";
    /** How an engine of the server is reached, where a server serves the page.
     * @type {((engine: string, variant: string) => EngineLike) | null} */
    this.remote = null;
    /** What the page's own engines may use.
     * @type {{threads: number, hashMb: number}} */
    this.power = { threads: 1, hashMb: 16 };
    /** @type {Game} */
    this.game = /** @type {any} */ (null);
    /** @type {GameTree} */
    this.tree = /** @type {any} */ (null);
    /** @type {Position} */
    this.position = /** @type {any} */ (null);
    this._chosenThrow = 0;
    /** @type {WeakMap<GameNode, State>} */
    this._states = new WeakMap();
    /** @type {string[]} moves from the node shown that somebody looks ahead on */
    this._ahead = [];
    /** @type {Map<string, Game>} */
    this._games = new Map();
    /** @type {Map<string, Arrow[]>} */
    this._arrows = new Map();
    /** @type {Map<string, {engine: EngineLike, name: string}>} */
    this._engines = new Map();
    /** @type {{changed: ((what: Change) => void)[], leaving: (() => void)[]}} */
    this._watchers = { changed: [], leaving: [] };
    this.match = makeMatch(this);
  }

  /** What index.json says of the variant. */
  get entry() {
    return entryOf(this.index, this.tree.variant);
  }

  /** The node shown. */
  get node() {
    return this.tree.current;
  }

  /** Whether the node shown is where the match stands, and it goes on. */
  get isLive() {
    return this.node === this.match.live && !this.match.result;
  }

  /** The throw for the next move at the node shown: 1 to 6, or 0 where there is none (yet). */
  get throwShown() {
    if (this.entry.die === "none") return 0;
    return this.isLive ? this.match.thrown : this._chosenThrow;
  }

  /** Choose the throw, 0 for none, at a node that is not the match's.
   * @param {number} dice */
  set throwShown(dice) {
    this._chosenThrow = dice;
    this.changed("node");
  }

  /** How the game has ended by the rules at the node shown, or null. */
  get outcome() {
    return this.position.outcome();
  }

  /** The moves that the rules and the throw allow at the node shown, whoever makes them.
   * @returns {string[]} */
  get legal() {
    return this.outcome ? [] : this.position.allowed(this.throwShown || null);
  }

  /** The position shown as it is drawn, with the move that led to it. */
  get state() {
    return this.stateAt(this.node);
  }

  /** The position at a node of the tree, for drawing, with the move that led to it.
   * @param {GameNode} node  @returns {State} */
  stateAt(node) {
    const known = this._states.get(node);
    if (known) return known;
    const { name, files, ranks, order } = this.entry;
    let state = parseSfen(this.position.startSfen, name, [files, ranks, order]);
    for (const one of node.path()) {
      state = this._states.get(one) ?? play(state, one.move);
      this._states.set(one, state);
    }
    if (!node.parent) this._states.set(node, state);
    return state;
  }

  /** A move of the tree as players write it.
   * @param {GameNode} node not the root */
  written({ parent, move }) {
    return shortMove(this.stateAt(/** @type {GameNode} */ (parent)), move, this.view.language, this.index.cards);
  }

  /** What the board shows: the position, or what `look` wants to see.
   * @returns {State} */
  get seen() {
    return this._ahead.reduce(play, this.state);
  }

  get looksAhead() {
    return this._ahead.length > 0;
  }

  /** Show what moves from the node shown lead to, until somebody looks elsewhere or another node is shown.
   * @param {string[] | null} moves */
  look(moves) {
    this._ahead = moves ?? [];
    this.changed("view");
  }

  /** Arrows of all who want some. */
  get arrows() {
    return [...this._arrows.values()].flat();
  }

  /** @param {string} owner  @param {Arrow[]} arrows */
  setArrows(owner, arrows) {
    if (!arrows.length && !this._arrows.has(owner)) return;
    if (arrows.length) this._arrows.set(owner, arrows);
    else this._arrows.delete(owner);
    this.changed("view");
  }

  /** Show another node of the tree.
   * @param {GameNode} node */
  goTo(node) {
    this.tree.goTo(node);
    this._shown("node");
  }

  /** Show the node so many moves on, or back, on the line shown; beyond its ends, the end.
   * @param {number} moves */
  step(moves) {
    this.goToPly(this.node.ply + moves);
  }

  /** Show the node after so many moves of the line shown; beyond its ends, the end.
   * @param {number} ply */
  goToPly(ply) {
    const line = [this.tree.root, ...this.tree.line()];
    this.goTo(line[Math.max(0, Math.min(line.length - 1, ply))]);
  }

  /** Make a move from the node shown: the match's next one if the match stands here, else one of a variation. An Error,
   * and nothing changed, if it is not legal.
   * @param {string} move in USI notation  @param {number} [dice] its throw, 0 without one */
  play(move, dice = this.throwShown) {
    if (!this.legal.includes(move)) throw new Error(`illegal move ${JSON.stringify(move)}`);
    if (this.isLive) {
      this.match.move(move);
    } else {
      this.tree.play(move, dice);
      this._shown("tree");
    }
  }

  /** To be called once the tree was changed by hand. */
  edited() {
    this._shown("tree");
  }

  /** Open a game; an Error, and nothing changed, if it is none: unknown variant, no position, a move that is not legal.
   * Without `match` it is a game of two people without clocks, to look at.
   * @param {StoredTree} stored  @param {{name?: string, match?: StoredMatch | null}} [more] */
  async open(stored, more = {}) {
    const { name = "", match = null } = more;
    const game = await this.rules(stored.variant);
    const tree = GameTree.from(stored);
    const start = new Position(game, tree.start || undefined);
    try {
      checkTree(start, tree);
    } catch (error) {
      start.release();
      throw error;
    }
    if (this.tree) for (const watcher of this._watchers.leaving) watcher();
    const other = this.game !== game;
    this.match.leave();
    this.position?.release();
    if (other) for (const role of [...this._engines.keys()]) this.closeEngine(role);
    Object.assign(this, { game, tree, position: start, name, _chosenThrow: 0 });
    this.match.enter(match);
    this._shown("game");
  }

  /** The engine of a role ("analysis", "black", ...), made when it is first asked for.
   * @param {string} role  @returns {EngineLike} */
  engine(role) {
    const wanted = this.engineName(role), remote = wanted && this.remote;
    const name = remote ? wanted : `${this.power.threads} ${this.power.hashMb}`, known = this._engines.get(role);
    if (known && known.name === name) return known.engine;
    known?.engine.close();
    const engine = remote ? remote(wanted, this.entry.name) : new Engine(this.index, this.entry.name, this.power);
    engine.onFailure = (text) => this.tell(text, "problem");
    this._engines.set(role, { engine, name });
    return engine;
  }

  /** End the engine of a role, if it has one.
   * @param {string} role */
  closeEngine(role) {
    this._engines.get(role)?.engine.close();
    this._engines.delete(role);
  }

  /** Call a function after every change, or before another game is opened.
   * @param {"changed" | "leaving"} event  @param {(what: Change) => void} watcher */
  on(event, watcher) {
    this._watchers[event].push(/** @type {any} */ (watcher));
  }

  /** Tell all who watch.
   * @param {Change} what */
  changed(what) {
    if (!this.tree) return;
    for (const watcher of this._watchers.changed) watcher(what);
  }

  /** The rules of a game of the index, loaded where they are not yet.
   * @param {string} variant  @returns {Promise<Game>} */
  async rules(variant) {
    entryOf(this.index, variant);
    const game = this._games.get(variant) ?? (await loadGame(this.index, variant));
    this._games.set(variant, game);
    return game;
  }

  /** @param {Change} what */
  _shown(what) {
    const moves = this.tree.moves(), { position } = this;
    let same = 0;
    while (same < moves.length && position.moves[same] === moves[same]) same += 1;
    while (position.moves.length > same) position.pop();
    for (const move of moves.slice(same)) position.push(move);
    this._chosenThrow = 0;
    this._ahead = [];
    this._arrows.clear();
    this.changed(what);
  }
}

/** Every move of a tree is played once; an Error names the first that is not legal, or none that a throw allows.
 * @param {Position} position the start, and again afterwards  @param {GameTree} tree */
function checkTree(position, tree) {
  /** @type {{node: GameNode, depth: number}[]} */
  const left = tree.root.next.map((node) => ({ node, depth: 0 }));
  for (let entry = left.pop(); entry; entry = left.pop()) {
    const { node, depth } = entry;
    while (position.moves.length > depth) position.pop();
    if (node.dice && !position.allowed(node.dice).includes(node.move)) {
      throw new Error(`illegal move ${JSON.stringify(node.move)} with a throw of ${node.dice}`);
    }
    position.push(node.move);
    left.push(...node.next.map((next) => ({ node: next, depth: depth + 1 })));
  }
  while (position.moves.length) position.pop();
}
