"""Lies in the records of a benchmark, each of which its check must name."""

import json
import shutil

import pytest
from test_bench import PROBLEM, changed, record_all, recorded, write_suite

from pyfsel import Group, InputError, Status
from pyfsel.bench import check_folder
from pyfsel.bench.claims import outcome_of
from pyfsel.bench.recheck import CPU_TOLERANCE, LATE_SECONDS
from pyfsel.bench.store import RESULTS, read_records
from pyfsel.problem import values
from pyfsel.problem.instance import Instance
from pyfsel.results.backend_answer import ModelClaim, ModelGoal, ProvedBound, ReportedIncumbent, StopReason
from pyfsel.results.confirmation import Confirmation, ConfirmationVerdict
from pyfsel.results.result import Result

LIMIT = 30.0
LATE = LIMIT + LATE_SECONDS + 1
REVERSED = [[0, 2], [0, 1]]
TIED = [{"time": 0.0, "integer_objective": 33, "sets": sets} for sets in (REVERSED[::-1], REVERSED)]
TURNED = [
    {"features": ["x0", "x2"], "indices": [0, 2], "quality": 16.0},
    {"features": ["x0", "x1"], "indices": [0, 1], "quality": 17.0},
]
UNPROVED = {f"result.{name}": None for name in ("integer_bound", "bound", "gap")} | {"result.bounds": []}
SUITE = """
time_limit = 30
memory_limit = 1000
files = "example.json"

[[group]]
solver = "brute-force"
search = ["sum", "sequential"]

[[group]]
solver = "greedy-replacement"
"""
PAIR = Group((0, 1), all_or_none=True)
HIDDEN = Instance(quality=[5, 5, 4, 4, 1, 1], n_sets=1, k=2, max_shared=2, groups=[PAIR])


@pytest.fixture(scope="session")
def honest(tmp_path_factory):
    """The folder of a benchmark with three runs, by searches that take no time."""
    folder = tmp_path_factory.mktemp("honest")
    made = recorded(folder, SUITE)
    assert check_folder(made).is_clean
    return made


@pytest.fixture
def folder(honest, tmp_path):
    """A copy of it."""
    return shutil.copytree(honest, tmp_path / "out")


def lie(folder, change, kind="simultaneous"):
    """Change one of the records, and return what the check says of all: it refutes this one only."""
    place = ("simultaneous", "sequential", "heuristic").index(kind)
    report = check_folder(changed(folder, change, place))
    assert not report.is_clean
    assert list(report.refuted) == [read_records(folder)[place]["id"]]
    return report


def put(record, path, value):
    *inner, last = path.split(".")
    for name in inner:
        record = record[int(name) if name.isdigit() else name]
    record[int(last) if last.isdigit() else last] = value


VALUES = [
    (
        "result.feature_sets.0.quality",
        17.5,
        "feature_sets[0].quality is stated as 17.5, recomputed it is 17.0",
    ),
    (
        "result.feature_sets.1.features.0",
        "x5",
        "feature_sets[1].features[0] is stated as 'x5', recomputed it is 'x0'",
    ),
    ("result.feature_sets.1.indices", [0, 1], "share 2 features"),
    ("result.objective", 34.0, "objective is stated as 34.0, recomputed it is 33.0"),
    ("result.integer_objective", 34, "integer_objective is stated as 34, recomputed it is 33"),
    ("result.bound", 32.0, "bound is stated as 32.0, recomputed it is 33.0"),
    ("result.gap", 0.1, "gap is stated as 0.1, recomputed it is 0.0"),
    ("result.integer_bound", 34, "OPTIMAL was claimed with bound 34"),
    ("result.integer_bound", None, "OPTIMAL was claimed without a bound"),
    ("result.status", "FEASIBLE", "the bound 33 is reached"),
    ("result.runtime", 500.0, "runtime=500 was recorded, the whole run took"),
    ("result.runtime", float("nan"), "runtime=nan: must be a finite number"),
    ("result.incumbents", [], "the last incumbent [] is not what was found, [[0, 1], [0, 2]]"),
    ("result.incumbents.0.integer_objective", 99, "the objective is not 99"),
    ("result.incumbents.0.sets", [[0, 1], [0, 1]], "share 2 features"),
    ("result.incumbents.0.time", 900.0, "the incumbents are of [900.0] s, in a runtime of"),
    ("result", [], "the result is not a JSON object"),
    ("result", None, "the outcome OPTIMAL was recorded without a result"),
    ("result.stop_reason", "error", "the result is error"),
    ("outcome", "FEASIBLE", "the outcome FEASIBLE was recorded, the result is OPTIMAL"),
    ("outcome", "killed", "the outcome killed was recorded, the result is OPTIMAL"),
    ("exact", False, "OPTIMAL was claimed by a heuristic with the bound 33"),
    ("seconds", 500.0, "the run took 500 s, the limit is 30 s"),
    ("seconds", None, "seconds=None is not a measurement"),
    ("cpu_seconds", "1", "cpu_seconds='1' is not a measurement"),
    ("cpu_seconds", 50.0, "cpu_seconds=50 was recorded, the run took"),
    ("peak_memory", 1200.0, "peak_memory=1200.0 was recorded, a run is killed above 1100 MB"),
]


