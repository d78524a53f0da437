"""Options that go together, as dataclasses: a command names a group as one parameter.

To give an option to every command of a group, add a field here. A command that cannot take all options of a
group derives a class that names in `lacks` what it leaves out, or says otherwise what an option means.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np
import typer

from pyfsel.backends import get_backend
from pyfsel.backends.base import Backend
from pyfsel.cli import options
from pyfsel.cli.files import chosen_format, emit, emit_table, json_lines
from pyfsel.cli.measuring import MeasuringOptions
from pyfsel.cli.messages import table_name
from pyfsel.cli.options import constraint_option, data_option, output_option, question_option, solving_option
from pyfsel.cli.progress import note
from pyfsel.cli.side_options import group_from_text, read_costs
from pyfsel.errors import InputError
from pyfsel.problem.wording import number_of
from pyfsel.results.control import chosen_search

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray
    from rich.console import RenderableType

    from pyfsel.backends.minizinc.own_model import MiniZincModel
    from pyfsel.measures.streams.read import ReadTable
    from pyfsel.measures.streams.sources import Source
    from pyfsel.measures.tables.encoding import NumberTable
    from pyfsel.measures.tables.table import Columns, Table

DEFAULT_TAU = 0.6
LONG_NAMES = {"seed": "random_state", "threads": "n_threads"}
COUNTS = ".npz"
"""Of files that `pyfsel measure` writes."""
MERGED = "the first column of each group of copies represents it, and only these columns were searched"


@dataclass(frozen=True)
class DataSource:
    """Where a table comes from."""

    data: Annotated[
        Path | None,
        typer.Argument(
            metavar="DATA",
            help="CSV (also .gz, .bz2, .xz, .zip, .zst), Parquet or Excel file; - is CSV from stdin. "
            "'data/*.parquet' or a folder is read in parts, counts.npz stands for a table (select, problem, "
            "sweep, ask, atlas).",
            show_default=False,
        ),
    ] = None
    dataset: Annotated[
        str | None,
        data_option(metavar="NAME", help="Instead of a file: breast_cancer, diabetes, digits, iris or wine."),
    ] = None
    target: Annotated[
        str | None, data_option("--target", "-t", metavar="COLUMN", help="The column to be predicted.")
    ] = None
    ignore: Annotated[
        list[str] | None,
        data_option(
            metavar="NAME",
            help="A column to leave out, such as an identifier; repeatable. 'id_*' means all whose names "
            "match.",
        ),
    ] = None
    encoding: Annotated[
        str,
        data_option(metavar="NAME", help="Of a CSV file, such as cp1252 (of older programs under Windows)."),
    ] = "utf-8"

    def __post_init__(self) -> None:
        """Refuse addresses; `Path` has made one slash of the two after the scheme."""
        if self.data is not None and re.match(r"(https?|ftp|s3):/", str(self.data)):
            address = str(self.data).replace(":/", "://", 1)
            raise InputError(f"DATA={address!r}: is an address, not a file; download the table first")

    @property
    def needs_target(self) -> bool:
        """Whether one of the columns is to be predicted."""
        return True

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
            return read_numbers(self.data, self.target, ignored=ignored, encoding=self.encoding)
        return None

    def read(self) -> tuple[pd.DataFrame, Any]:
        """Return features and target, if it needs one, without the columns that are ignored."""
        table_name.set(self.name)
        if (self.data is None) == (self.dataset is None):
            raise InputError("DATA: give either a file or --dataset NAME")
        from pyfsel.measures.tables.files import left_columns, load_dataset, read_table

        ignored = self.ignore or ()
        if self.dataset is not None:
            if self.target is not None:
                raise InputError(f"--target={self.target!r}: the data set {self.dataset} has its own target")
            X, y = load_dataset(self.dataset)
            return X.iloc[:, left_columns(list(X.columns), ignored)], y if self.needs_target else None
        assert self.data is not None
        if self.data.suffix == COUNTS:
            raise InputError(
                f"DATA={str(self.data)!r}: holds counts; this command takes a table with its rows"
            )
        if self.target is None and self.needs_target:
            raise InputError("--target: is missing; name the column to be predicted")
        if self.target is not None and not self.needs_target:
            raise InputError(f"--target={self.target!r}: is not for --task unsupervised")
        if str(self.data) == "-":
            return _read_stdin(self.target, ignored, self.encoding)
        return read_table(self.data, self.target, ignored=ignored, encoding=self.encoding)


def _read_stdin(target: str | None, ignored: Sequence[str], encoding: str) -> tuple[pd.DataFrame, Any]:
    """Return the table that is written to stdin, as CSV."""
    from pyfsel.measures.tables.files import read_table

    with TemporaryDirectory() as folder:
        path = Path(folder) / "stdin.csv"
        path.write_bytes(sys.stdin.buffer.read())
        try:
            return read_table(path, target, ignored=ignored, encoding=encoding)
        except InputError as error:
            raise InputError(str(error).replace(str(path), "-")) from None


@dataclass(frozen=True)
class CopyingSource(DataSource):
    """A table, and what is done about its copies."""

    copies: Annotated[
        str,
        data_option(
            metavar="NAME",
            help="Columns that tell the same: note names those in the answer, merge counts each group as one "
            "feature, ignore does neither.",
        ),
    ] = "note"
    copy_threshold: Annotated[
        float,
        data_option(
            metavar="T",
            help="Absolute rank correlation (of categories: share of information) from which columns count "
            "as copies.",
        ),
    ] = 0.95

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

    def note_near_copies(self, columns: Columns, sets: Iterable[Iterable[str]], quiet: bool) -> None:
        """Say which columns of some sets are nearly equal to others, or that copies were merged.

        For commands whose results have no place for it; `columns` are all, also those that were merged.
        """
        from pyfsel.measures.from_table import near_copies
        from pyfsel.problem.problem import Problem
        from pyfsel.results.copies import copies_text

        if self.copies == "merge":
            left = len(self.representatives(columns))
            if left < columns.n_features:
                note(f"copies left out: {number_of(columns.n_features - left, 'column')} ({MERGED})", quiet)
            return
        names = columns.feature_names
        position = {name: j for j, name in enumerate(names)}
        found = tuple(tuple(position[name] for name in members if name in position) for members in sets)
        pairs = near_copies(columns, found, self.copies, self.copy_threshold)
        no_qualities = np.zeros(len(names), dtype=np.int64)
        problem = Problem(no_qualities, n_sets=1, set_size=1, max_overlap=1, feature_names=names)
        told = copies_text(problem, found, pairs)
        if told:
            note(told.replace("; proved among all columns", ""), quiet)


@dataclass(frozen=True)
class TableOptions(CopyingSource):
    """A table, and how it is understood."""

    task: Annotated[
        str,
        data_option(
            metavar="NAME",
            help="auto, classification or regression; auto takes float targets with more than 20 values as "
            "regression. unsupervised: there is no target (select, problem, sweep, ask).",
        ),
    ] = "auto"
    missing: options.Missing = "error"
    dates: Annotated[
        str,
        data_option(
            metavar="NAME", help="Columns of dates: error, or number (of days; also ISO dates as text)."
        ),
    ] = "error"

    @property
    def is_stream(self) -> bool:
        """Whether the table is read in parts, files by a pattern or a folder of them, or has been counted."""
        from pyfsel.measures.streams.sources import is_stream

        return self.data is not None and (is_stream(self.data) or self.data.suffix == COUNTS)

    def streamed(self, measure: str, memory: float | None, n_jobs: int | None, **options: Any) -> ReadTable:
        """Return a table that is read in parts for a measure; it may take so many gigabytes."""
        if self.data is not None and self.data.suffix == COUNTS:
            return self._counted(self.data)
        from pyfsel.measures.streams.counting import read

        asked = self._read_in_parts(memory, n_jobs)
        return read(measure=measure, missing=self.missing, **asked, **options)

    def _read_in_parts(self, memory: float | None, n_jobs: int | None) -> dict[str, Any]:
        from pyfsel.measures.streams.sources import open_source

        table_name.set(self.name)
        return {
            "source": open_source(self.data),
            "target": self._target,
            "ignored": self.ignore or (),
            "task": self.task,
            "memory": None if memory is None else int(memory * 1e9),
            "n_jobs": n_jobs,
        }

    @property
    def _target(self) -> str:
        if self.target is None:
            raise InputError("--target: is missing; name the column to be predicted")
        return self.target

    def _counted(self, path: Path) -> ReadTable:
        """Return what `pyfsel measure` counted."""
        from pyfsel.measures.streams.kept import asked, load

        table = asked(load(path))
        if self.target not in (None, table.statistics.target):
            raise InputError(f"--target={self.target!r}: {path} is about {table.statistics.target!r}")
        for option in ("ignore", "task", "missing"):
            given = getattr(self, option)
            if given != getattr(TableOptions, option):
                raise InputError(f"--{option}={given}: is for a table; {path} holds what was counted of one")
        return table

    def prepared(self, weights_of: str | None = None, groups_of: str | None = None) -> Table:
        """Return the table, read and checked, of whose columns one may weigh the rows or say their groups."""
        numbers = self.read_numbers() if weights_of is None and groups_of is None else None
        X, y, *of_rows = (
            self.read_with_rows(weights_of, groups_of) if numbers is None else (*numbers, None, None)
        )
        from pyfsel.measures.tables.rows import with_rows
        from pyfsel.measures.tables.table import prepare

        table = prepare(X, y, task=self.task, missing=self.missing, dates=self.dates)
        return with_rows(table, *of_rows)

    def read_with_rows(self, weights_of: str | None, groups_of: str | None) -> tuple[Any, Any, Any, Any]:
        """Return features, target, and the columns that weigh the rows and say their groups, if named."""
        (X, y), rows = self.read(), []
        named = {"weights_of": weights_of, "groups_of": groups_of}
        complete = X
        for argument, name in named.items():
            if name is not None and (name not in X.columns or X.shape[1] == 1):
                raise InputError(
                    f"{argument}={name!r}: must be a column besides the target and at least one feature"
                )
            rows.append(None if name is None else X[name])
            X = X if name is None else X.drop(columns=name)
        used = np.ones(len(X), dtype=bool) if y is None else y.notna()
        if self.missing == "drop":
            used = used & X.notna().all(axis=1)
        for argument, name in named.items():
            gaps = [] if name is None else np.flatnonzero(complete[name].isna() & used).tolist()
            if gaps:
                raise InputError(
                    f"{argument}={name!r}: has gaps in {number_of(len(gaps), 'row')}, the first in row "
                    f"{gaps[0] + 1} of the data; every row needs a value"
                )
        return X, y, rows[0], rows[1]

    @property
    def understanding(self) -> dict[str, Any]:
        """How the table is understood, as arguments of `pyfsel.evaluate`."""
        return {"task": self.task, "missing": self.missing, "dates": self.dates}


@dataclass(frozen=True)
class TimedTableOptions(TableOptions):
    """A table whose target may be the time until an event."""

    event: Annotated[
        str | None,
        data_option(
            metavar="COLUMN",
            help="The column that says whether the event happened (1) at the time in the target, or had not "
            "happened until then (0): survival.",
        ),
    ] = None

    def read_numbers(self) -> tuple[NumberTable, NDArray[Any]] | None:
        """Return what `read` does where that takes no pandas, and events are not asked for; else None."""
        return super().read_numbers() if self.event is None and self.needs_target else None

    @property
    def needs_target(self) -> bool:
        """Whether one of the columns is to be predicted."""
        return self.task != "unsupervised"

    def _read_in_parts(self, memory: float | None, n_jobs: int | None) -> dict[str, Any]:
        if self.event is not None:
            raise InputError(f"--event={self.event!r}: is not for a table that is read in parts")
        return super()._read_in_parts(memory, n_jobs)

    def read_with_rows(self, weights_of: str | None, groups_of: str | None) -> tuple[Any, Any, Any, Any]:
        """Return features, target (times with events, if asked for), and what is said of the rows."""
        X, y, *of_rows = super().read_with_rows(weights_of, groups_of)
        if self.event is not None:
            from pyfsel.measures.tables.times import happened, times_with_events

            if self.event not in X.columns or X.shape[1] == 1:
                raise InputError(
                    f"event={self.event!r}: must be a column besides the target and at least one feature"
                )
            if not np.issubdtype(y.dtype, np.number):
                raise InputError(f"target={self.target!r}: is {y.dtype}, must be times for --event")
            y = times_with_events(y, happened("event", X[self.event]))
            X = X.drop(columns=self.event)
        return X, y, *of_rows


@dataclass(frozen=True)
class SampledTable(TimedTableOptions):
    """A table that is read in parts, of which so many rows are drawn; no command has it as its options."""

    sample: int = 0
    seed: int = 0

    def read_numbers(self) -> None:
        """Return nothing: rows are drawn."""

    def read(self) -> tuple[pd.DataFrame, pd.Series[Any]]:
        """Return features and target of the rows that are drawn."""
        from pyfsel.measures.streams.sampling import draw

        return draw(self._source, self._target, self.sample, self.seed, self.ignore or ())

    def prepared(self, weights_of: str | None = None, groups_of: str | None = None) -> Table:
        """Return the rows that are drawn, read and checked."""
        return replace(super().prepared(weights_of, groups_of), sample_of=self._source.n_rows)

    @cached_property
    def _source(self) -> Source:
        from pyfsel.measures.streams.sources import open_source

        return open_source(self.data)


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

    forced: Annotated[
        list[str] | None,
        constraint_option(
            metavar="NAME",
            help="A feature that every set holds; repeatable. 'lab_*' means all whose names match.",
        ),
    ] = None
    forbidden: Annotated[
        list[str] | None,
        constraint_option(
            metavar="NAME", help="A feature that no set holds; repeatable, patterns as for --forced."
        ),
    ] = None
    group: Annotated[
        list[str] | None,
        constraint_option(
            metavar="NAMES:RULE",
            help="'a,b,c:at-most=1', 'a,b:at-least=1', 'colour_*:all-or-nothing'; repeatable. Put names "
            "with commas in double quotes, and commas between several rules.",
        ),
    ] = None
    costs: Annotated[
        Path | None, constraint_option(metavar="FILE", help="CSV file with the columns feature and cost.")
    ] = None
    budget: Annotated[
        float | None, constraint_option(metavar="C", help="The most that the features of a set may cost.")
    ] = None
    min_quality: Annotated[
        str | None,
        constraint_option(
            metavar="Q",
            help="Least quality of a set: '90%' of the best set's, '1.2 nats' in the unit of the measure (or "
            "'1.2 raw'), or a number on the scale of the printed table.",
        ),
    ] = None

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

    min_set_size: Annotated[
        int | None,
        constraint_option(
            metavar="K",
            help="Smallest number of features per set; -k is the largest then.",
            show_default="-k",
        ),
    ] = None

    @property
    def arguments(self) -> dict[str, Any]:
        """The same as arguments of `problem_from_table`."""
        return {**super().arguments, "min_k": self.min_set_size}


@dataclass(frozen=True)
class QualityOptions:
    """What makes a set good."""

    measure: Annotated[
        str | None,
        question_option(
            metavar="NAME",
            help=options.MEASURE_HELP,
            show_default="information; information_share for cfs; pearson for mrmr over 2000 features",
        ),
    ] = None
    objective: options.Objective = "univariate"
    beta: Annotated[
        float | None,
        question_option(
            metavar="NUMBER", help="Weight of the redundancies in mrmr, mifs and cife.", show_default="1"
        ),
    ] = None
    ridge: Annotated[
        float | None,
        question_option(
            metavar="NUMBER",
            help="Penalty on the coefficients in r2, of columns of length 1.",
            show_default="0",
        ),
    ] = None
    criterion: Annotated[
        str | None,
        question_option(
            metavar="NAME",
            help="By what r2 compares sets that differ in size: adjusted_r2, aic or bic.",
        ),
    ] = None
    aggregate: options.Aggregate = None
    normalise: Annotated[
        bool,
        question_option(
            help="Show qualities as shares of the sum over all columns, or in the unit of the measure."
        ),
    ] = True

    @property
    def arguments(self) -> dict[str, Any]:
        """The same as arguments of `problem_from_table`."""
        return {**asdict(self), "aggregate": self.aggregate or "sum"}

    def search(self, named: str | None) -> str:
        """Return the search that is named, or that asking for an aggregate means."""
        return chosen_search(named, self.aggregate)


@dataclass(frozen=True)
class TableQuestion:
    """What is asked about a table: which one, what makes a set good and valid, and how that is measured."""

    table: TimedTableOptions
    sets: SetOptions
    quality: QualityOptions
    side: SizeAndSideOptions
    measuring: MeasuringOptions = field(default_factory=MeasuringOptions)

    @property
    def arguments(self) -> dict[str, Any]:
        """Which sets are asked for, as arguments of `problem_from_table`."""
        return {**self.sets.arguments, **self.side.arguments}

    def solver(self, solving: SolvingOptions) -> dict[str, Any]:
        """How to solve it, as arguments of `pyfsel.solve`."""
        return {**solving.arguments, "search": self.quality.search(solving.search)}


@dataclass(frozen=True)
class SolvingOptions:
    """How problems are solved, alike in every command that solves."""

    lacks: ClassVar[tuple[str, ...]] = ()

    search: Annotated[
        str | None,
        solving_option(
            metavar="NAME",
            help="sequential: one set after another, each the best given those before; simultaneous: all at "
            "once.",
            show_default="sequential, unless an aggregate is asked for",
        ),
    ] = None
    backend: Annotated[
        str,
        solving_option(
            metavar="NAME",
            help="auto, or a name from `pyfsel backends`.",
            autocompletion=options.backend_names,
        ),
    ] = "auto"
    maxsat_command: Annotated[
        str | None,
        solving_option(
            "--maxsat-command",
            "--pb-command",
            metavar="'CMD {wcnf}'",
            help="Instead of --backend: a MaxSAT solver that reads a WCNF file, or a pseudo-Boolean one "
            "({opb}), and prints o, s and v lines.",
        ),
    ] = None
    model: Annotated[
        Path | None,
        solving_option(
            metavar="MODEL.mzn",
            help="A MiniZinc model of your own, run by --backend minizinc:… (gecode if that is auto). Its "
            "sets are verified; that they are best is its own claim.",
        ),
    ] = None
    formulation: Annotated[
        str | None,
        solving_option(
            metavar="NAME",
            help="One of the backend, see `pyfsel backends`: strengthened, literal, …",
            show_default="its strongest",
        ),
    ] = None
    confirm: Annotated[
        str | None,
        solving_option(
            metavar="auto|NAME",
            help="A backend of another kind proves the result again, with a --time-limit of its own.",
            autocompletion=options.backend_names,
        ),
    ] = None
    time_limit: options.TimeLimit = 60
    seed: Annotated[int, solving_option(min=0, metavar="N", help="The same seed gives the same result.")] = 0
    threads: Annotated[int, solving_option(min=1, metavar="N", help="Threads of the solver.")] = 1
    memory_limit: Annotated[
        int | None,
        solving_option(
            min=1,
            metavar="MB",
            help="Megabytes of memory that the solver may use; what it found before is kept.",
        ),
    ] = None

    @property
    def chosen(self) -> str | Backend:
        """What `pyfsel.solve` takes as backend; `InputError` for an unknown name."""
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
            "search": self.search,
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


@dataclass(frozen=True)
class CertifiedSolving(SolvingOptions):
    """How problems are solved whose results may get a certificate."""

    certify: Annotated[
        Path | None,
        solving_option(
            metavar="FILE",
            help="Also write what others need to check the result without pyfsel, see `pyfsel check`, within "
            "a --time-limit of its own.",
            callback=options.writable,
        ),
    ] = None


def _require_backend(name: str, argument: str) -> None:
    if name != "auto":
        get_backend(name, argument)


@dataclass(frozen=True)
class FileOutput:
    """Where a result is written."""

    output: options.OutputFile = None
    quiet: options.Quiet = False


@dataclass(frozen=True)
class OutputOptions(FileOutput):
    """How and where a result is written."""

    file_format: Annotated[
        Literal["table", "json", "csv"] | None,
        output_option(
            "--format", help="How to write the result.", show_default="from the name of FILE, else table"
        ),
    ] = None

    texts: ClassVar[tuple[str, ...]] = ("txt",)
    """Extensions of files that get the table."""

    def __post_init__(self) -> None:
        """Find out before anything is solved whether the format is known."""
        _ = self.chosen

    @property
    def chosen(self) -> str:
        """The format that was named, or that the name of the file tells: table, json or csv."""
        return chosen_format(self.file_format, self.output, ("json", "csv"), "table", self.texts)

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

    def write_frame(self, frame: pd.DataFrame, table: Callable[[], RenderableType]) -> None:
        """Write the rows of a data frame as JSON or CSV, or the table."""
        if self.chosen == "json":
            text = frame.to_json(orient="records", indent=1, force_ascii=False) + "\n"
            emit(text, self.output, self.quiet)
        else:
            self.write(dict, lambda: frame.to_csv(index=False), table)


@dataclass(frozen=True)
class PlottedOutput(OutputOptions):
    """How and where a result is written, and a figure of it."""

    plot: Annotated[
        Path | None,
        output_option(
            metavar="FILE", help="Also draw it (.png, .svg or .pdf).", callback=options.figure_file
        ),
    ] = None

    def draw(self, figure: Callable[[], Any]) -> None:
        """Save the figure, which is made only if one is asked for."""
        if self.plot is not None:
            from pyfsel.results.plots import save_figure

            save_figure(figure(), self.plot)
            note(f"wrote {self.plot}", self.quiet)


def _number_of_processes(jobs: int | None) -> int | None:
    if jobs == 0:
        raise InputError("--jobs=0: must be a positive number, or -1 for all cores")
    return jobs


@dataclass(frozen=True)
class Workers:
    """Who measures, trains and scores."""

    jobs: Annotated[
        int | None,
        solving_option(
            metavar="N",
            help="Processes that measure, train, score, and search for the cells of a sweep; -1: all cores.",
            callback=_number_of_processes,
        ),
    ] = None
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
