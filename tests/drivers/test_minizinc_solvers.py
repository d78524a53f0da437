"""Which solvers MiniZinc brings, native or through the bridge, and how the backends run on them."""

import json
import os
import resource
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest
from running import with_enough_time
from small_problems import assert_agrees

from pyfsel import InputError, Status
from pyfsel.backends import backends, discovered, get_backend, registry
from pyfsel.backends import forget as forget_backends
from pyfsel.backends.minizinc.backend import MiniZinc
from pyfsel.backends.minizinc.run import run_model
from pyfsel.cli.app import main
from pyfsel.cli.exit_codes import ExitCode
from pyfsel.drivers.linear.connection import NAMES
from pyfsel.drivers.minizinc.bridge import install
from pyfsel.drivers.minizinc.installed import SOLVERS, asked_minizinc, bridge_configuration
from pyfsel.drivers.minizinc.model_files import models_dir
from pyfsel.problem.instance import Instance
from pyfsel.results.answer import StopReason
from pyfsel.results.control import Control, Limits
from pyfsel.solving.attempt import attempt
from pyfsel.solving.solve import solve

BRIDGED = [f"minizinc:{name}" for name in NAMES]
EXAMPLE = models_dir() / "data" / "example.json"


@pytest.fixture
def forget():
    """Have the listings of MiniZinc read anew, now and after the test."""
    for again in (asked_minizinc.cache_clear, forget_backends, bridge_configuration.cache_clear):
        again()
    yield
    for again in (asked_minizinc.cache_clear, forget_backends, bridge_configuration.cache_clear):
        again()


def add_solver(folder, tag, *, bridge="highs", version="3.2.1", **more):
    """Let MiniZinc list a solver under this id that is in truth a bridge of ours."""
    written = install.install(bridge, folder, version)
    content = json.loads(written.configuration.read_text()) | {"id": tag} | more
    (folder / f"{tag}.msc").write_text(json.dumps(content))
    written.configuration.unlink()


def hard_problem(n=40, **more):
    quality = [60000 + 997 * ((7 * j) % 31) - 1500 * j for j in range(n)]
    return Instance(quality=quality, n_sets=6, set_size=6, max_overlap=2, aggregate="min", **more)


@pytest.mark.parametrize("name", BRIDGED)
def test_is_there(name):
    backend = registry()[name]
    assert backend.missing() is None
    assert backend.version()
    row = backends().set_index("name").loc[name]
    assert row["available"]


