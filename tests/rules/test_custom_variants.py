"""Variants as TOML files: the built-in variants are written and read again, and every error is reported with its
line."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from kogoma.rules.custom.errors import VariantFileError
from kogoma.rules.custom.reader import LARGEST, read_variant
from kogoma.rules.custom.writer import write_game
from kogoma.rules.position import Position
from kogoma.rules.variants import BUILT_IN, RepetitionResult
from support.scope import part
from support.usi_client import ENGINE, ROOT, UsiClient

pytestmark = pytest.mark.slow

GAMES = [variant for variant in BUILT_IN.values() if not variant.cards]
TWO_KINGS = """\
name = "two-kings"
files = 3
ranks = 4
start = "1k1/3/3/1K1 b - 1"
pieces = ["K"]
"""


def run(*words: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*ENGINE, *map(str, words)],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=300,
    )


def mistakes(text: str | bytes) -> list[str]:
    """Return each error in a variant file as `LINE: reason`."""
    with pytest.raises(VariantFileError) as caught:
        read_variant(text if isinstance(text, bytes) else text.encode())
    return [f"{found.line}: {found.reason}" for found in caught.value.mistakes]


def test_built_in_variants_are_the_same_from_files(tmp_path: Path) -> None:
    """Write each built-in variant to a file. Check that reading the file gives the same variant, and that a command
    that reads the file prints the same perft counts."""
    paths, expected = [], {}
    for variant in GAMES:
        name = f"own-{variant.name}"
        path = tmp_path / f"{variant.name}.toml"
        path.write_text(write_game(replace(variant, name=name)), encoding="utf-8")
        assert replace(read_variant(path.read_bytes()), name=variant.name) == variant
        expected[name] = " ".join(str(Position(variant).perft(depth)) for depth in (1, 2, 3))
        paths.append(path)
    done = run("check", *paths)
    assert (done.returncode, done.stderr) == (0, "")
    found = re.findall(r"toml: (\S+), .*\n.*\n  perft 1 to 3: (.*)", done.stdout)
    assert dict(found) == expected


def test_files_cannot_describe_cards() -> None:
    with pytest.raises(ValueError, match="cards"):
        write_game(BUILT_IN["onitama"])
    reason = "2: like: onitama is played with cards, which a file can't describe"
    assert reason in mistakes('name = "mine"\nlike = "onitama"\n')


def test_a_file_may_contain_only_the_differences() -> None:
    text = 'name = "mine"\nlike = "judkins"\nrepetition_result = "black_loses"\npieces = ["P", "L", "K"]\nranks = 4\n'
    variant = read_variant(
        (text + 'start = "pl1l1k/6/6/K1L1LP b - 1"\n[[piece]]\nletter = "L"\nlike = "N"\npromotes_to = "+L"\n').encode()
    )
    assert list(variant.letters) == ["P", "L", "K", "+P", "+L"]
    assert variant.pieces[1].steps == BUILT_IN["judkins"].pieces[1].steps
    assert (variant.files, variant.ranks, variant.promotion_ranks) == (6, 4, 2)
    assert variant.repetition_result is RepetitionResult.BLACK_LOSES
    assert replace(BUILT_IN["minishogi"], name="mine", rules="") == read_variant(b'name = "mine"\nlike = "minishogi"')


PIECE = '[[piece]]\nletter = "A"\nsteps = ["forward", "back"]\n'
SEVERAL = TWO_KINGS.replace("ranks", "rank") + "goal = 1\n" + PIECE.replace("forward", "forwards") + "step = 2"
SEVERAL_WRONG = (
    "1: missing: ranks",
    "3: unknown key rank: did you mean ranks?",
    "6: goal must be true or false, not 1",
    "9: steps has an unknown direction 'forwards'; known are forward, back, left, right, forward_left, forward_right, "
    "back_left, back_right, king, gold, silver, chess_knight, orthogonals, diagonals, knight, sideways",
    "10: unknown key step: did you mean steps?",
)
WRONG: dict[str, tuple[str | bytes, *tuple[str, ...]]] = {
    "nothing at all": ("", "1: missing: name, files, ranks, start", "1: missing: pieces"),
    "board of 0 files": (
        TWO_KINGS.replace("files = 3", "files = 0"),
        "2: files needs a whole number from 1 to 9, not 0",
    ),
    "board of 100": (
        TWO_KINGS.replace("ranks = 4", "ranks = 100"),
        "3: ranks needs a whole number from 1 to 9, not 100",
    ),
    "no king": (TWO_KINGS.replace('["K"]', '["P"]'), "5: one piece has to be royal, not none"),
    "two royal ones": (TWO_KINGS + PIECE + "royal = true", "6: one piece has to be royal, not K and A"),
    "in a circle": (
        TWO_KINGS + PIECE + 'promotes_to = "B"\n' + PIECE.replace("A", "B") + 'promotes_to = "A"',
        "6: A: promotes in a circle: A, B, A",
        "10: B: promotes in a circle: B, A, B",
    ),
    "there and back": (
        TWO_KINGS + PIECE + 'promotes_to = "+A"\n' + PIECE.replace("A", "+A") + 'promotes_to = "A"',
        "10: +A: a promoted piece cannot turn back where promotion is in_zone",
    ),
    "another name": (
        TWO_KINGS + PIECE + 'promotes_to = "B"\n' + PIECE.replace("A", "B"),
        "6: A: promotes to B, but its promoted side must be called +A",
    ),
    "nowhere": (TWO_KINGS + PIECE + 'promotes_to = "+A"', "6: A: promotes to +A, which is not defined"),
    "no plain side": (TWO_KINGS + PIECE.replace("A", "+A"), "6: +A: no piece of the variant promotes to it"),
    "several": (SEVERAL, *SEVERAL_WRONG),
    "start": (TWO_KINGS.replace("1k1", "1k1k"), "4: start: sfen: rank a is 4 squares wide, not 3"),
    "a king in check": (
        TWO_KINGS.replace("1k1/3", "1k1/1K1").replace("1K1 b", "3 b"),
        "4: start: the side to move could capture the king",
    ),
    "without a king": (TWO_KINGS.replace("1k1", "3"), "4: start: White has no king"),
    "name": (
        TWO_KINGS.replace("two-kings", "../etc"),
        "1: name needs up to 30 lower-case letters, digits and hyphens, beginning with a letter "
        "(it is part of file names), not '../etc'",
    ),
    "control characters": (
        TWO_KINGS.replace("two-kings", "a\\u001b[2J"),
        "1: name needs up to 30 lower-case letters, digits and hyphens, beginning with a letter "
        "(it is part of file names), not 'a\\x1b[2J'",
    ),
    "taken": (TWO_KINGS.replace("two-kings", "mini"), "1: name: mini is the name of a built-in variant"),
    "a piece that gets stuck": (
        TWO_KINGS + PIECE.replace(', "back"', ""),
        "6: A: could reach a square from which it can never move: let it promote there, or set drop_anywhere",
    ),
    "in every direction": (
        TWO_KINGS + PIECE + 'slides = ["king", "chess_knight"]',
        "6: A: slides in more than 4 directions forward, or back",
    ),
    "many sliders": (
        TWO_KINGS
        + "".join(
            PIECE.replace("A", letter)
            + f'slides = ["orthogonals"]\nshort_slides = [[1, {number}, 1], [-1, {number}, 1]]\n'
            for number, letter in enumerate("ABCD", 2)
        ),
        "5: the pieces slide in too many ways: 8 bundles of rays, with room for 7",
    ),
    "a long slide": (
        TWO_KINGS + PIECE + "slides = [[0, 2]]",
        "9: slides has [0, 2], which would jump over squares on its way",
    ),
    "nothing": (TWO_KINGS + '[[piece]]\nletter = "A"', "6: A: it has neither steps nor slides"),
    "letter": (
        TWO_KINGS + PIECE.replace('"A"', '"ab"'),
        "7: letter needs a capital letter, with + before it for a promoted piece, not 'ab'",
    ),
    "not TOML": (TWO_KINGS + "goal = maybe", "6: not TOML: Invalid value (column 8)"),
    "cut": (TWO_KINGS + 'rules = """', "6: not TOML: Unterminated string"),
    "brackets": ("a = " + 5000 * "[", "1: too many nested brackets"),
    "Shift_JIS": ("# one\nrules = '将棋'".encode("shift_jis"), "2: not UTF-8 (byte 0x8f)"),
    "UTF-16": (TWO_KINGS.encode("utf-16"), "1: not UTF-8 (byte 0xff)"),
    "size": (b"#" * (LARGEST + 1), f"1: larger than {LARGEST} bytes: a variant file is never that large"),
    "twenty kinds": (
        TWO_KINGS + "".join(PIECE.replace("A", letter) for letter in "ABCDEFGHIJLMNOP"),
        "5: 15 kinds of pieces can be in hand, and there is room for 10",
        "5: there are 16 pieces, counting their other sides, and room for 15",
    ),
    "stalemates where kings are captured": (
        TWO_KINGS + "king_capture = true\nstalemate_wins = true",
        "7: stalemate_wins: with king_capture there is no stalemate: a king may stay attacked",
    ),
    "one-sided drops": (
        TWO_KINGS + "drop_either_side = true\n" + PIECE,
        "7: A: drop_either_side needs pieces with two sides, and it has one",
    ),
    "many in hand": (
        TWO_KINGS.replace("b - 1", "b 20A2a 1") + PIECE,
        "4: start: 22 pieces A, but a hand can hold at most 20",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_mistakes_have_a_line_and_a_reason(case: str) -> None:
    text, *expected = WRONG[case]
    assert mistakes(text) == [*expected]


def test_check_reports_all_errors_of_all_files(tmp_path: Path) -> None:
    good, bad, huge = (tmp_path / f"{name}.toml" for name in ("good", "bad", "huge"))
    good.write_text(TWO_KINGS)
    bad.write_text(SEVERAL)
    with open(huge, "wb") as file:
        file.truncate(100_000_000)
    done = run("check", bad, good, huge, tmp_path, tmp_path / "none\n.toml")
    assert done.returncode == 1
    assert "perft 1 to 3: 5 18 52" in done.stdout
    assert done.stderr.splitlines() == [
        *(f"{bad}, line {number}: {reason}" for number, reason in (text.split(": ", 1) for text in SEVERAL_WRONG)),
        f"{huge}, line 1: larger than {LARGEST} bytes: a variant file is never that large",
        f"{tmp_path}: cannot be read: it is a folder",
        f"{str(tmp_path / 'none') + chr(10) + '.toml'!r}: cannot be read: No such file or directory",
    ]


def test_commands_accept_variant_files(tmp_path: Path) -> None:
    path = tmp_path / "two.toml"
    path.write_text(TWO_KINGS)
    done = run("--variants", path, "perft", "3", "startpos", "two-kings")
    assert (done.returncode, done.stderr) == (0, "")  # no message says that something is compiled
    assert "Nodes searched: 52" in done.stdout
    assert run("bench", "3", "two-kings", f"--variants={path}").returncode == 0
    assert run("perft", "3", "startpos", "two-kings", KOGOMA_VARIANTS=str(path)).stdout.split("\n\n")[0] in done.stdout
    for words, reason in (
        (("--variants",), "--variants needs the name of a variant file; see docs/custom-variants.md"),
        (("bench", "--variants", tmp_path / "none"), f"{tmp_path / 'none'}: cannot be read: No such file or directory"),
    ):
        done = run(*words)
        assert (done.returncode, done.stdout, done.stderr) == (2, "", f"usi-engine: {reason}\n")
    twin = tmp_path / "twin.toml"
    twin.write_text(TWO_KINGS)
    done = run("--variants", path, "--variants", twin, "bench")
    assert done.stderr == f"usi-engine: {twin}, line 1: the name two-kings is already used by {path}\n"
    done = run("bench", KOGOMA_VARIANTS=str(path), KOGOMA_VARIANTS_CONTENT="0123")
    assert done.stderr == f"usi-engine: {path}, line 1: the file has changed since this command began\n"


def test_any_module_can_be_imported_first(tmp_path: Path) -> None:
    """Check that every module can be the first that a process imports, as happens in compiler and worker processes.
    These processes get the custom variants from the environment variable KOGOMA_VARIANTS."""
    path = tmp_path / "two.toml"
    path.write_text(TWO_KINGS)
    modules = [
        ".".join(file.relative_to(ROOT).with_suffix("").parts)
        for package in ("native", "rules", "eval", "search")
        for file in sorted(ROOT.glob(f"kogoma/{package}/**/*.py"))
    ]
    script = f"""
import importlib, sys
for first in {part(modules, 8)}:
    for known in [name for name in sys.modules if name.split(".")[0] == "kogoma"]:
        del sys.modules[known]
    importlib.import_module(first)
    assert "two-kings" in importlib.import_module("kogoma.rules.variants").VARIANTS, first
print("imported")
"""
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        env={**os.environ, "KOGOMA_VARIANTS": str(path)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert (done.stdout, done.stderr) == ("imported\n", "")


def test_a_gui_sets_variant_path(tmp_path: Path) -> None:
    path, bad = tmp_path / "two kings.toml", tmp_path / "bad.toml"
    path.write_text(TWO_KINGS)
    bad.write_text("")
    with UsiClient(variant="shogi").ready() as engine:
        engine.answer("setoption name USI_Variant value minishogi")  # loads or compiles libraries of both widths
        assert engine.errors_for("setoption name USI_Variant value two-kings")
        assert (
            engine.answer(f"setoption name VariantPath value {path}", "setoption name USI_Variant value two-kings")
            == []
        )
        assert engine.sfen() == "1k1/3/3/1K1 b - 1"
        _, move = engine.go("depth", 5)
        assert move.startswith("2d")
        engine.send("usi")
        offered = [line for line in engine.read_until("usiok") if "USI_Variant" in line]
        assert offered[0].endswith(" var onitama var two-kings")
        assert engine.errors_for(f"setoption name VariantPath value {bad}") == [
            f"info string error: {bad}, line 1: missing: name, files, ranks, start (and 1 more: `check` lists them)"
        ]
        path.write_text(TWO_KINGS.replace("1K1 b", "K2 b"))
        assert engine.answer(f"setoption name VariantPath value {path}") == []
        assert engine.sfen() == "1k1/3/3/K2 b - 1"
        path.write_text(TWO_KINGS.replace("two-kings", "other"))
        assert engine.answer(f"setoption name VariantPath value {path}") == []
        assert engine.sfen() == BUILT_IN["shogi"].start
        assert engine.answer("setoption name VariantPath value <empty>") == []
        assert engine.quit() == 0


@pytest.mark.long
def test_the_commands_of_the_docs(tmp_path: Path) -> None:
    """Check that the commands in docs/custom-variants.md print the output that the document shows. The commands run in
    a folder that contains docs/."""
    text = (ROOT / "docs" / "custom-variants.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    assert (ROOT / "docs" / "custom-variants" / "night-court.toml").read_text().endswith(shown)
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    commands = re.findall(r"\$ \./engine\.sh (.*)\n((?:[^$`].*\n)*)", text)
    assert [words.split()[0] for words, _ in commands] == ["check", "--variants", "--variants"]
    for words, output in commands:
        done = subprocess.run([*ENGINE, *words.split()], cwd=tmp_path, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        assert output in done.stdout
    records = next(tmp_path.glob("match-*.jsonl")).read_text().splitlines()
    assert sum('"moves"' in line for line in records) == 2
    assert sorted(path.stem for path in (ROOT / "docs" / "custom-variants").glob("*.toml")) == sorted(
        re.findall(r"\| \[`(.*?)`\]", text)
    )
