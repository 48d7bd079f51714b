"""Check the messages and exit codes of all commands after typical mistakes. There are rules that every message must
follow. `pytest -s` prints the list of messages."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from kogoma import Game, write_game
from kogoma.rules.variants import find
from kogoma.search.library import warmup
from support.usi_client import ENGINE, ROOT

pytestmark = [pytest.mark.slow, pytest.mark.skipif(os.name != "posix", reason="forks processes")]

# This program imports all modules once. It then reads command lines, and runs each of them in a fork of its process.
DRIVER = """
import gc, importlib, json, os, sys, tempfile
from kogoma.__main__ import main
for name in ("usi_engine.commands", "lab.match.command", "lab.report.page", "lab.kifu.command", "lab.book.command",
             "lab.tune.command", "lab.analysis.command", "lab.board.command"):
    importlib.import_module(f"kogoma.{name}")
gc.freeze()  # otherwise each copy spends 0.2 s at its end on objects that it never used
for line in sys.stdin:
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        if not (child := os.fork()):
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            os.dup2(out.fileno(), 1)
            os.dup2(err.fileno(), 2)
            sys.exit(main(json.loads(line)))
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        texts = [(file.seek(0), file.read().decode())[1] for file in (out, err)]
        print(json.dumps([code, *texts]), flush=True)
"""

E = "-engine name=a -engine name=b -each nodes=20"
# These constants group command lines by their exit code. Files named `empty` are empty, those named `bad` contain
# garbage, and those named `none` do not exist.
FAILED = """
report none.jsonl
report folder
report empty.jsonl
report bad.jsonl
report game.kif
report m.jsonl -o folder
report m.jsonl -o none/page.html
report m.jsonl -o m.jsonl/page.html
convert none.kif out.kif
convert folder out.kif
convert folder out.kif --from kif
convert empty.kif out.kif
convert empty.jsonl out.kif
convert bad.kif out.kif
convert bad.jsonl out.kif
convert game.kif none/out.kif
convert game.kif out.csa
analyse none.kif
analyse folder
analyse folder.kif
analyse empty.kif
analyse empty.jsonl
analyse bad.kif
analyse game.kif -o folder
analyse game.kif -o folder.kif
analyse game.kif -o none/out.kif
analyse game.kif --page folder
analyse game.kif --cluster nowhere
openings minishogi -o folder
openings minishogi -o none/openings.sfen
openings dobutsu -plies 100 -nodes 20 -balance 1
book show none.db
book show folder
book show bad.db
book show shipped --variant dobutsu
book import none.db -o out.db
book import folder -o out.db
book import bad.kif -o out.db
book export shipped -o folder
book export shipped -o none/out.db
book minishogi --games none.jsonl
book minishogi --games bad.jsonl
book minishogi --folder game.kif
tune minishogi --data game.kif
tune minishogi --data game.kif/data
mate folder
mate empty.kif
mate --make minishogi --plies 1 --kif game.kif
export codeabbey -o folder
export codeabbey -o none/bot.py
wasm minishogi -o game.kif
board none.jsonl --no-open
board folder --no-open
board bad.jsonl --no-open
board --host 192.0.2.1 --no-open
check none.toml
check folder
check bad.toml
"""
USAGE = f"""
foo
help foo
--foo
report
report m.jsonl -o m.jsonl
report m.jsonl --replays x
report m.jsonl --first nobody
convert
convert a.kif
convert game.kif folder
convert game.kif out.xyz
convert game.xyz out.kif
convert game.kif game.kif
convert game.kif -
convert - out.kif
convert game.kif m.jsonl out.kif
convert game.kif m.jsonl bad.kif --to csa
convert game.kif game.kif folder --to csa
analyse
analyse game.xyz
analyse game.kif --nodes x
analyse game.kif --nodes 20 --movetime 20
analyse game.kif -o out.sfen
openings
openings foo
openings minishogi -plies x
openings minishogi -count 0
openings minishogi -seed x
book
book foo
book dice
book show
book probe shipped foo
book probe shipped startpos moves 9a9b
book export shipped -o out.txt
book minishogi --positions x
tune
tune foo
tune minishogi --positions x
tune minishogi --date x
tune minishogi --resume --data data
tune minishogi --search --positions 5 --data data
tune dice --search --data data
mate
mate none.sfen
mate --make dice
mate --make minishogi --plies 2
mate --time x a
export
export foo -o bot.py
export onitama
export codeabbey -o bot.py --flavor foo
wasm
wasm foo -o out
board --port x
board --export game.kif
board --export .
board --engine none --no-open
board --engine kogoma --no-open
check
perft
perft 0
perft 1 foo
bench x
bench 1 foo
bench minishogi minishogi
warmup foo
codingame
codingame foo
codeabbey
codeabbey foo
codeabbey match x
codeabbey count
match -foo
match -engine name=a
match -engine name=a -engine name=b -each nodes=x
match {E} -games 0
match -engine name=a -engine name=a -each nodes=20
match {E} -out none/m.jsonl
match {E} -out folder
match {E} -out new.jsonl -out folder.kif
match {E} -out new.xyz
match {E} -out m.jsonl
match {E} -out m.jsonl -resume
match {E} -log folder
match {E} -variant foo
match -engine cmd=none -engine name=b -each nodes=20
match {E} -openings file=none.sfen
match {E} -openings file=folder
match {E} -openings file=bad.sfen
match -config none.toml
match -config folder
match -config bad.toml
match --resume none.jsonl
match --resume folder
match --resume empty.jsonl
match --resume bad.jsonl
--variants
--variants none.toml bench
--variants folder bench
--variants bad.toml bench
"""
DONE = """
report m.jsonl
convert m.jsonl one.usi
openings minishogi -count 1 -nodes 20 -o one.sfen
book import m.jsonl -o one.db
help
help match
"""
COMMAND_NAMES = """report convert analyse openings book tune mate export wasm board check perft bench warmup codingame
codeabbey match""".split()


class Answer(NamedTuple):
    """The result of a command: exit code, standard output and standard error."""

    words: str
    code: int
    out: str
    err: str


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a match of one game, a game record, and files that cannot be used."""
    warmup(print, find("minishogi"), find("onitama"), mates=True)  # otherwise some commands report that they compile
    folder = tmp_path_factory.mktemp("messages")
    for name in ("folder", "folder.kif"):
        (folder / name).mkdir()
    for name in ("empty.kif", "empty.jsonl"):
        (folder / name).touch()
    for name in ("bad.kif", "bad.jsonl", "bad.db", "bad.sfen"):
        (folder / name).write_text("garbage\n")
    (folder / "bad.toml").write_text("[\n")
    write_game(Game.played("minishogi", ["3e3d", "3a3b", "3d3c"]), folder / "game.kif")
    write_game(Game.played("minishogi", ["3e3d", "3a3b", "3d3c"]), folder / "m.jsonl")
    return folder


