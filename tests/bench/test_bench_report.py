"""Reports of benchmarks: who is best and whether that is shown, and pages of odd results."""

from dataclasses import dataclass, fields, replace

import numpy as np
import pandas as pd
import pytest
from pages import Page
from test_bench import recorded

from pyfsel import Status
from pyfsel.bench import check_folder, report
from pyfsel.bench.report.bench_page import draw_page, evaluation, said, sections
from pyfsel.bench.report.contenders import by_instance, intervals, ranking, scores
from pyfsel.bench.report.figures import distance_over_time, figures_of, looks_of
from pyfsel.bench.report.frame import Benchmark, contender_names, load_benchmark, row_of, table_of
from pyfsel.bench.suite import RunSpec, setting
from pyfsel.problem.checks import integer_in
from pyfsel.problem.instance import Instance

LIMIT = 10.0
HOSTILE = "<script>alert(1)</script>"
NAMES = (HOSTILE, '"><img src=x onerror=alert(2)>', "_$x_1$", "{{ 7 * 7 }}", "a\u0000b\u202ec", "]]>&amp;")
ASKED = Instance(quality=range(20), n_sets=3, k=5, max_shared=2)


def run(contender, outcome="OPTIMAL", seconds=1.0, problem="p", value=7, seed=0, exact=True, **more):
    """Return a row; `more` are keys of the run or of its record."""
    has_sets = outcome in ("OPTIMAL", "FEASIBLE")
    result = {
        "runtime": seconds,
        "integer_objective": value if has_sets else None,
        "feature_sets": [{}] * 3 if has_sets else [],
        "incumbents": [{"time": t, "integer_objective": v} for t, v in more.pop("incumbents", ())],
        "model_claim": more.pop("claim", None),
    }
    of_run = {name: more.pop(name) for name in ("own_question", "cpu_limit") if name in more}
    spec = RunSpec(problem, "", contender, LIMIT, search="sum", random_state=seed, **of_run)
    record = {"result": result if outcome in tuple(Status) else None, "exact": exact, "seconds": seconds}
    return row_of(spec, contender, ASKED, outcome, record | more)


def runs_of(contender, outcomes, seconds=1.0, **more):
    """Return one run per outcome, on problems of their own."""
    return [run(contender, o, seconds, problem=f"p{i}", **more) for i, o in enumerate(outcomes)]


def benchmark(rows, unfinished=(), **more):
    return Benchmark("test", table_of(rows, {row["trial"] for row in unfinished}), **more)


NINE = ["OPTIMAL"] * 9
A, B = runs_of("a", NINE), runs_of("b", NINE, 5.0)
MIXED = ["FEASIBLE"] * 3 + ["OPTIMAL"] * 6
HEURISTIC = runs_of("exact", ["FEASIBLE"] * 9, value=6) + runs_of("greedy", ["FEASIBLE"] * 9, exact=False)
VERDICTS = {
    "no runs": ([], "No run has been made yet", None),
    "alone": (A, "not shown to be better: no other that proves", "a"),
    "faster": ([*A, *B], "a proves most: 9 of 9 in 10 s, PAR2 1.0 s. This is shown", "a"),
    "alike": ([*A, *runs_of("b", NINE)], "the difference to b is not significant", "a or b"),
    "few": ([*A[:3], *B[:3]], "6 instances are needed, there are 3", "a"),
    "no proof": (
        HEURISTIC,
        "greedy is first. Nothing was proved; its sets are the best known in 9",
        "greedy",
    ),
    "nothing": (runs_of("x", ["NOT_SOLVED"] * 9), "No solver is best", "x"),
    "refuted": ([*runs_of("liar", ["refuted"] * 9, 0.1), *B], "b proves most: 9 of 9", "b"),
    "more proofs": ([*runs_of("a", MIXED, 0.1), *B], "b proves most: 9 of 9", "b or a"),
    "parts": ([*A[:7], *B[6:]], "no other that proves was given all tasks", "a"),
    "a part": ([*B, *A[:2]], "no other that proves was given all tasks", "b"),
}


@pytest.mark.parametrize("name", VERDICTS)
def test_the_first_sentence_says_who_is_best_and_whether_that_is_shown(name):
    rows, expected, use = VERDICTS[name]
    made = benchmark(rows)
    assert expected in next(said(made))
    assert expected in str(evaluation(made, "p")).replace("\n", " ")
    assert [table.rows[0][1] for table in sections(made.runs)[:1]] == ([use] if use else [])


