"""Games of thousands of moves in the page's modules, in which no function is recursive along a line of moves."""

from __future__ import annotations

import json
import shutil
import subprocess

from support.peers import absent
from support.usi_client import ROOT

SCRIPT = """
globalThis.localStorage = { held: new Map(), getItem(key) { return this.held.get(key) ?? null; },
  setItem(key, value) { this.held.set(key, value); }, removeItem(key) { this.held.delete(key); } };
const { GameTree } = await import("%(root)s/kogoma/web/page/game_tree.js");
const { Store, checkGame } = await import("%(root)s/kogoma/web/page/storage.js");
const store = new Store(console.error);
const match = { seats: [{ kind: "person" }, { kind: "person" }], control: null, think: 1000, spent: 0, thrown: 0,
  live: [], result: null };
const nodes = (tree) => {
  const found = [], left = [tree.root];
  for (let node = left.pop(); node; node = left.pop()) {
    found.push([node.move, node.ply, node.comment, node.next.map(({ move }) => move)]);
    left.push(...node.next);
  }
  return JSON.stringify(found);
};
const results = [];
for (const plies of [0, 1, 5, 3000]) {
  const tree = new GameTree("minishogi", "");
  for (let ply = 0; ply < plies; ply++) {
    const node = tree.play(`m${ply}`);
    if (ply %% 7 === 1) {  // variations, one of them with its own
      tree.goTo(node.parent);
      tree.play("a").comment = "first";
      const inside = tree.play("b");
      tree.play("c");
      tree.goTo(inside);
      tree.play("d");
      tree.goTo(node.parent);
      tree.play("e");
      tree.goTo(node);
    }
  }
  store.keepGame("it", { format: 1, name: "", changed: 0, tree: tree.toJSON(), match });
  const again = GameTree.from(checkGame(store.game("it")).tree);
  results.push([again.end.ply, nodes(again) === nodes(tree)]);
}
// A game that an earlier version saved.
const old = { variant: "minishogi", start: "", next: [{ move: "a", next: [{ move: "b" }, { move: "c" }] }] };
localStorage.setItem("kogoma/game/old", JSON.stringify({ format: 1, name: "", changed: 0, tree: old, match }));
results.push(JSON.stringify(GameTree.from(checkGame(store.game("old")).tree).toJSON()) === JSON.stringify(old));
console.log(JSON.stringify(results));
"""


def test_a_game_of_3000_moves_is_saved_and_read() -> None:
    node = shutil.which("node")
    if node is None:
        absent("node")
    command = [node, "--input-type=module", "-e", SCRIPT % {"root": ROOT}]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [[0, True], [1, True], [5, True], [3000, True], True]
