// The game being played: players, clocks, current node, and result.

import { cardName, shortMove } from "../../board/descriptions.js";
import { Position } from "../../engine/position.js";
import { pause } from "../elements.js";
import { t } from "../translate.js";
import { rollDie } from "./random.js";
import { Clock } from "./clock.js";
import { atLevel } from "./levels.js";

/** @typedef {{kind: "person"} | {kind: "engine", engine: string, level: number | null}} Seat
 *   `engine` "" is the page's own, else one of the server's; `level` in Elo, null at full strength */
/** @typedef {{seats: [Seat, Seat], control: TimeControl | null, think: number, typedDice: boolean,
 *   startKind: StartKind}} Terms the settings of a game; `think`: ms per engine move without a clock */
/** @typedef {Terms & {live: number[], thrown: number, spent: number}} StoredMatch
 *   `live` is the path from the root to the current node, as indices of `next`; `thrown` is the
 *   die roll for the next move (a name of the saved format), `spent` the ms already spent on that move */

const COLOURS = /** @type {const} */ (["black", "white"]);

const PACE = 400; // minimum ms per move of two engines without a clock, so that people can follow the game
const HINT = 1000; // ms of search for a hint
const GRACE = 10_000; // ms after its time in which the answer of the page's own engine may still arrive

/** Two people without clocks.
 * @returns {Terms} */
export const casual = () => ({
  seats: [{ kind: "person" }, { kind: "person" }], control: null, think: 1000, typedDice: false, startKind: "usual",
});

export class Match {
  /** @param {App} app */
  constructor(app) {
    this._app = app;
    /** @type {Terms} */
    this.terms = casual();
    /** @type {GameNode} the current node of the game */
    this.live = /** @type {any} */ (null);
    this.roll = 0;
    this.paused = false;
    this.thinking = false;
    this.hinting = false;
    /** The move that a person has entered in advance, "" for none. */
    this.premove = "";
    this.clock = new Clock(null, () => {});
    /** @type {Position} at `live` */
    this._position = /** @type {any} */ (null);
    /** Functions that remove the messages of this game.
     * @type {(() => void)[]} */
    this._messages = [];
    this._withdrawUndo = () => {};
    this._generation = 0; // increased by each change of the game, so that answers of outdated searches are ignored
  }

  /** The result of the game: the end of its line in the tree.
   * @returns {Outcome | null} */
  get result() {
    return this.live?.end ?? null;
  }

  set result(result) {
    this.live.end = result;
  }

  /** 0 if Black is to move at the current node of the game, 1 if White is.
   * @returns {0 | 1} */
  get turn() {
    return /** @type {0 | 1} */ (this._position.turn);
  }

  /** The player to move. */
  get seat() {
    return this.terms.seats[this.turn];
  }

  /** The sides that people play.
   * @returns {(0 | 1)[]} */
  get people() {
    return /** @type {(0 | 1)[]} */ ([0, 1]).filter((side) => this.terms.seats[side].kind === "person");
  }

  /** Whether a person may move now. */
  get awaitsPerson() {
    return !this.result && !this.paused && this.seat.kind === "person" && !this.awaitsRoll;
  }

  /** Whether a die roll must be entered before the next move. */
  get awaitsRoll() {
    return this._app.entry.die !== "none" && !this.result && !this.roll;
  }

  /** Whether the side to move may declare that it has won. */
  get mayDeclare() {
    return this.awaitsPerson && this._position.mayDeclare();
  }

  /** The side that may enter a move in advance, or null: a person's, while the opponent thinks, if no die decides.
   * @returns {0 | 1 | null} */
  get premover() {
    const { people: [side, other] } = this;
    const waits = !this.result && !this.paused && this._app.entry.die === "none" && other === undefined && side !== undefined;
    return waits && side !== this.turn ? side : null;
  }

  /** Whether the side to move is in check. */
  get inCheck() {
    return this._position.inCheck;
  }

  get mayTakeBack() {
    return this.people.length > 0 && this.live.parent !== null;
  }

  // Opening and leaving a game.

