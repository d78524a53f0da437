"""The part of a problem on demand that holds every optimum, against brute force over the whole."""

import json

import numpy as np
import pytest

from pyfsel import Group, InputError
from pyfsel.backends.export import FORMATS, export
from pyfsel.cli.app import main
from pyfsel.errors import NoSolutionError, UnsupportedError
from pyfsel.measures.on_demand import Products
from pyfsel.problem import values
from pyfsel.problem.problem import Problem
from pyfsel.questions.optimal_part import optimal_part
from pyfsel.questions.ties import ties
from pyfsel.results.solution_file import verify
from pyfsel.solving.solve import solve


def wide_problem(rng, **fields):
    """Return a problem of random qualities of both signs, with many ties or few, and pairs on demand."""
    n, n_rows = int(rng.integers(6, 9)), int(rng.integers(2, 5))
    columns = rng.integers(-1, 2, (n, n_rows)) if rng.random() < 0.5 else rng.standard_normal((n, n_rows))
    length = np.maximum(np.sqrt((columns**2).sum(axis=1, keepdims=True)), 1e-9)
    spread = int(rng.choice([1, 4, 1000]))
    quality = rng.integers(rng.choice([-2 * spread, -spread, 0]), spread + 1, n)
    pairs = Products(np.rint(columns / length * 2.0**26), largest=spread)
    k = int(rng.integers(1, 4))
    shared = int(rng.integers(0 if k < 3 else 1, k + 1))
    return Problem(quality, 1, k, shared, objective="mrmr", lazy_redundancy=pairs).replace(**fields)


def in_memory(problem):
    return problem.replace(lazy_redundancy=None, redundancy=problem.lazy_redundancy.matrix())


def known_sets(problem, rng):
    """Return valid sets, the best ones or those best for other qualities; None if there are none."""
    whole = in_memory(problem)
    if rng.random() < 0.5:
        whole = whole.replace(quality=rng.permutation(whole.quality), min_quality=None)
    sets = solve(whole, "brute-force", "simultaneous").sets
    return sets if sets and not verify(problem, sets) else None


def side_constraints(rng, n):
    """Return the fields of some constraints that one set at a time must satisfy."""
    first, second, third = rng.permutation(n)[:3].tolist()
    return [
        {},
        {"conflicts": [(first, second)]},
        {"forbidden": [first, second]},
        {"groups": [Group((first, second, third), at_most=1)], "min_quality": -5},
        {"costs": rng.integers(0, 4, n), "budget": 5},
    ][rng.integers(5)]


@pytest.mark.parametrize("aggregate", ["sum", "min"])
def test_it_holds_every_optimum_of_the_whole(aggregate):
    rng, smaller, checked = np.random.default_rng(len(aggregate)), 0, 0
    for _ in range(40):
        problem = wide_problem(rng, n_sets=int(rng.integers(1, 4)), aggregate=aggregate)
        problem = problem.replace(**side_constraints(rng, problem.n_features))
        if rng.random() < 0.3:
            previous = rng.permutation(problem.n_features)[: problem.set_size].tolist()
            problem = problem.replace(previous_sets=[previous])
        elif rng.random() < 0.4 and not problem.side_constraints and problem.max_overlap:
            problem = problem.replace(forced=[int(rng.integers(problem.n_features))])
        sets = known_sets(problem, rng)
        if sets is None:
            continue
        part = optimal_part(problem, sets, "simultaneous")
        best = solve(part.problem, "brute-force", "simultaneous")
        whole = solve(in_memory(problem), "brute-force", "simultaneous")
        assert best.status == whole.status == "OPTIMAL"
        assert best.integer_objective == whole.integer_objective
        mapped = part.invert(best.sets)
        assert not verify(problem, mapped)
        assert values.total(problem, mapped) == whole.integer_objective
        assert part.apply_to_sets(whole.sets) is not None
        is_best = values.total(problem, sets) == whole.integer_objective
        assert not is_best or part.apply_to_sets(sets) is not None
        smaller += part.problem.n_features < problem.n_features
        checked += 1
    assert checked >= 25
    assert smaller >= 5


def test_all_ties_are_in_it():
    rng = np.random.default_rng(7)
    for n_sets in (1, 1, 2, 2):
        problem = wide_problem(rng, n_sets=n_sets, set_size=2, max_overlap=1)
        all_of_them = ties(in_memory(problem), limit=10**4)
        part = optimal_part(problem, all_of_them.families[0], "simultaneous")
        assert all_of_them.is_complete
        assert all(part.apply_to_sets(family) for family in all_of_them.families)


def outcomes(problem, found=()):
    """Return the values of the sets of every sequential search, one for each choice among best sets."""
    if len(found) == problem.n_sets:
        return {frozenset(found)}
    step = ties(problem.after(found), limit=10**4)
    if not step.families:
        return {frozenset(found)}
    return {end for (members,) in step.families for end in outcomes(problem, (*found, members))}


