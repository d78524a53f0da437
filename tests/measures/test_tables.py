"""Tables: encoding of columns and targets, missing values, bad input, files."""

import gzip
import sys
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse
import sklearn.datasets

from pyfsel import InputError
from pyfsel.measures import load_dataset, prepare, read_table
from pyfsel.measures.tables.bundled import DATASETS
from pyfsel.measures.tables.files import COMPRESSIONS, FORMATS

LABELS = ["a", "b", "a", "b"]


def frame(**columns):
    return pd.DataFrame({"x": [0.5, 1.5, 2.5, 3.5]} | columns)


VALUES = [[0.5, 3.0], [1.5, 1.0], [2.5, 2.0]]
KINDS = {
    "list": list,
    "array": np.array,
    "object": lambda values: np.array(values, dtype=object),
    "single": np.float32,
    "single, csr": lambda values: scipy.sparse.csr_array(np.float32(values)),
    "single, pandas": lambda values: pd.DataFrame(np.float32(values)),
    "csr": scipy.sparse.csr_matrix,
    "csc": scipy.sparse.csc_array,
    "coo": scipy.sparse.coo_array,
    "numbered": pd.DataFrame,
    "nullable": lambda values: pd.DataFrame(values, columns=["p", "q"]).astype({"q": "Int64"}),
    "odd index": lambda values: pd.DataFrame(values, index=[7, 7, 3]),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_table_gives_the_same_numbers_whatever_becomes_of_it(kind):
    X, y = KINDS[kind](VALUES), pd.Series([0.5, 1, 0], index=[7, 7, 3])
    read = prepare(X, y, task="regression")
    for given in (X.data if scipy.sparse.issparse(X) else X, y):
        getattr(given, "iloc", given)[:] = [[9, 9]] * 3 if given is X else 9
    assert read.y.tolist() == [0.5, 1, 0]
    assert read.X.dtype == (np.float32 if "single" in kind else np.float64)
    assert read.known(1).tolist() == [3, 1, 2]
    table = read.dense()
    assert table.X.tolist() == VALUES
    assert table.X.dtype == np.float64
    assert table.is_discrete.tolist() == [False, True]
    assert all(isinstance(name, str) for name in table.feature_names)


def test_text_booleans_and_categories_are_encoded():
    X = frame(
        text=["red", "blue", "red", "green"],
        flag=[True, False, True, False],
        size=pd.Categorical(["S", "L", "M", "S"], categories=["S", "M", "L"], ordered=True),
    )
    table = prepare(X, LABELS)
    assert table.X[:, 1:].T.tolist() == [[2, 0, 2, 1], [1, 0, 1, 0], [0, 2, 1, 0]]
    assert table.is_discrete.tolist() == [False, True, True, True]


def test_more_than_twenty_whole_numbers_are_not_discrete():
    for n_values, expected in ((20, True), (21, False)):
        column = np.arange(60)[:, None] % n_values
        assert prepare(column, np.arange(60) % 2).is_discrete.tolist() == [expected]


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        (["b", "a", "b"], ("a", "b")),
        ([True, False, True], (False, True)),
        ([2.5, 7.5, 2.5], (2.5, 7.5)),
        (np.arange(20) / 2, tuple(np.arange(20) / 2)),
        (np.arange(21) / 2, ()),
        (list(map(Decimal, range(21))), ()),
        (pd.Categorical(["lo", "hi", "lo"], categories=["lo", "hi"]), ("lo", "hi")),
        (pd.Series(["b", "a", "b"], dtype="string"), ("a", "b")),
        (pd.array([1, 2, 1], dtype="Int64"), (1, 2)),
        (np.array([[0], [1], [1]]), (0, 1)),
    ],
)
def test_the_task_follows_from_the_target(y, classes):
    table = prepare(np.random.default_rng(0).normal(size=(len(y), 2)), y)
    assert table.task == ("classification" if classes else "regression")
    assert table.classes == classes
    flat = np.ravel(y).tolist()
    assert (np.array(classes)[table.y].tolist() if classes else table.y.tolist()) == flat
    assert table.y.dtype == (np.int64 if classes else np.float64)


