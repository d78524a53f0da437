"""The graph score (paper 004, Eq. 11): its problem, and the exact backends against all sets."""

import time
from itertools import combinations

import numpy as np
import pytest
from conformance import optimum
from hypothesis import given, settings
from hypothesis import strategies as st
from small_problems import answer_of

from pyfsel import InputError, Problem, Status, StopReason, UnsupportedError, solve
from pyfsel.algorithms.graph_score.bound import Relaxation, safe_bound
from pyfsel.algorithms.graph_score.gray_code import lowest_set
from pyfsel.algorithms.graph_score.instance import Instance
from pyfsel.algorithms.graph_score.local_search import descend, multistart
from pyfsel.algorithms.graph_score.search import Search
from pyfsel.algorithms.ksubgraph import sizes
from pyfsel.backends import get_backend
from pyfsel.problem import values as problem_values
from pyfsel.problem.graph_score import graph_score_problem, off_diagonal, shift_grid
from pyfsel.results.control import Control

EXACT = [
    ("sdp-bound", "strengthened"),
    ("gray-code", "literal"),
    ("cpsat", "strengthened"),
    ("cpsat", "literal"),
    ("rc2", "strengthened"),
    ("rc2", "literal"),
]


def problem_of(quality, redundancy):
    n = len(quality)
    return Problem(
        quality=quality,
        redundancy=redundancy,
        n_sets=1,
        set_size=n,
        min_set_size=1,
        max_overlap=n,
        objective="graph_score",
    )


def random_problem(n, seed=0, spread=10**6, lowest_pair=-(10**6)):
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.integers(lowest_pair, spread, (n, n)), 1)
    return problem_of(rng.integers(-spread, spread, n), upper + upper.T)


def correlated_problem(n, seed=0):
    """Return a problem like those of tables: absolute correlations of random factors, quartile shifts."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(300, 5)) @ rng.normal(size=(5, n)) + 2 * rng.normal(size=(300, n))
    similarity = np.abs(np.corrcoef(X.T))
    delta = rng.random(n)
    return graph_score_problem(delta, (similarity + similarity.T) / 2, weight=0.5)


@st.composite
def problems(draw, most=9):
    n = draw(st.integers(1, most))
    largest = draw(st.sampled_from([1, 6, 10**9]))
    lowest = draw(st.sampled_from([-largest, 0]))
    numbers = st.integers(-largest, largest)
    pairwise = np.zeros((n, n), dtype=int)
    count = n * (n - 1) // 2
    pairwise[np.triu_indices(n, 1)] = draw(
        st.lists(st.integers(lowest, largest), min_size=count, max_size=count)
    )
    return problem_of(draw(st.lists(numbers, min_size=n, max_size=n)), pairwise + pairwise.T)


@pytest.mark.parametrize(("name", "formulation"), EXACT)
def test_exact_backends_agree_with_all_sets(name, formulation):
    backend = get_backend(name)

    @settings(max_examples=60, deadline=None, derandomize=True)
    @given(problems(most=9 if name in ("sdp-bound", "gray-code") else 7))
    def check(problem):
        answer = answer_of(backend, problem, formulation=formulation)
        assert answer.status is Status.OPTIMAL
        assert answer.bound == problem_values.total(problem, answer.sets) == optimum(problem)

    check()


def score_only(linear, pairwise, chosen, fewest):
    """Stand in for the descent: leave the set as it is."""
    return linear[chosen].sum() + pairwise[np.ix_(chosen, chosen)].sum() // 2


@settings(max_examples=150, deadline=None, derandomize=True)
@given(problems())
def test_the_tree_alone_finds_the_optimum(problem):
    """Neither start sets nor enumeration: bounds, roundings and branching down to the last feature."""
    instance = Instance.of_problem(problem)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pyfsel.algorithms.graph_score.search.LARGEST_ENUMERATION", 0)
        patch.setattr("pyfsel.algorithms.graph_score.search.STARTS", 0)
        for module in ("local_search", "search"):
            patch.setattr(f"pyfsel.algorithms.graph_score.{module}.descend", score_only)
        result = Search(instance).run()
    assert result.finished
    assert -result.score == optimum(problem)


@pytest.mark.parametrize("seed", range(12))
def test_sdp_bound_agrees_with_gray_code(seed):
    problem = random_problem(20, seed, lowest_pair=0 if seed % 3 == 0 else -(10**6))
    answer = answer_of(get_backend("sdp-bound"), problem)
    assert answer.status is Status.OPTIMAL
    assert answer.bound == answer_of(get_backend("gray-code"), problem).bound


@pytest.mark.parametrize("seed", range(4))
def test_sdp_bound_on_blocks_of_known_optimum(seed):
    """Blocks of features without pairs between them: the optimum is the sum of the blocks' optima."""
    blocks = [correlated_problem(18, 10 * seed + number) for number in range(3)]
    n = sum(block.n_features for block in blocks)
    order = np.random.default_rng(seed).permutation(n)
    pairwise = np.zeros((n, n), np.int64)
    for number, block in enumerate(blocks):
        pairwise[18 * number : 18 * (number + 1), 18 * number : 18 * (number + 1)] = block.redundancy
    quality = np.concatenate([block.quality for block in blocks])
    answer = answer_of(get_backend("sdp-bound"), problem_of(quality[order], pairwise[np.ix_(order, order)]))
    parts = [answer_of(get_backend("gray-code"), block).bound for block in blocks]
    assert min(parts) > 0
    assert answer.status is Status.OPTIMAL
    assert answer.bound == sum(parts)


