"""Would the sets come out again? Selection in halves of the rows: frequencies, replacements, stability."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from math import nan, sqrt
from typing import TYPE_CHECKING, Any, Unpack
from warnings import catch_warnings, simplefilter

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyfsel.errors import InputError, NoSetsError
from pyfsel.measures.tables.encoded import warn
from pyfsel.measures.threads import one_thread
from pyfsel.problem.checks import integer_in, is_a, shown
from pyfsel.problem.objectives import FeatureSet
from pyfsel.results.answer import StopReason
from pyfsel.results.counting import counted
from pyfsel.results.display import Part, SetsTable, Shown, number_or_dash
from pyfsel.results.jobs import finished
from pyfsel.results.plots import draw_cells
from pyfsel.results.sampling import NORMAL_95
from pyfsel.selectors.alternatives import AlternativeFeatureSelector
from pyfsel.selectors.evaluation.evaluate import Validation, encoded_rows, options_of, told_selector
from pyfsel.selectors.evaluation.folds import EncodedRows, fitted_sets
from pyfsel.selectors.evaluation.result import stability as index_of_nogueira
from pyfsel.selectors.evaluation.result import without_nan

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LARGEST_SHARE = 1 / sqrt(3)
"""The bound holds for sets of at most this share of all features."""


@dataclass(frozen=True, eq=False)
class Stability(Shown):
    """The sets of all rows, and those of halves of the rows.

    Parameters
    ----------
    sets : sequence of feature sets
        Of all rows, the original one first.
    halves : sequence of sequences of feature sets
        Of each half, two after each other for a pair; empty where none were found.
    feature_names : tuple of str
    n_rows : int
    stop_reason : StopReason
    """

    sets: Sequence[FeatureSet]
    halves: Sequence[Sequence[FeatureSet]]
    feature_names: tuple[str, ...]
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
        counts = np.zeros((len(self.feature_names), len(self.sets)))
        for row in self.matched:
            for number, members in enumerate(row):
                counts[list(members or ()), number] += 1
        return counts / max(1, len(self.halves))

    def to_frame(self) -> pd.DataFrame:
        """Return one row per set: how much of it comes out again in halves of the rows.

        ``overlap`` is the mean share of its features that are in the set that is matched, less what chance
        gives: 1 if all are, 0 as by chance for one set; several sets reach more by chance, as those that
        share most are matched. ``again`` is how often exactly this set comes out. ``stability`` is Nogueira's
        index of the matched sets, with its 95% interval.
        """
        return pd.DataFrame([self._row(number) for number in range(len(self.sets))])

    def _row(self, number: int) -> dict[str, Any]:
        members, n = self.sets[number], len(self.feature_names)
        found = [row[number] for row in self.matched]
        by_chance = len(members) ** 2 / n
        shared = [len(set(members) & set(other or ())) for other in found]
        left = len(members) - by_chance
        index, low, high = stability_interval([other for other in found if other is not None], n)
        return {
            "set": number,
            "features": [self.feature_names[j] for j in members],
            "frequencies": [float(self.frequencies[j, number]) for j in members],
            "overlap": float((np.mean(shared) - by_chance) / left) if left > 0 else nan,
            "again": float(np.mean([other == members for other in found])),
            "stability": index,
            "stability_low": low,
            "stability_high": high,
        }

    def replacements(self, most: int = 10) -> list[dict[str, Any]]:
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
                "feature": self.feature_names[a],
                "replaced_by": self.feature_names[b],
                "n_halves": number,
                "share": number / missing[a],
            }
            for (a, b), number in sorted(together.items(), key=lambda item: (-item[1], item[0]))[:most]
        ]

    def bound(self, threshold: float) -> float | None:
        """Return a bound on how many features of low probability reach a frequency in set 0.

        None where it says nothing.

        Low is a probability of at most k/p in a half of the rows, which is what chance gives; features that
        are often selected for being noisy are not excluded.

        Parameters
        ----------
        threshold : float
            Frequency, above 0.5.

        References
        ----------
        Shah and Samworth, "Variable selection with error control: another look at stability selection",
        Journal of the Royal Statistical Society B 75, 2013: Theorem 3, for unimodal distributions.
        """
        k, n, n_pairs = len(self.sets[0]), len(self.feature_names), len(self.halves) // 2
        if not n_pairs or k / n > LARGEST_SHARE:
            return None
        low = (k / n) ** 2
        if threshold <= 0.5 + max(1 / (2 * n_pairs), min(low, 1 / (2 * n_pairs) + 3 * low / 4)):
            return None
        found = unimodal_constant(threshold, n_pairs) * k**2 / n
        return found if found < 1 else None

    def bound_text(self, threshold: float = 0.9) -> str:
        """Return the bound in words, "" where it says nothing."""
        # not those of the matched sets, which all rows have a part in: the bound is of what a half selects
        counts = Counter(j for half in self.halves if half for j in half[0])
        least = threshold * len(self.halves)
        found, often = self.bound(threshold), sum(count >= least for count in counts.values())
        if found is None or not often:
            return ""
        return (
            f"{often} feature{'' if often == 1 else 's'} in set 0 of at least {100 * threshold:.0f} % of the "
            f"halves; at most {found:.2g} of features that come as rarely as by chance are expected there"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        rows = self.to_frame().to_dict("records")
        return {
            "n_halves": len(self.halves),
            "n_empty": self.n_empty,
            "n_rows": self.n_rows,
            "n_features": len(self.feature_names),
            "stop_reason": str(self.stop_reason),
            "sets": [without_nan(row) for row in rows],
            "replacements": self.replacements(),
            "bound": {"threshold": 0.9, "features": self.bound(0.9)},
            "frequencies": [
                {"feature": name, "by_set": shares.tolist()}
                for name, shares in zip(self.feature_names, self.frequencies, strict=True)
                if shares.any()
            ],
        }

    def plot(self, most: int = 30) -> Figure:
        """Draw the sets with the frequency of each feature in the halves; those of the sets have a frame.

        Parameters
        ----------
        most : int
            Features to draw, those of the sets and the most frequent first.

        Returns
        -------
        matplotlib.figure.Figure
        """
        inside = {j for members in self.sets for j in members}
        largest = self.frequencies.max(axis=1)
        order = sorted(range(len(self.feature_names)), key=lambda j: (j not in inside, -largest[j], j))
        chosen = [j for j in order if j in inside or largest[j] > 0][:most]
        names = [self.feature_names[j] for j in chosen]
        framed = [(row, s) for row, j in enumerate(chosen) for s, one in enumerate(self.sets) if j in one]
        return draw_cells(names, self.frequencies[chosen], framed)

    def parts(self, overlap_rule: str = "") -> list[Part]:
        """Return what is shown of it: a row per set, what comes instead, and what the numbers mean."""
        table = SetsTable(
            ["set", "overlap", "exactly\nagain", "stability"], (), "features, in % of the halves"
        )
        for row in map(self._row, range(len(self.sets))):
            index = number_or_dash(row["stability"], ".2f")
            if index != "–":
                index += f"\n{row['stability_low']:.2f}–{row['stability_high']:.2f}"
            overlap = number_or_dash(row["overlap"], ".2f")
            shares = zip(row["features"], row["frequencies"], strict=True)
            cells = [str(row["set"]), overlap, f"{100 * row['again']:.0f} %", index]
            table.add_row(cells, [f"{name} {100 * share:.0f}" for name, share in shares])
        parts: list[Part] = [table]
        lines = [
            f"{one['replaced_by']} for {one['feature']}: {100 * one['share']:.0f} % of the halves without it"
            for one in self.replacements(5)
        ]
        if lines:
            parts.append("\n".join(["What comes instead:", *lines]))
        if self.n_empty:
            verb = "has" if self.n_empty == 1 else "have"
            parts.append(f"{self.n_empty} of the halves {verb} no sets, such as those of one class only.")
        return [*parts, self._legend()]

    def _legend(self) -> str:
        legend = (
            f"{len(self.halves)} halves of {self.n_rows:,} rows, whose sets are matched to those of all "
            "rows. overlap: features that come again, 0 as one set by chance, 1 all; stability: Nogueira et "
            "al. (2018) with its 95 % interval. It is that of half the rows: all are rather more stable, "
            "unless columns tie."
        )
        if bound := self.bound_text():
            legend += f" {bound} (Shah and Samworth 2013)."
        if self.stop_reason is StopReason.INTERRUPTED:
            legend += " Interrupted; other halves are missing."
        return legend


def unimodal_constant(threshold: float, n_pairs: int) -> float:
    """Return by what the squared number of features is multiplied in the bound of Shah and Samworth.

    Examples
    --------
    >>> round(unimodal_constant(0.9, 50), 3), round(unimodal_constant(0.7, 50), 3)
    (0.431, 1.282)
    """
    if threshold <= 0.75:
        return 1 / (2 * (2 * threshold - 1 - 1 / (2 * n_pairs)))
    return 4 * (1 - threshold + 1 / (2 * n_pairs)) / (1 + 1 / n_pairs)


def stability_interval(selections: Sequence[FeatureSet], n_features: int) -> tuple[float, float, float]:
    """Return Nogueira's index of stability with its 95% interval; NaN where it is not defined.

    References
    ----------
    Nogueira, Sechidis and Brown, "On the Stability of Feature Selection Algorithms", Journal of Machine
    Learning Research 18(174), 2018: Definition 4, Theorem 7 and Corollary 8.
    """
    index = index_of_nogueira(selections, n_features)
    if np.isnan(index):
        return nan, nan, nan
    Z = np.zeros((len(selections), n_features))
    for row, members in enumerate(selections):
        Z[row, list(members)] = 1
    p, k = Z.mean(axis=0), Z.sum(axis=1)
    mean_k, d = k.mean(), n_features
    by_chance = mean_k / d * (1 - mean_k / d)
    each = (Z * p).mean(axis=1) - k * mean_k / d**2
    each += index / 2 * (2 * mean_k * k / d**2 - k / d - mean_k / d + 1)
    each /= by_chance
    half = NORMAL_95 * 2 / len(Z) * sqrt(((each - each.mean()) ** 2).sum())
    return index, index - half, min(1.0, index + half)


def stability(
    X: Any, y: Any, selector: Any = None, *, n_pairs: int = 50, **options: Unpack[Validation]
) -> Stability:
    """Select in complementary halves of the rows, and tell how much of the sets comes out again.

    Halves understate how stable a selection from all rows is, and overstate it where columns tie.

    Parameters
    ----------
    X, y
        As for `pyfsel.evaluate`.
    selector : AlternativeFeatureSelector, optional
    n_pairs : int
        Pairs of halves; the rows of a class are halved each, and groups stay together.
    **options
        ``groups``, ``sample_weight``, ``times``, ``gap``, ``task``, ``missing``, ``dates``, ``random_state``
        and ``n_jobs``, as for `pyfsel.evaluate`. With times, or ``cv="time:COLUMN"``, there is one pair: the
        earlier and the later half.

    Returns
    -------
    Stability
        After Ctrl-C of the pairs that are finished.

    Raises
    ------
    InputError
        If an argument or the table is not allowed, or there are no sets.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from pyfsel import AlternativeFeatureSelector
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> selector = AlternativeFeatureSelector(3, n_alternatives=0, measure="f_statistic")
    >>> found = stability(X, y, selector, n_pairs=5)
    >>> len(found.halves), found.sets
    (10, [(6, 11, 12)])
    """
    unused = {"scoring", "n_splits", "n_repeats", "margin", "state_file"} & options.keys()
    if not isinstance(options.get("cv") or "", str):
        unused.add("cv")
    if unused:
        raise TypeError(f"stability() got an unexpected keyword argument {min(unused)!r}")
    asked = options_of(options)
    n_pairs = integer_in("n_pairs", n_pairs, 1, None)
    selector = AlternativeFeatureSelector() if selector is None else selector
    is_a("selector", selector, AlternativeFeatureSelector, "an AlternativeFeatureSelector")
    rows = encoded_rows(X, y, asked, selector)
    told = told_selector(selector, rows).set_params(
        copies=_without_notes(selector.copies), chance=_chance(selector)
    )
    try:
        sets = _sets_of(rows, told, np.arange(len(rows.y)))
    except NoSetsError as error:
        raise InputError(f"selector={shown(selector)}: finds no set in all rows ({error})") from None
    halves: dict[int, list[FeatureSet]] = {}
    tasks = [
        (number, (rows, told, half))
        for number, half in enumerate(_halves(rows, n_pairs, asked["random_state"]))
    ]
    _say_rare_classes(rows)
    stop_reason = StopReason.FINISHED
    try:
        with (
            closing(finished(_sets_of_half, tasks, asked["n_jobs"])) as running,
            closing(counted("halves", running, len(tasks))) as steps,
        ):
            halves.update(steps)
    except KeyboardInterrupt:
        if not any(i ^ 1 in halves for i in halves):
            raise
        stop_reason = StopReason.INTERRUPTED
    names = rows.names
    # the bound is of complementary pairs: half i and half i ^ 1; after Ctrl-C one of them may be missing
    paired = [halves[i] for i in sorted(halves) if i ^ 1 in halves]
    return Stability(sets, paired, names, len(rows.y), stop_reason)


def _without_notes(copies: Any) -> Any:
    return "ignore" if isinstance(copies, str) and copies == "note" else copies


def _chance(selector: Any) -> Any:
    """Return what is done about chance where it changes sets; marks are not looked at."""
    is_marking = selector.chance == "mark" or (selector.chance is None and selector.objective != "mrmr")
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
    return [tuple(sorted(int(j) for j in members)) for members in fitted.feature_sets_]
