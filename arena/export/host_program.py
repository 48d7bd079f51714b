"""The Python around the search, the same for every flavor in Python: the adapter's own modules and a main program."""

from __future__ import annotations

from dataclasses import replace

from arena.export.bundle.bundle import Bundle, Changes
from arena.export.games import Game
from rules import variants
from search import worker

FIRST_TURN = 420  # ms: the first answer is due 500 ms after the process has started

# What a bot never comes to: perft, clocks other than a time for the move, reports, and several threads.
ABSENT = (
    "arena.lines.LineReader.next_line",
    "rules.native.layout.moves_dtype",
    "rules.position.BasePosition.checkers",
    "rules.position.Position.checkers",
    "search.margins.worker.TuningWorker",
    "search.searcher.Info",
    "search.searcher.Search._info",
    "search.table.Table.permille_used",
    "search.time._clock_share",
    "search.time._on_the_clock",
    "search.worker.Worker.lead",
    "search.worker.Worker.seldepth",
    "search.worker.Worker.wait",
)

HELPING = ("_announce", "_help", "follow", "lead", "wait")

ARENA_MAIN = """
import sys

from arena.codingame.command import HASH_MB, MARGIN, {arena}, play


def main():
    try:
        play({arena}, option("--margin", MARGIN), option("--hash", HASH_MB), "--chat" in sys.argv)
    except KeyboardInterrupt:
        sys.exit(130)
"""
CODEABBEY_MAIN = """
import sys

from arena.codeabbey.command import PLAY_TIME, InputError, play
from arena.streams import tell


def main():
    try:
        play(option("--movetime", PLAY_TIME))
    except InputError as error:
        tell(f"codeabbey: {error}")
        sys.exit(2)
"""
WORKER = "from search.worker import AlphaBetaWorker\ndef worker_kind():\n    return AlphaBetaWorker\n"
OPTION = """

def option(name, value):
    return int(sys.argv[sys.argv.index(name) + 1]) if name in sys.argv else value
"""


def program(game: Game, changes: Changes, start: str) -> str:
    """The text of the program. `changes` are the flavor's; `start` is what calls main(), after imports of its own."""
    name = next(name for name, value in vars(variants).items() if value is game.variant)
    replaced: dict[str, str] = {
        **changes.replaced,
        "rules.variants.VARIANTS": f"VARIANTS = {{{name}.name: {name}}}\n",
        "rules.variants.DEFAULT": f"DEFAULT = {name}\n",
        "search.margins.values.tuning": "def tuning():\n    return False\n",
        "search.time._to_full_second": "def _to_full_second(ms, early):\n    return ms\n",  # no option asks for it
        "search.worker.WINDOW": f"WINDOW = {worker.WINDOW}\n",
        "search.worker.REDUCTION_SCALE": f"REDUCTION_SCALE = {worker.REDUCTION_SCALE}\n",
        "search.threads.count.useful_threads": "def useful_threads(wanted):\n    return 1\n",
        "search.library.warmup": 'def warmup(report, *variants):\n    """Nothing has to be built here."""\n',
        "arena.codingame.standby.player": "from arena.codingame.bot import Bot\nplayer = Bot\n",
    }
    if game.arena:
        replaced["arena.codingame.turns.FIRST_TURN"] = f"FIRST_TURN = {FIRST_TURN}  # ms\n"
    absent = [*changes.absent, *ABSENT]
    if game.arena:
        absent.append("rules.position.BasePosition.copy")
    if game.variant.die:
        absent.append("search.worker.AlphaBetaWorker")
    else:
        replaced["search.margins.worker.worker_kind"] = WORKER
        absent += ["search.dice.worker", *(f"search.worker.AlphaBetaWorker.{name}" for name in HELPING)]
    if game.variant.cards:
        absent.append("rules.position.Position")
    else:
        absent += ["rules.onitama.position", "rules.onitama.notation"]
    main = ARENA_MAIN.replace("{arena}", game.arena) if game.arena else CODEABBEY_MAIN
    bundle = Bundle(replace(changes, replaced=replaced, absent=tuple(absent)))
    return bundle.text(main + OPTION + start)
