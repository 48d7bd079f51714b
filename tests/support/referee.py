"""The rules of other engines: pyffish, and a Fairy-Stockfish process.

Their notation differs from USI in three ways. Files are counted from the other side (USI `2e3d` is their `d1c2`, `P*3c`
is `P@c3`). Black, who moves first, is `w` in a FEN. Their lists of legal moves include pawn drops that mate, which they
score as a loss for the side that dropped. pyffish crashes if a variant is unknown, and Debian's Fairy-Stockfish 11.1
plays an older version of dobutsu, which has checks.
"""

from __future__ import annotations

import importlib
import multiprocessing
import subprocess
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import ModuleType, TracebackType

from support.peers import find_program

START = "rbsgk/4p/5/P4/KGSBR b - 1"
PEER_NAMES = {  # Kogoma's variant -> its name in pyffish and Fairy-Stockfish
    "shogi": "shogi",
    "minishogi": "minishogi",
    "minishogi-codingame": "minishogi",
    "judkins": "judkins",
    "gorogoro": "gorogoro",
    "micro": "micro",
    "kyoto": "kyotoshogi",
    "dobutsu": "dobutsu",
}
HAND_ORDER = "RBGSNLPEC"
BLACK, WHITE = 0, 1


def pyffish() -> ModuleType:
    """Return the pyffish module. Raises ImportError if it is not installed."""
    return importlib.import_module("pyffish")


def find_fairy_stockfish() -> str | None:
    """Return the path of Fairy-Stockfish, or None."""
    return find_program("fairy-stockfish")


# ---- Notation --------------------------------------------------------------------------------------------------------


def shape(sfen: str) -> tuple[int, int]:
    """Return the number of files and the number of ranks of the board in an SFEN or FEN."""
    rows = sfen.split()[0].split("[")[0].split("/")
    return sum(int(letter) if letter.isdigit() else letter != "+" for letter in rows[0]), len(rows)


def square_to_uci(square: str, files: int, ranks: int) -> str:
    """Convert a square to UCI: `2e` -> `d1` on a board of 5x5."""
    return chr(ord("a") + files - int(square[0])) + str(ranks - (ord(square[1]) - ord("a")))


def square_to_usi(square: str, files: int, ranks: int) -> str:
    """Convert a square to USI: `d1` -> `2e` on a board of 5x5."""
    return str(files - (ord(square[0]) - ord("a"))) + chr(ord("a") + ranks - int(square[1]))


def move_to_uci(usi: str, files: int, ranks: int) -> str:
    """Convert a move to UCI: `2b2a+` -> `d4d5+`, `P*3c` -> `P@c3`."""
    if "*" in usi:
        piece, square = usi.split("*")
        return f"{piece}@{square_to_uci(square, files, ranks)}"
    return square_to_uci(usi[:2], files, ranks) + square_to_uci(usi[2:4], files, ranks) + usi[4:]


def move_to_usi(move: str, files: int, ranks: int) -> str:
    """Convert a move to USI: `d4d5+` -> `2b2a+`, `P@c3` -> `P*3c`."""
    if "@" in move:
        piece, square = move.split("@")
        return f"{piece}*{square_to_usi(square, files, ranks)}"
    return square_to_usi(move[:2], files, ranks) + square_to_usi(move[2:4], files, ranks) + move[4:]


def sfen_to_fen(sfen: str) -> str:
    """Convert an SFEN to a FEN: `rbsgk/4p/5/P4/KGSBR b 2P 3` -> `rbsgk/4p/5/P4/KGSBR[PP] w 0 2`."""
    board, turn, hands, number = sfen.split()
    pocket, count = "", ""
    for letter in hands.replace("-", ""):
        if letter.isdigit():
            count += letter
        else:
            pocket += letter * int(count or 1)
            count = ""
    return f"{board}[{pocket}] {'wb'['bw'.index(turn)]} 0 {(int(number) + 1) // 2}"


def fen_to_sfen(fen: str) -> str:
    """Convert a FEN of pyffish to an SFEN. The move number is computed from the number of full moves."""
    placement, turn, *_, full_moves = fen.split()
    board, pocket = placement.rstrip("]").split("[")
    hands = ""
    for letter in HAND_ORDER + HAND_ORDER.lower():
        count = pocket.count(letter)
        hands += (str(count) if count > 1 else "") + letter * (count > 0)
    colour = "bw"["wb".index(turn)]
    return f"{board} {colour} {hands or '-'} {2 * int(full_moves) - (colour == 'b')}"


