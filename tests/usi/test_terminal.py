"""Commands for people at a terminal: d, eval, perft, bench, help, and the command line."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from kogoma.lab.match.flags import ENGINE_HELP, ENGINE_WORDS, FLAGS, GROUPS
from kogoma.usi_engine.commands import COMMANDS
from kogoma.version import __version__
from support.usi_client import ENGINE, ROOT, UsiClient

pytestmark = pytest.mark.slow

PERFT = {1: 14, 2: 181, 3: 2512, 4: 35401}  # perft counts of minishogi by depth, without pawn drops that give mate


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*ENGINE, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=300)


def test_d_shows_the_board() -> None:
    with UsiClient().ready() as client:
        text = "\n".join(client.answer("position startpos moves 3e3d", "d"))
        assert "rbsgk/4p/5/P1S2/KG1BR w - 2" in text
        assert len(text.splitlines()) > 5


def test_eval_is_a_table_whose_total_is_the_sum() -> None:
    with UsiClient().ready() as client:
        lines = client.answer("position sfen 1r2k/2sgp/5/PGB2/K1S1R b b 11", "eval")
        lines, shares = lines[: lines.index("")], lines[lines.index("") + 3 :]
        assert lines[0].split() == ["term", "black", "white", "sum"]
        rows = {words[0]: [int(word) for word in words[1:]] for words in map(str.split, lines[1:-1])}
        assert len(rows) >= 3
        assert all(black - white == total for black, white, total in rows.values())
        assert lines[-1].startswith("total ") and "Black" in lines[-1]
        assert int(lines[-1].split()[1]) == sum(row[-1] for row in rows.values())
        # The lower part shows the board with each piece's share of the evaluation, and White's hand.
        assert [letter for line in shares[:10:2] for letter in line.split()] == list(".r..k..sgp.....PGB..K.S.R")
        assert shares[10].startswith("White: B ")
        numbers = [int(word) for line in shares[1:11:2] for word in line.split()]
        assert len(numbers) == 11 and numbers[1] < 0 < numbers[8]  # kings have no share; Black's pieces count for Black
        assert len(shares) == 11


def test_the_option_evaluation_switches_the_network_off_and_on() -> None:
    """Check that the option Evaluation changes the results of `eval` and of searches, and that restoring its value
    restores the results."""
    position = "position sfen 1r2k/2sgp/5/PGB2/K1S1R b b 11"
    with UsiClient().ready() as client:

        def rows_and_nodes() -> tuple[dict[str, int], str]:
            lines = client.answer("usinewgame", position, "eval")
            lines = lines[1 : lines.index("")]
            client.send("go depth 6")
            nodes = re.findall(r" nodes (\d+)", "\n".join(client.read_until("bestmove")))[-1]
            return {words[0]: int(words[-1]) for words in map(str.split, lines[:-1])}, nodes

        rows, nodes = rows_and_nodes()
        client.send("setoption name Evaluation value handcrafted")
        plain, plain_nodes = rows_and_nodes()
        assert rows["network"] and "network" not in plain and nodes != plain_nodes
        assert all(plain[name] == value for name, value in rows.items() if name not in ("network", "tempo"))
        client.send("setoption name evaluation value network")
        assert rows_and_nodes() == (rows, nodes)


@pytest.mark.parametrize("depth", PERFT)
def test_go_perft_counts(depth: int) -> None:
    with UsiClient().ready() as client:
        client.send("position startpos", f"go perft {depth}")
        lines = client.read_until("Nodes searched")
        counts = [line.split(": ") for line in lines[:-2]]
        assert len({move for move, _ in counts}) == 14
        assert sum(int(count) for _, count in counts) == PERFT[depth]
        assert lines[-2:] == ["", f"Nodes searched: {PERFT[depth]}"]


def test_go_perft_can_be_stopped() -> None:
    with UsiClient().ready() as client:
        client.send("isready", "position startpos", "go perft 11")
        client.read_until("readyok")
        assert any(line.startswith("info string error: ") for line in client.answer("position startpos"))
        client.send("stop")
        client.read_until("Nodes searched", 2)


def test_bench_in_the_protocol_and_help() -> None:
    with UsiClient().ready() as client:
        client.send("bench 3")
        assert int(client.read_until("Nodes searched: ")[-1].split()[-1]) > 0
        assert any("go" in line for line in client.answer("help"))


def test_bench_signature_is_the_same_every_time() -> None:
    signatures = set()
    for _ in range(2):
        done = run("bench", "4")
        assert done.returncode == 0, done.stderr
        signatures |= {line for line in done.stdout.splitlines() if line.startswith("Nodes searched: ")}
    assert len(signatures) == 1


def test_perft_command() -> None:
    for words, count in (
        (["3"], 25470),
        (["3", "startpos"], 25470),
        (["3", "startpos", "minishogi"], 2512),
        (["3", "minishogi-codingame"], 2512),
    ):
        done = run("perft", *words)
        assert f"Nodes searched: {count}\n" in done.stdout, done.stderr
    done = run("perft", "1", "4k/5/5/5/K4", "b", "G", "1", "minishogi")
    assert "Nodes searched: 26" in done.stdout, done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ["nonsense"],
        ["help", "nonsense"],
        ["perft"],
        ["perft", "x"],
        ["perft", "0"],
        ["perft", "2", "rbsgk/4p"],
        ["perft", "2", "startpos", "chess"],
        ["bench", "-1"],
        ["bench", "1", "2"],
        ["bench", "1", "chess"],
        ["bench", "minishogi", "1"],
        ["warmup", "now"],
        ["warmup", "minishogi", "now"],
        ["openings", "chess"],
        ["openings", "micro", "-plies", "9-1"],
        ["report"],
        ["tune"],
        ["export", "minishogi"],
    ],
)
def test_wrong_usage_says_what_is_right(words: list[str]) -> None:
    done = run(*words)
    assert done.returncode == 2
    assert done.stdout == ""
    if "nonsense" in words:
        assert done.stderr == "usi-engine: unknown command 'nonsense'; `usi-engine help` lists the commands\n"
        return
    assert done.stderr.startswith(f"{words[0]}: ") and "usage:" in done.stderr and done.stderr.count("\n") == 2
    assert len(done.stderr.splitlines()[1]) <= 80


@pytest.mark.parametrize("word", ["help", "--help", "-h"])
def test_help(word: str) -> None:
    done = run(word)
    assert done.returncode == 0 and "perft DEPTH" in done.stdout


def test_help_of_a_match_lists_its_flags() -> None:
    assert set(GROUPS) < set(FLAGS)
    assert {name.removesuffix("=").removesuffix(".NAME") for name in ENGINE_HELP} == set(ENGINE_WORDS)
    for words in (["match", "help"], ["match", "-games", "3", "--help"], ["help", "match"]):
        done = run(*words)
        assert done.returncode == 0
        assert all(f"  -{flag} " in done.stdout for flag in FLAGS), words
    documented = (ROOT / "docs" / "matches.md").read_text("utf-8")
    assert all(f"`-{flag}" in documented for flag in FLAGS)


@pytest.mark.parametrize(
    "command",
    [[], *([name] for name in COMMANDS), *(["codeabbey", name] for name in ("count", "play", "match"))],
    ids=" ".join,
)
def test_help_fits_the_screen(command: list[str]) -> None:
    environment = {**os.environ, "COLUMNS": "200", "KOGOMA_PROGRAM": "./engine.sh"}
    words = [*ENGINE, *command, "--help"]
    done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("usage: ./engine.sh ") and max(map(len, done.stdout.splitlines())) <= 80


def test_messages_name_the_program_as_the_user_does() -> None:
    environment = {**os.environ, "KOGOMA_PROGRAM": "./engine.sh"}
    words = [*ENGINE, "perft"]
    done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60)
    assert done.stderr.startswith("perft: ") and "usage: ./engine.sh perft DEPTH" in done.stderr


def test_version_is_the_package_version() -> None:
    assert run("--version").stdout == f"Kogoma {__version__}\n"
    done = subprocess.run(ENGINE, input="usi\nquit\n", capture_output=True, text=True, timeout=60)
    assert done.stdout.startswith(f"id name Kogoma {__version__}\n")


def test_warmup_says_when_it_is_ready() -> None:
    done = run("warmup")
    assert done.returncode == 0 and "ready" in done.stdout.splitlines()[-1]


def test_output_into_a_closed_pipe() -> None:
    command = " ".join([*(f"'{word}'" for word in ENGINE), "perft", "3"])
    done = subprocess.run(f"{command} | head -1", shell=True, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.stdout.count("\n") == 1 and done.stderr == ""


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="pseudo-terminals exist on Unix only")
def test_a_terminal_is_greeted_on_standard_error() -> None:
    master, slave = os.openpty()
    process = subprocess.Popen(
        [*ENGINE], cwd=ROOT, stdin=slave, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    os.write(master, b"usi\nquit\n")
    out, err = process.communicate(timeout=60)
    os.close(master)
    os.close(slave)
    assert "quit" in err and "Kogoma" in err
    assert out.startswith("id name Kogoma") and out.endswith("usiok\n")


def test_importing_the_package_loads_no_more_than_usi_needs() -> None:
    code = (
        "import sys, kogoma.__main__, kogoma.usi_engine.loop; kogoma.variants(); "
        "print(*(name in sys.modules for name in ('numpy', 'numba', 'argparse')))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.stdout == "False False False\n", done.stderr
