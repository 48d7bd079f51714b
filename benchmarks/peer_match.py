"""A match against Fairy-Stockfish, refereed by pyffish. As a command, from the checkout:

    PYTHONPATH=tests .venv/bin/python -m benchmarks.peer_match --games 40 --movetime 100
    PYTHONPATH=tests .venv/bin/python -m benchmarks.peer_match --variant shogi --games 20 --movetime 200

Openings are random plies that a search finds balanced; each is played twice, with colours changed. The score comes
with a 95% interval from the pairs.
"""

from __future__ import annotations

import argparse
import importlib
import math
import random
import statistics
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rules.variants import VARIANTS
from support import referee
from support.usi_client import UsiClient, info_fields

BALANCED = 250  # centipawns, by Kogoma's own search of 20,000 nodes
SLACK = 0.1  # seconds beyond the move time at which a move counts as late
LONGEST = 400  # plies; longer games are called a draw


@dataclass
class Tally:
    """What happened, from Kogoma's side."""

    scores: list[float] = field(default_factory=list)  # 1, 0.5 or 0 a game, in the order of the games
    reasons: list[str] = field(default_factory=list)
    plies: list[int] = field(default_factory=list)
    slowest: float = 0.0  # seconds
    peers_slowest: float = 0.0
    faults: list[str] = field(default_factory=list)  # Kogoma's illegal moves, late moves and refusals to move

    def summary(self) -> str:
        """Score, interval, Elo, and how the games went."""
        wins, draws = self.scores.count(1.0), self.scores.count(0.5)
        games = len(self.scores)
        pairs = [(a + b) / 2 for a, b in zip(self.scores[::2], self.scores[1::2])]
        score = sum(self.scores) / games
        error = 1.96 * statistics.stdev(pairs) / math.sqrt(len(pairs)) if len(pairs) > 1 else 1.0
        low, high = max(score - error, 0.0), min(score + error, 1.0)
        return (
            f"{wins} wins, {games - wins - draws} losses, {draws} draws in {games} games: {score:.1%} "
            f"(95%: {low:.1%} to {high:.1%}), Elo {elo(score):+.0f} ({elo(low):+.0f} to {elo(high):+.0f})\n"
            f"ends: { {reason: self.reasons.count(reason) for reason in sorted(set(self.reasons))} }, "
            f"mean length {statistics.mean(self.plies):.0f} plies, slowest move {self.slowest * 1000:.0f} ms "
            f"(the peer's {self.peers_slowest * 1000:.0f} ms), "
            f"faults: {self.faults or 'none'}"
        )


@dataclass(frozen=True)
class Conditions:
    """What the games of a match have in common: the variant, ms a move, plies after which a game is called a draw."""

    variant: str
    movetime: int
    longest: int = LONGEST


def elo(score: float) -> float:
    """The rating difference that makes a score expected."""
    score = min(max(score, 0.001), 0.999)
    return -400 * math.log10(1 / score - 1)


def start_of(variant: str) -> referee.Game:
    """The variant's game before its first move."""
    return referee.Game(VARIANTS[variant].start, variant)


def opening(chance: random.Random, engine: UsiClient, plies: int, variant: str) -> list[str]:
    """Random plies after which neither side is far ahead."""
    while True:
        moves: list[str] = []
        game = start_of(variant)
        while len(moves) < plies and game.verdict() is None:
            moves.append(chance.choice(sorted(game.legal_moves())))
            if game.play(moves[-1]) is not None:
                break
        if game.verdict() is not None or len(moves) < plies:
            continue
        engine.send("usinewgame", f"position startpos moves {' '.join(moves)}")
        lines, _ = engine.go("nodes", 20000)
        last = info_fields([line for line in lines if " score " in line][-1])
        if "cp" in last and abs(int(last["cp"])) <= BALANCED:
            return moves


def may_declare(moves: list[str]) -> bool:
    """Whether cshogi would declare a win in 9x9 after these moves, by the 27-point rule; Fairy-Stockfish never does."""
    cshogi: Any = importlib.import_module("cshogi")
    board = cshogi.Board()
    for move in moves:
        board.push_usi(move)
    return bool(board.is_nyugyoku())