def test_the_registry_does_not_ask_minizinc():
    program = (
        "import subprocess\n"
        "def refuse(*a, **k): raise AssertionError(a)\n"
        "subprocess.run = subprocess.Popen = refuse\n"
        "from pyfsel.backends import registry, get_backend\n"
        "assert 'minizinc:cbc' in registry()\n"
        "get_backend('minizinc:highs')\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


def test_a_solver_that_minizinc_lists_becomes_a_backend(tmp_path, monkeypatch, forget):
    add_solver(tmp_path, "org.example.gorgeous")
    monkeypatch.setenv("MZN_SOLVER_PATH", str(tmp_path))
    backend = get_backend("minizinc:gorgeous")
    assert (backend.missing(), backend.version()) == (None, "3.2.1")
    assert "minizinc:gorgeous" in set(backends()["name"])
    assert "minizinc:gorgeous" not in registry()
    result = solve(
        Instance.load(EXAMPLE), "minizinc:gorgeous", time_limit=60, fallback=False, search="simultaneous"
    )
    assert (result.status, result.integer_objective) == (Status.OPTIMAL, 48)


def test_solvers_without_library_or_without_text_are_left_out(tmp_path, monkeypatch, forget):
    add_solver(tmp_path, "org.example.absent", version="<unknown version>")
    add_solver(tmp_path, "org.example.window", isGUIApplication=True)
    install.install("cbc", tmp_path, "1.0.0")
    monkeypatch.setenv("MZN_SOLVER_PATH", str(tmp_path))
    assert not {"minizinc:absent", "minizinc:window", "minizinc:gist", "minizinc:cplex"} & set(discovered())
    with pytest.raises(InputError, match=r"minizinc:absent.*must be auto or one of .*minizinc:cbc"):
        get_backend("minizinc:absent")


@pytest.mark.parametrize("solver", [s for s in SOLVERS if s.bridge], ids=lambda s: s.name)
def test_a_native_solver_is_preferred(solver, tmp_path, monkeypatch, forget):
    """The native one is in truth another of ours under the id of the native one."""
    assert solver.tag.endswith(".msc") == (solver.native_id() is None)
    made_up = replace(solver, ids=("org.example.native",))
    assert made_up.tag.endswith(".msc")
    add_solver(tmp_path, "org.example.native", bridge="highs")
    monkeypatch.setenv("MZN_SOLVER_PATH", str(tmp_path))
    asked_minizinc.cache_clear()
    assert made_up.tag == "org.example.native"
    assert made_up.version() == "3.2.1"
    assert made_up.missing() is None
    result = solve(
        Instance.load(EXAMPLE), MiniZinc(made_up), time_limit=60, fallback=False, search="simultaneous"
    )
    assert (result.status, result.integer_objective) == (Status.OPTIMAL, 48)


def test_without_minizinc_all_say_so(monkeypatch, tmp_path, forget):
    monkeypatch.setenv("PATH", str(tmp_path))
    for name in (*BRIDGED, "minizinc:gecode"):
        assert "program minizinc is not on the PATH" in get_backend(name).missing()
    with pytest.raises(InputError, match="minizinc:gorgeous"):
        get_backend("minizinc:gorgeous")


def test_the_configuration_is_written_once_and_anywhere(tmp_path, monkeypatch, forget):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    first = bridge_configuration("cbc")
    assert first.is_relative_to(tmp_path)
    stamp = first.stat().st_mtime_ns
    bridge_configuration.cache_clear()
    assert bridge_configuration("cbc") == first
    assert first.stat().st_mtime_ns == stamp
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null/nowhere")
    bridge_configuration.cache_clear()
    elsewhere = bridge_configuration("cbc")
    assert elsewhere.is_file()
    assert not elsewhere.is_relative_to(tmp_path)


@pytest.mark.parametrize("name", BRIDGED)
@pytest.mark.parametrize("seconds", [0.02, 0.2])
def test_a_limit_shorter_than_the_compilation(name, seconds):
    result = solve(hard_problem(80), name, time_limit=seconds, fallback=False, search="simultaneous")
    assert result.stop_reason is StopReason.TIME_LIMIT
    assert result.status is Status.FEASIBLE
    assert result.runtime < seconds + 20  # however busy the machine is


@pytest.mark.parametrize("name", BRIDGED)
def test_a_limit_leaves_a_bound(name):
    problem = hard_problem(24)
    outcome = with_enough_time(
        lambda seconds: attempt(get_backend(name), problem, Limits.starting_now(seconds), "literal"),
        lambda outcome: outcome.bound is not None,
        2,
        8,
        32,
    )
    assert outcome.stop_reason is StopReason.TIME_LIMIT
    assert outcome.status is Status.FEASIBLE
    greatest = sum(sorted(problem.quality)[-6:])
    value = sum(sorted(problem.quality[j] for j in outcome.sets[-1]))
    assert outcome.bound is not None
    assert value < outcome.bound <= greatest


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


def test_a_limit_that_minizinc_calls_an_error_is_a_limit(tmp_path, monkeypatch):
    script = tmp_path / "minizinc"
    script.write_text("""#!/bin/sh
    echo '{"type": "error", "what": "timeout", "message": "time limit reached"}'
    exit 1
    """)
    script.chmod(0o755)
    gecode = get_backend("minizinc:gecode").solver
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    answer = run_model(EXAMPLE, gecode, Instance.load(EXAMPLE), Control(Limits.starting_now(60)))
    assert (answer.status, answer.stop_reason) == (Status.NOT_SOLVED, StopReason.TIME_LIMIT)


def test_command_line_installs_into_minizinc(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert main(["solvers"]) == 0
    assert capsys.readouterr().out.count("not in MiniZinc") == len(NAMES)
    assert main(["solvers", "install"]) == 0
    assert main(["solvers", "list"]) == 0
    assert capsys.readouterr().out.count("in MiniZinc: ") == len(NAMES)
    listing = subprocess.run(["minizinc", "--solvers"], capture_output=True, text=True).stdout
    model = models_dir() / "simultaneous_sum.mzn"
    for name in NAMES:
        assert f"pyfsel.{name}" in listing
        run = subprocess.run(
            ["minizinc", "--solver", f"pyfsel.{name}", "-a", "-s", "-t", "60000", "-p", "1", model, EXAMPLE],
            capture_output=True,
            text=True,
        )
        assert run.returncode == 0, run.stderr
        assert "sum of the qualities: 48.0" in run.stdout
        assert "objectiveBound=48" in run.stdout
        assert "==========" in run.stdout
    assert main(["solvers", "uninstall", "cbc"]) == 0
    assert main(["solvers", "uninstall"]) == 0
    assert list((tmp_path / ".minizinc" / "solvers").iterdir()) == []
    assert main(["solvers", "install", "glpk"]) == 2
    assert "must be one of cbc" in capsys.readouterr().err


def test_unsupported_constraints_are_named_to_the_user_of_minizinc(tmp_path):
    written = install.install("cbc", tmp_path, "1.0.0")
    model = tmp_path / "model.fzn"
    model.write_text("var 1..3: x;\nconstraint int_times(x, x, x);\nsolve satisfy;\n")
    run = subprocess.run(
        ["minizinc", "--solver", str(written.configuration), model], capture_output=True, text=True
    )
    assert "constraint int_times is not linear" in run.stderr
    assert "line 2" in run.stderr


def run_with_little_disk(n_bytes, backend):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, n_bytes))

    return subprocess.run(
        [sys.executable, "-m", "pyfsel", "solve", EXAMPLE, "--search", "simultaneous", "--backend", backend],
        capture_output=True,
        text=True,
        preexec_fn=limit,
    )


