"""Bad input of every kind: one line that names the argument, its value and what is allowed; no solver starts.

To add a case, add a line to a table: what is called, and how its error begins or what it says.
"""

import json
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB
from small_problems import asked, problem_from_table, with_rules

import pyfsel
from pyfsel import AlternativeFeatureSelector, Answer, Constraints, Group, InputError, choose_k, explore
from pyfsel.algorithms.heuristics.asdp import asdp
from pyfsel.bench.instances import Request, generated
from pyfsel.cli.exit_codes import ExitCode
from pyfsel.interface.solving import solve as ask_solve
from pyfsel.measures import prepare, quality, read_table
from pyfsel.objectives import Model
from pyfsel.papers import consistent_sets
from pyfsel.papers.consistency.smallest import SmallestSet
from pyfsel.papers.counting import how_many
from pyfsel.papers.graph import ASDPSelector
from pyfsel.papers.graph_fs import graph_fs
from pyfsel.papers.graph_score import graph_score_problem
from pyfsel.papers.subset.best_subset import select_subset
from pyfsel.problem.instance import Instance
from pyfsel.problem.make import make_instance
from pyfsel.selectors.evaluation.evaluate import evaluate

NAN = float("nan")
Q = [5, 4, 3, 2, 1]
P = make_instance(Q, k=2, n_sets=2, dissimilarity=0.5)
GOOD = P.replace(min_quality=3)
RNG = np.random.default_rng(0)
Y = np.arange(40) % 2
X = RNG.normal(size=(40, 4)) + Y[:, None]
ROWS = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]


def made(**changes):
    return lambda: make_instance(**with_rules(**{"quality": Q, "k": 2, **changes}))


def field(**changes):
    return lambda: Instance(**{"quality": [2, 1], "n_sets": 1, "k": 1, "max_shared": 1, **changes})


def graph(**options):
    return lambda: graph_score_problem([1, 2], np.eye(2), **options)


def fitted(*data, **changes):
    asked = {"k": 2, "n_sets": 2, "dissimilarity": 0.5, **changes}
    selector = AlternativeFeatureSelector(**asked)
    return lambda: selector.fit(*(data or (X, Y)))


def subset(**options):
    return lambda: select_subset(X, Y, **options)


def consistent(**options):
    return lambda: consistent_sets(*ROWS, **options)


def unsupervised(**options):
    return lambda: problem_from_table(X, **{"y": None, "k": 2, "task": "unsupervised", **options})


def counted(n_features, k, shared=1, **more):
    return lambda: how_many(n_features, k, dissimilarity=f"shared:{shared}", **more)


