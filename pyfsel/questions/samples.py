"""How far samples of an annealer, or of anything else, are from the proved optimum."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

from pyfsel.errors import InputError
from pyfsel.problem import values
from pyfsel.problem.checks import integer_in, list_of
from pyfsel.problem.objectives import FeatureSet
from pyfsel.problem.problem import Problem
from pyfsel.questions.answered import Answered
from pyfsel.questions.asking import Asking, QuestionSolving
from pyfsel.results.answer import Status
from pyfsel.results.display import Facts, percent
from pyfsel.results.verify import violations

if TYPE_CHECKING:
    import pandas as pd

BESIDES = ("", "energy", "num_occurrences")
"""Columns of a table of samples that are no features; the first is its index."""


@dataclass(frozen=True, repr=False, kw_only=True)
class RatedSamples(Answered):
    """Samples beside the best set.

    Parameters
    ----------
    samples : tuple of sets
        Each once, in the order of the first occurrence.
    occurrences : tuple of int
    reasons : tuple of str
        Why a sample is no solution; empty where it is one.
    gaps : tuple of float or None
        By how much the quality is below what is proved to be the most; None where a sample is no solution.
    """

    question: ClassVar[str] = "samples"

    samples: tuple[FeatureSet, ...]
    occurrences: tuple[int, ...]
    reasons: tuple[str, ...]
    gaps: tuple[float | None, ...]

    @property
    def status(self) -> Status:
        """That of the best set: without a proof the gaps are from a bound."""
        return Status.NOT_SOLVED if self.result is None else self.result.status

    def to_frame(self) -> pd.DataFrame:
        """Return one row per sample: its features, how often it came, why it is no solution, and its gap."""
        import pandas as pd

        names = [", ".join(map(str, self.problem.names_of(s))) for s in self.samples]
        columns = {
            "features": names,
            "occurrences": self.occurrences,
            "reason": self.reasons,
            "gap": self.gaps,
        }
        return pd.DataFrame(columns)

    def _found(self) -> dict[str, Any]:
        rows = zip(self.samples, self.occurrences, self.reasons, self.gaps, strict=True)
        names = ("features", "occurrences", "reason", "gap")
        return {
            "samples": [
                dict(zip(names, (self.problem.names_of(s), *rest), strict=True)) for s, *rest in rows
            ],
            "result": self._result_data(),
        }

    def _facts(self) -> Facts:
        total = sum(self.occurrences)
        feasible = sum(n for n, why in zip(self.occurrences, self.reasons, strict=True) if not why)
        facts = [("samples", f"{total}, {len(self.samples)} different; {feasible} are solutions")]
        gaps = [gap for gap in self.gaps if gap is not None]
        if gaps:
            at_best = sum(n for n, gap in zip(self.occurrences, self.gaps, strict=True) if gap == min(gaps))
            beside = "the optimum" if self.status is Status.OPTIMAL else "a proved bound"
            text = f"at least {min(gaps):.5g} below {beside}" if min(gaps) else f"reaches {beside}"
            facts.append(("best", f"{text}, {at_best} of {total} samples"))
            facts.append(("worst", f"{max(gaps):.5g} below it"))
        whys = Counter(why.split(":")[-1].strip() for why in self.reasons if why)
        facts += [("others", f"{percent(1 - feasible / total)}: {whys.most_common(1)[0][0]}")] if whys else []
        return facts


def rate_samples(
    problem: Problem,
    samples: Iterable[Sequence[int]],
    occurrences: Iterable[int] | None = None,
    **options: Unpack[QuestionSolving],
) -> RatedSamples:
    """Compare samples with the best set: which are solutions, and how far below the optimum each is.

    Parameters
    ----------
    problem : Problem
        For one set.
    samples : iterable of sequences of 0 and 1, shape (n_samples, n_features)
        Such as ``sampleset.record.sample`` of dimod, with the features in their order.
    occurrences : iterable of int, optional
        How often each came; once if not given.
    **options
        Backend, limits and more, see `QuestionSolving`.

    Raises
    ------
    InputError
        If samples are not of that shape, or the problem asks for several sets.

    Examples
    --------
    >>> problem = Problem(quality=[9, 8, 7], n_sets=1, set_size=2, max_overlap=2)
    >>> rated = rate_samples(problem, [[1, 0, 1], [1, 1, 0], [1, 1, 1]])
    >>> rated.gaps
    (1.0, 0.0, None)
    """
    if problem.n_sets > 1:
        raise InputError(f"problem: asks for {problem.n_sets} sets, samples are of one")
    rows = [_members(problem, number, row) for number, row in enumerate(samples)]
    times = [1] * len(rows) if occurrences is None else list_of("occurrences", occurrences)
    if len(times) != len(rows) or not rows:
        raise InputError(f"samples: {len(rows)} with {len(times)} occurrences; must be as many, at least one")
    counted: Counter[FeatureSet] = Counter()
    for row, number in zip(rows, times, strict=True):
        counted[row] += integer_in("occurrences", number, 1, None)
    reasons = tuple("; ".join(violations(problem, [members])) for members in counted)
    with Asking(**options) as asking:
        best = asking.solve(problem, "the best set")
        most = None if best is None else best.integer_bound
        gaps = tuple(
            None if why or most is None else values.to_float(problem, most - values.value(problem, members))
            for members, why in zip(counted, reasons, strict=True)
        )
        return RatedSamples(
            problem=problem,
            result=None if best is None or not best.sets else best,
            samples=tuple(counted),
            occurrences=tuple(counted.values()),
            reasons=reasons,
            gaps=gaps,
            **asking.ending(best is not None and best.status is Status.OPTIMAL),
        )


def read_samples(text: str, problem: Problem) -> tuple[list[list[int]], list[int]]:
    """Return samples and occurrences of a CSV file, such as that of `dimod.SampleSet.to_pandas_dataframe`.

    Columns are named by features, or by their numbers from 0; `num_occurrences` is optional.

    Raises
    ------
    InputError
        If a feature is missing, a column is none of these, or a number is not whole.
    """
    reader = csv.DictReader(text.splitlines())
    columns = set(reader.fieldnames or ())
    names = [str(name) for name in problem.feature_names]
    if not columns.issuperset(names):
        names = [str(j) for j in range(problem.n_features)]
    missing = [name for name in names if name not in columns]
    other = sorted(columns.difference(names, BESIDES))
    if missing or other:
        raise InputError(f"samples: columns must be the features; missing {missing[:3]}, besides {other[:3]}")
    rows = list(reader)
    try:
        numbers = [[int(row[name]) for name in names] for row in rows]
        return numbers, [int(row.get("num_occurrences") or 1) for row in rows]
    except (TypeError, ValueError) as error:
        raise InputError(f"samples: {error}") from None


def _members(problem: Problem, number: int, row: Sequence[int]) -> FeatureSet:
    bits = [int(bit) for bit in row]
    if len(bits) != problem.n_features or not {0, 1}.issuperset(bits):
        raise InputError(f"samples: number {number} must hold {problem.n_features} numbers 0 or 1")
    return tuple(j for j, bit in enumerate(bits) if bit)