def answers(command_lines: str, folder: Path) -> list[Answer]:
    """Run command lines in a folder, and return their results."""
    lines = [line.split() for line in command_lines.split("\n") if line]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    environment.pop("KOGOMA_PROGRAM", None)
    done = subprocess.run(
        [sys.executable, "-c", DRIVER],
        cwd=folder,
        env=environment,
        input="".join(f"{json.dumps(line)}\n" for line in lines),
        capture_output=True,
        text=True,
        timeout=500,
    )
    assert done.returncode == 0 and not done.stderr, done.stderr
    return [Answer(" ".join(line), *json.loads(answer)) for line, answer in zip(lines, done.stdout.splitlines())]


def faults(answer: Answer, code: int) -> list[str]:
    """Return descriptions of the faults in the output of a command. `code` is the expected exit code."""
    text, lines = answer.out + answer.err, answer.err.splitlines()
    first = answer.words.split()[0]
    name = first if first in COMMAND_NAMES else "usi-engine"
    if first == "check" and code == 1:
        name = answer.words.split()[1]  # like a compiler, `check` begins its message with the name of the file
    found = []
    if answer.code != code:
        found.append(f"exit code {answer.code}")
    for pattern in (r"Traceback", r"Errno", r"[A-Z]\w*(Error|Exception)\b", r"unfinished", r"<class|NoneType|None\b"):
        if match := re.search(pattern, text):
            found.append(f"has {match[0]}")
    if match := re.search(r"\b1 [a-z]+s\b|\b1 entries", text):
        found.append(f"plural: {match[0]}")
    if code and answer.out:
        found.append("standard output")
    if code and len(lines) != 1 and not (len(lines) == 2 and lines[1].startswith("usage: ")):
        found.append(f"{len(lines)} lines")
    if code and not answer.err.startswith((f"{name}: ", f"{name}, line ")):
        found.append(f"does not begin with {name}")
    if code and re.search(r"\b(\S+): \1\b", answer.err):
        found.append("names something twice")
    if "Is a directory" in text:
        found.append("a folder is not called a folder")
    return found


@pytest.mark.long
@pytest.mark.parametrize(("code", "command_lines"), [(1, FAILED), (2, USAGE)], ids=["failed", "usage"])
def test_messages(code: int, command_lines: str, folder: Path) -> None:
    before = sorted(folder.rglob("*"))
    wrong = []
    for answer in answers(command_lines, folder):
        print(f"\n$ {answer.words}\n{answer.out}{answer.err}", end="")
        wrong += [(answer.words, answer.err, fault) for fault in faults(answer, code)]
    assert not wrong, "\n".join(map(str, wrong))
    made = [path.name for path in sorted(folder.rglob("*")) if path not in before]
    assert not [name for name in made if name not in ("data", "lock")], made


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="/dev/full exists on Linux only")
@pytest.mark.parametrize(
    "words", ["help", "openings minishogi -count 1 -nodes 20", "convert game.kif - --to usi", "report m.jsonl"]
)
def test_standard_output_without_room(words: str, folder: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    environment |= {"PYTHONPATH": str(ROOT)}
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*ENGINE, *words.split()], cwd=folder, env=environment, stdout=full, stderr=subprocess.PIPE, text=True
        )
    text = f"{words.split()[0]}: standard output: No space left on device\n"
    assert (done.returncode, done.stderr) == (1, text)


def test_results(folder: Path) -> None:
    wrong = []
    for answer in answers(DONE, folder):
        print(f"\n$ {answer.words}\n{answer.out}{answer.err}", end="")
        wrong += [(answer.words, answer.out, fault) for fault in faults(answer, 0)]
    assert not wrong, "\n".join(map(str, wrong))
