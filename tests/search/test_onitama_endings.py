"""Onitama's endings: their values compared with the plain rules, a solver and a search in plain Python; the engine's
answers."""

from __future__ import annotations

import random
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from itertools import combinations, permutations
from typing import Any

import numpy as np
import pytest

from kogoma.api.position import Position
from kogoma.rules.position import new_position
from kogoma.search.endings import tables
from kogoma.search.limits import Limits, SearchOptions
from kogoma.search.search import Info
from kogoma.search.searcher import Searcher
from kogoma.search.tablebase.onitama.values import Endings
from kogoma.search.tablebase.root import known_moves
from oracles import onitama as onitama_oracle
from oracles.onitama_positions import Plain, forced_loss, forced_win, plain_moves, plain_sfen
from support import scope
from support.usi_client import UsiClient, until

if sys.platform != "win32":
    import resource

pytestmark = pytest.mark.slow

SQUARES = [(x, y) for x in range(5) for y in range(5)]
GOALS = (2, 4), (2, 0)  # of the masters of Black and White
Board = tuple[tuple[tuple[int, int], str], ...]
Cards = tuple[int, ...]
CARDS = (2, 6, 9, 10, 15)
SETS = (CARDS, (1, 3, 4, 7, 12), (0, 5, 8, 11, 14))
ENDING = "m4/5/5/s2M1/5 b 2,10/6,15/9 1"  # with CARDS; one move wins, in 17 plies
FOUR_MEN = "2m2/5/1s3/5/2M1S b 10,15/2,9/6 1"


@cache
def endings(cards: Cards, men: int) -> Endings:
    """Return the endings of five cards."""
    found = Endings(cards, men)
    assert found.solve()
    return found


def boards(men: int) -> Iterator[Board]:
    """Yield all boards with two or three men on which the game has not ended."""
    for black, white in permutations(SQUARES, 2):
        if black != GOALS[0] and white != GOALS[1]:
            masters = [(black, "M"), (white, "m")]
            yield tuple(sorted(masters))
            if men == 3:
                for square in SQUARES:
                    if square not in (black, white):
                        yield tuple(sorted([*masters, (square, "S")]))
                        yield tuple(sorted([*masters, (square, "s")]))


def turned(board: Board) -> Board:
    """Return a board as the other side sees it."""
    return tuple(sorted(((4 - x, 4 - y), piece.swapcase()) for (x, y), piece in board))


def solved(cards: Cards, men: int) -> tuple[list[Board], dict[tuple[Cards, Cards], Any]]:
    """Solve all positions with at most two or three men and Black to move. Return the boards, and for each way to deal
    the cards (Black's, White's) the values of all boards: plies to the end, positive if the side to move wins; 0 for a
    draw. In each round, all values are computed from those of the round before."""
    every = list(boards(men))
    numbers = {board: number for number, board in enumerate(every)}
    most = 4 * (men - 1)  # moves with a card
    wins = {card: np.zeros(len(every), bool) for card in cards}
    after = {card: np.full((len(every), most), len(every)) for card in cards}
    for number, board in enumerate(every):
        for pair in (cards[:2], cards[2:4], cards[3:]):
            moves = plain_moves(Plain(board, (pair, (), (-1,)), 0))
            for card in pair:
                own = [(end, following) for name, following, end in moves if name.startswith(f"{card}:")]
                wins[card][number] = any(end for end, _ in own)
                others = [numbers[turned(following.board)] for end, following in own if not end]
                after[card][number, : len(others)] = others
    deals: list[tuple[Cards, Cards]] = [
        (hand, other)
        for hand in combinations(cards, 2)
        for other in combinations([card for card in cards if card not in hand], 2)
    ]
    values = {deal: np.zeros(len(every) + 1, int) for deal in deals}  # the last value is that of "no move"
    for plies in range(1, 200):
        found: dict[tuple[Cards, Cards], Any] = {}
        for hand, other in deals:
            (centre,) = {*cards} - {*hand, *other}
            lost, won = np.ones(len(every), bool), np.zeros(len(every), bool)
            for card in hand:
                following = values[other, tuple(sorted({*hand, centre} - {card}))][after[card]]
                absent = after[card] == len(every)
                lost &= (absent | (following > 0)).all(axis=1) & ~wins[card]
                won |= (~absent & (following < 0)).any(axis=1) | (wins[card] if plies == 1 else False)
            new = (lost if plies % 2 == 0 else won) & (values[hand, other][:-1] == 0)
            found[hand, other] = np.append(new, False)
        if plies > 2 and not any(new.any() for new in found.values()):
            break
        for deal, new in found.items():
            values[deal][new] = plies if plies % 2 else -plies
    return every, {deal: found[:-1] for deal, found in values.items()}


