"""Kernels that can be memoized: they depend on a bitboard only through some of its squares.

Such a kernel reads constant structs only, and one argument, the board, is only combined by `&` with values that the
other arguments determine. The generated source memoizes its results; the keys are the other arguments
and the occupied squares among those that matter.
"""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from kogoma.arena.export.translator import special
from kogoma.arena.export.translator.scopes import names_read
from kogoma.arena.export.translator.sources import Source, source

HELPER = '''
class _Meets:
    """Stands for a board, to find out which of its squares matter to a kernel."""

    def __init__(self):
        self.squares = 0

    def __rand__(self, other):
        self.squares |= other
        return 0

    __and__ = __rand__


class _Results(dict):
    """Maps the occupied squares among those that matter to the kernel's result, computed on first use."""

    def __init__(self, kernel, arguments):
        self.kernel, self.arguments = kernel, arguments

    def __missing__(self, board):
        self[board] = found = self.kernel(*self.arguments, board)
        return found


def looked_up(kernel, sizes, *arguments):
    """Return nested tuples, indexed by the arguments: (squares that matter, results by the occupied ones)."""
    if sizes:
        return tuple(looked_up(kernel, sizes[1:], *arguments, number) for number in range(sizes[0]))
    board = _Meets()
    kernel(*arguments, board)
    return board.squares, _Results(kernel, arguments)
'''


def numbering(found: Source, records: set[str]) -> list[str]:
    """Return the arguments that index the lookup tables of a kernel, or an empty list if its results cannot be looked
    up. The kernel's last argument, the board, is not in the list."""
    *numbers, board = [name for name in found.parameters if name not in records] or [""]
    if not numbers or found.entry_arguments is not None or not _met_only(found, board, records):
        return []
    return numbers if all(_sizes(found, name, None) for name in numbers) else []


def _met_only(found: Source, board: str, records: set[str]) -> bool:
    """Return whether the parameter `board` is used only as an operand of `&`, and no branch depends on the result."""
    if board in found.assigned or board in found.indices:
        return False
    nodes = found.walk()
    tainted = {board}
    size = -1
    while size != (size := len(tainted)):
        for node in nodes:
            if isinstance(node, ast.Assign | ast.AugAssign) and names_read(node.value) & tainted:
                target = node.targets[0] if isinstance(node, ast.Assign) else node.target
                if not isinstance(target, ast.Name):
                    return False
                tainted.add(target.id)
    allowed = 0
    for node in nodes:
        reads = names_read(node) & tainted
        match node:
            case ast.If(test) | ast.While(test) | ast.IfExp(test) if names_read(test) & tainted:
                return False
            case ast.BoolOp() | ast.Compare() | ast.Subscript() if reads:
                return False
            case ast.BinOp(left, ast.BitAnd(), right):
                for one, other in ((left, right), (right, left)):
                    allowed += _is_name(one, board) and not names_read(other) & tainted
            case ast.Call(ast.Name(called), arguments) if reads:
                thing = found.outside(called)
                if special.is_kernel(thing):
                    for argument, parameter in zip(arguments, source(thing).parameters):
                        if names_read(argument) & tainted:
                            if not _is_name(argument, board) or not _met_only(source(thing), parameter, records):
                                return False
                            allowed += 1
                elif special.operation(thing) is None:
                    return False
    return sum(_is_name(node, board) for node in nodes) == allowed > 0


def _is_name(node: ast.AST, wanted: str) -> bool:
    return isinstance(node, ast.Name) and node.id == wanted


def _sizes(found: Source, name: str, record: Any) -> list[int]:
    """Return the lengths of the array axes in `record` that the parameter `name` indexes. If `record` is None, return 1
    for each such axis."""
    lengths: list[int] = []
    for node in found.walk():
        match node:
            case ast.Subscript(ast.Attribute(_, label), index):
                parts = index.elts if isinstance(index, ast.Tuple) else [index]
                lengths += _axes(label, parts, name, record)
            case ast.Call(ast.Name(called), arguments):
                thing = found.outside(called)
                if special.operation(thing) == "load_bb":
                    array, *parts = arguments
                    label = array.attr if isinstance(array, ast.Attribute) else _origin(found, array)
                    lengths += _axes(label, parts, name, record)
                elif special.is_kernel(thing):
                    for argument, parameter in zip(arguments, source(thing).parameters):
                        if _is_name(argument, name):
                            lengths += _sizes(source(thing), parameter, record)
    return lengths


def _origin(found: Source, array: ast.expr) -> str:
    """Return the name of the struct field that is assigned to the local variable `array`, or "" if there is none."""
    for statement in found.body:
        match statement:
            case ast.Assign([target], ast.Attribute(_, label)) if ast.unparse(target) == ast.unparse(array):
                return str(label)
    return ""


def _axes(label: str, parts: list[ast.expr], name: str, record: Any) -> list[int]:
    axes = [axis for axis, part in enumerate(parts) if _is_name(part, name)]
    if record is None:
        return [1] * len(axes)
    data = np.asarray(record[label]) if label in record else np.zeros(())
    return [data.shape[axis] for axis in axes if axis < data.ndim]


def used_length(data: Any, axis: int) -> int:
    """Return the length of an axis of `data` without the entries at its end that contain only zeros."""
    rest = tuple(other for other in range(data.ndim) if other != axis)
    filled = np.nonzero(np.any(data != 0, axis=rest))[0]
    return int(filled[-1]) + 1 if len(filled) else 1


def sizes(found: Source, numbers: list[str], record: Any) -> tuple[int, ...]:
    """Return, for each argument in `numbers`, how many values it can have as an index of the arrays in `record`."""
    return tuple(max(_sizes(found, name, record), default=1) for name in numbers)
