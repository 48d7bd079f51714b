// The tree of moves and variations, with keyboard navigation, and its actions: promote, delete, comment.

import { forBlack, scoreText } from "../../board/graph.js";
import { includes } from "../app.js";
import { h, iconButton, setChildren, showInList } from "../elements.js";
import { t } from "../later_texts.js";
import { judgement, judgingOf, lineOf } from "../review/judge.js";
import { markOf } from "../review/marks.js";
import { language } from "../translate.js";

export class TreePanel {
  /** @param {App} app  @param {HTMLElement} slot */
  constructor(app, slot) {
    this._app = app;
    this._language = "";
    /** @type {Map<GameNode, HTMLElement>} in display order */
    this._items = new Map();
    /** @type {WeakMap<Element, GameNode>} */
    this._nodes = new WeakMap();
    /** The item of each node, with all that it shows: it is drawn again only if this changes. Its comment and a space
     * follow it.
     * @type {WeakMap<GameNode, {shows: string, item: HTMLElement, comment: HTMLElement, space: Text}>} */
    this._known = new WeakMap();
    /** @type {WeakMap<GameNode, HTMLElement>} variations by their first move */
    this._groups = new WeakMap();
    /** @type {GameNode | null} the node marked as shown */
    this._current = null;
    /** @type {HTMLElement | null} its item */
    this._marked = null;
    this._host = h("div", { class: "tree", id: "tree", role: "tree", onkeydown: (event) => this._press(event), onclick: ({ target }) => {
      const node = this._nodes.get(target.closest("[role=treeitem]"));
      if (node) app.goTo(node);
    } });
    this._promoteButton = iconButton("", ["-M12 20V5M5 12l7-7 7 7"], () => this._promote(app.node), { id: "promote" });
    this._removeButton = iconButton("", ["M6 7h12l-1 14H7zM9 3h6l1 2h4v2H4V5h4z"], () => this._remove(app.node), { id: "remove" });
    this._comment = h("textarea", { id: "comment", rows: 2, maxlength: 10000, oninput: ({ target }) => app.comment(target.value) });
    slot.setAttribute("aria-labelledby", "tree-title");
    slot.append(
      h("div", { class: "row" }, h("h2", { id: "tree-title", "data-text": "moves" }), this._promoteButton, this._removeButton),
      this._host, this._comment);
    app.on("commented", () => this._showComment(app.node));
  }

  /** @param {Change} what */
  show(what) {
    const { node } = this._app;
    if (includes(what, "tree") || this._language !== language()) this._draw();
    else if (includes(what, "node")) this._mark(node);
    this._promoteButton.disabled = node.parent === null || this._branch(node) === null;
    this._removeButton.disabled = node.parent === null;
    if (document.activeElement !== this._comment || includes(what, "node")) this._comment.value = node.comment;
  }

  /** Draw what has changed. */
  _draw() {
    const { tree: { root, current }, position } = this._app, hadFocus = this._host.contains(document.activeElement);
    this._language = language();
    this._items.clear();
    this._host.setAttribute("aria-label", t("analysis.tree"));
    this._host.title = t("analysis.treeHelp");
    for (const button of [this._promoteButton, this._removeButton]) button.title = button.ariaLabel = t(`analysis.${button.id}`);
    this._comment.ariaLabel = this._comment.placeholder = t("analysis.comment");
    const start = this._parts(root, () => t("start-position"), "", 1, t("start-position"));
    const first = (position.turn + current.ply) % 2;
    setChildren(this._host, [...start, ...this._line(root, first, 1, 0)]);
    this._mark(current);
    if (hadFocus) this._items.get(current)?.focus();
  }

  /** Mark the shown node.
   * @param {GameNode} node */
  _mark(node) {
    const before = this._marked, item = this._items.get(node) ?? null;
    if (before) {
      before.tabIndex = -1;
      before.setAttribute("aria-selected", "false");
    }
    this._current = node;
    this._marked = item;
    if (!item) return;
    item.tabIndex = 0;
    item.setAttribute("aria-selected", "true");
    showInList(this._host, item);
  }

  /** The elements of the line after the node `from`, with variations after each move. `first` is the side of the game's
   * first move, `level` the depth in the tree (`aria-level`), `ply` the ply of `from`.
   * @param {GameNode} from  @param {number} first  @param {number} level  @param {number} ply
   * @returns {Node[]} */
  _line(from, first, level, ply) {
    const shown = [];
    for (let node = /** @type {GameNode | undefined} */ (from), count = ply + 1; node; node = node.following, count++) {
      if (node.following) shown.push(...this._move(node.following, first, level, count));
      for (const other of node.variations) {
        const group = this._groups.get(other) ?? h("div", { role: "group", class: "variation" });
        this._groups.set(other, group);
        setChildren(group, [...this._move(other, first, level + 1, count), ...this._line(other, first, level + 1, count)]);
        shown.push(group);
      }
    }
    return shown;
  }

