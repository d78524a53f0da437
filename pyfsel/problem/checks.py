"""Checks of single arguments; the error names the argument, its value and what is allowed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, KeysView, Mapping, Sequence, ValuesView
from copy import deepcopy
from difflib import get_close_matches
from itertools import chain
from numbers import Integral, Real
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from pyfsel.core.arrays import Array, Ints, Reals, ShortInts
from pyfsel.errors import InputError

LARGEST_INTEGER = 2**53
LARGEST_SEED = 2**31 - 1
SHOWN = 60


def shown(value: object) -> str:
    """Return what a user gave, shortened for a message of one line; paths stay whole.

    Examples
    --------
    >>> shown(list(range(100)))
    '[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, …'
    >>> shown(np.str_("5"))  # numbers and text of NumPy as those of Python
    "'5'"
    """
    if isinstance(value, PathLike):
        return repr(str(value))
    text = " ".join(repr(value.item() if isinstance(value, np.generic) else value).split())
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return a question that names what a misspelt name could mean, after a space; "" if nothing is near.

    Examples
    --------
    >>> suggestion("mRMR", ["univariate", "mrmr"])
    " Did you mean 'mrmr'?"
    """
    lower = {other.lower(): other for other in known}
    near = get_close_matches(name.lower(), lower, n=1)
    return f" Did you mean {lower[near[0]]!r}?" if near else ""


def column_in(subject: str, name: str, names: Sequence[str], where: str = "the table") -> int:
    """Return the place of a column; if there is none, raise `InputError` that names a near one, or some.

    Parameters
    ----------
    subject : str
        The beginning of the message, such as "target='agee':".
    name : str
    names : sequence of str
        Of all columns.
    where : str

    Examples
    --------
    >>> column_in("target='agee':", "agee", ["age", "weight"])
    Traceback (most recent call last):
        ...
    pyfsel.errors.InputError: target='agee': is not a column of the table. Did you mean 'age'?
    >>> column_in("target='age':", "age", [])
    Traceback (most recent call last):
        ...
    pyfsel.errors.InputError: target='age': is not a column of the table. It has none
    """
    if name in names:
        return names.index(name)
    few = f" Its {'last ' * (len(names) > 5)}columns are {', '.join(names[-5:])}" if names else " It has none"
    raise InputError(f"{subject} is not a column of {where}.{suggestion(name, names) or few}")


MOST_WORDS = 12
"""The number of allowed words that a message lists; of more it lists those that are near."""


def one_of(name: str, choice: object, allowed: Iterable[str], also: str = "") -> str:
    """Return the choice; raise `InputError` unless it is one of the allowed words.

    Parameters
    ----------
    name : str
        The argument, as the user gave it.
    choice : object
    allowed : iterable of str
    also : str
        What else the argument may be, such as "or one number per feature".

    Examples
    --------
    >>> one_of("search", "Sum", ["sequential", "sum", "min"])
    Traceback (most recent call last):
        ...
    pyfsel.errors.InputError: search='Sum': must be one of sequential, sum, min. Did you mean 'sum'?
    """
    words = list(allowed)
    if isinstance(choice, str) and choice in words:
        return choice
    if not words:
        raise InputError(f"{name}={shown(choice)}: there is none")
    typed = choice if isinstance(choice, str) else ""
    listed = ", ".join(words)
    if len(words) > MOST_WORDS:
        nearest = get_close_matches(typed.lower(), words, n=5, cutoff=0)
        listed = f"{len(words)} names, such as {', '.join(nearest)}"
    question = suggestion(typed, words)
    listed = f"{listed}, {also}" if also else listed
    raise InputError(f"{name}={shown(choice)}: must be one of {listed}{'.' if question else ''}{question}")


def kept(given: Any) -> Any:
    """Return what nobody uses up or changes later: an iterator as a tuple, a copy of a list or table.

    Examples
    --------
    >>> kept(iter("ab")), kept([iter("ab"), "c"])
    (('a', 'b'), (('a', 'b'), 'c'))
    """
    listed = tuple(given) if isinstance(given, Iterator | KeysView | ValuesView) else given
    if isinstance(listed, list | tuple) and any(
        isinstance(one, Iterator | KeysView | ValuesView) for one in listed
    ):
        return tuple(map(kept, listed))
    try:
        return deepcopy(listed)
    except TypeError:  # it is something that no argument can be
        return listed


