"""`pyfsel models try`: planted edits of models, each told for what it is."""

import pytest

from pyfsel.bench.lab import examine
from pyfsel.cli.exit_codes import ExitCode
from pyfsel.drivers.minizinc.model_files import models_dir
from pyfsel.problem.instance import Instance

SMALL = Instance(quality=[1, 2, 9, 9, 3], n_sets=2, k=2, max_shared=1)
NEVER_BOTH = "constraint forall(s in SETS)(selected[s, 2] + selected[s, 3] <= 1);\n"


TRIED = 4


@pytest.fixture(autouse=True)
def _few(monkeypatch):
    monkeypatch.setattr("pyfsel.bench.lab.PERTURBATIONS", TRIED - 1)


@pytest.fixture
def edited(tmp_path):
    """Append lines to a model of the package."""

    def write(name, lines):
        path = tmp_path / "edited.mzn"
        path.write_text(((models_dir() / f"{name}.mzn").read_text() if name else "") + lines)
        return path

    return write


NEVER_THESE = "constraint forall(s in SETS)(selected[s, 2] /\\ selected[s, 3]);\n" + NEVER_BOTH
WRONG_SYMMETRY = "constraint symmetry_breaking_constraint(selected[0, 2]);\n"
LOOSE = 'include "lib/selected.mzn";\nsolve maximize sum(s in SETS)(quality_of(s));\n'
LITERAL, ONE = "simultaneous_sum_literal", SMALL.replace(n_sets=1)
EDITS = {
    "asks more": (LITERAL, NEVER_BOTH, SMALL, "right", "optima are worse than the problem's"),
    "no solution": (
        LITERAL,
        NEVER_THESE,
        SMALL,
        "infeasible",
        f"{TRIED} of {TRIED} instances have sets, but none of the model; first: univariate",
    ),
    "no sizes": ("", LOOSE, SMALL, "breaks rules", "break the rules of univariate sum, n_features=5"),
    "beside an order": ("sequential", NEVER_BOTH, ONE, "UNSOUND", "ranking.mzn:"),
    "repaired": ("sequential", NEVER_BOTH + "told_apart = {2, 3};\n", ONE, "right", "keep the rules"),
    # the optimum of the instance itself survives it, those of the same with other qualities do not
    "wrong symmetry": (LITERAL, WRONG_SYMMETRY, SMALL, "UNSOUND", "selected[0, 2]"),
    "no solve item": ("", "var bool: x;\n", SMALL, "does not compile", "has no solve item"),
}


@pytest.mark.parametrize("name", EDITS)
def test_verdicts_of_edits(edited, name):
    model, lines, problem, verdict, told = EDITS[name]
    report = examine(edited(model, lines), [problem])
    assert report.verdict == verdict
    assert told in "\n".join(report.lines())
    assert report.instances == (0 if report.error else TRIED)
    if verdict == "UNSOUND":
        survives = name == "wrong symmetry"
        assert (report.wrong["problem"]["quality"] != problem.quality.tolist()) == survives


def test_ctrl_c_keeps_what_is_found(monkeypatch, run, tmp_path):
    def interrupted(problem, seed):
        yield problem
        raise KeyboardInterrupt

    instance = tmp_path / "p.json"
    SMALL.replace(n_sets=1).save(instance)
    monkeypatch.setattr("pyfsel.bench.lab._perturbed", interrupted)
    models = [models_dir() / f"{name}.mzn" for name in ("sequential", "sequential_literal")]
    printed = run(["models", "try", *models, "--instances", instance], ExitCode.INTERRUPTED).out
    assert "sequential.mzn: interrupted" in printed
    assert "sequential_literal" not in printed


def test_a_model_that_does_not_compile_says_where(edited, run):
    path = edited("sequential", "constraint chosen[0, 1];\n")
    line = len(path.read_text().splitlines())
    (told,) = run(f"models try {path} --format json", ExitCode.VIOLATIONS).data
    assert told["verdict"] == "does not compile"
    assert told["error"].startswith(f"edited.mzn:{line}: ")


def test_features_that_an_edit_names_matter_in_generated_instances(edited):
    assert examine(edited("sequential", NEVER_BOTH), seed=1).verdict == "UNSOUND"
