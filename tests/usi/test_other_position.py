"""After the engine has refused a line, every answer says that it is for another position than the GUI's."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.usi_client import UsiClient

pytestmark = pytest.mark.slow

OLDER = "an older position: the engine refused "
REFUSED = {  # the lines that the GUI sends, and the words with which the engine names its own position
    "no position": (["position"], OLDER + "a 'position'"),
    "an unknown piece": (["position sfen rbsgk/4p/5/P4/KGSBX b - 1"], OLDER + "a 'position'"),
    "a board of no variant": (["position sfen 9/9/9/9/9/9/9/9/9X b - 1"], OLDER + "a 'position'"),
    "a king in check": (["position sfen 4k/5/5/5/K3R b - 1"], OLDER + "a 'position'"),
    "a missing word": (["position startpos 2e3d"], OLDER + "a 'position'"),
    "a line too long": (["position startpos moves" + " 3e3d" * 210_000], OLDER + "a line that is too long"),
    "the first move": (["position startpos moves 9i9h 3a3b"], "the position after 0 of 2 moves: the next"),
    "a later move": (["position startpos moves 3e3d 3a3b 1a1b"], "the position after 2 of 3 moves: the next"),
    "a position in a search": (["go infinite", "position startpos", "stop"], OLDER + "a 'position'"),
    "a new game in a search": (["go infinite", "usinewgame", "stop"], OLDER + "usinewgame"),
    "a variant in a search": (
        ["go infinite", "setoption name USI_Variant value dobutsu", "stop", "position startpos"],
        "minishogi: the engine refused USI_Variant 'dobutsu'",
    ),
    "an unknown variant": (
        ["setoption name UCI_Variant value checkers", "usinewgame", "position startpos"],
        "minishogi: the engine refused USI_Variant 'checkers'",
    ),
}
ANSWERS = {  # the lines that ask for an answer, the start of the answer's last line, and the note's first words
    "go": (["go depth 2"], "bestmove ", "this bestmove is"),
    "go infinite": (["go infinite", "stop"], "bestmove ", "this bestmove is"),
    "ponderhit": (["go ponder depth 2", "ponderhit"], "bestmove ", "this bestmove is"),
    "go mate": (["go mate 2000"], "checkmate ", "no mate is searched"),
    "go mate shortest": (["go mate infinite nodes 100 shortest"], "checkmate ", "no mate is searched"),
    "go perft": (["go perft 1"], "Nodes searched:", "this perft is"),
    "d": (["d"], "Sfen: ", "this diagram is"),
    "eval": (["eval"], "total ", "this evaluation is"),
}


@pytest.fixture(scope="module")
def shared() -> Iterator[UsiClient]:
    with UsiClient().ready() as client:
        yield client
        assert client.errors() == ""


@pytest.fixture
def engine(shared: UsiClient) -> UsiClient:
    shared.answer("setoption name USI_Variant value minishogi", "usinewgame", "position startpos moves 3e3d")
    return shared


def asked(engine: UsiClient, name: str) -> tuple[list[str], str]:
    """Send the lines in ANSWERS that belong to `name`, and wait until the engine has written all of its output. Return
    the notes and the last line of the answer."""
    lines, start, _ = ANSWERS[name]
    engine.send(*lines)
    said = engine.read_until(start)
    engine.answer()
    return [line for line in said if line.startswith("info string ")], said[-1]


@pytest.mark.parametrize("refused", REFUSED)
def test_every_answer_says_that_it_is_for_another_position(engine: UsiClient, refused: str) -> None:
    lines, position = REFUSED[refused]
    engine.answer(*lines)
    for name, (_, _, subject) in ANSWERS.items():
        notes, last = asked(engine, name)
        assert len(notes) == 1 and notes[0].startswith(f"info string {subject} for {position}"), (name, notes)
        if name.startswith("go mate"):
            assert last == "checkmate timeout", "the engine does not know whether the position of the GUI has a mate"


@pytest.mark.parametrize("refused", REFUSED)
def test_the_next_accepted_line_ends_that(engine: UsiClient, refused: str) -> None:
    engine.answer(*REFUSED[refused][0])
    if "variant" in refused:
        assert engine.answer("setoption name USI_Variant value minishogi") == []
    assert engine.answer("position startpos moves 3e3d") == []
    for name in ANSWERS:
        assert asked(engine, name)[0] == [], name
    assert asked(engine, "go mate")[1] == "checkmate nomate"


def test_a_change_of_the_variant_does_not_end_that(engine: UsiClient) -> None:
    refusals = (["position sfen 9/9/9/9/9/9/9/9/9X b - 1"], ["position startpos moves 3e3d 1a1b"])
    for lines in refusals:
        engine.answer(*lines)
        assert engine.answer("setoption name USI_Variant value dobutsu") == []
        for name, (_, _, subject) in ANSWERS.items():
            notes, last = asked(engine, name)
            assert notes == [f"info string {subject} for the start position: the engine refused the last 'position'"]
            assert not name.startswith("go mate") or last == "checkmate timeout"
        assert engine.answer("setoption name USI_Variant value minishogi", "usinewgame") == []
        assert asked(engine, "go")[0] == []


def test_a_mate_of_another_position_is_not_told(engine: UsiClient) -> None:
    engine.answer("position sfen 4k/5/4P/5/K4 b G 1")
    assert asked(engine, "go mate")[1] == "checkmate G*1b"
    for line in ("position sfen 4k/5/4P/5/K4 b X 1", "position sfen 4k/5/4P/5/K4 b G 1 moves 5e4e 1a1b"):
        engine.answer("position sfen 4k/5/4P/5/K4 b G 1", line)
        assert asked(engine, "go mate")[1] == "checkmate timeout"


@pytest.mark.parametrize("line", ["position startpos", "usinewgame", "setoption name USI_Variant value kyoto"])
@pytest.mark.parametrize("lines", [("go ponder depth 2", "ponderhit"), ("go infinite", "go depth 2", "stop")])
def test_a_line_refused_during_a_search_is_told_by_the_answer_to_the_next_line(
    engine: UsiClient, line: str, lines: tuple[str, ...]
) -> None:
    """Check that the engine writes a note before `bestmove` if it has refused a line during the search.

    The GUI takes this `bestmove` for the answer to `ponderhit` or to the second `go`. The engine has refused the second
    `go`, too.
    """
    engine.send(lines[0], line, *lines[1:])
    notes = [text for text in engine.read_until("bestmove ") if text.startswith("info string ")]
    assert len(notes) == len(lines) and all("while searching is ignored" in text for text in notes[:-1])
    assert notes[-1].startswith("info string this bestmove is for ") and "the engine refused" in notes[-1]


def test_a_move_of_the_book_is_told_as_well(engine: UsiClient) -> None:
    engine.answer("setoption name USI_OwnBook value true", "position startpos", "position nonsense")
    notes, _ = asked(engine, "go")
    assert notes == ["info string a move of the book", f"info string this bestmove is for {OLDER}a 'position'"]
    assert engine.answer("setoption name USI_OwnBook value false") == []


def test_a_refused_option_that_changes_no_position_is_not_told(engine: UsiClient) -> None:
    refused = ("MultiPV value 0", "USI_Hash value x", "USI_Variant", "Nonsense value 3")
    assert len(engine.errors_for(*(f"setoption name {words}" for words in refused))) == len(refused)
    engine.answer("go infinite", "setoption name USI_Variant value minishogi", "stop")
    assert all(asked(engine, name)[0] == [] for name in ANSWERS)
