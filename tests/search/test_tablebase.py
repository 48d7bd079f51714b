"""The tablebase: a small relative of Dobutsu is solved, and compared with the reference rules and with a solver in
plain Python; files that cannot be used; the engine's answers."""

from __future__ import annotations

import random
import re
import subprocess
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kogoma.rules.position import Position
from kogoma.rules.variants import VARIANTS
from kogoma.search.limits import Limits
from kogoma.search.searcher import Searcher
from kogoma.search.tablebase.dobutsu import solve
from kogoma.search.tablebase.dobutsu.replies import packed, replies, unpacked
from kogoma.search.tablebase.dobutsu.tables import entries, new_tablebase, suits
from kogoma.search.tablebase.dobutsu.values import Tablebase, TablebaseError
from kogoma.search.tablebase.root import known_moves
from oracles import shogi as oracle
from support.small_tablebase import CHICKS, GAME, small_values, write_game
from support.usi_client import ENGINE, ROOT, UsiClient

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def values() -> Any:
    """Return the values of the small game."""
    return small_values()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with the small game and its tablebase."""
    write_game(tmp_path)
    return tmp_path


def some_positions(rng: random.Random, count: int) -> list[Position]:
    """Return positions of random games that have not ended."""
    found: list[Position] = []
    while len(found) < count:
        position = Position(GAME)
        for _ in range(rng.randrange(40)):
            if position.outcome() is None:
                position.push(rng.choice(position.legal_moves()))
        if position.outcome() is None:
            found.append(position)
    return found


def test_a_value_is_the_best_of_the_values_after_each_move(values: Any) -> None:
    tablebase, seen = Tablebase(GAME, values), set()
    for position in some_positions(random.Random(1), 400):
        value, known = tablebase.value(position), known_moves(tablebase, Position(GAME, position.sfen()))
        if value is not None and known is not None:
            assert value == known[0].value, position.sfen()
            seen.add(value)
    assert len(seen) > 15


def test_a_number_and_its_position(values: Any) -> None:
    """Check that the position with a number has the number's value, also if it is mirrored or White is to move."""
    tablebase, rng = Tablebase(GAME, values), random.Random(2)
    for number in rng.sample(range(len(values)), 500):
        board, _, hands, _ = tablebase.sfen(number).split()
        rows = [re.findall(r"\+?[A-Za-z]|[0-9]", row) for row in board.split("/")]
        mirrored = "/".join("".join(reversed(row)) for row in rows)
        turned = "/".join("".join(reversed(row)) for row in reversed(rows)).swapcase()
        value = int(values[number])
        for sfen in (f"{board} b {hands} 1", f"{mirrored} b {hands} 1", f"{turned} w {hands.swapcase()} 1"):
            position = Position(GAME, sfen)
            if position.outcome() is None:
                assert tablebase.value(position) == (value if value % 2 else -value), sfen


def mirrored(position: oracle.Position) -> oracle.Position:
    """Return a position with left and right exchanged."""
    board = {(position.rules.files - 1 - x, y): piece for (x, y), piece in position.board.items()}
    return oracle.Position(position.rules, board, position.hands, position.turn)


def turned(position: oracle.Position) -> oracle.Position:
    """Return a position with the sides exchanged."""
    files, ranks = position.rules.files, position.rules.ranks
    board = {(files - 1 - x, ranks - 1 - y): piece.swapcase() for (x, y), piece in position.board.items()}
    return oracle.Position(position.rules, board, position.hands[::-1], 1 - position.turn)


def representative(position: oracle.Position) -> oracle.Position:
    """Return one of the four positions that are equal to a position except for mirroring and turning."""
    black = position if position.turn == oracle.BLACK else turned(position)
    return min(black, mirrored(black), key=lambda one: sorted(one.board.items()))


