"""One question to one backend about one problem, and the judgement of its answer by brute force."""

from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field
from itertools import pairwise
from math import inf, isclose
from typing import Any
from unittest.mock import patch

import questions_oracle as oracle
from conformance import is_solution, quality_of, total_of
from small_problems import asked

from pyfsel import Status, explore
from pyfsel.backends import registry
from pyfsel.errors import InputError, SolverError
from pyfsel.interface import solving
from pyfsel.interface.answer import Answer
from pyfsel.problem.dissimilarity import may_be_equal
from pyfsel.problem.values import objective_of
from pyfsel.questions.methods import METHODS
from pyfsel.reductions import reduce
from pyfsel.results.backend_answer import StopReason
from pyfsel.results.control import STRENGTHENED
from pyfsel.solving.solve import solve

SEARCHES = ("simultaneous", "sequential")
LOSSES = (0, 0.05, 0.1, 0.25, 0.5, 1)
MOST_TIES = 300
SECONDS = 120
SHARE_CUT_SHORT = 0.05
LONGEST_CUT, SHORTEST_CUT = 0.3, 0.001


@contextmanager
def without_reductions():
    """Give backends the problems as they are asked.

    A reduction is shared by all backends, so that they would all be wrong with it.
    """
    with ExitStack() as patches:
        for module in ("reductions", "backends.base", "solving.attempt"):
            patches.enter_context(patch(f"pyfsel.{module}.STRENGTHENED", None))
        yield


class ContradictionError(AssertionError):
    """An answer that is false, or a crash instead of one."""


@dataclass(frozen=True)
class Trial:
    """What is asked of whom, and for how long.

    `options` are further arguments, `reduced` says whether reductions are on.
    """

    question: str
    problem: Any
    backend: str
    formulation: str | None = None
    options: dict = field(default_factory=dict)
    reduced: bool = True
    seconds: float = SECONDS

    @property
    def kind(self):
        """What cases are counted by: backend, formulation, question."""
        asked = self.options["search"] if self.question == "solve" else self.question
        manner = ("" if self.reduced else ", not reduced") + (
            "" if self.seconds == SECONDS else ", cut short"
        )
        return self.backend, self.formulation or "", asked + manner

    @property
    def exact(self):
        """Whether the backend proves what it says."""
        return self.backend == "auto" or registry()[self.backend].exact

    def ask(self):
        """Return the answer of the package."""
        with nullcontext() if self.reduced else without_reductions():
            return ASKED[self.question](
                self.problem,
                backend=self.backend,
                formulation=self.formulation,
                time_limit=self.seconds,
                **self.options,
            )

    def outcome(self, truth=None):
        """Return "proved", "found", "unproved", "open" or "refused".

        "found" is what a heuristic may say, "unproved" that an exact backend finished without a proof, "open"
        that the time was up. Anything false raises `ContradictionError`.
        """
        try:
            answer = self.ask()
        except InputError:
            return "refused"
        except SolverError as error:
            raise ContradictionError(f"{type(error).__name__}: {error}") from error
        except Exception as error:
            raise ContradictionError(f"{type(error).__name__} is not caught: {error}") from error
        return JUDGES[self.question](self, answer, truth or oracle.Truth(self.problem))


def expect(holds, message):
    if not holds:
        raise ContradictionError(message)


def judged_solve(trial, result, truth):
    judge = _judged_steps if trial.options["search"] == "sequential" else _judged_sets
    return judge(result, truth, trial.exact)


def _judged_sets(result, truth, exact):
    problem, best = truth.problem, truth.optimum
    truly = f"brute force has {'no solution' if best is None else best}"
    found = f"{result.status} {result.integer_objective} ≤ {result.integer_bound} {result.sets}"
    if result.sets:
        expect(is_solution(problem, result.sets), f"{found}: is no solution")
        expect(result.integer_objective == total_of(problem, result.sets), f"{found}: has another value")
        expect(result.integer_objective <= best, f"{found}: {truly}")
        numbers = oracle.values(problem, result.sets)
        expect(numbers == sorted(numbers, reverse=True), f"{found}: not by decreasing quality")
    for incumbent in result.incumbents:
        good = is_solution(problem, incumbent.sets) and incumbent.objective == total_of(
            problem, incumbent.sets
        )
        expect(good, f"incumbent {incumbent} is false")
    for bound in [b.bound for b in result.bounds] + [result.integer_bound]:
        expect(bound is None or best is None or bound >= best, f"bound {bound}: {truly}")
    return _status_of(result, best is None, best, exact, f"{found}: {truly}")