WORDS = ("measure", "search", "solver", "near_duplicates", "missing", "chance", "task")
PYTHON = {
    # problems
    made(quality=[]): "quality",
    made(quality=[[1, 2]]): "quality",
    made(k=6): "k=6: must be an integer from 1 to 5",
    made(k=2.0): "k=2.0",
    made(n_sets=0): "n_sets=0",
    made(n_sets=2, dissimilarity=NAN): "dissimilarity=nan",
    made(n_sets=2, dissimilarity=None): "dissimilarity: is missing",
    made(n_sets=2, dissimilarity="shared:3"): "dissimilarity: shared=3",
    made(n_sets=2, dissimilarity="price=-1"): "price=-1.0: must be at least 0",
    made(n_sets=2, dissimilarity="price=1", aggregate="min"): "shared_price: is taken from a sum",
    made(n_sets=2, dissimilarity="price=1e-9", scale=10): "price=1e-09 is too small",
    made(objective="mrmr"): "pairs: is missing",
    made(feature_names=list("abacd")): "'a' is listed more than once",
    made(previous=[[0]], dissimilarity=0.5): "previous",
    made(previous=[[0, 9]], dissimilarity=0.5): "previous=9",
    made(scale=0): "scale=0",
    made(copies=[[0, 3]], forced=[0, 3]): "forced: 'x0' and 'x3' are copies",
    made(
        copies=[[0, 3]], groups=[Group((0, 3), at_least=2)]
    ): "groups[0].at_least=2: must be an integer from 0 to 1",
    made(copies=[range(4)], k=3): "k=3: must be at most 2",
    made(copies=[[0, 3]], previous=[[0, 3]], dissimilarity=0.5): "previous: ['x0', 'x3'] holds two copies",
    made(quality=None): "quality=None: must be a list of numbers",
    made(quality=[1, None]): "quality: must be numbers, not None",
    made(quality=[1, "2"]): "quality: must be numbers, not ",
    made(quality=[1, NAN]): "quality: is nan at 1. Expected finite",
    made(quality=[1e-320, 0], k=1): "quality: its largest absolute value 1e-320 is too small",
    made(quality=np.ma.array(Q, mask=[0, 1, 0, 0, 0])): "quality: holds masked values",
    made(scale=1e300): "scale=1e+300: makes numbers beyond 2**53",
    made(scale=1e-300): "scale=1e-300: rounds every quality to 0",
    made(previous=[3]): "previous=3: must be a list",
    made(feature_names="abcde"): "feature_names='abcde': must be a list",
    made(feature_names=["\ud800", *"abcd"]): "feature_names: holds '\\ud800', must hold texts",
    made(costs=[1, 1, -2, 1, 1]): "costs['x2']=-2: must be a number of at least 0",
    made(costs=[1] * 5, budget=-1): "budget=-1: must be a number of at least 0",
    field(
        quality=np.array([2**63, 1], dtype=np.uint64)
    ): "quality: has 9223372036854775808. Expected numbers within",
    field(quality=[-(2**63), 1]): "quality: has -9223372036854775808. Expected",
    (
        lambda: P.save("/nonexistent/p.json")
    ): "/nonexistent/p.json: cannot be written (No such file or directory)",
    (lambda: Answer.load("/nonexistent")): "/nonexistent: cannot be read (No such file or directory)",
    (lambda: graph_score_problem("a", "b")): "delta='a': must be a list of numbers",
    graph(shift_p="a"): "shift_p='a': must be a finite number",
    graph(shift_p=NAN): "shift_p=nan",
    graph(weight=1.5): "weight=1.5",
    graph(weight=True): "weight=True",
    (lambda: graph_score_problem([1, 2], np.eye(3))): "similarity: has shape (3, 3)",
    (lambda: graph_fs([1, 2], np.eye(3), t_delta=1, t_p=1)): "similarity: has shape",
    (lambda: graph_fs([1, NAN], np.eye(2), t_delta=1, t_p=1)): "delta: is nan at",
    (lambda: graph_fs([1, 2], [[0, 0.1], [0.2, 0]], t_delta=1, t_p=1)): "must be symmetric",
    (lambda: asdp([1], [[1]], initialisation="none")): "initialisation='none'",
    (lambda: asdp([1], [[1]], max_iterations=0)): "max_iterations=0",
    (lambda: asdp([2**54], [[1]])): "2**53",
    (lambda: ASDPSelector(method="dp").fit(X, Y)): "method='dp'",
    (lambda: ASDPSelector(t_delta=0.5).fit(X, Y)): "t_delta=0.5: needs t_p",
    (lambda: ASDPSelector(t_delta=-1, t_p=0.5).fit(X, Y)): "no feature has so small",
    # solving and the other questions
    **{
        (lambda ask=ask, word=search, wrong=wrong: ask(asked(GOOD, word), **wrong)): said
        for ask, search in (
            (ask_solve, "min_then_sum"),
            (ask_solve, "sum"),
            *((getattr(explore, name), "sum") for name in explore.__all__),
        )
        for wrong, said in (
            ({"time_limit": -1}, "time_limit=-1: must be a positive number of seconds"),
            ({"time_limit": "a"}, "time_limit='a': must be a positive number of seconds"),
            ({"random_state": "a"}, "random_state='a': must be an integer from 0 to 2**31 - 1"),
            ({"n_threads": 10**9}, "n_threads=1000000000: must be an integer from 1 to 1024"),
            ({"memory_limit": 10**30}, "memory_limit=1000"),
        )
    },
    (lambda: pyfsel.solve(asked(P), on_progress=3)): "on_progress=3: must be a function or None",
    (lambda: pyfsel.solvers("p.json")): "problem='p.json': must be a Problem or None",
    (lambda: pyfsel.solve(asked(P), confirm=pd.NA)): "confirm=<NA>: must be a name or None",
    (lambda: explore.atlas(asked(P), confirm=pd.NA)): "confirm=<NA>: must be a name or None",
    (lambda: explore.sweep(asked(P), k=np.array(2))): "k=array(2): must be a list",
    (lambda: asked(P).value_of(2)): "features=2: must be a list",
    (
        lambda: pyfsel.Problem([3, 2], objective=pd.Series([1, 2]))
    ): "objective=0 1 1 2 dtype: int64: is not an",
    (lambda: pyfsel.Dissimilarity(price=pd.NA)): "Dissimilarity: price=<NA>: must be at least 0",
    (lambda: pyfsel.Dissimilarity(1e300)): "dissimilarity=1e+300: out of range",
    (lambda: explore.atlas(asked(P), loss=5)): "loss=5: must be a number from 0 to 1; give 0.05 for 5%",
    (lambda: generated("uniform", Request(n_rows=5))): "n_rows=5: the family uniform does not use it",
    (lambda: Request(n_features=10**11)): "n_features=100000000000: must be an integer from 1 to 10000000",
    # tables, selectors and measures
    fitted(X, "target"): "y='target': must be a list, one value for each row of X",
    fitted(random_state="a"): "random_state='a': must be an integer from 0 to 2**31 - 1 or None",
    fitted(n_jobs="all"): "n_jobs='all': must be a positive integer, or -1 for all cores",
    fitted(verbose="a"): "verbose='a': must be an integer of at least 0",
    **{fitted(**{name: "magic"}): f"^{name}='magic'" for name in WORDS},
    fitted(k=0): "k=0",
    fitted(k=[1, 2]): "a list is a grid",
    fitted(k=(3, 2)): "k=(3, 2): is not a range. Expected (minimum, maximum)",
    fitted(n_sets=0): "n_sets=0",
    fitted(time_limit=0): "time_limit=0",
    fitted(use_set=2): "use_set=2: must be an integer from 0 to 1",
    fitted(dissimilarity="shared:5"): "dissimilarity: shared=5: must be an integer from 0 to 2",
    fitted(dissimilarity="0.5,price=0.1", search="min"): "^dissimilarity: price: ",
    fitted(objective="mrmr:pairs=magic"): "^objective: pairs='magic'",
    fitted(objective="mrmr", k=(1, 2)): "^k: minimum=1: objective='mrmr' has one",
    fitted(constraints=Constraints(previous=[["x1"]])): "^previous: ",
    fitted(constraints=Constraints(min_quality="90 nats")): "min_quality='",
    fitted(objective=Model("bush")): "estimator='bush'",
    fitted(objective=Model(scoring="acuracy")): "Did you mean 'accuracy'",
    fitted(objective=Model(cv=1000)): "n_splits",
    fitted(objective=Model(scoring=lambda *_: NAN)): "must be finite",
    fitted(objective=Model(max_fits=0)): "max_fits=0",
    fitted(
        objective=Model(), constraints=Constraints(min_quality="90%")
    ): "^min_quality='90%': is for solvers and scores",
    fitted(objective=Model(), dissimilarity="shared:1,price=0.1"): "^price=0.1: is for solvers and scores",
    **{
        fitted(
            objective="model", **{name: word}
        ): f"^{name}='{word}': is for solvers and scores. objective='model' trains"
        for name, word in (("chance", "off"), ("measure", "pearson"), ("solver", "highs"))
    },
    fitted(X, None, objective=Model(), task="unsupervised"): "needs a target",
    unsupervised(objective="cfs"): "^objective='cfs': needs a target; without one there are univariate",
    unsupervised(measure="information"): "^measure='information': is not for tables without a target",
    unsupervised(chance="mark"): "^chance='mark': needs a target",
    unsupervised(y=Y): "^y: must be None for task='unsupervised'",
    (
        lambda: quality(prepare(X, Y), "mutual_info", n_neighbors=0)
    ): "n_neighbors=0: must be an integer of at least 1",
    (lambda: quality(prepare(X, Y), "pearson", n_jobs="all")): "n_jobs='all': must be",
    (lambda: prepare(X, Y, feature_names=3)): "feature_names=3: must be a list",
    (lambda: prepare(np.ma.masked_equal(X, X[0, 0]), Y)): "X: holds masked values; fill them with NaN",
    (lambda: prepare(X, np.ma.masked_equal(Y, Y[0]))): "y: holds masked values",
    (
        lambda: problem_from_table(X, Y, sample_weight=np.ma.masked_less(np.arange(len(Y)), 1), k=1)
    ): "sample_weight: holds masked values",
    (lambda: read_table(3, "y")): "path=3: must be a path",
    (
        lambda: read_table("t.h5ad", "y", orders={"q": "a<b"})
    ): "t.h5ad: sample sheets, missing codes and orders",
    (
        lambda: read_table("t.csv", "y", samples="s.H5AD")
    ): "t.csv: sample sheets, missing codes and orders are not",
    (lambda: read_table("t.csv", ["y"])): "target=['y']: must be the name of a column",
    # around the selection
    (lambda: evaluate(X, Y, AlternativeFeatureSelector(2), random_state="a")): "random_state='a': must be",
    (lambda: evaluate(X, Y, AlternativeFeatureSelector(2), n_jobs=0)): "n_jobs=0: must be",
    (lambda: choose_k(X, Y, k=[14, 20])): "k=[14, 20]: the table has 4 features",
    (lambda: choose_k(X, Y, dissimilarity=[2])): "dissimilarity=2",
    (lambda: choose_k(X, Y, model=["linear", "tree"])): "model: several are given",
    (lambda: choose_k(X, Y, selector="kbest")): "selector='kbest'",
    subset(method="magic"): "method='magic': must be one of ",
    subset(criterion="magic"): "criterion='magic': must be one of consistency",
    subset(method="relief", k=7): "k=7: must be an integer from 1 to 4",
    subset(time_limit=-1): "time_limit=-1",
    subset(ties="highest"): "ties='highest'",
    subset(method="relief", estimator=GaussianNB()): "estimator=GaussianNB(): is for the criterion",
    subset(random_state="x"): "random_state='x'",
    counted(0, 1): "n_features=0",
    counted(4, 5): "k=5",
    counted(4, 2, shared=2): "equal sets",
    counted(4, 2, n_sets=0): "n_sets=0",
    counted(4, 2, n_draws=-1): "n_draws=-1",
    consistent(random_state="a"): "random_state='a': must be",
    consistent(n_sets=0): "n_sets=0: must be an integer of at least 1",
    consistent(rate=NAN): "rate=nan",
    consistent(dissimilarity="cosine:0.5"): "cosine",
    consistent(dissimilarity="hamming:0.5"): "sets of different sizes need a threshold",
    consistent(method="rc2"): "method='rc2'",
    consistent(time_limit=0): "time_limit=0",
}

