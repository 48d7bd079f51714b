"""Loops of generated functions as Python likes them, and variables that were two names for one thing."""

from __future__ import annotations

import ast
from collections import Counter

from kogoma.arena.export.translator.nodes import calls_something, changes_state
from kogoma.arena.export.translator.scopes import leaves_loop, names_read, names_written


def blocks(node: ast.AST) -> list[list[ast.stmt]]:
    """Every list of statements in it."""
    found: list[list[ast.stmt]] = []
    for part in ast.walk(node):
        for field in ("body", "orelse"):
            block = getattr(part, field, None)
            if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                found.append(block)
    return found


def count_with_range(function: ast.FunctionDef) -> None:
    """`while i < n` with a step of one at the end becomes `for i in range`."""
    for block in blocks(function):
        index = 0
        while index < len(block):
            loop = block[index]
            index += 1
            variable = _counter(loop)
            if variable is None or not isinstance(loop, ast.While):
                continue
            assert isinstance(loop.test, ast.Compare)
            outside = _reads(function)[variable] - _reads(loop)[variable]
            if outside or not _fixed(loop.test.comparators[0], loop.body):
                continue
            start: ast.expr = ast.Name(variable, ast.Load())
            before = block[index - 2] if index > 1 else None
            if isinstance(before, ast.Assign) and _target(before) == variable:
                start = before.value
                del block[index - 2]
                index -= 1
            ends = [start, loop.test.comparators[0]]
            if isinstance(start, ast.Constant) and start.value == 0:
                ends = ends[1:]
            turns = ast.Call(ast.Name("range", ast.Load()), ends, [])
            # The same list goes on: loops in it come later.
            loop.body[-1:] = [ast.Pass()] if len(loop.body) == 1 else []
            block[index - 1] = ast.For(ast.Name(variable, ast.Store()), turns, loop.body, loop.orelse)


def run_over_elements(function: ast.FunctionDef) -> None:
    """`for j in range(i)` that only reads the elements x[j] becomes `for j in x[:i]`, where i is never below 0: it
    counts another loop's turns."""
    loops = [part for part in ast.walk(function) if isinstance(part, ast.For)]
    counters = {ast.unparse(loop.target) for loop in loops if ast.unparse(loop.iter).startswith("range(")}
    for loop in loops:
        turns, variable = loop.iter, loop.target
        if not (isinstance(turns, ast.Call) and len(turns.args) == 1 and isinstance(variable, ast.Name)):
            continue
        if ast.unparse(turns.args[0]) not in counters:
            continue
        reads = [part for line in loop.body for part in ast.walk(line) if _is_read(part, variable.id)]
        arrays = {
            part.value.id for part in reads if isinstance(part, ast.Subscript) and isinstance(part.value, ast.Name)
        }
        elements = sum(isinstance(part, ast.Subscript) for part in reads)
        if len(arrays) != 1 or 2 * elements != len(reads) or _reads(function)[variable.id] != elements:
            continue
        if changes_state(loop.body) or any(arrays & names_written(line) for line in loop.body):
            continue
        for line in loop.body:
            _Element(variable.id).visit(line)
        loop.iter = ast.Subscript(ast.Name(arrays.pop(), ast.Load()), ast.Slice(None, turns.args[0]), ast.Load())


def _is_read(node: ast.AST, variable: str) -> bool:
    """Whether it is the variable, or an element of which that is the index."""
    if isinstance(node, ast.Subscript):
        return isinstance(node.slice, ast.Name) and node.slice.id == variable
    return isinstance(node, ast.Name) and node.id == variable


class _Element(ast.NodeTransformer):
    def __init__(self, variable: str) -> None:
        self.variable = variable

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """The variable for the element."""
        self.generic_visit(node)
        return node.slice if _is_read(node, self.variable) else node


def _target(node: ast.stmt) -> str | None:
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id
    return None


def _reads(node: ast.AST) -> Counter[str]:
    return Counter(part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load))


