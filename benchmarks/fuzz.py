"""Random problems from the whole input domain: every answer of every backend against brute force.

    python benchmarks/fuzz.py --seconds 3600 --seed 1 --log build/fuzz-1.jsonl
    python benchmarks/fuzz.py --page build/fuzz-*.jsonl -o benchmarks/results/fuzz.md

Instance number i of a seed is the same in every run, and so are the questions about it. With a log the run
goes on after the last problem in it. A contradiction is printed as Python that repeats it;
``--only NUMBER`` runs a single problem again. Not counted as answers: refusals, what a time limit left open,
and what an exact backend finished without a proof.
"""

import argparse
import json
import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import questions_oracle as oracle
from fuzzing.problems import random_problem
from fuzzing.trials import ContradictionError, random_trials, source

from pyfsel import solvers
from pyfsel.solving.workers import end_idle_workers

COMMANDS = """    python benchmarks/fuzz.py --seconds S --seed N --log build/fuzz-N.jsonl   (for each seed)
    python benchmarks/fuzz.py --page build/fuzz-*.jsonl -o benchmarks/results/fuzz.md"""
FLUSH_SECONDS = 30
RECYCLED_PROBLEMS = 400
SHARES = {"minizinc:gecode": 0.1}
SHARE_OF_OTHER_PROGRAMS = 0.03
OUTCOMES = ("proved", "found", "unproved", "open", "refused", "contradictions")


def main():
    options = parse()
    if options.only is not None:
        return run_one(options.seed, options.only, share_of(options.backend))
    if options.page:
        entries = [entry for path in options.page for entry in read(path)]
    else:
        log = Log(options.log, options.seed)
        run(options, log)
        entries = log.entries
    table = markdown(entries)
    print(table)
    if options.output:
        Path(options.output).write_text(table, encoding="utf-8")
    return 1 if any(entry["contradictions"] for entry in entries) else 0


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60, help="how long problems are drawn")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--backend", action="append", help="only this backend (may be given again)")
    parser.add_argument(
        "--only", type=int, metavar="NUMBER", help="run this problem of the seed, and no other"
    )
    parser.add_argument("--log", type=Path, help="JSON lines with the counts; a run goes on after the last")
    parser.add_argument(
        "--page", type=Path, nargs="+", metavar="LOG", help="no run: the counts of these logs"
    )
    parser.add_argument("-o", "--output", help="write the counts as Markdown")
    return parser.parse_args()


def share_of(chosen):
    """Return with which probability a backend is asked: those that start programs only now and then."""

    def share(name):
        if chosen:
            return float(name in chosen)
        if name.startswith(("minizinc:", "maxsat:")):
            return SHARES.get(name, SHARE_OF_OTHER_PROGRAMS)
        return 1.0

    return share


def trials(seed, number, share):
    """Return the problem of this number and what is asked about it."""
    drawn = random.Random(f"{seed}/{number}")
    problem = random_problem(drawn)
    return problem, random_trials(drawn, problem, share)


def run(options, log):
    share = share_of(options.backend)
    deadline = time.monotonic() + options.seconds
    while time.monotonic() < deadline:
        for _ in range(RECYCLED_PROBLEMS):
            if time.monotonic() >= deadline:
                break
            number = log.next_number()
            problem, asked = trials(options.seed, number, share)
            truth = oracle.Truth(problem)
            for trial in asked:
                try:
                    outcome = trial.outcome(truth)
                except ContradictionError as error:
                    outcome = "contradictions"
                    log.contradict(number, trial, str(error))
                log.count(trial.kind, outcome)
        end_idle_workers()
    log.flush()


def run_one(seed, number, share):
    problem, asked = trials(seed, number, share)
    truth, code = oracle.Truth(problem), 0
    for trial in asked:
        try:
            print(*trial.kind, trial.outcome(truth))
        except ContradictionError as error:
            print(source(trial, str(error)), "\n")
            code = 1
    return code


