"""From a model to linear rows of 0/1 variables, and to OPB, the file format of pseudo-Boolean solvers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from pyfsel.model.model import LinearRow, ZeroOneModel
from pyfsel.model.passes import all_rows, in_bits, with_ends


def pseudo_boolean(m: ZeroOneModel) -> ZeroOneModel:
    """Return a model whose integers are sums of powers of two and whose clauses are rows.

    The variables have the same numbers. The objective of an optimum is its constant minus what the solver of
    the file minimises.
    """
    binary = in_bits(with_ends(m))
    return replace(binary, rows=all_rows(binary), clauses=[])


def opb_lines(m: ZeroOneModel, comments: Iterable[str] = ()) -> Iterator[str]:
    """Yield the lines of the file of a pseudo-Boolean model, with comments after the first.

    Examples
    --------
    >>> m = ZeroOneModel()
    >>> x, y = m.new("x"), m.new("y")
    >>> m.clause(x, y)
    >>> m.reward([(3, x)])
    >>> list(opb_lines(pseudo_boolean(m)))
    ['* #variable= 2 #constraint= 1', 'min: -3 x1 ;', '+1 x1 +1 x2 >= 1 ;']
    """
    rows = [line for row in m.rows for line in _lines(row)]
    yield f"* #variable= {m.n} #constraint= {len(rows)}"
    yield from (f"* {comment}" for comment in comments)
    yield f"min: {_sum(m.weights, -1)} ;"
    yield from rows


def _lines(row: LinearRow) -> Iterator[str]:
    if row.low is not None and row.low == row.high:
        yield f"{_sum(row.terms, 1)} = {row.low} ;"
    else:
        yield from (f"{_sum(row.terms, sign)} >= {least} ;" for sign, least in row.sides)


def _sum(terms: dict[int, int], sign: int) -> str:
    return " ".join(f"{sign * c:+d} x{x}" for x, c in terms.items()) or "+0 x1"
