"""The command `analyse`: searches every position of games, and lists the mistakes, in the game record, on a page and
in files for the board."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import Future
from pathlib import Path

from kogoma.console.arguments import CommandLineError, variant, whole_number
from kogoma.console.lines import counted
from kogoma.japanese import message
from kogoma.lab.analysis.examine import Settings, Store, examine, positions_in
from kogoma.lab.analysis.judge import Judgement, Known, Moves, judge, summary, worst
from kogoma.lab.analysis.page import Examined, remark, render_analysis, score_text, scores_of
from kogoma.lab.analysis.review_file import problems_text, review_text
from kogoma.lab.kifu.formats import FORMATS, file_range, format_of, lost_text, read_games, write_games
from kogoma.lab.kifu.game import Game, GameError, Line, Step, note_lines
from kogoma.lab.kifu.journal_games import record_of
from kogoma.lab.match.runner import finished
from kogoma.lab.match.workers import open_workers
from kogoma.lab.tune.progress import progress
from kogoma.native.processes import terminable
from kogoma.output_file import check_output, write_file
from kogoma.rules.variants import DEFAULT

INTERRUPTED = 130
LISTED = 5  # worst moves listed in the terminal
FORMATS_WITH_COMMENTS = ("kif", "kifu", "csa")
SHOWN = 10  # length of a variation in moves


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `analyse` to a parser."""
    count = whole_number(1, 10**9)
    add = parser.add_argument
    add("games", nargs="+", metavar="GAME", help="records: " + ", ".join(f".{name}" for name in FORMATS))
    limit = parser.add_mutually_exclusive_group()
    limit.add_argument("--movetime", type=count, metavar="MS", help=f"for each position ({Settings.movetime})")
    limit.add_argument("--nodes", type=count, metavar="N", help="for each position, instead of a time")
    add(
        "--multipv",
        type=whole_number(1, 100),
        default=Settings.multipv,
        metavar="N",
        help="lines per position (%(default)s)",
    )
    add("--hash", type=whole_number(1, 65536), default=Settings.hash_mb, metavar="MB", help="hash size (%(default)s)")
    add("--variant", type=variant, default=DEFAULT, metavar="V", help="the variant, if a record fits several")
    add("--concurrency", type=whole_number(1, 1024), metavar="C", help="games at a time (number of processors)")
    add("--cluster", metavar="ADDRESS", help="search on a dask cluster")
    add("-o", "--output", type=Path, metavar="FILE", help="record with remarks (GAME.analysed.kifu)")
    add("--page", type=Path, metavar="FILE.html", help="the page (default: the output's name with .html)")
    add("--problems", type=Path, metavar="FILE.json", help="also write the mistakes as problems for the board")
    parser.epilog = "After any interruption, run the same command again to continue."


def run(given: argparse.Namespace) -> int:
    """Run `analyse` and return its exit code: 1 for an error, 130 after an interruption."""
    try:
        with terminable():
            return _analyse(given)
    except KeyboardInterrupt:
        print("interrupted; run the same command again to continue")
        return INTERRUPTED


def _analyse(given: argparse.Namespace) -> int:
    movetime = given.movetime or (0 if given.nodes else Settings.movetime)
    settings = Settings(movetime, given.nodes or 0, given.multipv, given.hash)
    games = [game for name in given.games for game in _read(Path(name), given)]
    if not games:
        raise GameError(f"{given.games[0]}: it contains no game record")
    output = given.output or _output_of(Path(given.games[0]))
    form = format_of(output.name)
    if form not in FORMATS_WITH_COMMENTS:
        raise CommandLineError(
            f"{output}: a .{form} file cannot store comments; use .{', .'.join(FORMATS_WITH_COMMENTS)}"
        )
    page = given.page or output.with_suffix(".html")
    review = output.with_suffix(".json")
    for path in (output, page, review, *filter(None, [given.problems])):
        check_output(path)
    told = f"{settings.movetime} ms" if settings.movetime else f"{settings.nodes:,} nodes"
    all_moves = [_moves(game) for game in games]
    searched = list(zip(games, all_moves, _search(all_moves, settings, output, given)))
    judged = [judge(moves, known) for _, moves, known in searched]
    for game, judgements in zip(games, judged):
        annotate(game, judgements)
    examined = []
    for number, (game, judgements) in enumerate(zip(games, judged)):
        record = record_of(game, number)
        record["scores"] = scores_of(record, judgements)
        if not any(record["time_ms"]):
            record["time_ms"] = []  # the page then shows no times
        examined.append(Examined(record, judgements))
    lost = Counter[str]()
    files, _ = write_games(output, games, form, lost=lost)
    if lost:
        _warn(lost_text(output, form, lost))
    text = render_analysis(examined, f"{told} for each position, {counted(settings.multipv, 'line')}")
    write_file(page, text)
    write_file(review, review_text(searched))
    if given.problems:
        limit = {"maxSecondsPerPosition": settings.movetime / 1000} if settings.movetime else {}
        write_file(given.problems, problems_text(searched, {"multiPV": settings.multipv, **limit}))
    for number, (game, judgements) in enumerate(zip(games, judged), 1):
        _tell(game, judgements, f"game {number}, " * (len(games) > 1))
    print(", ".join(map(str, filter(None, [file_range(files), page, review, given.problems]))))
    for number in range(len(games)):
        _store_of(output, number).unlink(missing_ok=True)
    return 0


