"""What commands load: nothing that takes long to import and is not used."""

import pytest
from running import python

from pyfsel.problem.make import make_instance

HEAVY = {
    "highspy",
    "joblib",
    "matplotlib",
    "networkx",
    "ortools",
    "pandas",
    "pyarrow",
    "pysat",
    "scipy",
    "sklearn",
}
SHOWN = f"""
import sys
from pyfsel.cli.app import main
assert all(main(command.split()) == 0 for command in sys.argv[1:])
print("loaded", *sorted({HEAVY} & {{name.partition(".")[0] for name in sys.modules}}))
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    problem = make_instance([9, 8, 7, 3, 2, 1], k=3, n_sets=2, dissimilarity=0.5)
    (folder / "problem.json").write_text(problem.to_json())
    (folder / "sets.json").write_text("[[0, 1, 2], [0, 3, 4]]")
    rows = [(i % 7 + i / 10, (i * i) % 11 + 0.5, i % 3 + 0.25, i % 2) for i in range(40)]
    (folder / "numbers.csv").write_text("a,b,c,y\n" + "".join(f"{a},{b},{c},{y}\n" for a, b, c, y in rows))
    (folder / "words.csv").write_text(
        "a,b,c,y\n" + "".join(f"{a},{b},{'rust'[y : y + 2]},{y}\n" for a, b, _, y in rows)
    )
    return folder


LIGHT = [
    "solvers --try brute-force",
    "check problem.json sets.json",
    "solve problem.json --solver cpsat --search sum",  # OR-tools in a process of its own
]


@pytest.mark.parametrize(
    ("commands", "loaded"),
    [
        (LIGHT, ""),
        (
            [
                "select numbers.csv -t y -k 2 -n 2 -d 0.5 --near-duplicates note",
                "measure --dataset iris -k 2 -n 2 --objective mrmr --measure mutual_info_binned",
                "select words.csv -t y -k 2 -n 2 -d 0.5",
            ],
            "pandas",
        ),
        (["evaluate numbers.csv -t y -k 2 -n 2 -d 0.5 --cv 2 --repeats 1"], "joblib pandas scipy sklearn"),
    ],
)
def test_commands_load_what_they_use(files, commands, loaded):
    done = python("-c", SHOWN, *commands, cwd=files)
    assert done.returncode == 0, done.stderr
    optional = {"pyarrow"}  # loaded by pandas and joblib where they find it
    assert set(done.stdout.splitlines()[-1].split()[1:]) - optional == set(loaded.split())
