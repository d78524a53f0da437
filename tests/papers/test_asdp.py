"""SDP-1 and ASDP (paper 004, Alg. 1 and 2) against a literal reading of the paper and against all sets."""

import tracemalloc
from functools import partial

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from random_tables import all_sets, graphs

from pyfsel.algorithms.heuristics.asdp import EMPTY, INITIALISATIONS, PREFIXES, asdp, sdp_1
from pyfsel.papers.graph_fs import graph_fs


def score_of(linear, pairwise, features):
    x = np.isin(np.arange(len(linear)), features).astype(int)
    return int(x @ linear + x @ (pairwise - np.diag(np.diag(pairwise))) @ x // 2)


def lowest(linear, pairwise):
    return min(score_of(linear, pairwise, s) for s in all_sets(len(linear))[1:])


GRAPHS = graphs(8, st.integers(-15, 15), st.integers(-8, 12))


def random_graph(n, seed=0):
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.integers(-(10**6), 10**6, (n, n)), 1)
    return rng.integers(-(10**6), 10**6, n), upper + upper.T


@settings(max_examples=300)
@given(GRAPHS, st.sampled_from(INITIALISATIONS))
def test_score_never_rises_and_is_that_of_the_set(graph, initialisation):
    """Theorem 1 of paper 004; every set is not empty, and none beats the lowest score of all.

    Reported is each score once.
    """
    reported = []
    run = asdp(*graph, initialisation=initialisation, on_improvement=reported.append)
    scores = [traversal.score for traversal in run.history]
    assert scores == sorted(scores, reverse=True)
    for traversal in run.history:
        assert traversal.features
        assert traversal.score == score_of(*graph, traversal.features)
    assert [score_of(*graph, features) for features in reported] == sorted({*scores}, reverse=True)
    assert run.score == scores[-1] >= lowest(*graph)
    assert run.features == run.history[-1].features


def literal_traversal(linear, pairwise, sets, scores, forward):
    """Algorithm 1 word for word on Python sets; a vertex with an empty set predicts nothing."""
    n = len(linear)

    def between(first, second):
        return sum(int(pairwise[k][h]) for k in first for h in second)

    predicted = {}
    for i in range(n) if forward else reversed(range(n)):
        before = list(range(i)) if forward else list(range(n - 1, i, -1))
        old_set, old_score = sets[i], scores[i]
        choices = [(old_score, set(), 0)]
        choices += [(scores[j] + old_score + between(sets[j], old_set), sets[j], scores[j]) for j in before]
        joined_score, best_set, best_score = min(choices, key=lambda choice: choice[0])
        scores[i] = best_score + int(linear[i]) + between(best_set, {i})
        sets[i] = best_set | {i}
        if i in predicted and predicted[i][0] < scores[i]:
            scores[i], sets[i] = predicted[i]
        if old_set:
            end = max(old_set) if forward else min(old_set)
            if end not in predicted or joined_score < predicted[end][0]:
                predicted[end] = (joined_score, best_set | old_set)


@settings(max_examples=300)
@given(GRAPHS, st.sampled_from([PREFIXES, EMPTY]))
def test_agrees_with_the_algorithm_word_for_word(graph, initialisation):
    linear, pairwise = graph
    n = len(linear)
    sets = [set(range(i + 1)) if initialisation == PREFIXES else set() for i in range(n)]
    scores = [score_of(linear, pairwise, sorted(s)) for s in sets]
    run = asdp(linear, pairwise, initialisation=initialisation)
    traversals = run.history if initialisation == EMPTY else run.history[1:]
    forward = initialisation == EMPTY
    for traversal in traversals:
        literal_traversal(linear, pairwise, sets, scores, forward)
        assert traversal.score == min(scores)
        assert set(traversal.features) == sets[scores.index(min(scores))]
        forward = not forward


@settings(max_examples=200)
@given(GRAPHS)
def test_sdp_1_is_equation_11(graph):
    linear, pairwise = graph
    sets, scores = [set()], [0]
    for i in range(len(linear)):
        choices = [
            s + int(linear[i]) + sum(int(pairwise[k][i]) for k in S)
            for s, S in zip(scores, sets, strict=True)
        ]
        best = min(range(len(choices)), key=lambda j: choices[j])
        scores.append(choices[best])
        sets.append(sets[best] | {i})
    run = sdp_1(linear, pairwise)
    assert run.score == min(scores[1:]) == score_of(linear, pairwise, run.features)
    assert run.history[-1].score == run.score
    assert asdp(linear, pairwise).score <= run.score


def test_stops_after_patience_or_at_the_maximum():
    graph = random_graph(40, 3)
    run = asdp(*graph, initialisation=PREFIXES)
    scores = [traversal.score for traversal in run.history]
    assert run.n_iterations == len(run.history) - 1
    assert len(set(scores[-4:])) == 1
    assert scores[-5] > scores[-4]
    assert asdp(*graph, max_iterations=2).n_iterations == 2
    assert asdp(*graph, initialisation=EMPTY, max_iterations=1).n_iterations == 1


def test_stops_when_the_time_is_up_with_the_last_finished_pass():
    graph = random_graph(30, 1)
    complete = asdp(*graph)
    calls = iter(range(10**6))
    stopped = asdp(*graph, expired=lambda: next(calls) >= 45)
    assert stopped.history == complete.history[:2]
    at_once = asdp(*graph, initialisation=EMPTY, expired=lambda: True)
    assert len(at_once.history) == 1


def test_memory_grows_with_the_square_of_the_number_of_features():
    """Theorem 4 of paper 004, for both searches: twice the features need four times as much at most."""

    def peak(search, *given):
        tracemalloc.start()
        search(*given)
        size = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return size

    peaks = []
    for n in (80, 160):
        linear, pairwise = random_graph(n)
        cut = partial(graph_fs, t_delta=1, t_p=0.5)
        peaks.append([peak(asdp, linear, pairwise), peak(cut, np.ones(n), np.abs(pairwise) / 10**6)])
    assert all(larger < 4.2 * smaller for smaller, larger in zip(*peaks, strict=True))
