"""Functions of the core and the structs that they take, declared by annotations in Python.

An array is annotated with its dtype and its sizes, ``Annotated[Ints, "n", "k + 1"]``: names stand for numbers
that are the same wherever they occur in one declaration. This is the only place where arrays are checked
before C reads and writes them.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, fields
from functools import cache, cached_property, update_wrapper
from typing import (
    Annotated,
    Any,
    ClassVar,
    Generic,
    NamedTuple,
    ParamSpec,
    Self,
    TypeVar,
    cast,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
)

import numpy as np

from pyfsel.core.building import current_library

P = ParamSpec("P")
R = TypeVar("R")
PREFIX = "pyfsel_"


@dataclass(frozen=True)
class ArrayKind:
    """An array; C takes where it begins.

    Attributes
    ----------
    dtype : np.dtype
    sizes : tuple of (str, int)
        Of each axis the name of a number and what is added to it; the name is empty for the number alone.
    """

    dtype: np.dtype[Any]
    sizes: tuple[tuple[str, int], ...]
    c_type: ClassVar = ctypes.c_void_p

    def passed(self, where: str, array: Any, known: dict[str, int]) -> int:
        """Return where an array begins, and note sizes not known so far.

        Raises
        ------
        TypeError
            If its dtype, shape or layout differs from the annotation.
        """
        if array.dtype == self.dtype and array.ndim == len(self.sizes) and array.flags.c_contiguous:
            for (name, more), size in zip(self.sizes, array.shape, strict=True):
                if size != (known.setdefault(name, size - more) + more if name else more):
                    break
            else:
                return cast("int", array.__array_interface__["data"][0])
        layout = "" if array.flags.c_contiguous else ", not contiguous"
        raise TypeError(
            f"{where} is {array.dtype} of shape {array.shape}{layout}; allowed: {self.dtype} of shape "
            f"({', '.join(_text(*size) for size in self.sizes)}) with {known}"
        )


@dataclass(frozen=True)
class NumberKind:
    """A number of Python, and the type of C that it becomes."""

    of: type
    c_type: Any

    def passed(self, where: str, number: Any, known: dict[str, int]) -> Any:
        """Return the number itself, of NumPy's types too."""
        return self.of(number)


@dataclass(frozen=True)
class StructKind:
    """A struct; C takes where it begins."""

    of: type[Struct]
    c_type: ClassVar = ctypes.c_void_p

    def passed(self, where: str, struct: Any, known: dict[str, int]) -> int:
        """Return where a struct begins.

        Raises
        ------
        TypeError
            It is another one.
        """
        if type(struct) is not self.of:
            raise TypeError(f"{where} is {type(struct).__name__}, allowed: {self.of.__name__}")
        address: int = struct.address
        return address


Kind = ArrayKind | NumberKind | StructKind
NUMBERS = {
    bool: NumberKind(bool, ctypes.c_bool),
    int: NumberKind(int, ctypes.c_int64),
    float: NumberKind(float, ctypes.c_double),
}


def _kind(annotation: Any) -> Kind:
    if get_origin(annotation) is not Annotated:
        return NUMBERS.get(annotation) or StructKind(annotation)
    array, *sizes = get_args(annotation)
    (scalar,) = get_args(get_args(array)[1])
    return ArrayKind(np.dtype(scalar), tuple(_size(size) for size in sizes))


def _size(text: str) -> tuple[str, int]:
    """Return "k + 1" as ("k", 1), "k" as ("k", 0) and "2" as ("", 2)."""
    name, _, more = text.partition(" + ")
    return ("", int(name)) if name.isdecimal() else (name, int(more or 0))


def _text(name: str, more: int) -> str:
    """Return a size as it is annotated."""
    return (f"{name} + {more}" if more else name) if name else str(more)


def _names(kinds: Mapping[str, Kind]) -> tuple[str, ...]:
    """Return the names of sizes in the order in which they are first met."""
    arrays = (kind for kind in kinds.values() if isinstance(kind, ArrayKind))
    return tuple(dict.fromkeys(name for kind in arrays for name, _ in kind.sizes if name))


