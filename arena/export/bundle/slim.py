"""Python with nothing that only helps a reader or a checker of types, where a file has little room."""

from __future__ import annotations

import ast
import io
import re
import tokenize


def slim(text: str, indent: int) -> str:
    """The same program without comments, docstrings and annotations of functions, each level `indent` spaces deep."""
    data = text.encode()
    starts = [0]
    for line in data.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def place(line: int, column: int) -> int:
        return starts[line - 1] + column

    def end(node: ast.expr | ast.stmt) -> int:
        assert node.end_lineno is not None and node.end_col_offset is not None
        return place(node.end_lineno, node.end_col_offset)

    edits: list[tuple[int, int, str]] = []
    tree = ast.parse(text)
    of_classes = {part for node in ast.walk(tree) if isinstance(node, ast.ClassDef) for part in node.body}
    for node in ast.walk(tree):
        if isinstance(node, ast.arg) and node.annotation is not None:
            edits.append((place(node.lineno, node.col_offset) + len(node.arg.encode()), end(node.annotation), ""))
        elif isinstance(node, ast.AnnAssign) and node.value is not None and node not in of_classes:
            edits.append((end(node.target), end(node.annotation), ""))
        if isinstance(node, ast.FunctionDef) and node.returns is not None:
            arrow = data.rindex(b"->", 0, place(node.returns.lineno, node.returns.col_offset))
            edits.append((arrow - 1, end(node.returns), ""))
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None:
            first = node.body[0]
            instead = "..." if len(node.body) == 1 else ""
            edits.append((place(first.lineno, first.col_offset), end(first), instead))
    lines = text.splitlines(keepends=True)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            number, column = token.start
            before = lines[number - 1][:column].rstrip()
            whole = lines[number - 1].rstrip()
            edits.append((place(number, len(before.encode())), place(number, len(whole.encode())), ""))
    for start, stop, instead in sorted(edits, reverse=True):
        data = data[:start] + instead.encode() + data[stop:]
    kept = [line for line in data.decode().splitlines() if line.strip()]
    return indented("\n".join(kept), indent)


def indented(text: str, indent: int) -> str:
    """A program whose levels are 4 spaces deep, with `indent` spaces for each."""
    return re.sub(r"^(?:    )+", lambda deep: " " * (len(deep[0]) // 4 * indent), text, flags=re.MULTILINE)
