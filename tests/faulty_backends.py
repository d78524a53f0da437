"""Backends that go wrong in a child process; importable there, because the test folder is on its path."""

import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace

from pyfsel import Status
from pyfsel.backends.base import Backend
from pyfsel.backends.simple_searches import BruteForce
from pyfsel.problem.values import total
from pyfsel.results.backend_answer import BackendAnswer, Stated

BESIDE = {"PYTHONPATH": os.pathsep.join([os.path.dirname(__file__), *filter(None, sys.path)])}
"""The environment by which another Python finds these backends."""
ENDLESS = [sys.executable, "-c", "import time; time.sleep(600)"]
KEPT = []


def together(backend, **options):
    """Solve the example for all sets at once; what that takes is not loaded by workers."""
    from small_problems import PROBLEM

    from pyfsel.solving.solve import solve

    return solve(PROBLEM, backend, "simultaneous", **options)


class Says(Backend):
    """An exact backend in this process that gives one answer after the other; the last one again and again.

    Parameters
    ----------
    *answers : BackendAnswer or Exception
        An exception is raised.
    **more
        Other attributes of a backend; `reported` sets and `bounds` are reported before each answer.
    """

    name = "says"
    summary = "test"
    isolated = False
    formulations = ("literal",)
    reported = bounds = ()
    given = None

    def __init__(self, *answers, **more):
        self.answers = list(answers)
        vars(self).update(more)

    def solve(self, problem, control):
        self.given = control
        for sets in self.reported:
            control.report_sets(sets)
        for bound in self.bounds:
            control.report_bound(bound)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


class Faulty(Backend):
    """Reports `reported` and `bounds`, then misbehaves in the way that its class says."""

    name = "faulty"
    summary = "test"
    formulations = ("literal",)

    def __init__(self, reported=None, bounds=()):
        self.reported = reported
        self.bounds = bounds

    def solve(self, problem, control):
        for bound in self.bounds:
            control.report_bound(bound)
        if self.reported is not None:
            control.report_sets(self.reported)
        return self.misbehave(problem, control)

    def misbehave(self, problem, control):
        raise NotImplementedError


class Dying(Faulty):
    """Is killed as if by the kernel."""

    def misbehave(self, problem, control):
        os.kill(os.getpid(), signal.SIGKILL)


class Exiting(Faulty):
    """Prints and leaves."""

    def misbehave(self, problem, control):
        print("the licence has expired", flush=True)
        os._exit(3)


class Raising(Faulty):
    def misbehave(self, problem, control):
        raise RuntimeError("lost the model")


class RaisingHere(Raising):
    isolated = False


class Starving(Faulty):
    def misbehave(self, problem, control):
        raise MemoryError


class Hanging(Faulty):
    """Ignores its deadline, like a solver that is stuck in C code, and so does a solver that it started."""

    def misbehave(self, problem, control):
        signal.pthread_sigmask(signal.SIG_BLOCK, set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP})
        subprocess.Popen(ENDLESS, start_new_session=True).wait()
        threading.Event().wait()  # it has no answer where that solver ends before it


class DyingWithSolver(Faulty):
    """Is killed while a solver that it started goes on, in a session of its own."""

    def misbehave(self, problem, control):
        subprocess.Popen(ENDLESS, start_new_session=True)
        os.kill(os.getpid(), signal.SIGKILL)


class Flooding(Faulty):
    """Never stops reporting."""

    def misbehave(self, problem, control):
        while True:
            control.report_sets(self.reported)


class Chatty(Faulty):
    """Prints more than any pipe holds, then answers."""

    def misbehave(self, problem, control):
        for stream in (sys.stdout, sys.stderr):
            stream.write("banner\n" * 200_000)
        return BackendAnswer(Status.OPTIMAL, self.reported, stated=Stated(total(problem, self.reported)))


class Unpicklable(Faulty):
    def misbehave(self, problem, control):
        return BackendAnswer(Status.OPTIMAL, self.reported, statistics={"callback": lambda: None})


class DyingLater(Faulty):
    """Solves problems without previous sets, dies on others."""

    def misbehave(self, problem, control):
        if problem.previous:
            os.kill(os.getpid(), signal.SIGKILL)
        return BruteForce().solve(problem, control)


class SlowLater(Faulty):
    """Solves problems without previous sets, hangs on others."""

    def misbehave(self, problem, control):
        if problem.previous:
            time.sleep(600)
        return BruteForce().solve(problem, control)


class Hog(Faulty):
    """Takes memory until it is stopped."""

    def misbehave(self, problem, control):
        taken = []
        while True:
            taken.append(bytearray(b"x" * 2**22))
            time.sleep(0.005)


class HogOutside(Faulty):
    """Starts a program that takes memory."""

    def misbehave(self, problem, control):
        code = "import time; taken = [bytearray(b'x' * 2**22) for _ in range(200)]; time.sleep(600)"
        subprocess.Popen([sys.executable, "-c", code], start_new_session=True).wait()


class Telling(Faulty):
    """Tells which process it runs in, and what that one knows; it is done at once."""

    needs_start = False

    def misbehave(self, problem, control):
        where = {"pid": os.getpid(), "guard": os.getppid(), "folder": os.getcwd(), "path": list(sys.path)}
        return BackendAnswer(
            Status.FEASIBLE, self.reported, statistics={**where, "variables": dict(os.environ)}
        )


class Leaving(Telling):
    """Answers well, but leaves something behind, and does so some seconds later."""

    def __init__(self, what, seconds=0):
        super().__init__(((0, 1), (0, 2), (1, 2)))
        self.what = what
        self.seconds = seconds

    def misbehave(self, problem, control):
        if self.what == "thread":
            threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
        elif self.what == "process":
            self.process = subprocess.Popen(ENDLESS)
        elif self.what == "memory":
            KEPT.append(b"x" * 2**28)
        time.sleep(self.seconds)
        return super().misbehave(problem, control)


class Lying(Telling):
    """Claims sets that overlap too much."""

    def misbehave(self, problem, control):
        answer = super().misbehave(problem, control)
        return replace(answer, sets=((0, 1), (0, 1), (0, 1))) if problem.max_shared == 0 else answer


class ChattyOnce(Faulty):
    """Prints and answers; of one set says nothing and is killed."""

    def misbehave(self, problem, control):
        if problem.n_sets == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        print("banner")
        return BackendAnswer(Status.FEASIBLE, self.reported)
