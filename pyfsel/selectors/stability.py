"""Are the same features selected again? Selection in halves of the rows: frequencies, replacements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from sklearn.model_selection import RepeatedStratifiedKFold

from pyfsel.core.arrays import Bools, Indices, Reals
from pyfsel.errors import InputError, NoSetsError
from pyfsel.interface.evaluation import Evaluation
from pyfsel.problem.checks import integer_in, shown
from pyfsel.problem.objectives import FeatureSet
from pyfsel.results.backend_answer import StopReason
from pyfsel.results.display import Facts, SetsTable, number_or_dash
from pyfsel.results.jobs import all_done
from pyfsel.results.plots import draw_cells
from pyfsel.selectors.alternatives import selector_or_default
from pyfsel.selectors.evaluation.folds import Validation, quietly
from pyfsel.selectors.evaluation.model_rows import EvaluationRows, read_rows, told_selector
from pyfsel.selectors.evaluation.sentences import Record, range_text, said_of_sets, stability_cell
from pyfsel.selectors.evaluation.statistics import Selections, membership, stability_interval
from pyfsel.selectors.splits import ForwardFolds, Times

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STABLE = 0.75
"""Agreement beyond chance is called excellent from here on (Fleiss 1981; Nogueira et al. 2018)."""
MOST_DRAWN, MOST_REPLACED = 30, 10
METHODS: Facts = [
    ("stability", "index of Nogueira et al. (2018) with its 95% interval; stable from 0.75 on"),
    ("halves", "complementary; their sets are matched to the sets of all rows"),
]


@dataclass(frozen=True, eq=False)
class Halves:
    """The sets of all rows, and the sets of halves of the rows.

    Parameters
    ----------
    sets : array of bool, shape (n_sets, n_features)
        Which features the sets of all rows have, the original one first.
    again : array of bool, shape (n_halves, n_sets, n_features)
        Which features the set of each half has that corresponds to each of them; none if there is none.
    names : tuple of str
        Of the features.
    """

    sets: Bools
    again: Bools
    names: tuple[str, ...]

    @classmethod
    def matched(cls, sets: Selections, halves: Sequence[Selections], names: tuple[str, ...]) -> Halves:
        """Match the sets of each half to the sets of all rows, so most features are shared."""
        from scipy.optimize import linear_sum_assignment

        own = membership(sets, len(names))
        again = np.zeros((len(halves), *own.shape), dtype=bool)
        for found, half in zip(again, halves, strict=True):
            theirs = membership(half, len(names))
            mine, other = linear_sum_assignment(own.astype(float) @ theirs.T, maximize=True)
            found[mine] = theirs[other]
        return cls(own, again, names)

    def named(self, chosen: Bools) -> list[str]:
        """Return the names of features."""
        return [self.names[j] for j in np.flatnonzero(chosen)]

    @property
    def frequencies(self) -> Reals:
        """In which share of the halves each feature is in the set that is matched, (n_sets, n_features)."""
        return np.asarray(self.again.mean(axis=0))

    @cached_property
    def rows(self) -> list[Record]:
        """One row per set: how often its features, and exactly this set, are selected again."""
        found: list[Record] = []
        for own, theirs, shares in zip(self.sets, self.again.swapaxes(0, 1), self.frequencies, strict=True):
            index = stability_interval(theirs[theirs.any(axis=1)])
            row: Record = {"set": len(found)}
            row |= zip(("stability", "stability_low", "stability_high"), index, strict=True)
            row |= {"again": float((theirs == own).all(axis=1).mean())}
            found.append(row | {"features": self.named(own), "frequencies": shares[own].tolist()})
        return found

    @cached_property
    def replacements(self) -> list[Record]:
        """How often one feature comes where a feature of a set is missing, the most frequent first."""
        lost, new = (
            pd.DataFrame(np.argwhere(places), columns=["half", "set", name])
            for name, places in (
                ("feature", self.sets & ~self.again & self.again.any(axis=2, keepdims=True)),
                ("replaced_by", self.again & ~self.sets),
            )
        )
        counts = lost.merge(new).groupby(["feature", "replaced_by"], as_index=False).size()
        most = counts.sort_values("size", ascending=False, kind="stable").head(MOST_REPLACED)
        times = lost["feature"].value_counts()
        return [
            {
                "feature": self.names[feature],
                "replaced_by": self.names[other],
                "n_halves": n,
                "share": n / int(times[feature]),
            }
            for feature, other, n in most.to_numpy().tolist()
        ]

    def figure(self) -> Figure:
        """Draw the sets with the frequency of each feature in the halves; the set has frames."""
        inside, shares = self.sets.any(axis=0), self.frequencies
        most = shares.max(axis=0)
        n_shown = min(MOST_DRAWN, int(np.sum(inside | (most > 0))))
        chosen = np.lexsort((-most, ~inside))[:n_shown]
        framed = list(zip(*np.nonzero(self.sets[:, chosen].T), strict=True))
        return draw_cells([self.names[j] for j in chosen], shares[:, chosen].T, framed)


def stability(
    X: Any,
    y: Any,
    selector: Any = None,
    *,
    pairs: int = 50,
    cv: Times | None = None,
    groups: Any = None,
    sample_weight: Any = None,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> Evaluation:
    """Select in complementary halves of the rows and compare.

    Halves understate how stable a selection from all rows is, and overstate it if features tie.

    Parameters
    ----------
    X, y
        As for `pyfsel.evaluate`.
    selector : AlternativeFeatureSelector, optional
    pairs : int
        Number of pairs of halves. Each class is halved, and groups stay together.
    cv : "time:COLUMN:GAP", optional
        One pair: the earlier and the later half by a column of the table, which is then not a feature. The
        last GAP (for dates: days) of the earlier half is left out.
    groups : array-like, shape (n_rows,), optional
    sample_weight : array-like, shape (n_rows,), optional
        Given to the selector.
    random_state : int
        The seed of the halves and the selectors.
    n_jobs : int, optional
        Halves at the same time; -1 means all cores.

    Returns
    -------
    Evaluation
        `to_frame` has one row per set: ``stability`` with its interval, ``again`` (how often exactly this set
        is selected), and the frequency of each feature. ``details["replacements"]`` says which features stand
        in for others. After Ctrl-C it is about the pairs that are finished.

    Raises
    ------
    InputError
        If an argument or the table is not allowed.
    NoSetsError
        If no sets are found in all rows.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from pyfsel import AlternativeFeatureSelector
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> selector = AlternativeFeatureSelector(3, n_sets=1, measure="f_statistic")
    >>> found = stability(X, y, selector, pairs=5)
    >>> found.to_frame()["features"][0]
    ['flavanoids', 'od280/od315_of_diluted_wines', 'proline']
    """
    asked = Validation(random_state=random_state, n_jobs=n_jobs)
    pairs = integer_in("pairs", pairs, 1, None)
    selector = selector_or_default(selector)
    rows = read_rows(X, y, {"": selector}, cv=cv, groups=groups, sample_weight=sample_weight)
    if cv is not None and rows.table.times is None:
        raise InputError(f'cv={shown(cv)}: halves are made in time only. Expected "time:COLUMN", or nothing')
    told = told_selector(selector, rows)
    sets = _sets_of(rows, told, np.arange(len(rows.y)))
    with quietly():
        tasks = [(rows, told, half) for half in _halves(rows, pairs, asked.random_state)]
    done, stop_reason = all_done("halves", _sets_of_half, tasks, n_jobs)
    # halves are complementary: half i and half i ^ 1; after Ctrl-C one of them may be missing
    paired = [done[i] for i in sorted(done) if i ^ 1 in done]
    if not paired:
        raise KeyboardInterrupt("No pair of halves is finished, so there is nothing to compare")
    return _evaluation(Halves.matched(sets, paired, rows.names), len(rows.y), stop_reason)


def _halves(rows: EvaluationRows, n_pairs: int, seed: int) -> Iterator[Indices]:
    """Yield two halves of the rows for each pair; of groups that stay together, and by class where it can."""
    table = rows.table
    if table.times is not None:
        if not np.ptp(table.times):
            raise InputError("times: are all the same, so no rows are earlier")
        yield from next(ForwardFolds(table.times, 1, table.time_gap).split())
        return
    units = np.arange(len(rows.y)) if table.groups is None else table.groups
    n_units = int(units.max()) + 1
    if n_units < 4:
        what = "rows" if table.groups is None else "groups of rows"
        raise InputError(f"X: must hold at least 4 {what}, not {n_units}")
    kinds = np.zeros(n_units, dtype=int)
    if rows.strata is not None:
        kinds[units] = rows.strata
        kinds[(np.bincount(kinds) == 1)[kinds]] = -1  # cannot be halved
    splitter = RepeatedStratifiedKFold(n_splits=2, n_repeats=n_pairs, random_state=seed)
    for _, half in splitter.split(kinds, kinds):
        yield np.flatnonzero(np.isin(units, half))


def _sets_of_half(rows: EvaluationRows, selector: Any, half: Indices) -> list[FeatureSet]:
    """Return the sets of a half; none where it has them not, such as a half with one class only."""
    try:
        return _sets_of(rows, selector, half)
    except (InputError, NoSetsError):
        return []


def _sets_of(rows: EvaluationRows, selector: Any, half: Indices) -> list[FeatureSet]:
    with quietly():
        return [tuple(sorted(one.indices)) for one in rows.fit(selector, half).sets_]


def _evaluation(found: Halves, n_rows: int, stop_reason: StopReason) -> Evaluation:
    """Return the sets of halves as they are shown."""
    rows, names, n_halves = found.rows, found.names, len(found.again)
    runs = [
        {"half": half, "set": number, "features": found.named(found.again[half, number])}
        for half, number in np.argwhere(found.again.any(axis=2)).tolist()
    ]
    frequent = pd.DataFrame(found.frequencies.T, index=pd.Index(names, name="feature"))
    n_empty = n_halves - len({one["half"] for one in runs})
    texts = [
        (one["feature"], f"{100 * one['share']:.0f}% of the halves select {one['replaced_by']}")
        for one in found.replacements
    ]
    cautions = ["Interrupted: the other halves are missing"] if stop_reason is StopReason.INTERRUPTED else []
    if n_empty:
        verb = "has" if n_empty == 1 else "have"
        cautions.append(f"{n_empty} of the halves {verb} no sets, for example because a class is missing")
    return Evaluation(
        question="stability",
        headline=_headline(rows),
        claim=(
            f"{n_halves} halves of {n_rows:,} rows. Stability: 1 if the same features are "
            "selected each time, 0 if as by chance. All rows are more stable than half of them, unless "
            "features tie."
        ),
        frame=pd.DataFrame(rows),
        runs=pd.DataFrame(runs),
        tables=[_table(rows)],
        cautions=(*cautions, *(f"{name}: without it, {text}" for name, text in texts[:1])),
        facts=[*METHODS, *(("replaced", f"{name}: {text}") for name, text in texts)],
        details={
            "n_halves": n_halves,
            "n_empty": n_empty,
            "n_rows": n_rows,
            "n_features": len(names),
            "replacements": found.replacements,
            "frequencies": frequent[frequent.any(axis=1)].add_prefix("set ").reset_index(),
        },
        stop_reason=stop_reason,
        draw=found.figure,
    )


def _headline(rows: Sequence[Record]) -> str:
    words = "stable", "not stable", "selected with all or no features"
    said: dict[str, list[Record]] = {word: [] for word in words}
    for row in rows:
        index = row["stability"]
        said[words[2 if isnan(index) else int(index < STABLE)]].append(row)
    return said_of_sets(
        {
            f"{word} ({', '.join(number_or_dash(row['stability'], '.2f') for row in own)})": [
                str(row["set"]) for row in own
            ]
            for word, own in said.items()
        }
    )


def _table(rows: Sequence[Record]) -> SetsTable:
    heads = ["set", "stability", "95% interval", "same set\nagain"]
    table = SetsTable(heads, names_head="features, in % of the halves")
    for row in rows:
        ends = range_text(row["stability_low"], row["stability_high"], "stability", digits=2)
        shares = zip(row["features"], row["frequencies"], strict=True)
        cells = [str(row["set"]), stability_cell(row["stability"]), ends, f"{100 * row['again']:.0f}%"]
        table.add_row(cells, [f"{name} {100 * share:.0f}" for name, share in shares])
    return table
