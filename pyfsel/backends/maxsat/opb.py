"""OPB files for pseudo-Boolean solvers: a linear model in 0/1 variables, and back from their models."""

from __future__ import annotations

from collections.abc import Iterator

from pyfsel.backends.maxsat.wcnf import true_variables
from pyfsel.backends.mip.model import linear_model
from pyfsel.backends.mip.named_model import member
from pyfsel.errors import InputError
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.problem import Problem, part_comments
from pyfsel.results.control import LITERAL, STRENGTHENED
from pyfsel.solvers.linear.model import Number


class PseudoBoolean:
    """A linear model whose other integers are sums of powers of two.

    Parameters
    ----------
    problem : Problem
    formulation : {None, "strengthened", "literal"}
        As for `pyfsel.backends.mip.model.linear_model`.

    Attributes
    ----------
    membership : list of lists of int
        The variable of each set and feature, from 1.
    constant : int
        The value of sets is this minus what the solver minimises.

    Raises
    ------
    InputError
        If the formulation is unknown.
    UnsupportedError
        If the objective is a fraction or least squares (CFS, R²).
    """

    def __init__(self, problem: Problem, formulation: str | None = None) -> None:
        if formulation not in (None, STRENGTHENED, LITERAL):
            raise InputError(f"formulation={formulation!r}: opb has strengthened, literal")
        named = linear_model(problem, formulation or STRENGTHENED)
        self.problem, self.linear = problem, named.linear
        self.n_variables = 0
        self.parts = [self._bits(j) for j in range(self.linear.n_columns)]
        self.membership = [
            [self.parts[named.columns[member(i, j)]][0][0][1] for j in range(problem.n_features)]
            for i in range(problem.n_sets)
        ]
        terms, constant = self.linear.cost()
        self.cost, moved = self._in_bits(terms)
        self.constant = -int(constant) - moved

    def _bits(self, column: int) -> tuple[list[tuple[int, int]], int]:
        """Return a column as coefficients of new variables and a constant; what has no bounds is a value."""
        largest = self.problem.largest_total
        low, high = self.linear.low[column], self.linear.high[column]
        least, most = -largest if low is None else int(low), largest if high is None else int(high)
        first = self.n_variables + 1
        self.n_variables += max(1, (most - least).bit_length())
        return [(2**i, v) for i, v in enumerate(range(first, self.n_variables + 1))], least

    def _in_bits(self, terms: dict[int, Number]) -> tuple[list[tuple[int, int]], int]:
        bits = [(int(c) * b, v) for j, c in terms.items() for b, v in self.parts[j][0]]
        return bits, sum(int(c) * self.parts[j][1] for j, c in terms.items())

    def lines(self) -> Iterator[str]:
        """Yield the lines of the file."""
        rows = [f"{_sum(terms)} {sense} {limit} ;" for terms, sense, limit in self._rows()]
        yield f"* #variable= {self.n_variables} #constraint= {len(rows)}"
        yield from part_comments(self.problem, "*")
        yield f"* x1, x2, ... are the features of the first set, and so on; value = {self.constant} - cost"
        yield f"min: {_sum(self.cost)} ;"
        yield from rows

    def _rows(self) -> Iterator[tuple[list[tuple[int, int]], str, int]]:
        for row in self.linear.rows:
            bits, constant = self._in_bits(row.terms)
            sign = -1 if row.sense == "<=" else 1
            sense = "=" if row.equal else ">="
            yield [(sign * c, v) for c, v in bits], sense, sign * (int(row.limit) - constant)
        for (bits, least), high in zip(self.parts, self.linear.high, strict=True):
            if high is not None and least + sum(b for b, _ in bits) > high:
                yield [(-b, v) for b, v in bits], ">=", least - int(high)

    def inequalities(self) -> Iterator[tuple[dict[int, int], int]]:
        """Yield terms and b of Σ terms[v] · x_v ≥ b, in the order of the file; an equation is two of them."""
        for terms, sense, limit in self._rows():
            yield {v: c for c, v in terms}, limit
            if sense == "=":
                yield {v: -c for c, v in terms}, -limit

    def decode(self, true: set[int]) -> tuple[FeatureSet, ...]:
        """Return the sets of a model, not verified."""
        return tuple(tuple(j for j, v in enumerate(row) if v in true) for row in self.membership)


def _sum(terms: list[tuple[int, int]]) -> str:
    return " ".join(f"{c:+d} x{v}" for c, v in terms) or "+0 x1"


def opb_text(problem: Problem, formulation: str | None = None) -> str:
    """Return the problem in OPB format; parameters and errors as for `PseudoBoolean`.

    Examples
    --------
    >>> print(opb_text(Problem(quality=[3, 2], n_sets=1, set_size=1, max_overlap=1)).splitlines()[-1])
    +1 x1 +1 x2 = 1 ;
    """
    return "".join(f"{line}\n" for line in PseudoBoolean(problem, formulation).lines())


def decode_opb(problem: Problem, output: str, formulation: str | None = None) -> list[FeatureSet]:
    """Return the sets in the last model (``v`` lines of ``x1 -x2``) of a solver that read `opb_text`.

    Raises
    ------
    InputError
        If there is no model, or it says nothing about some feature.
    """
    model = PseudoBoolean(problem, formulation)
    return list(model.decode(true_variables(output, max(map(max, model.membership)))))
