"""Which solvers MiniZinc brings, and how the backends run on them."""

import json
import os
import resource
import shutil
from dataclasses import replace

import pytest
from running import ended, python, with_enough_time

from pyfsel import InputError, Status, solvers
from pyfsel.backends import discovered, get_backend, registry
from pyfsel.backends import forget as forget_backends
from pyfsel.backends.minizinc.minizinc_run import run_model
from pyfsel.cli.exit_codes import ExitCode
from pyfsel.drivers.minizinc.installed import SOLVERS, asked_minizinc
from pyfsel.drivers.minizinc.model_files import models_dir
from pyfsel.problem.instance import Instance
from pyfsel.results.backend_answer import StopReason
from pyfsel.results.control import Control, Limits
from pyfsel.solving.solve import solve

EXAMPLE = models_dir() / "data" / "example.json"


@pytest.fixture
def forget():
    """Have the listings of MiniZinc read anew, now and after the test."""
    for again in (asked_minizinc.cache_clear, forget_backends):
        again()
    yield
    for again in (asked_minizinc.cache_clear, forget_backends):
        again()


def add_solver(folder, tag, *, version="3.2.1", **more):
    """Let MiniZinc list a solver under this id that is in truth Gecode."""
    gecode = next(one for one in asked_minizinc()[0].values() if one["id"] == "org.gecode.gecode")
    kept = ("mznlib", "stdFlags", "supportsFzn", "needsSolns2Out", "tags")
    content = {name: gecode[name] for name in kept if name in gecode}
    content |= {"id": tag, "name": tag, "version": version, "executable": shutil.which("fzn-gecode")} | more
    (folder / f"{tag}.msc").write_text(json.dumps(content))
    asked_minizinc.cache_clear()


def test_the_registry_does_not_ask_minizinc():
    program = (
        "import subprocess\n"
        "def refuse(*a, **k): raise AssertionError(a)\n"
        "subprocess.run = subprocess.Popen = refuse\n"
        "from pyfsel.backends import registry, get_backend\n"
        "assert 'minizinc:cbc' in registry()\n"
        "get_backend('minizinc:highs')\n"
    )
    run = python("-c", program)
    assert run.returncode == 0, run.stderr


def test_a_solver_that_minizinc_lists_becomes_a_backend(tmp_path, monkeypatch, forget):
    """Those without a library or without a text are left out."""
    add_solver(tmp_path, "org.example.gorgeous")
    add_solver(tmp_path, "org.example.absent", version="<unknown version>")
    add_solver(tmp_path, "org.example.window", isGUIApplication=True)
    monkeypatch.setenv("MZN_SOLVER_PATH", str(tmp_path))
    backend = get_backend("minizinc:gorgeous")
    assert (backend.missing(), backend.version()) == (None, "3.2.1")
    assert "minizinc:gorgeous" in set(solvers().index)
    assert "minizinc:gorgeous" not in registry()
    result = solve(Instance.load(EXAMPLE), "minizinc:gorgeous", time_limit=60, search="simultaneous")
    assert (result.status, result.integer_objective) == (Status.OPTIMAL, 48)
    assert not {"minizinc:absent", "minizinc:window", "minizinc:gist", "minizinc:cplex"} & set(discovered())
    with pytest.raises(InputError, match=r"minizinc:absent.*must be one of"):
        get_backend("minizinc:absent")


def test_a_known_solver_is_missing_until_minizinc_lists_it(tmp_path, monkeypatch, forget):
    made_up = replace(SOLVERS[1], ids=("org.example.native",))
    assert "MiniZinc does not list the solver org.example.native; it comes with" in made_up.missing()
    add_solver(tmp_path, "org.example.native")
    monkeypatch.setenv("MZN_SOLVER_PATH", str(tmp_path))
    asked_minizinc.cache_clear()
    assert (made_up.tag, made_up.version(), made_up.missing()) == ("org.example.native", "3.2.1", None)


def test_without_minizinc_all_say_so(monkeypatch, tmp_path, forget):
    monkeypatch.setenv("PATH", str(tmp_path))
    for name in (f"minizinc:{solver.name}" for solver in SOLVERS):
        assert "program minizinc is not on the PATH" in get_backend(name).missing()
    with pytest.raises(InputError, match="minizinc:gorgeous"):
        get_backend("minizinc:gorgeous")


def test_bounds_need_no_solution(tmp_path, monkeypatch):
    script = tmp_path / "minizinc"
    script.write_text("""#!/bin/sh
    echo '{"type": "statistics", "statistics": {"objectiveBound": 61.0}}'
    echo '{"type": "statistics", "statistics": {"objectiveBound": 52.9}}'
    echo '{"type": "status", "status": "UNKNOWN"}'
    sleep $SLEEP_SECONDS
    """)
    script.chmod(0o755)
    gecode = get_backend("minizinc:gecode").solver
    assert gecode.missing() is None  # the real program lists the solvers
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)

    def run(seconds):
        """It ends by itself a little after its limit."""
        monkeypatch.setenv("SLEEP_SECONDS", str(seconds + 0.1))
        bounds = []
        control = Control(Limits.starting_now(seconds), report_bound=bounds.append)
        return run_model(EXAMPLE, gecode, Instance.load(EXAMPLE), control), bounds

    answer, bounds = with_enough_time(run, lambda found: found[1], 1.0, 6, 24)
    assert bounds == [61, 52]
    assert (answer.status, answer.stop_reason) == (Status.NOT_SOLVED, StopReason.TIME_LIMIT)


def run_with_little_disk(n_bytes, backend):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, n_bytes))

    named = "--search", "sum", "--solver", backend
    return python("-B", "-m", "pyfsel", "solve", EXAMPLE, *named, preexec_fn=limit)  # no torn .pyc files


def test_full_disk_during_the_run():
    run = run_with_little_disk(1000, "minizinc:gecode")
    assert run.returncode == ExitCode.FAULT
    said = " ".join(run.stdout.split())
    assert "an error of the backend ended the search. The sum is 48. CHECK The sets come from" in said
    assert "Traceback" not in run.stdout + run.stderr


def test_numbers_that_minizinc_clips_are_refused_with_a_way_out(tmp_path, run):
    """The order of the features changes if numbers end at 32 bits."""
    problem = Instance(quality=[2**32, 2**33 + 5, 2**34, 7, 2**33 + 4], n_sets=2, k=2, max_shared=1)
    problem.save(tmp_path / "large.json")
    run(f"export {tmp_path}/large.json {tmp_path}/large.dzn", 0)
    model = models_dir() / "simultaneous_sum.mzn"
    runs = [
        ended("minizinc", "-c", "--solver", "gecode", "--fzn", "/dev/null", "--no-output-ozn", model, data)
        for data in (tmp_path / "large.json", tmp_path / "large.dzn")
    ]
    assert ".dzn" in runs[0].stderr
    assert "beyond 32 bits" not in runs[1].stderr
