"""Files of statistics programs, Weka, single cells and sheets; tables of genes by samples; labels of rows."""

import h5py
import numpy as np
import pandas as pd
import pyreadstat
import pytest
import scipy.sparse

from pyfsel import AlternativeFeatureSelector, InputError
from pyfsel.measures import prepare, read_table
from pyfsel.measures.tables.formats import Cells
from pyfsel.measures.tables.rows import with_rows

N_ROWS = 60
RNG = np.random.default_rng(0)
CODES = RNG.integers(1, 4, N_ROWS)
AGE = np.where(np.arange(N_ROWS) % 9 == 0, 999.0, RNG.integers(18, 80, N_ROWS))
VOTE = CODES % 2 + 1
SURVEY = pd.DataFrame(
    {"q": CODES.astype(float), "age": AGE, "part": RNG.integers(0, 9, N_ROWS), "vote": VOTE}
)
LABELS = {
    "q": {1: "never", 2: "rarely", 3: "often", 9: "don't know"},
    "part": {0: "none"},
    "vote": {1: "A", 2: "B"},
}


SAV = {
    "variable_value_labels": LABELS,
    "variable_measure": {"q": "ordinal", "vote": "nominal"},
    "missing_ranges": {"age": [999]},
}
WRITTEN = {
    "sav": lambda path: pyreadstat.write_sav(SURVEY, path, **SAV),
    "zsav": lambda path: pyreadstat.write_sav(SURVEY, path, **SAV, compress=True),
    "por": lambda path: pyreadstat.write_por(SURVEY, path, variable_format={}),
    "dta": lambda path: pyreadstat.write_dta(SURVEY, path, variable_value_labels=LABELS),
    "xpt": lambda path: pyreadstat.write_xport(SURVEY, path),
}


@pytest.mark.parametrize("kind", WRITTEN)
def test_files_of_statistics_programs_are_read_with_their_labels(tmp_path, kind):
    path = tmp_path / f"survey.{kind}"
    WRITTEN[kind](path)
    X, y = read_table(path, "VOTE" if kind == "por" else "vote")
    X.columns = X.columns.str.lower()
    assert len(X) == len(y) == N_ROWS
    if kind in ("sav", "zsav", "dta"):
        assert X["q"].cat.categories.tolist() == ["never", "rarely", "often"]
        assert X["q"].cat.codes.tolist() == (CODES - 1).tolist()
        assert X["q"].cat.ordered == (kind != "dta"), "Stata does not say which are ordinal"
        assert y.tolist() == [LABELS["vote"][code] for code in VOTE]
        assert X["part"].tolist() == SURVEY["part"].tolist(), "of some labels only the codes stay numbers"
    assert X["age"].isna().tolist() == ((AGE == 999) & ("sav" in kind)).tolist()


ARFF = """% a comment
@relation 'with spaces'
@attribute size numeric
@ATTRIBUTE 'b c' {low,'very high',medium}
@attribute note string
@attribute day date 'yyyy-MM-dd'
@attribute class {yes,no}
@data
1.5,low,'x, y','2024-01-02',yes
?,'very high',z,'2024-02-02',no
% another
3,?,"w, v",?,yes
"""


def test_arff_is_read_with_text_and_dates(tmp_path):
    path = tmp_path / "table.arff"
    path.write_text(ARFF)
    X, y = read_table(path, "class")
    assert X["size"].dropna().tolist() == [1.5, 3]
    assert X["b c"].cat.categories.tolist() == ["low", "very high", "medium"]
    assert not X["b c"].cat.ordered
    assert X["note"].tolist() == ["x, y", "z", "w, v"]
    assert X["day"].dt.month.dropna().tolist() == [1, 2]
    assert X.isna().sum().tolist() == [1, 1, 0, 1]
    assert y.tolist() == ["yes", "no", "yes"]
    for rows, message in (
        ("{0 1.5}\n", "rows are sparse"),
        ("1,low,a\n", "a row has 3 cells, must have 5 cells"),
    ):
        path.write_text(ARFF + rows)
        with pytest.raises(InputError, match=message):
            read_table(path, "class")


def test_sheets_of_excel_are_named(tmp_path):
    path = tmp_path / "book.xlsx"
    with pd.ExcelWriter(path) as book:
        for name, sheet in (("a", "first"), ("b", "second one")):
            pd.DataFrame({name: [1, 2], "y": [0, 1]}).to_excel(book, sheet_name=sheet, index=False)
    with pytest.warns(UserWarning, match="its first sheet, 'first', is read"):
        assert list(read_table(path, "y")[0]) == ["a"]
    assert list(read_table(f"{path}#second one", "y")[0]) == ["b"]
    with pytest.raises(InputError, match="Worksheet named 'third' not found"):
        read_table(f"{path}#third", "y")


