"""Instances of the library that nobody has decided: the best sets known, and the best bound.

    python benchmarks/open_problems.py > benchmarks/results/open_problems.md

Of the manifest, which `make_instances.py manifest` writes from checked benchmarks.
"""

import argparse
import json
from pathlib import Path

LIBRARY = Path(__file__).parents[1] / "instances"
HEADS = ("instance", "n, k, sets, overlap", "best known", "bound", "gap, %", "tried")


def cells(entry):
    """Return what is known of an open instance, as text."""
    best, bound = entry["best_known"], entry["bound"]
    gap = "–" if best is None or bound is None else f"{100 * (bound - best) / max(1, abs(best)):.3g}"
    shape = ", ".join(str(entry[name]) for name in ("n_features", "k", "n_sets", "max_shared"))
    numbers = ["–" if number is None else f"{number:,}" for number in (best, bound)]
    return [entry["file"].removesuffix(".json"), shape, *numbers, gap, tried(entry)]


def tried(entry):
    """Return the backends that did not decide an instance, by the longest time that each had."""
    longest = {}
    for attempt in entry["tried"]:
        backend, seconds, _ = attempt.split()
        longest[backend] = max(float(seconds), longest.get(backend, 0))
    by_time = {
        time: [b for b, own in longest.items() if own == time] for time in sorted(set(longest.values()))
    }
    return "; ".join(f"{', '.join(backends)}: {time:g} s" for time, backends in by_time.items())


def main():
    entries = json.loads((LIBRARY / "manifest.json").read_text(encoding="utf-8"))
    still_open = [entry for entry in entries if entry["status"] not in ("OPTIMAL", "INFEASIBLE")]
    print("# Open problems\n")
    print(f"`python benchmarks/open_problems.py`: of {len(entries)} instances {len(still_open)} are open.")
    print(
        "Values are integers, larger is better; they and the bounds may come from other searches than those"
    )
    print("listed (`benchmarks/open.toml`). What decides one of them is welcome.\n")
    for line in (HEADS, ["---"] * len(HEADS), *map(cells, still_open)):
        print(f"| {' | '.join(line)} |")


if __name__ == "__main__":
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    ).parse_args()
    main()
