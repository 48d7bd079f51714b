"""Statements of a kernel: dead branches are removed, returns are adapted."""

from __future__ import annotations

import ast
from dataclasses import replace

from kogoma.arena.export.translator import special
from kogoma.arena.export.translator.fold import integers
from kogoma.arena.export.translator.fold.calls import NotInlinable
from kogoma.arena.export.translator.fold.loops import Loops
from kogoma.arena.export.translator.nodes import calls_something
from kogoma.arena.export.translator.program import Function, Program
from kogoma.arena.export.translator.scopes import Scope, always_leaves, has, returns_in_inner_loop
from kogoma.arena.export.translator.sources import source
from kogoma.arena.export.translator.values import (
    INDEX_LIMIT,
    Array,
    Int,
    Nothing,
    Struct,
    Tuple,
    Untranslatable,
    Value,
    join,
    same,
    syntax_node,
)

PASSES = 40


class Statements(Loops):
    """The translation of one function."""

    def __init__(self, program: Program, function: Function) -> None:
        self.program, self.function = program, function
        self.facts = function.facts
        self.names = function.names
        self.growth = function.growth
        self.lines = []
        self.stable = True
        self.result: Value | None = None

    def translate(self) -> ast.FunctionDef:
        """Return the syntax tree of the translated function. The translation is repeated until what is known about the
        values of the variables no longer changes."""
        source = self.function.source
        for _ in range(PASSES):
            self.stable, self.lines, self.result = True, [], None
            scope = Scope(source, "", dict(self.function.records))
            for parameter in source.parameters:
                if parameter not in scope.bound:
                    value = self.function.parameters[parameter]
                    if isinstance(value, Int) and value.unsigned and parameter in source.indices and value.low >= 0:
                        value = replace(value, high=min(value.high, INDEX_LIMIT))
                    output = self.out_name(scope, parameter)
                    if parameter not in source.assigned:
                        scope.bound[parameter] = self.named(value, output)
                    elif parameter in self.function.shown:
                        self.record(output, value)
                    else:
                        self.store(output, value)
            self.block(scope, source.body)
            if self.stable:
                break
        else:
            raise Untranslatable(f"{source.place}: the analysis of this function's variables does not converge")
        result = self.result or Nothing()
        if source.entry_arguments is None:
            if self.function.result is None or not same(self.function.result, result):
                self.function.result = result if self.function.result is None else join(self.function.result, result)
        arguments = []
        for parameter in self.function.shown:
            value = self.function.parameters.get(parameter, Nothing())
            output = self.out_name(scope, parameter)
            suffixes = value.suffixes if isinstance(value, Tuple) else ()
            arguments += [ast.arg(f"{output}_{suffix}") for suffix in suffixes] or [ast.arg(output)]
        body = self.lines or [ast.Pass()]
        if source.docstring:
            body = [ast.Expr(ast.Constant(source.docstring.split("\n\n")[0].replace("\n", " "))), *body]
        signature = ast.arguments([], arguments, None, [], [], None, [])
        return ast.FunctionDef(self.function.name, signature, body, [])

    def block(self, scope: Scope, statements: list[ast.stmt]) -> bool:
        """Translate statements. Return True if the code after them is unreachable."""
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
        """Translate a statement. Return None if the rest of the block must still be translated, otherwise whether the
        code after the block is unreachable."""
        rest = block[position + 1 :]
        if isinstance(node, ast.Assign):
            self.assignment(scope, node)
        elif isinstance(node, ast.AugAssign):
            self.augmented(scope, node)
        elif isinstance(node, ast.AnnAssign) and node.value is not None and isinstance(node.target, ast.Name):
            self.assign(scope, node.target.id, self.evaluate(scope, node.value))
        elif isinstance(node, ast.Expr):
            if not isinstance(node.value, ast.Constant):
                value = self.evaluate(scope, node.value)
                if not isinstance(value, Nothing | Struct | Array | Tuple) and calls_something(syntax_node(value)):
                    self.lines.append(ast.Expr(syntax_node(value)))
        elif isinstance(node, ast.If):
            return self._if(scope, node, rest)
        elif isinstance(node, ast.While):
            return self.while_loop(scope, node, block, position)
        elif isinstance(node, ast.For):
            return self.for_loop(scope, node, rest)
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

    def _return(self, scope: Scope, node: ast.Return) -> None:
        if not scope.inline and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Name):
            thing = scope.source.outside(node.value.func.id)
            if special.is_inlined(thing):  # its `return` statements become `return` statements of this function
                called = source(thing)
                inner = Scope(called, f"{scope.path}/{called.name}")
                arguments = dict(zip(called.parameters, self.sequence(scope, node.value.args)))
                for parameter, value in arguments.items():
                    if isinstance(value, Int) and isinstance(value.node, ast.Name) and value.node.id == parameter:
                        self.names[inner.path, parameter] = parameter  # the old variable is not needed any more
                self.block(self.opened(inner, arguments), called.body)
                return
        value = Nothing() if node.value is None else self.evaluate(scope, node.value)
        if not scope.inline:
            value = _returned(value)
            self.result = value if self.result is None else join(self.result, value)
            self.lines.append(ast.Return(None if isinstance(value, Nothing) else syntax_node(value)))
            return
        if scope.result is not None and not isinstance(value, Nothing):
            if isinstance(value, Int):
                value = self.as_stored(value)
            self.store(scope.result, value)
        if scope.loop_return:
            self.lines.append(ast.Break())

    def _if(self, scope: Scope, node: ast.If, rest: list[ast.stmt]) -> bool | None:
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
            if not always_leaves(body):
                raise NotInlinable
            orelse = [*orelse, *rest]
        written, one = self.branch(scope, body)
        other_written, other = self.branch(scope, orelse)
        if written or other_written or calls_something(test.node):
            self.lines.append(ast.If(test.truth, written or [ast.Pass()], other_written))
        if with_rest:
            return True
        return True if one and other else None


def _returned(value: Value) -> Value:
    if isinstance(value, Int):
        return integers.exact(value)
    if isinstance(value, Tuple):
        return replace(value, items=tuple(_returned(item) for item in value.items))
    return value
