"""Tables 3, 5 and 6 of paper 000 beside the shares and times of a checked run of benchmarks/paper-000.toml.

    pyfsel bench run benchmarks/paper-000.toml --n-jobs 2 -o DIR && pyfsel bench check DIR
    python benchmarks/paper_000_tables.py DIR --jobs 2 > benchmarks/results/paper-000/tables.md

A run is one feature-selection method on one data set with one number of alternatives a and one overlap. For
sequential search there is one run with five alternatives: its step a tells the status for a alternatives,
and its first a + 1 steps are their time. As in the paper, a time is that of building the model and solving.
"""

import argparse
import sys
from collections import Counter
from pathlib import Path
from statistics import mean

from pyfsel.bench.check_records import check_folder
from pyfsel.bench.store import read_records, read_specs
from pyfsel.problem.dissimilarity import max_overlap_for

METHODS = {"fcbf": "FCBF", "mi": "MI", "model-gain": "Model Gain", "mrmr": "mRMR"}
SEARCHES = ("seq.", "sim. (min)", "sim. (sum)")
STATUSES = ("INFEASIBLE", "NOT_SOLVED", "FEASIBLE", "OPTIMAL")
LARGEST_A = 5
NOT_IN_PAPER = (
    "abalone",
    "credit_approval_uci",
    "letter",
    "pima",
    "residential_building_v10_cost",
    "residential_building_v9_price",
    "vehicle",
    "wdbc_uci",
)

# 000, Table 3: infeasible, not solved, feasible, optimal, in %
PAPER_3 = {
    ("fcbf", "seq."): (74.51, 0.00, 0.00, 25.49),
    ("fcbf", "sim. (min)"): (73.07, 0.00, 1.60, 25.33),
    ("fcbf", "sim. (sum)"): (73.07, 0.00, 2.19, 24.75),
    ("mi", "seq."): (4.93, 0.00, 0.00, 95.07),
    ("mi", "sim. (min)"): (4.67, 0.00, 9.33, 86.00),
    ("mi", "sim. (sum)"): (4.67, 0.00, 3.04, 92.29),
    ("model-gain", "seq."): (4.93, 0.00, 0.00, 95.07),
    ("model-gain", "sim. (min)"): (4.67, 0.00, 5.28, 90.05),
    ("model-gain", "sim. (sum)"): (4.67, 0.00, 1.87, 93.47),
    ("mrmr", "seq."): (4.88, 0.00, 9.55, 85.57),
    ("mrmr", "sim. (min)"): (4.67, 0.00, 48.64, 46.69),
    ("mrmr", "sim. (sum)"): (4.67, 0.00, 67.04, 28.29),
}
# 000, Table 5: seconds
PAPER_5 = {
    "fcbf": (0.22, 11.41, 12.62),
    "mi": (0.03, 47.39, 24.56),
    "model-gain": (0.03, 30.38, 19.08),
    "mrmr": (33.59, 156.00, 189.25),
}
# 000, Table 6: seconds by number of alternatives, simultaneous by sum
PAPER_6 = {
    "fcbf": (0.45, 0.86, 2.97, 13.32, 45.52),
    "mi": (0.03, 0.09, 0.30, 3.68, 118.72),
    "model-gain": (0.02, 0.08, 0.27, 3.47, 91.58),
    "mrmr": (44.68, 117.62, 208.14, 258.19, 317.63),
}


def main():
    options = parse()
    folder = options.folder
    report = check_folder(folder)
    if not report.is_clean:
        sys.exit("the results are not clean: " + "; ".join([*report.faults, *report.contradictions]))
    records = [record for record in read_records(folder) if record["result"] is not None]
    lost = report.n_runs - len(records)
    rows = [row for record in records for row in rows_of(record)]
    limits = sorted({record["time_limit"] / record["n_sets"] for record in records})
    names = {name_and_method(spec.instance)[0] for spec in read_specs(folder).values()}
    print("# The grid of paper 000, k = 5\n")
    print("`python benchmarks/paper_000_tables.py DIR`, with DIR from `pyfsel bench run")
    print(f"benchmarks/paper-000.toml --n-jobs {options.jobs} -o DIR` and `pyfsel bench check DIR`.")
    print("As a page with figures, by `pyfsel bench report DIR`: [report.html](report.html).\n")
    print(
        f"{len(records)} runs on {len(data_sets(rows))} of {len(names)} data sets; {report.missing} missing,"
    )
    print(
        f"{lost} without a result; no faults, no contradictions. Limit: {limits[0]:g} s per set, in the paper"
    )
    print(f"60 s; a mean contains the runs that stopped at the limit.{missing(folder)}")
    print(f"{machine(records)}; one thread per run, {options.jobs} runs at a time. {options.note}".rstrip())
    print(
        "The paper: SCIP, 30 binary data sets of PMLB in five folds; 24 of them are here, as whole tables.\n"
    )
    backends_table(records)
    print("## Statuses, next to Table 3\n\nIn %; the paper's figures in brackets.\n")
    shares_table(rows)
    common = [row for row in rows if row["data"] not in NOT_IN_PAPER]
    print(f"Only the {len(data_sets(common))} data sets of the paper:\n")
    shares_table(common)
    times_table(rows)
    by_alternatives_table(rows)
    open_table(rows)


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the runs are, checked")
    parser.add_argument("--jobs", type=int, default=2, help="how many runs were made at a time")
    parser.add_argument("--note", default="", help="what else is to be said of the runs")
    return parser.parse_args()


