"""Choose positions from games to search for a book; those that occur in most games come first.

The book then contains replies that opponents really play, even if its own searches did not consider them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

from kogoma.console.streams import tell
from kogoma.japanese import message
from kogoma.lab.book.tree import DECIDED, Store, Tree
from kogoma.lab.journals.journal import raising
from kogoma.lab.journals.match_journal import read_records
from kogoma.lab.tune.store import DataError
from kogoma.rules.position import new_position
from kogoma.rules.variants import Variant
from kogoma.search.book.book import key_of

Game = list[tuple[str, str]]
"""The positions of a game: SFEN and the move that led to it ("" for the first position)."""


class BookGames:
    """The first plies of games, from which a book learns."""

    def __init__(self, games: Iterable[Game]) -> None:
        self._games = list(games)

    def next(self, tree: Tree, busy: Iterable[str]) -> str | None:
        """Return the SFEN to search next, or None if no game needs a search. Each game needs at most one position now
        (see `_next_position`); the position that most games need is returned. Positions with a key in `busy` are
        skipped."""
        taken = set(busy)
        counts = Counter[str]()
        sfens: dict[str, str] = {}
        for game in self._games:
            sfen = _next_position(game, tree)
            if sfen and key_of(sfen) not in taken:
                counts[key_of(sfen)] += 1
                sfens.setdefault(key_of(sfen), sfen)
        if not counts:
            return None
        most = max(counts.values())
        return min((sfens[key] for key in counts if counts[key] == most), key=lambda sfen: int(sfen.split()[3]))

    def link(self, store: Store) -> None:
        """Extend the tree in `store` by moves of the games that the search did not return. Only moves from one searched
        position to another are added."""
        for game in self._games:
            for (before, _), (sfen, move) in pairwise(game):
                if key_of(before) in store.tree.lines and key_of(sfen) in store.tree.lines:
                    store.link(before, move, sfen)


def _next_position(game: Game, tree: Tree) -> str | None:
    """Return the SFEN of the first position that `game` needs and `tree` lacks, or None. A game needs its own
    positions, beginning with the first one that is in the tree, and the position after the best move in each of them.
    It needs no position after a decided score, unless its next move is not in the tree."""
    inside = False
    for number, (sfen, _) in enumerate(game):
        lines = tree.lines.get(key_of(sfen))
        if lines is None:
            if inside:
                return sfen
            continue
        inside = True
        if not lines:
            return None
        if abs(tree.values[key_of(sfen)]) >= DECIDED:
            played = game[number + 1][1] if number + 1 < len(game) else ""
            if not played or any(one.move == played for one in lines):
                return None
            continue
        best = max(lines, key=tree.worth).child
        if best and key_of(best) not in tree.lines:
            return best
    return None


def read_games(paths: Iterable[Path], variant: Variant, plies: int) -> BookGames:
    """Return the variant's games in match journals, each cut off after `plies` plies. Invalid lines are skipped, with a
    warning on standard error. Raises DataError or RecordError if a file is invalid."""
    games: list[Game] = []
    for path in paths:
        with raising(DataError, f"read {path}"):
            found = read_records(path)
        if found.warning:
            tell(f"book: {message(found.warning)}")
        for record in found.games:
            if record["variant"] != variant.name:
                continue
            try:
                position = new_position(variant, record["start"])
                game = [(position.sfen(), "")]
                for move in [*record["book"], *record["moves"]][:plies]:
                    position.push(move)
                    game.append((position.sfen(), move))
            except ValueError as error:
                raise DataError(f"{path}: game {record['game']}: {error}") from None
            games.append(game)
    return BookGames(games)
