// The page's state: the open game, the shown node, and the listeners.
//
// main.js creates each part of the page (analysis, game records, ...) once, with the app and an element to fill. A part
// listens to "changed" and keeps no copy of the app's state:
//
//   app.game, app.tree, app.node      the variant's Game, the game with its variations, the shown node (tree.current)
//   app.position                      the Position at the shown node; parts must not push or pop moves
//   app.state, app.stateAt(node)      the position for drawing, with the last move (board/state.js)
//   app.legal                         legal moves at the shown node, in USI notation, with the die roll app.rollShown
//                                     (0: no roll)
//   app.outcome                       the outcome at the shown node, or null
//   app.goTo(node), app.step(-1)      show another node
//   app.play(move, dice)              make a move at the shown node: in the game if app.isLive, else in the tree
//   app.edited()                      call it after changing the tree (promoting, removing)
//   app.comment(text)                 set the comment of the shown node
//   app.open(stored, {name})          open a game; throws an Error, and changes nothing, if it is invalid;
//                                     `stored` is the result of GameTree.toJSON
//   app.engine("analysis")            an EngineLike for the variant; each role has its own engine, replaced after
//                                     the variant or the engine setting has changed
//   app.match                         players, clocks and state of the game being played (play/match.js)
//   app.answer                        takes the moves made on the board, if not null
//   app.isLive                        whether the shown node is the game's current one and the game is not over
//   app.look([...])                   preview these moves on the board; null ends the preview
//   app.setArrows("analysis", [...])  set the arrows of an owner; showing another node removes all arrows
//   app.view                          display settings of the board: flipped, pieceSet, language, coordinates
//   app.tell(text, "problem")         show a message; those of app.match.tell are removed with the game
//
//   app.on("leaving", () => ...)      called before another game is opened
//   app.on("commented", () => ...)    called after each key pressed in the comment of the shown node
//   app.on("changed", (what) => ...)  what: "game" another game is open; "tree" nodes were added, removed or annotated;
//                                     "node" another one is shown; "match" players, clocks, result, roll; "view"
//                                     language, sides, pieces, arrows. Each change includes those listed after it,
//                                     so test with `includes(what, "node")`.

import { parseSfen, play } from "../board/state.js";
import { shortMove } from "../board/descriptions.js";
import { Engine } from "../client/engine.js";
import { entryOf, loadGame } from "../client/loader.js";
import { Position } from "../engine/position.js";
import { GameTree } from "./game_tree.js";

/** @typedef {{usi: string, weight: number, label?: string, kind: "line" | "hint" | "threat" | "premove", side?: number}} Arrow */
/** @typedef {{flipped: 0 | 1, pieceSet: import("../board/drawing.js").PieceSet, language: "en" | "ja",
 *   coordinates: boolean}} BoardLook */
/** @typedef {"game" | "tree" | "node" | "match" | "view"} Change */
/** @typedef {"note" | "problem"} Tone */
/** @typedef {{label: string, act: () => void}} Remedy the action of a button in a message */

/** @type {Change[]} */
const CHANGES = ["game", "tree", "node", "match", "view"];

/** Whether a change includes the change `asked`.
 * @param {Change} what  @param {Change} asked */
export const includes = (what, asked) => CHANGES.indexOf(what) <= CHANGES.indexOf(asked);

