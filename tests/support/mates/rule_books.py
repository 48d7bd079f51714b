"""The rules with which mates are proven: the reference rules, or cshogi's rules, which are faster for 9x9 shogi."""

from __future__ import annotations

import importlib
from collections.abc import Hashable, Iterable, Iterator
from typing import Any, NamedTuple, Protocol

from oracles import shogi as oracle


class Standing(NamedTuple):
    """A position in the form that a `RuleBook` uses. `key` is equal for equal positions, and `inner` is the object with
    which the rule book represents the position."""

    key: Hashable
    inner: Any


class RuleBook(Protocol):
    """The rules of a variant. Moves are in USI notation; each comes with the position after the move."""

    def start(self, sfen: str) -> Standing:
        """Return the position that an SFEN describes."""

    def sfen(self, standing: Standing) -> str:
        """Return the SFEN of a position."""

    def checks(self, standing: Standing) -> Iterable[tuple[str, Standing]]:
        """Return the legal moves that give check."""

    def replies(self, standing: Standing) -> Iterable[tuple[str, Standing]]:
        """Return all legal moves."""


class Naive:
    """The rules of `oracles/shogi.py`."""

    def __init__(self, game: str) -> None:
        self.rules = oracle.RULES[game]

    def start(self, sfen: str) -> Standing:
        return self._standing(oracle.parse_sfen(self.rules, sfen))

    def sfen(self, standing: Standing) -> str:
        return oracle.write_sfen(standing.inner)

    def checks(self, standing: Standing) -> Iterator[tuple[str, Standing]]:
        return self._legal(standing, checks_alone=True)

    def replies(self, standing: Standing) -> Iterator[tuple[str, Standing]]:
        return self._legal(standing, checks_alone=False)

    def _legal(self, standing: Standing, checks_alone: bool) -> Iterator[tuple[str, Standing]]:
        for usi, after in oracle.legal_one_by_one(standing.inner, checks_alone):
            yield usi, self._standing(after)

    @staticmethod
    def _standing(position: oracle.Position) -> Standing:
        return Standing(position.key, position)


class Captures(Naive):
    """The rules of `oracles/shogi.py` for a variant that is won by capturing the king. The attacker may play every move
    that does not lose at once. A position without replies is won by the attacker."""

    def checks(self, standing: Standing) -> Iterator[tuple[str, Standing]]:
        return ((usi, after) for usi, after in self.replies(standing) if not self.lost_by_move(after))

    @staticmethod
    def lost_by_move(after: Standing) -> bool:
        """Return whether the move that led to a position has lost the game for the side that played it."""
        end = oracle.decided(after.inner)
        return end is not None and end.winner == after.inner.turn


class Cshogi:
    """cshogi's rules of 9x9 shogi. Raises ImportError if cshogi is not installed."""

    def __init__(self) -> None:
        self._cshogi: Any = importlib.import_module("cshogi")
        self._board = self._cshogi.Board()

    def start(self, sfen: str) -> Standing:
        self._board.set_sfen(sfen)
        return self._standing()

    def sfen(self, standing: Standing) -> str:
        return str(standing.inner)

    def checks(self, standing: Standing) -> list[tuple[str, Standing]]:
        return self._legal(standing, checks_alone=True)

    def replies(self, standing: Standing) -> list[tuple[str, Standing]]:
        return self._legal(standing, checks_alone=False)

    def _legal(self, standing: Standing, checks_alone: bool) -> list[tuple[str, Standing]]:
        board, found = self._board, list[tuple[str, Standing]]()
        board.set_sfen(standing.inner)
        for move in list(board.legal_moves):
            board.push(move)
            if not checks_alone or board.is_check():
                found.append((self._cshogi.move_to_usi(move), self._standing()))
            board.pop()
        return found

    def _standing(self) -> Standing:
        sfen = self._board.sfen()
        return Standing(sfen.rsplit(" ", 1)[0], sfen)


def rule_book(name: str, game: str) -> RuleBook:
    """Return cshogi's rules if `name` is `cshogi`, otherwise the reference rules of the variant `game`."""
    return Cshogi() if name == "cshogi" else Naive(game)