INSTANCES = [
    (
        {"groups": [[0]], "group_at_least": [3], "group_at_most": [1], "group_all_or_none": [False]},
        "group_at_least[0]=3: must be an integer",
    ),
    ({"measured_errors": [1]}, "measured_errors: has shape"),
    ({"scale": 10**400}, "scale=1000"),
    ({"costs": [-1] * 5}, "costs: holds -1, must hold numbers of at least 0"),
    ({"quality": {}}, "quality={}: must be a list of numbers"),
    ({"quality": [10**30] * 5}, "quality: has integers beyond 2**63"),
    ({"previous": [{"set": ["a", "b"]}]}, "previous='a': must be an integer from 0 to 4"),
]


@pytest.fixture(autouse=True)
def no_solver_starts(monkeypatch):
    def start(*_args, **_named):
        raise AssertionError("a solver was started")

    monkeypatch.setattr(SmallestSet, "run", start)
    for module in ("asking", "attempt"):
        monkeypatch.setattr(f"pyfsel.solving.{module}.answered", start)


def is_told(message, said):
    begins, said = said.startswith("^"), said.removeprefix("^")
    assert message.startswith(said) if begins else said in message
    assert "\n" not in message
    assert not re.search(r"Traceback|Error\(|object has no|not subscriptable", message)


@pytest.mark.parametrize(
    ("call", "said"), PYTHON.items(), ids=[f"{i}-{said}" for i, said in enumerate(PYTHON.values())]
)
def test_python(call, said):
    with pytest.raises(InputError) as error:
        call()
    is_told(str(error.value), said)


@pytest.mark.parametrize(("change", "said"), INSTANCES, ids=[said for _, said in INSTANCES])
def test_instance_files(tmp_path, monkeypatch, run, change, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.json").write_text(json.dumps(P.to_dict() | change), "utf-8")
    told = run("solve bad.json", ExitCode.BAD_INPUT).err
    is_told(told.removesuffix("\n"), f"pyfsel: error: bad.json: {said}")
