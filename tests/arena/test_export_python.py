"""Generated Python code, compared with the native engine: moves, structs and evaluations."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.exports import kernels as translated
from support.exports.kernels import VARIANTS, Exported, Native
from support.scope import mostly_long

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def bot(request: pytest.FixtureRequest) -> Iterator[tuple[str, Exported]]:
    """Yield the name of a game, and a process that runs the game's generated Python code."""
    with translated.exported(request.param) as process:
        yield request.param, process


@pytest.mark.parametrize("bot", mostly_long(VARIANTS, "onitama"), indirect=True)
def test_moves_structs_and_evaluation(bot: tuple[str, Exported]) -> None:
    """Check that the generated code gives the same fields, legal moves, perft count and evaluation of a position as the
    native engine, and accepts the same move codes. Unmaking a move must restore all fields."""
    name, process = bot
    native = Native(name)
    for number, position in enumerate(translated.random_positions(name, 15, seed=1)):
        step = 97 + number
        answer = process.ask(depth=2, step=step, **translated.described(position))
        assert answer["record"] == translated.record_content(position), position.sfen()
        assert answer["moves"] == position.legal_codes(), position.sfen()
        may = [move for move in range(0, 65536, step) if native.may_play(position, move)]
        assert answer["may_play"] == may, position.sfen()
        assert answer["restored"], position.sfen()
        assert answer["perft"] == position.perft(2), position.sfen()
        assert answer["eval"] == native.static_eval(position), position.sfen()
