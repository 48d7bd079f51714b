"""Test changes of search or evaluation one after the other, each by an SPRT. Run it in the checkout:

    .venv/bin/python -m benchmarks.changes CHANGES.toml FOLDER [--games 12000] [--nodes 20000] [--concurrency 1]

CHANGES.toml names the changes. Each is a checkout (`dir`), a file of search parameters or a folder of weights, and
plays against this checkout, in minishogi unless it names another variant:

    [[change]]
    name = "correction history"
    dir = "../kogoma-correction"

    [[change]]
    name = "parameters of the second run"
    variant = "kyoto"
    parameters = "second.toml"

Each test has the hypotheses 0 and 5 normalised Elo; in variants with a die, luck-adjusted. FOLDER keeps the openings,
which are made for each variant when they are needed, and the match journals, from which an interrupted run goes on. The
table of all tests is printed at the end, for docs/strength.md.
"""

from __future__ import annotations

import argparse
import subprocess
import tomllib
from pathlib import Path
from typing import NamedTuple

from benchmarks.self_play import KOGOMA
from kogoma.lab.journals.match_journal import read_records
from kogoma.lab.stats.early_stopping import corrected_text, exit_chance
from kogoma.lab.stats.sprt import Sprt, bounds
from kogoma.lab.stats.statistics import NORMALISED_ELO, tally
from kogoma.rules.variants import find

USUAL = "minishogi"
ELO0, ELO1, ALPHA, BETA = 0.0, 5.0, 0.05, 0.05
OPENINGS = "-plies 4-8 -balance 60 -nodes 100000 -seed 1"  # of `openings`
GAMES_OF_AN_OPENING = 2
SPRT = f"elo0={ELO0:g} elo1={ELO1:g} alpha={ALPHA:g} beta={BETA:g}"


class Change(NamedTuple):
    """A change: its name, the variant in which it plays, and settings of the changed engine as `match` takes them."""

    name: str
    variant: str
    settings: list[str]


def read_changes(path: Path) -> list[Change]:
    """Return the changes that a file names. Raises ValueError if it has something else."""
    found = []
    for entry in tomllib.loads(path.read_text(encoding="utf-8")).get("change", []):
        known = {"name", "variant", "dir", "parameters", "weights"}
        if not {"name"} <= entry.keys() <= known or not all(isinstance(value, str) for value in entry.values()):
            raise ValueError(f"{path}: a change has a name and some of {', '.join(sorted(known))}, not {entry}")
        flags = {"dir": "dir", "parameters": "env.KOGOMA_PARAMETERS", "weights": "env.KOGOMA_WEIGHTS"}
        settings = [f"{flag}={(path.parent / entry[key]).resolve()}" for key, flag in flags.items() if key in entry]
        found.append(Change(entry["name"], find(entry.get("variant", USUAL)).name, settings))
    if not found:
        raise ValueError(f"{path} names no change")
    return found


def openings(folder: Path, variant: str, games: int) -> Path:
    """Return a file with openings for so many games, and make it if necessary."""
    path = folder / f"openings-{variant}.sfen"
    if not path.exists():
        count = str(games // GAMES_OF_AN_OPENING)
        command = [*KOGOMA, "openings", variant, "-count", count, *OPENINGS.split(), "-o", str(path)]
        if subprocess.run(command).returncode not in (0, 3):  # 3: the variant has fewer even positions
            raise SystemExit("the openings cannot be made")
    return path


def play(change: Change, given: argparse.Namespace) -> str:
    """Test a change, or go on with its test, and return its row of the table."""
    journal = given.folder / f"{change.name.replace(' ', '-')}-{change.variant}.jsonl"
    luck = " luck=on" if find(change.variant).die else ""
    words = ["-variant", change.variant, "-engine", "name=change", *change.settings, "-engine", "name=base"]
    words += ["-each", f"nodes={given.nodes}", "option.USI_Hash=16", "-sprt", *f"{SPRT}{luck}".split()]
    words += ["-games", str(GAMES_OF_AN_OPENING), "-rounds", str(given.games // GAMES_OF_AN_OPENING)]
    words += ["-openings", f"file={openings(given.folder, change.variant, given.games)}", "-scoreinterval", "0"]
    words += ["-concurrency", str(given.concurrency), "-out", str(journal), "-resume"]
    if subprocess.run([*KOGOMA, "match", *words]).returncode not in (0, 1):
        raise SystemExit(f"{journal}: the match failed")
    return row(change, journal, given.nodes)


def row(change: Change, journal: Path, nodes: int) -> str:
    """Return the row of a test in the table."""
    records = read_records(journal)
    counted, state = tally(records.games, "change"), records.sprt
    found = counted.adjusted_estimate() or counted.estimate()
    score = f"{found.score:.1%} | {found.score_low:.1%} to {found.score_high:.1%}" if found else "- | -"
    verdict = {"H1": "passed", "H0": "failed"}.get((state and state.verdict) or "", "undecided")
    corrected = corrected_text(Sprt(ELO0, ELO1, ALPHA, BETA), counted.pairs)
    games = len(records.games)
    return f"| {change.name} | {change.variant} | {nodes:,} | {games} | {score} | {verdict} | {corrected} |"


def odds(games: int) -> str:
    """Return in words how often a test of at most so many games decides wrongly, by the model of
    `lab.stats.early_stopping`."""
    lower, upper = bounds(ALPHA, BETA)
    time = games * ((ELO1 - ELO0) / NORMALISED_ELO) ** 2
    words = []
    for elo, drift in ((ELO0, -0.5), (ELO1, 0.5)):
        passed, failed = exit_chance(drift, lower, upper, time), exit_chance(-drift, -upper, -lower, time)
        words.append(f"a change worth {elo:g} normalised Elo passes in {passed:.1%} of tests, fails in {failed:.1%}")
    return f"With at most {games:,} games, {'; '.join(words)}; the others are undecided."


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("changes", type=Path)
    words.add_argument("folder", type=Path)
    words.add_argument("--games", type=int, default=12_000, help="most games of a test")
    words.add_argument("--nodes", type=int, default=20_000, help="per move")
    words.add_argument("--concurrency", type=int, default=1)
    given = words.parse_args()
    try:
        changes = read_changes(given.changes)
    except (ValueError, OSError) as error:
        raise SystemExit(str(error)) from None
    given.folder.mkdir(parents=True, exist_ok=True)
    rows = [play(change, given) for change in changes]
    print("| change | variant | nodes a move | games | score | interval | test | |\n|---|---|---|---|---|---|---|---|")
    print("\n".join(rows))
    print(f"\n{odds(given.games)}")


if __name__ == "__main__":
    main()