@pytest.mark.long
def test_all_positions_equal_those_of_a_solver_in_plain_python(values: Any) -> None:
    """Solve the game by the reference rules: each position that can occur in a game, until no value changes. Of four
    positions that are equal except for mirroring and turning, the solver looks at one, and a random one is compared:
    `test_a_number_and_its_position` checks that the tablebase knows all four."""
    rules, rng = oracle.RULES["dobutsu"], random.Random(3)
    start = representative(oracle.parse_sfen(rules, GAME.start))
    numbers, positions = {start.key: 0}, [start]
    after, before = list[list[int]](), defaultdict[int, set[int]](set)
    distance, wins = dict[int, int](), set[int]()
    for number, position in enumerate(positions):  # it grows in the loop
        after.append([])
        end = oracle.decided(position)
        if end is not None:
            distance[number] = 0
            wins |= {number} if end.winner == position.turn else set()
            continue
        for following in map(representative, oracle.legal_moves(position).values()):
            known = numbers.setdefault(following.key, len(positions))
            if known == len(positions):
                positions.append(following)
            after[number].append(known)
            before[known].add(number)
    ended = set(distance)
    depth, last = 0, ended
    while last:
        depth += 1
        found = {}
        for number in {earlier for one in last for earlier in before[one]} - distance.keys():
            if any(one in distance and one not in wins for one in after[number]):
                found[number] = True
            elif all(one in distance for one in after[number]):
                found[number] = False
        distance |= dict.fromkeys(found, depth)
        wins |= {number for number, won in found.items() if won}
        last = set(found)
    tablebase, compared = Tablebase(GAME, values), 0
    for number, position in enumerate(positions):
        if number not in ended:
            if rng.random() < 0.5:
                position = mirrored(position)
            if rng.random() < 0.5:
                position = turned(position)
            value, plies = tablebase.value(Position(GAME, oracle.write_sfen(position))), distance.get(number, 0)
            if value is not None:
                assert value == (plies if number in wins else -plies), oracle.write_sfen(position)
                compared += 1
    assert compared > 20_000


def test_winning_replies_are_packed_without_loss() -> None:
    rng = random.Random(3)
    values = {number: rng.randrange(4, 100, 2) for number in rng.sample(range(200_000_000), 500)}
    assert unpacked(packed(values)) == values
    assert replies(VARIANTS["dobutsu"]) != b"" and replies(GAME) == replies(VARIANTS["minishogi"]) == b""


def test_white_wins_dobutsu_by_the_replies_in_the_file() -> None:
    """Play games by the reference rules: Black plays any move, or the one that lasts longest, and White goes to a
    position of the file. Check that each is lost in at most as many plies as the file says."""
    dobutsu, rules = VARIANTS["dobutsu"], oracle.RULES["dobutsu"]
    values = unpacked(replies(dobutsu))
    numbers = Tablebase(dobutsu, np.zeros(1, np.uint8))  # without values, it still numbers positions

    def value_of(position: oracle.Position) -> int | None:
        """Return how many plies a position with the loser to move lasts, if the file has it."""
        number = numbers.number(Position(dobutsu, oracle.write_sfen(position)))
        return None if number is None else values.get(number)

    def lasts(position: oracle.Position, plies: int) -> bool:
        """Return whether a position with the winner to move has a reply after which the game lasts `plies` plies, and
        none in the file after which it lasts less long."""
        if oracle.decided(position) is not None:
            return False
        known = [value_of(after) for after in oracle.legal_moves(position).values() if not oracle.decided(after)]
        return plies == min((value for value in known if value is not None), default=0)

    for game in range(30):
        rng, position = random.Random(game), oracle.parse_sfen(rules, dobutsu.start)
        left, plies = 78, 0
        assert value_of(position) == left
        while oracle.decided(position) is None:
            moves = list(oracle.legal_moves(position).values())
            position = (
                rng.choice(moves) if rng.random() < game / 10 else max(moves, key=lambda after: lasts(after, left - 2))
            )
            plies += 1
            if oracle.decided(position) is None:
                position, left = winning_reply(position, left, value_of)
                plies += 1
        end = oracle.decided(position)
        assert end is not None and end.winner == 1 and plies <= 78
        assert game > 0 or plies > 70, "Black lasts as long as it can, as far as the file knows"


