"""Suite files: which runs there are.

A suite is TOML. Its keys are arguments of `pyfsel.Problem` and `pyfsel.solve`; where a list stands, each of
its values is run. Values at the top are defaults of every ``[[group]]``; a group stands for the product of
its instances and of all values::

    time_limit = 10
    memory_limit = 2000

    [[group]]
    solver = ["cpsat", "rc2/literal"]
    search = ["sum", "sequential"]
    n_sets = [2, 3, 4]
    dissimilarity = [0.4, "shared:2"]
    files = "../instances/wine*.json"

    [[group.generate]]
    family = "partition"
    random_state = [0, 1]
    k = 4
    difficulty = 0.5

Without `k`, `n_sets`, `dissimilarity` and `search` the problem is the file's. Settings of runs are
`time_limit`, `seconds_per_set` in its place (seconds for each set that is requested), `random_state`,
`memory_limit` (MB), `cpu_limit` (seconds within which a proof counts), `n_threads`, and `cold_start` (true:
without a solution to start from).

A solver may be your own model, ``"mine.mzn"`` or ``"highs:mine.mzn"``, with further files in `data`. Its
claims count like any solver's claims, unless ``own_question = true`` says that it answers another
question. It may be a program: ``"NAME {wcnf}"`` or ``"NAME {opb}"``. Paths are relative to the suite file.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields, replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

from pyfsel.backends.minizinc.backend import MiniZinc
from pyfsel.backends.minizinc.own_model import DATA_SUFFIXES, MODEL_SUFFIXES, existing_file
from pyfsel.backends.minizinc.text import items_of, joined
from pyfsel.bench.compare import Contender, instance_for
from pyfsel.bench.instances import Request, generated, write_instance
from pyfsel.bench.instances.instance_families import about_path
from pyfsel.errors import InputError
from pyfsel.problem.checks import integer_in, is_a, list_of, one_of, positive_number, suggestion
from pyfsel.problem.instance import Instance
from pyfsel.problem.make import overlaps
from pyfsel.problem.rules import as_dissimilarity
from pyfsel.problem.text_files import read_text, reading, replacing, writing
from pyfsel.results.control import MOST_THREADS

SEARCHES = ("sequential", "sum", "min")
FLAG = partial(is_a, kind=bool, what="true or false")
DEFAULTS: Mapping[str, Any] = {
    "solver": "auto",
    "time_limit": 60,
    **{name: [] for name in ("seconds_per_set", "files", "generate", "data")},
    "own_question": False,
}
GENERATED = ("family", "random_state", "n_features", "k", "n_sets", "max_shared", "search", "difficulty")


def setting(default: Any, checked: Callable[[str, Any], Any]) -> Any:
    """Return a field of a run that is a key of a suite, and usually an argument of `pyfsel.solve`.

    The default is the key's default; `checked` takes the name and what a suite gives.
    """
    return field(default=default, metadata={"checked": checked, "default": default})


def variation(
    letter: str, checked: Callable[[str, Any], Any], change: Callable[[Instance, Any], Instance]
) -> Any:
    """Return a field that is a key of a suite, and makes the problem of a run another one than in its file.

    The letter is for the name of the problem; `change` takes the problem and the value.
    """
    return field(default=None, metadata={"letter": letter, "checked": checked, "change": change})


def _at_least(low: int, high: int | None = None) -> Callable[[str, Any], int]:
    return lambda name, value: integer_in(name, value, low, high)


def _dissimilarity(name: str, value: Any) -> Any:
    as_dissimilarity(value)
    return value


def _more_dissimilar(problem: Instance, value: Any) -> Instance:
    rule = as_dissimilarity(value)
    asked = overlaps(problem.k_min, problem.k, rule, problem.n_features, is_alone=False)
    whatever = {"shared_weight": None, "size_weight": None, "shared_constant": 0, "shared_by_smaller": False}
    return problem.replace(**whatever | asked)


def _searched(problem: Instance, word: str) -> Instance:
    return problem if word == _usual_search(problem) else instance_for(problem, word)


def _usual_search(problem: Instance) -> str:
    return "sum" if problem.n_sets == 1 else problem.search_word


@dataclass(frozen=True)
class RunSpec:
    """One run of a suite; its id is the hash of everything that decides about it.

    Parameters
    ----------
    instance : str
        Name of the instance: of its file without extension.
    instance_hash : str
        SHA-256 of the file.
    solver : str
        As in `pyfsel.solve`; the file of a model is next to the instance.
    time_limit : float
        Seconds.
    k, n_sets, dissimilarity, search : optional
        What differs from the file: the problem of the run is a variation of it.
    random_state : int
    memory_limit : int
        Megabytes.
    n_threads : int, optional
        Of the solver; one if it is not given.
    cold_start : bool, optional
        Whether exact solvers get no solution to start from.
    cpu_limit : float, optional
        Seconds of CPU time within which a proof counts in reports, which then count CPU time, of all
        processes and threads of the run. The time limit, of wall-clock time, ends the run.
    data : tuple of str
        Files with further data of the model.
    hashes : tuple of str
        SHA-256 of the model and of its data.
    own_question : bool
        The model asks another question than the problem: its status, objective and bound are its own.
    certify : bool
        What is proved is certified too, within a time limit of its own.
    """

    instance: str
    instance_hash: str
    solver: str
    time_limit: float
    k: int | None = variation("k", _at_least(1), lambda problem, k: problem.replace(k=k))
    n_sets: int | None = variation("n", _at_least(1), lambda problem, n: problem.replace(n_sets=n))
    dissimilarity: float | str | None = variation("d", _dissimilarity, _more_dissimilar)
    search: str = variation("", partial(one_of, allowed=SEARCHES), _searched)
    random_state: int = setting(0, _at_least(0))
    memory_limit: int = setting(4000, _at_least(1))
    n_threads: int | None = setting(None, _at_least(1, MOST_THREADS))
    cold_start: bool | None = setting(None, FLAG)
    cpu_limit: float | None = setting(None, positive_number)
    data: tuple[str, ...] = ()
    hashes: tuple[str, ...] = ()
    own_question: bool = False
    certify: bool = False

    @property
    def model(self) -> Path | None:
        """The file of the model that is run."""
        return Path(self.solver.rpartition(":")[2]) if self.solver.endswith(MODEL_SUFFIXES) else None

    @property
    def files(self) -> dict[str, str]:
        """The hashes of the files that it needs: the instance, the model and its data."""
        names = (str(self.model), *self.data) if self.model else ()
        return {f"{self.instance}.json": self.instance_hash, **dict(zip(names, self.hashes, strict=True))}

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
        """Name of the problem, whatever the search: of the instance, and what differs from its file."""
        named = (f"{key['letter']}{value}" for key, value in self._variations() if key["letter"])
        return "-".join([self.instance, *named])

    @property
    def trial(self) -> RunSpec:
        """The same without a solver and its settings: what several contenders are given alike."""
        return replace(
            self, solver="", data=(), hashes=(), own_question=False, n_threads=None, cold_start=None
        )

    @property
    def task(self) -> RunSpec:
        """The trial whatever its seed: trials of the same task are repetitions of each other."""
        return replace(self.trial, random_state=0)

    def problem(self, in_file: Instance) -> Instance:
        """Return the problem of the run, given that in the file of the instance."""
        for key, value in self._variations():
            in_file = key["change"](in_file, value)
        return in_file

    def is_varied(self, in_file: Instance) -> bool:
        """Return whether the problem is another one than in its file, which need not state a search."""
        return self.problem(in_file).replace(search=in_file.search) != in_file

    def _variations(self) -> Iterator[tuple[Mapping[str, Any], Any]]:
        """Yield what differs from the file: what the field says of itself, and its value."""
        for entry in fields(self):
            value = getattr(self, entry.name)
            if "change" in entry.metadata and value is not None:
                yield entry.metadata, value

    @property
    def settings(self) -> dict[str, Any]:
        """What a contender is given in addition to a task and its limits."""
        given = {e.name: getattr(self, e.name) for e in fields(self) if "default" in e.metadata}
        return {name: value for name, value in given.items() if value is not None and name != "random_state"}

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, without what is as by default."""
        defaults = {entry.name: entry.default for entry in fields(self)}
        return {name: value for name, value in asdict(self).items() if value != defaults[name]}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> RunSpec:
        """Build a specification from what `to_dict` returns; more fields do no harm."""
        try:
            given = {f.name: data[f.name] for f in fields(cls) if f.name in data}
            given |= {name: tuple(value) for name, value in given.items() if isinstance(value, list)}
            return cls(**given)
        except TypeError as error:
            raise InputError(f"run: {error}") from None