STEPS = [
    ("steps.1.status", "FEASIBLE", "by the steps it is FEASIBLE"),
    ("steps.0.integer_objective", 99, "step 0 has the objective 17, not 99"),
    ("steps.0.integer_bound", 99, "OPTIMAL was claimed with bound 99"),
    ("search", "simultaneous", "the search simultaneous was recorded, it is sequential"),
    ("steps", [], "there are 0 steps, the problem asks for 2 sets"),
]


CASES = [
    *(("simultaneous", {path: value}, [fault]) for path, value, fault in VALUES),
    *(("sequential", {f"result.{path}": value}, [fault]) for path, value, fault in STEPS),
    (
        "heuristic",
        {"outcome": "OPTIMAL", "result.status": "OPTIMAL", "result.steps.0.status": "OPTIMAL"},
        ["OPTIMAL was claimed by a heuristic"],
    ),
    ("simultaneous", {"result": None, "outcome": "lost"}, ["the outcome lost was recorded without a result"]),
    (
        "simultaneous",
        {"seconds": LATE, "result.runtime": LATE},
        [f"runtime={LATE:g} was recorded, the limit is 30 s"],
    ),
    (
        "simultaneous",
        {"result.feature_sets": TURNED, "result.incumbents": TIED},
        ["the incumbents [33, 33] do not rise"],
    ),
    (
        "simultaneous",
        UNPROVED | {"outcome": "FEASIBLE", "result.status": "FEASIBLE", "result.message": ""},
        ["FEASIBLE was claimed by an exact solver that finished, without saying why"],
    ),
]


@pytest.mark.parametrize(("kind", "values", "told"), CASES, ids=str)
def test_a_changed_value_is_named(folder, kind, values, told):
    def change(record):
        for path, value in values.items():
            put(record, path, value)

    faults = " ".join(lie(folder, change, kind).faults)
    assert [fault for fault in told if fault not in faults] == [], faults


def test_missing_steps_are_named(folder):
    def leave_out_the_last(record):
        result = record["result"]
        for name in ("feature_sets", "steps", "incumbents"):
            del result[name][1:]
        result |= {"objective": 17.0, "integer_objective": 17}

    (fault,) = lie(folder, leave_out_the_last, "sequential").faults
    assert fault.endswith("brute-force: OPTIMAL was claimed with 1 of 2 sets")


def test_what_real_and_earlier_runs_keep_is_allowed(folder):
    def slow_and_large(record):
        record |= {"seconds": LIMIT + 2, "cpu_seconds": CPU_TOLERANCE * LIMIT, "peak_memory": 1090.0}
        record["result"] |= {"runtime": LIMIT + 1, "near_copies": []}

    assert check_folder(changed(folder, slow_and_large, 0)).is_clean


def claim(record, problem, sets, status=Status.OPTIMAL, **more):
    """Put a claim in a record with all that goes with it."""
    kept = record["result"]
    value = values.total(problem, sets) if sets else None
    bound = value if status is Status.OPTIMAL else None
    found = {"incumbents": (ReportedIncumbent(0.0, value, sets),) if sets else ()}
    found |= {"bounds": () if bound is None else (ProvedBound(0.0, bound),), "statistics": kept["statistics"]}
    ended = ("brute-force", "simultaneous", kept["runtime"], StopReason.FINISHED)
    result = Result(problem, sets, status, bound, *ended, **found | more)
    record["outcome"] = str(outcome_of(result))
    record["result"] = {name: entry for name, entry in result.to_dict().items() if name != "problem"}


