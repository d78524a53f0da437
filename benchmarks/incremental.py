"""Sequential search: what is gained by keeping a solver's state between the sets, against starting afresh.

    python benchmarks/incremental.py -o benchmarks/results/incremental.md

- rc2 kept: one RC2 object for all sets; each found set adds hard clauses (its overlap), and RC2 goes on with
  the cores it has. rc2 afresh: a new encoding for each set, with prices for the overlaps with earlier ones.
- cpsat kept: one model, to which each found set adds a constraint, with the last set as hint. cpsat afresh: a
  new model, with the greedy start as hint.
- process kept: one child process for all sets (what `pyfsel.SequentialSearch` does). process afresh: a new
  one for each set.
- minizinc: the share of compilation in a run of MiniZinc, which cannot be kept: every call is a new process.

All other rows are CPU seconds in one process that has solved something before, so that imports do
not count. Each figure is the median of the rounds.
"""

import argparse
import statistics
import time
import warnings
from pathlib import Path

from ortools.sat.python import cp_model
from pysat.examples.rc2 import RC2Stratified

from pyfsel.algorithms.heuristics import start_solution
from pyfsel.backends import get_backend
from pyfsel.backends.maxsat.encoding import encode
from pyfsel.drivers.cpsat import Program
from pyfsel.drivers.sat.counters import at_most
from pyfsel.drivers.sat.formula import Formula
from pyfsel.measures import quality
from pyfsel.measures.tables.table import load_dataset, prepare
from pyfsel.model.build import build
from pyfsel.problem import values as problem_values
from pyfsel.problem.instance import Instance
from pyfsel.problem.make import make_instance
from pyfsel.results.control import Control, Limits
from pyfsel.solving.sequential import SequentialSearch
from pyfsel.solving.sessions import Session
from pyfsel.solving.solve import solve

COMMAND = "python benchmarks/incremental.py -o benchmarks/results/incremental.md"
LIBRARY = Path(__file__).parents[1] / "instances" / "real"
COLUMNS = ("problem", "what", "afresh s", "kept s", "kept / afresh", "same values")


def main():
    options = parse()
    lines = ["| " + " | ".join(COLUMNS) + " |", "|" + "---|" * len(COLUMNS)]
    print("\n".join(lines))
    warm_up()
    for name, problem in problems():
        for what, afresh, kept, clock in (
            ("rc2", rc2_afresh, rc2_kept, time.process_time),
            ("cpsat", cpsat_afresh, cpsat_kept, time.process_time),
            ("process (cpsat), wall", process_afresh, process_kept, time.perf_counter),
        ):
            if clock is time.perf_counter and problem.n_sets > MOST_PROCESSES:
                continue
            lines.append(row(name, what, problem, (afresh, kept), options.rounds, clock))
            print(lines[-1], flush=True)
        lines.append(minizinc_row(name, problem))
        print(lines[-1], flush=True)
    if options.output:
        head = ["# State kept between the sets of a sequential search", "", f"`{COMMAND}`", "", *lines, ""]
        options.output.write_text("\n".join([*head, CONCLUSION]))


CONCLUSION = """\
What is kept is the child process, the proved bound of a step, which bounds the next one, and the sets found
on the way that stay valid: the best of them is the start of the next step if the greedy one is worse.

A step afresh takes a few hundredths of a second at most. Going on with RC2's cores saves part of that in
short sequences and costs in long ones: a new encoding prices the overlaps with the earlier sets; little is
left to prove then, while old cores get in the way. CP-SAT learns nothing from call to call; what is saved is
building its model. Neither is kept. MiniZinc starts a new process for each call and cannot keep a compiled
model; its flattening is shown.
"""
MOST_PROCESSES = 10


def warm_up():
    """Import what the measured methods use."""
    small = make_instance([5, 4, 3, 2, 1], k=2, n_alternatives=2, max_overlap=1)
    for method in (rc2_afresh, rc2_kept, cpsat_afresh, cpsat_kept):
        method(small)


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("-o", "--output", type=Path, help="also write a Markdown file")
    return parser.parse_args()


def problems():
    for table, k, n_alternatives, max_overlap in (
        ("breast_cancer", 5, 9, 2),
        ("breast_cancer", 5, 19, 3),
        ("digits", 5, 9, 2),
        ("digits", 5, 19, 2),
        ("sonar", 5, 49, 3),
    ):
        made = make_instance(qualities(table), k=k, n_alternatives=n_alternatives, max_overlap=max_overlap)
        yield f"{table} k={k}, {n_alternatives + 1} sets, max_overlap={max_overlap}", made


