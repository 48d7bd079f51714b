"""Generated functions made shorter: variables that only pass a value on go, and so does what nobody reads."""

from __future__ import annotations

import ast
from collections import Counter

from kogoma.arena.export.translator.nodes import calls_something, changes_state, reads_state
from kogoma.arena.export.translator.scopes import names_written
from kogoma.arena.export.translator.tidy.addresses import Addresses
from kogoma.arena.export.translator.tidy.loops import blocks, count_with_range, join_copies, join_steps


def tidy(function: ast.FunctionDef) -> None:
    """Clean a function up, in place."""
    Addresses(function, "@memory", 8).visit(function)
    Addresses(function, "@RELATIONS", 2).visit(function)
    size = -1
    while size != (size := sum(1 for _ in ast.walk(function))):
        _drop_unread(function)
        join_copies(function)
        join_steps(function)
        reads, writes = _reads(function), _writes(function)
        for block in blocks(function):
            _pass_on(block, reads, writes)
    count_with_range(function)


def _reads(node: ast.AST) -> Counter[str]:
    return Counter(part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load))


def _writes(node: ast.AST) -> Counter[str]:
    return Counter(part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store))


def _drop_unread(function: ast.FunctionDef) -> None:
    """Assignments to what nobody reads."""
    while True:
        reads = _reads(function)
        changed = False
        for block in blocks(function):
            for index in range(len(block) - 1, -1, -1):
                node = block[index]
                if isinstance(node, ast.If) and all(isinstance(part, ast.Pass) for part in node.body + node.orelse):
                    block[index] = ast.Expr(node.test) if calls_something(node.test) else ast.Pass()
                    changed = changed or True
                if isinstance(node, ast.Pass) and len(block) > 1:
                    del block[index]
                    continue
                if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
                    continue
                if reads[node.targets[0].id]:
                    own = isinstance(node.value, ast.Name) and node.value.id == node.targets[0].id
                    if not own:
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


class _Replace(ast.NodeTransformer):
    def __init__(self, name: str, value: ast.expr) -> None:
        self.name, self.value, self.count = name, value, 0

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """The value for the name."""
        if node.id == self.name and isinstance(node.ctx, ast.Load):
            self.count += 1
            return self.value
        return node


def _always(node: ast.AST, name: str) -> bool:
    """Whether the one read of a name in this statement happens just once whenever the statement runs."""
    if isinstance(node, ast.If):
        return _always(node.test, name)
    if isinstance(node, ast.For):
        return _always(node.iter, name)
    if isinstance(node, ast.While | ast.FunctionDef):
        return False
    if isinstance(node, ast.BoolOp):
        return _always(node.values[0], name)
    if isinstance(node, ast.IfExp):
        return _always(node.test, name)
    if isinstance(node, ast.Compare) and len(node.ops) > 1:
        return False
    if isinstance(node, ast.Name):
        return node.id == name and isinstance(node.ctx, ast.Load)
    return any(_always(child, name) for child in ast.iter_child_nodes(node))


def _header(node: ast.stmt) -> ast.AST:
    if isinstance(node, ast.If):
        return node.test
    if isinstance(node, ast.For):
        return node.iter
    return node


DISTANCE = 8


def _pass_on(block: list[ast.stmt], reads: Counter[str], writes: Counter[str]) -> None:
    """A value that is read once, soon after, is written where it is read. `reads` and `writes` count those of the whole
    function, and are kept up to date."""
    index = 0
    while index < len(block) - 1:
        node = block[index]
        index += 1
        if not (isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)):
            continue
        name, value = node.targets[0].id, node.value
        if writes[name] != 1 or reads[name] != 1:
            continue
        inputs = set(_reads(value))
        state, calls = reads_state(value), calls_something(value)
        for place in range(index, min(index + DISTANCE, len(block))):
            target = block[place]
            if _reads(target)[name]:
                header = _header(target)
                if not _always(header, name):
                    break
                if state and calls_something(header) and not (calls and _first(header, name)):
                    if not _no_call_before(header, name) or calls:
                        break
                if calls and not _first(header, name):
                    break
                replaced = _Replace(name, value).visit(target)
                block[place] = replaced
                del block[index - 1]
                index -= 1
                reads[name] = writes[name] = 0
                break
            if calls or names_written(target) & inputs or (state and changes_state([target])):
                break
            if isinstance(target, ast.Return | ast.Break | ast.Continue):
                break


def _first(node: ast.AST, name: str) -> bool:
    """Whether reading the name is the first thing that happens."""
    if isinstance(node, ast.Assign | ast.Return | ast.Expr):
        return (
            node.value is not None
            and _first(node.value, name)
            and not (isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple))
        )
    if isinstance(node, ast.BinOp):
        return _first(node.left, name) or (isinstance(node.left, ast.Constant) and _first(node.right, name))
    if isinstance(node, ast.Compare):
        return _first(node.left, name)
    if isinstance(node, ast.UnaryOp):
        return _first(node.operand, name)
    if isinstance(node, ast.BoolOp):
        return _first(node.values[0], name)
    return isinstance(node, ast.Name) and node.id == name


def _no_call_before(node: ast.AST, name: str) -> bool:
    """Whether a call of the node comes only once the name is read: as an argument of the only call."""
    calls = [part for part in ast.walk(node) if isinstance(part, ast.Call) and calls_something(part)]
    return len(calls) == 1 and any(_reads(argument)[name] for argument in calls[0].args)
