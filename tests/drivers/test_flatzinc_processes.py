"""The bridge as MiniZinc starts it: limits, signals, and nothing left behind."""

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

import psutil
import pytest
from flatzinc_runs import SOLVERS, values
from running import with_enough_time

from pyfsel.drivers.minizinc.bridge import install
from pyfsel.problem.instance import Instance
from pyfsel.solving.solve import solve

PATIENCE_SECONDS = 60
N_COLUMNS = 60
FIRST_SOLUTION = {name: "Integer solution of" if name == "cbc" else "----------" for name in SOLVERS}
"""What a solver prints when it has a solution; CBC does so in its log only."""


@pytest.fixture(scope="module")
def hard_model(tmp_path_factory):
    """Return a market-split problem with slack to minimise: a solution at once, a proof not for hours."""
    generator = random.Random(3)
    names = [f"x{j}" for j in range(N_COLUMNS)]
    items = [f"var 0..1: {name};" for name in names]
    rows = []
    for i in range(6):
        weights = [generator.randint(1, 99) for _ in names]
        items += [f"var 0..9999: over{i};", f"var 0..9999: under{i};"]
        columns = ",".join([*names, f"over{i}", f"under{i}"])
        rows.append(f"constraint int_lin_eq({[*weights, -1, 1]}, [{columns}], {sum(weights) // 2});")
    slacks = ",".join(f"over{i},under{i}" for i in range(6))
    items.append("var 0..99999: z :: output_var;")
    rows.append(f"constraint int_lin_eq({[1] * 12 + [-1]}, [{slacks},z], 0);")
    path = tmp_path_factory.mktemp("hard") / "model.fzn"
    path.write_text("\n".join([*items, *rows, "solve minimize z;"]))
    return path


def command(name, *arguments):
    return [*install.command(name), *map(str, arguments)]


def started(name, *arguments, stderr=subprocess.PIPE):
    return psutil.Popen(
        command(name, *arguments),
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
        start_new_session=True,
    )


def wait_for(condition, what):
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        found = condition()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError(f"no {what} in {PATIENCE_SECONDS} s")


