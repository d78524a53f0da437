"""Parts that one small number decides: they take the largest others, and the rest is a smaller instance."""

from __future__ import annotations

from dataclasses import dataclass

from pyfsel.reductions.number_partitioning import NumberPartitioning, Parts


@dataclass(frozen=True)
class SetAside:
    """An instance without the parts that can be fixed.

    Attributes
    ----------
    rest : NumberPartitioning
        Of the numbers that are left, for the parts that are left.
    positions : tuple of int
        Where the numbers of `rest` stand in the instance.
    fixed : parts
        Of the instance; none has a sum above its `least_value`.
    """

    rest: NumberPartitioning
    positions: tuple[int, ...]
    fixed: Parts

    def complete(self, parts: Parts) -> Parts:
        """Return the partition of the instance, given one of the rest."""
        return (*self.fixed, *(tuple(self.positions[i] for i in part) for part in parts))


def set_aside(instance: NumberPartitioning) -> SetAside:
    """Fix parts as long as the smallest number and the largest others have no more than the least value.

    Some optimum has such a part: exchange, in any optimum, the others in the part of the smallest number for
    the largest ones. All other sums fall, and this one stays at most at the bound of the optimum.

    Examples
    --------
    >>> aside = set_aside(NumberPartitioning((0, 9, 8, 7, 6, 6), n_parts=3))
    >>> aside.fixed, aside.rest.numbers
    (((0, 1), (2, 4)), (6, 7))
    """
    positions = sorted(range(len(instance.numbers)), key=instance.numbers.__getitem__)
    fixed: list[tuple[int, ...]] = []
    rest = instance
    while rest.n_parts > 1:
        others = len(positions) - instance.part_size + 1
        part = (positions[0], *positions[others:])
        if sum(instance.numbers[i] for i in part) > rest.least_value:
            break
        fixed.append(tuple(sorted(part)))
        positions = positions[1:others]
        rest = NumberPartitioning(tuple(instance.numbers[i] for i in positions), rest.n_parts - 1)
    if not fixed:
        return SetAside(instance, tuple(range(len(instance.numbers))), ())
    return SetAside(rest, tuple(positions), tuple(fixed))
