"""Shortening source text: the program stays the same, and important comments are kept longest."""

from __future__ import annotations

import ast
import contextlib
import io

from kogoma.arena.export.bundle.minify import (
    fitted,
    narrow,
    slim,
    without_annotations,
    without_comments,
    without_gaps,
    without_unread_fields,
)
from support.scope import part

NAMES = """\
import math

global_number = 3


class Board:
    def __init__(self, position, by_keyword=2):
        self.position = position
        self.by_keyword = by_keyword

    def value(self, factor):
        total = 0
        for index, piece in enumerate(self.position):
            if index % 2:
                total += piece * factor
                continue
            else:
                total -= piece
        return total if total else -1


def doubled(values):
    def inner(value):
        nonlocal count
        count += 1
        return value * 2

    count = 0
    result = [inner(value) for value in values if value not in (7, 8)]
    return result, count


def long_function_name(position, in_text=1):
    global global_number
    global_number += 1
    try:
        position = math.sqrt(position)
    except ValueError as error:
        return f"{error} {in_text} {position + 1:>5}"
    largest = max(
        position,
        1.5,
        key=lambda number: -number,
    )
    while largest > 1:
        largest = largest / 2
        if largest < 0.6:
            break
    else:
        largest = 0
    return {"position": position, 1: largest}, *[character for character in "ab"]


board = Board([1, 2, 3, 4], by_keyword=5)
print(board.value(10), board.by_keyword)
print(doubled([1, 2, 7]))
print(long_function_name(4.0))
print(long_function_name(-1, in_text="no"))
print(global_number)
for number in range(2):
    print(number, end="");print(number if number else "none")
print([1, 2, 3][1:2], {"a": 1, **{"b": 2}}, 1 if board else 2, not board, 0x1F, 1.0.is_integer())
first, second = 1, 2; print(first, second)
"""
PROGRAM = '''\
# What the file is.
import re

# Before a class.
class Thing:
    """A thing."""

    name: str = "x"

    def __init__(self, size: int = 3) -> None:
        """Make it."""
        self.size: int = size  # in squares

    def text(self, *words: str) -> list[str]:
        """Several

        lines: ü.
        """
        found: list[str] = [
            "ü",  # not ASCII
            """two
    lines""",
        ]
        return [*found, *words]


def empty() -> None:
    """Nothing."""


def count(thing: Thing) -> int:
    """How large it is."""
    # 1. Ask it.
    return thing.size
'''


def code(text: str) -> str:
    """Return a program without its docstrings, comments and type annotations."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Expr(ast.Constant(...))]
        if isinstance(node, ast.FunctionDef):
            node.returns = None
        if isinstance(node, ast.arg):
            node.annotation = None
    lines = ast.unparse(tree).replace("self.size: int", "self.size").replace("found: list[str]", "found")
    return lines


def test_any_room_gives_the_same_program() -> None:
    wordless = len(without_comments(without_gaps(without_annotations(narrow(PROGRAM))), len(PROGRAM)))
    for room in part(range(len(PROGRAM) + 2), 9):
        text = fitted(PROGRAM, room)
        if room >= wordless:
            assert code(text) == code(PROGRAM), text
        assert len(text) <= max(room, len(fitted(PROGRAM, 0)))
        assert text.startswith("# What the file is.\n")
    assert fitted(PROGRAM, len(PROGRAM)) == PROGRAM


def test_short_names_mean_the_same() -> None:
    """Check that names are shortened wherever they are used, and that the program's output stays the same."""
    wanted, shortest = printed(NAMES), fitted(NAMES, 0)
    assert len(wanted.splitlines()) == 9 and len(shortest) < 0.7 * len(NAMES)
    assert "global_number" in shortest and "by_keyword" in shortest and "in_text" in shortest
    assert not any(word in shortest for word in ("doubled", "total", "self", "largest"))
    for room in part(range(len(shortest) - 1, len(NAMES) + 1), 9):
        assert printed(fitted(NAMES, room)) == wanted, fitted(NAMES, room)


def printed(text: str) -> str:
    """Run a program, and return what it prints."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(compile(text, "program", "exec", dont_inherit=True), {"__name__": "program"})
    return out.getvalue()


def test_docstrings_of_functions_are_kept_longest() -> None:
    shortest = fitted(PROGRAM, 0)
    assert not any(word in shortest for word in ("Make it", "Several", "squares", "How large", "Ask it", "-> int"))
    for extra in part(range(len(PROGRAM)), 9):
        text = fitted(PROGRAM, len(shortest) + extra)
        if "Make it" in text:
            assert "How large it is" in text and "# 1. Ask it." in text


FIELDS = """\
from dataclasses import dataclass, replace

@dataclass(frozen=True)
class Piece:
    letter: str = "K"
    steps: int = 0
    unread: tuple[int, ...] = ()
    points: int = 1

@dataclass(frozen=True)
class Other:
    needed: int
    points: int = 2

king = Piece("K", 0, unread=(1, 2),
    points=3)
pawn = replace(king, letter="P", unread=(4,))
print(king.letter, pawn.letter, Piece(unread=(5,)).steps, getattr(pawn, "points"), Other(needed=6, points=7).points)
"""


def test_unread_fields_are_removed() -> None:
    """Check that fields that are never read are removed, together with the arguments that set them. Fields without a
    default value must stay, even if they are never read."""
    text = without_unread_fields(FIELDS)
    assert printed(text) == printed(FIELDS)
    assert "unread: tuple" not in text and "(1, 2)" not in text and "(4,)" not in text and "(5,)" not in text
    assert "needed: int" in text and "needed=6" in text and text.count("points: int") == 2


def test_packed_programs_have_no_docstrings() -> None:
    text = slim(PROGRAM)
    assert code(text) == code(PROGRAM)
    assert '"""' not in text.replace('"""two\n    lines"""', "") and text.count("#") == 1
    assert "    def text" in text
