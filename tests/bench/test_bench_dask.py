"""Benchmarks on a Dask cluster: a real scheduler and two real workers, maybe in networks of their own."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import ExitStack, contextmanager
from itertools import count

import joblib
import numpy as np
import pandas as pd
import psutil
import pytest
from networks import LOOPBACK, network

import pyfsel
from pyfsel import AlternativeFeatureSelector, InputError, evaluate
from pyfsel.bench import check_folder, run_suite
from pyfsel.bench.dask_executor import make_run, on_cluster
from pyfsel.bench.store import read_records
from pyfsel.cli.app import main
from pyfsel.drivers.processes.family import lives
from pyfsel.measures import redundancy
from pyfsel.measures.on_demand import Products
from pyfsel.measures.tables.table import load_dataset, prepare
from pyfsel.problem.instance import Instance
from pyfsel.questions.sweep.sweep import sweep
from pyfsel.results.counting import counts_are_told_to
from pyfsel.results.jobs import finished
from pyfsel.selectors.wrapper.wrapper import greedy_wrapper

START_SECONDS = 60
SUITE = """
time_limits = [30]
seeds = [0, 1]
backends = ["brute-force", "cpsat"]
files = ["*.json"]

[[group]]
searches = ["simultaneous", "sequential"]
"""
SLOW = """
[[group]]
backends = ["cpsat/literal"]
time_limits = [4]
seeds = [0, 1, 2]
files = ["large.json"]
searches = ["simultaneous"]
"""


@pytest.fixture
def folder(tmp_path):
    problem = Instance(quality=[9, 8, 7, 3, 2, 1], n_sets=2, set_size=2, max_overlap=1)
    problem.save(tmp_path / "example.json")
    (tmp_path / "suite.toml").write_text(SUITE)
    return tmp_path


@pytest.fixture
def slow(folder):
    """The folder with a suite some of whose runs use up their time limit."""
    Instance(quality=range(100, 160), n_sets=4, set_size=8, max_overlap=2).save(folder / "large.json")
    (folder / "suite.toml").write_text(SUITE.replace("*.json", "example.json") + SLOW)
    return folder


@contextmanager
def started(tmp_path, name, *arguments, inside=()):
    """Start a program of Dask, maybe inside a namespace, and end it and its family."""
    log = (tmp_path / f"{name}.log").open("w+")
    process = subprocess.Popen(
        [*inside, sys.executable, "-m", "distributed.cli.dask_" + name.partition("-")[0], *arguments],
        stdout=log,
        stderr=log,
        cwd=tmp_path,
    )
    try:
        yield process
    finally:
        for member in family(process.pid):
            member.kill()
        process.wait()
        log.close()


def family(pid):
    try:
        return [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def wait_for(condition, seconds=START_SECONDS):
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return found


@contextmanager
def scheduler(tmp_path, host=LOOPBACK):
    arguments = ("--host", host, "--port", "0", "--no-dashboard", "--no-show", "--no-jupyter")
    with started(tmp_path, "scheduler", *arguments) as process:
        log = tmp_path / "scheduler.log"
        found = wait_for(lambda: process.poll() or re.search(r"Scheduler at:\s+(tcp://\S+)", log.read_text()))
        yield found[1]


@pytest.fixture(scope="module")
def grid(tmp_path_factory):
    """Give the address of a scheduler, and a function that sees to it that it has two workers."""
    folder, numbers, alive = tmp_path_factory.mktemp("grid"), count(), []

    def start(number):
        inside, host = stack.enter_context(net.place(number))
        options = (address, "--nthreads", "1", "--no-dashboard", "--no-nanny", "--host", host)
        alive.append(stack.enter_context(started(folder, f"worker-{number}", *options, inside=inside)))
        return folder / f"worker-{number}.log"

    def two_workers():
        alive[:] = [process for process in alive if process.poll() is None]
        logs = [start(next(numbers)) for _ in range(2 - len(alive))]
        wait_for(lambda: all("Registered to" in log.read_text() for log in logs))
        return tuple(alive)

    with ExitStack() as stack:
        net = stack.enter_context(network())
        address = stack.enter_context(scheduler(folder, net.host))
        yield address, two_workers


@pytest.fixture
def cluster(grid):
    """Give a cluster whose workers a test may kill."""
    address, two_workers = grid
    return address, two_workers()


def test_each_worker_has_a_network_of_its_own(cluster):
    address, processes = cluster
    if LOOPBACK in address:
        pytest.skip("no namespaces of networks can be made here")
    assert len({os.readlink(f"/proc/{pid}/ns/net") for pid in ("self", *(one.pid for one in processes))}) == 3


def run_command(folder, address):
    options = ["--executor", "dask", "--scheduler", address, "-o", str(folder / "out")]
    return [sys.executable, "-m", "pyfsel", "bench", "run", str(folder / "suite.toml"), *options]


def test_two_workers_make_all_runs_and_the_records_are_those_of_local_ones(folder, cluster):
    address, processes = cluster
    assert run_suite(folder / "suite.toml", folder / "out", scheduler=address) == 8
    assert run_suite(folder / "suite.toml", folder / "out", scheduler="tcp://127.0.0.1:1") == 0
    assert run_suite(folder / "suite.toml", folder / "local", n_jobs=2) == 8
    report = check_folder(folder / "out")
    assert (report.is_clean, report.n_results, report.missing) == (True, 8, 0)
    remote, here = ({r["id"]: r for r in read_records(folder / name)} for name in ("out", "local"))
    assert remote.keys() == here.keys()
    for number, record in remote.items():
        assert record.keys() == here[number].keys()
        for name in ("outcome", "shape", "versions", "exact"):
            assert record[name] == here[number][name]
        assert record["result"]["feature_sets"] == here[number]["result"]["feature_sets"]
    assert all(any("bench.worker" in " ".join(p.cmdline()) for p in family(w.pid)) for w in processes)


def test_workers_of_another_version(folder, cluster, monkeypatch):
    monkeypatch.setattr("pyfsel.bench.dask_executor.VERSION", "9.9")
    with pytest.raises(InputError, match=f"has pyfsel {pyfsel.__version__}; install pyfsel 9.9"):
        run_suite(folder / "suite.toml", folder / "out", scheduler=cluster[0])


def busy(process):
    """Return the processes of the runs that a Dask worker makes: copies of its benchmark worker program."""
    programs = [p for p in psutil.Process(process.pid).children() if "bench.worker" in " ".join(p.cmdline())]
    return [run for program in programs for run in program.children()]


def wait_for_slow_runs(runner, processes):
    """Wait until all fast runs are recorded and every worker makes a slow one; return their processes."""
    for _ in range(8):
        assert runner.stderr.readline()
    time.sleep(1)
    return wait_for(lambda: all(busy(p) for p in processes) and [r for p in processes for r in busy(p)])


def assert_complete(folder):
    records = read_records(folder)
    wanted = {entry["id"] for entry in json.loads((folder / "suite.json").read_text())}
    assert Counter(record["id"] for record in records) == Counter(wanted)
    report = check_folder(folder)
    assert report.is_clean
    assert report.missing == 0
    assert report.n_results == 11


@pytest.mark.slow
def test_the_next_runner_makes_what_a_killed_one_left_also_where_a_worker_is_killed(slow, cluster):
    address, processes = cluster
    runner = subprocess.Popen(run_command(slow, address), stderr=subprocess.PIPE, text=True)
    runs = wait_for_slow_runs(runner, processes)
    os.kill(runner.pid, signal.SIGKILL)
    runner.wait()
    runner.stderr.close()
    _, alive = psutil.wait_procs(runs, timeout=3)
    assert not alive
    before = read_records(slow / "out")
    assert len(before) >= 8
    runner = subprocess.Popen(run_command(slow, address), stderr=subprocess.PIPE, text=True)
    runs = wait_for(lambda: all(busy(p) for p in processes) and [r for p in processes for r in busy(p)])
    processes[0].kill()
    _, alive = psutil.wait_procs(runs, timeout=2)
    assert sum(map(lives, alive)) < len(runs)
    assert runner.wait(timeout=120) == 0, runner.stderr.read()
    runner.stderr.close()
    assert read_records(slow / "out")[: len(before)] == before
    assert_complete(slow / "out")


def test_measuring_sweep_folds_and_wrapper_go_on_without_a_worker_that_is_killed(cluster, capsys):
    address, processes = cluster
    X, y = load_dataset("iris")
    table, selector = prepare(X, y), AlternativeFeatureSelector(2, n_sets=2, measure="pearson")
    pairs = Products(np.eye(6)[[0, 0, 1, 2, 3, 4]] * 2.0**26, largest=10)
    problem = Instance([9, 8, 7, 3, 2, 1], 2, 2, 1, objective="mrmr", lazy_redundancy=pairs)

    def kill_one(what, done, total):
        if done == 2:
            processes[0].kill()

    for command in (
        ["problem", "-k", "1", "-a", "1", "--measure", "mutual_info"],
        ["subset", "--method", "forward", "--criterion", "model", "--size", "1", "--format", "csv"],
    ):
        here = [*command, "--dataset", "iris", "--quiet"]
        assert main([*here, "--executor", "dask", "--scheduler", address]) == 0
        from_cluster = capsys.readouterr().out
        assert main(here) == 0
        assert capsys.readouterr().out == from_cluster
    with on_cluster(address):
        assert list(finished(joblib.effective_n_jobs, [(0, (None,))], None)) == [(0, 1)]
    with on_cluster(address), counts_are_told_to(kill_one):
        cells = sweep(problem).cells
        far = redundancy(table, "mutual_info", random_state=0)
        folds = evaluate(table.X, y, selector, cv=3)
        sets = greedy_wrapper(table, k=1, n_alternatives=1, tau=1, max_iters=4)
    assert processes[0].wait() != 0
    assert [cell.result.sets for cell in cells] == [cell.result.sets for cell in sweep(problem).cells]
    assert {cell.result.problem.lazy_redundancy for cell in cells} == {pairs}
    assert (far == redundancy(table, "mutual_info", random_state=0)).all()
    pd.testing.assert_frame_equal(folds.folds(), evaluate(table.X, y, selector, cv=3).folds())
    assert sets.sets == greedy_wrapper(table, k=1, n_alternatives=1, tau=1, max_iters=4).sets


def test_a_scheduler_without_workers(folder, monkeypatch):
    monkeypatch.setattr("pyfsel.bench.dask_executor.WAIT_SECONDS", 0.5)
    with scheduler(folder) as address, pytest.raises(InputError, match="has no workers"):
        run_suite(folder / "suite.toml", folder / "out", scheduler=address)


@pytest.mark.parametrize(
    "address", ["tcp://127.0.0.1:1", "127.0.0.1:1", "carrier-pigeon://x", "nonsense", ""]
)
def test_a_scheduler_that_is_not_there(folder, address, monkeypatch):
    monkeypatch.setattr("pyfsel.bench.dask_executor.CONNECT_SECONDS", 0.5)
    with pytest.raises(InputError, match="scheduler="):
        run_suite(folder / "suite.toml", folder / "out", scheduler=address)


AGAIN = """
import gc
import threading
from pyfsel import InputError
from pyfsel.bench import dask_executor

begin = threading.Thread.__init__
def collect_and_begin(thread, *arguments, name=None, **named):
    if name == "IO loop":
        gc.collect()
    begin(thread, *arguments, name=name, **named)
threading.Thread.__init__ = collect_and_begin
dask_executor.CONNECT_SECONDS = 0.2
for _ in range(4):
    try:
        dask_executor.DaskExecutor("nonsense")
    except InputError as error:
        error.itself = error
        print(error)
"""


def test_clients_that_could_not_connect_do_not_block_the_next():
    run = subprocess.run(
        [sys.executable, "-c", AGAIN], capture_output=True, text=True, timeout=100, check=True
    )
    assert run.stdout.count("cannot be reached") == 4


def test_without_dask(folder, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "distributed", None)
    command = ["bench", "run", str(folder / "suite.toml"), "-o", str(folder / "out"), "--executor", "dask"]
    assert main([*command, "--scheduler", "tcp://127.0.0.1:1"]) != 0
    assert "pip install 'pyfsel[dask]'" in capsys.readouterr().err
    assert main(command) == 2
    assert "--scheduler" in capsys.readouterr().err
    assert make_run.__module__ == "pyfsel.bench.dask_executor"
