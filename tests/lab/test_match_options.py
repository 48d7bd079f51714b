"""Options of engines in matches: they are checked before the first game, and the journal says which were set."""

from __future__ import annotations

import json
import shlex
import signal
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kogoma import EngineError, Limits, Position, UsiEngine
from kogoma.lab.engines.options import Spin
from support import scope
from support.lab_runs import read_games, run, start
from support.scope import mostly_long
from support.usi_client import ENGINE, ROOT

pytestmark = pytest.mark.slow

# An engine that resigns at its first move. Its arguments are its protocol and the options that it lists. With the
# argument `mute`, it does not answer the first line of its protocol, or xboard's `ping`. With `late`, it lists xboard's
# features late.
BOT = """
import sys
import time
protocol, *options = sys.argv[1:]
mute = "mute" in options
for line in sys.stdin:
    words = line.split()
    if words[0] == protocol and protocol in ("usi", "uci") and not mute:
        for option in options:
            print("option name", option)
        print(protocol + "ok")
    elif words[0] == "protover":
        if "late" in options:
            print("feature done=0", flush=True)
            time.sleep(3)
            options.remove("late")
        for option in options:
            print(f'feature ping=1 option="{option}"')
        print("feature memory=1 variants=5x5+5_shogi done=1")
    elif words[0] == "isready":
        print("readyok")
    elif words[0] == "ping" and not mute:
        print("pong", words[1])
    elif words[0] == "go":
        print("resign" if protocol == "xboard" else "bestmove resign")
    elif words[0] == "quit":
        break
    sys.stdout.flush()
"""
USI: tuple[str, ...] = (
    "Threads type spin default 1 min 1 max 8",
    "Style type combo default Solid var Solid var Very risky",
)
USI += ("USI_Variant type combo default minishogi var minishogi", "Clear type button", "Book type filename default x")
XBOARD = ("Threads -spin 1 1 8", "Style -combo *Solid /// Very risky", "Fast -check 0", "Clear -button")


@pytest.fixture(scope="module")
def bot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bot") / "bot.py"
    path.write_text(BOT, "utf-8")
    return path


def engine(bot: Path, name: str, protocol: str, *words: str, settings: tuple[str, ...] = ()) -> list[str]:
    """Return the flags for the engine `bot`, whose arguments are `words`."""
    command = shlex.join([sys.executable, "-S", str(bot), protocol, *words])
    return ["-engine", f"name={name}", f"cmd={command}", f"proto={protocol}", *settings]


def match(folder: Path, *flags: str) -> Any:
    return run("match", *flags, *"-each st=1 timemargin=10000 -games 2 -out m.jsonl".split(), folder=folder)


def sent(folder: Path, name: str) -> list[str]:
    """Return the lines that set options, or the variant, of an engine in a match with `-log log`, each once."""
    lines = [line.split(" > ", 1) for line in (folder / "log").read_text("utf-8").splitlines() if " > " in line]
    own = [line for head, line in lines if head.split()[1].startswith(f"{name}(")]
    return list(
        dict.fromkeys(line for line in own if line.startswith(("setoption ", "option ", "memory ", "variant ")))
    )


def options_of(folder: Path) -> list[dict[str, dict[str, str]]]:
    """Return the options in the journal `m.jsonl`."""
    entries = [json.loads(line) for line in (folder / "m.jsonl").read_text("utf-8").splitlines()]
    return [entry["options"] for entry in entries if "options" in entry]