def list_of(name: str, items: Any) -> list[Any]:
    """Return what the user gave as a list; a text or a mapping is none."""
    if isinstance(items, (str, Mapping)) or not isinstance(items, Iterable) or getattr(items, "ndim", 1) == 0:
        raise InputError(f"{name}={shown(items)}: must be a list")
    return list(items)


def is_a(name: str, value: object, kind: Any, what: str) -> Any:
    """Return the value; raise `InputError` unless it is of a kind, described by `what` with an article."""
    if isinstance(value, kind):
        return value
    raise InputError(f"{name}={shown(value)}: must be {what}")


def file_path(path: Any) -> Path:
    """Return the path of a file or folder."""
    if not isinstance(path, (str, PathLike)):
        raise InputError(f"path={shown(path)}: must be a path")
    return Path(path)


def _real(number: Any) -> float | None:
    """Return a number as a float, None for anything else; what is beyond the floats is infinite."""
    if isinstance(number, (bool, np.bool_)) or not isinstance(number, Real):
        return None
    try:
        return float(number)
    except OverflowError:
        return np.inf if number > 0 else -np.inf  # type: ignore[operator]


def number_in(name: str, number: Any, fits: Callable[[float], object], allowed: str) -> float:
    """Return a number as a float if it fits; raise `InputError` with what is allowed otherwise."""
    real = _real(number)
    if real is None or not fits(real):
        raise InputError(f"{name}={shown(number)}: must be {allowed}")
    return real


def finite_number(name: str, number: Any) -> float:
    """Return a finite number as a float."""
    return number_in(name, number, np.isfinite, "a finite number")


def positive_number(name: str, number: Any) -> float:
    """Return a positive finite number as a float."""
    return number_in(name, number, lambda real: 0 < real < np.inf, "a positive number")


def share(name: str, number: Any) -> float:
    """Return a number from 0 to 1 as a float; the error for a percentage names the share that it means.

    Examples
    --------
    >>> share("loss", 5)
    Traceback (most recent call last):
    pyfsel.errors.InputError: loss=5: must be a number from 0 to 1; give 0.05 for 5%
    """
    real = _real(number)
    meant = f"; give {real / 100:g} for {real:g}%" if real is not None and 1 < real <= 100 else ""
    return number_in(name, number, lambda real: 0 <= real <= 1, f"a number from 0 to 1{meant}")


def seconds(name: str, number: Any) -> float:
    """Return a positive number of seconds, infinitely many for None: no limit."""
    if number is None:
        return np.inf
    return number_in(name, number, lambda real: 0 < real < np.inf, "a positive number of seconds or None")


def _is_integer(number: Any) -> bool:
    return isinstance(number, Integral) and not isinstance(number, bool)


def seed(number: Any) -> int:
    """Return the seed of random numbers; None means 0, so runs repeat."""
    if number is None:
        return 0
    if not _is_integer(number) or not 0 <= number <= LARGEST_SEED:
        raise InputError(f"random_state={shown(number)}: must be an integer from 0 to 2**31 - 1 or None")
    return int(number)


def seed_or_generator(state: Any) -> None:
    """Raise `InputError` unless this is a seed, None, or a generator of NumPy's that scikit-learn takes."""
    if not isinstance(state, np.random.RandomState) and state is not np.random:
        seed(state)


def generator_of(state: Any) -> np.random.RandomState:
    """Return NumPy's generator for a seed, its own for None, as ``sklearn.utils.check_random_state`` does."""
    if state is None or state is np.random:
        return np.random.mtrand._rand
    return state if isinstance(state, np.random.RandomState) else np.random.RandomState(state)


MOST_JOBS = 2**20
"""More than the cores of any machine."""


def number_of_jobs(number: Any) -> None:
    """Raise `InputError` unless this is a number of processes as joblib takes it."""
    if number is not None and not (_is_integer(number) and 0 < abs(number) <= MOST_JOBS):
        raise InputError(f"n_jobs={shown(number)}: must be a positive integer, or -1 for all cores")


def integer_in(name: str, number: Any, low: int, high: int | None) -> int:
    """Return an integer from `low` to `high` (None: no upper end); bool is none."""
    allowed = f"an integer of at least {low}" if high is None else f"an integer from {low} to {high}"
    if not _is_integer(number) or number < low or (high is not None and number > high):
        raise InputError(f"{name}={shown(number)}: must be {allowed}")
    return int(number)


