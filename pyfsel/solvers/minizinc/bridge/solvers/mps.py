"""A linear model as free MPS text, the format that CBC reads best."""

from __future__ import annotations

from itertools import count

from pyfsel.solvers.minizinc.bridge.linear import LinearModel
from pyfsel.solvers.minizinc.bridge.model import Number


def mps_text(model: LinearModel) -> str:
    """Return the model as a minimisation without the constant of its objective; columns are C0, C1, ….

    CBC wants the MARKER lines in the columns of fixed MPS.

    Examples
    --------
    >>> from pyfsel.solvers.minizinc.bridge.linear import Row
    >>> model = LinearModel([0], [9], [True], [Row({0: 2}, 7)], goal=1, objective=0)
    >>> print(mps_text(model).splitlines()[6])
     C0 OBJ -1
    """
    lines = ["NAME          fzn       FREE", "ROWS", " N OBJ"]
    lines += [f" {'E' if row.equal else 'L'} R{i}" for i, row in enumerate(model.rows)]
    lines.append("COLUMNS")
    lines += _columns(model)
    lines.append("RHS")
    lines += [f" RHS R{i} {_text(row.limit)}" for i, row in enumerate(model.rows) if row.limit]
    lines.append("BOUNDS")
    for j, (low, high) in enumerate(zip(model.low, model.high, strict=True)):
        lines.append(f" MI BND C{j}" if low is None else f" LO BND C{j} {_text(low)}")
        lines.append(f" PL BND C{j}" if high is None else f" UP BND C{j} {_text(high)}")
    lines.append("ENDATA\n")
    return "\n".join(lines)


def _columns(model: LinearModel) -> list[str]:
    entries: list[list[str]] = [[] for _ in range(model.n_columns)]
    for j, c in model.cost()[0].items():
        entries[j].append(f" C{j} OBJ {_text(-model.goal * c)}")
    for i, row in enumerate(model.rows):
        for j, c in row.terms.items():
            entries[j].append(f" C{j} R{i} {_text(c)}")
    lines = []
    within = False
    marker = count()
    for j, whole in enumerate(model.integer):
        if whole != within:
            lines.append(_marker(next(marker), whole))
            within = whole
        lines += entries[j] or [f" C{j} OBJ 0"]
    if within:
        lines.append(_marker(next(marker), False))
    return lines


def _marker(number: int, begins: bool) -> str:
    return f"    M{number}        'MARKER'                 '{'INTORG' if begins else 'INTEND'}'"


def _text(number: Number) -> str:
    return str(number) if isinstance(number, int) else repr(float(number))
