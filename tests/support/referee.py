"""The games as engines that are not ours see them: pyffish, and a Fairy-Stockfish process.

Three traps lie between their notation and USI. Files run from the other side (USI `2e3d` is `d1c2` to them, `P*3c` is
`P@c3`); Black, who moves first, is `w` in a FEN; and their move lists keep pawn drops that mate, which they score as
a loss for the side that dropped. An unknown variant crashes pyffish, and Debian's Fairy-Stockfish 11.1 plays an older
dobutsu, with a check rule.
"""

from __future__ import annotations

import importlib
import multiprocessing
import subprocess
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from types import ModuleType, TracebackType

from support.peers import find_program

START = "rbsgk/4p/5/P4/KGSBR b - 1"
PEER_NAMES = {  # our variant -> its name at both peers
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
    """Return the pyffish module; ImportError where it is not installed."""
    return importlib.import_module("pyffish")


def find_fairy_stockfish() -> str | None:
    """Return the path of the engine: on PATH or where Debian keeps games, None if it is in neither."""
    return find_program("fairy-stockfish")


# ---- Notation --------------------------------------------------------------------------------------------------------


def shape(sfen: str) -> tuple[int, int]:
    """Return files and ranks of the SFEN's or FEN's board."""
    rows = sfen.split()[0].split("[")[0].split("/")
    return sum(int(letter) if letter.isdigit() else letter != "+" for letter in rows[0]), len(rows)


def square_to_uci(square: str, files: int, ranks: int) -> str:
    """`2e` -> `d1` on five by five; the map is its own mirror but for the letters."""
    return chr(ord("a") + files - int(square[0])) + str(ranks - (ord(square[1]) - ord("a")))


def square_to_usi(square: str, files: int, ranks: int) -> str:
    """`d1` -> `2e` on five by five."""
    return str(files - (ord(square[0]) - ord("a"))) + chr(ord("a") + ranks - int(square[1]))


def move_to_uci(usi: str, files: int, ranks: int) -> str:
    """`2b2a+` -> `d4d5+`, `P*3c` -> `P@c3`."""
    if "*" in usi:
        piece, square = usi.split("*")
        return f"{piece}@{square_to_uci(square, files, ranks)}"
    return square_to_uci(usi[:2], files, ranks) + square_to_uci(usi[2:4], files, ranks) + usi[4:]


def move_to_usi(move: str, files: int, ranks: int) -> str:
    """`d4d5+` -> `2b2a+`, `P@c3` -> `P*3c`."""
    if "@" in move:
        piece, square = move.split("@")
        return f"{piece}*{square_to_usi(square, files, ranks)}"
    return square_to_usi(move[:2], files, ranks) + square_to_usi(move[2:4], files, ranks) + move[4:]


def sfen_to_fen(sfen: str) -> str:
    """`rbsgk/4p/5/P4/KGSBR b 2P 3` -> `rbsgk/4p/5/P4/KGSBR[PP] w 0 2`."""
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
    """Turn a FEN of pyffish into an SFEN, with its move number worked out from the number of full moves."""
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
    """Return pyffish's legal moves in USI after `moves` (USI) from `sfen`, pawn-drop mates included."""
    files, ranks = shape(sfen)
    played = [move_to_uci(usi, files, ranks) for usi in moves]
    found = pyffish().legal_moves(PEER_NAMES[variant], sfen_to_fen(sfen), played)
    return [move_to_usi(move, files, ranks) for move in found]


def legal_moves_of_many(sfens: Sequence[str], processes: int = 2, variant: str = "minishogi") -> list[list[str]]:
    """Return `legal_moves` of each position; a call takes 2 ms, hence the processes."""
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        return pool.map(partial(legal_moves, variant=variant), sfens, chunksize=250)


@dataclass(frozen=True)
class Verdict:
    """The end of a game: `winner` (None for a draw), why, and after how many plies it came.

    Reasons: checkmate, stalemate, max_plies, repetition (perpetual_check in minishogi-codingame when the side to move
    is in check); king_captured and goal in dobutsu; illegal_move and pawn_drop_mate, by which the mover loses.
    """

    winner: int | None
    reason: str
    plies: int


class Game:
    """A game that pyffish follows from `sfen`, ended by the rules of `variant`, one of PEER_NAMES."""

    def __init__(self, sfen: str = START, variant: str = "minishogi") -> None:
        if variant not in PEER_NAMES:
            raise ValueError(f"no referee for {variant}")
        self.sfen, self.variant, self.peer_name = sfen, variant, PEER_NAMES[variant]
        self.shape, self.fen = shape(sfen), sfen_to_fen(sfen)
        self.moves: list[str] = []  # as pyffish writes them
        self.first_turn, self.plies_before = "bw".index(sfen.split()[1]), int(sfen.split()[3]) - 1
        self.seen = Counter([self._placement()])

    @property
    def turn(self) -> int:
        """Return the side to move."""
        return (self.first_turn + len(self.moves)) % 2

    def legal_moves(self) -> list[str]:
        """Return the moves that pyffish allows, in USI, pawn-drop mates included."""
        return [move_to_usi(move, *self.shape) for move in self._legal()]

    def play(self, usi: str) -> Verdict | None:
        """Play one move and return how it ended the game, or None; an illegal move is not played."""
        mover, move = self.turn, move_to_uci(usi, *self.shape)
        if move not in self._legal():
            return Verdict(1 - mover, "illegal_move", len(self.moves))
        if self._is_pawn_drop_mate(move):
            return Verdict(1 - mover, "pawn_drop_mate", len(self.moves))
        self.moves.append(move)
        self.seen[self._placement()] += 1
        return self.verdict()

    def verdict(self) -> Verdict | None:
        """Return how the position on the board ends the game, or None."""
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
        """Ask pyffish who has won by the 4th occurrence; it does not say whether checks were the reason."""
        if self.seen[self._placement()] < 4:
            return None
        ended, value = pyffish().is_optional_game_end(self.peer_name, self.fen, self.moves)
        if not ended:
            raise AssertionError(f"pyffish sees no repetition: {self.fen} {' '.join(self.moves)}")
        return Verdict(self._winner(value), "repetition", plies)

    def _winner(self, value: int) -> int | None:
        """Return who wins by a value of pyffish, which is from the side to move's point of view."""
        return None if value == 0 else self.turn if value > 0 else 1 - self.turn

    def _legal(self) -> list[str]:
        return list(pyffish().legal_moves(self.peer_name, self.fen, self.moves))

    def _in_check(self) -> bool:
        return bool(pyffish().gives_check(self.peer_name, self.fen, self.moves))

    def _is_pawn_drop_mate(self, move: str) -> bool:
        """Tell whether pyffish calls the mate that a pawn drop gives a loss for the side that dropped."""
        after = [*self.moves, move]
        return (
            move.startswith("P@")
            and not pyffish().legal_moves(self.peer_name, self.fen, after)
            and bool(pyffish().game_result(self.peer_name, self.fen, after) > 0)
        )

    def _placement(self) -> str:
        """Return board, hands and side to move: the FEN without its counters."""
        return " ".join(pyffish().get_fen(self.peer_name, self.fen, self.moves).split()[:2])


def judge(moves: Sequence[str], sfen: str = START, variant: str = "minishogi") -> Verdict | None:
    """Return how the game of USI `moves` ends; the verdict comes at the first end, even if moves follow it."""
    game = Game(sfen, variant)
    verdict = game.verdict()
    for usi in moves:
        if verdict is not None:
            break
        verdict = game.play(usi)
    return verdict


# ---- Fairy-Stockfish -------------------------------------------------------------------------------------------------


class FairyStockfish:
    """A Fairy-Stockfish process that speaks USI and plays `variant`, one of PEER_NAMES."""

    def __init__(self, path: str, variant: str = "minishogi") -> None:
        name = PEER_NAMES[variant]
        self.process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
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
        """Return the lines up to the one that begins with `start`, inclusive; EOFError if the process ends first."""
        assert self.process.stdout is not None
        lines: list[str] = []
        for line in self.process.stdout:
            lines.append(line.strip())
            if line.startswith(start):
                return lines
        raise EOFError(f"fairy-stockfish ended before {start!r}")

    def divide(self, sfen: str, depth: int) -> dict[str, int]:
        """Return its `go perft`: the number of leaves behind each move (USI), pawn-drop mates included."""
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
