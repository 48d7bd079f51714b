"""Positions and engines of the Python API."""

from __future__ import annotations

import asyncio
import copy
import pickle
import random
import re
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

from kogoma import AsyncAnalysis, AsyncEngine, Engine, Info, Limits, Outcome, Position, Result, legal_moves, variants
from support.usi_client import PATIENCE, ROOT, until


def played(variant: str, plies: int = 6, seed: int = 1) -> Position:
    chance, position = random.Random(seed), Position(variant)
    while len(position.moves) < plies and position.outcome() is None:
        position.push(chance.choice(sorted(position.legal_moves())))
    if position.outcome() is not None:
        position.pop()  # the position without a king could not be written as SFEN
    return position


@pytest.mark.parametrize("variant", variants())
def test_positions_can_be_copied_compared_and_pickled(variant: str) -> None:
    position = played(variant)
    twins = [copy.copy(position), copy.deepcopy(position), position.copy(), pickle.loads(pickle.dumps(position))]
    twins.append(eval(repr(position)))
    for twin in twins:
        assert twin == position and hash(twin) == hash(position) and twin is not position
        assert (twin.variant, twin.moves, twin.sfen()) == (position.variant, position.moves, position.sfen())
    same = Position(variant, position.sfen())
    assert same == position and len({same, position, *twins}) == 1 and same.moves == []
    last = twins[0].pop()
    assert last == position.moves[-1] and twins[0] != position
    twins[0].push(last)
    assert twins[0] == position
    assert position != Position(variant) and position != position.sfen()


def test_a_position_has_a_variant() -> None:
    assert Position().variant.name == "shogi" and set(Position().legal_moves()) == set(legal_moves())
    assert Position(sfen=variants()["minishogi"].start) == Position("minishogi") != Position("minishogi-codingame")
    assert Position("onitama").outcome() is None and not Position("onitama").is_check()
    checked = Position(sfen="4k/4G/4P/5/K4 w - 1")
    assert checked.is_check() and checked.checkers() == ["1b"] and checked.outcome() == Outcome(0, "checkmate")
    with pytest.raises(ValueError, match="no move to take back"):
        checked.pop()
    with pytest.raises(ValueError, match="illegal move"):
        Position("minishogi", moves=["3e3d", "3e3d"])
    with pytest.raises(ValueError, match="chess"):
        Position("chess")


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine(hash_mb=16) as opened:
        yield opened
    assert not [thread for thread in threading.enumerate() if thread.name == "search"]


def test_an_engine_keeps_its_table_between_searches(engine: Engine) -> None:
    position = Position("minishogi")
    first = engine.play(position, Limits(depth=9))
    engine.play(position, Limits(depth=16))
    again = engine.play(position, Limits(depth=9))
    assert again.nodes < first.nodes / 2
    engine.new_game()
    assert engine.play(position, Limits(depth=9)) == first
    assert engine.play("startpos", Limits(depth=2)).best in legal_moves()
    assert engine.play(Position("onitama"), Limits(nodes=500)).best in Position("onitama").legal_moves()
    assert engine.play(Position("dice"), Limits(depth=2, dice=3)).best is not None
    assert engine.play(position, Limits(btime=20_000, wtime=20_000)).depth > 1


def test_an_analysis_yields_all_lines(engine: Engine) -> None:
    position = played("minishogi", 4)
    analysis = engine.analyse(position, Limits(depth=5), multipv=3)
    found = [info for info in analysis if not info.score.bound]
    assert {(info.depth, info.multipv) for info in found} == {(d, rank) for d in range(1, 6) for rank in (1, 2, 3)}
    last = {info.multipv: info for info in found}
    assert len({info.pv[0] for info in last.values()}) == 3
    assert last[1].score >= last[2].score >= last[3].score
    result = analysis.result()
    assert isinstance(result, Result) and (result.best, result.score) == (last[1].pv[0], last[1].score)
    assert list(analysis) == []
    assert len(list(engine.analyse(Position(sfen="4k/4G/4P/5/K4 w - 1")))) == 0


def test_an_analysis_ends_when_it_is_left_or_stopped(engine: Engine) -> None:
    position = Position()
    for info in engine.analyse(position):
        if info.depth == 3:
            break
    del info
    until(lambda: all(thread.name != "search" for thread in threading.enumerate()))  # the analysis was freed
    analysis = engine.analyse(position)
    threading.Timer(0.2, engine.stop).start()
    infos = list(analysis)
    assert infos and analysis.result().best == infos[-1].pv[0]
    first = engine.analyse(position)
    position.push("7g7f")  # the analysis is of the position before this move
    assert engine.play(position, Limits(depth=3)).best in position.legal_moves()
    assert first.result(1).best in legal_moves()
    engine.stop()  # has no effect
    with pytest.raises(TimeoutError):
        engine.analyse(position).result(0.1)


