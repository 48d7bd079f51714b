"""Simplify generated functions: inline values that are read once, use `for` loops, keep arrays in local variables."""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Iterable, Mapping

from kogoma.arena.export.translator.nodes import calls_something, changes_state, reads_state
from kogoma.arena.export.translator.scopes import leaves_loop, names_read, names_written
from kogoma.arena.export.translator.values import Untranslatable

DISTANCE = 8  # maximum number of statements from an assignment to the read that its value replaces
OFTEN = 3  # minimum number of uses of an array that gets a local name


def tidy(function: ast.FunctionDef, arrays: Mapping[str, set[str]], taken: set[str]) -> None:
    """Simplify a function in place. `arrays` maps the name of each struct to the names of its array fields; `taken` are
    names that variables must not have."""
    _Addresses(function, "@memory", 8).visit(function)
    size = -1
    while size != (size := sum(1 for _ in ast.walk(function))):
        _drop_unread(function)
        _join_copies(function)
        _join_steps(function)
        reads, writes = _reads(function), _writes(function)
        for block in _blocks(function):
            _inline_values(block, reads, writes)
    _count_with_range(function)
    _name_arrays(function, arrays, taken)
    _run_over_elements(function)


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


class _Addresses(ast.NodeTransformer):
    """Replaces byte addresses by indices of the list `memory`, whose items have `size` bytes."""

    def __init__(self, function: ast.FunctionDef, memory: str, size: int) -> None:
        self._memory, self._size = memory, size
        self._names: set[str] = set()
        for part in ast.walk(function):
            if (address := self._address(part)) is not None:
                self._names |= _terms(address)
        known = -1
        while known != len(self._names):
            known = len(self._names)
            for part in ast.walk(function):
                if isinstance(part, ast.Assign) and _target(part) in self._names:
                    self._names |= _terms(part.value)

    def _address(self, node: ast.AST) -> ast.expr | None:
        """Return the address if the node has the form memory[address >> number], otherwise None."""
        match node:
            case ast.Subscript(ast.Name(self._memory), ast.BinOp(address)):
                return address
        return None

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """Replace memory[address >> number] by memory[index]."""
        address = self._address(node)
        return node if address is None else ast.Subscript(node.value, self._words(address), node.ctx)

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        """If an address is assigned to one of the address variables, assign the index instead."""
        if _target(node) in self._names:
            return ast.Assign(node.targets, self._words(node.value))
        return self.generic_visit(node)

    def _words(self, node: ast.expr) -> ast.expr:
        """Return the index that corresponds to an address: the address divided by the size of an item."""
        match node:
            case ast.Constant(int(number)) if number % self._size == 0:
                return ast.Constant(number // self._size)
            case ast.Name(variable) if variable in self._names:
                return node
            case ast.Attribute():
                return ast.Constant(0)  # a struct holds only the address of the memory's start
            case ast.BinOp(one, ast.Add(), other):
                left, right = self._words(one), self._words(other)
                return (
                    right if isinstance(left, ast.Constant) and left.value == 0 else ast.BinOp(left, ast.Add(), right)
                )
            case ast.BinOp(one, ast.Mult(), ast.Constant() as other):
                factor = self._words(other)
                assert isinstance(factor, ast.Constant)
                return one if factor.value == 1 else ast.BinOp(one, ast.Mult(), factor)
        raise Untranslatable(f"the memory address {ast.unparse(node)} is not that of a list item")


def _terms(node: ast.expr) -> set[str]:
    if isinstance(node, ast.Name):
        return {node.id}
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _terms(node.left) | _terms(node.right)
    return set()


def _drop_unread(function: ast.FunctionDef) -> None:
    """Remove assignments to variables that are never read, and `if` statements that do nothing."""
    while True:
        reads = _reads(function)
        changed = False
        for block in _blocks(function):
            for index in range(len(block) - 1, -1, -1):
                node = block[index]
                if isinstance(node, ast.If) and all(isinstance(part, ast.Pass) for part in node.body + node.orelse):
                    block[index] = ast.Expr(node.test) if calls_something(node.test) else ast.Pass()
                    changed = True
                if isinstance(node, ast.Pass) and len(block) > 1:
                    del block[index]
                    continue
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
    """Replace the only read of a variable by the variable's value, if the read follows soon after the assignment.
    `reads` and `writes` count the reads and writes of each variable in the whole function, and are updated."""
    index = 0
    while index < len(block) - 1:
        node = block[index]
        index += 1
        name = _target(node)
        if name is None or not isinstance(node, ast.Assign) or writes[name] != 1 or reads[name] != 1:
            continue
        value = node.value
        inputs = set(_reads(value))
        state, calls = reads_state(value), calls_something(value)
        for place in range(index, min(index + DISTANCE, len(block))):
            target = block[place]
            if _reads(target)[name]:
                header = _header(target)
                if not _is_always_read(header, name):
                    break
                if state and calls_something(header) and not (calls and _is_read_first(header, name)):
                    if not _no_call_before(header, name) or calls:
                        break
                if calls and not _is_read_first(header, name):
                    break
                _Replacer([part for part in ast.walk(target) if _is_name(part, name)], value).visit(target)
                del block[index - 1]
                index -= 1
                reads[name] = writes[name] = 0
                break
            if calls or names_written(target) & inputs or (state and changes_state([target])):
                break
            if isinstance(target, ast.Return | ast.Break | ast.Continue):
                break


def _is_read_first(node: ast.AST | None, name: str) -> bool:
    """Return whether the name is evaluated before anything else in the node."""
    match node:
        case ast.Assign([ast.Tuple()]):
            return False
        case ast.BinOp(ast.Constant(), _, part) | ast.BinOp(part) | ast.Compare(part) | ast.UnaryOp(_, part):
            return _is_read_first(part, name)
        case ast.Assign(_, part) | ast.Return(part) | ast.Expr(part) | ast.BoolOp(_, [part, *_]):
            return _is_read_first(part, name)
    return _is_name(node, name)


def _no_call_before(node: ast.AST, name: str) -> bool:
    """Return whether the node has only one call, and an argument of this call reads the name."""
    calls = [part for part in ast.walk(node) if isinstance(part, ast.Call) and calls_something(part)]
    return len(calls) == 1 and any(_reads(argument)[name] for argument in calls[0].args)


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
            if _reads(function)[variable] > _reads(loop)[variable] or not _fixed(ends[0], loop.body):
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


def _run_over_elements(function: ast.FunctionDef) -> None:
    """Turn a loop `for j in range(i)` that uses j only to read elements x[j] into `for j in x[:i]`, if i cannot be
    negative."""
    loops = [part for part in ast.walk(function) if isinstance(part, ast.For)]
    counters = {ast.unparse(loop.target) for loop in loops if ast.unparse(loop.iter).startswith("range(")}
    for loop in loops:
        match loop:
            case ast.For(ast.Name(variable), ast.Call(_, [end])) if ast.unparse(end) in counters:
                inside = [part for line in loop.body for part in ast.walk(line)]
                subscripts = [part for part in inside if isinstance(part, ast.Subscript)]
                elements = [part for part in subscripts if _is_name(part.slice, variable)]
                reads = sum(_is_name(part, variable) for part in inside)
                arrays = {part.value.id for part in elements if isinstance(part.value, ast.Name)}
                if len(arrays) != 1 or not len(elements) == reads == _reads(function)[variable]:
                    continue
                if changes_state(loop.body) or any(arrays & names_written(line) for line in loop.body):
                    continue
                for line in loop.body:
                    _Replacer(elements, loop.target).visit(line)
                loop.iter = ast.Subscript(ast.Name(arrays.pop(), ast.Load()), ast.Slice(None, end), ast.Load())


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


def _fixed(limit: ast.expr, body: list[ast.stmt]) -> bool:
    """Return whether the loop's body cannot change the loop's limit."""
    names = names_read(limit)
    if any(names & names_written(part) for part in body):
        return False
    fields = {part.attr for part in ast.walk(limit) if isinstance(part, ast.Attribute)}
    if not fields:
        return not any(isinstance(part, ast.Subscript) for part in ast.walk(limit))
    if any(calls_something(part) for part in body):
        return False
    for node in (node for part in body for node in ast.walk(part)):
        if isinstance(node, ast.Subscript | ast.Attribute) and isinstance(node.ctx, ast.Store):
            if any(isinstance(part, ast.Attribute) and part.attr in fields for part in ast.walk(node)):
                return False
            match node, limit:
                case ast.Subscript(ast.Name()), ast.Subscript(ast.Subscript()):
                    return False  # possibly an alias of the limit's list
    return True


def _join_copies(function: ast.FunctionDef) -> None:
    """Where a variable is copied and the copy is later copied back, use the variable itself instead of the copy."""
    for block in _blocks(function):
        for last in range(len(block) - 1, -1, -1):
            match block[last] if last < len(block) else None:
                case ast.Assign([ast.Name(variable)], ast.Name(other)) if other != variable:
                    first = last - 1
                    while first >= 0 and _target(block[first]) != other:
                        if variable in names_read(block[first]) | names_written(block[first]):
                            break
                        first -= 1
                    start = block[first]
                    if first < 0 or not isinstance(start, ast.Assign) or not _is_name(start.value, variable):
                        continue
                    inside = {part for node in block[first : last + 1] for part in ast.walk(node)}
                    whole = [part for part in ast.walk(function) if isinstance(part, ast.Name) and part.id == other]
                    if inside.issuperset(whole):
                        for part in whole:
                            part.id = variable
                        del block[last], block[first]


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
