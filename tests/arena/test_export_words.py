"""Source text made shorter: the same program, and the most important words for last."""

from __future__ import annotations

import ast

from arena.export.bundle.slim import fitted, slim

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
    """What a program does, without its words and types."""
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
    for room in range(len(PROGRAM) + 2):
        text = fitted(PROGRAM, room)
        assert code(text) == code(PROGRAM), text
        assert len(text) <= max(room, len(fitted(PROGRAM, 0)))
        assert text.startswith("# What the file is.\n")
    assert fitted(PROGRAM, len(PROGRAM)) == PROGRAM


def test_words_of_functions_stay_longest() -> None:
    shortest = fitted(PROGRAM, 0)
    assert not any(word in shortest for word in ("Make it", "Several", "squares", "How large", "Ask it", "-> int"))
    for extra in range(len(PROGRAM)):
        text = fitted(PROGRAM, len(shortest) + extra)
        if "Make it" in text:
            assert "How large it is" in text and "# 1. Ask it." in text


def test_packed_programs_have_no_words() -> None:
    text = slim(PROGRAM)
    assert code(text) == code(PROGRAM)
    assert '"""' not in text.replace('"""two\n    lines"""', "") and text.count("#") == 1
    assert "    def text" in text
