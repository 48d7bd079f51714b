"""The match that decides whether new weights or search parameters are accepted."""

from __future__ import annotations

import contextlib
import hashlib
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from kogoma.console.lines import counted
from kogoma.lab.engines.base import EngineSpec
from kogoma.lab.engines.clock import TimeControl
from kogoma.lab.engines.factory import KOGOMA
from kogoma.lab.match.command import play
from kogoma.lab.match.opening_maker import Recipe, TooFewOpenings, make_openings
from kogoma.lab.match.openings import SHIPPED, load_openings
from kogoma.lab.match.settings import OpeningChoice, Settings
from kogoma.lab.match.standings import Standing
from kogoma.lab.stats.sprt import Sprt
from kogoma.lab.tune.plan import BasePlan
from kogoma.lab.tune.selfplay import engine_digest, weights_digest
from kogoma.lab.tune.store import DataError
from kogoma.output_file import reason, write_file
from kogoma.rules.variants import Variant, find

MIN_LOS = 0.95  # likelihood of superiority that suffices if the games run out before the SPRT decides
HASH_MB = 16
NO_TABLEBASE = ("UseTablebase", "false")  # perfect play of both engines would decide nothing
OPENINGS = "openings-{}.sfen"  # with fixed nodes, an opening always gives the same game
MAX_IMBALANCE, OPENING_NODES = 200, 500  # centipawns, nodes: uneven openings are fair, as both sides play them


class Verdict(NamedTuple):
    """The result of an acceptance match."""

    stronger: bool
    reason: str


def settings_of(
    plan: BasePlan,
    candidate: tuple[str, str],
    contents: list[bytes],
    folder: Path,
    concurrency: int | None,
    cluster: str | None = None,
) -> Settings:
    """Return the settings of the match between the candidate and the current engine. `candidate` is (name, value) of
    the environment variable that makes an engine use the candidate, and `contents` are the contents of the candidate's
    files. The match journal is in `folder`; its name contains a digest of both engines. Raises DataError if openings
    are missing and cannot be made."""
    variant = find(plan.variant)
    limits, options = TimeControl(nodes=plan.match_nodes), (("USI_Hash", str(HASH_MB)), NO_TABLEBASE)
    old = EngineSpec("old", (KOGOMA,), limits=limits, options=options)
    new = replace(old, name="new", environment=(candidate,))
    digest = hashlib.sha256(f"{engine_digest()} {weights_digest(variant)}".encode())
    for data in contents:
        digest.update(data)
    file, openings = openings_for(variant, -(-plan.games // 2), folder)
    return Settings(
        (new, old),
        variant,
        games=plan.games if variant.die else min(plan.games, 2 * openings),
        openings=OpeningChoice(file),
        sprt=Sprt(plan.elo0, plan.elo1),
        seed=plan.seed,
        concurrency=concurrency,
        records=folder / f"match-{digest.hexdigest()[:8]}.jsonl",
        resume=True,
        cluster=cluster,
    )


def openings_for(variant: Variant, wanted: int, folder: Path) -> tuple[str, int]:
    """Return (file of openings or SHIPPED, number of openings in it). If fewer than `wanted` openings are shipped, make
    a file with more. With a die, the shipped ones always suffice, because rolls make games differ. Raises DataError if
    the file cannot be written or read."""
    try:
        shipped = load_openings(SHIPPED, variant)
    except FileNotFoundError:
        shipped = []
    if len(shipped) >= wanted or (variant.die and shipped):
        return SHIPPED, len(shipped)
    path = folder / OPENINGS.format(wanted)
    try:
        if not path.exists():
            print(f"making {wanted - len(shipped):,} openings", flush=True)
            _make_openings(variant, [opening.start for opening in shipped if not opening.book], wanted, path)
        return str(path.resolve()), len(load_openings(str(path), variant))
    except OSError as error:
        raise DataError(f"cannot write {path}: {reason(error)}") from None
    except ValueError as error:
        raise DataError(str(error)) from None


def _make_openings(variant: Variant, sfens: list[str], wanted: int, path: Path) -> None:
    """Write a file of openings: `sfens`, and new ones until there are `wanted` or no more can be made."""
    boards = {sfen.rsplit(" ", 1)[0]: sfen for sfen in sfens}  # without the move number
    with contextlib.suppress(TooFewOpenings):
        for sfen in make_openings(Recipe(variant, balance=MAX_IMBALANCE, nodes=OPENING_NODES)):
            boards.setdefault(sfen.rsplit(" ", 1)[0], sfen)
            if len(boards) >= wanted:
                break
    write_file(path, "".join(f"{sfen}\n" for sfen in boards.values()).encode())


def play_acceptance_match(settings: Settings) -> Verdict | None:
    """Play the match, or what is left of it, and return its verdict, or None if it was interrupted. Raises DataError if
    an engine had a fault. Also raises what `lab.match.command.play` raises."""
    standing, finished = play(settings)
    for engine in standing.summary.engines.values():
        if engine.faults:
            raise DataError(
                f"{settings.records}: {counted(engine.faults.total(), 'game')} ended with a fault of {engine.name}"
            )
    if not finished:
        return None
    print(standing)
    return verdict(standing)


def verdict(standing: Standing) -> Verdict:
    """Return the verdict of the SPRT. If the SPRT was undecided after the last game, return a verdict based on the
    likelihood of superiority (LOS)."""
    state, estimate = standing.stopping.state, standing.estimate()
    if state is not None and state.verdict is not None:
        return Verdict(state.verdict == "H1", f"{state.verdict} accepted")
    los = 0.0 if estimate is None else estimate.los
    games = counted(standing.games, "game")
    return Verdict(los >= MIN_LOS, f"undecided after {games}: LOS {los:.1%}, needed {MIN_LOS:.0%}")