def check_whole_table(cards: Cards, men: int, step: int) -> None:
    """Compare the values of all positions with those of a solver in plain Python: how many positions have each value,
    and the value of every `step`-th position."""
    table, (every, values) = endings(cards, men), solved(cards, men)
    whole = np.abs(np.concatenate([*values.values()]))
    assert np.bincount(whole).tolist() == table.counts()
    for index, (hand, other) in enumerate(values):
        centre = tuple({*cards} - {*hand, *other})
        for number in range(index % step, len(every), step):
            black = Plain(every[number], (hand, other, centre), 0)
            white = Plain(turned(every[number]), (other, hand, centre), 1)
            for position in (black, white):
                found = table.value(new_position("onitama", plain_sfen(position)))
                assert found == values[hand, other][number], plain_sfen(position)


def test_all_positions_of_two_masters() -> None:
    check_whole_table(SETS[1], 2, 7)


@pytest.mark.long
@pytest.mark.parametrize("cards", SETS)
def test_all_positions_with_three_men(cards: Cards) -> None:
    check_whole_table(cards, 3, 200)


def random_ending(rng: random.Random, cards: Cards, men: int) -> Plain:
    """Return a position that has not ended, with `men` men."""
    while True:
        squares = rng.sample(SQUARES, men)
        pieces = dict(zip(squares, ["M", "m", *(rng.choice("Ss") for _ in range(men - 2))]))
        if squares[0] != GOALS[0] and squares[1] != GOALS[1]:
            dealt = rng.sample(cards, 5)
            hands = tuple(sorted(dealt[:2])), tuple(sorted(dealt[2:4])), (dealt[4],)
            return Plain(tuple(sorted(pieces.items())), hands, rng.randrange(2))


def check_random_positions(number: int, most: int, plies: int) -> None:
    """Check random positions with at most `most` men: each value is the best of those after the moves by the plain
    rules, and a search in plain Python finds the same wins and losses within `plies` plies."""
    rng = random.Random(5)
    found: dict[int | None, int] = defaultdict(int)
    for index in range(number):
        table = endings(SETS[index % len(SETS)], most)
        position = random_ending(rng, table.cards, rng.randint(2, most))
        sfen = plain_sfen(position)
        value = table.value(new_position("onitama", sfen))
        after = []
        for _, following, wins in plain_moves(position):
            known = -1 if wins else table.value(new_position("onitama", plain_sfen(following)))
            assert known is not None, plain_sfen(following)
            after.append(1 if wins else 0 if known == 0 else -known - 1 if known > 0 else 1 - known)
        best = max(after, key=lambda one: (1000 - one) if one > 0 else (-1000 - one if one < 0 else 0))
        assert value == best, sfen
        win, loss = forced_win(position, plies), forced_loss(position, plies - 1)
        searched = win if win is not None else -loss if loss is not None else None
        assert searched == (value if value is not None and -plies < value <= plies and value else None), sfen
        found[value] += 1
    assert len(found) > 8


def test_a_side_with_at_most_four_men_can_move_one() -> None:
    """Check that a side does not pass in these endings. Only its own men can be in its way."""
    for men in range(1, 5):
        for held in combinations(SQUARES, men):
            stuck = [card for card, moves in onitama_oracle.cards().items() if not can_step(held, moves)]
            assert len(stuck) < 2, (held, stuck)


def can_step(held: tuple[onitama_oracle.Square, ...], steps: list[onitama_oracle.Square]) -> bool:
    """Return whether a step leads from one of the squares to another square of the board."""
    return any((x + dx, y + dy) in SQUARES and (x + dx, y + dy) not in held for x, y in held for dx, dy in steps)


def test_random_positions() -> None:
    check_random_positions(60, 3, 3)


@pytest.mark.long
def test_2000_random_positions() -> None:
    check_random_positions(2000, 4, 3)


