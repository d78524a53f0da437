"""How long easy answers take: CPU seconds of this process and of all it starts, the peer alfese beside.

    pip install alfese && python benchmarks/latency.py > benchmarks/results/latency.md

Each row is one use, on one core. "Warm" is the mean of calls after the first two in a process, with all
workers that stay; "cold" is a process of its own, its start and its imports included, the least of several,
as others that work at the same time only add to it. "The search itself" is what the backend takes when it is
called in a process of its own, without start, reduction, worker and verification. alfese gets the same
qualities, and 30 seconds; its other methods are in `benchmarks/peers.py`. Without alfese its column
is empty. `--only WORD` makes the rows whose name has the word.
"""

import argparse
import importlib.util
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import psutil

from pyfsel.measures import load_dataset, pair_measures, prepare, quality
from pyfsel.problem.instance import Instance
from pyfsel.problem.make import make_instance
from pyfsel.solving.solve import solve

FOLDER = Path(__file__).parent
REPEATS = 10
PEER_REPEATS = 2
PEER_SECONDS = SECONDS = 30
COLD_REPEATS = 5
ALTERNATIVES = (1, 3, 5)
AGGREGATES = ("sum", "min")
SEARCHES = (("sequential", "sum"), ("simultaneous", "sum"), ("simultaneous", "min"))
SEVERAL = ("univariate", "mrmr", "fcbf")
TINY = Instance(quality=[9, 8, 7, 3, 2, 1], n_sets=3, k=2, max_shared=1)
TINY_BACKENDS = ("auto", "cpsat", "rc2", "packing", "minizinc:gecode")

COLD_TINY = """
import pyfsel
p = pyfsel.Problem([9, 8, 7, 3, 2, 1], n_sets=3, k=2, dissimilarity="shared:1")
assert pyfsel.solve(p).status == "OPTIMAL"
"""
COLD_GRID = """
import sys
import numpy as np
import pyfsel
q = np.array({q}); r = np.array({r})
from pyfsel.papers.graph_score import graph_score_problem
from pyfsel.problem.make import make_instance
from pyfsel.solving.solve import solve
n, o, agg = {a}, {objective!r}, {aggregate!r}
if o == "graph_score":
    problem = graph_score_problem(-q, r / 10)
else:
    problem = make_instance(q, None if o == "univariate" else r, objective=o, k=(1, 5) if o == "cfs" else 5,
        n_sets=n + 1, dissimilarity="shared:3", aggregate=agg)
solve(problem, search={search!r}, time_limit=30)
"""
SEARCH_ITSELF = """
from latency import TINY, warm
from pyfsel.backends import get_backend
from pyfsel.backends.choose import choose_backend
from pyfsel.results.control import Control

backend = choose_backend(TINY)[0] if {name!r} == "auto" else get_backend({name!r})
print(warm(lambda: backend.solve(TINY, Control())))
"""
GRID_SEARCH = """
import os, psutil
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
import pyfsel
X, y = load_breast_cancer(return_X_y=True)
pipeline = make_pipeline(
    pyfsel.AlternativeFeatureSelector(n_sets=3), StandardScaler(), LogisticRegression()
)
def cpu():
    times = [p.cpu_times() for p in (psutil.Process(), *psutil.Process().children(recursive=True))]
    return sum(t.user + t.system for t in times)
begin = cpu()
GridSearchCV(pipeline, {"alternativefeatureselector__k": [3, 4, 5, 6]}, cv=3).fit(X, y)
print(cpu() - begin)
"""


class UnprovedError(Exception):
    """The time was up before the proof."""


@dataclass(frozen=True)
class Row:
    """A use, its target, and how to measure it and the peer."""

    name: str
    target: str
    measure: Callable[[], float]
    peer: Callable[[], float] | None = None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="rows whose name has this word")
    parser.add_argument("--without-peer", action="store_true")
    options = parser.parse_args()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # what is installed has byte code
    has_peer = importlib.util.find_spec("alfese") is not None and not options.without_peer
    print("| use | pyfsel | alfese | target |\n|---|--:|--:|--:|")
    for row in rows():
        if options.only in row.name:
            peer = f"{row.peer():.3f}" if has_peer and row.peer is not None else ""
            try:
                here = f"{row.measure():.3f}"
            except UnprovedError:
                here = f"not proved in {SECONDS} s"
            print(f"| {row.name} | {here} | {peer} | {row.target} |", flush=True)


