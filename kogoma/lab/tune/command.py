"""`./engine.sh tune VARIANT`: fits the evaluation to games of self-play, and keeps it if it plays better.
With `--search`: tunes the parameters of the search instead."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from datetime import date
from pathlib import Path

from kogoma.arena.arguments import decimal, variant, whole_number
from kogoma.arena.lines import clip
from kogoma.eval.relation_table import TableError
from kogoma.lab.journals.match_journal import RecordError
from kogoma.lab.match.flags import WordsError
from kogoma.lab.match.opening_maker import TooFewOpenings
from kogoma.lab.match.runner import WorkError, terminable
from kogoma.lab.tune.acceptance_match import Verdict
from kogoma.lab.tune.phases import Tuning
from kogoma.lab.tune.plan import DATA_SHARE, DEFAULT, Plan, load_plan, planned
from kogoma.lab.tune.spsa import tune_search
from kogoma.lab.tune.store import DataError, FolderInUse, claimed, numbers_in

FAILED, UNUSABLE, OLD_STAY, INTERRUPTED = 1, 2, 3, 130
EPILOG = """\
What is in the folder is kept: after any end, kill -9 too, the same command goes on. Only --positions is reproducible;
--hours first times this machine. Exit codes: 0 new weights are written, or the part asked for is done; 3 the old ones
stay; 1 it can't go on; 2 it can't be begun; 130 interrupted."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes: a variant, and options."""
    parser.epilog = EPILOG
    count = whole_number(1, 10**9)
    add = parser.add_argument
    add("variant", type=variant, metavar="VARIANT", help="the game")
    add("--search", action="store_true", help="the parameters of the search instead of the evaluation")
    add("--hours", type=decimal(1e-3, 1e4), metavar="H", help="for all of it, about; chooses positions and games")
    add("--positions", type=count, metavar="N", help=f"of self-play, in whole chunks ({DEFAULT.positions:,})")
    nodes = f"of each of its searches ({DEFAULT.nodes:,}; with --search 5,000)"
    add("--nodes", type=whole_number(1, 10**7), metavar="N", help=nodes)
    add("--seed", type=whole_number(0, 10**9), metavar="S", help=f"of games, fit and match ({DEFAULT.seed})")
    games = f"at most, new against old ({DEFAULT.games:,}); with --search: of its climb (20,000)"
    add("--games", type=whole_number(2, 10**6), metavar="N", help=games)
    add("--match-nodes", type=whole_number(1, 10**7), metavar="N", help=f"of a move in them ({DEFAULT.match_nodes:,})")
    add("--elo0", type=decimal(-200, 200), metavar="E", help=f"of the SPRT ({DEFAULT.elo0:g})")
    add("--elo1", type=decimal(-200, 200), metavar="E", help=f"of the SPRT ({DEFAULT.elo1:g})")
    add("--data", type=Path, metavar="FOLDER", help="for all that is made (tune-VARIANT; tune-VARIANT-search)")
    add("--resume", action="store_true", help="take what is not given from the folder's plan")
    add("--concurrency", type=whole_number(1, 1024), metavar="C", help="games at a time (as there are processors)")
    add("--cluster", metavar="ADDRESS", help="play on a dask cluster")
    add("--only", choices=("data", "fit", "match"), help="one of the parts; fit takes all positions that are there")
    add("-o", "--output", type=Path, metavar="FOLDER", help="for accepted weights (the engine's own)")
    add("--date", type=_day, metavar="DAY", help="for the table's head, as 2026-01-31 (the newest chunk's)")


def run(given: argparse.Namespace) -> int:
    """The command; returns the exit code, as EPILOG tells it."""
    folder = given.data or Path(f"tune-{given.variant.name}{'-search' if given.search else ''}")
    try:
        with terminable(), claimed(folder):
            return _told(tune_search(given, folder), "parameters") if given.search else _tune(given, folder)
    except KeyboardInterrupt:
        return _interrupted()
    except (FolderInUse, WordsError, RecordError) as error:
        print(f"tune: {error}", file=sys.stderr)
        return UNUSABLE
    except (DataError, TooFewOpenings, TableError, WorkError) as error:
        print(f"tune: {error}", file=sys.stderr)
    except ImportError as error:
        print(f"tune: needs the package {error.name}: pip install {error.name}", file=sys.stderr)
    return FAILED


def _tune(given: argparse.Namespace, folder: Path) -> int:
    plan, planned = _plan(given, folder)
    tuning = Tuning(plan, folder, given.concurrency, given.cluster, given.date)
    if given.only in (None, "data"):
        tuning.make_data(planned, 1.0 if given.only else DATA_SHARE)
    if given.only == "fit":
        numbers = numbers_in(folder)
        chosen = numbers if given.positions is None else numbers[: plan.chunks(tuning.recipe.positions)]
        return 0 if tuning.make_fit(chosen, again=True) else OLD_STAY
    if given.only is None and not tuning.make_fit():
        return OLD_STAY
    if given.only == "data":
        return 0
    return _told(tuning.hold_match(), "weights")


def _told(verdict: Verdict | None, what: str) -> int:
    """The exit code after a match of new against old, which ended with this verdict or was interrupted."""
    if verdict is None:
        return _interrupted()
    print(f"{f'new {what}' if verdict.stronger else f'the old {what} stay'}: {verdict.reason}")
    return 0 if verdict.stronger else OLD_STAY


def _plan(given: argparse.Namespace, folder: Path) -> tuple[Plan, bool]:
    """(what is to be done, whether positions and games are known already). WordsError; DataError."""
    there = load_plan(folder)
    plan = planned(given, folder, there, Plan(given.variant.name))
    if given.positions is not None:
        plan = replace(plan, hours=0.0)
    if given.output is not None:
        plan = replace(plan, output=str(given.output))
    if given.hours is None:
        return plan, True
    if given.positions is not None or given.only in ("fit", "match"):
        raise WordsError("--hours chooses the positions: without --positions, and not for the fit or the match alone")
    if there is not None and replace(there, games=plan.games, positions=plan.positions) == plan:
        return there, True
    return plan, False


def _interrupted() -> int:
    print("interrupted; the same command goes on")
    return INTERRUPTED


def _day(text: str) -> str:
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise argparse.ArgumentTypeError(f"needs a day like 2026-01-31, not {clip(text)}") from None
