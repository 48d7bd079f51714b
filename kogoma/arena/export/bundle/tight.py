"""Source text made shorter still, once it has no words left: no spaces that mean nothing, several statements a line,
and short names of variables and functions."""

from __future__ import annotations

import ast
import builtins
import io
import keyword
import string
import tokenize
from collections import Counter
from itertools import pairwise

from kogoma.arena.export.bundle.names import bound_names
from kogoma.arena.export.bundle.places import Edit, Places, edited

LAYOUT = (tokenize.NEWLINE, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.COMMENT)
Function = ast.FunctionDef | ast.AsyncFunctionDef


def without_spaces(text: str) -> str:
    """No spaces around operators and behind commas."""
    place = Places(text)
    edits: list[Edit] = []
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    depth = 0  # in f-strings, where Python 3.12 has tokens, too
    for one, other in pairwise(tokens):
        depth += {"FSTRING_START": 1, "FSTRING_END": -1}.get(tokenize.tok_name[one.type], 0)
        if one.end[0] != other.start[0] or one.end[1] == other.start[1] or {one.type, other.type} & set(LAYOUT):
            continue
        if depth or (one.type == tokenize.NUMBER and other.string == "."):
            continue
        if not (_is_word(one.string[-1]) and (_is_word(other.string[0]) or other.string[0] in "\"'")):
            edits.append((place.line(one.end[0]) + one.end[1], place.line(one.end[0]) + other.start[1], ""))
    return edited(text, edits)


def in_fewer_lines(text: str) -> str:
    """Simple statements of a block in one line, behind the block's head where there are no others."""
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
            needed = _is_word(one.string[-1]) and (_is_word(other.string[0]) or other.string[0] in "\"'")
            edits.append((start, place.line(other.start[0]) + other.start[1], " " if needed else ""))
    return edited(text, edits)


def _is_simple(line: ast.stmt) -> bool:
    """Whether another statement may stand in its line."""
    return not hasattr(line, "body") and not isinstance(line, ast.Match)


def _is_word(letter: str) -> bool:
    return letter.isalnum() or letter == "_"


def with_short_names(text: str, excess: int) -> str:
    """So many characters less by names of functions' own variables, where that gains most first: the first letters of
    what they were called."""
    tree, place = ast.parse(text), Places(text)
    known = bound_names(tree.body) | set(dir(builtins)) | set(keyword.kwlist)
    by_keyword = {node.arg for node in ast.walk(tree) if isinstance(node, ast.keyword) and node.arg}
    found = []
    for function, is_method in _functions(tree):
        edits = _renamed(function, is_method, known, by_keyword, place)
        found.append((sum(start - end + len(new) for start, end, new in edits), edits))
    chosen: list[Edit] = []
    for gain, edits in sorted(found, key=lambda pair: pair[0]):
        if excess <= 0:
            break
        excess += gain
        chosen += edits
    return edited(text, chosen)


def with_short_functions(text: str, excess: int) -> str:
    """So many characters less by names of functions outside classes, where that gains most first."""
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


def _functions(tree: ast.Module) -> list[tuple[Function, bool]]:
    """The outermost functions, and whether each is a class's."""
    found: list[tuple[Function, bool]] = []
    waiting: list[tuple[ast.stmt, bool]] = [(node, False) for node in tree.body]
    while waiting:
        node, in_class = waiting.pop(0)
        if isinstance(node, Function):
            found.append((node, in_class))
        else:
            inner = isinstance(node, ast.ClassDef)
            waiting += [(part, inner) for part in ast.iter_child_nodes(node) if isinstance(part, ast.stmt)]
    return found


def _renamed(function: Function, is_method: bool, known: set[str], kept: set[str], place: Places) -> list[Edit]:
    """The edits that shorten one function's names. What may be given by keyword keeps its name, and so does what has a
    place that the syntax tree does not tell."""
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
    if is_method:
        fixed |= {argument.arg for argument in ast.walk(function.args) if isinstance(argument, ast.arg)} - {"self"}
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
    """Short names, the most telling first."""
    parts = [part for part in name.lower().split("_") if part] or ["x"]
    initials = "".join(part[0] for part in parts)
    first = [initials, parts[0][0], initials.upper(), *(letter for letter in name if letter.isalpha())]
    second = [a + b for a in parts[0][0] + string.ascii_letters for b in string.ascii_lowercase + string.digits]
    return [one for one in [*first, *string.ascii_letters, *second, name] if one.isidentifier()]