def test_the_task_can_be_given():
    X = np.random.default_rng(0).normal(size=(30, 2))
    assert prepare(X, np.arange(30) % 3, task="regression").y.dtype == np.float64
    assert len(prepare(X, np.arange(30) / 2, task="classification").classes) == 30
    with pytest.warns(UserWarning, match="30 different whole numbers"):
        assert prepare(X, np.arange(30)).task == "classification"


def test_missing_values_are_dropped_or_imputed():
    X = frame(
        gap=[1.5, None, 3.5, 2.0],
        text=["u", "v", None, "u"],
        count=[5, None, 5, 7],
        flag=pd.array([True, None, False, True], dtype="boolean"),
        c=[2, 9, 2, 2],
    )
    before = X.copy()
    table = prepare(X, LABELS, missing="impute")
    assert table.X[1, 1] == 2.0
    assert table.X[2, 2] == table.X[0, 2]
    assert table.X[1, 3:5].tolist() == [5, 1]
    assert table.n_dropped == 0
    with pytest.warns(UserWarning, match="columns 'text', 'flag', 'c' are constant and get quality 0"):
        dropped = prepare(X, ["a", "b", "b", "b"], missing="drop")
    assert dropped.rows.tolist() == [0, 3]
    assert (dropped.n_dropped, dropped.is_constant.tolist()) == (2, [False, False, True, False, True, True])
    assert dropped.X[:, 1].tolist() == [1.5, 2.0]
    assert dropped.y.tolist() == [0, 1]
    with pytest.raises(InputError, match="one class only"):
        prepare(X, ["a", "b", "b", None], missing="drop")
    pd.testing.assert_frame_equal(X, before)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        *(
            ({"X": X}, message)
            for X, message in (
                (np.empty((4, 0)), r"0 feature\(s\)"),
                (np.empty((0, 3)), r"0 sample\(s\)"),
                (None, "X: is None"),
                (np.arange(4.0), "Reshape your data"),
                (np.zeros((4, 2, 2)), "3 dimension"),
                ([[1.0, 2.0], [1.0]], "rows differ"),
                (np.array([[1j], [2], [3], [4]]), "Complex data not supported"),
                (frame(z=[1j, 2, 3, 4]), "'z'.*Complex data not supported"),
                (frame(z=[1.0, np.inf, 0.0, 2.0]), "'z'.*infinite"),
                (frame(when=pd.to_datetime(["2020-01-01"] * 4)), "'when'.*datetime"),
                (frame(z=["a", 2, "b", 3]), "'z'.*mixed"),
                (pd.DataFrame([[1, 2]] * 4, columns=["1", 1]), "'1' stands more than once"),
            )
        ),
        *(
            ({"y": y}, message)
            for y, message in (
                (["a"] * 4, r"one class only \('a'\)"),
                (None, "y: is None"),
                (["a", "b"], "y: has 2 values, must have 4"),
                (np.zeros((4, 2)), "y: has shape"),
                ([0.0, np.inf, 1.0, 2.0], "y: contains infinite"),
                (pd.to_datetime(["2020-01-01", "2021-01-01"] * 2), "y: is of type datetime"),
                (pd.to_datetime(["2020-01-01"] * 4).date, "y: is of type date"),
                (pd.period_range("2020", periods=4), "y: is of type period"),
                (np.array([1j, 2j, 1j, 2j]), "y: Complex data not supported"),
                ([{"a": 1}, {}, {"a": 1}, {}], "y: contains labels that cannot be sorted"),
            )
        ),
        ({"task": "ranking"}, "task='ranking': must be one of auto"),
        ({"missing": "guess"}, "missing='guess': must be one of error"),
        ({"missing": pd.NA}, "missing=<NA>: must be one of error"),
        ({"task": "regression"}, "must be numbers for task='regression'"),
        ({"feature_names": ["a", "b"]}, "feature_names: has 2 names. It must have 1"),
        (
            {"X": frame(gap=[1.0, None, 3.0, 4.5], text=["u", "v", None, "u"])},
            r"columns 'gap', 'text'.*NaN.*drop.*impute",
        ),
        *(
            (given | {"missing": missing}, message)
            for missing in ("error", "impute")
            for given, message in (
                ({"X": frame(gap=[np.nan] * 4)}, r"'gap'.*no value at all"),
                ({"X": scipy.sparse.csc_array([[np.nan]] * 4)}, "column 'x0' holds no value"),
                ({"X": scipy.sparse.csc_array([[np.inf]] * 4)}, "column 'x0' holds infinite"),
                ({"y": ["a", None, "a", "b"]}, "y: is missing in 1 row"),
                ({"y": pd.array([1, None, 1, 2])}, "y: is missing in 1 row"),
            )
        ),
        ({"X": frame(gap=[np.nan, 1, 2, 3], other=[1, *[np.nan] * 3]), "missing": "drop"}, "leaves no row"),
    ],
)
def test_bad_tables_and_options_give_one_clear_line(options, message):
    with pytest.raises(InputError, match=message) as error:
        prepare(**{"X": frame(), "y": LABELS} | options)
    assert "\n" not in str(error.value)


