"""The command `mate`: solve, check and compose mate problems.

Answers go to standard output, one line per problem; progress and the summary go to standard error.
"""

from __future__ import annotations

import argparse
import errno
import os
import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from kogoma.console.arguments import CommandLineError, variant, whole_number
from kogoma.console.lines import clip, counted
from kogoma.console.streams import tell
from kogoma.japanese import message
from kogoma.lab.kifu.formats import FORMATS
from kogoma.lab.kifu.problems import read_problem, read_problems
from kogoma.output_file import write_file
from kogoma.rules.variants import DEFAULT, Variant
from kogoma.usi_engine.tasks import useless_words

if TYPE_CHECKING:
    from kogoma.rules.base_position import BasePosition
    from kogoma.search.mate.solver import MateAnswer, MateLimits, MateSolver

MOST = 10**12
TELL_EVERY = 1.0  # seconds


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `mate` to a parser."""
    problem = "a position, files of problems (SFENs, or game records such as KIF), or - for a pipe"
    parser.add_argument("problem", nargs="*", metavar="SFEN|FILE", help=problem)
    form = "the format of the files, if not that of the extension; otherwise sfen"
    parser.add_argument("--from", dest="from_", choices=FORMATS, help=form)
    parser.add_argument("--variant", type=variant, metavar="GAME", help="the variant, if several share a board")
    parser.add_argument(
        "--time", type=whole_number(1, MOST), default=10_000, metavar="MS", help="time per search, default 10000"
    )
    parser.add_argument("--nodes", type=whole_number(1, MOST), metavar="N", help="maximum number of nodes per search")
    parser.add_argument("--hash", type=whole_number(1, 65536), default=64, metavar="MB", help="hash size; default 64")
    parser.add_argument("--shortest", action="store_true", help="prove that no mate is shorter")
    parser.add_argument("--check", action="store_true", help="also check whether each problem is sound")
    parser.add_argument("--make", type=variant, metavar="GAME", help="make problems of this variant")
    parser.add_argument(
        "--tsume", action="store_true", help="make problems that have neither the attacker's king nor unneeded pieces"
    )
    parser.add_argument(
        "--plies", type=whole_number(1, 99), metavar="N", help="plies of a problem; default 7 with --make"
    )
    parser.add_argument(
        "--count", type=whole_number(1, 10**6), default=10, metavar="N", help="number of problems to make"
    )
    parser.add_argument("--seed", type=whole_number(0, MOST), default=1, metavar="N", help="random seed of the games")
    parser.add_argument("--kif", type=Path, metavar="FOLDER", help="also write the problems as KIF files")


def run(given: argparse.Namespace) -> int:
    """Run `mate` and return its exit code: 1 if a problem has an error."""
    if given.make is not None:
        return _make(given)
    if not given.problem:
        raise CommandLineError("name an SFEN, a file, - for standard input, or --make GAME")
    return _solve(given)


def _problems(words: list[str], form: str | None, preferred: Variant) -> Iterator[BasePosition | ValueError]:
    """Yield the positions to solve, and an error for each invalid problem. `words` are an SFEN, or names of files, of
    which `-` is standard input. `form` is the format, None for that of a file's extension or else SFEN lines."""
    text = " ".join(words)
    files = [text] if Path(text).is_file() else words
    if not all(name == "-" or Path(name).is_file() for name in files):
        if Path(text).is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), text)
        if "/" not in text or (len(words) == 1 and " " not in text):
            raise CommandLineError(f"there is no file {clip(text, 80)}, and it is not an SFEN")
        try:
            if (position := read_problem(text, preferred)) is not None:
                yield position
        except ValueError as error:
            yield error
        return
    for name in files:
        ending = Path(name).suffix.lower().removeprefix(".")
        with sys.stdin.buffer if name == "-" else Path(name).open("rb") as source:
            try:
                for problem in read_problems(source, form or (ending if ending in FORMATS else "sfen"), preferred):
                    yield ValueError(f"{name}: {problem}") if isinstance(problem, ValueError) else problem
            except ValueError as error:
                if len(files) == 1:
                    raise ValueError(f"{name}: {error}") from None
                yield ValueError(f"{name}: {error}")


