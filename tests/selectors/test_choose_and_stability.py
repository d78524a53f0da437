"""How many features, at which price, and whether the sets come out again."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris, load_wine

from pyfsel import AlternativeFeatureSelector, InputError, stability
from pyfsel.cli.app import main
from pyfsel.results.answer import StopReason
from pyfsel.selectors.choose import Choice, choose
from pyfsel.selectors.evaluation.finished_folds import FinishedFolds
from pyfsel.selectors.evaluation.folds import Fold
from pyfsel.selectors.evaluation.intervals import HeldOutRows
from pyfsel.selectors.evaluation.result import Evaluation
from pyfsel.selectors.stability import Stability, stability_interval, unimodal_constant

SELECTOR = AlternativeFeatureSelector(3, n_alternatives=1, measure="f_statistic")


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True, as_frame=True)


def told(scores):
    """A choice among sizes with these scores, one per fold."""
    rows = [
        {"repeat": 0, "fold": fold, "set": f"k={k} 0", "estimator": "linear", "score": score, "quality": 1.0}
        | {"features": tuple(range(k)), "n_train": 80, "n_test": 20}
        for k, by_fold in scores.items()
        for fold, score in enumerate(by_fold)
    ]
    names = tuple(f"x{j}" for j in range(12))
    n_folds = len(next(iter(scores.values())))
    held_out = HeldOutRows(100, (50, 50))
    return Choice(Evaluation(pd.DataFrame(rows), names, "accuracy", n_folds, "classification", held_out))


def test_the_smallest_size_within_one_standard_error_is_chosen():
    """s of the best is 0.02 and there are 4 folds: one standard error is 0.01."""
    best = [0.88, 0.92, 0.92, 0.88]
    found = told({1: [0.85] * 4, 3: [0.888] * 4, 4: [0.892] * 4, 10: best})
    assert found.standard_error == pytest.approx(np.std(best, ddof=1) / 2)
    assert (found.best_size, found.set_size) == (10, 4 if 0.9 - found.standard_error > 0.888 else 3)
    assert found.recommendation.startswith(f"{found.set_size} features: the smallest size within one")
    assert told({2: best, 5: [0.7] * 4}).recommendation.startswith("2 features: no other size scored better")


def test_choice_with_prices_goes_on_and_is_nested(wine, tmp_path):
    state = tmp_path / "choice.jsonl"
    arguments = {"set_sizes": [1, 4], "taus": [1.0], "n_splits": 2, "n_repeats": 1, "state_file": state}
    found = choose(*wine, SELECTOR, **arguments, nested=True)
    assert found.set_size == 4
    assert found.sizes.loc[4, "score"] > found.sizes.loc[1, "score"]
    (price,) = found.to_dict()["prices"]
    assert price["n_sets"] == 2
    assert price["worst_score"] <= price["mean_score"]
    assert price["relative_quality"] < 1
    assert found.nested.to_frame().loc[0, "n_features"] == 4
    assert "outer folds" in found.nested_text
    assert len(state.read_text().splitlines()) == 6
    lines = [json.loads(line) for line in state.read_text().splitlines()]
    for line in lines:
        for row in line["rows"]:
            row["score"] = 0.5
    state.write_text("".join(f"{json.dumps(line)}\n" for line in lines[:2]))
    again = choose(*wine, SELECTOR, **arguments)
    assert (again.sizes["score"] == 0.5).all(), "folds that are finished are not scored again"
    state.write_text("no folds\n")
    with pytest.raises(InputError, match="holds no finished folds"):
        choose(*wine, SELECTOR, **arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"set_sizes": [3]}, "at least two different"),
        ({"set_sizes": [14, 20]}, r"set_sizes=\[14, 20\]: must hold two of at most 13"),
        ({"taus": [2]}, "taus=2"),
        ({"estimator": ["linear", "tree"]}, "estimator: must be one only"),
        ({"selector": "kbest"}, "selector='kbest'"),
    ],
)
def test_bad_choices(wine, arguments, message):
    with pytest.raises(InputError, match=message):
        choose(*wine, **arguments)


def test_sets_are_matched_whatever_their_order():
    """Set 0 of the halves is called 1 there; chance shares 2 · 2/6 features."""
    found = Stability([(0, 1), (2, 3)], [[(2, 3), (0, 1)], [(2, 3), (0, 4)]], tuple("abcdef"), 40)
    assert found.matched == [[(0, 1), (2, 3)], [(0, 4), (2, 3)]]
    assert found.frequencies[:, 0].tolist() == [1, 0.5, 0, 0, 0.5, 0]
    frame = found.to_frame()
    assert frame["again"].tolist() == [0.5, 1]
    assert frame["overlap"].tolist() == pytest.approx([(1.5 - 4 / 6) / (2 - 4 / 6), 1])
    expected = {"feature": "b", "replaced_by": "e", "n_halves": 1, "share": 1.0}
    assert found.replacements() == [expected]


def test_stability_interval_covers_what_many_selections_have():
    """Features 0 and 1 are selected with probability 0.9 and 0.6, others share the rest of three places."""
    rng = np.random.default_rng(0)

    def drawn(n):
        noisy = np.log([9, 4, 1, 1, 1, 1, 1, 1]) + rng.gumbel(size=(n, 8))  # the largest: drawn in turn
        return list(map(tuple, np.argsort(-noisy)[:, :3]))

    truth = stability_interval(drawn(20_000), 8)[0]
    inside = [low <= truth <= high for _, low, high in (stability_interval(drawn(60), 8) for _ in range(200))]
    assert 0.88 <= np.mean(inside) <= 1


def test_bound_of_shah_and_samworth_is_told_only_where_it_says_something():
    """At the threshold 0.75 both branches of the constant nearly meet; by hand for B = 50."""
    assert unimodal_constant(0.9, 50) == pytest.approx(4 * 0.11 / 1.02)
    assert unimodal_constant(0.6, 50) == pytest.approx(1 / (2 * 0.19))
    found = Stability([(0, 1)], [[(0, 1)]] * 100, tuple(f"x{j}" for j in range(30)), 100)
    assert found.bound(0.9) == pytest.approx(4 * 0.11 / 1.02 * 4 / 30)
    assert found.bound(0.5) is None
    assert "2 features in set 0 of at least 90 %" in found.bound_text()
    moving = Stability([(0, 1), (2, 3)], [[(0, 1), (2, 3)], [(2, 3), (0, 1)]] * 50, found.feature_names, 100)
    assert moving.frequencies[:4, 0].tolist() == [1, 1, 0, 0]
    assert moving.bound_text() == "", "each set 0 of a half comes in half of them"
    two = Stability([(0,)], [[(0,)]] * 100, ("a", "b"), 100)
    assert two.bound(0.69) is None, "the theorem holds above 1/2 + 1/(2B) + 3/4 · (k/p)²"
    assert two.bound(0.7) == pytest.approx(1 / (2 * 0.39) / 2)
    few = Stability([(0, 1)], [[(0, 1)]] * 100, ("a", "b", "c"), 100)
    assert (few.bound(0.9), few.bound_text()) == (None, "")


def test_halves_are_complementary_by_class_and_keep_groups(wine, monkeypatch):
    from pyfsel.selectors import stability as module

    X, y = wine
    groups = np.arange(178) // 2
    seen = []
    select = module._sets_of
    monkeypatch.setattr(module, "_sets_of", lambda *given: (seen.append(given[2]), select(*given))[1])
    found = stability(X, y, SELECTOR, n_pairs=3, groups=groups)
    assert len(found.halves) == 6
    for first, second in zip(seen[1::2], seen[2::2], strict=True):
        assert sorted([*first, *second]) == list(range(178))
        assert not set(groups[first]) & set(groups[second])
        assert np.abs(np.bincount(y[first]) - np.bincount(y[second])).max() <= 4
    assert found.plot().axes[0].get_yticklabels()[0].get_text() in X.columns


def test_sizes_end_with_the_table_and_one_set_has_no_vote(tmp_path, capsys):
    table = tmp_path / "t.csv"
    load_iris(as_frame=True).frame.to_csv(table, index=False)
    asked = ["-t", "target", "-k", "3,4,9", "-a", "1", "--measure", "pearson", "--tau", "1", "--folds", "2"]
    assert main(["choose", str(table), *asked, "--repeats", "1"]) == 0
    printed = capsys.readouterr()
    assert "-k: the table has 4 features; 9 left out" in printed.err
    lines = [line.split() for line in printed.out.splitlines()]
    assert [line[0] for line in lines[1:] if line[:1] in (["3"], ["4"], ["9"])] == ["3", "4", "3", "4"]
    assert [line[-1] for line in lines if line[:2] == ["1", "1"]] == ["–"]


@pytest.mark.parametrize(("groups", "said"), [(None, "4 rows, not 3"), ([0] * 3, "4 groups of rows, not 1")])
def test_too_few_rows_to_halve(groups, said):
    X = pd.DataFrame({"a": [1.0, 2.5, 3.0], "b": [2.0, 1.5, 7.0]})
    with pytest.raises(InputError, match=f"X: must hold at least {said}"):
        stability(X, [0, 1, 1], AlternativeFeatureSelector(1, n_alternatives=0), groups=groups)


def test_rare_classes_and_large_sets_are_not_passed_over_in_silence():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(40, 3)), columns=list("abc"))
    selector = AlternativeFeatureSelector(1, n_alternatives=0, measure="f_statistic")
    y = np.where(X["a"] > 0, "u", "v").astype(object)
    y[:2] = "rare"
    stability(X, y, selector, n_pairs=1)  # a row in each half, nothing to be said
    y[:2] = "u"
    y[0] = "rare"
    with pytest.warns(UserWarning, match="1 class of one row cannot be halved"):
        assert stability(X, y, selector, n_pairs=2).n_empty == 0
    with pytest.warns(UserWarning, match="cannot be halved"):
        found = stability(X, np.arange(40) == 7, selector, n_pairs=2)
    assert (found.n_empty, found.to_dict()["n_empty"]) == (2, 2)
    with pytest.warns(UserWarning, match="n_features_to_select=9: the table has 3 features"):
        stability(X, y == "u", selector.set_params(n_features_to_select=9), n_pairs=1)
    with pytest.raises(InputError, match="measure='unknown'"):
        stability(X, y == "u", selector.set_params(measure="unknown"), n_pairs=1)


def test_command_lines(tmp_path, capsys):
    asked = ["--dataset", "wine", "-a", "1", "--measure", "pearson", "--format", "json", "-q"]
    plotted = ["--plot", str(tmp_path / "figure.svg")]
    assert (
        main(["choose", *asked, "-k", "1,3", "--tau", "none", "--folds", "2", "--repeats", "1", *plotted])
        == 0
    )
    data = json.loads(capsys.readouterr().out)
    assert [row["set_size"] for row in data["sizes"]] == [1, 3]
    assert (tmp_path / "figure.svg").exists()
    assert main(["stability", *asked, "-k", "3", "--pairs", "2", *plotted]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["n_halves"] == 4
    assert len(data["sets"]) == 2


def test_a_fold_that_a_kill_left_unfinished_is_cut_off(tmp_path):
    path, rows = tmp_path / "state.jsonl", [{"score": 0.5, "features": (1, 2)}]
    first, second = (Fold(np.arange(3), np.arange(3, 5), 0, number, 0) for number in range(2))
    FinishedFolds(path, "data").add(first, rows)
    whole = path.read_bytes()
    path.write_bytes(whole + whole[:20])
    again = FinishedFolds(path, "data")
    assert path.read_bytes() == whole
    again.add(second, rows)
    known = FinishedFolds(path, "data")
    assert known.of(first) == known.of(second) == rows
    path.write_bytes(whole + b"other text")
    with pytest.raises(InputError, match="holds no finished folds"):
        FinishedFolds(path, "data")
    assert path.read_bytes() == whole + b"other text"


def test_halves_without_the_other_one_are_left_out_after_an_interrupt(wine, monkeypatch):
    def interrupted(function, tasks, n_jobs):
        for number, task in list(tasks)[:5]:
            if number != 2:
                yield number, function(*task)
        raise KeyboardInterrupt

    whole = stability(*wine, SELECTOR, n_pairs=3)
    monkeypatch.setattr("pyfsel.selectors.stability.finished", interrupted)
    found = stability(*wine, SELECTOR, n_pairs=3)
    assert found.stop_reason is StopReason.INTERRUPTED
    assert found.halves == whole.halves[:2]
