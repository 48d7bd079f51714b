"""Shorten source text to a limit, and keep it as readable as possible. The program stays the same.

Steps, until the text is short enough: indent by one column; remove annotations and unread dataclass fields; remove
docstrings and comments, the least important first; remove spaces and line breaks; shorten the names of variables and
functions.
"""

from __future__ import annotations

import ast
import builtins
import io
import keyword
import re
import string
import tokenize
from collections import Counter
from itertools import pairwise

from kogoma.arena.export.bundle.edits import Edit, Places, edited
from kogoma.arena.export.bundle.names import bound_names

LAYOUT = (tokenize.NEWLINE, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.COMMENT)
Function = ast.FunctionDef | ast.AsyncFunctionDef
Rank = tuple[int, int]  # order of removal: (kind, -length)


def fitted(text: str, limit: int) -> str:
    """Return the text of a program, shortened to `limit` characters or as far as possible."""
    for step in (narrow, without_annotations, without_unread_fields, without_gaps):
        if len(text) > limit:
            text = step(text)
    text = without_comments(text, len(text) - limit)
    for step in (without_spaces, in_fewer_lines):
        if len(text) > limit:
            text = step(text)
    text = with_short_names(text, len(text) - limit)
    return with_short_functions(text, len(text) - limit)


def slim(text: str) -> str:
    """Return the text without annotations, docstrings and comments."""
    text = without_gaps(without_annotations(text))
    return without_comments(text, len(text))


def narrow(text: str) -> str:
    """Return the text with each level indented by one column instead of four."""
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
    """Return the text without the annotations of arguments, results and variables. Class fields keep their
    annotations."""
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
    """Remove dataclass fields that have a default and are never read, and the keyword arguments that set them."""
    tree, place = ast.parse(text), Places(text)
    read = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    read |= {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
    classes = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.ClassDef) and _is_dataclass(node)}
    unread: dict[str, list[Edit]] = {}
    for name, node in classes.items():
        fields = [part for part in node.body if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name)]
        # The first fields may be set by positional arguments, so they must stay.
        by_place = max((len(call.args) for call in calls if ast.unparse(call.func) == name), default=0)
        for index, part in enumerate(fields):
            if part.value is None or index < by_place:
                read.add(ast.unparse(part.target))
            unread.setdefault(ast.unparse(part.target), []).append(place.without(part))
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


def without_comments(text: str, excess: int) -> str:
    """Remove docstrings and comments until `excess` characters are saved or none is left. Docstrings of methods are
    removed first, comments in functions and classes last; within each kind, the longest first. Comments before the
    first statement are kept."""
    removed = 0
    edits: list[Edit] = []
    for _, edit in sorted([*_docstrings(text), *_comments(text)]):
        if removed >= excess:
            break
        edits.append(edit)
        removed += edit[1] - edit[0] - len(edit[2])
    return edited(text, edits)


def without_gaps(text: str) -> str:
    """Remove empty lines before indented lines. Elsewhere, replace several empty lines by one."""
    return re.sub(r"\n\n+( +)", r"\n\1", re.sub(r"\n{3,}", "\n\n", text))


def _docstrings(text: str) -> list[tuple[Rank, Edit]]:
    """Return (rank, edit) for each docstring. The edit deletes the docstring; the rank sorts docstrings of private
    methods first and those of functions and classes last."""
    tree, place = ast.parse(text), Places(text)
    found: list[tuple[Rank, Edit]] = []
    methods = {id(part) for node in ast.walk(tree) if isinstance(node, ast.ClassDef) for part in node.body}
    for owner, node in _documented(tree):
        kind = 2 if id(owner) not in methods else 0 if owner.name.startswith("_") else 1
        if len(owner.body) == 1:
            edit = (place.start(node), place.end(node), "...")
        else:
            edit = place.without(node)
        found.append(((kind, edit[0] - edit[1]), edit))
    return found