REFUSED = {
    ("usi", "threads=9"): "the option Threads must be a whole number from 1 to 8, not '9'",
    ("usi", "Style=brave"): "the option Style must be one of Solid, Very risky, not 'brave'",
    ("usi", "Book=a\nquit"): "the option Book must be the name of a file, not 'a\\nquit'",
    ("usi", "USI_Hash=abc"): "the option USI_Hash must be a whole number from 1 to 2147483647, not 'abc'",
    ("usi", "USI_Variant=kyoto"): "the option USI_Variant must be one of minishogi, not 'kyoto'",
    ("usi", "Hash=1"): "there is no option 'Hash'; the options are Threads, Style, USI_Variant, Clear, Book, USI_Hash, "
    "USI_Ponder",
    ("uci", "USI_Hash=1"): "there is no option 'USI_Hash'; the options are Threads, Style, USI_Variant, Clear, Book",
    ("xboard", "Fast=2"): "the option Fast must be true or false, not '2'",
    ("xboard", "memory=0"): "the option memory must be a whole number from 1 to 2147483647, not '0'",
    ("xboard", "cores=2"): "there is no option 'cores'; the options are memory, Threads, Style, Fast, Clear",
}


@pytest.mark.parametrize(("protocol", "option"), REFUSED)
def test_a_refused_option_is_an_error_before_the_first_game(
    protocol: str, option: str, bot: Path, tmp_path: Path
) -> None:
    """Check that a match does not start if its last engine refuses an option, which its first engines do not have."""
    lines = XBOARD if protocol == "xboard" else USI
    flags = engine(bot, "good", "usi") + engine(bot, "fair", "usi")
    flags += engine(bot, "bad", protocol, *lines, settings=(f"option.{option}",))
    done = match(tmp_path, *flags, "-tournament", "gauntlet", "-log", "log")
    assert (done.returncode, done.stderr) == (2, f"match: bad: {REFUSED[protocol, option]}\n"), done.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["log"]
    assert " go " not in (tmp_path / "log").read_text("utf-8")


def test_our_own_engine_refuses_values(tmp_path: Path) -> None:
    flags = "-engine name=a nodes=50 option.USI_Hash=abc -engine name=b nodes=60 option.Threads=99999 -games 2".split()
    done = run("match", *flags, folder=tmp_path)
    told = "match: a: the option USI_Hash must be a whole number from 1 to 65536, not 'abc'\n"
    assert (done.returncode, done.stderr, list(tmp_path.iterdir())) == (2, told, [])


def test_the_journal_has_the_options_that_were_sent(bot: Path, tmp_path: Path) -> None:
    usi = "option.threads=+4", "option.STYLE=very risky", "option.Clear=", "option.usi_hash=16", "ponder=on"
    flags = engine(bot, "usi", "usi", *USI, settings=usi)
    uci = "UCI_Variant type combo default mini var mini", "Ponder type check default false", "Empty type string"
    flags += engine(bot, "uci", "uci", *uci, settings=("ponder=on", "option.Empty="))
    xboard = "option.fast=true", "option.style=VERY RISKY", "option.Clear=", "option.memory=64"
    flags += engine(bot, "xboard", "xboard", *XBOARD, settings=xboard)
    done = match(tmp_path, *flags, "-tournament", "roundrobin", "-log", "log")
    assert done.returncode == 0, done.stderr
    assert options_of(tmp_path) == [
        {
            "usi": {"USI_Ponder": "true", "Threads": "4", "Style": "Very risky", "Clear": "", "USI_Hash": "16"}
            | {"USI_Variant": "minishogi"},
            "uci": {"Ponder": "true", "Empty": "", "UCI_Variant": "mini"},
            "xboard": {"Fast": "1", "Style": "Very risky", "Clear": "", "memory": "64"},
        }
    ]
    for name in ("usi", "uci"):
        values = options_of(tmp_path)[0][name].items()
        lines = [f"setoption name {option}" + f" value {value}" * bool(value) for option, value in values]
        assert sent(tmp_path, name) == lines
    lines = ["option Fast=1", "option Style=Very risky", "option Clear", "memory 64", "variant 5x5+5_shogi"]
    assert sent(tmp_path, "xboard") == lines
    assert run("report", "m.jsonl", folder=tmp_path).returncode == 0
    page = (tmp_path / "m.html").read_text("utf-8")
    assert "options sent" in page and "Very risky" in page


