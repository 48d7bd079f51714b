"""Referees for CodinGame's three arenas, independent of the engine, and functions that play games between bots."""

from __future__ import annotations

import random
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Protocol

from oracles import onitama as onitama_oracle
from oracles import shogi as oracle
from support.usi_client import ROOT

FIRST_TURN = 1.0  # seconds for the first answer in every arena
ENGINE = (sys.executable, "-m", "kogoma", "codingame")
PATIENCE = 20.0  # seconds after which a silent bot counts as hanging


class Referee(Protocol):
    """A running game of an arena. `turn` is the number of the player to move."""

    clock: float  # seconds for an answer

    @property
    def turn(self) -> int: ...

    def once(self, player: int) -> list[str]:
        """Return the lines that a player gets only once, before the player's first turn."""

    def lines(self) -> list[str]:
        """Return the lines that the arena sends in this turn before the legal actions."""

    def actions(self) -> list[str]:
        """Return the legal actions in any order."""

    def play(self, action: str) -> None:
        """Play a legal action."""

    def outcome(self) -> tuple[int | None, str] | None:
        """Return the winner and the reason if the game is over, otherwise None."""


def to_usi(action: str) -> str:
    """Convert an arena's action to a USI move: `4534+` -> `4e3d+`, `g*33` -> `G*3c`."""
    if action[1] == "*":
        return f"{action[0].upper()}*{action[2]}{'_abcde'[int(action[3])]}"
    return f"{action[0]}{'_abcde'[int(action[1])]}{action[2]}{'_abcde'[int(action[3])]}{action[4:]}"


def to_action(usi: str, player: int) -> str:
    """Convert a USI move to an arena's action: `4e3d+` -> `4534+`, `G*3c` -> `G*33`, or `g*33` for player 1."""
    action = "".join(str("_abcde".index(letter)) if letter in "abcde" else letter for letter in usi)
    return action.lower() if player else action


class ShogiReferee:
    """A game of Minishogi, or of Dice-Shogi if `roll` is given. `roll` is a function that rolls the die."""

    clock = 0.1

    def __init__(self, rng: random.Random, roll: Callable[[], int] | None = None, last: str = "none") -> None:
        self.game = oracle.Game(oracle.RULES["minishogi-codingame" if roll is None else "dice-codingame"])
        self._rng, self._roll, self._last = rng, roll, last
        self.die = roll() if roll is not None else None

    @property
    def turn(self) -> int:
        return self.game.position.turn

    def once(self, player: int) -> list[str]:
        return [str(player), "5"]

    def lines(self) -> list[str]:
        position = self.game.position
        rows = ["".join(position.board.get((x, y), ".") for x in range(5)) for y in range(5)]
        for side, hand in enumerate(position.hands):
            letters = self._rng.sample(hand, len(hand))  # in random order, because the arena has no fixed order
            rows.append("".join(letters).lower() if side else "".join(letters))
        shown = [row or "-" for row in rows]
        return [*shown, *([] if self.die is None else [str(self.die)]), self._last]

    def actions(self) -> list[str]:
        legal = [to_action(usi, self.turn) for usi in oracle.legal_moves(self.game.position)]
        # In a drop as in any other move, the third character is the column of the target square.
        on_file = [action for action in legal if action[2] == str(self.die)]
        return legal if self.die is None else on_file or legal

    def play(self, action: str) -> None:
        self.game.push(to_usi(action))
        self._last = action
        if self._roll is not None:
            self.die = self._roll()

    def outcome(self) -> tuple[int | None, str] | None:
        return self.game.outcome()


class OnitamaReferee:
    """A game of Onitama with the given five cards (two for each player, then the middle card), or with random cards."""

    clock = 0.05

    def __init__(self, rng: random.Random, cards: Sequence[int] | None = None) -> None:
        dealt = rng.sample(range(16), 5) if cards is None else cards
        self.game = onitama_oracle.Game((list(dealt[:2]), list(dealt[2:4])), dealt[4])

    @property
    def turn(self) -> int:
        return self.game.turn

    def once(self, player: int) -> list[str]:
        return [str(player)]

    def lines(self) -> list[str]:
        return self.game.lines()

    def actions(self) -> list[str]:
        return self.game.actions()

    def play(self, action: str) -> None:
        self.game.play(action)

    def outcome(self) -> tuple[int | None, str] | None:
        return self.game.result


def start(name: str, rng: random.Random) -> Referee:
    """Return a new game of the arena `name`."""
    if name == "onitama":
        return OnitamaReferee(rng)
    return ShogiReferee(rng, (lambda: rng.randint(1, 6)) if name == "dice" else None)