def play(
    engines: tuple[UsiClient, UsiClient], kogoma: int, start: list[str], conditions: Conditions, tally: Tally
) -> None:
    """One game, added to the tally; `kogoma` is Kogoma's side."""
    variant, movetime = conditions.variant, conditions.movetime
    for engine in engines:
        engine.send("usinewgame")
        engine.ready()
    game = start_of(variant)
    moves: list[str] = []
    for move in start:
        game.play(move)
        moves.append(move)
    verdict = game.verdict()
    while verdict is None and len(moves) < conditions.longest:
        side = len(moves) % 2
        engines[side].send(f"position startpos moves {' '.join(moves)}")
        sent = time.perf_counter()
        _, move = engines[side].go("movetime", movetime)
        seconds = time.perf_counter() - sent
        if side != kogoma:
            tally.peers_slowest = max(tally.peers_slowest, seconds)
        else:
            tally.slowest = max(tally.slowest, seconds)
            if seconds > movetime / 1000 + SLACK:
                tally.faults.append(f"late: {seconds:.3f} s after {' '.join(moves)}")
        if move == "win" and variant == "shogi" and may_declare(moves):
            verdict = referee.Verdict(side, "declaration", len(moves))
            break
        if move in ("resign", "(none)", "win"):
            if side == kogoma:
                tally.faults.append(f"{move} after {' '.join(moves)}")
            verdict = referee.Verdict(1 - side, move, len(moves))
            break
        verdict = game.play(move)
        if side == kogoma and verdict is not None and verdict.reason in ("illegal_move", "pawn_drop_mate"):
            tally.faults.append(f"{verdict.reason} {move} after {' '.join(moves)}")
        moves.append(move)
    winner = verdict.winner if verdict is not None else None
    tally.scores.append(0.5 if winner is None else float(winner == kogoma))
    tally.reasons.append(verdict.reason if verdict is not None else "length")
    tally.plies.append(len(moves))


def match(
    games: int,
    conditions: Conditions,
    seed: int = 1,
    plies: int = 4,
    say: bool = False,
    engine: str | None = None,
) -> Tally:
    """Kogoma (this checkout's, or the checkout's at `engine`) against Fairy-Stockfish, one thread and 64 MB each."""
    variant, tally = conditions.variant, Tally()
    path = referee.find_fairy_stockfish()
    if path is None:
        raise FileNotFoundError("fairy-stockfish is not installed")
    chance = random.Random(seed)
    command = [str(Path(engine) / "engine.sh")] if engine else [sys.executable, "-m", "usi_engine"]
    with UsiClient(command, variant=variant) as kogoma, UsiClient([path], variant=None) as peer:
        kogoma.send("setoption name USI_Hash value 64")
        name = referee.PEER_NAMES[variant]
        peer.send("usi", f"setoption name UCI_Variant value {name}", "setoption name Hash value 64")
        kogoma.ready()
        peer.ready()
        start: list[str] = []
        for number in range(games):
            side = number % 2
            if side == 0:
                start = opening(chance, kogoma, plies, variant)
            play((kogoma, peer) if side == 0 else (peer, kogoma), side, start, conditions, tally)
            if say:
                print(f"game {number + 1}: {tally.scores[-1]} {tally.reasons[-1]}, {tally.plies[-1]} plies", flush=True)
    return tally


def main() -> None:
    """The command."""
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--variant", choices=sorted(referee.PEER_NAMES), default="minishogi")
    words.add_argument("--games", type=int, default=40)
    words.add_argument("--movetime", type=int, default=100, help="ms a move, for both")
    words.add_argument("--plies", type=int, default=4, help="random plies of the openings")
    words.add_argument("--seed", type=int, default=1)
    given = words.parse_args()
    conditions = Conditions(given.variant, given.movetime)
    print(match(given.games, conditions, given.seed, given.plies, say=True).summary())


if __name__ == "__main__":
    main()
