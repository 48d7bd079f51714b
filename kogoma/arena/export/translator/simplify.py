"""Simplify generated functions: inline values that are read once, use `for` loops, keep arrays in local variables."""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Iterable, Mapping

from kogoma.arena.export.translator.nodes import calls_something, changes_state, reads_state
from kogoma.arena.export.translator.scopes import leaves_loop, names_read, names_written

OFTEN = 3  # minimum number of uses of an array that gets a local name


def tidy(function: ast.FunctionDef, arrays: Mapping[str, set[str]], taken: set[str]) -> None:
    """Simplify a function in place. `arrays` maps the name of each struct to the names of its array fields; `taken` are
    names that variables must not have."""
    size = -1
    while size != (size := sum(1 for _ in ast.walk(function))):
        _drop_unread(function)
        _join_steps(function)
        reads, writes = _reads(function), _writes(function)
        for block in _blocks(function):
            _inline_values(block, reads, writes)
    _count_with_range(function)
    _name_arrays(function, arrays, taken)


def _blocks(node: ast.AST) -> list[list[ast.stmt]]:
    """Return every list of statements in a node."""
    found: list[list[ast.stmt]] = []
    for part in ast.walk(node):
        for field in ("body", "orelse"):
            block = getattr(part, field, None)
            if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                found.append(block)
    return found


def _target(node: ast.stmt) -> str | None:
    """Return the variable that a statement assigns, or None."""
    match node:
        case ast.Assign([ast.Name(variable)]):
            return variable
    return None


def _is_name(node: ast.AST | None, wanted: str) -> bool:
    return isinstance(node, ast.Name) and node.id == wanted


def _reads(node: ast.AST) -> Counter[str]:
    return Counter(part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load))


def _writes(node: ast.AST) -> Counter[str]:
    return Counter(part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store))


class _Replacer(ast.NodeTransformer):
    """Replaces nodes by copies of an expression."""

    def __init__(self, nodes: Iterable[ast.AST], instead: ast.expr) -> None:
        self._nodes, self._instead = set(nodes), instead

    def visit(self, node: ast.AST) -> ast.AST:
        return copy.copy(self._instead) if node in self._nodes else self.generic_visit(node)


def _drop_unread(function: ast.FunctionDef) -> None:
    """Remove assignments to variables that are never read."""
    while True:
        reads = _reads(function)
        changed = False
        for block in _blocks(function):
            for index in range(len(block) - 1, -1, -1):
                node = block[index]
                variable = _target(node)
                if variable is None or not isinstance(node, ast.Assign):
                    continue
                if reads[variable] and not _is_name(node.value, variable):
                    continue
                if calls_something(node.value):
                    block[index] = ast.Expr(node.value)
                elif len(block) > 1:
                    del block[index]
                else:
                    block[index] = ast.Pass()
                changed = True
        if not changed:
            return


def _is_always_read(node: ast.AST, name: str) -> bool:
    """Return whether the only read of a name in a statement happens exactly once whenever the statement runs."""
    match node:
        case ast.If(part) | ast.IfExp(part) | ast.For(_, part) | ast.BoolOp(_, [part, *_]):
            return _is_always_read(part, name)
        case ast.While() | ast.FunctionDef() | ast.Compare(_, [_, _, *_]):
            return False
        case ast.Name(found, ast.Load()):
            return bool(found == name)
    return any(_is_always_read(child, name) for child in ast.iter_child_nodes(node))


def _header(node: ast.stmt) -> ast.AST:
    match node:
        case ast.If(part) | ast.For(_, part):
            return part
    return node


def _inline_values(block: list[ast.stmt], reads: Counter[str], writes: Counter[str]) -> None:
    """Replace the only read of a variable by the variable's value. `reads` and `writes` count the reads and writes of
    each variable in the whole function, and are updated."""
    index = 0
    while index < len(block) - 1:
        node = block[index]
        index += 1
        name = _target(node)
        if name is None or not isinstance(node, ast.Assign) or writes[name] != 1 or reads[name] != 1:
            continue
        value = node.value
        if calls_something(value):
            continue
        inputs, state = set(_reads(value)), reads_state(value)
        for place in range(index, len(block)):
            target = block[place]
            if _reads(target)[name]:
                header = _header(target)
                if _is_always_read(header, name) and not (state and calls_something(header)):
                    _Replacer([part for part in ast.walk(target) if _is_name(part, name)], value).visit(target)
                    del block[index - 1]
                    index -= 1
                    reads[name] = writes[name] = 0
                break
            if names_written(target) & inputs or (state and changes_state([target])):
                break
            if isinstance(target, ast.Return | ast.Break | ast.Continue):
                break


