"""A match that is started and read as OpenBench's client does it
(https://github.com/AndyGrant/OpenBench/blob/master/Client/worker.py), written anew."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from kogoma.lab.match.openings import load_openings
from kogoma.rules.position import new_position
from kogoma.rules.variants import find
from support.lab_runs import read_games, start
from support.usi_client import ROOT

pytestmark = pytest.mark.slow

STARTED = re.compile(r"Started game (\d+) of (\d+) \((\S+) vs (\S+)\)")
FINISHED = re.compile(r"Finished game (\d+) \((\S+) vs (\S+)\): (1-0|0-1|1/2-1/2) \{(.+)\}")
SCORE = re.compile(r"Score of (\S+) vs (\S+): (\d+) - (\d+) - (\d+)\s+\[([01]\.\d{3})\] (\d+)")
TAG = re.compile(r'\[(\w+) "((?:[^"\\]|\\.)*)"\]')
POINTS = {"0-1": 0, "1/2-1/2": 1, "1-0": 2}  # half points of the player named first


class Told(NamedTuple):
    """What OpenBench's client reads from the output: results by game number, the five counts of pairs from the point of
    view of the first engine, and the numbers of failures."""

    results: dict[int, str]
    pairs: list[int]
    failures: Counter[str]


def listen(lines: list[str]) -> Told:
    """Read the output of a match. A line's result is its seventh word, and the text after the first colon says whether
    an engine failed."""
    results, failures, pairs = dict[int, str](), Counter[str](), [0] * 5
    for line in lines:
        if "Finished game" not in line:
            continue
        words, reason = line.split(), line.split(":")[1]
        results[int(words[2])] = words[6]
        failures["crashes"] += "disconnect" in reason or "stall" in reason
        failures["timelosses"] += "on time" in reason
        failures["illegals"] += "illegal" in reason
    for first in range(1, len(results), 2):
        pairs[POINTS[results[first]] + 2 - POINTS[results[first + 1]]] += 1
    return Told(results, pairs, failures)


def sliced(path: Path) -> Iterator[tuple[dict[str, str], list[str]]]:
    """Yield the tags and the lines of moves of each game in a PGN file. Empty lines separate both."""
    parts = path.read_text().rstrip("\n").split("\n\n")
    assert len(parts) % 2 == 0
    for tags, moves in zip(parts[::2], parts[1::2]):
        yield dict(TAG.fullmatch(line).groups() for line in tags.split("\n")), moves.split("\n")  # type: ignore[union-attr, misc]


def client_folder(folder: Path) -> Path:
    """Make the folder of a client, with an opening book and an engine that was built there, and return it."""
    for name in ("Books", "Engines", "PGNs"):
        (folder / name).mkdir()
    openings = load_openings("shipped", find("minishogi"))
    (folder / "Books" / "minishogi.epd").write_text("".join(f"{opening}\n" for opening in openings[:80]))
    engine = folder / "Engines" / "Kogoma-1A2B3C4D"
    engine.write_text(f"#!/bin/sh\nPYTHONPATH={shlex.quote(str(ROOT))} exec {shlex.quote(sys.executable)} -m kogoma\n")
    engine.chmod(0o755)
    return folder


def command(games: int, control: str, extra: str = "") -> list[str]:
    """Return the words with which the client starts the program that plays the games. Only `proto=usi` differs."""
    engine = "-engine dir=Engines/ cmd=./Kogoma-1A2B3C4D proto=usi {} option.Threads=1 option.USI_Hash=8 name=Kogoma-{}"
    return [
        *f"-repeat -recover -variant standard -testEnv -concurrency 2 -games {games}".split(),
        *"-resign movecount=3 score=3000 -draw movenumber=40 movecount=8 score=10".split(),
        *engine.format(control, "dev").split(),
        *engine.format(control, "base").split(),
        *"-openings file=Books/minishogi.epd format=epd order=random start=7 -srand 42".split(),
        *f"-pgnout PGNs/12.34.56.0.pgn {extra}".split(),
    ]


def play(folder: Path, words: list[str]) -> list[str]:
    """Play a match, and return the lines of its output. It must not write anything but ASCII."""
    process = start(folder, *words)
    text, _ = process.communicate(timeout=1200)
    assert process.returncode == 0, text
    assert text.isascii()
    return text.splitlines()


@pytest.mark.skipif(sys.platform == "win32", reason="the engine is a shell script")
@pytest.mark.parametrize(
    ("games", "control"),
    [
        (8, "tc=N=150"),
        (6, "tc=inf nodes=150"),
        pytest.param(4, "tc=2.00+0.01 timemargin=2000", marks=pytest.mark.long),
        pytest.param(100, "tc=inf nodes=1000", marks=pytest.mark.long),
    ],
)
def test_openbench_starts_and_reads_a_match(games: int, control: str, tmp_path: Path) -> None:
    folder = client_folder(tmp_path)
    lines = play(folder, command(games, control, "-out m.jsonl"))
    told, records = listen(lines), read_games(folder / "m.jsonl")
    assert len(records) == len(told.results) == games
    assert not any(told.failures.values())
    for number, record in enumerate(records, 1):
        assert told.results[number] == {0: "1-0", 1: "0-1", None: "1/2-1/2"}[record["winner"]]
    # The lines themselves.
    begun = {int(found[1]): found for line in lines if (found := STARTED.fullmatch(line))}
    ended = {int(found[1]): found for line in lines if (found := FINISHED.fullmatch(line))}
    assert list(begun) == list(range(1, games + 1)) and set(ended) == set(begun)
    for number, found in begun.items():
        names = ("Kogoma-dev", "Kogoma-base")[:: 1 if number % 2 else -1]
        assert found.groups()[1:] == (str(games), *names) and ended[number].groups()[1:3] == names
    scores = [found for line in lines if (found := SCORE.fullmatch(line))]
    assert [int(found[7]) for found in scores] == list(range(1, games + 1))
    wins, losses, draws = (int(scores[-1][group]) for group in (3, 4, 5))
    points = sum(index * count for index, count in enumerate(told.pairs))
    assert 2 * wins + draws == points and wins + losses + draws == games and sum(told.pairs) == games // 2
    assert float(scores[-1][6]) == pytest.approx(points / 2 / games, abs=5e-4)
    check_pgn(folder / "PGNs" / "12.34.56.0.pgn", records, ended)


def check_pgn(path: Path, records: list[dict[str, object]], ended: dict[int, re.Match[str]]) -> None:
    """Check that a PGN file has the games of the journal, and that the client would find the end of each game in it."""
    found = list(sliced(path))
    assert sorted(int(tags["Round"]) for tags, _ in found) == list(range(1, len(records) + 1))
    for tags, lines in found:
        number = int(tags["Round"])
        record = records[number - 1]
        assert (tags["White"], tags["Black"]) == (record["black"], record["white"])
        assert tags["Variant"] == "minishogi" and tags["SFEN"] == record["start"]
        assert tags["Termination"] in ("normal", "adjudication") and re.fullmatch(r"20\d\d\.\d\d\.\d\d", tags["Date"])
        result, text = ended[number][4], ended[number][5]
        assert lines[-1] == f"{{{text}}} {result}" and tags["Result"] == result
        assert all(len(line) <= 100 for line in lines)
        words = re.sub(r"\{[^}]*\}", " ", " ".join(lines)).split()[:-1]
        moves = [word for word in words if not re.fullmatch(r"\d+\.+", word)]
        assert moves == record["moves"] and len(moves) == int(tags["PlyCount"])
        position = new_position("minishogi", tags["SFEN"])
        for usi in moves:
            position.push(usi)


@pytest.mark.skipif(sys.platform == "win32", reason="the engine is a shell script")
@pytest.mark.parametrize(
    ("fault", "kind", "termination"),
    [
        ("crash", "crashes", "abandoned"),
        ("exit", "crashes", "abandoned"),
        pytest.param("hang", "crashes", "stalled", marks=pytest.mark.long),
        pytest.param("rubbish", "crashes", "stalled", marks=pytest.mark.long),
        ("late=900", "timelosses", "time forfeit"),
        ("illegal", "illegals", "illegal move"),
    ],
)
def test_openbench_counts_failures(fault: str, kind: str, termination: str, tmp_path: Path) -> None:
    folder = client_folder(tmp_path)
    bot = shlex.join([sys.executable, "-S", str(ROOT / "tests" / "support" / "bots" / "scripted.py")])
    engine = folder / "Engines" / "Kogoma-1A2B3C4D"
    engine.write_text(f"#!/bin/sh\nexec {bot} usi moves=moves at=1 {fault}\n")
    (folder / "Engines" / "moves").write_text("3e3d\n" * 9)
    words = [word for word in command(2, "st=0.10 timemargin=250") if not word.startswith("option.")]
    told = listen(play(folder, [*words, "-out", "m.jsonl"]))
    assert told.failures == {"crashes": 0, "timelosses": 0, "illegals": 0} | {kind: 2}
    assert sorted(told.results.values()) == ["0-1", "0-1"]
    assert {tags["Termination"] for tags, _ in sliced(folder / "PGNs" / "12.34.56.0.pgn")} == {termination}


def test_pgn_with_rolls_nodes_and_book_moves(tmp_path: Path) -> None:
    (tmp_path / "book").write_text("startpos moves 3e3d\n")
    flags = '-variant dice -engine name="a \\"b\\" {c}" -engine name=two -each nodes=20 option.USI_Hash=1 -games 2'
    play_flags = (
        "-openings file=book -pgnout file=g.pgn nodes=true notation=uci -event 'A match' -site here -out m.jsonl"
    )
    play(tmp_path, [*shlex.split(flags), *shlex.split(play_flags)])
    games, records = list(sliced(tmp_path / "g.pgn")), read_games(tmp_path / "m.jsonl")
    for (tags, lines), record in zip(games, records):
        assert (tags["Event"], tags["Site"]) == ("A match", "here")
        assert {tags["White"], tags["Black"]} == {'a \\"b\\" {c}', "two"}
        text = " ".join(lines)
        assert text.startswith("1. 3e3d {book} ")
        assert [int(roll) for roll in re.findall(r"roll=(\d)", text)] == record["dice"]
        assert len(re.findall(r"\d\.\d{3}s, n=\d+", text)) == len(record["moves"])
        assert re.fullmatch(r"\{(two|a \"b\" \{c\)) \w+\} (1-0|0-1)", lines[-1]), lines[-1]


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="processes are bound to processors on Linux only")
def test_games_are_bound_to_processors(tmp_path: Path) -> None:
    engine = tmp_path / "engine.sh"
    engine.write_text(
        f"#!/bin/sh\ngrep Cpus_allowed_list /proc/self/status >> cpus\n"
        f"PYTHONPATH={shlex.quote(str(ROOT))} exec {shlex.quote(sys.executable)} -m kogoma\n"
    )
    engine.chmod(0o755)
    shown = subprocess.run(["grep", "Cpus_allowed_list", "/proc/self/status"], capture_output=True, text=True).stdout
    first = re.findall(r"\d+", shown)[0]
    flags = (
        f"-engine name=a cmd=./engine.sh -engine name=b cmd=./engine.sh -each nodes=20 -use-affinity {first} -games 2"
    )
    play(tmp_path, flags.split())
    assert (tmp_path / "cpus").read_text().split() == ["Cpus_allowed_list:", first] * 2
    process = start(tmp_path, *flags.split(), "-concurrency", "2")
    assert "-use-affinity: 2 search threads, but 1 processor" in process.communicate(timeout=60)[0]
    assert process.returncode == 2


@pytest.mark.long
def test_colours_and_seeds(tmp_path: Path) -> None:
    engines = "-engine name=a -engine name=b nodes=21 -engine name=c nodes=22 -each nodes=20 option.USI_Hash=1".split()
    lines = play(tmp_path, [*engines, *"-tournament gauntlet -seeds 2 -noswap -games 2 -out m.jsonl".split()])
    games = read_games(tmp_path / "m.jsonl")
    assert [(game["black"], game["white"]) for game in games] == [("a", "c"), ("b", "c")] * 2
    assert games[0]["start"] == games[1]["start"] != games[2]["start"]
    assert sum(line.startswith("Score of") for line in lines) == 4
    resumed = play(tmp_path, ["--resume", "m.jsonl", "-scoreinterval", "0"])
    assert "m.jsonl: 4 games are there already" in resumed


@pytest.mark.long
def test_there_is_a_wait_between_games(tmp_path: Path) -> None:
    flags = "-engine name=a -engine name=b -each nodes=20 option.USI_Hash=1 -games 2 -scoreinterval 0 -wait 1500"
    process = start(tmp_path, *flags.split())
    assert process.stdout is not None
    ends, lines = [], []
    for line in process.stdout:
        lines.append(line)
        if line.startswith("Finished"):
            ends.append(time.monotonic())
    assert process.wait() == 0
    assert ends[1] - ends[0] >= 1.4
    assert not any(line.startswith("Score of") for line in lines)