def test_sdp_bound_proves_sixty_features():
    result = solve(correlated_problem(60), "sdp-bound", time_limit=300, search="simultaneous")
    assert result.status is Status.OPTIMAL
    assert result.statistics["nodes"] > 1


@settings(max_examples=200, deadline=None, derandomize=True)
@given(problems(), st.data())
def test_deciding_features_keeps_scores(problem, data):
    instance = Instance.of_problem(problem)
    n = problem.n_features
    where = data.draw(st.lists(st.sampled_from(["in", "out", "free"]), min_size=n, max_size=n))
    part = instance.decide(
        [j for j in range(n) if where[j] == "in"], [j for j in range(n) if where[j] == "out"]
    )
    chosen = np.array(
        data.draw(st.lists(st.booleans(), min_size=len(part.free), max_size=len(part.free))), dtype=bool
    )
    features = part.features_of(chosen)
    inner = part.linear[chosen].sum() + part.pairwise[np.ix_(chosen, chosen)].sum() // 2 + part.constant
    assert {j for j in range(n) if where[j] == "in"} <= set(features)
    assert not {j for j in range(n) if where[j] == "out"} & set(features)
    if features:
        assert inner == -problem_values.value(problem, features)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(problems())
def test_simplifying_keeps_the_lowest_score(problem):
    """Among all sets, the empty one included."""
    simple = Instance.of_problem(problem).simplify()
    lowest = min(
        simple.linear[list(s)].sum() + sum(simple.pairwise[i, j] for i, j in combinations(s, 2))
        for size in range(len(simple.free) + 1)
        for s in combinations(range(len(simple.free)), size)
    )
    assert lowest + simple.constant == min(0, -optimum(problem))


@settings(max_examples=100, deadline=None, derandomize=True)
@given(problems(most=8), st.integers(0, 1000))
def test_bounds_are_below_all_scores_whatever_the_multipliers(problem, seed):
    """Safe bounds hold after any number of steps, and for arbitrary y and γ."""
    instance = Instance.of_problem(problem)
    lowest = min(0, -optimum(problem))
    rng = np.random.default_rng(seed)
    relaxation = Relaxation.of(instance, rng)
    for iterations in (1, 3, 30):
        relaxation.tighten(1e12, iterations, lambda: False)
        assert relaxation.bound <= lowest
    y = rng.normal(size=len(relaxation.C)) * 10.0 ** rng.integers(0, 8)
    assert safe_bound(relaxation.C, y, np.zeros(0), relaxation.constant) <= lowest