SPARSE = np.array([[0, 2.5, 0, 1, 3], [0, 0, 0, 2, 3], [1, -1, 0, 0, 3], [4, 0.25, 0, 1, 3], [0, 3, 0, 1, 3]])


GAPPY = SPARSE.copy()
GAPPY[3, 0] = GAPPY[0, 1] = np.nan


def sparse_tables(values):
    """Return a table by rows, by columns, with zeros among its entries, and as columns of pandas."""
    names = [f"x{j}" for j in range(5)]
    by_columns = scipy.sparse.csc_array(values)
    stored = pd.DataFrame.sparse.from_spmatrix(by_columns, columns=names)
    return {
        "rows": scipy.sparse.csr_array(values),
        "columns": by_columns,
        "zeros": scipy.sparse.coo_array((values.ravel(), np.indices(values.shape).reshape(2, -1))),
        "pandas": stored,
        "mixed": stored.assign(x0=values[:, 0], x3=values[:, 3]),
    }


@pytest.mark.parametrize(
    ("values", "missing"),
    [(SPARSE, "error"), (GAPPY, "drop"), (GAPPY, "impute")],
)
@pytest.mark.parametrize("kind", ["rows", "columns", "zeros", "pandas", "mixed"])
def test_sparse_tables_stay_sparse_and_are_understood_as_dense_ones(kind, values, missing):
    X, y = sparse_tables(values)[kind], [0, 1, 0, 1, 1]
    with pytest.warns(UserWarning, match="'x4' (is|are) constant"):
        found, expected = (prepare(table, y, missing=missing) for table in (X, values))
    assert isinstance(found.X, scipy.sparse.csc_array)
    assert (found.dense().X == expected.X).all()
    for name in ("is_discrete", "is_constant", "rows"):
        assert np.array_equal(getattr(found, name), getattr(expected, name))
    assert found.feature_names == expected.feature_names
    if kind == "columns":
        assert np.isnan(X.data).sum() == np.isnan(values).sum(), "the given table is not changed"
    if missing == "error":
        assert found.X.nnz == np.count_nonzero(values)
    else:
        with pytest.raises(InputError, match="columns 'x0', 'x1' hold missing"):
            prepare(X, y)


def test_a_large_sparse_matrix_is_refused_only_where_it_would_fill_the_memory():
    X = scipy.sparse.csr_matrix(([1.0] * 3, ([0, 1, 2], [0, 1, 1])), shape=(20_000, 10_000))
    with pytest.warns(UserWarning, match="constant"):
        table = prepare(X, np.arange(20_000) % 2)
    with pytest.raises(InputError, match=r"shape \(20000, 10000\).*sparse"):
        table.dense()


CONTENT = "x,colour,class\n1.5,red,u\n2.5,?,v\n3.5,blue,u\n"


