"""A corpus of small records in the spellings of other programs and sites: Kogoma reads each as it is meant, and two
libraries are compared with it.

The folder corpus/ has one TOML file per format. A record has a name, its `text`, and what is right: the `start` (by
default that of the variant), the `moves`, the `variations` in the order of KIF ("3: " precedes those that begin with
move 3), the `end` as winner and reason, and optionally names, headers, times in seconds, comments (each with the
number of its move) and the kinds of `notes`. `cut` is a part of the message if the record is read only up to an error,
and `refused` if nothing is read. `more` lists the moves of further games. `encoding`, `newline` and `tail` say how the
bytes are made. The file differences.toml lists the records that the libraries read differently.
"""

from __future__ import annotations

import io
import re
import tomllib
from typing import Any

import pytest

from kogoma.lab.kifu.csa import csa
from kogoma.lab.kifu.formats import read_games
from kogoma.lab.kifu.game import Game, GameError
from kogoma.lab.kifu.grammar import LOSES, NOBODY, WINS
from kogoma.lab.kifu.jkf import jkf
from kogoma.lab.kifu.kif import ki2, kif
from kogoma.rules.position import new_position
from kogoma.rules.variants import SHOGI, find
from support.kifu.corpus import CORPUS, FORMATS, data_of, records, text_of
from support.kifu.node_peers import answers_of


def board(start: str, variant: str) -> list[str]:
    """Return the fields of an SFEN without the number of the move, with the hands in Kogoma's order."""
    return new_position(variant, start).sfen().split()[:3]


def nodes(record: dict[str, Any]) -> list[list[Any]]:
    """Return the right list of moves, each with its number, of all lines in the order of KIF."""
    found = [[number, usi] for number, usi in enumerate(record["moves"].split(), 1)]
    for line in record.get("variations", ()):
        first, _, moves = line.partition(":")
        found += [[number, usi] for number, usi in enumerate(moves.split(), int(first))]
    return found


def end_of(game: Game) -> list[str]:
    if game.outcome is None:
        return []
    winner = {0: "black", 1: "white", None: "none"}[game.outcome.winner]
    return [winner, game.outcome.reason]


def differences(record: dict[str, Any], games: list[Game]) -> list[str]:
    """Return what Kogoma read differently from what is right."""
    game, found = games[0], list[str]()

    def compare(what: str, value: object, right: object) -> None:
        if value != right:
            found.append(f"{what}: {value!r}, should be {right!r}")

    variant = record.get("variant", "shogi")
    compare("variant", game.variant.name, variant)
    if "cut" not in record:
        compare("error", game.error, "")
    elif record["cut"] not in game.error or not game.error:
        found.append(f"error: {game.error!r}, should have {record['cut']!r}")
    if "cut" not in record or record["moves"]:
        compare("start", game.start.split()[:3], board(record.get("start", find(variant).start), variant))
    made = [[number, step.usi] for plies, line in game.lines() for number, step in enumerate(line.steps, plies + 1)]
    compare("moves", made, nodes(record))
    compare("end", end_of(game), record.get("end", "").split())
    for key, value in (("black", game.black), ("white", game.white)):
        compare(key, value, record.get(key, value))
    for key, value in record.get("headers", {}).items():
        compare(key, game.headers.get(key), value)
    times = [step.time_ms for step in game.main.steps]
    if "times" in record:
        compare("times", times, [None if each == "" else each * 1000 for each in record["times"]])
    comments = {0: game.comment, **{number: step.comment for number, step in enumerate(game.main.steps, 1)}}
    for each in record.get("comments", ()):
        number, _, comment = each.partition(" ")
        compare(f"comment {number}", comments[int(number)].strip(), comment)
    compare("notes", [note.kind for note in game.notes], record.get("notes", []))
    compare("more", [" ".join(each.moves) for each in games[1:]], record.get("more", []))
    return found


@pytest.mark.parametrize("name", records())
def test_kogoma_reads_the_corpus(name: str) -> None:
    record = records()[name]
    if "refused" in record:
        with pytest.raises(GameError, match=re.escape(record["refused"])):
            list(read_games(io.BytesIO(data_of(record)), FORMATS[record["format"]]))
    else:
        assert differences(record, list(read_games(io.BytesIO(data_of(record)), FORMATS[record["format"]]))) == []


WRITERS = {"kif": kif, "ki2": ki2, "csa": csa, "jkf": jkf}
PEERS = ("tsshogi", "json-kifu-format")
ENDS = {  # words of tsshogi, and words of CSA that json-kifu-format gives -> reason, and result for the side to move
    **{"resign": ("resign", LOSES), "TORYO": ("resign", LOSES)},
    **{"timeout": ("time", LOSES), "TIME_UP": ("time", LOSES)},
    **{"mate": ("checkmate", LOSES), "TSUMI": ("checkmate", LOSES)},
    **{"noMate": ("no_mate", NOBODY), "FUZUMI": ("no_mate", NOBODY)},
    **{"foulWin": ("illegal_move", WINS), "foulLose": ("illegal_move", LOSES), "ILLEGAL_MOVE": ("illegal_move", LOSES)},
    **{"impass": ("impasse", NOBODY), "JISHOGI": ("impasse", NOBODY)},
    **{"enteringOfKing": ("declaration", WINS), "KACHI": ("declaration", WINS)},
    **{"winByDefault": ("default", WINS), "loseByDefault": ("default", LOSES)},
    **{"repetitionDraw": ("repetition", NOBODY), "SENNICHITE": ("repetition", NOBODY)},
    **{"draw": ("draw", NOBODY), "HIKIWAKE": ("draw", NOBODY)},
    **{"maxMoves": ("max_moves", NOBODY), "MAX_MOVES": ("max_moves", NOBODY)},
    **{"interrupt": ("interrupted", NOBODY), "CHUDAN": ("interrupted", NOBODY), "MATTA": ("interrupted", NOBODY)},
}
LOST_IN_KIF = {
    **{("draw", NOBODY): ("impasse", NOBODY), ("max_moves", NOBODY): ("impasse", NOBODY)},
    ("perpetual_check", LOSES): ("illegal_move", LOSES),
    ("perpetual_check", WINS): ("illegal_move", WINS),
    ("unknown", WINS): ("illegal_move", WINS),
}
LOST_IN_CSA = {
    **{("default", LOSES): ("resign", LOSES), ("default", WINS): ("illegal_move", WINS)},
    ("max_moves", NOBODY): ("draw", NOBODY),
    ("perpetual_check", LOSES): ("illegal_move", LOSES),
    ("perpetual_check", WINS): ("illegal_move", WINS),
    ("unknown", WINS): ("illegal_move", WINS),
}
CUT_SHORT = "interrupted", NOBODY
LOST = {"kif": LOST_IN_KIF, "ki2": LOST_IN_KIF, "csa": LOST_IN_CSA, "jkf": LOST_IN_CSA}