def _documented(tree: ast.Module) -> list[tuple[ast.FunctionDef | ast.ClassDef, ast.stmt]]:
    """Return (function or class, statement of its docstring) for all functions and classes that have a docstring."""
    return [
        (node, node.body[0])
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None
    ]


def _comments(text: str) -> list[tuple[Rank, Edit]]:
    """Return (rank, edit) for each comment after the first statement. The edit deletes the comment; the rank sorts
    comments in functions and classes last."""
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


def without_spaces(text: str) -> str:
    """Remove spaces around operators and after commas."""
    place = Places(text)
    edits: list[Edit] = []
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    depth = 0  # nesting of f-strings, which are tokenized since Python 3.12
    for one, other in pairwise(tokens):
        depth += {"FSTRING_START": 1, "FSTRING_END": -1}.get(tokenize.tok_name[one.type], 0)
        if one.end[0] != other.start[0] or one.end[1] == other.start[1] or {one.type, other.type} & set(LAYOUT):
            continue
        if depth or (one.type == tokenize.NUMBER and other.string == "."):
            continue
        if not _stay_apart(one, other):
            edits.append((place.line(one.end[0]) + one.end[1], place.line(one.end[0]) + other.start[1], ""))
    return edited(text, edits)


def in_fewer_lines(text: str) -> str:
    """Join consecutive simple statements of a block into one line. A block of only simple statements is moved to the
    line of its head, such as `if x:`. Lines inside brackets are joined too."""
    place = Places(text)
    edits: list[Edit] = []
    for node in ast.walk(ast.parse(text)):
        blocks = [getattr(node, name, None) for name in ("body", "orelse", "finalbody")]
        for block in [found for found in blocks if isinstance(found, list) and not isinstance(node, ast.Module)]:
            starts = [place.start(line) for line in block]
            for before, line, start in zip(block, block[1:], starts[1:]):
                gap = text[place.end(before) : start]
                if gap.isspace() and _is_simple(before) and _is_simple(line):
                    edits.append((start - len(gap), start, ";"))
            if block and all(map(_is_simple, block)):
                head = text[: starts[0]].rstrip()
                if head.endswith(":"):
                    edits.append((len(head), starts[0], ""))
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    depth = 0
    for one, two, other in zip(tokens, tokens[1:], tokens[2:]):
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(one.string, 0)
        if depth and two.type == tokenize.NL and one.type not in LAYOUT and other.type not in LAYOUT:
            start = place.line(one.end[0]) + one.end[1]
            edits.append((start, place.line(other.start[0]) + other.start[1], " " if _stay_apart(one, other) else ""))
    return edited(text, edits)


def _is_simple(line: ast.stmt) -> bool:
    """Return whether a statement may share its line with other statements."""
    return not hasattr(line, "body") and not isinstance(line, ast.Match)


def _stay_apart(one: tokenize.TokenInfo, other: tokenize.TokenInfo) -> bool:
    """Return whether two tokens need a space between them."""
    return re.match(r"\w[\w\"']", one.string[-1] + other.string[0]) is not None


def with_short_names(text: str, excess: int) -> str:
    """Shorten the names of local variables, function by function, until `excess` characters are saved. The functions
    that save most come first."""
    tree, place = ast.parse(text), Places(text)
    known = bound_names(tree.body) | set(dir(builtins)) | set(keyword.kwlist)
    by_keyword = {node.arg for node in ast.walk(tree) if isinstance(node, ast.keyword) and node.arg}
    found = []
    for function in _functions(tree):
        edits = _renamed(function, known, by_keyword, place)
        found.append((sum(start - end + len(new) for start, end, new in edits), edits))
    chosen: list[Edit] = []
    for gain, edits in sorted(found, key=lambda pair: pair[0]):
        if excess <= 0:
            break
        excess += gain
        chosen += edits
    return edited(text, chosen)


