"""Loops: over the squares of a bitboard, unrolled if they have few known iterations, or translated as they are."""

from __future__ import annotations

import ast
from dataclasses import replace
from functools import partial

from kogoma.arena.export.translator import special
from kogoma.arena.export.translator.fold import integers
from kogoma.arena.export.translator.fold.calls import Calls, NotInlinable
from kogoma.arena.export.translator.nodes import name
from kogoma.arena.export.translator.scopes import Scope, has, leaves_loop, names_written, returns_in_inner_loop
from kogoma.arena.export.translator.values import Int, Untranslatable, integer

UNROLLED = 16  # most iterations of a loop that is unrolled
UNROLLED_NODES = 900  # most syntax tree nodes of such a loop in all iterations together


class Loops(Calls):
    """The part of a translation that handles loops."""

    def branch(self, scope: Scope, statements: list[ast.stmt]) -> tuple[list[ast.stmt], bool]:
        """Translate a block: return its statements, and whether the code after it is unreachable."""
        leaves, written = self.apart(lambda: self.block(scope, statements))
        return written, leaves

    def while_loop(self, scope: Scope, node: ast.While, block: list[ast.stmt], position: int) -> bool | None:
        """Translate a while loop. Return None if the rest of the block must still be translated, otherwise whether the
        code after the block is unreachable."""
        rest = block[position + 1 :]
        self._check_returns(scope, node)
        if self._over_squares(scope, node):
            return self._loop_end(scope, node, rest)
        turns = self._known_turns(scope, node, block[:position])
        if turns is not None:
            variable, values, last = turns
            self._unroll(scope, node, variable, values, node.body[:-1])
            if self._read_later(scope, node, variable):
                self.assign(scope, variable, last)
            return None
        test, needed = self.apart(lambda: self.condition(scope, node.test))
        inner = replace(scope, loop_return=True) if scope.inline else scope
        body, _ = self.branch(inner, node.body)
        if needed or test.known:
            if test.known is None:
                body = [*needed, ast.If(integers.opposite(test).truth, [ast.Break()], []), *body]
                if scope.inline and has(node.body, ast.Return):
                    raise NotInlinable
            self.lines.append(ast.While(ast.Constant(True), body, []))
        else:
            self.lines.append(ast.While(test.truth, body, []))
        return self._loop_end(scope, node, rest)

    def _unroll(
        self, scope: Scope, node: ast.While | ast.For, variable: str, values: list[Int], body: list[ast.stmt]
    ) -> None:
        """Emit a loop's body once for each value of the loop's variable."""
        for value in values:
            path = f"{scope.path}/{node.lineno}.{value.known}"
            self.block(replace(scope, path=path, bound={variable: value}, parent=scope), body)

    def _check_returns(self, scope: Scope, node: ast.While | ast.For) -> None:
        if scope.inline and has(node.body, ast.Return):
            if scope.loop_return or returns_in_inner_loop(node.body) or leaves_loop(node.body, ast.Break):
                raise NotInlinable

    def _loop_end(self, scope: Scope, node: ast.While | ast.For, rest: list[ast.stmt]) -> bool | None:
        """If an inlined kernel may return from the loop, translate `rest`, the code after the loop, as the loop's
        `else` block, and return True. For other loops, do nothing and return None."""
        if not scope.inline or not has(node.body, ast.Return):
            return None
        loop = self.lines[-1]
        assert isinstance(loop, ast.While | ast.For)
        loop.orelse, _ = self.branch(scope, rest)
        return True

    def _read_later(self, scope: Scope, node: ast.stmt, variable: str) -> bool:
        inside = set(ast.walk(node))
        return any(
            isinstance(part, ast.Name) and part.id == variable and isinstance(part.ctx, ast.Load)
            and part not in inside and part.lineno > node.lineno
            for part in scope.source.walk()
        )  # fmt: skip

    def _over_squares(self, scope: Scope, node: ast.While) -> bool:
        """Turn a loop that removes squares from a bitboard, lowest first, into a loop over the squares. Return False if
        that is impossible."""
        called = _called(scope, node.test)
        if called is None or called[0] != "any_of":
            return False
        _, board = called
        steps = [part for part in node.body if isinstance(part, ast.Assign) and ast.unparse(part.targets[0]) == board]
        if len(steps) != 1 or _called(scope, steps[0].value) != ("clear_lsb", board):
            return False
        if self._read_later(scope, node, board):
            return False
        step = node.body.index(steps[0])
        body = [*node.body[:step], *node.body[step + 1 :]]
        for index, statement in enumerate(body):
            scans = sum(_called(scope, part) == ("lsb", board) for part in ast.walk(statement))
            reads = sum(isinstance(part, ast.Name) and part.id == board for part in ast.walk(statement))
            if reads != scans or (reads and index >= step) or board in names_written(statement):
                return False
        squares = integers.exact(self.integer(scope, name(board)))
        match body:
            case [ast.Assign([ast.Name(variable)], scan), *rest] if _called(scope, scan) == ("lsb", board):
                output, body = self.out_name(scope, variable), rest
            case _:
                output = self.out_name(Scope(scope.source, f"{scope.path}/{node.lineno}"), "square")
        square = Int(name(output), True, 0, 63)
        self.record(output, square)
        bound = {**scope.bound, f"lsb {board}": square}
        written, _ = self.branch(replace(scope, bound=bound, loop_return=scope.inline), body)
        taken = ast.Subscript(name("@squares_of"), squares.node, ast.Load())
        self.lines.append(ast.For(ast.Name(output, ast.Store()), taken, written or [ast.Pass()], []))
        return True

    def _known_turns(self, scope: Scope, node: ast.While, before: list[ast.stmt]) -> tuple[str, list[Int], Int] | None:
        """Return (variable, its values, its final value) if a loop has few known iterations, otherwise None."""
        match node:
            case ast.While(
                ast.Compare(ast.Name(variable), [ast.Lt() | ast.LtE() as kind], [end]),
                [*body, ast.AugAssign(ast.Name(stepped), ast.Add(), by)],
            ) if stepped == variable and scope.is_local(variable):
                pass
            case _:
                return None
        if leaves_loop(node.body) or any(variable in names_written(part) for part in body):
            return None
        start: Int | None = None
        for statement in reversed(before):
            if variable in names_written(statement):
                if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                    value, written = self.apart(partial(self.evaluate, scope, statement.value))
                    if isinstance(value, Int) and value.known is not None and not written:
                        start = value
                break
        limit, _ = self.apart(lambda: self.evaluate(scope, end))
        step = self.evaluate(scope, by)
        if start is None or not isinstance(limit, Int) or limit.known is None or not isinstance(step, Int):
            return None
        if start.known is None or step.known is None or step.known < 1:
            return None
        numbers = range(start.known, limit.known + isinstance(kind, ast.LtE), step.known)
        if not self._may_unroll(scope, node, numbers):
            return None
        values = [integer(number, start.unsigned) for number in numbers]
        return variable, values, integer(start.known + len(numbers) * step.known, start.unsigned)

    def _may_unroll(self, scope: Scope, node: ast.While | ast.For, numbers: range) -> bool:
        """Return whether a loop over `numbers` is short and simple enough to be unrolled."""
        parts = [part for statement in node.body for part in ast.walk(statement)]
        for part in parts:
            if isinstance(part, ast.Return) and scope.inline:
                return False
            if isinstance(part, ast.While) and (isinstance(node, ast.For) or not _takes_squares(scope, part)):
                return False
        return len(numbers) <= UNROLLED and len(numbers) * len(parts) <= UNROLLED_NODES

    def for_loop(self, scope: Scope, node: ast.For, rest: list[ast.stmt]) -> bool | None:
        """Translate a loop over a range. Return None if the rest of the block must still be translated, otherwise
        whether the code after the block is unreachable."""
        match node:
            case ast.For(ast.Name(variable), ast.Call(ast.Name(called), ([_] | [_, _]) as arguments)):
                known = scope.source.outside(called) is range
            case _:
                known = False
        if not known:
            raise Untranslatable(f"{scope.source.place}: no translation for {ast.unparse(node.iter)}")
        self._check_returns(scope, node)
        ends = [integers.exact(value) for value in self.integers(scope, arguments)]
        start, end = (integer(0, ends[0].unsigned), ends[0]) if len(ends) == 1 else (ends[0], ends[1])
        if start.known is not None and end.known is not None and not leaves_loop(node.body):
            numbers = range(start.known, end.known)
            if self._may_unroll(scope, node, numbers) and not self._read_later(scope, node, variable):
                values = [integer(number, end.unsigned) for number in numbers]
                self._unroll(scope, node, variable, values, node.body)
                return None
        output = self.out_name(scope, variable)
        self.record(output, Int(name(output), end.unsigned, start.low, max(start.low, end.high - 1)))
        inner = replace(scope, loop_return=True) if scope.inline else scope
        body, _ = self.branch(inner, node.body)
        limits = [end.node] if start.known == 0 else [start.node, end.node]
        turns = ast.Call(name("range"), limits, [])
        self.lines.append(ast.For(ast.Name(output, ast.Store()), turns, body or [ast.Pass()], []))
        return self._loop_end(scope, node, rest)


def _takes_squares(scope: Scope, node: ast.While) -> bool:
    called = _called(scope, node.test)
    return called is not None and called[0] == "any_of"


def _called(scope: Scope, node: ast.AST) -> tuple[str, str] | None:
    """Return (operation, variable) if the node calls an operation with one variable as argument, otherwise None."""
    match node:
        case ast.Call(ast.Name(called), [ast.Name(variable)]):
            operation = special.operation(scope.source.outside(called))
            return None if operation is None else (operation, variable)
    return None