def test_distances_that_do_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that positions are not known if the computation ends before all are decided."""
    whole = endings(CARDS, 3)  # it is kept for other tests, so it must have all distances
    monkeypatch.setattr(tables, "LONGEST", 6)
    table = Endings(CARDS, 3)
    assert table.solve()
    rng, absent = random.Random(6), 0
    for _ in range(300):
        position = new_position("onitama", plain_sfen(random_ending(rng, CARDS, 3)))
        value = whole.value(position)
        assert value is not None and table.value(position) == (value if abs(value) <= 6 else None)
        absent += abs(value) > 6
    assert 20 < absent < 100


def test_the_value_of_a_position_in_python() -> None:
    rng, start = random.Random(9), "ssmss/5/5/5/SSMSS"
    for cards in SETS[: scope.count(2, 1)]:
        dealt = f"{cards[0]},{cards[1]}/{cards[2]},{cards[3]}/{cards[4]}"
        assert Position("onitama", f"{start} b {dealt} 1").tablebase() is None  # ten men
        assert Position("onitama", f"2M2/5/5/5/m4 w {dealt} 1").tablebase() is None  # has ended
        for men in (2, 3, 4):
            for _ in range(20):
                sfen = plain_sfen(random_ending(rng, cards, men))
                assert Position("onitama", sfen).tablebase() == endings(cards, 4).value(new_position("onitama", sfen))


def test_a_computation_can_be_stopped() -> None:
    table = Endings(CARDS, 3)
    assert table.value(new_position("onitama", ENDING)) is None
    table.stop()
    assert not table.solve() and table.value(new_position("onitama", ENDING)) is None


def test_the_limit_on_the_length_of_a_game() -> None:
    """Check that a win that takes longer than the game may last is a draw, and that there is no rule about
    repetition."""
    table = endings(CARDS, 3)
    position = new_position("onitama", ENDING)
    known = known_moves(table, position)
    assert known is not None and known[0].value == 17 and known[1].value < 0
    for ply, value in ((200 - 17, 17), (200 - 16, 0), (200 - 1, 0)):
        late = new_position("onitama", f"{ENDING.removesuffix(' 1')} {ply + 1}")
        known = known_moves(table, late, 200)
        assert known is not None and known[0].value == value
        searcher = Searcher(1, 1, late.variant)
        searcher.use_tablebase(table)
        result = searcher.search(late, Limits(movetime=1000))
        assert (result.score_kind, result.score) == (("mate", value) if value else ("cp", 0))
    result = searcher.search(position, Limits(movetime=1000), SearchOptions(max_moves_to_draw=16))
    assert (result.score_kind, result.score) == ("cp", 0)


def test_the_nodes_of_a_search_look_up_endings() -> None:
    """Check that searches of positions with four men, which look up endings with three, find no other wins and losses
    than a table with four men has, and more of them than searches that do not look up anything."""
    small, whole = endings(CARDS, 3), endings(CARDS, 4)
    rng, decided = random.Random(7), {False: 0, True: 0}
    searcher = Searcher(1, 1, whole.variant)
    for _ in range(400):
        position = new_position("onitama", plain_sfen(random_ending(rng, CARDS, 4)))
        value = whole.value(position)
        assert value is not None
        for uses in decided if abs(value) > 8 else ():
            searcher.use_tablebase(small if uses else None)
            searcher.new_game()
            reports = list[Info]()
            found = searcher.search(position, Limits(nodes=1000), report=reports.append)
            assert uses or reports[-1].tbhits == 0
            if found.score_kind == "mate":
                assert found.score * value > 0 and abs(found.score) >= abs(value), position.sfen()
                decided[uses] += 1
    assert decided[True] > decided[False] + 5


def test_a_search_does_not_take_a_win_that_comes_too_late() -> None:
    """Check that a search of a position with four men sees a draw in an ending that is won only after the last ply."""
    small, whole = endings(CARDS, 3), endings(CARDS, 4)
    searcher, rng, drawn = Searcher(1, 1, whole.variant), random.Random(8), 0
    searcher.use_tablebase(small)
    while drawn < 5:
        start = plain_sfen(random_ending(rng, CARDS, 4))
        position = new_position("onitama", start)
        value = whole.value(position)
        if value is None or not 8 < value < 30:
            continue
        late = new_position("onitama", f"{start.rpartition(' ')[0]} {200 - value + 2}")
        searcher.new_game()
        result = searcher.search(late, Limits(nodes=20000))
        assert result.score_kind == "cp", start
        drawn += 1


def test_other_cards_and_more_men_have_no_value() -> None:
    table = endings(CARDS, 3)
    assert table.value(new_position("onitama", ENDING)) == 17
    assert table.value(new_position("onitama", ENDING.replace("/9 1", "/8 1"))) is None
    assert table.value(new_position("onitama", FOUR_MEN)) is None


# ---- The engine ------------------------------------------------------------------------------------------------------


def answers(client: UsiClient) -> list[str]:
    """Wait until the endings are computed, and return the lines of the first search that uses them."""
    lines: list[str] = []

    def search() -> bool:
        lines[:] = client.go("movetime", 10)[0]
        return lines[0].startswith("info string endings")

    until(search, 300)
    return lines


def engine(men: int = 3) -> UsiClient:
    """Return an engine that computes the endings with few men."""
    client = UsiClient(variant="onitama")
    client.ready().send(f"setoption name TablebaseMen value {men}")
    return client


def test_the_engine_answers_from_the_endings() -> None:
    """Check that the engine plays a won ending to its end in the number of plies that it says."""
    table, position = endings(CARDS, 3), new_position("onitama", ENDING)
    length = table.value(position)
    assert length == 17
    with engine() as client:
        client.send(f"position sfen {ENDING}")
        note, _ = answers(client)
        assert note == "info string endings with at most 3 men are answered from the tablebase"
        while position.outcome() is None:
            client.send(f"position sfen {ENDING} moves {' '.join(position.moves)}")
            lines, best = client.go("movetime", 10)
            assert len(lines) == 1 and f" score mate {table.value(position)} " in lines[0]
            position.push(best)
        assert len(position.moves) == length


def test_options_that_stay_the_same_do_not_start_the_computation_again() -> None:
    """GUIs send all options before each game."""
    with engine() as client:
        client.send(f"position sfen {ENDING}")
        answers(client)
        client.send("setoption name UseTablebase value true", "setoption name TablebaseMen value 3", "usinewgame")
        client.send(f"position sfen {ENDING}")
        assert len(client.go("movetime", 10)[0]) == 1


def without_times(lines: list[str]) -> list[str]:
    """Return info lines without times."""
    return [re.sub(r" (nps|time) \d+", "", line) for line in lines]


@pytest.mark.parametrize("option", ["UseTablebase value false", "TablebaseMen value 0"])
def test_a_search_with_a_limit_of_nodes_or_depth_is_reproducible(option: str) -> None:
    """Check that it does not use the endings, even when they are computed."""
    searches = ["nodes 3000", "depth 6"]
    with UsiClient(variant="onitama") as client:
        client.ready().send(f"setoption name {option}", f"position sfen {ENDING}")
        expected = []
        for words in searches:
            client.send("setoption name Clear_Hash")
            expected.append(without_times(client.go(words)[0]))
    with engine() as client:
        client.send(f"position sfen {ENDING}")
        answers(client)
        for words, lines in zip(searches, expected, strict=True):
            client.send("setoption name Clear_Hash")
            assert without_times(client.go(words)[0]) == lines
        client.send("setoption name NodesLimit value 3000", "setoption name Clear_Hash")
        assert without_times(client.go("movetime", 60000)[0]) == expected[0]
        client.send("setoption name NodesLimit value 0", f"setoption name {option}")
        assert len(client.go("movetime", 300)[0]) > 1  # a search of the tree again


def test_other_cards_are_computed_again() -> None:
    with engine() as client:
        client.send(f"position sfen {ENDING}")
        answers(client)
        client.send(f"position sfen {ENDING.replace('/9 1', '/8 1')}")
        assert " score mate " in answers(client)[1]
        client.send("usinewgame", f"position sfen {ENDING.replace('2,10/6,15/9', '8,15/2,6/10')}")
        lines = client.go("movetime", 10)[0]
        assert len(lines) == 1 and "depth 1 seldepth" in lines[0], "the same five cards"


@pytest.mark.skipif(sys.platform == "win32", reason="processor time of ended processes")
def test_quit_ends_a_computation() -> None:
    """Check by the processor time that nothing waits for a computation, which takes at least 20 seconds here."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    with engine(5) as client:
        client.send(f"position sfen {ENDING}", "isready")
        client.read_until("readyok")
        for centre in (1, 5, 7):
            client.send(f"position sfen {ENDING.removesuffix('9 1')}{centre} 1")
            assert client.go("nodes", 100)[1] != "resign"
        client.send("stop")
        assert client.quit() == 0
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before < 15