export class App {
  /** Create the app; no game is open before the first call of `open`. `tell` shows a message, optionally with a
   * button, and announces it to screen readers.
   * @param {Index} index  @param {BoardLook} view  @param {(app: App) => Match} makeMatch
   * @param {(text: string, tone?: Tone, remedy?: Remedy) => () => void} tell it returns a function that removes the message */
  constructor(index, view, makeMatch, tell) {
    this.index = index;
    this.view = view;
    this.tell = tell;
    this.name = "";
    /** Returns the name of the server's engine for a role, or "" for the page's own engine.
     * @type {(role: string) => string} */
    this.engineName = () => "";
    /** Whether moves may be entered in advance. */
    this.premoves = false;
    /** Connects to an engine of the local server; null if there is no local server.
     * @type {((engine: string, variant: string) => EngineLike) | null} */
    this.remote = null;
    /** Resources of the page's own engines.
     * @type {{threads: number, hashMb: number}} */
    this.power = { threads: 1, hashMb: 16 };
    /** @type {Game} */
    this.game = /** @type {any} */ (null);
    /** @type {GameTree} */
    this.tree = /** @type {any} */ (null);
    /** @type {Position} */
    this.position = /** @type {any} */ (null);
    this._chosenRoll = 0;
    /** @type {WeakMap<GameNode, State>} */
    this._states = new WeakMap();
    /** @type {string[]} previewed moves from the shown node */
    this._ahead = [];
    /** @type {Map<string, Game>} */
    this._games = new Map();
    /** @type {Map<string, Arrow[]>} */
    this._arrows = new Map();
    /** @type {Map<string, {engine: EngineLike, name: string}>} */
    this._engines = new Map();
    /** @type {{changed: ((what: Change) => void)[], leaving: (() => void)[], commented: (() => void)[]}} */
    this._watchers = { changed: [], leaving: [], commented: [] };
    this.match = makeMatch(this);
    /** Takes the moves made on the board while a question is asked: the tree does not change.
     * @type {((move: string) => void) | null} */
    this.answer = null;
  }

  /** The variant's entry in index.json. */
  get entry() {
    return entryOf(this.index, this.tree.variant);
  }

  /** The shown node. */
  get node() {
    return this.tree.current;
  }

  /** Whether the shown node is the game's current one and the game is not over. */
  get isLive() {
    return this.node === this.match.live && !this.match.result;
  }

  /** The die roll for the next move at the shown node: 1 to 6, or 0. */
  get rollShown() {
    if (this.entry.die === "none") return 0;
    return this.isLive ? this.match.roll : this._chosenRoll;
  }

  /** Set the die roll, 0 for none, at a node that is not the game's current one.
   * @param {number} dice */
  set rollShown(dice) {
    this._chosenRoll = dice;
    this.changed("node");
  }

  /** The outcome by the rules at the shown node, or null. */
  get outcome() {
    return this.position.outcome();
  }

  /** The moves that the rules and the roll allow at the shown node.
   * @returns {string[]} */
  get legal() {
    return this.outcome ? [] : this.position.allowed(this.rollShown || null);
  }

  /** The shown position for drawing, with the last move. */
  get state() {
    return this.stateAt(this.node);
  }

  /** The position at a node for drawing, with the last move.
   * @param {GameNode} node  @returns {State} */
  stateAt(node) {
    const known = this._states.get(node);
    if (known) return known;
    const { name, files, ranks, order, choices } = this.entry;
    let state = parseSfen(this.position.startSfen, name, [files, ranks, order, choices]);
    for (const one of node.path()) {
      state = this._states.get(one) ?? play(state, one.move);
      this._states.set(one, state);
    }
    if (!node.parent) this._states.set(node, state);
    return state;
  }

  /** A node's move in players' notation.
   * @param {GameNode} node not the root */
  written({ parent, move }) {
    return shortMove(this.stateAt(/** @type {GameNode} */ (parent)), move, this.view.language, this.index.cards);
  }

  /** The position on the board: the shown one, or the preview.
   * @returns {State} */
  get seen() {
    return this._ahead.reduce(play, this.state);
  }

  get looksAhead() {
    return this._ahead.length > 0;
  }

  /** Preview moves from the shown node, until another node is shown.
   * @param {string[] | null} moves */
  look(moves) {
    this._ahead = moves ?? [];
    this.changed("view");
  }

  /** The arrows of all owners. */
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

  /** Show a node of the tree.
   * @param {GameNode} node */
  goTo(node) {
    this.tree.goTo(node);
    this._showNode("node");
  }

  /** Move along the shown line by `moves` moves (backwards if negative), stopping at its start or end.
   * @param {number} moves */
  step(moves) {
    this.goToPly(this.node.ply + moves);
  }

  /** Show the node after `ply` moves of the shown line, or its end if it is shorter.
   * @param {number} ply */
  goToPly(ply) {
    const line = [this.tree.root, ...this.tree.line()];
    this.goTo(line[Math.max(0, Math.min(line.length - 1, ply))]);
  }

