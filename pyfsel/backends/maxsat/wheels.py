"""Solvers of the Python package `hermax` as programs.

    python -m pyfsel.backends.maxsat.wheels UWrMaxSATCompetition FILE.wcnf

In a process of their own, like any program of the user's, they can be stopped at a limit, and may crash.
"""

from __future__ import annotations

import sys
from pathlib import Path

OPTIMUM, UNSATISFIABLE = "OPTIMUM FOUND", "UNSATISFIABLE"


def run_hermax(name: str, path: Path) -> None:
    """Print the optimum that a solver of hermax finds; it tells no models on the way."""
    from hermax import non_incremental

    rows = [line.split() for line in path.read_text(encoding="ascii").splitlines() if line[:1] != "c"]
    clauses = [(kind, [int(word) for word in words[:-1]]) for kind, *words in rows]
    top = max((abs(literal) for _, clause in clauses for literal in clause), default=0)
    solver = getattr(non_incremental, name)()
    for kind, clause in clauses:
        if kind == "h":
            solver.add_clause(clause)
        elif len(clause) == 1:
            solver.add_soft_unit(clause[0], int(kind))
        else:
            top += 1
            solver.add_soft_relaxed(clause, int(kind), relax_var=top)
    if solver.solve():
        print(f"o {solver.get_cost()}\nv {' '.join(map(str, solver.get_model()))}", flush=True)
    status = solver.get_status().name
    print(f"s {({'OPTIMUM': OPTIMUM, 'UNSAT': UNSATISFIABLE}).get(status, 'UNKNOWN')}", flush=True)


if __name__ == "__main__":
    solver_name, file = sys.argv[1:]
    run_hermax(solver_name, Path(file))