@pytest.fixture
def alone(folder):
    """The folder with nothing but the record of an exact backend."""
    path = folder / RESULTS
    path.write_text(path.read_text().splitlines(keepends=True)[0])
    return folder


@pytest.mark.parametrize(
    ("sets", "status", "evidence"),
    [
        (((2, 3), (4, 5)), "OPTIMAL", "the optimum 13 was claimed, but a greedy search found"),
        (((0, 1), (1, 2)), "OPTIMAL", "the optimum 32 was claimed, but"),
        ((), "INFEASIBLE", "INFEASIBLE was claimed, but a greedy search found"),
    ],
)
def test_a_consistent_lie_of_one_backend_is_refuted(alone, sets, status, evidence):
    report = lie(alone, lambda record: claim(record, PROBLEM, sets, Status(status)))
    assert not report.faults
    assert any(evidence in text for text in report.contradictions), report.contradictions


@pytest.mark.parametrize("own", [ModelClaim(Status.OPTIMAL, ModelGoal.MINIMIZE, 1, 1), None])
def test_incumbents_rise_by_the_objective_that_was_asked_for(alone, own):
    first, last = ((0, 1), (0, 2)), ((1, 2), (0, 3))
    found = tuple(ReportedIncumbent(0.0, values.total(PROBLEM, sets), sets) for sets in (first, last))
    more = {"incumbents": found, "model_claim": own, "message": "of its own question"}
    report = check_folder(changed(alone, lambda r: claim(r, PROBLEM, last, Status.FEASIBLE, **more)))
    fault = "example, brute-force, sum, seed 0: the incumbents [33, 27] do not rise"
    assert report.faults == ([] if own else [fault])


@pytest.fixture
def hidden(tmp_path):
    """A run with a problem whose optimum no greedy search and no exchange finds."""
    suite = write_suite(tmp_path, 'solver = "brute-force"\nsearch = "sum"\nfiles = "example.json"')
    HIDDEN.save(tmp_path / "example.json")
    return record_all(suite, tmp_path / "out")


def test_a_share_of_the_claims_is_proved_again(hidden, run):
    command = f"bench check {hidden} --confirm-share 1 --confirm-limit 600"
    assert "of 1 run with proofs: 1 confirmed, 0 not confirmed" in run(command, 0).out
    assert check_folder(changed(hidden, lambda record: claim(record, HIDDEN, ((2, 3),)))).is_clean
    printed = run(command, 1).out
    assert "0 not confirmed, 1 contradicted" in printed
    assert "brute-force claimed OPTIMAL for [(2, 3)] with 8, but" in printed
    note = json.loads((hidden / "check.json").read_text())
    assert note["refuted"] == [read_records(hidden)[0]["id"]]
    assert note["verdicts"]["contradicted"] == 1


def test_a_share_is_chosen_by_the_seed(folder, monkeypatch):
    asked = []

    def late(claims, by, limits):
        asked.append((len(claims), round(limits.deadline - limits.start)))
        return Confirmation(ConfirmationVerdict.NOT_CONFIRMED, 1, 0, (), 7.0, "late")

    monkeypatch.setattr("pyfsel.bench.check_records.confirm", late)
    for seed in (*range(9), *range(9)):
        report = check_folder(folder, confirm_share=0.5, confirm_limit=7, random_state=seed)
        assert (report.n_claims, report.verdicts["not confirmed"], report.is_clean) == (2, 1, True)
    assert asked[:9] == asked[9:]
    assert {*asked} == {(1, 7), (2, 7)}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"confirm_share": 10}, "confirm_share=10: must be a number from 0 to 1; give 0.1 for 10%"),
        ({"confirm_share": True}, "confirm_share=True"),
        ({"confirm_limit": 0}, "confirm_limit=0: must be a positive number"),
        ({"random_state": -1}, "random_state=-1"),
    ],
)
def test_options_of_the_check_are_checked(folder, options, message):
    with pytest.raises(InputError, match=message):
        check_folder(folder, **options)
