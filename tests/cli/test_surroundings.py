"""Hostile surroundings: whatever the home, the files and the programs around, backends work or say why not.

Each surrounding is a way to start a program. In all of them every backend solves a tiny instance, or one line
says what is missing; nothing is left behind, and nothing waits.
"""

import json
import os
import shutil
import sys
from pathlib import Path

import pytest
from running import ended

from pyfsel.backends import get_backend
from pyfsel.problem.instance import Instance
from pyfsel.results.backend_answer import Status, StopReason
from pyfsel.solving.solve import solve

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
ROOT = pytest.mark.skipif(getattr(os, "geteuid", lambda: 1)() != 0, reason="needs root")
PYFSEL = [sys.executable, "-m", "pyfsel"]
THROUGH_FILES = ("cpsat", "mip:cbc", "minizinc:gecode", "rc2")
"""Backends that differ in how they start programs and pass files."""


def stub(text):
    """Return a surrounding in which the program minizinc is a script."""

    def surround(folder):
        program = folder / "stub" / "minizinc"
        program.parent.mkdir()
        program.write_text(text)
        program.chmod(0o755)
        return {"PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}"}, PYFSEL

    return surround


def home(name):
    """Return a surrounding with a home and temporary files in a folder of a name."""

    def surround(folder):
        there = folder / name
        (there / "tmp").mkdir(parents=True)
        return {"HOME": str(there), "XDG_CACHE_HOME": "", "TMPDIR": str(there / "tmp")}, PYFSEL

    return surround


def closed(files):
    """Return a surrounding without some of the standard files."""

    def surround(folder):
        return {}, ["sh", "-c", f'exec "$@" {files}', "sh", *PYFSEL]

    return surround


def without_descriptors(folder):
    """No /dev/fd, as in small containers."""
    (folder / "dev").mkdir()
    mounts = "mount -t tmpfs none dev && cp -a /dev/null /dev/urandom /dev/zero dev/ && mount --bind dev /dev"
    return {}, ["unshare", "-m", "sh", "-c", f'{mounts} && exec "$@"', "sh", *PYFSEL]


