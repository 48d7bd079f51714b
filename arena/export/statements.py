"""Statements of kernels: dead branches left out, short loops unrolled, small kernels written into their callers."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

import numpy as np

from arena.export import integers, special
from arena.export.expressions import Expressions
from arena.export.nodes import calls_something, is_atom, name
from arena.export.program import Function, Program
from arena.export.scopes import (
    Scope,
    always_leaves,
    breaks,
    has,
    iteration_names,
    leaves_loop,
    names_read,
    names_written,
    returns_in_inner_loop,
)
from arena.export.sources import Source
from arena.export.values import (
    HALF,
    INDEX_LIMIT,
    WORD,
    Array,
    Bool,
    Int,
    Nothing,
    Record,
    Tuple,
    Untranslatable,
    Value,
    as_integer,
    integer,
    join,
    renamed,
    same,
)

PASSES = 40
UNROLLED = 16  # turns
UNROLLED_NODES = 900
COUNTED = 1 << 48  # what is reached by small steps stays below


class NotInlinable(Exception):
    """The kernel has to remain a function: its returns don't fit into a block."""


class Statements(Expressions):
    """The translation of one function."""

    def __init__(self, program: Program, function: Function) -> None:
        self.program, self.function, self.deadline = program, function, program.deadline
        self.facts = function.facts
        self.names = function.names
        self.growth = function.growth
        self.lines = []
        self.stable = True

    def translate(self) -> ast.FunctionDef:
        """The function's tree, once nothing more becomes known."""
        source = self.function.source
        for _ in range(PASSES):
            self.stable, self.lines, self.result = True, [], None
            scope = Scope(source, "", dict(self.function.records))
            for parameter in source.parameters:
                if parameter not in scope.bound:
                    value = self.function.parameters[parameter]
                    if isinstance(value, Int) and value.unsigned and parameter in source.indices and value.low >= 0:
                        value = replace(value, high=min(value.high, INDEX_LIMIT))
                    own = self.out_name(scope, parameter)
                    if parameter not in source.assigned:
                        scope.bound[parameter] = self._named(value, own)
                    elif parameter in self.function.shown:
                        self._record(own, value)
                    else:
                        self._store(own, value)
            self.block(scope, source.body)
            if self.stable:
                break
        else:
            raise Untranslatable(f"{source.place}: what is known of its variables does not settle")
        result = self.result or Nothing()
        if source.entry_kinds is None:
            if self.function.result is None or not same(self.function.result, result):
                self.function.result = result if self.function.result is None else join(self.function.result, result)
        arguments = []
        for parameter in self.function.shown:
            value = self.function.parameters.get(parameter, Nothing())
            own = self.out_name(scope, parameter)
            count = len(value.items) if isinstance(value, Tuple) else 0
            arguments += [ast.arg(f"{own}_{index}") for index in range(count)] or [ast.arg(own)]
        body = self.lines or [ast.Pass()]
        if source.docstring:
            body = [ast.Expr(ast.Constant(source.docstring.split("\n\n")[0].replace("\n", " "))), *body]
        signature = ast.arguments([], arguments, None, [], [], None, [])
        return ast.FunctionDef(self.function.name, signature, body, [])

    # Variables

    def out_name(self, scope: Scope, variable: str) -> str:
        """The name of a kernel's variable in the function."""
        if not self.names:
            self.names.update({("", parameter): parameter for parameter in self.function.source.parameters})
        scope = scope.home(variable)
        key = (scope.path, variable)
        if key not in self.names:
            taken, found, number = set(self.names.values()), variable, 2
            while found in taken:
                found, number = f"{variable}_{number}", number + 1
            self.names[key] = found
        return self.names[key]

    def read(self, scope: Scope, variable: str) -> Value:
        """What is known of a variable."""
        home = scope.home(variable)
        if variable in home.bound:
            return home.bound[variable]
        own = self.out_name(scope, variable)
        if own not in self.facts:
            raise Untranslatable(f"{scope.source.place}: {variable} may have no value")
        return self._named(self.facts[own], own)

    def _named(self, value: Value, own: str) -> Value:
        if isinstance(value, Tuple):
            return Tuple(tuple(self._named(item, f"{own}_{index}") for index, item in enumerate(value.items)))
        return renamed(value, own)

    def _record(self, own: str, value: Value) -> None:
        """Note what is known of a variable now."""
        known = self.facts.get(own)
        joined = value if known is None else join(known, value)
        if known is not None and same(known, joined):
            return
        self.stable = False
        count = self.growth[own] = self.growth.get(own, 0) + 1
        if count > 4 and isinstance(joined, Int) and isinstance(known, Int):
            # Widen what keeps growing.
            low, high = joined.low, joined.high
            if joined.unsigned:
                low = low if low >= known.low else (0 if low >= 0 else -WORD)
                high = high if high <= known.high else (COUNTED if high < COUNTED else WORD - 1)
            else:
                low, high = (low if low >= known.low else -HALF), (high if high <= known.high else HALF - 1)
            joined = replace(joined, low=low, high=high)
        self.facts[own] = joined

    def assign(self, scope: Scope, variable: str, value: Value, small_step: bool = False) -> None:
        """variable = value."""
        own = self.out_name(scope, variable)
        if isinstance(value, Int):
            value = self._kept(value, variable in scope.source.indices, small_step)
        self._store(own, value)

    def _kept(self, value: Int, is_index: bool, small_step: bool) -> Int:
        """The value as a variable may hold it."""
        if not value.unsigned:
            return replace(value, low=max(value.low, -HALF), high=min(value.high, HALF - 1))
        if is_index:
            if value.known is not None:
                return value
            value = replace(value, node=_unmasked(value.node))
            return replace(value, low=max(value.low, 0), high=max(min(value.high, INDEX_LIMIT), max(value.low, 0)))
        if small_step and value.low >= 0:
            return replace(value, high=min(value.high, COUNTED))
        if value.low < -WORD or value.high >= WORD:
            return integers.exact(value)
        return value

    def _store(self, own: str, value: Value) -> None:
        if isinstance(value, Array) and value.data is not None and any(index.known is None for index in value.index):
            value = self.program.rows(value)
        if isinstance(value, Record | Nothing) or (isinstance(value, Array) and value.data is not None):
            self._record(own, value)
            return
        if isinstance(value, Tuple):
            items = [self._kept(item, False, False) if isinstance(item, Int) else item for item in value.items]
            targets = [ast.Name(f"{own}_{index}", ast.Store()) for index in range(len(items))]
            nodes = [_node(item) for item in items]
            if all(is_atom(node) for node in nodes):
                self.lines.extend(ast.Assign([target], node) for target, node in zip(targets, nodes))
            else:
                self.lines.append(ast.Assign([ast.Tuple(list(targets), ast.Store())], ast.Tuple(nodes, ast.Load())))
            self._record(own, Tuple(tuple(items)))
            return
        known = self.facts.get(own)
        if isinstance(value, Bool) and isinstance(known, Int):
            value = as_integer(value)
        self._record(own, value)
        node = _node(value)
        if not (isinstance(node, ast.Name) and node.id == own):
            self.lines.append(ast.Assign([ast.Name(own, ast.Store())], node))

    def hold(self, scope: Scope, hint: str, value: Value) -> Value:
        """Put a value into a variable of its own."""
        own = self.out_name(Scope(scope.source, f"{scope.path}/{self.place}"), hint)
        if isinstance(value, Int):
            value = self._kept(value, False, False)
        self._store(own, value)
        return self._named(self.facts[own], own)

    def held_again(self, held: str) -> Bool:
        self._record(held, Bool(name(held), name(held)))
        return Bool(name(held), name(held))

    # Statements

    def block(self, scope: Scope, statements: list[ast.stmt]) -> bool:
        """Write statements; True if nothing behind them is reached."""
        for position, statement in enumerate(statements):
            comments = scope.source.comments.get(statement.lineno, [])
            before = len(self.lines)
            done = self._statement(scope, statement, statements, position)
            if comments and len(self.lines) > before:
                text = [ast.Expr(ast.Constant(f"#:{comment}")) for comment in comments]
                self.lines[before:before] = text
            if done is not None:
                return done
        return False

    def _statement(self, scope: Scope, node: ast.stmt, block: list[ast.stmt], position: int) -> bool | None:
        """Write one statement. A bool if the rest of the block is written with it: whether it leaves the block."""
        rest = block[position + 1 :]
        if isinstance(node, ast.Assign):
            self._assignment(scope, node)
        elif isinstance(node, ast.AugAssign):
            self._augmented(scope, node)
        elif isinstance(node, ast.AnnAssign) and node.value is not None and isinstance(node.target, ast.Name):
            self.assign(scope, node.target.id, self.evaluate(scope, node.value))
        elif isinstance(node, ast.Expr):
            if not isinstance(node.value, ast.Constant):
                value = self.evaluate(scope, node.value)
                if not isinstance(value, Nothing | Record | Array | Tuple) and calls_something(_node(value)):
                    self.lines.append(ast.Expr(_node(value)))
        elif isinstance(node, ast.If):
            return self._if(scope, node, rest)
        elif isinstance(node, ast.While):
            return self._while(scope, node, block, position)
        elif isinstance(node, ast.For):
            return self._for(scope, node, rest)
        elif isinstance(node, ast.Return):
            self._return(scope, node)
            return True
        elif isinstance(node, ast.Break):
            self.lines.append(ast.Break())
            return True
        elif isinstance(node, ast.Continue):
            self.lines.append(ast.Continue())
            return True
        elif not isinstance(node, ast.Pass):
            raise Untranslatable(f"{scope.source.place}: no translation for {ast.unparse(node)}")
        return None

    def _assignment(self, scope: Scope, node: ast.Assign) -> None:
        target = node.targets[0]
        if len(node.targets) != 1:
            raise Untranslatable(f"{scope.source.place}: no translation for {ast.unparse(node)}")
        if isinstance(target, ast.Name):
            self.assign(scope, target.id, self.evaluate(scope, node.value))
        elif isinstance(target, ast.Tuple):
            value = self.evaluate(scope, node.value)
            if not isinstance(value, Tuple):
                raise Untranslatable(f"{scope.source.place}: no tuple for {ast.unparse(node)}")
            for part, item in zip(target.elts, value.items):
                assert isinstance(part, ast.Name)
                assert len(names_read(node.value) & names_written(target)) == 0
                self.assign(scope, part.id, item)
        else:
            self.write(scope, target, self.evaluate(scope, node.value))

    def write(self, scope: Scope, target: ast.expr, value: Value) -> None:
        """target = value, a field or an element."""
        if not isinstance(value, Int | Bool):
            raise Untranslatable(f"{scope.source.place}: no number for {ast.unparse(target)}")
        if isinstance(target, ast.Attribute):
            record = self.evaluate(scope, target.value)
            if not isinstance(record, Record) or record.node is None:
                raise Untranslatable(f"{scope.source.place}: {ast.unparse(target)} is constant")
            if target.attr in self.program.index_fields and isinstance(value, Int):
                value = self._kept(value, True, False)
            stored = integers.element(value, record.dtype[target.attr])
            self.lines.append(ast.Assign([ast.Attribute(record.node, target.attr, ast.Store())], stored.node))
            return
        assert isinstance(target, ast.Subscript)
        if isinstance(target.slice, ast.Slice):
            array = self.evaluate(scope, target.value)
            assert isinstance(array, Array) and array.node is not None
            if target.slice.lower or target.slice.upper or target.slice.step:
                raise Untranslatable(f"{scope.source.place}: no translation for {ast.unparse(target)}")
            stored = integers.element(value, array.dtype)
            filled = ast.BinOp(ast.List([stored.node], ast.Load()), ast.Mult(), ast.Constant(array.shape[0]))
            whole = ast.Slice(None, None, None)
            self.lines.append(ast.Assign([ast.Subscript(array.node, whole, ast.Store())], filled))
            return
        parts = target.slice.elts if isinstance(target.slice, ast.Tuple) else [target.slice]
        self.store_item(scope, [*self.sequence(scope, [target.value, *parts]), value])

    def store_item(self, scope: Scope, values: list[Value]) -> Value:
        """array[index, ...] = value."""
        array, *indices, value = values
        if not isinstance(array, Array) or array.node is None or not isinstance(value, Int | Bool):
            raise Untranslatable(f"{scope.source.place}: a store into what is no array")
        node: ast.expr = array.node
        for index in indices:
            assert isinstance(index, Int)
            node = ast.Subscript(node, index.node, ast.Load())
        assert isinstance(node, ast.Subscript)
        if array.label in self.program.index_fields and isinstance(value, Int):
            value = self._kept(value, True, False)
        stored = integers.element(value, array.dtype)
        self.lines.append(ast.Assign([ast.Subscript(node.value, node.slice, ast.Store())], stored.node))
        return Nothing()

    def _augmented(self, scope: Scope, node: ast.AugAssign) -> None:
        target = node.target
        if isinstance(target, ast.Name):
            one, other = self.integers(scope, [ast.Name(target.id, ast.Load()), node.value])
            small = isinstance(node.op, ast.Add) and other.low >= 0 and other.high <= 1 << 16
            self.assign(scope, target.id, integers.combine(one, node.op, other), small)
            return
        value: Value
        if isinstance(target, ast.Attribute):
            read = ast.Attribute(target.value, target.attr, ast.Load())
            one, other = self.integers(scope, [read, node.value])
            self.write(scope, target, integers.combine(one, node.op, other))
            if self.deadline and target.attr == special.NODES and _sets_stop(scope.source):
                self._look_at_clock(scope, target)
            return
        assert isinstance(target, ast.Subscript)
        parts = target.slice.elts if isinstance(target.slice, ast.Tuple) else [target.slice]
        array, *indices = self.sequence(scope, [target.value, *parts])
        kept: list[Value] = []
        for index in indices:
            assert isinstance(index, Int)
            kept.append(self.simple(scope, index, "at"))
        current = self.item(scope, array, kept)
        other = self.integer(scope, node.value)
        assert isinstance(current, Int)
        combined: Int = integers.combine(current, node.op, other)
        if current.unsigned and isinstance(node.op, ast.Add) and other.high <= 1 << 16 and combined.high >= WORD:
            combined = replace(combined, high=WORD - 1)  # no 2**48 small steps
        self.store_item(scope, [array, *kept, combined])

    def _look_at_clock(self, scope: Scope, target: ast.Attribute) -> None:
        """Where nodes are counted, also look at the clock now and then."""
        record = self.evaluate(scope, target.value)
        assert isinstance(record, Record) and record.node is not None
        count = ast.Attribute(record.node, special.NODES, ast.Load())
        due = ast.Compare(
            ast.BinOp(count, ast.BitAnd(), ast.Constant(self.deadline - 1)), [ast.Eq()], [ast.Constant(0)]
        )
        late = ast.Compare(ast.Call(name("@perf_counter"), [], []), [ast.Gt()], [name("@deadline")])
        stop = ast.Assign([ast.Attribute(record.node, special.STOP, ast.Store())], ast.Constant(1))
        self.lines.append(ast.If(ast.BoolOp(ast.And(), [due, late]), [stop], []))

    def _return(self, scope: Scope, node: ast.Return) -> None:
        value = Nothing() if node.value is None else self.evaluate(scope, node.value)
        if not scope.inline:
            value = _returned(value)
            self.result = value if self.result is None else join(self.result, value)
            self.lines.append(ast.Return(None if isinstance(value, Nothing) else _node(value)))
            return
        if scope.result is not None and not isinstance(value, Nothing):
            if isinstance(value, Int):
                value = self._kept(value, False, False)
            self._store(scope.result, value)
        if scope.loop_return:
            self.lines.append(ast.Break())

    def _branch(self, scope: Scope, statements: list[ast.stmt]) -> tuple[list[ast.stmt], bool]:
        leaves, written = self.apart(lambda: self.block(scope, statements))
        return written, leaves

    def _if(self, scope: Scope, node: ast.If, rest: list[ast.stmt]) -> bool | None:
        if isinstance(node.test, ast.BoolOp) and isinstance(node.test.op, ast.And) and not node.orelse:
            split = self._needs_lines(scope, node.test)
            if split is not None and not (scope.inline and has(node.body, ast.Return)):
                first, second = split
                inner = ast.copy_location(ast.If(second, node.body, []), node)
                return self._if(scope, ast.copy_location(ast.If(first, [inner], []), node), rest)
        test = self.condition(scope, node.test)
        if test.known is not None:
            chosen = node.body if test.known else node.orelse
            if always_leaves(chosen):
                self.block(scope, chosen)
                return True
            if scope.inline and has(chosen, ast.Return):
                return self.block(scope, [*chosen, *rest])
            return True if self.block(scope, chosen) else None
        body, orelse = node.body, node.orelse
        with_rest = scope.inline and not scope.loop_return and has([node], ast.Return)
        if scope.inline and scope.loop_return and has([node], ast.Return) and returns_in_inner_loop([node]):
            raise NotInlinable
        if with_rest:
            if always_leaves(body):
                orelse = [*orelse, *rest]
            elif always_leaves(orelse):
                body = [*body, *rest]
            elif not rest:
                pass
            else:
                raise NotInlinable
        written, one = self._branch(scope, body)
        other_written, other = self._branch(scope, orelse)
        if written or other_written or calls_something(test.node):
            if not written:
                opposite = integers.opposite(test)
                self.lines.append(ast.If(opposite.truth, other_written or [ast.Pass()], []))
            else:
                self.lines.append(ast.If(test.truth, written, other_written))
        if with_rest:
            return True
        return True if one and other else None

    def _needs_lines(self, scope: Scope, test: ast.BoolOp) -> tuple[ast.expr, ast.expr] | None:
        """`a and b` in two, where b needs statements of its own."""
        for position in range(1, len(test.values)):
            stable, facts, growth = self.stable, dict(self.facts), dict(self.growth)
            operand = test.values[position]
            _, written = self.apart(lambda operand=operand: self.condition(scope, operand))  # type: ignore[misc]
            self.stable = stable
            for kept, known in ((self.facts, facts), (self.growth, growth)):
                kept.clear()  # type: ignore[attr-defined]
                kept.update(known)  # type: ignore[attr-defined]
            if written:
                first = _conjunction(test.values[:position])
                return first, _conjunction(test.values[position:])
        return None

    # Loops

    def _while(self, scope: Scope, node: ast.While, block: list[ast.stmt], position: int) -> bool | None:
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
        body, _ = self._branch(inner, node.body)
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
            if scope.loop_return or returns_in_inner_loop(node.body) or breaks(node.body):
                raise NotInlinable

    def _loop_end(self, scope: Scope, node: ast.While | ast.For, rest: list[ast.stmt]) -> bool | None:
        """Where a kernel inside another returns from a loop, the rest runs unless the loop was left."""
        if not scope.inline or not has(node.body, ast.Return):
            return None
        loop = self.lines[-1]
        assert isinstance(loop, ast.While | ast.For)
        loop.orelse, _ = self._branch(scope, rest)
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
                    if step is not None or _called(scope, statement.value) != ("rest", board):
                        return False
                    step = index
        if step is None or self._read_elsewhere(scope, node, board):
            return False
        for index, statement in enumerate(node.body):
            if index == step:
                continue
            scans = sum(
                isinstance(part, ast.Call) and _called(scope, part) == ("scan", board) for part in ast.walk(statement)
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
            if _called(scope, first.value) == ("scan", board):
                variable = first.targets[0].id
                body = body[1:]
        inner = replace(scope, bound=dict(scope.bound), loop_return=scope.inline)
        square = Int(name("square"), True, 0, 63)
        if variable is None:
            own = self.out_name(Scope(scope.source, f"{scope.path}/{node.lineno}"), "square")
            self._record(own, square)
        else:
            own = self.out_name(scope, variable)
            self._record(own, square)
        inner.bound[f"scan {board}"] = replace(square, node=name(own))
        written, _ = self._branch(inner, body)
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
                    value, written = self.apart(lambda statement=statement: self.evaluate(scope, statement.value))  # type: ignore[misc]
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

    def _for(self, scope: Scope, node: ast.For, rest: list[ast.stmt]) -> bool | None:
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
        self._record(own_name, Int(name(own_name), end.unsigned, start.low, max(start.low, end.high - 1)))
        inner = replace(scope, loop_return=True) if scope.inline else scope
        body, _ = self._branch(inner, node.body)
        limits = [end.node] if start.known == 0 else [start.node, end.node]
        turns = ast.Call(name("range"), limits, [])
        self.lines.append(ast.For(ast.Name(own_name, ast.Store()), turns, body or [ast.Pass()], []))
        return self._loop_end(scope, node, rest)

    # Calls

    def call_kernel(self, scope: Scope, called: Source, arguments: list[Value], node: ast.Call) -> Value:
        """Call a kernel, or write it in place."""
        named = dict(zip(called.parameters, arguments))
        site = f"{scope.path}/{called.name}{node.lineno}.{node.col_offset}"
        tables = None if self.function.kept else self.program.lookup(called, named)
        if tables is not None:
            return self._look_up(called, named, tables, site)
        if self.program.inlined(called):
            before = len(self.lines)
            try:
                return self._inline(called, named, site)
            except NotInlinable:
                self.program.never_inline.add(called.place)
                del self.lines[before:]
        return self._call_function(called, named, site)

    def _look_up(self, called: Source, arguments: dict[str, Value], tables: str, path: str) -> Value:
        """The result of a kernel that is kept by the squares that matter."""
        function, _ = self.program.lookups[tables]
        self._learn(function, called, arguments)
        node: ast.expr = name("@" + tables)
        *numbers, board = [value for value in arguments.values() if not isinstance(value, Record)]
        for number in numbers:
            assert isinstance(number, Int)
            node = ast.Subscript(node, number.node, ast.Load())
        own = [self.out_name(Scope(called, path), variable) for variable in ("meets", called.name)]
        targets: list[ast.expr] = [ast.Name(variable, ast.Store()) for variable in own]
        self.lines.append(ast.Assign([ast.Tuple(targets, ast.Store())], node))
        assert isinstance(board, Int) and isinstance(function.result, Int)
        occupied = ast.BinOp(board.node, ast.BitAnd(), name(own[0]))
        return replace(function.result, node=ast.Subscript(name(own[1]), occupied, ast.Load()))

    def _learn(self, function: Function, called: Source, arguments: dict[str, Value]) -> dict[str, Value]:
        passed: dict[str, Value] = {}
        for parameter, value in arguments.items():
            if isinstance(value, Int):
                value = self._kept(value, parameter in called.indices, False)
            passed[parameter] = value
        columns = self.program.columns
        self.program.learn(function, passed)
        self.program.refresh(function)
        self.program.columns = columns
        return passed

    def _inline(self, called: Source, arguments: dict[str, Value], path: str) -> Value:
        inner = Scope(called, path, inline=True)
        for parameter, value in arguments.items():
            stays = parameter not in called.assigned
            if isinstance(value, Record) or (isinstance(value, Array) and value.data is not None) or (stays and (isinstance(value, Tuple) or is_atom(_node(value)))):
                inner.bound[parameter] = value
            else:
                self.assign(inner, parameter, value)
        *start, last = called.body
        if isinstance(last, ast.Return) and not has(start, ast.Return):
            self.block(inner, start)
            return Nothing() if last.value is None else self.evaluate(inner, last.value)
        if not has(called.body, ast.Return):
            self.block(inner, called.body)
            return Nothing()
        gives = any(isinstance(part, ast.Return) and part.value for top in called.body for part in ast.walk(top))
        inner.result = self.out_name(Scope(called, path), called.name) if gives else None
        self.block(inner, called.body)
        if inner.result is None:
            return Nothing()
        return self._named(self.facts[inner.result], inner.result)

    def _call_function(self, called: Source, arguments: dict[str, Value], path: str) -> Value:
        function = self.program.function(called, arguments)
        passed: dict[str, Value] = {}
        for parameter, value in arguments.items():
            if called.entry_kinds is not None and called.entry_kinds.get(parameter) is int:
                assert isinstance(value, Int | Bool)
                value = integers.exact(integers.convert(value, np.dtype(np.int64)))
                passed[parameter] = value
                continue
            passed[parameter] = value
        if called.entry_kinds is None:
            passed = self._learn(function, called, arguments)
        else:
            columns = self.program.columns
            self.program.refresh(function)
            self.program.columns = columns
        nodes: list[ast.expr] = []
        for parameter in function.shown:
            value = passed[parameter]
            nodes.extend(map(_node, value.items) if isinstance(value, Tuple) else [_node(value)])
        call = ast.Call(name("@" + function.name), nodes, [])
        if called.entry_kinds is not None:
            return Int(call, False, -HALF, HALF - 1)
        result = function.result
        if result is None:
            raise Untranslatable(f"{called.place}: a call of itself, not by symbol")
        if isinstance(result, Nothing):
            self.lines.append(ast.Expr(call))
            return result
        if isinstance(result, Tuple):
            own = self.out_name(Scope(called, path), called.name)
            targets: list[ast.expr] = [ast.Name(f"{own}_{i}", ast.Store()) for i in range(len(result.items))]
            self.lines.append(ast.Assign([ast.Tuple(targets, ast.Store())], call))
            self._record(own, result)
            return self._named(self.facts[own], own)
        if isinstance(result, Int):
            return replace(result, node=call)
        if isinstance(result, Bool):
            return Bool(call, call)
        raise Untranslatable(f"{called.place}: a result that is no number")


def _inside(statements: list[ast.stmt]) -> list[ast.AST]:
    return [part for statement in statements for part in ast.walk(statement)]


def _unmasked(node: ast.expr) -> ast.expr:
    """An index without the mask that it does not need."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd) and isinstance(node.right, ast.Constant):
        return node.left if node.right.value == WORD - 1 else node
    return node


def _node(value: Value) -> ast.expr:
    if isinstance(value, Int | Bool):
        return value.node
    if isinstance(value, Array | Record) and value.node is not None:
        return value.node
    if isinstance(value, Tuple):
        return ast.Tuple([_node(item) for item in value.items], ast.Load())
    raise Untranslatable(f"{type(value).__name__} can't be written down")


def _returned(value: Value) -> Value:
    if isinstance(value, Int):
        return integers.exact(value)
    if isinstance(value, Tuple):
        return Tuple(tuple(_returned(item) for item in value.items))
    return value


def _called(scope: Scope, node: ast.AST) -> tuple[str, str] | None:
    """(operation, variable) of a call of one operation of one variable."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) == 1:
        argument = node.args[0]
        if isinstance(argument, ast.Name):
            operation = special.operation(scope.source.outside(node.func.id))
            return None if operation is None else (operation, argument.id)
    return None


def _conjunction(values: list[ast.expr]) -> ast.expr:
    return values[0] if len(values) == 1 else ast.BoolOp(ast.And(), values)


def _sets_stop(source: Source) -> bool:
    return any(
        isinstance(part, ast.Attribute) and part.attr == special.STOP and isinstance(part.ctx, ast.Store)
        for statement in source.body
        for part in ast.walk(statement)
    )


__all__ = ["Any", "Statements"]