def qualities(table):
    """Return the binned mutual information of a bundled table, or of one in the instance library."""
    known = sorted(LIBRARY.glob(f"{table}-univariate-k5-*.json"))
    if known:
        return Instance.load(known[0]).quality_floats
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return quality(prepare(*load_dataset(table)), measure="mutual_info_binned")


def row(name, what, problem, methods, rounds, clock):
    afresh, kept = methods
    seconds, values = {afresh: [], kept: []}, {}
    for _ in range(rounds):
        for method in methods:
            begin = clock()
            values[method] = method(problem)
            seconds[method].append(clock() - begin)
    slow, fast = (statistics.median(seconds[method]) for method in (afresh, kept))
    same = "yes" if values[afresh] == values[kept] else first_difference(values[afresh], values[kept])
    return f"| {name} | {what} | {slow:.2f} | {fast:.2f} | {fast / slow:.2f} | {same} |"


def first_difference(first, second):
    """Say where two exact runs part: ties decide which sets come later."""
    same = next((i for i, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), len(first))
    return f"up to set {same} (ties)"


def afresh_by(solve_step):
    def run(problem: Instance):
        step, found = problem.after([]), []
        for _ in range(problem.n_sets):
            members = solve_step(step)
            if members is None:
                break
            found.append(problem_values.value(problem, members))
            step = step.after([members])
        return found

    return run


def rc2_step(step):
    answer = get_backend("rc2").solve(step, Control(hint=start_solution(step)))
    return answer.sets[0] if answer.sets else None


def cpsat_step(step):
    answer = get_backend("cpsat").solve(step, Control(hint=start_solution(step)))
    return answer.sets[0] if answer.sets else None


rc2_afresh, cpsat_afresh = afresh_by(rc2_step), afresh_by(cpsat_step)


def rc2_kept(problem):
    encoding = encode(problem.after([]))
    row = encoding.model.member[0]
    solver = RC2Stratified(
        encoding.to_wcnf(), solver="glucose4", adapt=True, exhaust=True, minz=True, nohard=True
    )
    counters = Formula()
    counters.pool.occupy(1, solver.pool.top)
    found = []
    for _ in range(problem.n_sets):
        model = solver.compute()
        if model is None:
            break
        (members,) = encoding.decode(model)
        found.append(problem_values.value(problem, members))
        counters.pool.occupy(1, max(solver.pool.top, counters.pool.top))
        before = len(counters.hard)
        at_most(counters, [row[j] for j in members], problem.max_overlap, "seqcounter")
        solver.pool.occupy(1, counters.pool.top)
        for clause in counters.hard[before:]:
            solver.add_clause(list(clause))
    solver.delete()
    return found


def cpsat_kept(problem):
    m = build(problem.after([]).replace(max_overlap=problem.max_overlap))
    program = Program(m)
    member = [program.x[v] for v in m.member[0]]
    found = []
    for _ in range(problem.n_sets):
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        if solver.solve(program.model) != cp_model.OPTIMAL:
            break
        (members,) = m.sets(lambda v, value=solver.value: value(program.x[v]))
        found.append(problem_values.value(problem, members))
        program.model.add(sum(member[j] for j in members) <= problem.max_overlap)
        program.model.clear_hints()
        for j, variable in enumerate(member):
            program.model.add_hint(variable, j in members)
    return found


def process_afresh(problem):
    step, found = problem.after([]), []
    for _ in range(problem.n_sets):
        with Session(get_backend("cpsat")) as session:
            answer = session.solve(step, Control(hint=start_solution(step)))
        if not answer.sets:
            break
        found.append(problem_values.value(problem, answer.sets[0]))
        step = step.after(answer.sets)
    return found


def process_kept(problem):
    search = SequentialSearch(problem, get_backend("cpsat"), limits=Limits())
    return [step.objective for step in search if step.objective is not None]


def minizinc_row(name, problem):
    alone = problem.after([start_solution(problem.after([]))[0]])
    result = solve(alone, "minizinc:gecode", time_limit=60, search="simultaneous")
    flat, seconds = result.statistics.get("flatTime", "?"), result.runtime
    return f"| {name} | minizinc:gecode, one set | {seconds:.2f} | | flattening: {flat} | |"


if __name__ == "__main__":
    main()
