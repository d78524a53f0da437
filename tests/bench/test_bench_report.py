"""Reports of benchmarks: what they advise, that they are self-contained, and figures of odd results."""

import json
import re
import sys
from dataclasses import dataclass, fields, replace
from functools import cache
from html.parser import HTMLParser
from itertools import product

import numpy as np
import pytest

from pyfsel import PyfselError, Status
from pyfsel.backends import registry
from pyfsel.bench import check_folder, write_page
from pyfsel.bench.report import advice as advising
from pyfsel.bench.report.advice import Adviser
from pyfsel.bench.report.figures import (
    DARK_HUES,
    DARK_PAPER,
    HUES,
    PAPER,
    distance_over_time,
    figures_of,
    looks_of,
    pairs_of,
)
from pyfsel.bench.report.markdown import markdown
from pyfsel.bench.report.page import draw_page
from pyfsel.bench.report.runs import Benchmark, BenchRun, contender_names, load_benchmark
from pyfsel.bench.report.scores import score, seconds_text
from pyfsel.bench.report.statuses import STATUSES, failures, status_rows
from pyfsel.bench.suite import RunSpec, file_hash, setting, shape
from pyfsel.cli.app import main
from pyfsel.problem.checks import integer_in
from pyfsel.problem.instance import Instance
from pyfsel.solving.solve import solve

LIMIT = 10.0
SHAPE = {
    "objective": "mrmr",
    "aggregate": "sum",
    "n_features": 20,
    "k": 5,
    "n_alternatives": 2,
    "max_overlap": 1,
}
HOSTILE = "<script>alert(1)</script>"
NAMES = (HOSTILE, '"><img src=x onerror=alert(2)>', "_$x_1$", "{{ 7 * 7 }}", "a\u0000b\u202ec", "]]>&amp;")


@pytest.fixture(autouse=True)
def _one_problem_is_enough(monkeypatch):
    """Let these benchmarks be small; what too few problems are has a test of its own."""
    monkeypatch.setattr(advising, "FEWEST_INSTANCES", 1)


@pytest.fixture
def undrawn(monkeypatch):
    """Leave out the figures of pages of which only the text matters."""
    monkeypatch.setattr("pyfsel.bench.report.page._sections", lambda benchmark: ())


def run(contender, outcome="OPTIMAL", seconds=1.0, problem="p", search="simultaneous", value=7, **more):
    """Return a run; `more` are numbers of the shape, or histories."""
    shape = SHAPE | {name: more[name] for name in SHAPE.keys() & more.keys()}
    has_sets = outcome in ("OPTIMAL", "FEASIBLE")
    result = {
        "runtime": seconds,
        "backend": more.get("solver", contender),
        "integer_objective": value if has_sets else None,
        "integer_bound": more.get("bound", value if outcome == "OPTIMAL" else None),
        "feature_sets": [{}] * (shape["n_alternatives"] + 1) if has_sets else [],
        "incumbents": [{"time": t, "integer_objective": v} for t, v in more.get("incumbents", ())],
        "bounds": [{"time": t, "integer_bound": v} for t, v in more.get("bounds", ())],
    }
    is_result = outcome in tuple(Status)
    return BenchRun(
        trial=RunSpec(problem, "", contender, search, LIMIT, more.get("seed", 0), 1000).trial,
        contender=contender,
        shape=shape,
        outcome=outcome,
        exact=more.get("exact", True),
        record={"result": result if is_result else None, "message": more.get("message", ""), "seconds": 1.0},
    )


def runs_of(contender, outcomes, seconds=1.0, **more):
    """Return one run per outcome, on problems of their own."""
    return [run(contender, o, seconds, problem=f"p{i}", **more) for i, o in enumerate(outcomes)]


def benchmark(runs, missing=(), findings=()):
    assigned = {}
    for entry in [*runs, *missing]:
        assigned.setdefault(entry.contender, set()).add(entry.trial)
    return Benchmark("test", tuple(runs), assigned, tuple(findings), len(missing))


def advice(runs, **more):
    return Adviser(benchmark(runs, **more)).by_kind()