def cells(kind):
    rng = np.random.default_rng(1)
    kinds = rng.integers(0, 2, N_ROWS)
    counts = rng.poisson(0.5 + np.outer(kinds, np.arange(12) == 3)).astype(np.float32)
    X = scipy.sparse.csr_matrix(counts) if kind == "sparse" else counts
    obs = pd.DataFrame({"cell": np.where(kinds, "T", "B"), "donor": rng.integers(0, 9, N_ROWS).astype(str)})
    obs["stage"] = pd.Categorical.from_codes(rng.integers(-1, 3, N_ROWS), ["i", "ii", "iii"], ordered=True)
    obs["age"] = pd.array([None, *range(1, N_ROWS)], dtype="Int64")
    return Cells(
        X, obs.set_axis([f"cell{j}" for j in range(N_ROWS)]), pd.Index(f"gene{j}" for j in range(12))
    )


def write_h5ad(path, data):
    """Write a file as anndata does (its specification of on-disk formats)."""

    def put(group, name, values):
        if isinstance(values.dtype, pd.CategoricalDtype):
            own = group.create_group(name)
            own.attrs.update({"encoding-type": "categorical", "ordered": values.cat.ordered})
            own["codes"] = values.cat.codes.to_numpy()
            own.create_dataset("categories", data=values.cat.categories.tolist(), dtype=h5py.string_dtype())
        elif isinstance(values.dtype, pd.Int64Dtype):
            own = group.create_group(name)
            own.attrs["encoding-type"] = "nullable-integer"
            own["values"], own["mask"] = values.fillna(0).to_numpy(np.int64), values.isna().to_numpy()
        else:
            group.create_dataset(name, data=values.tolist(), dtype=h5py.string_dtype())

    with h5py.File(path, "w") as file:
        if scipy.sparse.issparse(data.X):
            own = file.create_group("X")
            own.attrs.update({"encoding-type": "csr_matrix", "shape": data.X.shape})
            for name in ("data", "indices", "indptr"):
                own[name] = getattr(data.X, name)
        else:
            file["X"] = data.X
        for name, index, columns in (("obs", data.obs_names, data.obs), ("var", data.var_names, {})):
            own = file.create_group(name)
            own.attrs["_index"] = "_index"
            own.attrs.create("column-order", list(columns), dtype=h5py.string_dtype())
            put(own, "_index", pd.Series(index))
            for column in columns:
                put(own, column, columns[column])


@pytest.mark.parametrize("kind", ["sparse", "dense"])
def test_single_cells_are_read_with_the_columns_of_obs(tmp_path, kind, run):
    data, path = cells(kind), tmp_path / "cells.h5ad"
    write_h5ad(path, data)
    X, y = read_table(path, "cell", ignored=["gene0"])
    assert X.X.shape == (N_ROWS, 11)
    pd.testing.assert_frame_equal(X.obs, data.obs, check_dtype=False)
    assert X.obs["stage"].cat.ordered
    table = prepare(X, y)
    assert table.feature_names == tuple(f"gene{j}" for j in range(1, 12))
    assert scipy.sparse.issparse(table.X) == (kind == "sparse")
    assert prepare(data, "cell").y.tolist() == table.y.tolist()
    selector = AlternativeFeatureSelector(1, n_sets=1).fit(data, "cell")
    assert [one.names for one in selector.sets_] == [("gene3",)]
    asked = f"select {path} -t cell -k 1 -n 1 --row-groups donor --format json"
    assert run(asked, 0).data["sets"][0]["names"] == ["gene3"]
    with pytest.warns(UserWarning, match="target='stage': is missing in"):
        staged = read_table(path, "stage", target_gaps="drop")
    assert len(staged[1]) == staged[0].X.shape[0] == data.obs["stage"].notna().sum()
    for wrong in (lambda: read_table(path, "Cell"), lambda: prepare(data, "Cell")):
        with pytest.raises(InputError, match="cell"):
            wrong()


def genes(way):
    names = [f"s{j}" for j in range(N_ROWS)]
    expression = pd.DataFrame(np.random.default_rng(2).normal(size=(5, N_ROWS)), columns=names)
    expression.index = [f"gene{j}" for j in range(5)]
    expression.loc["gene2"] += 3 * VOTE
    return expression.rename_axis("gene") if way == "columns" else expression.T.rename_axis("sample")