  /** Start or continue the game that the app has just opened.
   * @param {StoredMatch | null} stored null: two people play without clocks, from the shown node */
  enter(stored) {
    const { game, tree, position } = this._app;
    this._position = new Position(game, position.startSfen);
    /** @type {Terms} */
    this.terms = { ...casual(), ...stored };
    const { control } = this.terms;
    this.clock = new Clock(control, () => this._flag());
    this.live = tree.current;
    if (stored) {
      this.live = tree.at(stored.live);
      tree.goTo(this.live);
    }
    this.roll = stored?.thrown ?? 0;
    this._setUp(stored?.spent ?? 0);
    // Saved games with a clock, or between engines, are paused when they are opened, unless no move has been made.
    this.paused = !this.result && Boolean(stored) && this.live !== tree.root && (control !== null || !this.people.length);
    this._next();
  }

  /** Leave the game: stop engines and clocks, and remove its messages, whose buttons would act on the next game. */
  leave() {
    this._stopAll();
    for (const remove of [...this._messages.splice(0), this._withdrawUndo]) remove();
    this._position?.release();
    this._position = /** @type {any} */ (null);
  }

  /** @returns {StoredMatch} */
  toJSON() {
    const { seats, control, think, typedDice, startKind } = this.terms;
    return { seats, control, think, typedDice, startKind, live: this.live.indices(), thrown: this.roll, spent: Math.round(this.clock.spent) };
  }

  /** Show a message that is removed when another game is opened.
   * @param {string} text  @param {Tone} [tone]  @param {Remedy} [remedy] */
  tell(text, tone, remedy) {
    this._messages.push(this._app.tell(text, tone, remedy));
  }

  /** Show a message with an undo button, which calls `act`. It replaces the previous message of this kind, and is
   * removed by `takeBack` and when another game is opened.
   * @param {string} text  @param {() => void} act */
  offerUndo(text, act) {
    this._withdrawUndo();
    this._withdrawUndo = this._app.tell(text, "note", { label: t("undo"), act });
  }

  /** Return a function that restores the game's present state: node, result, roll, clocks and pause.
   * @returns {() => void} */
  remember() {
    const { live, result, roll, paused } = this, spent = this.clock.spent;
    return () => {
      this._stopAll();
      Object.assign(this, { live, result, roll, paused });
      this._setUp(spent);
      this._app.tree.goTo(live);
      this._next();
      this._app.edited();
    };
  }

  // Actions of the players.

  /** Make the next move of the game; if the time of the side to move has run out, end the game instead.
   * @param {string} move legal, and allowed by the roll  @param {Score | null} [said] the engine's score
   * @param {number} [spent] the ms spent on the move */
  move(move, said = null, spent = this.clock.spent) {
    const { tree } = this._app, shown = tree.current, follows = shown === this.live;
    const ms = Math.max(1, Math.round(spent)), { premove } = this;
    this._stopAll();
    this.clock.stop(spent);
    if (this.terms.control && this.clock.left(this.turn, true).total < 0) return this._loseOnTime();
    tree.goTo(this.live);
    const node = tree.play(move, this.roll);
    tree.promote(node);
    Object.assign(node, { ms, said: said ?? node.said });
    this.live = node;
    this.roll = 0;
    this._setUp(0);
    if (!follows) tree.goTo(shown);
    this._next();
    if (follows) this._app.edited();
    else this._app.changed("tree");
    if (premove) this._makePremove(premove);
  }

  /** Enter a move in advance, "" for none; it is forgotten when the game is changed in any other way than by a move.
   * @param {string} move */
  setPremove(move) {
    this.premove = move;
    this._app.changed("view");
  }

  /** Make the move that was entered in advance, or say that it is not legal. In games where captures promote, the text of a
   * move depends on what it captures.
   * @param {string} move */
  _makePremove(move) {
    if (!this.awaitsPerson || !this._app.premoves) return;
    const legal = this._position.allowed(null), signs = this._app.game.variant.promotion === "capture" ? ["", "+"] : [""];
    const found = signs.map((sign) => move + sign).find((one) => legal.includes(one));
    if (found) this.move(found);
    else this.tell(t("premove-illegal", { move: shortMove(this._app.stateAt(this.live), move, this._app.view.language, this._app.index.cards) }));
  }

