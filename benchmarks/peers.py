"""The peer alfese 1.1.0 (Eq. 22 of paper 000 in SCIP) beside pyfsel, on the same numbers with the same limit.

    python benchmarks/peers.py > benchmarks/results/peers/alternatives.md    # or bash benchmarks/peers.sh

Instances of instances/paper-000, k = 5, tau = 0.6. Each run is a whole search in a process of its own, one
thread, everything loaded. alfese gets the qualities, redundancies and conflicts of the
instance as floats. Its sets are verified, and their objective is computed, in the integers of the instance.
It proves up to a relative gap of 1e-4: an "OPTIMAL" of it counts as proved, and as false if it misses the
optimum by more than twice that. Its two greedy searches and its wrapper follow.
"""

import argparse
import multiprocessing
import os
import platform
import sys
import time
from dataclasses import dataclass
from datetime import date
from importlib import import_module
from importlib.metadata import version
from itertools import product
from pathlib import Path

import alfese
import numpy as np
from ortools.linear_solver import pywraplp
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

import pyfsel
from pyfsel.bench.worker import LOADED_ONCE
from pyfsel.objectives import Model
from pyfsel.problem import values
from pyfsel.problem.instance import Instance
from pyfsel.results.verify import violations
from pyfsel.solving.solve import solve
from pyfsel.solving.workers import start_workers_by_fork

for name in LOADED_ONCE:
    import_module(name)  # so the first run loads nothing

LIBRARY = Path(__file__).parent.parent / "instances" / "paper-000"
TABLES = ("hepatitis", "wdbc", "sonar")
METHODS = ("mi", "model-gain", "fcbf", "mrmr")
ALTERNATIVES = (1, 3, 5)
SEARCHES = ("sequential", "sum", "min")
MAX_OVERLAP = 2
PEER_GAP = 1e-4
EXTRA_SECONDS = 30
PROVED = ("OPTIMAL", "INFEASIBLE")
STATUSES = {
    pywraplp.Solver.OPTIMAL: "OPTIMAL",
    pywraplp.Solver.FEASIBLE: "FEASIBLE",
    pywraplp.Solver.INFEASIBLE: "INFEASIBLE",
    pywraplp.Solver.NOT_SOLVED: "NOT_SOLVED",
}


@dataclass(frozen=True)
class Run:
    """What one of the two found: status, objective in integers, seconds, what is wrong with the sets."""

    status: str
    value: int | None
    seconds: float
    faults: tuple[str, ...] = ()

    @property
    def proved(self) -> bool:
        return self.status in PROVED


class LimitedSelector(alfese.ManualQualityUnivariateSelector):
    """Univariate qualities, conflicts as in alfese's FCBF, and a time limit."""

    def __init__(self, problem, seconds):
        super().__init__()
        self.problem, self.seconds = problem, seconds
        self.set_data(q_train=problem.quality_floats.tolist())

    def initialize_solver(self, solver, s_list, k, objective_agg="sum"):
        super().initialize_solver(solver=solver, s_list=s_list, k=k, objective_agg=objective_agg)
        for (i, j), s in product(self.problem.conflicts, s_list):
            solver.Add(s[i] + s[j] <= 1)
        solver.SetTimeLimit(int(1000 * self.seconds))


