"""Certificates of the instance library; how large certificates are, and how long making and checking takes.

$ python benchmarks/certificates.py library [--limit S] [--only real/wine] [--objectives cfs] [--seconds S]
      # writes instances/certificates/
$ python benchmarks/certificates.py targets [FOLDER]    # FOLDER has golub.csv.gz; prints a table in Markdown
$ python benchmarks/certificates.py steps     # the largest steps of sequential searches, from the record
$ python benchmarks/certificates.py veripb    # proofs for VeriPB, checked where `veripb` is on the PATH
$ python benchmarks/certificates.py grid [--minutes M] [--search NAME] [--of MEASURE ...] [-k K]
      # adds settings to benchmarks/results/certificates-grid.csv; prints shares

`grid` has the settings of the experiment of paper 000, Section 5 (k, overlap, alternatives, search) on
the numbers of whole tables (instances/paper-000), mixed with a fixed seed, so that what is in the record is a
sample of each kind. It goes on where the record ends; with `--again`, where less time was not enough. Lines
of the record that are taken out are made again. Where fewer sets, or sets that may share more, are known not
to exist, their certificate is made again if it has to be, and checked for the setting.

Seconds are those of one processor; of solving, which has a process of its own, those of the clock.
"""

import argparse
import csv
import gzip
import json
import re
import shutil
import subprocess
import tempfile
import time
from dataclasses import replace
from functools import cache
from math import sqrt
from pathlib import Path
from random import Random

import numpy as np

from pyfsel.backends.export import opb_text
from pyfsel.certificates.certify import certify
from pyfsel.certificates.veripb import veripb_proof
from pyfsel.checker import Instance as Asked
from pyfsel.checker import RefusedError, Work, check, verdict
from pyfsel.errors import InputError
from pyfsel.problem.instance import Instance
from pyfsel.results.backend_answer import Status, StopReason
from pyfsel.results.result import Result
from pyfsel.solving.solve import solve

SEED = 25
INSTANCES = Path(__file__).parents[1] / "instances"
SETTING = ("instance", "k", "max_shared", "search", "aggregate", "n_sets")
SHARED = "shared"
RECORD = Path(__file__).parent / "results" / "certificates-grid.csv"
STEP_BYTES, STEP_SECONDS = 25_000, 0.1
MOST_BYTES, MOST_SECONDS = 40_000, 2.0
"""Of a certificate of the library, and of its check; for those of pairs `--seconds` was 0.2."""


def best_known(entry):
    """Return what the manifest says of an instance as a result, which `certify` believes as little as any."""
    problem = Instance.load(INSTANCES / entry["file"])
    status = Status(entry["status"])
    sets = tuple(map(tuple, entry["sets"] or ()))
    bound = entry["bound"] if sets else None
    return Result(
        problem,
        sets,
        status,
        bound,
        entry["by"] or "none",
        "simultaneous",
        0.0,
        StopReason.FINISHED,
    )


def library(limit, only, objectives, seconds):
    entries = json.loads((INSTANCES / "manifest.json").read_text())
    proved = [e for e in entries if e["status"] in ("OPTIMAL", "INFEASIBLE") and e["family"] != "consistency"]
    tried = [
        e for e in proved if e["file"].startswith(only) and (not objectives or e["objective"] in objectives)
    ]
    tried.sort(key=lambda e: (e["objective"] not in ("univariate", "fcbf"), e["file"]))
    for entry in tried:
        result = best_known(entry)
        start = time.process_time()
        certificate = certify(result, limit)
        made = time.process_time() - start
        start = time.process_time()
        if certificate.is_complete:
            check(certificate.text, Asked.of(result.problem.to_dict()))
        checked = time.process_time() - start
        small = certificate.is_complete and certificate.size <= MOST_BYTES and checked <= seconds
        if small:
            path = INSTANCES / "certificates" / Path(entry["file"]).with_suffix(".cert")
            path.parent.mkdir(parents=True, exist_ok=True)
            certificate.save(path)
        print(
            entry["file"],
            certificate,
            f"made {made:.2f} s, checked {checked:.2f} s",
            "" if small else "(not kept)",
            flush=True,
        )


