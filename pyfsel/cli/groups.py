"""Options that go together, as dataclasses: a command names a group as one parameter.

To give an option to every command of a group, add a field here.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import Field, asdict, dataclass, fields, is_dataclass
from functools import wraps
from inspect import Parameter, signature
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, ClassVar, get_type_hints

from pyfsel.backends import get_backend
from pyfsel.backends.base import Backend
from pyfsel.cli import options
from pyfsel.cli.files import chosen_format, emit, emit_table, json_lines
from pyfsel.cli.messages import table_name
from pyfsel.cli.short_help import HelpAll
from pyfsel.cli.side_options import group_from_text, read_costs
from pyfsel.errors import InputError
from pyfsel.results.control import chosen_search

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray
    from rich.console import RenderableType

    from pyfsel.backends.minizinc.own_model import MiniZincModel
    from pyfsel.measures.tables.encoding import NumberTable
    from pyfsel.measures.tables.table import Columns, Table

DEFAULT_TAU = 0.6
LONG_NAMES = {"seed": "random_state", "threads": "n_threads"}


@dataclass(frozen=True)
class DataSource:
    """Where a table comes from."""

    data: options.DataFile = None
    dataset: options.Dataset = None
    target: options.Target = None
    ignore: options.Ignored = None

    @property
    def name(self) -> str:
        """The name of the table."""
        return self.dataset or ("" if self.data is None else self.data.name)

    def read_numbers(self) -> tuple[NumberTable, NDArray[Any]] | None:
        """Return what `read` does where that takes no pandas, whose import is slow; else None."""
        from pyfsel.measures.tables.bundled import bundled
        from pyfsel.measures.tables.files import left_columns, read_numbers

        table_name.set(self.name)
        ignored = self.ignore or ()
        if self.dataset is not None and self.data is None and self.target is None:
            columns, y = bundled(self.dataset)
            return columns.select(left_columns(columns.names, ignored)), y
        if self.dataset is None and self.data is not None and self.target is not None:
            return read_numbers(self.data, self.target, ignored=ignored)
        return None

    def read(self) -> tuple[pd.DataFrame, pd.Series[Any]]:
        """Return features and target, without the columns that are ignored."""
        table_name.set(self.name)
        if (self.data is None) == (self.dataset is None):
            raise InputError("DATA: give either a file or --dataset NAME")
        from pyfsel.measures.tables.files import left_columns, load_dataset, read_table

        ignored = self.ignore or ()
        if self.dataset is not None:
            if self.target is not None:
                raise InputError(f"--target={self.target!r}: the data set {self.dataset} has its own target")
            X, y = load_dataset(self.dataset)
            return X.iloc[:, left_columns(list(X.columns), ignored)], y
        assert self.data is not None
        if self.target is None:
            raise InputError("--target: is missing; name the column to be predicted")
        if str(self.data) == "-":
            return _read_stdin(self.target, ignored)
        return read_table(self.data, self.target, ignored=ignored)


def _read_stdin(target: str, ignored: Sequence[str]) -> tuple[pd.DataFrame, pd.Series[Any]]:
    """Return the table that is written to stdin, as CSV."""
    from pyfsel.measures.tables.files import read_table

    with TemporaryDirectory() as folder:
        path = Path(folder) / "stdin.csv"
        path.write_bytes(sys.stdin.buffer.read())
        try:
            return read_table(path, target, ignored=ignored)
        except InputError as error:
            raise InputError(str(error).replace(str(path), "-")) from None


@dataclass(frozen=True)
class CopyingSource(DataSource):
    """A table, and what is done about its copies."""

    copies: options.Copies = "note"
    copy_threshold: options.CopyThreshold = 0.95

    @property
    def copying(self) -> dict[str, Any]:
        """What is done about copies, as arguments of `problem_from_table`."""
        return {"copies": self.copies, "copy_threshold": self.copy_threshold}

    def representatives(self, columns: Columns) -> list[int]:
        """Return the columns that a command without qualities works on: of merged copies the first one."""
        from pyfsel.measures.copies import find_copies
        from pyfsel.problem.checks import one_of

        one_of("copies", self.copies, ("note", "merge", "ignore"))
        if self.copies != "merge":
            return list(range(columns.n_features))
        dropped = {j for cluster in find_copies(columns, self.copy_threshold) for j in cluster[1:]}
        return [j for j in range(columns.n_features) if j not in dropped]


@dataclass(frozen=True)
class TableOptions(CopyingSource):
    """A table, and how it is understood."""

    task: options.Task = "auto"
    missing: options.Missing = "error"
    dates: options.Dates = "error"

    def prepared(self, weights_of: str | None = None, groups_of: str | None = None) -> Table:
        """Return the table, read and checked, of whose columns one may weigh the rows or say their groups."""
        rows: dict[str, Any] = {}
        if weights_of is None and groups_of is None:
            X, y = self.read_numbers() or self.read()
        else:
            X, y = self.read()
            for argument, name in (("weights_of", weights_of), ("groups_of", groups_of)):
                if name is not None:
                    if name not in X.columns or X.shape[1] == 1:
                        raise InputError(f"{argument}={name!r}: must be a column besides the features")
                    X, rows[argument] = X.drop(columns=name), X[name]
        from pyfsel.measures.tables.rows import with_rows
        from pyfsel.measures.tables.table import prepare

        table = prepare(X, y, task=self.task, missing=self.missing, dates=self.dates)
        return with_rows(table, rows.get("weights_of"), rows.get("groups_of"))


@dataclass(frozen=True)
class SetOptions:
    """Which sets are asked for."""

    k: options.SetSize = 5
    alternatives: options.Alternatives = 3
    tau: options.Tau = None
    max_overlap: options.MaxOverlap = None
    dissimilarity: options.Dissimilarity = "dice"

    @property
    def threshold(self) -> float | None:
        """The threshold; its default holds if neither it nor an overlap is given."""
        return DEFAULT_TAU if self.tau is None and self.max_overlap is None else self.tau

    @property
    def overlap_rule(self) -> str:
        """Where the limit on shared features comes from, in words."""
        return "" if self.threshold is None else f"{self.dissimilarity} dissimilarity ≥ {self.threshold:g}"

    @property
    def arguments(self) -> Mapping[str, Any]:
        """The same as arguments of `problem_from_table` and `greedy_wrapper`."""
        return {
            "k": self.k,
            "n_alternatives": self.alternatives,
            "tau": self.threshold,
            "max_overlap": self.max_overlap,
            "dissimilarity": self.dissimilarity,
        }


@dataclass(frozen=True)
class SideOptions:
    """What each set must satisfy."""

    forced: options.Forced = None
    forbidden: options.Forbidden = None
    group: options.Groups = None
    costs: options.CostFile = None
    budget: options.Budget = None
    min_quality: options.LeastQuality = None

    @property
    def arguments(self) -> dict[str, Any]:
        """The same as arguments of `problem_from_table`; reads the file of costs."""
        if self.budget is not None and self.costs is None:
            raise InputError(f"--budget={self.budget:g}: needs --costs FILE")
        return {
            "forced": tuple(self.forced or ()),
            "forbidden": tuple(self.forbidden or ()),
            "groups": tuple(group_from_text(text) for text in self.group or ()),
            "costs": None if self.costs is None else read_costs(self.costs),
            "budget": self.budget,
            "min_quality": self.min_quality,
        }


@dataclass(frozen=True)
class SizeAndSideOptions(SideOptions):
    """What each set must satisfy, its size included."""

    min_set_size: options.SmallestSize = None

    @property
    def arguments(self) -> dict[str, Any]:
        """The same as arguments of `problem_from_table`."""
        return {**super().arguments, "min_k": self.min_set_size}


@dataclass(frozen=True)
class QualityOptions:
    """What makes a set good."""

    measure: options.QualityMeasure = None
    objective: options.Objective = "univariate"
    beta: options.Beta = None
    aggregate: options.Aggregate = None
    normalise: options.Normalise = True

    @property
    def arguments(self) -> dict[str, Any]:
        """The same as arguments of `problem_from_table`."""
        return {**asdict(self), "aggregate": self.aggregate or "sum"}

    def search(self, named: str | None) -> str:
        """Return the search that is named, or that asking for an aggregate means."""
        return chosen_search(named, self.aggregate)


@dataclass(frozen=True)
class TableQuestion:
    """What is asked about a table: which one, what makes a set good, and what sets must satisfy."""

    table: TableOptions
    sets: SetOptions
    quality: QualityOptions
    side: SizeAndSideOptions

    @property
    def arguments(self) -> dict[str, Any]:
        """Which sets are asked for, as arguments of `problem_from_table`."""
        return {**self.sets.arguments, **self.side.arguments}


@dataclass(frozen=True)
class SolvingOptions:
    """How problems are solved, alike in every command that solves.

    A command that cannot take all of these derives a class that names in `lacks` what it leaves out, or
    says otherwise what an option means.
    """

    lacks: ClassVar[tuple[str, ...]] = ()

    backend: options.BackendName = "auto"
    maxsat_command: options.MaxSatCommand = None
    model: options.OwnModel = None
    formulation: options.Formulation = None
    confirm: options.Confirm = None
    time_limit: options.TimeLimit = 60
    seed: options.Seed = 0
    threads: options.Threads = 1
    memory_limit: options.MemoryLimit = None

    @property
    def chosen(self) -> str | Backend:
        """What `pyfsel.solve` takes as backend; `InputError` if there is none of this name."""
        if self.maxsat_command is not None:
            if self.backend != "auto" or self.model is not None:
                raise InputError("--maxsat-command: give either this, or --backend and --model")
            from pyfsel.backends.maxsat.program import MaxSat

            return MaxSat.of_command(self.maxsat_command)
        if self.model is None:
            _require_backend(self.backend, "backend")
            return self.backend
        return self.own_model()

    def own_model(self, **more: Any) -> MiniZincModel:
        """Return the user's own model as a backend; further arguments are those of `MiniZincModel`."""
        from pyfsel.backends.minizinc.own_model import own_model

        assert self.model is not None
        return own_model(self.model, self.backend, **more)

    @property
    def arguments(self) -> dict[str, Any]:
        """The same as arguments of `pyfsel.solve`, without those that the command lacks.

        Raises `InputError` if there is no such backend: before a command begins to measure.
        """
        if self.confirm is not None:
            _require_backend(self.confirm, "confirm")
        arguments = {
            "backend": self.chosen,
            "formulation": self.formulation,
            "confirm": self.confirm,
            "time_limit": self.time_limit,
            "random_state": self.seed,
            "n_threads": self.threads,
            "memory_limit": self.memory_limit,
        }
        lacking = {LONG_NAMES.get(name, name) for name in self.lacks}
        return {name: given for name, given in arguments.items() if name not in lacking}


