"""A MaxSAT solver as a program: `python fake_maxsat.py MODE FILE`; most modes are lies or faults."""

import os
import signal
import sys
import time

from pysat.examples.rc2 import RC2
from pysat.formula import WCNF
from pysat.solvers import Solver


def say(*words):
    print(*words, flush=True)


def bits(model):
    return "".join("1" if literal > 0 else "0" for literal in model)


def cost_of(wcnf, model):
    true = set(model)
    return sum(w for clause, w in zip(wcnf.soft, wcnf.wght, strict=True) if not true & set(clause))


def some_model(wcnf):
    with Solver("g4", bootstrap_with=wcnf.hard) as solver:
        return complete(wcnf, solver.get_model()) if solver.solve() else None


def best_model(wcnf):
    model = RC2(wcnf).compute() if wcnf.soft else some_model(wcnf)
    return None if model is None else complete(wcnf, model)


def complete(wcnf, model):
    known = {abs(literal): literal for literal in model}
    return [known.get(v, -v) for v in range(1, wcnf.nv + 1)]


def main(mode, path):
    wcnf = WCNF(from_file=path)
    say("c a comment", "s v o")
    first = some_model(wcnf)
    if mode in ("streaming", "stuck", "stubborn") and first is not None:
        say("o", cost_of(wcnf, first))
        say("v", bits(first))
    if mode == "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if mode in ("stuck", "stubborn"):
        time.sleep(600)
    if mode == "polite":
        signal.signal(signal.SIGTERM, lambda *_: (say("s SATISFIABLE"), say("v", bits(first)), sys.exit(0)))
        time.sleep(600)
    if mode == "crashing":
        sys.exit("out of luck")
    if mode == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if mode == "unsatisfiable":
        say("s UNSATISFIABLE")
        return
    model = best_model(wcnf)
    if model is None:
        say("s UNSATISFIABLE")
        return
    cost = cost_of(wcnf, model)
    say("o", "many" if mode == "word-cost" else cost - 1 if mode == "too-cheap" else cost)
    say("s", "FINE" if mode == "word-status" else "OPTIMUM FOUND")
    if mode == "no-model":
        return
    if mode == "short-model":
        say("v 1 0")
    elif mode == "wrong-model":
        say("v", "0" * wcnf.nv)
    elif mode == "literals":
        half = len(model) // 2
        say("v", *model[:half])
        say("v", *model[half:], 0)
    else:
        say("v", bits(model))


if __name__ == "__main__":
    main(*sys.argv[1:])
