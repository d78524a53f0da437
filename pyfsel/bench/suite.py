"""Suite files: which runs there are.

A suite is TOML. Values at the top are defaults of every ``[[group]]``; a group stands for the product of its
instances, backends, searches, time limits, seeds and variations::

    time_limits = [10]
    memory_limit = 2000
    seeds = [0]

    [[group]]
    backends = ["cpsat", "rc2/literal"]
    searches = ["simultaneous"]
    files = ["../instances/wine*.json"]

    [group.vary]
    n_alternatives = [1, 2, 3]
    tau = [0.4, 0.8]

    [[group.generate]]
    family = "partition"
    seeds = [0, 1]
    k = 4
    difficulty = 0.5

Without `searches` it is sequential, but simultaneous where the aggregate is varied or the minimum.
A variation is the instance with other values of `k`, `n_alternatives`, `tau` (Dice) or `max_shared`, and
`aggregate`. Settings may be lists too: `memory_limit`, `cpu_limit` (seconds within which a proof counts),
`n_threads`, and `cold_start` (true: without a solution to start from). ``seconds_per_set = [60]``
instead of `time_limits` gives a run 60 seconds per set.
The runs of a group with ``order = "mixed"`` are made in an order that is the same each time but mixes
everything, so a suite stopped early has a fair sample.

``model = "mine.mzn"``, with further files in `data`, is a formulation of the `backends` of its group, which
are ``minizinc:gecode`` unless they are named; its claims count like theirs. `maxsat_command`, such as
``"NAME {wcnf}"``, and ``pb_command = "NAME {opb}"`` take the place of `backends`. Each may be a list.
Paths are relative to the suite file.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from itertools import product
from pathlib import Path
from typing import Any

from pyfsel.backends.base import Backend
from pyfsel.backends.maxsat.program import MaxSat
from pyfsel.backends.minizinc.catalogue import formulations
from pyfsel.backends.minizinc.own_model import DATA_SUFFIXES, MODEL_SUFFIXES, existing_file, own_model
from pyfsel.backends.minizinc.text import whole_text
from pyfsel.bench.compare import Contender
from pyfsel.bench.instances import Request, generated, write_instance
from pyfsel.bench.instances.writing import about_path
from pyfsel.errors import InputError
from pyfsel.problem.checks import integer_in, is_a, list_of, one_of, positive_number
from pyfsel.problem.dissimilarity import max_overlap_for
from pyfsel.problem.instance import Instance
from pyfsel.problem.objectives import SEARCHES
from pyfsel.results.control import MOST_THREADS, chosen_search

DEFAULTS: Mapping[str, Any] = {
    "backends": None,
    "model": [],
    "data": [],
    "own_question": False,
    "maxsat_command": [],
    "pb_command": [],
    "searches": None,
    "time_limits": [60],
    "seeds": [0],
    "files": [],
    "generate": [],
    "vary": {},
    "seconds_per_set": [],
    "order": "listed",
}
ORDERS = ("listed", "mixed")
HASH_DIGITS = 12
GENERATED = ("n_features", "k", "n_alternatives", "max_shared", "aggregate", "difficulty")


def setting(default: Any, checked: Callable[[str, Any], Any]) -> Any:
    """Return a field of a run that is a key of a suite, and usually an argument of `pyfsel.solve`.

    The default is that of the key; `checked` takes the name and what stands in a suite.
    """
    return field(default=default, metadata={"checked": checked})


def _flag(name: str, value: Any) -> bool:
    is_a(name, value, bool, "true or false")
    return bool(value)


def variation(letter: str, change: Callable[[Any], Mapping[str, Any]], kind: type = int) -> Any:
    """Return a field that is a key of ``vary``: it makes the problem of a run another one than in its file.

    The letter is for the name of the problem; `change` returns arguments of `Instance.replace`.
    """
    return field(default=None, metadata={"letter": letter, "change": change, "kind": kind})


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
    seed : int
    memory_limit : int
        Megabytes.
    k, n_alternatives, max_shared, aggregate : optional
        What differs from the file: the problem of the run is a variation of it.
    certify : True, optional
        What is proved is certified too, within a time limit of its own.
    n_threads : int, optional
        Of the solver; one if it is not given.
    cold_start : bool, optional
        Whether exact backends get no solution to start from.
    command : str, optional
        Of a MaxSAT or pseudo-Boolean solver.
    model : str, optional
        A MiniZinc model of the user's own that is the formulation of the backend: a file beside the instance,
        whose name ends in the beginning of its SHA-256.
    data : tuple of str, optional
        Such files with further data.
    own_question : True, optional
        The model asks another question than the problem: its status, objective and bound are its own.
    cpu_limit : float, optional
        Seconds of CPU time within which a proof counts in reports, which then count CPU time: that of all
        processes and threads of the run. The time limit, of wall-clock time, ends the run.
    """

    instance: str
    instance_hash: str
    backend: str
    search: str
    time_limit: float
    seed: int
    memory_limit: int = setting(4000, lambda name, value: integer_in(name, value, 1, None))
    k: int | None = variation("k", lambda k: {"k": k})
    n_alternatives: int | None = variation("a", lambda a: {"n_sets": a + 1})
    max_shared: int | None = variation("m", lambda m: {"max_shared": m})
    aggregate: str | None = variation("", lambda aggregate: {"aggregate": aggregate}, str)

    certify: bool | None = None
    n_threads: int | None = setting(None, lambda name, value: integer_in(name, value, 1, MOST_THREADS))
    cold_start: bool | None = setting(None, _flag)
    command: str | None = None
    model: str | None = None
    data: tuple[str, ...] | None = None
    own_question: bool | None = None
    cpu_limit: float | None = setting(None, positive_number)

    @property
    def files(self) -> tuple[str, ...]:
        """Names of the files that it needs beside the instance."""
        return (*filter(None, [self.model]), *(self.data or ()))

    @property
    def contender(self) -> str:
        """The backend, and its command if it has one."""
        return self.backend if self.command is None else f"{self.backend} ({self.command})"

    @property
    def most_seconds(self) -> float:
        """The time limits of solving and of certifying."""
        return self.time_limit * (2 if self.certify else 1)

    @property
    def id(self) -> str:
        """The first 16 digits of the hash."""
        return hashlib.sha256(json.dumps(self.to_dict(), sort_keys=True).encode()).hexdigest()[:16]

    @property
    def problem_name(self) -> str:
        """Name of the problem: of the instance, and what differs from its file."""
        return "-".join([self.instance, *(f"{key['letter']}{v}" for key, v in self._variations())])

    @property
    def trial(self) -> RunSpec:
        """The same without a backend: what several contenders are asked alike."""
        of_contender: dict[str, Any] = {
            "command": None,
            "model": None,
            "data": None,
            "own_question": None,
            "n_threads": None,
            "cold_start": None,
        }
        return replace(self, backend="", **of_contender)

    @property
    def task(self) -> RunSpec:
        """The trial whatever its seed: trials of the same task are repetitions of each other."""
        return replace(self.trial, seed=0)

    @property
    def question(self) -> tuple[str, str]:
        """Problem and search, whatever the limits: values are comparable within it."""
        return self.problem_name, self.search

    def problem(self, in_file: Instance) -> Instance:
        """Return the problem of the run, given that in the file of the instance."""
        changes: dict[str, Any] = {}
        for key, value in self._variations():
            changes |= key["change"](value)
        return in_file.replace(**changes) if changes else in_file

    def _variations(self) -> Iterator[tuple[Mapping[str, Any], Any]]:
        """Yield what differs from the file: what the field says of itself, and its value."""
        for entry in fields(self):
            value = getattr(self, entry.name)
            if "change" in entry.metadata and value is not None:
                yield entry.metadata, value

    @property
    def settings(self) -> dict[str, Any]:
        """What a contender is given in addition to a task."""
        given = {e.name: getattr(self, e.name) for e in fields(self) if "checked" in e.metadata}
        return {name: value for name, value in given.items() if value is not None}

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, without what is None."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> RunSpec:
        """Build a specification from what `to_dict` returns; more fields do no harm."""
        try:
            given: dict[str, Any] = {f.name: data[f.name] for f in fields(cls) if f.name in data}
            return cls(**given | ({"data": tuple(given["data"])} if "data" in given else {}))
        except TypeError as error:
            raise InputError(f"run: {error}") from None