@pytest.mark.parametrize("name", BRIDGED)
def test_no_place_for_files(name):
    run = run_with_little_disk(0, name)
    assert run.returncode == 5
    assert run.stderr.startswith(f"pyfsel: error: {name}: cannot start its process")
    assert "No usable temporary directory" in run.stderr
    assert run.stderr.count("\n") == 1


def test_full_disk_during_the_run():
    run = run_with_little_disk(1000, "minizinc:cbc")
    assert run.returncode == ExitCode.FAULT
    assert "an error of the backend ended the search" in " ".join(run.stdout.split())
    assert "Traceback" not in run.stdout + run.stderr


def test_gecode_is_started_as_before():
    """Looking for other solvers costs a run on Gecode nothing."""
    solver = get_backend("minizinc:gecode").solver
    solver.missing()
    begin = time.process_time()
    for _ in range(1000):
        assert solver.tag == "org.gecode.gecode"
    assert time.process_time() - begin < 1


def beyond_32_bits():
    """Return a problem in which the order of the features changes if numbers end at 32 bits."""
    return Instance(quality=[2**32, 2**33 + 5, 2**34, 7, 2**33 + 4], n_sets=2, set_size=2, max_overlap=1)


def test_numbers_beyond_32_bits_are_exact():
    cpsat = get_backend("minizinc:cpsat")
    assert_agrees(cpsat, beyond_32_bits())
    assert_agrees(cpsat, beyond_32_bits().replace(aggregate="min"), formulation="literal")
    generator = np.random.default_rng(0)
    redundancy = np.triu(generator.integers(0, 10**7, (9, 9)), 1)
    cfs = Instance(
        quality=generator.integers(10**5, 10**7, 9),
        redundancy=redundancy + redundancy.T,
        objective="cfs",
        scale=1e7,
        n_sets=1,
        set_size=4,
        max_overlap=1,
        previous_sets=[(0, 1, 2, 3), (3, 4, 5, 6)],
    )
    assert_agrees(cpsat, cfs)


def test_numbers_that_minizinc_clips_are_refused_with_a_way_out(tmp_path):
    beyond_32_bits().save(tmp_path / "large.json")
    assert main(["export", str(tmp_path / "large.json"), "-o", str(tmp_path / "large.dzn")]) == 0
    model = models_dir() / "simultaneous_sum.mzn"
    runs = [
        subprocess.run(
            ["minizinc", "-c", "--solver", "gecode", "--fzn", "/dev/null", "--no-output-ozn", model, data],
            capture_output=True,
            text=True,
            check=False,
        )
        for data in (tmp_path / "large.json", tmp_path / "large.dzn")
    ]
    assert ".dzn" in runs[0].stderr
    assert "beyond 32 bits" not in runs[1].stderr
