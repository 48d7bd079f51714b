"""Limited strength and dice on the page, compared with Python for the same random numbers."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from typing import Any

import pytest

from kogoma.rules.variants import VARIANTS
from kogoma.search.levels import STRONGEST, LimitedPlayer, RankedLine, levels_of
from support.peers import absent
from support.usi_client import ROOT

SCRIPT = """
import { readFileSync } from "node:fs";
import { LimitedPlayer, levelOf, linesOf } from "%(root)s/kogoma/web/page/play/levels.js";
import { below } from "%(root)s/kogoma/web/page/play/random.js";
const { levels, elos, choices, words } = JSON.parse(readFileSync(0, "utf-8"));
const score = (value) => (value === "inf" ? Infinity : value === "-inf" ? -Infinity : value);
const chosen = choices.map(({ elo, errors, lines }) => {
  const rest = [...errors], handicap = new LimitedPlayer(levels, elo, () => rest.shift());
  return handicap.choose(lines.map(({ move, value }) => ({ moves: [move], score: score(value), info: null }))).moves[0];
});
const made = elos.map((elo) => new LimitedPlayer(levels, elo)).map(({ nodes, multipv }) => [nodes, multipv]);
const rest = [...words];
const dice = [];
while (rest.length) dice.push(below(6, (into) => { into[0] = rest.shift(); return into; }));
console.log(JSON.stringify({ chosen, made, dice, between: elos.map((elo) => levelOf(levels, elo)) }));
"""


class Given(random.Random):
    """A random number generator that returns given errors."""

    def __init__(self, errors: list[float]) -> None:
        super().__init__(0)
        self.errors = list(errors)

    def gauss(self, mu: float = 0.0, sigma: float = 1.0) -> float:
        """Return the next number from `errors`, multiplied by `sigma` and shifted by `mu`, in place of a random
        number."""
        return mu + self.errors.pop(0) * sigma


def ask(**asked: Any) -> dict[str, Any]:
    """Run the page's modules in Node with these questions, and return the answers."""
    node = shutil.which("node")
    if node is None:
        absent("node")
    script = SCRIPT % {"root": ROOT}
    done = subprocess.run(
        [node, "--input-type=module", "-e", script], input=json.dumps(asked), capture_output=True, text=True, check=True
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.fixture(scope="module")
def rng() -> random.Random:
    """Return a random number generator with a fixed seed."""
    return random.Random(12)


@pytest.mark.parametrize("name", ["minishogi", "dice"])
def test_the_page_makes_the_same_errors_as_the_engine(rng: random.Random, name: str) -> None:
    variant = VARIANTS[name]
    levels = levels_of(variant)
    elos = sorted({*(level.elo for level in levels), *(rng.randint(0, STRONGEST) for _ in range(200))})
    choices: list[dict[str, Any]] = []
    expected = []
    for _ in range(400):
        elo, count = rng.choice(elos), rng.randint(1, 30)
        values = [rng.choice([rng.randint(-4000, 4000), float("inf"), float("-inf")]) for _ in range(count)]
        errors = [rng.gauss(0, 1) for _ in range(count)]
        lines = [
            {"move": f"m{index}", "value": value if abs(value) < 1e6 else str(value)}
            for index, value in enumerate(values)
        ]
        choices.append({"elo": elo, "errors": errors, "lines": lines})
        handicap = LimitedPlayer(variant, elo, Given(errors))
        expected.append(
            handicap.choose([RankedLine([f"m{index}"], value) for index, value in enumerate(values)]).moves[0]
        )
    words = [0, 5, 6, 2**32 - 1, 2**32 - 5, 2**32 - 4, 11] + [rng.randrange(2**32) for _ in range(50)]
    words.append(7)  # the last number must be an accepted one, because a rejected number needs a next one
    told = ask(levels=[list(level) for level in levels], elos=elos, choices=choices, words=words)
    assert told["chosen"] == expected
    handicaps = [LimitedPlayer(variant, elo, rng) for elo in elos]
    assert told["made"] == [[handicap.nodes, handicap.multipv] for handicap in handicaps]
    # The four largest of the 2^32 numbers are rejected, because they would make some faces more frequent.
    assert told["dice"] == [word % 6 for word in words if word < 2**32 - 4]