@dataclass(frozen=True)
class Suite:
    """The runs of a suite, each once, where its instances are, and the shape of each problem by its name."""

    runs: tuple[RunSpec, ...]
    instances: Mapping[str, Path]
    shapes: Mapping[str, Mapping[str, Any]]


def shape(problem: Instance) -> dict[str, Any]:
    """Return what a report groups problems by."""
    return {
        "objective": problem.objective,
        "aggregate": problem.aggregate,
        "n_features": problem.n_features,
        "k": problem.k,
        "n_alternatives": problem.n_sets - 1,
        "max_shared": problem.max_shared,
    }


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
        reason = (isinstance(error, OSError) and error.strerror) or str(error)
        raise InputError(f"{path}: cannot be read ({reason})") from None
    try:
        return _suite(path, data, folder)
    except InputError as error:
        known = str(error).startswith(f"{path}:")
        raise InputError(str(error) if known else f"{path}: {error}") from None


def suite_of(specs: Iterable[RunSpec], instances: Path, folder: Path) -> Suite:
    """Return the suite of runs that were made before, with copies of their instances in a folder."""
    runs = tuple(specs)
    folder.mkdir(parents=True, exist_ok=True)
    copies = {spec.instance: _copied(instances / f"{spec.instance}.json", folder) for spec in runs}
    for name in {name for spec in runs for name in spec.files}:
        (folder / name).write_bytes((instances / name).read_bytes())
    in_files = {name: Instance.load(path) for name, path in copies.items()}
    shapes = {spec.problem_name: shape(spec.problem(in_files[spec.instance])) for spec in runs}
    return Suite(runs, copies, shapes)