@dataclass_transform(frozen_default=True, eq_default=False)
class Struct:
    """Arrays and numbers that functions of the core work on; a subclass is a frozen dataclass of them.

    The C struct of the same name has a pointer for each array and each number, in the same order, and then
    the sizes (int64_t), in the order in which they are first named. What a member is stands below it, its
    dtype and shape in its annotation.

    Examples
    --------
    >>> class Weights(Struct):  # typedef struct {const double *weights; int64_t n;} Weights;
    ...     weights: Annotated[Reals, "n", "n"]
    """

    address: int
    """Where the C struct begins; it lives, as the arrays do, as long as this object."""
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True, eq=False)(cls)

    @classmethod
    def with_room(cls, sizes: Mapping[str, int], **given: Any) -> Self:
        """Return a struct of these arrays and numbers; all other arrays hold zeros.

        Parameters
        ----------
        sizes : mapping of str to int
            The named sizes that the given arrays do not say.
        """
        kinds, known = layout_of(cast("Any", cls)).kinds, dict(sizes)
        for name, value in given.items():
            kinds[name].passed(f"{cls.__name__}.{name}", value, known)
        for name, kind in kinds.items():
            if name not in given and isinstance(kind, ArrayKind):
                shape = [known[size] + more if size else more for size, more in kind.sizes]
                given[name] = np.zeros(shape, kind.dtype)
        return cls(**given)

    def __post_init__(self) -> None:
        layout, known = layout_of(cast("Any", type(self))), dict[str, int]()
        given = [
            kind.passed(f"{type(self).__name__}.{name}", getattr(self, name), known)
            for name, kind in layout.kinds.items()
        ]
        struct = layout.c_struct(*given, *known.values())
        object.__setattr__(self, "_c_struct", struct)
        object.__setattr__(self, "address", ctypes.addressof(struct))


class StructLayout(NamedTuple):
    """How a struct lies in memory: kinds of members, names of sizes, and all as ctypes say it."""

    kinds: Mapping[str, Kind]
    sizes: tuple[str, ...]
    c_struct: type[ctypes.Structure]


@cache
def layout_of(struct: Any) -> StructLayout:
    """Return the layout that the annotations of a struct say."""
    hints = get_type_hints(struct, include_extras=True)
    kinds = {field.name: _kind(hints[field.name]) for field in fields(struct)}
    sizes = _names(kinds)
    members = [(name, kind.c_type) for name, kind in kinds.items()] + [
        (name, ctypes.c_int64) for name in sizes
    ]
    return StructLayout(kinds, sizes, type(struct.__name__, (ctypes.Structure,), {"_fields_": members}))


class in_core(Generic[P, R]):  # noqa: N801 - a decorator
    """Declares a function of the core, whose body is in C: ``pyfsel_`` and the name of the declaration.

    There it takes what is annotated, in the same order: addresses of arrays and of structs, numbers (int64_t,
    double, bool), and then the sizes of its arrays, in the order in which they are first named.

    Examples
    --------
    >>> @in_core  # int64_t pyfsel_total(const int64_t *numbers, int64_t factor, int64_t n)
    ... def total(numbers: Annotated[Ints, "n"], factor: int) -> int:
    ...     '''Return the sum of numbers times a factor.'''
    """

    def __init__(self, declaration: Callable[P, R]) -> None:
        update_wrapper(self, declaration)
        self._declaration = declaration

    def __call__(self, *given: P.args, **named: P.kwargs) -> R:
        known: dict[str, int] = {}
        function, kinds = self._loaded
        passed = [kind.passed(where, value, known) for (where, kind), value in zip(kinds, given, strict=True)]
        return cast("R", function(*passed, *known.values(), **named))

    @cached_property
    def _loaded(self) -> tuple[Any, list[tuple[str, Kind]]]:
        """The function, and what it takes: it is looked up when it is first called."""
        name = self._declaration.__name__
        hints = get_type_hints(self._declaration, include_extras=True)
        returned = hints.pop("return")
        kinds = {argument: _kind(hint) for argument, hint in hints.items()}
        function = _library()[PREFIX + name]
        function.restype = None if returned is type(None) else _kind(returned).c_type
        function.argtypes = [kind.c_type for kind in kinds.values()] + [ctypes.c_int64] * len(_names(kinds))
        return function, [(f"{name}: {argument}", kind) for argument, kind in kinds.items()]


@cache
def _library() -> ctypes.CDLL:
    return ctypes.CDLL(str(current_library()))
