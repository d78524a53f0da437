"""`pyfsel models try`: planted edits of models, each told for what it is."""

import json

import pytest

from pyfsel.backends.minizinc.dzn import dzn_text
from pyfsel.bench.lab import examine
from pyfsel.cli.app import main
from pyfsel.cli.exit_codes import ExitCode
from pyfsel.drivers.minizinc.model_files import models_dir
from pyfsel.problem.instance import Instance

SMALL = Instance(quality=[1, 2, 9, 9, 3], n_sets=2, k=2, max_shared=1)
NEVER_BOTH = "constraint forall(s in SETS)(selected[s, 2] + selected[s, 3] <= 1);\n"


@pytest.fixture
def edited(tmp_path):
    """Append lines to a model of the package."""

    def write(name, lines):
        path = tmp_path / "edited.mzn"
        path.write_text((models_dir() / f"{name}.mzn").read_text() + lines)
        return path

    return write


NEVER_THESE = "constraint forall(s in SETS)(selected[s, 2] /\\ selected[s, 3]);\n" + NEVER_BOTH


@pytest.mark.parametrize(
    ("lines", "verdict"),
    [(NEVER_BOTH, "right"), (NEVER_THESE, "infeasible"), (None, "breaks rules")],
)
def test_verdicts_of_edits(edited, lines, verdict, tmp_path):
    if lines is None:
        model = tmp_path / "loose.mzn"
        model.write_text('include "lib/selected.mzn";\nsolve maximize sum(s in SETS)(quality_of(s));\n')
    else:
        model = edited("simultaneous_sum_literal", lines)
    report = examine(model, [SMALL])
    assert report.verdict == verdict
    if verdict == "right":
        assert (report.instances, len(report.other_answers) >= 1) == (9, True)
    if verdict == "infeasible":
        assert len(report.without_sets) == report.instances


def test_an_edit_beside_symmetry_breaking_is_unsound(edited):
    report = examine(edited("sequential", NEVER_BOTH), [SMALL.replace(n_sets=1)])
    assert report.verdict == "UNSOUND"
    assert report.wrong["problem"]["n_features"] == 5
    assert report.wrong["best"].startswith("12 ")
    assert "ranking.mzn" in report.wrong["because"][0]
    repaired = edited("sequential", NEVER_BOTH + "told_apart = {2, 3};\n")
    assert examine(repaired, [SMALL.replace(n_sets=1)]).verdict == "right"


def test_a_wrong_symmetry_is_found_although_the_optimum_of_the_instance_survives_it(edited):
    lines = "constraint symmetry_breaking_constraint(selected[0, 2]);\n"
    report = examine(edited("simultaneous_sum_literal", lines), [SMALL])
    assert (report.verdict, report.instances) == ("UNSOUND", 9)
    assert report.wrong["problem"]["quality"] != SMALL.quality.tolist()
    assert "selected[0, 2]" in report.wrong["because"][0]


@pytest.mark.parametrize("suffix", ["json", "dzn"])
def test_instances_have_further_data_as_in_solve(edited, suffix, tmp_path, capsys):
    model = edited("simultaneous_sum_literal", "int: seats;\nconstraint selected[0, seats];\n")
    text = {"json": json.dumps(SMALL.to_dict() | {"seats": 1}), "dzn": dzn_text(SMALL) + "seats = 1;\n"}[
        suffix
    ]
    instance = tmp_path / f"it.{suffix}"
    instance.write_text(text)
    assert main(["models", "try", str(model), "--instances", str(instance)]) == ExitCode.OK
    assert "edited.mzn: right" in capsys.readouterr().out


def test_ctrl_c_keeps_what_is_found(monkeypatch, capsys, tmp_path):
    def interrupted(*given):
        raise KeyboardInterrupt

    instance = tmp_path / "p.json"
    SMALL.replace(n_sets=1).save(instance)
    monkeypatch.setattr("pyfsel.bench.lab._Lab.measure", interrupted)
    models = [str(models_dir() / f"{name}.mzn") for name in ("sequential", "sequential_literal")]
    assert main(["models", "try", *models, "--instances", str(instance), "--costs"]) == ExitCode.INTERRUPTED
    printed = capsys.readouterr().out
    assert "sequential.mzn: interrupted" in printed
    assert "keep the rules of the problem" in printed
    assert "sequential_literal" not in printed


def test_a_model_that_does_not_compile_says_where(edited, capsys):
    path = edited("sequential", "constraint chosen[0, 1];\n")
    line = len(path.read_text().splitlines())
    assert main(["models", "try", str(path), "--format", "json"]) == ExitCode.VIOLATIONS
    (told,) = json.loads(capsys.readouterr().out)
    assert told["verdict"] == "does not compile"
    assert told["error"].startswith(f"edited.mzn:{line}: ")


def test_costs_are_measured_without_each_strengthening():
    report = examine(models_dir() / "sequential.mzn", [SMALL.replace(n_sets=1)], costs=True)
    assert report.verdict == "right"
    assert [row["without"].partition(":")[0] for row in report.costs] == [
        "nothing",
        "sequential.mzn",
        "sequential.mzn",
        "all of these",
    ]
    assert {row["value"] for row in report.costs} == {18}


def test_a_model_without_a_solve_item_does_not_compile(tmp_path):
    path = tmp_path / "m.mzn"
    path.write_text("var bool: x;\n")
    report = examine(path)
    assert (report.verdict, "has no solve item" in report.error) == ("does not compile", True)


@pytest.mark.parametrize("seed", range(2))
def test_features_that_an_edit_names_matter_in_generated_instances(edited, seed):
    assert examine(edited("sequential", NEVER_BOTH), seed=seed).verdict == "UNSOUND"
