"""Forward selection and backward elimination (paper 001, Alg. 4), also floating (Alg. 5).

Each takes the feature whose addition or removal gives the largest J. With a threshold (the default: what all
features reach) forward selection stops as soon as it is reached, and backward elimination before it would be
lost. With a size they stop there. With a patience of p they stop when p steps have brought neither a larger J
nor the same J with fewer features.

The floating searches remember the best J of each size. After each step they go back, without limit, as long
as this gives a set that is better than all of its size before. Each step back so raises a record, of which
there are finitely many values: they end. A floating backward elimination goes on below the threshold, since a
way back from there may lead to a smaller set that reaches it; its end is the empty set.
"""

from __future__ import annotations

from collections.abc import Callable

from pyfsel.papers.subset_search.run import Run
from pyfsel.problem.objectives import FeatureSet

Move = Callable[["FeatureSet"], tuple["FeatureSet", float]]
SMALLEST_FLOAT = 2  # back from so few features (or so few left out) nothing can beat the first step


def forward(run: Run) -> bool:
    """Add the best feature until the goal is reached; nothing is proved."""
    return _one_way(run, (), run.with_one_more)


def backward(run: Run) -> bool:
    """Remove the least important feature as long as the goal is still reached; nothing is proved."""
    return _one_way(run, run.everything, run.with_one_less)


def _one_way(run: Run, chosen: FeatureSet, move: Move) -> bool:
    is_forward = not chosen
    least = run.goal.threshold
    last = run.n_features if is_forward else 0
    run.step(chosen)
    while len(chosen) != last and not _is_done(run, chosen, is_forward):
        chosen, key = move(chosen)
        if not is_forward and least is not None and key < least:
            break
        run.step(chosen)
    return False


def _is_done(run: Run, chosen: FeatureSet, is_forward: bool) -> bool:
    if run.goal.patience is not None:
        return len(run.trace) - 1 - _best_step(run) >= run.goal.patience
    if run.goal.threshold is not None:
        return is_forward and run.is_reached
    return len(chosen) in run.goal.sizes


def _best_step(run: Run) -> int:
    best = next(iter(run.best))
    return next(i for i, visit in enumerate(run.trace) if visit.features == best)


def floating_forward(run: Run) -> bool:
    """Add the best feature, then remove features as long as that gives a new best set of its size."""
    return _floating(run, (), run.with_one_more, run.with_one_less)


def floating_backward(run: Run) -> bool:
    """Remove the least important feature, then add some as long as that gives a new best set of its size."""
    return _floating(run, run.everything, run.with_one_less, run.with_one_more)


def _floating(run: Run, chosen: FeatureSet, ahead: Move, back: Move) -> bool:
    is_forward = not chosen
    has_threshold = run.goal.threshold is not None
    last = run.goal.sizes[-1] if is_forward else run.goal.sizes[0]
    best: dict[int, float] = {}

    def go_to(features: FeatureSet, key: float) -> None:
        best[len(features)] = max(key, best.get(len(features), key))
        run.step(features)

    go_to(chosen, run.key(chosen))
    while len(chosen) != last and not (is_forward and has_threshold and run.is_reached):
        chosen, key = ahead(chosen)
        go_to(chosen, key)
        while (len(chosen) if is_forward else run.n_features - len(chosen)) > SMALLEST_FLOAT:
            previous, key = back(chosen)
            if key <= best[len(previous)]:
                break
            chosen = previous
            go_to(chosen, key)
    return False