  /** Make a move at the shown node. If `isLive`, it is the game's next move; otherwise it is only added to the tree.
   * Throws an Error, and changes nothing, if the move is illegal.
   * @param {string} move in USI notation  @param {number} [dice] its die roll, 0 without one; not used if `isLive` */
  play(move, dice = this.rollShown) {
    if (!this.legal.includes(move)) throw new Error(`illegal move ${JSON.stringify(move)}`);
    if (this.answer) {
      this.answer(move);
    } else if (this.isLive) {
      this.match.move(move);
    } else {
      this.tree.play(move, dice);
      this._showNode("tree");
    }
  }

  /** Update the position and notify the listeners, after a change of the tree. */
  edited() {
    this._showNode("tree");
  }

  /** Set the comment of the shown node.
   * @param {string} text */
  comment(text) {
    this.node.comment = text;
    for (const watcher of this._watchers.commented) watcher();
  }

  /** Open a game. Throws an Error, and changes nothing, for an unknown variant, an invalid position or an illegal move.
   * Without `match` it is a game of two people without clocks.
   * @param {StoredTree} stored  @param {{name?: string, match?: StoredMatch | null}} [more] */
  async open(stored, more = {}) {
    const { name = "", match = null } = more;
    const game = await this.gameOf(stored.variant);
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
    Object.assign(this, { game, tree, position: start, name, _chosenRoll: 0 });
    this.match.enter(match);
    this._showNode("game");
  }

  /** The engine of a role ("analysis", "black", ...), created on first use.
   * @param {string} role  @returns {EngineLike} */
  engine(role) {
    const wanted = this.engineName(role), remote = wanted && this.remote;
    const name = remote ? wanted : `${this.power.threads} ${this.power.hashMb}`, known = this._engines.get(role);
    if (known && known.name === name) return known.engine;
    known?.engine.close();
    const engine = remote ? remote(wanted, this.entry.name) : new Engine(this.index, this.entry.name, this.power);
    this._engines.set(role, { engine, name });
    return engine;
  }

  /** Close the engine of a role, if there is one.
   * @param {string} role */
  closeEngine(role) {
    this._engines.get(role)?.engine.close();
    this._engines.delete(role);
  }

  /** Add a listener for changes, for the opening of another game, or for comments.
   * @param {"changed" | "leaving" | "commented"} event  @param {(what: Change) => void} watcher */
  on(event, watcher) {
    this._watchers[event].push(/** @type {any} */ (watcher));
  }

  /** Notify the listeners.
   * @param {Change} what */
  changed(what) {
    if (!this.tree) return;
    for (const watcher of this._watchers.changed) watcher(what);
  }

  /** The Game of a variant, loaded on first use.
   * @param {string} variant  @returns {Promise<Game>} */
  async gameOf(variant) {
    entryOf(this.index, variant);
    const game = this._games.get(variant) ?? (await loadGame(this.index, variant));
    this._games.set(variant, game);
    return game;
  }

  /** Update the position to the shown node, remove roll, preview and arrows, and notify the listeners.
   * @param {Change} what */
  _showNode(what) {
    const moves = this.tree.moves(), { position } = this;
    let same = 0;
    while (same < moves.length && position.moves[same] === moves[same]) same += 1;
    while (position.moves.length > same) position.pop();
    for (const move of moves.slice(same)) position.push(move);
    this._chosenRoll = 0;
    this._ahead = [];
    this._arrows.clear();
    this.changed(what);
  }
}

/** Play every move of a tree once; throws an Error that names the first illegal one.
 * @param {Position} position at the start position; restored unless an Error is thrown  @param {GameTree} tree */
function checkTree(position, tree) {
  /** @type {{node: GameNode, depth: number}[]} */
  const left = tree.root.next.map((node) => ({ node, depth: 0 }));
  for (let entry = left.pop(); entry; entry = left.pop()) {
    const { node, depth } = entry;
    while (position.moves.length > depth) position.pop();
    if (node.dice && !position.allowed(node.dice).includes(node.move)) {
      throw new Error(`illegal move ${JSON.stringify(node.move)} with a die roll of ${node.dice}`);
    }
    position.push(node.move);
    left.push(...node.next.map((next) => ({ node: next, depth: depth + 1 })));
  }
  while (position.moves.length) position.pop();
}