# ---- pyffish ---------------------------------------------------------------------------------------------------------


def legal_moves(sfen: str, moves: Sequence[str] = (), variant: str = "minishogi") -> list[str]:
    """Return the legal moves that pyffish finds in the position after `moves`, played from the position `sfen`. All
    moves are in USI notation. Pawn drops that mate are included."""
    files, ranks = shape(sfen)
    played = [move_to_uci(usi, files, ranks) for usi in moves]
    found = pyffish().legal_moves(PEER_NAMES[variant], sfen_to_fen(sfen), played)
    return [move_to_usi(move, files, ranks) for move in found]


def legal_moves_of_many(sfens: Sequence[str], processes: int = 2, variant: str = "minishogi") -> list[list[str]]:
    """Return the result of `legal_moves` for each position. Several processes compute the results, because each call
    takes 2 ms."""
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        return pool.map(partial(legal_moves, variant=variant), sfens, chunksize=250)


@dataclass(frozen=True)
class Verdict:
    """The end of a game: the winner (None for a draw), the reason, and the number of plies before the end.

    The reasons are checkmate, stalemate, max_plies and repetition. In minishogi-codingame, a repetition has the reason
    perpetual_check if the side to move is in check. In dobutsu, the reason can also be king_captured or goal. If the
    reason is illegal_move or pawn_drop_mate, the side that made the move loses.
    """

    winner: int | None
    reason: str
    plies: int


class Game:
    """A game from the position `sfen`, judged by pyffish. The game ends by the rules of `variant`, one of
    PEER_NAMES."""

    def __init__(self, sfen: str = START, variant: str = "minishogi") -> None:
        if variant not in PEER_NAMES:
            raise ValueError(f"pyffish does not know the variant {variant}")
        self.sfen, self.variant, self.peer_name = sfen, variant, PEER_NAMES[variant]
        self.shape, self.fen = shape(sfen), sfen_to_fen(sfen)
        self.moves: list[str] = []  # in pyffish's notation; only `play` changes it
        # These hold for the number of plies before them. Each call of pyffish takes milliseconds.
        self._known_legal: tuple[int, list[str]] = -1, []
        self._known_placement = -1, ""
        self.first_turn, self.plies_before = "bw".index(sfen.split()[1]), int(sfen.split()[3]) - 1
        self.seen = Counter([self._placement()])

    @property
    def turn(self) -> int:
        """Return the side to move."""
        return (self.first_turn + len(self.moves)) % 2

    def legal_moves(self) -> list[str]:
        """Return the moves that pyffish allows, in USI, including pawn drops that mate."""
        return [move_to_usi(move, *self.shape) for move in self._legal()]

    def play(self, usi: str) -> Verdict | None:
        """Play a move. Return the verdict if the move ends the game, otherwise None. An illegal move ends the game but
        is not played."""
        mover, move = self.turn, move_to_uci(usi, *self.shape)
        if move not in self._legal():
            return Verdict(1 - mover, "illegal_move", len(self.moves))
        if self._is_pawn_drop_mate(move):
            return Verdict(1 - mover, "pawn_drop_mate", len(self.moves))
        self.moves.append(move)
        self.seen[self._placement()] += 1
        return self.verdict()

    def verdict(self) -> Verdict | None:
        """Return the verdict if the current position ends the game, otherwise None."""
        plies = len(self.moves)
        ended, value = pyffish().is_immediate_game_end(self.peer_name, self.fen, self.moves)
        if ended:
            lions = self._placement().split("[")[0].upper().count("L")
            return Verdict(self._winner(value), "goal" if lions == 2 else "king_captured", plies)
        if all(self._is_pawn_drop_mate(move) for move in self._legal()):
            return Verdict(1 - self.turn, "checkmate" if self._in_check() else "stalemate", plies)
        if self.variant != "minishogi-codingame":
            return self._fourfold(plies)
        if self.seen[self._placement()] >= 3:
            checked = self._in_check()
            return Verdict(self.turn if checked else WHITE, "perpetual_check" if checked else "repetition", plies)
        return Verdict(None, "max_plies", plies) if self.plies_before + plies >= 300 else None

    def _fourfold(self, plies: int) -> Verdict | None:
        """Return the verdict if the current position has occurred four times, otherwise None.

        The reason is always "repetition", because pyffish does not report whether checks decided who wins.
        """
        if self.seen[self._placement()] < 4:
            return None
        ended, value = pyffish().is_optional_game_end(self.peer_name, self.fen, self.moves)
        if not ended:
            raise AssertionError(f"pyffish sees no repetition: {self.fen} {' '.join(self.moves)}")
        return Verdict(self._winner(value), "repetition", plies)

    def _winner(self, value: int) -> int | None:
        """Return the winner, or None for a draw. `value` is pyffish's value for the side to move."""
        return None if value == 0 else self.turn if value > 0 else 1 - self.turn

    def _legal(self) -> list[str]:
        if self._known_legal[0] != len(self.moves):
            found = pyffish().legal_moves(self.peer_name, self.fen, self.moves)
            self._known_legal = len(self.moves), list(found)
        return self._known_legal[1]

    def _in_check(self) -> bool:
        return bool(pyffish().gives_check(self.peer_name, self.fen, self.moves))

    def _is_pawn_drop_mate(self, move: str) -> bool:
        """Return whether a move is a pawn drop that mates. pyffish must also score the move as a loss for the side that
        made it."""
        after = [*self.moves, move]
        return (
            move.startswith("P@")
            and not pyffish().legal_moves(self.peer_name, self.fen, after)
            and bool(pyffish().game_result(self.peer_name, self.fen, after) > 0)
        )

    def _placement(self) -> str:
        """Return board, hands and side to move: a FEN without counters."""
        if self._known_placement[0] != len(self.moves):
            fen = pyffish().get_fen(self.peer_name, self.fen, self.moves)
            self._known_placement = len(self.moves), " ".join(fen.split()[:2])
        return self._known_placement[1]


