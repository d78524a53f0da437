"""Certificates that are made: complete where a rule reaches, and accepted by the file alone, as a program."""

import random
from dataclasses import replace
from pathlib import Path

import pytest
from random_instances import random_instance, solutions
from running import interrupted, python

from pyfsel import checker
from pyfsel.backends import get_backend
from pyfsel.backends.base import refusal
from pyfsel.certificates.certify import certify
from pyfsel.cli.app import main
from pyfsel.cli.exit_codes import ExitCode
from pyfsel.problem.instance import Instance
from pyfsel.results.backend_answer import Status
from pyfsel.results.result import Result
from pyfsel.solving.solve import solve

CHECKER = Path(checker.__file__)
QUALITY = [9, 8, 7, 3, 2, 1]
EXAMPLE = Instance(QUALITY, n_sets=3, k=2, max_shared=1)


@pytest.mark.parametrize("seed", range(60))
def test_optima_of_random_problems_are_certified(seed):
    data = random_instance(random.Random(seed))
    problem, found = Instance.from_dict(data), solutions(data)
    if refusal(get_backend("brute-force"), problem, "strengthened"):
        return
    result = solve(problem, "brute-force", search="simultaneous")
    assert (result.integer_objective if result.sets else None) == (found[0][0] if found else None)
    certificate = certify(result)
    assert certificate.is_complete, certificate
    ((_, by),) = checker.check(certificate.text, checker.Instance.of(problem.to_dict()))
    assert by.partition(",")[0] in certificate.rules


def test_what_the_checker_does_not_know_has_no_certificate():
    result = solve(Instance(QUALITY, n_sets=2, k=2, max_shared=1, aggregate="difference"), "brute-force")
    certificate = certify(result)
    assert (certificate.n_claims, certificate.n_certified) == (1, 0)
    assert "'difference' is not known" in certificate.message


def test_a_part_without_certificate_is_named():
    problem = Instance(QUALITY, n_sets=1, k=2, max_shared=2)
    proved = solve(problem, "brute-force", search="simultaneous")
    wrong = Result(
        problem, ((0, 2),), Status.OPTIMAL, 16, "brute-force", "simultaneous", 0.0, proved.stop_reason
    )
    certificate = certify(wrong)
    assert (certificate.n_claims, certificate.n_certified) == (1, 0)
    assert "tree" in certificate.message
    assert "(0, 1)" in certificate.message or "[0, 1]" in certificate.message
    ((told, by),) = checker.check(certificate.text, checker.Instance.of(problem.to_dict()))
    assert (told, by) == ("feasible: sets with 16", "")


def test_the_checker_runs_alone(tmp_path):
    EXAMPLE.save(tmp_path / "instance.json")
    certify(solve(EXAMPLE, "brute-force", search="simultaneous")).save(tmp_path / "certificate")
    alone = tmp_path / "alone.py"
    alone.write_text(CHECKER.read_text())

    def run(*arguments, given=None):
        return python("-I", "-S", alone, *arguments, input=given, cwd=tmp_path)

    text = (tmp_path / "certificate").read_text()
    for good in (run("certificate", "instance.json"), run("-", "instance.json", given=text)):
        assert (good.returncode, good.stdout.splitlines()[-1]) == (0, "certified: 1 of 1 claims")
    EXAMPLE.replace(quality=[9, 8, 7, 3, 2, 2]).save(tmp_path / "other.json")
    bad = run("certificate", "other.json")
    assert (bad.returncode, bad.stdout) == (1, "refused: line 1: the certificate is for another instance\n")
    assert run().returncode == 2


@pytest.mark.parametrize(
    ("more", "code", "said"),
    [
        ([], 0, "certified: 3 of 3"),
        (["1"], 0, "certified: 3 of 3"),
        (["0"], 1, "more work than is allowed; allow more SECONDS"),
        (["-1"], 2, "[SECONDS]"),
        (["a"], 2, "[SECONDS]"),
        (["1", "2"], 2, "[SECONDS]"),
    ],
)
def test_a_check_takes_the_steps_of_so_many_seconds(tmp_path, capsys, more, code, said):
    EXAMPLE.save(tmp_path / "i.json")
    (tmp_path / "c").write_text(certify(solve(EXAMPLE, "brute-force")).text)
    assert checker.main([str(tmp_path / "c"), str(tmp_path / "i.json"), *more]) == code
    out = capsys.readouterr()
    assert said in out.out + out.err