def test_most_proved_comes_before_speed():
    runs = runs_of("fast", ["FEASIBLE"] * 3, 0.1) + runs_of("sure", ["OPTIMAL", "INFEASIBLE", "OPTIMAL"], 5.0)
    (line,) = advice(runs)
    assert line.use == "sure"
    assert line.first.proved_text == "3 of 3"
    assert line.first.par2 == 5.0
    assert line.why == "Proves 3 more than the next best, fast (0 of 3, PAR2 20 s)."


def test_where_no_difference_is_shown_all_are_named():
    runs = runs_of("sure", ["OPTIMAL"] * 2, 5.0) + runs_of("fast", ["OPTIMAL", "FEASIBLE"], 0.1)
    (line,) = advice(runs)
    assert (line.use, line.why) == ("sure or fast", "No difference shown to fast (1 of 2, 10 s).")
    (line,) = advice([*runs, *(r for i in range(4) for r in runs_of(f"other{i}", ["OPTIMAL", "FEASIBLE"]))])
    assert line.use == "sure or fast or other0 or 3 more"
    assert line.why.endswith("other1 (1 of 2, 10 s) and 2 more.")


def test_of_as_many_proofs_the_least_par2_wins():
    runs = runs_of("slow", ["OPTIMAL"] * 3, 4.0) + runs_of("fast", ["OPTIMAL"] * 3, 0.5)
    (line,) = advice(runs)
    assert (line.use, line.first.par2) == ("fast", 0.5)
    assert (
        line.why
        == "Proves as many in less time. The next best takes 8 times as long: slow (3 of 3, PAR2 4.0 s)."
    )


def test_practically_alike_backends_are_named_and_the_overall_best_is_preferred():
    elsewhere = runs_of("usual", ["OPTIMAL"] * 2, objective="fcbf")
    elsewhere += runs_of("other", ["FEASIBLE"] * 2, objective="fcbf")
    runs = runs_of("usual", ["OPTIMAL"] * 2, 1.05) + runs_of("other", ["OPTIMAL"] * 2, 1.0)
    of_fcbf, of_mrmr = advice([*runs, *(r for r in elsewhere)])
    assert of_fcbf.use == "usual"
    assert of_mrmr.use == "usual or other"
    assert of_mrmr.why == "No difference shown to other (2 of 2, 1.0 s)."
    behind = runs_of("third", ["OPTIMAL"] * 2, 4.2)
    why = advice([*runs, *behind, *elsewhere])[1].why
    assert why.startswith("No difference shown to other (2 of 2, 1.0 s). The next best takes ")
    assert why.endswith("4 times as long: third (2 of 2, PAR2 4.2 s).")


def test_par2_counts_two_limits_and_leaves_out_what_is_not_supported():
    own = runs_of("x", ["OPTIMAL", "FEASIBLE", "unsupported"], 4.0)
    found = score("x", own, {})
    assert found.par2 == (4.0 + 2 * LIMIT) / 2
    assert (found.n_runs, found.n_supported, found.n_proved) == (3, 2, 1)
    assert found.cost == 4.0 + 4 * LIMIT
    assert "Does not support 1 of the 3." in advice(own)[0].why


def test_refuted_runs_prove_nothing():
    runs = runs_of("liar", ["refuted"] * 2, 0.1) + runs_of("honest", ["OPTIMAL"] * 2, 9.0)
    assert advice(runs)[0].use == "honest"


def test_nothing_proved_recommends_the_best_sets_or_none():
    runs = runs_of("exact", ["FEASIBLE"] * 2, value=6) + runs_of("greedy", ["FEASIBLE"] * 2, exact=False)
    (line,) = advice(runs)
    assert line.use == "greedy"
    assert "Nothing was proved; its sets are the best known in 2 of 2 tasks." in line.why
    elsewhere = [
        run("exact", problem="q", objective="fcbf"),
        run("greedy", "FEASIBLE", exact=False, objective="fcbf"),
    ]
    assert advice(runs + elsewhere)[1].use == "greedy"
    (line,) = advice(runs_of("exact", ["NOT_SOLVED", "killed"]))
    assert line.use == "none of them"
    assert Adviser(benchmark(runs)).overall() is None


