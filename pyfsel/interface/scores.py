"""Scores that were measured on a table, and how far to trust them; not part of a problem."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from pyfsel.core.arrays import Reals
from pyfsel.errors import InputError
from pyfsel.problem.checks import finite_array, integer_in, is_a, one_of, share
from pyfsel.problem.dissimilarity import shared_limit
from pyfsel.problem.instance import Instance
from pyfsel.problem.labels import in_order
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.value import number_of_text

if TYPE_CHECKING:
    import pandas as pd

    from pyfsel.measures.tables.table import Table

NEAR_DUPLICATES = ("auto", "note", "merge", "ignore")
MERGED_BY_DEFAULT = 0.8
"""From this similarity near-duplicates count as one by default, if that leaves enough features."""
MERGING = ("univariate", "jmi")
"""Objectives that do not see near-duplicates: a set gains by each of them."""
Pairs = tuple[tuple[int, int], ...]
"""Of features that are near-duplicates."""


@dataclass(frozen=True, eq=False, repr=False)
class Scores:
    """The scores of the features of a table; `pyfsel.measure` makes them.

    Parameters
    ----------
    tables : list of Table
        The prepared table, one for each output.
    options : mapping
        How the table is measured: arguments of `pyfsel.measures.from_table.problem_from_table`.
    origin : str
        Where the numbers come from, for headlines.
    kept : dict
        What was measured, so no problem of these scores measures it again.
    """

    tables: list[Table]
    options: dict[str, Any]
    origin: str = ""
    kept: dict[Any, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<Scores{self.origin.replace(',', '', 1)}>"

    @property
    def table(self) -> Table:
        """The table; with several outputs, the table of the first output."""
        return self.tables[0]

    @cached_property
    def _univariate(self) -> Instance:
        return self._problem(**self.options | {"copies": "ignore"}, k=1)

    def _problem(self, **options: Any) -> Instance:
        """Return an instance of the tables; problems of plain numbers do not load measures."""
        from pyfsel.measures.from_table import problem_from_table

        return problem_from_table(self.tables, **options, kept=self.kept)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the features."""
        return tuple(self.table.feature_names)

    @property
    def quality(self) -> Reals:
        """The score of each feature, shape (n_features,)."""
        return self._univariate.quality_floats

    @property
    def unit(self) -> str:
        """The unit of the scores."""
        return self._univariate.measured_unit

    @property
    def n_rows(self) -> int:
        """The number of rows that were measured."""
        return len(self.table.y)

    @property
    def p_values(self) -> Reals | None:
        """Family-wise p-values of a permutation test, None if it was not made."""
        evidence = self._univariate.evidence
        return None if evidence is None else evidence.p_values

    @property
    def standard_errors(self) -> Reals | None:
        """Standard errors of the scores, None if they are unknown."""
        evidence = self._univariate.evidence
        return None if evidence is None else evidence.standard_errors

    @cached_property
    def near_duplicates(self) -> tuple[tuple[str, ...], ...]:
        """Groups of features that are nearly equal."""
        from pyfsel.measures.copies import THRESHOLD, find_copies

        threshold = self.options.get("copy_threshold", THRESHOLD)
        return tuple(tuple(self.names[j] for j in group) for group in find_copies(self.table, threshold))

    def pairs(self, measure: str | None = None) -> Reals:
        """Return the pairwise dependence of the features, shape (n_features, n_features).

        Parameters
        ----------
        measure : str, optional
            The measure of pairs; by default, the measure of single features.
        """
        from pyfsel.measures.compute import redundancy

        name = measure or self.options.get("measure") or "information"
        return np.asarray(redundancy(self.table, measure=name), dtype=np.float64)

    def to_frame(self) -> pd.DataFrame:
        """Return one row for each feature: score, p-value and standard error."""
        import pandas as pd

        columns = {"quality": self.quality, "p_value": self.p_values, "standard_error": self.standard_errors}
        known = {name: numbers for name, numbers in columns.items() if numbers is not None}
        return pd.DataFrame(known, index=pd.Index(self.names, name="feature"))

    def cautions(
        self, problem: Instance, sets: Sequence[FeatureSet], named: Collection[int], *, compared: bool
    ) -> tuple[list[str], Pairs, list[str]]:
        """Return what misleads in the table, near-duplicates of features, and which sets say the same.

        Parameters
        ----------
        problem : Instance
        sets : sequence of sets of int
        named : collection of int
            The features of which near-duplicates are searched.
        compared : bool
            Whether the sets are compared with set 0.
        """
        from pyfsel.measures.copies import THRESHOLD, copies_of
        from pyfsel.measures.evidence import ODDITIES, once
        from pyfsel.measures.relations import relations, sentences
        from pyfsel.measures.tables.look import misleading, said_of

        odd = once(self.kept, ODDITIES, lambda: misleading(self.table))
        place = {name: j for j, name in enumerate(self.table.feature_names)}
        *names, all_named = (problem.names_of(tuple(one)) for one in (*sets, named))
        members, near = [[place[name] for name in one] for one in names if compared], Pairs()
        if named and not problem.copies and self.options["copies"] in ("auto", "note"):
            near = copies_of(
                self.table, {place[name] for name in all_named}, self.options.get("copy_threshold", THRESHOLD)
            )
        return said_of(odd, names), near, sentences(relations(self.table, members), problem)

    def instance(self, **asked: Any) -> Instance:
        """Return the integer problem of all features, or of one of each group of near-duplicates.

        Parameters
        ----------
        **asked
            Arguments of `pyfsel.measures.from_table.problem_from_table`.
        """
        options = self.options
        if options["copies"] == "auto":
            rules, is_blind = asked["constraints"], asked["objective"].name in MERGING
            has_rules = len(rules.forced) or len(rules.groups) or rules.costs is not None
            if is_blind and not has_rules and (merged := self._merged(asked)) is not None:
                return merged
            options = {**options, "copies": "note"}
        return self._problem(**options, **asked)

    def _merged(self, asked: dict[str, Any]) -> Instance | None:
        """Return the instance of representatives of near-duplicates, None if they are too few.

        Each set shares as many features as allowed with the others.
        """
        options = {**self.options, "copies": "merge", "copy_threshold": MERGED_BY_DEFAULT}
        try:
            instance = self._problem(**options, **asked)
        except InputError:  # too few for one set; any other fault is raised when all features are taken
            return None
        size, n_allowed = instance.k, instance.n_features - len(instance.forbidden)
        fresh = size - (shared_limit(instance, size, size) or 0)
        return instance if n_allowed >= size + (instance.n_sets - 1) * fresh else None