def _status_of(result, none_exists, best, exact, evidence):
    """Judge the status of a result whose sets are known to be true."""
    if result.status is Status.INFEASIBLE:
        expect(exact and none_exists and result.integer_bound is None, evidence)
        return "proved"
    if result.status is Status.OPTIMAL:
        expect(exact and not none_exists, evidence)
        expect(result.integer_objective == best == result.integer_bound, evidence)
        return "proved"
    if not exact:
        return "found"
    return _left_open(result)


def _left_open(answer):
    """Return what an answer without a proof counts as; one that is finished says what is missing."""
    if answer.stop_reason != StopReason.FINISHED:
        return "open"
    said = answer.cautions if isinstance(answer, Answer) else answer.message
    expect(said, f"{answer.status} without a proof or a word: {answer}")
    return "unproved"


def _judged_steps(result, truth, exact):
    problem = truth.problem
    found = f"{result.status} {result.sets} {result.integer_bound}"
    if not exact:
        expect(result.status in (Status.FEASIBLE, Status.NOT_SOLVED), f"{found}: a heuristic")
        expect(
            not result.sets or is_solution(problem.replace(n_sets=len(result.sets)), result.sets),
            f"{found}: is no solution",
        )
        return "found"
    chosen = []
    for step in result.steps:
        best = truth.best_beside(chosen)
        evidence = f"{found}: step {len(chosen)} {step}; brute force has {best}"
        if step.status not in (Status.OPTIMAL, Status.INFEASIBLE):
            return _left_open(result)
        expect((step.status is Status.INFEASIBLE) == (best is None), evidence)
        if best is None:
            expect(step.features is None and step is result.steps[-1], evidence)
            break
        expect(step.objective == step.bound == best == quality_of(problem, step.features), evidence)
        chosen.append(step.features)
    if result.status is not Status.INFEASIBLE and result.stop_reason is not StopReason.FINISHED:
        kept = result.sets[: len(chosen)] == tuple(chosen) and len(result.sets) <= problem.n_sets
        good = is_solution(problem.replace(n_sets=max(1, len(result.sets))), result.sets)
        expect(not result.sets or (kept and good), f"{found}: the steps found {chosen}")
        return "open"
    expect(tuple(chosen) == result.sets, f"{found}: the steps found {chosen}")
    complete = len(chosen) == problem.n_sets or truth.best_beside(chosen) is None
    expect(complete, f"{found}: there are further sets")
    expect(not chosen or is_solution(problem.replace(n_sets=len(chosen)), chosen), f"{found}: is no solution")
    status = Status.OPTIMAL if len(chosen) == problem.n_sets else Status.FEWER
    expect(result.status is (status if chosen else Status.INFEASIBLE), f"{found}: wrong status")
    if chosen:
        bound = result.integer_objective if problem.n_sets == 1 else None
        expect(result.integer_bound == bound, f"{found}: wrong bound")
        expect(result.integer_objective == total_of(problem, chosen), f"{found}: wrong objective")
    return "proved"


def sets_of(answer):
    return tuple(one.indices for one in answer)


def _nothing_to_judge(trial, answer, needs_best):
    """Return the outcome of an answer without sets: unsolved, or about a problem without any; else None."""
    if answer.status is Status.NOT_SOLVED:
        return _left_open(answer)
    if needs_best and oracle.best_single_value(trial.problem) is None:
        expect(answer.status is Status.INFEASIBLE, f"{said(answer)}: no set exists")
        return "proved"
    return None


def _with_least_value(trial):
    problem = trial.problem
    if problem.min_quality is not None:
        return problem
    return problem.replace(min_quality=oracle.least_value(problem, trial.options["loss"]))


def said(answer):
    """Return what an answer says, for messages."""
    return f"{answer.status} {answer.low} ≤ {answer.high} {sets_of(answer)}"


def judged_most_dissimilar(trial, answer, truth):
    problem, name = trial.problem, trial.options["dissimilarity"]
    together = trial.options["search"] != "sequential"
    needs_best = problem.min_quality is None or not (together or problem.previous)
    outcome = _nothing_to_judge(trial, answer, needs_best)
    if outcome:
        return outcome
    truth = _with_least_value(trial)
    if not together:
        originals = answer.details["original"]
        best = oracle.best_single_value(problem)
        best_one = len(originals) == 1 and oracle.values(problem, originals) == [best]
        given = [list(members) for members in problem.previous]
        expect(originals == given if given else best_one, f"{said(answer)}: {originals}")
        truth = truth.replace(n_sets=1, previous=originals)
    largest = oracle.largest_dissimilarity(truth, name)
    evidence = f"{said(answer)}: brute force has {largest}"
    if largest is None:
        expect(answer.status is Status.INFEASIBLE, evidence)
        return "proved"
    expect(answer.high is not None and answer.high >= float(largest), evidence)
    if answer.sets:
        expect(is_solution(oracle.without_overlap_limits(truth), sets_of(answer)), evidence)
        reached = oracle.least_dissimilarity(sets_of(answer), truth.previous, name)
        expect(answer.low == float(reached) <= float(largest), evidence)
    if answer.status is Status.FEASIBLE:
        return _left_open(answer)
    expect(answer.status is Status.OPTIMAL and answer.low == answer.high == float(largest), evidence)
    return "proved"