def test_sizes_with_the_same_winner_are_one_line():
    def sized(contender, n, seconds):
        return run(contender, seconds=seconds, n_features=n, problem=f"n{n}")

    runs = [sized("a", n, 9.0 if n > 100 else 1.0) for n in (19, 20, 50, 51, 200, 201)]
    runs += [sized("b", n, 1.0 if n > 100 else 9.0) for n in (19, 20, 50, 51, 200, 201)]
    lines = [(line.use, line.sizes_text, line.first.n_runs) for line in advice(runs)]
    assert lines == [("a", "n = 19 to 51", 4), ("b", "n = 200 to 201", 2)]


def test_one_given_fewer_tasks_is_compared_on_these_only():
    runs = runs_of("all", ["OPTIMAL"] * 4, 5.0) + runs_of("part", ["OPTIMAL"] * 2, 0.1)
    (line,) = advice(runs)
    assert line.use == "all"
    assert [s.contender for s in line.partial] == ["part"]
    assert (
        "On 2 of these tasks, part, which is better there, proved 2 (PAR2 0.10 s), all 2 (5.0 s)." in line.why
    )
    (line,) = advice(runs_of("all", ["OPTIMAL"] * 4, 5.0) + runs_of("part", ["FEASIBLE"] * 2))
    assert "On 2 of these tasks, part proved 0 (PAR2 20 s), all 2 (5.0 s)." in line.why
    rival = runs_of("rival", ["FEASIBLE"] * 4)
    (line,) = advice(runs_of("all", ["OPTIMAL"] * 4, 5.0) + runs_of("part", ["FEASIBLE"] * 2) + rival)
    assert line.why == "Proves 4 more than the next best, rival (0 of 4, PAR2 20 s)."
    (line,) = advice([*runs_of("a", ["OPTIMAL"] * 2), run("b", problem="p9")])
    assert (line.use, line.why) == ("a", "Proves most, but no backend was given all of these tasks.")


def test_tasks_with_missing_runs_are_not_compared():
    runs = runs_of("a", ["OPTIMAL", "OPTIMAL", "FEASIBLE"]) + runs_of("b", ["OPTIMAL"] * 2, 3.0)
    (line,) = advice(runs, missing=[run("b", problem="p2")])
    assert line.first.proved_text == "2 of 2"
    assert line.use == "a"


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        ([], "There are no runs yet"),
        (runs_of("a", ["OPTIMAL"] * 9), "not shown to be better: no other backend"),
        (
            [*runs_of("a", ["OPTIMAL"] * 9), *runs_of("b", ["OPTIMAL"] * 9, 5.0)],
            "a did best: it proved 9 of 9, PAR2",
        ),
        ([*runs_of("a", ["OPTIMAL"] * 9), *runs_of("b", ["OPTIMAL"] * 9, 5.0)], "This is shown"),
        (
            [*runs_of("a", ["OPTIMAL"] * 9), *runs_of("b", ["OPTIMAL"] * 9)],
            "the difference to b is not significant",
        ),
        ([*runs_of("a", ["OPTIMAL"] * 3), *runs_of("b", ["OPTIMAL"] * 3, 5.0)], "6 instances are needed"),
        (runs_of("a", ["FEASIBLE"] * 9), "No backend is best"),
    ],
)
def test_the_first_sentence_says_who_is_best_and_whether_that_is_shown(runs, expected, monkeypatch, undrawn):
    monkeypatch.setattr(advising, "FEWEST_INSTANCES", 6)
    report = benchmark(runs)
    lines = [line for line in markdown(report).splitlines() if line]
    assert expected in lines[1].replace("\\", "")
    page = draw_page(report, "figures")[0]
    assert expected in page[page.index("<h1>") :]


@pytest.mark.parametrize(
    ("cpu", "warns"), [(0.7, True), (0.79, True), (0.81, False), (2.0, False), (None, False)]
)
def test_runs_without_a_core_of_their_own_are_warned_of(cpu, warns, undrawn):
    runs = [replace(one, record=one.record | {"cpu_seconds": cpu}) for one in runs_of("a", ["OPTIMAL"] * 2)]
    report = benchmark(runs)
    for text in (markdown(report), draw_page(report, "figures")[0]):
        assert ("2 of 2 runs of a second or more got less than 0.8 of a core" in text) is warns


