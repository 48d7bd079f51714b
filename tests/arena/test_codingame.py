"""The bots for CodinGame's arenas as processes: whole games with the arenas' time limits, and turns with errors."""

from __future__ import annotations

import random
import re
import subprocess
import sys

import pytest

from kogoma.arena.codingame.arenas import ARENAS
from support.arena_referee import Bot, Played, Referee, ask, play_games, start
from support.scope import count, mostly_long
from support.usi_client import ROOT

pytestmark = pytest.mark.slow

GAMES = ["minishogi", "dice", "onitama"]
AT_ONCE = "--margin=1000"  # leaves only a few ms of the time limit


def command(*words: str, text: str = "") -> subprocess.CompletedProcess[str]:
    """Run the command `codingame` with `text` on its standard input, and wait until the command ends."""
    return subprocess.run(
        [sys.executable, "-m", "kogoma", "codingame", *words],
        cwd=ROOT, input=text, capture_output=True, text=True, timeout=300,
    )  # fmt: skip


@pytest.fixture(params=mostly_long(GAMES, "minishogi"), scope="module")
def name(request: pytest.FixtureRequest) -> str:
    """Compile the engine for a game, and return the name of the game. Compiling later, during a turn, would exceed the
    arena's time limit."""
    variant = ARENAS[request.param].variant
    subprocess.run([sys.executable, "-m", "kogoma", "warmup", variant], cwd=ROOT, check=True, capture_output=True)
    return str(request.param)


def whole_turn(referee: Referee, first: bool) -> tuple[list[str], list[str]]:
    """Return all lines that the referee sends to the player to move. Also return the legal actions, which
    are the last of these lines, one in each."""
    actions = referee.actions()
    once = referee.once(referee.turn) if first else []
    return [*once, *referee.lines(), str(len(actions)), *actions], actions


# Whole games


def check(games: list[Played]) -> None:
    """Assert that no game has an illegal answer, a late answer or an error message."""
    for played in games:
        assert not played.reason.startswith("illegal") and not played.overruns and not played.errors, played


@pytest.mark.long
@pytest.mark.clock
def test_bots_beat_a_random_mover(name: str) -> None:
    """Check that the bots answer legally and in time, and lose only a few games against a random mover. Most games have
    a large time margin, so that the bot has only a few ms for each move."""
    full = [play_games(name, [seed])[0] for seed in range(2)]  # from a cold start, with the arena's whole time
    games = full + play_games(name, range(2, count(40, 12)), AT_ONCE)
    check(games)
    lost = [played for played in games if played.winner != played.player]
    assert len(games) == count(40, 12) and len(lost) <= (3 if name == "dice" else 1), lost
    # Even on a busy machine, the slowest answer takes more than a third of the time limit.
    assert max(time for played in full for time in played.times[1:]) > full[0].limits[1] / 3


# Turns with errors


def new_game(name: str, seed: int) -> tuple[Referee, random.Random]:
    """Return a referee for a new game, and the referee's random number generator. Seeds with fewer than eight legal
    actions in the first turn, for example because of the die, are skipped."""
    while True:
        rng = random.Random(seed)
        referee = start(name, rng)
        if len(referee.actions()) >= 8:
            return referee, rng
        seed += 100


@pytest.mark.parametrize("damage", ["garbled", "missing", "doubled"])
def test_one_wrong_line_is_named_and_the_answer_is_legal(name: str, damage: str) -> None:
    """Check that the bot reports the number of a wrong line in the second turn of a game, answers this turn legally,
    and plays the next game normally."""
    expected: list[range] = []
    sent = 0
    with Bot(name, AT_ONCE) as bot:
        for number in range(100):
            referee, rng = new_game(name, 7)
            lines, actions = whole_turn(referee, first=True)
            bot.send(*lines)
            sent += len(lines)
            answer = bot.read()
            assert answer in actions
            referee.play(answer)
            referee.play(rng.choice(referee.actions()))
            lines, actions = whole_turn(referee, first=False)
            if number >= len(lines):
                break
            if damage == "garbled":
                lines[number] = "?!"
            elif damage == "missing":
                del lines[number]
            else:
                lines.insert(number, lines[number])
            bot.send(*lines)
            expected.append(range(sent + 1, sent + len(lines) + 2))
            sent += len(lines)
            assert bot.read() in actions, (damage, number, lines)
        code, errors = bot.close()
    assert code == 0 and "Traceback" not in errors and "internal" not in errors
    named = [int(line) for line in re.findall(r"^codingame: line (\d+):", errors, re.MULTILINE)]
    assert all(any(line in lines for line in named) for lines in expected), errors
    if damage == "garbled":
        assert all(any(line == lines.start + number for line in named) for number, lines in enumerate(expected)), errors