class LimitedMrmr(alfese.MRMRSelector):
    """mRMR with the numbers of a problem, and a time limit."""

    def __init__(self, problem, seconds):
        super().__init__()
        self.seconds = seconds
        self._n = problem.n_features
        self._mi_target_train = self._mi_target_test = problem.quality_floats
        self._mi_features_train = self._mi_features_test = list(problem.pairs_floats)

    def initialize_solver(self, solver, s_list, k, objective_agg="sum"):
        super().initialize_solver(solver=solver, s_list=s_list, k=k, objective_agg=objective_agg)
        solver.SetTimeLimit(int(1000 * self.seconds))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--time-limit", type=float, default=20.0, help="seconds per run")
    limit = parser.parse_args().time_limit
    print("# alfese next to pyfsel\n")
    print(f"`python {' '.join(sys.argv)}`, {date.today()}, {platform.machine()}, {os.cpu_count()} cores, of")
    print(
        f"which others were in use; alfese {version('alfese')}, pyfsel {pyfsel.__version__} (backend auto)."
    )
    print(f"Limit {limit:g} s per run; k = 5, tau = 0.6.\n")
    pairs = {}
    for name, method, search, a in product(TABLES, METHODS, SEARCHES, ALTERNATIVES):
        problem = Instance.load(LIBRARY / f"{name}-{method}.json").replace(
            n_sets=a + 1, max_shared=MAX_OVERLAP, aggregate="min" if search == "min" else "sum"
        )
        pairs[name, method, search, a] = tuple(
            in_a_process(run, problem, search, limit) for run in (run_peer, run_here)
        )
        print(name, method, search, a, *pairs[name, method, search, a], file=sys.stderr, flush=True)
    summary(pairs)
    greedy()
    wrapper()
    details(pairs)


def in_a_process(function, problem, search, limit):
    """Call a function in a process that is killed if it does not keep to the limit."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=lambda: sender.send(function(problem, search, limit)))
    start = time.monotonic()
    process.start()
    found = receiver.poll(
        limit * problem.n_sets + EXTRA_SECONDS if search == "sequential" else limit + EXTRA_SECONDS
    )
    result = receiver.recv() if found else Run("NOT_SOLVED", None, time.monotonic() - start, ("killed",))
    process.kill()
    process.join()
    return result


def run_here(problem, search, limit):
    start_workers_by_fork()
    kind = search if search == "sequential" else "simultaneous"
    result = solve(problem, search=kind, time_limit=limit)
    return Run(str(result.status), result.integer_objective, result.runtime)


def run_peer(problem, search, limit):
    kind = LimitedMrmr if problem.objective == "mrmr" else LimitedSelector
    a = problem.n_sets - 1
    sizes = {"k": problem.k, "num_alternatives": a, "tau_abs": problem.k - problem.max_shared}
    start = time.monotonic()
    if search == "sequential":
        frame = kind(problem, limit / problem.n_sets).search_sequentially(**sizes)
    else:
        frame = kind(problem, limit).search_simultaneously(**sizes, objective_agg=search)
    seconds = time.monotonic() - start
    statuses = [STATUSES[status] for status in frame["optimization_status"]]
    sets = [tuple(sorted(members)) for members in frame["selected_idxs"] if members]
    if search == "sequential":
        proved = all(status in PROVED for status in statuses)
        status = statuses[0] if not sets else "OPTIMAL" if proved else "FEASIBLE"
        problem = problem.replace(n_sets=max(1, len(sets)))
    else:
        status = statuses[0]
    faults = tuple(violations(problem, sets)) if sets else ()
    return Run(status, values.total(problem, sets) if sets and not faults else None, seconds, faults)


def is_false(peer, here):
    """Return whether the peer's OPTIMAL is worse than its own tolerance, or its INFEASIBLE wrong."""
    if peer.status == "INFEASIBLE":
        return here.value is not None
    if peer.status != "OPTIMAL" or None in (peer.value, here.value):
        return False
    return here.value - peer.value > 2 * PEER_GAP * abs(here.value)


def summary(pairs):
    print("| method | search | runs | proved: alfese | pyfsel | mean seconds: alfese | pyfsel | ", end="")
    print("alfese worse | pyfsel worse | false claims of alfese | sets of alfese not valid |")
    print("|---|---|" + "---:|" * 9)
    for method, search in product(METHODS, SEARCHES):
        group = [pair for key, pair in pairs.items() if key[1:3] == (method, search)]
        both = [(p, h) for p, h in group if None not in (p.value, h.value)]
        cells = [
            len(group),
            sum(p.proved for p, _ in group),
            sum(h.proved for _, h in group),
            f"{sum(p.seconds for p, _ in group) / len(group):.2f}",
            f"{sum(h.seconds for _, h in group) / len(group):.2f}",
            sum(p.value < h.value for p, h in both) if search != "sequential" else "",
            sum(p.value > h.value for p, h in both) if search != "sequential" else "",
            sum(is_false(p, h) for p, h in group) if search != "sequential" else "",
            sum(bool(p.faults) for p, _ in group),
        ]
        print(f"| {method} | {search} | " + " | ".join(map(str, cells)) + " |")
    print("\nObjectives of sequential searches are not compared: ties decide what comes later.\n")