def rows_of(record):
    """Yield what the record says for each number of alternatives it is about."""
    name, method = name_and_method(record["instance"])
    result = record["result"]
    base = {"data": name, "method": method, "max_shared": max_overlap_for(5, record["dissimilarity"])}
    if record["search"] != "sequential":
        yield {
            **base,
            "search": f"sim. ({record['search']})",
            "a": record["n_sets"] - 1,
            "status": record["outcome"],
            "seconds": result["runtime"],
            "gap": result["gap"],
        }
        return
    steps = result["steps"]
    for a in range(1, LARGEST_A + 1):
        step = steps[min(a, len(steps) - 1)] if steps else {"status": "NOT_SOLVED"}
        seconds = sum(s["runtime"] for s in steps[: a + 1])
        yield {**base, "search": "seq.", "a": a, "status": step["status"], "seconds": seconds, "gap": None}


def missing(folder):
    """Return how many runs of each method and search have not been made, in a sentence if there are any."""
    made = {record["id"] for record in read_records(folder)}
    left = Counter(
        f"{METHODS[name_and_method(spec.instance)[1]]} {spec.search}"
        for number, spec in read_specs(folder).items()
        if number not in made
    )
    listed = ", ".join(f"{count} of {name}" for name, count in left.items())
    return f" Missing are {listed}." if listed else ""


def name_and_method(instance):
    """Return the data set and the method that the name of an instance is made of."""
    method = next(method for method in METHODS if instance.endswith(f"-{method}"))
    return instance.removesuffix(f"-{method}"), method


def data_sets(rows):
    return {row["data"] for row in rows}


def machine(records):
    found = {f"{r['machine']['platform']}, {r['machine']['n_cpus']} cores" for r in records}
    return "; ".join(sorted(found))


def backends_table(records):
    """Print which backend `auto` chose for what, how often, and what came of it."""
    print("## Which backend did the work\n")
    print("`auto` chose, by the problem; proved: optimal or infeasible.\n")
    print_row(["method", "search", "backend", "runs", "proved", "mean seconds"])
    print_row(["---"] * 3 + ["---:"] * 3)
    groups = {}
    for record in records:
        search = "seq." if record["search"] == "sequential" else f"sim. ({record['search']})"
        method = METHODS[name_and_method(record["instance"])[1]]
        groups.setdefault((method, search, record["result"]["backend"]), []).append(record)
    for key in sorted(groups):
        group = groups[key]
        proved = sum(record["outcome"] in ("OPTIMAL", "INFEASIBLE") for record in group)
        seconds = mean(record["result"]["runtime"] for record in group)
        print_row([*key, str(len(group)), f"{100 * proved / len(group):.2f} %", f"{seconds:.2f}"])
    print()


def chosen(rows, **wanted):
    return [row for row in rows if all(row[name] == value for name, value in wanted.items())]


def shares_table(rows):
    print_row(["method", "search", "runs", "infeasible", "not solved", "feasible", "optimal", "proved"])
    print_row(["---"] * 2 + ["---:"] * 6)
    for method, title in METHODS.items():
        for search in SEARCHES:
            group = chosen(rows, method=method, search=search)
            if not group:
                continue
            counts = Counter(row["status"] for row in group)
            shares = [100 * counts[status] / len(group) for status in STATUSES]
            paper = PAPER_3[method, search]
            cells = [f"{ours:.2f} ({theirs:.2f})" for ours, theirs in zip(shares, paper, strict=True)]
            proved = f"**{shares[0] + shares[3]:.2f}** ({paper[0] + paper[3]:.2f})"
            print_row([title, search, str(len(group)), *cells, proved])
    proved = sum(row["status"] in ("OPTIMAL", "INFEASIBLE") for row in rows)
    print(f"\nAll: {proved} of {len(rows)} proved, {100 * proved / len(rows):.2f} %.\n")


def times_table(rows):
    print("## Mean seconds, next to Table 5\n\nThe paper's figures in brackets.\n")
    print_row(["method", *SEARCHES])
    print_row(["---"] + ["---:"] * len(SEARCHES))
    for method, title in METHODS.items():
        groups = [chosen(rows, method=method, search=search) for search in SEARCHES]
        print_row([title, *map(seconds_cell, groups, PAPER_5[method])])
    print()


def by_alternatives_table(rows):
    print("## Mean seconds by number of alternatives, simultaneous by sum, next to Table 6\n")
    print("The paper's figures in brackets.\n")
    print_row(["a", *METHODS.values()])
    print_row(["---:"] * (1 + len(METHODS)))
    for a in range(1, LARGEST_A + 1):
        groups = [chosen(rows, method=method, search="sim. (sum)", a=a) for method in METHODS]
        print_row([str(a), *map(seconds_cell, groups, (PAPER_6[method][a - 1] for method in METHODS))])
    print()


def open_table(rows):
    """Print every run that proved nothing."""
    unproved = [row for row in rows if row["status"] not in ("OPTIMAL", "INFEASIBLE")]
    print(f"## Not proved within the limit: {len(unproved)}\n")
    if not unproved:
        return
    print_row(["data set", "method", "search", "a", "max_shared", "status", "gap"])
    print_row(["---"] * 3 + ["---:"] * 2 + ["---", "---:"])
    for row in sorted(
        unproved, key=lambda r: (r["data"], r["method"], r["search"], r["a"], -r["max_shared"])
    ):
        gap = "" if row["gap"] is None else f"{row['gap']:.2%}"
        where = [row["data"], METHODS[row["method"]], row["search"], str(row["a"]), str(row["max_shared"])]
        print_row([*where, row["status"], gap])


def seconds_cell(group, paper):
    ours = f"{mean(row['seconds'] for row in group):.2f}" if group else "–"
    return f"{ours} ({paper:.2f})"


def print_row(cells):
    print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
