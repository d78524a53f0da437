"""Files of statistics programs, of Weka and of single cells, and tables of genes by samples."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from pyfsel.errors import InputError
from pyfsel.measures.tables.encoded import warn
from pyfsel.problem.checks import one_of
from pyfsel.problem.wording import number_of

LABELLED = {
    ".sav": "sav",
    ".zsav": "sav",
    ".por": "por",
    ".dta": "dta",
    ".sas7bdat": "sas7bdat",
    ".xpt": "xport",
}
"""What pyreadstat calls the files of SPSS, Stata and SAS."""
ATTRIBUTE = re.compile(r"@attribute\s+('(?:[^'\\]|\\.)*'|\"[^\"]*\"|\S+)\s+(.*)", re.IGNORECASE)
NUMERIC = ("numeric", "real", "integer")


def read_labelled(path: Path) -> pd.DataFrame:
    """Read a file of SPSS, Stata or SAS.

    Codes that all have labels become categories, in the order of the codes. They are ordered if the file says
    that the column is ordinal, which only SPSS does; pandas takes every labelled column of Stata as ordered,
    "don't know" as the largest. Codes that are declared missing are gaps.
    """
    import pyreadstat

    read = getattr(pyreadstat, f"read_{LABELLED[path.suffix.lower()]}")
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


def read_arff(path: Path, encoding: str) -> pd.DataFrame:
    """Read a dense ARFF file: numbers, nominal values as categories without an order, text, and dates."""
    lines = iter(path.read_text(encoding=encoding).splitlines())
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


def read_h5ad(path: Path) -> Cells:
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
    if sample_id is not None:
        one_of("sample_id", sample_id, [str(name) for name in sheet.columns])
    ids = [sample_id] if sample_id is not None else [name for name in sheet if sheet[name].is_unique]
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
    return pd.concat([table.loc[both], sheet.loc[both]], axis=1)
