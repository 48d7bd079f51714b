"""Exported bots: native files search like the engine, and all files run without installed packages."""

from __future__ import annotations

import ast
import json
import random
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kogoma.arena.codingame.settings import STANDARD
from kogoma.arena.export.check import check, interpreter
from kogoma.arena.export.command import compose
from kogoma.arena.export.native_flavor import ALWAYS
from kogoma.arena.export.packing import pack
from kogoma.arena.export.targets import GAMES
from kogoma.arena.export.unpacking import TITLE, unpack
from kogoma.rules.dice.die import allowed
from kogoma.rules.layout import HISTORY
from kogoma.rules.position import new_position
from kogoma.search.limits import Limits
from kogoma.search.searcher import Searcher
from support.exports.files import ARENA_GAMES, BY_DEPTH, DATA, adapter, bare, exported, first_turn, pythons, searches
from support.lab_runs import finish, read_games
from support.node import missing
from support.peers import absent
from support.scope import mostly_long
from support.usi_client import ROOT

# A program that plays the moves of a game with the positions of an exported file. It reads [[move, ...], [ply, ...]]
# from standard input, and writes [[ply, SFEN, key, legal moves], ...].
FOLLOWS = """
import json, runpy, sys
inside = runpy.run_path(sys.argv[1], run_name="exported")
from kogoma.arena.export.native_bot import load
from kogoma.arena.export.native_engine import Position
position, (moves, plies) = Position(load(inside)), json.load(sys.stdin)
found = []
for ply, move in enumerate(moves, 1):
    position.push(move)
    if ply in plies:
        found.append([ply, position.sfen(), position.key, sorted(position.legal_moves())])
json.dump(found, sys.stdout)
"""

FLAVORS = ["native", "python"]
POSITIONS = 50
DEPTHS = {"minishogi": 6, "dice": 2, "onitama": 6, "generals": 5}


pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("exports")]  # one process, as composing takes seconds

# Files for one game in both flavors, or only in Python's for slow tests; with --all, in both for all games.
KEPT = ("onitama", "native"), ("onitama", "python")
FILES = mostly_long([(game, flavor) for game in GAMES for flavor in FLAVORS], *KEPT)
PYTHON_FILES = mostly_long([(game, flavor) for game in GAMES for flavor in FLAVORS], ("onitama", "python"))
ANY_FILES = mostly_long([(game, flavor) for game in GAMES for flavor in (*FLAVORS, "wasm")], *KEPT, ("onitama", "wasm"))
OF_ARENAS = mostly_long(ARENA_GAMES, "onitama")  # of native files, which search like the engine


def turns(game: str) -> list[dict[str, Any]]:
    """Return the recorded turns of CodinGame's referee for a game."""
    return [json.loads(line) for line in (DATA / f"{game}_turns.jsonl").read_text().splitlines()]


def positions(game: str) -> list[tuple[str, int | None, int]]:
    """Return positions of random games. Each is a tuple of the SFEN, a roll of the die or None, and the search
    depth."""
    variant, rng = GAMES[game].variant, random.Random(game)
    found: list[tuple[str, int | None, int]] = []
    position = new_position(variant)
    while len(found) < POSITIONS:
        moves = sorted(position.legal_moves())
        if not moves or position.outcome() is not None or len(position.moves) > 60:
            position = new_position(variant)
            continue
        if rng.random() < 0.2:
            roll = rng.randint(1, 6) if variant.die else None
            if allowed(position, roll):
                found.append((position.sfen(), roll, DEPTHS[game]))
        position.push(rng.choice(moves))
    return found


@pytest.mark.long
@pytest.mark.parametrize("game", GAMES)
def test_the_search_equals_the_engines(game: str) -> None:
    wanted = positions(game)
    searcher = Searcher(16, variant=GAMES[game].variant)
    for (sfen, roll, depth), found in zip(wanted, searches(exported(game), wanted), strict=True):
        searcher.new_game()
        result = searcher.search(new_position(GAMES[game].variant, sfen), Limits(depth=depth, dice=roll))
        assert found == [result.best, result.score_kind, result.score, result.nodes], (sfen, roll)


