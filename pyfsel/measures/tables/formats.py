"""Readers of files, one for each kind: CSV, Parquet, Excel, ARFF, statistics programs, single cells.

Each gets the path and what is said of reading (`HowToRead`), of which it takes what concerns it.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
from pandas.api.types import infer_dtype, is_numeric_dtype

from pyfsel.errors import InputError, warn
from pyfsel.measures.tables.encoded import LARGEST_EXACT, check_distinct
from pyfsel.measures.tables.text import NUMBER, SPREADSHEET_ERRORS
from pyfsel.problem.checks import number_of, one_of, shown

SEPARATORS = (",", ";", "\t", "|")
NUMBER_WITH_COMMA = r"[+-]?\d*,?\d+(?:[eE][+-]?\d+)?"
THOUSANDS = r"[+-]?(?:[1-9]\d{0,2}(?:,\d{3})*|0)"
THOUSANDS_WITH_POINT = r"[+-]?[1-9]\d{0,2}(?:\.\d{3})+"
GAPS = ["?", *SPREADSHEET_ERRORS]
"""Cells that are missing values in addition to the usual ones of pandas and Arrow."""
OF_PYREADSTAT = {"zsav": "sav", "xpt": "xport"}
"""What it calls files of SPSS and SAS, if not by their extension."""
ATTRIBUTE = re.compile(r"@attribute\s+('(?:[^'\\]|\\.)*'|\"[^\"]*\"|\S+)\s+(.*)", re.IGNORECASE)
NUMERIC = ("numeric", "real", "integer")


class HowToRead(NamedTuple):
    """What is said of reading a file.

    Parameters
    ----------
    encoding : str
        Of text.
    sheet : str
        Of a workbook; the first one by default.
    wanted : callable, optional
        Returns the columns that are needed of all names, for readers that can leave out the others.
    """

    encoding: str
    sheet: str
    wanted: Callable[[Sequence[str]], list[str]] | None


def read_parquet(path: Path, how: HowToRead) -> pd.DataFrame:
    """Read all columns except the index, or the columns whose names are `wanted`."""
    from pyarrow.parquet import read_schema

    schema = read_schema(path)
    of_index = (schema.pandas_metadata or {}).get("index_columns", ())
    names = [name for name in schema.names if name not in of_index]
    return pd.read_parquet(path, engine="pyarrow", columns=how.wanted(names) if how.wanted else None)


def read_excel(path: Path, how: HowToRead) -> pd.DataFrame:
    """Read all columns of a sheet."""
    with pd.ExcelFile(path) as book:
        first, *others = map(str, book.sheet_names)
        if others and not how.sheet:
            warn(f"{path}: its first sheet, {first!r}, is read. Another one is {path.name}#{others[0]}")
        table = pd.read_excel(book, sheet_name=how.sheet or 0, na_values=GAPS)
    if table.shape[1] > 1 and str(table.columns[0]) == "Unnamed: 0":
        table = table.set_index(table.columns[0])
    check_header(path, table.columns, table)
    return table


def first_row(path: Path, separator: str, encoding: str) -> list[str]:
    """Return the cells of the first line of a CSV file."""
    header = pd.read_csv(
        path,
        sep=separator,
        encoding=encoding,
        header=None,
        nrows=1,
        dtype=str,
        keep_default_na=False,
        skipinitialspace=True,
    )
    return list(header.iloc[0])


def check_header(path: Path, first_row: Iterable[Any], table: pd.DataFrame) -> None:
    """Raise `InputError` if the names of all columns look like entries of them, or two are alike.

    Names of columns of numbers are numbers then, and names of other columns stand in them too. Whole numbers
    alone may be names, such as years. Row labels may have an empty name, or none, as where R writes a table:
    then rows have a cell more than the first one.
    """
    every = list(map(str, first_row))
    names = every[len(every) - table.shape[1] :]
    if len(names) < len(every) or not table.index.equals(pd.RangeIndex(len(table))):
        warn(f"{path}: its first column has no name and is taken as row labels, not as a feature")
    is_entry = [
        bool(NUMBER.fullmatch(name.strip()) if is_numeric_dtype(column) else (column == name).any())
        for name, (_, column) in zip(names, table.items(), strict=True)
    ]
    if all(is_entry) and not all(name.strip().isdecimal() for name in names):
        raise InputError(
            f"{path}: its first row looks like data, {shown(names)}; put the names of the columns above it"
        )
    check_distinct([name for name in every if name])


def csv_reader(path: Path, encoding: str) -> tuple[list[str], Callable[..., Any]]:
    """Return the first line of a CSV file, and pandas' reader of the file, which accepts more options.

    Cells of other than .tsv are separated as makes most columns of the first line. A first column without a
    name is not a feature.
    """
    separator = "\t"
    if ".tsv" not in path.name.lower():
        separator = max(SEPARATORS, key=lambda each: len(first_row(path, each, encoding)))
    names = first_row(path, separator, encoding)
    return names, partial(
        pd.read_csv,
        path,
        sep=separator,
        encoding=encoding,
        index_col=0 if len(names) > 1 and not names[0] else None,
        na_values=GAPS,
        skipinitialspace=True,
        low_memory=False,
    )


def read_csv(path: Path, how: HowToRead) -> pd.DataFrame:
    """Read all columns, whose kinds are decided by all of their cells."""
    names, read = csv_reader(path, how.encoding)
    table: pd.DataFrame = exact_columns(read)
    if any(has_decimal_commas(column) for _, column in table.items()):
        table = by_either_mark(table, read(decimal=","))
    check_header(path, names, table)
    return table


def exact_columns(read: Any) -> Any:
    """Return what a reader of pandas reads, with whole numbers that it would round to floats for a gap."""
    table = read()
    rounded = {
        str(name): "Int64"
        for name, column in table.items()
        if column.dtype == "float64" and column.isna().any() and are_beyond_floats(column)
    }
    if rounded:
        with suppress(ValueError):  # some are not whole numbers
            return read(dtype=rounded)
    return table


def are_beyond_floats(numbers: pd.Series[Any]) -> bool:
    """Return whether numbers are whole, and some have more than 53 digits."""
    present = numbers.dropna()
    return bool((present.abs() > LARGEST_EXACT).any() and (present % 1 == 0).all())


def has_decimal_commas(column: pd.Series[Any]) -> bool:
    """Return whether a column is text only because its numbers are written with a decimal comma.

    Commas may also separate thousands: they do if all numbers, those without a comma as well, allow it.

    Examples
    --------
    >>> has_decimal_commas(pd.Series(["1,5", "20"])), has_decimal_commas(pd.Series(["1,500", "20"]))
    (True, False)
    """
    if is_numeric_dtype(column) or infer_dtype(column, skipna=True) != "string":
        return False
    values = pd.Series(column.dropna().unique())
    has_comma = values.str.contains(",")
    numbers = values.str.fullmatch(NUMBER_WITH_COMMA)
    return bool(numbers.all() and has_comma.any() and not values.str.fullmatch(THOUSANDS).all())


def by_either_mark(by_point: pd.DataFrame, by_comma: pd.DataFrame) -> pd.DataFrame:
    """Return the columns of a file with decimal commas; some have decimal points all the same.

    A column that is numbers with points stays so, unless the points may separate thousands: such a column
    stays text, for nobody can say what its numbers are.
    """
    for name, numbers in by_point.items():
        if is_numeric_dtype(numbers):
            text = by_comma[name].dropna().astype(str)
            if not text.str.fullmatch(THOUSANDS_WITH_POINT).all():
                by_comma[name] = numbers
    return by_comma


def read_labelled(path: Path, how: HowToRead) -> pd.DataFrame:
    """Read a file of SPSS, Stata or SAS.

    Codes that all have labels become categories, in the order of the codes. They are ordered if the file says
    that the column is ordinal, which only SPSS does; pandas takes every labelled column of Stata as ordered,
    "don't know" as the largest. Codes that are declared missing are gaps.
    """
    import pyreadstat

    extension = path.suffix.lower()[1:]
    read = getattr(pyreadstat, f"read_{OF_PYREADSTAT.get(extension, extension)}")
    table: pd.DataFrame
    table, about = read(str(path))
    for name, label_of in about.variable_value_labels.items():
        column = table[name]
        codes = [code for code in sorted(label_of) if (column == code).any()]
        if len(codes) == column.nunique() and len({label_of[code] for code in codes}) == len(codes):
            labels = [str(label_of[code]) for code in codes]
            kind = pd.CategoricalDtype(labels, ordered=about.variable_measure.get(name) == "ordinal")
            table[name] = column.map(dict(zip(codes, labels, strict=True))).astype(kind)
    return table


def read_arff(path: Path, how: HowToRead) -> pd.DataFrame:
    """Read a dense ARFF file: numbers, nominal values as categories without an order, text, and dates."""
    lines = iter(path.read_text(encoding=how.encoding).splitlines())
    names, kinds = [], []
    for line in lines:
        if line.strip().lower().startswith("@data"):
            break
        if found := ATTRIBUTE.match(line.strip()):
            names.append(found[1].strip("'\""))
            kinds.append(found[2].strip())
    rows = [_cells(line) for line in lines if line.strip() and not line.startswith("%")]
    wrong = next((row for row in rows if len(row) != len(names) or row[0].startswith("{")), None)
    if wrong is not None:
        what = "rows are sparse" if wrong[0].startswith("{") else f"a row has {len(wrong)} cells"
        raise InputError(
            f"{path}: {what}, must have {number_of(len(names), 'cell')} each, as it has attributes"
        )
    table = pd.DataFrame(rows, columns=names, dtype=object).replace("?", None)
    for name, kind in zip(names, kinds, strict=True):
        word = kind.split()[0].lower()
        if kind.startswith("{"):
            table[name] = pd.Categorical(table[name], categories=_cells(kind[1 : kind.rindex("}")]))
        elif word in NUMERIC:
            table[name] = pd.to_numeric(table[name])
        elif word == "date":
            table[name] = pd.to_datetime(table[name])
    return table


def _cells(line: str) -> list[str]:
    """Return the cells of a line, of which some may be in quotes of either kind."""
    quote = '"' if '"' in line and "'" not in line else "'"
    return [
        cell.strip()
        for cell in next(csv.reader([line], quotechar=quote, skipinitialspace=True, escapechar="\\"))
    ]


@dataclass(frozen=True)
class Cells:
    """What is read of a .h5ad file: the part of an AnnData object that a table needs, by the same names.

    Parameters
    ----------
    X : array or scipy.sparse.csr_array or csc_array, shape (n_rows, n_variables)
    obs : DataFrame
        What is known of each row, such as its kind of cell and its donor.
    var_names : Index
    """

    X: Any
    obs: pd.DataFrame
    var_names: pd.Index[Any]

    @property
    def obs_names(self) -> pd.Index[Any]:
        """The names of the rows."""
        return self.obs.index

    def __getitem__(self, rows: Any) -> Cells:
        """Return some of the rows."""
        return replace(self, X=self.X[rows], obs=self.obs[rows])


def read_h5ad(path: Path, how: HowToRead) -> Cells:
    """Read the matrix, the names and the columns of ``obs`` of a file that anndata (0.8 or newer) wrote."""
    import h5py

    with h5py.File(path, "r") as file:
        if not all(name in file and "_index" in file[name].attrs for name in ("obs", "var")):
            raise InputError(
                f"{path}: is not a file of anndata 0.8 or newer; write it again with a newer one"
            )
        obs, names = ({key: _of_h5(item) for key, item in file[of].items()} for of in ("obs", "var"))
        index = {of: file[of].attrs["_index"] for of in ("obs", "var")}
        columns = [name for name in file["obs"].attrs["column-order"] if name in obs]
        table = pd.DataFrame({name: obs[name] for name in columns}).set_axis(obs[index["obs"]])
        return Cells(_of_h5(file["X"]), table, pd.Index(names[index["var"]]))


def _of_h5(item: Any) -> Any:
    """Return an array, a sparse matrix, categories or values with gaps as anndata stores them."""
    kind = str(item.attrs.get("encoding-type", ""))
    if kind in ("csr_matrix", "csc_matrix"):
        from scipy.sparse import csc_array, csr_array

        parts = tuple(item[name][:] for name in ("data", "indices", "indptr"))
        return (csr_array if kind == "csr_matrix" else csc_array)(parts, shape=tuple(item.attrs["shape"]))
    if kind == "categorical":
        codes, labels = item["codes"][:], _of_h5(item["categories"])
        return pd.Categorical.from_codes(codes, labels, ordered=bool(item.attrs["ordered"]))
    if kind.startswith("nullable"):
        values = pd.Series(_of_h5(item["values"]), dtype=object)
        return values.mask(item["mask"][:]).infer_objects().array
    return item.asstr()[:] if item.dtype.kind == "O" else item[:]


def with_samples(table: pd.DataFrame, sheet: pd.DataFrame, sample_id: str | None) -> pd.DataFrame:
    """Return samples in rows with the columns of a sample sheet, whichever way the table lies.

    Parameters
    ----------
    table : DataFrame
        Genes in rows and samples in columns, or the other way; labels in the index or the first column.
    sheet : DataFrame
        One row for each sample.
    sample_id : str, optional
        The column of the sheet that names the samples; by default one without repetitions that names most.

    Raises
    ------
    InputError
        If no column of the sheet names samples of the table, or a label names several.

    Warns
    -----
    UserWarning
        If samples of the one are not in the other; they are left out.
    """
    if isinstance(table.index, pd.RangeIndex):
        table = table.set_index(table.columns[0])
    table = table.set_axis(table.index.astype(str)).set_axis(table.columns.astype(str), axis=1)
    sheet = sheet.reset_index(names="index") if not isinstance(sheet.index, pd.RangeIndex) else sheet
    ids = [name for name in sheet if sheet[name].is_unique]
    if sample_id is not None:
        ids = [one_of("sample_id", sample_id, [str(name) for name in sheet.columns])]
    matched = [
        (int(labels.isin(sheet[name].astype(str)).sum()), way, name)
        for name in ids
        for way, labels in (("columns", table.columns), ("rows", table.index))
    ]
    n_matched, way, name = max(matched, key=lambda one: one[0], default=(0, "", ""))
    if not n_matched:
        raise InputError(
            "samples: no column of the sample sheet holds labels of the table's rows or columns; name the "
            "column with sample_id (--sample-id)"
        )
    table = table.T if way == "columns" else table
    sheet = sheet.set_index(sheet[name].astype(str)).drop(columns=name)
    both = table.index[table.index.isin(sheet.index)]
    for what, labels in (("table", table.index), ("sample sheet", sheet.index)):
        repeated = labels[labels.duplicated() & labels.isin(both)]
        if len(repeated):
            raise InputError(
                f"samples: {repeated[0]!r} names several samples of the {what}. Expected one each"
            )
    left_out = len(table) - len(both), len(sheet) - len(both)
    if any(left_out):
        warn(
            f"samples: {left_out[0]} of {len(table)} samples of the table are not in the sheet, and "
            f"{left_out[1]} of {len(sheet)} of the sheet not in the table; they are left out"
        )
    for name in table.columns.intersection(sheet.columns):
        raise InputError(f"samples: {name!r} is a column of table and sheet. Rename one of them")
    return pd.concat([table.loc[both], sheet.loc[both]], axis=1)