def row(name, problem, search="simultaneous", backend="auto", limit=600.0):
    """Print what solving a problem, writing a certificate and checking it take.

    `certify` calls nothing certified that it has not checked; that check is not counted as writing.
    """
    result = solve(problem, backend, search, time_limit=60)
    start = time.process_time()
    certificate = certify(result, limit)
    made = time.process_time() - start
    start = time.process_time()
    try:
        verdicts = check(certificate.text, Asked.of(result.problem.to_dict()))
    except RefusedError as refusal:
        verdicts = [(str(refusal), "")]
    checked = time.process_time() - start
    rules, certified = ", ".join(certificate.rules), sum(bool(by) for _, by in verdicts)
    times = (f"{result.runtime:.2f}", f"{max(0, made - checked):.2f}", f"{checked:.3f}")
    cells = (
        name,
        rules,
        f"{certified} of {len(verdicts)}",
        f"{certificate.size:,}",
        *times,
    )
    print(f"| {' | '.join(cells)} |", flush=True)


def steps():
    """Print the largest step of sequential searches by MI or model gain, and the slowest check of one.

    Only files of the record that are larger than a step should be, or took longer, or an unknown time, to
    make and check, can have such steps; these files are made again.
    """
    record = read_record()
    tasks = [
        task
        for task, (_, _, certified, size, *_, seconds) in record.items()
        if task[3] == "sequential" and kind(*task)[0] in ("mi", "model-gain") and int(certified)
        if int(size) > STEP_BYTES or float(seconds or 9) > STEP_SECONDS
    ]
    sizes, times = [], []
    for task in tasks:
        problem = replace(Asked.of(asked_for(task).to_dict()), n_sets=1)
        _, found, _ = made(task, float(record[task][5]))
        for part in re.split(r'(?m)^(?=\{"claim")', found.text)[1:]:
            start = time.process_time()
            claim, *lines = map(json.loads, part.splitlines())
            _, by = verdict(claim, problem, iter(lines), Work(10**10))
            if by:
                sizes.append((len(part), by, task))
                times.append((round(time.process_time() - start, 4), by, task))
            if "sets" in claim:
                problem = problem.beside(tuple(claim["sets"][0]))
    print(f"{len(tasks)} files are large or slow enough; they have {len(sizes)} certified steps")
    print(f"largest: {max(sizes)}; over {STEP_BYTES:,} bytes: {sum(s > STEP_BYTES for s, *_ in sizes)}")
    print(f"slowest: {max(times)}; over {STEP_SECONDS} s: {sum(t > STEP_SECONDS for t, *_ in times)}")
    trees = [told for told in times if not told[1].startswith("chain")]
    print(
        f"slowest of trees: {max(trees)}; over {STEP_SECONDS} s: {sum(t > STEP_SECONDS for t, *_ in trees)}"
    )


def instance(name, **changes):
    return Instance.load(INSTANCES / "real" / f"{name}.json").replace(**changes)


def targets(folder):
    heads = ("what", "rule", "certified", "bytes", "solved, s", "written, s", "checked, s")
    print(f"| {' | '.join(heads)} |\n{'|---' * len(heads)}|")
    for name in ("wdbc_uci", "sonar", "clean1"):
        for k, m in ((5, 2), (10, 4)):
            problem = instance(
                f"{name}-univariate-k{k}-a3-t0.4-sum",
                n_sets=6,
                k=k,
                max_shared=m,
            )
            row(f"{name}, k = {k}, m = {m}, six steps", problem, "sequential")
    for name in ("wdbc_uci", "sonar", "clean1"):
        problem = instance(f"{name}-univariate-k5-a3-t0.4-sum", n_sets=4, max_shared=2)
        row(f"{name}, sum of 4 sets, k = 5, m = 2", problem)
        problem = problem.replace(n_sets=10, max_shared=1)
        row(f"{name}, sum of 10 sets, k = 5, m = 1", problem)
    for name, k in (
        ("clean1", 5),
        ("wdbc_uci", 10),
        ("ionosphere", 10),
        ("sonar", 10),
        ("clean1", 10),
    ):
        files = {5: f"{name}-mrmr-k5-a1-t0.6-sum", 10: f"{name}-mrmr-k10-a0"}
        problem = instance(files[k], n_sets=1)
        row(f"{name}, mRMR, k = {k}, one set", problem)
    if folder is not None:
        row(
            "golub, mRMR, k = 5, one set of 3,051 genes",
            golub(folder),
            backend="ksubgraph",
        )


