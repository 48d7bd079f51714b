"""The command `export`: settings in the exported file, messages, and machines without a linker."""

from __future__ import annotations

import os
import random
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from kogoma.arena.export.check import interpreter
from kogoma.rules.variants import VARIANTS
from kogoma.search.book.book_file import read_book, shipped_book
from oracles import shogi as oracle
from support.arena_referee import ShogiReferee, to_action
from support.node import missing
from support.peers import absent
from support.scope import mostly_long
from support.usi_client import ROOT

pytestmark = pytest.mark.slow

FLAVORS = mostly_long(["wasm", "native", "python"], "wasm")


def export(*words: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command `export`, and wait until it ends."""
    return subprocess.run(
        [sys.executable, "-m", "kogoma", "export", *map(str, words)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
        env=os.environ | environment,
    )


def test_the_output_path_is_checked_first(tmp_path: Path) -> None:
    """Check that `export` checks the output path first. If the output path is wrong and a file of parameters is
    missing, `export` must report only the wrong path."""
    (tmp_path / "folder").mkdir()
    for output, reason in (("missing/bot.py", "No such file or directory"), ("folder", "it is a folder")):
        path = tmp_path / output
        done = export("onitama", "-o", path, KOGOMA_PARAMETERS="parameters.json")
        assert (done.returncode, done.stdout, done.stderr) == (1, "", f"export: {path}: {reason}\n")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_a_failed_export_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "bot.py"
    path.write_text("old")
    done = export("onitama", "-o", path, KOGOMA_PARAMETERS="parameters.json")
    assert done.returncode == 1 and "cannot read parameters.json: No such file" in done.stderr
    assert path.read_text() == "old" and list(tmp_path.iterdir()) == [path]


def test_characters_and_bytes_are_stated(tmp_path: Path) -> None:
    path = tmp_path / "count.py"
    done = export("codeabbey", "-o", path)
    size = path.stat().st_size
    assert done.stderr == f"export: {path}: {len(path.read_text('utf-8')):,} characters, {size:,} bytes\n"


@pytest.mark.long
@pytest.mark.parametrize("flavor", FLAVORS)
def test_every_flavor_is_exported_without_a_linker_on_the_path(flavor: str, tmp_path: Path) -> None:
    """Check that `export` uses the linker of the package ziglang if the only folder in PATH is empty."""
    path, empty = tmp_path / "bot", tmp_path / "empty"
    empty.mkdir()
    done = export("onitama", "--flavor", flavor, "-o", path, PATH=str(empty))
    assert done.returncode == 0, done.stderr
    told = done.stderr.splitlines()[-1]
    assert "characters" in told and path.stat().st_size > 20_000
    assert ("compiling and linking WebAssembly" in done.stderr) == (flavor == "wasm")
    assert ("compiling and linking native code" in done.stderr) == (flavor == "native")


def test_without_a_linker_the_message_names_the_running_python(tmp_path: Path) -> None:
    """Check that the message about a missing linker contains the path of the running Python interpreter. No linker is
    found, because the package ziglang is hidden and the only folder in PATH is empty."""
    program = "import sys; sys.modules['ziglang'] = None; from kogoma.__main__ import main; sys.exit(main())"
    words = ("export", "onitama", "--flavor", "wasm", "-o", str(tmp_path / "bot.js"))
    done = subprocess.run(
        [sys.executable, "-c", program, *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
        env=os.environ | {"PATH": str(tmp_path)},
    )
    assert done.returncode == 1 and not any(tmp_path.iterdir())
    assert f"no linker for WebAssembly: type {shlex.quote(sys.executable)} -m pip install ziglang" in done.stderr


def test_games_refuse_settings_that_they_do_not_have(tmp_path: Path) -> None:
    for words, status, message in (
        (("generals", "--chat"), 2, "generals has no settings: leave out --chat"),
        (
            ("onitama", "--book", "shipped"),
            1,
            "onitama cannot be played with a book, because its games have a die or different start positions",
        ),
        (("minishogi", "--book", "missing.db"), 1, "cannot read missing.db: No such file or directory"),
    ):
        done = export(*words, "-o", tmp_path / "bot")
        assert (
            done.returncode == status and done.stderr.startswith(f"export: {message}") and not any(tmp_path.iterdir())
        )


@pytest.mark.parametrize("flavor", FLAVORS)
def test_settings_become_defaults_of_the_file(flavor: str, tmp_path: Path) -> None:
    """Check that settings given to `export` are the defaults of the exported file. With these settings, the bot must
    play moves of the book with both colours, and later print the search depth."""
    if flavor == "wasm" and (lacking := missing()):
        absent(lacking)
    path = tmp_path / "bot"
    words = ("--chat", "--margin", "90", "--hash", "2", "--book", "shipped")
    done = export("minishogi", "--flavor", flavor, *words, "-o", path)
    assert done.returncode == 0, done.stderr
    assert f"./engine.sh export minishogi --flavor {flavor}" in path.read_text("utf-8")[:400]
    assert "--margin 90 --hash 2 --chat --book shipped" in path.read_text("utf-8")[:400]
    shipped = shipped_book(VARIANTS["minishogi-codingame"])
    assert shipped is not None
    book = read_book(shipped)
    for player in (0, 1):
        said: list[str] = []
        referee = ShogiReferee(random.Random(1))
        with subprocess.Popen(
            [*interpreter(flavor), str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        ) as bot:
            assert bot.stdin is not None and bot.stdout is not None
            while len(said) < 12 and "depth" not in " ".join(said):
                if referee.turn != player:
                    known = book.moves(oracle.write_sfen(referee.game.position))
                    move = to_action(known[0].move, referee.turn) if known else sorted(referee.actions())[0]
                    referee.play(move)
                    continue
                actions = referee.actions()
                once = [] if said else referee.once(player)
                bot.stdin.write("".join(f"{line}\n" for line in [*once, *referee.lines(), str(len(actions)), *actions]))
                bot.stdin.flush()
                said.append(bot.stdout.readline().rstrip("\n"))
                referee.play(said[-1].split(" ")[0])
            bot.stdin.close()
        assert said[0].endswith(" book") and " depth " in said[-1] and len(said) > 1, said
