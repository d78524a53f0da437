"""Options that say which table is meant, and how it is understood."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pyfsel.cli import options
from pyfsel.cli.messages import table_name
from pyfsel.cli.options import argument_field, data_field
from pyfsel.cli.progress import note
from pyfsel.errors import InputError
from pyfsel.measures.tables.encoding import NumberTable
from pyfsel.measures.tables.table import Columns, Table
from pyfsel.problem.wording import number_of

if TYPE_CHECKING:
    import pandas as pd

"""Of files that `pyfsel measure` writes."""
MERGED = "the first column of each group of copies represents it, and only these columns were searched"


@dataclass(frozen=True)
class DataSource:
    """Where a table comes from."""

    data: Path | None = argument_field(
        metavar="DATA",
        help="CSV (also .gz, .bz2, .xz, .zip, .zst), Parquet, Excel (book.xlsx#sheet), ARFF, SPSS, Stata, "
        "SAS or .h5ad file; - is CSV from stdin. "
        "'data/*.parquet' or a folder is read in parts, counts.npz stands for a table (select, problem, "
        "sweep, ask, atlas).",
        show_default=False,
    )
    dataset: str | None = data_field(
        metavar="NAME", help="Instead of a file: breast_cancer, diabetes, digits, iris or wine."
    )
    target: str | None = data_field("--target", "-t", metavar="COLUMN", help="The column to be predicted.")
    ignore: list[str] | None = data_field(
        metavar="NAME",
        help="A column to leave out, such as an identifier; repeatable. 'id_*' means all whose names match.",
    )
    encoding: str = data_field(
        metavar="NAME",
        help="Of a CSV file, such as cp1252 (of older programs under Windows).",
        default="utf-8",
    )
    missing_codes: list[str] | None = data_field(
        metavar="CODES",
        help="Values that mean missing, also in the target: 88,99 in all columns, income=-9 in one.",
    )
    order: list[str] | None = data_field(
        metavar="COLUMN=A<B<C",
        help="The categories of a column from the least to the largest; repeatable.",
    )

    target_gaps: str = data_field(
        metavar="NAME",
        help="Rows without a target: error, or drop, whatever --missing says of features.",
        default="error",
    )
    samples: Path | None = data_field(
        metavar="FILE",
        help="A sample sheet, of which the target is a column, for a table of genes by samples.",
    )
    sample_id: str | None = data_field(
        metavar="COLUMN", help="The column of the sample sheet that names the samples.", show_default="found"
    )

    def __post_init__(self) -> None:
        """Refuse addresses; `Path` has made one slash of the two after the scheme."""
        if self.data is not None and re.match(r"(https?|ftp|s3):/", str(self.data)):
            address = str(self.data).replace(":/", "://", 1)
            raise InputError(f"DATA={address!r}: is an address, not a file; download the table first")

    @property
    def needs_target(self) -> bool:
        """Whether one of the columns is to be predicted."""
        return True

    @property
    def name(self) -> str:
        """The name of the table."""
        return self.dataset or ("" if self.data is None else self.data.name)

    def read_numbers(self) -> tuple[NumberTable, NDArray[Any]] | None:
        """Return what `read` does where that takes no pandas, whose import is slow; else None."""
        from pyfsel.measures.tables.bundled import bundled
        from pyfsel.measures.tables.files import left_columns, read_numbers

        table_name.set(self.name)
        ignored = self.ignore or ()
        if self.missing_codes or self.order or self.samples is not None:
            return None
        if self.dataset is not None and self.data is None and self.target is None:
            columns, y = bundled(self.dataset)
            return columns.select(left_columns(columns.names, ignored)), y
        if self.dataset is None and self.data is not None and self.target is not None:
            return read_numbers(self.data, self.target, ignored=ignored, encoding=self.encoding)
        return None

    def read(self) -> tuple[pd.DataFrame, Any]:
        """Return features and target, if it needs one, without the columns that are ignored."""
        table_name.set(self.name)
        if (self.data is None) == (self.dataset is None):
            raise InputError("DATA: give either a file or --dataset NAME")
        from pyfsel.measures.tables.files import left_columns, load_dataset, read_table

        ignored = self.ignore or ()
        if self.dataset is not None:
            if self.target is not None:
                raise InputError(f"--target={self.target!r}: the data set {self.dataset} has its own target")
            if self.missing_codes or self.order or self.samples is not None:
                raise InputError(
                    f"--missing-codes, --order, --samples: are for files, not for the data set {self.dataset}"
                )
            X, y = load_dataset(self.dataset)
            return X.iloc[:, left_columns(list(X.columns), ignored)], y if self.needs_target else None
        assert self.data is not None
        if self.target is None and self.needs_target:
            raise InputError("--target: is missing; name the column to be predicted")
        if self.target is not None and not self.needs_target:
            raise InputError(f"--target={self.target!r}: is not for --task unsupervised")
        reading: dict[str, Any] = {
            "ignored": ignored,
            "encoding": self.encoding,
            "samples": self.samples,
            "sample_id": self.sample_id,
            "target_gaps": self.target_gaps,
        }
        if self.missing_codes or self.order:
            from pyfsel.measures.tables.declared import parsed_codes, parsed_orders

            codes = parsed_codes(self.missing_codes) if self.missing_codes else None
            reading |= {"missing_codes": codes, "orders": parsed_orders(self.order or ())}
        if str(self.data) == "-":
            return _read_stdin(self.target, reading)
        return read_table(self.data, self.target, **reading)


def _read_stdin(target: str | None, reading: dict[str, Any]) -> tuple[pd.DataFrame, Any]:
    """Return the table that is written to stdin, as CSV."""
    from pyfsel.measures.tables.files import read_table

    with TemporaryDirectory() as folder:
        path = Path(folder) / "stdin.csv"
        path.write_bytes(sys.stdin.buffer.read())
        try:
            return read_table(path, target, **reading)
        except InputError as error:
            raise InputError(str(error).replace(str(path), "-")) from None


@dataclass(frozen=True)
class CopyingSource(DataSource):
    """A table, and what is done about its copies."""

    copies: str = data_field(
        metavar="NAME",
        help="Columns that tell the same: note names those in the answer, merge counts each group as one "
        "feature, ignore does neither.",
        default="note",
    )
    copy_threshold: float = data_field(
        metavar="T",
        help="Absolute rank correlation (of categories: share of information) from which columns count "
        "as copies.",
        default=0.95,
    )

    @property
    def copying(self) -> dict[str, Any]:
        """What is done about copies, as arguments of `problem_from_table`."""
        return {"copies": self.copies, "copy_threshold": self.copy_threshold}

    def representatives(self, columns: Columns) -> list[int]:
        """Return the columns that a command without qualities works on: of merged copies the first one."""
        from pyfsel.measures.copies import find_copies
        from pyfsel.problem.checks import one_of

        one_of("copies", self.copies, ("note", "merge", "ignore"))
        if self.copies != "merge":
            return list(range(columns.n_features))
        dropped = {j for cluster in find_copies(columns, self.copy_threshold) for j in cluster[1:]}
        return [j for j in range(columns.n_features) if j not in dropped]

    def note_near_copies(self, columns: Columns, sets: Iterable[Iterable[str]], quiet: bool) -> None:
        """Say which columns of some sets are nearly equal to others, or that copies were merged.

        For commands whose results have no place for it; `columns` are all, also those that were merged.
        """
        from pyfsel.measures.from_table import near_copies
        from pyfsel.problem.instance import Instance
        from pyfsel.results.copies import copies_text

        if self.copies == "merge":
            left = len(self.representatives(columns))
            if left < columns.n_features:
                note(f"copies left out: {number_of(columns.n_features - left, 'column')} ({MERGED})", quiet)
            return
        names = columns.feature_names
        position = {name: j for j, name in enumerate(names)}
        found = tuple(tuple(position[name] for name in members if name in position) for members in sets)
        pairs = near_copies(columns, found, self.copies, self.copy_threshold)
        no_qualities = np.zeros(len(names), dtype=np.int64)
        problem = Instance(no_qualities, n_sets=1, set_size=1, max_overlap=1, feature_names=names)
        told = copies_text(problem, found, pairs)
        if told:
            note(told.replace("; proved among all columns", ""), quiet)


@dataclass(frozen=True)
class TableOptions(CopyingSource):
    """A table, and how it is understood."""

    task: str = data_field(
        metavar="NAME",
        help="auto, classification or regression; auto takes float targets with more than 20 values as "
        "regression. unsupervised: there is no target (select, problem, sweep, ask).",
        default="auto",
    )
    missing: options.Missing = "error"
    dates: str = data_field(
        metavar="NAME",
        help="Columns of dates: error, or number (of days; also ISO dates as text).",
        default="error",
    )

    @property
    def is_stream(self) -> bool:
        """Whether the table is read in parts: files by a pattern, or a folder of them."""
        from pyfsel.measures.streams.sources import is_stream

        return self.data is not None and is_stream(self.data)

    @property
    def is_large(self) -> bool:
        """Whether the table is a large file, and nothing is requested that needs all of it in memory."""
        from pyfsel.measures.streams.sources import is_large_file

        return self.data is not None and is_large_file(self.data) and not self._needs_memory()

    def _needs_memory(self) -> list[str]:
        """Return the options that need the whole table in memory."""
        options = ("missing_codes", "order", "samples", "target_gaps")
        return [name for name in options if getattr(self, name) != getattr(DataSource, name)] + (
            ["missing"] if self.missing == "drop" else []
        )

    def _in_parts(self) -> Table:
        """Return the table, of which some columns are in memory at a time."""
        from pyfsel.measures.streams.reading import read_in_parts

        table_name.set(self.name)
        if options := self._needs_memory():
            raise InputError(f"--{options[0].replace('_', '-')}: is not for a table that is read in parts")
        if self.target is None:
            raise InputError("--target: is missing; name the column to be predicted")
        reading = {"task": self.task, "missing": self.missing, "dates": self.dates}
        return read_in_parts(self.data, self.target, ignored=self.ignore or (), **reading)

    def prepared(self, weights_of: str | None = None, groups_of: str | None = None) -> Table:
        """Return the table, read and checked, of whose columns one may weigh the rows or say their groups."""
        named = [name for name in (weights_of, groups_of) if name is not None]
        if self.is_stream and named:
            raise InputError(f"{named[0]!r}: weights and groups of rows need a table in memory, one file")
        if self.is_stream or (not named and self.is_large):
            return self._in_parts()
        numbers = self.read_numbers() if weights_of is None and groups_of is None else None
        X, y, *of_rows = (
            self.read_with_rows(weights_of, groups_of) if numbers is None else (*numbers, None, None)
        )
        from pyfsel.measures.tables.rows import with_rows
        from pyfsel.measures.tables.table import prepare

        table = prepare(X, y, task=self.task, missing=self.missing, dates=self.dates)
        return with_rows(table, *of_rows)

    def read_with_rows(self, weights_of: str | None, groups_of: str | None) -> tuple[Any, Any, Any, Any]:
        """Return features, target, and the columns that weigh the rows and say their groups, if named."""
        from pyfsel.measures.tables.encoding import in_order_of, is_anndata

        (X, y), rows = self.read(), []
        if is_anndata(X):
            return X, y, in_order_of(X, weights_of, "weights_of"), in_order_of(X, groups_of, "groups_of")
        named = {"weights_of": weights_of, "groups_of": groups_of}
        complete = X
        for argument, name in named.items():
            if name is not None and (name not in X.columns or X.shape[1] == 1):
                raise InputError(
                    f"{argument}={name!r}: must be a column besides the target and at least one feature"
                )
            rows.append(None if name is None else X[name])
            X = X if name is None else X.drop(columns=name)
        used = np.ones(len(X), dtype=bool) if y is None else y.notna()
        if self.missing == "drop":
            used = used & X.notna().all(axis=1)
        for argument, name in named.items():
            gaps = [] if name is None else np.flatnonzero(complete[name].isna() & used).tolist()
            if gaps:
                raise InputError(
                    f"{argument}={name!r}: has gaps in {number_of(len(gaps), 'row')}, the first in row "
                    f"{gaps[0] + 1} of the data; every row needs a value"
                )
        return X, y, rows[0], rows[1]


@dataclass(frozen=True)
class TimedTableOptions(TableOptions):
    """A table whose target may be the time until an event."""

    event: str | None = data_field(
        metavar="COLUMN",
        help="The column that says whether the event happened (1) at the time in the target, or had not "
        "happened until then (0): survival.",
    )

    def read_numbers(self) -> tuple[NumberTable, NDArray[Any]] | None:
        """Return what `read` does where that takes no pandas, and events are not asked for; else None."""
        return super().read_numbers() if self.event is None and self.needs_target else None

    @property
    def needs_target(self) -> bool:
        """Whether one of the columns is to be predicted."""
        return self.task != "unsupervised"

    def _needs_memory(self) -> list[str]:
        return super()._needs_memory() + (["event"] if self.event is not None else [])

    def read_with_rows(self, weights_of: str | None, groups_of: str | None) -> tuple[Any, Any, Any, Any]:
        """Return features, target (times with events, if asked for), and what is said of the rows."""
        X, y, *of_rows = super().read_with_rows(weights_of, groups_of)
        if self.event is not None:
            from pyfsel.measures.tables.times import happened, times_with_events

            if self.event not in X.columns or X.shape[1] == 1:
                raise InputError(
                    f"event={self.event!r}: must be a column besides the target and at least one feature"
                )
            if not np.issubdtype(y.dtype, np.number):
                raise InputError(f"target={self.target!r}: is {y.dtype}, must be times for --event")
            y = times_with_events(y, happened("event", X[self.event]))
            X = X.drop(columns=self.event)
        return X, y, *of_rows
