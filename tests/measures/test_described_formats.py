"""Files that describe their columns, sheets of Excel, and genes × samples: all made here."""

import re

import h5py
import numpy as np
import pandas as pd
import pyreadstat
import pytest
import scipy.sparse

from pyfsel import InputError
from pyfsel.measures.tables.samples import joined_to_samples
from pyfsel.measures.tables.table import prepare, read_table

ANSWERS = pd.DataFrame(
    {
        "mood": [1.0, 2.0, 3.0, 2.0, 9.0, 1.0],
        "party": [2.0, 1.0, 3.0, 1.0, 2.0, 3.0],
        "scale": [1.0, 5.0, 3.0, 2.0, 4.0, 1.0],
        "born": pd.to_datetime(["1990-01-02", "1991-02-03", None, "1980-01-01", "1970-05-06", "1999-09-09"]),
        "vote": ["yes", "no", "yes", "no", "yes", "no"],
    }
)
LABELS = {
    "mood": {1: "bad", 2: "fair", 3: "good", 9: "no answer"},
    "party": {1: "C", 2: "A", 3: "B"},
    "scale": {1: "never", 5: "always"},
}


def written(path, kind):
    """Write the answers as a survey; only SPSS says which codes are missing and what is ordinal."""
    if kind == ".sav":
        pyreadstat.write_sav(
            ANSWERS,
            str(path),
            variable_value_labels=LABELS,
            missing_ranges={"mood": [9]},
            variable_measure={"mood": "ordinal", "party": "nominal"},
        )
    else:
        pyreadstat.write_dta(ANSWERS, str(path), variable_value_labels=LABELS)
    return path


@pytest.mark.parametrize(
    ("kind", "moods", "ordered"),
    [(".sav", ["bad", "fair", "good"], True), (".dta", ["bad", "fair", "good", "no answer"], False)],
)
def test_value_labels_become_categories_in_the_order_of_their_codes(tmp_path, kind, moods, ordered):
    X, y = read_table(written(tmp_path / f"survey{kind}", kind), "vote")
    assert X["mood"].cat.categories.tolist() == moods
    assert X["mood"].isna().tolist() == [
        moods == ["bad", "fair", "good"] and code == 9 for code in ANSWERS["mood"]
    ]
    assert X["mood"].cat.ordered is ordered
    assert (X["party"].cat.categories.tolist(), X["party"].cat.ordered) == (["C", "A", "B"], False)
    assert X["scale"].tolist() == ANSWERS["scale"].tolist()  # only its ends have labels
    assert np.array_equal(
        X["born"].astype("datetime64[s]"), ANSWERS["born"].astype("datetime64[s]"), equal_nan=True
    )
    assert y.tolist() == ANSWERS["vote"].tolist()


ARFF = """% a comment
@relation r
@attribute size numeric
@attribute 'how much' {low, 'very high', medium}
@attribute note STRING
@attribute day date 'yyyy-MM-dd'
@ATTRIBUTE class {y,n}
@DATA
1, low, 'x, \\'y\\'', '2024-01-02', y
?,'very high',"?",2024-02-02,n
3.5e1,?,w,?,y
"""


def test_arff_has_declared_categories_quoted_text_and_dates(tmp_path):
    path = tmp_path / "table.arff"
    path.write_text(ARFF, encoding="utf-8")
    X, y = read_table(path, "class")
    assert X["size"].tolist()[::2] == [1, 35]
    assert np.isnan(X["size"][1])
    assert X["how much"].cat.categories.tolist() == ["low", "very high", "medium"]
    assert X["how much"].tolist()[:2] == ["low", "very high"]
    assert X["note"].tolist() == ["x, 'y'", "?", "w"]
    assert X["day"].tolist()[0] == pd.Timestamp("2024-01-02")
    assert X["day"].isna().tolist() == [False, False, True]
    assert y.tolist() == ["y", "n", "y"]


@pytest.mark.parametrize(
    ("changed", "to", "message"),
    [
        ("1, low", "{0 1, 4 y}\n1, low", "line 9 is sparse ARFF"),
        ("3.5e1,?,w,?,y", "3.5e1,?,w,?", "line 11 has 4 values. Expected 5"),
        ("note STRING", "note relational", "attribute 'note' is 'relational'"),
        ("@DATA", "", "has no line @data"),
        ('"?"', '"?', "quotation marks"),
        ("3.5e1", "many", "cannot be read"),
    ],
)
def test_arff_that_is_wrong_is_refused(tmp_path, changed, to, message):
    path = tmp_path / "table.arff"
    path.write_text(ARFF.replace(changed, to), encoding="utf-8")
    with pytest.raises(InputError, match=re.escape(message)):
        read_table(path, "class")


CELLS = np.array([[0.0, 3.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, 5.0], [4.0, 0.0, 1.0]])