def with_short_functions(text: str, excess: int) -> str:
    """Shorten the names of top-level functions until `excess` characters are saved. The names that take up most
    characters come first."""
    tree, place = ast.parse(text), Places(text)
    uses: dict[str, list[tuple[int, int]]] = {}
    fixed = {"main"}
    taken = set(dir(builtins)) | set(keyword.kwlist) | bound_names(tree.body)
    defined = Counter(node.name for node in ast.walk(tree) if isinstance(node, Function | ast.ClassDef))
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            start = place.start(node)
            uses.setdefault(node.id, []).append((start, start + len(node.id)))
            if not isinstance(node.ctx, ast.Load):
                fixed.add(node.id)
        elif isinstance(node, ast.arg):
            fixed.add(node.arg)
        elif isinstance(node, ast.JoinedStr):
            fixed |= {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
    found: list[tuple[int, str, list[tuple[int, int]]]] = []
    for node in tree.body:
        if isinstance(node, Function) and node.name not in fixed and defined[node.name] == 1:
            start = text.index(node.name, place.start(node) + len("def"))
            places = [(start, start + len(node.name)), *uses.get(node.name, [])]
            found.append((len(places) * len(node.name), node.name, places))
    taken |= set(uses) | fixed
    chosen: list[Edit] = []
    for _, name, places in sorted(found, reverse=True):
        if excess <= 0:
            break
        short = next(candidate for candidate in _candidates(name) if candidate not in taken)
        if len(short) < len(name):
            taken.add(short)
            chosen += [(start, end, short) for start, end in places]
            excess -= len(places) * (len(name) - len(short))
    return edited(text, chosen)


def _functions(tree: ast.Module) -> list[Function]:
    """Return all functions and methods that are not inside another function."""
    found: list[Function] = []
    waiting = list(tree.body)
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, Function):
            found.append(node)
        else:
            waiting += [part for part in ast.iter_child_nodes(node) if isinstance(part, ast.stmt)]
    return found


def _renamed(function: Function, known: set[str], kept: set[str], place: Places) -> list[Edit]:
    """Return the edits that shorten the local names of a function, except names that occur as keyword arguments or in
    f-strings."""
    uses: dict[str, list[ast.Name | ast.arg]] = {}
    own: set[str] = set()
    fixed = set(kept)
    for node in ast.walk(function):
        if isinstance(node, ast.Name):
            uses.setdefault(node.id, []).append(node)
            if not isinstance(node.ctx, ast.Load):
                own.add(node.id)
        elif isinstance(node, ast.arg):
            uses.setdefault(node.arg, []).append(node)
            own.add(node.arg)
        elif isinstance(node, ast.JoinedStr):
            fixed |= {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
        elif isinstance(node, ast.Global | ast.Nonlocal):
            fixed |= set(node.names)
        elif isinstance(node, Function | ast.ClassDef | ast.ExceptHandler | ast.MatchAs | ast.MatchStar):
            fixed.add(node.name or "")
        elif isinstance(node, ast.alias):
            fixed.add(node.asname or node.name)
    chosen = [name for name in own - fixed - known if len(name) > 1]
    taken = (set(uses) - set(chosen)) | known | fixed
    edits: list[Edit] = []
    often = Counter({name: len(uses[name]) * len(name) for name in chosen})
    for name, _ in sorted(often.items(), key=lambda pair: (-pair[1], pair[0])):
        short = next(candidate for candidate in _candidates(name) if candidate not in taken)
        if len(short) < len(name):
            taken.add(short)
            edits += [(place.start(node), place.start(node) + len(name), short) for node in uses[name]]
        else:
            taken.add(name)
    return edits


def _candidates(name: str) -> list[str]:
    """Return short names for `name`, the most similar first."""
    parts = [part for part in name.lower().split("_") if part] or ["x"]
    initials = "".join(part[0] for part in parts)
    first = [initials, parts[0][0], initials.upper(), *(letter for letter in name if letter.isalpha())]
    second = [a + b for a in parts[0][0] + string.ascii_letters for b in string.ascii_lowercase + string.digits]
    return [one for one in [*first, *string.ascii_letters, *second, name] if one.isidentifier()]
