"""How answers to questions look: what is proved in words, and the sets."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from pyfsel import objectives
from pyfsel.display import STOPS, aligned, facts_table, listed_names, result_table
from pyfsel.problem import Problem
from pyfsel.questions.min_then_sum import MinThenSum
from pyfsel.questions.most_dissimilar import MostDissimilar
from pyfsel.questions.most_sets import MostSets
from pyfsel.questions.ties import Ties
from pyfsel.result import Status

if TYPE_CHECKING:
    from rich.console import RenderableType

Answer = MostDissimilar | MostSets | MinThenSum | Ties
Facts = list[tuple[str, str]]
MOST_SHOWN_FAMILIES = 20


def question_table(answer: Answer, overlap_rule: str = "") -> RenderableType:
    """Return what `rich` prints of an answer.

    Parameters
    ----------
    answer : MostDissimilar, MostSets, MinThenSum or Ties
    overlap_rule : str
        What the limit on shared features comes from.
    """
    from rich.console import Group
    from rich.text import Text

    if isinstance(answer, Ties):
        return Group(_families_table(answer), Text(), facts_table(_ties(answer)))
    parts: list[RenderableType] = [facts_table(_facts(answer))]
    if answer.result is not None:
        parts += [Text(), result_table(answer.result, overlap_rule)]
    return Group(*parts)


def question_text(answer: Answer, width: int = 100) -> str:
    """Return the table of an answer as plain text of at most so many columns."""
    from rich.console import Console

    console = Console(file=io.StringIO(), width=width, color_system=None)
    with console.capture() as captured:
        console.print(question_table(answer))
    return "\n".join(line.rstrip() for line in captured.get().splitlines())


def _facts(answer: MostDissimilar | MostSets | MinThenSum) -> Facts:
    if isinstance(answer, MostDissimilar):
        said = _most_dissimilar(answer)
    else:
        said = _most_sets(answer) if isinstance(answer, MostSets) else _min_then_sum(answer)
    return [*said, *_proof(answer), ("question", _solved(answer)), *_ending(answer)]


def _most_dissimilar(answer: MostDissimilar) -> Facts:
    if answer.status is Status.INFEASIBLE:
        said = "no sets are good enough (proved)"
    elif answer.largest is None or answer.bound is None:
        said = "nothing found" if answer.bound is None else f"at most {float(answer.bound):.4g} (proved)"
    elif answer.largest == answer.bound:
        said = f"{float(answer.largest):.4g} is the largest {answer.dissimilarity} dissimilarity (proved)"
    else:
        said = (
            f"{float(answer.largest):.4g} found, more than {float(answer.bound):.4g} is impossible (proved); "
            f"{answer.dissimilarity} dissimilarity"
        )
    facts = [("answer", said), *_threshold(answer)]
    for number, members in enumerate(answer.problem.previous_sets):
        name = "original" if number == 0 else f"previous {number}"
        facts.append((name, listed_names(answer.problem.names_of(members))))
    return facts


def _most_sets(answer: MostSets) -> Facts:
    if answer.status is Status.INFEASIBLE:
        said = "0 sets are good enough (proved)"
    elif answer.status is Status.OPTIMAL:
        said = f"{_sets(answer.n_sets)}, and no more exist (proved by {answer.bound_from})"
    elif answer.bound is None:
        said = "nothing found"
    else:
        said = f"{_sets(answer.n_sets)} found, at most {answer.bound} exist (proved by {answer.bound_from})"
    return [("answer", said), *_threshold(answer)]


def _min_then_sum(answer: MinThenSum) -> Facts:
    minimum, total = answer.minimum, answer.total
    if minimum is None or total is None:
        return [("answer", "no such sets exist (proved)" if answer.is_infeasible else "nothing found")]
    problem = answer.problem
    numbers = [("smallest", minimum, answer.minimum_bound), ("sum", total, answer.total_bound)]
    facts = []
    for name, found, bound in numbers:
        if bound == found:
            proof = "proved largest" if name == "smallest" else "proved largest with that smallest quality"
        else:
            proof = "no bound" if bound is None else f"at most {_quality(problem, bound)} is possible"
        facts.append((name, f"{_quality(problem, found)} ({proof})"))
    if answer.costs_nothing is not None:
        alone = answer.sum_alone
        assert alone is not None
        best = _quality(problem, alone.integer_objective or 0)
        said = (
            "these sets have the best sum of all"
            if answer.costs_nothing
            else f"the best sum of all is {best}"
        )
        facts.append(("compare", said))
    return facts


def _ties(answer: Ties) -> Facts:
    one = answer.problem.n_sets == 1
    what = "set" if one else f"families of {answer.problem.n_sets} sets"
    if one and answer.n_families != 1:
        what = "sets"
    if answer.status is Status.INFEASIBLE:
        said = "no such sets exist (proved)"
    elif answer.status is not Status.OPTIMAL:
        said = "the optimum is not proved"
    elif answer.is_complete:
        said = f"{answer.n_families} optimal {what}, and no others (proved)"
    else:
        said = f"at least {answer.n_families} optimal {what}"
    facts = [("answer", said)]
    if answer.optimum is not None:
        facts.append(("optimum", _quality(answer.problem, answer.optimum)))
    if answer.n_families > 1:
        names = listed_names(answer.problem.feature_names[j] for j in answer.always)
        facts.append(("in all", names or "no feature"))
    listed = ("listed by", f"{answer.method}, {answer.runtime:.2f} s")
    return [*facts, *_proof(answer), listed, *_ending(answer)]


def _families_table(answer: Ties) -> RenderableType:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, collapse_padding=True)
    table.add_column("", justify="right", vertical="top", header_style="bold")
    table.add_column("features" if answer.problem.n_sets == 1 else "sets", header_style="bold")
    for number, family in enumerate(answer.families[:MOST_SHOWN_FAMILIES], start=1):
        lines = [listed_names(answer.problem.names_of(members)) for members in family]
        table.add_row(str(number), Text("\n".join(lines)))
    hidden = answer.n_families - MOST_SHOWN_FAMILIES
    if hidden > 0:
        table.add_row("…", f"{hidden} more (--format json lists all)")
    return table


def _proof(answer: Answer) -> Facts:
    """Return whether the proofs were confirmed, if that was asked for."""
    return [] if answer.confirmation is None else [("proof", str(answer.confirmation))]


def _solved(answer: Answer) -> str:
    solved = "1 problem" if len(answer.trials) == 1 else f"{len(answer.trials)} problems"
    return f"{solved} solved, {answer.runtime:.2f} s"


def _ending(answer: Answer) -> Facts:
    ending = "; ".join(part for part in (STOPS[answer.stop_reason], answer.message) if part)
    return [("ended", ending)] if ending else []


def _threshold(answer: MostDissimilar | MostSets) -> Facts:
    """Return what is asked of each set, and how the worst set found compares."""
    problem, best = answer.problem, answer.best_quality
    if problem.min_quality is None:
        return []
    said = f"at least {_quality(problem, problem.min_quality)} for each set"
    if best is not None:
        said += f", the best set has {_quality(problem, best)}"
    if answer.sets and best is not None and best > 0:
        worst = int(objectives.values(problem, answer.sets).min())
        said += f", the worst one found {100 * worst / best:.1f} % of it"
    return [("quality", said)]


def _sets(number: int) -> str:
    return "1 set" if number == 1 else f"{number} sets"


def _quality(problem: Problem, integer: int) -> str:
    return aligned([objectives.to_float(problem, integer)])[0]
