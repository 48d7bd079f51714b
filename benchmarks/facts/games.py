"""Games of the engine against itself: who wins, how long games are, and how many moves there are."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from statistics import mean, quantiles
from typing import Any

from benchmarks.searched_positions import best_lines
from benchmarks.self_play import adjusted_white, play, whites_points
from kogoma.arena.random_start import random_start
from kogoma.lab.journals.match_journal import GameRecord
from kogoma.lab.stats.statistics import first_mover
from kogoma.output_file import write_file
from kogoma.rules.base_position import BasePosition
from kogoma.rules.position import new_position
from kogoma.rules.variants import Variant
from kogoma.search.limits import Limits
from kogoma.search.search import Info
from kogoma.search.searcher import Searcher
from kogoma.search.winning_chance import winning_chance

PLIES = 6  # of an opening
LINES = 6  # a move of an opening is among this many best ones,
GIVEN_AWAY = 0.05  # and gives away at most this much of the winning chance,
TRIES, MORE = 20, 1.5  # or MORE times as much if TRIES openings in a row were not new
HASH = 16  # MB
LONGEST = 150  # moves by each side; then a game is a draw


def self_play(folder: Path, variant: Variant, nodes: int, games: int) -> dict[str, Any]:
    """Play at most `games` games, with a number of nodes for each move, and return what they show."""
    openings = folder / f"{variant.name}-openings-{nodes}-{games}.txt"
    if not openings.exists():
        lines, allowed = make_openings(variant, nodes, games)
        write_file(openings, "".join(f"{line}\n" for line in [f"# {allowed}", *lines]))
    head, *lines = openings.read_text(encoding="utf-8").splitlines()
    count = games if variant.die else len(lines)
    flags = ["-variant", variant.name, "-noswap", "-maxmoves", str(LONGEST), "-games", str(count)]
    flags += ["-each", f"nodes={nodes}", f"option.USI_Hash={HASH}", "option.UseTablebase=false"]
    journal = folder / f"{variant.name}-games-{nodes}-{games}.jsonl"
    played = play(journal, [*flags, "-openings", f"file={openings}", "order=sequential"])
    settings = {"nodes": nodes, "asked": games, "given_away": float(head.removeprefix("# "))}
    return {**settings, **who_won(played), **described(variant, played)}


def make_openings(variant: Variant, nodes: int, count: int) -> tuple[list[str], float]:
    """Return at most `count` different openings: random ones of the moves that a search finds to be good. Also return
    how much of the winning chance a move may give away. It becomes more when there are no other openings. With a die
    all games begin at the start position, because the rolls make them different."""
    if variant.die:
        return [variant.start], 0.0
    rng, good, found = random.Random(variant.name), GoodMoves(variant, nodes), dict[str, None]()
    allowed, useless = GIVEN_AWAY, 0
    while len(found) < count and allowed <= 1:
        line = _opening(variant, good, rng, allowed)
        useless = useless + 1 if line in found else 0
        found[line] = None
        if useless == TRIES:
            allowed, useless = round(MORE * allowed, 3), 0
    return list(found), allowed


class GoodMoves:
    """The good moves of positions, found by searches. A position is searched once."""

    def __init__(self, variant: Variant, nodes: int) -> None:
        self._variant, self._limits = variant, Limits(nodes=nodes)
        self._searcher = Searcher(HASH, variant=variant)
        self._known: dict[str, list[tuple[str, float]]] = {}

    def of(self, position: BasePosition, allowed: float) -> list[str]:
        """Return the moves of a position that give away at most `allowed` of the winning chance."""
        sfen = position.sfen()
        if sfen not in self._known:
            lines = best_lines(self._searcher, position, self._limits, LINES)
            best = _chance(lines[0], self._variant)
            self._known[sfen] = [(line.pv[0], best - _chance(line, self._variant)) for line in lines]
        return [move for move, given_away in self._known[sfen] if given_away <= allowed]


def _opening(variant: Variant, good: GoodMoves, rng: random.Random, allowed: float) -> str:
    start = random_start(variant, rng)
    position = new_position(variant, start)
    while len(position.moves) < PLIES and position.outcome() is None:
        position.push(rng.choice(good.of(position, allowed)))
    if position.outcome() is not None:
        position.pop()
    return f"sfen {start} moves {' '.join(position.moves)}"


def _chance(line: Info, variant: Variant) -> float:
    """Return the winning chance of the side to move."""
    return winning_chance(line.score, variant.name) if line.score_kind == "cp" else float(line.score > 0)


def who_won(games: list[GameRecord]) -> dict[str, Any]:
    """Return how many games Black won, were drawn, and White won, and White's score with its interval; with a die
    without the luck of the rolls."""
    points, white = whites_points(games), adjusted_white(games)
    if white is None:
        raise SystemExit("no game was played")
    score = [white.score, white.score_low, white.score_high]
    return {"results": [points[0.0], points[0.5], points[1.0]], "white": [round(part, 4) for part in score]}


def described(variant: Variant, games: list[GameRecord]) -> dict[str, Any]:
    """Return what happens in games: length, numbers of legal moves, shares of captures and drops, ends, the longest
    mate. Placements before the play are not counted as moves, but in the length."""
    lengths, numbers = list[int](), list[int]()
    kinds, most, mate = Counter[int](), (0, ""), (0, "")
    for game in games:
        position, moves = new_position(variant, game["start"]), [*game["book"], *game["moves"]]
        first = first_mover(game)
        for ply, move in enumerate(moves):
            before = position.sfen()
            if position.ply >= variant.placements:
                numbers.append(len(position.legal_codes()))
                most = max(most, (numbers[-1], before), key=lambda one: one[0])
            if plies := _mate(game, ply - len(game["book"]), first):
                mate = max(mate, (plies, before), key=lambda one: one[0])
            position.push(move)
            if position.ply > variant.placements:
                kinds[_pieces(position.sfen()) - _pieces(before)] += 1
        lengths.append(len(moves))
    return {
        "plies": _quartiles(lengths),
        "moves": _quartiles(numbers),
        "mean_moves": round(mean(numbers), 1),
        "most": most,
        "captures": round(kinds[-1] / kinds.total(), 4),
        "drops": round(kinds[1] / kinds.total(), 4),
        "ends": dict(Counter(game["reason"] for game in games).most_common()),
        "mate": mate,
    }


def _quartiles(values: list[int]) -> list[float]:
    """Return the least value, the quartiles, and the largest value."""
    inner = quantiles(values, n=4, method="inclusive") if len(values) > 1 else values * 3
    return [min(values), *inner, max(values)]


def _mate(game: GameRecord, index: int, first: int) -> int:
    """Return in how many plies the side that played a move of a game said to mate, if it did so in that many plies;
    otherwise 0."""
    score = game["scores"][index] if index >= 0 else None
    if score is None or score.kind != "mate" or game["winner"] != (first + index) % 2:
        return 0
    return score.value if score.value >= len(game["moves"]) - index else 0


def _pieces(sfen: str) -> int:
    """Return the number of pieces on the board."""
    return sum(character.isalpha() for character in sfen.split()[0])
