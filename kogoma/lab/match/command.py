"""The command `match`: plays engines against each other, records every game, and shows the result."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from kogoma.console.arguments import CommandLineError
from kogoma.console.lines import counted
from kogoma.environment import can_provide
from kogoma.japanese import message
from kogoma.lab.engines.factory import missing
from kogoma.lab.engines.faults import OptionError
from kogoma.lab.journals.match_journal import GameRecord, RecordError, RecordWriter, read_head, read_records
from kogoma.lab.kifu.formats import export, file_range
from kogoma.lab.match.flags import match_help, parse_words, words_of
from kogoma.lab.match.openings import Opening, load_openings
from kogoma.lab.match.pgn import PgnFile
from kogoma.lab.match.runner import Threads, WorkError, Workplace, run
from kogoma.lab.match.schedule import Schedule
from kogoma.lab.match.settings import Settings, settings_from
from kogoma.lab.match.standings import LiveProgress, Progress, Standing
from kogoma.lab.match.workers import Cluster
from kogoma.output_file import check_output, error_text, reason
from kogoma.rules.custom.writer import GAME_FILE

INTERRUPTED = 130


def main(argv: Sequence[str], program: str) -> int:
    """Run `match` and return its exit code: 0 at the end of the match, 130 after an interruption. Raises
    CommandLineError if the match cannot start, WorkError or OSError if it cannot continue. `program` is the name of the
    program in messages."""
    if not argv or not {"help", "-help", "--help", "-h"}.isdisjoint(argv):
        print(match_help(program))
        return 0
    settings = read_settings(argv)
    try:
        standing, finished = play(settings)
        print(message(str(standing)))
        written = [file_range(export(settings.records, path)) for path in settings.exports]
    except (OSError, WorkError) as error:
        if not settings.records.exists():  # no game has ended
            raise
        raise WorkError(f"{error_text(error)}; to go on: {program} {settings.resuming()}") from None
    print(message(f"records: {', '.join([str(settings.records), *written])}"))
    if text := standing.exhausted_text():  # resuming would not help
        raise WorkError(text)
    if finished:
        return 0
    print(message(f"interrupted; to go on: {program} {settings.resuming()}"))
    return INTERRUPTED


def read_settings(words: Sequence[str]) -> Settings:
    """Return the settings of the match that a command line describes. If it resumes a journal and names no engines, its
    flags override the settings in the journal."""
    given = parse_words(words)
    if "engine" not in given and given.get("resume", "true") != "true":
        try:
            head = read_head(Path(given["resume"]))
        except RecordError as error:
            raise CommandLineError(str(error)) from None
        if head is None:
            raise CommandLineError(f"{given['resume']}: there is no match to resume")
        given = words_of({name: value for name, value in head.items() if name != GAME_FILE}) | given
    return settings_from(given)


def openings_of(settings: Settings) -> list[Opening]:
    """Return the openings of a match. Raises CommandLineError if their file is unreadable, invalid or empty."""
    chosen = settings.openings
    try:
        return load_openings(chosen.file, settings.variant, chosen.plies)
    except ValueError as error:
        raise CommandLineError(str(error)) from None
    except OSError as error:
        raise CommandLineError(f"cannot read {chosen.file}: {reason(error)}") from None


def _check(record: GameRecord, schedule: Schedule, path: Path) -> None:
    """Raise RecordError if a game in the journal does not belong to the schedule, for example because the openings file
    has changed."""
    try:
        job = schedule.job(record["game"])
    except IndexError:
        job = None
    wanted = job and (job.pair, job.start, list(job.book), job.black.name, job.white.name, job.seed)
    names = ("pair", "start", "book", "black", "white", "seed")
    if wanted != tuple(record.get(name) for name in names):
        raise RecordError(f"{path}: game {record['game']} does not belong to this match: have the openings changed?")


def play(settings: Settings) -> tuple[Standing, bool]:
    """Play a match, or the rest of it, and show its progress. Return the final standings, and whether the match has
    ended (False: it was interrupted). Raises CommandLineError if it cannot start, WorkError or OSError if it cannot
    continue."""
    openings = openings_of(settings)
    schedule = Schedule(settings, openings)
    standing = Standing(settings, schedule)

    def add_known(record: GameRecord) -> None:
        _check(record, schedule, settings.records)
        standing.add(record)

    if settings.pgn is not None and settings.pgn.path.is_file() and not settings.resume:
        raise CommandLineError(f"{settings.pgn.path} already exists: choose another -pgnout")
    try:
        for path in (*settings.exports, *([settings.pgn.path] if settings.pgn else [])):
            check_output(path)
        for log in {spec.log for spec in settings.engines if spec.log}:
            check_output(Path(log))
        writer = RecordWriter(settings.records, settings.described(), settings.resume, add_known)
    except (RecordError, OSError) as error:
        raise CommandLineError(error_text(error)) from None
    with writer as records, contextlib.ExitStack() as stack:
        if records.unchecked:  # the other games are played as the first one was
            engines = tuple(replace(spec, check_options=False) for spec in settings.engines)
            schedule = Schedule(replace(settings, engines=engines), openings)
        pgn = None
        if settings.pgn is not None:
            pgn = stack.enter_context(PgnFile(settings.pgn, read_records(settings.records).games))
        return standing, _play(settings, schedule, standing, records, pgn)


def _play(
    settings: Settings, schedule: Schedule, standing: Standing, records: RecordWriter, pgn: PgnFile | None
) -> bool:
    progress, workplace = _progress(standing), _workplace(settings)
    standing.begin()
    if there := standing.games:
        are = "is" if there == 1 else "are"
        progress.show_line(f"{settings.records}: {counted(there, 'game')} {are} there already")
    if settings.sprt is None and schedule.slots > len(schedule.openings):
        progress.show_line(f"{len(schedule.openings)} openings, but {schedule.slots} are needed: openings repeat")
    searching = 1 if settings.cluster else (settings.concurrency or 1) * _threads(settings)
    if searching > (os.cpu_count() or 1):
        progress.show_line(f"{searching} search threads on {os.cpu_count()} processors: moves may be late and weaker")

    def add(record: GameRecord) -> None:
        standing.add(record)
        progress.update(record)
        if pgn is not None:
            pgn.add(record)

    with progress:
        try:
            finished = run(workplace, schedule, records, add, standing.is_over, settings.recover, progress.begin_game)
        except OptionError as fault:
            raise CommandLineError(f"{fault.engine}: {fault.detail}") from None
        except WorkError:
            progress.show_line(str(standing))
            raise
    if (state := standing.stopping.state) is not None and state.verdict is not None:
        records.add_verdict(state)
    return finished


def _threads(settings: Settings) -> int:
    """Return the maximum number of search threads that are busy in one game: those of one engine, or of two engines if
    one of them ponders."""
    given = [dict(spec.options).get("Threads", "1") for spec in settings.engines]
    threads = sorted(int(text) if text.isdecimal() else 1 for text in given)
    return sum(threads[-2:]) if any(spec.ponder for spec in settings.engines) else threads[-1]


def _progress(standing: Standing) -> Progress:
    if sys.stdout.isatty() and not standing.settings.lines_only and can_provide("lab"):
        with contextlib.suppress(ImportError):  # without the package rich, lines of text show the progress
            return LiveProgress(standing)
    return Progress(standing)


def _workplace(settings: Settings) -> Workplace:
    if settings.cluster is not None:
        return Cluster(settings.cluster, settings.concurrency)
    for spec in settings.engines:
        if text := missing(spec):
            raise CommandLineError(text)
    games, threads = settings.concurrency or 1, _threads(settings)
    bound = settings.processors
    if bound is not None and len(bound) < games * threads:
        raise CommandLineError(
            f"-use-affinity: {games * threads} search threads, but {counted(len(bound), 'processor')}"
        )
    blocks = [bound[game * threads : (game + 1) * threads] for game in range(games)] if bound else []
    return Threads(games, blocks)