def test_tasks_with_missing_runs_are_not_compared():
    rows = runs_of("a", [*NINE[:8], "FEASIBLE"]) + runs_of("b", NINE[:8], 3.0)
    made = benchmark(rows, unfinished=rows[8:9], missing=1)
    found = ranking(made.runs)
    assert (found.first, found.alike, "is shown" in found.how_sure) == ("a", [], True)
    assert "WARNING: Incomplete: 1 run missing." in said(made)


def test_scores_count_tasks_proved_with_every_seed():
    own = scores(table_of(runs_of("x", ["OPTIMAL", "FEASIBLE", "unsupported"], 4.0))).loc["x"]
    assert (own["n_tasks"], own["n_proved"], own["par2"]) == (3, 1, (4.0 + 4 * LIMIT) / 3)
    rows = [run("a", seconds=1.0 + 2 * seed, seed=seed) for seed in (0, 1)]
    rows += [run("a", "FEASIBLE" if seed else "OPTIMAL", 2.0, "q", seed=seed) for seed in (0, 1)]
    own = scores(table_of(rows)).loc["a"]
    assert (own["n_tasks"], own["n_proved"]) == (2, 1)
    assert by_instance(table_of(rows))["a"].tolist() == [2.0, (2.0 + 2 * LIMIT) / 2]


@pytest.mark.parametrize(("mine", "theirs"), [((0,), (0, 1)), ((0,), (1,)), ((0, 1, 2), (1, 3))])
def test_a_contender_with_other_seeds_stays_in_every_comparison(mine, theirs):
    rows = [run("a", problem=f"p{i}", seed=seed) for i in range(7) for seed in mine]
    rows += [run("b", seconds=3.0, problem=f"p{i}", seed=seed) for i in range(7) for seed in theirs]
    runs = table_of(rows)
    assert by_instance(runs).mean().to_dict() == {"a": 1.0, "b": 3.0}
    assert "This is shown" in ranking(runs).how_sure


@pytest.mark.parametrize(("cpu", "proved", "cost"), [(4.0, True, 4.0), (6.0, False, 10.0), (None, True, 1.0)])
def test_with_a_limit_on_cpu_time_a_proof_beyond_it_is_none(cpu, proved, cost):
    row = run("a", cpu_limit=5.0, cpu_seconds=cpu)
    assert (row["proved"], row["cost"], row["limit"]) == (proved, cost, 5.0)
    assert run("a", cpu_seconds=cpu)["cost"] == 1.0


