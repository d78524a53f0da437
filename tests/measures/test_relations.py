"""How much the features of sets say the same."""

import numpy as np
import pandas as pd
import pytest

from pyfsel.measures.relations import relations, sentences
from pyfsel.measures.tables.table import prepare
from pyfsel.problem.instance import Instance


def table(copies):
    """Independent normal columns, each with some copies that are a little noisy."""
    rng = np.random.default_rng(0)
    columns = {}
    for number, n_copies in enumerate(copies):
        signal = rng.normal(size=400)
        for copy in range(n_copies):
            columns[f"s{number}_{copy}"] = signal + 0.05 * rng.normal(size=400)
    y = (sum(columns[f"s{number}_0"] for number in range(len(copies))) > 0).astype(int)
    return pd.DataFrame(columns), y


@pytest.mark.parametrize(("copies", "independent"), [((4,), 1), ((1, 1, 1, 1), 4), ((2, 2), 2), ((1,), 1)])
def test_sets_are_worth_as_many_features_as_they_have_signals(copies, independent):
    size = sum(copies)
    found = relations(prepare(*table(copies)), [range(size)])[0]
    assert found.independent == pytest.approx(independent, rel=0.05)
    is_said = any("worth" in one for one in sentences([found], Instance([1], 1, 1, 1)))
    assert is_said == (size > 1 and independent <= 0.4 * size)


def test_new_features_that_are_related_to_set_0_are_counted():
    found = relations(prepare(*table((3, 3, 2))), [(0, 3), (1, 4), (1, 6), (0, 6), (6, 7)])
    assert [(one.n_new, one.n_related) for one in found] == [(0, 0), (2, 2), (2, 1), (1, 0), (2, 0)]
    assert found[2].closest[:2] == ("s0_1", "s0_0")
    head, first, second = sentences(found, Instance([1], 1, 1, 1))[0].replace(": ", "; ").split("; ")
    assert head == "New features are related to set 0 (similarity at least 0.7)"
    assert first.startswith("2 of 2 in set 1, such as ")
    assert second.startswith("1 of 2 in set 2, such as s0_1 to s0_0")
    assert sentences(relations(prepare(*table((2,))), []), Instance([1], 1, 1, 1)) == []
