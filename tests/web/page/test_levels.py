"""Levels of limited strength and dice on the page, compared with Python for the same random numbers."""

from __future__ import annotations

import json
import random
import shutil
import subprocess

import pytest

from kogoma.rules.variants import VARIANTS
from kogoma.search.levels import levels_of
from support.peers import absent
from support.usi_client import ROOT

SCRIPT = """
import { readFileSync } from "node:fs";
import { atLevel, levelNumber } from "%(root)s/kogoma/web/page/play/levels.js";
import { below } from "%(root)s/kogoma/web/page/play/random.js";
const { levels, elos, words } = JSON.parse(readFileSync(0, "utf-8"));
const rest = [...words];
const dice = [];
while (rest.length) dice.push(below(6, (into) => { into[0] = rest.shift(); return into; }));
console.log(JSON.stringify({
  dice, numbers: elos.map((elo) => levelNumber(levels, elo)), found: elos.map((elo) => atLevel(levels, elo)),
  full: atLevel(levels, null), seeds: new Set(elos.map((elo) => atLevel(levels, elo)[1].seed)).size,
}));
"""


@pytest.mark.parametrize("name", ["minishogi", "dice"])
def test_the_page_has_the_levels_of_the_engine(name: str) -> None:
    node = shutil.which("node")
    if node is None:
        absent("node")
    rng = random.Random(12)
    levels = levels_of(VARIANTS[name])
    elos = [level.elo for level in levels]
    words = [0, 5, 6, 2**32 - 1, 2**32 - 5, 2**32 - 4, 11] + [rng.randrange(2**32) for _ in range(50)]
    words.append(7)  # the last number must be an accepted one, because a rejected number needs a next one
    asked = json.dumps({"levels": levels, "elos": elos, "words": words})
    script = SCRIPT % {"root": ROOT}
    command = [node, "--input-type=module", "-e", script]
    told = json.loads(subprocess.run(command, input=asked, capture_output=True, text=True, check=True).stdout)
    assert told["numbers"] == [*range(len(levels))] and told["full"] == [{}, {}]
    assert [(limits, options["noise"]) for limits, options in told["found"]] == [
        ({"nodes": level.nodes}, level.noise) for level in levels
    ]
    assert told["seeds"] == len(levels), "every search has other errors"
    # The four largest of the 2^32 numbers are rejected, because they would make some faces more frequent.
    assert told["dice"] == [word % 6 for word in words if word < 2**32 - 4]
