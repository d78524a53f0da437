"""The backend `auto`: what it chooses, and that it says so."""

import pytest

from pyfsel.backends import GONE, choose, registry
from pyfsel.errors import InputError
from pyfsel.problem.instance import Instance
from pyfsel.solving.solve import solve

QUALITY = [9, 8, 7, 6, 5, 4, 3, 2, 1, 1]
MRMR = {"objective": "mrmr", "pairs": [[0] * 10] * 10}
GRAPH_SCORE = {"objective": "graph_score", "pairs": [[0] * 10] * 10, "n_sets": 1}


def problem_with(**fields):
    return Instance(**({"quality": QUALITY, "n_sets": 3, "k": 4, "max_shared": 2} | fields))


@pytest.mark.parametrize(
    ("fields", "name", "reason"),
    [
        ({}, "mip:highs", "patterns of few sets"),
        ({"costs": QUALITY, "budget": 20}, "cpsat", "many sets"),
        ({"aggregate": "min"}, "packing-cpsat", "few sets are good enough"),
        ({"aggregate": "min", "n_sets": 7}, "cpsat", "many sets"),
        ({"objective": "fcbf", "conflicts": [(0, 1)]}, "packing-cpsat", "conflicts"),
        ({**MRMR, "forced": [0]}, "ksubgraph", "mRMR"),
        ({**MRMR, "max_shared": 1, "n_sets": 2}, "prices", "share so little"),
        ({**MRMR, "max_shared": 1}, "ksubgraph", "mRMR"),
        ({**MRMR, "max_shared": 1, "aggregate": "min"}, "ksubgraph", "mRMR"),
        ({**GRAPH_SCORE, "k_min": 1}, "ksubgraph", "pairs of features"),
        ({**GRAPH_SCORE, "objective": "cfs", "k_min": 1, "k": 10}, "ksubgraph", "pairs"),
        (
            {**GRAPH_SCORE, "objective": "cfs", "forced": [0], "previous": [(0, 1, 2, 3)]},
            "ksubgraph",
            "pairs",
        ),
        ({"max_shared": 4}, "sorting", "best features"),
        ({"quality": range(200), "n_sets": 1, "previous": [(0, 1, 2, 3)]}, "cpsat", "large tables"),
        ({"max_shared": 3}, "ranking", "only differ"),
        ({"max_shared": 0, "n_sets": 2}, "sorting", "best features"),
    ],
)
def test_the_choice_and_its_reason(fields, name, reason):
    backend, why = choose.choose_backend(problem_with(**fields))
    assert backend.name == name
    assert why.startswith(f"auto chose {name}: ")
    assert reason in why


def test_the_next_one_is_taken_if_a_backend_is_missing(monkeypatch):
    monkeypatch.setattr(type(registry()["cpsat"]), "missing", lambda self: "pip install it")
    assert choose.choose_backend(problem_with(n_sets=4))[0].name == "packing"


def test_every_refusal_is_named_if_nothing_is_left(monkeypatch):
    for backend in registry().values():
        monkeypatch.setattr(type(backend), "missing", lambda self: "pip install it")
    with pytest.raises(InputError, match=r"'auto': none takes this problem: pip install it$"):
        choose.choose_backend(problem_with())
    monkeypatch.setattr(type(registry()["rc2"]), "missing", lambda self: "ask for it")
    with pytest.raises(InputError, match=r"sorting, .*, brute-force: pip install it; rc2: ask for it$"):
        choose.choose_backend(problem_with())


def test_a_refusal_by_all_is_said_once():
    cfs = problem_with(**{**MRMR, "objective": "cfs"})
    with pytest.raises(InputError) as caught:
        solve(cfs, search="simultaneous")
    assert str(caught.value) == (
        "solver='auto': none takes this problem: objective cfs is for one set after another "
        "(search='sequential')"
    )


@pytest.mark.parametrize("name", GONE)
def test_a_backend_that_is_gone_names_what_replaces_it(name):
    assert name not in registry()
    with pytest.raises(InputError, match=rf"solver='{name}': pyfsel no longer has .* Use {GONE[name][:5]}"):
        solve(problem_with(), name)
    assert all(word in registry() for word in GONE[name].split(" or ")[-1:])
