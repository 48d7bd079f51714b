"""The exported file for Node has the same answers and messages as the adapter for any input."""

from __future__ import annotations

import json
import os
import random
import resource
import subprocess
import tempfile
import threading
from collections.abc import Iterable, Iterator, Sized
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from kogoma.arena.codingame import engine as adapter
from kogoma.arena.codingame.arenas import ARENAS
from kogoma.arena.codingame.bot import Bot
from kogoma.arena.codingame.settings import STANDARD
from kogoma.arena.codingame.turn_reader import TurnReader
from kogoma.arena.export import wasm_flavor
from kogoma.arena.export.command import compose
from kogoma.arena.export.targets import GAMES
from kogoma.console.lines import LineReader
from kogoma.search.limits import Limits
from support.arena_referee import Referee, play_games, start
from support.node import missing
from support.peers import absent
from support.random_networks import networks_in_use
from support.scope import mostly_long
from support.usi_client import until

pytestmark = pytest.mark.slow

DATA = Path(__file__).parents[1] / "data"
NAMES = ["minishogi", "dice", "onitama"]
LIMIT = 100_000  # maximum characters that an arena accepts
DEPTH = 2

Chunk = tuple[int, bytes]  # the number of answers to wait for before sending, and the bytes to send


@pytest.fixture(scope="module", params=mostly_long(NAMES, "onitama"))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Yield a function that returns the path of a game's exported file."""
    if lacking := missing():
        absent(lacking)
    folder = tmp_path_factory.mktemp("export")

    def get(game: str) -> Path:
        path = folder / f"{game}.js"
        if not path.exists():
            path.write_text(wasm_flavor.write(GAMES[game]), encoding="utf-8")
        return path

    yield get


