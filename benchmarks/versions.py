r"""Two checkouts of pyfsel on the same instances: what a backend proves within a limit of CPU seconds.

    git worktree add /tmp/old v0.1.0
    nice python benchmarks/versions.py --old /tmp/old --backend cpsat --backend mip:highs \
        --records benchmarks/results/versions.jsonl instances/real/*.json
    python benchmarks/versions.py --records benchmarks/results/versions.jsonl \
        -o benchmarks/results/versions.md

Each run is a process of its own with one thread, the strengthened formulation and its reductions; its clock
begins when all is imported. Backends get no start; with `--start` they run within the simultaneous `solve`
of their version, from the start that it finds, which is in the clock, as users have it. Only what the process
itself computes is counted: CBC, a program, is not for this. Each version reads its own copy of an instance.
`--records` keeps a line per run; what it has is not run again. PAR2 counts an unproved run as twice the
limit.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import threading
import time
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WALL = 20  # times the limit, on a machine with other work
PROVED = ("OPTIMAL", "INFEASIBLE")
WORST = 5
FROM_START = ", from the start of `solve`"
SMALL = "instances/real/pima-mrmr-k5-a1-t0.6-sum.json"  # in either version's names
RECORDS = "benchmarks/results/versions.jsonl"
COMMAND = f"python benchmarks/versions.py --records {RECORDS} -o benchmarks/results/versions.md"


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("instances", type=Path, nargs="*")
    parser.add_argument("--old", type=Path)
    parser.add_argument("--backend", action="append", default=[])
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--records", type=Path, required=True)
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--start", action="store_true", help="the whole `solve`, from its own start")
    parser.add_argument("--note", default="", help="a sentence for the head of the tables")
    parser.add_argument("--one", nargs=2, metavar=("INSTANCE", "BACKEND"), help=argparse.SUPPRESS)
    return parser.parse_args()


def main():
    options = parse()
    if options.one:
        run_here(*options.one, options.seconds, options.start)
        return
    records = read(options.records)
    done = {(r["name"], r["backend"], r["side"]) for r in records}
    sides = [("old", options.old.resolve()), ("new", ROOT)] if options.old else []
    for path in options.instances:
        for name in options.backend:
            backend = name + FROM_START * options.start
            for side, checkout in sides if sum(map(ord, path.stem)) % 2 else sides[::-1]:
                if (path.stem, backend, side) not in done:
                    record = {"name": path.stem, "backend": backend, "side": side}
                    record |= run(path, name, checkout, options)
                    with options.records.open("a") as file:
                        file.write(json.dumps(record) + "\n")
                    print(*record.values(), flush=True)
    text = report(read(options.records), options.seconds, options.note)
    print(text)
    if options.output:
        options.output.write_text(text)


def read(path):
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def run(path, backend, checkout, options):
    """Run one backend of one checkout in a process, on its own copy of the file, and return what it says."""
    command = [sys.executable, __file__, "--records", os.devnull, "--seconds", str(options.seconds)]
    command += ["--start"] * options.start
    env = os.environ | {"PYTHONPATH": str(checkout)}
    ended = subprocess.run(
        [*command, "--one", checkout / path.resolve().relative_to(ROOT), backend],
        env=env, cwd=checkout, capture_output=True, text=True, check=False,
    )  # fmt: skip
    try:
        return json.loads(ended.stdout.splitlines()[-1])
    except (IndexError, ValueError):
        return {"status": "ERROR", "message": ended.stderr[-300:]}


def run_here(path, backend, seconds, start):
    """Solve in this process, which ends itself when its CPU seconds are used up."""
    import warnings

    import highspy  # noqa: F401
    import ortools.sat.python.cp_model  # noqa: F401
    import scipy.optimize  # noqa: F401

    from pyfsel.backends import get_backend
    from pyfsel.problem import values
    from pyfsel.reductions import reduce
    from pyfsel.results.control import Control, Limits
    from pyfsel.solving.solve import solve

    try:
        from pyfsel.problem.instance import Instance
    except ImportError:  # before it got this name
        from pyfsel.problem.problem import Problem as Instance
    warnings.simplefilter("ignore")
    problem = Instance.load(path)
    reduced, solver = reduce(problem, "strengthened"), get_backend(backend)
    best, bounds, ending = [], [], threading.Lock()

    def end(status, value, bound, cpu):
        with ending:  # never left
            ending.acquire(blocking=False)
            found = {"status": str(status), "value": value, "bound": bound, "cpu": round(cpu, 2)}
            os.write(1, f"\n{json.dumps(found)}\n".encode())
            os._exit(0)

    def watch():
        while time.process_time() < begin + seconds:
            time.sleep(0.05)
        end("LIMIT", value_of(best[-1]) if best else None, min(bounds, default=None), seconds)

    def value_of(sets):
        return None if sets is None else values.total(problem, reduced.invert(sets))

    if start:
        type(solver).isolated = False  # what the process itself computes is counted
        begin = time.process_time()
        threading.Thread(target=watch, daemon=True).start()
        result = solve(problem, solver, "simultaneous", WALL * seconds)
        end(result.status, result.integer_objective, result.integer_bound, time.process_time() - begin)
    solver.solve(Instance.load(SMALL), Control())  # loads what is loaded late
    control = Control(
        Limits.starting_now(WALL * seconds),
        report_sets=lambda sets: best.append(tuple(map(tuple, sets))),
        report_bound=bounds.append,
    )
    begin = time.process_time()
    threading.Thread(target=watch, daemon=True).start()
    answer = solver.solve(reduced.problem, control)
    end(answer.status, value_of(answer.sets), answer.bound, time.process_time() - begin)


def report(records, seconds, note=""):
    """Return tables of what both sides prove, and where they differ most."""
    lines = ["# Two versions on the same instances", "", f"`{COMMAND}`", ""]
    how = f"strengthened, no start but{FROM_START.removeprefix(',')} where that is said"
    lines += [f"One thread, {seconds:g} CPU seconds, {how}. {note}".rstrip(), ""]
    lines += ["| backend | instances | proved old → new | PAR2 old → new | ratio new/old, both proved |"]
    lines += ["|---|---|---|---|---|"]
    for backend, pairs in paired(records).items():
        both = [(old["cpu"], new["cpu"]) for old, new in pairs.values() if is_proved(old) and is_proved(new)]
        logs = [math.log((new + 0.05) / (old + 0.05)) for old, new in both]
        ratio = math.exp(sum(logs) / len(logs)) if logs else math.nan
        n_proved = [sum(is_proved(pair[i]) for pair in pairs.values()) for i in (0, 1)]
        par2 = [sum(score(pair[i], seconds) for pair in pairs.values()) / len(pairs) for i in (0, 1)]
        counts = f"{n_proved[0]} → {n_proved[1]} | {par2[0]:.2f} → {par2[1]:.2f}"
        lines.append(f"| {backend} | {len(pairs)} | {counts} | {ratio:.2f} |")
    for backend, pairs in paired(records).items():
        lines += ["", f"## The {WORST} worst of {backend}", ""]
        lines += ["| instance | old | new |", "|---|---|---|"]

        def loss(name, pairs=pairs):
            old, new = (score(record, seconds) + 0.05 for record in pairs[name])
            return new / old

        for name in sorted(pairs, key=loss, reverse=True)[:WORST]:
            lines.append(f"| {name} | {' | '.join(map(told, pairs[name]))} |")
    wrong = contradictions(records)
    return "\n".join([*lines, "", f"Contradictions: {', '.join(wrong) or 'none'}.", ""])


def paired(records):
    found = defaultdict(dict)
    for record in records:
        found[record["backend"], record["name"]][record["side"]] = record
    by_backend = defaultdict(dict)
    for (backend, name), sides in found.items():
        if len(sides) == 2:
            by_backend[backend][name] = sides["old"], sides["new"]
    return by_backend


def is_proved(record):
    return record["status"] in PROVED


def score(record, seconds):
    return record["cpu"] if is_proved(record) else 2 * seconds


def told(record):
    if is_proved(record):
        return f"{record['cpu']:.2f} s"
    return f"{record['status']}, {record.get('value')} of at most {record.get('bound')}"


def contradictions(records):
    """Return the instances on which what is proved cannot all be true."""
    optima, wrong = defaultdict(set), []
    for record in filter(is_proved, records):
        optima[record["name"]].add(record["value"])
    for record in records:
        best = optima.get(record["name"], {None})
        if len(best) > 1 or (None not in best and (record.get("value") or -math.inf) > max(best)):
            wrong.append(record["name"])
    return sorted(set(wrong))


if __name__ == "__main__":
    main()