def checked(instance, certificate, result):
    """Return the exit codes of the two that check a certificate, and what the second prints."""
    certify(result).save(certificate)
    alone = python("-I", CHECKER, certificate, instance)
    return [main(f"check {instance} {certificate}".split()), alone.returncode], alone.stdout.splitlines()


@pytest.mark.parametrize("search", ["sequential", "simultaneous"])
def test_what_is_infeasible_without_a_certificate_is_not_certified(search, tmp_path, monkeypatch):
    """The second set is: the best value is required of each, and only one set has it."""
    instance, certificate = tmp_path / "i.json", tmp_path / "c"
    problem = Instance(QUALITY, n_sets=2, k=2, max_shared=1, min_quality=17)
    problem.save(instance)
    n_claims = 2 if search == "sequential" else 1
    told = checked(instance, certificate, solve(problem, search=search))
    assert (told[0], told[1][-1]) == ([0, 0], f"certified: {n_claims} of {n_claims} claims")
    monkeypatch.setattr("pyfsel.certificates.certify._rules", lambda _, claim: ["tree"] * ("sets" in claim))
    told = checked(instance, certificate, solve(problem, search=search))
    assert told[0] == [ExitCode.NOT_SOLVED] * 2
    assert told[1][-2:] == [
        OPEN,
        f"certified: {n_claims - 1} of {n_claims} claims",
    ]


OPEN = "open: no proof that there are none (not certified)"


@pytest.mark.parametrize("how", ["a set is missing", "a step is missing", "no steps", "a heuristic"])
def test_a_search_that_has_not_proved_all_is_not_certified(how, tmp_path):
    """Whether or not the step that was not finished is in the result; the sets are in the file."""
    instance, certificate = (tmp_path / name for name in ("i.json", "c"))
    problem = Instance(QUALITY, n_sets=3 if "missing" in how else 2, k=2, max_shared=1)
    problem.save(instance)
    done = solve(problem, "brute-force", search="sequential")
    if how == "a heuristic":
        done = solve(problem, "greedy-replacement")
    elif how == "no steps":
        done = replace(done, status=Status.FEASIBLE, integer_bound=None, steps=())
    else:
        ends = replace(done.steps[1], status=Status.NOT_SOLVED, features=None, objective=None, bound=None)
        steps = (done.steps[0], ends)[: 1 + (how == "a set is missing")]
        done = replace(done, sets=done.sets[:1], status=Status.FEASIBLE, steps=steps)
    codes_of, lines = checked(instance, certificate, done)
    assert codes_of == [ExitCode.NOT_SOLVED] * 2
    if "missing" in how:
        assert certify(done).message == "step 1: nothing is claimed to be proved"
        assert lines[1:] == [OPEN, "certified: 1 of 2 claims"]
    else:
        assert lines[0] == "feasible: sets with 17 (not certified)"
        assert lines[-1].startswith("certified: 0 of ")


def test_ctrl_c_while_certifying_keeps_what_was_solved(tmp_path, monkeypatch, run):
    instance, certificate = tmp_path / "i.json", tmp_path / "c"
    Instance(QUALITY, n_sets=2, k=2, max_shared=1).save(instance)
    monkeypatch.setattr("pyfsel.certificates.certify._certified", interrupted)
    told = run(f"solve {instance} --certificate {certificate} --format json", ExitCode.INTERRUPTED).data
    assert (told["status"], told["stop_reason"]) == ("OPTIMAL", "interrupted")
    assert "Not certified: 0 of 2 claims" in run(f"check {instance} {certificate}", ExitCode.NOT_SOLVED).out
