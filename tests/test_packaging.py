"""The wheel solves by itself, and imports stay light."""

import ast
import json
import os
import re
import sys
import tomllib
import venv
import zipfile
from importlib.metadata import PackageNotFoundError, files
from itertools import chain
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from running import ended, python

from pyfsel.core.building import LIBRARY

ROOT = Path(__file__).parents[1]
SOLVER_LIBRARIES = (
    "ortools",
    "pysat",
    "sklearn",
    "highspy",
    "scipy",
    "pandas",
)
SOLVE = """
import json
import sys
import pyfsel
from pyfsel.core.building import current_library
from pyfsel.drivers.minizinc.model_files import models_dir

problem = pyfsel.Problem([9, 8, 7, 3, 2, 1], k=2, n_sets=3, dissimilarity=0.5)
objectives = {name: sum(s.quality for s in pyfsel.solve(problem, name)) for name in sys.argv[1:]}
files = [pyfsel.__file__, str(models_dir()), str(current_library())]
print(json.dumps([pyfsel.__version__, files, objectives]))
"""


def run(command, **more):
    done = ended(*command, timeout=None, **more)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def built_wheel(folder):
    """Build the wheel from the source distribution, with what is installed and no C compiler but Zig's."""
    environment = {name: value for name, value in os.environ.items() if name != "CC"} | {"PATH": str(folder)}
    run([sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT], env=environment)
    (built,) = folder.glob("*.whl")
    return built


def test_the_wheel_holds_the_package_the_models_and_the_licence_and_solves(tmp_path):
    """It is built once: these are the dearest seconds of this file."""
    wheel = built_wheel(tmp_path)
    holds_the_package_the_models_and_the_licence(wheel)
    solves_when_it_is_installed(wheel, tmp_path / "venv")


def holds_the_package_the_models_and_the_licence(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    models = {path.relative_to(ROOT / "models").as_posix() for path in (ROOT / "models").rglob("*.mzn")}
    assert models
    assert {f"pyfsel/_models/{name}" for name in models} <= names
    modules = {path.relative_to(ROOT).as_posix() for path in (ROOT / "pyfsel").rglob("*.py")}
    assert modules <= names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert wheel.name.split("-")[2:4] == ["py3", "none"]
    assert "any" not in wheel.name
    assert {name for name in names if name.startswith("pyfsel/core/") and not name.endswith(".py")} == {
        f"pyfsel/core/{LIBRARY.name}"
    }
    assert not [name for name in names if name.startswith(("tests", "benchmarks", "instances"))]


def solves_when_it_is_installed(wheel, home):
    """The dependencies come from this environment, the package from the wheel, nothing from the checkout."""
    venv.create(home, with_pip=False)
    python = home / "bin" / "python"
    purelib = Path(run([python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]).strip())
    install = [sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-index", wheel]
    run([*install, "--quiet", "--disable-pip-version-check"])
    borrowed = [path for path in sys.path if Path(path).name == "site-packages"]
    # plain lines of a .pth file add folders, and do not read the .pth files there: no editable install
    (purelib / "borrowed.pth").write_text("\n".join(borrowed) + "\n")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    out = run([python, "-c", SOLVE, "brute-force", "packing", "minizinc:gecode"], cwd=home, env=environment)
    version, (file, models, library), objectives = json.loads(out)
    assert Path(file).is_relative_to(home)
    assert version == wheel.name.split("-")[1]
    assert Path(models) == Path(file).parent / "_models"
    assert Path(library).parent == Path(file).parent / "core"
    assert set(objectives.values()) == {48}
    command = home / "bin" / "pyfsel"
    assert "minizinc:gecode" in run([command, "solvers"], cwd=home, env=environment)


@pytest.mark.parametrize(
    "code",
    [
        "import pyfsel",
        "import pyfsel; pyfsel.Problem([3, 2, 1], k=2, n_sets=2, dissimilarity=0.5)",
        "from pyfsel.backends import registry; registry()",
    ],
)
def test_import_loads_no_solver_library(code):
    show = "import sys, json; print(json.dumps(sorted({name.split('.')[0] for name in sys.modules})))"
    loaded = json.loads(run([sys.executable, "-c", f"{code}\n{show}"]))
    assert ("numpy" in loaded) == (code != "import pyfsel")
    assert not set(SOLVER_LIBRARIES) & set(loaded)


def test_every_public_name_is_there():
    """In a process where nothing else has been loaded; what is loaded later hides no name."""
    code = (
        "import pyfsel; assert dir(pyfsel) == pyfsel.__all__ == sorted(pyfsel.__all__)\n"
        "found = {name: getattr(pyfsel, name) for name in dir(pyfsel)}\n"
        "from pyfsel import papers; assert dir(papers) == sorted(papers.__all__)\n"
        "assert all(callable(getattr(papers, name)) for name in dir(papers))\n"
        "import pyfsel.cli.app, pyfsel.backends, pyfsel.questions.sweep\n"
        "assert all(getattr(pyfsel, name) is found[name] for name in found)\n"
        "assert callable(pyfsel.explore.sweep) and pyfsel.objectives.MRMR and callable(pyfsel.compare)\n"
        "assert pyfsel.__version__"
    )
    python("-c", code, check=True)
    one = "import pyfsel; assert pyfsel.{}.__name__; assert not hasattr(pyfsel, 'nothing')"
    for name in ("explore", "objectives", "compare"):
        python("-c", one.format(name), check=True)


def pins(name):
    """Return the versions of a lock of the test environments, a list by package."""
    found = {}
    for line in (ROOT / "tests" / name).read_text("utf-8").splitlines():
        if not line.startswith(" ") and not line.startswith("#"):
            package, version = re.fullmatch(r"([\w-]+)==([\w.]+)( ; .+)?", line).group(1, 2)
            found.setdefault(package, []).append(version)
    return found


@pytest.mark.parametrize(
    ("lock", "groups"),
    [("requirements.lock", ("dev", "docs")), ("requirements-lowest.lock", ("dev",))],
)
def test_locks_fit_what_is_required(lock, groups):
    """After a change of a requirement `bash tests/lock.sh` writes them anew; the lowest are the bounds."""
    described = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    required = [
        described["project"]["dependencies"],
        *described["project"]["optional-dependencies"].values(),
        *(described["dependency-groups"][group] for group in groups),
    ]
    locked = pins(lock)
    for requirement in map(Requirement, chain.from_iterable(required)):
        versions = locked[requirement.name.lower()]
        assert all(requirement.specifier.contains(version, prereleases=True) for version in versions)
        if "lowest" in lock:
            (bound,) = (part.version.removesuffix("*") for part in requirement.specifier)
            assert all(version.startswith(bound) for version in versions), requirement.name


def top_level_names(distribution):
    """Return what can be imported of a distribution; its own name where it is not installed."""
    try:
        return {path.parts[0].split(".")[0] for path in files(distribution)}
    except PackageNotFoundError:
        return {distribution.replace("-", "_")}


def test_every_imported_library_is_a_dependency_or_an_extra():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    stated = chain(project["dependencies"], *project["optional-dependencies"].values())
    known = {"pyfsel", *sys.stdlib_module_names}
    known |= {"polars", "markupsafe"}  # a user's frames are made of the one; Jinja brings the other
    for one in stated:
        known |= top_level_names(Requirement(one).name)
    missing = set()
    for path in set((ROOT / "pyfsel").rglob("*.py")) - {ROOT / "pyfsel" / "core" / "hatch_build.py"}:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) and not node.level else []
            missing |= {(path.name, one) for one in names if one.split(".")[0] not in known}
    assert not missing