def test_tasks_of_an_instance_are_drawn_together():
    rows = [run("a", seconds=float(i), problem="pq"[i // 4], cpu_limit=10.0 + i) for i in range(8)]
    together = intervals(by_instance(table_of(rows), "seconds"))["a"]
    assert together == (3.5, 1.5, 5.5)
    apart = intervals(pd.DataFrame({"a": np.arange(8.0)}))["a"]
    assert 1.5 < apart.low < 3.5 == apart.mean < apart.high < 5.5
    assert intervals(pd.DataFrame({"a": [3.5]}))["a"].text("{:g}".format) == "3.5"


@pytest.mark.parametrize(("goal", "best"), [("minimize", "2"), ("maximize", "3")])
def test_the_best_known_answer_of_an_own_question_is_what_its_model_states(goal, best):
    rows = [
        run(name, problem="q", value=1, own_question=True, claim={"objective": value, "goal": goal})
        for name, value in (("a", 3), ("b", 2))
    ]
    made = table_of([*rows, run("c", problem="q", value=9)])
    (table,) = (one for one in sections(made) if one.title == "Best known")
    assert [row[2] for row in table.rows] == ["9", best]


def test_figures_draw_what_was_proved_and_found():
    rows = [run("a"), run("a", seconds=3.0, problem="q"), run("a", "FEASIBLE", problem="r"), run("b")]
    over_time, _ = figures_of(table_of(rows))
    lines = {line.get_label(): line for line in over_time.figure.axes[0].lines}
    assert lines["a"].get_xdata().tolist() == [1.0, 3.0, LIMIT]
    assert lines["a"].get_ydata() == pytest.approx([100 / 3, 200 / 3, 200 / 3])
    looks = looks_of(map(str, range(12))).values()
    assert len({(look["color"], look["linestyle"]) for look in looks}) == 12
    rows = [run("a", "FEASIBLE", 4.0, value=8, incumbents=[(1.0, 4), (2.0, 6)]), run("b", value=10)]
    first = next(table_of(rows).itertuples())
    distances = distance_over_time(first, np.array([0.5, 1.0, 2.0, 9.0]))
    assert distances.tolist() == pytest.approx([1.0, 0.6, 0.4, 0.2])


@dataclass(frozen=True)
class LongerSpec(RunSpec):
    """A run of a suite that has one more key."""

    patience: int = setting(1, lambda name, value: integer_in(name, value, 1, None))


OF_CONTENDER = {"solver": "gecode:m.mzn", "data": ("d.dzn",), "hashes": ("1", "2"), "own_question": True}
OF_CONTENDER |= {"n_threads": 2, "cold_start": True}
OTHER_VALUES = {"instance": "q", "instance_hash": "1", "search": "sequential", "cpu_limit": 2.0}
OTHER_VALUES |= {"time_limit": 2.0, "memory_limit": 2, "random_state": 2, "k": 2, "n_sets": 2}
OTHER_VALUES |= {"dissimilarity": 0.2, "patience": 2, "certify": True}


def test_runs_that_differ_in_any_key_are_never_pooled():
    spec = LongerSpec("p", "0", "cpsat", 1.0, search="sum", random_state=1)
    assert {f.name for f in fields(spec)} == {*OF_CONTENDER, *OTHER_VALUES}
    changed = {name: replace(spec, **{name: value}) for name, value in OTHER_VALUES.items()}
    assert len({other.trial for other in changed.values()} | {spec.trial}) == len(OTHER_VALUES) + 1
    assert len({other.task for other in changed.values()}) == len(OTHER_VALUES)
    assert changed["random_state"].task == spec.task
    for name, value in OF_CONTENDER.items():
        assert replace(spec, **{name: value}).trial == spec.trial
    others = [spec, replace(spec, patience=2), replace(spec, cold_start=True)]
    names = list(contender_names({other.id: other for other in others}).values())
    assert names == ["cpsat, patience=1", "cpsat, patience=2", "cpsat, cold_start=True, patience=1"]


def test_hostile_names_stay_text_and_the_page_is_self_contained():
    rows = [run(name, problem=problem) for name in NAMES for problem in (name, "other")]
    rows += [run(name, "error", problem=HOSTILE, message=HOSTILE + name) for name in NAMES]
    made = benchmark(rows, findings=(HOSTILE,), about=(HOSTILE,))
    text = draw_page(made)
    page = Page(text)
    assert not {"script", "img", "link", "iframe", "object", "embed", "image"} & page.tags
    assert not [name for name, value in page.attributes if name.startswith("on")]
    assert page.loaded == []
    assert text.index("<h1>") < text.index("proves most") < text.index("<table") < text.index("<svg")
    shown = "".join(page.texts)
    assert HOSTILE in shown
    assert "{{ 7 * 7 }}" in shown
    assert "\u202e" not in shown


def test_statuses_and_failures_are_counted_and_findings_come_first():
    outcomes = ["OPTIMAL", "FEWER", "FEASIBLE", "NOT_SOLVED", "unsupported", "error", "killed", "error"]
    made = benchmark(runs_of("x", outcomes, message="why"), findings=("p: two optima",), warning="no core")
    titles = {one.title: one for one in sections(made.runs)}
    assert [row[-1] for row in titles["Runs that failed"].rows] == ["2", "1"]
    text = draw_page(made)
    assert text.index("two optima") < text.index("Which solver to use")
    assert "WARNING: no core" in text
    assert "WARNING: 2 runs ended in an error" in text
    found = evaluation(made, "p")
    assert (found.status, found.cautions[0]) == ("CHECK", "p: two optima")
    assert "there is nothing to draw" in draw_page(benchmark(runs_of("x", ["NOT_SOLVED"] * 3)))


@pytest.fixture
def folder(tmp_path):
    """A benchmark of two runs that passes the check."""
    suite = 'solver = ["brute-force", "cpsat"]\nsearch = "sum"\nfiles = "*.json"'
    return recorded(tmp_path, suite)


@pytest.mark.parametrize(
    ("old", "new"), [('"objective": 33.0', '"objective": 99.0'), ('"result": {', '"result": 3, "_": {')]
)
def test_runs_that_the_check_refutes_prove_nothing(folder, old, new):
    path = folder / "results.jsonl"
    first, second = path.read_text().splitlines()
    path.write_text(f"{first}\n{second.replace(old, new, 1)}\n")
    assert not check_folder(folder).is_clean
    runs = load_benchmark(folder).runs.set_index("contender")
    assert runs["outcome"].to_dict() == {"brute-force": "OPTIMAL", "cpsat": "refuted"}


def test_the_report_is_written_and_shown(folder, tmp_path, run):
    assert "not been checked" in run(f"bench report {folder}", 2).err
    assert check_folder(folder).is_clean
    assert "CHECKED" in run(f"bench report {folder}", 0).out
    assert "<svg" in (folder / "report.html").read_text()
    assert report(folder, tmp_path).details["files"] == [str(tmp_path / "report.html")]