def test_kinds_of_problems():
    kinds = [
        run("x", problem="one", n_alternatives=0, search="sequential"),
        run("x", problem="seq", search="sequential", aggregate="min"),
        run("x", problem="min", aggregate="min"),
        run("x", problem="uni", objective="univariate"),
    ]
    labels = [kind.label for kind in benchmark(kinds).kinds]
    assert labels == [
        "univariate, simultaneous sum",
        "mRMR, one set",
        "mRMR, sequential",
        "mRMR, simultaneous min",
    ]


def test_auto_says_what_it_chose():
    runs = [run("auto", solver="cpsat"), run("auto", solver="packing", problem="q")]
    assert advice(runs)[0].use == "auto (cpsat, packing)"


def test_distance_over_time():
    times = np.array([0.5, 1.0, 2.0, 9.0])
    made = run("a", "FEASIBLE", 4.0, value=8, incumbents=[(1.0, 4), (2.0, 6)])
    assert distance_over_time(made, times, 10).tolist() == pytest.approx([1.0, 0.6, 0.4, 0.2])
    assert distance_over_time(run("a", "NOT_SOLVED"), times, 10).tolist() == [1.0] * 4


@dataclass(frozen=True)
class LongerSpec(RunSpec):
    """A run of a suite that has one more key."""

    patience: int = setting(1, lambda name, value: integer_in(name, value, 1, None))


OF_CONTENDER = {"backend": "rc2", "command": "x {wcnf}", "model": "m.mzn", "data": ("d.dzn",)}
OF_CONTENDER |= {"n_threads": 2, "cold_start": True, "own_question": True}
OTHER_VALUES = {
    "instance": "q",
    "instance_hash": "1",
    "search": "sequential",
    "time_limit": 2.0,
    "memory_limit": 2,
    "seed": 2,
    "k": 2,
    "n_alternatives": 2,
    "max_overlap": 2,
    "aggregate": "min",
    "patience": 2,
    "certify": True,
}


def test_runs_that_differ_in_any_key_are_never_pooled():
    spec = LongerSpec("p", "0", "cpsat", "simultaneous", 1.0, 1, 1)
    assert {f.name for f in fields(spec)} == {*OF_CONTENDER, *OTHER_VALUES}
    changed = {name: replace(spec, **{name: value}) for name, value in OTHER_VALUES.items()}
    trials = {other.trial for other in changed.values()}
    assert len(trials | {spec.trial}) == len(OTHER_VALUES) + 1
    for name, value in OF_CONTENDER.items():
        assert replace(spec, **{name: value}).trial == spec.trial
    tasks = {other.task for other in changed.values()}
    assert len(tasks | {spec.task}) == len(OTHER_VALUES)
    assert changed["seed"].task == spec.task
    of_problem = {name for name, other in changed.items() if other.problem_name != spec.problem_name}
    assert of_problem == {"instance", "k", "n_alternatives", "max_overlap", "aggregate"}


def test_settings_that_differ_are_part_of_the_contender():
    spec = LongerSpec("p", "0", "auto", "simultaneous", 1.0, 1, 1)
    others = [spec, replace(spec, patience=2), replace(spec, seed=2, search="sequential", time_limit=2.0)]
    names = contender_names({other.id: other for other in others})
    assert list(names.values()) == ["auto, patience=1", "auto, patience=2", "auto, patience=1"]
    names = contender_names({other.id: other for other in (spec, replace(spec, cold_start=True))})
    assert list(names.values()) == ["auto", "auto, cold_start=True"]
    assert contender_names({spec.id: spec}) == {spec.id: "auto"}
    assert score("auto, n_threads=2", [run("auto", solver="cpsat")], {}).name == "auto, n_threads=2 (cpsat)"