def measure(
    X: Any,
    y: Any = None,
    *,
    by: str | ArrayLike | Any = None,
    task: str = "auto",
    missing: str = "error",
    near_duplicates: str = "auto",
    chance: str | None = None,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    keep_best: int | None = None,
    outputs: str = "mean",
    random_state: int | None = 0,
    n_jobs: int | None = None,
    name: str = "",
) -> Scores:
    """Measure the features of a table once, for any number of problems.

    Parameters
    ----------
    X : DataFrame, array, sparse matrix, or a table that can be read in parts
    y : array-like of shape (n_rows,) or (n_rows, n_outputs), or str, optional
        The target; the name of a column if the table is read in parts.
    by : str, array of shape (n_features,) or callable, optional
        The relevance score of a feature, by name. The default suits the objective: information beyond chance
        for sums. In Python also your own numbers, or a score function of scikit-learn.
    task : {"auto", "classification", "regression", "survival", "unsupervised"}
        The kind of target; "unsupervised" needs no target.
    missing : {"error", "impute", "drop", "category"}
        How missing values are treated.
    near_duplicates : {"auto", "note", "merge", "ignore"} or "merge:0.7"
        Whether near-duplicates are reported or count as one feature; the number is the minimum correlation.
        "auto" merges at 0.8 for sums and JMI without rules for single features, if that leaves enough for all
        sets.
    chance : {"mark", "forbid", "off"}, optional
        How features that are not significant are treated. By default they are marked; mRMR forbids them.
    sample_weight, groups : array-like of shape (n_rows,), optional
    keep_best : int, optional
        The number of features with the highest scores to keep before pairs are measured; all by default.
        Proofs are then about these features only. P-values are still family-wise over all features.
    outputs : {"mean", "min"}
        How the scores of several outputs are combined.
    random_state : int, optional
    n_jobs : int, optional
        Processes that measure and train; -1 means all cores.
    name : str
        The name of the table, for headlines.

    Returns
    -------
    Scores

    Raises
    ------
    InputError
        If the table or an argument is not allowed.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> scores = measure(*load_wine(return_X_y=True, as_frame=True))
    >>> scores.to_frame()["quality"].idxmax()
    'flavanoids'
    """
    from pyfsel.measures.from_table import check_measuring, tables_of

    check_measuring("by", by, chance, outputs, random_state, n_jobs)
    of_table = is_a("name", name, str, "text") and f" of {name}"
    merging = copying_of(near_duplicates)
    tables = tables_of(X, y, sample_weight, groups, task=task, missing=missing, dates="number")
    if not isinstance(by, str | Callable | None):
        by = finite_array("by", in_order("by", by, tables[0].feature_names), (tables[0].n_features,))
    options = {
        "measure": by,
        "chance": chance,
        "outputs": outputs,
        "random_state": random_state,
        "n_jobs": n_jobs,
        **merging,
    }
    found = Scores(tables, options)
    features = f"{found.table.n_features:,} features"
    if keep_best is not None:
        found = _best_of(found, integer_in("keep_best", keep_best, 1, None))
        features = f"the best {found.table.n_features:,} of {features}"
    return replace(found, origin=f", from {features} and {found.n_rows:,} rows{of_table}")


def _best_of(scores: Scores, n_features: int) -> Scores:
    """Return only the features of the highest scores (ties: the first ones), in the order of the table."""
    best = np.sort(np.argsort(-scores.quality, kind="stable")[:n_features])
    options, by = dict(scores.options), scores.options["measure"]
    if isinstance(by, np.ndarray):
        options["measure"] = by[best]
    kept = {} if scores.p_values is None else {("p_values",): scores.p_values[best]}
    return Scores([table.select(best) for table in scores.tables], options, kept=kept)


def copying_of(near_duplicates: Any) -> dict[str, Any]:
    """Return what is done about near-duplicates as arguments of the measures."""
    word, colon, threshold = str(near_duplicates).partition(":")
    one_of("near_duplicates", word, NEAR_DUPLICATES)
    if not colon:
        return {"copies": word}
    least = share("near_duplicates", number_of_text("near_duplicates", threshold))
    return {"copies": word, "copy_threshold": least}