def write_h5ad(path, matrix):
    """Write four cells of three genes as anndata does, by its documented format."""
    with h5py.File(path, "w") as file:
        if isinstance(matrix, np.ndarray):
            file["X"] = matrix
        else:
            stored = file.create_group("X")
            stored.attrs.update({"encoding-type": f"{matrix.format}_matrix", "shape": matrix.shape})
            for part in ("data", "indices", "indptr"):
                stored[part] = getattr(matrix, part)
        for frame, index in (("obs", ["c1", "c2", "c3", "c4"]), ("var", ["g1", "g2", "g3"])):
            file[f"{frame}/_index"] = index
            file[frame].attrs.update({"_index": "_index", "column-order": np.array([], dtype="S1")})
        file["obs"].attrs["column-order"] = ["cell type", "donor", "passed", "qc"]
        file["obs/cell type/categories"], file["obs/cell type/codes"] = ["B", "T"], [1, 0, 1, -1]
        file["obs/cell type"].attrs.update({"encoding-type": "categorical", "ordered": False})
        file["obs/donor"], file["obs/qc"] = list("aabb"), [1.0, 2.0, 3.0, 4.0]
        file["obs/passed/values"], file["obs/passed/mask"] = [1, 0, 1, 1], [False, False, True, False]
        file["obs/passed"].attrs["encoding-type"] = "nullable-integer"
    return path


@pytest.mark.parametrize("kind", [np.array, scipy.sparse.csr_matrix, scipy.sparse.csc_matrix])
def test_anndata_has_features_in_var_and_the_target_in_obs(tmp_path, kind):
    path = write_h5ad(tmp_path / "cells.h5ad", kind(CELLS))
    X, y = read_table(path, "cell type", of_rows=["donor", "passed"])
    assert X.columns.tolist() == ["g1", "g2", "g3", "donor", "passed"]
    assert X["donor"].tolist() == list("aabb")
    assert X["passed"].fillna(-1).tolist() == [1, 0, -1, 1]
    assert y.astype(object).fillna("?").tolist() == ["T", "B", "T", "?"]
    table = prepare(X[["g1", "g2", "g3"]], [0, 1, 0, 1])
    assert scipy.sparse.issparse(table.X) is (kind is not np.array)
    assert table.dense().X.tolist() == CELLS.tolist()
    with pytest.raises(
        InputError, match=r"is not a column of obs\. Its columns are cell type, donor, passed, qc"
    ):
        read_table(path, "celltype")


def test_a_file_that_is_not_of_anndata_is_refused(tmp_path):
    h5py.File(tmp_path / "other.h5ad", "w").close()
    with pytest.raises(InputError, match="has no matrix X with obs and var"):
        read_table(tmp_path / "other.h5ad", "cell type")


def test_a_sheet_of_excel_is_named_behind_a_number_sign(tmp_path):
    path = tmp_path / "book.xlsx"
    with pd.ExcelWriter(path) as book:
        pd.DataFrame({"a": [1, 2], "t": ["x", "y"]}).to_excel(book, sheet_name="first", index=False)
        pd.DataFrame({"b": [3, 4], "t": ["u", "v"]}).to_excel(book, sheet_name="the other", index=False)
    assert read_table(path, "t")[0].columns.tolist() == ["a"]
    assert read_table(f"{path}#the other", "t")[1].tolist() == ["u", "v"]
    with pytest.raises(InputError, match=r"no such sheet\. The sheets are first, the other"):
        read_table(f"{path}#third", "t")


GENES = pd.DataFrame(
    {"gene": ["g1", "g2", "g3"], "s1": [3, 0, 7], "s2": [5, 1, 8], "s3": [2, 2, 2], "s4": [9, 9, 0]}
)
SHEET = pd.DataFrame(
    {"batch": [1, 1, 2, 2], "name": ["s4", "s2", "s5", "s1"], "ill": ["no", "yes", "no", "yes"]}
)


@pytest.mark.parametrize("lies", ["genes in rows", "samples in rows", "labelled rows"])
def test_samples_are_matched_whichever_way_the_table_lies(tmp_path, lies):
    table = {
        "genes in rows": GENES,
        "samples in rows": GENES.set_index("gene").T.reset_index(names="sample"),
        "labelled rows": GENES.set_index("gene"),
    }[lies]
    table.to_csv(tmp_path / "counts.csv", index=lies == "labelled rows")
    SHEET.to_csv(tmp_path / "sheet.csv", index=False)
    with pytest.warns(UserWarning, match="2 samples of the table or the sheet without a partner left out"):
        X, y = read_table(tmp_path / "counts.csv", "ill", samples=tmp_path / "sheet.csv", of_rows=["batch"])
    assert X.index.tolist() == ["s1", "s2", "s4"]
    assert X[["g1", "g2", "g3", "batch"]].to_numpy().tolist() == [[3, 0, 7, 2], [5, 1, 8, 1], [9, 9, 0, 1]]
    assert y.tolist() == ["yes", "yes", "no"]


@pytest.mark.parametrize(
    ("counts", "sheet", "wanted", "sample_id", "message"),
    [
        (GENES, SHEET, ["sick"], None, "'sick' is not a column of the sheet"),
        (GENES, SHEET, ["ill"], "id", "'id' is not a column of the sheet"),
        (GENES, SHEET.assign(name=list("abcd")), ["ill"], None, "is a label of a row or column"),
        (GENES.assign(gene="g1"), SHEET, ["ill"], None, "'g1' is repeated in genes"),
        (GENES, SHEET.assign(name="s1"), ["ill"], "name", "'s1' is repeated in name"),
        (GENES.replace("g1", "ill"), SHEET, ["ill"], None, "'ill' is a column of the sheet and of the table"),
    ],
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_samples_that_cannot_be_matched_are_refused(counts, sheet, wanted, sample_id, message):
    with pytest.raises(InputError, match=re.escape(message)):
        joined_to_samples(counts, sheet, wanted, sample_id)
