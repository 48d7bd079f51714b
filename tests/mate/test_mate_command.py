"""The command `mate`."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from kogoma.lab.kifu.formats import read_games
from support.mates import PROBLEM
from support.usi_client import ENGINE, ROOT

pytestmark = pytest.mark.slow


def command(*words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run([*ENGINE, "mate", *words], input=stdin, capture_output=True, text=True, cwd=ROOT, timeout=240)


def test_the_command_solves_files_and_pipes(tmp_path: Path) -> None:
    file = tmp_path / "problems.sfen"
    lines = [
        PROBLEM,
        "# a comment",
        "",
        "rbsgk/4p/5/P4/KGSBR b - 1",
        "nonsense",
        "4k/5/4P/5/K4 w G 1 moves 1a2a 5e4e 2a1a",
    ]
    file.write_text("\n".join(lines) + "\n")
    told = command(str(file), "--shortest")
    answers = told.stdout.splitlines()
    assert len(answers) == 4 and told.returncode == 1
    assert answers[0].startswith("mate ") and "(the shortest)" in answers[0]
    assert answers[1] == "nomate" and answers[2].startswith("error: ") and answers[3].endswith("G*1b")
    assert told.stderr.splitlines()[-1].startswith("4 problems: 1 error, 2 mate, 1 nomate; ")
    assert command("-", stdin=file.read_text()).stdout.splitlines()[1:2] == ["nomate"]
    assert command("4k/5/4P/5/K4", "b", "G", "1", "--check").stdout.startswith("mate 1 (the shortest) ")
    assert "no file" in command("missing.sfen").stderr
    assert "name an SFEN" in command().stderr


@pytest.mark.long
@pytest.mark.parametrize("game", ["minishogi", "66shogi"])  # 66-shogi begins with placements
def test_problems_are_made(game: str, tmp_path: Path) -> None:
    made = command("--make", game, "--plies", "3", "--count", "1", "--kif", str(tmp_path / "kif"))
    sfens = made.stdout.splitlines()
    assert len(sfens) == 1 == len(list((tmp_path / "kif").iterdir())), made.stderr
    checked = command("-", "--check", "--variant", game, stdin=made.stdout).stdout.splitlines()
    assert all(line.startswith("mate 3 (the shortest) ") and "; sound" in line for line in checked), checked


@pytest.mark.long
def test_tsume_problems_are_made(tmp_path: Path) -> None:
    """Check that `mate --make --tsume` makes problems in which the attacker has no king and the defender holds all
    remaining pieces."""
    flags = ["--plies", "3", "--count", "2", "--tsume", "--kif", str(tmp_path)]
    made = command("--make", "minishogi", *flags)
    for sfen in made.stdout.splitlines():
        board, turn, hands, _ = sfen.split()
        letters = board + "".join(letter * int(count or 1) for count, letter in re.findall("([0-9]*)([A-Za-z])", hands))
        assert "K" not in board and turn == "b" and Counter(letters.upper())["K"] == 1
        assert all(Counter(letters.upper())[letter] == 2 for letter in "GSBRP")
    checked = command("-", "--check", "--variant", "minishogi", stdin=made.stdout).stdout.splitlines()
    assert len(checked) == 2 and all("; sound" in line for line in checked), checked
    for sfen, path in zip(made.stdout.splitlines(), sorted(tmp_path.iterdir())):
        [game] = read_games(path, "kifu")
        assert game.start == sfen and len(game.moves) == 3 and game.error == ""
    refused = command("--make", "dobutsu", "--tsume")
    assert refused.returncode != 0 and "mate problems of dobutsu always need the attacker's king" in refused.stderr


@pytest.mark.long
def test_the_examples_of_the_page() -> None:
    """Check that each command in docs/mate.md prints the line that docs/mate.md shows below the command."""
    page = (ROOT / "docs" / "mate.md").read_text(encoding="utf-8").splitlines()
    shown = [(line, page[number + 1]) for number, line in enumerate(page) if line.startswith("$ ./engine.sh mate ")]
    assert len(shown) >= 4
    for line, answer in shown:
        assert command(*shlex.split(line)[3:]).stdout == f"{answer}\n", line
