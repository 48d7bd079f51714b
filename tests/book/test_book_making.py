"""The command `book`: making books, also after a kill, showing, importing and converting them."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from kogoma.lab.book.from_games import BookGames
from kogoma.lab.book.tree import SearchedMove, Tree
from kogoma.rules.position import new_position
from kogoma.rules.variants import VARIANTS
from kogoma.search.book.book import key_of
from kogoma.search.book.book_file import read_book
from support.lab_runs import finish, kill_when, lines, read_games, start
from support.usi_client import ROOT

pytestmark = pytest.mark.slow

FEW = "dobutsu --nodes 2000 --concurrency 2 --lines 3".split()


def book(folder: Path, *words: str, code: int = 0) -> str:
    return finish(folder, *words, code=code, command="book")


@pytest.mark.long
def test_a_killed_making_continues(tmp_path: Path) -> None:
    process = start(tmp_path, *FEW, "--positions", "5000", command="book")
    positions = tmp_path / "book-dobutsu" / "positions.jsonl"
    kill_when(process, lambda: lines(positions) >= 12)
    whole = positions.read_bytes()
    with open(positions, "ab") as file:
        file.write(b'{"sfen": "gle/1c1/1C1/E')  # as if the command was killed while it wrote a line
    there = whole.count(b"\n") - 1
    told = book(tmp_path, *FEW, "--positions", "10")
    assert f"{there} positions so far" in told
    assert positions.read_bytes().startswith(whole)
    entries = [json.loads(line) for line in positions.read_text().splitlines()]
    assert len(entries) == 1 + there + 10
    keys = [entry["sfen"].rsplit(" ", 1)[0] for entry in entries[1:]]
    assert len(set(keys)) == len(keys), "a position was searched twice"
    made = read_book(tmp_path / "book-dobutsu" / "dobutsu.db")
    assert 0 < len(made) < there + 10, "only positions whose best move was searched are in the book"
    assert "belongs to another plan" in book(tmp_path, "dobutsu", "--nodes", "7", code=2)


@pytest.mark.long
def test_books_and_games_are_imported(tmp_path: Path) -> None:
    (tmp_path / "a.db").write_text("#YANEURAOU-DB2016 1.00\nsfen gle/1c1/1C1/ELG b - 1\nb3b2 x\n2c2b none 5 4 3\n")
    words = "-engine name=a -engine name=b -each nodes=200 -variant dobutsu -games 4 -out g.jsonl"
    finish(tmp_path, *words.split())
    told = book(tmp_path, "import", "a.db", "g.jsonl", "-o", "both.db", "--variant", "dobutsu", "--plies", "4")
    assert "a.db: line 3 is skipped" in told and "g.jsonl: 4 games of dobutsu" in told
    made = read_book(tmp_path / "both.db")
    assert made.moves(VARIANTS["dobutsu"].start)[0].score == 5
    games = read_games(tmp_path / "g.jsonl")
    assert any(one.count for sfen, moves in made for one in moves if one.move == games[0]["moves"][0])
    assert "exists" in book(tmp_path, "import", "a.db", "-o", "both.db", code=2)
    book(tmp_path, "export", "both.db", "-o", "o.sfen", "--variant", "dobutsu", "--plies", "1")
    sfens = (tmp_path / "o.sfen").read_text().splitlines()
    assert sfens and all(int(sfen.split()[3]) <= 2 for sfen in sfens)
    book(tmp_path, "export", "both.db", "-o", "o.jsonl", "--variant", "dobutsu")
    assert json.loads((tmp_path / "o.jsonl").read_text().splitlines()[0])["moves"]
    assert "cannot read" in book(tmp_path, "show", "none.db", code=1)
    assert "extension must be" in book(tmp_path, "export", "both.db", "-o", "o.txt", code=2)
    assert "illegal move" in book(tmp_path, "probe", "both.db", "startpos", "moves", "9i9h", code=2)


@pytest.mark.parametrize("command", ["import", "export"])
def test_a_folder_cannot_be_the_output(tmp_path: Path, command: str) -> None:
    """Check that the message about an output that cannot be written names it once, and that nothing is read before."""
    (tmp_path / "out").mkdir()
    assert book(tmp_path, command, "shipped", "-o", "out", code=1) == "book: out: it is a folder\n"
    told = book(tmp_path, command, "shipped", "-o", "none/x.db", code=1)
    assert told == "book: none/x.db: its folder does not exist\n"


def test_games_of_any_format_are_imported(tmp_path: Path) -> None:
    lines = ["sfen rbsgk/4p/5/P4/KGSBR b - 1 moves 2e3d 4a3b", "position startpos moves 2e3d 3a2b"]
    (tmp_path / "g.sfen").write_text("\n".join(lines) + "\n")
    assert "g.sfen: 2 games of minishogi" in book(tmp_path, "import", "g.sfen", "-o", "games.db")
    made = read_book(tmp_path / "games.db")
    assert [(one.move, one.count) for one in made.moves(VARIANTS["minishogi"].start)] == [("2e3d", 2)]
    (tmp_path / "g.sfen").write_text("\n".join([*lines, lines[0].replace("4a3b", "4a9z")]) + "\n")
    told = book(tmp_path, "import", "g.sfen", "-o", "bad.db", code=1)
    assert "g.sfen: line 3, column 43: " in told and not (tmp_path / "bad.db").exists()


@pytest.mark.long
def test_positions_of_games_are_searched(tmp_path: Path) -> None:
    (tmp_path / "start.sfen").write_text(VARIANTS["dobutsu"].start + "\n")
    words = "-engine name=a nodes=100 -engine name=b nodes=200 -variant dobutsu -games 2 -out g.jsonl"
    finish(tmp_path, *words.split(), "-openings", "file=start.sfen")
    few = "dobutsu --nodes 2000 --concurrency 1 --lines 1".split()
    book(tmp_path, *few, "--positions", "5")
    book(tmp_path, *few, "--positions", "9", "--games", "g.jsonl")
    searched: dict[str, list[str]] = {}  # the moves of each position
    came, best = list[str](), set[str]()
    for entry in map(json.loads, (tmp_path / "book-dobutsu" / "positions.jsonl").read_text().splitlines()[1:]):
        key = key_of(entry["sfen"])
        came += [] if key in searched else [key]
        searched[key] = [line[0] for line in entry["lines"]]
        best |= {key_of(line[3]) for line in entry["lines"] if line[3]}
    assert len(came) == 14
    steps = list[tuple[str, str, str]]()
    for game in read_games(tmp_path / "g.jsonl"):
        position = new_position("dobutsu", game["start"])
        for move in [*game["book"], *game["moves"]]:
            before = key_of(position.sfen())
            position.push(move)
            steps.append((before, move, key_of(position.sfen())))
    visited = {after for _, _, after in steps}
    assert set(came[5:]) & visited and set(came[5:]) <= visited | best, "positions that are not of the games"
    named = [move in searched[before] for before, move, after in steps if before in searched and after in searched]
    assert all(named) and any(len(moves) > 1 for moves in searched.values()), "moves of the games must be added"
    assert "contains no records" in book(tmp_path, *few, "--games", "book-dobutsu/positions.jsonl", code=1)
    assert "cannot read" in book(tmp_path, *few, "--games", "none.jsonl", code=1)


def test_the_commands_of_the_docs(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "book.md").read_text(encoding="utf-8")
    commands = [
        line for line in re.findall(r"^    \./engine\.sh book (.*)$", text, re.MULTILINE) if "--hours" not in line
    ]
    assert len(commands) >= 4
    told = [book(tmp_path, *shlex.split(command)) for command in commands]
    assert re.match(r"\d+ positions, [\d,]+ moves\n  1\. ", told[0])
    assert told[1].startswith("sfen rbsgk/4p/5/P1B2/KGS1R w - 2\n")
    example = "\n".join(re.findall(r"^    (#YANEURAOU.*(?:\n    .*)*)", text, re.MULTILINE)).replace("\n    ", "\n")
    (tmp_path / "example.db").write_text(example + "\n", encoding="utf-8")
    assert [one.score for one in read_book(tmp_path / "example.db").moves(VARIANTS["minishogi"].start)] == [56, -31]


def test_values_are_minimaxed_and_the_best_lines_come_first() -> None:
    """Check that a tree of positions computes minimax values, and that it chooses positions of the best lines first
    when it is asked which position to search next. The SFENs in this tree are placeholders, not real positions."""
    tree = Tree("root b - 1")
    assert tree.next([]) == "root b - 1" and tree.next(["root b -"]) is None
    tree.add(
        "root b - 1",
        [
            SearchedMove("a", 30, 5, "a w - 2"),
            SearchedMove("b", 20, 5, "b w - 2"),
            SearchedMove("c", -90, 5, "c w - 2"),
        ],
    )
    tree.minimax()
    assert tree.values["root b -"] == 30 and tree.next([]) == "a w - 2"
    tree.add("a w - 2", [SearchedMove("x", 50, 5, "x b - 3"), SearchedMove("y", 40, 5, "root b - 3")])
    tree.minimax()
    assert tree.values == {"root b -": 20, "a w -": 50}, "a now has -50, and the move back to the root -20"
    assert tree.next([]) == "b w - 2" and tree.main_line() == ["b"]
    assert tree.next(["b w -"]) == "c w - 2" or tree.next(["b w -"]) == "x b - 3"
    assert len(tree.book()) == 0, "neither b nor x was searched"
    tree.add("b w - 2", [SearchedMove("z", -25, 5, "")])
    tree.minimax()
    made = tree.book().moves("root b - 1")
    assert [(one.move, one.score, one.reply) for one in made] == [("b", 25, "z"), ("a", -50, "x")]


def test_the_positions_of_a_game_that_are_searched() -> None:
    """Check which position of the given games is chosen for the next search. The SFENs in this tree are placeholders,
    not real positions."""
    tree = Tree("root b - 1")
    game = [("root b - 1", ""), ("a w - 2", "a"), ("x b - 3", "x"), ("end w - 4", "y")]
    played = BookGames([game, [("elsewhere b - 1", ""), ("far w - 2", "f")]])
    assert played.next(tree, []) is None, "the start position has to be searched before the positions of games"
    tree.add("root b - 1", [SearchedMove("b", 30, 5, "b w - 2"), SearchedMove("a", 20, 5, "a w - 2")])
    tree.minimax()
    assert played.next(tree, []) == "b w - 2" and played.next(tree, ["b w -"]) is None, "the best move is searched"
    tree.add("b w - 2", [SearchedMove("z", -30, 5, "")])
    tree.minimax()
    assert played.next(tree, []) == "a w - 2"
    tree.add("a w - 2", [SearchedMove("x", 1900, 5, "x b - 3")])
    tree.minimax()
    assert played.next(tree, []) is None, "not searched, because the score of the move x decides the game"
    tree.add("a w - 2", [SearchedMove("v", 1900, 5, "v b - 3")])
    tree.minimax()
    assert played.next(tree, []) == "x b - 3", "searched, because the tree lacks the played move"
