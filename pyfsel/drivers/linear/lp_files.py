"""LP and MPS files of a linear model, as minimisations without the constant of the objective.

Written here because the exporters at hand are not safe for other programs: OR-Tools writes six digits, and
CBC reads neither the section names of HiGHS's LP files nor a maximisation in its MPS files. So integers are
written in full, and sections have the names that every reader knows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby

from pyfsel.drivers.linear.linear_model import LinearModel, Number

TERMS_PER_LINE = 8
ROW_TYPES = {"<=": "L", ">=": "G", "=": "E"}

OneSided = tuple[str, Mapping[int, Number], str, Number]
"""Name, terms, one of `ROW_TYPES`, and limit."""


def one_sided(model: LinearModel) -> Iterator[OneSided]:
    """Yield the rows of a model; one between two different limits is two rows."""
    for row in model.rows:
        if row.low is not None:
            yield row.name, row.terms, "=" if row.low == row.high else ">=", row.low
        if row.high is not None and row.low != row.high:
            yield row.name if row.low is None else f"{row.name}_high", row.terms, "<=", row.high


def mps_text(model: LinearModel, header: Iterable[str] = (), name: str = "pyfsel") -> str:
    """Return a model as free MPS text.

    Parameters
    ----------
    model : LinearModel
    header : iterable of str
        Lines of comment.
    name : str
        Short names of rows and columns are read as fixed MPS by CBC unless the name of the model is followed
        by FREE, a word that other readers may not know.

    Examples
    --------
    >>> from pyfsel.drivers.linear.linear_model import Column, NamedRow
    >>> model = LinearModel([Column("x", 0, 9, True)], [NamedRow("r", {0: 2}, None, 7)], {0: -1})
    >>> print(mps_text(model).splitlines()[6:8])
    [' x cost -1', ' x r 2']
    """
    rows = list(one_sided(model))
    lines = [*(f"* {line}" for line in header), f"NAME {name}"]
    lines += ["ROWS", " N cost", *(f" {ROW_TYPES[sense]} {row}" for row, _, sense, _ in rows)]
    lines += ["COLUMNS", *_coefficients(model, rows)]
    lines += ["RHS", *(f" rhs {row} {limit}" for row, _, _, limit in rows if limit), "BOUNDS"]
    for column in model.columns:
        if column.is_binary:
            lines.append(f" BV bound {column.name}")
        else:
            lines += [f" LO bound {column.name} {column.low}", f" UP bound {column.name} {column.high}"]
    return "\n".join([*lines, "ENDATA\n"])


def _coefficients(model: LinearModel, rows: Iterable[OneSided]) -> Iterator[str]:
    """Yield the lines of COLUMNS; CBC wants the MARKER lines in the columns of fixed MPS."""
    entries = [[f" {column.name} cost {model.cost.get(j, 0)}"] for j, column in enumerate(model.columns)]
    for row, terms, _, _ in rows:
        for j, c in terms.items():
            entries[j].append(f" {model.columns[j].name} {row} {c}")
    runs = groupby(range(len(entries)), key=lambda j: model.columns[j].integer)
    for number, (integer, run) in enumerate(runs):
        marker = f"    M{number}        'MARKER'                 "
        lines = [line for j in run for line in entries[j]]
        yield from (f"{marker}'INTORG'", *lines, f"{marker}'INTEND'") if integer else lines


def lp_text(model: LinearModel, header: Iterable[str] = ()) -> str:
    """Return a model in CPLEX LP format, with these lines of comment.

    Examples
    --------
    >>> from pyfsel.drivers.linear.linear_model import Column
    >>> print(lp_text(LinearModel([Column("x", -2, 9, False)], [], {0: 2})), end="")
    Minimize
     obj: + 2 x
    Subject To
    Bounds
     -2 <= x <= 9
    End
    """
    lines = [
        *(f"\\ {line}" for line in header),
        "Minimize",
        *_wrapped(model, "obj", model.cost),
        "Subject To",
    ]
    for name, terms, sense, limit in one_sided(model):
        *full, last = _wrapped(model, name, terms)
        lines += [*full, f"{last} {sense} {limit}"]
    general = [column for column in model.columns if not column.is_binary]
    sections = {
        "Bounds": [f" {low} <= {name} <= {high}" for name, low, high, _ in general],
        "Generals": [f" {column.name}" for column in general if column.integer],
        "Binaries": [f" {column.name}" for column in model.columns if column.is_binary],
    }
    for title, names in sections.items():
        lines += [title, *names] if names else []
    return "\n".join([*lines, "End\n"])


def _wrapped(model: LinearModel, label: str, terms: Mapping[int, Number]) -> list[str]:
    """Return a labelled sum on lines short enough for every reader; an empty one has a zero in it."""
    words = [
        f"{'-' if c < 0 else '+'} {abs(c)} {model.columns[j].name}" for j, c in (terms or {0: 0}).items()
    ]
    chunks = [" ".join(words[i : i + TERMS_PER_LINE]) for i in range(0, len(words), TERMS_PER_LINE)]
    return [f" {label}: {chunks[0]}", *(f"  {chunk}" for chunk in chunks[1:])]