def winning_reply(
    position: oracle.Position, left: int, value_of: Callable[[oracle.Position], int | None]
) -> tuple[oracle.Position, int]:
    """Return the position after a reply that wins in fewer than `left` plies, and the plies that it lasts then."""
    replies_here = list(oracle.legal_moves(position).values())
    for after in replies_here:
        end = oracle.decided(after)
        if end is not None and end.winner == position.turn:
            return after, 0
    for after in replies_here:
        value = value_of(after) if oracle.decided(after) is None else None
        if value is not None and value <= left - 2:
            return after, value
    return next((after, 2) for after in replies_here if oracle.decided(after) is None and loses_at_once(after))


def loses_at_once(position: oracle.Position) -> bool:
    """Return whether the other side wins at once after every move."""
    return all(
        any(
            (end := oracle.decided(reply)) is not None and end.winner == after.turn
            for reply in oracle.legal_moves(after).values()
        )
        for after in oracle.legal_moves(position).values()
        if oracle.decided(after) is None
    )


def test_a_won_position_is_not_repeated(values: Any) -> None:
    """Check the best move when the other equally fast win would repeat a position for the third time."""
    position, tablebase = Position(GAME), Tablebase(GAME, values)
    known = known_moves(tablebase, position)
    assert known is not None and [(one.move, one.value) for one in known[:2]] == [("2d1c", 15), ("2d3c", 15)]
    for move in ("2d1c", "2a1a", "1c2d", "1a2a") * 2:
        position.push(move)
    known = known_moves(tablebase, position)
    assert known is not None and [one.move for one in known[:2]] == ["2d3c", "2d1c"]
    assert position.times_seen == 3


def test_a_win_at_once_is_known_beside_a_move_without_an_entry(values: Any) -> None:
    """Check a position in which a lion has gone to its goal although it can be taken there: after a move that neither
    takes it nor stops the attack, the position has no entry."""
    position, tablebase = Position(GAME, "3/1L1/3/1+Cl b c 1"), Tablebase(GAME, values)
    known = known_moves(tablebase, position)
    assert known is not None and known[0].value == 1
    assert len(known) == len(position.legal_moves()) - 1
    searcher = Searcher(hash_mb=1, variant=GAME)
    searcher.use_tablebase(tablebase)
    result = searcher.search(position, Limits(movetime=1000))
    assert (result.best, result.score_kind, result.score) == (known[0].move, "mate", 1)


def test_an_illegal_searchmove_is_refused_as_without_a_tablebase(values: Any) -> None:
    searcher = Searcher(hash_mb=1, variant=GAME)
    searcher.use_tablebase(Tablebase(GAME, values))
    assert searcher.search(Position(GAME), Limits(nodes=10, searchmoves=("2d1d",))).best == "2d1d"
    with pytest.raises(ValueError, match="2d2a"):
        searcher.search(Position(GAME), Limits(nodes=10, searchmoves=("2d1d", "2d2a")))


def test_which_variants_can_be_solved() -> None:
    assert [name for name, variant in VARIANTS.items() if suits(variant)] == ["dobutsu"] and suits(GAME)
    # The number of states that the computation of 2009 has too, after taking away mirror images and ended games.
    assert entries(new_tablebase(VARIANTS["dobutsu"])[0]) == 249_442_767


def test_an_interrupted_computation_goes_on(tmp_path: Path, values: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solve, "SAVE_EVERY", 0)
    work, told = tmp_path / "work", []

    def interrupt(plies: int, count: int) -> None:
        if plies == 9:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solve.solve(GAME, work, 1, interrupt)
    again = solve.solve(GAME, work, 1, lambda plies, count: told.append(plies))
    assert told[0] == 9 and np.array_equal(again, values)
    work.write_bytes(work.read_bytes()[:-1])  # a damaged state is not used
    again = solve.solve(GAME, work, 1, lambda plies, count: told.append(plies))
    assert told[-1] == max(told) and 2 in told and np.array_equal(again, values)


