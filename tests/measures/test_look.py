"""What is said before anything is proved: identifiers, the target by another name, rows that stand twice."""

import warnings

import numpy as np
import pandas as pd
import pytest
from small_problems import problem_from_table

from pyfsel import InputError
from pyfsel.measures import load_dataset, prepare
from pyfsel.measures.tables.bundled import DATASETS
from pyfsel.measures.tables.look import MISLEADING, identifiers, look, oddities
from pyfsel.problem.rules import Constraints


def table(n=40):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(n, 3)), columns=list("abc"))
    return frame, pd.Series(rng.permutation(np.arange(n) % 2))


def odd(X, y, **options):
    """The kind and the columns of what a search is told."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = oddities(prepare(X, y, **options))
    return [(one.kind, one.columns) for one in found if one.kind in MISLEADING]


@pytest.mark.filterwarnings("ignore:X. column")
def test_identifiers_are_left_out_unless_forced():
    X, y = table()
    order = np.random.default_rng(1).permutation(40)
    X = X.assign(number=order + 7, name=[f"patient {i}" for i in order], squares=order**2, few=order % 9)
    assert identifiers(prepare(X, y)).tolist() == [False, False, False, True, True, False, False]
    with pytest.warns(UserWarning, match="columns 'number', 'name' differ in every row; left out unless"):
        assert problem_from_table(X, y, k=2).forbidden == (3, 4)
    assert problem_from_table(X, y, k=2, constraints=Constraints(forced=["name"])).forbidden == (3,)
    with pytest.raises(
        InputError,
        match=r"k=6: the table has 7 features, 2 of them constant or identifiers. Sets can have at most 5",
    ):
        problem_from_table(X, y, k=6)
    assert not identifiers(prepare(X.iloc[:20], y.iloc[:20])).any()
    gaps = X.assign(a=X["a"].where(X.index % 9 > 0))
    assert identifiers(prepare(gaps, y, missing="drop"))[3:5].all()


def test_the_target_by_another_name_is_told():
    X, y = table()
    words, numbers = y.map({0: "no", 1: "yes"}), X["a"] * 2
    X = X.assign(inverse=5 - 2 * y, half=np.where(y, 1.0, np.arange(40) % 3))
    assert odd(X, words) == [("leak", ("inverse",))]
    assert odd(X.assign(again=numbers), numbers, task="regression") == [("leak", ("again",))]
    assert odd(X[["a", "half"]], words) == []
    with pytest.warns(UserWarning, match="leak: inverse alone predicts held-out rows perfectly. Is it known"):
        problem_from_table(X, words, k=2)


def test_a_target_of_mostly_its_largest_value_is_looked_at_quietly(monkeypatch):
    monkeypatch.setattr("pyfsel.measures.tables.look.MOST_SCORED", 2)
    X, _ = table()
    read = prepare(X, np.where(X.index < 10, X["a"], 7.5), task="regression")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert [one.kind for one in oddities(read)] == ["rows"]


def test_classes_of_one_row_are_told():
    X, y = table()
    y.iloc[3] = 2
    assert odd(X, y) == odd(X, np.arange(40).astype(str)) == [("target", ())]


OTHERS = {
    "nothing": lambda n: 0.0,
    "nanoseconds": lambda n: (1_704_067_200 + np.arange(n) % 200 % 30 * 86_400) * 10**9,
    "signs of 0": lambda n: np.where(np.arange(n) % 2, -0.0, 0.0),
}


@pytest.mark.filterwarnings("ignore:X. column")
@pytest.mark.parametrize("other", OTHERS)
def test_rows_count_as_copies_if_all_entries_are_equal(other):
    """Their targets, too; rows that differ by a gap are none, nor are those of few whole numbers."""
    rows = [*range(200), *range(3)]
    X, y = (whole.iloc[rows].reset_index(drop=True) for whole in table(200))
    X = X.assign(t=OTHERS[other](203))
    assert odd(X, y) == [("copies", ())]
    assert odd(X, np.append(y[:200], 1 - y[200:])) == odd(X[:200], y[:200]) == []
    assert ("copies", ()) not in odd(X.assign(last=np.arange(203) ** 2.0), y)
    X.iloc[:3, 0] = np.nan
    assert odd(X, y, missing="category") == []
    assert odd(X[["b"]].round().astype(int).assign(c=0), y) == []


def test_a_time_beside_an_event_is_told():
    X, y = table()
    X, rng = X.rename(columns={"a": "Survival_time", "b": "timer"}).abs(), np.random.default_rng(1)
    assert odd(X, y) == [("survival", ("Survival_time",))]
    X = X.drop(columns="Survival_time").assign(death_event=y, status=rng.integers(0, 3, 40), seen=y)
    assert odd(X, rng.exponential(size=40)) == [("survival", ("death_event",))]
    assert odd(X, rng.normal(size=40)) == []


def simulated(task, seed, n=300):
    """A table without anything odd: numbers of several scales, counts, categories, some of them relevant."""
    rng = np.random.default_rng(seed)
    signal = rng.normal(size=n)
    X = pd.DataFrame(rng.normal(size=(n, 6)) * 10.0 ** rng.integers(-3, 4, 6), columns=list("abcdef"))
    X["linear"] = signal + rng.normal(size=n)
    X["skewed"] = np.exp(0.5 * signal + rng.normal(size=n))
    X["count"] = rng.poisson(np.exp(0.3 * signal + 1))
    X["hours"] = np.where(rng.random(n) < 0.3, 0, rng.poisson(8, n))
    X["age"] = rng.integers(18, 91, n)
    X["answer"] = rng.integers(1, 6, n)
    X["centred"] = rng.integers(-2, 3, n)
    X["town"] = rng.choice(list("ABCDEFGHIJ"), n)
    X["tall"] = rng.random(n) < 0.5
    y = signal + 0.5 * rng.normal(size=n)
    return X, (y if task == "regression" else np.digitize(y, [-0.5, 0.7] if task == "three" else [0]))


@pytest.mark.filterwarnings("ignore")
def test_few_alarms_are_false():
    """Tables that no threshold was tuned on: those of scikit-learn, and simulated ones without oddities."""
    tables = [load_dataset(name) for name in DATASETS]
    tables += [simulated(task, seed) for task in ("two", "three", "regression") for seed in range(15)]
    alarms = [[one for one in look(*one_table).oddities if one.kind in MISLEADING] for one_table in tables]
    assert len(tables) == 50
    assert sum(map(bool, alarms)) <= 2


def with_code(code, answers):
    return "codes", lambda y, rng: np.where(rng.random(len(y)) < 0.05, code, answers(rng, len(y)))


PLANTED = {
    "threshold of tiny numbers": ("leak", lambda y, rng: 1e-310 * (10 * y + rng.random(len(y)))),
    "finer": ("leak", lambda y, rng: rng.integers(0, 4, len(y)) + 5 * y),
    "gaps": ("leak", lambda y, rng: np.where(y, rng.normal(size=len(y)), np.nan)),
    "one or gap": ("leak", lambda y, _: np.where(y, 1.0, np.nan)),
    "recall 97 %": ("near leak", lambda y, rng: np.where(y & (rng.random(len(y)) < 0.97), 1, 0)),
    "5 % wrong": (
        "near leak",
        lambda y, rng: np.where(rng.random(len(y)) < 0.05, 1 - y, y) + rng.random(len(y)) / 2,
    ),
    "-999": with_code(-999, lambda rng, n: rng.integers(18, 91, n)),
    "likert 99": with_code(99, lambda rng, n: rng.integers(1, 6, n)),
    "income -9": with_code(-9, lambda rng, n: rng.lognormal(9, 1, n)),
    "patient": ("groups", lambda y, _: np.array([f"p{i}" for i in np.argsort(np.argsort(y)) // 4])),
    "patient_id": ("groups", lambda y, rng: rng.integers(0, 80, len(y))),
    "number": ("identifier", lambda y, rng: rng.permutation(len(y)) + 1000),
    "exp of a numeric target": ("leak", lambda y, _: np.exp(y)),
    "negative of a numeric target": ("leak", lambda y, _: -y),
    "opinion": ("order", lambda y, rng: rng.choice(["Agree", "Neutral", "Disagree"], len(y))),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", PLANTED)
def test_what_is_planted_is_found(name):
    kind, plant = PLANTED[name]
    found = 0
    for seed in range(5):
        X, y = simulated("regression" if "numeric" in name else "two", seed)
        X = X.assign(**{name: plant(y, np.random.default_rng(seed + 100))})
        found += any(one.kind == kind and name in one.columns for one in look(X, y).oddities)
    assert found >= 4


@pytest.mark.parametrize(
    ("options", "told"), [("--format json", '"columns": ["the code"]'), ("", "--ignore 'the code'")]
)
def test_look_on_the_command_line(options, told, tmp_path, run):
    X, y = simulated("two", 1)
    code, path = {"the code": 10 * y + np.random.default_rng(0).random(300)}, str(tmp_path / "table.csv")
    X.assign(**code, y=y).to_csv(path, index=False)
    assert told in run(f"look {path} -t y {options}", 0).words.replace("[ ", "[").replace(" ]", "]")


MODEL = "select --objective model:max_fits=10"


@pytest.mark.parametrize(
    "command", ["select", MODEL, "explore atlas", "explore most_sets", "stability --pairs 2"]
)
def test_what_misleads_is_said_before_all_other_cautions(command, tmp_path, run):
    X, y = simulated("two", 1)
    path = str(tmp_path / "table.csv")
    noted = {"one": 1, "text": [f"row {j % 290}" for j in range(300)], "like": X.iloc[:, 0] * 2}
    X.assign(**noted, **{"the code": 10 * y + np.random.default_rng(0).random(300)}, y=y).to_csv(path)
    told = run(f"{command} {path} -t y -k 2 --details", 0)
    cautions = [line for line in told.out.splitlines() if line.startswith("CHECK")]
    assert cautions[0].startswith("CHECK    leak: the code alone predicts")
    assert command != "select" or "(in set 0" in told.words
    assert len(cautions) > 2


def test_weights_and_groups_are_columns_on_the_command_line(tmp_path, run):
    X, y = table(80)
    X, path = X.assign(a=X["a"] + y), tmp_path / "table.csv"
    rest = {"weight": np.arange(80) % 3, "patient": np.repeat(np.arange(20), 4)}
    X.assign(**rest, y=y).to_csv(path, index=False)
    asked = f"measure {path} -t y -k 1 -n 1 --sample-weight weight --row-groups patient --chance mark"
    problem = run(asked, 0).data
    expected = problem_from_table(X, y, k=1, sample_weight=rest["weight"], row_groups=rest["patient"])
    assert problem["feature_names"] == ["a", "b", "c"]
    assert problem["quality"] == expected.quality.tolist()
    np.testing.assert_allclose(problem["measured_errors"], expected.evidence.standard_errors)
    assert problem["measured_p_values"] == expected.evidence.p_values.tolist()
