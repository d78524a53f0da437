"""What a sequential search keeps between its steps, and that it changes no optimum."""

import importlib
from dataclasses import replace

import pytest

from pyfsel.backends import get_backend
from pyfsel.backends.simple_searches import BruteForce
from pyfsel.problem import values
from pyfsel.problem.instance import Instance
from pyfsel.results.backend_answer import Status, StopReason
from pyfsel.results.control import Control, Limits
from pyfsel.solving.attempt import attempt
from pyfsel.solving.sequential import sequential_search


class Recorder(BruteForce):
    """Brute force in this process that keeps the controls it was given."""

    name = "recorder"
    isolated = False

    def __init__(self):
        self.controls = []

    def solve(self, problem, control):
        self.controls.append(control)
        return super().solve(problem, control)


@pytest.mark.parametrize(
    ("quality", "objectives", "bounds"),
    [([9, 8, 7, 3, 2, 1], [17, 10, 3], [None, 17, 10]), ([5] * 6, [10, 10, 10], [None])],
    ids=["each bounds the next", "a start that reaches the bound needs no solver"],
)
def test_bounds_of_steps(quality, objectives, bounds):
    backend = Recorder()
    steps = sequential_search(Instance(quality, n_sets=3, k=2, max_shared=0), backend).steps
    assert [step.objective for step in steps] == objectives
    assert [step.status for step in steps] == [Status.OPTIMAL] * 3
    assert [control.known_bound for control in backend.controls] == bounds


@pytest.mark.parametrize("worse", [StopReason.ERROR, StopReason.INTERRUPTED])
def test_ctrl_c_and_crashes_count_more_than_the_limit_of_an_earlier_step(monkeypatch, worse):
    ended = iter([StopReason.TIME_LIMIT, worse])
    stopping = lambda *asked, **more: replace(attempt(*asked, **more), stop_reason=next(ended))  # noqa: E731
    monkeypatch.setattr("pyfsel.solving.sequential.attempt", stopping)
    problem = Instance([9, 8, 7], n_sets=2, k=2, max_shared=1)
    assert sequential_search(problem, Recorder()).stop_reason is worse


def test_known_solution_is_the_start_if_it_is_better():
    problem = Instance(quality=[5, 4, 3, 2], n_sets=1, k=2, max_shared=1, previous=[(0, 1)])
    backend = Recorder()
    outcome = attempt(backend, problem, Limits(), "strengthened", start=[(0, 2)])
    assert outcome.sets == ((0, 2),)
    assert values.total(problem, backend.controls[0].hint) == 8


@pytest.mark.parametrize("backend", ["cpsat", "rc2"])
def test_solver_stops_at_the_known_bound(backend):
    problem = Instance(quality=[7] * 8, n_sets=1, k=3, max_shared=1, previous=[(0, 1, 2)])
    answer = get_backend(backend).solve(problem, Control(known_bound=21))
    assert answer.status is Status.OPTIMAL
    assert answer.bound == 21


def test_shares_begin_when_the_solver_is_loaded(tmp_path, monkeypatch):
    """Each step has two seconds, and loading takes longer."""
    (tmp_path / "slow_solver.py").write_text("import time\ntime.sleep(3)\n")
    (tmp_path / "slow_backend.py").write_text(
        "from pyfsel.backends.simple_searches import BruteForce\n"
        "class Slow(BruteForce):\n"
        "    slow_imports = ('slow_solver',)\n"
        "    def solve(self, problem, control):\n"
        "        import slow_solver\n"
        "        return super().solve(problem, control)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    problem = Instance(quality=range(9), n_sets=32, k=2, max_shared=1)
    backend = importlib.import_module("slow_backend").Slow()
    found = sequential_search(problem, backend, Limits.starting_now(64))
    assert [step.status for step in found.steps] == [Status.OPTIMAL] * 32
