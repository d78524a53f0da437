"""Solvers that come as Python packages, as programs: Exact (`exact`) and those of `hermax`.

    python -m pyfsel.backends.maxsat.wheels exact FILE.opb
    python -m pyfsel.backends.maxsat.wheels UWrMaxSATCompetition FILE.wcnf

In a process of their own, like any program of the user's, they can be stopped at a limit, and may crash.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

OPTIMUM, UNSATISFIABLE = "OPTIMUM FOUND", "UNSATISFIABLE"


def run_exact(path: Path) -> None:
    """Print each better model that Exact finds, and at last its status."""
    from exact import Exact

    solver, names, cost = Exact([("verbosity", "0")]), list[str](), dict[str, int]()
    for line in path.read_text(encoding="ascii").splitlines():
        words = line.rstrip(" ;").split()
        if not words or words[0] == "*":
            continue
        is_row = words[0] != "min:"
        summed = words[:-2] if is_row else words[1:]
        terms = list(zip(map(int, summed[::2]), summed[1::2], strict=True))
        for name in dict.fromkeys(name for _, name in terms):
            if name not in cost:
                cost[name] = 0
                names.append(name)
                solver.addVariable(name, 0, 1)
        if is_row:
            solver.addConstraint(terms, True, int(words[-1]), words[-2] == "=", int(words[-1]))
        else:
            cost |= {name: factor for factor, name in terms}
            solver.setObjective(terms, True, 0)
    is_found = False
    while (status := solver.runOnce()) not in ("UNSAT", "INCONSISTENT"):
        if status == "SAT":
            is_found, values = True, solver.getLastSolutionFor(names)
            literals = (name if value else f"-{name}" for name, value in zip(names, values, strict=True))
            say_model(sum(cost[name] * value for name, value in zip(names, values, strict=True)), literals)
            solver.boundObjByLastSol()
    print(f"s {OPTIMUM if is_found else UNSATISFIABLE}", flush=True)


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
        say_model(solver.get_cost(), map(str, solver.get_model()))
    status = solver.get_status().name
    print(f"s {({'OPTIMUM': OPTIMUM, 'UNSAT': UNSATISFIABLE}).get(status, 'UNKNOWN')}", flush=True)


def say_model(cost: int, literals: Iterable[str]) -> None:
    """Print a model as the evaluations of solvers ask for."""
    print(f"o {cost}\nv {' '.join(literals)}", flush=True)


if __name__ == "__main__":
    solver_name, file = sys.argv[1:]
    if solver_name == "exact":
        run_exact(Path(file))
    else:
        run_hermax(solver_name, Path(file))
