"""Are the same features selected again? Selection in halves of the rows: frequencies, replacements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import nan, sqrt
from typing import TYPE_CHECKING, Any
from warnings import catch_warnings, simplefilter

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyfsel.errors import InputError, NoSetsError
from pyfsel.interface.evaluation import Evaluation
from pyfsel.measures.tables.encoded import warn
from pyfsel.measures.threads import one_thread
from pyfsel.objectives import as_objective
from pyfsel.problem.checks import integer_in, is_a, shown
from pyfsel.problem.objectives import FeatureSet
from pyfsel.results.answer import StopReason
from pyfsel.results.display import Facts, SetsTable, number_or_dash
from pyfsel.results.plots import draw_cells
from pyfsel.results.sampling import NORMAL_95
from pyfsel.selectors.alternatives import AlternativeFeatureSelector
from pyfsel.selectors.evaluation.evaluate import listed
from pyfsel.selectors.evaluation.folds import EncodedRows, fitted_sets
from pyfsel.selectors.evaluation.held_out import membership, stability_index
from pyfsel.selectors.evaluation.intervals import TINY, range_text
from pyfsel.selectors.evaluation.scored import Validation, all_done, read_rows, told_selector

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STABLE = 0.75
"""Agreement beyond chance is called excellent from here on (Fleiss 1981; Nogueira et al. 2018)."""
MOST_DRAWN, MOST_REPLACED = 30, 10


@dataclass(frozen=True, eq=False)
class Halves:
    """The sets of all rows, and those of halves of the rows.

    Parameters
    ----------
    sets : sequence of feature sets
        Of all rows, the original one first.
    halves : sequence of sequences of feature sets
        Of each half, two after each other for a pair; empty where none were found.
    names : tuple of str
        Of the features.
    n_rows : int
    stop_reason : StopReason
    """

    sets: Sequence[FeatureSet]
    halves: Sequence[Sequence[FeatureSet]]
    names: tuple[str, ...]
    n_rows: int
    stop_reason: StopReason = StopReason.FINISHED

    @property
    def n_empty(self) -> int:
        """How many halves have no sets; they count as halves in which no feature is selected."""
        return sum(not half for half in self.halves)

    @cached_property
    def matched(self) -> list[list[FeatureSet | None]]:
        """For each half, the set that each of `sets` corresponds to, so most features are shared."""
        from scipy.optimize import linear_sum_assignment

        found: list[list[FeatureSet | None]] = []
        for half in self.halves:
            shared = [[len(set(one) & set(other)) for other in half] for one in self.sets]
            row: list[FeatureSet | None] = [None] * len(self.sets)
            if half:
                for one, other in zip(*linear_sum_assignment(shared, maximize=True), strict=True):
                    row[one] = half[other]
            found.append(row)
        return found

    @cached_property
    def frequencies(self) -> NDArray[np.float64]:
        """In which share of the halves each feature is in the set that is matched, (n_features, n_sets)."""
        counts = np.zeros((len(self.names), len(self.sets)))
        for row in self.matched:
            for number, members in enumerate(row):
                counts[list(members or ()), number] += 1
        return counts / max(1, len(self.halves))

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """One row per set: how often its features, and exactly this set, are selected again."""
        found = []
        for number, members in enumerate(self.sets):
            others = [row[number] for row in self.matched]
            selected = [other for other in others if other is not None]
            index, low, high = stability_interval(selected, len(self.names))
            found.append(
                {
                    "set": number,
                    "stability": index,
                    "stability_low": low,
                    "stability_high": high,
                    "again": float(np.mean([other == members for other in others])),
                    "features": [self.names[j] for j in members],
                    "frequencies": [float(self.frequencies[j, number]) for j in members],
                }
            )
        return found

    def replacements(self, most: int = MOST_REPLACED) -> list[dict[str, Any]]:
        """Return which features stand in for others: how often one comes where a feature of a set is missing.

        Parameters
        ----------
        most : int
            Pairs to return, the most frequent first.
        """
        together: Counter[tuple[int, int]] = Counter()
        missing: Counter[int] = Counter()
        for row in self.matched:
            for members, other in zip(self.sets, row, strict=True):
                if other is not None:
                    lost, new = set(members) - set(other), set(other) - set(members)
                    missing.update(lost)
                    together.update((a, b) for a in lost for b in new)
        return [
            {
                "feature": self.names[a],
                "replaced_by": self.names[b],
                "n_halves": number,
                "share": number / missing[a],
            }
            for (a, b), number in sorted(together.items(), key=lambda item: (-item[1], item[0]))[:most]
        ]

    def figure(self) -> Figure:
        """Draw the sets with the frequency of each feature in the halves; those of the sets have a frame."""
        inside = {j for members in self.sets for j in members}
        largest = self.frequencies.max(axis=1)
        order = sorted(range(len(self.names)), key=lambda j: (j not in inside, -largest[j], j))
        chosen = [j for j in order if j in inside or largest[j] > 0][:MOST_DRAWN]
        names = [self.names[j] for j in chosen]
        framed = [(row, s) for row, j in enumerate(chosen) for s, one in enumerate(self.sets) if j in one]
        return draw_cells(names, self.frequencies[chosen], framed)


def stability_interval(selections: Sequence[FeatureSet], n_features: int) -> tuple[float, float, float]:
    """Return Nogueira's index of stability with its 95% interval; NaN where it is not known.

    References
    ----------
    Nogueira, Sechidis and Brown, "On the Stability of Feature Selection Algorithms", Journal of Machine
    Learning Research 18(174), 2018: Definition 4, Theorem 7 and Corollary 8.
    """
    index = stability_index(selections, n_features)
    if np.isnan(index):
        return nan, nan, nan
    Z = membership(selections, n_features)
    p, k = Z.mean(axis=0), Z.sum(axis=1)
    mean_k, d = k.mean(), n_features
    by_chance = mean_k / d * (1 - mean_k / d)
    each = (Z * p).mean(axis=1) - k * mean_k / d**2
    each += index / 2 * (2 * mean_k * k / d**2 - k / d - mean_k / d + 1)
    each /= by_chance
    half = NORMAL_95 * 2 / len(Z) * sqrt(((each - each.mean()) ** 2).sum())
    if half < TINY:  # halves that are all alike show no error, as folds do not
        return index, nan, nan
    return index, index - half, min(1.0, index + half)


def stability(
    X: Any,
    y: Any,
    selector: Any = None,
    *,
    pairs: int = 50,
    cv: str | None = None,
    groups: Any = None,
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
        Pairs of halves; the rows of a class are halved each, and groups stay together.
    cv : "time:COLUMN:GAP", optional
        One pair: the earlier and the later half by that column of `X`, which is then not a feature, without
        the last gap (of dates: days) of the earlier half.
    groups : array-like, shape (n_rows,), optional
    random_state : int
    n_jobs : int, optional
        Halves at the same time.

    Returns
    -------
    Evaluation
        `to_frame` has one row per set: ``stability`` with its interval, ``again`` (how often exactly this set
        is selected), and the frequency of each feature. ``details["replacements"]`` says which features stand
        in for others. After Ctrl-C it is about the pairs that are finished.

    Raises
    ------
    InputError
        If an argument or the table is not allowed, or there are no sets.

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
    selector = AlternativeFeatureSelector() if selector is None else selector
    is_a("selector", selector, AlternativeFeatureSelector, "an AlternativeFeatureSelector")
    return _evaluation(_halved(read_rows(X, y, {"": selector}, cv=cv, groups=groups), selector, pairs, asked))


def _halved(rows: EncodedRows, selector: Any, pairs: int, asked: Validation) -> Halves:
    told = told_selector(selector, rows).set_params(
        near_duplicates=_without_notes(selector.near_duplicates), chance=_chance(selector)
    )
    try:
        sets = _sets_of(rows, told, np.arange(len(rows.y)))
    except NoSetsError as error:
        raise InputError(f"selector={shown(selector)}: finds no set in all rows ({error})") from None
    _say_rare_classes(rows)
    tasks = [(rows, told, half) for half in _halves(rows, pairs, asked.random_state)]
    halves, stop_reason = all_done("halves", _sets_of_half, tasks, asked.n_jobs)
    # halves are complementary: half i and half i ^ 1; after Ctrl-C one of them may be missing
    paired = [halves[i] for i in sorted(halves) if i ^ 1 in halves]
    if not paired:
        raise KeyboardInterrupt
    return Halves(sets, paired, rows.names, len(rows.y), stop_reason)


def _evaluation(found: Halves) -> Evaluation:
    """Return the sets of halves as they are shown."""
    rows, names = found.rows, found.names
    runs = [
        {"half": half, "set": number, "features": [names[j] for j in members]}
        for half, row in enumerate(found.matched)
        for number, members in enumerate(row)
        if members is not None
    ]
    frequent = pd.DataFrame(found.frequencies, index=pd.Index(names, name="feature"))
    return Evaluation(
        question="stability",
        headline=_headline(rows),
        claim=(
            f"{len(found.halves)} halves of {found.n_rows:,} rows. Stability: 1 if the same features are "
            "selected each time, 0 if as by chance. All rows are more stable than half of them, unless "
            "features tie."
        ),
        frame=pd.DataFrame(rows),
        runs=pd.DataFrame(runs),
        tables=[_table(rows)],
        cautions=tuple(_cautions(found)),
        facts=_facts(found),
        details={
            "n_halves": len(found.halves),
            "n_empty": found.n_empty,
            "n_rows": found.n_rows,
            "n_features": len(names),
            "replacements": found.replacements(),
            "frequencies": frequent[frequent.any(axis=1)].add_prefix("set ").reset_index(),
        },
        stop_reason=found.stop_reason,
        draw=found.figure,
    )


def _headline(rows: Sequence[dict[str, Any]]) -> str:
    groups = {
        "stable": [row for row in rows if row["stability"] >= STABLE],
        "not stable": [row for row in rows if row["stability"] < STABLE],
        "selected with all or no features": [row for row in rows if np.isnan(row["stability"])],
    }
    said = []
    for word, own in groups.items():
        if own:
            subject = f"set{'' if len(own) == 1 else 's'} {listed([str(row['set']) for row in own])}"
            indices = ", ".join(number_or_dash(row["stability"], ".2f") for row in own)
            said.append(f"{subject} {'is' if len(own) == 1 else 'are'} {word} ({indices})")
    text = "; ".join(said)
    return f"{text[0].upper()}{text[1:]}"


def _table(rows: Sequence[dict[str, Any]]) -> SetsTable:
    heads = ["set", "stability", "95% interval", "same set\nagain"]
    table = SetsTable(heads, names_head="features, in % of the halves")
    for row in rows:
        ends = range_text(row["stability_low"], row["stability_high"], "stability", digits=2)
        shares = zip(row["features"], row["frequencies"], strict=True)
        cells = [str(row["set"]), number_or_dash(row["stability"], ".2f"), ends, f"{100 * row['again']:.0f}%"]
        table.add_row(cells, [f"{name} {100 * share:.0f}" for name, share in shares])
    return table


def _cautions(found: Halves) -> Iterator[str]:
    if found.stop_reason is StopReason.INTERRUPTED:
        yield "Interrupted: the other halves are missing"
    if found.n_empty:
        verb = "has" if found.n_empty == 1 else "have"
        yield f"{found.n_empty} of the halves {verb} no sets, such as those of one class only"
    for one in found.replacements(1):
        yield f"{one['feature']}: without it, {_replaced(one)}"


def _replaced(one: dict[str, Any]) -> str:
    return f"{100 * one['share']:.0f}% of the halves select {one['replaced_by']}"


def _facts(found: Halves) -> Facts:
    replaced = [("replaced", f"{one['feature']}: {_replaced(one)}") for one in found.replacements()]
    return [
        ("stability", "index of Nogueira et al. (2018) with its 95% interval; stable from 0.75 on"),
        ("halves", "complementary; their sets are matched to those of all rows"),
        *replaced,
    ]


def _without_notes(copies: Any) -> Any:
    return "ignore" if isinstance(copies, str) and copies.startswith("note") else copies


def _chance(selector: Any) -> Any:
    """Return what is done about chance where it changes sets; marks are not looked at."""
    is_mrmr = as_objective(selector.objective).name == "mrmr"
    is_marking = selector.chance == "mark" or (selector.chance is None and not is_mrmr)
    return "off" if is_marking else selector.chance


def _halves(rows: EncodedRows, n_pairs: int, seed: int) -> Iterator[NDArray[np.intp]]:
    """Yield two halves of the rows for each pair; of groups that stay together, and by class where it can."""
    if rows.times is not None:
        middle = np.median(rows.times)
        first = rows.times < middle if (rows.times < middle).any() else rows.times <= middle
        if first.all():
            raise InputError("times: are all the same; there is no earlier half")
        begin = rows.times[~first].min()
        yield np.flatnonzero(first & (rows.times <= begin - rows.gap))
        yield np.flatnonzero(~first)
        return
    rng = np.random.default_rng(seed)
    units = np.arange(len(rows.y)) if rows.groups is None else np.unique(rows.groups, return_inverse=True)[1]
    n_units = int(units.max()) + 1
    if n_units < 4:
        what = "rows" if rows.groups is None else "groups of rows"
        raise InputError(f"X: must hold at least 4 {what}, not {n_units}")
    kinds = np.zeros(n_units, dtype=int)
    if rows.task != "regression":
        kinds[units] = rows.strata
    for _ in range(n_pairs):
        order = np.lexsort((rng.random(n_units), kinds))
        is_first = np.zeros(n_units, dtype=bool)
        is_first[order[rng.integers(2) :: 2]] = True
        for half in (is_first[units], ~is_first[units]):
            yield np.flatnonzero(half)


def _say_rare_classes(rows: EncodedRows) -> None:
    """Warn of classes that one half of each pair lacks: those of one row, or of one group of rows."""
    if rows.task != "classification":
        return
    units = np.arange(len(rows.y)) if rows.groups is None else rows.groups
    n_lacking = sum(len(np.unique(units[rows.y == one])) == 1 for one in np.unique(rows.y))
    if n_lacking:
        classes = "1 class" if n_lacking == 1 else f"{n_lacking} classes"
        of_what = "one row" if rows.groups is None else "one group of rows"
        warn(f"y: {classes} of {of_what} cannot be halved; one half of each pair is without")


def _sets_of_half(rows: EncodedRows, selector: Any, half: NDArray[np.intp]) -> list[FeatureSet]:
    """Return the sets of a half; none where it has them not, such as a half with one class only."""
    try:
        return _sets_of(rows, selector, half)
    except (InputError, NoSetsError):
        return []


def _sets_of(rows: EncodedRows, selector: Any, half: NDArray[np.intp]) -> list[FeatureSet]:
    with one_thread(), catch_warnings():
        simplefilter("ignore")
        fitted = fitted_sets(rows, selector, half)
    return [tuple(sorted(one.indices)) for one in fitted.sets_]
