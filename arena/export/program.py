"""The Python around the search, the same for every flavor in Python: the adapter's own modules and a main program."""

from __future__ import annotations

from collections.abc import Mapping

from arena.export.bundle import Bundle
from arena.export.games import Game
from rules import variants

ARENA_MAIN = """
import sys

from arena.codingame.command import HASH_MB, MARGIN, {arena}, Options, run
{imports}

def main():
    run(Options({arena}, MARGIN, HASH_MB, False))


{start}
"""
CODEABBEY_MAIN = """
import sys

from arena.codeabbey.command import PLAY_TIME, InputError, play
{imports}

def main():
    try:
        play(PLAY_TIME)
    except InputError as error:
        print(f"codeabbey: {{error}}", file=sys.stderr)
        sys.exit(2)


{start}
"""


def program(
    game: Game, data: Mapping[str, str], hosts: Mapping[str, str], replaced: Mapping[str, str], imports: str, start: str
) -> str:
    """The text of the program. `data` is what `arena.export.host.data` holds in the file, `hosts` the modules that are used for
    others, `replaced` statements that stand for others; `start` calls main(), with the `imports` that it needs."""
    variant = next(name for name, value in vars(variants).items() if value is game.variant)
    sources = {"arena.export.host.data": "".join(f'{name} = "{value}"\n' for name, value in data.items())}
    replaced = {
        **replaced,
        "rules.variants.VARIANTS": f"VARIANTS = {{{variant}.name: {variant}}}\n",
        "rules.variants.DEFAULT": f"DEFAULT = {variant}\n",
    }
    absent = ["search.worker.AlphaBetaWorker" if game.variant.die else "search.dice.worker"]
    absent.append("rules.native.layout.moves_dtype")  # for perft
    absent += (
        ["rules.position.Position"] if game.variant.cards else ["rules.onitama.position", "rules.onitama.notation"]
    )
    main = (ARENA_MAIN if game.arena else CODEABBEY_MAIN).format(arena=game.arena, imports=imports, start=start)
    return Bundle(sources, hosts, replaced, tuple(absent)).text(main)
