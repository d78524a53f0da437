"""Attacks on the checker: changed certificates prove nothing false, hostile files end quickly."""

import gzip
import json
import os
import random
import sys
import time
from functools import cache

import pytest
from random_instances import solutions
from running import python

from pyfsel import checker
from pyfsel.certificates.certify import certify
from pyfsel.problem.instance import Instance
from pyfsel.solving.solve import solve

N_MUTATIONS = 10_000
TREE = {"format": "pyfsel-problem 2", "quality": [9, 8, 7, 5, 5, 1], "n_sets": 2, "k": 3, "max_shared": 1}
COUNTS = {
    "format": "pyfsel-problem 2",
    "quality": [30, 29, 26, 23, 20, 16],
    "n_sets": 4,
    "k": 3,
    "max_shared": 2,
}


def pairs(n, rng):
    rows = [[0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i):
            rows[i][j] = rows[j][i] = rng.randint(-3, 9)
    return rows


def certificate_of(data, search, rule):
    """Return the lines of a certificate by a rule."""
    problem = Instance.from_dict(data)
    asked = checker.Instance.of(data)
    result = solve(problem, "brute-force", search=search)
    lines = certify(result).text.splitlines()
    assert checker.check("\n".join(lines), asked)
    assert any(json.loads(line).get("rule") == rule for line in lines[1:2])
    return [json.loads(line) for line in lines]


def bases():
    rng = random.Random(7)
    mrmr = {**TREE, "quality": [5, 9, 4, 4, 0, 7], "objective": "mrmr", "pairs": pairs(6, rng)}
    fcbf = {"objective": "fcbf", "conflicts": [[0, 1], [0, 2], [1, 2], [3, 4], [3, 5], [4, 5]]}
    return {
        "tree": (TREE, "simultaneous", "tree"),
        "steps": ({**TREE, "previous": [{"set": [0, 1, 5]}]}, "sequential", "tree"),
        "infeasible": ({**TREE, **fcbf, "n_sets": 1}, "simultaneous", "tree"),
        "steps that end": ({**TREE, "n_sets": 9, "max_shared": 0}, "sequential", "tree"),
        "counts": (COUNTS, "simultaneous", "counts"),
        "chain": ({**mrmr, "n_sets": 3, "k": 3}, "sequential", "chain"),
        "one set": ({**mrmr, "n_sets": 1, "k": 4}, "simultaneous", "chain"),
        "sum of pairs": ({**mrmr, "n_sets": 3, "k": 2}, "simultaneous", "packing"),
        "least": ({**mrmr, "n_sets": 2, "k": 3, "search": "min"}, "simultaneous", "packing"),
    }


def mutated(node, rng):
    """Return JSON with one place changed."""
    if isinstance(node, dict) and node:
        name = rng.choice(sorted(node))
        kind = rng.random()
        if kind < 0.1:
            return {key: node[key] for key in node if key != name}
        if kind < 0.2:
            other = rng.choice(["better", "size", "size_high", "shared", "previous_0", "value", "of", "sums"])
            return {**{key: node[key] for key in node if key != name}, other: node[name]}
        return {**node, name: mutated(node[name], rng)}
    if isinstance(node, list) and node and rng.random() < 0.8:
        i = rng.randrange(len(node))
        return [*node[:i], mutated(node[i], rng), *node[i + 1 :]]
    if isinstance(node, list):
        return rng.choice([node[1:], [*node, *node[:1]], node[::-1], "impossible", {}])
    if isinstance(node, int):
        return rng.choice(
            [node + 1, node - 1, -node, 2 * node, 0, node + rng.randint(-20, 20), 10**30, True, None]
        )
    words = [
        "optimum",
        "infeasible",
        "open",
        "bound",
        "tree",
        "counts",
        "chain",
        "packing",
        "impossible",
        "",
        "sequential",
    ]
    return rng.choice(words) if rng.random() < 0.8 else node[::-1]


def attacked(data, lines, rng):
    """Return an instance and a certificate, one of them changed; the hash is that of the instance."""
    kind = rng.random()
    if kind < 0.3:
        data = {**data, "quality": mutated(data["quality"], rng)}
    elif kind < 0.4:
        name = rng.choice(["max_shared", "n_sets", "k"])
        data = {**data, name: mutated(data[name], rng)}
    else:
        i = rng.randrange(len(lines))
        change = rng.choice([[], [lines[i]] * 2, *[[mutated(lines[i], rng)]] * 8])
        return data, [*lines[:i], *change, *lines[i + 1 :]]
    return data, [{**lines[0], "instance": checker.Instance.of(data).hash}, *lines[1:]]


@cache
def all_solutions(text):
    data = {"format": "pyfsel-problem 2", "search": "sum", **json.loads(text)}
    numbers = {name: int(data[name]) for name in ("k", "n_sets")}
    return solutions({**data, **numbers, "max_shared": min(int(data["max_shared"]), numbers["k"])})


def is_true(data, lines):
    """Return whether all claims hold, by trying everything."""
    step, claims = dict(data), [line for line in lines[1:] if isinstance(line, dict) and "claim" in line]
    if lines[0]["search"] == "sequential":
        step |= {"n_sets": 1, "search": "sum"}
    for claim in claims:
        found = all_solutions(json.dumps(step))
        if claim["claim"] in ("infeasible", "open"):
            return claim["claim"] == "open" or not found
        if claim["claim"] != "feasible" and found[0][0] > claim["value"]:
            return False
        step["previous"] = [*step.get("previous", []), *({"set": list(map(int, s))} for s in claim["sets"])]
    return True


@pytest.mark.parametrize("base", list(bases()))
def test_what_is_accepted_after_a_change_is_true(base):
    data, search, rule = bases()[base]
    lines, rng = certificate_of(data, search, rule), random.Random(base)
    accepted = 0
    for _ in range(N_MUTATIONS // len(bases())):
        try:
            changed, attack = attacked(data, lines, rng)
            checker.check("\n".join(map(json.dumps, attack)), checker.Instance.of(changed), limit=10**7)
        except checker.RefusedError:
            continue
        accepted += 1
        assert is_true(changed, attack), (changed, attack)
    assert accepted < 0.6 * N_MUTATIONS / len(bases())


HOSTILE = {
    "deep lists": b"[" * 200_000,
    "deep objects": b'{"a":' * 200_000,
    "a huge integer": b'{"format": ' + b"9" * 100_000 + b"}",
    "nothing": b"",
    "no JSON": b"\x00" * 1000,
    "not a number": b'{"format": NaN}',
    "a name twice": b'{"format": "pyfsel certificate 1", "format": "pyfsel certificate 1"}',
    "UnicodeDecodeError": gzip.compress(bytes(2**26)),
    "is larger than": b"",
}
"""Contents of files by what they are, or by what is said about them."""


@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_files_are_refused(what, tmp_path, capsys, monkeypatch):
    good, bad = tmp_path / "good", tmp_path / "bad"
    good.write_text(json.dumps(TREE))
    bad.write_bytes(HOSTILE[what])
    is_named = what in ("UnicodeDecodeError", "is larger than")
    if what == "is larger than":
        os.truncate(bad, 2**33)  # eight gigabytes of zeros that take no room
        monkeypatch.setattr(checker, "MOST_BYTES", 2**24)
    start = time.process_time()
    assert checker.main([str(bad), str(good)]) == 1
    assert checker.main([str(good), str(bad)]) == 1
    assert time.process_time() - start < 5
    lines = capsys.readouterr().out.splitlines()
    assert all(line.startswith("refused: ") and len(line) < 300 for line in lines)
    assert what in lines[0] or not is_named


def test_missing_steps_are_refused():
    """A file that ends after any of the steps but the last looks like that of fewer sets."""
    lines = certificate_of({**TREE, "n_sets": 9, "max_shared": 0}, "sequential", "tree")
    problem = checker.Instance.of({**TREE, "n_sets": 9, "max_shared": 0})
    starts = [i for i, line in enumerate(lines) if "claim" in line]
    assert len(starts) == 3
    for end in starts:
        with pytest.raises(checker.RefusedError, match="missing at the end"):
            checker.check("\n".join(map(json.dumps, lines[:end])), problem)


def hostile(n, **more):
    return {"format": "pyfsel-problem 2", "quality": [0] * n, "n_sets": 1, "k": 2, "max_shared": 2, **more}


def listed(rule="chain", **more):
    return [{"claim": "infeasible", "rule": rule, **more}]


COSTLY = {
    "weights of very many pairs": (hostile(24_000), listed()),
    "a range of sizes": (hostile(5000, k_min=1, k=900, max_shared=900), listed()),
    "long chains": (hostile(5000, k=800, max_shared=800), listed()),
    "many previous sets": (hostile(2000, previous=[[i, i + 1] for i in range(1900)] * 8), listed()),
    "relatives of all in previous sets": (
        hostile(6000, relatives=[[0, j] for j in range(1, 6000)], previous=[[0, 1]] * 6000),
        listed(),
    ),
    "many steps": (
        hostile(300, n_sets=9000, conflicts=[[i, j] for i in range(300) for j in range(2, i)]),
        [{"claim": "feasible", "sets": [[0, 1]]}] * 9000,
    ),
    "a group of all": (hostile(8000, groups=[list(range(8000))] * 4, group_at_most=[2] * 4), listed()),
    "groups of which all or none": (
        hostile(4000, groups=[list(range(4000))], group_all_or_nothing=[True]),
        listed(),
    ),
    "a large family": (
        hostile(100, n_sets=10_000, k=1, max_shared=1),
        [{"claim": "bound", "sets": [[0]] * 10_000, "value": 0, "rule": "tree"}],
    ),
    "a large pool": (hostile(2000, n_sets=3, k=1, max_shared=1), listed("packing")),
    "a pool of pairs": (hostile(900, n_sets=3), listed("packing")),
    "a deep tree": (hostile(20_000), [*listed("tree"), *[[j, 1] for j in range(20_000)]]),
    "leaves of many rows": (
        hostile(3000, forced=[], groups=[list(range(3000))] * 30),
        [*listed("tree"), *[[0, 1]] * 300, *[{f"group_{g}": 0 for g in range(30)}] * 300],
    ),
    "counts": (
        hostile(2000, n_sets=300, k=30),
        [*listed("counts"), *[[j, 1] for j in range(900)], "impossible"],
    ),
}
MEASURED = """
import json, resource, sys
from pyfsel import checker
certificate, instance = (open(name).read() for name in sys.argv[1:])
lines = certificate.splitlines()
try:
    problem = checker.Instance.of(checker.parsed(instance))
    head = {"format": checker.FORMAT, "instance": problem.hash, "search": lines[0]}
    checker.check("\\n".join([json.dumps(head), *lines[1:]]), problem, int(1e7))
except checker.RefusedError as error:
    print(error, file=sys.stderr)
used = resource.getrusage(resource.RUSAGE_SELF)
status = open("/proc/self/status").read().split()  # ru_maxrss would count the parent before exec
print(used.ru_utime + used.ru_stime, int(status[status.index("VmHWM:") + 1]) / 1024)
"""


@pytest.mark.parametrize("what", COSTLY)
def test_time_and_memory_are_bounded_by_the_work_that_is_allowed_and_the_bytes_of_the_files(what, tmp_path):
    """A unit of work is a tenth of a microsecond; another factor of five is for slow machines."""
    if sys.platform != "linux":
        pytest.skip("reads /proc")
    data, lines = COSTLY[what]
    search = "sequential" if what == "many steps" else "simultaneous"
    certificate, instance = tmp_path / "c", tmp_path / "i"
    certificate.write_text("\n".join([search, *map(json.dumps, lines)]))
    instance.write_text(json.dumps(data))
    n_bytes = certificate.stat().st_size + instance.stat().st_size
    done = python("-c", MEASURED, certificate, instance, check=True)
    seconds, megabytes = map(float, done.stdout.split())
    assert seconds < 5 * (1.0 + n_bytes / 2e5), done.stderr
    assert megabytes < 150 + 300 * n_bytes / 2**20, done.stderr


CORRELATIONS = {
    "format": "pyfsel-problem 2",
    "objective": "cfs",
    "scale": 9,
    "quality": [3, 2],
    "pairs": [[0, 1], [1, 0]],
    "n_sets": 1,
    "k": 2,
}
REFUSED_INSTANCES = {
    "an unknown field": ({"at_least_one": [3]}, "'at_least_one'"),
    "weights of another objective": ({"objective_per_feature": 5, "objective_per_pair": 0}, None),
    "an overlap by sizes": ({"shared_weight": 2, "size_weight": 1}, None),
    "an infinite scale": ({**CORRELATIONS, "scale": float("inf")}, None),
    "a negative relevance": ({**CORRELATIONS, "quality": [3, -2]}, "must not be negative"),
    "a negative correlation": ({**CORRELATIONS, "pairs": [[0, -1], [-1, 0]]}, "must not be negative"),
}


@pytest.mark.parametrize("what", REFUSED_INSTANCES)
def test_an_instance_that_asks_something_else_or_nothing_is_refused(what):
    change, message = REFUSED_INSTANCES[what]
    with pytest.raises(checker.RefusedError, match=message):
        checker.Instance.of({**TREE, **change})
