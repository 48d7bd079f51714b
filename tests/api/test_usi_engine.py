"""The client for external engines, with Kogoma, a scripted engine and broken engines."""

from __future__ import annotations

import pickle
import shlex
import sys
import threading
import traceback
from pathlib import Path

import pytest

from kogoma import EngineError, Limits, Position, Score, UsiEngine
from support.usi_client import ENGINE, ROOT

pytestmark = pytest.mark.slow

LIMITS = Limits(nodes=2000)
SCRIPT = """
import sys
for line in sys.stdin:
    word = line.split()[0]
    if word == "usi": print("id name script\\noption name USI_Variant type combo default x var minishogi\\nusiok")
    elif word == "isready": print("readyok")
    elif word == "go": print("INFO\\nbestmove ANSWER")
    elif word == "quit": break
    sys.stdout.flush()
"""


def scripted(tmp_path: Path, answer: str, info: str = "info depth 1 score cp 5 pv 3e3d") -> list[str]:
    """Return the command of an engine that answers every `go` with the line `info` and the move `answer`."""
    path = tmp_path / "script.py"
    path.write_text(SCRIPT.replace("ANSWER", answer).replace("INFO", info))
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
