"""The bridge against Gecode on FlatZinc from our models, with random data, objectives and further rows."""

import random
import re
import subprocess
from functools import cache

import pytest
from flatzinc_runs import SOLVERS, run_file

from pyfsel.backends import get_backend
from pyfsel.backends.minizinc.catalogue import find_model
from pyfsel.problem.instance import Instance

N_TEMPLATES = 20
N_INSTANCES = 80
FEW = range(0, N_INSTANCES, 4)
SATISFIABLE = re.compile(r"^random_goal = (-?\d+);$", re.MULTILINE)


def random_problem(generator):
    n = generator.randint(4, 7)
    size = generator.randint(1, 3)
    objective = generator.choice(["univariate", "fcbf"])
    n_conflicts = generator.randint(1, 2) if objective == "fcbf" else 0
    return Instance(
        quality=[generator.randint(-20, 100) for _ in range(n)],
        n_sets=generator.randint(1, 3),
        set_size=size,
        max_overlap=generator.randint(0, size),
        objective=objective,
        aggregate=generator.choice(["sum", "min"]),
        conflicts=[tuple(generator.sample(range(n), 2)) for _ in range(n_conflicts)],
        previous_sets=[generator.sample(range(n), size) for _ in range(generator.randint(0, 1))],
    )


@pytest.fixture(scope="module")
def templates(tmp_path_factory):
    """Compile models of random problems to linear FlatZinc."""
    folder = tmp_path_factory.mktemp("templates")
    generator = random.Random(1)
    found = []
    while len(found) < N_TEMPLATES:
        problem = random_problem(generator)
        model = find_model(problem, ["strengthened", "literal"][len(found) % 2])
        data, flat = folder / "problem.json", folder / "model.fzn"
        problem.save(data)
        command = [
            "minizinc",
            "-c",
            "-Glinear",
            "--no-output-ozn",
            "--fzn",
            str(flat),
            str(model.path),
            str(data),
        ]
        run = subprocess.run(command, capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
        if "UNSATISFIABLE" not in run.stdout + run.stderr:
            found.append(flat.read_text())
    return found


def variant(template, generator):
    """Replace the objective by a random one, and add a few random rows."""
    items = template.rstrip().splitlines()
    assert items[-1].startswith("solve")
    binaries = re.findall(r"^var 0\.\.1: (\w+)", template, re.MULTILINE)
    chosen = generator.sample(binaries, min(len(binaries), 12))
    weights = [generator.randint(-50, 50) for _ in chosen]
    largest = sum(map(abs, weights))
    first = next(i for i, item in enumerate(items) if item.startswith("constraint"))
    rows = [f"constraint int_lin_eq({[*weights, -1]}, [{','.join(chosen)},random_goal], 0);"]
    for _ in range(generator.randint(0, 2)):
        some = generator.sample(binaries, min(len(binaries), 4))
        factors = [generator.randint(-3, 3) for _ in some]
        kind = generator.choice(["le", "le", "eq"])
        rows.append(f"constraint int_lin_{kind}({factors}, [{','.join(some)}], {generator.randint(-2, 3)});")
    goal = generator.choice(["minimize", "maximize"])
    return "\n".join(
        [
            *items[:first],
            f"var {-largest}..{largest}: random_goal :: output_var;",
            *items[first:-1],
            *rows,
            f"solve {goal} random_goal;",
        ]
    )


@cache
def gecode_program():
    assert get_backend("minizinc:gecode").missing() is None
    return "fzn-gecode"


def optimum_of(output):
    """Return the proved optimum, or None if there is no solution."""
    if "=====UNSATISFIABLE=====" in output:
        return None
    assert output.rstrip().endswith("==========")
    return int(SATISFIABLE.findall(output)[-1])


def by_gecode(path):
    run = subprocess.run([gecode_program(), str(path)], capture_output=True, text=True)
    return optimum_of(run.stdout)


def compare(templates, path, instances):
    optima = []
    for number in instances:
        generator = random.Random(1000 + number)
        path.write_text(variant(templates[number % len(templates)], generator))
        name = SOLVERS[number // len(templates) % len(SOLVERS)]
        code, output, errors = run_file(name, path)
        assert code == 0, (name, number, errors)
        expected = by_gecode(path)
        assert optimum_of(output) == expected, (name, number, output)
        optima.append(expected)
    return optima


def test_some_instances(templates, tmp_path):
    optima = compare(templates, tmp_path / "model.fzn", FEW)
    assert None in optima


@pytest.mark.slow
def test_the_other_instances(templates, tmp_path):
    others = [number for number in range(N_INSTANCES) if number not in FEW]
    optima = compare(templates, tmp_path / "model.fzn", others)
    assert len(others) / 20 < optima.count(None) < len(others) / 2
    assert len(set(optima)) > 25
