"""The searches of the white-box methods: a line of DIR/runs.jsonl each, made once, checked by `pyfsel.solve`.

A killed run loses the search in progress: what is in the file is not made again, a torn last line is.
"""

import json
import resource
import time
from pathlib import Path

import psutil

from paper_000.design import HEURISTICS, Task, tasks
from paper_000.measure import have_numbers, problem_of
from pyfsel.algorithms.heuristics.greedy import greedy_balancing, greedy_replacement
from pyfsel.problem.values import to_float
from pyfsel.solving.solve import solve

HEURISTIC = {"rep.": greedy_replacement, "bal.": greedy_balancing}


def run(options):
    """Make the searches of a tier that have numbers and no record yet."""
    records = Records(options.folder / "runs.jsonl")
    asked = tasks(options.tier, options.folds, options.tables, options.methods)
    wanted = [task for task in asked if task not in records.done]
    ready = [t for t in wanted if have_numbers(options.folder, t.method, t.fold, t.table)]
    print(
        f"{len(records.done)} searches are done, {len(ready)} to do, {len(wanted) - len(ready)} not measured"
    )
    arguments = [(options.folder, task, options.seconds_per_set) for task in ready]
    for record in results_of(searched, arguments, options.scheduler, options.cpu_minutes):
        records.append(record)


class Records:
    """A file of records, one a line, that is only ever appended to."""

    def __init__(self, path):
        self.path = Path(path)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        lines = self.path.read_text("utf-8").split("\n") if self.path.exists() else [""]
        if lines[-1]:  # a kill while it was written
            self.path.write_text("\n".join([*lines[:-1], ""]), "utf-8")
        self.records = [json.loads(line) for line in lines[:-1]]
        self.done = {Task(*record["task"]) for record in self.records}

    def append(self, record):
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")


def results_of(function, arguments, scheduler=None, cpu_minutes=None):
    """Yield what a function returns for each of many arguments, here or on workers of a Dask scheduler."""
    if scheduler is None:
        begin = cpu_seconds()
        for given in arguments:
            yield function(*given)
            if cpu_minutes and cpu_seconds() - begin > 60 * cpu_minutes:
                print(f"{cpu_minutes:g} CPU minutes are used; call again to go on")
                return
        return
    from distributed import Client, as_completed

    with Client(scheduler) as client:
        futures = [client.submit(function, *given, pure=False) for given in arguments]
        for _, record in as_completed(futures, with_results=True):
            yield record


def cpu_seconds():
    """Return the CPU seconds of this process and of those it has started, ended ones included."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    total = time.process_time() + ended.ru_utime + ended.ru_stime
    for child in psutil.Process().children(recursive=True):
        try:
            used = child.cpu_times()
        except psutil.Error:
            continue
        total += used.user + used.system + used.children_user + used.children_system
    return total


def searched(folder, task, seconds_per_set):
    """Return the record of one search: its sets, and what is proved about each step or about all."""
    problem = problem_of(folder, task.method, task.fold, task.table, task.k)
    if problem is None:
        return {"task": task, "status": "NO_NUMBERS", "sets": [], "seconds": 0.0, "cpu_seconds": 0.0}
    aggregate = "min" if task.search in ("sim. (min)", "bal.") else "sum"
    problem = problem.replace(n_sets=task.a + 1, max_shared=task.overlap, aggregate=aggregate)
    begin, cpu = time.monotonic(), cpu_seconds()
    if task.search in HEURISTICS:
        sets = HEURISTIC[task.search](problem)
        status = "FEASIBLE" if len(sets) == problem.n_sets else "NOT_SOLVED"
        about = {"backend": task.search, "status": status}
    else:
        search = "sequential" if task.search == "seq." else "simultaneous"
        result = solve(problem, search=search, time_limit=seconds_per_set * problem.n_sets)
        sets, about = result.sets, _about(result)
    times = {"seconds": round(time.monotonic() - begin, 4), "cpu_seconds": round(cpu_seconds() - cpu, 4)}
    return {"task": task, "sets": [list(map(int, s)) for s in sets]} | about | times


def _about(result):
    problem, bound = result.problem, result.integer_bound
    about = {"backend": result.backend, "status": str(result.status), "objective": result.objective}
    about["stopped"] = str(result.stop_reason)
    if result.steps:
        about["steps"] = [
            [str(s.status), None if s.bound is None else to_float(problem, s.bound), round(s.runtime, 4)]
            for s in result.steps
        ]
    elif bound is not None:
        about["bound"] = to_float(problem, bound)
        about["gap"] = result.gap
    return about