def veripb():
    heads = ("what", "OPB, bytes", "proof, bytes", "made, s", "VeriPB, s", "VeriPB")
    print(f"| {' | '.join(heads)} |\n{'|---' * len(heads)}|")
    for name in ("wdbc_uci", "sonar", "clean1"):
        for n_sets, m in ((1, 2), (3, 2), (4, 2), (10, 1)):
            problem = instance(f"{name}-univariate-k5-a3-t0.4-sum", n_sets=n_sets, max_shared=m)
            result = solve(problem, search="simultaneous", time_limit=60)
            start = time.process_time()
            try:
                proof = veripb_proof(result)
            except InputError as error:
                print(f"| {name}, L = {n_sets}, m = {m} | | | | | {error} |")
                continue
            made, formula = time.process_time() - start, opb_text(problem, "literal")
            said, seconds = "is not on the PATH", 0.0
            if shutil.which("veripb"):
                with tempfile.TemporaryDirectory() as folder:
                    Path(folder, "p.opb").write_text(formula)
                    Path(folder, "p.pbp").write_text(proof)
                    start = time.monotonic()
                    command = ["veripb", "--requireUnsat", "p.opb", "p.pbp"]
                    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
                    said, seconds = (
                        ran.stdout.strip().splitlines()[-1],
                        time.monotonic() - start,
                    )
            cells = (
                f"{name}, L = {n_sets}, m = {m}",
                f"{len(formula):,}",
                f"{len(proof):,}",
            )
            print(
                f"| {' | '.join((*cells, f'{made:.2f}', f'{seconds:.2f}', said))} |",
                flush=True,
            )


def golub(folder):
    """Return the problem of the best five genes by absolute correlations."""
    import pandas as pd

    with gzip.open(Path(folder) / "golub.csv.gz", "rt") as file:
        table = pd.read_csv(file)
    X, y = (
        table.drop(columns="target").to_numpy(float),
        pd.factorize(table["target"])[0],
    )
    quality, redundancy = np.abs(np.corrcoef(X.T, y)[-1, :-1]), np.abs(np.corrcoef(X.T))
    np.fill_diagonal(redundancy, 0)
    scale = 1e6
    integers = [np.rint(scale * numbers).astype(np.int64) for numbers in (quality, redundancy)]
    return Instance(integers[0], 1, 5, 5, "mrmr", pairs=integers[1], scale=scale)


def kind(instance, k, max_shared, search, aggregate, n_sets):
    """Return measure, search and size of a setting: the rows of the table."""
    measure = next(m for m in ("model-gain", "fcbf", "mrmr", "mi") if instance.endswith(f"-{m}"))
    return measure, search + f" ({aggregate})" * (search == "simultaneous"), k


def grid():
    """Return the settings by their kind, mixed."""
    tasks, sizes = [], {}
    for path in sorted((INSTANCES / "paper-000").glob("*.json")):
        sizes[path.stem] = Instance.load(path).n_features
        for k in (5, 10):
            for overlap in range(k):
                tasks.append((path.stem, k, overlap, "sequential", "sum", 11))
                tasks += [
                    (path.stem, k, overlap, "simultaneous", aggregate, a + 1)
                    for aggregate in ("sum", "min")
                    for a in range(1, 6)
                ]
    Random(SEED).shuffle(tasks)
    kinds = {}
    for task in tasks:
        if task[1] <= sizes[task[0]]:
            kinds.setdefault(kind(*task), []).append(task)
    return dict(sorted(kinds.items()))


def read_record():
    """Return what the record says of each setting."""
    if not RECORD.exists():
        return {}
    with RECORD.open(newline="") as file:
        rows = list(csv.reader(file))[1:]
    return {(i, int(k), int(m), s, a, int(n)): tuple(told) for i, k, m, s, a, n, *told in rows}


