"""Engines of all protocols in matches: every fault is charged to the engine that caused it."""

from __future__ import annotations

import contextlib
import os
import random
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kogoma.lab.engines import process
from kogoma.lab.engines.base import Engine, EngineSpec
from kogoma.lab.engines.clock import Clock, TimeControl
from kogoma.lab.engines.factory import make_engine
from kogoma.lab.match.play import Adjudication, GameJob, play_game, rolls
from kogoma.rules.position import new_position
from support import referee
from support.peers import absent, find_program
from support.usi_client import PATIENCE, ROOT, until

BOT = str(Path(__file__).parents[1] / "support" / "bots" / "scripted.py")
NODES = TimeControl(nodes=200)

pytestmark = [pytest.mark.slow, pytest.mark.clock]

Maker = Callable[..., Engine]


def random_line(seed: int, least: int = 20) -> list[str]:
    """Return the moves of a random minishogi game with `least` to 2 * `least` plies."""
    rng = random.Random(seed)
    while True:
        position = new_position("minishogi")
        while position.outcome() is None:
            position.push(rng.choice(sorted(position.legal_moves())))
        if least <= len(position.moves) <= 2 * least:
            return list(position.moves)


@pytest.fixture(scope="module")
def line(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, list[str]]:
    """Return the path of a file with the game that scripted engines play, and the moves of this game."""
    moves = random_line(4)
    path = tmp_path_factory.mktemp("lab") / "moves"
    path.write_text(" ".join(moves) + "\n")
    return str(path), moves


@pytest.fixture
def make() -> Iterator[Maker]:
    """Yield a function that makes engines. These engines are ended after the test."""
    made: list[Engine] = []

    def make(name: str, *words: str, **settings: Any) -> Engine:
        settings = {"limits": NODES, "patience_ms": 60_000, **settings}
        made.append(make_engine(EngineSpec(name, words, **settings)))
        return made[-1]

    yield make
    for engine in made:
        engine.kill()


def scripted(*words: str) -> tuple[str, ...]:
    return sys.executable, "-S", BOT, *words


def kogoma(*words: str) -> tuple[str, ...]:
    return sys.executable, "-m", "kogoma", *words


def play(black: Engine, white: Engine, variant: str = "minishogi", **job: Any) -> dict[str, Any]:
    return dict(play_game(GameJob(0, 0, variant, black.spec, white.spec, **job), [black, white]))


# ---- Faults ----------------------------------------------------------------------------------------------------------

FAULTS = {  # misbehaviour at the engine's second move -> kind, a part of the detail, the last line of the log
    "hang": ("hang", "no answer within", "> go "),
    "late=1500": ("time", "but 1000 ms were left", "< bestmove "),
    "crash": ("crash", "exit code 3", "! something went wrong"),
    "abort": ("crash", "killed by SIGABRT", "> go "),
    "exit": ("disconnect", "exit code 0", "> go "),
    "close": ("disconnect", "still running", "> go "),
    "rubbish": ("rubbish", "Traceback", "< what is this?"),
    "nonsense": ("rubbish", "bestmove ?!", "< bestmove ?!"),
    "none": ("rubbish", "bestmove", "< bestmove"),
    "illegal": ("illegal_move", "illegal move '1a1b'", "< bestmove 1a1b"),
    "flood=100": ("rubbish", "more than 16 MB", "< info string "),
    "wide=100": ("rubbish", "more than 16 MB", "> go "),
}


@pytest.mark.parametrize("how", FAULTS)
def test_a_fault_is_charged_to_its_engine(how: str, line: tuple[str, list[str]], make: Maker, tmp_path: Path) -> None:
    check_fault(how, line, make, tmp_path)


