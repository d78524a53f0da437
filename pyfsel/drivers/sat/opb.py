"""From a model to linear rows of 0/1 variables, and to OPB, the file format of pseudo-Boolean solvers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pyfsel.model.model import LinearRow, ZeroOneModel
from pyfsel.model.passes import all_rows, in_bits, with_ends
from pyfsel.problem.objectives import FeatureSet


class PseudoBoolean:
    """A model whose integers are sums of powers of two, and whose clauses are rows.

    Parameters
    ----------
    m : ZeroOneModel

    Attributes
    ----------
    model : ZeroOneModel
        Whose variables have the same numbers here.
    rows : list of LinearRow
    constant : int
        The objective of an optimum is this minus what the solver minimises.

    Examples
    --------
    >>> m = ZeroOneModel()
    >>> x, y = m.new("x"), m.new("y")
    >>> m.clause(x, y)
    >>> m.reward([(3, x)])
    >>> list(PseudoBoolean(m).lines())
    ['* #variable= 2 #constraint= 1', 'min: -3 x1 ;', '+1 x1 +1 x2 >= 1 ;']
    """

    def __init__(self, m: ZeroOneModel) -> None:
        self.model = in_bits(with_ends(m))
        self.rows = all_rows(self.model)
        self.constant = self.model.constant

    @property
    def n_variables(self) -> int:
        """Number of variables, which are called x1, x2, …."""
        return self.model.n

    def lines(self, comments: Iterable[str] = ()) -> Iterator[str]:
        """Yield the lines of the file, with comments after the first."""
        rows = [line for row in self.rows for line in _lines(row)]
        yield f"* #variable= {self.n_variables} #constraint= {len(rows)}"
        yield from (f"* {comment}" for comment in comments)
        yield f"min: {_sum(self.model.weights, -1)} ;"
        yield from rows

    def inequalities(self) -> Iterator[tuple[dict[int, int], int]]:
        """Yield terms and b of Σ terms[v] · x_v ≥ b, in the order of the file; an equation is two of them."""
        for row in self.rows:
            for sign, least in row.sides:
                yield {x: sign * c for x, c in row.terms.items()}, least

    def decode(self, literals: Iterable[int]) -> tuple[FeatureSet, ...]:
        """Return the sets of a solution, given as the variables that are true."""
        return self.model.sets(set(literals).__contains__)


def _lines(row: LinearRow) -> Iterator[str]:
    if row.low is not None and row.low == row.high:
        yield f"{_sum(row.terms, 1)} = {row.low} ;"
    else:
        yield from (f"{_sum(row.terms, sign)} >= {least} ;" for sign, least in row.sides)


def _sum(terms: dict[int, int], sign: int) -> str:
    return " ".join(f"{sign * c:+d} x{x}" for x, c in terms.items()) or "+0 x1"