def is_move(word: str) -> bool:
    return word[0].isdigit() or "*" in word


def read_end(answer: dict[str, Any], start: str) -> tuple[str, int] | None:
    """Return the end of the main line that a peer read: the reason, and the result for the side to move. Return None
    if it read none, or kept a word that it does not know."""
    main = list[str]()
    for number, word, *_ in answer["nodes"]:
        if word != "start":
            if number != len(main) + 1:
                break
            main.append(word)
    if not main or is_move(main[-1]):
        return None
    if "ILLEGAL_ACTION" in main[-1]:
        turn = (start.split()[1] == "w") ^ (len(main) - 1) % 2
        return "illegal_move", LOSES if "+-"[turn] == main[-1][0] else WINS
    return ENDS.get(main[-1])


def end_for_mover(game: Game) -> tuple[str, int] | None:
    if game.outcome is None:
        return None
    winner, turn = game.outcome.winner, (game.start.split()[1] == "w") ^ len(game.moves) % 2
    return game.outcome.reason, NOBODY if winner is None else WINS if winner == turn else LOSES


def is_other(answer: dict[str, Any], game: Game, moves: list[list[Any]], end: tuple[str, int] | None) -> bool:
    """Return whether a peer read something else than the start of `game`, `moves` and `end`."""
    if "error" in answer or [node[:2] for node in answer["nodes"] if is_move(node[1])] != moves:
        return True
    (*board_and_turn, hands), (*right, right_hands) = answer["start"].split()[:3], game.start.split()[:3]
    if board_and_turn != right or sorted(hands) != sorted(right_hands):
        return True
    return (read := read_end(answer, game.start)) is not None and read != end


def games_read() -> dict[str, Game]:
    """Return the first game of each record that is not refused, as Kogoma reads it."""
    return {
        name: next(read_games(io.BytesIO(data_of(record)), FORMATS[record["format"]]))
        for name, record in records().items()
        if "refused" not in record
    }


@pytest.mark.parametrize("peer", PEERS)
def test_peers_read_the_corpus_as_kogoma_does(peer: str) -> None:
    """Check that a peer reads each record that Kogoma reads to its end, except those in differences.toml."""
    games, asked = games_read(), list[str]()
    for name, record in records().items():
        if record["format"] != "usi" and not {"refused", "cut"} & set(record):
            asked.append(name)
    answers = answers_of(
        peer, [{"format": records()[name]["format"], "text": text_of(records()[name])} for name in asked]
    )
    others = {
        name
        for name, answer in zip(asked, answers, strict=True)
        if is_other(answer, games[name], nodes(records()[name]), end_for_mover(games[name]))
    }
    told = tomllib.loads((CORPUS / "differences.toml").read_text("utf-8"))[peer]
    assert others == {name for names in told.values() for name in names}


@pytest.mark.parametrize("peer", PEERS)
def test_peers_read_what_kogoma_writes(peer: str) -> None:
    """Check that each record keeps its moves and its end when Kogoma writes it in each format that the peer reads,
    except for the losses that docs/game-records.md lists. The peers cannot read minishogi, which is left out."""
    games = {name: game for name, game in games_read().items() if game.variant is SHOGI}
    forms = ("kif", "ki2", "csa", "jkf") if peer == "tsshogi" else ("jkf",)
    asked = [(name, form, WRITERS[form](game)) for name, game in games.items() for form in forms]
    answers = answers_of(peer, [{"format": form, "text": text} for _, form, text in asked])
    for (name, form, _), answer in zip(asked, answers, strict=True):
        game = games[name]
        lines = [(0, game.main)] if form == "csa" else game.lines()
        moves = [[number, step.usi] for plies, line in lines for number, step in enumerate(line.steps, plies + 1)]
        end = end_for_mover(game)
        end = LOST[form].get(end, end) if end else None
        if peer == "tsshogi" and form in ("csa", "jkf") and end == ("illegal_move", WINS):
            end = "illegal_move", LOSES  # tsshogi takes the sign of %+ILLEGAL_ACTION for the winner
        if form == "csa" and end == ("unknown", NOBODY):
            end = None if re.fullmatch("[A-Z_]+", game.main.end.text if game.main.end else "") else CUT_SHORT
        assert not is_other(answer, game, moves, end), (name, form, answer)
        if end and end != ("unknown", NOBODY):
            assert read_end(answer, game.start) == end, (name, form, answer)
        back = next(read_games(io.BytesIO(WRITERS[form](game).encode()), FORMATS[form]))
        assert (back.error, back.moves, back.outcome) == ("", game.moves, game.outcome), (name, form)