@pytest.mark.parametrize("ended", [True, False], ids=["ended", "silent"])
def test_a_turn_cut_among_the_actions_is_answered_with_one_of_them(name: str, ended: bool) -> None:
    referee, _ = new_game(name, 3)
    lines, actions = whole_turn(referee, first=True)
    kept = lines[: len(lines) - len(actions) + 3]
    with Bot(name) as bot:
        bot.send(*kept)
        if ended:
            assert bot.process.stdin is not None
            bot.process.stdin.close()
        assert bot.read() in actions[:3]
        code, errors = bot.close()
    assert code == 0
    assert f"line {len(kept) + 1}: " in errors and f"legal action 4 of {len(actions)}" in errors


def test_a_turn_cut_before_the_actions_is_answered_by_the_rules(name: str) -> None:
    referee, _ = new_game(name, 4)
    lines, actions = whole_turn(referee, first=True)
    for cut in (len(actions), len(actions) + 1):  # with and without the number of actions
        done = command(name, AT_ONCE, text="\n".join(lines[:-cut]) + "\n")
        assert done.returncode == 0 and done.stdout.rstrip("\n") in actions
        assert f"line {len(lines) - cut + 1}: the input ends" in done.stderr


def test_a_turn_cut_by_the_next_one(name: str) -> None:
    referee, _ = new_game(name, 5)
    lines, actions = whole_turn(referee, first=True)
    with Bot(name, AT_ONCE) as bot:
        again, _ = whole_turn(referee, first=False)
        bot.send(*lines[:-4], *again)
        first, second = bot.read(), bot.read()
        assert first in actions and second in actions
        _, errors = bot.close()
    assert f"line {len(lines) - 3}: expected legal action {len(actions) - 3} of {len(actions)}" in errors


def test_a_turn_without_a_legal_action_gets_no_answer(name: str) -> None:
    referee, rng = new_game(name, 6)
    referee.play(rng.choice(referee.actions()))
    lines, _ = whole_turn(referee, first=True)
    done = command(name, AT_ONCE, text="\n".join(lines[:4]))
    assert done.returncode == 0 and done.stdout == ""
    assert "line 5: the input ends, but row " in done.stderr and "no legal action is known" in done.stderr


@pytest.mark.parametrize("data", ["nonsense\n" * 40, "\0\1\2", "\n\n\n", "4534\n" * 5, "9" * 100_000])
def test_nonsense_does_not_crash_the_bot(data: str) -> None:
    done = command("minishogi", AT_ONCE, text=data)
    assert done.returncode == 0 and "Traceback" not in done.stderr
    assert done.stdout == "" and bool(done.stderr) == bool(data.strip())
    assert max(map(len, done.stderr.splitlines()), default=0) < 200


