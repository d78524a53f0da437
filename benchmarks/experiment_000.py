"""The experiment of paper 000 (Section 5), every case proved or with a bound, beside the paper's numbers.

    python benchmarks/experiment_000.py measure DATA -o DIR            # numbers of all tables and folds
    python benchmarks/experiment_000.py run -o DIR                     # the searches that can be made
    python benchmarks/experiment_000.py wrapper DATA -o DIR            # climbs of the Greedy Wrapper
    python benchmarks/experiment_000.py score DATA -o DIR              # DIR/sets.parquet, one row per set
    python benchmarks/experiment_000.py report DIR -o FOLDER           # figures, tables, page; needs no table

DATA is a folder with a file per table of PMLB (NAME.csv, .tsv, or either with .gz), the class in the column
`target`. Every step goes on where it was stopped or killed. Tiers: smoke (three small tables, two folds, a
minute), core (white-box methods: all that the figures show), own (core with the package's mutual
information), wrapper, complete (core and simultaneous k = 10). ``--folds 1`` takes the first fold only, and
``--scheduler`` the workers of a Dask scheduler, which was started, as they were, with this folder in
PYTHONPATH and can read DATA and DIR.
"""

import argparse
import sys
from pathlib import Path

from paper_000 import measure, page, run, score, wrapper
from paper_000.design import CLIMBS, COLUMNS, N_FOLDS, TIERS
from paper_000.measure import KINDS

from pyfsel import InputError

STEPS = {
    "measure": measure.measure,
    "run": run.run,
    "wrapper": wrapper.wrapper,
    "score": score.score,
    "report": page.report,
}
NEED_DATA = ("measure", "wrapper", "score")


def main(arguments=None):
    options = parser().parse_args(arguments)
    try:
        options.do(options)
    except InputError as error:
        sys.exit(str(error))


def parser():
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    commands = made.add_subparsers(required=True)
    for name, step in STEPS.items():
        command = commands.add_parser(name)
        command.set_defaults(do=step)
        if name in NEED_DATA:
            command.add_argument("data", type=Path, help="folder of the tables")
        if name == "report":
            command.add_argument("records", type=Path, help="folder with sets.parquet")
        command.add_argument("-o", "--folder", type=Path, required=True)
        if name == "report":
            continue
        command.add_argument("--tier", choices=TIERS, default="core")
        command.add_argument("--tables", nargs="*", choices=list(COLUMNS), metavar="NAME")
        command.add_argument("--folds", type=int, choices=range(1, N_FOLDS + 1), default=N_FOLDS)
        if name == "measure":
            command.add_argument("--jobs", type=int, default=1, help="processes")
        if name in ("measure", "run"):
            command.add_argument("--methods", nargs="*", choices=list(KINDS), help="some of the tier's")
        if name in ("run", "wrapper"):
            command.add_argument("--cpu-minutes", type=float, help="stop after this many")
            command.add_argument("--scheduler", help="address of a Dask scheduler")
        if name == "run":
            command.add_argument("--seconds-per-set", type=float, default=60)
        if name == "wrapper":
            command.add_argument("--originals", action="store_true", help="without alternatives")
            command.add_argument("--k", type=int, nargs="*", choices=(5, 10), default=[5, 10])
            command.add_argument("--search", nargs="+", choices=CLIMBS, default=["sequential"])
            command.add_argument("--overlaps", type=int, nargs="*", choices=range(10), help="some of them")
        if name == "score":
            command.add_argument(
                "--all", action="store_true", help="MCC of all sets, not the shown ones only"
            )
            command.add_argument(
                "--keep", action="store_true", help="the rows of searches that have no record"
            )
    return made


if __name__ == "__main__":
    main()
