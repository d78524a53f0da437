"""Relatives: a feature related to an earlier set counts as shared with it; every step against enumeration."""

import json
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from fuzzing.trials import Trial
from hypothesis import given, settings
from hypothesis import strategies as st
from small_problems import problems

from pyfsel import AlternativeFeatureSelector, InputError, explore
from pyfsel.backends.export import export
from pyfsel.certificates.certify import certify
from pyfsel.checker import Instance as CheckedProblem
from pyfsel.checker import RefusedError, check
from pyfsel.interface.problem import Problem
from pyfsel.measures.relations import relations
from pyfsel.problem.instance import Instance
from pyfsel.problem.make import make_instance
from pyfsel.problem.rules import Constraints, Dissimilarity, as_dissimilarity
from pyfsel.results.verify import violations
from pyfsel.solving.solve import solve

OBJECTIVES = ("univariate", "mrmr", "jmi", "cife", "cfs", "fcbf", "r2")
BACKENDS = ("auto", "cpsat", "minizinc:gecode", "mip:highs", "rc2", "brute-force", "enumeration")


ASKED = st.one_of(
    st.tuples(problems(OBJECTIVES, most_features=9), st.just("auto")),
    st.tuples(problems(("univariate",), most_features=9), st.sampled_from(BACKENDS)),
)


@settings(max_examples=70)
@given(asked=ASKED, data=st.data())
def test_every_step_is_the_best_one(asked, data):
    """The judge of the fuzz holds each step against all sets."""
    problem, backend = asked
    pairs = list(combinations(range(problem.n_features), 2))
    related = data.draw(st.lists(st.sampled_from(pairs), max_size=8))
    problem = problem.replace(relatives=related, k_min=None, n_sets=3, aggregate="sum")
    options = {"search": "sequential", "random_state": 0}
    trial = Trial("solve", problem, backend, options=options)
    assert trial.outcome() in ("proved", "refused")


PLAIN = Instance([9, 8, 7, 6, 5, 4], n_sets=2, k=2, max_shared=0)


def test_no_relations_are_the_question_as_before_and_more_relations_leave_fewer_sets():
    related = PLAIN.replace(relatives=[(0, 2), (1, 4)])
    assert solve(PLAIN, search="sequential").sets == ((0, 1), (2, 3))
    assert solve(related, search="sequential").sets == ((0, 1), (3, 5))
    assert related.with_relatives((0, 1)) == (0, 1, 2, 4)
    assert violations(related, [(0, 1), (2, 3)]) == [
        "sets 0 and 1 share 1 feature (x2), with relatives, at most 0 are allowed"
    ]
    assert violations(related, [(2, 3), (1, 4)]) == []
    assert Instance.from_json(related.to_json()) == related
    assert Instance.from_json(related.after([(0, 1)]).to_json()).previous == ((0, 1, 2, 4),)


def test_what_has_no_rule_is_refused():
    quality = [9, 8, 7, 6, 5, 4]
    related = Instance(quality, n_sets=2, k=2, max_shared=0, relatives=[(0, 2)])
    with pytest.raises((InputError), match="relatives"):
        solve(related, search="simultaneous")
    with pytest.raises(InputError, match="relatives are for sets that are found one after another"):
        export(related, "lp")
    with pytest.raises(InputError, match="relatives: are for sets of one size"):
        related.replace(k_min=1)
    with pytest.raises(InputError, match=r"relatives: .*must be two different features"):
        related.replace(relatives=[(0, 9)])
    with pytest.raises(InputError, match="must be 2 different features"):
        Instance(quality, n_sets=1, k=2, max_shared=0, previous=[(0, 1, 2)])


RELATED = PLAIN.replace(relatives=[(0, 2), (1, 3)], min_quality=9)


@pytest.mark.parametrize("search", ["sum", "min", "min_then_sum"])
def test_sets_that_are_found_together_have_no_earlier_ones(search):
    with pytest.raises(InputError, match=f"search='{search}': is not for a dissimilarity with relatives"):
        Problem.of_instance(RELATED, search)
    assert Problem.of_instance(RELATED.replace(n_sets=1), search).n_sets == 1


@pytest.mark.parametrize("question", ["most_sets", "most_dissimilar", "cheapest", "sweep", "atlas"])
def test_questions_without_an_order_refuse_relatives(question):
    asked = Problem.of_instance(RELATED, "sequential")
    if question.startswith("most"):
        with pytest.raises(InputError, match=f"{question}: is not for a dissimilarity with relatives"):
            getattr(explore, question)(asked)
        return
    found = getattr(explore, question)(asked)
    families = [found, *found.details.get("answers", ())]
    for family in families:
        limit = family.problem.instance.max_shared
        for first, second in combinations([one.indices for one in family], 2):
            assert len({*RELATED.with_relatives(first)} & {*second}) <= limit
    assert found.proved


def test_certificates_know_relatives(tmp_path):
    problem = PLAIN.replace(relatives=[(0, 2), (1, 4)])
    result = solve(problem, search="sequential")
    text = certify(result).text
    assert result.sets[1] == (3, 5)
    data = json.loads(problem.to_json())
    told = check(text, CheckedProblem.of(data))
    assert [by != "" for _, by in told] == [True, True]
    with pytest.raises(RefusedError):
        check(text, CheckedProblem.of({name: given for name, given in data.items() if name != "relatives"}))


def sensors():
    """Six statistics of each of three sensors, and some that stand alone."""
    rng = np.random.default_rng(0)
    signals = rng.normal(size=(300, 3))
    columns = {f"s{i}_{j}": signals[:, i] + 0.3 * rng.normal(size=300) for i in range(3) for j in range(6)}
    columns |= {f"alone_{j}": rng.normal(size=300) for j in range(4)}
    y = (signals @ [2, 1, 0.5] + sum(columns[f"alone_{j}"] for j in range(4)) * 0.3 > 0).astype(int)
    return pd.DataFrame(columns), y


@pytest.mark.filterwarnings("ignore")
def test_tables_have_relatives_by_rank_correlation():
    X, y = sensors()
    arguments = {"n_sets": 2, "near_duplicates": "note"}
    for rule, n_related in ((1, [0, 3]), ("1,relatives=0.7", [0, 0])):
        found = AlternativeFeatureSelector(3, dissimilarity=rule, **arguments).fit(X, y)
        of_sets = relations(found.scores_.table, [one.indices for one in found.sets_])
        assert [one.n_related for one in of_sets] == n_related
        assert found.answer_.proved
    assert as_dissimilarity("0.6,relatives=0.7") == Dissimilarity(0.6, relatives=0.7)
    with pytest.raises(InputError, match="relatives=2"):
        Dissimilarity(0.6, relatives=2)
    with pytest.raises(InputError, match=r"relatives=0\.7: is a similarity of columns"):
        make_instance([3, 2, 1], k=1, n_sets=2, dissimilarity="1,relatives=0.7")


def test_the_nearest_alternative_is_offered():
    X, y = sensors()
    X = X[[name for name in X if not name.startswith("alone")]]
    with pytest.warns(UserWarning, match=r"The nearest has 3: "):
        AlternativeFeatureSelector(
            3, n_sets=2, dissimilarity="1,relatives=0.7", constraints=Constraints(forbidden=["s1_*", "s2_*"])
        ).fit(X, y)
