"""LP and MPS files of a linear model, as minimisations without the constant of the objective.

Written here because the exporters at hand are not safe for other programs: OR-Tools writes six digits, and
CBC reads neither the section names of HiGHS's LP files nor a maximisation in its MPS files. So integers are
written in full, and sections have the names that every reader knows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import count

from pyfsel.drivers.linear.model import LinearModel, Number, Row

TERMS_PER_LINE = 8
ROW_TYPES = {"<=": "L", ">=": "G", "=": "E"}


def mps_text(model: LinearModel, header: Iterable[str] = (), named: bool = False) -> str:
    """Return a model as free MPS text.

    Parameters
    ----------
    model : LinearModel
    header : iterable of str
        Lines of comment.
    named : bool
        Whether columns and rows keep their names, or are called C0, C1, … and R0, R1, …. Short ones are read
        as fixed MPS by CBC if the first line does not say that they are not, a word that other readers may
        not know.

    Examples
    --------
    >>> from pyfsel.drivers.linear.model import Row
    >>> model = LinearModel([0], [9], [True], [Row({0: 2}, 7)], {0: -1})
    >>> print(mps_text(model).splitlines()[6:8])
    [' C0 cost -1', ' C0 R0 2']
    """
    columns = model.names if named else [f"C{j}" for j in range(model.n_columns)]
    rows = {row.name if named else f"R{i}": row for i, row in enumerate(model.rows)}
    lines = [*(f"* {line}" for line in header), "NAME pyfsel" if named else "NAME          fzn       FREE"]
    lines += ["ROWS", " N cost", *(f" {ROW_TYPES[row.sense]} {name}" for name, row in rows.items())]
    lines += ["COLUMNS", *_columns(model, columns, rows)]
    lines.append("RHS")
    lines += [f" rhs {name} {_text(row.limit)}" for name, row in rows.items() if row.limit]
    lines.append("BOUNDS")
    for j, name in enumerate(columns):
        lines += _bounds(model, j, name)
    lines.append("ENDATA\n")
    return "\n".join(lines)


def _columns(model: LinearModel, columns: Sequence[str], rows: Mapping[str, Row]) -> list[str]:
    """Return the coefficients; CBC wants the MARKER lines in the columns of fixed MPS."""
    entries: list[list[str]] = [[] for _ in columns]
    for j, c in model.weights.items():
        entries[j].append(f" {columns[j]} cost {_text(c)}")
    for name, row in rows.items():
        for j, c in row.terms.items():
            entries[j].append(f" {columns[j]} {name} {_text(c)}")
    lines = []
    within = False
    marker = count()
    for j, whole in enumerate(model.integer):
        if whole != within:
            lines.append(_marker(next(marker), whole))
            within = whole
        lines += entries[j] or [f" {columns[j]} cost 0"]
    if within:
        lines.append(_marker(next(marker), False))
    return lines


def _marker(number: int, begins: bool) -> str:
    return f"    M{number}        'MARKER'                 '{'INTORG' if begins else 'INTEND'}'"


def _bounds(model: LinearModel, column: int, name: str) -> list[str]:
    low, high = model.low[column], model.high[column]
    if model.is_binary(column):
        return [f" BV bound {name}"]
    if low is None and high is None:
        return [f" FR bound {name}"]
    return [
        f" MI bound {name}" if low is None else f" LO bound {name} {_text(low)}",
        f" PL bound {name}" if high is None else f" UP bound {name} {_text(high)}",
    ]


def lp_text(model: LinearModel, header: Iterable[str] = ()) -> str:
    """Return a model whose columns and rows have names in CPLEX LP format.

    Parameters
    ----------
    model : LinearModel
    header : iterable of str
        Lines of comment.

    Examples
    --------
    >>> model = LinearModel([None], [9], [False], weights={0: 2})
    >>> model.names.append("x")
    >>> print(lp_text(model), end="")
    Minimize
     obj: + 2 x
    Subject To
    Bounds
     -inf <= x <= 9
    End
    """
    lines = [f"\\ {line}" for line in header]
    lines += ["Minimize", *_wrapped(model, "obj", model.weights), "Subject To"]
    for row in model.rows:
        *full, last = _wrapped(model, row.name, row.terms)
        lines += [*full, f"{last} {row.sense} {_text(row.limit)}"]
    binary, general, bounds = [], [], []
    for j, name in enumerate(model.names):
        if model.is_binary(j):
            binary.append(f" {name}")
            continue
        if model.low[j] is None and model.high[j] is None:
            bounds.append(f" {name} free")
        else:
            bounds.append(f" {_text(model.low[j], '-inf')} <= {name} <= {_text(model.high[j], 'inf')}")
        general += [f" {name}"] if model.integer[j] else []
    for title, names in (("Bounds", bounds), ("Generals", general), ("Binaries", binary)):
        lines += [title, *names] if names else []
    return "\n".join([*lines, "End\n"])


def _wrapped(model: LinearModel, label: str, terms: dict[int, Number]) -> list[str]:
    """Return a labelled sum on lines short enough for every reader; an empty one has a zero in it."""
    terms = terms or {0: 0}
    words = [f"{'-' if c < 0 else '+'} {_text(max(c, -c))} {model.names[j]}" for j, c in terms.items()]
    chunks = [" ".join(words[i : i + TERMS_PER_LINE]) for i in range(0, len(words), TERMS_PER_LINE)]
    return [f" {label}: {chunks[0]}", *(f"  {chunk}" for chunk in chunks[1:])]


def _text(number: Number | None, missing: str = "") -> str:
    if number is None:
        return missing
    return str(number) if isinstance(number, int) else repr(float(number))
