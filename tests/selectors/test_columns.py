"""Every kind of table × every selector × every output: the chosen columns come back with their values."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression

from pyfsel import AlternativeFeatureSelector, InputError
from pyfsel.objectives import Model
from pyfsel.papers.graph import ASDPSelector, GraphSelector
from pyfsel.papers.mask_selector import MaskSelector
from pyfsel.papers.subset.selector import SubsetSelector
from pyfsel.problem.rules import Constraints

N = 60
RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, N)
VALUES = RNG.normal(size=(N, 6))
VALUES[:, [1, 3]] += 3 * Y[:, None]
SPARSE = VALUES * (RNG.random((N, 6)) < 0.4)
SPARSE[:, [1, 3]] = VALUES[:, [1, 3]]
FRAME = pd.DataFrame(VALUES, columns=list("abcdef"))
LEVEL = RNG.integers(0, 3, N)
MIXED = FRAME.assign(
    a=pd.Categorical.from_codes(LEVEL, list("xyz")),
    c=pd.array(LEVEL, dtype="Int64"),
    e=pd.array(LEVEL > 1, dtype="boolean"),
    f=np.array(["u", "v", "w"])[LEVEL],
)
DATES = FRAME.assign(
    c=pd.Timestamp("2024-01-01") + pd.to_timedelta(LEVEL, unit="D"), e=pd.to_timedelta(LEVEL, unit="h")
)
CHOSEN_MIXED = FRAME.assign(
    b=pd.Categorical.from_codes(Y, ["n", "p"]), d=pd.array((Y + (RNG.random(N) < 0.05)) % 2, dtype="Int64")
)
CHOSEN_DATES = FRAME.assign(b=pd.Timestamp("2024-01-01") + pd.to_timedelta(Y, unit="D"), e=LEVEL > 1)
ARROW_BACKED = pd.DataFrame(
    {
        name: pd.arrays.ArrowExtensionArray(
            pa.array(column).dictionary_encode() if name == "a" else pa.array(column)
        )
        for name, column in DATES.assign(a=list(MIXED["a"])).items()
    }
)


class Annotated:
    """What the selectors use of an AnnData object."""

    def __init__(self, X, names):
        self.X, self.var_names, self.obs_names = X, list(names), [f"cell {i}" for i in range(X.shape[0])]
        self.shape = X.shape

    def __getitem__(self, where):
        rows, columns = where
        return Annotated(self.X[rows][:, columns], [self.var_names[j] for j in columns])

    def to_df(self):
        return as_reference(self.X).set_axis(self.var_names, axis=1).set_axis(self.obs_names)


def renamed(labels):
    return pd.DataFrame(VALUES, columns=labels)


TABLES = {
    "array": VALUES,
    "Fortran array": np.asfortranarray(VALUES),
    "list": VALUES.tolist(),
    "pandas": FRAME,
    "pandas, no names": pd.DataFrame(VALUES),
    "pandas, whole numbers": renamed(range(1, 7)),
    "pandas, floats": renamed(np.arange(6) * 0.5),
    "pandas, dates": renamed(pd.date_range("2020", periods=6)),
    "pandas, two levels": renamed(pd.MultiIndex.from_product([["p", "q"], list("xyz")])),
    "nullable, categories, text": MIXED,
    "dates and durations": DATES,
    "category and Int64 chosen": CHOSEN_MIXED,
    "date and float chosen": CHOSEN_DATES,
    "Arrow-backed": ARROW_BACKED,
    "sparse columns": pd.DataFrame.sparse.from_spmatrix(sp.csr_matrix(SPARSE), columns=list("abcdef")),
    "Polars": pl.from_pandas(FRAME),
    "Polars, mixed": pl.from_pandas(MIXED),
    "Polars, lazy": pl.from_pandas(FRAME).lazy(),
    "Arrow table": pa.table(FRAME),
    "Arrow table, mixed": pa.Table.from_pandas(MIXED),
    "csr_matrix": sp.csr_matrix(SPARSE),
    "csr_array": sp.csr_array(SPARSE),
    "csc_array": sp.csc_array(SPARSE),
    "coo_array": sp.coo_array(SPARSE),
    "AnnData": Annotated(VALUES, list("abcdef")),
    "AnnData, sparse": Annotated(sp.csr_matrix(SPARSE), list("abcdef")),
}
READING = {"missing": "impute", "dates": "number"}
SELECTORS = {
    "alternatives": lambda: AlternativeFeatureSelector(2, n_sets=1, missing="impute"),
    "wrapper": lambda: AlternativeFeatureSelector(
        2, n_sets=1, objective=Model(LogisticRegression(), max_fits=15, cv=2), missing="impute"
    ),
    "subset": lambda: SubsetSelector("forward", "model", 2, estimator=LogisticRegression(), cv=2, **READING),
    "mask": lambda: MaskSelector(LogisticRegression(), n_features_to_select=2, **READING),
    "graph": lambda: GraphSelector(t_p=0.9, **READING),
    "asdp": lambda: ASDPSelector(**READING),
}


def as_reference(table):
    """Return a table as a DataFrame, by ways that the package does not use."""
    if isinstance(table, pl.DataFrame | pl.LazyFrame):
        table = table.lazy().collect().to_arrow()
    if isinstance(table, pa.Table):
        return pd.DataFrame(table.to_pydict())
    if isinstance(table, Annotated):
        table = table.X
    return pd.DataFrame(table.toarray() if sp.issparse(table) else table)


def entries(table):
    """Return the entries as text; numbers with the digits that they share in all containers."""
    rows = as_reference(table).to_numpy(dtype=object)
    return [
        [f"{float(one):.12g}" if isinstance(one, int | float | bool) else str(one) for one in row]
        for row in rows
    ]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("selector", SELECTORS)
@pytest.mark.parametrize("kind", TABLES)
def test_chosen_columns_come_back_with_their_values(kind, selector):
    table = TABLES[kind]
    chooser = SELECTORS[selector]().fit(table, Y)
    chosen = chooser.get_support(indices=True)
    assert chosen.size
    expected = as_reference(table).iloc[:, chosen]
    for output, container in (("default", object), ("pandas", pd.DataFrame), ("polars", pl.DataFrame)):
        found = chooser.set_output(transform=output).transform(table)
        assert entries(found) == entries(expected)
        assert isinstance(found, container)
        if output == "default":
            numbers = all(dtype.kind in "biuf" for dtype in expected.dtypes)
            assert not (numbers and isinstance(found, np.ndarray) and found.dtype == object)
        else:
            assert list(found.columns) == chooser.get_feature_names_out().tolist()


@pytest.mark.parametrize("selector", SELECTORS)
def test_columns_are_compared_with_those_of_fit(selector):
    chooser = SELECTORS[selector]().fit(FRAME, Y)
    for wrong in (FRAME[list("bacdef")], FRAME[list("abc")], pl.from_pandas(FRAME[["a"]]).lazy()):
        with pytest.raises(ValueError, match=r"feature names|features"):
            chooser.transform(wrong)


def chosen_with(forced, table):
    rules = Constraints(forced=[forced])
    return AlternativeFeatureSelector(2, n_sets=1, constraints=rules).fit(table, Y).sets_[0].indices


def test_a_number_that_is_the_name_of_another_feature_is_refused():
    table = renamed(range(1, 7))
    for number in (3, 6):
        with pytest.raises(InputError, match=f"forced: {number} is ambiguous"):
            chosen_with(number, table)
    assert 3 in chosen_with(3, renamed(range(6)))
    assert 5 in chosen_with("6", table)


def test_a_matrix_that_stays_in_its_file_is_read():
    cells = Annotated(VALUES, "abcdef")
    cells.X = SimpleNamespace(to_memory=VALUES.copy)
    assert chosen_with("f", cells) == chosen_with("f", FRAME)