def certify_grid(given):
    """Certify one setting after the other, next one of the kind that took least time so far.

    So all kinds that are cheap are finished, and of the others the record holds a random sample.
    """
    kinds, record, begin = grid(), read_record(), time.monotonic()
    impossible = {}
    for task, told in record.items():
        note_impossible(impossible, task, told)
    todo = {
        key: iter([task for task in tasks if is_open(record.get(task), given)])
        for key, tasks in kinds.items()
        if given.k in (0, key[2]) and key[1].startswith(given.search) and (not given.of or key[0] in given.of)
    }
    spent = dict.fromkeys(todo, 0.0)
    with RECORD.open("a", newline="") as file:
        lines = csv.writer(file, lineterminator="\n")
        if not record:
            lines.writerow((*SETTING, "status", "claims", "certified", "bytes", "rules", "limit", "seconds"))
        while spent and time.monotonic() - begin < 60 * given.minutes:
            key = min(spent, key=spent.__getitem__)
            task = next(todo[key], None)
            if task is None:
                del spent[key]
                continue
            start = time.monotonic()
            record[task] = shared(impossible, task) or certified(task, given.limit)
            note_impossible(impossible, task, record[task])
            spent[key] += time.monotonic() - start
            lines.writerow((*task, *record[task]))
            file.flush()
    show_grid(record, kinds)


def is_open(told, given):
    """Return whether a setting is not in the record, or not all of it was certified with less time."""
    if told is None or not given.again:
        return told is None
    status, claims, certified, _, _, limit, _ = told
    solved = status in ("OPTIMAL", "INFEASIBLE")
    return float(limit) < given.limit and not (solved and int(claims) == int(certified))


def note_impossible(impossible, task, told):
    """Note a setting of which it is certified that its sets do not exist."""
    name, k, overlap, search, _, n_sets = task
    status, _, certified, _, rules, limit, _ = told
    if status == "INFEASIBLE" and search == "simultaneous" and int(certified) and SHARED not in rules:
        impossible.setdefault((name, k), []).append((n_sets, -overlap, task, float(limit)))


def shared(impossible, task):
    """Return what the record says of sets that the certificate of fewer, or less dissimilar, sets excludes.

    Its lines hold here as well: any solution has so many of its own (`of`), whatever its objective is; and
    where less may be shared, the row `shared` of a tree is tighter, and fewer of listed sets are compatible.
    With the hash of this instance and `of` they are its certificate, which is checked.
    """
    name, k, overlap, search, _, n_sets = task
    known = impossible.get((name, k), []) if search == "simultaneous" else []
    for fewer, minus, source, limit in sorted(known):
        if fewer > n_sets or overlap > -minus:
            continue
        _, found, _ = made(source, limit)
        start = time.process_time()
        asked = Asked.of(asked_for(task).to_dict())
        try:
            head, claim, *lines = found.text.splitlines()
            head = json.dumps({**json.loads(head), "instance": asked.hash})
            claim = json.dumps({"of": fewer, **json.loads(claim)}, separators=(",", ":"))
            text = "\n".join((head, claim, *lines, ""))
            ((told, by),) = check(text, asked)
        except (ValueError, RefusedError):
            continue  # the source was not certified again in time
        if by and told.startswith("infeasible"):
            rules = f"{' '.join(found.rules)} {SHARED}"
            return Status.INFEASIBLE, 1, 1, len(text), rules, 0, f"{time.process_time() - start:.3f}"
    return None


def certified(task, limit):
    """Solve a setting and certify the result; return what the record says of it."""
    status, found, seconds = made(task, limit)
    rules = " ".join(found.rules)
    return status, found.n_claims, found.n_certified, found.size, rules, limit, f"{seconds:.2f}"


@cache
def made(task, limit):
    """Solve a setting; return its status and its certificate, and how long that took."""
    result = solve(asked_for(task), backend_for(task), task[3], time_limit=max(10, limit))
    start = time.process_time()
    return result.status, certify(result, limit), time.process_time() - start


def asked_for(task):
    """Return the problem of a setting."""
    name, k, overlap, _, aggregate, n_sets = task
    return table(name).replace(k=k, max_shared=overlap, aggregate=aggregate, n_sets=n_sets)


@cache
def table(name):
    return Instance.load(INSTANCES / "paper-000" / f"{name}.json")


