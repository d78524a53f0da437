"""What is said before anything is proved: identifiers, the target by another name, rows that stand twice."""

import json
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pytest

from pyfsel import InputError
from pyfsel.measures.from_table import problem_from_table
from pyfsel.measures.tables.oddities import identifiers, say_what_is_odd
from pyfsel.measures.tables.table import prepare


def table(n=40, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(n, 3)), columns=list("abc"))
    return frame, pd.Series(rng.permutation(np.arange(n) % 2))


def said(X, y, **options):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        prepared = prepare(X, y, **options)
        caught.clear()
        say_what_is_odd(prepared)
    return [str(warning.message) for warning in caught]


@pytest.mark.filterwarnings("ignore:X. column")
def test_identifiers_are_left_out_unless_forced():
    X, y = table()
    order = np.random.default_rng(1).permutation(40)
    X = X.assign(number=order + 7, name=[f"patient {i}" for i in order], squares=order**2, few=order % 9)
    assert identifiers(prepare(X, y)).tolist() == [False, False, False, True, True, False, False]
    with pytest.warns(UserWarning, match="columns 'number', 'name' differ in every row; left out unless"):
        assert problem_from_table(X, y, k=2).forbidden == (3, 4)
    assert problem_from_table(X, y, k=2, forced=["name"]).forbidden == (3,)
    with pytest.raises(
        InputError, match="k=6: must be at most 5; 2 of the 7 columns are constant or identif"
    ):
        problem_from_table(X, y, k=6)
    assert not identifiers(prepare(X.iloc[:20], y.iloc[:20])).any()
    assert identifiers(prepare(X.iloc[5:], y.iloc[5:]))[4]


def test_the_target_by_another_name_is_told():
    X, y = table()
    words = y.map({0: "no", 1: "yes"})
    X = X.assign(inverse=5 - 2 * y, half=np.where(y == 1, 1.0, np.arange(40) % 3))
    assert said(X, words) == ["X: column 'inverse' tells the target exactly; is it known beforehand?"]
    numbers = X["a"] * 2
    assert said(X.assign(again=numbers), numbers, task="regression") == [
        "X: column 'again' tells the target exactly; is it known beforehand?"
    ]
    assert said(X[["a", "half"]], words) == []


def test_classes_of_one_row_and_rows_that_stand_twice_are_told():
    X, y = table()
    y.iloc[3] = 2
    assert said(X, y) == ["y: 1 of 3 classes has one row only"]
    assert said(X, np.arange(40).astype(str)) == [
        "y: differs in every row; an identifier cannot be predicted"
    ]
    twice = pd.concat([X, X.iloc[10:13]])
    labels = pd.concat([table()[1], table()[1].iloc[10:13]])
    assert said(twice, labels)[-1].startswith("X: 3 rows are copies of others, target included;")
    labels.iloc[-1] = 1 - labels.iloc[-1]
    assert said(twice, labels)[-1].startswith("X: 2 rows are copies")
    assert said(X.round().astype(int).assign(b=1, c=0), labels.iloc[:40]) == []


def scattered(kind, rng, X):
    """Columns in which sums of floats make different rows equal."""
    n = len(X)
    return {
        "nanoseconds": lambda: X.assign(t=1_704_067_200 * 10**9 + rng.integers(0, 30, n) * 86_400 * 10**9),
        "16 digits": lambda: X.assign(t=rng.choice([4 * 10**15, 51 * 10**14, 6011 * 10**12], n)),
        "units": lambda: (X * 1e-12).assign(t=rng.choice([1e5, 2e5], n)),
        "sentinel": lambda: X.assign(t=np.where(rng.random(n) < 0.5, 1e300, 0.0)),
        "signs of 0": lambda: X.assign(t=np.where(rng.random(n) < 0.5, -0.0, 0.0)),
    }[kind]()


@pytest.mark.parametrize("n_copies", [0, 3])
@pytest.mark.parametrize("kind", ["nanoseconds", "16 digits", "units", "sentinel", "signs of 0"])
def test_rows_count_as_copies_if_all_entries_are_equal(kind, n_copies):
    X, y = table(200)
    X = scattered(kind, np.random.default_rng(0), X)
    rows = [*range(200), *range(n_copies)]
    wanted = [] if n_copies == 0 else [f"X: {n_copies} rows are copies of others, target included;"]
    assert [line[: len(wanted[0])] for line in said(X.iloc[rows], y.iloc[rows])] == wanted
    if n_copies:
        assert len(said(X.iloc[rows].assign(last=range(200 + n_copies)), y.iloc[rows])) == 0


def test_rows_that_differ_by_a_gap_are_no_copies():
    X, y = table()
    X, y = pd.concat([X, X.iloc[[0]]]), pd.concat([y, y.iloc[[0]]])
    X.iloc[1:6, 0] = X.iloc[0, 0]
    X.iloc[0, 0] = np.nan
    assert said(X, y, missing="level") == []


def test_a_time_beside_an_event_is_told():
    X, y = table()
    X, rng = X.rename(columns={"a": "Survival_time", "b": "timer"}).abs(), np.random.default_rng(1)
    assert said(X, y)[-1].startswith("X: column 'Survival_time' may be the time until the event that is the")
    X = X.drop(columns="Survival_time").assign(death_event=y, status=rng.integers(0, 3, 40), seen=y)
    assert said(X, rng.exponential(size=40))[-1].startswith("X: column 'death_event' may tell whether")
    assert said(X, rng.normal(size=40)) == []


def test_weights_and_groups_are_columns_on_the_command_line(tmp_path):
    X, y = table(80)
    X = X.assign(a=X["a"] + y, weight=np.arange(80) % 3, patient=np.repeat(np.arange(20), 4), y=y)
    X.to_csv(tmp_path / "table.csv", index=False)

    def run(*arguments):
        command = [sys.executable, "-m", "pyfsel", "problem", "table.csv", "-t", "y", "-k", "1", "-a", "0"]
        done = subprocess.run([*command, *arguments], cwd=tmp_path, capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr

    code, out, _ = run(
        "--weights-of", "weight", "--groups-of", "patient", "--no-normalise", "--chance", "mark"
    )
    problem = json.loads(out)
    rest = {"sample_weight": X["weight"], "row_groups": X["patient"]}
    expected = problem_from_table(X[list("abc")], X["y"], k=1, normalise=False, random_state=0, **rest)
    assert (code, problem["feature_names"]) == (0, ["a", "b", "c"])
    assert problem["quality"] == expected.quality.tolist()
    np.testing.assert_allclose(problem["standard_errors"], expected.evidence.standard_errors)
    assert problem["chance_p_values"] == expected.evidence.p_values.tolist()
    assert expected != problem_from_table(X[list("abc")], X["y"], k=1, normalise=False, random_state=0)
    code, _, err = run("--groups-of", "nobody")
    assert (code, err) == (
        2,
        "pyfsel: error: --groups-of='nobody': must be a column besides the target and at least one feature\n",
    )
    code, _, err = run("--weights-of", "weight", "--measure", "mutual_info")
    assert code == 2
    assert "mutual_info takes no weights" in err
