"""CodeAbbey's Game of Generals on the command line: the published sample, reference rules, wrong input, and winning
moves."""

from __future__ import annotations

import random
import re
import subprocess
import sys

import pytest

from oracles import generals as generals_oracle
from oracles.generals import SAMPLE, SAMPLE_COUNTS, SET_UP
from support.usi_client import ROOT

pytestmark = pytest.mark.slow

CLOSING = "0 0 0 0"

# Black's V attacks White's king along column 3.
KING_IN_REACH = "2k2r/pp1ppp/6/6/PP1PPP/2VK1R b"
# White's V attacks Black's king.
KING_IN_DANGER = "k5/6/6/3v2/6/3K2 b"


def codeabbey(*words: str, text: str | bytes = "") -> subprocess.CompletedProcess[str]:
    """Run the command `codeabbey` with `text` on its standard input."""
    data = text.encode() if isinstance(text, str) else text
    done = subprocess.run(
        [sys.executable, "-m", "kogoma", "codeabbey", *words], cwd=ROOT, input=data, capture_output=True, timeout=120
    )
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def script(set_up: str, *moves: str, closing: bool = True) -> str:
    return "\n".join([set_up, *moves, *([CLOSING] if closing else [])]) + "\n"


def counts(text: str) -> list[int]:
    done = codeabbey("count", text=text)
    assert (done.returncode, done.stderr) == (0, ""), done
    assert done.stdout.count("\n") == 1
    return [int(word) for word in done.stdout.split()]


def counted(set_up: str, moves: list[str]) -> list[int]:
    """Return the numbers that `codeabbey count` prints for a game. They are computed without starting a new process."""
    from kogoma.arena.codeabbey.command import count_moves, follow

    found: list[int] = []
    follow(script(set_up, *moves).splitlines(), lambda position: found.append(count_moves(position)), True)
    return found


def random_game(rng: random.Random, plies: int) -> tuple[str, list[str], list[int]]:
    """Play a random game by the reference rules. The game ends after `plies` plies, or earlier if a king is captured.
    Return the set-up, the moves, and the number of legal moves after each move."""
    set_up = generals_oracle.random_set_up(rng)
    game, moves, expected = generals_oracle.Game(set_up), list[str](), list[int]()
    for _ in range(plies):
        move = rng.choice(game.moves())
        over = game.captures_king(move)
        game.play(move)
        moves.append(move)
        expected.append(len(game.moves()))
        if over:
            break
    return set_up, moves, expected


def test_sample_gives_the_published_counts() -> None:
    done = codeabbey("count", text=script(SET_UP, SAMPLE))
    assert (done.returncode, done.stdout, done.stderr) == (0, SAMPLE_COUNTS + "\n", "")


def test_sample_leaves_the_published_position() -> None:
    game = generals_oracle.Game(SET_UP)
    for move, count in zip(SAMPLE.splitlines(), SAMPLE_COUNTS.split()):
        assert move in game.moves()
        game.play(move)
        assert len(game.moves()) == int(count)
    after = generals_oracle.Game("ykc1vr/pp2sP/2pP1P/4P1/PP4/RSVCKY w")
    assert game.board == after.board and game.white
    assert [sorted(pocket) for pocket in game.pockets] == [["P", "P"], ["P"]]


def test_counts_of_random_games_equal_the_reference() -> None:
    """Check that the numbers of legal moves in 200 random games equal those of the reference rules. The test computes
    the numbers in its own process, because running the command for each game would be slower."""
    rng = random.Random(469)
    pieces, kings_captured, promotions, drops = set[str](), 0, 0, 0
    for _ in range(200):
        set_up, moves, expected = random_game(rng, rng.choice([20, 60, 120]))
        assert counted(set_up, moves) == expected, (set_up, moves)
        game = generals_oracle.Game(set_up)
        for move in moves:
            kings_captured += game.captures_king(move)
            drops += move.startswith("!")
            game.play(move)
            promotions += "T" in game.board.values() or "t" in game.board.values()
        pieces |= set(set_up.upper())
    assert set("KGSCYXRVHP") <= pieces and min(kings_captured, promotions, drops) > 10


def test_command_counts_a_game_that_ends_with_the_kings_capture() -> None:
    rng = random.Random(6)
    while True:
        set_up, moves, expected = random_game(rng, 200)
        if len(moves) < 200:
            break
    assert counts(script(set_up, *moves)) == expected
    done = codeabbey("count", text=script(set_up, *moves, "1 1 1 1"))
    assert done.returncode == 2 and f"line {len(moves) + 2}:" in done.stderr and "over" in done.stderr
    done = codeabbey("play", text=script(set_up, *moves))
    assert done.returncode == 2 and "over" in done.stderr and done.stdout == ""


