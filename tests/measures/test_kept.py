"""What was measured is kept: after Ctrl-C, after SIGKILL, where it took long; within bounds."""

import io
import signal
import subprocess
import sys
import types

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from pyfsel.measures import (
    cache_folder,
    clear_cache,
    kept,
    models,
    mutual_info,
    neighbours,
    quality,
    redundancy,
    relief,
)
from pyfsel.measures.tables.table import prepare
from pyfsel.results.counting import console_of_bars, counted, counting_bar, counts_are_told_to

N_FEATURES = 5
KILLED = """
import os, signal, sys
from pyfsel.measures import kept, neighbours, redundancy
sys.path.insert(0, sys.argv[2])
from test_kept import table

kept.SECONDS_BETWEEN = 0
calls, estimate = [], neighbours.between_numbers
def one_row_and_a_half(*arguments):
    calls.append(arguments)
    if len(calls) > 7:
        os.kill(os.getpid(), signal.SIGKILL)
    return estimate(*arguments)
neighbours.between_numbers = one_row_and_a_half
redundancy(table(), "mutual_info", random_state=0, cache_dir=sys.argv[1])
"""


def table(seed=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, N_FEATURES))
    return prepare(X, (X[:, 0] > 0).astype(int))


def qualities(**options):
    return quality(table(), measure="mutual_info", random_state=0, **options)


def pairs(**options):
    return redundancy(table(), "mutual_info", random_state=0, **options)


class Interrupted:
    """A function that the user interrupts at one of its calls."""

    def __init__(self, function, at=None):
        self.function = function
        self.at = at
        self.calls = 0

    def __call__(self, *arguments):
        self.calls += 1
        if self.calls == self.at:
            raise KeyboardInterrupt
        return self.function(*arguments)