def test_invalid_utf8_and_dos_line_ends(name: str) -> None:
    lines, actions = whole_turn(new_game(name, 8)[0], first=True)
    data = b"\xff\xfe\r\n" + "\r\n".join(lines).encode()
    done = subprocess.run(
        [sys.executable, "-m", "kogoma", "codingame", name, AT_ONCE],
        cwd=ROOT, input=data, capture_output=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0 and done.stdout.decode().rstrip("\n") in actions and b"line 1:" in done.stderr


# Referees with other rules or boards


@pytest.mark.long
def test_a_differing_list_is_reported_and_used(name: str) -> None:
    referee, _ = new_game(name, 9)
    actions = referee.actions()
    strange = "15 E1E5" if name == "onitama" else "1115"
    for listed in ([*actions, strange], actions[1:], [strange, actions[0]], [strange]):
        with Bot(name, AT_ONCE) as bot:
            answer = ask(bot, referee, True, listed)
            _, errors = bot.close()
        assert answer in listed and (answer != strange or listed == [strange])
        assert ("also lists" in errors) == (strange in listed)
        assert ("does not list" in errors) == (listed[0] != actions[0])
        assert errors.count("\n") == 1


def test_an_unexpected_board_is_reported_and_used() -> None:
    with Bot("minishogi", AT_ONCE) as bot:
        referee, _ = new_game("minishogi", 1)
        assert ask(bot, referee, True) in referee.actions()
        # No legal action in the first turn leads to this position.
        lines = ["r.sgk", "....p", "..b..", "P....", "KG.SR", "B", "-", "4133"]
        actions = ["4544", "5544", "5545", "4534", "2534", "2524", "2514", "5453", "1514"]
        bot.send(*lines, str(len(actions)), *actions)
        answer = bot.read()
        _, errors = bot.close()
    assert answer in actions
    assert "the board is not the one expected" in errors


def test_impossible_boards_are_reported_and_the_list_is_used() -> None:
    for rows, hands in (
        (["rbsg.", "....p", ".....", "P....", "KGSBR"], ["-", "-"]),  # no king
        (["rbsgk", "....p", ".....", "P....", "KGSBR"], ["RRRR", "-"]),
        (["....k", ".....", ".....", ".....", "K...R"], ["-", "-"]),  # the king could be captured
    ):
        with Bot("minishogi", AT_ONCE) as bot:
            bot.send("0", "5", *rows, *hands, "none", "2", "1514", "4534")
            answer = bot.read()
            _, errors = bot.close()
        assert answer in ("1514", "4534") and "the board" in errors and "Traceback" not in errors


def test_the_bot_foresees_the_third_occurrence() -> None:
    """Check that the bot, playing White, makes the move after which a position occurs for the third time, because Black
    then loses. Both sides move a gold general back and forth."""
    referee, _ = new_game("minishogi", 1)
    with Bot("minishogi", AT_ONCE) as bot:
        for number, (black, white) in enumerate([("4544", "2122"), ("4445", "2221")] * 2):
            referee.play(black)
            # Except in White's last turn, the referee lists only one action, so that the bot must play it.
            answer = ask(bot, referee, number == 0, None if number == 3 else [white])
            assert answer == white
            referee.play(answer)
        bot.close()
    assert referee.outcome() == (1, "repetition")


# Other properties of the command


def test_chat_shows_depth_and_score(name: str) -> None:
    lines, actions = whole_turn(new_game(name, 2)[0], first=True)
    done = command(name, "--margin", "900", "--chat", text="\n".join(lines))
    answer = next(action for action in actions if done.stdout.startswith(action + " "))
    assert re.fullmatch(r" depth \d+, (score [+-]\d+\.\d\d|(win|loss) in \d+)\n", done.stdout[len(answer) :])
    silent = command(name, "--margin", "900", text="\n".join(lines))
    assert silent.stdout.rstrip("\n") in actions and silent.stdout.count("\n") == 1


def test_the_end_of_the_input_ends_the_bot_without_messages(name: str) -> None:
    for text in ("", "\n"):
        done = command(name, text=text)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("shogi",),
        ("minishogi", "dice"),
        ("minishogi", "--margin"),
        ("minishogi", "--margin", "-5"),
        ("minishogi", "--margin=soon"),
        ("minishogi", "--hash", "0"),
        ("onitama", "--chatter"),
        ("onitama", "--chat=yes"),
    ],
)
def test_wrong_usage_shows_the_usage(words: tuple[str, ...]) -> None:
    done = command(*words)
    assert done.returncode == 2 and done.stdout == ""
    assert "usage:" in done.stderr and done.stderr.count("\n") == 2
