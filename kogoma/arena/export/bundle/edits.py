"""Positions of lines and nodes in a source text, and edits of it."""

from __future__ import annotations

import ast

Edit = tuple[int, int, str]  # (start, end, new text), in characters


class Places:
    """Converts line numbers and syntax tree nodes of a source text to offsets in characters."""

    def __init__(self, text: str) -> None:
        self._lines = text.splitlines(keepends=True)
        self._plain = [line.isascii() for line in self._lines]
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line))

    def line(self, number: int) -> int:
        """Return the offset at which line `number` begins. The first line is number 1."""
        return self._starts[number - 1]

    def start(self, node: ast.expr | ast.stmt | ast.arg | ast.keyword) -> int:
        """Return the offset of a node's first character."""
        return self._of(node.lineno, node.col_offset)

    def end(self, node: ast.expr | ast.stmt | ast.arg | ast.keyword) -> int:
        """Return the offset after a node's last character."""
        assert node.end_lineno is not None and node.end_col_offset is not None
        return self._of(node.end_lineno, node.end_col_offset)

    def without(self, node: ast.stmt, first: int | None = None) -> Edit:
        """Return the edit that deletes the lines of a statement, beginning with line `first` if it is given."""
        return self.line(first or node.lineno), self.line((node.end_lineno or 0) + 1), ""

    def _of(self, number: int, column: int) -> int:
        if self._plain[number - 1]:
            return self.line(number) + column
        # Column offsets of syntax tree nodes are in bytes.
        return self.line(number) + len(self._lines[number - 1].encode()[:column].decode())


def edited(text: str, edits: list[Edit]) -> str:
    """Return the text after applying `edits`, which must not overlap."""
    parts, done = list[str](), 0
    for start, end, instead in sorted(edits):
        parts += [text[done:start], instead]
        done = end
    return "".join([*parts, text[done:]])
