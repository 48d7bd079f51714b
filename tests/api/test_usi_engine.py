"""The client for external engines, with Kogoma, a scripted engine and broken engines."""

from __future__ import annotations

import asyncio
import pickle
import shlex
import sys
import threading
import traceback
from dataclasses import replace
from pathlib import Path

import pytest

from kogoma import (
    AsyncUsiEngine,
    ButtonOption,
    CheckOption,
    ComboOption,
    EngineError,
    FilenameOption,
    Limits,
    Option,
    OptionError,
    Position,
    Score,
    SpinOption,
    UsiEngine,
    legal_moves,
)
from support.usi_client import ENGINE, PATIENCE, ROOT

pytestmark = pytest.mark.slow

LIMITS = Limits(nodes=2000)
SCRIPT = """
import sys
for line in sys.stdin:
    word = line.split()[0]
    if word == "usi": print("id name script\\noption name USI_Variant type combo default x var minishogi\\nusiok")
    elif word == "isready": print("readyok")
    elif line.startswith("go mate"): print("MATE")
    elif word == "go": print("INFO\\nbestmove ANSWER")
    elif word == "quit": break
    sys.stdout.flush()
"""


def scripted(
    tmp_path: Path, answer: str, info: str = "info depth 1 score cp 5 pv 3e3d", mate: str = "checkmate nomate"
) -> list[str]:
    """Return the command of an engine that answers every `go` with the line `info` and the move `answer`, and `go mate`
    with the line `mate`."""
    path = tmp_path / "script.py"
    path.write_text(SCRIPT.replace("ANSWER", answer).replace("INFO", info).replace("MATE", mate))
    return [sys.executable, str(path)]