def finished(process):
    try:
        output, errors = process.communicate(timeout=PATIENCE_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    assert "Traceback" not in errors
    return process.returncode, output


@pytest.mark.parametrize("name", SOLVERS)
def test_time_limit(name, hard_model):

    def run(seconds):
        begin = time.monotonic()
        code, output = finished(started(name, "-t", 1000 * seconds, "-s", "-i", hard_model))
        assert time.monotonic() - begin < seconds + 5
        assert code == 0
        return output

    def is_enough(output):
        return "----------" in output and "objectiveBound" in output

    output = with_enough_time(run, is_enough, 1.5, 6, 24)
    assert "==========" not in output
    found = values(output, "z")
    assert found
    assert found == sorted(found, reverse=True)
    bounds = [line.split("=")[1] for line in output.splitlines() if "objectiveBound" in line]
    assert bounds
    assert all(float(bound) <= found[-1] for bound in bounds)


@pytest.mark.parametrize("name", ["cpsat", "highs"])
def test_a_process_that_had_to_wait_uses_its_whole_time(name, hard_model):
    """MiniZinc takes a solver that ends without a proof before its limit for one that has failed."""
    begin = time.monotonic()
    process = started(name, "-t", 3000, "-i", hard_model)
    time.sleep(1.9)
    family = [process, *process.children(recursive=True)]
    for member in family:
        member.suspend()
    time.sleep(0.5)
    for member in family:
        member.resume()
    assert finished(process)[0] == 0
    assert time.monotonic() - begin > 2.8


@pytest.mark.parametrize("milliseconds", [1, -1])
@pytest.mark.parametrize("name", SOLVERS)
def test_limit_that_is_over_at_once(name, milliseconds, hard_model):
    code, output = finished(started(name, "-t", milliseconds, hard_model))
    assert (code, output) == (0, "=====UNKNOWN=====\n")


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("name", SOLVERS)
def test_a_signal_ends_the_search_with_the_incumbent(name, end, hard_model):
    options = ["-s", "-v" if name == "cbc" else "-i"]
    process = started(name, *options, hard_model, stderr=subprocess.STDOUT)
    hanging = threading.Timer(PATIENCE_SECONDS, process.kill)
    hanging.start()
    head = next((line for line in process.stdout if FIRST_SOLUTION[name] in line), None)
    assert head is not None, "it ended without a solution"
    process.send_signal(end)
    output = process.stdout.read()
    assert process.wait() == 0
    hanging.cancel()
    assert "Traceback" not in output
    assert "==========" not in output
    assert "%%%mzn-stat: objective=" in output
    assert values(output, "z") or name != "cbc"
    assert "%%%mzn-stat-end\n" in output


def test_cbc_dies_with_the_bridge(hard_model):
    process = started("cbc", hard_model)
    children = wait_for(lambda: [child for child in process.children() if child.name() == "cbc"], "cbc")
    assert len(children) == len(process.children()) == 1
    process.kill()
    _, alive = psutil.wait_procs(children, timeout=PATIENCE_SECONDS)
    process.communicate()
    assert not alive


@pytest.mark.parametrize("name", SOLVERS)
def test_the_bridge_dies_with_its_parent(name, hard_model, tmp_path):
    """The parent is killed while the solver works; the bridge, and CBC under it, end."""
    program = f"import subprocess; subprocess.run({command(name, '-i', '-v', hard_model)!r})"
    with (tmp_path / "output").open("w") as output:
        parent = psutil.Popen(
            [sys.executable, "-c", program], stdout=output, stderr=output, start_new_session=True
        )
    wait_for(lambda: FIRST_SOLUTION[name] in (tmp_path / "output").read_text(), "solution")
    family = parent.children(recursive=True)
    assert len(family) == (2 if name == "cbc" else 1)
    parent.kill()
    parent.wait()
    _, alive = psutil.wait_procs(family, timeout=PATIENCE_SECONDS)
    for process in alive:
        process.kill()
    assert not alive


def test_killed_cbc_is_an_error_in_words(hard_model):
    process = started("cbc", hard_model)
    wait_for(process.children, "cbc")[0].kill()
    output, errors = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 1
    assert output == "=====ERROR=====\n"
    assert "cbc ended with code -9" in errors


@pytest.fixture
def crashing_cbc(tmp_path, monkeypatch):
    """Put a program `cbc` first on the PATH that crashes so often before it is the real one."""
    real = shutil.which("cbc")

    def crashing(times):
        program = tmp_path / "cbc"
        program.write_text(
            f'#!/bin/sh\necho "$@" >> {tmp_path}/calls\n'
            f"if [ $(wc -l < {tmp_path}/calls) -le {times} ]; then echo Pass 26; kill -ABRT $$; fi\n"
            f'exec {real} "$@"\n'
        )
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
        return tmp_path / "calls"

    return crashing


def test_cbc_is_run_again_with_another_seed_after_a_crash(crashing_cbc, tmp_path):
    calls = crashing_cbc(1)
    model = tmp_path / "model.fzn"
    model.write_text("var 0..9: x :: output_var; solve maximize x;")
    run = subprocess.run(command("cbc", "-r", "0", "-s", model), capture_output=True, text=True)
    assert run.stdout.startswith("x = 9;\n----------\n==========\n")
    assert "%%%mzn-stat: crashes=1" in run.stdout
    assert [call.split()[call.split().index("-randomCbcSeed") + 1] for call in calls.open()] == ["1", "2"]


def test_cbc_that_crashes_twice_is_an_error_in_words(crashing_cbc):
    calls = crashing_cbc(5)
    problem = Instance([5, 4, 3, 1], n_sets=2, set_size=2, max_overlap=1)
    result = solve(problem, "minizinc:cbc", fallback=False, search="simultaneous")
    assert result.sets
    assert result.stop_reason == "error"
    assert "pyfsel-fzn-cbc: " in result.message
    assert "cbc ended with code -6: Pass 26" in result.message
    assert sum("-solve" in call for call in calls.open()) == 2


@pytest.mark.parametrize("name", SOLVERS)
def test_no_temporary_folder_is_needed(name, tmp_path):
    model = tmp_path / "model.fzn"
    model.write_text("var 0..9: x :: output_var; solve maximize x;")
    run = subprocess.run(
        command(name, model),
        capture_output=True,
        text=True,
        cwd="/",
        env=os.environ | {"TMPDIR": str(tmp_path / "nothing"), "TMP": "/nothing", "TEMP": "/nothing"},
    )
    assert (run.returncode, run.stdout) == (0, "x = 9;\n----------\n==========\n")


def test_full_disk_is_an_error_in_words(tmp_path):
    model = tmp_path / "model.fzn"
    model.write_text("var 0..9: x :: output_var; solve maximize x;")
    with open("/dev/full", "w") as full:
        run = subprocess.run(command("cbc", model), stdout=full, stderr=subprocess.PIPE, text=True)
    assert run.returncode == 1
    assert "No space left on device" in run.stderr
    assert "Traceback" not in run.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "there must be one FlatZinc file, not 0"),
        (["--nonsense"], "option --nonsense not recognized"),
        (["-t", "soon"], "option -t takes milliseconds, not 'soon'"),
        (["-t", "nan"], "option -t takes milliseconds, not 'nan'"),
        (["-p", "all"], "option -p takes a whole number, not 'all'"),
        (["-r", "1.5"], "option -r takes a whole number, not '1.5'"),
        (["-n", "x"], "option -n takes a whole number, not 'x'"),
    ],
)
def test_wrong_arguments(arguments, words):
    files = ["x.fzn"] if arguments else []
    run = subprocess.run(command("cbc", *arguments, *files), capture_output=True, text=True)
    assert run.returncode == 2
    assert run.stderr.startswith("usage: pyfsel-fzn-cbc")
    assert run.stderr.endswith(f"pyfsel-fzn-cbc: {words}\n")


