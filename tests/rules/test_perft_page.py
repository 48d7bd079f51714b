"""The tables of docs/perft.md: small depths are counted again, and compared with pyffish and Fairy-Stockfish."""

from __future__ import annotations

import random

import pytest

from benchmarks.perft_table import GAMES, PAGE, Row, count, read_page
from kogoma.rules.position import new_position
from kogoma.rules.variants import VARIANTS
from support import referee
from support.peers import absent
from support.random_games import PEER_VARIANTS, picked
from support.scope import count as count_of
from support.scope import mostly_long

pytestmark = pytest.mark.slow

QUICK = count_of(1_000_000, 10_000)  # maximum leaf nodes of a depth that is counted again
PLAYED = [name for name in PEER_VARIANTS if name != "dobutsu"]
TABLES = read_page(PAGE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("variant", mostly_long(GAMES, "minishogi"))
def test_the_tables_are_correct(variant: str) -> None:
    assert [row.depth for row in TABLES[variant]] == list(range(1, len(TABLES[variant]) + 1))
    quick = [row for row in TABLES[variant] if row.nodes <= QUICK]
    assert len(quick) >= 3
    for row in quick:
        position = new_position(variant)
        assert count(position, row.depth) == row
        assert position.perft(row.depth) == row.nodes


def test_variants_that_share_the_table_of_minishogi() -> None:
    for name in ("minishogi-codingame", "dice", "dice-hyper", "dice-codingame"):
        assert [count(new_position(name), depth) for depth in range(1, 5)] == TABLES["minishogi"][:4]


def by_pyffish(variant: str, sfen: str, depth: int) -> Row:
    """Return the row of a perft table for one depth, counted with pyffish."""
    files, ranks = referee.shape(sfen)
    ffish, name, fen = referee.pyffish(), referee.PEER_NAMES[variant], referee.sfen_to_fen(sfen)
    counts = dict.fromkeys(Row._fields, 0) | {"depth": depth}
    waiting: list[list[str]] = [[]]
    while waiting:
        played = waiting.pop()
        for move in ffish.legal_moves(name, fen, played):
            after = [*played, move]
            usi = referee.move_to_usi(move, files, ranks)
            if len(after) < depth:
                waiting.append(after)
                continue
            is_check = bool(ffish.gives_check(name, fen, after))
            is_over = not ffish.legal_moves(name, fen, after)
            if is_check and is_over and usi.startswith("P*") and VARIANTS[variant].pieces[0].no_drop_mate:
                counts["drop_mates"] += 1
                continue
            counts["nodes"] += 1
            counts["captures"] += bool(ffish.is_capture(name, fen, played, move))
            counts["drops"] += "*" in usi
            counts["promotions"] += usi.endswith(("+", "-"))
            counts["checks"] += is_check
            counts["mates"] += is_check and is_over
    return Row(**counts)


@pytest.mark.parametrize("variant", mostly_long(["minishogi", *PLAYED], "minishogi", "kyoto"))
def test_pyffish_counts_the_same(variant: str) -> None:
    start = VARIANTS[variant].start
    assert by_pyffish(variant, start, 2) == TABLES[variant][1]
    sfens = [ply.sfen for ply in picked(variant, count_of(6, 2))] if variant in PEER_VARIANTS else []
    for sfen in DROP_MATES.get(variant, []):
        row = count(new_position(variant, sfen), 1)
        assert by_pyffish(variant, sfen, 1) == row and row.drop_mates == 1
    for sfen in sfens:
        assert by_pyffish(variant, sfen, 1) == count(new_position(variant, sfen), 1), sfen


# Positions in which a pawn drop would mate.
DROP_MATES = {"minishogi": ["2G1k/2R2/4G/5/K4 b P 1"]}


def test_pyffish_counts_dobutsu() -> None:
    for depth in range(1, count_of(5, 4)):
        games, waiting = 0, [list[str]()]
        while waiting:
            played = waiting.pop()
            moves = referee.legal_moves(VARIANTS["dobutsu"].start, played, "dobutsu")
            if len(played) == depth - 1:
                games += len(moves)
            else:
                waiting += [[*played, move] for move in moves]
        assert games == TABLES["dobutsu"][depth - 1].nodes


@pytest.mark.parametrize("variant", ["minishogi", "shogi", "judkins", "gorogoro", "kyoto"])
def test_fairy_stockfish_also_counts_pawn_drop_mates(variant: str) -> None:
    path = referee.find_fairy_stockfish()
    if path is None:
        absent("fairy-stockfish")
    deepest = max(row.depth for row in TABLES[variant] if row.nodes <= QUICK)
    with referee.FairyStockfish(path, variant) as engine:
        for row in TABLES[variant][:deepest]:
            found = engine.divide(VARIANTS[variant].start, row.depth)
            assert sum(found.values()) == row.nodes + row.drop_mates
        rng = random.Random(variant)
        for ply in rng.sample(picked(variant, 12), 6) if variant in PEER_VARIANTS else []:
            row = count(new_position(variant, ply.sfen), 2)
            assert sum(engine.divide(ply.sfen, 2).values()) == row.nodes + row.drop_mates, ply.sfen