def _count_with_range(function: ast.FunctionDef) -> None:
    """Turn loops of the form `while i < n` that end with `i = i + 1` into `for i in range(n)`."""
    for block in _blocks(function):
        index = 0
        while index < len(block):
            loop = block[index]
            index += 1
            variable = _counter(loop)
            if variable is None or not isinstance(loop, ast.While) or not isinstance(loop.test, ast.Compare):
                continue
            ends = loop.test.comparators
            if _reads(function)[variable] > _reads(loop)[variable] or reads_state(ends[0]):
                continue
            if any(names_read(ends[0]) & names_written(part) for part in loop.body):
                continue
            start: ast.expr = ast.Name(variable, ast.Load())
            before = block[index - 2] if index > 1 else None
            if isinstance(before, ast.Assign) and _target(before) == variable:
                start = before.value
                del block[index - 2]
                index -= 1
            if not isinstance(start, ast.Constant) or start.value != 0:
                ends = [start, *ends]
            turns = ast.Call(ast.Name("range", ast.Load()), ends, [])
            # Keep the list object of the body: it is in `_blocks` too, and may contain more loops.
            loop.body[-1:] = [ast.Pass()] if len(loop.body) == 1 else []
            block[index - 1] = ast.For(ast.Name(variable, ast.Store()), turns, loop.body, loop.orelse)


def _counter(loop: ast.stmt) -> str | None:
    """Return the variable that a loop increments by one, or None."""
    match loop:
        case ast.While(ast.Compare(ast.Name(variable), [ast.Lt()]), [*body, ast.Assign([ast.Name(stepped)], step)]):
            if stepped != variable or ast.unparse(step) != f"{variable} + 1":
                return None
            if any(isinstance(part, ast.Continue) for part in ast.walk(loop)) and leaves_loop(loop.body):
                return None
            return None if any(variable in names_written(part) for part in body) else variable
    return None


def _join_steps(function: ast.FunctionDef) -> None:
    """Join `x = a` and `x = x | b` into `x = a | b`, for any operator."""
    for block in _blocks(function):
        index = 0
        while index + 1 < len(block):
            match block[index : index + 2]:
                case [
                    ast.Assign([ast.Name(variable)], start),
                    ast.Assign([ast.Name(again)], ast.BinOp(ast.Name(read), kind, other) as step) as stepped,
                ] if variable == again == read and variable not in names_read(other):
                    if not (calls_something(start) and calls_something(other)):
                        step.left = start
                        sums = isinstance(kind, ast.Add | ast.BitOr | ast.BitXor)
                        if sums and isinstance(start, ast.Constant) and start.value == 0:
                            stepped.value = other
                        del block[index]
                        continue
            index += 1


def _name_arrays(function: ast.FunctionDef, arrays: Mapping[str, set[str]], taken: set[str]) -> None:
    """Add a local variable for each struct array that the function uses often, and use it instead of the array field.
    This is possible because a struct keeps the same list objects during a call."""
    uses: dict[tuple[str, str], list[ast.AST]] = {}
    used = set(taken)
    for part in ast.walk(function):
        match part:
            case ast.Attribute(ast.Name(record), field) if field in arrays.get(record, ()):
                uses.setdefault((record, field), []).append(part)
            case ast.arg(variable):
                used.add(variable)
        if isinstance(part, ast.Name):
            used.add(part.id)
    first = 1 if ast.get_docstring(function) is not None else 0
    for (record, field), nodes in uses.items():
        if len(nodes) >= OFTEN:
            variable = next(one for one in (field, f"{field}_", f"{record}_{field}") if one not in used)
            used.add(variable)
            _Replacer(nodes, ast.Name(variable, ast.Load())).visit(function)
            kept = ast.Attribute(ast.Name(record, ast.Load()), field, ast.Load())
            function.body.insert(first, ast.Assign([ast.Name(variable, ast.Store())], kept))
            first += 1