  /** Enter a die roll, 1 to 6.
   * @param {number} dice */
  setRoll(dice) {
    this.roll = dice;
    this._next();
    this._app.changed("match");
  }

  /** Resign for a side, which ends the game.
   * @param {0 | 1} side */
  resign(side) {
    this._end({ winner: 1 - side, reason: "resign" });
  }

  declare() {
    if (this.mayDeclare) this._end({ winner: this.turn, reason: "declaration" });
  }

  /** Remove the last move, and more moves until a person is to move, from the tree; continue the game there. */
  takeBack() {
    this._withdrawUndo();
    const { tree } = this._app, { seats } = this.terms;
    let node = this.live, side = this.turn, dice = 0;
    do {
      const parent = node.parent;
      if (!parent) break;
      dice = node.dice;
      tree.remove(node);
      node = parent;
      side = /** @type {0 | 1} */ (1 - side);
    } while (seats[side].kind !== "person");
    this.playFrom(node, dice);
  }

  /** Continue the game from another node.
   * @param {GameNode} node  @param {number} [dice] the roll for the next move, 0 if there is none yet
   * @param {boolean} [paused] whether the game waits until `goOn` */
  playFrom(node, dice = 0, paused = false) {
    this._stopAll();
    this.live = node;
    this.result = null;
    this.paused = paused;
    this.roll = dice;
    this._setUp(0);
    this._app.tree.goTo(node);
    this._next();
    this._app.edited();
  }

  swapSides() {
    this._stopAll();
    const [black, white] = this.terms.seats;
    this.terms = { ...this.terms, seats: [white, black] };
    this._next();
    this._app.changed("match");
  }

  pause() {
    this._stopAll();
    this.paused = true;
    this._app.changed("match");
  }

  goOn() {
    this.paused = false;
    this._next();
    this._app.changed("match");
  }

  /** Search the shown node for a moment, and show the best move as an arrow, or a message if it is not a move. */
  async hint() {
    const app = this._app, { node } = app;
    this.hinting = true;
    app.changed("match");
    try {
      const dice = app.rollShown || null;
      const game = { start: app.position.startSfen, moves: app.tree.moves() };
      const { best } = await app.engine("hint").search(game, { movetime: HINT, dice }, {}, () => {});
      const { DECLARATION, RESIGN } = app.game.constants;
      if (app.node !== node || !best) return;
      if (best === DECLARATION) this.tell(t("hint-declare"));
      else if (best === RESIGN) this.tell(t("hint-resign"));
      else app.setArrows("hint", [{ usi: best, weight: 1, kind: "hint" }]);
      const [card, onBoard] = best.split(":"); // in Onitama a move starts with its card's number
      if (onBoard) this.tell(t("hint-card", { card: cardName(app.index.cards, Number(card), app.view.language) }));
    } catch (error) {
      if (app.node === node) this.tell(String(/** @type {Error} */ (error).message), "problem");
    } finally {
      this.hinting = false;
      app.closeEngine("hint");
      app.changed("match");
    }
  }

  // The course of the game.

  /** Stop engines and clocks. */
  _stopAll() {
    this._generation += 1;
    this.premove = "";
    if (this.thinking) this._app.engine(COLOURS[this.turn]).stop();
    this.thinking = false;
    this.clock.stop();
  }

  /** Set position and clocks to the current node.
   * @param {number} spent ms already spent on the next move */
  _setUp(spent) {
    const nodes = this.live.path(), { _position: position } = this;
    while (position.moves.length) position.pop();
    const first = position.turn;
    for (const node of nodes) position.push(node.move);
    this.clock.set(nodes.map((node) => node.ms ?? 0), first, spent);
  }

  /** Continue at the current node: end the game, wait for a roll or a person, or start an engine. */
  _next() {
    if (this.result || this.paused) return;
    this.result = this._position.outcome();
    if (this.result) return;
    if (this._app.entry.die !== "none" && !this.roll && !this.terms.typedDice) this.roll = rollDie();
    if (this.awaitsRoll) return;
    void this._begin();
  }