@pytest.mark.parametrize(
    "extension", [".csv", *(f".csv{packed}" for packed in COMPRESSIONS), ".tsv", ".parquet", ".xlsx"]
)
def test_files_of_every_kind_are_read_without_ignored_columns_and_an_index(tmp_path, extension):
    path = tmp_path / f"table{extension}"
    colours = {"x": [1.5, 2.5, 3.5], "id_1": 0, "colour": ["red", None, "blue"]}
    rest = {"class": ["u", "v", "u"], "id_2": 0, "b": 1}
    data = pd.DataFrame(colours | rest, index=[7, 8, 9])
    if extension == ".parquet":
        data.to_parquet(path)
    elif extension == ".xlsx":
        data.to_excel(path)
    else:
        data.to_csv(path, index=False, sep="\t" if extension == ".tsv" else ",")
    X, y = read_table(path, "class", ignored=["id_*", "b"])
    assert list(X.columns) == ["x", "colour"]
    assert X["x"].tolist() == colours["x"]
    assert X["colour"].isna().tolist() == [False, True, False]
    assert y.tolist() == rest["class"]
    if extension != ".xlsx":  # whose row labels count as a column
        assert list(read_table(path, "class", ignored=["id_*", 4])[0]) == ["x", "colour"]


@pytest.mark.parametrize(
    ("name", "package", "extra"), [("t.parquet", "pyarrow", "parquet"), ("t.xlsx", "openpyxl", "excel")]
)
def test_the_package_that_a_file_takes_is_named(tmp_path, monkeypatch, name, package, extra):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(InputError, match=rf"needs {package} \(pip install 'pyfsel\[{extra}\]'\)"):
        read_table(tmp_path / name, "class")


@pytest.mark.parametrize(
    ("name", "content", "target", "message"),
    [
        ("absent.csv", None, "y", r"absent.csv: cannot be read \(No such file or directory\)$"),
        ("table.json", b"", "y", r"unknown extension.*\.csv.*\.parquet.*\.xlsx"),
        ("not.xlsx", b"no sheet", "y", "cannot be read"),
        ("cut.csv.gz", gzip.compress(CONTENT.encode() * 99, mtime=0)[:-20], "class", "cannot be read"),
        ("cut.csv.zst", pa.compress(CONTENT.encode() * 99, "zstd")[:-9], "class", "Truncated"),
        ("not.parquet", b"no parquet", "y", "cannot be read"),
        ("binary.csv", b"\xff\xfe\x00\x81,y\n1,2\n", "y", "is not text in UTF-8; .* encoding='utf-16'"),
        ("cp1252.csv", "café,y\n1,2\n".encode("cp1252"), "y", "is not text in UTF-8; .* encoding='cp1252'"),
        (
            "bare.csv",
            b"5.1,3.5,a\n4.9,3.0,b\n6,2,a\n",
            "a",
            r"first row looks like data, \['5.1', '3.5', 'a'\]",
        ),
        ("ragged.csv", b"a,y\n1,2\n1,2,3,4\n", "y", "Expected 2 fields in line 3, saw 4"),
        ("twice.csv", b"a,b,a,y\n1,2,3,4\n", "y", "'a' stands more than once"),
        ("near.csv", CONTENT.encode(), "Clas", "Did you mean 'class'"),
        ("far.csv", CONTENT.encode(), "zzz", "columns are x, colour, class"),
        ("header.csv", b"a,y\n", "y", "has 0 rows"),
        ("lonely.csv", b"y\n1\n2\n", "y", "0 columns in addition to the target"),
    ],
)
def test_bad_files_give_one_clear_line(tmp_path, name, content, target, message):
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match=message) as error:
        read_table(path, target)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("kind", [*FORMATS][3:])
def test_files_other_than_text_have_no_compression_and_no_encoding(kind):
    for ending in ("", *COMPRESSIONS)[kind == ".arff" :]:
        said = (
            "is compressed; only CSV files may be" if ending else f"encoding='cp1252': is .* not for {kind}"
        )
        with pytest.raises(InputError, match=said):
            read_table(f"t{kind}{ending}", "y", encoding="cp1252")


