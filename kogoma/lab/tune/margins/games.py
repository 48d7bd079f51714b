"""One game between two sets of margins, at fixed nodes, in a worker process."""

from __future__ import annotations

import threading

from kogoma.lab.match.openings import Opening
from kogoma.lab.tune.selfplay import MOST_SCORE
from kogoma.lab.tune.thinker import Thinker, longest_game
from kogoma.rules.position import new_position
from kogoma.rules.variants import Variant, find
from kogoma.search.margins.values import Margins
from kogoma.search.worker import TuningWorker

Players = tuple[Thinker, Thinker]


def play_game(variant: str, opening: Opening, black: Margins, white: Margins, nodes: int) -> int:
    """Who wins: 1 Black, -1 White, 0 nobody. Needs a tuning build (`search.margins.values`)."""
    game = find(variant)
    position, players = new_position(game, opening.start), _players(game)
    for usi in opening.book:
        position.push(usi)
    for player, margins in zip(players, (black, white)):
        assert isinstance(player.worker, TuningWorker)
        player.worker.use(margins)
        player.forget()
    limit = longest_game(game)
    while (end := position.outcome()) is None and position.ply < limit:
        if position.may_declare():
            return _points(position.turn)
        score, move = players[position.turn].search(position, nodes)
        if abs(score) > MOST_SCORE:
            return _points(position.turn if score > 0 else 1 - position.turn)
        position.push(position.usi(move))
    return 0 if end is None or end.winner is None else _points(end.winner)


def _points(winner: int) -> int:
    return -1 if winner else 1


_kept = threading.local()


def _players(variant: Variant) -> Players:
    """This process's players of a game."""
    known: dict[str, Players] = _kept.__dict__
    if variant.name not in known:
        known[variant.name] = Thinker(variant), Thinker(variant)
    return known[variant.name]