  /** Start the clock of the side to move, and its engine. With a time control, clocks wait until the engines of both
   * sides are ready; without one, an engine is loaded when its first move is due. */
  async _begin() {
    const turn = ++this._generation, { seat, terms: { control, seats } } = this;
    const sides = /** @type {(0 | 1)[]} */ (control ? [0, 1] : []).filter((side) => seats[side].kind === "engine");
    this.thinking = seat.kind === "engine";
    for (const side of sides) {
      try {
        await this._app.engine(COLOURS[side]).ready;
      } catch (error) {
        return this._fail(turn, side, error);
      }
      if (turn !== this._generation) return;
    }
    if (seat.kind === "engine") return this._think(seat, turn);
    this._startClock();
  }

  _startClock() {
    this.clock.start(this.turn);
    if (this.terms.control) this._app.changed("match");
  }

  /** Handle the end of the time of the side to move, according to the page's timer. A busy page handles messages late, so
   * that a move of the page's own engine may have been made in time: its Worker measures the time, see `_think`. */
  _flag() {
    const turn = this._generation, { seat } = this;
    if (!this.thinking || seat.kind !== "engine" || seat.engine) return this._loseOnTime();
    setTimeout(() => turn === this._generation && this._loseOnTime(), GRACE);
  }

  /** End the game with a loss of the side to move. */
  _loseOnTime() {
    this._end({ winner: 1 - this.turn, reason: "time" });
  }

  /** @param {Outcome} result */
  _end(result) {
    this._stopAll();
    this.result = result;
    this._app.changed("match");
  }

  /** Let the engine of the side to move search, then make its move, or end the game if it resigns or declares a win
   * (search/answers.py). Its clock starts when it has received the search, so that its start-up costs it no time.
   * @param {Extract<Seat, {kind: "engine"}>} seat  @param {number} turn */
  async _think(seat, turn) {
    const app = this._app, side = this.turn, { DECLARATION, RESIGN } = app.game.constants;
    const game = { start: this._position.startSfen, moves: [...this._position.moves] };
    const [ofLevel, options] = atLevel(app.entry.levels, seat.level), limits = { ...this._limits(), ...ofLevel };
    try {
      const started = performance.now(), before = this.clock.spent;
      const begun = () => turn === this._generation && this._startClock();
      const result = await app.engine(COLOURS[side]).search(game, limits, options, () => {}, begun);
      const early = this.people.length ? 0 : PACE - (performance.now() - started);
      if (early > 0 && !this.terms.control) await pause(early);
      if (turn !== this._generation) return;
      const { best, scoreKind, score, depth } = result;
      if (best === DECLARATION) return this._end({ winner: side, reason: "declaration" });
      if (best === RESIGN) return this._end({ winner: 1 - side, reason: "resign" });
      if (best === null) throw new Error(`${seat.engine}: no move`); // `_next` has ended games without a legal move
      const spent = result.elapsed === undefined ? undefined : before + result.elapsed;
      this.move(best, [scoreKind, score, depth], spent);
    } catch (error) {
      this._fail(turn, side, error);
    }
  }

  /** Pause the game and show an error after a side's engine has failed. `goOn` starts a new engine.
   * @param {number} turn nothing happens if `_generation` has changed since this value
   * @param {0 | 1} side  @param {unknown} error */
  _fail(turn, side, error) {
    if (turn !== this._generation) return;
    this.pause();
    this._app.closeEngine(COLOURS[side]);
    this.tell(t("engine-failed", { text: String(/** @type {Error} */ (error).message) }), "problem");
  }

  /** @returns {Limits} */
  _limits() {
    const { clock, roll: dice, terms: { control, think } } = this;
    if (!control) return { movetime: think, dice: dice || null };
    const [btime, wtime] = /** @type {(0 | 1)[]} */ ([0, 1]).map((side) => Math.floor(clock.left(side).main));
    const { byoyomi, increment } = control;
    return { btime, wtime, byoyomi, binc: increment, winc: increment, dice: dice || null };
  }
}