def _array(name: str, numbers: Any, shape: tuple[int | None, ...]) -> Array:
    try:
        array = np.array(numbers)
    except ValueError:
        raise InputError(f"{name}: rows differ in length") from None
    if array.ndim == 0:
        wanted = "a list of numbers" if len(shape) == 1 else "a matrix of numbers"
        raise InputError(f"{name}={shown(numbers)}: must be {wanted}")
    wanted = "×".join("n" if side is None else str(side) for side in shape)
    if array.ndim != len(shape) or any(
        side not in (None, found) for side, found in zip(shape, array.shape, strict=True)
    ):
        raise InputError(f"{name}: has shape {array.shape}. Expected {wanted}")
    if array.size and array.dtype.kind not in "iuf":
        for entry in array.flat:
            if _real(entry) is None:
                raise InputError(f"{name}: must be numbers, not {shown(entry)}")
        raise InputError(f"{name}: has integers beyond 2**63. Expected numbers within ±2**53")
    if isinstance(numbers, list) and bool in map(type, chain(*numbers) if array.ndim > 1 else numbers):
        raise InputError(f"{name}: holds True or False, must hold numbers only")
    if hasattr(numbers, "mask") and np.ma.is_masked(numbers):
        raise InputError(f"{name}: holds masked values, must hold numbers only")
    return array


def integer_array(name: str, numbers: Any, shape: tuple[int | None, ...]) -> Ints:
    """Return a read-only array of integers within ±2**53; in `shape`, None allows any length.

    Examples
    --------
    Truth values do not count as integers:

    >>> integer_array("costs", [True, 2], (None,))
    Traceback (most recent call last):
    pyfsel.errors.InputError: costs: holds True or False, must hold numbers only
    >>> integer_array("pairs", [[1, 2], [3, False]], (None, None))
    Traceback (most recent call last):
    pyfsel.errors.InputError: pairs: holds True or False, must hold numbers only
    """
    array = _array(name, numbers, shape)
    if array.size and array.dtype.kind == "f":
        raise InputError(f"{name}: must be integers; make_instance quantises floats")
    if array.size and not -LARGEST_INTEGER <= int(array.min()) <= int(array.max()) <= LARGEST_INTEGER:
        largest = max((int(array.min()), int(array.max())), key=abs)
        raise InputError(f"{name}: has {largest}. Expected numbers within ±2**53. Try a smaller scale")
    result = array.astype(np.int64)
    result.flags.writeable = False
    return result


def finite_array(name: str, numbers: Any, shape: tuple[int | None, ...]) -> Reals:
    """Return a read-only array of finite floats."""
    result = _array(name, numbers, shape).astype(np.float64)
    if not np.isfinite(result).all():
        where = tuple(np.argwhere(~np.isfinite(result))[0].tolist())
        position = where[0] if len(where) == 1 else where
        raise InputError(f"{name}: is {result[where]} at {position}. Expected finite numbers")
    result.flags.writeable = False
    return result


def index_pairs(name: str, pairs: Any, n: int) -> ShortInts:
    """Return sorted pairs of different features, each once, shape (n_pairs, 2): FCBF can have millions."""
    if not isinstance(pairs, np.ndarray):
        pairs = [list_of(name, pair) for pair in list_of(name, pairs)]
    array = integer_array(name, pairs, (None, 2)) if len(pairs) > 0 else np.zeros((0, 2), np.int64)
    low, high = array.min(axis=1), array.max(axis=1)
    wrong = array[(low < 0) | (high >= n) | (low == high)]
    if len(wrong):
        raise InputError(f"{name}: {wrong[0].tolist()} must be two different features, from 0 to {n - 1}")
    found = np.column_stack(np.divmod(np.unique(low * n + high), n)).astype(np.int32)
    found.flags.writeable = False
    return found


def number_of(count: int | str, noun: str) -> str:
    """Return a number, or a word such as "no", with its noun: in the plural unless it is one.

    Examples
    --------
    >>> number_of(1, "set"), number_of(0, "set"), number_of(12_345, "row")
    ('1 set', '0 sets', '12345 rows')
    """
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