def test_a_match_may_leave_options_unchecked(bot: Path, tmp_path: Path) -> None:
    given = "option.threads=many", "option.Hidden=a b", "option.Style=brave", "checkoptions=off"
    flags = engine(bot, "usi", "usi", *USI, settings=given)
    flags += engine(bot, "xboard", "xboard", settings=("option.Hidden=1", "checkoptions=off"))
    done = match(tmp_path, *flags, "-log", "log")
    assert done.returncode == 0, done.stderr
    values = {"threads": "many", "Hidden": "a b", "Style": "brave", "USI_Variant": "minishogi"}
    assert options_of(tmp_path) == [{"usi": values, "xboard": {"Hidden": "1"}}]
    assert sent(tmp_path, "usi") == [f"setoption name {name} value {value}" for name, value in values.items()]
    assert sent(tmp_path, "xboard") == ["option Hidden=1", "variant 5x5+5_shogi"]
    (tmp_path / "log").unlink()
    again = run("match", "-resume", "m.jsonl", "-log", "log", folder=tmp_path)
    assert again.returncode == 0, again.stderr
    assert not (tmp_path / "log").exists(), "a match without missing games starts no engine"


@pytest.mark.long
def test_a_journal_without_options_is_resumed(bot: Path, tmp_path: Path) -> None:
    """Check that a journal of an earlier version, which says nothing about options, can be resumed, and that options
    are noted again only if they have changed."""
    flags = engine(bot, "a", "usi", *USI, settings=("option.Threads=2",)) + engine(bot, "b", "usi")
    assert match(tmp_path, *flags).returncode == 0
    journal = tmp_path / "m.jsonl"
    head, options, *games = journal.read_bytes().splitlines(keepends=True)
    for kept, count in (([head, games[0]], 1), ([head, options, games[0]], 1), ([head, options, games[0]], 2)):
        journal.write_bytes(b"".join(kept))
        if count == 2:  # the engine has an option for the variant no more
            bot.write_text(
                BOT.replace('print("option name", option)', '"USI" in option or print("option name", option)'), "utf-8"
            )
        try:
            done = run("match", "-resume", "m.jsonl", folder=tmp_path)
        finally:
            bot.write_text(BOT, "utf-8")
        assert done.returncode == 0, done.stderr
        assert len(options_of(tmp_path)) == count and len(read_games(journal)) == 2
    assert options_of(tmp_path)[-1]["a"] == {"Threads": "2"}
    # The earlier version did not check options.
    journal.write_bytes(head.replace(b'"Threads":"2"', b'"Threads":"99"') + games[0])
    for _ in range(2):
        done = run("match", "-resume", "m.jsonl", folder=tmp_path)
        assert done.returncode == 0, done.stderr
        found, count = options_of(tmp_path), len(read_games(journal))
        assert (found[0]["a"]["Threads"], len(found), count) == ("99", 1, 2)
        journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:-1]))


@pytest.mark.long
def test_an_xboard_engine_may_list_its_options_late(bot: Path, tmp_path: Path) -> None:
    flags = engine(bot, "late", "xboard", "late", *XBOARD, settings=("option.Threads=2",)) + engine(bot, "b", "usi")
    done = match(tmp_path, *flags)
    assert (done.returncode, options_of(tmp_path)[0]["late"]) == (0, {"Threads": "2"}), done.stderr


WORDS = "type default min max var spin check combo button string filename -spin -check -combo /// * 1 9 -3 true".split()
LINES = st.lists(st.sampled_from(WORDS) | st.text("ab é\"'<", max_size=4), min_size=1, max_size=9).map(" ".join)


