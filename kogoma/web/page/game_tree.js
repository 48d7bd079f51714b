// A game record: a tree of moves with variations, the ends of its lines, names and headers, and the shown node.

/** @typedef {[kind: string, value: number, depth: number]} Score the engine's score of a move
 *   from the mover's side; `kind` is "cp" or "mate" */
/** @typedef {Outcome & {text?: string, ms?: number, comment?: string}} End
 *   the end of a line: `winner` is 0 for Black, 1 for White, null for a draw; `reason` is a reason of rules/outcome.py
 *   or of a match, or resign, impasse, default, no_mate, interrupted, unknown; `text` is the end word of a record, if no
 *   table has it; `ms` is the time before a resignation */
/** @typedef {{move: string, dice?: number, ms?: number, said?: Score, lines?: Line[], comment?: string, end?: End,
 *   next?: StoredNode[]}} StoredNode
 *   a stored move: `dice` is the die roll, `lines` are those of a review, `next` the following moves, main line first */
/** @typedef {{variant: string, start: string, names?: [string, string], label?: string, headers?: [string, string][],
 *   comment?: string, end?: End, next: StoredNode[]}} StoredTree `comment` and `end` belong to the
 *   start position */

/** A move, and the position after it. The root's `move` is "". */
export class GameNode {
  /** @param {string} move in USI notation  @param {GameNode | null} parent  @param {number} dice 0 without a die roll */
  constructor(move, parent, dice = 0) {
    this.move = move;
    this.parent = parent;
    this.dice = dice;
    /** @type {GameNode[]} the main line first */
    this.next = [];
    /** @type {Score | null} */
    this.said = null;
    /** The engine's lines of the position before the move, best first, with that of the move (review/review.js).
     * @type {Line[] | null} */
    this.lines = null;
    /** The time for the move in ms, null if unknown.
     * @type {number | null} */
    this.ms = null;
    this.comment = "";
    /** The end of the line, if it ends after this node, else null. With an end, all moves in `next` are variations.
     * @type {End | null} */
    this.end = null;
  }

  /** The next node of this line, or undefined.
   * @returns {GameNode | undefined} */
  get following() {
    return this.end ? undefined : this.next[0];
  }

  /** The nodes in `next` that begin variations.
   * @returns {GameNode[]} */
  get variations() {
    return this.end ? this.next : this.next.slice(1);
  }

  /** The number of moves to this node. */
  get ply() {
    let count = 0;
    for (let node = this.parent; node; node = node.parent) count += 1;
    return count;
  }

  /** The nodes from the first move to this one.
   * @returns {GameNode[]} */
  path() {
    /** @type {GameNode[]} */
    const nodes = [];
    for (let node = /** @type {GameNode} */ (this); node.parent; node = node.parent) nodes.push(node);
    return nodes.reverse();
  }

  /** The moves to this node as indices of `next`.
   * @returns {number[]} */
  indices() {
    return this.path().map((node) => /** @type {GameNode} */ (node.parent).next.indexOf(node));
  }

  /** The nodes after this one on its main line.
   * @returns {GameNode[]} */
  rest() {
    const nodes = [];
    for (let node = this.following; node; node = node.following) nodes.push(node);
    return nodes;
  }
}

/** A game of a variant from a start position. The caller ensures that moves are legal. */
export class GameTree {
  /** @param {string} variant  @param {string} start an SFEN */
  constructor(variant, start) {
    this.variant = variant;
    this.start = start;
    /** The players of an opened game record, Black first.
     * @type {[string, string]} */
    this.names = ["", ""];
    /** The number or name of the game. */
    this.label = "";
    /** The other headers of the record: pairs of a name, as in KIF (棋戦 ...), and a value.
     * @type {[string, string][]} */
    this.headers = [];
    this.root = new GameNode("", null);
    /** The shown node. */
    this.current = this.root;
  }