def judged_most_sets(trial, answer, truth):
    outcome = _nothing_to_judge(trial, answer, trial.problem.min_quality is None)
    if outcome:
        return outcome
    truth = _with_least_value(trial)
    number = oracle.largest_number(truth)
    evidence = f"{said(answer)}: brute force has {number}"
    expect(answer.high >= number and answer.low == len(answer), evidence)
    if answer.sets:
        expect(is_solution(truth.replace(n_sets=len(answer)), sets_of(answer)), evidence)
    if answer.status is Status.FEASIBLE:
        return _left_open(answer)
    expect(answer.low == answer.high == number, evidence)
    expect(answer.status is (Status.OPTIMAL if number else Status.INFEASIBLE), evidence)
    return "proved"


def judged_min_then_sum(trial, answer, truth):
    expected = truth.min_then_sum
    total, free = answer.details["sum"], answer.details["costs_nothing"]
    evidence = f"{said(answer)}, {total}: brute force has {expected}"
    expect((answer.status is Status.INFEASIBLE) <= (expected is None), evidence)
    if answer.sets:
        expect(is_solution(truth.problem, sets_of(answer)), evidence)
        qualities = [one.quality for one in answer]
        expect((min(qualities), isclose(sum(qualities), total)) == (answer.low, True), evidence)
    if answer.status in (Status.FEASIBLE, Status.NOT_SOLVED):
        return _left_open(answer)
    if expected is not None:
        numbers = oracle.values(truth.problem, sets_of(answer))
        expect((min(numbers), sum(numbers)) == expected, evidence)
        expect(free in (None, expected[1] == truth.best_sum), f"{evidence}: costs nothing")
    return "proved"


def judged_ties(trial, answer, truth):
    best, limit = truth.optimum, trial.options["limit"]
    families = answer.details["families"]
    listed = {tuple(sorted(map(tuple, family))) for family in families}
    expected = truth.optimal_families if best is not None else set()
    evidence = f"{answer.status} {answer.claim} {len(listed)}; brute force has {len(expected)} with {best}"
    if "The optimum is not known" in answer.claim:
        return _left_open(answer)
    expect((answer.status is Status.INFEASIBLE) == (best is None), evidence)
    expect(len(listed) == len(families) == answer.low, evidence)
    expect(listed <= expected and len(listed) >= min(1, len(expected)), evidence)
    if answer.proved:
        expect(listed == expected, evidence)
        return "proved"
    if answer.stop_reason == StopReason.FINISHED:
        expect(len(listed) == limit < len(expected), evidence)
        return "proved"
    return "open"


def judged_cheapest(trial, answer, truth):
    expected = truth.least_costs
    evidence = f"{said(answer)}: brute force has {expected}"
    best = None if expected is None else expected[0 if truth.problem.aggregate == "sum" else 1]
    least = None if best is None else best / truth.problem.cost_scale
    if answer.sets:
        expect(is_solution(truth.problem, sets_of(answer)) and answer.high >= least, evidence)
    if answer.status in (Status.FEASIBLE, Status.NOT_SOLVED):
        return _left_open(answer) if trial.exact else "found"
    expect((answer.status is Status.INFEASIBLE) == (best is None) and answer.high == least, evidence)
    if best is not None:
        expect(answer.low == least, evidence)
    return "proved"


def judged_sweep(trial, answer, truth):
    """Judge every cell as the result of a problem of its own."""
    results = [cell.source for cell in answer.details["answers"]]
    outcomes = {judged_solve(trial, result, oracle.Truth(result.problem)) for result in results}
    return next((outcome for outcome in ("open", "unproved", "found") if outcome in outcomes), "proved")


def _asked(question, *names, **fixed):
    """Return a question of an integer problem, whose own arguments have these names."""

    def ask(problem, *, backend, formulation=None, search=None, dissimilarity="dice", **given):
        search = fixed.get("search", search)
        words = "sequential" if search == "sequential" else search or problem.aggregate
        words = problem.aggregate if words == "simultaneous" else words
        own = {name: given.pop(name) for name in names}
        options = {name: given[name] for name in ("random_state", "time_limit")}
        return question(asked(problem, words, dissimilarity), **own, **options, solver=backend)

    return ask


