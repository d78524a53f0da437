"""Options that say which table is meant, and how it is read."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pyfsel.cli.parse import Given
from pyfsel.errors import InputError
from pyfsel.measures.tables.bundled import load_dataset
from pyfsel.measures.tables.containers import is_anndata
from pyfsel.measures.tables.encoding import in_order_of
from pyfsel.measures.tables.files import left_columns, read_table
from pyfsel.problem.checks import column_in

NEEDS_MEMORY = (
    "is read in parts. This command, columns that say something of rows (--row-groups, --sample-weight, "
    "--event), codes, orders, sample sheets, rows to drop, or no target need one file. Join the files"
)
ROLES = "cv target event row_groups sample_weight sample_id"
"""Options that name a column, each another one."""


@dataclass(frozen=True)
class Read:
    """Features, target, and what columns say of the rows, as arguments of Python functions."""

    X: Any
    y: Any
    name: str
    rows: dict[str, Any] = field(default_factory=dict)


def read(
    table: str | None = None,
    *,
    dataset: str | None = None,
    target: str | None = None,
    ignore: Sequence[str] = (),
    event: str | None = None,
    row_groups: str | None = None,
    sample_weight: str | None = None,
    encoding: str = "utf-8",
    missing_codes: Sequence[str] = (),
    order: Sequence[str] = (),
    target_gaps: str = "error",
    samples: str | None = None,
    sample_id: str | None = None,
    task: str = "auto",
    missing: str = "error",
    as_frame: bool = False,
) -> Read:
    """Read a table.

    Parameters
    ----------
    table : str
        CSV (also .gz, .bz2, .xz, .zip, .zst), Parquet, Excel (book.xlsx#sheet), ARFF, SPSS, Stata, SAS or
        .h5ad; "-" is CSV from the standard input; a folder or 'data/*.parquet' is read in parts.
    dataset : {"breast_cancer", "diabetes", "digits", "iris", "wine"}, optional
        A data set of scikit-learn in place of a file.
    target : str
        The column to predict.
    ignore : sequence of str
        A column to leave out, such as an identifier; 'id_*' is a pattern.
    event : str, optional
        The column that says whether the event happened (1) at the time in the target, or not until then (0).
    row_groups : str, optional
        The column that says which rows belong together, such as the rows of one patient.
    sample_weight : str, optional
        The column that says how much each row counts.
    encoding : str
        The encoding of a CSV file, such as cp1252.
    missing_codes : sequence of str
        Values that mean missing: 88,99 in all columns, income=-9 in one.
    order : sequence of str
        The categories of a column from the minimum to the maximum.
    target_gaps : {"error", "drop"}
        What is done about rows without a target.
    samples : str, optional
        A sample sheet, of which the target is a column, for a table of genes by samples.
    sample_id : str, optional
        The column of the sample sheet that names the samples; by default the one that fits.
    task : {"auto", "classification", "regression", "survival", "unsupervised"}
        The kind of target; "unsupervised" needs no target.
    missing : {"error", "impute", "drop", "category"}
        How missing values are treated.
    as_frame : bool
        Whether all rows are needed at once, with the names of columns.

    Raises
    ------
    InputError
        If the table cannot be read, or a column is not there.
    """
    is_unsupervised = task == "unsupervised"
    if task == "survival" and event is None:
        raise InputError("task='survival': needs times and events. Try: --event COLUMN")
    of_rows = {"event": event, "sample_weight": sample_weight, "row_groups": row_groups}
    if dataset is not None:
        X, y = load_dataset(dataset)
        X = X.iloc[:, left_columns(list(X.columns), ignore)]
        return _with_rows(X, None if is_unsupervised else y, dataset, of_rows, ignore)
    table = str(table)
    if table.startswith("/dev/"):
        raise InputError(f"{table}: is not a file. Try: -, which is CSV from the standard input")
    path = Path(table)
    reading: dict[str, Any] = {
        "ignored": ignore,
        "encoding": encoding,
        "target_gaps": target_gaps,
        "samples": samples,
        "sample_id": sample_id,
    }
    if missing_codes or order:
        from pyfsel.measures.tables.declared import parsed_codes, parsed_orders

        reading |= {"missing_codes": parsed_codes(missing_codes), "orders": parsed_orders(order)}
    if not is_unsupervised and target is None:
        raise _no_target(table, reading)
    is_whole = is_unsupervised or as_frame or target_gaps != "error" or missing == "drop"
    is_whole |= any([missing_codes, order, samples, *of_rows.values()])
    how = {"ignored": ignore, "task": task, "missing": missing, "dates": "number", "encoding": encoding}
    if table != "-" and (found := _in_parts(path, target, is_whole, how)):
        return found
    return _with_rows(*_frame(table, target, reading), path.name, of_rows, ignore)


def of_table(given: Given, **also: Any) -> Read:
    """Return the table that was given, with what else is said of reading it."""
    if not {"TABLE", "dataset"} & given.keys():
        raise InputError("TABLE: give either a file or --dataset NAME")
    taken: dict[str, str] = {}
    for name in ROLES.split():
        column = given[name] if name == "cv" else f"time:{given[name]}"  # a number of folds names none
        other = taken.setdefault(column, name) if name in given else name
        if other != name:
            said = f"{given.said(name)}: is not a column of its own"
            raise InputError(f"{said}: {given.said(other)} is the same")
    return read(given["TABLE"], **{**given.of(read), **also})


def _frame(table: str, target: str | None, reading: dict[str, Any]) -> tuple[Any, Any]:
    if table != "-":
        return read_table(table, target, **reading)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "stdin.csv"
        path.write_bytes(sys.stdin.buffer.read())
        try:
            return read_table(path, target, **reading)
        except InputError as error:
            raise InputError(str(error).replace(str(path), "-")) from None


def _no_target(table: str, reading: dict[str, Any]) -> InputError:
    """Return an error that names the columns, and the one that is called target if there is one."""
    try:
        X, _ = read_table(table, None, **{**reading, "ignored": (), "target_gaps": "error"})
        names = list(map(str, X.columns))
    except (InputError, AttributeError):
        return InputError("target: is not given. Name the column to predict")
    meant = next((name for name in names if name.lower() in ("target", "class", "label", "y")), None)
    hint = f" Did you mean: -t {meant}?" if meant else ""
    more = f", … ({len(names):,})" if len(names) > 5 else ""
    return InputError(f"target: is not given.{hint} Columns: {', '.join(names[:5])}{more}")


def _with_rows(X: Any, y: Any, name: str, of_rows: dict[str, str | None], ignored: Sequence[Any]) -> Read:
    """Return a table without the columns that say something of its rows, and what these say."""
    rows = {}
    for role, column in of_rows.items():
        if column is None:
            continue
        own = "groups" if role == "row_groups" else role
        if is_anndata(X):
            rows[own] = in_order_of(X, column, role)
            continue
        said = f"{role}={column!r}:"
        if column not in X.columns and any(fnmatch(column, str(pattern)) for pattern in ignored):
            raise InputError(f"{said} is left out by --ignore. It is not a feature in any case")
        column_in(said, column, list(X.columns))
        if X.shape[1] == 1:
            raise InputError(f"{said} is the only column next to the target and what other options name")
        rows[own] = X[column]
        X = X.drop(columns=column)
    if "event" in rows:
        from pandas.api.types import is_numeric_dtype

        from pyfsel.measures.tables.target import happened, times_with_events

        if not is_numeric_dtype(y):
            raise InputError(f"target: is {y.dtype}. Expected times, for --event {of_rows['event']}")
        y = times_with_events(y, happened("event", rows.pop("event")))
    return Read(X, y, name, rows)


def _in_parts(table: Path, target: Any, is_whole: bool, reading: dict[str, Any]) -> Read | None:
    """Return what is read in parts: several files, and a large one unless all rows are needed at once."""
    from pyfsel.measures.streams.sources import is_large_file, is_stream

    if not is_stream(table) and (is_whole or not is_large_file(table)):
        return None
    if is_whole:
        raise InputError(f"{table.name}: {NEEDS_MEMORY}")
    from pyfsel.measures.streams.reading import read_in_parts

    return Read(read_in_parts(table, target, **reading), None, table.name)
