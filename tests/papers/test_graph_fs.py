"""Graph-FS against a plain reading of paper 004, Section 3.1, and the Δ measures it takes."""

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_tables import graphs

from pyfsel.measures import delta, prepare, relevance_measures
from pyfsel.papers.graph_fs import Cut, graph_fs

UNIT = st.integers(0, 10).map(lambda v: v / 10)


def by_removing_vertices(weights, similarity, t_delta, t_p):
    """Do what the paper says, on a networkx graph of the good features that shrinks."""
    good = np.flatnonzero(weights <= t_delta).tolist()
    graph = nx.empty_graph(good)
    graph.add_edges_from((i, j) for i, j in combinations(good, 2) if similarity[i, j] >= t_p)
    cuts = []
    while graph:
        best = min(graph, key=lambda j: (weights[j], j))
        neighbours = tuple(sorted(graph[best]))
        cuts.append(Cut(best, neighbours))
        graph.remove_nodes_from([best, *neighbours])
    return cuts


@settings(max_examples=300)
@given(graphs(9, UNIT, UNIT), UNIT, UNIT)
def test_agrees_with_removing_vertices(graph, t_delta, t_p):
    weights, similarity = graph
    selection = graph_fs(weights, similarity, t_delta=t_delta, t_p=t_p)
    assert list(selection.cuts) == by_removing_vertices(weights, similarity, t_delta, t_p)
    assert selection.features == tuple(sorted(cut.selected for cut in selection.cuts))
    assert list(selection.too_weak) == np.flatnonzero(weights > t_delta).tolist()


def test_a_cascade_adds_rounds_with_lower_thresholds():
    rng = np.random.default_rng(4)
    delta, pairs = rng.random(12), rng.random((12, 12))
    pairs = (pairs + pairs.T) / 2
    options = {"t_delta": 0.9, "t_p": 0.5}
    once, thrice = graph_fs(delta, pairs, **options), graph_fs(delta, pairs, **options, rounds=3, decay=0.8)
    left, selected = np.arange(12), []
    for number in range(3):
        lower = {name: value * 0.8**number for name, value in options.items()}
        found = graph_fs(delta[left], pairs[np.ix_(left, left)], **lower).features
        selected += left[list(found)].tolist()
        left = np.setdiff1d(left, selected)
    assert thrice.cuts[: len(once.cuts)] == once.cuts
    assert thrice.features == tuple(sorted(selected))
    assert len(thrice.features) > len(once.features)


def test_example_of_figure_1():
    """Nine features; f6 is best and removes f2, f3, f8; then f1 removes f4, f7; then f5 removes f9."""
    weights = [0.2, 0.3, 0.4, 0.5, 0.3, 0.1, 0.4, 0.5, 0.6]
    similarity = np.zeros((9, 9))
    for i, j in [(6, 2), (6, 3), (6, 8), (1, 2), (1, 4), (1, 7), (5, 9), (5, 3), (4, 7)]:
        similarity[i - 1, j - 1] = similarity[j - 1, i - 1] = 0.8
    selection = graph_fs(weights, similarity, t_delta=0.6, t_p=0.6)
    assert selection.cuts == (Cut(5, (1, 2, 7)), Cut(0, (3, 6)), Cut(4, (8,)))
    assert selection.features == (0, 4, 5)


def overlap_by_counting(column, y):
    """Return the mean over pairs of classes of the shared area of their histograms, in ten bins."""
    edges = [-np.inf, *np.quantile(column, np.arange(1, 10) / 10), np.inf]
    shares = [np.histogram(column[y == label], edges)[0] / (y == label).sum() for label in np.unique(y)]
    return np.mean([np.minimum(a, b).sum() for a, b in combinations(shares, 2)])


def test_class_overlap_is_the_shared_area_of_the_histograms():
    """For regression a feature that is the target has none, one that is noise nearly all."""
    rng = np.random.default_rng(1)
    y = rng.integers(0, 3, 400)
    X = rng.normal(size=(400, 4)) + np.outer(y, [0, 1, 2, 30])
    assert delta(prepare(X, y)) == pytest.approx([overlap_by_counting(column, y) for column in X.T])
    own, other = delta(prepare(X[:, :2], X[:, 0] + 0.01 * rng.normal(size=400)))
    assert own < 0.2
    assert other > 0.7


NO_DELTA = {"permutation_importance", "concordance", "itself", "laplacian_score"}


@pytest.mark.parametrize("measure", sorted({*relevance_measures()} - NO_DELTA))
def test_every_relevance_measure_gives_a_delta(measure):
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 150)
    X = rng.normal(size=(150, 3)) + np.outer(y, [2, 0.5, 0])
    weights = delta(prepare(X, y), measure=measure)
    assert ((weights >= 0) & (weights <= 1)).all()
    assert weights.argmin() == 0
    assert weights[0] == 0 or measure == "class_separation"


def test_own_numbers_and_score_functions_give_a_delta():
    X, y = np.arange(8.0).reshape(4, 2), [0, 1, 0, 1]
    assert delta(prepare(X, y), measure=[4.0, 1.0]).tolist() == [0.0, 0.75]
    assert delta(prepare(X, y), measure=lambda X, y: ([-1.0, 2.0], "p-values")).tolist() == [1.0, 0.0]
    assert delta(prepare(X, y), measure=[-3.0, 0.0]).tolist() == [1.0, 1.0]
