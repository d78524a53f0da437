"""How figures of a report look: colours, markers, axes, and SVG that follows the colours of the page."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pyfsel.bench.report.scores import printable
from pyfsel.errors import PyfselError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# eight hues that stay apart under protanopia, deuteranopia and tritanopia, on white and on dark paper
HUES = ("#5f68fc", "#f16815", "#0ea868", "#c03bbc", "#006f88", "#8c5d00", "#152c82", "#6b0d06")
DARK_HUES = ("#7f7efd", "#fe9093", "#0f895f", "#bb29a6", "#00c3dd", "#f0ce2a", "#dbe4ff", "#de2506")
PAPER, INK, MUTED, GRID = "#ffffff", "#1b1f24", "#5b6470", "#e3e6ea"
DARK_PAPER, DARK_INK, DARK_MUTED, DARK_GRID = "#16181d", "#e6e8eb", "#a2aab5", "#343941"
MARKERS = "osD^vPX*"
DASHES: tuple[Any, ...] = ("solid", (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5)), (0, (9, 3)))
LONGEST_NAME = 30
WIDTH = 4.0
SHORT_AXIS_RATIO = 200  # up to it 1, 2, 5 are labelled, which would overlap on a longer axis
LEAST_SECONDS = 1e-3  # shorter times are noise, and zero has no place on a logarithmic axis
ROW = 0.18
LONG_LABEL, MEDIUM_LABEL = 24, 14
SETTINGS = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9,
    "svg.fonttype": "none",
    "text.parse_math": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.formatter.use_mathtext": False,
    "grid.color": GRID,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "text.color": INK,
    "figure.facecolor": PAPER,
    "axes.facecolor": PAPER,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "lines.linewidth": 1.8,
}


@dataclass(frozen=True)
class Style:
    """Colour, marker and dashes of a contender, the same in all figures of a report."""

    hue: int
    variant: int

    @property
    def colour(self) -> str:
        """Its colour on white paper."""
        return HUES[self.hue]

    @property
    def marker(self) -> str:
        """Its marker."""
        return MARKERS[(self.hue + 3 * self.variant) % len(MARKERS)]

    def points(self) -> dict[str, Any]:
        """Return arguments for markers."""
        return {"color": self.colour, "marker": self.marker, "markersize": 4.5}

    def line(self, n_points: int) -> dict[str, Any]:
        """Return arguments for a line with about eight markers, by which it is known without its colour."""
        return {
            **self.points(),
            "linestyle": DASHES[self.variant % len(DASHES)],
            "markevery": [round(i * (n_points - 1) / 7) for i in range(8)] if n_points > 8 else None,
        }


def styles(contenders: Iterable[str]) -> dict[str, Style]:
    """Return a style for each contender: a hue for each backend, dashes for its formulations.

    With more backends than hues, the same hue comes again with other dashes and another marker.
    """
    found: dict[str, Style] = {}
    backends: dict[str, int] = {}
    used: dict[int, int] = {}
    for name in contenders:
        backend = name.partition("/")[0]
        hue = backends.setdefault(backend, len(backends)) % len(HUES)
        found[name] = Style(hue, used.get(hue, 0))
        used[hue] = used.get(hue, 0) + 1
    return found


def page_colours() -> dict[str, tuple[str, str]]:
    """Return the custom properties of the page that figures use, each on white and on dark paper."""
    hues = {f"hue{i}": pair for i, pair in enumerate(zip(HUES, DARK_HUES, strict=True))}
    return hues | {
        "paper": (PAPER, DARK_PAPER),
        "ink": (INK, DARK_INK),
        "muted": (MUTED, DARK_MUTED),
        "grid": (GRID, DARK_GRID),
    }


@dataclass(frozen=True)
class Drawing:
    """A figure with a file name, and the words around it."""

    name: str
    title: str
    caption: str
    figure: Figure

    @cached_property
    def svg(self) -> str:
        """The figure as an SVG file, on white paper."""
        return _saved(self.figure, "svg", self.name).decode()

    @property
    def pdf(self) -> bytes:
        """The figure as a PDF file, for papers."""
        return _saved(self.figure, "pdf", self.name)


def require_libraries() -> None:
    """Raise an error that says what to install, if a library that pages need is missing."""
    for library in ("matplotlib", "scikit_posthocs"):
        try:
            __import__(library)
        except ImportError:
            raise PyfselError(
                f"report: {library} is not installed (pip install 'pyfsel[plots]'); "
                "--format markdown needs no libraries"
            ) from None


@contextmanager
def panel(height: float = 2.6, width: float = WIDTH) -> Iterator[tuple[Figure, Any]]:
    """Yield a figure of this height and width in inches, and its axes."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(SETTINGS):
        figure = Figure(figsize=(width, height), layout="constrained")
        yield figure, figure.subplots()


def legend_below(figure: Figure, axes: Any) -> None:
    """Put the legend below the axes, in as many columns as fit, and make the figure higher by its rows."""
    handles, labels = axes.get_legend_handles_labels()
    if not handles:
        return
    longest = max(map(len, labels))
    n_columns = 1 if longest > LONG_LABEL else 2 if longest > MEDIUM_LABEL or len(labels) in (2, 4) else 3
    n_rows = -(-len(labels) // n_columns)
    figure.set_figheight(figure.get_figheight() + ROW * n_rows)
    figure.legend(
        handles, labels, loc="outside lower center", ncols=n_columns, handlelength=2.6, columnspacing=1.2
    )


def plain_numbers(axis: Any) -> None:
    """Label a logarithmic axis with plain numbers: 1, 10, or 1, 2, 5, 10 if it is short."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    low, high = axis.get_view_interval()
    if high / low < SHORT_AXIS_RATIO:
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter(FuncFormatter(lambda value, position: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


def shortened(name: str) -> str:
    """Return a printable name, with the middle left out if it is long.

    A label that begins with an underscore would be missing in legends.
    """
    name = printable(name)
    name = f" {name}" if name.startswith("_") else name
    half = (LONGEST_NAME - 1) // 2
    return name if len(name) <= LONGEST_NAME else f"{name[:half]}…{name[-half:]}"


def _saved(figure: Figure, kind: str, salt: str) -> bytes:
    import matplotlib

    file = io.BytesIO()
    named = ("Creator", "Date", "Format", "Type") if kind == "svg" else ("CreationDate",)
    with matplotlib.rc_context({**SETTINGS, "svg.hashsalt": salt}):
        figure.savefig(file, format=kind, metadata=dict.fromkeys(named))
    return file.getvalue()