@pytest.mark.parametrize("letter", "Pp")
def test_spaces_blank_lines_and_case_do_not_matter(letter: str) -> None:
    text = script(SET_UP, SAMPLE.replace("\n", "\r\n\r\n").replace("! P", f" !   {letter}"))
    assert " ".join(map(str, counts(text))) == SAMPLE_COUNTS


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (1, ""),
        (1, "\n".join(["nonsense", CLOSING])),
        (1, script("ykcvsr/pppppp/6/6/PPPPPP/RSVCK b", SAMPLE)),  # a row that is too short
        (1, script("ykcvsr/pppppp/6/6/PPPPPP b", SAMPLE)),  # a row is missing
        (1, script("ykcvsr/pppppp/6/6/PPPPPP/RSVCKQ b", SAMPLE)),  # unknown piece
        (1, script("ykcvsr/pppppp/6/6/PPPPPP/RSVCYY b", SAMPLE)),  # no king
        (1, script(SET_UP[:-1] + "x", SAMPLE)),  # unknown side to move
        (2, script(SET_UP, "2 6 4 6")),  # not a pawn's move
        (2, script(SET_UP, "5 6 4 6")),  # a pawn of the other side
        (2, script(SET_UP, "! P 3 3")),  # an empty hand
        (2, script(SET_UP, "2 6 3")),
        (2, script(SET_UP, "2 6 3 6 7")),
        (2, script(SET_UP, "2 7 3 7")),
        (2, script(SET_UP, "P 2 6 3 6")),
        (2, script(SET_UP, "!P 3 3")),
        (3, script(SET_UP, "2 6 3 6", "zwei")),
        (3, script(SET_UP, "2 6 3 6", "二 六 三 六")),
        (4, script(SET_UP, "2 6 3 6", "", "2 6 3 6")),  # the same move twice
        (17, script(SET_UP, SAMPLE, closing=False)),
    ],
)
def test_wrong_input_is_an_error_that_names_the_line(line: int, text: str) -> None:
    done = codeabbey("count", text=text)
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.startswith(f"codeabbey: line {line}:") and done.stderr.count("\n") == 1


def test_input_that_is_not_text_is_an_error_that_names_the_line() -> None:
    done = codeabbey("count", text=f"{SET_UP}\n2 6 3 6\n".encode() + b"\xff\xfe\x00\n")
    assert done.returncode == 2 and done.stderr.startswith("codeabbey: line 3:")


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("nonsense",),
        ("count", "more"),
        ("count", "--movetime", "5"),
        ("play", "--movetime"),
        ("play", "--movetime", "0"),
        ("play", "--movetime", "soon"),
        ("play", "--seed", "1"),
        ("match", "--plies=-1"),
    ],
)
def test_wrong_usage_shows_the_usage(words: tuple[str, ...]) -> None:
    done = codeabbey(*words)
    assert done.returncode == 2 and done.stdout == ""
    assert "usage:" in done.stderr and done.stderr.count("\n") == 2


@pytest.mark.parametrize("closing", [True, False])
def test_play_answers_a_legal_move(closing: bool) -> None:
    game = generals_oracle.Game(SET_UP)
    for move in SAMPLE.splitlines():
        game.play(move)
    done = codeabbey("play", "--movetime", "50", text=script(SET_UP, SAMPLE, closing=closing))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.rstrip("\n") in game.moves()


def test_play_captures_the_king() -> None:
    done = codeabbey("play", "--movetime=20", text=script(KING_IN_REACH))
    assert done.stdout == "1 3 6 3\n"


def test_play_saves_its_own_king() -> None:
    done = codeabbey("play", "--movetime=20", text=script(KING_IN_DANGER))
    game = generals_oracle.Game(KING_IN_DANGER)
    game.play(done.stdout.rstrip("\n"))
    assert not any(game.captures_king(move) for move in game.moves()), done.stdout


def test_play_beats_a_random_mover() -> None:
    """Check that the bot wins ten games against a random mover. The bot must capture the opponent's king if it can.
    Otherwise, it must save its own king if it can."""
    from kogoma.arena.codeabbey.command import Player, follow
    from kogoma.arena.codeabbey.notation import from_usi

    rng, player = random.Random(10), Player(10)
    for number in range(10):
        set_up = generals_oracle.random_set_up(rng)
        game, moves = generals_oracle.Game(set_up), list[str]()
        for ply in range(200):
            if ply % 2 == number % 2:
                best = player.move(follow([set_up, *moves], lambda position: None, False))
                assert best is not None
                move = from_usi(best)
                assert move in game.moves()
                winning = [move for move in game.moves() if game.captures_king(move)]
                assert not winning or move in winning
                assert winning or not loses_at_once(game, move) or all(loses_at_once(game, m) for m in game.moves())
            else:
                move = rng.choice(game.moves())
            over = game.captures_king(move)
            game.play(move)
            moves.append(move)
            if over:
                break
        assert over and ply % 2 == number % 2, (set_up, moves)


def loses_at_once(game: generals_oracle.Game, move: str) -> bool:
    after = game.copy()
    after.play(move)
    return any(after.captures_king(reply) for reply in after.moves())


def test_match_plays_a_whole_game() -> None:
    done = codeabbey("match", "--movetime", "5", "--seed", "1")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "seed 1"
    game = generals_oracle.Game(lines[1])
    officers = lines[1].split("/")[5].split()[0]
    assert sorted(lines[1].split("/")[0].upper()) == sorted(officers) and len(set(officers)) == 6 and "K" in officers
    played = [found[1] for line in lines if (found := re.fullmatch(r"\d+\. (.*)", line))]
    over = False
    for move in played:
        assert not over and move in game.moves()
        over = game.captures_king(move)
        game.play(move)
    boards = [found for line in lines if (found := re.fullmatch(r"([a-zA-Z0-9]+(/[a-zA-Z0-9]+){5}) [bw].*", line))]
    assert generals_oracle.Game(f"{boards[-1][1]} b").board == game.board
    assert re.fullmatch("(Black|White) wins: king captured", lines[-1]) if over else len(played) == 300


def test_match_stops_after_the_given_plies() -> None:
    done = codeabbey("match", "--movetime", "5", "--plies", "3", "--seed", "2")
    assert "\n3. " in done.stdout and "\n4. " not in done.stdout
    assert done.stdout.endswith("\nno result after 3 plies\n")
