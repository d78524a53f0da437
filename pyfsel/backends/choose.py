"""The backend `auto`: which backend a problem gets, and why."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pyfsel.backends import find_backend, registry
from pyfsel.backends.base import Backend, refusal
from pyfsel.errors import InputError
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import ObjectiveKind
from pyfsel.problem.values import kinds_of, objective_of, takes_steps

FEW_SETS = 6  # measured up to there, see `_few_candidates` and `_few_patterns`


def _few_candidates(problem: Instance) -> bool:
    """Return whether the worst of the best sets is so good that few sets are as good.

    Measured with mutual information and model gain of 22 data sets with 30 to 168 features, 5 and 10 features
    per set, up to six sets: of 37 minima packing proved 33, each within 0.6 s of CPU time; the others take
    CP-SAT up to some seconds. Of disjoint sets both together prove what number partitioning proved, but one
    of 17, whose gap stays at 0.04% (``benchmarks/min_aggregation.py``).
    """
    return problem.aggregate == "min" and 1 < problem.n_sets <= FEW_SETS


def _little_overlap(problem: Instance) -> bool:
    """Return whether a sum of several pairwise values has sets that share so little that prices are sharp.

    Measured with mRMR of 12 tables with 31 to 166 features, ten features per set, three sets, two shared
    features: prices proved all sums, most within 2 s, where ksubgraph proved 3 in 20 s. With 5 features per
    set and at most one shared feature it proved the sums that ksubgraph left open, each within a second. For
    minima, and with more overlap, ksubgraph is stronger. If there are fewer features than the sets have
    places, it is the safer one: of 35 sums of mRMR with up to six sets of 5 of 15 to 29 features
    (``benchmarks/experiment_000.py``, one shared feature), it proved all, in up to 14 s, and prices all but
    one in less than a second, but that (six sets, hypothyroid) not in 40 s.
    """
    pairwise_sum = objective_of(problem).has_pairs and problem.n_sets > 1 and problem.aggregate == "sum"
    has_room = problem.n_sets * problem.k <= problem.n_features
    return pairwise_sum and has_room and 5 * problem.max_shared < 2 * problem.k


def _few_patterns(problem: Instance) -> bool:
    """Return whether features differ in quality only, and sets are few but large.

    The model by patterns has 2^n_sets − 1 integers, whatever the sizes of sets. Of 52 sums of six sets of 12
    features of real tables (``benchmarks/many_sets.py --n-alternatives 5 -k 12 --backend mip:highs``, the
    same with ``cpsat``), HiGHS proves each within 1.1 s, CP-SAT within 3.2 s. Six sets of 10 of a million
    random qualities, of which the best are nearly equal, take 0.5 s of CPU time, and took 5.8 s with CP-SAT
    and a slower pre-selection (``benchmarks/latency.py --only 1,000,000``). With more sets, or as many as
    features in a set, CP-SAT is often the quicker one.
    """
    if not 1 < problem.n_sets <= FEW_SETS or problem.n_sets >= problem.k:
        return False
    from pyfsel.model import patterns

    return patterns.unsupported(problem) is None


def _too_fine(problem: Instance) -> bool:
    """Return whether the numbers of a fraction are too fine for searches by steps: sets would look alike."""
    from pyfsel.algorithms.cfs.step import STEP_LIMIT, too_coarse

    return takes_steps(problem) and too_coarse(problem, STEP_LIMIT) is not None


PREFERENCE: tuple[tuple[str, str, Callable[[Instance], bool] | None], ...] = (
    ("sorting", "the best features alone decide", None),
    ("ranking", "the best sets are enough, as sets need only differ", None),
    (
        "best-subsets",
        "the only search for least squares",
        lambda problem: ObjectiveKind.LEAST_SQUARES in kinds_of(problem),
    ),
    (
        "mip:highs",
        "represented columns are a linear model whose relaxation is sharp",
        lambda problem: ObjectiveKind.MAXIMA in kinds_of(problem),
    ),
    # Measured with 30 features, 5 per set, four sets in turn: 10 to 20 ms of CPU time for enumeration, where
    # CP-SAT took 20 to 30 ms and 600 ms the first time. With pairs of features it takes 110 ms, ksubgraph 50.
    (
        "enumeration",
        "so few sets are possible that all are tried in milliseconds",
        lambda problem: not objective_of(problem).has_pairs,
    ),
    ("brute-force", "its numbers are too fine for the integers of the other searches", _too_fine),
    ("prices", "the sets share so little that prices of features are sharp", _little_overlap),
    ("ksubgraph", "strongest on pairs of features, as in mRMR", None),
    # Measured with binned mutual information of the library's 101 problems with conflicts and 45 of the grid
    # of paper 000 (5 and 10 features per set, 2 to 6 sets): packing proved each, the 45 within
    # 0.31 s, where CP-SAT left the five hardest open after 20 s.
    (
        "packing-cpsat",
        "conflicts leave few sets that are good enough",
        lambda problem: problem.has_conflicts,
    ),
    (
        "packing-cpsat",
        "often few sets are good enough to matter, which packing lists; else CP-SAT is stronger",
        _few_candidates,
    ),
    ("mip:highs", "patterns of few sets decide, as features differ in quality only", _few_patterns),
    ("cpsat", "strongest on many sets and on large tables", None),
    ("packing", "its sets can be enumerated", None),
    ("rc2", "a MaxSAT encoding exists", None),
    ("brute-force", "no other embedded solver takes this problem", None),
)


def choose_backend(problem: Instance) -> tuple[Backend, str]:
    """Return the first backend that is installed and takes the problem, and the reason in words.

    Raises
    ------
    InputError
        If no embedded backend takes the problem.
    """
    refused: dict[str, list[str]] = {}
    for name, reason, suits in PREFERENCE:
        if suits and not suits(problem):
            continue
        backend = find_backend(name)
        assert backend is not None  # it is one of this package
        why_not = backend.missing() or refusal(backend, problem, backend.formulations[0])
        if why_not is None:
            return backend, f"auto chose {name}: {reason}."
        refused.setdefault(why_not, []).append(name)
    same_for_all = len(refused) == 1 and len(*refused.values()) > 1
    reasons = "; ".join(
        why_not if same_for_all else f"{', '.join(names)}: {why_not}" for why_not, names in refused.items()
    )
    raise InputError(f"solver='auto': none takes this problem: {reasons}")


def by_strength(problem: Instance) -> Iterator[Backend]:
    """Yield the exact backends that are installed: those that suit a problem first, the strongest before.

    Whether they take the problem is not asked. Last come those behind MiniZinc, which has to flatten a model.
    """
    suiting = [name for name, _, suits in PREFERENCE if not suits or suits(problem)]
    known = registry()
    others = sorted(known, key=lambda name: name.startswith("minizinc:"))
    for name in dict.fromkeys([*suiting, *(name for name, _, _ in PREFERENCE), *others]):
        if name in known and known[name].exact and known[name].missing() is None:
            yield known[name]