def _read(path: Path, given: argparse.Namespace) -> list[Game]:
    """Return the games of a file. If a game has an error, print it; the moves before the error are kept."""
    form = format_of(path.name)
    found = []
    try:
        for game in read_games(path, form, given.variant):
            if game.error:
                _warn(f"{path}: {game.error}; the moves before that are analysed")
            found.append(game)
        for line in note_lines(note for game in found for note in game.notes):
            _warn(f"{path}: {line}")
    except GameError as error:
        if not found:
            raise GameError(f"{path}: {error}") from None
        _warn(f"{path}: {error}")
    return found


def _warn(text: str) -> None:
    print(f"analyse: {message(text)}", file=sys.stderr)


def _output_of(path: Path) -> Path:
    form = format_of(path.name)
    return path.with_name(f"{path.stem}.analysed.{form if form in FORMATS_WITH_COMMENTS else 'kifu'}")


def _store_of(output: Path, number: int) -> Path:
    return output.with_name(f"{output.name}.{number + 1}.part")


def work(game: Moves, settings: Settings, known: Known, path: str) -> Known:
    """Analyse one game in a worker process. Return the best lines of all its positions. `path` names the game's
    journal: positions in the journal are not searched again, and results are added to it. If `path` is empty, there is
    no journal, and the positions in `known` are not searched."""
    if not path:
        examine(game, settings, known, lambda ply, lines: None)
        return known
    with contextlib.closing(Store(Path(path), game, settings)) as store:
        examine(game, settings, store.known, store.keep)
        return store.known


def _search(all_moves: Sequence[Moves], settings: Settings, output: Path, given: argparse.Namespace) -> list[Known]:
    """Search the positions of all games, and return the lines of each game's positions."""
    stores = [_store_of(output, number) for number in range(len(all_moves))]
    total = sum(len(moves.moves) + 1 for moves in all_moves)
    found: dict[int, Known] = {}

    def begin(number: int) -> Future[Known]:
        if not given.cluster:
            return workers.call(work, all_moves[number], settings, {}, str(stores[number]))
        with contextlib.closing(Store(stores[number], all_moves[number], settings)) as store:
            return workers.call(work, all_moves[number], settings, store.known, "")

    def keep(number: int) -> None:
        """Write the results of game `number` to its journal. Cluster workers cannot do this, because they have no
        access to this disk."""
        with contextlib.closing(Store(stores[number], all_moves[number], settings)) as store:
            for ply in found[number].keys() - store.known.keys():
                store.keep(ply, found[number][ply])

    def show() -> None:
        bar.add(max(min(sum(map(positions_in, stores)), total) - bar.done, 0))

    there = min(sum(map(positions_in, stores)), total)
    with (
        open_workers(given.cluster, given.concurrency, len(all_moves)) as workers,
        progress(total, there, "positions") as bar,
    ):
        for number, known in finished("game", iter(range(len(all_moves))), begin, workers, {}, meanwhile=show):
            found[number] = known
            if given.cluster:
                keep(number)
        show()
    return [found[number] for number in range(len(all_moves))]


def _moves(game: Game) -> Moves:
    dice = tuple(step.dice or 0 for step in game.main.steps)
    return Moves(game.variant.name, game.start, tuple(game.moves), dice if any(dice) else ())


def _tell(game: Game, judgements: list[Judgement], which: str) -> None:
    """Print the accuracy of both sides in a game, and its worst moves. `which` is a prefix that names the game, or ""
    if there is only one game."""
    for side, name in enumerate((game.black, game.white)):
        share = summary(judgements, side, len(game.moves)).accuracy
        if share is not None:
            print(message(f"{which}{('Black', 'White')[side]}{f' ({name})' if name else ''}: accuracy {share:.1f}%"))
    for one in worst(judgements)[:LISTED]:
        print(message(f"  {one.ply + 1}. {one.move}: {remark(one)}"))


def annotate(game: Game, judgements: Sequence[Judgement]) -> None:
    """Add the score from Black's point of view to the comment of every judged move. Add to each mistake a remark, and
    the better line as a variation."""
    for one in judgements:
        step = game.main.steps[one.ply]
        said = [step.comment, f"{score_text(*one.after, one.side)} depth {one.best.depth}", remark(one)]
        step.comment = "\n".join(part for part in said if part)
        if one.name:
            better = [Step(usi) for usi in one.best.moves[:SHOWN]]
            step.variations.append(Line(better))