def damaged(content: bytes) -> dict[str, bytes]:
    """Return contents of files that are no tablebase of the game, with the messages about them."""
    return {
        "is not a tablebase": b"nonsense",
        "not a tablebase": b"",
        "instead of": content[:-1],
        "its checksum is wrong": content[:-1] + bytes([content[-1] ^ 1]),
        "of another game or version": content.replace(b'"rules": "', b'"rules": "0', 1)[: len(content)],
    }


def test_a_file_that_cannot_be_used_is_named(folder: Path) -> None:
    file = folder / "chicks.tablebase"
    for message, content in damaged(file.read_bytes()).items():
        file.write_bytes(content)
        with pytest.raises(TablebaseError, match=message):
            Tablebase.open(file, GAME)


def engine(folder: Path, client: UsiClient) -> None:
    """Select the small game and its tablebase."""
    client.send(f"setoption name VariantPath value {folder / 'chicks.toml'}", "setoption name USI_Variant value chicks")
    client.send(f"setoption name TablebasePath value {folder}")


def test_the_engine_answers_from_the_tablebase(folder: Path, values: Any) -> None:
    length = Tablebase(GAME, values).value(Position(GAME))
    with UsiClient() as client:
        engine(folder, client)
        moves: list[str] = []
        while True:
            client.send(f"position startpos{' moves ' if moves else ''}{' '.join(moves)}")
            lines, best = client.go("movetime", 1000)
            if best in ("resign", "win"):
                break
            assert length is not None
            assert f"score mate {(length - len(moves)) * (1 if len(moves) % 2 == 0 else -1)} " in lines[-1]
            moves.append(best)
        assert len(moves) == length
        client.send("position startpos", "setoption name MultiPV value 3", "go infinite")
        client.read_until("info depth 1 seldepth 14 multipv 3 score mate -14")
        client.send("stop")
        assert client.read_until("bestmove")[-1].startswith("bestmove 2d")
        client.send("setoption name UseTablebase value false")
        assert "score cp" in client.go("depth", 3)[0][-1]


def test_go_mate_answers_from_the_tablebase(folder: Path, values: Any) -> None:
    tablebase = Tablebase(GAME, values)
    with UsiClient() as client:
        engine(folder, client)
        for position in some_positions(random.Random(5), 30):
            position = Position(GAME, position.sfen())  # without the game before it
            value = tablebase.value(position)
            if value is None or known_moves(tablebase, position) is None:
                continue
            client.send(f"position sfen {position.sfen()}", "go mate 60000")
            answer = client.read_until("checkmate ")[-1].split()[1:]
            if value <= 0:
                assert answer == ["nomate"], position.sfen()
                continue
            assert len(answer) == value
            for move in answer:
                position.push(move)
            end = position.outcome()
            assert end is not None and end.winner != position.turn


def test_the_engine_plays_without_a_damaged_tablebase(folder: Path) -> None:
    file = folder / "chicks.tablebase"
    for message, content in damaged(file.read_bytes()).items():
        file.write_bytes(content)
        with UsiClient() as client:
            engine(folder, client)
            errors = [line for line in client.answer("isready") if "error" in line]
            assert len(errors) == 1 and message in errors[0], errors
            assert client.go("depth", 3)[1] in Position(GAME).legal_moves()


def test_the_command_solve(tmp_path: Path, values: Any) -> None:
    (tmp_path / "chicks.toml").write_text(CHICKS)
    words = ["--variants", str(tmp_path / "chicks.toml"), "solve"]

    def run(*more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([*ENGINE, *words, *more], capture_output=True, text=True, cwd=ROOT, timeout=240)

    done = run("chicks", "-o", str(tmp_path / "new"))
    assert done.returncode == 0 and "the start: win in 15 plies" in done.stdout, done.stderr
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["chicks.tablebase"]
    assert Tablebase.open(tmp_path / "new" / "chicks.tablebase", GAME).value(Position(GAME)) == 15
    refused = run("minishogi", "-o", str(tmp_path))
    assert refused.returncode == 2 and "minishogi cannot be solved" in refused.stderr