def read_suite(path: str | Path, folder: str | Path) -> tuple[RunSpec, ...]:
    """Return the runs of a suite file, each once, and put its instances, generated or copied, into a folder.

    A suite that is not valid leaves nothing there. Several may be read at once into the same folder, as the
    parts of a job array do.

    Raises
    ------
    InputError
        If the file cannot be read, a value is not allowed, or two instances have one name.
    """
    path, folder = Path(path), Path(folder)
    text = read_text(path)
    with reading(path), writing(folder), tempfile.TemporaryDirectory(prefix="pyfsel-") as drafts:
        try:
            data = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise InputError(f"cannot be read ({error})") from None
        runs = _runs(data, path.parent, Path(drafts))
        folder.mkdir(parents=True, exist_ok=True)
        for draft in Path(drafts).iterdir():
            _write_once(folder / draft.name, draft.read_bytes())
    return runs


def _runs(data: Mapping[str, Any], base: Path, folder: Path) -> tuple[RunSpec, ...]:
    keys = {e.name: e for e in fields(RunSpec) if "checked" in e.metadata}
    defaults = {**DEFAULTS, **{name: key.default for name, key in keys.items()}}
    require_keys(data, [*defaults, "group"])
    runs: dict[str, RunSpec] = {}
    for group in list_of("[[group]]", data.get("group", [{}])):
        require_keys(group, defaults)
        given = {**defaults, **data, **group}
        solvers = [_solver(name, given, base, folder) for name in _values(given["solver"])]
        per_set = "seconds_per_set" if given["seconds_per_set"] else "time_limit"
        limits = [positive_number(per_set, seconds) for seconds in _values(given[per_set])]
        choices: list[Any] = [
            [
                {name: one if one is None else key.metadata["checked"](name, one)}
                for one in _values(given[name])
            ]
            for name, key in keys.items()
        ]
        for instance in _instances(given, base, folder):
            digest, in_file = file_hash(instance), Instance.load(instance)
            for *chosen, seconds in product(*choices, solvers, limits):
                changes = {name: v for part in chosen for name, v in part.items() if v is not None}
                changes.setdefault("search", _usual_search(in_file))
                spec = RunSpec(instance.stem, digest, time_limit=seconds, **changes)
                n_sets = spec.problem(in_file).n_sets  # an error if the instance does not allow the change
                spec = replace(spec, time_limit=seconds * n_sets) if given["seconds_per_set"] else spec
                runs[spec.id] = spec
    if not runs:
        raise InputError("has no runs. Groups need files or generate")
    return tuple(runs.values())