class Bot:
    """A bot as an arena runs it: a process that reads and writes lines. `program` is the command that starts the bot,
    by default the engine, which gets `words` as arguments."""

    def __init__(self, *words: str, program: Sequence[str] = ()) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 (closed by close)
        self.started = time.perf_counter()
        self.process = subprocess.Popen(
            program or [*ENGINE, *words],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            bufsize=0,
        )

    def __enter__(self) -> Bot:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.kill()
        self.close()

    def send(self, *lines: str) -> None:
        """Send lines to the bot in a single write."""
        assert self.process.stdin is not None
        self.process.stdin.write("".join(f"{line}\n" for line in lines).encode())

    def read(self, patience: float = PATIENCE) -> str:
        """Return the next line, or "" at the end of the output. Raises TimeoutError if no line comes in time."""
        assert self.process.stdout is not None
        if not select.select([self.process.stdout], [], [], patience)[0]:
            raise TimeoutError(f"no answer within {patience} s")
        return self.process.stdout.readline().decode().rstrip("\n")

    def worked(self) -> float:
        """Return the processor time in seconds of the bot's main thread, which computes the answers. Return 0 if the
        system does not report this time. Unlike elapsed time, processor time does not depend on how busy the machine
        is."""
        try:
            return int(Path(f"/proc/{self.process.pid}/task/{self.process.pid}/schedstat").read_text().split()[0]) / 1e9
        except OSError:
            return 0.0

    def close(self) -> tuple[int, str]:
        """Close the bot's standard input. Return the bot's exit code and standard error."""
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.close()
        code = self.process.wait(PATIENCE)
        self.process.stdout.close()
        if not self._errors.closed:
            self._errors.seek(0)
            self.errors = self._errors.read().decode()
            self._errors.close()
        return code, self.errors


@dataclass
class Played:
    """The result of a game for one player. Three lists have one item per answer of the player: `times` has the elapsed
    seconds, `charged` has the seconds that count against the limit, and `limits` has the limit."""

    player: int
    winner: int | None = None
    reason: str = ""
    times: list[float] = field(default_factory=list)
    charged: list[float] = field(default_factory=list)
    limits: list[float] = field(default_factory=list)
    errors: str = ""

    @property
    def overruns(self) -> list[tuple[int, float]]:
        """Return (index, seconds) for each answer that took too long. Indices start at 0."""
        return [(turn, time) for turn, (time, limit) in enumerate(zip(self.charged, self.limits)) if time > limit]


def play_games(name: str, seeds: Sequence[int], *words: str, program: Sequence[str] = ()) -> list[Played]:
    """Play one game per seed between a bot and an opponent that moves at random, and return the bot's results. The bot
    is player 0 if the seed is even. One bot process plays all games.

    With a single seed, the bot's start counts as part of its first answer, because an arena starts a new process for
    each game. With several seeds, the bot first answers a turn that does not count, and each game begins with the lines
    that an arena sends only once. Only processor time counts against the limits (`Bot.worked`).
    """
    with Bot(name, *words, program=program) as bot:
        if len(seeds) > 1:
            ask(bot, start(name, random.Random(0)), True)
        games = [_play(bot, name, seed, len(seeds) == 1) for seed in seeds]
        code, errors = bot.close()
    games[-1].errors = errors + (f"exit code {code}" if code else "")
    return games


def duel(name: str, seed: int) -> list[Played]:
    """Play a game between two new bot processes, and return both players' results. Elapsed time counts against the
    limits."""
    rng = random.Random(f"{name} {seed}")
    referee, games = start(name, rng), [Played(0), Played(1)]
    with Bot(name) as black, Bot(name) as white:
        while (outcome := referee.outcome()) is None:
            bot, played, actions = (black, white)[referee.turn], games[referee.turn], referee.actions()
            first = not played.times
            asked = time.perf_counter()
            answer = ask(bot, referee, first, actions)
            played.times.append(time.perf_counter() - asked)
            played.charged.append(played.times[-1])
            played.limits.append(FIRST_TURN if first else referee.clock)
            action = next((action for action in actions if action.lower() == answer.lower()), None)
            if action is None:
                outcome = 1 - played.player, f"illegal answer {answer!r}"
                break
            referee.play(action)
        for played, bot in zip(games, (black, white)):
            played.winner, played.reason = outcome
            played.errors = bot.close()[1]
    return games


def ask(bot: Bot, referee: Referee, first: bool, actions: Sequence[str] | None = None) -> str:
    """Send the current turn of `referee` to the bot, and return the bot's answer. If `actions` is given, these actions
    are sent instead of the legal actions."""
    actions = referee.actions() if actions is None else actions
    once = referee.once(referee.turn) if first else []
    bot.send(*once, *referee.lines(), str(len(actions)), *actions)
    return bot.read()


def _play(bot: Bot, name: str, seed: int, cold: bool) -> Played:
    """Play one game, and return the bot's result. The bot loses if it answers late or with an illegal action. If `cold`
    is set, the bot's start counts as part of its first answer."""
    rng = random.Random(f"{name} {seed}")
    referee, played = start(name, rng), Played(seed % 2)
    while (outcome := referee.outcome()) is None:
        actions = referee.actions()
        if referee.turn != played.player:
            referee.play(rng.choice(sorted(actions)))
            continue
        rng.shuffle(actions)
        first = not played.times
        asked, worked = (bot.started, 0.0) if first and cold else (time.perf_counter(), bot.worked())
        answer = ask(bot, referee, first, actions)
        played.times.append(time.perf_counter() - asked)
        played.charged.append(bot.worked() - worked)
        played.limits.append(FIRST_TURN if first else referee.clock)
        action = next((action for action in actions if action.lower() == answer.lower()), None)
        if action is None:
            outcome = 1 - played.player, f"illegal answer {answer!r}"
            break
        if played.overruns:
            outcome = 1 - played.player, "late answer"
            break
        referee.play(action)
    played.winner, played.reason = outcome
    return played