def greedy():
    """Print whether the greedy searches of both find sets of the same qualities."""
    n_same = n_runs = 0
    for name, method, a in product(TABLES, METHODS[:2], ALTERNATIVES):
        problem = Instance.load(LIBRARY / f"{name}-{method}.json")
        problem = problem.replace(n_sets=a + 1, max_shared=MAX_OVERLAP)
        sizes = {"k": problem.k, "num_alternatives": a, "tau_abs": problem.k - MAX_OVERLAP}
        for search in ("greedy-replacement", "greedy-balancing"):
            frame = getattr(LimitedSelector(problem, 0), f"search_{search.replace('-', '_')}")(**sizes)
            kind = "sequential" if search == "greedy-replacement" else "simultaneous"
            ours = solve(problem, search, search=kind).sets
            theirs = [sorted(members) for members in frame["selected_idxs"] if members]
            qualities = [sorted(sum(problem.quality[j] for j in s) for s in sets) for sets in (theirs, ours)]
            n_runs, n_same = n_runs + 1, n_same + (qualities[0] == qualities[1])
    print("Greedy Replacement and Greedy Balancing (mi, model-gain): sets of the same qualities in ", end="")
    print(f"{n_same} of {n_runs} searches.\n")


def wrapper():
    """Print scores and seconds of both Greedy Wrappers: the same model, holdout split and Matthews score."""
    print("Greedy Wrapper, mean score of the sets (validation), of at most 200 iterations per search:\n")
    print("| table | search | a | alfese | seconds | pyfsel | seconds |\n|---|---|---:|---:|---:|---:|---:|")
    for load, search, a in product((load_wine, load_breast_cancer), SEARCHES, (1, 3)):
        X, y = load(return_X_y=True, as_frame=True)
        rows = np.arange(len(y))
        split = [train_test_split(rows, test_size=0.2, stratify=y, random_state=25)]
        start = time.monotonic()
        tree = DecisionTreeClassifier(criterion="entropy", random_state=25)
        model = Model(tree, "matthews_corrcoef", split, max_fits=200 * (a + 1))
        ours = pyfsel.AlternativeFeatureSelector(objective=model, n_sets=a + 1, search=search).fit(X, y)
        middle = time.monotonic()
        peer = alfese.GreedyWrapperSelector(max_iters=200)
        peer.set_data(X, X, y, y)
        sizes = {"k": 5, "num_alternatives": a, "tau": 0.6}
        if search == "sequential":
            frame = peer.search_sequentially(**sizes)
        else:
            frame = peer.search_simultaneously(**sizes, objective_agg=search)
        cells = (frame["train_objective"].mean(), time.monotonic() - middle)
        cells += (np.mean([one.quality for one in ours.sets_]), middle - start)
        print(f"| {load.__name__[5:]} | {search} | {a} | " + " | ".join(f"{c:.3f}" for c in cells) + " |")
    print()


def details(pairs):
    print("| table | method | search | a | alfese | seconds | behind | pyfsel | seconds |")
    print("|---|---|---|---:|---|---:|---:|---|---:|")
    for (name, method, search, a), (peer, here) in pairs.items():
        known = None not in (peer.value, here.value) and search != "sequential"
        behind = f"{(here.value - peer.value) / max(1, abs(here.value)):.2%}" if known else ""
        status = f"{peer.status}, {peer.faults[0]}" if peer.faults else peer.status
        cells = [status, f"{peer.seconds:.2f}", behind, here.status, f"{here.seconds:.2f}"]
        print(f"| {name} | {method} | {search} | {a} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