def require_keys(given: Any, known: Iterable[str]) -> None:
    """Raise `InputError` unless this is a table of known keys."""
    known = list(known)
    for name in is_a("[[…]]", given, Mapping, "a table"):
        if name not in known:
            raise InputError(
                f"{name}: unknown key.{suggestion(name, known)} Keys are {', '.join(sorted(known))}"
            )


def _values(given: Any) -> list[Any]:
    """Return what may be a value or a list of values."""
    return given if isinstance(given, list) else [given]


def _solver(name: Any, group: Mapping[str, Any], base: Path, folder: Path) -> dict[str, Any]:
    """Return a solver as fields of `RunSpec`; a model and its data are copied into the folder."""
    is_a("solver", name, str, "the name of a solver, a model or a program")
    own = FLAG("own_question", group["own_question"])
    if not name.endswith(MODEL_SUFFIXES):
        if name != "auto":
            Contender.named(name)
        if own or group["data"]:
            raise InputError(f"solver={name!r}: data and own_question are for your own models (.mzn)")
        return {"solver": name}
    runner, _, file = name.rpartition(":")
    model = existing_file("solver", base / file, MODEL_SUFFIXES)
    runner = MiniZinc.on(runner or "gecode").solver.name
    data = [existing_file("data", base / one, DATA_SUFFIXES) for one in _values(group["data"])]
    texts = {
        model.name: joined(items_of(model)),
        **{one.name: one.read_text(encoding="utf-8") for one in data},
    }
    for written, text in texts.items():
        _write_once(folder / written, text.encode())
    return {
        "solver": f"{runner}:{model.name}",
        "data": tuple(one.name for one in data),
        "hashes": tuple(file_hash(folder / written) for written in texts),
        "own_question": own,
    }


def _instances(group: Mapping[str, Any], base: Path, folder: Path) -> Iterator[Path]:
    for pattern in _values(group["files"]):
        found: list[Path] = []
        with suppress(TypeError, ValueError, IndexError):  # `glob` refuses some texts
            anchor = Path(pattern).anchor  # of an absolute pattern, which `glob` does not take
            paths = (base / anchor).glob(str(Path(pattern).relative_to(anchor)))
            found = sorted(p for p in paths if p.suffix == ".json" and not p.name.endswith(".about.json"))
        if not found:
            raise InputError(f"files={pattern!r}: no such file in {base}. Instances end in .json")
        for source in found:
            Instance.load(source)
            for path in filter(Path.exists, (source, about_path(source))):
                _write_once(folder / path.name, path.read_bytes())
            yield folder / source.name
    for entry in list_of("[[group.generate]]", group["generate"]):
        require_keys(entry, GENERATED)
        asked = {name: value for name, value in entry.items() if name not in GENERATED[:2]}
        for seed in _values(entry.get("random_state", 0)):
            instance = generated(entry.get("family", ""), Request(**asked), seed)
            if instance.problem is None:
                raise InputError(f"family={entry['family']!r}: makes tables, not problems")
            yield write_instance(instance, folder)


def _write_once(target: Path, content: bytes) -> None:
    """Write a file as a whole, unless it is there; another one of that name is an error.

    Others may read it in the meantime.
    """
    if not target.exists():
        with replacing(target) as draft:
            draft.write_bytes(content)
    elif target.read_bytes() != content:
        raise InputError(f"{target.name}: another file of this name is in the suite or its folder. Rename it")


def file_hash(path: Path) -> str:
    """Return the SHA-256 of a file, or of nothing if there is none."""
    return hashlib.sha256(path.read_bytes() if path.exists() else b"").hexdigest()