@pytest.mark.parametrize(("game", "flavor"), PYTHON_FILES)
def test_a_file_beats_a_random_mover(game: str, flavor: str) -> None:
    told = check(GAMES[game], flavor, exported(game, flavor), games=2)
    assert re.match(r"2 games against a random mover, [12] won", told), told


@pytest.mark.long
@pytest.mark.parametrize("game", OF_ARENAS)
def test_files_that_chat_play_each_other(game: str, tmp_path: Path) -> None:
    """Check that files of all flavors that send messages play in matches, and that such files pass the check of
    `export`."""
    flavors = [*FLAVORS, *([] if missing() else ["wasm"])]
    words = ["-variant", GAMES[game].variant.name, "-games", "1", "-out", "games.jsonl", "-log", "log"]
    words += ["-each", "proto=codingame", "timemargin=60000"]
    for flavor in flavors:
        command = [*interpreter(flavor), str(exported(game, flavor)), "--chat", "--margin", "60"]
        words += ["-engine", f"name={flavor}", f"cmd={shlex.join(command)}"]
    finish(tmp_path, *words)
    games = read_games(tmp_path / "games.jsonl")
    assert len(games) == len(flavors) * (len(flavors) - 1) // 2
    assert not [record["fault"] for record in games if record["fault"]]
    said = re.findall(r"(\w+)\(\d+\) < .+ depth \d+, score ([+-]\d+\.\d\d|win in \d+|loss in \d+)$",
                      (tmp_path / "log").read_text(), re.MULTILINE)  # fmt: skip
    assert {name for name, _ in said} == set(flavors)
    chats = tmp_path / "bot.py"
    chats.write_text(compose(game, "python", settings=replace(STANDARD, chat=True)), encoding="utf-8")
    assert check(GAMES[game], "python", chats, games=2).startswith("2 games against a random mover")


@pytest.mark.parametrize(("game", "flavor"), PYTHON_FILES)
def test_a_file_is_short_and_always_the_same(game: str, flavor: str) -> None:
    text = exported(game, flavor).read_text(encoding="utf-8")
    if (game, flavor) in KEPT:
        assert compose(game, flavor) == text
    # The limit for native code does not include the network. A network of 66 kB takes 35,200 characters.
    network = re.search('\nNETWORK = "[^"]*', text)
    assert len(text) - (len(network[0]) if network and flavor == "native" else 0) <= (
        64_000 if flavor == "native" else 100_000
    )
    assert not re.search("[\ud800-\udfff\U00010000-\U0010ffff]", text)
    assert text.startswith("# Kogoma") and f"./engine.sh export {game} --flavor {flavor}" in text