def run(path: Path, *words: str, data: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Run the exported file in an empty folder with PATH as the only environment variable."""
    return subprocess.run(
        ["node", str(path), *words],
        input=data,
        capture_output=True,
        timeout=60,
        cwd=path.parent,
        env={"PATH": os.environ["PATH"]},
    )


def file_says(path: Path, chunks: Iterable[Chunk]) -> tuple[list[str], list[str]]:
    """Run the exported file with the search depth DEPTH, and send the chunks to its process. Return the answers and
    messages."""
    command, answers = ["node", str(path), "--depth", str(DEPTH)], list[str]()
    with tempfile.TemporaryFile() as errors:
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors) as process:
            assert process.stdin is not None and process.stdout is not None
            writer = threading.Thread(target=send, args=(os.dup(process.stdin.fileno()), chunks, answers))
            writer.start()
            process.stdin.close()
            answers.extend(line.decode().rstrip("\n") for line in process.stdout)
            writer.join()
        assert process.returncode == 0
        errors.seek(0)
        return answers, errors.read().decode().splitlines()


def send(descriptor: int, chunks: Iterable[Chunk], answers: Sized) -> None:
    """Write each chunk to `descriptor` as soon as `answers` has at least as many answers as the chunk waits for. Close
    the descriptor at the end."""
    with open(descriptor, "wb", buffering=0) as file:
        for number, data in chunks:
            until(partial(has_as_many, answers, number))
            file.write(data)


def has_as_many(answers: Sized, number: int) -> bool:
    return len(answers) >= number


def adapter_says(name: str, chunks: Iterable[Chunk], monkeypatch: pytest.MonkeyPatch) -> tuple[list[str], list[str]]:
    """Run the adapter with the search depth DEPTH, and send the chunks to it. Return the adapter's answers and
    messages."""
    monkeypatch.setattr(adapter, "Limits", lambda **given: replace(Limits(**given), movetime=None, depth=DEPTH))
    answers, complaints = list[str](), list[str]()

    def complain(text: str) -> None:
        complaints.append(f"codingame: {text}")

    arena = ARENAS[name]
    bot = Bot(arena, STANDARD, adapter.InstalledEngine(arena.variant, STANDARD.hash_mb, complain), complain)
    reading, writing = os.pipe()
    lines = LineReader(reading)
    lines.start()

    writer = threading.Thread(target=send, args=(writing, chunks, answers))
    writer.start()
    reader = TurnReader(arena.form, lines, complain)
    while (raw := reader.read(lambda first: arena.time(first) / 2000)) is not None:
        if (answer := bot.answer(raw, raw.at)) is not None:
            answers.append(answer)
    writer.join()
    lines.join()
    os.close(reading)
    return answers, complaints


def same(name: str, path: Path, chunks: list[Chunk], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Assert that the file and the adapter give the same answers and messages, and return the answers."""
    expected = adapter_says(name, chunks, monkeypatch)
    assert file_says(path, chunks) == expected
    return expected[0]


def whole_turn(referee: Referee, first: bool) -> tuple[list[str], list[str]]:
    """Return all lines that the referee sends to the player to move. Also return the legal actions, which
    are the last of these lines, one in each."""
    actions = referee.actions()
    once = referee.once(referee.turn) if first else []
    return [*once, *referee.lines(), str(len(actions)), *actions], actions


def text(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


# Contents of the file


def test_the_file_is_small_and_reproducible(files: Any, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = files(name)
    made = path.read_text(encoding="utf-8")
    if name == "minishogi":
        wasm_flavor.search_module.cache_clear()
        assert made == wasm_flavor.write(GAMES[name])
    assert len(made) < LIMIT
    assert len(wasm_flavor.write(replace(GAMES[name], with_network=False))) < LIMIT - 36_000  # leaves room for networks
    assert f"./engine.sh export {name} --flavor wasm" in made[:400]
    packed_ascii = compose(name, "wasm", ascii_only=True)  # the network is left out if there is no room
    told = capsys.readouterr().err
    assert packed_ascii.isascii() and len(packed_ascii) < LIMIT
    path.with_suffix(".ascii.js").write_text(packed_ascii)
    turns = [json.loads(line) for line in (DATA / f"{name}_turns.jsonl").read_text().splitlines()]
    turn = next(turn for turn in turns if turn["first"])
    plain = path.with_suffix(".plain.js")
    plain.write_text(wasm_flavor.write(replace(GAMES[name], with_network="the network is left out" not in told)))
    runs = [run(file, "--depth", "3", data=text(turn["input"])) for file in (plain, path.with_suffix(".ascii.js"))]
    assert runs[0].stdout == runs[1].stdout != b""


def test_every_turn_of_the_referees_is_answered_with_a_listed_action(
    files: Any, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Check that the file answers every recorded turn like the adapter, with an action that the turn lists. The bot
    gets only some turns of most games, so it has to read the board from the input of each turn."""
    turns = [json.loads(line) for line in (DATA / f"{name}_turns.jsonl").read_text().splitlines()]
    turns.sort(key=lambda turn: not turn["first"])
    answers = same(name, files(name), [(0, text(turn["input"])) for turn in turns], monkeypatch)
    assert len(answers) == len(turns) == 400
    for turn, answer in zip(turns, answers):
        assert answer in turn["input"], turn


def test_a_file_with_a_network_answers_like_the_adapter(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if lacking := missing():
        absent(lacking)
    turns = [json.loads(line) for line in (DATA / f"{name}_turns.jsonl").read_text().splitlines()][::20]
    path = tmp_path / "bot.js"
    with networks_in_use(tmp_path, GAMES[name].variant):
        path.write_text(wasm_flavor.write(GAMES[name]), encoding="utf-8")
        assert path.stat().st_size > len(wasm_flavor.write(replace(GAMES[name], with_network=False)).encode()) + 4000
        assert len(same(name, path, [(0, text(turn["input"])) for turn in turns], monkeypatch)) == len(turns)


def test_a_game_is_followed(files: Any, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that the file answers like the adapter when it follows a game turn by turn. In each turn, the adapter's
    answer and a random reply are played."""
    for seed in (1, 2):
        rng = random.Random(seed)
        referee, chunks = start(name, rng), list[Chunk]()
        while referee.outcome() is None and len(chunks) < 20:
            lines, _ = whole_turn(referee, not chunks)
            chunks.append((0, text(lines)))
            referee.play(adapter_says(name, chunks, monkeypatch)[0][-1])
            if referee.outcome() is None:
                referee.play(rng.choice(sorted(referee.actions())))
        assert len(same(name, files(name), chunks, monkeypatch)) == len(chunks)


# Turns with errors


@pytest.mark.parametrize("damage", ["garbled", "missing", "doubled", "cut"])
def test_wrong_lines_are_answered_as_by_the_adapter(
    files: Any, name: str, damage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Check that the file answers like the adapter if a line in the second turn of a game is garbled, missing or
    doubled, or if this turn is cut off. All games are sent to the same process."""
    chunks, number = list[Chunk](), 0
    while True:
        rng = random.Random(7)
        referee = start(name, rng)
        lines, actions = whole_turn(referee, True)
        chunks.append((0, text(lines)))
        referee.play(rng.choice(sorted(actions)))
        referee.play(rng.choice(sorted(referee.actions())))
        lines, _ = whole_turn(referee, False)
        if number >= len(lines):
            break
        if damage == "garbled":
            lines[number] = ("?!", "\x85 \u3000\x1c'\"\\\u00e9\U0001f600", "5")[number % 3]
        elif damage == "missing":
            del lines[number]
        elif damage == "cut":
            del lines[number:]
        else:
            lines.insert(number, lines[number])
        chunks.append((0, text(lines)))
        number += 1
    assert len(same(name, files(name), chunks, monkeypatch)) >= number


def test_a_line_before_a_turn_changes_no_answer(files: Any, name: str) -> None:
    """Check that an extra line before each turn does not change the bot's answers. The bot gets only some
    turns of each game, so it has to read the board from the input of each turn."""
    turns = [json.loads(line) for line in (DATA / f"{name}_turns.jsonl").read_text().splitlines()][::40]
    plain, extra = (
        run(files(name), "--depth", "2", data=text(line for turn in turns for line in [*lines, *turn["input"]]))
        for lines in ([], ["?!"])
    )
    assert plain.stdout == extra.stdout != b"" and extra.stderr.count(b"not '?!'") == len(turns)


@pytest.mark.parametrize(
    "data",
    [b"", b"\n\n", b"nonsense\n" * 40, b"\0\1\2", b"4534\n" * 5, b"9" * 100_000 + b"\n5\n", b"\xff\xfe\r\n0\r\n5\r\n"],
    ids=["nothing", "empty", "nonsense", "binary", "actions", "long", "bytes"],
)
def test_nonsense_is_answered_the_same(files: Any, name: str, data: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    lines, _ = whole_turn(start(name, random.Random(3)), True)
    same(name, files(name), [(0, data + text(lines).replace(b"\n", b"\r\n"))], monkeypatch)


def test_referees_with_other_lists_of_actions(files: Any, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    lines, actions = whole_turn(start(name, random.Random(9)), True)
    head = lines[: -len(actions) - 1]
    strange = "15 E1E5" if name == "onitama" else "1115"
    for listed in ([*actions, strange], actions[1:], [strange, actions[0]], [strange], []):
        same(name, files(name), [(0, text([*head, str(len(listed)), *listed]))], monkeypatch)


def test_late_turns_are_answered_as_by_the_adapter(files: Any, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that the file answers like the adapter if a turn arrives in two parts. The first part ends in the middle of
    the legal actions, and the second part arrives after the answer."""
    rng = random.Random(4)
    referee = start(name, rng)
    first, actions = whole_turn(referee, True)
    referee.play(actions[0])
    referee.play(sorted(referee.actions())[0])
    second, actions = whole_turn(referee, False)
    cut = len(second) - len(actions) + 2
    late: list[Chunk] = [(0, text(first)), (1, text(second[:cut])), (2, text(second[cut:]))]
    assert len(same(name, files(name), late, monkeypatch)) == 2


# Games


def test_games_against_a_random_mover_are_won_in_time(files: Any, name: str) -> None:
    games = play_games(name, [0], program=("node", str(files(name))))
    games += play_games(name, range(1, 5), program=("node", str(files(name)), "--depth", "3"))
    for played in games:
        assert not played.reason.startswith("illegal") and not played.overruns and not played.errors, played
    assert sum(played.winner == played.player for played in games) >= (3 if name == "dice" else 5)
    assert max(games[0].charged[1:]) < games[0].limits[1] - 0.01


@pytest.mark.long
def test_generals_are_answered_as_by_the_command(files: Any) -> None:
    path = files("generals")
    set_up = "ykcvsr/pppppp/6/6/PPPPPP/RSVCKY b"
    done = run(path, "--depth", "3", data=f"{set_up}\n2 1 3 1\n5 6 4 6\n0 0 0 0\n".encode())
    assert (done.returncode, done.stderr) == (0, b"") and done.stdout.count(b"\n") == 1
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert run(path, "--movetime", "20", data=f"{set_up}\n".encode()).stdout.count(b"\n") == 1
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    worked = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    assert worked < 0.9  # --movetime is in ms, and replaces the default of one second
    for data, message in (
        ("", "line 1: the set-up is missing"),
        (f"{set_up}\n1 1 9 9\n", "line 2: '1 1 9 9': expected a move 'Y1 X1 Y2 X2', a drop '! P Y2 X2', or '0 0 0 0'"),
        (f"{set_up}\n1 1 5 5\n", "line 2: '1 1 5 5': the move is not legal here"),
        ("6/6 b\n", "line 1: '6/6 b': sfen: 6 ranks expected, not 2"),
    ):
        failed = run(path, data=data.encode())
        assert (failed.returncode, failed.stdout.decode(), failed.stderr.decode()) == (2, "", f"codeabbey: {message}\n")
