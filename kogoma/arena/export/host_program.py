"""The Python code around the search of native files: the bot's modules and a main program."""

from __future__ import annotations

from dataclasses import replace

from kogoma.arena.export.bundle.bundle import Bundle, Changes
from kogoma.arena.export.targets import Game
from kogoma.rules import variants
from kogoma.search.parameters import parameters_of

FIRST_TURN = 420  # ms: the first answer is due 500 ms after the process has started

# Names that a bot never uses: perft, clocks other than a time per move, reports, and several threads.
ABSENT = (
    "kogoma.console.lines.LineReader.next_line",
    "kogoma.rules.layout.moves_dtype",
    "kogoma.rules.base_position.BasePosition.checkers",
    "kogoma.rules.position.Position.checkers",
    "kogoma.search.searcher.Info",
    "kogoma.search.searcher.Search._info",
    "kogoma.search.searcher.Searcher.use_network",
    "kogoma.search.table_memory.Table.permille_used",
    "kogoma.search.time._clock_share",
    "kogoma.search.time._on_the_clock",
    "kogoma.search.worker.Worker.lead",
    "kogoma.search.worker.Worker.seldepth",
    "kogoma.search.worker.Worker.wait",
)

HELPING = ("_announce", "_help", "follow", "lead", "wait")

ARENA_MAIN = """
import sys

from kogoma.arena.codingame.command import {arena}, play
from kogoma.arena.codingame.settings import Settings
{imports}

def main():
    try:
        play({arena}, Settings(option("--margin", {margin}), option("--hash", {hash_mb}), {chat}, {book}))
    except KeyboardInterrupt:
        sys.exit(130)
"""
BOOK_IMPORTS = """\
from kogoma.arena.export.host.data import BOOK
from kogoma.arena.export.packing import unpack
"""
CODEABBEY_MAIN = """
import sys

from kogoma.arena.codeabbey.command import PLAY_TIME, InputError, play
from kogoma.console.streams import tell


def main():
    try:
        play(option("--movetime", PLAY_TIME))
    except InputError as error:
        tell(f"codeabbey: {error}")
        sys.exit(2)
"""
PARAMETERS_OF = "def parameters_of(variant):\n    return SearchParameters({values})\n"
CREATE_PLAYER = "from kogoma.arena.codingame.bot import Bot\ncreate_player = Bot\n"
OPTION = """

def option(name, value):
    return int(sys.argv[sys.argv.index(name) + 1]) if name in sys.argv else value
"""


def returning(place: str, arguments: str, source: str, result: str) -> str:
    """Return source text that replaces the function `place` by a function that returns the objects called `result` in
    the module `source`."""
    name = place.rpartition(".")[2]
    return f"from {source} import {result}\ndef {name}({arguments}):\n    return {result}\n"


def constant_structs(source: str) -> dict[str, str]:
    """Return a dict that maps the name ("module.function") of each function that returns a constant struct to the
    source text that replaces the function. The new functions return constants of the module `source`."""
    return {
        place: returning(place, arguments, source, result)
        for place, arguments, result in (
            ("kogoma.rules.rules_struct.rules_struct", "variant", "RULES"),
            ("kogoma.eval.weights.tuned", "variant, network=True", "RULES, WEIGHTS"),
            ("kogoma.search.worker.search_rules", "variant", "SEARCH_RULES"),
        )
    }


def program(game: Game, changes: Changes, start: str) -> str:
    """Return the text of a bot's program. `changes` are the changes to the engine's sources that this kind of exported
    file (its flavor) needs. `start` is the code that calls main()."""
    name = next(name for name, value in vars(variants).items() if value is game.variant)
    replaced: dict[str, str] = {
        **changes.replaced,
        "kogoma.rules.variants.VARIANTS": f"VARIANTS = {{{name}.name: {name}}}\n",
        "kogoma.rules.variants.DEFAULT": f"DEFAULT = {name}\n",
        "kogoma.search.time._to_full_second": "def _to_full_second(ms, early):\n    return ms\n",
        "kogoma.search.processors.useful_threads": "def useful_threads(wanted):\n    return 1\n",
        "kogoma.search.library.warmup": 'def warmup(report, *variants):\n    """There is nothing to build."""\n',
        "kogoma.arena.codingame.standby.create_player": CREATE_PLAYER,
    }
    if game.arena:
        replaced["kogoma.arena.codingame.turn_reader.FIRST_TURN"] = f"FIRST_TURN = {FIRST_TURN}  # ms\n"
    if not game.settings.book:
        replaced["kogoma.arena.codingame.book.unpacked_book"] = "def unpacked_book(data):\n    return {}\n"
    absent = [*changes.absent, *ABSENT]
    if game.arena:
        absent.append("kogoma.rules.base_position.BasePosition.copy")
    if game.variant.die:
        absent.append("kogoma.search.worker.AlphaBetaWorker")
    else:
        values = ", ".join(map(str, parameters_of(game.variant)))
        replaced["kogoma.search.parameters.parameters_of"] = PARAMETERS_OF.format(values=values)
        absent += ["kogoma.search.dice.worker", *(f"kogoma.search.worker.AlphaBetaWorker.{name}" for name in HELPING)]
    if game.variant.cards:
        absent.append("kogoma.rules.position.Position")
    else:
        absent.append("kogoma.rules.onitama.position")
    settings = game.settings
    main = CODEABBEY_MAIN
    if game.arena:
        main = ARENA_MAIN.format(
            arena=game.arena,
            imports=BOOK_IMPORTS if settings.book else "",
            margin=settings.margin,
            hash_mb=settings.hash_mb,
            chat=settings.chat or '"--chat" in sys.argv',
            book="unpack(BOOK)" if settings.book else 'b""',
        )
    bundle = Bundle(replace(changes, replaced=replaced, absent=tuple(absent)))
    return bundle.text(main + OPTION + start)