@pytest.fixture
def here(tmp_path, monkeypatch):
    """The user's cache, in which everything counts as having taken long."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("PYFSEL_CACHE")
    monkeypatch.setattr(kept, "LONG_SECONDS", 0.0)
    return cache_folder()


def importances(**options):
    tree = DecisionTreeClassifier()
    return quality(table(), measure="permutation_importance", random_state=0, estimator=tree, **options)


@pytest.mark.parametrize(
    ("measure", "module", "part"),
    [
        (qualities, neighbours, "between"),
        (pairs, mutual_info, "_with_column"),
        (importances, models, "_shuffled_scores"),
    ],
)
def test_what_was_interrupted_goes_on_from_where_it_was(tmp_path, monkeypatch, measure, module, part):
    expected = measure(cache_dir=None)
    function = getattr(module, part)
    first, told = Interrupted(function, at=4), []
    monkeypatch.setattr(module, part, first)
    with pytest.raises(KeyboardInterrupt), pytest.warns(UserWarning, match="3 of 5 columns are measured"):
        measure(cache_dir=tmp_path)
    second = Interrupted(function)
    monkeypatch.setattr(module, part, second)
    with counts_are_told_to(lambda *step: told.append(step)):
        assert (measure(cache_dir=tmp_path) == expected).all()
    assert second.calls == 2
    assert told == [("columns", done, N_FEATURES) for done in (3, 4, 5)]
    assert (measure(cache_dir=tmp_path, n_jobs=2) == expected).all()
    assert second.calls == 2


@pytest.mark.parametrize("target", [0, 1])
@pytest.mark.parametrize("seed", [0, None, "generator"])
def test_interrupted_relief_goes_on_with_the_rows_that_were_drawn(tmp_path, monkeypatch, target, seed):
    columns = prepare(table().X, table().y if target else table().X[:, 0])

    def weights(folder):
        state = np.random.RandomState(1) if seed == "generator" else seed
        return quality(columns, measure="relief", random_state=state, n_samples=7, cache_dir=folder)

    sums = ("_value_sums", "_class_sums")[target]
    for calls in (Interrupted(getattr(relief, sums), at=5), Interrupted(getattr(relief, sums))):
        monkeypatch.setattr(relief, sums, calls)
        if calls.at:
            with pytest.raises(KeyboardInterrupt), pytest.warns(UserWarning, match="4 of 7 blocks of rows"):
                weights(tmp_path)
        else:
            found = weights(tmp_path)
    assert calls.calls == 3
    assert (weights(tmp_path) == found).all()
    if seed is not None:
        assert (weights(None) == found).all()


def test_a_process_that_is_killed_leaves_what_it_measured(tmp_path, monkeypatch):
    here = str(__file__).rpartition("/")[0]
    killed = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path), here], check=False)
    assert killed.returncode == -signal.SIGKILL
    rest = Interrupted(mutual_info._with_column)
    monkeypatch.setattr(mutual_info, "_with_column", rest)
    assert (pairs(cache_dir=tmp_path) == pairs(cache_dir=None)).all()
    assert rest.calls == N_FEATURES - 1 + N_FEATURES


def test_damaged_files_count_as_none(tmp_path):
    expected = pairs(cache_dir=tmp_path)
    (path,) = tmp_path.rglob("*.npz")
    for damaged in (b"", path.read_bytes()[:-9], b"PK\x03\x04 no archive"):
        path.write_bytes(damaged)
        assert (pairs(cache_dir=tmp_path) == expected).all()


def test_other_numbers_have_other_names(tmp_path):
    first = quality(table(), measure="relief", random_state=0, cache_dir=tmp_path)
    assert (quality(table(), measure="relief", random_state=0, cache_dir=tmp_path) == first).all()
    other = prepare(table().X + 1e-9, table().y)
    quality(other, measure="relief", random_state=0, cache_dir=tmp_path)
    for changed in ({"random_state": 1}, {"random_state": 0, "n_neighbors": 4}):
        quality(table(), measure="relief", cache_dir=tmp_path, **changed)
    assert len(list(tmp_path.iterdir())) == 4


def test_by_itself_only_what_takes_long_and_has_a_seed(here, monkeypatch):
    quality(table(), measure="mutual_info")
    qualities(cache_dir=None)
    assert not here.exists()
    first = qualities()
    monkeypatch.setattr(neighbours, "between", None)
    assert (qualities() == first).all()
    assert [entry.name.rpartition("-")[0] for entry in here.iterdir()] == ["mutual_info-60x5"]
    assert clear_cache() > 0
    assert list(here.iterdir()) == []
    monkeypatch.undo()
    monkeypatch.setenv("XDG_CACHE_HOME", str(here.parent.parent))
    qualities()
    monkeypatch.delenv("PYFSEL_CACHE")
    monkeypatch.setattr(kept, "LONG_SECONDS", 1000.0)
    qualities()
    assert list(here.iterdir()) == []


def test_only_what_was_kept_is_removed(tmp_path):
    other = tmp_path / "trial-60x5-first"
    other.mkdir()
    pairs(cache_dir=tmp_path)
    assert len(list(tmp_path.iterdir())) == 2
    assert clear_cache(tmp_path) > 0
    assert list(tmp_path.iterdir()) == [other]


def test_the_cache_is_bounded(here, monkeypatch):
    pairs()
    (first,) = kept.entries(here)
    qualities()
    monkeypatch.setattr(kept, "MOST_BYTES", sum(kept.entries(here).values()))
    pairs()  # used last
    redundancy(table(seed=4), "mutual_info", random_state=0)
    names = [entry.name.partition("-")[0] for entry in kept.entries(here)]
    assert names == ["mutual_info_pairs"] * 2
    assert first in kept.entries(here)
    monkeypatch.setattr(kept, "MOST_BYTES", 8 * N_FEATURES**2 - 1)
    redundancy(table(seed=5), "mutual_info", random_state=0)
    assert len(kept.entries(here)) == 2


def test_a_cache_that_cannot_be_written_keeps_nothing(here):
    here.parent.mkdir(parents=True)
    here.write_text("no folder")
    assert (qualities() == qualities(cache_dir=None)).all()


def test_the_bar_has_count_and_time(monkeypatch):
    terminal = io.StringIO()
    terminal.isatty = lambda: True
    monkeypatch.setattr(sys, "stderr", terminal)
    with counting_bar(True):
        assert list(counted("columns", "ab", 2)) == ["a", "b"]
    assert "columns" in terminal.getvalue()
    assert "/2" in terminal.getvalue()


@pytest.mark.parametrize("has_widgets", [True, False])
def test_a_notebook_shows_bars_if_it_has_widgets(monkeypatch, has_widgets):
    monkeypatch.setitem(sys.modules, "ipykernel", types.ModuleType("ipykernel"))
    monkeypatch.setattr("pyfsel.results.counting.find_spec", lambda name: object() if has_widgets else None)
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert (console_of_bars() is not None) == has_widgets
