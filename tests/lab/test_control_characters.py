"""Text that comes from an engine, a file or a journal is printed without the characters that control a terminal."""

from __future__ import annotations

import io
import json
import os
import random
import shlex
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest

import kogoma
from kogoma.lab.kifu.formats import FORMATS, games_as_bytes
from kogoma.lab.kifu.game import Game
from kogoma.rules.variants import VARIANTS
from support import lab_records, scope
from support.usi_client import PATIENCE, ROOT

pytestmark = pytest.mark.slow

BOT = f"{sys.executable} -S {ROOT / 'tests' / 'support' / 'bots' / 'escaping.py'}"
ESCAPES = "\x1b[2J\x1b]0;stolen\x07\x08\x7f\x9b31m\x9d0;stolen\x9c"
SHOWN = "\\x1b[2J\\x1b]0;stolen\\x07"
NOT_UTF8 = b"\x9b31m"


def controls(text: str) -> list[str]:
    """Return the characters of a text that can control a terminal."""
    return [letter for letter in text if unicodedata.category(letter) in ("Cc", "Cs") and letter not in "\t\n"]


def told(folder: Path, *words: str | bytes, code: int | None = None) -> str:
    """Run a command, and check that its output has no control characters. Return its standard output followed by its
    standard error."""
    command = [sys.executable, "-m", "kogoma", *words]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "400"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, timeout=PATIENCE)
    text = (done.stdout + done.stderr).decode()
    assert controls(text) == [] and "Traceback" not in text, text
    assert code is None or done.returncode == code, text
    return text


@pytest.mark.parametrize(("end", "code"), [("", 0), ("move", 1), ("crash", 1), ("unready", 1), ("mute", 1)])
def test_what_engines_write(end: str, code: int, tmp_path: Path) -> None:
    """Check that neither the output nor the journal of a match has control characters, although both quote text that an
    engine wrote."""
    engines = [word for name in "ab" for word in ("-engine", f"name={name}", f"cmd={BOT} {end}")]
    text = told(tmp_path, "match", *engines, "-variant", "minishogi", "-each", "nodes=9", "-games", "1", code=code)
    assert not end or "x1b[2J" in text, text
    for journal in tmp_path.glob("*.jsonl"):
        assert all(controls(value) == [] for line in journal.open() for value in strings(json.loads(line)))


def strings(value: object) -> list[str]:
    """Return all texts in a JSON value, including keys and numbers."""
    if isinstance(value, dict):
        value = [*value, *value.values()]
    return [text for each in value for text in strings(each)] if isinstance(value, list) else [str(value)]


def test_what_engines_write_to_a_live_table(tmp_path: Path) -> None:
    """Check that the terminal gets the escape sequences of the live table, but no escape sequence that an engine
    writes."""
    pytest.importorskip("rich")
    pty = pytest.importorskip("pty")
    command = [sys.executable, "-m", "kogoma", "match", "-variant", "minishogi", "-games", "1", "-each", "nodes=9"]
    command += [word for name in "ab" for word in ("-engine", f"name={name}", f"cmd={BOT} crash")]
    outer, inner = pty.openpty()
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm"}
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=inner, stderr=inner) as process:
        os.close(inner)
        shown = b""
        try:
            while data := os.read(outer, 1 << 16):
                shown += data
        except OSError:  # Linux reports the end of the output as an error
            pass
        process.wait(PATIENCE)
    os.close(outer)
    text = shown.decode()
    assert SHOWN in text.replace("\r\n", "")
    assert "\x1b[2J" not in text and not {"\x07", "\x08", "\x7f", "\x9b", "\x9d"} & set(text)
    assert "\x1b[" in text, "the table has escape sequences of its own"


@pytest.mark.parametrize("end", ["move", "crash", "unready", "mute"])
def test_what_the_python_api_raises(end: str, tmp_path: Path) -> None:
    with kogoma.UsiEngine(shlex.split(f"{BOT} {end}")) as engine:
        with pytest.raises(kogoma.EngineError) as caught:
            engine.play("startpos", kogoma.Limits(nodes=9))
        assert controls(f"{caught.value} {caught.value.log}") == []
        assert controls(" ".join(f"{name} {text}" for name, text in engine.options.items())) == []


