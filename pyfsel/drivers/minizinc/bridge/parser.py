"""FlatZinc (the grammar of MiniZinc 2) to a `Model`."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any

from pyfsel.drivers.linear.model import Number
from pyfsel.drivers.minizinc.bridge.model import (
    GOALS,
    Call,
    Constraint,
    Domain,
    FlatZincError,
    Model,
    Output,
    UnsupportedFlatZincError,
    Variable,
    domain_of,
    is_number,
)
from pyfsel.drivers.minizinc.bridge.tokens import END, Tokens, is_name

INTEGER = re.compile(r"-?[0-9]+")
NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:[eE]([-+]?[0-9]+))?")
KINDS = ("bool", "int", "float", "set")
KEYWORDS = {*KINDS, *GOALS, "array", "constraint", "false", "of", "predicate", "solve", "true", "var"}
MOST_DIGITS = 1000  # far beyond what a solver takes; int() of very long text takes quadratic time
MOST_DIGITS_AT_ONCE = 18  # surely within 64 bits
LARGEST_EXPONENT = 1000  # as `MOST_DIGITS`: 1e1000000 would be written out
DEEPEST_NESTING = 50  # far from Python's limit of recursion


def parse(text: str) -> Model:
    """Read FlatZinc.

    Raises
    ------
    FlatZincError
        If the text is not FlatZinc.
    UnsupportedFlatZincError
        If it declares something other than truth values, integers and floats.

    Examples
    --------
    >>> parse("var 1..3: x :: output_var; solve maximize x;").variables[0].domain
    Domain(low=1, high=3, values=None)
    """
    return _Parser(text).model


class _Integers(dict[str, int]):
    """The values of short integer tokens, each computed once."""

    def __missing__(self, token: str) -> int:
        if len(token) > MOST_DIGITS_AT_ONCE or not INTEGER.fullmatch(token):
            raise KeyError(token)
        value = self[token] = int(token)
        return value


class _Parser:
    def __init__(self, text: str) -> None:
        self.tokens = Tokens(text)
        self.names: dict[str, Any] = {"true": True, "false": False}
        self.integers = _Integers()
        self.model = Model(line_of=self.tokens.line_of)
        self.depth = 0
        solved = False
        while self.tokens.next != END:
            if solved:
                raise self.tokens.error("nothing may follow the solve item")
            solved = self._item()
        if not solved:
            raise self.tokens.error("the solve item is missing")

    def _item(self) -> bool:
        tokens = self.tokens
        keyword = tokens.next
        if keyword == "constraint":
            at = tokens.at
            tokens.at += 1
            name = tokens.name()
            self.model.constraints.append(Constraint(Call(name, self._arguments()), at))
            self._annotations()
        elif keyword == "array":
            self._array()
        elif keyword == "var":
            tokens.at += 1
            self._variable()
        elif keyword == "predicate":
            while tokens.take() != ";":
                pass
            return False
        elif keyword == "solve":
            self._solve()
        elif keyword in KINDS or NUMBER.fullmatch(keyword) or keyword == "{":
            self._type()
            self._parameter()
        else:
            raise tokens.error(f"expected an item {tokens.found()}")
        tokens.expect(";")
        return keyword == "solve"

    def _solve(self) -> None:
        tokens = self.tokens
        tokens.expect("solve")
        self._annotations()
        goal = tokens.next
        if goal not in GOALS:
            raise tokens.error(f"expected satisfy, minimize or maximize {tokens.found()}")
        tokens.at += 1
        self.model.goal = goal
        if goal != "satisfy":
            at = tokens.at
            objective = self._expression()
            if not (isinstance(objective, Variable) or is_number(objective)):
                raise FlatZincError("the objective must be a variable or a number", tokens.line_of(at))
            self.model.objective = objective

    def _type(self) -> tuple[str, Domain]:
        """Read a type and return its kind (bool, int, float or set of …) and the range it allows."""
        tokens = self.tokens
        token = tokens.next
        if token == "set":
            tokens.at += 1
            tokens.expect("of")
            self._type()
            return "set", Domain()
        if token in KINDS:
            tokens.at += 1
            return token, Domain(0, 1) if token == "bool" else Domain()
        if token != "{" and not NUMBER.fullmatch(token):
            raise tokens.error(f"expected a type {tokens.found()}")
        at = tokens.at
        range_ = self._expression()
        if not isinstance(range_, Domain):
            raise FlatZincError("expected a range or a set", tokens.line_of(at))
        whole = isinstance(range_.low, int) and isinstance(range_.high, int)
        return "int" if whole else "float", range_

    def _declare(self, name: str, value: Any, at: int) -> None:
        if name in self.names or name in KEYWORDS:
            raise FlatZincError(f"the name {name} is taken", self.tokens.line_of(at))
        self.names[name] = value

    def _parameter(self) -> None:
        self.tokens.expect(":")
        at = self.tokens.at
        name = self.tokens.name()
        self._annotations()
        self.tokens.expect("=")
        self._declare(name, self._expression(), at)

    def _variable(self) -> None:
        tokens = self.tokens
        start = tokens.at
        kind, domain = self._type()
        if kind == "set":
            raise UnsupportedFlatZincError("variables that are sets", tokens.line_of(start))
        tokens.expect(":")
        at = tokens.at
        name = tokens.name()
        variable = Variable(name, kind, domain, len(self.model.variables))
        self._declare(name, variable, at)
        self.model.variables.append(variable)
        for annotation in self._annotations():
            if annotation == Call("output_var"):
                self.model.outputs.append(Output(name, variable))
        if tokens.accept("="):
            value = self._expression()
            if not (isinstance(value, Variable) or is_number(value)):
                raise FlatZincError(f"{name} must be a variable or a number", tokens.line_of(at))
            self.model.equalities.append((variable, value, at))

    def _array(self) -> None:
        tokens = self.tokens
        tokens.expect("array")
        tokens.expect("[")
        self._expression()
        tokens.expect("]")
        tokens.expect("of")
        tokens.accept("var")
        self._type()
        tokens.expect(":")
        at = tokens.at
        name = tokens.name()
        annotations = self._annotations()
        tokens.expect("=")
        content = self._expression()
        if not isinstance(content, list):
            raise FlatZincError(f"{name} must be an array", tokens.line_of(at))
        self._declare(name, content, at)
        for annotation in annotations:
            if isinstance(annotation, Call) and annotation.name == "output_array":
                self.model.outputs.append(
                    Output(name, content, self._dimensions(annotation, len(content), at))
                )

    def _dimensions(self, annotation: Call, length: int, at: int) -> tuple[tuple[int, int], ...]:
        ranges = annotation.arguments[0] if annotation.arguments else None
        product = 1
        sizes = []
        for range_ in ranges if isinstance(ranges, list) else []:
            if not (
                isinstance(range_, Domain) and isinstance(range_.low, int) and isinstance(range_.high, int)
            ):
                break
            sizes.append((range_.low, range_.high))
            product *= max(0, range_.high - range_.low + 1)
        if not isinstance(ranges, list) or len(sizes) != len(ranges) or not sizes or product != length:
            raise FlatZincError("output_array does not fit the array", self.tokens.line_of(at))
        return tuple(sizes)

    def _annotations(self) -> list[Any]:
        found = []
        while self.tokens.accept("::"):
            found.append(self._expression(annotation=True))
        return found

    def _arguments(self, annotation: bool = False) -> tuple[Any, ...]:
        self.tokens.expect("(")
        return tuple(self._list(")", annotation))

    def _list(self, end: str, annotation: bool) -> list[Any]:
        """Read expressions with commas between them, and the end."""
        tokens = self.tokens
        items: list[Any] = []
        while not tokens.accept(end):
            token = tokens.next
            if token in self.names:
                items.append(self.names[token])
                tokens.at += 1
            else:
                items.append(self._expression(annotation))
            if not tokens.accept(",") and tokens.next != end:
                raise tokens.error(f"expected ',' or {end!r} {tokens.found()}")
        return items

    def _expression(self, annotation: bool = False) -> Any:
        """Read a number, a string, a known name, a range, a set, an array or, in an annotation, a call."""
        self.depth += 1
        if self.depth > DEEPEST_NESTING:
            raise self.tokens.error("nested too deeply")
        try:
            return self._expression_within(annotation)
        finally:
            self.depth -= 1

    def _expression_within(self, annotation: bool) -> Any:
        tokens = self.tokens
        token = tokens.next
        if token in self.names:
            tokens.at += 1
            return self.names[token]
        if token == "[":
            tokens.at += 1
            plain = self._plain_list()
            return self._list("]", annotation) if plain is None else plain
        if token == "{":
            return self._set()
        if NUMBER.fullmatch(token):
            return self._number_or_range()
        if token.startswith('"') and len(token) > 1:
            tokens.at += 1
            return token
        if is_name(token) and annotation:
            tokens.at += 1
            return Call(token, self._arguments(True) if tokens.next == "(" else ())
        if is_name(token) and token not in KEYWORDS:
            raise tokens.error(f"the name {token} is not known")
        raise tokens.error(f"expected a value {tokens.found()}")

    def _plain_list(self) -> list[Any] | None:
        """Read an array of names and integers at once; return None, and stay, for any other."""
        tokens = self.tokens
        try:
            end = tokens.all.index("]", tokens.at)
        except ValueError:
            return None
        items = tokens.all[tokens.at : end : 2]
        commas = tokens.all[tokens.at + 1 : end : 2]
        if commas.count(",") != len(commas) or len(items) - len(commas) not in (0, 1):
            return None
        names, integers = self.names, self.integers
        try:
            values = [names[token] if token in names else integers[token] for token in items]
        except KeyError:
            return None
        tokens.at = end + 1
        return values

    def _set(self) -> Domain:
        at = self.tokens.at
        self.tokens.expect("{")
        items = self._list("}", annotation=False)
        if not all(isinstance(item, int) for item in items):
            raise FlatZincError("a set must hold integers", self.tokens.line_of(at))
        return domain_of(items)

    def _number_or_range(self) -> Number | Domain:
        low = self._number()
        if not self.tokens.accept(".."):
            return low
        return Domain(low, self._number())

    def _number(self) -> Number:
        tokens = self.tokens
        with suppress(KeyError):
            value = self.integers[tokens.next]
            tokens.at += 1
            return value
        match = NUMBER.fullmatch(tokens.next)
        if match is None:
            raise tokens.error(f"expected a number {tokens.found()}")
        text, exponent = match.group(), match.group(1)
        too_large = exponent is not None and (len(exponent) > 6 or abs(int(exponent)) > LARGEST_EXPONENT)
        if len(text) > MOST_DIGITS or too_large:
            raise tokens.error(f"the number {text[:20]}… is too large")
        tokens.at += 1
        if INTEGER.fullmatch(text):
            return int(text)
        from fractions import Fraction

        return Fraction(text)
