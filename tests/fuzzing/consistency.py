"""Random tables, and the smallest consistent sets of them against brute force over all sets of columns."""

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations

from questions_oracle import dissimilarity

from pyfsel import Status
from pyfsel.errors import SolverError
from pyfsel.papers import consistent_sets

from .trials import SECONDS, ContradictionError, expect

METHODS = ("auto", "cpsat")


@dataclass(frozen=True)
class ConsistencyTrial:
    """Smallest consistent sets of a table, one after another."""

    rows: tuple
    classes: tuple
    backend: str
    n_alternatives: int
    rate: float
    tau: float
    dissimilarity: str
    formulation = ""
    kind = property(lambda self: (self.backend, "", "consistency"))

    def outcome(self, truth=None):
        """Return "proved" or "open"; raise `ContradictionError` for anything false."""
        try:
            answer = consistent_sets(
                self.rows,
                self.classes,
                n_sets=self.n_alternatives + 1,
                dissimilarity=f"{self.dissimilarity}:{self.tau!r}",
                rate=self.rate,
                method=self.backend,
                time_limit=SECONDS,
            )
        except SolverError as error:
            raise ContradictionError(f"{type(error).__name__}: {error}") from error
        found = []
        for one, bound in zip(answer, answer.details["at_least"], strict=True):
            smallest = self._smallest(found)
            evidence = f"{one.status} {one.indices} ≥ {bound} beside {found}: truth is {smallest}"
            expect(self._is_allowed(one.indices, found), evidence)
            expect(one.status is not Status.OPTIMAL or smallest == len(one) == bound, evidence)
            found.append(one.indices)
        if answer.status in (Status.FEWER, Status.INFEASIBLE):
            expect(self._smallest(found) is None, f"{answer.status} beside {found}")
        if answer.low is not None:
            expect(answer.low <= self._smallest([]) <= answer.high, f"{answer.low} to {answer.high}")
        return "proved" if answer.proved else "open"

    def _smallest(self, found):
        n = len(self.rows[0])
        sets = (members for size in range(n + 1) for members in combinations(range(n), size))
        return next((len(members) for members in sets if self._is_allowed(members, found)), None)

    def _is_allowed(self, members, found):
        groups = {}
        for row, label in zip(self.rows, self.classes, strict=True):
            groups.setdefault(tuple(row[j] for j in members), []).append(label)
        wrong = sum(len(labels) - max(map(labels.count, labels)) for labels in groups.values())
        tau = Fraction(self.tau).limit_denominator(10**6)
        return wrong <= Fraction(self.rate).limit_denominator(10**6) * len(self.rows) and all(
            not {*members} >= {*other}
            and (not (members or other) or dissimilarity(members, other, self.dissimilarity) >= tau)
            for other in found
        )

    def source(self, evidence):
        """Return Python that repeats it."""
        return (
            "from pyfsel.papers import consistent_sets\n"
            f"print(consistent_sets({self.rows!r}, {self.classes!r}, n_sets={self.n_alternatives + 1}, "
            f"dissimilarity='{self.dissimilarity}:{self.tau!r}', rate={self.rate!r}, "
            f"method={self.backend!r}))\n# {evidence}"
        )

    def smaller(self):
        """Yield the trial with a row or a column less."""
        for i in range(len(self.rows)):
            yield replace(
                self,
                rows=self.rows[:i] + self.rows[i + 1 :],
                classes=self.classes[:i] + self.classes[i + 1 :],
            )
        for j in range(len(self.rows[0])):
            yield replace(self, rows=tuple(row[:j] + row[j + 1 :] for row in self.rows))


def random_consistency(random, backend):
    """Return a trial with a table of few values."""
    n_rows, n_columns = random.randint(2, 12), random.randint(1, 7)
    values = random.choice((2, 2, 3, 5))
    rows = tuple(tuple(random.randrange(values) for _ in range(n_columns)) for _ in range(n_rows))
    hidden = random.sample(range(n_columns), random.randint(1, min(3, n_columns)))
    by_columns = random.random() < 0.6
    classes = [sum(row[j] for j in hidden) % 2 if by_columns else random.randrange(2) for row in rows]
    if random.random() < 0.3:
        classes[0] = 2
    if len(set(classes)) == 1:
        classes[-1] = 1 - classes[-1] % 2
    return ConsistencyTrial(
        rows=rows,
        classes=tuple("abc"[label] for label in classes),
        backend=backend,
        n_alternatives=random.randint(0, 3),
        rate=random.choice((0, 0, 0, 0.1, 0.25, random.random())),
        tau=random.choice((0, 0, 0.25, 0.5, 2 / 3, 1)),
        dissimilarity=random.choice(("dice", "jaccard")),
    )