  /** Make a move at the shown node and show the result: the existing child with that move, or a new one.
   * @param {string} move  @param {number} [dice] the die roll, 0 without one  @returns {GameNode} */
  play(move, dice = 0) {
    const known = this.current.next.find((node) => node.move === move && node.dice === dice);
    if (!known) return this.add(move, dice);
    this.current = known;
    return known;
  }

  /** Add a node for a move at the shown node, even if there is one with that move, and show it.
   * @param {string} move  @param {number} [dice]  @returns {GameNode} */
  add(move, dice = 0) {
    const node = new GameNode(move, this.current, dice);
    this.current.next.push(node);
    this.current = node;
    return node;
  }

  /** The node with these `indices`, or the last one on the way that exists.
   * @param {number[]} indices */
  at(indices) {
    return indices.reduce((node, index) => node.next[index] ?? node, this.root);
  }

  /** Show another node of this tree.
   * @param {GameNode} node */
  goTo(node) {
    this.current = node;
  }

  /** The moves to the shown node, in USI notation.
   * @returns {string[]} */
  moves() {
    return this.current.path().map((node) => node.move);
  }

  /** The nodes of the shown line: those to the shown node, then its main line.
   * @returns {GameNode[]} */
  line() {
    return [...this.current.path(), ...this.current.rest()];
  }

  /** The end of the main line. */
  get end() {
    return this.root.rest().at(-1) ?? this.root;
  }

  /** Remove a move and everything after it. If the shown node is removed, its parent is shown.
   * @param {GameNode} node not the root */
  remove(node) {
    const parent = /** @type {GameNode} */ (node.parent);
    parent.next = parent.next.filter((other) => other !== node);
    if (this.current === node || this.current.path().includes(node)) this.current = parent;
  }

  /** Make a move the first of its parent's next moves.
   * @param {GameNode} node not the root */
  promote(node) {
    const parent = /** @type {GameNode} */ (node.parent);
    parent.next = [node, ...parent.next.filter((other) => other !== node)];
  }

  /** The tree as plain data.
   * @returns {StoredTree} */
  toJSON() {
    const { variant, start, names, label, headers, root } = this;
    /** @type {StoredNode[]} */
    const next = [];
    /** @type {[GameNode[], StoredNode[]][]} a stack, because games may be longer than the call stack */
    const left = [[root.next, next]];
    for (let entry = left.pop(); entry; entry = left.pop()) {
      for (const node of entry[0]) {
        const { move, dice, ms, said, lines, comment, end } = node;
        /** @type {StoredNode} */
        const stored = {
          move, ...(dice && { dice }), ...(ms !== null && { ms }), ...(said && { said }), ...(lines && { lines }), ...(comment && { comment }), ...(end && { end }),
        };
        if (node.next.length) left.push([node.next, (stored.next = [])]);
        entry[1].push(stored);
      }
    }
    return {
      variant, start, ...(names.some((name) => name) && { names }), ...(label && { label }), ...(headers.length && { headers }),
      ...(root.comment && { comment: root.comment }), ...(root.end && { end: root.end }), next,
    };
  }

  /** The tree of `toJSON`'s result, with the end of its main line shown.
   * @param {StoredTree} data  @returns {GameTree} */
  static from(data) {
    const tree = new GameTree(data.variant, data.start);
    const { names = tree.names, label = "", headers = [], comment: first = "", end: atStart = null } = data;
    Object.assign(tree, { names, label, headers });
    Object.assign(tree.root, { comment: first, end: atStart });
    /** @type {[GameNode, StoredNode[]][]} a stack, because games may be longer than the call stack */
    const left = [[tree.root, data.next]];
    for (let entry = left.pop(); entry; entry = left.pop()) {
      const [parent, nodes] = entry;
      for (const { move, dice = 0, ms = null, said = null, lines = null, comment = "", end = null, next = [] } of nodes) {
        const node = Object.assign(new GameNode(move, parent, dice), { ms, said, lines, comment, end });
        parent.next.push(node);
        left.push([node, next]);
      }
    }
    tree.current = tree.end;
    return tree;
  }
}