@pytest.mark.parametrize("game", OF_ARENAS)
def test_recorded_turns_are_answered_with_listed_actions(game: str) -> None:
    checked = turns(game)[:: 400 // 80]
    text = "".join(f"{line}\n" for record in checked for line in record["input"])
    done = bare("-c", BY_DEPTH, exported(game), text=text)
    answers = done.stdout.splitlines()
    assert done.returncode == 0 and len(answers) == len(checked), done.stderr
    for record, answer in zip(checked, answers):
        assert answer in record["input"], record
    assert answers == adapter(game, text).stdout.splitlines()


@pytest.mark.long
@pytest.mark.parametrize("game", OF_ARENAS)
def test_a_line_before_a_turn_changes_no_answer(game: str) -> None:
    """Check that an extra line before each turn does not change the bot's answers. The bot gets only some
    turns of each game, so it has to read the board from the input of each turn."""
    answers = []
    for extra in ([], ["?!"]):
        checked = turns(game)[::40]
        text = "".join(f"{line}\n" for record in checked for line in [*extra, *record["input"]])
        done = bare("-c", BY_DEPTH, exported(game), text=text)
        assert done.stderr.count("not '?!'") == len(checked) * len(extra)
        answers.append(done.stdout)
    assert answers[0] == answers[1] != ""


@pytest.mark.long
def test_long_games_are_followed() -> None:
    """Check that a position of the file equals the engine's in a game that is longer than the stack of a position."""
    rng, position = random.Random(4), new_position(GAMES["minishogi"].variant)
    moves, checked = list[str](), list[list[object]]()
    while len(moves) < 2 * HISTORY:
        position.push(rng.choice(sorted(position.legal_moves())))
        if position.legal_moves():
            moves.append(position.moves[-1])
        else:
            position.pop()
        if len(moves) % 100 == 0:
            checked.append([len(moves), position.sfen(), position.key, sorted(position.legal_moves())])
    done = bare("-c", FOLLOWS, exported("minishogi"), text=json.dumps([moves, [count for count, *_ in checked]]))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == checked


def damaged(game: str) -> str:
    """Return the text of 60 recorded turns. Every second turn has a garbled, missing or doubled line."""
    rng = random.Random(f"damage {game}")
    lines: list[str] = []
    for number, record in enumerate(rng.sample(turns(game), 60)):
        turn = list(record["input"])
        if number % 2 == 0:
            place = rng.randrange(len(turn))
            if number % 3 == 0:
                turn[place] = "?!"
            elif number % 3 == 1:
                del turn[place]
            else:
                turn.insert(place, turn[place])
        lines += turn
    return "".join(f"{line}\n" for line in lines)


@pytest.mark.long
@pytest.mark.parametrize("game", OF_ARENAS)
def test_damaged_turns_are_answered_as_by_the_adapter(game: str) -> None:
    text = damaged(game)
    mine, its = bare("-c", BY_DEPTH, exported(game), text=text), adapter(game, text)
    assert its.returncode == 0 and "expected" in its.stderr and its.stdout
    assert (mine.stdout, mine.stderr, mine.returncode) == (its.stdout, its.stderr, 0)


@pytest.mark.long
def test_ascii_files_are_ascii_and_play() -> None:
    path = exported("onitama", ascii_only=True)
    assert path.read_bytes().isascii()
    assert check(GAMES["onitama"], "native", path, games=1)


@pytest.mark.long
def test_a_file_shows_its_source() -> None:
    done = bare(exported("onitama"), "--source")
    assert done.returncode == 0 and "class TurnReader:" in done.stdout and "import numpy" not in done.stdout
    modules = done.stdout.split(TITLE)[1:]
    assert len(modules) > len(ALWAYS)
    for module in modules:
        ast.parse(module, feature_version=(3, 9))
        assert not re.search(r"strict=|slots=|kw_only=|bit_count\(|pairwise", module)  # which Python 3.9 lacks


@pytest.mark.parametrize(("game", "flavor"), ANY_FILES)
def test_wrong_options_are_refused(game: str, flavor: str) -> None:
    """Check that a file names a wrong word of its command line and exits with status 2, without reading its input."""
    if flavor == "wasm" and (lacking := missing()):
        absent(lacking)
    path, program, turn = exported(game, flavor), interpreter(flavor), first_turn(game)
    numbers = ["--movetime"] if game == "generals" else ["--margin", "--hash"]
    other = "--chat" if game == "generals" else "--movetime"
    unknown = [["--marginn", "3"], ["more"], ["--chat", "more"], [other, "20"]]
    wrong = [[f"{name}{value}"] for name in numbers for value in ("=-1", "=99999999")]
    wrong += [[f"{numbers[0]}{value}"] for value in ("", "=", "=soon", "=1.5")]
    for words in (*unknown, *wrong):
        done = bare(path, *words, program=program, text=turn)
        named = words[-1] if words[0] == "--chat" and game != "generals" else words[0].partition("=")[0]
        assert (done.returncode, done.stdout) == (2, ""), (words, done)
        assert "usage: " in done.stderr and named in done.stderr, (words, done.stderr)
    for words in (["--movetime", "20"],) if game == "generals" else (["--margin=30", "--chat"], ["--hash", "2"]):
        done = bare(path, *words, program=program, text=turn)
        assert done.returncode == 0 and done.stdout, done.stderr


@pytest.mark.parametrize(("game", "flavor"), [*FILES, ("codeabbey", "python")])
def test_old_versions_of_python_are_refused(game: str, flavor: str) -> None:
    """Check that Python 3.8 can compile a file, and that the file then says which versions it needs."""
    path = exported(game, flavor)
    text = path.read_text(encoding="utf-8")
    ast.parse(text, feature_version=(3, 8))
    # Before Python 3.10, the compiler misreads long lines of UTF-8, unless the encoding is declared (PEP 263).
    assert text.isascii() or any(re.match("# -\\*- coding: utf-8 -\\*-$", line) for line in text.splitlines()[:2])
    older = "import sys; sys.version_info = (3, 8); import runpy; runpy.run_path(sys.argv.pop(1), run_name='__main__')"
    done = bare("-c", older, path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.endswith("this file needs Python 3.9 or newer, not 3.8\n") and done.stderr.count("\n") == 1


@pytest.mark.long
@pytest.mark.parametrize(("game", "flavor"), [*FILES, ("codeabbey", "python")])
def test_files_run_with_all_versions_of_python(game: str, flavor: str) -> None:
    """Check that a file plays with every Python of this machine, except that versions before 3.9 print a message."""
    for version, python in pythons().items():
        done = bare(exported(game, flavor), text=first_turn(game), program=[python, "-I", "-S"])
        if version < (3, 9):
            assert done.stderr.endswith(f"this file needs Python 3.9 or newer, not 3.{version[1]}\n"), done.stderr
        else:
            assert done.returncode == 0 and done.stdout and not done.stderr, (version, done.stderr)


@pytest.mark.long
def test_on_other_processors_plain_python_is_used() -> None:
    first = next(record["input"] for record in turns("onitama") if record["first"])
    elsewhere = "import platform; platform.machine = lambda: 'arm'"
    program = f"import runpy, sys; {elsewhere}; runpy.run_path(sys.argv.pop(1), run_name='__main__')"
    done = bare("-c", program, exported("onitama"), text="\n".join(first) + "\n")
    assert "for Linux on x86-64, not" in done.stderr and done.stderr.count("\n") == 1, done.stderr
    assert done.stdout.rstrip("\n") in first


@pytest.mark.long
def test_on_an_older_processor_plain_python_is_used(tmp_path: Path) -> None:
    if shutil.which("qemu-x86_64") is None:
        absent("qemu-x86_64")
    bot = tmp_path / "bot.py"
    words = ["export", "onitama", "--flavor", "native", "--cpu", "x86-64-v3", "-o", str(bot)]
    subprocess.run([sys.executable, "-m", "kogoma", *words], cwd=ROOT, check=True)
    python = str(Path(sys.executable).resolve())
    older = ["qemu-x86_64", "-cpu", "Nehalem", python, "-S", str(bot)]
    done = subprocess.run(older, input="", capture_output=True, text=True, timeout=120)
    problem = "this processor has no AVX, or a virtual machine hides it"
    expected = f"kogoma: the native code is for x86-64-v3, and {problem}: going on in plain Python\n"
    assert done.stderr == expected


@pytest.mark.parametrize("size", [0, 1, 13, 14, 15, 16, 29, 30, 1000])
def test_packed_bytes_are_unpacked(size: int) -> None:
    rng = random.Random(size)
    for data in (rng.randbytes(size), bytes(size), b"\xff" * size):
        for ascii_only in (False, True):
            text = pack(data, ascii_only)
            assert unpack(text) == data
            assert not set(text) & set("\"'\\\n") and (text.isascii() or not ascii_only)
            assert ascii_only or text.isalpha()


def test_damaged_text_is_an_error() -> None:
    text = pack(bytes(range(60)))
    for wrong in (text[:-1], text + "가", text.replace(text[3], "ä")):
        with pytest.raises(ValueError):
            unpack(wrong)
