"""What the benchmarks take of a table."""

import pandas as pd

from pyfsel.measures.tables.table import prepare


def prepared(X, y, missing="impute"):
    """Return the table; whole numbers of a target are classes, however many, as in the committed figures."""
    is_whole = pd.api.types.is_integer_dtype(y)
    return prepare(X, y, task="classification" if is_whole else "auto", missing=missing)