@pytest.mark.usefixtures("undrawn")
def test_statuses_add_up_and_failures_are_counted():
    proved = ["OPTIMAL", "FEWER", "INFEASIBLE"]
    outcomes = [*proved, "FEASIBLE", "NOT_SOLVED", "unsupported", "error", "killed", "error"]
    made = benchmark(runs_of("x", outcomes, message="why"))
    (row,) = status_rows(made)
    assert (row.counts, row.other) == ((1, 1, 1, 1, 1, 1, 2), 1)
    assert row.shares == ["11.1"] * 6 + ["22.2", "11.1"]
    assert made.n_errors == 2
    assert "2 runs ended in an error" in draw_page(made, "")[0]
    assert "2 runs ended in an error" in markdown(made)
    assert [(f.outcome, f.times) for f in failures(made)] == [("error", 2), ("killed", 1)]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (None, "–"),
        (0.0123, "0.012 s"),
        (0.0999, "0.10 s"),
        (0.999, "1.0 s"),
        (9.96, "10 s"),
        (1234.5, "1,234 s"),
    ],
)
def test_seconds_are_short(seconds, text):
    assert seconds_text(seconds) == text


class Page(HTMLParser):
    """What a page consists of."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.text = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data):
        self.text.append(data)


def many(n_contenders, n_tasks, outcome="OPTIMAL"):
    """Return runs that differ in everything that reports group by."""
    generator = np.random.default_rng(0)
    shapes = list(product((20, 60, 200), (1, 3), (0, 2), ("sum", "min"), ("univariate", "mrmr")))
    runs = []
    for task in range(n_tasks):
        n, a, overlap, aggregate, objective = shapes[task % len(shapes)]
        numbers = {"n_features": n, "n_alternatives": a, "max_overlap": overlap, "k": 5 + task % 2}
        words = {"aggregate": aggregate, "objective": objective, "problem": f"p{task}"}
        for number in range(n_contenders):
            seconds = float(generator.exponential(1 + number))
            ended = outcome if seconds < LIMIT else "FEASIBLE"
            runs.append(run(f"backend{number}", ended, min(seconds, LIMIT), **numbers, **words))
    return runs


@cache
def page_of(n_contenders, n_tasks):
    return draw_page(benchmark(many(n_contenders, n_tasks)), "x_figures")


@pytest.mark.parametrize(
    ("n_contenders", "n_tasks"), [(1, 1), (2, 8), pytest.param(12, 105, marks=pytest.mark.slow)]
)
def test_pages_are_self_contained_and_answer_first(n_contenders, n_tasks):
    """Also that of a thousand runs, which has about a megabyte."""
    text, drawings = page_of(n_contenders, n_tasks)
    assert len(text) < 2e6
    assert len(drawings) >= (3 if n_contenders > 1 else 1)
    page = Page(text)
    assert not {"script", "link", "img", "iframe", "object", "embed", "image"} & set(page.tags)
    assert "@import" not in text
    links = {value for name, value in page.attributes if name in ("href", "src", "xlink:href")}
    files = {f"x_figures/{d.name}.{kind}" for d in drawings for kind in ("pdf", "svg")}
    assert {link for link in links if not link.startswith("#")} == files
    assert all(f[4:].startswith("#") for f in re.findall(r"url\([^)]*\)", text))
    answer = text.index("Which backend should I use")
    assert answer < text.index("<table") < text.index("<svg")
    assert page.tags.count("svg") == len(drawings)
    assert len({drawing.name for drawing in drawings}) == len(drawings)


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize("objectives", [("mrmr",), ("mrmr", "univariate")])
def test_the_matrix_has_a_cell_for_each_backend_and_kind(objectives):
    contenders = ("a", "b", "c")
    text, _ = draw_page(
        benchmark([run(c, objective=o, problem=o) for c in contenders for o in objectives]), "x"
    )
    matrix = text[text.index('<table class="matrix">') :].partition("</table>")[0]
    columns = 1 if len(objectives) == 1 else 3
    heads, *rows = matrix.split("<tr>")[1:]
    assert heads.count("<span>") == columns
    assert [row.count("<td") for row in rows] == [columns] * len(contenders)


def test_heads_of_statuses_are_turned_where_the_page_is_narrow():
    text, _ = page_of(2, 8)
    turned = re.findall(r'<span class="turned">(?:<span class="key s\d"></span>)?([^<]+)</span></th>', text)
    assert turned == [*map(str, STATUSES), "other"] * 2
    narrow = text.split("@media (max-width: 1500px)")[1]
    assert re.match(r"[^@]*\.turned { writing-mode: vertical-rl;", narrow)


def test_figures_take_the_colours_of_the_page():
    text, drawings = page_of(2, 8)
    assert drawings
    for drawing in drawings:
        assert HUES[0] in drawing.svg or HUES[1] in drawing.svg
    figures = "".join(re.findall(r"<svg.*?</svg>", text, re.DOTALL))
    assert set(re.findall(r"#[0-9a-f]{6}\b", figures)) <= {"#000000"}
    assert "var(--ink)" in figures
    assert "prefers-color-scheme: dark" in text


@pytest.mark.usefixtures("undrawn")
def test_words_and_backends_are_explained():
    made = benchmark(runs_of("auto", ["OPTIMAL"] * 3, solver="cpsat"))
    text, _ = draw_page(made, "f")
    assert "It chose cpsat (3 runs)." in text
    assert "<dt>mRMR</dt>" in text
    assert f"<dd>{registry()['cpsat'].summary}" in text


@pytest.mark.usefixtures("undrawn")
def test_five_instances_are_too_few_for_advice(monkeypatch):
    monkeypatch.setattr(advising, "FEWEST_INSTANCES", 6)
    (line,) = advice(runs_of("a", ["OPTIMAL"] * 6) + runs_of("b", ["OPTIMAL"] * 6, 2.0))
    assert line.use == "a"
    runs = runs_of("a", ["OPTIMAL"] * 2) + runs_of("b", ["OPTIMAL"] * 2, 2.0)
    (line,) = advice(runs)
    said = "2 instances, where a did best: no advice for others."
    assert (line.use, line.why) == ("too few instances", said)
    page, _ = draw_page(benchmark(runs), "figures")
    assert 'title="a: proved 2 of 2, PAR2 1.0 s">1.0</td>' in page


def test_hostile_names_stay_text():
    runs = []
    for name in NAMES:
        failed = run(name, "error", problem=HOSTILE, message=HOSTILE + name)
        runs += [run(name, problem=name), run(name, problem="other", seconds=2.0), failed]
    for made in runs:
        made.record["machine"] = {"platform": HOSTILE, "n_cpus": HOSTILE}
        made.record["versions"] = {HOSTILE: HOSTILE}
    made = benchmark(runs, findings=[HOSTILE])
    page = Page(draw_page(made, HOSTILE)[0])
    assert not {"script", "img"} & set(page.tags)
    assert not [name for name, value in page.attributes if name.startswith("on")]
    shown = "".join(page.text)
    assert HOSTILE in shown
    assert "{{ 7 * 7 }}" in shown
    assert "\u202e" not in shown
    assert "49" not in re.sub(r"[\d.]*\d[\d.]+", "", shown)
    for line in markdown(made).splitlines():
        assert "<script" not in re.sub(r"\\<", "", line)


def test_without_proofs_the_page_says_so():
    text, drawings = draw_page(benchmark(runs_of("x", ["NOT_SOLVED"] * 3) + runs_of("y", ["error"] * 3)), "f")
    assert drawings == []
    assert "none of them" in text
    assert "there is nothing to draw" in text
    assert "There are no runs yet" in draw_page(benchmark([]), "f")[0]


@pytest.mark.usefixtures("undrawn")
def test_findings_come_first():
    text, _ = draw_page(benchmark(many(2, 2), findings=["p: two optima"]), "f")
    assert text.index("p: two optima") < text.index("Which backend should I use")
    assert "No contradictions" not in text


def test_twelve_backends_look_different():
    looks = looks_of(f"backend{i}" for i in range(12))
    assert len({(look["color"], look["linestyle"]) for look in looks.values()}) == 12


@pytest.mark.parametrize(("hues", "paper"), [(HUES, PAPER), (DARK_HUES, DARK_PAPER)])
def test_colours_stand_out_from_the_paper(hues, paper):
    def luminance(colour):
        channels = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
        linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
        return linear @ [0.2126, 0.7152, 0.0722]

    for hue in hues:
        low, high = sorted((luminance(hue), luminance(paper)))
        assert (high + 0.05) / (low + 0.05) >= 3


def test_cactus_and_scatter_draw_what_was_proved():
    runs = [run("a", seconds=1.0), run("a", seconds=3.0, problem="q"), run("a", "FEASIBLE", problem="r")]
    runs += [run("b", seconds=2.0), run("b", "FEASIBLE", problem="q"), run("b", "FEASIBLE", problem="r")]
    made = benchmark(runs)
    lines = {line.get_label(): line for line in figures_of(made)[0].figure.axes[0].lines}
    assert lines["a"].get_xdata().tolist() == [1.0, 3.0, LIMIT]
    assert lines["a"].get_ydata() == pytest.approx([100 / 3, 200 / 3, 200 / 3])
    assert lines["b"].get_ydata() == pytest.approx([100 / 3, 100 / 3])
    (pair,) = pairs_of(made)
    points = pair.figure.axes[0].lines[1].get_xydata().tolist()
    assert sorted(points) == [[1.0, 2.0], [3.0, LIMIT]]
    assert pair.caption == "a is faster on 2, b on 0 of 2 runs."


@pytest.fixture
def folder(tmp_path):
    """A benchmark of two runs that passes the check."""
    problem = Instance(quality=[9, 8, 7, 3, 2, 1], n_sets=2, set_size=2, max_overlap=1)
    out = tmp_path / "out"
    (out / "instances").mkdir(parents=True)
    problem.save(out / "instances" / "p.json")
    digest = file_hash(out / "instances" / "p.json")
    specs = [RunSpec("p", digest, name, "simultaneous", LIMIT, 0, 1000) for name in ("brute-force", HOSTILE)]
    written = solve(problem, "brute-force", search="simultaneous").to_dict()
    del written["problem"]
    (out / "suite.json").write_text(json.dumps([{"id": s.id, **s.to_dict()} for s in specs]))
    measured = {name: written["statistics"][name] for name in ("compile_seconds", "solve_seconds")}
    about = {"outcome": "OPTIMAL", "exact": True, "shape": shape(problem), "seconds": 5.0, "peak_memory": 1.0}
    records = [
        {
            **{"id": s.id, **s.to_dict(), **about, **measured},
            "result": {**written, "backend": s.backend.partition("/")[0]},
        }
        for s in specs
    ]
    (out / "results.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    return out


def test_runs_that_the_check_refutes_prove_nothing(folder):
    path = folder / "results.jsonl"
    first, second = (json.loads(line) for line in path.read_text().splitlines())
    second["result"] = {**second["result"], "objective": 99.0}
    path.write_text(f"{json.dumps(first)}\n{json.dumps(second)}\n")
    assert not check_folder(folder).is_clean
    outcomes = {made.contender: made.outcome for made in load_benchmark(folder).runs}
    assert outcomes == {"brute-force": "OPTIMAL", HOSTILE: "refuted"}


def test_the_command_writes_a_page_and_its_figures(folder, tmp_path, capsys):
    assert main(["bench", "report", str(folder)]) == 2
    assert "not been checked" in capsys.readouterr().err
    assert check_folder(folder).is_clean
    assert main(["bench", "report", str(folder)]) == 0
    assert str(folder / "report.html") in "".join(capsys.readouterr().err.split("\n"))
    page = (folder / "report.html").read_text()
    assert "&lt;script&gt;" in page
    assert "<script" not in page
    assert (folder / "report_figures" / "solved-over-time.pdf").read_bytes()[:4] == b"%PDF"
    assert write_page(folder, tmp_path / "new" / "page.html").read_text() == page.replace(
        "report_", "page_"
    ).replace("Benchmark out", "Benchmark page")
    assert main(["bench", "report", str(folder), "-o", str(tmp_path / "text.md")]) == 0
    assert (tmp_path / "text.md").read_text().startswith("# Benchmark")
    capsys.readouterr()
    assert main(["bench", "report", str(folder), "--format", "markdown"]) == 0
    assert "Which backend to use" in capsys.readouterr().out


@pytest.mark.parametrize("library", ["matplotlib", "scikit_posthocs"])
def test_a_missing_library_is_named(folder, monkeypatch, library):
    check_folder(folder)
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(PyfselError, match=f"{library} is not installed"):
        write_page(folder)
    assert "Which backend" in __import__("pyfsel.bench").bench.report_folder(folder)