def _suite(path: Path, data: Mapping[str, Any], folder: Path) -> Suite:
    defaults = {**DEFAULTS, **{e.name: e.default for e in fields(RunSpec) if "checked" in e.metadata}}
    _known(path, data, {*defaults, "group"})
    groups = [{**defaults, **data, **group} for group in data.get("group", [{}])]
    runs: dict[str, RunSpec] = {}
    instances: dict[str, Path] = {}
    shapes: dict[str, Mapping[str, Any]] = {}
    for group in groups:
        _known(path, group, {*defaults, "group"})
        own: dict[str, RunSpec] = {}
        contenders = _contenders(group, path.parent, folder)
        for instance in _instances(group, path.parent, folder):
            known = instances.setdefault(instance.stem, instance)
            assert known == instance
            for spec, problem in _runs(group, contenders, instance):
                own[spec.id] = spec
                shapes[spec.problem_name] = shape(problem)
        one_of("order", group["order"], ORDERS)
        runs |= dict(sorted(own.items())) if group["order"] == "mixed" else own
    if not runs:
        raise InputError(f"{path}: has no runs; groups need files or generate")
    models: dict[str, str | None] = {}
    for spec in runs.values():
        if models.setdefault(spec.backend, spec.model) != spec.model:
            raise InputError(f"model: two files have the name of {spec.backend!r}; rename one")
    return Suite(tuple(runs.values()), instances, shapes)


def _known(path: Path, given: Iterable[str], known: set[str]) -> None:
    unknown = sorted(set(given) - known)
    if unknown:
        raise InputError(f"{path}: {unknown[0]!r} is not one of {', '.join(sorted(known))}")


def _runs(
    group: Mapping[str, Any], contenders: Sequence[Mapping[str, Any]], instance: Path
) -> Iterator[tuple[RunSpec, Instance]]:
    """Yield the runs of a group on an instance, each with its problem."""
    digest = file_hash(instance)
    in_file = Instance.load(instance)
    for changes in _variations(group["vary"], in_file):
        n_sets = changes.get("n_alternatives", in_file.n_sets - 1) + 1
        for (contender, search), limit, seed, settings in product(
            _with_searches(contenders, group["searches"], changes.get("aggregate"), in_file),
            _time_limits(group, n_sets),
            list_of("seeds", group["seeds"]),
            _settings(group),
        ):
            one_of("searches", search, SEARCHES)
            spec = RunSpec(
                instance=instance.stem,
                instance_hash=digest,
                search=search,
                time_limit=limit,
                seed=integer_in("seeds", seed, 0, None),
                **contender,
                **settings,
                **changes,
            )
            yield spec, spec.problem(in_file)


def _contenders(group: Mapping[str, Any], base: Path, folder: Path) -> list[dict[str, Any]]:
    """Return what is run, as arguments of `RunSpec`; models and their data are copied into the folder."""
    commands = [
        {"backend": MaxSat.of_command(command).name, "command": command}
        for name in ("maxsat_command", "pb_command")
        for command in _one_or_more(name, group[name])
    ]
    named = group["backends"]
    models = [_copied_model(base / file, folder) for file in _one_or_more("model", group["model"])]
    if not models:
        if group["data"]:
            raise InputError("data: are for a model, which is missing")
        backends = [] if commands and named is None else list_of("backends", named or ["auto"])
        return [*({"backend": name} for name in backends), *commands]
    listed = _one_or_more("data", group["data"])
    files = [existing_file("data", base / file, DATA_SUFFIXES) for file in listed]
    data = tuple(_copied_text(file, file.read_text(encoding="utf-8"), folder) for file in files) or None
    return commands + [
        {
            "backend": f"{own_model(base / file, name).runner.name}/{file.stem}",
            "model": copy,
            "data": data,
            "own_question": _flag("own_question", group["own_question"]) or None,
        }
        for name in list_of("backends", named or ["auto"])
        for file, copy in models
    ]