def _counter(loop: ast.stmt) -> str | None:
    """The variable that a loop counts up by one."""
    if not isinstance(loop, ast.While) or not isinstance(loop.test, ast.Compare):
        return None
    if not isinstance(loop.test.left, ast.Name) or not isinstance(loop.test.ops[0], ast.Lt):
        return None
    variable, last = loop.test.left.id, loop.body[-1]
    if not (isinstance(last, ast.Assign) and _target(last) == variable):
        return None
    if ast.unparse(last.value) != f"{variable} + 1":
        return None
    if any(isinstance(part, ast.Continue) for part in ast.walk(loop)) and leaves_loop(loop.body):
        return None
    if any(variable in names_written(part) for part in loop.body[:-1]):
        return None
    return variable


def _fixed(limit: ast.expr, body: list[ast.stmt]) -> bool:
    """Whether a loop's limit stays what it is."""
    names = names_read(limit)
    if any(names & names_written(part) for part in body):
        return False
    fields = {part.attr for part in ast.walk(limit) if isinstance(part, ast.Attribute)}
    if not fields and not any(isinstance(part, ast.Subscript) for part in ast.walk(limit)):
        return True
    if not fields or any(calls_something(part) for part in body):
        return False
    stored = {
        name.attr
        for part in body
        for node in ast.walk(part)
        if isinstance(node, ast.Subscript | ast.Attribute) and isinstance(node.ctx, ast.Store)
        for name in ast.walk(node)
        if isinstance(name, ast.Attribute)
    }
    aliased = any(
        isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name)
        and isinstance(limit, ast.Subscript) and isinstance(limit.value, ast.Subscript)
        for part in body
        for node in ast.walk(part)
    )  # fmt: skip
    return not (fields & stored) and not aliased


class _Rename(ast.NodeTransformer):
    def __init__(self, old: str, new: str) -> None:
        self.old, self.new = old, new

    def visit_Name(self, node: ast.Name) -> ast.Name:
        """One name for another."""
        return ast.Name(self.new, node.ctx) if node.id == self.old else node


def join_copies(function: ast.FunctionDef) -> None:
    """Where a copy of a variable is worked on and then copied back, the variable is worked on."""
    for block in blocks(function):
        for last in range(len(block) - 1, -1, -1):
            if last >= len(block):
                continue
            back = block[last]
            copy = back.value.id if isinstance(back, ast.Assign) and isinstance(back.value, ast.Name) else None
            variable = _target(back)
            if copy is None or variable is None or copy == variable:
                continue
            first = last - 1
            while first >= 0 and _target(block[first]) != copy:
                if variable in names_read(block[first]) | names_written(block[first]):
                    break
                first -= 1
            start = block[first]
            if first < 0 or not isinstance(start, ast.Assign) or ast.unparse(start.value) != variable:
                continue
            whole = [part for part in ast.walk(function) if isinstance(part, ast.Name) and part.id == copy]
            inside = {id(part) for node in block[first : last + 1] for part in ast.walk(node)}
            if any(id(part) not in inside for part in whole):
                continue
            for node in block[first + 1 : last]:
                _Rename(copy, variable).visit(node)
            del block[last], block[first]


def join_steps(function: ast.FunctionDef) -> None:
    """`x = a` and then `x = x | b` in one."""
    for block in blocks(function):
        index = 0
        while index + 1 < len(block):
            one, two = block[index], block[index + 1]
            variable = _target(one)
            index += 1
            if variable is None or variable != _target(two) or not isinstance(two, ast.Assign):
                continue
            step = two.value
            if not isinstance(step, ast.BinOp) or not isinstance(step.left, ast.Name) or step.left.id != variable:
                continue
            assert isinstance(one, ast.Assign)
            if variable in names_read(step.right) or (calls_something(one.value) and calls_something(step.right)):
                continue
            sums = isinstance(step.op, ast.Add | ast.BitOr | ast.BitXor)
            if sums and isinstance(one.value, ast.Constant) and one.value.value == 0:
                step = step.right
            else:
                step.left = one.value
            index -= 1
            block[index : index + 2] = [ast.Assign(two.targets, step)]
