"""66-shogi in game records: the text format of RokuRokuGUI, and KIF with placements."""

from __future__ import annotations

import io
import random

import pytest

from kogoma.lab.kifu.formats import games_as_bytes, read_games
from kogoma.lab.kifu.game import Game, Recorder
from kogoma.rules.position import Position
from kogoma.rules.variants import SHOGI, VARIANTS
from support.browsers.page_records import opened
from support.node import Nodes

SHOGI66 = VARIANTS["66shogi"]
# A record in the repository CieL2186/RokuRokuGUI: kif/rokuroku_20260807_154559.txt.
MOVES = (
    "K*1f K*1a N*2f N*2a L*3f L*3a S*4f S*4a G*5f G*5a B*6f B*6a 1e1d 1b1c 1d1c 2a1c 2e2d 3b3c 3e3d 3c3d 3f3d 3a3d "
    "2f3d 4b4c 5e5d L*1d 1f2f 4c4d 4e4d 5b5c 4d4c P*3c 6f3c 1d1e+ 2f1e P*1d 1e1d 5a5b 3d2b+"
).split()
HEAD = (
    "# RokuRokuGUI Kif\ndate: 2026-08-07 15:45:59\nblack_player: AI\nwhite_player: Other\nresult: {result}\n\nmoves:\n"
)


def record(moves: list[str], result: str) -> str:
    """Return a record as RokuRokuGUI writes it."""
    lines = [f"{number}. {('white', 'black')[number % 2]} {move}" for number, move in enumerate(moves, 1)]
    return HEAD.format(result=result) + "\n".join(lines)


def test_the_published_game_is_read() -> None:
    [game] = read_games(io.BytesIO(record(MOVES, "black").encode()), "kifu")
    assert (game.variant, game.moves, game.black, game.white) == (SHOGI66, MOVES, "AI", "Other")
    assert game.trouble is None and game.main.end is None
    position = Position(SHOGI66)
    for move in MOVES:
        position.push(move)
    outcome = position.outcome()
    assert outcome is not None and (outcome.winner, outcome.reason) == (0, "checkmate")


@pytest.mark.parametrize(("result", "winner"), [("white", 1), ("black", 0), ("draw", None)])
def test_a_header_names_the_result_of_a_game_that_the_rules_do_not_end(result: str, winner: int | None) -> None:
    [game] = read_games(io.BytesIO(record(MOVES[:20], result).encode()), "kifu")
    assert game.main.end is not None
    assert (game.main.end.outcome.winner, game.main.end.outcome.reason) == (winner, "unknown")
    [game] = read_games(io.BytesIO(record(MOVES[:20], "unknown").encode()), "kifu")
    assert game.main.end is None and len(game.moves) == 20


def test_the_page_reads_the_same(page_nodes: Nodes) -> None:
    node = page_nodes("66shogi")
    for result, count in (("black", 39), ("white", 17), ("unknown", 5)):
        text = record(MOVES[:count], result)
        found = opened(node, text)["record"]
        [game] = read_games(io.BytesIO(text.encode()), "kifu")
        assert (found["variant"], found["names"]) == ("66shogi", ["AI", "Other"])
        moves, end, tree = [], None, found
        while following := tree.get("next"):
            [tree] = following
            moves.append(tree["move"])
            end = tree.get("end")
        assert moves == game.moves
        assert end == (game.main.end and {"winner": 1, "reason": "unknown"})


def test_a_line_from_startpos_says_by_its_first_move_which_game_it_is(page_nodes: Nodes) -> None:
    line = f"position startpos moves {' '.join(MOVES)}"
    [game] = read_games(io.BytesIO(line.encode()), "usi")
    assert (game.variant, game.moves) == (SHOGI66, MOVES)
    assert opened(page_nodes("66shogi"), line)["variant"] == "66shogi"
    [other] = read_games(io.BytesIO(b"position startpos moves 7g7f"), "usi")
    assert other.variant is SHOGI


@pytest.mark.parametrize("form", ["kif", "kifu", "ki2u", "usi", "sfen", "jsonl"])
def test_records_come_back_unchanged(form: str) -> None:
    """Check that games that begin at the start, within the placements or after them are the same after writing and
    reading."""
    rng = random.Random(7)
    for plies, longest in ((0, 9), (0, 60), (5, 30), (12, 40)):
        start = Position(SHOGI66)
        while len(start.moves) < plies:
            start.push(rng.choice(start.legal_moves()))
        recorder = Recorder(SHOGI66, start.sfen())
        while len(recorder.position.moves) < longest and recorder.position.outcome() is None:
            recorder.play(rng.choice(recorder.position.legal_moves()))
        data = b"".join(games_as_bytes([recorder.game], form))
        [read] = read_games(io.BytesIO(data), form, SHOGI)
        assert (read.variant, read.start, read.moves) == (SHOGI66, start.sfen(), recorder.game.moves), data.decode()
        assert read.trouble is None


def test_a_diagram_is_a_position_after_the_placements() -> None:
    arranged = Position(SHOGI66)
    for move in MOVES[:20]:
        arranged.push(move)
    [text] = games_as_bytes([Game(SHOGI66, arranged.sfen())], "kifu")
    kept = [line for line in text.decode().splitlines() if not line.startswith("# sfen")]
    [game] = read_games(io.BytesIO("\n".join(["手合割：66将棋", *kept]).encode()), "kifu")
    assert game.start.split()[:3] == arranged.sfen().split()[:3]
