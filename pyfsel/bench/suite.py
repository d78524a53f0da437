"""Suite files: which runs there are.

A suite is TOML. Values at the top are defaults of every ``[[group]]``; a group stands for the product of its
instances, backends, searches, time limits and seeds::

    time_limits = [10]
    memory_limit = 2000
    seeds = [0]

    [[group]]
    backends = ["cpsat", "rc2/literal"]
    searches = ["simultaneous"]
    files = ["../instances/wine*.json"]

    [[group.generate]]
    family = "partition"
    seeds = [0, 1]
    k = 4
    difficulty = 0.5

Paths are relative to the suite file.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from itertools import product
from pathlib import Path
from typing import Any

from pyfsel.backends.base import SEARCHES
from pyfsel.checks import integer_in, list_of, one_of, positive_number
from pyfsel.compare import Contender
from pyfsel.errors import InputError
from pyfsel.instances import Request, generate, write_instance
from pyfsel.instances.writing import about_path
from pyfsel.problem import Problem

DEFAULTS: Mapping[str, Any] = {
    "backends": ["auto"],
    "searches": ["simultaneous"],
    "time_limits": [60],
    "memory_limit": 4000,
    "seeds": [0],
    "files": [],
    "generate": [],
}
GENERATED = ("n_features", "k", "n_alternatives", "max_overlap", "aggregate", "difficulty")


@dataclass(frozen=True)
class RunSpec:
    """One run of a suite; its id is the hash of everything that decides about it.

    Parameters
    ----------
    instance : str
        Name of the instance: of its file without extension.
    instance_hash : str
        SHA-256 of the file.
    backend : str
        Name, or name/formulation.
    search : str
    time_limit : float
        Seconds.
    memory_limit : int
        Megabytes.
    seed : int
    """

    instance: str
    instance_hash: str
    backend: str
    search: str
    time_limit: float
    memory_limit: int
    seed: int

    @property
    def id(self) -> str:
        """The first 16 digits of the hash."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()[:16]

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> RunSpec:
        """Build a specification from what `asdict` returns."""
        try:
            return cls(**{f.name: data[f.name] for f in fields(cls)})
        except (KeyError, TypeError) as error:
            raise InputError(f"run: lacks {error}") from None


@dataclass(frozen=True)
class Suite:
    """The runs of a suite, each once, and where its instances are."""

    runs: tuple[RunSpec, ...]
    instances: Mapping[str, Path]


def read_suite(path: str | Path, folder: str | Path) -> Suite:
    """Read a suite file, and put its instances, generated or copied, into a folder.

    Raises
    ------
    InputError
        If the file cannot be read, a value is not allowed, or two instances have one name.
    """
    path, folder = Path(path), Path(folder)
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"{path}: cannot be read ({error})") from None
    _known(path, data, {*DEFAULTS, "group"})
    groups = [{**DEFAULTS, **data, **group} for group in data.get("group", [{}])]
    runs: dict[str, RunSpec] = {}
    instances: dict[str, Path] = {}
    for group in groups:
        _known(path, group, {*DEFAULTS, "group"})
        for instance in _instances(group, path.parent, folder):
            known = instances.setdefault(instance.stem, instance)
            assert known == instance
            runs |= {spec.id: spec for spec in _runs(group, instance)}
    if not runs:
        raise InputError(f"{path}: has no runs; groups need files or generate")
    return Suite(tuple(runs.values()), instances)


def _known(path: Path, given: Iterable[str], known: set[str]) -> None:
    unknown = sorted(set(given) - known)
    if unknown:
        raise InputError(f"{path}: {unknown[0]!r} is not one of {', '.join(sorted(known))}")


def _runs(group: Mapping[str, Any], instance: Path) -> Iterator[RunSpec]:
    digest = file_hash(instance)
    for backend, search, limit, seed in product(
        *(list_of(name, group[name]) for name in ("backends", "searches", "time_limits", "seeds"))
    ):
        if backend != "auto":
            Contender.named(backend)
        one_of("searches", search, SEARCHES)
        yield RunSpec(
            instance=instance.stem,
            instance_hash=digest,
            backend=backend,
            search=search,
            time_limit=positive_number("time_limits", limit),
            memory_limit=integer_in("memory_limit", group["memory_limit"], 1, None),
            seed=integer_in("seeds", seed, 0, None),
        )


def _instances(group: Mapping[str, Any], base: Path, folder: Path) -> Iterator[Path]:
    for pattern in list_of("files", group["files"]):
        found = sorted(p for p in base.glob(pattern) if not p.name.endswith(".about.json"))
        if not found:
            raise InputError(f"files={pattern!r}: there is no such file in {base}")
        for source in found:
            yield _copied(source, folder)
    for entry in list_of("generate", group["generate"]):
        _known(Path("generate"), entry, {"family", "seeds", *GENERATED})
        request = Request(**{name: entry[name] for name in GENERATED if name in entry})
        for seed in entry.get("seeds", [0]):
            instance = generate(entry.get("family", ""), request, seed)
            if instance.problem is None:
                raise InputError(f"family={entry['family']!r}: makes tables, not problems")
            yield write_instance(instance, folder)


def _copied(source: Path, folder: Path) -> Path:
    Problem.load(source)
    target = folder / source.name
    if target.exists() and target.read_bytes() != source.read_bytes():
        raise InputError(f"{source}: another file of this name is in {folder}")
    for original, copy in ((source, target), (about_path(source), about_path(target))):
        if original.exists():
            copy.write_bytes(original.read_bytes())
    return target


def file_hash(path: Path) -> str:
    """Return the SHA-256 of a file, or of nothing if there is none."""
    return hashlib.sha256(path.read_bytes() if path.exists() else b"").hexdigest()
