"""The check of an exported file: games against random moves, with the engine's rules as referee."""

from __future__ import annotations

import contextlib
import random
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from kogoma.arena.codeabbey.notation import CLOSING, from_usi, random_set_up, to_sfen, to_usi
from kogoma.arena.codingame.turn_writer import turn_writer
from kogoma.arena.export.targets import Game
from kogoma.arena.random_start import random_start
from kogoma.rules.base_position import BasePosition
from kogoma.rules.dice.die import allowed
from kogoma.rules.position import new_position
from kogoma.rules.variants import FACES

GAMES = 10
PATIENCE = 20.0  # seconds, the time limit of any answer
FIRST_TURN = 1.0  # seconds, the time limit of a first answer
GENERALS_MS, GENERALS_PLIES = 20, 200


Opponent = Callable[[random.Random, BasePosition, list[str]], str]  # returns one of the moves


class CheckError(Exception):
    """The file has failed the check; the message says how."""


def check(game: Game, flavor: str, path: Path, games: int = GAMES) -> str:
    """Play `games` games, each in an empty folder, and return a one-line summary. Raises CheckError if an answer is
    missing or not legal, or if the bot writes to standard error."""
    won, first, later = 0, 0.0, 0.0
    play = play_game if game.arena else _play_generals
    for number in range(games):
        with tempfile.TemporaryDirectory() as folder:
            winner, times = play(game, [*interpreter(flavor), str(path.resolve())], Path(folder), number)
        won += winner == number % 2
        first, later = max(first, times[0]), max([later, *times[1:]])
    return (
        f"{games} games against a random mover, {won} won; "
        f"slowest first answer {first * 1000:.0f} ms, later {later * 1000:.0f} ms"
    )


def any_move(rng: random.Random, position: BasePosition, moves: list[str]) -> str:
    """Return a random legal move. This is the default opponent of `play_game`."""
    return rng.choice(moves)


def interpreter(flavor: str) -> list[str]:
    """Return the command that runs an exported file of the given flavor with only the standard library."""
    if flavor != "wasm":
        return [sys.executable, "-I", "-S"]
    node = shutil.which("node")
    if node is None:
        raise CheckError("Node is not installed, but the check needs it to run the file")
    return [node]


def play_game(
    game: Game,
    command: list[str],
    folder: Path,
    number: int,
    waits: list[float] | None = None,
    opponent: Opponent = any_move,
) -> tuple[int | None, list[float]]:
    """Play one game in the arena's format and return (winner, seconds for each answer). The bot is player `number` % 2.
    `opponent` chooses the other side's moves. If `waits` is given, append to it, for each answer, the seconds for which
    the bot and the referee waited for a processor."""
    rng = random.Random(f"{game.name} {number}")
    position = new_position(game.variant, random_start(game.variant, rng))
    player, times, waits = number % 2, list[float](), [] if waits is None else waits
    turns = turn_writer(game.variant)(player)
    started = time.perf_counter()
    with tempfile.TemporaryFile() as errors:
        bot = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, bufsize=0
        )
        with bot:
            try:
                while (outcome := position.outcome()) is None:
                    roll = rng.randint(1, FACES) if game.variant.die else None
                    legal = sorted(allowed(position, roll))
                    if position.turn != player:
                        position.push(opponent(rng, position, legal))
                        continue
                    actions = [turns.action(move) for move in legal]
                    lines = [*(turns.once() if not times else []), *turns.lines(position, roll)]
                    asked = time.perf_counter() if times else started
                    before = processor_wait(bot.pid) if waits else 0.0
                    answer = _ask(bot, [*lines, str(len(actions)), *actions])
                    times.append(time.perf_counter() - asked)
                    waits.append(processor_wait(bot.pid) - before)
                    if not answer:
                        break
                    action, _ = turns.parse(answer) or ("", "")
                    move = next((move for move in legal if turns.action(move).lower() == action), None)
                    if move is None:
                        raise CheckError(f"game {number}: the answer {answer!r} to {position.sfen()} is not legal")
                    position.push(move)
            finally:
                bot.kill()
        errors.seek(0)
        if said := errors.read().decode(errors="replace").strip():
            raise CheckError(f"game {number}: the bot wrote to standard error: {said.splitlines()[-1]}")
    if outcome is None:
        raise CheckError(f"game {number}: the bot has ended without an answer to {position.sfen()}")
    return outcome.winner, times or [0.0]


def processor_wait(process: int) -> float:
    """Return how many seconds a process and this thread have waited for a processor so far; 0 if unknown."""
    total = 0
    for path in (*Path(f"/proc/{process}/task").glob("*/schedstat"), Path("/proc/thread-self/schedstat")):
        with contextlib.suppress(OSError):  # the process's thread has ended, or the system is not Linux
            total += int(path.read_text().split()[1])
    return total / 1e9


def _ask(bot: subprocess.Popen[bytes], lines: list[str]) -> str:
    assert bot.stdin is not None and bot.stdout is not None
    try:
        bot.stdin.write("".join(f"{line}\n" for line in lines).encode())
    except BrokenPipeError:
        return ""
    # Nothing is buffered in Python, so `select` notices all data.
    if not select.select([bot.stdout], [], [], PATIENCE)[0]:
        raise CheckError(f"the bot gave no answer within {PATIENCE:.0f} s")
    return bot.stdout.readline().decode(errors="replace").rstrip("\n")


def _play_generals(game: Game, command: list[str], folder: Path, number: int) -> tuple[int | None, list[float]]:
    """Play one game of Generals, in which the program is started for every move. Return the same as `play_game`."""
    rng = random.Random(f"{game.name} {number}")
    set_up, times = random_set_up(rng), list[float]()
    position: BasePosition = new_position(game.variant, to_sfen(set_up))
    moves: list[str] = []
    while (outcome := position.outcome()) is None and len(moves) < GENERALS_PLIES:
        if position.turn != number % 2:
            move = rng.choice(sorted(position.legal_moves()))
        else:
            asked = time.perf_counter()
            done = subprocess.run(
                [*command, "--movetime", str(GENERALS_MS)],
                cwd=folder,
                input="\n".join([set_up, *moves, CLOSING]) + "\n",
                capture_output=True,
                text=True,
                timeout=PATIENCE,
            )
            times.append(time.perf_counter() - asked)
            if done.returncode != 0 or done.stderr:
                raise CheckError(
                    f"game {number}: the bot failed or wrote to standard error: {done.stderr.strip()[:200]}"
                )
            try:
                move = to_usi(done.stdout, position.legal_moves())
            except ValueError:
                raise CheckError(
                    f"game {number}: the answer {done.stdout!r} to {position.sfen()} is not legal"
                ) from None
        position.push(move)
        moves.append(from_usi(move))
    return outcome.winner if outcome else None, times or [0.0]