def read(path):
    """Return the entries of a log."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


class Log:
    """Counts of answers, written to a file of JSON lines as they come."""

    def __init__(self, path, seed):
        self.path = path
        self.seed = seed
        self.entries = []
        if path is not None and path.exists():
            self.entries = read(path)
        mine = [entry["last"] for entry in self.entries if entry["seed"] == seed]
        self.number = max(mine, default=-1)
        self.begin()

    def begin(self):
        self.first = self.number + 1
        self.start = time.monotonic()
        self.counts = Counter()
        self.contradictions = []

    def next_number(self):
        if time.monotonic() - self.start > FLUSH_SECONDS:
            self.flush()
        self.number += 1
        return self.number

    def count(self, kind, outcome):
        self.counts[(*kind, outcome)] += 1

    def contradict(self, number, trial, evidence):
        """Keep a contradiction."""
        text = source(trial, evidence)
        print(f"# seed {self.seed}, problem {number}\n{text}\n", flush=True)
        self.contradictions.append({"problem": number, "kind": trial.kind, "source": text})

    def flush(self):
        if self.number < self.first:
            return
        entry = {
            "seed": self.seed,
            "first": self.first,
            "last": self.number,
            "commit": commit(),
            "seconds": round(time.monotonic() - self.start, 1),
            "counts": [[*key, number] for key, number in sorted(self.counts.items())],
            "contradictions": self.contradictions,
        }
        self.entries.append(entry)
        if self.path is not None:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(entry) + "\n")
        total = sum(number for key, number in self.counts.items() if key[-1] in OUTCOMES[:2])
        print(f"seed {self.seed}, problems to {self.number}: {total} answers", file=sys.stderr, flush=True)
        self.begin()


def commit():
    command = ["git", "rev-parse", "--short", "HEAD"]
    found = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parent, check=False)
    return found.stdout.strip()


def markdown(entries):
    """Return the counts of a log as Markdown."""
    counts = Counter()
    for entry in entries:
        for *key, number in entry["counts"]:
            counts[tuple(key)] += number
    by_outcome = Counter()
    for key, number in counts.items():
        by_outcome[key[-1]] += number
    problems = sum(entry["last"] - entry["first"] + 1 for entry in entries)
    hours = sum(entry["seconds"] for entry in entries) / 3600
    seeds = sorted({entry["seed"] for entry in entries})
    commits = list(dict.fromkeys(entry["commit"] for entry in entries))
    answers = by_outcome["proved"] + by_outcome["found"]
    versions = solvers()["version"]
    text = [
        "# Random problems against brute force",
        "",
        COMMANDS,
        "",
        f"{answers:,} answers about {problems:,} problems, {by_outcome['contradictions']} contradictions. "
        f"Not counted: {by_outcome['refused']:,} refusals, {by_outcome['open']} answers that the time limit "
        f"left open, {by_outcome['unproved']} that ended without a proof. "
        f"Seeds {', '.join(map(str, seeds))}; {hours:.1f} hours; commits {', '.join(commits)}.",
        "",
        "*proved*: optimal or infeasible, as brute force says; *found*: what a heuristic may say, its sets",
        "and values true. Questions are those of `pyfsel explore`; *not reduced*: with the",
        "reductions that all backends share switched off.",
        "",
    ]
    text += _table("backend", 0, counts, lambda name: f" {versions.get(name) or ''}".rstrip())
    text += _table("question", 2, counts)
    text += _table("backend and formulation", (0, 1), counts)
    return "\n".join(text)


def _table(title, part, counts, more=lambda name: ""):
    rows = {}
    for *key, outcome, number in [(*key, number) for key, number in counts.items()]:
        name = key[part] if isinstance(part, int) else " ".join(key[p] for p in part).strip()
        rows.setdefault(name, Counter())[outcome] += number
    lines = [f"| {title} | answers | {' | '.join(OUTCOMES)} |", "|" + "---|" * (len(OUTCOMES) + 2)]
    for name in sorted(rows):
        row = rows[name]
        if row.total() == row["refused"]:
            continue
        numbers = [row["proved"] + row["found"], *(row[outcome] for outcome in OUTCOMES)]
        lines.append(f"| {name}{more(name)} | {' | '.join(f'{number:,}' for number in numbers)} |")
    return [*lines, ""]


if __name__ == "__main__":
    sys.exit(main())