BANNER = re.compile(r"\ARunning HiGHS 1\.\d+\.\d+ .*\n(Includes third-party software .*\n)?")
"""What HiGHS 1.16 writes whenever it is made, before it can be told to be silent."""


@pytest.mark.parametrize("name", SOLVERS)
@pytest.mark.parametrize(
    "options",
    [
        ("-v",),
        ("-p", "1000000"),
        ("-p", "0"),
        ("-p", "-1"),
        ("-t", "1e30"),
        ("-r", "-7"),
        ("-r", "99999999999"),
    ],
)
def test_options_at_their_ends(name, options, tmp_path):
    model = tmp_path / "model.fzn"
    model.write_text("var 0..9: x :: output_var; constraint int_lin_le([2], [x], 9); solve maximize x;")
    run = subprocess.run(command(name, *options, model), capture_output=True, text=True, timeout=60)
    assert (run.returncode, run.stdout) == (0, "x = 4;\n----------\n==========\n"), run.stderr
    errors = BANNER.sub("", run.stderr) if name == "highs" else run.stderr
    assert not errors or options == ("-v",), errors
    # HiGHS before 1.14 has nothing to say of so small a model
    assert errors or options != ("-v",) or name == "highs"


def test_cbc_of_ortools_is_found_by_the_program_itself(tmp_path):
    model = tmp_path / "model.fzn"
    model.write_text("var 0..9: x :: output_var; constraint int_lin_le([2], [x], 9); solve maximize x;")
    run = subprocess.run(
        command("cbc", model), capture_output=True, text=True, env=os.environ | {"PATH": str(tmp_path)}
    )
    assert (run.returncode, run.stdout) == (0, "x = 4;\n----------\n==========\n"), run.stderr


def test_the_way_to_cbc_loads_little(tmp_path):
    heavy = ("argparse", "dataclasses", "fractions", "inspect", "numpy", "pyfsel.problem", "shutil", "site")
    model = tmp_path / "model.fzn"
    model.write_text("var 0..9: x :: output_var; solve maximize x;")
    program = (
        "import os, runpy, sys; from pathlib import Path\n"
        f"os._exit = lambda code: Path({str(tmp_path / 'loaded')!r}).write_text(' '.join(sys.modules))\n"
        f"sys.argv = ['launch.py', 'cbc', {str(model)!r}]\n"
        f"runpy.run_path({str(install.LAUNCHER)!r}, run_name='__main__')"
    )
    subprocess.run([sys.executable, "-P", "-S", "-c", program], check=True, capture_output=True)
    loaded = (tmp_path / "loaded").read_text().split()
    assert "pyfsel.drivers.linear.cbc" in loaded
    assert not set(heavy) & set(loaded)


def test_help_of_a_bridge():
    run = subprocess.run(command("highs", "--help"), capture_output=True, text=True)
    assert run.returncode == 0
    assert run.stdout.startswith("usage: pyfsel-fzn-highs")
    for flag in ("-a, -i", "-n N", "-f", "-t MS", "-p N", "-r N", "-s", "-v"):
        assert f"\n  {flag}  " in run.stdout


NOISY = """
import os, sys
from pyfsel.drivers.minizinc.bridge import run
load = run.load
def noisy(name):
    print("a banner in Python", flush=True)
    os.write(1, b"a banner in C\\n")
    return load(name)
run.load = noisy
run.main(sys.argv[1], sys.argv[2:])
"""


@pytest.mark.parametrize("name", SOLVERS)
def test_what_a_library_prints_is_no_part_of_the_protocol(name, tmp_path):
    """HiGHS 1.16 writes a banner to the standard output whenever it is made."""
    path = tmp_path / "model.fzn"
    path.write_text("var 0..3: x :: output_var;\nconstraint int_lin_le([2], [x], 5);\nsolve maximize x;\n")
    done = subprocess.run([sys.executable, "-c", NOISY, name, path], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "x = 2;\n----------\n==========\n")
    assert "a banner in Python\na banner in C\n" in done.stderr