def _solve(given: argparse.Namespace) -> int:
    from kogoma.search.mate.solver import MateLimits, MateSolver
    from kogoma.search.table_memory import Table

    solver = MateSolver(Table(given.hash))
    limits = MateLimits(given.time, given.nodes, given.shortest, short_first=True)
    counts, times, failed = dict[str, int](), list[float](), 0
    started = told = time.perf_counter()
    for number, problem in enumerate(_problems(given.problem, given.from_, given.variant or DEFAULT), 1):
        try:
            if isinstance(problem, ValueError):
                raise problem
            verdict, line, seconds = _answer(given, solver, problem, limits)
        except ValueError as error:
            failed += 1
            verdict, line, seconds = "error", f"error: {error}", None
        print(line, flush=True)
        if seconds is not None:
            times.append(seconds)
        counts[verdict] = counts.get(verdict, 0) + 1
        if time.perf_counter() - told >= TELL_EVERY:
            told = time.perf_counter()
            tell(message(f"{counted(number, 'problem')}, {told - started:.1f} s"))
    if not counts:
        raise ValueError(f"{' '.join(given.problem)}: contains no position")
    tell(message(_summary(counts, times)))
    return 1 if failed else 0


def _answer(
    given: argparse.Namespace, solver: MateSolver, position: BasePosition, limits: MateLimits
) -> tuple[str, str, float]:
    """Solve a position, and with `--check` also check that it is a sound problem. Return the verdict, the line to
    print, and the seconds that solving took."""
    from kogoma.search.mate.problems import examine

    if not given.check:
        answer = solver.solve(position, limits)
        return answer.verdict, answer_text(answer), answer.time_ms / 1000
    found = examine(solver, position, limits)
    answer = found.answer
    words = [answer_text(answer)]
    if answer.moves:
        words.append("sound" if found.is_sound else "not sound")
        words += [f"cooks: {' '.join(found.cooks)}"] * bool(found.cooks)
        words += [f"undecided: {' '.join(found.undecided)}"] * bool(found.undecided)
        words += [f"left in hand: {found.left}"] * bool(found.left)
        if given.plies is not None and answer.plies < given.plies:
            words.append(f"shorter than {given.plies}")
    return answer.verdict, "; ".join(words), answer.time_ms / 1000


def answer_text(answer: MateAnswer) -> str:
    """Return the mate solver's answer as text: `mate 5 G*1b ...`, `nomate` or `timeout`."""
    if not answer.moves:
        return answer.verdict
    shortest = " (the shortest)" if answer.is_shortest else ""
    return f"mate {answer.plies}{shortest} {' '.join(answer.moves)}{useless_words(answer)}"


def _make(given: argparse.Namespace) -> int:
    """Compose sound problems. Write each as an SFEN to standard output and, with `--kif`, also as a KIF file."""
    from kogoma.lab.kifu.game import Game
    from kogoma.lab.kifu.kif import kif
    from kogoma.search.library import warmup
    from kogoma.search.mate.problems import make_problems
    from kogoma.search.mate.solver import refusal

    game = given.make
    if reason := refusal(game):
        raise CommandLineError(f"problems cannot be composed: {reason}")
    plies = 7 if given.plies is None else given.plies
    if plies % 2 == 0:
        raise CommandLineError(f"--plies: a mate takes an odd number of plies, not {plies}")
    if given.kif is not None:
        given.kif.mkdir(parents=True, exist_ok=True)
    warmup(tell, game, mates=True)
    started = told = time.perf_counter()
    made, seen = 0, 0

    def progress(positions: int) -> None:
        nonlocal told, seen
        seen = positions
        if time.perf_counter() - told >= TELL_EVERY:
            told = time.perf_counter()
            tell(message(f"{counted(made, 'problem')} of {counted(positions, 'position')}, {told - started:.0f} s"))

    for sfen, answer in make_problems(game, plies, given.seed, progress, tsume=given.tsume):
        made += 1
        print(sfen, flush=True)
        if given.kif is not None:
            write_file(given.kif / f"{made:04}.kifu", kif(Game.played(game, answer.moves, sfen)))
        if made == given.count:
            break
    seconds = time.perf_counter() - started
    tell(message(f"{counted(made, 'problem')} of {counted(seen, 'position')}, {seconds:.1f} s"))
    return 0


def _summary(counts: dict[str, int], times: list[float]) -> str:
    found = ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items()))
    text = f"{counted(sum(counts.values()), 'problem')}: {found}"
    if times:
        median, longest = statistics.median(times) * 1000, max(times) * 1000
        text += f"; {sum(times):.2f} s, median {median:.1f} ms, longest {longest:.1f} ms"
    return text
