"""Functions of the core and the structs that they take, declared by annotations in Python.

An array is annotated with its dtype and its sizes, ``Annotated[Ints, "n", "k + 1"]``: names stand for numbers
that are the same wherever they occur in one declaration. This is the only place where arrays are checked
before C reads and writes them.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable, Mapping
from dataclasses import Field, dataclass, fields
from functools import cache, cached_property, update_wrapper
from typing import (
    Annotated,
    Any,
    ClassVar,
    Generic,
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


Kind = ArrayKind | type
"""What is passed: an array, a number or a struct."""
C_TYPES: dict[Any, Any] = {bool: ctypes.c_bool, int: ctypes.c_int64, float: ctypes.c_double}
"""Of numbers; C takes where all else begins."""


def _passed(where: str, kind: Kind, given: Any, known: dict[str, int]) -> Any:
    """Return what C gets: a number, of NumPy's types too, or where an array or a struct begins.

    Raises
    ------
    TypeError
        It is not what is annotated.
    """
    if isinstance(kind, ArrayKind):
        return kind.passed(where, given, known)
    if kind in C_TYPES:
        return kind(given)
    if type(given) is not kind:
        raise TypeError(f"{where} is {type(given).__name__}, allowed: {kind.__name__}")
    return given.address  # type: ignore[attr-defined]


def _kind(annotation: Any) -> Kind:
    if get_origin(annotation) is not Annotated:
        return cast("type", annotation)
    array, *sizes = get_args(annotation)
    entry = get_args(array)[-1]  # np.dtype[np.int64], or from NumPy 2.5 on np.int64
    (scalar,) = get_args(entry) or (entry,)
    return ArrayKind(np.dtype(scalar), tuple(_size(size) for size in sizes))


def _size(text: str) -> tuple[str, int]:
    """Return "k + 1" as ("k", 1), "k" as ("k", 0) and "2" as ("", 2)."""
    name, _, more = text.partition(" + ")
    return ("", int(name)) if name.isdecimal() else (name, int(more or 0))


def _text(name: str, more: int) -> str:
    """Return a size as it is annotated."""
    return (f"{name} + {more}" if more else name) if name else str(more)


class Layout:
    """What is annotated of a struct or a function, in the order in which C has it.

    Attributes
    ----------
    kinds : dict of str to Kind
        Of members or arguments.
    sizes : tuple of str
        The names of sizes, in the order in which they are first met: they come last.
    members : list of (str, type)
        All of them, with their types of C.
    """

    def __init__(self, name: str, hints: Mapping[str, Any]) -> None:
        self.kinds = {member: _kind(hint) for member, hint in hints.items()}
        arrays = (kind for kind in self.kinds.values() if isinstance(kind, ArrayKind))
        self.sizes = tuple(dict.fromkeys(size for kind in arrays for size, _ in kind.sizes if size))
        self.members = [
            *((member, C_TYPES.get(kind, ctypes.c_void_p)) for member, kind in self.kinds.items()),
            *((size, ctypes.c_int64) for size in self.sizes),
        ]
        self._places = [(f"{name}{member}", kind) for member, kind in self.kinds.items()]

    def passed(self, given: Iterable[Any], known: dict[str, int]) -> list[Any]:
        """Return what C gets, the sizes last, of which some may be known; raise `TypeError` as `_passed`."""
        places = zip(self._places, given, strict=True)
        passed = [_passed(where, kind, one, known) for (where, kind), one in places]
        return [*passed, *known.values()]


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
        kinds, known = layout_of(cls)[0].kinds, dict(sizes)  # type: ignore[arg-type]
        for name, value in given.items():
            _passed(f"{cls.__name__}.{name}", kinds[name], value, known)
        for name, kind in kinds.items():
            if name not in given and isinstance(kind, ArrayKind):
                shape = [known[size] + more if size else more for size, more in kind.sizes]
                given[name] = np.zeros(shape, kind.dtype)
        return cls(**given)

    def __post_init__(self) -> None:
        layout, c_struct = layout_of(type(self))  # type: ignore[arg-type]
        struct = c_struct(*layout.passed((getattr(self, name) for name in layout.kinds), {}))
        object.__setattr__(self, "_c_struct", struct)
        object.__setattr__(self, "address", ctypes.addressof(struct))


@cache
def layout_of(struct: Any) -> tuple[Layout, type[ctypes.Structure]]:
    """Return the layout that the annotations of a struct say, and its struct of C."""
    hints = get_type_hints(struct, include_extras=True)
    layout = Layout(f"{struct.__name__}.", {field.name: hints[field.name] for field in fields(struct)})
    return layout, type(struct.__name__, (ctypes.Structure,), {"_fields_": layout.members})


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
        function, layout = self._loaded
        return cast("R", function(*layout.passed(given, {}), **named))

    @cached_property
    def _loaded(self) -> tuple[Any, Layout]:
        """The function, and what it takes: it is looked up when it is first called."""
        name = self._declaration.__name__
        hints = get_type_hints(self._declaration, include_extras=True)
        returned = hints.pop("return")
        layout, function = Layout(f"{name}: ", hints), _library()[PREFIX + name]
        function.restype = C_TYPES.get(returned)
        function.argtypes = [c_type for _, c_type in layout.members]
        return function, layout


@cache
def _library() -> ctypes.CDLL:
    """Return the library, compiled if it is out of date; what calls no function of it needs neither."""
    from pyfsel.core.building import current_library

    return ctypes.CDLL(str(current_library()))