LENIENT = {"encoding": "utf-8", "errors": "replace"}
HANGS = "#!/bin/sh\nsleep 300 &\nexec sleep 300\n"
SURROUNDINGS = {
    "as usual": (lambda folder: ({}, PYFSEL), []),
    "home with other letters": (home("grün häuser"), []),
    "home with quotes": (home('it\'s "mine" $HOME; %d'), []),
    "home that is not UTF-8": (home(os.fsdecode(b"gr\xfcn")), [LINUX]),
    "home that cannot be written": (
        lambda folder: ({"HOME": "/proc/nope", "XDG_CACHE_HOME": ""}, PYFSEL),
        [LINUX],
    ),
    "plain locale": (lambda folder: ({"LC_ALL": "C", "LANG": "C"}, PYFSEL), []),
    "all standard files closed": (closed("0<&- 1>&- 2>&-"), [LINUX]),
    "input and errors closed": (closed("0<&- 2>&-"), [LINUX]),
    "no /dev/fd": (without_descriptors, [LINUX, ROOT]),
    "old minizinc": (stub("#!/bin/sh\necho unknown option >&2; exit 1\n"), [LINUX]),
    "talkative minizinc": (stub("#!/bin/sh\necho hello\n"), [LINUX]),
    "incomplete minizinc": (stub('#!/bin/sh\necho \'[{"id":"org.gecode.gecode"}]\'\n'), [LINUX]),
    "minizinc of numbers": (stub("#!/bin/sh\necho 17\n"), [LINUX]),
    "minizinc is no program": (stub("hi\n"), [LINUX]),
    "hanging minizinc": (stub(HANGS), [LINUX]),
}
WITHOUT_MINIZINC = {name for name in SURROUNDINGS if "minizinc" in name}
NEEDED = dict.fromkeys(WITHOUT_MINIZINC, ("cpsat", "minizinc:gecode", "minizinc:cbc"))
"""What a surrounding can disturb, beside one solver that it cannot."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=marks, id=name) for name, (_, marks) in SURROUNDINGS.items()]
)
def test_every_backend_works_or_says_why_not(tmp_path, name):
    changes, words = SURROUNDINGS[name][0](tmp_path)
    if words[0] != sys.executable and shutil.which(words[0]) is None:
        pytest.skip(f"needs {words[0]}")
    temporary = Path(changes.get("TMPDIR") or tmp_path / "tmp")
    temporary.mkdir(exist_ok=True)
    temporary.chmod(0o777)
    names = ["all"] if name == "as usual" else NEEDED.get(name, THROUGH_FILES)
    only = [word for one in names for word in ("--try", one)]
    asked = [*words, "solvers", *only, "--format", "json", "-o", "tried.json"]
    run = ended(*asked, cwd=tmp_path, **LENIENT, env=os.environ | {"TMPDIR": str(temporary)} | changes)
    told = run.stderr
    if "unshare" in told:
        pytest.skip(told)
    assert "Traceback" not in told
    assert run.returncode == 0, told
    tried = {row["name"]: row for row in json.loads((tmp_path / "tried.json").read_text())}
    assert {name for name, row in tried.items() if not row["works"]} == set()
    assert tried["cpsat"]["available"]
    assert list(temporary.iterdir()) == []
    if name in WITHOUT_MINIZINC:
        assert not tried["minizinc:gecode"]["available"]
        assert str(tmp_path / "stub") in tried["minizinc:gecode"]["told"]
    elif shutil.which("minizinc") and "minizinc:gecode" in tried:
        assert tried["minizinc:gecode"]["available"]
    assert "OPTIMAL" in tried["cpsat"]["told"]


@LINUX
@ROOT
@pytest.mark.skipif(shutil.which("setpriv") is None, reason="needs setpriv")
@pytest.mark.parametrize("command", ["select --dataset wine -k 3 -n 2", "solvers"])
def test_a_user_whom_the_system_does_not_know_needs_no_home(command):
    user = ["setpriv", "--reuid", "54321", "--regid", "54321", "--clear-groups"]
    run = ended(*user, *PYFSEL, *command.split(), cwd="/", **LENIENT, env={"PATH": os.environ["PATH"]})
    assert (run.returncode, "Traceback" in run.stderr) == (0, False), run.stderr


INFINITE = (
    "%%%mzn-stat: objectiveBound=inf\n%%%mzn-stat: nodes=nan\n%%%mzn-stat: objective=-inf\n%%%mzn-stat-end"
)


@LINUX
@pytest.mark.skipif(shutil.which("fzn-gecode") is None, reason="needs Gecode")
def test_statistics_that_are_not_finite_cost_no_answer(tmp_path):
    program, configuration = tmp_path / "fake.sh", tmp_path / "fake.msc"
    program.write_text(f"#!/bin/sh\nprintf '{INFINITE.replace('%', '%%')}\n'\nexec fzn-gecode \"$@\"\n")
    program.chmod(0o755)
    about = {"id": "org.test.fake", "name": "Fake", "version": "1", "executable": str(program)}
    about |= {"mznlib": "-Ggecode", "stdFlags": ["-a"], "supportsFzn": True, "needsSolns2Out": True}
    configuration.write_text(json.dumps(about))
    (tmp_path / "i.json").write_text(
        '{"format": "pyfsel-problem 2", "quality": [9, 8, 7, 3], "n_sets": 2, "k": 2, "max_shared": 1}'
    )
    asked = "solve i.json --search sum --solver minizinc:fake --format json"
    run = ended(
        *PYFSEL, *asked.split(), cwd=tmp_path, **LENIENT, env=os.environ | {"MZN_SOLVER_PATH": str(tmp_path)}
    )
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout)
    assert (found["status"], found["stop_reason"]) == ("OPTIMAL", "finished")


@pytest.mark.parametrize("seconds", ["2147484", "4294968", "1e300"])
@pytest.mark.parametrize("backend", ["cpsat", "minizinc:gecode", "mip:cbc", "mip:scip", "rc2"])
@pytest.mark.parametrize("search", ["sequential", "simultaneous"])
def test_a_long_time_limit_is_none(seconds, backend, search):
    if get_backend(backend).missing():
        pytest.skip(f"needs {backend}")
    problem = Instance(quality=[9, 8, 7, 3], n_sets=2, k=2, max_shared=1)
    result = solve(problem, backend, search=search, time_limit=float(seconds))
    assert (result.status, result.stop_reason) == (Status.OPTIMAL, StopReason.FINISHED)