def _require_backend(name: str, argument: str) -> None:
    if name != "auto":
        get_backend(name, argument)


@dataclass(frozen=True)
class OutputOptions:
    """How and where a result is written."""

    file_format: options.ResultFormat = None
    output: options.OutputFile = None
    quiet: options.Quiet = False

    def __post_init__(self) -> None:
        """Find out before anything is solved whether the format is known."""
        _ = self.chosen

    @property
    def chosen(self) -> str:
        """The format that was named, or that the name of the file tells: table, json or csv."""
        return chosen_format(self.file_format, self.output, ("json", "csv"), "table")

    def write(
        self,
        data: Callable[[], dict[str, Any]],
        csv: Callable[[], str],
        table: Callable[[], RenderableType],
        told: str = "",
    ) -> None:
        """Write one of the three, which are made only if needed; of a file say so, after what is `told`."""
        if self.chosen == "json":
            emit(json_lines(data()), self.output, self.quiet, told)
        elif self.chosen == "csv":
            emit(csv(), self.output, self.quiet, told)
        else:
            emit_table(table(), self.output, self.quiet, told)


@dataclass(frozen=True)
class Workers:
    """Who measures, trains and scores."""

    jobs: options.Jobs = None
    executor: options.Executor = "local"
    scheduler: options.Scheduler = None

    def __post_init__(self) -> None:
        """Find out before anything is measured whether there is to be a cluster."""
        require_scheduler(self.executor, self.scheduler)

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Let the workers of the cluster, if there is one, do what is done in the block."""
        if self.scheduler is None:
            yield
            return
        from pyfsel.bench.dask_executor import on_cluster

        with on_cluster(self.scheduler):
            yield


def require_scheduler(executor: str, scheduler: str | None) -> None:
    """Raise `InputError` unless there is a scheduler for the executor that needs one, and for no other."""
    if executor == "dask" and scheduler is None:
        raise InputError("--executor=dask: needs --scheduler ADDR, such as tcp://10.0.0.1:8786")
    if executor != "dask" and scheduler is not None:
        raise InputError(f"--scheduler={scheduler!r}: needs --executor dask")


def with_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command that takes the fields of its groups, and of groups in these, as options of its own."""
    own = signature(command, eval_str=True)
    groups: dict[str, Any] = {
        name: p.annotation for name, p in own.parameters.items() if is_dataclass(p.annotation)
    }

    @wraps(command)
    def run(*, help_all: bool, **given: Any) -> None:
        made = {name: _made(group, given) for name, group in groups.items()}
        with ExitStack() as stack:
            for group in made.values():
                if isinstance(group, Workers):
                    stack.enter_context(group.at_work())
            command(**made, **given)

    parameters: list[Parameter] = []
    for name, parameter in own.parameters.items():
        if name in groups:
            parameters += _parameters(groups[name])
        else:
            parameters.append(parameter.replace(kind=Parameter.KEYWORD_ONLY))
    parameters.append(Parameter("help_all", Parameter.KEYWORD_ONLY, default=False, annotation=HelpAll))
    described: Any = run
    described.__signature__ = own.replace(parameters=parameters)
    return run


def _fields(group: Any) -> list[tuple[Field[Any], Any]]:
    """Return the fields of a group that a command has, each an option or a group, and their types."""
    types = get_type_hints(group, include_extras=True)
    return [
        (each, types[each.name]) for each in fields(group) if each.name not in getattr(group, "lacks", ())
    ]


def _made(group: Any, given: dict[str, Any]) -> Any:
    """Return a group made of options that are taken out of those given."""
    return group(
        **{
            each.name: _made(kind, given) if is_dataclass(kind) else given.pop(each.name)
            for each, kind in _fields(group)
        }
    )


def _parameters(group: Any) -> list[Parameter]:
    found = []
    for each, kind in _fields(group):
        if is_dataclass(kind):
            found += _parameters(kind)
        else:
            found.append(Parameter(each.name, Parameter.KEYWORD_ONLY, default=each.default, annotation=kind))
    return found
