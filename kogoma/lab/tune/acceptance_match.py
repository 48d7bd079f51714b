"""The match of new weights, or parameters, against old ones, and what follows from it."""

from __future__ import annotations

import contextlib
import hashlib
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from kogoma.lab.engines.base import EngineSpec
from kogoma.lab.engines.clock import TimeControl
from kogoma.lab.engines.factory import OWN
from kogoma.lab.journals.journal import replace_file
from kogoma.lab.match.command import play
from kogoma.lab.match.opening_maker import Recipe, TooFewOpenings, make_openings
from kogoma.lab.match.openings import SHIPPED, load_openings
from kogoma.lab.match.settings import OpeningChoice, Settings
from kogoma.lab.match.standings import Standing
from kogoma.lab.stats.sprt import Sprt
from kogoma.lab.tune.plan import BasePlan
from kogoma.lab.tune.selfplay import engine_digest, weights_digest
from kogoma.lab.tune.store import DataError
from kogoma.rules.variants import Variant, find

LIKELY = 0.95  # of being the stronger one: enough where the games run out before the test is decided
HASH_MB = 16
OPENINGS = "openings-{}.sfen"  # made where too few come with the lab: games from the same one would be the same
BALANCE, OPENING_NODES = 200, 500  # each is played with both colours, so it need not be quite even


class Verdict(NamedTuple):
    """What a match says of the new engine."""

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
    """The match of a `candidate`, a name and a value for the environment, against the engine of now. Its records stand
    in `folder` under a name that changes with either; the candidate's files have these `contents`. DataError."""
    variant = find(plan.variant)
    limits, options = TimeControl(nodes=plan.match_nodes), (("USI_Hash", str(HASH_MB)),)
    old = EngineSpec("old", (OWN,), limits=limits, options=options)
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
    """(file, or `shipped`; how many there are), so many if that can be. With a die an opening can come again."""
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
        raise DataError(f"cannot write {path}: {error.strerror}") from None
    except ValueError as error:
        raise DataError(str(error)) from None


def _make_openings(variant: Variant, sfens: list[str], wanted: int, path: Path) -> None:
    """Write a file with these openings and new ones."""
    boards = {sfen.rsplit(" ", 1)[0]: sfen for sfen in sfens}  # without the move number
    with contextlib.suppress(TooFewOpenings):
        for sfen in make_openings(Recipe(variant, balance=BALANCE, nodes=OPENING_NODES)):
            boards.setdefault(sfen.rsplit(" ", 1)[0], sfen)
            if len(boards) >= wanted:
                break
    replace_file(path, "".join(f"{sfen}\n" for sfen in boards.values()).encode())


def hold(settings: Settings) -> Verdict | None:
    """Play the match, or what is left of it; None after an interruption. DataError if an engine failed in a game; what
    `lab.match.command.play` raises."""
    standing, finished = play(settings)
    for engine in standing.summary.engines.values():
        if engine.faults:
            raise DataError(f"{settings.records}: {engine.faults.total()} games ended by a fault of {engine.name}")
    if not finished:
        return None
    print(standing)
    return verdict(standing)


def verdict(standing: Standing) -> Verdict:
    """The SPRT's verdict; where the games ran out before there was one, whether the new weights are LIKELY stronger."""
    state, estimate = standing.stopping.state, standing.estimate()
    if state is not None and state.verdict is not None:
        return Verdict(state.verdict == "H1", f"{state.verdict} accepted")
    los = 0.0 if estimate is None else estimate.los
    return Verdict(los >= LIKELY, f"undecided after {standing.games} games, LOS {los:.1%} of {LIKELY:.0%} needed")
