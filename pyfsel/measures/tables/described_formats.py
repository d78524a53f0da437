"""Files that describe their columns: SPSS, Stata, SAS (value labels), ARFF (declared categories), AnnData."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import pandas as pd

from pyfsel.errors import InputError

PYREADSTAT = {
    ".sav": "read_sav",
    ".zsav": "read_sav",
    ".por": "read_por",
    ".dta": "read_dta",
    ".sas7bdat": "read_sas7bdat",
    ".xpt": "read_xport",
}
"""The function of pyreadstat that reads files with an extension."""
ARFF_VALUE = re.compile(
    r"""\s*(?:'(?P<single>(?:[^'\\]|\\.)*)'|"(?P<double>(?:[^"\\]|\\.)*)"|(?P<plain>[^,'"]*?))\s*(?:,|$)"""
)
ARFF_ATTRIBUTE = re.compile(
    r"""@attribute\s+('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^\s{]+)\s*(.+)""", re.IGNORECASE
)
ARFF_NUMBERS = ("numeric", "real", "integer")


def read_statistics(path: Path, kind: str) -> pd.DataFrame:
    """Read a file of SPSS, Stata or SAS.

    Value labels become categories in the order of their codes, ordered only if the file says "ordinal". Codes
    that the file declares as missing are missing. A column of which only some values have labels, such as the
    ends of a scale, stays a column of numbers.
    """
    import pyreadstat

    table, about = getattr(pyreadstat, PYREADSTAT[kind])(str(path))
    columns = {}
    for name, column in table.items():
        labels = about.variable_value_labels.get(name, {})
        ordinal = about.variable_measure.get(name) == "ordinal"
        columns[name] = _as_dates(_labelled(column, labels, ordinal))
    return pd.DataFrame(columns, index=table.index)


def _labelled(column: pd.Series[Any], labels: dict[Any, str], ordered: bool) -> pd.Series[Any]:
    """Return a column with labels in place of codes, if all codes that occur have one."""
    codes = sorted(column.dropna().unique())
    if not labels or not codes or not set(codes) <= set(labels):
        return column
    texts = [labels[code] for code in codes]
    shown = {
        code: f"{text} ({code:g})" if texts.count(text) > 1 and not isinstance(code, str) else text
        for code, text in zip(codes, texts, strict=True)
    }
    kind = pd.CategoricalDtype(list(shown.values()), ordered=ordered)
    return column.map(shown).astype(kind)


def _as_dates(column: pd.Series[Any]) -> pd.Series[Any]:
    """Return a column of date objects as dates."""
    given = column.dropna()
    is_date = not given.empty and given.map(lambda value: isinstance(value, datetime.date)).all()
    return pd.to_datetime(column) if is_date else column


def read_arff(path: Path, encoding: str) -> pd.DataFrame:
    """Read an ARFF file: numbers, declared categories, text and dates; ``?`` is missing.

    Raises
    ------
    InputError
        If the file is sparse, has relational attributes, or a row does not have a value for each attribute.
    """
    with path.open(encoding=encoding) as file:
        lines = [line.strip() for line in file]
    numbered = [(i, line) for i, line in enumerate(lines, 1) if line and not line.startswith("%")]
    start = next((i for i, line in numbered if line.lower().startswith("@data")), None)
    if start is None:
        raise InputError(f"{path}: has no line @data, which ARFF files have before their rows")
    declared = [ARFF_ATTRIBUTE.match(line) for i, line in numbered if i < start]
    attributes = [(_arff_values(found[1])[0], found[2].strip()) for found in declared if found]
    rows = []
    for number, line in numbered:
        if number > start:
            if line.startswith("{"):
                raise InputError(f"{path}: line {number} is sparse ARFF, which is not read; write all values")
            values = _arff_values(line)
            if len(values) != len(attributes):
                raise InputError(
                    f"{path}: line {number} has {len(values)} values. Expected {len(attributes)}, as declared"
                )
            rows.append(values)
    table = pd.DataFrame(rows, columns=[name for name, _ in attributes], dtype=object)
    kinds = [kind for _, kind in attributes]
    columns = [_arff_column(path, table.iloc[:, j], kind) for j, kind in enumerate(kinds)]
    return pd.concat(columns, axis="columns") if columns else table