def rows() -> Iterator[Row]:
    for name in TINY_BACKENDS:
        yield Row(
            f"six features, {name}, warm, over the search itself",
            "0.01",
            lambda name=name: warm(lambda: asked(TINY, name)) - printed(SEARCH_ITSELF.format(name=name)),
        )
    table = prepare(*load_dataset("breast_cancer"))
    q = quality(table, measure="mutual_info", random_state=0)
    for aggregate in AGGREGATES:
        for a in ALTERNATIVES:
            problem = make_instance(q, k=5, n_sets=a + 1, dissimilarity="shared:3", aggregate=aggregate)
            yield Row(
                f"breast_cancer, MI {aggregate}, a = {a}, warm",
                "0.05, alfese",
                lambda problem=problem: warm(lambda: asked(problem)),
                lambda a=a, aggregate=aggregate: warm(lambda: peer(q, a, aggregate), PEER_REPEATS, 1),
            )
    pairwise = {
        name: pair_measures(table, measure="mutual_info_binned", objective=name) for name in ("mrmr", "fcbf")
    }
    for aggregate in AGGREGATES:
        for a in ALTERNATIVES:
            problem = make_instance(
                *pairwise["mrmr"],
                objective="mrmr",
                k=5,
                n_sets=a + 1,
                dissimilarity="shared:3",
                aggregate=aggregate,
            )
            yield Row(
                f"breast_cancer, mRMR {aggregate}, a = {a}, warm",
                "0.1",
                lambda problem=problem: warm(lambda: asked(problem)),
            )
    yield Row("six features, cold", "0.5", lambda: cold(COLD_TINY))
    first = {"univariate": (q, None), **pairwise, "cfs": pairwise["mrmr"], "graph_score": pairwise["mrmr"]}
    for objective, (quality_, redundancy) in first.items():
        for search, aggregate in SEARCHES if objective in SEVERAL else SEARCHES[:1]:
            code = COLD_GRID.format(
                q=list(quality_),
                r=None if redundancy is None else redundancy.tolist(),
                a=3 if objective != "graph_score" else 0,
                objective=objective,
                search=search,
                aggregate=aggregate,
            )
            yield Row(
                f"breast_cancer, {objective}, {search} {aggregate}, cold",
                "2",
                lambda code=code: cold(code),
            )
    yield Row("pyfsel select, breast_cancer, cold", "2", selecting)
    yield Row("GridSearchCV, 13 fits (a worker started)", "2", lambda: printed(GRID_SEARCH))
    large = np.random.default_rng(0).random(10**6)
    million = make_instance(large, k=10, n_sets=6, dissimilarity=0.5)
    yield Row(
        "univariate, n = 1,000,000, k = 10, a = 5, warm", "0.5", lambda: warm(lambda: asked(million), 3)
    )


def asked(problem: Instance, backend: str = "auto") -> None:
    if solve(problem, backend, time_limit=SECONDS, search="simultaneous").status != "OPTIMAL":
        raise UnprovedError


def peer(q: "np.typing.NDArray[np.float64]", a: int, aggregate: str) -> None:
    """Solve Eq. 22 of paper 000 in SCIP."""
    import alfese

    class Limited(alfese.ManualQualityUnivariateSelector):
        def initialize_solver(self, solver, **arguments):
            super().initialize_solver(solver=solver, **arguments)
            solver.SetTimeLimit(1000 * PEER_SECONDS)

    selector = Limited()
    selector.set_data(q_train=list(q))
    selector.search_simultaneously(k=5, num_alternatives=a, tau_abs=2, objective_agg=aggregate)


def warm(call: Callable[[], None], repeats: int = REPEATS, first: int = 2) -> float:
    for _ in range(first):
        call()
    begin = cpu_seconds()
    for _ in range(repeats):
        call()
    return (cpu_seconds() - begin) / repeats


def cpu_seconds() -> float:
    """Return the processor time of this process and of all below it, running or ended."""
    total = 0.0
    for process in (here := psutil.Process(), *here.children(recursive=True)):
        with suppress(psutil.Error):
            times = process.cpu_times()
            total += times.user + times.system + times.children_user + times.children_system
    return total


def cold(code: str) -> float:
    return min(once([sys.executable, "-c", code]) for _ in range(COLD_REPEATS))


def once(command: list[str]) -> float:
    begin = os.times()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    end = os.times()
    return end.children_user + end.children_system - begin.children_user - begin.children_system


def selecting() -> float:
    program = ["-c", "from pyfsel.cli.app import main; main()", "select", "--dataset", "breast_cancer"]
    return min(once([sys.executable, *program, "-k", "5", "-n", "3"]) for _ in range(COLD_REPEATS))


def printed(code: str) -> float:
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=FOLDER)
    return float(run.stdout)


if __name__ == "__main__":
    main()