def test_triangle_inequalities_tighten_the_bound():
    """On an odd cycle of pairs that help the relaxation without them is loose."""
    instance = Instance.of_problem(correlated_problem(30, 5))
    relaxation = Relaxation.of(instance, np.random.default_rng(0))
    relaxation.tighten(0.0, 1, lambda: False)
    first = relaxation.bound
    relaxation.tighten(0.0, 100, lambda: False)
    assert relaxation.bound > first
    assert len(relaxation.triangles.rows) > 0


@settings(max_examples=100, deadline=None, derandomize=True)
@given(problems(), st.integers(0, 100))
def test_local_search_is_locally_optimal(problem, seed):
    instance = Instance.of_problem(problem)
    score, features = multistart(instance, 3, seed)
    assert score == -problem_values.value(problem, features)
    inside, outside = set(features), set(range(problem.n_features)) - set(features)
    neighbours = [inside | {j} for j in outside] + [inside - {i} for i in inside if len(inside) > 1]
    neighbours += [inside - {i} | {j} for i in inside for j in outside]
    assert all(-problem_values.value(problem, tuple(s)) >= score for s in neighbours)


def test_descend_keeps_the_fewest():
    linear, pairwise = np.array([5, 4, 3]), np.zeros((3, 3), np.int64)
    for fewest, left in ((0, 0), (1, 1), (2, 2)):
        chosen = np.ones(3, dtype=bool)
        assert descend(linear, pairwise, chosen, fewest) == linear[chosen].sum()
        assert chosen.sum() == left


@settings(max_examples=100, deadline=None, derandomize=True)
@given(problems())
def test_gray_code_in_parts(problem):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pyfsel.algorithms.graph_score.gray_code.FEATURES_PER_CALL", 3)
        found = list(lowest_set(Instance.of_problem(problem)))
    scores = [score for score, _ in found]
    assert scores == sorted(set(scores), reverse=True)
    assert -scores[-1] == optimum(problem) == problem_values.value(problem, found[-1][1])


def test_a_size_whose_bound_is_one_better_is_searched(monkeypatch):
    monkeypatch.setattr(sizes, "swap_search", lambda *arguments, **options: None)
    sizes_1_and_2 = {"n_sets": 1, "min_set_size": 1, "set_size": 2, "max_overlap": 2}
    redundancy = np.zeros((3, 3), dtype=int)
    problem = Problem([5, 1, -3], objective="graph_score", redundancy=redundancy, **sizes_1_and_2)
    answer = sizes.best_of_sizes(problem, Control(hint=((0,),)))
    assert (answer.status, answer.sets, answer.bound) == (Status.OPTIMAL, ((0, 1),), 6)


def test_bounds_and_sets_are_streamed():
    problem = correlated_problem(40, 1)
    bounds, sets = [], []
    control = Control(report_sets=sets.append, report_bound=bounds.append)
    answer = get_backend("sdp-bound").solve(problem, control)
    assert bounds == sorted(set(bounds), reverse=True)
    assert bounds[-1] == answer.bound
    values = [problem_values.total(problem, s) for s in sets]
    assert values == sorted(set(values))
    assert values[-1] == answer.bound


@pytest.mark.parametrize(("name", "n_features"), [("sdp-bound", 300), ("asdp", 1500)])
@pytest.mark.parametrize("seconds", [0.01, 1.0])
def test_time_limits_are_kept(name, n_features, seconds):
    problem = random_problem(n_features, 1)
    begin = time.monotonic()
    result = solve(problem, name, time_limit=seconds, search="simultaneous")
    assert time.monotonic() - begin < seconds + 20
    assert result.status in (Status.FEASIBLE, Status.NOT_SOLVED)
    assert result.stop_reason is StopReason.TIME_LIMIT
    assert result.bound is None or result.bound >= result.objective


