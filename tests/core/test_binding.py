"""What is checked before C reads and writes arrays, and that C and Python mean the same structs."""

import importlib
import pkgutil
import re
from collections import Counter
from itertools import chain
from typing import Annotated

import numpy as np
import pytest

import pyfsel.algorithms
import pyfsel.measures
import pyfsel.papers
from pyfsel.core import binding, building
from pyfsel.core.arrays import Bools, Reals, Words
from pyfsel.core.binding import ArrayKind, Struct, in_core, layout_of
from pyfsel.measures.streams.lanes import count_lane

C_TYPES = {
    "bool": "bool",
    "int64": "int64_t",
    "float64": "double",
    "uint64": "uint64_t",
    "uint32": "uint32_t",
    "int32": "int32_t",
    "uint8": "uint8_t",
    "float32": "float",
}


class Sample(Struct):
    """What no function takes."""

    pairs: Annotated[Reals, "n", "k + 1"]
    of: Annotated[
        list[np.int64], "k", "2"
    ]  # as NumPy 2.5 has Ints under Python 3.12: one argument, the entry
    margin: float
    flags: Annotated[Bools, "n"]
    words: Annotated[Words, "n_words"]


def sample(**other):
    given = {
        "pairs": np.zeros((4, 3)),
        "of": np.zeros((2, 2), int),
        "margin": 0.5,
        "flags": np.zeros(4, bool),
        "words": np.zeros(0, np.uint64),
    }
    return Sample(**given | other)


def all_declarations():
    """Import what declares structs and functions of the core, and return them all."""
    structs, functions = set(), []
    packages = (pyfsel.algorithms, pyfsel.papers, pyfsel.measures)
    for module in chain.from_iterable(
        pkgutil.walk_packages(package.__path__, f"{package.__name__}.") for package in packages
    ):
        for thing in vars(importlib.import_module(module.name)).values():
            if isinstance(thing, type) and issubclass(thing, Struct) and thing is not Struct:
                structs.add(thing)
            if isinstance(thing, in_core) and thing.__module__ == module.name:
                functions.append(thing)
    return sorted(structs, key=lambda struct: struct.__name__), functions


STRUCTS, FUNCTIONS = all_declarations()


def test_addresses_and_sizes_are_those_of_the_arrays():
    struct = sample()
    inside = layout_of(Sample)[1].from_address(struct.address)
    assert (inside.pairs, inside.of) == (struct.pairs.ctypes.data, struct.of.ctypes.data)
    assert (inside.margin, inside.n, inside.k, inside.n_words) == (0.5, 4, 2, 0)


@pytest.mark.parametrize(
    "wrong",
    [
        {"pairs": np.zeros((4, 3), np.float32)},
        {"pairs": np.zeros((4, 3), np.int64)},
        {"pairs": np.zeros((4, 3), ">f8")},
        {"pairs": np.zeros((4, 2))},
        {"pairs": np.zeros(12)},
        {"pairs": np.zeros((3, 4)).T},
        {"pairs": np.zeros((4, 6))[:, ::2]},
        {"of": np.zeros((2, 3), int)},
        {"of": np.zeros((3, 2), int)},
        {"flags": np.zeros(4, np.int8)},
        {"flags": np.zeros(5, bool)},
        {"words": np.zeros((2, 2), np.uint64)},
    ],
)
def test_arrays_that_c_would_misread_are_refused(wrong):
    with pytest.raises(TypeError, match=rf"^Sample\.{next(iter(wrong))}|^Sample\.of|^Sample\.flags"):
        sample(**wrong)


def test_arguments_are_checked_too():
    lanes, sizes = np.array([[0, 1, 1]], np.uint8), np.array([[2, 1]])
    first, cells, counts = np.array([[0, -1]]), np.zeros(2**16, np.uint32), np.zeros((2, 2), np.uint32)
    count_lane(lanes, sizes, first, first, 0, 0, 3, cells, counts)
    assert counts.tolist() == [[1, 0], [0, 2]]
    with pytest.raises(
        TypeError, match=r"count_lane: sizes is int64 of shape \(1, 1\); allowed: int64 of shape \(n_lanes, 2"
    ):
        count_lane(lanes, sizes[:, :1], first, first, 0, 0, 3, cells, counts)
    with pytest.raises(ValueError, match="shorter"):
        count_lane(lanes, sizes, first, first, 0, 0, 3, cells)


def test_each_declared_function_is_there_once():
    assert FUNCTIONS
    for function in FUNCTIONS:
        assert function._loaded[0] is not None
    exported = re.findall(rf"EXPORT [\w ]+\b{binding.PREFIX}(\w+)\(", all_sources())
    assert Counter(exported) == Counter(function.__name__ for function in FUNCTIONS)


def all_sources():
    return "\n".join(path.read_text("utf-8") for path in building.sources())


def test_each_function_takes_in_c_what_is_declared():
    for function in FUNCTIONS:
        (taken,) = re.findall(rf"{binding.PREFIX}{function.__name__}\(([^)]*)\)", all_sources())
        written = [
            re.sub(r"\b(const|restrict)\b|\w+$", "", one)
            .replace("i64", "int64_t")
            .replace("u64", "uint64_t")
            .split()
            for one in taken.split(",")
        ]
        kinds = function._loaded[1].kinds.values()
        n_sizes = len(function._loaded[0].argtypes) - len(kinds)
        declared = [c_type_of(kind).split() for kind in kinds] + [["int64_t"]] * n_sizes
        assert written == declared, function.__name__


def c_type_of(kind):
    if isinstance(kind, ArrayKind):
        return f"{C_TYPES[kind.dtype.name]} *"
    return {bool: "bool", int: "int64_t", float: "double"}.get(kind, f"{kind.__name__} *")


def test_structs_of_c_and_of_python_agree(tmp_path):
    """Names, types, offsets and sizes, as the compiler sees them."""
    lines = [f'#include "{header.name}"' for header in sorted(building.SOURCES.glob("*.h"))]
    lines += ["#include <stddef.h>", "EXPORT const size_t places[] = {"]
    expected = []
    for struct in STRUCTS:
        (layout, c_struct), name = layout_of(struct), struct.__name__
        members = {member: c_type_of(kind) for member, kind in layout.kinds.items()}
        members |= dict.fromkeys(layout.sizes, "int64_t")
        for member, c_type in members.items():
            alternatives = f"{c_type}: 1" + (f", const {c_type}: 1" if "*" in c_type else "")
            lines.append(f"  offsetof({name}, {member}) / _Generic((({name} *)0)->{member}, {alternatives}),")
            expected.append(getattr(c_struct, member).offset)
        lines.append(f"  sizeof({name}),")
        expected.append(binding.ctypes.sizeof(c_struct))
    source, library = tmp_path / "places.c", tmp_path / building.LIBRARY.name
    source.write_text("\n".join([*lines, "  0};"]))
    building.compile_library(library, files=[source], options=[f"-I{building.SOURCES}"])
    found = (binding.ctypes.c_size_t * len(expected)).in_dll(binding.ctypes.CDLL(str(library)), "places")
    assert list(found) == expected
