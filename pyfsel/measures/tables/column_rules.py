"""Rules of a look about one column: leaks, times and events, groups, codes of missing values, answers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from pyfsel.core.arrays import Array, Indices, Reals
from pyfsel.measures.tables.entries import present
from pyfsel.measures.tables.table import Table
from pyfsel.problem.checks import number_of

TIME = re.compile(
    r"(.*[_ .-])?(time|duration|survival|fu|follow[_ .-]?up|os|pfs|tte)([_ .-].*)?", re.IGNORECASE
)
EVENT = re.compile(
    r"(.*[_ .-])?(event|status|death|dead|died|deceased|censor\w*|relapse)([_ .-].*)?", re.IGNORECASE
)
GROUP = re.compile(
    r"(.*[_ .-])?(id|patient|subject|donor|person|customer|user|machine|site|household|school|hospital"
    r"|account|batch|plate|family|device)s?([_ .-].*)?",
    re.IGNORECASE,
)
SCALES = tuple(
    scale.split("|")
    for scale in (
        "strongly disagree|disagree|neither|neutral|agree|strongly agree",
        "very poor|poor|fair|good|very good|excellent",
        "never|rarely|sometimes|often|always",
        "very low|low|medium|high|very high",
        "none|mild|moderate|severe",
        "small|medium|large",
        "bad|average|good",
        "very dissatisfied|dissatisfied|neutral|satisfied|very satisfied",
        "primary|secondary|tertiary",
        "no|sometimes|yes",
        "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec",
        "mon|tue|wed|thu|fri|sat|sun",
        "monday|tuesday|wednesday|thursday|friday|saturday|sunday",
    )
)
CODES = (0, 9, 88, 98, 99, 998, 999, 9998, 9999, 99999, -1, -2, -7, -8, -9, -88, -98, -99, -999, -9999)
MOST_ROWS_SCORED = 4000
"""At most this many rows are predicted."""
FEW_ROWS = 100
"""In fewer rows a column predicts a target of two classes, or has one class for each value, by chance."""
FEWEST_ROWS = 20
"""In so few rows values differ by chance, and of fewer values no code is known."""
FEWEST_CODES = 0.005
"""A code is in at least this part of the rows."""
LEAK, NEAR, AHEAD = 0.995, 0.9, 0.25
LEFT_OUT = "Is it known beforehand? Otherwise {ignored}"


class ColumnSeen(NamedTuple):
    """A column of a table as rules see it.

    Parameters
    ----------
    table : Table
    name : str
    j : int
    values : array of float, shape (n_rows,)
    drawn : array of float, shape (n_drawn,)
        The values in drawn rows, NaN where one is missing.
    y : array, shape (n_drawn,)
        The target in these rows.
    """

    table: Table
    name: str
    j: int
    values: Reals
    drawn: Reals
    y: Array


class Said(NamedTuple):
    """What is said of a column; columns of which the same is said are put together.

    Parameters
    ----------
    kind, name : str
    what, remedy : str
        With ``{names}``, ``{s}`` and ``{have}`` for verbs, ``{ignored}`` (options that leave the columns out)
        and ``{option}``. What to do is said of the first column.
    label, option : str
        The name with what else is said of the column, and with what an option says of it.
    """

    kind: str
    name: str
    what: str
    remedy: str
    label: str = ""
    option: str = ""


def score(own: ColumnSeen) -> float:
    """Return how well a column alone predicts held-out rows: 1 is perfect, 0 as by chance.

    Balanced accuracy or R², of one half of the rows by the other, both ways. A missing value is a value, too.
    A column that is the target by another name is perfect in any number of rows.
    """
    table, n_classes = own.table, len(own.table.classes)
    if n_classes:
        distinct, codes = np.unique(own.values, return_inverse=True)
        is_target = len(distinct) == n_classes == len(np.unique(codes * n_classes + table.y))
    else:
        is_target = bool((own.values == table.y).all())
    if is_target or len(table.y) < FEW_ROWS:
        return float(is_target)
    values, y = own.drawn[:MOST_ROWS_SCORED], own.y[:MOST_ROWS_SCORED]
    values = np.where(np.isnan(values), np.nanmin(values) - 1, values)
    halves = np.array_split(np.arange(len(y)), 2)
    scores = [
        [_part_right(one, y[b], n_classes) for one in _predicted(values[a], y[a], values[b], n_classes)]
        for a, b in (halves, halves[::-1])
    ]
    return max(0.0, float(np.mean(scores, axis=0).max()))


def _predicted(known: Reals, y: Array, asked: Reals, n_classes: int) -> list[Array]:
    """Return the target as the nearest known values have it, in one or two ways.

    A number lies between the means of the values around it. A class is the most frequent one of the nearest
    value, or of this and the two on each side of it, in which errors are outvoted.
    """
    values, codes = np.unique(known, return_inverse=True)
    if not n_classes:
        return [np.interp(asked, values, np.bincount(codes, y) / np.bincount(codes))]
    nearest = np.searchsorted(values[:-1] / 2 + values[1:] / 2, asked)
    counts = np.bincount(codes * n_classes + y, minlength=len(values) * n_classes).reshape(-1, n_classes)
    sums = np.cumsum(np.pad(counts, ((3, 2), (0, 0))), axis=0)
    return [each.argmax(axis=1)[nearest] for each in (counts, sums[5:] - sums[:-5])]


def _part_right(predicted: Array, y: Array, n_classes: int) -> float:
    """Return what part of the loss of a guess is avoided: of all classes alike, or of squares."""
    if n_classes:
        counts = np.bincount(y)
        loss, of_guess = np.average(predicted != y, weights=1 / counts[y]), 1 - 1 / np.count_nonzero(counts)
    else:
        loss, of_guess = ((y - predicted) ** 2).mean(), y.var()
    return float(1 - loss / of_guess) if of_guess else 0.0


def leaks(scores: dict[str, float]) -> Iterator[Said]:
    """Yield the columns that predict the target perfectly, and those far ahead of all others."""
    for name, score in scores.items():
        if score > LEAK:
            yield Said("leak", name, "{names} alone predict{s} held-out rows perfectly", LEFT_OUT)
    strong = {name: score for name, score in scores.items() if NEAR < score <= LEAK}
    rest = [score for score in scores.values() if score <= NEAR]
    is_few = 0 < len(strong) <= max(1, (len(strong) + len(rest)) // 20) and len(rest) >= 2
    if is_few and min(strong.values()) - max(rest) > AHEAD:
        what = f"{{names}} alone scores {max(strong.values()):.2f}, the next one {max(rest):.2f}"
        yield from (Said("near leak", name, what, LEFT_OUT) for name in strong)


def survival(own: ColumnSeen) -> Iterator[Said]:
    """Yield a time next to an event as the target, or an event next to a time, by their names."""
    target, values, may_be = own.table, own.values, "{names} may be the "
    if len(target.classes) == 2:
        is_it = TIME.fullmatch(own.name) and not target.is_discrete[own.j] and values.min() >= 0
        what = "time until the event that is the target; short follow-up misleads"
    else:
        is_event = EVENT.fullmatch(own.name) and len(np.unique(values)) == 2
        is_it = is_event and target.task == "regression" and target.y.min() >= 0
        what = "event whose time is the target; without it the time is a lower limit"
    if is_it:
        yield Said("survival", own.name, may_be + what, "Use --event, or {ignored}")


def groups(own: ColumnSeen) -> Iterator[Said]:
    """Yield a column that names groups of rows: by its name, or since each value has one class."""
    n, is_named, values = len(own.values), bool(GROUP.fullmatch(own.name)), own.values
    is_candidate = own.table.is_category[own.j] or (is_named and (values == np.floor(values)).all())
    if n < FEW_ROWS or not is_candidate:
        return
    distinct, codes = np.unique(values, return_inverse=True)
    if max(20, n / 50) < len(distinct) <= n / 2 and (is_named or _is_pure(own.table, codes)):
        what = f"{{names}} {{have}} {len(distinct)} values, {n / len(distinct):.1f} rows each"
        remedy = "Keep them together: --row-groups {option}"
        yield Said("groups", own.name, f"{what}: rows of one may be alike", remedy)


def _is_pure(table: Table, codes: Indices) -> bool:
    """Return whether the rows of each value have one class, which shuffled classes have not."""
    if table.task != "classification":
        return False
    n = len(table.classes)

    def share(y: Array) -> float:
        counts = np.bincount(codes * n + y, minlength=(codes.max() + 1) * n).reshape(-1, n)
        several = counts[counts.sum(axis=1) >= 2]
        return float(((several > 0).sum(axis=1) == 1).mean()) if len(several) >= 10 else 0.0

    return share(table.y) > 0.95 and share(np.random.default_rng(0).permutation(table.y)) < 0.7


def codes(own: ColumnSeen) -> Iterator[Said]:
    """Yield values that may be codes: behind a gap on either side of all others, or the only negative ones.

    The next whole number after all others is none, as 9 after 1 to 8 is not, and 0 only if it is rare.
    """
    values = present(own.drawn)
    fewest = max(3, FEWEST_CODES * len(values))
    if own.table.is_category[own.j] or (values == np.floor(values)).sum() < fewest:
        return
    distinct, counts = np.unique(values, return_counts=True)
    is_whole = bool((distinct == np.floor(distinct)).all())
    for code in distinct[np.isin(distinct, CODES) & (counts >= fewest)].tolist():
        others = [one for one in CODES if abs(one) > 9 and (one < 0) == (code < 0)]
        rest = values[(values != code) & ~np.isin(values, others)]
        if len(rest) < max(FEWEST_ROWS, 0.5 * len(values)) or np.ptp(rest) == 0:
            continue
        distance = max(float(rest.min()) - code, code - float(rest.max()))
        spread = float(np.ptp(np.quantile(rest, [0.01, 0.99])))
        is_next = is_whole and distance <= 1.5 and (code > 0 or rest.max() <= 1)
        is_count = code == 0 and (len(distinct) <= FEWEST_ROWS or len(rest) < 0.9 * len(values))
        is_far = distance > (0.5 if code else 0.3) * spread or code < 0 <= rest.min()
        if distance > 0 and is_far and not is_next and not is_count:
            label = f"{own.name} ({number_of(int((own.values == code).sum()), 'row')})"
            remedy = "If it means missing: --missing-codes {option}"
            what = f"{code:g} stands apart in {{names}}"
            yield Said("codes", own.name, what, remedy, label, f"{own.name}={code:g}")


def order(own: ColumnSeen) -> Iterator[Said]:
    """Yield a column of ordered answers that has no order."""
    if own.table.source is None:
        return
    X, all_names = own.table.source
    column = X.iloc[:, all_names.index(own.name)]
    labels = {str(label).strip().lower(): str(label) for label in column.dropna().unique()}
    scale = next((scale for scale in SCALES if set(labels) <= set(scale)), ())
    if scale and len(labels) >= 3 and not getattr(column.dtype, "ordered", False):
        order = "<".join(labels[word] for word in scale if word in labels)
        what = "{names} {have} ordered answers without an order: ranks go by the alphabet"
        yield Said("order", own.name, what, "--order {option}", option=f"{own.name}={order}")


RULES = (survival, groups, codes)
RULES_OF_CATEGORIES = (*RULES, order)
