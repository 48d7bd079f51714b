"""Loops: over squares, unrolled where their turns are known and few, or as they are."""

from __future__ import annotations

import ast
from dataclasses import replace
from functools import partial

from kogoma.arena.export.translator import special
from kogoma.arena.export.translator.fold import integers
from kogoma.arena.export.translator.fold.calls import Calls, NotInlinable
from kogoma.arena.export.translator.nodes import name
from kogoma.arena.export.translator.scopes import (
    Scope,
    has,
    iteration_names,
    leaves_loop,
    names_written,
    returns_in_inner_loop,
)
from kogoma.arena.export.translator.values import Int, Untranslatable, Value, integer

UNROLLED = 16  # turns
UNROLLED_NODES = 900


class Turns(Calls):
    """The part of a translation that loops."""

    def branch(self, scope: Scope, statements: list[ast.stmt]) -> tuple[list[ast.stmt], bool]:
        """(the statements of a block, whether nothing behind it is reached)."""
        leaves, written = self.apart(lambda: self.block(scope, statements))
        return written, leaves

    def while_loop(self, scope: Scope, node: ast.While, block: list[ast.stmt], position: int) -> bool | None:
        """Write a loop; the result is that of `Statements._statement`."""
        rest = block[position + 1 :]
        self._may_return(scope, node)
        if self._over_squares(scope, node):
            return self._loop_end(scope, node, rest)
        turns = self._known_turns(scope, node, block[:position])
        if turns is not None:
            variable, values, last = turns
            own = iteration_names(scope.source, node)
            for value in values:
                inner = Scope(
                    scope.source, f"{scope.path}/{node.lineno}.{value.known}", {variable: value}, scope, own,
                    scope.inline, scope.result, scope.loop_return,
                )  # fmt: skip
                if self.block(inner, node.body[:-1]):
                    return True
            if self._read_elsewhere(scope, node, variable):
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

    def _may_return(self, scope: Scope, node: ast.While | ast.For) -> None:
        if scope.inline and has(node.body, ast.Return):
            if scope.loop_return or returns_in_inner_loop(node.body) or leaves_loop(node.body, ast.Break):
                raise NotInlinable

    def _loop_end(self, scope: Scope, node: ast.While | ast.For, rest: list[ast.stmt]) -> bool | None:
        """Where a kernel inside another returns from a loop, the rest runs unless the loop was left."""
        if not scope.inline or not has(node.body, ast.Return):
            return None
        loop = self.lines[-1]
        assert isinstance(loop, ast.While | ast.For)
        loop.orelse, _ = self.branch(scope, rest)
        return True

    def _read_elsewhere(self, scope: Scope, node: ast.stmt, variable: str) -> bool:
        inside = {id(part) for part in ast.walk(node)}
        for statement in scope.source.body:
            for part in ast.walk(statement):
                if isinstance(part, ast.Name) and part.id == variable and isinstance(part.ctx, ast.Load):
                    if id(part) not in inside and part.lineno > node.lineno:
                        return True
        return False

    def _takes_squares(self, scope: Scope, node: ast.While) -> bool:
        called = _called(scope, node.test)
        return called is not None and called[0] == "any_of"

    def _over_squares(self, scope: Scope, node: ast.While) -> bool:
        """A loop that takes squares off a board, lowest first, runs over the squares."""
        test = node.test
        if not self._takes_squares(scope, node):
            return False
        assert isinstance(test, ast.Call) and isinstance(test.args[0], ast.Name)
        board = test.args[0].id
        step = None
        for index, statement in enumerate(node.body):
            if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                if statement.targets[0].id == board:
                    if step is not None or _called(scope, statement.value) != ("clear_lsb", board):
                        return False
                    step = index
        if step is None or self._read_elsewhere(scope, node, board):
            return False
        for index, statement in enumerate(node.body):
            if index == step:
                continue
            scans = sum(
                isinstance(part, ast.Call) and _called(scope, part) == ("lsb", board) for part in ast.walk(statement)
            )
            reads = sum(isinstance(part, ast.Name) and part.id == board for part in ast.walk(statement))
            if reads != scans or (reads and index > step) or board in names_written(statement):
                return False
        value = self.integer(scope, test.args[0])
        value = integers.exact(value)
        body, variable = list(node.body), None
        del body[step]
        first = body[0]
        if isinstance(first, ast.Assign) and isinstance(first.targets[0], ast.Name):
            if _called(scope, first.value) == ("lsb", board):
                variable = first.targets[0].id
                body = body[1:]
        inner = replace(scope, bound=dict(scope.bound), loop_return=scope.inline)
        square = Int(name("square"), True, 0, 63)
        if variable is None:
            own = self.out_name(Scope(scope.source, f"{scope.path}/{node.lineno}"), "square")
            self.record(own, square)
        else:
            own = self.out_name(scope, variable)
            self.record(own, square)
        inner.bound[f"lsb {board}"] = replace(square, node=name(own))
        written, _ = self.branch(inner, body)
        self.program.uses.add("squares_of")
        squares = ast.Subscript(name("@squares_of"), value.node, ast.Load())
        self.lines.append(ast.For(ast.Name(own, ast.Store()), squares, written or [ast.Pass()], []))
        return True

    def _known_turns(self, scope: Scope, node: ast.While, before: list[ast.stmt]) -> tuple[str, list[Int], Int] | None:
        """(variable, its values, its value afterwards) where a loop's turns are known and few."""
        test, last = node.test, node.body[-1]
        if not (
            isinstance(test, ast.Compare)
            and isinstance(test.left, ast.Name)
            and isinstance(test.ops[0], ast.Lt | ast.LtE)
        ):
            return None
        variable = test.left.id
        if not (isinstance(last, ast.AugAssign) and isinstance(last.target, ast.Name) and isinstance(last.op, ast.Add)):
            return None
        if last.target.id != variable or leaves_loop(node.body) or not scope.is_local(variable):
            return None
        if any(variable in names_written(part) for part in node.body[:-1]):
            return None
        if scope.inline and has(node.body, ast.Return):
            return None
        if any(isinstance(part, ast.While) and not self._takes_squares(scope, part) for part in _inside(node.body)):
            return None
        start: Int | None = None
        for statement in reversed(before):
            if variable in names_written(statement):
                if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                    value, written = self.apart(partial(self.evaluate, scope, statement.value))
                    if isinstance(value, Int) and value.known is not None and not written:
                        start = value
                break
        limit, written = self.apart(lambda: self.evaluate(scope, test.comparators[0]))
        step = self.evaluate(scope, last.value)
        if start is None or not isinstance(limit, Int) or limit.known is None or not isinstance(step, Int):
            return None
        if start.known is None or step.known is None or step.known < 1:
            return None
        end = limit.known + isinstance(test.ops[0], ast.LtE)
        numbers = range(start.known, end, step.known)
        size = sum(1 for part in node.body for _ in ast.walk(part))
        if len(numbers) > UNROLLED or len(numbers) * size > UNROLLED_NODES:
            return None
        values = [integer(number, start.unsigned) for number in numbers]
        behind = start.known + len(numbers) * step.known
        return variable, values, integer(behind, start.unsigned)

    def for_loop(self, scope: Scope, node: ast.For, rest: list[ast.stmt]) -> bool | None:
        """Write a loop over a range."""
        call = node.iter
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and isinstance(node.target, ast.Name)):
            raise Untranslatable(f"{scope.source.place}: no translation for {ast.unparse(call)}")
        if scope.source.outside(call.func.id) is not range or len(call.args) > 2:
            raise Untranslatable(f"{scope.source.place}: no translation for {ast.unparse(call)}")
        self._may_return(scope, node)
        ends = [integers.exact(value) for value in self.integers(scope, call.args)]
        start, end = (integer(0, ends[0].unsigned), ends[0]) if len(ends) == 1 else (ends[0], ends[1])
        variable = node.target.id
        returns = has(node.body, ast.Return)
        if start.known is not None and end.known is not None and not leaves_loop(node.body):
            numbers = range(start.known, end.known)
            size = sum(1 for part in node.body for _ in ast.walk(part))
            inner_loops = any(isinstance(part, ast.While) for part in _inside(node.body))
            fits = not inner_loops and len(numbers) <= UNROLLED and len(numbers) * size <= UNROLLED_NODES
            if fits and not (scope.inline and returns) and not self._read_elsewhere(scope, node, variable):
                own = iteration_names(scope.source, node)
                for number in numbers:
                    bound: dict[str, Value] = {variable: integer(number, end.unsigned)}
                    inner = Scope(
                        scope.source, f"{scope.path}/{node.lineno}.{number}", bound, scope, own,
                        scope.inline, scope.result, scope.loop_return,
                    )  # fmt: skip
                    if self.block(inner, node.body):
                        return True
                return None
        own_name = self.out_name(scope, variable)
        self.record(own_name, Int(name(own_name), end.unsigned, start.low, max(start.low, end.high - 1)))
        inner = replace(scope, loop_return=True) if scope.inline else scope
        body, _ = self.branch(inner, node.body)
        limits = [end.node] if start.known == 0 else [start.node, end.node]
        turns = ast.Call(name("range"), limits, [])
        self.lines.append(ast.For(ast.Name(own_name, ast.Store()), turns, body or [ast.Pass()], []))
        return self._loop_end(scope, node, rest)


def _inside(statements: list[ast.stmt]) -> list[ast.AST]:
    return [part for statement in statements for part in ast.walk(statement)]


def _called(scope: Scope, node: ast.AST) -> tuple[str, str] | None:
    """(operation, variable) of a call of one operation of one variable."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) == 1:
        argument = node.args[0]
        if isinstance(argument, ast.Name):
            operation = special.operation(scope.source.outside(node.func.id))
            return None if operation is None else (operation, argument.id)
    return None
