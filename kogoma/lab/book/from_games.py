"""What games want of a book: their positions searched, and the best moves there followed, most visited ones first.

So a book learns from what is really played against it, replies included that its own searches never looked at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

from kogoma.lab.book.tree import DECIDED, Store, Tree
from kogoma.lab.journals.match_journal import RecordError, read_records
from kogoma.lab.match.flags import WordsError
from kogoma.rules.position import new_position
from kogoma.rules.variants import Variant
from kogoma.search.book.book import key_of

Game = list[tuple[str, str]]
"""A game's positions as SFENs, each with the move that led to it; the first one's is ""."""


class Played:
    """Games, as far as a book is concerned with them: their first `plies` plies."""

    def __init__(self, games: Iterable[Game]) -> None:
        self._games = list(games)

    def next(self, tree: Tree, busy: Iterable[str]) -> str | None:
        """The SFEN to search next, none of the keys in `busy`: what most games want; None where nothing is left."""
        taken = set(busy)
        counts = Counter[str]()
        sfens: dict[str, str] = {}
        for game in self._games:
            sfen = _wanted(game, tree)
            if sfen and key_of(sfen) not in taken:
                counts[key_of(sfen)] += 1
                sfens.setdefault(key_of(sfen), sfen)
        if not counts:
            return None
        most = max(counts.values())
        return min((sfens[key] for key in counts if counts[key] == most), key=_number)

    def link(self, store: Store) -> None:
        """Keep the moves between searched positions that the searches have not named."""
        for game in self._games:
            for (before, _), (sfen, move) in pairwise(game):
                if key_of(before) in store.tree.lines and key_of(sfen) in store.tree.lines:
                    store.link(before, move, sfen)


def _wanted(game: Game, tree: Tree) -> str | None:
    """What a game asks of the tree first: the best move followed, in every position that it came to, then its first
    position that was not searched. None if there is nothing, or the tree knows the move that was played and calls the
    game decided."""
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


def _number(sfen: str) -> int:
    return int(sfen.split()[3])


def read_games(paths: Iterable[Path], variant: Variant, plies: int) -> Played:
    """The games of a variant in matches' records, each as far as `plies` plies. WordsError for a file that holds no
    games, or an impossible one."""
    games: list[Game] = []
    for path in paths:
        try:
            records = read_records(path).games
        except OSError as error:
            raise WordsError(f"cannot read {path}: {error.strerror}") from None
        except RecordError as error:
            raise WordsError(str(error)) from None
        for record in records:
            if record["variant"] != variant.name:
                continue
            position = new_position(variant, record["start"])
            game = [(position.sfen(), "")]
            try:
                for move in [*record["book"], *record["moves"]][:plies]:
                    position.push(move)
                    game.append((position.sfen(), move))
            except ValueError as error:
                raise WordsError(f"{path}: game {record['game']}: {error}") from None
            games.append(game)
    return Played(games)