def test_what_a_board_prints(tmp_path: Path) -> None:
    """Check that `board` prints no control characters in its errors for an unreadable journal and for a missing
    engine."""
    (tmp_path / f"a{ESCAPES}.jsonl").write_text(f"[{ESCAPES}\n")
    assert "contains no records" in told(tmp_path, "board", "--no-open", f"a{ESCAPES}.jsonl", code=1)
    assert "there is no program" in told(tmp_path, "board", "--no-open", f"--engine=a{ESCAPES}", code=2)


def damaged(content: bytes, chance: random.Random) -> bytes:
    """Return `content` with escape sequences inserted at a random place. The escape sequences may replace a few
    bytes."""
    at = chance.randrange(len(content) + 1)
    escapes = ESCAPES.encode() if chance.random() < 0.8 else NOT_UTF8 + b"\x1b[2J"
    return content[:at] + escapes + content[at + chance.choice((0, 0, 1, 5)) :]


def test_errors_of_game_records(seed: int) -> None:
    """Check that the errors for damaged game records have no control characters."""
    chance = random.Random(seed)
    shogi = Game.played("shogi", ["7g7f", "3c3d", "8h2b+"])
    games = {
        form: [shogi, *[Game.played("minishogi", ["3e3d", "3a3b"])] * (form not in ("csa", "jkf"))] for form in FORMATS
    }
    errors = 0
    for form in FORMATS:
        for game in games[form]:
            content = b"".join(games_as_bytes([game, game], form))
            for _ in range(scope.count(400, 40)):
                try:
                    for read in kogoma.read_games(io.BytesIO(damaged(content, chance)), format=form):
                        errors += bool(read.error)
                        assert controls(read.error) == [], read.error
                except kogoma.GameError as error:
                    errors += 1
                    assert controls(str(error)) == [], str(error)
    assert errors > 50


def test_errors_of_positions_and_moves() -> None:
    for wrong in (
        f"{ESCAPES}",
        f"4k/5/5/5/K4 {ESCAPES} - 1",
        f"4k/5/{ESCAPES}/5/K4 b - 1",
        f"4k/5/5/5/K4 b {ESCAPES} 1",
    ):
        with pytest.raises(ValueError) as caught:
            kogoma.Position("minishogi", wrong)
        assert controls(str(caught.value)) == [], wrong
    position = kogoma.Position("minishogi")
    with pytest.raises(ValueError) as caught:
        position.push(f"3e3d{ESCAPES}")
    assert controls(str(caught.value)) == []


@pytest.mark.long
def test_files_that_commands_read(tmp_path: Path) -> None:
    """Check that commands print no control characters when they quote file names, names of players, openings, moves and
    broken lines."""
    records = tmp_path / f"m{ESCAPES}.jsonl"
    lab_records.write(records, 4, [VARIANTS["minishogi"]])
    plain = [json.loads(line) for line in records.read_text().splitlines()]
    plain[1]["black"] = plain[2]["white"] = f"A{ESCAPES}"
    plain[3]["moves"] = [f"3e3d{ESCAPES}"]
    plain[4]["variant"] = f"mini{ESCAPES}"
    broken = f'{{"game": "{ESCAPES}"}}\n{ESCAPES}\n'
    records.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in plain) + broken)
    assert SHOWN in told(tmp_path, "report", records.name)
    told(tmp_path, "convert", records.name, "games.kifu")
    told(tmp_path, "book", "import", "minishogi", records.name, "-o", "book.db")
    (tmp_path / "openings.sfen").write_text(f"{VARIANTS['minishogi'].start}\n4k/{ESCAPES}/5/5/K4 b - 1\n")
    flags = ("-engine", "cmd=kogoma", "-engine", "cmd=kogoma", "-each", "nodes=9", "-variant", "minishogi")
    told(tmp_path, "match", *flags, "-openings", "file=openings.sfen", code=2)
    assert SHOWN in told(tmp_path, "match", *flags, "-openings", f"file=none{ESCAPES}", code=2)
    told(tmp_path, "match", "-resume", records.name)
    game = b"".join(games_as_bytes([Game.played("minishogi", ["3e3d", "3a3b"])], "kifu")).decode()
    (tmp_path / "game.kifu").write_text(f"先手：A{ESCAPES}\n{game.replace('3 ', f'3{ESCAPES} ')}")
    told(tmp_path, "analyse", "game.kifu", "--nodes", "10")
    told(tmp_path, "mate", f"{ESCAPES}")
    told(tmp_path, f"none{ESCAPES}", code=2)