def test_an_engine_plays_and_analyses_several_variants(tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    with UsiEngine(ENGINE, options={"USI_Hash": 8, "USI_Ponder": False}, folder=str(ROOT), log=str(log)) as engine:
        for name in ("minishogi", "onitama", "minishogi"):
            position = Position(name)
            result = engine.play(position, LIMITS)
            assert result.best in position.legal_moves() and result.pv[0] == result.best
            assert result.time >= 0 and result.nodes > 0
        infos = list(engine.analyse(Position("minishogi"), Limits(depth=4), multipv=3))
        assert {info.multipv for info in infos} == {1, 2, 3} and infos[-1].depth == 4
        mated = engine.play(Position(sfen="4k/4G/4P/5/K4 w - 1"), LIMITS)
        assert mated.best is None and mated.score.mate == 0
        mate = engine.play(Position(sfen="4k/5/4P/5/K4 b G 1"), LIMITS)
        assert (mate.best, mate.score.mate) == ("G*1b", 1)
        assert "USI_Hash" in engine.options
        with engine.analyse("startpos") as endless:
            next(endless)
            endless.stop()
            assert endless.result(10).best is not None
        with pytest.raises(ValueError, match="a search needs a limit"):
            engine.play("startpos", Limits())
    with pytest.raises(RuntimeError, match="closed"):
        engine.play("startpos", LIMITS)
    assert "setoption name USI_Hash value 8" in log.read_text()


def test_faults_of_an_engine_raise_engine_errors(tmp_path: Path) -> None:
    position = Position("minishogi")
    for answer, told in (("9z9z", "9z9z"), ("1e1a", "1e1a"), ("", "not a move")):
        with UsiEngine(scripted(tmp_path, answer)) as engine, pytest.raises(EngineError, match=told):
            engine.play(position, LIMITS)
    with UsiEngine(scripted(tmp_path, "resign")) as engine:
        assert engine.play(position, LIMITS).best == "resign"
    with UsiEngine("no_such_program --flag") as engine, pytest.raises(EngineError, match="cannot be started"):
        engine.play(position, LIMITS)
    broken = shlex.join([sys.executable, "-c", "print('hello')"])
    with UsiEngine(broken) as engine:
        for _ in range(2):  # the second search starts the engine again
            with pytest.raises(EngineError):
                engine.play(position, LIMITS)
    with pytest.raises(ValueError, match="command must not be empty"):
        UsiEngine("")


@pytest.mark.parametrize(
    ("infos", "score"),
    [
        (["score cp 40 lowerbound pv 3e3d"], Score(40, bound="lowerbound")),
        (["score cp 9 upperbound"], Score(9, bound="upperbound")),
        (["score mate -3 upperbound pv 3e3d", "score cp 7 multipv 2 pv 2e3d"], Score(mate=-3, bound="upperbound")),
        (["score cp 40 lowerbound pv 3e3d", "score cp 55 pv 3e3d", "score cp 60 lowerbound"], Score(55)),
    ],
)
def test_a_bound_is_reported_if_an_engine_sends_no_exact_score(tmp_path: Path, infos: list[str], score: Score) -> None:
    with UsiEngine(scripted(tmp_path, "3e3d", "\\n".join(f"info depth 1 {info}" for info in infos))) as engine:
        assert engine.play(Position("minishogi"), LIMITS).score == score


def test_tracebacks_name_the_public_error() -> None:
    with UsiEngine("no_such_program") as engine, pytest.raises(EngineError) as caught:
        engine.play("startpos", LIMITS)
    assert "\nkogoma.EngineError: " in "".join(traceback.format_exception(caught.value))
    again = pickle.loads(pickle.dumps(caught.value))
    assert type(again) is EngineError and (again.kind, str(again)) == ("start", str(caught.value))


def test_threads_take_turns() -> None:
    found = dict[int, int]()
    with UsiEngine(ENGINE, folder=str(ROOT)) as engine:

        def search(depth: int) -> None:
            found[depth] = engine.play("startpos", Limits(depth=depth)).depth

        threads = [threading.Thread(target=search, args=[depth]) for depth in (8, 9, 10)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert found == {8: 8, 9: 9, 10: 10}


MATE_IN_ONE = Position(sfen="4k/5/4P/5/K4 b G 1")


def test_an_engine_searches_for_mates(tmp_path: Path) -> None:
    with UsiEngine(ENGINE, folder=str(ROOT)) as engine:
        answer = engine.find_mate(MATE_IN_ONE, milliseconds=20_000)
        assert (answer.verdict, answer.moves, answer.plies) == ("mate", ["G*1b"], 1)
        assert engine.find_mate("4k/5/5/4P/K4 b G 1").verdict == "nomate"
        assert engine.find_mate("startpos", milliseconds=100).verdict in ("timeout", "nomate")
        endless = threading.Timer(0.5, engine.stop)
        endless.start()
        assert engine.find_mate("startpos").verdict in ("timeout", "nomate")
        endless.join()
        assert engine.play(MATE_IN_ONE, LIMITS).best == "G*1b"
        with pytest.raises(ValueError, match="does not search for mates in dice"):
            engine.find_mate(Position("dice"))
        with pytest.raises(ValueError, match="milliseconds must be at least 1, not 0"):
            engine.find_mate(MATE_IN_ONE, milliseconds=0)


@pytest.mark.parametrize(
    ("line", "error", "told"),
    [
        ("checkmate notimplemented", ValueError, "does not search for mates in minishogi"),
        ("bestmove G*1b", ValueError, "does not search for mates in minishogi"),
        ("checkmate G*1c", EngineError, "illegal_move: illegal move 'G.1c'"),
        ("checkmate G*1b 1a1b", EngineError, "illegal_move: illegal move '1a1b'"),
        ("checkmate", EngineError, "without an answer"),
    ],
)
def test_wrong_answers_to_a_mate_problem(tmp_path: Path, line: str, error: type[Exception], told: str) -> None:
    with UsiEngine(scripted(tmp_path, "resign", mate=line)) as engine, pytest.raises(error, match=told):
        engine.find_mate(MATE_IN_ONE)


def test_an_engine_ponders_between_its_moves(tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    clocks = Limits(btime=20_000, wtime=20_000, nodes=2000)

    def said() -> list[str]:
        lines = [line.partition(" > ")[2] for line in log.read_text().splitlines() if " > " in line]
        return [line.split(" btime")[0] for line in lines if line.startswith(("go", "stop", "ponderhit"))]

    with UsiEngine(ENGINE, folder=str(ROOT), log=str(log), ponder=True) as engine:
        position = Position("minishogi")
        first = engine.play(position, clocks)
        assert first.best and first.ponder
        position.push(first.best)
        position.push(first.ponder)
        second = engine.play(position, clocks)
        assert second.best in position.legal_moves() and second.nodes > 0 and second.pv[0] == second.best
        assert said()[:3] == ["go", "go ponder", "ponderhit"]
        position.push(second.best)
        other = next(move for move in position.legal_moves() if move != second.ponder)
        position.push(other)
        third = engine.play(position, clocks)
        assert third.best in position.legal_moves()
        engine.new_game()
        assert len(list(engine.analyse(position, Limits(depth=2)))) > 0
        pondered = [["go ponder", "stop"] if result.ponder else [] for result in (second, third)]
        assert said()[3:] == [*pondered[0], "go", *pondered[1], "go depth 2"]
    assert "setoption name USI_Ponder value true" in log.read_text()


def test_an_engine_that_ignores_stop_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kogoma.api.usi_engine.STOP_SECONDS", 0.5)
    with UsiEngine(scripted(tmp_path, "3e3d", mate="")) as engine:
        threading.Timer(0.2, engine.stop).start()
        with pytest.raises(EngineError, match="hang: does not answer stop"):
            engine.find_mate(MATE_IN_ONE)
        assert engine.play(Position("minishogi"), LIMITS).best == "3e3d"  # by a new process


def test_a_ponderhit_needs_the_same_limits(tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    with UsiEngine(ENGINE, folder=str(ROOT), log=str(log), ponder=True) as engine:
        position = Position("minishogi")
        limits = Limits(byoyomi=20_000, nodes=2000)
        first = engine.play(position, limits)
        for move in (first.best, first.ponder):
            position.push(move or "")
        wanted = min(position.legal_moves())
        assert engine.play(position, replace(limits, searchmoves=(wanted,))).best == wanted
    assert "ponderhit" not in log.read_text()


def test_an_engine_can_be_started_before_its_first_search(tmp_path: Path) -> None:
    with UsiEngine(scripted(tmp_path, "3e3d")) as engine:
        assert not engine.options and not engine.id
        engine.start()
        option = engine.options["USI_Variant"]
        assert isinstance(option, ComboOption) and (option.default, list(option.choices)) == ("x", ["minishogi"])
        assert engine.id == {"name": "script"}
        engine.new_game()
        engine.start()
        assert engine.play(Position("minishogi"), LIMITS).best == "3e3d"
    with pytest.raises(RuntimeError, match="closed"):
        engine.start()
    with UsiEngine("no_such_program") as engine, pytest.raises(EngineError, match="cannot be started"):
        engine.start()


def test_the_options_of_an_engine(tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    with UsiEngine(ENGINE, folder=str(ROOT), log=str(log), ponder=True) as engine:
        engine.set_option("MultiPV", 2)
        spin, check, combo = (engine.options[name] for name in ("USI_Hash", "USI_OwnBook", "Level"))
        assert isinstance(spin, SpinOption) and (spin.default, spin.least, spin.most) == (64, 1, 65536)
        assert isinstance(check, CheckOption) and check.default is False
        assert isinstance(combo, ComboOption) and combo.default == "full" and "8" in combo.choices
        assert isinstance(engine.options["Clear_Hash"], ButtonOption)
        assert isinstance(engine.options["BookFile"], FilenameOption) and isinstance(combo, Option)
        assert engine.id["name"].startswith("Kogoma") and engine.id["author"]
        assert engine.play("startpos", Limits(byoyomi=20_000, nodes=2000)).ponder
        engine.set_option("Level", 3)  # ends pondering
        engine.set_option("USI_OwnBook", True)
        for name, value, told in (
            ("Level", 9, "must be one of"),
            ("USI_Hash", 0, "whole number"),
            ("X", 1, "no option"),
        ):
            with pytest.raises(ValueError, match=told):
                engine.set_option(name, value)
        assert engine.play("startpos", LIMITS).best in legal_moves()
    assert "> stop" in log.read_text() and "> setoption name USI_OwnBook value true" in log.read_text()
    for options, told in (({"USI_Hash": 0}, "USI_Hash must be"), ({"Unknown": 1}, "no option 'Unknown'")):
        with UsiEngine(ENGINE, folder=str(ROOT), options=options) as engine, pytest.raises(OptionError, match=told):
            engine.start()


def test_asyncio(tmp_path: Path) -> None:
    async def conversation() -> None:
        async with AsyncUsiEngine(ENGINE, folder=str(ROOT)) as engine:
            await engine.start()
            assert "USI_Hash" in engine.options and engine.id["name"].startswith("Kogoma")
            await engine.set_option("USI_Hash", 8)
            async with engine.analyse("startpos") as analysis:
                async for info in analysis:
                    if info.depth >= 2:
                        break
                analysis.stop()
                assert (await analysis.result()).best in legal_moves()
            assert (await engine.find_mate(MATE_IN_ONE)).moves == ["G*1b"]
            await engine.new_game()
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(engine.play("startpos", Limits(movetime=600_000)), 0.3)
            assert (await engine.play(MATE_IN_ONE, LIMITS)).best == "G*1b"
        async with AsyncUsiEngine(scripted(tmp_path, "1e1a")) as engine:
            with pytest.raises(EngineError, match="1e1a"):
                await engine.play(Position("minishogi"), LIMITS)

    asyncio.run(asyncio.wait_for(conversation(), PATIENCE))