@pytest.mark.parametrize("name", DATASETS)
def test_bundled_data_sets_are_those_of_scikit_learn(name):
    X, y = load_dataset(name)
    theirs = getattr(sklearn.datasets, f"load_{name}")(as_frame=True)
    pd.testing.assert_frame_equal(X, theirs.data, check_exact=True)
    pd.testing.assert_series_equal(y, theirs.target, check_exact=True)


WITH_COMMA = {"a": ["x, y", "z"], "b": [1, 2]}
OF_CSV = {
    "comma": ('a,b,y\n"x, y",1,0\nz,2,1\n', WITH_COMMA),
    "semicolon": ("a;b;y\nx, y;1;0\nz;2;1\n", WITH_COMMA),
    "commas in names": ("mmol, l;a;y\n140;1;0\n139;2;1\n", {"mmol, l": [140, 139], "a": [1, 2]}),
    "decimal commas": ("a;b;y\n1,5;-2;0\n;,25;1\n", {"a": [1.5, None], "b": [-2, 0.25]}),
    "commas and points": ("a;b;y\n1,5;0.25;0\n2;1.5;1\n", {"a": [1.5, 2], "b": [0.25, 1.5]}),
    "points": ("big;b;y\n1,000;0.25;0\n900;1.5;1\n", {"big": ["1,000", "900"], "b": [0.25, 1.5]}),
    "zeros": ("a;b;y\n0,125;1,250;0\n0,5;2,500;1\n", {"a": [0.125, 0.5], "b": [1.25, 2.5]}),
    "doubtful points": ("a;b;y\n1,5;1.250;0\n2;2.500;1\n", {"a": [1.5, 2], "b": ["1.250", "2.500"]}),
    "thousands": ("big;y\n1,234;0\n12,345;1\n", {"big": ["1,234", "12,345"]}),
    "errors of spreadsheets": ("a,b,y\n1.5,#VALUE!,0\n#DIV/0!,2,1\n", {"a": [1.5, None], "b": [None, 2]}),
    "row labels": (",a,y\n0,1.5,0\n1,2.5,1\n", {"a": [1.5, 2.5]}),
    "large and missing": ("a,b,y\n1152921504606846979,1,0\n,2,1\n", {"a": [2**60 + 3, None], "b": [1, 2]}),
    "years as names": ("2019,2020,y\n1,2,3\n4,5,6\n", {"2019": [1, 4], "2020": [2, 5]}),
    "numbers as names": ("5.1,x,y\n1,2,3\n4,5,6\n", {"5.1": [1, 4], "x": [2, 5]}),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:.*row labels")
@pytest.mark.parametrize("name", OF_CSV)
def test_what_a_csv_file_holds_is_seen(tmp_path, name):
    content, wanted = OF_CSV[name]
    (tmp_path / "table.csv").write_text(content)
    X, y = read_table(tmp_path / "table.csv", "y")
    assert X.astype(object).where(X.notna(), None).to_dict("list") == wanted
    assert len(y) == 2


def test_files_in_another_encoding_are_read_if_it_is_named(tmp_path):
    path = tmp_path / "table.csv"
    path.write_bytes("café,y\n1,2\n3,4\n".encode("cp1252"))
    assert list(read_table(path, "y", encoding="cp1252")[0]) == ["café"]
    with pytest.raises(InputError, match=r"encoding='cp12': is unknown\. Try: cp1252"):
        read_table(path, "y", encoding="cp12")


MANY_TEXTS = {
    "id": [f"p{i}" for i in range(50)],
    "day": [f"d{i}" for i in range(50)],
    "kind": ["a", "b"] * 25,
}
NUMBERS_AS_TEXT = {
    "price": ["$1,000.50", " -$2 ", "3", None],
    "share": ["5%", "10 %", "#N/A", "0.5"],
    "zip": ["01234", "5000", "5000", "1234"],
    "dose": ["1", "2", "3", "low"],
    "code": ["E1", "E2", "1,0", "1,00"],
}
TOLD = [
    (
        NUMBERS_AS_TEXT,
        ["1,000", "2,000", "2,000", "1,000"],
        [
            "y: is text such as '1,000', '5%' or '$1.50', read as numbers",
            "X: column 'zip' is taken as categories, but all are numbers, as text",
            "X: column 'dose' is taken as categories, but all but 'low' are numbers",
            "X: columns 'price', 'share' are text such as '1,000', '5%' or '$1.50', read as numbers",
        ],
    ),
    (
        {"a": ["Yes", "yes", " yes", "no"], "b": pd.Categorical(["u", "v ", "v", "u"])},
        ["Ill", "ill", "well", "well"],
        [
            "y: has 'Ill', 'ill' as different classes",
            "X: column 'a' has ' yes', 'Yes', 'yes' as different categories",
            "X: column 'b' has 'v', 'v ' as different categories",
        ],
    ),
    (
        MANY_TEXTS,
        [0, 1] * 25,
        [
            "X: columns 'id', 'day' are text that differs in most rows, taken as categories; an identifier "
            "is better left out (--ignore on the command line)"
        ],
    ),
]


@pytest.mark.parametrize(("X", "y", "messages"), TOLD, ids=["numbers", "spellings", "identifiers"])
def test_text_that_may_mean_something_else_is_named_once(X, y, messages):
    with pytest.warns(UserWarning, match="as") as told:
        prepare(pd.DataFrame(X), y, missing="category")
    assert [str(each.message) for each in told] == messages


@pytest.mark.filterwarnings("ignore")
def test_text_that_is_numbers_is_read_as_such():
    table = prepare(pd.DataFrame(NUMBERS_AS_TEXT), TOLD[0][1], missing="category")
    np.testing.assert_array_equal(table.gaps[:, :2], [[0, 0], [0, 0], [0, 1], [1, 0]])
    np.testing.assert_array_equal(table.X[[0, 1, 2], 0], [1000.5, -2, 3])
    np.testing.assert_allclose(table.X[[0, 1, 3], 1], [0.05, 0.1, 0.5])
    assert table.classes == (1000.0, 2000.0)


BIG = [2**60 + j for j in (3, 1, 0, 1, 2)]
"""Not exact as floats, but the differences are."""


@pytest.mark.parametrize("with_gap", [False, True])
@pytest.mark.parametrize("dtype", ["int64", "uint64", "Int64", "UInt64", "int64[pyarrow]", "object"])
def test_whole_numbers_of_any_size_stay_different(dtype, with_gap):
    values = pd.Series(BIG * 8, dtype=dtype)
    if with_gap:
        values = values.astype({"int64": "Int64", "uint64": "UInt64"}.get(dtype, dtype))
        values.iloc[-1] = None
    y = np.arange(40) % 2
    found = prepare(pd.DataFrame({"big": values}), y, missing="impute").X[:, 0]
    assert found[:39].tolist() == ([3, 1, 0, 1, 2] * 8)[:39]
    if dtype.endswith("int64") and not with_gap:
        assert prepare(values.to_numpy()[:, None], y).X[:, 0].tolist() == found.tolist()
        assert prepare(y[:, None], values.to_numpy(), task="regression").y.tolist() == found.tolist()


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ([10**30, 0, 10**30 + 1, -(10**30)], [2, 1, 3, 0]),
        (pd.Series([10**400, 0, 5, 7], dtype=object), [3, 0, 1, 2]),
        ([2**60, 0, 2**59, 5], [2**60, 0, 2**59, 5]),
        ([2**53 + 1, 0, 2**53, 5], [3, 0, 2, 1]),
    ],
)
def test_whole_numbers_that_are_far_apart_are_rounded_or_numbered(values, found, recwarn):
    assert prepare(pd.DataFrame({"big": values}), [0, 1, 0, 1]).X[:, 0].tolist() == found
    is_numbered = any("too far apart" in str(warning.message) for warning in recwarn)
    assert is_numbered == (max(found) < 4)