def _one_or_more(name: str, given: Any) -> list[Any]:
    """Return what may stand in a suite by itself or in a list."""
    return list_of(name, [given] if isinstance(given, str) else given)


def _copied_model(source: Path, folder: Path) -> tuple[Path, str]:
    """Copy a model with all that it includes into one file, and return its old path and its new name."""
    model = existing_file("model", source, MODEL_SUFFIXES)
    if model.stem in formulations():
        raise InputError(f"model={source.name!r}: has the name of a formulation; rename it")
    return model, _copied_text(model, whole_text(model), folder)


def _copied_text(source: Path, text: str, folder: Path) -> str:
    digest = hashlib.sha256(text.encode()).hexdigest()
    name = f"{source.stem}-{digest[:HASH_DIGITS]}{source.suffix}"
    (folder / name).write_bytes(text.encode())
    return name


def is_changed(file: Path) -> bool:
    """Return whether a model or its data are not what the name of the file says."""
    return file.stem.rpartition("-")[2] != file_hash(file)[:HASH_DIGITS]


def _with_searches(
    contenders: Iterable[Mapping[str, Any]], searches: Any, aggregate: str | None, in_file: Instance
) -> Iterator[tuple[Mapping[str, Any], str]]:
    """Yield each contender with each search; an aggregate that is varied means all sets at once."""
    for contender in contenders:
        name = contender["backend"]
        of_kind = name == "auto" or "command" in contender
        backend = Backend if of_kind else Contender.named(name).backend
        usual = chosen_search(None, aggregate) if aggregate else backend.usual_search(in_file)
        for search in [usual] if searches is None else list_of("searches", searches):
            yield contender, search


def _settings(group: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the settings of a group, in every combination."""
    keys = {e.name: e.metadata["checked"] for e in fields(RunSpec) if "checked" in e.metadata}
    listed = (group[name] if isinstance(group[name], list) else [group[name]] for name in keys)
    return [
        {
            name: value if value is None else checked(name, value)
            for (name, checked), value in zip(keys.items(), values, strict=True)
        }
        for values in product(*listed)
    ]


def _time_limits(group: Mapping[str, Any], n_sets: int) -> list[float]:
    per_set = list_of("seconds_per_set", group["seconds_per_set"])
    if per_set:
        return [n_sets * positive_number("seconds_per_set", seconds) for seconds in per_set]
    return [
        positive_number("time_limits", seconds) for seconds in list_of("time_limits", group["time_limits"])
    ]


def _variations(vary: Any, in_file: Instance) -> Iterator[dict[str, Any]]:
    """Yield what differs from the file, in each variation once; τ becomes the overlap that it allows."""
    if not isinstance(vary, Mapping):
        raise InputError(f"vary={vary!r}: must be a table such as {{n_alternatives = [1, 2]}}")
    kinds = {e.name: e.metadata["kind"] for e in fields(RunSpec) if "kind" in e.metadata}
    _known(Path("vary"), vary, {*kinds, "tau"})
    if "tau" in vary and "max_shared" in vary:
        raise InputError("vary: give at most one of tau and max_shared")
    for values in product(*(list_of(name, listed) for name, listed in vary.items())):
        changes = dict(zip(vary, values, strict=True))
        if "tau" in changes:
            changes["max_shared"] = max_overlap_for(changes.get("k", in_file.k), changes.pop("tau"))
        for name, value in changes.items():
            if kinds[name] is int:
                integer_in(name, value, 0, None)
        yield changes


def _instances(group: Mapping[str, Any], base: Path, folder: Path) -> Iterator[Path]:
    for pattern in list_of("files", group["files"]):
        anchor = Path(pattern).anchor  # of an absolute pattern, which `glob` does not take
        paths = (base / anchor).glob(str(Path(pattern).relative_to(anchor)))
        found = sorted(p for p in paths if not p.name.endswith(".about.json"))
        if not found:
            raise InputError(f"files={pattern!r}: there is no such file in {base}")
        for source in found:
            yield _copied(source, folder)
    for entry in list_of("generate", group["generate"]):
        _known(Path("generate"), entry, {"family", "seeds", *GENERATED})
        request = Request(**{name: entry[name] for name in GENERATED if name in entry})
        for seed in entry.get("seeds", [0]):
            instance = generated(entry.get("family", ""), request, seed)
            if instance.problem is None:
                raise InputError(f"family={entry['family']!r}: makes tables, not problems")
            yield write_instance(instance, folder)


def _copied(source: Path, folder: Path) -> Path:
    Instance.load(source)
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
