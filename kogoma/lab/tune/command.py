"""`./engine.sh tune VARIANT`: tune the evaluation or, with `--search`, the search parameters, by self-play."""

from __future__ import annotations

import argparse
from dataclasses import replace
from datetime import date
from pathlib import Path

from kogoma.console.arguments import CommandLineError, decimal, variant, whole_number
from kogoma.console.lines import clip
from kogoma.lab.tune.acceptance_match import Verdict
from kogoma.lab.tune.phases import Tuning
from kogoma.lab.tune.plan import DATA_SHARE, DEFAULT, Plan, load_plan, plan_from_options
from kogoma.lab.tune.spsa import tune_search
from kogoma.lab.tune.store import claimed, numbers_in
from kogoma.native.processes import terminable

NOT_ACCEPTED, INTERRUPTED = 3, 130
EPILOG = """\
After any interruption, run the same command again to continue. Runs with --positions are reproducible; --hours
depends on the machine. Exit codes: 0 new weights are written, or the phase of --only is done; 1 failed; 2 wrong
options or folder; 3 the old weights stay; 130 interrupted."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `tune` to a parser."""
    parser.epilog = EPILOG
    count = whole_number(1, 10**9)
    add = parser.add_argument
    add("variant", type=variant, metavar="VARIANT", help="the variant to tune")
    add("--search", action="store_true", help="tune the search parameters, not the evaluation")
    add("--hours", type=decimal(1e-3, 1e4), metavar="H", help="approximate total time; sets --positions and --games")
    add("--positions", type=count, metavar="N", help=f"positions of self-play ({DEFAULT.positions:,})")
    nodes = f"nodes per search of self-play ({DEFAULT.nodes:,}; with --search 5,000)"
    add("--nodes", type=whole_number(1, 10**7), metavar="N", help=nodes)
    add("--seed", type=whole_number(0, 10**9), metavar="S", help=f"seed of games, fit and match ({DEFAULT.seed})")
    games = f"maximum games of the match ({DEFAULT.games:,}); with --search: games of SPSA (20,000)"
    add("--games", type=whole_number(2, 10**6), metavar="N", help=games)
    add(
        "--match-nodes",
        type=whole_number(1, 10**7),
        metavar="N",
        help=f"nodes per move in the match ({DEFAULT.match_nodes:,})",
    )
    add("--epochs", type=whole_number(1, 10_000), metavar="N", help=f"epochs of the fit ({DEFAULT.epochs})")
    add("--rate", type=decimal(1e-6, 1), metavar="R", help=f"initial learning rate of the fit ({DEFAULT.rate:g})")
    add("--decay", type=decimal(0, 1000), metavar="D", help=f"weight decay of the fit ({DEFAULT.decay:g})")
    blend = f"lambda of the fit's targets: 0 for the search scores, 1 for the results ({DEFAULT.td_lambda:g})"
    add("--td-lambda", type=decimal(0, 1), metavar="L", help=blend)
    terms = "fit beside all handcrafted terms (default) or only the values of pieces, which is faster to evaluate"
    add("--all-terms", action=argparse.BooleanOptionalAction, help=terms)
    refined = "start the fit from the current network instead of random weights"
    add("--refine", action=argparse.BooleanOptionalAction, help=refined)
    add("--elo0", type=decimal(-200, 200), metavar="E", help=f"lower bound of the SPRT ({DEFAULT.elo0:g})")
    add("--elo1", type=decimal(-200, 200), metavar="E", help=f"upper bound of the SPRT ({DEFAULT.elo1:g})")
    add("--data", type=Path, metavar="FOLDER", help="folder for all files (tune-VARIANT; tune-VARIANT-search)")
    add("--resume", action="store_true", help="take missing options from the folder's plan")
    add("--concurrency", type=whole_number(1, 1024), metavar="C", help="games at a time (number of processors)")
    add("--cluster", metavar="ADDRESS", help="play on a dask cluster")
    add("--only", choices=("data", "fit", "match"), help="run one phase; fit uses all chunks in the folder")
    add("-o", "--output", type=Path, metavar="FOLDER", help="folder for accepted weights (the engine's own)")
    add("--date", type=_day, metavar="DAY", help="date in the network file, like 2026-01-31 (the newest chunk's)")


def run(given: argparse.Namespace) -> int:
    """Run `tune` and return its exit code (see EPILOG)."""
    folder = given.data or Path(f"tune-{given.variant.name}{'-search' if given.search else ''}")
    try:
        with terminable(), claimed(folder):
            return _report(tune_search(given, folder), "parameters") if given.search else _tune(given, folder)
    except KeyboardInterrupt:
        return _report(None, "")


def _tune(given: argparse.Namespace, folder: Path) -> int:
    plan, planned = _plan(given, folder)
    tuning = Tuning(plan, folder, given.concurrency, given.cluster, given.date)
    if given.only in (None, "data"):
        tuning.make_data(planned, 1.0 if given.only else DATA_SHARE)
    if given.only == "fit":
        numbers = numbers_in(folder)
        chosen = numbers if given.positions is None else numbers[: plan.chunks(tuning.recipe.positions)]
        return 0 if tuning.make_fit(chosen, again=True) else NOT_ACCEPTED
    if given.only is None and not tuning.make_fit():
        return NOT_ACCEPTED
    if given.only == "data":
        return 0
    return _report(tuning.play_match(), "weights")


def _report(verdict: Verdict | None, numbers: str) -> int:
    """Print the verdict of the acceptance match on the new `numbers` (like "weights"), and return the exit code. A
    verdict of None means that the run was interrupted."""
    if verdict is None:
        print("interrupted; run the same command again to continue")
        return INTERRUPTED
    print(f"{f'new {numbers}' if verdict.stronger else f'the old {numbers} stay'}: {verdict.reason}")
    return 0 if verdict.stronger else NOT_ACCEPTED


def _plan(given: argparse.Namespace, folder: Path) -> tuple[Plan, bool]:
    """Return the plan, and whether its numbers of positions and games are final. If not, they will be computed from
    `--hours`. Raises CommandLineError if options cannot be combined, DataError if the saved plan cannot be read."""
    saved = load_plan(folder)
    plan = plan_from_options(given, folder, saved, Plan(given.variant.name))
    if given.positions is not None:
        plan = replace(plan, hours=0.0)
    if given.output is not None:
        plan = replace(plan, output=str(given.output))
    if given.hours is None:
        return plan, True
    if given.positions is not None or given.only in ("fit", "match"):
        raise CommandLineError("--hours cannot be used with --positions, --only fit or --only match")
    if saved is not None and replace(saved, games=plan.games, positions=plan.positions) == plan:
        return saved, True
    return plan, False


def _day(text: str) -> str:
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected a date like 2026-01-31, not {clip(text)}") from None