@pytest.mark.parametrize("how", ["hang", "crash", "close", "rubbish", "flood=100"])
def test_a_fault_on_systems_where_pipes_need_threads(
    how: str, line: tuple[str, list[str]], make: Maker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Check that an engine's faults are also found if threads read and write the pipes, as on Windows."""
    monkeypatch.setattr(process, "WAITABLE", False)
    before, made = (threading.active_count(), open_files()), list[Engine]()

    def keep(*words: str, **settings: Any) -> Engine:
        made.append(make(*words, **settings))
        return made[-1]

    check_fault(how, line, keep, tmp_path)
    for engine in made:
        engine.quit()
    assert (threading.active_count(), open_files()) == before


def check_fault(how: str, line: tuple[str, list[str]], make: Maker, tmp_path: Path) -> None:
    """Assert that the engine with the fault `how` loses the first game by this fault, and plays the next game to its
    end."""
    file, moves = line
    timed = how in ("hang", "late=1500", "rubbish")
    settings = {"limits": TimeControl(move_ms=1000), "patience_ms": 1000} if timed else {}
    good = make("good", *scripted("usi", f"moves={file}"))
    words = scripted("usi", f"moves={file}", how, "at=2", f"once={tmp_path / 'done'}")
    bad = make("bad", *words, **settings)
    record = play(good, bad)
    kind, detail, last = FAULTS[how]
    assert (record["winner"], record["reason"]) == (0, kind), record
    fault = record["fault"]
    assert fault["engine"] == "bad"
    assert fault["kind"] == kind
    assert detail in fault["detail"]
    assert fault["log"][-1].startswith(last), fault["log"]
    assert len(fault["log"]) <= 40
    assert record["moves"] == moves[:3]
    # The next game has exchanged colours and is played to its end.
    record = play(bad, good)
    assert record["fault"] is None, record
    assert record["moves"] == moves


STARTS = {
    "mute": "no usiok: silent for",
    "unready": "no readyok: silent for",
    "unfit": "no readyok: closed its output (exit code 1)",
}


@pytest.mark.parametrize("how", STARTS)
def test_an_engine_that_does_not_start(how: str, line: tuple[str, list[str]], make: Maker) -> None:
    patience = {} if how == "unfit" else {"start_ms": 1500}
    good, bad = make("good", *scripted("usi", f"moves={line[0]}")), make("bad", *scripted("usi", how), **patience)
    record = play(bad, good)
    assert (record["winner"], record["reason"], record["moves"]) == (1, "start", [])
    assert record["fault"]["engine"] == "bad"
    assert record["fault"]["detail"].startswith(STARTS[how])


def test_a_missing_command(line: tuple[str, list[str]], make: Maker) -> None:
    good, bad = make("good", *scripted("usi", f"moves={line[0]}")), make("bad", "/no/such/engine")
    assert play(good, bad)["fault"]["detail"].startswith("cannot be started")


def test_an_unknown_option_and_an_unknown_variant(make: Maker) -> None:
    good, bad = make("good", *scripted("usi")), make("bad", *scripted("usi"), options=(("Hash", "16"),))
    assert play(good, bad)["fault"]["detail"].startswith("there is no option 'Hash'; the options are ")
    assert play(good, bad, "kyoto")["fault"]["detail"] == "does not play kyoto"


@pytest.mark.parametrize("waitable", [True, False])
def test_an_engine_that_does_not_read(waitable: bool, make: Maker, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that the lab stops writing to an engine that does not read its input, once the pipe to the engine is
    full."""
    monkeypatch.setattr(process, "WAITABLE", waitable)
    deaf = make("deaf", *scripted("usi", "at=1", "deaf"), limits=TimeControl(move_ms=100))
    deaf.new_game(new_position("minishogi").variant, new_position("minishogi").start_sfen)
    position = new_position("minishogi")
    clocks = [Clock(deaf.control()), Clock(deaf.control())]
    assert deaf.move(position, clocks).move == "resign"
    started = time.perf_counter()
    with pytest.raises(Exception, match="did not read its input"):
        deaf.process.send(["x" * 1000] * 1000, timeout=0.2)
    assert time.perf_counter() - started < PATIENCE / 2


def test_a_late_write_reaches_no_other_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that a thread that is still writing when its pipe is closed does not write to another pipe. The other pipe
    gets the same file descriptor."""
    monkeypatch.setattr(process, "WAITABLE", False)
    threads = threading.active_count()
    output, number = os.pipe()
    with pytest.raises(TimeoutError):
        process.write_pipe(number, b"x" * 1_000_000, timeout=0.2)
    others = os.pipe()
    os.dup2(others[1], number)
    os.read(output, 1 << 16)  # lets the thread write more of its data, which nobody reads
    os.close(output)
    until(lambda: threading.active_count() == threads)
    os.set_blocking(others[0], False)
    with pytest.raises(BlockingIOError):
        os.read(others[0], 1)
    for pipe in (*others, number):
        os.close(pipe)


def test_output_on_standard_error_is_harmless(line: tuple[str, list[str]], make: Maker) -> None:
    file, moves = line
    good, noisy = (make(word, *scripted("usi", f"moves={file}", word, "at=2")) for word in ("good", "noisy=20"))
    record = play(good, noisy)
    assert (record["fault"], record["moves"]) == (None, moves)


# ---- Processes -------------------------------------------------------------------------------------------------------


def open_files() -> int:
    return len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0


def running(group: int) -> list[str]:
    """Return the ids of the running processes of a process group. Zombies are left out, because a zombie has ended and
    only waits until its parent process reads its exit code."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, _, its_group = path.read_text().rpartition(")")[2].split()[:3]
            if int(its_group) == group and state not in "ZX":
                found.append(path.parent.name)
    return found


def is_there(pid: int) -> bool:
    """Return whether a process runs or is a zombie."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, 0)
        return True
    return False


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="needs /proc of Linux")
@pytest.mark.parametrize("word", ["stubborn", "orphan"])
def test_engines_end_with_all_their_children(word: str, line: tuple[str, list[str]], make: Maker) -> None:
    before = threading.active_count(), open_files()
    good, odd = (make("odd", *scripted("usi", f"moves={line[0]}", how)) for how in ("", word))
    assert play(good, odd)["fault"] is None
    group = odd.process.pid
    assert len(running(group)) == (2 if word == "orphan" else 1)
    good.quit()
    started = time.perf_counter()
    odd.quit()
    assert time.perf_counter() - started < PATIENCE / 2
    until(lambda: not running(group))
    assert (threading.active_count(), open_files()) == before


@pytest.mark.long
def test_two_hundred_games_leave_nothing_behind_and_cost_little(line: tuple[str, list[str]], make: Maker) -> None:
    """Check that 200 games leave no processes, threads or open files behind, and that the lab itself uses little
    processor time. docs/matches.md has the command for a thousand games."""
    file, moves = line
    before = threading.active_count(), open_files()
    lasting = make("lasting", *scripted("usi", f"moves={file}"))
    restarted = make("restarted", *scripted("usi", f"moves={file}"), restart=True)
    again = make("again", *scripted("usi", f"moves={file}"))
    pids: set[int | None] = set()
    moved, worked = 0, time.process_time()
    for number in range(200):
        record = play(lasting, restarted if number % 20 == 0 else again)
        assert record["fault"] is None and record["moves"] == moves
        pids |= {engine.pid for engine in (lasting, again, restarted)} - {None}
        moved += len(moves)
    worked = time.process_time() - worked
    assert (lasting.starts, restarted.starts, again.starts) == (1, 10, 1)
    assert threading.active_count() == before[0] + 3
    for engine in (lasting, restarted, again):
        engine.quit()
    assert (threading.active_count(), open_files()) == before
    assert len(pids) == 12
    assert [pid for pid in pids if pid is not None and is_there(pid)] == []
    assert worked / moved < 0.002, f"{1000 * worked / moved:.2f} ms a move"


# ---- Real engines ----------------------------------------------------------------------------------------------------


@pytest.fixture
def kogoma_engine(make: Maker) -> Engine:
    return make("Kogoma", *kogoma(), folder=str(ROOT), start_ms=300_000)


def test_kogoma_against_itself_is_the_same_game_twice(kogoma_engine: Engine, make: Maker) -> None:
    other = make("Other", *kogoma(), folder=str(ROOT), options=(("USI_Hash", "8"),))
    job: dict[str, Any] = {"adjudication": Adjudication(max_plies=60), "book": ("2e3d", "1b1c"), "seed": 7}
    first, second = play(kogoma_engine, other, **job), play(kogoma_engine, other, **job)
    assert first["fault"] is None
    assert first["moves"] == second["moves"]
    assert first["scores"] == second["scores"]
    assert all(kind in ("cp", "mate") and nodes > 0 for kind, _, _, nodes in first["scores"])
    assert first["reason"] == "max_moves" or first["winner"] is not None
    assert list(first)[:10] == "game pair variant start book black white seed moves time_ms".split()
    assert first["clock"] == "nodes=200"


@pytest.mark.parametrize("protocol", ["uci", "usi"])
@pytest.mark.parametrize("variant", ["minishogi", "kyoto"])
def test_fairy_stockfish(protocol: str, variant: str, kogoma_engine: Engine, make: Maker) -> None:
    path = referee.find_fairy_stockfish()
    if path is None:
        absent("fairy-stockfish")
    fairy = make("Fairy", path, protocol=protocol, options=(("Hash", "8"),), start_ms=30_000)
    for black, white in ((fairy, kogoma_engine), (kogoma_engine, fairy)):
        record = play(black, white, variant, adjudication=Adjudication(max_plies=40))
        assert record["fault"] is None, record["fault"]
        assert record["moves"]


def test_gnuminishogi(kogoma_engine: Engine, make: Maker) -> None:
    """Check that games against GNU minishogi have no faults. GNU minishogi takes a second for every move."""
    path = find_program("gnuminishogi")
    if path is None:
        absent("gnuminishogi")
    second = TimeControl(move_ms=1000)
    gnu = make("GNU", path, "-X", protocol="xboard", limits=second, time_margin_ms=5000)
    record = play(gnu, kogoma_engine, book=("2e3d", "1b1c"), adjudication=Adjudication(max_plies=5))
    assert (record["fault"], record["reason"]) == (None, "max_moves")
    start = "2r1k/4p/P1+S2/5/K4 w R2bg 8"
    record = play(kogoma_engine, gnu, start=start, adjudication=Adjudication(max_plies=3))
    assert record["fault"] is None, record["fault"]
    assert len(record["moves"]) >= 1


def test_crazywa(kogoma_engine: Engine, make: Maker) -> None:
    """Check that games against CrazyWa have no faults. CrazyWa uses the current version of the xboard protocol."""
    path = find_program("crazywa")
    if path is None:
        absent("crazywa")
    limits = TimeControl.parse("2+0.1")
    crazywa = make("CrazyWa", path, protocol="xboard", limits=limits, time_margin_ms=5000)
    for start in (None, "2r1k/4p/P1+S2/5/K4 w R2bg 8"):
        record = play(
            kogoma_engine, crazywa, start=start, book=() if start else ("2e3d",), adjudication=Adjudication(5)
        )
        assert record["fault"] is None, record["fault"]
        assert record["moves"]


def test_a_bot_of_an_arena(kogoma_engine: Engine, make: Maker) -> None:
    words = kogoma("codingame", "minishogi")
    bot = make("Bot", *words, protocol="codingame", limits=TimeControl(), folder=str(ROOT), time_margin_ms=20_000)
    record = play(bot, kogoma_engine, "minishogi-codingame", adjudication=Adjudication(max_plies=8))
    assert record["fault"] is None, record["fault"]
    assert record["clock"] == "st=0.1 first=1 / nodes=200"


@pytest.mark.parametrize(
    ("game", "words", "kind"),
    [
        ("minishogi", ["at=1", "say=4534 Take this!"], None),  # the example in the arena's statement
        ("minishogi", ["message=depth 10, score +25.44"], None),  # as an exported bot with --chat
        ("dice", ["message=book"], None),
        ("onitama", ["message=win in 3"], None),
        ("minishogi", ["at=3", "say=RANDOM"], None),
        ("dice", ["at=3", "say=random Take this!"], None),
        ("onitama", ["at=3", "say=random"], "rubbish"),
        ("minishogi", ["at=3", "say=hello"], "rubbish"),
        ("dice", ["at=3", "say=1151"], "illegal_move"),
        ("dice", ["at=3", "say=1151 Take this!"], "illegal_move"),
        ("onitama", ["at=3", "say=9 A1A1 Take this!"], "illegal_move"),
    ],
)
def test_answers_that_an_arena_accepts(game: str, words: list[str], kind: str | None, make: Maker) -> None:
    """Check that the lab accepts what an arena accepts: messages, and `random` where the arena knows it. Other answers
    are faults. Both engines are bots, and the lab rolls the die."""
    limits = TimeControl(move_ms=2000)
    names = {"good": [], "bad": words}
    good, bad = (make(name, *scripted(game, *names[name]), protocol="codingame", limits=limits) for name in names)
    variant = game if game == "onitama" else f"{game}-codingame"
    record = play(bad, good, variant, seed=11, adjudication=Adjudication(max_plies=30))
    assert (record["fault"] and record["fault"]["kind"]) == kind, record["fault"]
    if kind is not None:
        assert len(record["moves"]) == 4 and record["winner"] == 1
    if words[0] == "at=1":
        assert record["moves"][0] == "4e3d"
    if game == "dice":
        expected = rolls(11)
        assert record["dice"] == [next(expected) for _ in record["moves"]]