@pytest.mark.parametrize("aggregate", ["sum", "min"])
def test_weak_sets_give_way_to_better_ones(aggregate):
    pairs = Products(np.eye(6) * 2.0**26, largest=1)
    problem = Problem(
        [9, 9, 8, 8, 1, 1], 2, 2, 0, objective="mrmr", aggregate=aggregate, lazy_redundancy=pairs
    )
    assert optimal_part(problem, [(4, 5), (0, 1)], "simultaneous").kept == (0, 1, 2, 3)


def test_sets_one_after_another_are_those_of_the_whole():
    rng, several = np.random.default_rng(5), 0
    for _ in range(8):
        problem = wide_problem(rng, n_sets=2, set_size=2, max_overlap=int(rng.integers(0, 2)))
        sets = known_sets(problem, rng)
        if sets is None:
            continue
        part = optimal_part(problem, sets)
        ours = {frozenset(part.invert(found)) for found in outcomes(part.problem)}
        assert ours == outcomes(in_memory(problem))
        several += len(ours) > 1
        assert "one after another" in part.problem.part_of
    assert several


@pytest.fixture
def problem():
    columns = np.eye(6)[[0, 0, 1, 2, 3, 4]] * 2.0**26
    return Problem(
        [9, 9, 8, 3, 2, 1], 1, 2, 1, objective="mrmr", lazy_redundancy=Products(columns, largest=10)
    )


def test_files_say_what_they_hold(problem, tmp_path):
    part = optimal_part(problem, solve(problem)).problem
    assert part.feature_names == ("x0", "x1", "x2")
    about = "3 of 6 features: with every optimum for 1 set, proved from sets of integer objective 17"
    part.save(tmp_path / "part.json")
    assert Problem.load(tmp_path / "part.json") == part
    for name in FORMATS:
        with pytest.raises(InputError, match=r"lazy_redundancy: .* --incumbent FILE"):
            export(problem, name)
        assert about in export(part, name)


def test_what_is_not_proved_is_refused(problem, monkeypatch):
    two = problem.replace(n_sets=2)
    with pytest.raises(InputError, match="incumbent: set 0 holds a feature twice"):
        optimal_part(problem, [(1, 1)])
    with pytest.raises(InputError, match="incumbent: is for redundancies on demand"):
        optimal_part(in_memory(problem), [(0, 2)])
    with pytest.raises(UnsupportedError, match="with conflicts no part is proved for 2 sets"):
        optimal_part(two.replace(conflicts=[(0, 1)]), [(0, 2), (1, 2)])
    with pytest.raises(UnsupportedError, match="with forbidden features in previous sets no"):
        optimal_part(two.replace(previous_sets=[(3, 4)], forbidden=[3]), [(0, 2), (1, 2)])
    with pytest.raises(NoSolutionError, match="time_limit: is too short"):
        optimal_part(problem, [(0, 2)], time_limit=1e-9)
    monkeypatch.setattr("pyfsel.questions.optimal_part.MOST_SEQUENCES", 2)
    with pytest.raises(NoSolutionError, match="more than 2 sequences of equally good sets"):
        optimal_part(two, [(0, 2), (1, 2)])
    monkeypatch.setattr("pyfsel.questions.optimal_part.LARGEST_POOL", 1)
    with pytest.raises(NoSolutionError, match="more than 1 sets can be in a better solution"):
        optimal_part(problem, [(0, 2)])
    monkeypatch.undo()
    monkeypatch.setattr("pyfsel.questions.optimal_part.MOST_FEATURES", 2)
    with pytest.raises(NoSolutionError, match="better sets can have 3 features, more than 2"):
        optimal_part(problem, [(0, 2)])


def test_on_the_command_line(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("pyfsel.measures.compute.MOST_FEATURES_IN_MEMORY", 3)
    rng = np.random.default_rng(0)
    columns = rng.standard_normal((60, 12))
    target = (columns[:, :4].sum(axis=1) > 0).astype(int)
    table, sets, part = (tmp_path / name for name in ("genes.csv", "sets.csv", "part.json"))
    header = ",".join([*(f"g{j}" for j in range(12)), "y"])
    np.savetxt(table, np.column_stack([columns, target]), delimiter=",", header=header, comments="")
    asked = [str(table), "-t", "y", "--objective", "mrmr", "--measure", "pearson", "-k", "3", "-a", "1"]
    assert main(["problem", *asked]) == 2
    assert "--incumbent FILE" in capsys.readouterr().err
    assert main(["select", *asked, "-o", str(sets)]) == 0
    assert main(["problem", *asked, "--incumbent", str(sets), "-o", str(part)]) == 0
    assert "of 12 features: with every optimum for 2 sets, one after another" in capsys.readouterr().err
    assert main(["solve", str(part), "--format", "json"]) == 0
    found = [entry["features"] for entry in json.loads(capsys.readouterr().out)["feature_sets"]]
    listed = [line.split(",")[-3:] for line in sets.read_text().splitlines()[1:]]
    assert found == listed
    stated = ["--search", "sequential", "--incumbent", str(sets), "-o", str(part)]
    assert main(["problem", *asked, *stated]) == 0
    assert Problem.load(part).search == "sequential"