def _arff_column(path: Path, column: pd.Series[Any], kind: str) -> pd.Series[Any]:
    word = kind.split(maxsplit=1)[0].lower()
    if kind.startswith("{"):
        categories = _arff_values(kind[1 : kind.rindex("}")])
        return column.astype(pd.CategoricalDtype(categories))
    if word in ARFF_NUMBERS:
        return pd.to_numeric(column)
    if word == "date":
        return pd.to_datetime(column)
    if word != "string":
        raise InputError(f"{path}: attribute {column.name!r} is {word!r}, which is not read")
    return column


def _arff_values(line: str) -> list[str | None]:
    """Return the values of a line, None for those that are missing."""
    return list(_split_arff(line))


def _split_arff(line: str) -> Iterator[str | None]:
    position = 0
    while position <= len(line):
        found = ARFF_VALUE.match(line, position)
        if found is None:
            raise ValueError(f"quotation marks that do not match: {line[:40]}")
        if found.lastgroup == "plain":
            yield None if found["plain"] == "?" else found["plain"]
        else:
            yield re.sub(r"\\(.)", r"\1", found[found.lastgroup or "single"])
        position = found.end()
        if position == len(line) and not line.endswith(","):
            return
        if position == len(line):
            yield None
            return


def read_h5ad(path: Path, target: str | None, named: Sequence[str]) -> pd.DataFrame:
    """Read the matrix ``X`` of an .h5ad file of AnnData as a table, sparse if it is sparse.

    It is read by h5py, since anndata itself does not go with every version of pandas.

    Parameters
    ----------
    path : Path
    target : str or None
        A column of ``obs``, which is added to the table.
    named : sequence of str
        Further columns of ``obs`` that are added, such as groups. All others stay out: they describe rows.

    Raises
    ------
    InputError
        If ``obs`` does not have a column, there is no matrix, or the file is of anndata before 0.7.
    """
    import h5py

    with h5py.File(path) as file:
        if any(not isinstance(file.get(part), h5py.Group) for part in ("obs", "var")) or "X" not in file:
            raise InputError(f"{path}: has no matrix X with obs and var, as anndata writes them since 0.7")
        names, index = _h5_index(file["var"]), _h5_index(file["obs"])
        known = [str(name) for name in file["obs"].attrs["column-order"]]
        columns = {}
        for name in [name for name in (target, *named) if name is not None]:
            if name not in known:
                raise InputError(f"{name!r}: is not a column of obs. Its columns are {', '.join(known)}")
            if name in names:
                raise InputError(f"{name!r}: is a column of obs and a feature. Rename one of them")
            columns[name] = _h5_column(file["obs"][name])
        table = _h5_matrix(file["X"], names, index)
    return pd.concat([table, pd.DataFrame(columns, index=index)], axis="columns") if columns else table


def _h5_index(frame: Any) -> pd.Index[Any]:
    labels: list[str] = list(frame[frame.attrs["_index"]].asstr()[:])
    return pd.Index(labels)


def _h5_matrix(stored: Any, names: pd.Index[Any], index: pd.Index[Any]) -> pd.DataFrame:
    from scipy.sparse import csc_array, csr_array

    if not hasattr(stored, "keys"):
        return pd.DataFrame(stored[:], index=index, columns=names)
    kind = csr_array if stored.attrs["encoding-type"] == "csr_matrix" else csc_array
    parts = (stored["data"][:], stored["indices"][:], stored["indptr"][:])
    matrix = kind(parts, shape=tuple(stored.attrs["shape"]))
    frames: Any = pd.DataFrame
    return cast(pd.DataFrame, frames.sparse.from_spmatrix(matrix.tocsc(), index=index, columns=names))


def _h5_column(stored: Any) -> Any:
    """Return a column of ``obs``: numbers, text, categories, or numbers with missing ones."""
    if not hasattr(stored, "keys"):
        return stored.asstr()[:] if stored.dtype.kind == "O" else stored[:]
    if stored.attrs["encoding-type"] == "categorical":
        categories = _h5_column(stored["categories"])
        return pd.Categorical.from_codes(
            stored["codes"][:], categories, ordered=bool(stored.attrs["ordered"])
        )
    return pd.Series(_h5_column(stored["values"])).mask(stored["mask"][:]).array
