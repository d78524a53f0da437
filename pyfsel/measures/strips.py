"""Distances to the k-th nearest of many points in the plane, the larger difference of both coordinates.

The plane is cut into strips of about equally many points, and the points of each are ordered from left to
right. A search goes to both sides of a point until the next ones are farther away in x alone than the k
nearest so far (Friedman, Baskett and Shustek, IEEE Trans. Comput. C-24, 1975); first in the strip of the
point, then in those above and below, while they are near enough in y alone. All points go a step at a time,
as arrays. Those that have too far to go are left to windows of one coordinate, or to a tree.

The distances are those among all points, to the last bit. A difference of ordered floats does not shrink when
the larger grows or the smaller shrinks, rounded or not: if the next point on a side is not nearer than the
k-th so far in x, no point behind it is; and if the near border of a strip is not in y, no point of it or
beyond it is. No point counts twice: one at which a search stays is not nearer than the k-th, and then changes
nothing. So what is found is always the distance of one of k other points, and the least when both sides and
all strips are done.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

FEWEST_POINTS, MOST_NEIGHBOURS = 10_000, 6
"""Fewer points and more neighbours are left to the tree."""
WIDTH = 1.5
"""Height of a strip: sides of a square that holds k points where they are spread evenly."""
TIED = 1e-8
"""Nearer values of a column of deviation 1 are taken for equal ones with noise; that is about time only."""
WALL = 9
"""Length; so many steps less one are taken without looking whether they are needed."""
MOST_STEPS, STEPS_ON_AVERAGE, MOST_STRIPS_AWAY = 64, 24, 4
SHARE_TO_GO_ON, FEW = 0.6, 8
"""Searches that are done are taken out when fewer go on; few are not worth operations on arrays."""
TREE_PER_POINT, WINDOW_PER_POINT = 88, 4700
"""Time to plant a tree, and to look through one window, in entries of windows."""
POINTS_OF_A_LEAF = 16


def kth_distances(x: Floats, y: Floats, k: int, by_x: Places, by_y: Places) -> Floats:
    """Return the distance of each point to the k-th nearest other one.

    Parameters
    ----------
    x, y : array of shape (n_points,)
        Finite coordinates; the distance is the larger of both differences.
    k : int
    by_x, by_y : array of int, shape (n_points,)
        The points ordered by each coordinate.

    Examples
    --------
    >>> x, y = np.array([0.0, 1.0, 1.0, 5.0]), np.array([0.0, 0.5, 3.0, 5.0])
    >>> kth_distances(x, y, 2, np.argsort(x), np.argsort(y)).tolist()
    [3.0, 2.5, 3.0, 4.5]
    """
    if len(x) < FEWEST_POINTS or k > MOST_NEIGHBOURS:
        return _by_tree(x, y, k, by_y)[np.argsort(by_y)]
    tied_x, tied_y = _count_tied(x[by_x]), _count_tied(y[by_y])
    if tied_x > tied_y:
        x, y, by_x, by_y = y, x, by_y, by_x
    cuts_ties = min(tied_x, tied_y) > len(x) / 4
    nearest, is_open = _in_strips(_Strips.cut(x, y, k, by_x, by_y, cuts_ties), k)
    left = by_y[is_open[by_y]]
    if len(left) > 0:
        nearest[left] = _of_some(x, y, k, by_x, by_y, left, nearest[left])
    return nearest


def _count_tied(ordered: Floats) -> int:
    """Return how many equal their predecessor but for noise.

    Points of equal y belong to one strip, in which the others are beside them; but not where x has ties, too,
    and the noise alone says which are near.
    """
    return int(np.count_nonzero(np.diff(ordered) < TIED))


@dataclass(frozen=True)
class _Strips:
    """The points by strip, then by x, and their coordinates with a wall of infinities around each strip.

    Attributes
    ----------
    x, y : array
        With walls.
    order, strip, place, key : array of shape (n_points,)
        Of each point by strip, then by x: the number it was given with, its strip, its place between the
        walls, and what increases in this order.
    lowest, highest : array of shape (n_strips,)
        The ends of the strips in y.
    """

    x: Floats
    y: Floats
    order: Places
    strip: Places
    place: Places
    key: Places
    lowest: Floats
    highest: Floats

    @classmethod
    def cut(cls, x: Floats, y: Floats, k: int, by_x: Places, by_y: Places, cuts_ties: bool) -> _Strips:
        n, ordered = len(x), y[by_y]
        size = max(int(WIDTH * np.sqrt(k * n)), 1)
        first = np.arange(0, n, size)
        if not cuts_ties:
            first = first[(first == 0) | (ordered[first] - ordered[first - 1] >= TIED)]
        last = np.append(first[1:], n) - 1
        strip_of = np.empty(n, np.min_scalar_type(len(first)))
        strip_of[by_y] = np.repeat(np.arange(len(first), dtype=strip_of.dtype), last - first + 1)
        rank = np.argsort(strip_of[by_x], kind="stable")
        order = by_x[rank]
        strip = strip_of[order].astype(np.intp)
        place = np.arange(n) + WALL * (strip + 1)
        walled_x, walled_y = np.full((2, n + WALL * (len(first) + 1)), np.inf)
        walled_x[place], walled_y[place] = x[order], y[order]
        key = strip * n + rank
        return cls(walled_x, walled_y, order, strip, place, key, ordered[first], ordered[last])

    def beside(self, chosen: Places, there: Places) -> Places:
        """Return the places of the first points in other strips that are not left of some points."""
        keys = self.key[chosen] + (there - self.strip[chosen]) * len(self.order)
        return np.searchsorted(self.key, keys) + WALL * (there + 1)


def _in_strips(strips: _Strips, k: int) -> tuple[Floats, NDArray[np.bool_]]:
    """Return a distance of k other points for each, and where the least might be less."""
    n = len(strips.order)
    nearest = _first_steps(strips, k)
    search = _Search(strips, nearest, np.zeros(n, bool))
    search.own_strips()
    search.strips_away(1)
    search.strips_away(-1)
    found, is_open = np.empty(n), np.empty(n, bool)
    found[strips.order], is_open[strips.order] = nearest[-1], search.is_open
    return found, is_open


def _first_steps(strips: _Strips, k: int) -> Floats:
    """Return the k least distances to points at most some steps away in the own strip, shape (k, n_points).

    No step goes across a wall, and what is inserted to the walls is not returned.
    """
    nearest = np.full((k, len(strips.x)), np.inf)
    with np.errstate(invalid="ignore"):
        for step in range(1, WALL):
            apart = np.abs(strips.x[step:] - strips.x[:-step])
            np.maximum(apart, np.abs(strips.y[step:] - strips.y[:-step]), out=apart)
            _insert(nearest[:, :-step], apart)
            _insert(nearest[:, step:], apart)
    return nearest[:, strips.place]


def _insert(nearest: Floats, distance: Floats) -> None:
    """Put one more distance to each of some columns of increasing ones, and drop the largest."""
    for i in range(len(nearest) - 1, 0, -1):
        np.minimum(nearest[i], np.maximum(nearest[i - 1], distance), out=nearest[i])
    np.minimum(nearest[0], distance, out=nearest[0])


@dataclass(frozen=True)
class _Search:
    """Searches of all points, in the order of the strips; those given up are open."""

    strips: _Strips
    nearest: Floats
    is_open: NDArray[np.bool_]

    def own_strips(self) -> None:
        """Go on from the first steps where a side is not done."""
        place, points = self.strips.place, self.strips.x
        x, far = points[place], self.nearest[-1]
        goes_on = (points[place + WALL] - x < far) | (np.abs(points[place - WALL] - x) < far)
        chosen = np.flatnonzero(goes_on)
        self._walk(chosen, place[chosen] - WALL, place[chosen] + WALL)

    def strips_away(self, sign: int) -> None:
        """Search in the strips above, or below, that are near enough in y alone."""
        strips, chosen = self.strips, np.arange(len(self.is_open))
        border = strips.lowest if sign > 0 else strips.highest
        for away in range(1, MOST_STRIPS_AWAY + 1):
            there = strips.strip[chosen] + sign * away
            chosen = chosen[(there >= 0) & (there < len(border)) & ~self.is_open[chosen]]
            there = strips.strip[chosen] + sign * away
            gap = np.abs(border[there] - strips.y[strips.place[chosen]])
            is_near = np.flatnonzero(gap < self.nearest[-1, chosen])
            chosen = chosen[is_near]
            if len(chosen) <= FEW:
                break
            right = strips.beside(chosen, there[is_near])
            self._walk(chosen, right - 1, right)
        self.is_open[chosen] = True

    def _walk(self, chosen: Places, left: Places, right: Places) -> None:
        """Go to both sides from some places, each until its points are too far away."""
        points = self.strips
        x, y = points.x[points.place[chosen]], points.y[points.place[chosen]]
        nearest, effort, most = self.nearest[:, chosen], 0, STEPS_ON_AVERAGE * len(chosen)
        for _ in range(MOST_STEPS):
            goes_on = np.zeros(len(chosen), bool)
            for at, sign in ((right, 1), (left, -1)):
                apart = np.abs(points.x[at] - x)
                goes = apart < nearest[-1]
                _insert(nearest, np.maximum(apart, np.abs(points.y[at] - y), out=apart))
                np.add(at, sign * goes, out=at)
                goes_on |= goes
            effort += len(chosen)
            going = np.flatnonzero(goes_on)
            if len(going) <= FEW or effort > most:
                break
            if len(going) < SHARE_TO_GO_ON * len(chosen):
                done = np.flatnonzero(~goes_on)
                self.nearest[:, chosen[done]] = nearest[:, done]
                chosen, left, right, x, y = chosen[going], left[going], right[going], x[going], y[going]
                nearest, goes_on = nearest[:, going], goes_on[going]
        self.nearest[:, chosen] = nearest
        self.is_open[chosen[goes_on]] = True


def _of_some(
    x: Floats, y: Floats, k: int, by_x: Places, by_y: Places, chosen: Places, nearest: Floats
) -> Floats:
    """Return the distances of some points, which have `nearest` to k others, among all points.

    A point nearer than that is between x minus and plus that, and the same holds for rounded limits, as the
    coordinates are not rounded; and so for y.
    """
    windows = []
    for values, by_value in ((x, by_x), (y, by_y)):
        ordered, middle = values[by_value], values[chosen]
        first = np.searchsorted(ordered, middle - nearest, side="left")
        windows.append((by_value, first, np.searchsorted(ordered, middle + nearest, side="right")))
    (by_x, first, stop), (by_y, lowest, end) = windows
    entries = np.minimum(stop - first, end - lowest).sum()
    if entries + WINDOW_PER_POINT * len(chosen) > TREE_PER_POINT * len(x):
        return _by_tree(x, y, k, chosen)
    found = nearest.copy()
    for i, point in enumerate(chosen):
        in_x, in_y = by_x[first[i] : stop[i]], by_y[lowest[i] : end[i]]
        near = in_x if len(in_x) < len(in_y) else in_y
        apart = np.maximum(np.abs(x[near] - x[point]), np.abs(y[near] - y[point]))
        if len(apart) > k:
            found[i] = min(nearest[i], np.partition(apart, k)[k])
    return found


def _by_tree(x: Floats, y: Floats, k: int, chosen: Places) -> Floats:
    """Return the distances of some points, ordered so that those one after another are in few leaves."""
    from scipy.spatial import KDTree

    points = np.column_stack([x, y])
    tree = KDTree(points, leafsize=POINTS_OF_A_LEAF)
    return np.asarray(tree.query(points[chosen], k=[k + 1], p=np.inf)[0][:, 0], dtype=np.float64)
