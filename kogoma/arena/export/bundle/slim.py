"""Source text made shorter, with as little loss to its reader as there is need for: every program stays the same.

Levels of one column, no annotations and fields of dataclasses where nothing reads them, then docstrings and comments,
the least important first; in the end spaces between words and signs, and the names of variables
(`arena.export.bundle.tight`).
"""

from __future__ import annotations

import ast
import io
import re
import tokenize

from kogoma.arena.export.bundle.places import Edit, Places, edited
from kogoma.arena.export.bundle.tight import in_fewer_lines, with_short_functions, with_short_names, without_spaces


def fitted(text: str, limit: int) -> str:
    """The text in at most `limit` characters, or as short as can be."""
    for step in (narrow, without_annotations, without_unread_fields, without_gaps):
        if len(text) > limit:
            text = step(text)
    text = without_words(text, len(text) - limit)
    for step in (without_spaces, in_fewer_lines):
        if len(text) > limit:
            text = step(text)
    text = with_short_names(text, len(text) - limit)
    return with_short_functions(text, len(text) - limit)


def slim(text: str) -> str:
    """The text without annotations, docstrings and comments: for what is packed."""
    text = without_gaps(without_annotations(text))
    return without_words(text, len(text))


def narrow(text: str) -> str:
    """Each level is set in by one column."""
    inside: set[int] = set()
    docstrings = {node.lineno for _, node in _documented(ast.parse(text))}
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.STRING and token.start[0] not in docstrings:
            inside |= set(range(token.start[0] + 1, token.end[0] + 1))
    lines = text.splitlines(keepends=True)
    shorter = [line if row in inside else _narrow_line(line) for row, line in enumerate(lines, 1)]
    return "".join(shorter)


def _narrow_line(line: str) -> str:
    return re.sub("^(?:    )+", lambda spaces: " " * (len(spaces[0]) // 4), line)


def without_annotations(text: str) -> str:
    """No types of arguments, results and variables; the fields of classes keep theirs."""
    tree, place = ast.parse(text), Places(text)
    fields = {id(part) for node in ast.walk(tree) if isinstance(node, ast.ClassDef) for part in node.body}
    edits: list[Edit] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.arg) and node.annotation is not None:
            edits.append((place.start(node) + len(node.arg), place.end(node.annotation), ""))
        elif isinstance(node, ast.FunctionDef) and node.returns is not None:
            start = text.rindex(")", 0, place.start(node.returns)) + 1
            edits.append((start, place.end(node.returns), ""))
        elif isinstance(node, ast.AnnAssign) and node.value is not None and id(node) not in fields:
            edits.append((place.end(node.target), place.end(node.annotation), ""))
    return edited(text, edits)


def without_unread_fields(text: str) -> str:
    """No fields of dataclasses that have a default and that nothing reads, nor the arguments that set them by name."""
    tree, place = ast.parse(text), Places(text)
    read = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    read |= {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
    classes = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.ClassDef) and _is_dataclass(node)}
    unread: dict[str, list[Edit]] = {}
    for name, node in classes.items():
        fields = [part for part in node.body if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name)]
        # Arguments without names belong to the first fields.
        by_place = max((len(call.args) for call in calls if ast.unparse(call.func) == name), default=0)
        for index, part in enumerate(fields):
            if part.value is None or index < by_place:
                read.add(ast.unparse(part.target))
            edit = (place.line(part.lineno), place.line((part.end_lineno or 0) + 1), "")
            unread.setdefault(ast.unparse(part.target), []).append(edit)
    unread = {name: found for name, found in unread.items() if name not in read}
    edits = [edit for found in unread.values() for edit in found]
    for call in calls:
        if ast.unparse(call.func) in (*classes, "replace"):
            for argument in call.keywords:
                if argument.arg in unread:
                    after = re.compile(r"\s*,?\s*").match(text, place.end(argument))
                    edits.append((place.start(argument), after.end() if after else place.end(argument), ""))
    return edited(text, edits)


def _is_dataclass(node: ast.ClassDef) -> bool:
    return not node.bases and any("dataclass" in ast.unparse(decorator) for decorator in node.decorator_list)


def without_words(text: str, excess: int) -> str:
    """So many characters of docstrings and comments less: what methods are for goes first, comments in the
    code last, the longest first of each kind. What the text begins with stays."""
    removed = 0
    edits: list[Edit] = []
    for _, edit in sorted([*_docstrings(text), *_comments(text)]):
        if removed >= excess:
            break
        edits.append(edit)
        removed += edit[1] - edit[0] - len(edit[2])
    return edited(text, edits)


def without_gaps(text: str) -> str:
    """One empty line at most between two others, and none in functions."""
    return re.sub(r"\n\n+( +)", r"\n\1", re.sub(r"\n{3,}", "\n\n", text))


Rank = tuple[int, int]  # (kind, -length)


def _docstrings(text: str) -> list[tuple[Rank, Edit]]:
    """How each docstring is taken out: private methods' first, functions' and classes' last."""
    tree, place = ast.parse(text), Places(text)
    found: list[tuple[Rank, Edit]] = []
    methods = {id(part) for node in ast.walk(tree) if isinstance(node, ast.ClassDef) for part in node.body}
    for owner, node in _documented(tree):
        kind = 2 if id(owner) not in methods else 0 if owner.name.startswith("_") else 1
        if len(owner.body) == 1:
            edit = (place.start(node), place.end(node), "...")
        else:
            edit = (place.line(node.lineno), place.line((node.end_lineno or 0) + 1), "")
        found.append(((kind, edit[0] - edit[1]), edit))
    return found


def _documented(tree: ast.Module) -> list[tuple[ast.FunctionDef | ast.ClassDef, ast.stmt]]:
    """Functions and classes with docstrings, and these."""
    return [
        (node, node.body[0])
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None
    ]


def _comments(text: str) -> list[tuple[Rank, Edit]]:
    """How each comment is taken out: those in functions and classes last of all words."""
    place, begun = Places(text), False
    found: list[tuple[Rank, Edit]] = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and begun:
            start, end = (place.line(row) + column for row, column in (token.start, token.end))
            before = token.line[: token.start[1]]
            if not before.strip():
                start, end = place.line(token.start[0]), end + 1
            else:
                start = len(text[:start].rstrip(" "))
            found.append(((3 if before.startswith(" ") else 1, start - end), (start, end, "")))
        begun = begun or token.type not in (tokenize.COMMENT, tokenize.NL, tokenize.ENCODING)
    return found