def test_stopped_search_has_a_true_bound():
    problem = correlated_problem(40, 2)
    best = solve(problem, "sdp-bound", search="simultaneous").integer_objective
    for patience in (0, 5, 60, 200):
        calls = iter(range(10**6))
        result = Search(Instance.of_problem(problem), expired=lambda c=calls, p=patience: next(c) >= p).run()
        assert -result.bound >= best >= -result.score
        assert not result.finished or -result.score == best


def test_same_seed_same_search():
    instance = Instance.of_problem(correlated_problem(40, 3))
    assert Search(instance, random_state=5).run() == Search(instance, random_state=5).run()


def test_refusals_are_reasons():
    problem = random_problem(8)
    backend = get_backend("sdp-bound")
    for changes, reason in (
        ({"n_sets": 2}, "one set, not 2"),
        ({"conflicts": [(0, 1)]}, "no conflicts"),
        ({"set_size": 7, "max_overlap": 7}, "any size only, not of 1 to 7 of 8"),
        ({"min_set_size": 2}, "not of 2 to 8"),
    ):
        assert reason in backend.refusal(problem.replace(**changes), "strengthened")
    assert "2**30 sets" in get_backend("gray-code").refusal(random_problem(30), "literal")
    assert "smallest quality of sets that differ in size" in get_backend("rc2").refusal(
        problem.replace(n_sets=2, aggregate="min"), "strengthened"
    )


def test_problem_is_equation_11():
    rng = np.random.default_rng(0)
    delta, similarity = rng.random(6), rng.random((6, 6))
    problem = graph_score_problem(delta, similarity, weight=0.3, shift_delta=0.4, shift_p=0.2)
    pairs = (similarity + similarity.T) / 2
    for s in [(0,), (1, 4), (0, 2, 3, 5)]:
        score = 0.3 * sum(delta[i] - 0.4 for i in s) + 0.7 * sum(
            pairs[i, j] - 0.2 for i, j in combinations(s, 2)
        )
        assert problem_values.qualities(problem, [s])[0] == pytest.approx(-score)
        assert -problem_values.value(problem, s) / problem.scale == pytest.approx(score, abs=1e-5)


def test_shifts_default_to_medians():
    delta, similarity = [0.1, 0.2, 0.9], np.array([[0, 0.3, 0.5], [0.3, 0, 0.8], [0.5, 0.8, 0]])
    default = graph_score_problem(delta, similarity)
    assert default == graph_score_problem(delta, similarity, shift_delta=0.2, shift_p=0.5)


def test_shift_grid():
    assert shift_grid([3, 1, 2, 4]) == (0, 1.5, 2.5, 3.5, 1)
    assert shift_grid([3, 1, 2]) == (0, 1, 2, 3, 1)
    assert shift_grid([0.7]) == (0, 0.7, 0.7, 0.7, 1)
    assert off_diagonal(np.arange(9).reshape(3, 3)).tolist() == [1, 2, 5]
    with pytest.raises(InputError, match="at least one"):
        shift_grid([])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"weight": 1.5}, "weight=1.5"),
        ({"weight": True}, "weight=True"),
        ({"shift_p": np.nan}, "shift_p=nan"),
        ({"similarity": np.zeros((3, 3))}, r"similarity: has shape \(3, 3\)"),
    ],
)
def test_bad_arguments(arguments, message):
    given = {"delta": [0.1, 0.2], "similarity": np.zeros((2, 2))} | arguments
    with pytest.raises(InputError, match=message):
        graph_score_problem(given.pop("delta"), given.pop("similarity"), **given)


@pytest.mark.parametrize("backend", ["asdp", "sdp-1"])
def test_sums_beyond_floats_are_refused_by_what_computes_in_floats(backend):
    redundancy = 2**53 // 21 * (1 - np.eye(6, dtype=np.int64))
    problem = Problem(
        quality=[1] * 6,
        redundancy=redundancy,
        objective="graph_score",
        n_sets=1,
        set_size=6,
        min_set_size=1,
        max_overlap=6,
    )
    with pytest.raises(UnsupportedError, match=r"can exceed 2\*\*53; use a smaller scale"):
        solve(problem, backend, search="simultaneous")
