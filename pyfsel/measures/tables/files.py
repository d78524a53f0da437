"""Tables from files and from scikit-learn's bundled data sets."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyfsel.errors import InputError, warn
from pyfsel.problem.checks import column_in, file_path, is_a, number_of, one_of
from pyfsel.problem.names import feature_numbers

if TYPE_CHECKING:
    import pandas as pd

    from pyfsel.measures.tables.declared import Codes, Orders

FORMATS: dict[str, tuple[str, str, str]] = {
    **dict.fromkeys((".csv", ".tsv", ".txt"), ("read_csv", "pandas", "")),
    ".arff": ("read_arff", "pandas", ""),
    **dict.fromkeys((".parquet", ".pq"), ("read_parquet", "pyarrow", "parquet")),
    ".xlsx": ("read_excel", "openpyxl", "excel"),
    ".h5ad": ("read_h5ad", "h5py", "h5ad"),
    **dict.fromkeys(
        (".sav", ".zsav", ".por", ".dta", ".sas7bdat", ".xpt"), ("read_labelled", "pyreadstat", "spss")
    ),
}
"""By extension: the reader in `formats`, the package that it needs, and the extra that installs it."""
COMPRESSIONS = (".gz", ".bz2", ".xz", ".zip", ".zst")
"""How the name of a compressed CSV file ends."""
BYTE_ORDER_MARKS = (b"\xff\xfe", b"\xfe\xff")


def read_table(
    path: str | Path,
    target: str | None,
    *,
    ignored: Sequence[int | str] = (),
    encoding: str = "utf-8",
    missing_codes: Codes | None = None,
    orders: Orders | None = None,
    samples: str | Path | None = None,
    sample_id: str | None = None,
    target_gaps: str = "error",
) -> tuple[Any, Any]:
    """Read a table from a file and split off the target column.

    In CSV files ``?`` and errors of spreadsheets (``#DIV/0!``) count as missing, like what pandas takes as
    missing (empty cells, NA, null …); a first column without a name is taken as row labels, not as a feature.
    Cells are separated by commas, or by semicolons, tabs or bars where these make more columns of the first
    line; numbers may then have a decimal comma.

    Parameters
    ----------
    path : str or Path
        ``.csv``, ``.tsv`` (tab-separated) or ``.txt``, each also compressed (``.gz``, ``.bz2``, ``.xz``,
        ``.zip``, and ``.zst`` with ``pip install 'pyfsel[zstandard]'``); ``.parquet`` (``pyfsel[parquet]``);
        ``.xlsx``, of which the first sheet is read, or another one of ``book.xlsx#sheet``
        (``pyfsel[excel]``); ``.arff``; ``.sav``, ``.zsav``, ``.por``, ``.dta``, ``.sas7bdat`` and ``.xpt`` of
        SPSS, Stata and SAS, with their labels (``pyfsel[spss]``); ``.h5ad``, whose target is a column of
        ``obs`` (``pyfsel[h5ad]``).
    target : str or None
        Name of the target column, or None for a table without one.
    ignored : sequence of int or str
        Columns that are left out, by name or by position among those but the target. Of Parquet files the
        others only are read.
    encoding : str
        Of a CSV file, such as "cp1252", in which older programs under Windows write.
    missing_codes, orders
        Values that mean missing, also in the target, and orders of categories: as for
        `pyfsel.measures.tables.declared.declared`.
    samples : str or Path, optional
        A file with one row for each sample, for a table of genes by samples: it is transposed if its samples
        are in columns, and the columns of the sheet are added, of which the target is one.
    sample_id : str, optional
        The column of the sheet that names the samples; otherwise it is found.
    target_gaps : {"error", "drop"}
        "drop" leaves out rows without a target, whatever `missing` says later of gaps in features; otherwise
        they stay, and are an error unless rows with any gap are dropped.

    Returns
    -------
    X : DataFrame, shape (n_rows, n_features)
        Of single cells an object with X, var_names and obs, as AnnData has them.
    y : Series, shape (n_rows,), or None

    Raises
    ------
    InputError
        If the file cannot be read or is empty, column names stand twice or look like data, or the target is
        not there.
    """
    one_of("target_gaps", target_gaps, ("error", "drop"))
    if (samples or missing_codes or orders) and ".h5ad" in f"{path} {samples}".lower():
        raise InputError(
            f"{path}: sample sheets, missing codes and orders are not for .h5ad files. Change obs in the file"
        )
    if target is not None:
        is_a("target", target, str, "the name of a column")

    def wanted(names: Sequence[str]) -> list[str]:
        features = [name for name in names if name != target]
        left = {features[j] for j in left_columns(features, ignored)}
        return [name for name in names if name == target or name in left]

    table: Any
    if samples is not None:
        from pyfsel.measures.tables.formats import with_samples

        table = with_samples(_read(path, encoding), _read(samples, encoding), sample_id)
        table = table[wanted(list(table.columns))]
    else:
        table = _read(path, encoding, wanted)
    if hasattr(table, "obs"):
        chosen = left_columns(list(map(str, table.var_names)), ignored)
        table = replace(table, X=table.X[:, chosen], var_names=table.var_names[chosen])
        return _with_target(f"obs of {path}", table, table.obs, target, target_gaps == "drop")
    n_features = table.shape[1] - (target in table.columns)
    if table.empty or not n_features:
        raise InputError(
            f"{path}: has {len(table)} rows and {n_features} columns in addition to the target. "
            "It must have at least one of each."
        )
    if missing_codes or orders:
        from pyfsel.measures.tables.declared import declared

        table = declared(table, missing_codes=missing_codes, orders=orders)
    table, y = _with_target(str(path), table, table, target, target_gaps == "drop")
    return (table if y is None else table.drop(columns=target)), y


def _with_target(
    where: str, table: Any, labelled: pd.DataFrame, target: str | None, drops_gaps: bool
) -> tuple[Any, Any]:
    """Return features and the target, a column of `labelled`, perhaps only of rows that have one."""
    if target is None:
        return table, None
    column_in(f"target={target!r}:", target, list(labelled.columns), where)
    y = labelled[target]
    gaps = y.isna()
    if drops_gaps and gaps.any():
        warn(f"target={target!r}: is missing in {number_of(int(gaps.sum()), 'row')}, which are left out")
        table, y = table[~gaps.to_numpy()], y[~gaps]
    return table, y


def _read(path: str | Path, encoding: str, wanted: Callable[[Sequence[str]], list[str]] | None = None) -> Any:
    """Return the columns of a file that are wanted, by their names; of .h5ad all `Cells`."""
    from pyfsel.measures.tables import formats

    path, _, sheet = str(path).partition("#") if ".xlsx#" in str(path).lower() else (path, "", "")
    path = file_path(path)
    suffixes = [suffix.lower() for suffix in path.suffixes]
    kind = next((s for s in reversed(suffixes) if s not in COMPRESSIONS), "")
    if kind not in FORMATS:
        raise InputError(f"{path}: has an unknown extension. It must be one of {', '.join(FORMATS)}.")
    reader, package, extra = FORMATS[kind]
    if reader != "read_csv" and suffixes[-1] != kind:
        raise InputError(f"{path}: is compressed; only CSV files may be. Decompress it")
    if wanted:  # of a table and its sample sheet one may be text
        require_text(encoding, kind)
    if suffixes[-1] == ".zst":
        package = extra = "zstandard"
    if importlib.util.find_spec(package) is None:
        raise InputError(f"{path}: reading {kind} needs {package} (pip install 'pyfsel[{extra}]')")
    with being_read(path, encoding):
        if suffixes[-1] == ".zst":  # pandas reads one that was cut off as if it were whole, Arrow does not
            from pyarrow import input_stream

            stream = input_stream(str(path), compression="zstd")
            while stream.read(2**20):
                pass
        table = getattr(formats, reader)(path, formats.HowToRead(encoding, sheet, wanted))
    if reader in ("read_parquet", "read_h5ad"):
        return table
    table = table.set_axis([str(name) for name in table.columns], axis="columns")
    return table if wanted is None else table[wanted(list(table.columns))]


def require_text(encoding: str, kind: str) -> None:
    """Raise `InputError` if an encoding is given for a kind of files that is not text."""
    if encoding != "utf-8" and FORMATS[kind][0] not in ("read_csv", "read_arff"):
        raise InputError(f"encoding={encoding!r}: is for CSV and ARFF files, not for {kind}")


@contextmanager
def being_read(name: str | Path, encoding: str = "utf-8") -> Iterator[None]:
    """Turn whatever is raised while data is read into an `InputError` that names it."""
    try:
        "".encode(encoding)
    except (LookupError, ValueError):
        raise InputError(f"encoding={encoding!r}: is unknown. Try: cp1252, latin-1 or utf-16") from None
    try:
        yield
    except InputError:
        raise
    except UnicodeError:
        raise InputError(_wrong_encoding(Path(name), encoding)) from None
    except Exception as error:  # each package has errors of its own
        told = (isinstance(error, OSError) and error.strerror) or str(error)
        reason = (told.splitlines() or [type(error).__name__])[0]
        raise InputError(f"{name}: cannot be read ({reason})") from None


def _wrong_encoding(path: Path, encoding: str) -> str:
    """Return a message that names an encoding which the file may have."""
    with path.open("rb") as file:
        likely = "utf-16" if file.read(2) in BYTE_ORDER_MARKS else "cp1252"
    others = "" if likely == encoding else f", such as encoding={likely!r}"
    return f"{path}: is not text in {encoding.upper()}; say how it is encoded{others}"


def left_columns(names: Sequence[str], ignored: Sequence[int | str]) -> list[int]:
    """Return the numbers of the columns that are not ignored.

    Raises
    ------
    InputError
        If one that is ignored does not exist, or none is left.
    """
    left_out = set(feature_numbers("ignored", ignored, names))
    if left_out and len(left_out) == len(names):
        raise InputError("ignored: leaves only the target. It must leave at least one other column.")
    return [j for j in range(len(names)) if j not in left_out]