@pytest.mark.parametrize("way", ["columns", "rows"])
def test_genes_by_samples_are_joined_with_a_sample_sheet(tmp_path, way, run):
    table, sheet = tmp_path / "counts.tsv", tmp_path / "samples.csv"
    genes(way).to_csv(table, sep="\t")
    about = pd.DataFrame({"id": genes("rows").index, "vote": VOTE, "batch": np.arange(N_ROWS) % 3})
    about.iloc[:-1].sample(frac=1, random_state=0).to_csv(sheet, index=False)
    with pytest.warns(UserWarning, match="1 of 60 samples of the table are not in the sheet, and 0 of 59"):
        (X, y), (same, _) = (
            read_table(table, "vote", samples=sheet, sample_id=name, ignored=["batch"])
            for name in (None, "id")
        )
    assert list(X) == list(genes("rows"))
    assert y.tolist() == VOTE[:-1].tolist()
    np.testing.assert_allclose(X["gene2"], genes("rows")["gene2"].iloc[:-1])
    pd.testing.assert_frame_equal(same, X)
    asked = f"select {table} --samples {sheet} -t vote -k 1 -n 1 --ignore batch --format json"
    assert run(asked, 0).data["sets"][0]["names"] == ["gene2"]
    for name, message in (
        ("ID", "sample_id='ID': must be"),
        ("batch", "no column of the sample sheet holds"),
    ):
        with pytest.raises(InputError, match=message):
            read_table(table, "vote", samples=sheet, sample_id=name)


@pytest.mark.parametrize("where", ["table", "sample sheet"])
@pytest.mark.parametrize("in_rows", [False, True])
def test_a_label_that_names_several_samples_is_refused(tmp_path, where, in_rows):
    labels = {"table": list("abcd"), "sample sheet": list("abcd")} | {where: list("abca")}
    genes = pd.DataFrame({"x": [1, 2, 3, 4], "z": [3, 1, 2, 2]}, index=pd.Index(labels["table"], name="gene"))
    (genes if in_rows else genes.T.rename_axis("gene")).to_csv(tmp_path / "genes.csv")
    sheet = pd.DataFrame({"id": labels["sample sheet"], "ill": [1, 0, 1, 0]})
    sheet.to_csv(tmp_path / "sheet.csv", index=False)
    wanted = (
        "'a' names several samples of the" if in_rows or where != "table" else "'a' stands more than once"
    )
    with pytest.raises(InputError, match=wanted):
        read_table(tmp_path / "genes.csv", "ill", samples=tmp_path / "sheet.csv", sample_id="id")


ORDER = np.random.default_rng(3).permutation(N_ROWS)
NAMED = [f"row{j}" for j in range(N_ROWS)]


@pytest.mark.parametrize(
    ("rows", "own", "matched"),
    [
        (ORDER, range(N_ROWS), "labels"),
        (range(N_ROWS), ORDER, "labels"),
        ([NAMED[j] for j in ORDER], NAMED, "labels"),
        (NAMED, NAMED, "places"),
        (ORDER + 100, range(N_ROWS), "places"),
        (NAMED, range(N_ROWS), "places"),
        (["x"] * N_ROWS, range(N_ROWS), "places"),
        (NAMED, [f"other{j}" for j in range(N_ROWS)], "59"),
        (NAMED, ["row0"] * N_ROWS, "more than once"),
        (ORDER + 100, ORDER + 101, "1 of 60"),
    ],
)
def test_rows_are_matched_by_their_labels(rows, own, matched, recwarn):
    X = pd.DataFrame({"a": np.arange(N_ROWS) / 7, "b": RNG.normal(size=N_ROWS)}, index=rows)
    values = pd.Series(np.arange(N_ROWS), index=own)
    expected = values.loc[list(rows)] if matched == "labels" else values
    if matched not in ("labels", "places"):
        with pytest.raises(InputError, match="y: has other row labels than X"):
            prepare(X, values, task="regression")
        with pytest.raises(InputError, match="sample_weight: has other row labels than X"):
            with_rows(prepare(X, values.to_numpy(), task="regression"), values)
        return
    of_rows = with_rows(prepare(X, values, task="regression"), values, values // 2, values)
    assert of_rows.y.tolist() == of_rows.weights.tolist() == of_rows.times.tolist() == expected.tolist()
    assert of_rows.groups.tolist() == (expected // 2).tolist()
    said = ["in another order" in str(one.message) for one in recwarn]
    assert sum(said) == (4 if matched == "labels" else 0)