@pytest.mark.parametrize("protocol", mostly_long(["usi", "uci", "xboard"], "usi"))
@settings(max_examples=scope.count(8, 3), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=st.lists(LINES, min_size=5, max_size=20))
def test_odd_option_lines_do_not_disturb_a_match(protocol: str, lines: list[str], bot: Path, tmp_path: Path) -> None:
    (tmp_path / "m.jsonl").unlink(missing_ok=True)
    own = ("Bad type spin default 3 min 9 max 1", "Bad -spin 3 9 1")[protocol == "xboard"]
    flags = engine(bot, "odd", protocol, *lines, own, settings=("option.bad=any text",)) + engine(bot, "b", "usi")
    done = match(tmp_path, *flags)
    assert done.returncode == 0, done.stderr
    assert options_of(tmp_path)[0]["odd"]["Bad"] == "any text"
    assert all(game["fault"] is None for game in read_games(tmp_path / "m.jsonl"))


@pytest.mark.parametrize(
    ("protocol", "what"), mostly_long([("usi", "usiok"), ("uci", "uciok"), ("xboard", "pong")], ("usi", "usiok"))
)
def test_a_match_says_what_it_waits_for(protocol: str, what: str, bot: Path, tmp_path: Path) -> None:
    flags = engine(bot, "slow", protocol, "mute") + engine(bot, "b", "usi")
    process = start(tmp_path, *flags, *"-each st=1 -out m.jsonl".split())
    assert process.stdout is not None
    line = next(line for line in process.stdout if not line.startswith("Started game"))
    process.send_signal(signal.SIGINT)
    rest, _ = process.communicate(timeout=60)
    assert line == f"slow: still waiting for its {what}, up to 60 s after its last output\n", line + rest
    assert process.returncode == 130


# ---- The Python API --------------------------------------------------------------------------------------------------


def test_the_python_api_checks_options(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with UsiEngine(ENGINE, options={"usi_hash": 8}, folder=str(ROOT), log=str(log)) as other:
        assert other.options == {}
        other.set_option("threads", 2)
        assert other.options["Threads"] == Spin("Threads", 1, 1, 256)
        other.set_option("USI_OwnBook", False)
        other.set_option("Clear_Hash", "")
        for name, value in (("Threads", 0), ("Threads", True), ("USI_OwnBook", "maybe"), ("Level", 9), ("Foo", 1)):
            with pytest.raises(ValueError, match=f"{name}"):
                other.set_option(name, value)
        assert other.play("startpos", Limits(nodes=100)).best
        other.set_option("MultiPV", 3)
        assert {info.multipv for info in other.analyse("startpos", Limits(depth=2))} == {1}
    text = log.read_text("utf-8")
    for name, sent_value in (("USI_Hash", "8"), ("Threads", "2"), ("USI_OwnBook", "false"), ("MultiPV", "3")):
        assert f"> setoption name {name} value {sent_value}\n" in text
    assert "> setoption name Clear_Hash\n" in text and text.count("> usi\n") == text.count("> isready\n") == 1
    with UsiEngine(ENGINE, options={"Threads": "many"}, folder=str(ROOT)) as refused:
        told = "the option Threads must be a whole number from 1 to 256, not 'many'"
        with pytest.raises(EngineError, match=told):
            refused.play("startpos", Limits(nodes=100))


def test_options_are_set_again_in_a_new_process(bot: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    with UsiEngine([sys.executable, "-S", str(bot), "usi", *USI], log=str(log)) as other:
        other.set_option("THREADS", 3)
        other.set_option("Clear", "")
        other._engine.kill()
        assert other.play(Position("minishogi"), Limits(nodes=100)).best == "resign"
    text = log.read_text("utf-8")
    assert text.count("setoption name Threads value 3") == 2 and text.count("setoption name Clear") == 1


@pytest.mark.long
def test_the_python_api_says_what_it_waits_for(
    bot: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("kogoma.lab.engines.process.DELAY_SECONDS", 0.5)
    with UsiEngine([sys.executable, "-S", str(bot), "usi", "mute"]) as other:
        threading.Timer(2, other._engine.kill_process).start()
        with pytest.raises(EngineError):
            other.analyse("startpos", Limits(nodes=9))
    assert "still waiting for its usiok" in capsys.readouterr().err
