// The tree of variations with what can be done in it: promote, delete, comment.

import { includes } from "../app.js";
import { h } from "../elements.js";
import { shortMove } from "../play/notation.js";
import { t } from "./words.js";
import { TreeView } from "./tree_view.js";

export class TreePanel {
  /** @param {App} app */
  constructor(app) {
    this._app = app;
    this._title = h("h3", {});
    const host = h("div", { class: "tree", id: "tree" });
    this._view = new TreeView(host, {
      goTo: (node) => app.goTo(node), promote: (node) => this._promote(node), remove: (node) => this._remove(node),
      comment: () => this._comment.focus(), write: (node) => this._write(node),
    });
    this._promoteButton = h("button", { type: "button", id: "promote", class: "small", onclick: () => this._promote(app.node) });
    this._removeButton = h("button", { type: "button", id: "remove", class: "small", onclick: () => this._remove(app.node) });
    this._help = h("p", { class: "told" });
    this._commentName = h("span", {});
    this._comment = h("textarea", { id: "comment", rows: 2, maxlength: 10000, oninput: () => this._say() });
    this.element = h("div", {}, this._title, host,
      h("div", { class: "row" }, this._promoteButton, this._removeButton),
      h("label", { class: "comment-field" }, this._commentName, this._comment), this._help);
  }

  /** @param {GameNode} node */
  _write({ parent, move }) {
    const { _app: app } = this;
    return shortMove(app.stateAt(/** @type {GameNode} */ (parent)), move, app.view.language, app.index.cards);
  }

  translate() {
    this._title.textContent = t("analysis.tree");
    this._promoteButton.textContent = t("analysis.promote");
    this._removeButton.textContent = t("analysis.remove");
    this._commentName.textContent = t("analysis.comment");
    this._help.textContent = t("analysis.treeHelp");
    if (this._app.tree) this._draw();
  }

  /** @param {Change} what */
  show(what) {
    const { node } = this._app;
    if (includes(what, "tree")) this._draw();
    else if (includes(what, "node")) this._view.show(node);
    this._promoteButton.disabled = node.parent === null || this._branch(node) === null;
    this._removeButton.disabled = node.parent === null;
    if (document.activeElement !== this._comment || includes(what, "node")) this._comment.value = node.comment;
  }

  _draw() {
    const { tree, node, position } = this._app;
    this._view.draw(tree, (position.turn + node.ply) % 2);
  }

  /** Where the line of a node leaves a better one: the first move of it, or null on the main line.
   * @param {GameNode} node  @returns {GameNode | null} */
  _branch(node) {
    return node.path().reverse().find((one) => one.parent?.next[0] !== one) ?? null;
  }

  /** One step up: the variation that a node is in goes before the line that it leaves.
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
    if (match.live === node || match.live.path().includes(node)) {
      // The game itself goes back with its last moves, unless an engine is playing it.
      if (!match.result && match.people.length < 2) return app.tell(t("analysis.inPlay"), "problem");
      match.playFrom(parent);
    }
    const place = parent.next.indexOf(node);
    let count = 0;
    for (let left = [node]; left.length; left = left.flatMap(({ next }) => next)) count += left.length;
    tree.remove(node);
    app.edited();
    app.tell(t("analysis.removed", { count }), "note", { label: t("analysis.undo"), act: () => {
      if (app.tree !== tree) return;
      parent.next.splice(place, 0, node);
      app.goTo(node);
      app.edited();
    } });
  }

  /** Keep the comment as it is typed. */
  _say() {
    this._app.node.comment = this._comment.value;
    this._app.changed("tree");
  }
}
