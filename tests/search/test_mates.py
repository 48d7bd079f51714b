"""Tests that compare the engine's mates with a brute-force search of all legal moves, and the engine's variations with
the reference rules."""

from __future__ import annotations

import numpy as np
import pytest

from kogoma.rules.position import Position
from kogoma.search.limits import Limits, SearchOptions
from kogoma.search.search import Info
from kogoma.search.searcher import Searcher
from oracles import shogi as oracle
from oracles.forced_mates import LONGEST, lists_dtype
from support.dice_search import plain_library
from support.samples import Sample

WANTED = {1: 50, 3: 40, 5: 30, 7: 20, -2: 8, -4: 12, -6: 8}  # plies to mate -> minimum number of positions
ENOUGH = Limits(depth=20, nodes=1_000_000)


def is_forced(position: Position, plies: int) -> bool:
    """Return the result of the brute-force search in `oracles.forced_mates`."""
    lists = np.zeros(1, lists_dtype("64"))
    return bool(plain_library()("forced_mate", position.rules, position.struct.copy(), lists, plies))


def shortest_mate(position: Position) -> int | None:
    """Return the number of plies to mate. The number is negative if the side to move will be mated. Return None if
    there is no forced mate within LONGEST plies."""
    for plies in range(LONGEST + 1):
        if is_forced(position, plies):
            return plies if plies % 2 else -plies
    return None


def oracle_mate(position: oracle.Position, plies: int) -> bool:
    """Return the same result as `is_forced`, computed in plain Python with the reference rules."""
    moves = oracle.legal_moves(position)
    if plies == 0:
        return not moves
    results = (oracle_mate(after, plies - 1) for after in moves.values())
    return any(results) if plies % 2 else all(results)


def of_oracle(sfen: str) -> oracle.Position:
    return oracle.parse_sfen(oracle.MINISHOGI, sfen)


Mates = dict[int, list[str]]


@pytest.fixture(scope="module")
def mates(samples: list[Sample]) -> Mates:
    """Return SFENs from random games, grouped by the number of plies to mate. The number is negative if the side to
    move will be mated. Each group has at least the number of SFENs that WANTED asks for."""
    found: Mates = {plies: [] for plies in WANTED}
    for sample in samples[::7]:
        plies = shortest_mate(Position("minishogi", sample.sfen)) if sample.legal_moves else None
        if plies is not None:
            found[plies].append(sample.sfen)
            if all(len(found[plies]) >= many for plies, many in WANTED.items()):
                return found
    pytest.fail(f"too few mates in the samples: { {plies: len(sfens) for plies, sfens in found.items()} }")


@pytest.fixture(scope="module")
def searcher() -> Searcher:
    return Searcher(hash_mb=16, threads=1)


@pytest.mark.long
def test_the_brute_force_search_is_correct(mates: Mates) -> None:
    """Check that the brute-force search finds the same short mates as a search with the reference rules."""
    for plies, many in ((1, 40), (-2, 8), (3, 2)):
        for sfen in mates[plies][:many]:
            assert oracle_mate(of_oracle(sfen), abs(plies)), sfen
            assert plies < 3 or not oracle_mate(of_oracle(sfen), plies - 2), sfen


@pytest.mark.long
@pytest.mark.parametrize("plies", WANTED)
def test_the_shortest_mate_is_found(mates: Mates, searcher: Searcher, plies: int) -> None:
    for sfen in mates[plies]:
        position = Position("minishogi", sfen)
        last: list[Info] = []
        result = searcher.search(position, ENOUGH, report=last.append)
        assert (result.score_kind, result.score) == ("mate", plies), sfen
        variation = last[-1].pv
        assert variation[0] == result.best
        game = oracle.Game(oracle.MINISHOGI, sfen)
        for move in variation:
            game.push(move)
        assert len(variation) <= abs(plies), sfen
        if len(variation) == abs(plies):
            assert game.outcome() is not None, (sfen, variation)
        else:  # a table entry cut the variation short
            position.push(variation[0])
            assert is_forced(position, abs(plies) - 1), sfen


@pytest.mark.long
def test_a_best_move_keeps_the_mate(mates: Mates, searcher: Searcher) -> None:
    """Check that a side with a forced mate mates as fast as possible if it plays the engine's moves. The opponent
    delays the mate as long as possible."""
    for sfen in mates[5][:8] + mates[3][:8]:
        position = Position("minishogi", sfen)
        left = shortest_mate(position) or 0
        while left > 0:
            best = searcher.search(position, ENOUGH).best
            assert best is not None
            position.push(best)
            left -= 1
            assert is_forced(position, left), (sfen, position.moves)
            if left:
                replies = position.legal_moves()
                position.push(max(replies, key=lambda reply: (_after(position, reply), reply)))
                left = shortest_mate(position) or 0
        assert position.outcome() is not None and not position.legal_moves(), sfen


def _after(position: Position, reply: str) -> int:
    position.push(reply)
    plies = shortest_mate(position)
    position.pop()
    return LONGEST + 1 if plies is None else plies


def claims(info: Info) -> int | None:
    """Return the number of plies to mate that `info` reports as proven. Return None if `info` reports no proven mate
    within LONGEST plies."""
    if info.score_kind != "mate" or info.bound == ("upperbound" if info.score > 0 else "lowerbound"):
        return None
    if info.score < 0 and info.multipv > 1:
        return None  # only the line of the best move proves that every defence fails
    return abs(info.score) if abs(info.score) <= LONGEST else None


@pytest.mark.long
def test_every_announced_mate_is_correct(samples: list[Sample], searcher: Searcher) -> None:
    """Check that the brute-force search confirms each mate within LONGEST plies that the engine reports as proven. The
    engine reports three principal variations at each depth."""
    announced = 0
    for sample in samples[7::50]:
        position = Position("minishogi", sample.sfen)
        if not sample.legal_moves:
            continue
        said: list[Info] = []
        searcher.search(position, Limits(depth=7), SearchOptions(multipv=3), said.append)
        for plies, ours in {(claim, info.score > 0) for info in said if (claim := claims(info)) is not None}:
            assert (plies % 2 == 1) == ours, sample.sfen
            assert is_forced(position, plies), (sample.sfen, plies)
            announced += 1
    assert announced > 50


@pytest.mark.long
def test_a_timed_search_ends_with_a_proven_mate(mates: Mates, searcher: Searcher) -> None:
    for sfen in mates[3][:10]:
        searcher.new_game()
        result = searcher.search(Position("minishogi", sfen), Limits(movetime=60_000))
        assert (result.score_kind, result.score) == ("mate", 3), sfen
        assert result.nodes < 2_000_000, sfen


def test_a_side_without_a_move_has_lost_also_when_it_is_not_in_check(searcher: Searcher) -> None:
    sfen = "4k/1K3/4G/5/5 b - 1"
    after = oracle.legal_moves(of_oracle(sfen))
    winning = {usi for usi, position in after.items() if not oracle.legal_moves(position)}
    assert winning and not any(oracle.in_check(after[usi], oracle.WHITE) for usi in winning)
    result = searcher.search(Position("minishogi", sfen), Limits(depth=6))
    assert (result.score_kind, result.score) == ("mate", 1)
    assert result.best in winning
