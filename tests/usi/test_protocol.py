"""The USI protocol, tested with an engine process as a GUI would use it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kogoma.rules.variants import VARIANTS
from support import referee
from support.usi_client import PATIENCE, UsiClient, info_fields

pytestmark = pytest.mark.slow

START = "rbsgk/4p/5/P4/KGSBR b - 1"
MATED = "4k/4G/4P/5/K4 w - 1"


@pytest.fixture(scope="module")
def shared() -> Iterator[UsiClient]:
    with UsiClient().ready() as client:
        yield client
        assert client.errors() == ""


@pytest.fixture
def engine(shared: UsiClient) -> UsiClient:
    """Return an engine that all tests share, with default options."""
    defaults = {"USI_Variant": "minishogi", "USI_Hash": 16, "MultiPV": 1, "Threads": 1, "ResignValue": 99999}
    lines = [f"setoption name {name} value {value}" for name, value in defaults.items()]
    assert shared.answer("stop", *lines, "usinewgame") == []
    return shared


def test_usi_lists_name_author_and_options(engine: UsiClient) -> None:
    engine.send("usi")
    lines = engine.read_until("usiok")
    assert lines[0].startswith("id name Kogoma ")
    assert lines[1].startswith("id author ")
    assert lines[2].startswith("option name USI_Variant type combo default shogi ")
    assert lines[2].split(" var ")[1:] == list(VARIANTS)
    assert "option name EnteringKingRule type combo default CSARule27 var CSARule27 var NoEnteringKing" in lines
    assert "option name USI_Hash type spin default 64 min 1 max 65536" in lines
    assert "option name USI_Ponder type check default false" in lines
    names = [line.split()[2] for line in lines if line.startswith("option name ")]
    assert all(line.split()[3] == "type" for line in lines if line.startswith("option name "))
    for name in ("Threads", "MultiPV", "NetworkDelay", "MinimumThinkingTime", "SlowMover", "ResignValue"):
        assert name in names
    for name in ("MaxMovesToDraw", "DrawValueBlack", "DrawValueWhite"):
        assert name in names
    assert "option name USI_OwnBook type check default false" in lines
    assert "option name BookFile type filename default shipped" in lines
    assert lines[-1] == "usiok"


def test_every_default_can_be_set_back(engine: UsiClient) -> None:
    engine.send("usi")
    for line in engine.read_until("usiok"):
        if line.startswith("option name ") and not line.endswith(" type button"):
            words = line.split()
            assert engine.answer(f"setoption name {words[2]} value {words[words.index('default') + 1]}") == []


def test_go_answers_once_with_a_legal_move_and_full_lines(engine: UsiClient) -> None:
    engine.send("position startpos moves 3e3d")
    infos, best = engine.go("depth", 5)
    assert best in referee.legal_moves(START, ["3e3d"])
    assert infos
    for line in infos:
        fields = info_fields(line)
        assert {"depth", "seldepth", "nodes", "nps", "hashfull", "time", "pv"} <= set(fields)
        assert ("cp" in fields) != ("mate" in fields)
        assert "multipv" not in fields
    last = info_fields(infos[-1])
    assert last["depth"] == "5" and "bound" not in last
    assert last["pv"].split()[0] == best
    assert engine.answer() == []


def test_every_pv_is_legal(engine: UsiClient) -> None:
    engine.send("position startpos moves 3e3d 3a3b")
    infos, _ = engine.go("nodes", 50000)
    for line in infos:
        game = referee.Game(START)
        for move in ["3e3d", "3a3b", *info_fields(line)["pv"].split()]:
            verdict = game.play(move)
            assert verdict is None or verdict.reason != "illegal_move", (line, move)


def test_a_ponder_move_is_legal_after_the_best(engine: UsiClient) -> None:
    engine.send("position startpos")
    engine.send("go depth 6")
    words = engine.read_until("bestmove ")[-1].split()
    assert len(words) == 4 and words[2] == "ponder"
    assert words[3] in referee.legal_moves(START, [words[1]])


def test_go_before_position_plays_from_the_start() -> None:
    with UsiClient() as client:
        _, best = client.go("depth", 1)
        assert best in referee.legal_moves(START)


def test_node_limit_is_kept_and_reproducible(engine: UsiClient) -> None:
    found = []
    for _ in range(2):
        engine.send("usinewgame", "position startpos")
        infos, best = engine.go("nodes", 20000)
        last = info_fields(infos[-1])
        found.append((best, last["nodes"], last["depth"], last["pv"], last.get("cp")))
    assert found[0] == found[1]
    assert int(found[0][1]) <= 21100


def test_depth_limit_is_reproducible_after_another_game(engine: UsiClient) -> None:
    found = []
    for _ in range(2):
        engine.send("usinewgame", "position startpos moves 2e3d")
        infos, best = engine.go("depth", 7)
        found.append((best, info_fields(infos[-1])["nodes"]))
        engine.send("position startpos")
        engine.go("depth", 5)
    assert found[0] == found[1]


def test_threads_answer_too(engine: UsiClient) -> None:
    engine.send("setoption name Threads value 2", "position startpos")
    infos, best = engine.go("nodes", 100000)
    assert best in referee.legal_moves(START)
    assert int(info_fields(infos[-1])["nodes"]) >= 100000


def test_searches_with_threads_do_not_change_later_ones_with_one_thread(engine: UsiClient) -> None:
    """Check that searches with two threads do not affect a later search with one thread. This must hold even if a
    helper thread is still running when the next search starts."""
    found = []
    for _ in range(2):
        engine.send("setoption name Threads value 1", "usinewgame", "position startpos")
        infos, best = engine.go("depth", 9)
        found.append((info_fields(infos[-1])["nodes"], best))
        engine.send("setoption name Threads value 2")
        for limit in range(1, 20):
            infos, best = engine.go("nodes", 1000 * limit)
            assert best in referee.legal_moves(START)
            if limit % 5 == 0:
                engine.send("usinewgame", "position startpos")
    assert found[0] == found[1]


def test_multipv_ranks_different_moves(engine: UsiClient) -> None:
    engine.send("setoption name MultiPV value 3", "position startpos")
    infos, best = engine.go("depth", 5)
    last = [info_fields(line) for line in infos[-3:]]
    assert [fields["multipv"] for fields in last] == ["1", "2", "3"]
    assert len({fields["pv"].split()[0] for fields in last}) == 3
    assert last[0]["pv"].split()[0] == best
    scores = [int(fields["cp"]) for fields in last]
    assert scores == sorted(scores, reverse=True)


def test_multipv_with_fewer_legal_moves(engine: UsiClient) -> None:
    engine.send("setoption name MultiPV value 500", "position startpos")
    infos, _ = engine.go("depth", 2)
    assert {info_fields(line)["multipv"] for line in infos[-14:]} == {str(rank) for rank in range(1, 15)}


def test_searchmoves_restricts_the_choice(engine: UsiClient) -> None:
    engine.send("position startpos")
    for move in ("3e3d", "5e4d"):
        assert engine.go("depth", 4, "searchmoves", move)[1] == move
    assert engine.go("searchmoves", "5e4d", "3e3d", "nodes", 5000)[1] in ("3e3d", "5e4d")


def test_a_mate_is_reported_in_plies(engine: UsiClient) -> None:
    engine.send("position sfen 4k/5/4P/5/K4 b G 1")
    infos, best = engine.go("depth", 4)
    assert best == "G*1b"
    assert info_fields(infos[-1])["mate"] == "1"


def test_a_position_without_a_move_is_resigned(engine: UsiClient) -> None:
    engine.send(f"position sfen {MATED}")
    infos, best = engine.go("byoyomi", 1000)
    assert best == "resign"
    assert info_fields(infos[-1])["mate"] == "-0"
    engine.send("go infinite")
    engine.read_until("info ")
    assert engine.is_silent(0.2)
    engine.send("stop")
    assert engine.read_until("bestmove ")[-1] == "bestmove resign"
    engine.send(f"position sfen {MATED}", "go ponder btime 1000 wtime 1000", "ponderhit")
    assert engine.read_until("bestmove ")[-1] == "bestmove resign"


def test_a_game_that_is_over_by_repetition_still_gets_a_move(engine: UsiClient) -> None:
    moves = ["2e3d", "4a3b", "3d2e", "3b4a"] * 4
    assert referee.judge(moves) is not None
    engine.send("position startpos moves " + " ".join(moves))
    _, best = engine.go("depth", 4)
    assert best in referee.legal_moves(START, moves)


def test_resign_value(engine: UsiClient) -> None:
    lost = "position sfen rbsgk/5/5/5/K4 b - 1"
    engine.send("setoption name ResignValue value 1000", lost)
    assert engine.go("depth", 3)[1] == "resign"
    engine.send("setoption name ResignValue value 99999", lost)
    assert engine.go("depth", 3)[1] != "resign"
    engine.send("setoption name ResignValue value 1000", "position startpos")
    assert engine.go("depth", 3)[1] != "resign"


def test_go_mate_is_answered(engine: UsiClient) -> None:
    engine.send("position startpos", "go mate infinite")
    assert engine.read_until("checkmate ")[-1] == "checkmate nomate"
    engine.send("go mate 5000")
    assert engine.read_until("checkmate ")[-1] == "checkmate nomate"


def test_infinite_and_a_bare_go_wait_for_stop(engine: UsiClient) -> None:
    engine.send("position startpos")
    for command in ("go infinite", "go", "go infinite depth 2"):
        engine.send(command)
        engine.read_until("info depth 2 ")
        assert not any(line.startswith("bestmove") for line in engine.answer())
        engine.send("stop")
        assert engine.read_until("bestmove ")


def test_ponderhit_turns_pondering_into_an_ordinary_search(engine: UsiClient) -> None:
    engine.send("position startpos moves 3e3d 3a3b", "go ponder btime 0 wtime 0 byoyomi 300")
    engine.read_until("info depth 2 ")
    assert not any(line.startswith("bestmove") for line in engine.answer())
    engine.send("ponderhit")
    best = engine.read_until("bestmove ")[-1].split()[1]
    assert best in referee.legal_moves(START, ["3e3d", "3a3b"])


def test_ponder_with_a_depth_still_waits(engine: UsiClient) -> None:
    engine.send("position startpos", "go ponder depth 2")
    engine.read_until("info depth 2 ")
    assert engine.is_silent(0.2)
    engine.send("ponderhit")
    engine.read_until("bestmove ")
    engine.send("go ponder byoyomi 1000")
    engine.send("stop")
    engine.read_until("bestmove ")


def test_a_gui_may_send_several_commands_at_once(engine: UsiClient) -> None:
    """Check that a GUI may send several commands at once. After a ponder miss, some GUIs send the next `position` and
    `go` immediately after `stop`."""
    for _ in range(20):
        engine.send("position startpos moves 3e3d 3a3b", "go ponder btime 9000 wtime 9000", "stop")
        engine.send("position startpos moves 3e3d 4a3b", "go nodes 3000")
        engine.read_until("bestmove ")
        best = engine.read_until("bestmove ")[-1].split()[1]
        assert best in referee.legal_moves(START, ["3e3d", "4a3b"])
        engine.send("go infinite", "stop", "usinewgame", "setoption name USI_Hash value 16", "isready")
        engine.read_until("bestmove ")
        engine.read_until("readyok")


def test_gameover_in_the_middle_of_a_search_ends_it(engine: UsiClient) -> None:
    for command in ("go infinite", "go ponder byoyomi 100000", "go byoyomi 100000"):
        for result in ("gameover win", "gameover lose", "gameover draw", "gameover"):
            engine.send("position startpos", command, result)
            assert engine.read_until("bestmove ")
    assert engine.answer("gameover win") == []


def test_isready_is_answered_during_a_search(engine: UsiClient) -> None:
    engine.send("position startpos", "go infinite")
    assert not any(line.startswith("bestmove") for line in engine.answer("isready", "usi"))
    engine.send("stop")
    engine.read_until("bestmove ")


def test_quit_and_the_end_of_input_end_a_running_search() -> None:
    for quit_line in (True, False):
        with UsiClient() as client:
            client.send("isready", "position startpos", "go infinite")
            client.read_until("info depth 2 ")
            if quit_line:
                client.send("quit")
            assert client.process.stdin is not None
            client.process.stdin.close()
            assert client.process.wait(PATIENCE) == 0
            client.read_until("bestmove ")


def test_position_infers_the_variant_and_startpos_takes_the_option(engine: UsiClient) -> None:
    engine.send("setoption name UCI_Variant value minishogi-codingame", "position startpos")
    engine.go("depth", 2)
    engine.send(f"position sfen {START}")
    engine.go("depth", 2)
    assert engine.errors_for("setoption name USI_Variant value chess") != []


def test_a_position_command_may_take_moves_back_or_change_the_start(engine: UsiClient) -> None:
    engine.answer("position startpos moves 3e3d 3a3b 5e4d")
    after_three = engine.sfen()
    engine.answer("position startpos moves 3e3d")
    after_one = engine.sfen()
    assert after_one.split()[1:] == ["w", "-", "2"] and after_three.split()[3] == "4"
    engine.answer("position startpos moves 3e3d 3a3b 5e4d")
    assert engine.sfen() == after_three
    engine.answer(f"position sfen {after_one} moves 3a3b 5e4d")
    assert engine.sfen() == after_three
    engine.answer("position startpos")
    assert engine.sfen() == START


def test_windows_line_ends_and_odd_spaces(engine: UsiClient) -> None:
    assert engine.answer(b"  position   startpos\tmoves 3e3d \r", b"\r", b"", b"   ") == []
    assert engine.sfen().split()[1] == "w"


def test_a_byte_order_mark_before_a_command_is_ignored(engine: UsiClient) -> None:
    assert engine.answer("\ufeffposition startpos moves 3e3d") == []
    assert engine.sfen().split()[1] == "w"


def test_moves_with_nothing_after_it_is_an_empty_list(engine: UsiClient) -> None:
    """Check that `position startpos moves` without moves is accepted. uci2wb, xboard's adapter, begins every game in
    this way."""
    engine.answer("position startpos moves 3e3d")
    assert engine.answer("position startpos moves") == []
    assert engine.sfen() == START