@pytest.mark.parametrize(
    ("limits", "told"),
    [
        (Limits(), "a search needs a limit: depth, nodes, movetime or the clock of the side to move"),
        (Limits(wtime=100), "a search needs a limit"),
        (Limits(depth=0), "depth must be at least 1, not 0"),
        (Limits(btime=-5), "btime must be at least 0, not -5"),
        (Limits(infinite=True), "infinite and ponder are only for the USI protocol"),
        (Limits(depth=1, searchmoves=("1a1b",)), "searchmoves: 1a1b is not legal here"),
    ],
)
def test_wrong_limits_are_reported_at_once(engine: Engine, limits: Limits, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        engine.play("startpos", limits)


def test_threads_take_turns(engine: Engine) -> None:
    """Check that a new search ends an earlier search of the same thread, but no search of another thread."""
    found = dict[int, int]()

    def search(depth: int) -> None:
        found[depth] = engine.play("startpos", Limits(depth=depth)).depth

    threads = [threading.Thread(target=search, args=[depth]) for depth in (9, 10, 11)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert found == {9: 9, 10: 10, 11: 11}
    own = engine.analyse("startpos")
    other = threading.Thread(target=search, args=[2])
    other.start()
    own.stop()
    other.join(PATIENCE)
    assert found[2] == 2
    endless = engine.analyse("startpos")
    other = threading.Thread(target=search, args=[3])
    other.start()  # waits for the endless search
    assert engine.play("startpos", Limits(depth=4)).depth == 4  # ends the endless search
    other.join(PATIENCE)
    assert found[3] == 3 and endless.result(1).best is not None


@pytest.mark.parametrize("variant", variants())
def test_pieces_on_the_board_and_in_hand(variant: str) -> None:
    position = played(variant)
    files, ranks = position.variant.files, position.variant.ranks
    board, hands = position.sfen().split()[0], position.sfen().split()[2]
    letters = sum(letter.isalpha() for letter in board)
    pieces = position.pieces()
    assert len(pieces) == letters and all(position.piece_at(square) == piece for square, piece in pieces.items())
    assert sorted("".join(pieces.values()).replace("+", "")) == sorted(letter for letter in board if letter.isalpha())
    names = {square for square in pieces}
    corner = "a1" if variant == "onitama" else f"{files}{'abcdefghi'[ranks - 1]}"
    assert position.piece_at(corner) in (*pieces.values(), None) and len(names) == letters
    for side in (0, 1):
        royal = next(piece.letter for piece in position.variant.pieces if piece.royal)
        king = position.king(side)
        assert pieces[king] == (royal.lower() if side else royal) if king else position.hand(side)[royal] == 1
        held = "".join(letter * count for letter, count in position.hand(side).items())
        given = "".join(
            letter * int(number or 1)
            for number, letter in re.findall("([0-9]*)([A-Za-z])", hands)
            if letter.islower() == bool(side)
        )
        assert sorted(held) == sorted(given.upper())
    for square in ("", "0a", "9z", "z9"):
        with pytest.raises(ValueError, match="no square"):
            position.piece_at(square)
    with pytest.raises(ValueError, match="side must be 0 or 1"):
        position.hand(2)


@pytest.mark.parametrize("variant", variants())
def test_moves_are_written_and_parsed(variant: str) -> None:
    for seed in range(3):
        position = played(variant, 20, seed)
        keys = {position.key}
        for move in position.legal_moves():
            assert position.is_legal(move) and position.parse_move(move) == move
            after = position.copy()
            after.push(move)
            assert position.gives_check(move) == after.is_check()
            keys.add(after.key)
            if variant not in ("onitama", "dobutsu", "generals"):
                assert position.parse_move(f"▲{position.move_text(move)}") == move
        assert not position.is_legal("1a1a") and not position.is_legal("nonsense")
        with pytest.raises(ValueError, match=r"illegal move|no Japanese names"):
            position.move_text("1a1a")


def test_a_closed_engine_raises_an_error() -> None:
    engine = Engine()
    engine.close()
    engine.close()
    with pytest.raises(RuntimeError, match="the engine is closed"):
        engine.play("startpos", Limits(depth=1))


def test_a_process_ends_while_its_engine_searches() -> None:
    code = "import kogoma; print(next(kogoma.Engine(threads=2).analyse('startpos')).depth); "
    code += "kept = kogoma.Engine().analyse('startpos'); next(kept)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "1\n", "")


def test_an_engine_plays_at_a_level() -> None:
    position = played("minishogi", 8)
    with Engine(hash_mb=16) as strong:
        best = strong.play(position, Limits(nodes=5000))
        strong.new_game()
        analysed = list(strong.analyse(position, Limits(nodes=5000)))
    with Engine(hash_mb=16, level=1, options={"StrengthSeed": 1}) as weak:
        found = [weak.play(position, Limits(nodes=5000)) for _ in range(20)]
        assert len({result.best for result in found}) > 3 and all(result.nodes < best.nodes for result in found)
        assert {result.best for result in found} <= set(position.legal_moves())
        assert all(result.pv[0] == result.best for result in found)
        weak.new_game()
        assert [weak.play(position, Limits(nodes=5000)).best for _ in range(20)] == [result.best for result in found]
        weak.new_game()
        infos = list(weak.analyse(position, Limits(nodes=5000)))
        assert [(info.depth, info.score, info.pv) for info in infos] == [
            (info.depth, info.score, info.pv) for info in analysed
        ]
    with Engine(options={"USI_LimitStrength": True, "USI_Elo": 340}) as weak:
        assert weak.play(position, Limits(nodes=5000)).nodes < best.nodes


def test_options_of_an_engine() -> None:
    with Engine(options={"usi_hash": 16, "DepthLimit": "3", "Evaluation": "handcrafted"}) as engine:
        assert engine.play("startpos", Limits(nodes=100_000)).depth == 3
    with Engine(options={"NodesLimit": 500}) as engine:
        assert engine.analyse("startpos", multipv=2).result().nodes < 1600
    for options, told in (
        ({"Hash": 3}, "there is no option 'Hash'; the options are USI_Hash, "),
        ({"DepthLimit": -1}, "DepthLimit must be a whole number from 0 to 1000, not '-1'"),
        ({"EnteringKingRule": True}, "EnteringKingRule must be one of"),
    ):
        with pytest.raises(ValueError, match=told):
            Engine(options=options)
    for level in (0, 9):
        with pytest.raises(ValueError, match="level must be at"):
            Engine(level=level)


def test_many_asyncio_tasks_share_an_engine() -> None:
    async def search(engine: AsyncEngine, depth: int) -> int:
        return (await engine.play("startpos", Limits(depth=depth))).depth

    async def conversation() -> None:
        async with AsyncEngine(hash_mb=16) as engine:
            endless = engine.analyse("startpos")
            waiting = [asyncio.create_task(search(engine, depth % 3 + 1)) for depth in range(100)]
            await asyncio.sleep(0.1)
            found = [info async for info in endless if info.depth < 3 or endless.stop()]  # type: ignore[func-returns-value]
            assert found and (await endless.result()).depth >= 3
            assert await asyncio.gather(*waiting) == [depth % 3 + 1 for depth in range(100)]

    asyncio.run(asyncio.wait_for(conversation(), PATIENCE))


def test_asyncio_analyses() -> None:
    async def conversation() -> None:
        async with AsyncEngine(hash_mb=16) as engine:
            async with engine.analyse("startpos") as analysis:
                assert isinstance(analysis, AsyncAnalysis)
                with pytest.raises(TimeoutError):
                    await asyncio.wait_for(analysis.result(), 0.1)  # ends the search
                assert (await analysis.result()).best in legal_moves()
                assert [info async for info in analysis]
                assert [info async for info in analysis] == []
            async for info in engine.analyse("startpos"):
                if info.depth == 3:
                    break
            await asyncio.to_thread(until, lambda: all(thread.name != "search" for thread in threading.enumerate()))
            analysis = engine.analyse("startpos", Limits(depth=0))
            with pytest.raises(ValueError, match="depth must be at least 1"):
                await anext(analysis)
            with pytest.raises(ValueError, match="depth must be at least 1"):
                await analysis.result()
        with pytest.raises(RuntimeError, match="the engine is closed"):
            await engine.play("startpos", Limits(depth=1))

    asyncio.run(asyncio.wait_for(conversation(), PATIENCE))


def test_asyncio() -> None:
    position = Position("minishogi")

    async def conversation() -> None:
        ticks = 0

        async def tick() -> None:
            nonlocal ticks
            while True:
                await asyncio.sleep(0.01)
                ticks += 1

        ticking = asyncio.create_task(tick())
        async with AsyncEngine(hash_mb=16) as engine:
            assert (await engine.play(position, Limits(depth=5))).depth == 5
            ticks = 0
            await engine.play(position, Limits(movetime=300))
            assert ticks > 2, "the event loop was blocked"
            found: list[Info] = []
            async for info in engine.analyse(position, multipv=2):
                found.append(info)
                if info.depth == 6:
                    break
            assert {info.multipv for info in found} == {1, 2}
            long = asyncio.create_task(engine.play(position, Limits(movetime=600_000)))
            await asyncio.sleep(0.2)
            long.cancel()
            with pytest.raises(asyncio.CancelledError):
                await long
            await engine.new_game()
            long = asyncio.create_task(engine.play(position, Limits(movetime=600_000)))
            await asyncio.sleep(0.2)
            engine.stop()
            assert (await asyncio.wait_for(long, PATIENCE)).best in position.legal_moves()
            with pytest.raises(ValueError, match="depth must be at least 1"):
                await engine.play(position, Limits(depth=0))
        ticking.cancel()

    asyncio.run(conversation())