  /** @param {GameNode} node  @param {number} first  @param {number} level  @param {number} ply */
  _move(node, first, level, ply) {
    const mover = (first + ply - 1) % 2, score = node.said ? scoreText(forBlack(node.said, mover)) : "";
    const text = () => `${ply}. ${node.dice ? `[${node.dice}] ` : ""}${this._app.written(node)}`;
    const line = lineOf(node.lines, node.move);
    const mistake = node.lines && line ? judgement(judgingOf(this._app), ply - 1, mover, node.lines[0], line).name : "";
    return this._parts(node, text, score, level, `${this._app.view.language} ${ply} ${node.dice}`, mistake);
  }

  /** The item of a node, its comment, and a space. `text` returns the item's text; `shows` changes whenever the text
   * does.
   * @param {GameNode} node  @param {() => string} text  @param {string} score  @param {number} level
   * @param {string} shows  @param {string} [mistake] the kind of mistake  @returns {Node[]} */
  _parts(node, text, score, level, shows, mistake = "") {
    const all = `${shows} ${level} ${score} ${mistake}`;
    let known = this._known.get(node);
    if (known?.shows !== all) {
      const item = h("span", { role: "treeitem", tabindex: -1, "aria-level": level, "aria-selected": "false", class: "node" }, text());
      if (mistake) item.append(...markOf(mistake));
      if (score) item.append(" ", h("small", {}, score));
      known = { shows: all, item, comment: h("span", { class: "comment" }), space: new Text(" ") };
      this._known.set(node, known);
      this._nodes.set(item, node);
    }
    const { item, comment, space } = known;
    this._items.set(node, item);
    if (comment.textContent !== node.comment) comment.textContent = node.comment;
    return node.comment ? [item, comment, space] : [item, space];
  }

  /** Update the comment of a node.
   * @param {GameNode} node */
  _showComment(node) {
    const known = this._known.get(node);
    if (!known) return;
    known.comment.textContent = node.comment;
    if (!node.comment) known.comment.remove();
    else if (!known.comment.isConnected) known.item.after(known.comment);
  }

  /** @param {KeyboardEvent} event */
  _press(event) {
    const node = this._current;
    if (!node || event.ctrlKey || event.metaKey || event.altKey) return;
    const all = [...this._items.keys()], at = all.indexOf(node);
    /** @type {{[key: string]: GameNode | null | undefined}} */
    const ways = {
      ArrowLeft: node.parent, ArrowRight: node.next[0], ArrowUp: all[at - 1], ArrowDown: all[at + 1], Home: all[0],
      End: all[all.length - 1],
    };
    /** @type {{[key: string]: () => void}} */
    const acts = { p: () => this._promote(node), Delete: () => this._remove(node), c: () => this._comment.focus() };
    if (!(event.key in ways) && !(event.key in acts)) return;
    event.preventDefault();
    const to = ways[event.key];
    if (to) {
      this._app.goTo(to);
      this._items.get(to)?.focus();
    } else {
      acts[event.key]?.();
    }
  }

  /** The first move of the innermost variation that contains a node, or null if the node is on the main line.
   * @param {GameNode} node  @returns {GameNode | null} */
  _branch(node) {
    return node.path().reverse().find((one) => one.parent?.next[0] !== one) ?? null;
  }

  /** Promote the variation that contains a node by one level.
   * @param {GameNode} node */
  _promote(node) {
    const branch = this._branch(node);
    if (!branch) return;
    this._app.tree.promote(branch);
    this._app.edited();
  }

  /** @param {GameNode} node */
  _remove(node) {
    const { _app: app } = this, { match, tree } = app, { parent } = node;
    if (!parent) return;
    const ofGame = match.live === node || match.live.path().includes(node), restore = match.remember();
    if (ofGame) {
      // Deleting moves of the current game takes them back. In a game in progress, this is refused if an engine plays;
      // a finished game is continued, but paused.
      if (!match.result && match.people.length < 2) return match.tell(t("analysis.inPlay"), "problem");
      match.playFrom(parent, 0, match.result !== null);
    }
    const place = parent.next.indexOf(node);
    let count = 0;
    for (let left = [node]; left.length; left = left.flatMap(({ next }) => next)) count += left.length;
    tree.remove(node);
    app.edited();
    if (this._removeButton.disabled) this._items.get(app.node)?.focus();
    match.offerUndo(t("analysis.removed", { count }), () => {
      parent.next.splice(place, 0, node);
      if (ofGame) restore();
      app.goTo(node);
      app.edited();
    });
  }
}