def backend_for(task):
    """Return what solves a setting: CP-SAT, the choice for steps of sums, proves few with k = 10 in time."""
    measure, search, _ = kind(*task)
    return "cpsat" if search == "sequential" and measure != "mrmr" else "auto"


def interval(successes, trials):
    """Return Wilson's interval of 95 % for a share, in percent."""
    z = 1.96
    middle = (successes + z * z / 2) / (trials + z * z)
    half = z / (trials + z * z) * sqrt(successes * (trials - successes) / trials + z * z / 4)
    return f"{100 * max(0, middle - half):.0f} to {100 * min(1, middle + half):.0f}"


def mean_seconds(tasks, record):
    """Return how long certifying a setting of a kind took, of those of which it is known."""
    known = [float(record[task][6]) for task in tasks if task in record and record[task][6]]
    return sum(known) / max(1, len(known))


def show_grid(record, kinds):
    print(f"{len(record):,} of {sum(map(len, kinds.values())):,} settings (seed {SEED}).")
    shares = sum(SHARED in told[4] for told in record.values())
    hours = sum(len(tasks) * mean_seconds(tasks, record) for tasks in kinds.values()) / 3600
    print(f"{shares:,} have the certificate of another; all would take about {hours:.1f} hours to certify.")
    measures = {}
    for (measure, _, _), tasks in kinds.items():
        measures.setdefault(measure, []).extend(tasks)
    for name, tasks in {**measures, "all": record}.items():
        _, _, unproved, claims, certified, _, settings, whole = tally(tasks, record)
        print(
            f"{name}: {certified:,} of {claims:,} claims, all of them in {whole:,} of {settings:,} settings;"
            f" {unproved:,} settings not proved"
        )
    heads = ("objective", "search", "k", "settings", "of", "not proved", "claims", "certified", "share, %")
    heads += ("settings with claims", "all certified", "95 %")
    print(f"\n| {' | '.join(heads)} |\n{'|---' * len(heads)}|")
    for key, tasks in kinds.items():
        cells = tally(tasks, record)
        settings, whole = cells[-2:]
        of_all = interval(whole, settings) if settings else ""
        print(f"| {' | '.join(map(str, (*key, *cells)))} | {of_all} |")


def tally(tasks, record):
    """Return the cells of a row: what the record says of these settings."""
    own = [record[task] for task in tasks if task in record]
    unproved = sum(status not in ("OPTIMAL", "INFEASIBLE") for status, *_ in own)
    pairs = [(int(claims), int(certified)) for _, claims, certified, *_ in own if int(claims)]
    claims, certified = (sum(pair[i] for pair in pairs) for i in (0, 1))
    whole = sum(claims == certified for claims, certified in pairs)
    share = f"{100 * certified / claims:.1f}" if claims else ""
    return len(own), len(tasks), unproved, claims, certified, share, len(pairs), whole


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    all_of_them = commands.add_parser("library")
    all_of_them.add_argument("--limit", type=float, default=30.0)
    all_of_them.add_argument("--only", default="")
    all_of_them.add_argument("--objectives", nargs="*", default=())
    all_of_them.add_argument("--seconds", type=float, default=MOST_SECONDS, help="of a check, at most")
    commands.add_parser("targets").add_argument("folder", nargs="?")
    commands.add_parser("veripb")
    commands.add_parser("steps")
    of_grid = commands.add_parser("grid")
    of_grid.add_argument("--minutes", type=float, default=4.0, help="of this call")
    of_grid.add_argument("--search", default="", choices=("", "sequential", "simultaneous"))
    of_grid.add_argument("--of", nargs="*", default=(), choices=("fcbf", "mi", "model-gain", "mrmr"))
    of_grid.add_argument("-k", type=int, default=0, choices=(0, 5, 10))
    of_grid.add_argument("--limit", type=float, default=3.0, help="seconds to certify a setting")
    of_grid.add_argument("--again", action="store_true", help="what was not certified with less time")
    given = parser.parse_args()
    if given.command == "library":
        library(given.limit, given.only, given.objectives, given.seconds)
    elif given.command == "steps":
        steps()
    elif given.command == "veripb":
        veripb()
    elif given.command == "grid":
        certify_grid(given)
    else:
        targets(given.folder)


if __name__ == "__main__":
    main()
