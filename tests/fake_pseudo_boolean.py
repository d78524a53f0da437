"""A pseudo-Boolean solver: `python fake_pseudo_boolean.py LIE FILE`; a reader of its own, and CP-SAT."""

import re
import sys
from pathlib import Path

from ortools.sat.python import cp_model

TERM = re.compile(r"([+-]\d+) x(\d+)")


def solved(text):
    """Return the least cost of an OPB file and a v line, or None."""
    head, *lines = [line for line in text.splitlines() if not re.match(r"\* (?!#)", line)]
    n_variables, n_rows = map(int, re.fullmatch(r"\* #variable= (\d+) #constraint= (\d+)", head).groups())
    model = cp_model.CpModel()
    x = [None, *(model.new_bool_var(f"x{i}") for i in range(1, n_variables + 1))]
    assert len(lines) == 1 + n_rows
    for line in lines:
        terms = TERM.findall(line)
        total = sum(int(c) * x[int(v)] for c, v in terms)
        if line.startswith("min: "):
            model.minimize(total)
            continue
        sense, limit = re.search(r"(>=|=) (-?\d+) ;$", line).groups()
        model.add(total >= int(limit) if sense == ">=" else total == int(limit))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    if solver.solve(model) != cp_model.OPTIMAL:
        return None
    literals = [f"{'' if solver.value(v) else '-'}x{i}" for i, v in enumerate(x) if i]
    return round(solver.objective_value), f"s OPTIMUM FOUND\nv {' '.join(literals)}\n"


def main(lie, file):
    answer = solved(Path(file).read_text())
    if answer is None or lie == "infeasible":
        print("s UNSATISFIABLE")
        return
    cost, model = answer
    print("o", cost - (lie == "cost"))
    print(model.replace(" x1 ", " -x1 ") if lie == "model" else model)


if __name__ == "__main__":
    main(*sys.argv[1:])
