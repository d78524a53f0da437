"""Proofs for VeriPB: replayed here by a few lines that know its rules, and by it where it is installed."""

import random
import shutil

import pytest
from running import ended
from small_problems import problem_with

from pyfsel.backends.by_model import model_of
from pyfsel.backends.export import opb_text
from pyfsel.certificates.veripb import veripb_proof
from pyfsel.drivers.sat.opb import pseudo_boolean
from pyfsel.errors import InputError
from pyfsel.problem.values import total
from pyfsel.solving.solve import solve


class NoProofError(Exception):
    pass


class Replay:
    """Constraints Σ c · x ≥ b by number, as those of VeriPB; a literal ~x is 1 − x."""

    def __init__(self, model, proof):
        self.formula = [
            ({v: sign * c for v, c in row.terms.items()}, least)
            for row in model.rows
            for sign, least in row.sides
        ]
        self.cost = {v: -c for v, c in model.weights.items()}
        self.found, self.names, self.goal = {}, {v for terms, _ in self.formula for v in terms}, None
        for line in proof.splitlines()[1:]:
            words = line.replace(";", " ").split()
            getattr(self, {"proofgoal": "again", "end": "end"}.get(words[0], words[0]))(words[1:])

    def add(self, terms, least):
        self.found[len(self.found) + 1] = {v: c for v, c in terms.items() if c}, least

    def f(self, words):
        for terms, least in self.formula:
            self.add(terms, least)
        assert len(self.found) == int(words[0])

    def o(self, words):
        true = {int(word[1:]) for word in words if word.startswith("x")}
        if any(sum(c for v, c in terms.items() if v in true) < least for terms, least in self.formula):
            raise NoProofError("no solution")
        self.add({v: -c for v, c in self.cost.items()}, 1 - sum(c for v, c in self.cost.items() if v in true))

    def p(self, words):
        stack = []
        for word, after in zip(words, [*words[1:], ""], strict=True):
            if word == "+":
                (a, b), (c, d) = stack.pop(), stack.pop()
                stack.append(({v: a.get(v, 0) + c.get(v, 0) for v in {*a, *c}}, b + d))
            elif word == "*":
                factor, (a, b) = stack.pop(), stack.pop()
                if factor <= 0:
                    raise NoProofError(word)
                stack.append(({v: factor * c for v, c in a.items()}, factor * b))
            elif after == "*":
                stack.append(int(word))
            else:
                stack.append(self.found[int(word)])
        self.add(*stack[0])

    def u(self, words):
        terms, least = linear(words)
        against = {v: -c for v, c in terms.items()}, 1 - least
        known, values, changed = [*self.found.values(), against], {}, True
        while changed:
            changed = False
            for own, limit in known:
                spare = sum(max(c, 0) if v not in values else c * values[v] for v, c in own.items()) - limit
                if spare < 0:
                    return self.add(terms, least)
                for v, c in own.items():
                    if v not in values and abs(c) > spare:
                        values[v], changed = int(c > 0), True
        raise NoProofError("propagation ends without a contradiction")

    def red(self, words):
        if words[-1] == "begin":
            self.goal, self.first = linear(words[:-1]), len(self.found) + 1
            return self.again()
        (terms, least), name, value = linear(words[:-2]), int(words[-2][1:]), int(words[-1])
        first = getattr(self, "last_of", {}).get(name)  # half of a definition, which the second may follow
        used = any(name in own for own, other in self.found.values() if (own, other) != first)
        surely = sum(min(c, 0) if v != name else c * value for v, c in terms.items()) >= least
        if used or name in self.cost or not surely:
            raise NoProofError("the variable is not new")
        self.last_of = {name: (terms, least)}
        return self.add(terms, least)

    def again(self, words=()):
        self.add({v: -c for v, c in self.goal[0].items()}, 1 - self.goal[1])

    def c(self, words):
        terms, least = self.found[int(words[0])]
        if sum(max(c, 0) for c in terms.values()) >= least:
            raise NoProofError("no contradiction")
        self.is_proved = True

    def end(self, words):
        """End a goal, then its proof: what was derived from the opposite goes."""
        if not self.is_proved:
            raise NoProofError("a goal without a proof")
        if self.waits:
            for number in range(self.first, len(self.found) + 1):
                self.found[number] = {}, 0
            self.add(*self.goal)
            self.is_proved = False
        self.waits = not self.waits

    waits, is_proved = False, False


def linear(words):
    """Return ``2 ~x1 1 x2 >= 3`` as terms and a limit."""
    i, terms = words.index(">="), {}
    least = int(words[i + 1])
    for factor, name in zip(words[:i:2], words[1:i:2], strict=True):
        sign = -1 if name.startswith("~") else 1
        least -= int(factor) if sign < 0 else 0
        v = int(name.lstrip("~x"))
        terms[v] = terms.get(v, 0) + sign * int(factor)
    return terms, least


def proofs(seed, number):
    """Yield problems with their results and proofs, where there is a proof."""
    rng, found = random.Random(seed), 0
    while found < number:
        problem = problem_with(rng, objectives=("univariate", "fcbf"), most_features=6)
        result = solve(problem, "brute-force", search="simultaneous")
        try:
            yield problem, result, veripb_proof(result)
            found += 1
        except InputError:  # a tree without impossible counts is not found for all
            continue


def is_accepted(problem, proof):
    try:
        return Replay(pseudo_boolean(model_of(problem, "literal", "cp")), proof).is_proved
    except (NoProofError, KeyError, IndexError, ValueError):
        return False


def test_proofs_are_replayed_and_prove_nothing_else():
    rng, n_worse = random.Random(0), 0
    for problem, result, proof in proofs(1, 80):
        assert is_accepted(problem, proof), (problem, proof)
        worse = problem.replace(quality=[*problem.quality[:-1], problem.quality[-1] + 60])
        better = solve(worse, "brute-force", search="simultaneous")
        if result.sets and better.sets and better.integer_objective > total(worse, result.sets):
            n_worse += 1
            assert not is_accepted(worse, proof)
            lines = proof.splitlines()
            for _ in range(5):
                i = rng.randrange(2, len(lines))
                changed = (
                    [*lines[:i], *lines[i + 1 :]] if rng.random() < 0.3 else numbers_changed(lines, i, rng)
                )
                assert not is_accepted(worse, "\n".join(changed))
    assert n_worse > 20


def numbers_changed(lines, i, rng):
    words = lines[i].split(" ")
    places = [at for at, word in enumerate(words) if word.isdigit()]
    if places:
        at = rng.choice(places)
        words[at] = str(int(words[at]) + rng.choice([-1, 1, 2]))
    return [*lines[:i], " ".join(words), *lines[i + 1 :]]


def test_veripb_accepts_the_proofs(tmp_path):
    if not shutil.which("veripb"):
        pytest.skip("veripb is not on the PATH")
    for problem, _, proof in proofs(2, 8):
        (tmp_path / "p.opb").write_text(opb_text(problem, "literal"))
        (tmp_path / "p.pbp").write_text(proof)
        ended("veripb", "--requireUnsat", "p.opb", "p.pbp", cwd=tmp_path, check=True)
