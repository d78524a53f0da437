"""What a first call costs: modules that are loaded, functions that are called, and seconds.

    python benchmarks/startup.py --list

Each case runs in a process of its own. A function of pyfsel counts once if it has been called; bodies of
modules and classes do not count, nor do lambdas and comprehensions. Seconds are the median of some starts,
that of Python included, without counting. `--list` prints the modules, and the places of the functions.
"""

import argparse
import json
import statistics
import subprocess
import sys
import time

SOLVE = """
from pyfsel import Problem, solve
solve(Problem([9, 8, 7, 3, 2, 1], n_sets=3, k=2, dissimilarity="shared:1"), solver="rc2")
"""
SELECT = """
from pyfsel.cli.app import main
import contextlib, io
with contextlib.redirect_stdout(io.StringIO()):
    main("select --dataset breast_cancer -k 5 -n 3 -d 0.6".split())
"""
CASES = {
    "import pyfsel": "import pyfsel",
    'solve(six features, solver="rc2")': SOLVE,
    "pyfsel select --dataset breast_cancer -k 5 -n 3 -d 0.6": SELECT,
}
COUNTING = """
import inspect, sys
from importlib.util import find_spec
HERE = find_spec("pyfsel").submodule_search_locations[0]
called = set()
def note(frame, event, argument):
    code = frame.f_code
    is_function = code.co_flags & inspect.CO_NEWLOCALS and code.co_name[0] != "<"
    if event == "call" and is_function and HERE in code.co_filename:
        called.add((code.co_filename, code.co_firstlineno))
sys.setprofile(note)
{CODE}
sys.setprofile(None)
import json
modules = sorted(name for name in sys.modules if name.partition(".")[0] == "pyfsel")
print(json.dumps([modules, sorted(called)]), file=sys.__stdout__)
"""
STARTS = 5


def counted(code):
    """Return the modules of pyfsel that are loaded, and its functions that are called, in a new process."""
    text = COUNTING.replace("{CODE}", code)
    ended = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    return json.loads(ended.stdout.splitlines()[-1])


def seconds(code):
    """Return the median of the seconds of some processes."""
    taken = []
    for _ in range(STARTS):
        begin = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], stdout=subprocess.DEVNULL, check=True)
        taken.append(time.perf_counter() - begin)
    return statistics.median(taken)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--list", action="store_true", help="the modules and functions as well")
    is_listed = parser.parse_args().list
    print("| call | modules | functions | seconds |\n|---|---|---|---|")
    for name, code in CASES.items():
        modules, functions = counted(code)
        print(f"| `{name}` | {len(modules)} | {len(functions)} | {seconds(code):.2f} |")
        if is_listed:
            print(*modules, *(f"{file}:{line}" for file, line in functions), sep="\n")


if __name__ == "__main__":
    main()