def judge(moves: Sequence[str], sfen: str = START, variant: str = "minishogi") -> Verdict | None:
    """Return the verdict on the game of `moves` (in USI notation), or None if the game has not ended. If the game ends
    before the last move, the remaining moves are ignored."""
    game = Game(sfen, variant)
    verdict = game.verdict()
    for usi in moves:
        if verdict is not None:
            break
        verdict = game.play(usi)
    return verdict


# ---- Fairy-Stockfish -------------------------------------------------------------------------------------------------


class FairyStockfish:
    """A Fairy-Stockfish process that uses the USI protocol and plays `variant`, one of PEER_NAMES or a variant of the
    file `config`."""

    def __init__(self, path: str, variant: str = "minishogi", config: Path | None = None) -> None:
        name = PEER_NAMES.get(variant, variant)
        self.process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if config:
            self.send("usi")
            self.read_until("usiok")
            self.send(f"setoption name VariantPath value {config}")
        self.send("usi")
        offered = self.read_until("usiok")
        if not any(line.startswith("option name UCI_Variant ") and f" {name} " in line for line in offered):
            raise RuntimeError(f"{path} has no variant {name}")
        self.send(f"setoption name UCI_Variant value {name}")
        self.send("isready")
        self.read_until("readyok")

    def __enter__(self) -> FairyStockfish:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def send(self, line: str) -> None:
        """Send one line."""
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def read_until(self, start: str) -> list[str]:
        """Return the lines up to and including the first that begins with `start`. Raises EOFError if the process ends
        first."""
        assert self.process.stdout is not None
        lines: list[str] = []
        for line in self.process.stdout:
            lines.append(line.strip())
            if line.startswith(start):
                return lines
        raise EOFError(f"fairy-stockfish ended before it sent a line with {start!r}")

    def divide(self, sfen: str, depth: int) -> dict[str, int]:
        """Return the number of leaf nodes after each legal move (in USI notation), counted by `go perft`. Pawn drops
        that mate are included."""
        self.send(f"position sfen {sfen}")
        self.send(f"go perft {depth}")
        counts = [line.split(": ") for line in self.read_until("Nodes searched") if ": " in line]
        return {move: int(count) for move, count in counts if move != "Nodes searched"}

    def close(self) -> None:
        """End the process."""
        if self.process.poll() is None:
            self.send("quit")
            self.process.wait(timeout=10)
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                stream.close()
