"""Luck-adjusted scores of matches with a die."""

from __future__ import annotations

import json
import math
import random
import statistics
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from kogoma.lab.journals.match_journal import GameRecord, RecordError, game_record
from kogoma.lab.match.luck import LuckMeter
from kogoma.lab.match.play import rolls
from kogoma.lab.stats.sprt import Sprt, Stopping, expected_score
from kogoma.lab.stats.statistics import NORMALISED_ELO, tally
from kogoma.rules.dice.die import allowed
from kogoma.rules.position import new_position
from kogoma.rules.variants import FACES, find
from kogoma.search.dice.curve import FULL, TABLED, chance_curve
from kogoma.search.limits import Limits
from kogoma.search.searcher import Searcher
from support.lab_runs import finish, lasting, read_games

pytestmark = pytest.mark.slow

PLAIN: dict[str, Any] = {"variant": "dice", "start": find("dice").start, "moves": [], "reason": "checkmate"}


def record(game: int = 0, winner: int | None = 0, first: str = "a", **more: Any) -> GameRecord:
    """Return the record of a game between a and b, of which `first` plays Black."""
    names = {"black": first, "white": "b" if first == "a" else "a"}
    return game_record({"game": game, "pair": game // 2, "winner": winner, **names, **PLAIN, **more})


def seed_of(*wanted: int) -> int:
    """Return a seed whose first rolls are the wanted ones."""
    return next(seed for seed in count() if all(roll == want for roll, want in zip(rolls(seed), wanted)))


def middle_game(variant: str, plies: int, seed: int) -> tuple[list[str], list[int]]:
    """Return random moves and their rolls, after which the game is not over."""
    while True:
        position, moves, thrown = new_position(find(variant)), list[str](), list[int]()
        for roll, _ in zip(rolls(seed), range(plies)):
            if position.outcome() is None:
                moves.append(random.Random(f"{seed} {len(moves)}").choice(sorted(allowed(position, roll))))
                thrown.append(roll)
                position.push(moves[-1])
        if position.outcome() is None:
            return moves, thrown
        seed += 1


@pytest.mark.parametrize("variant", ["dice", "dice-hyper"])
def test_the_values_of_faces_are_those_of_searches_after_the_roll(variant: str) -> None:
    """Compare them at depth 1, where the search before the roll reduces nothing."""
    one, other = (Searcher(1, 1, find(variant)) for _ in range(2))
    compared = 0
    for seed in range(0, 2000, 100):
        moves, _ = middle_game(variant, seed // 100, seed)
        position = new_position(find(variant))
        for usi in moves:
            position.push(usi)
        one.new_game()
        values = one.roll_values(position, 1)
        if len(set(values)) == 1:
            continue
        for face, value in enumerate(values, 1):
            found = other.search(position, Limits(depth=1, dice=face))
            centipawns = found.score if found.score_kind == "cp" else (1 << 20) * found.score
            curve = chance_curve()[min(abs(centipawns), TABLED - 1)]
            expected = (math.copysign(curve, centipawns) / FULL + 1) / 2
            assert value == pytest.approx(expected, abs=0.03 if found.score_kind == "mate" else 2e-3)
            compared += 1
    assert compared > 60


@pytest.mark.parametrize("plies", [0, 1, 2])
def test_the_luck_of_all_faces_sums_to_zero(plies: int) -> None:
    """Check it for the last roll, after which an engine resigned without a move. The luck must then also differ between
    the faces, and be that of the side to move."""
    meter = LuckMeter(find("dice"), 2)
    moves, thrown = middle_game("dice", plies, 11)
    before = [0.0] * FACES
    lucks = [
        meter.luck(record(moves=moves, seed=seed_of(*thrown, face), reason="resign")) for face in range(1, FACES + 1)
    ]
    if plies:  # the luck of the rolls before is the same for each face
        before = [statistics.fmean(lucks)] * FACES
    gains = [luck - earlier for luck, earlier in zip(lucks, before)]
    assert sum(gains) == pytest.approx(0, abs=1e-3)
    assert max(gains) > 0.001
    best = max(gains) if plies % 2 == 0 else -min(gains)
    last = gains[-1] if plies % 2 == 0 else -gains[-1]
    assert last == pytest.approx(best, abs=2e-4)  # a 6 allows every move, so it is the best of all rolls


def test_the_luck_of_a_game_depends_on_the_game_alone() -> None:
    games = []
    for seed in range(3):
        moves, _ = middle_game("dice", 12, 100 * seed)
        games.append(record(moves=moves, seed=100 * seed))
    meter = LuckMeter(find("dice"), 3)
    forwards = [meter.luck(game) for game in games]
    assert [meter.luck(game) for game in reversed(games)] == forwards[::-1]
    assert [LuckMeter(find("dice"), 3).luck(game) for game in games] == forwards
    assert len(set(forwards)) == 3


def test_rolls_without_influence_bring_no_luck() -> None:
    # In this variant, the side that is in check may make every move, whatever it rolls.
    start = "4k/4R/5/4p/K3G w - 1"
    hyper = LuckMeter(find("dice-hyper"), 2)
    assert new_position(find("dice-hyper"), start).in_check
    for face in range(1, FACES + 1):
        assert hyper.luck(record(variant="dice-hyper", start=start, seed=seed_of(face), reason="time")) == 0


def test_scores_are_adjusted_by_luck() -> None:
    games = [
        record(0, 0, "a", luck=0.4),  # a won with luck: 0.6
        record(1, 0, "b", luck=-0.1),  # b won without it, so a had the luck 0.1: -0.1
        record(2, 1, "a", luck=-0.5),  # a lost by bad luck: 0.5
        record(3, None, "b"),  # its luck is unknown: 0.5
        record(4, 0, "a", luck=0.25),  # without a second game: 0.75
    ]
    for order in (games, games[::-1]):
        found = tally(order, "a").adjusted()
        assert found is not None and found.games == 5
        mean = (0.6 - 0.1 + 0.5 + 0.5 + 0.75) / 5
        assert found.score == pytest.approx(mean)
        assert found.variance == pytest.approx((0.5 - 2 * mean) ** 2 + (1.0 - 2 * mean) ** 2 + (0.75 - mean) ** 2)
        estimate, other = tally(order, "a").adjusted_estimate(), tally(order, "b").adjusted_estimate()
        assert estimate is not None and other is not None
        assert estimate.score == pytest.approx(1 - other.score) and estimate.low == pytest.approx(-other.high)
        half = 1.96 * found.variance**0.5 / 5
        assert estimate.score_high - estimate.score == pytest.approx(half, rel=1e-3)
    without = [record(number, number % 2, "ab"[number // 2 % 2]) for number in range(8)]
    assert tally(without, "a").adjusted() is None and tally(without, "a").adjusted_estimate() is None


@pytest.mark.parametrize("model", ["logistic", "normalized"])
@pytest.mark.parametrize("truth", ["H0", "H1"])
def test_error_rates_of_the_adjusted_sprt(model: str, truth: str) -> None:
    """Play 200 invented matches whose true Elo is that of a hypothesis. At most one in ten may be decided wrongly (5%
    are expected), and they must be much shorter than without luck."""
    rng = random.Random(f"{model} {truth}")
    test = Sprt(0, 30, model=model, luck=True)
    elo = 0.0 if truth == "H0" else 30.0
    score = expected_score(elo) if model == "logistic" else 0.5 + elo / NORMALISED_ELO / 2
    verdicts, lengths = [], []
    for _ in range(200):
        stopping = Stopping(test, "a", 2)
        for game in range(3000):
            adjusted = rng.gauss(score, 0.15)
            winner = int(rng.random() > score)
            first = "ab"[game % 2]
            luck = (1 - winner) - adjusted
            winner, luck = (winner, luck) if first == "a" else (1 - winner, -luck)
            stopping.add(record(game, winner, first, luck=luck, moves=[str(game)]))  # no two are the same
            if stopping.is_decided():
                break
        assert stopping.state is not None
        verdicts.append(stopping.state.verdict)
        lengths.append(game + 1)
    assert verdicts.count(truth) >= 180, verdicts
    assert statistics.mean(lengths) < 150  # without luck some 700


@pytest.mark.long
def test_a_match_stores_luck_and_goes_on_with_it(tmp_path: Path) -> None:
    flags = "-variant dice -engine name=one nodes=400 -engine name=two nodes=20 -each option.USI_Hash=1".split()
    told = finish(tmp_path, *flags, "-games", "12", "-out", "m.jsonl")
    assert "luck-adjusted" in told and " instead of " in told
    games = read_games(tmp_path / "m.jsonl")
    meter = LuckMeter(find("dice"), 3)
    assert [game["luck"] for game in games] == [meter.luck(game_record(game)) for game in games]
    lines = (tmp_path / "m.jsonl").read_text().splitlines(keepends=True)
    # An older match without luck, resumed: games that lack it count, too.
    old = [
        json.dumps({name: value for name, value in json.loads(line).items() if name != "luck"}) for line in lines[1:7]
    ]
    (tmp_path / "old.jsonl").write_text(lines[0] + "\n".join(old) + "\n")
    assert "luck-adjusted" in finish(tmp_path, "--resume", "old.jsonl")
    resumed = read_games(tmp_path / "old.jsonl")
    assert lasting(resumed[6:]) == lasting(games[6:]) and "luck" not in resumed[0]
    finish(tmp_path, "m.jsonl", command="report")
    page = (tmp_path / "m.html").read_text()
    counted = tally([game_record(game) for game in games], "one").adjusted_estimate()
    assert counted is not None and "Luck-adjusted score" in page and f"{counted.score:.1%}" in page
    assert "luck" not in finish(tmp_path, *flags, "-games", "2", "-luck", "0", "-out", "none.jsonl")
    assert "luck" not in read_games(tmp_path / "none.jsonl")[0]


@pytest.mark.long
def test_an_adjusted_sprt_stops_a_match_and_is_resumed(tmp_path: Path) -> None:
    flags = "-variant dice -engine name=one nodes=2000 -engine name=two nodes=10 -each option.USI_Hash=1".split()
    told = finish(tmp_path, *flags, *"-sprt elo0=0 elo1=100 luck=on -out m.jsonl".split())
    assert "luck-adjusted, alpha 0.05" in told and "H1 accepted" in told, told
    games = len(read_games(tmp_path / "m.jsonl"))
    assert 40 <= games < 200
    assert "H1 accepted" in finish(tmp_path, "--resume", "m.jsonl")
    assert len(read_games(tmp_path / "m.jsonl")) == games
    finish(tmp_path, "m.jsonl", command="report")
    assert "H1 accepted" in (tmp_path / "m.html").read_text()


@pytest.mark.long
def test_luck_explains_most_of_the_results_of_equal_engines(tmp_path: Path) -> None:
    flags = "-variant dice -engine name=one -engine name=two -each nodes=2000 option.USI_Hash=1 -repeat 1 -games 50"
    finish(tmp_path, *flags.split(), "-out", "m.jsonl")
    games = read_games(tmp_path / "m.jsonl")
    raw = [0.5 if game["winner"] is None else 1.0 - game["winner"] for game in games]
    adjusted = [points - game["luck"] for points, game in zip(raw, games)]
    assert statistics.stdev(adjusted) < statistics.stdev(raw) / 3
    assert statistics.mean(adjusted) == pytest.approx(0.5, abs=0.1)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("-variant minishogi -luck 2", "minishogi is played without a die"),
        ("-sprt elo0=0 elo1=5 luck=on", "minishogi is played without a die"),
        ("-variant dice -sprt elo0=0 elo1=5 luck=on -luck 0", "-sprt luck=on needs the luck of the rolls"),
        ("-variant dice -luck 11", "-luck needs a whole number from 0 to 10"),
        ("-variant dice -sprt elo0=0 elo1=5 luck=3", "luck= must be on or off"),
    ],
)
def test_luck_needs_a_die(words: str, told: str, tmp_path: Path) -> None:
    flags = "-engine name=one -engine name=two -each nodes=1 -games 2 -out m.jsonl".split()
    assert told in finish(tmp_path, *flags, *words.split(), code=2)


def test_luck_in_a_journal_is_a_number() -> None:
    assert record(luck=1)["luck"] == 1
    for wrong in ("much", None, [1], True, 1e300):
        with pytest.raises(RecordError, match="'luck'"):
            record(luck=wrong)