def _solve(problem, **arguments):
    result = solve(problem, **arguments)
    times = [incumbent.objective for incumbent in result.incumbents]
    if arguments["search"] == "simultaneous":
        assert all(one < other for one, other in pairwise(times)), times
        bounds = [inf, *(bound.bound for bound in result.bounds)]
        assert all(one > other for one, other in pairwise(bounds)), bounds
    return result


ASKED = {
    "solve": _solve,
    "most_dissimilar": _asked(explore.most_dissimilar, "loss"),
    "most_sets": _asked(explore.most_sets, "loss"),
    "min_then_sum": _asked(solving.solve, search="min_then_sum"),
    "ties": _asked(explore.ties, "limit"),
    "cheapest": _asked(explore.cheapest),
    "sweep": _asked(explore.sweep),
}
JUDGES = {
    "solve": judged_solve,
    "most_dissimilar": judged_most_dissimilar,
    "most_sets": judged_most_sets,
    "min_then_sum": judged_min_then_sum,
    "ties": judged_ties,
    "cheapest": judged_cheapest,
    "sweep": judged_sweep,
}


def random_options(random, question, problem):
    """Return further arguments of a question, or None if it makes no sense for the problem."""
    search, loss = random.choice(SEARCHES), random.choice(LOSSES)
    dissimilarity, limit = random.choice(("dice", "jaccard")), random.choice((1, 2, MOST_TIES, MOST_TIES))
    alone = search == "simultaneous" and problem.n_sets == 1 and not problem.previous
    makes_sense = {
        "most_dissimilar": not alone,
        "most_sets": not may_be_equal(problem),
        "cheapest": objective_of(problem).is_sum and problem.min_quality is not None,
        "sweep": not problem.has_size_range and problem.n_sets > 1,
    }
    own = {
        "solve": {"search": search},
        "most_dissimilar": {"search": search, "dissimilarity": dissimilarity, "loss": loss},
        "most_sets": {"loss": loss},
        "ties": {"limit": limit},
        "cheapest": {"search": SEARCHES[0]},
        "sweep": {"search": search},
    }
    if not makes_sense.get(question, True):
        return None
    return {"random_state": random.randint(0, 3), **own.get(question, {})}


def random_trials(random, problem, share):
    """Yield trials about a problem: of every formulation of every backend in both searches, or a question.

    Parameters
    ----------
    random : random.Random
    problem : Instance
    share : callable
        Returns for the name of a backend with which probability it is asked.
    """
    backends = [name for name in ("auto", *registry()) if random.random() < share(name)]
    backends = [name for name in backends if name == "auto" or registry()[name].missing() is None]
    question = random.choice([q for q in ASKED if q != "solve"])
    options = random_options(random, question, problem) if random.random() < 0.25 else None
    if options is not None:
        for name in backends:
            if question != "ties" or name == "auto" or name in METHODS:
                yield Trial(question, problem, name, options=options, seconds=_seconds(random))
        return
    changed = reduce(problem, STRENGTHENED).problem is not problem
    for name in backends:
        formulations = (None,) if name == "auto" else registry()[name].formulations
        if name.startswith("minizinc:"):
            formulations = (random.choice(formulations),)
        for formulation in formulations:
            for search in SEARCHES:
                options = {"search": search, "random_state": random.randint(0, 3)}
                yield Trial("solve", problem, name, formulation, options, seconds=_seconds(random))
                if changed and formulation in (None, STRENGTHENED) and random.random() < 0.5:
                    yield Trial("solve", problem, name, formulation, options, reduced=False)


def _seconds(random):
    """Return a time limit: now and then one that cuts a search short, wherever it is."""
    if random.random() >= SHARE_CUT_SHORT:
        return SECONDS
    return round(LONGEST_CUT * (SHORTEST_CUT / LONGEST_CUT) ** random.random(), 4)


def source(trial, evidence):
    """Return Python that repeats a trial, with what is false in its answer as a comment."""
    arguments = {"backend": trial.backend, "formulation": trial.formulation, **trial.options}
    if trial.seconds != SECONDS:
        arguments["time_limit"] = trial.seconds
    given = ", ".join(f"{name}={value!r}" for name, value in arguments.items() if value is not None)
    block = f"print(ASKED[{trial.question!r}](problem, {given}))"
    if not trial.reduced:
        block = f"with without_reductions():\n    {block}"
    return "\n".join(
        (
            "from fuzzing.trials import ASKED, without_reductions",
            "from pyfsel.problem.instance import Instance",
            f"problem = Instance.from_json({trial.problem.to_json()!r})",
            block,
            *(f"# {line}" for line in evidence.splitlines()),
        )
    )
