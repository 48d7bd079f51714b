"""The command `referee`: plays one game between two bots of an arena, as cg-brutaltester and psyleague call a referee.

cg-brutaltester (https://github.com/dreignier/cg-brutaltester) reads the players' scores from the first two lines of the
output, takes negative scores and any text on standard error for errors, and shows the other lines with an error.
psyleague (https://github.com/FakePsyho/psyleague) reads a JSON object.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from kogoma.arena.codingame.arenas import ARENAS
from kogoma.arena.random_start import random_start
from kogoma.console.arguments import CommandLineError, whole_number
from kogoma.console.lines import clip
from kogoma.console.streams import say, tell
from kogoma.lab.engines.factory import missing
from kogoma.lab.journals.match_journal import GameRecord, fault_line, first_entry
from kogoma.lab.match.openings import START, Opening
from kogoma.lab.match.runner import EnginePool
from kogoma.lab.match.schedule import Schedule
from kogoma.lab.match.settings import Settings, settings_from
from kogoma.native.processes import terminable
from kogoma.output_file import check_output, write_file

FAULT_SCORE = -1  # of a player who loses by a fault; otherwise a win counts 1, a draw or a loss 0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add = parser.add_argument
    add("game", choices=list(ARENAS), metavar="|".join(ARENAS), help="the arena's game")
    add("-p1", required=True, metavar="COMMAND", help="the command of the bot that moves first")
    add("-p2", required=True, metavar="COMMAND", help="the command of the other bot")
    seed = "seed of cards, die rolls and the order of the actions (default: random)"
    add("-d", dest="seed", type=_seed, metavar="seed=N", help=seed)
    add("-l", dest="journal", type=Path, metavar="FILE", help="write the game to this file, as a match journal")
    margin = "ms by which an answer may be late (%(default)s)"
    add("--timemargin", type=whole_number(0, 10**6), default=0, metavar="MS", help=margin)
    add("--json", action="store_true", help="print the result as psyleague reads it")


def _seed(text: str) -> int:
    if not re.fullmatch("seed=-?[0-9]{1,19}", text):
        raise argparse.ArgumentTypeError(f"needs seed=N with a whole number, not {clip(text)}")
    return int(text.removeprefix("seed="))


def run(given: argparse.Namespace) -> None:
    """Play a game and print its result. Raises CommandLineError if it cannot start, and OSError if its journal cannot
    be written."""
    seed = random.randrange(1 << 31) if given.seed is None else given.seed
    settings = _settings(given, seed)
    for spec in settings.engines:
        if text := missing(spec):
            raise CommandLineError(text)
    if given.journal is not None:
        check_output(given.journal)
    start = random_start(settings.variant, random.Random(f"start {seed}"))
    pool = EnginePool()
    with terminable():
        try:
            record = pool.play(Schedule(settings, [Opening(start)]).job(0))
        finally:
            pool.quit()
    if given.journal is not None:
        entries: list[Any] = [first_entry(settings.described()), record]
        write_file(given.journal, "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in entries))
    if fault := fault_line(record["fault"]):
        tell(f"referee: {fault}")
    scores = [_score(record, player, spec.name) for player, spec in enumerate(settings.engines)]
    say(_as_json(record, scores, seed) if given.json else "\n".join([*map(str, scores), f"seed={seed}"]))


def _settings(given: argparse.Namespace, seed: int) -> Settings:
    """Return the settings of a match that consists of this game. The bots are called by their commands."""
    names = [given.p1, given.p2 if given.p2 != given.p1 else f"{given.p2} 2"]
    words = {
        "variant": ARENAS[given.game].variant,
        "engine": [{"name": name, "cmd": command} for name, command in zip(names, (given.p1, given.p2))],
        "each": {"proto": "codingame", "timemargin": str(given.timemargin)},
        "games": "1",
        "repeat": "1",
        "openings": {"file": START},
    }
    return replace(settings_from(words), seed=seed)


def _score(record: GameRecord, player: int, name: str) -> int:
    fault = record["fault"]
    return FAULT_SCORE if fault is not None and fault["engine"] == name else int(record["winner"] == player)


def _as_json(record: GameRecord, scores: list[int], seed: int) -> str:
    """Return the result as psyleague's documentation describes it. The values of `test_data` can be used to filter
    games."""
    result = {
        "ranks": [int(score < max(scores)) for score in scores],
        "errors": [int(score < 0) for score in scores],
        "test_data": {"seed": seed, "plies": len(record["moves"]), "reason": record["reason"]},
        "player_data": [{} for _ in scores],
    }
    return json.dumps(result)
