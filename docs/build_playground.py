"""Build the playground: ``python docs/build_playground.py FOLDER``.

The page itself, the models with what they are for, instances to start from, and MiniZinc as WebAssembly, the
npm package `minizinc`.
"""

import json
import re
import shutil
import sys
from pathlib import Path

from citing import cited
from npm_package import npm_package

from pyfsel.backends.minizinc.catalogue import CATALOGUE
from pyfsel.problem.known_objectives import OBJECTIVES, taken_by
from pyfsel.problem.objectives import SUM_AND_MIN, ObjectiveKind

HERE = Path(__file__).parent / "playground"
ROOT = Path(__file__).parents[1]
MODELS = ROOT / "models"
PAGE = (
    "index.html",
    "playground.css",
    "main.js",
    "draw.js",
    "editor.js",
    "engine.js",
    "link.js",
    "values.js",
)

MINIZINC = "minizinc@4.5.1"
ENGINE = ("minizinc.mjs", "minizinc-worker.js", "minizinc.wasm", "minizinc.data")

# (file in the repository, what the page calls it); the first is what the page begins with
INSTANCES = (
    ("models/data/breast_cancer.json", "Breast cancer: 30 features, four sets of five"),
    ("models/data/example.json", "Small example: six features, three sets of two"),
    ("models/data/next_set.json", "Small example: the next set, given others"),
    ("models/data/mrmr.json", "Small example: relevance minus redundancy (mRMR)"),
    ("docs/playground/instances/partition.json", "Small example: sets that share nothing"),
    ("docs/playground/instances/cfs.json", "Small example: correlation-based selection (CFS)"),
    (
        "docs/playground/instances/facility_location.json",
        "Small example: features that stand for all columns",
    ),
    ("instances/real/sonar-univariate-k5-a3-t0.4-sum.json", "Sonar: 60 features, four sets of five"),
    ("instances/real/hepatitis-fcbf-k5-a1-t0.6-sum.json", "Hepatitis: 19 features, conflicts (FCBF)"),
    ("instances/real/hepatitis-mrmr-k5-a1-t0.6-sum.json", "Hepatitis: 19 features, mRMR"),
    ("instances/real/wine-graph_score.json", "Wine: 13 features, graph score, a set of any size"),
    ("models/questions/example.json", "Questions: what else is as good?"),
    ("models/questions/most_sets.json", "Questions: how many sets are there?"),
    ("models/consistency/example.json", "Rows of two classes to be told apart"),
)
# models that are no backend's: what they ask, their example, and the names that their data has to have
OTHERS = (
    ("search/lns.mzn", "models/data/example.json", ("quality",)),
    ("search/restarts.mzn", "models/data/example.json", ("quality",)),
    ("questions/most_dissimilar.mzn", "models/questions/example.json", ("quality", "min_quality")),
    ("questions/most_sets.mzn", "models/questions/most_sets.json", ("quality", "min_quality")),
    ("questions/min_then_sum.mzn", "models/questions/example.json", ("quality",)),
    ("questions/ties.mzn", "models/questions/example.json", ("quality", "optimum")),
    ("consistency/hitting_set.mzn", "models/consistency/example.json", ("to_hit",)),
    ("consistency/rows.mzn", "models/consistency/example.json", ("patterns",)),
)
NOT_CFS = tuple(name for name in OBJECTIVES if name != "cfs")
EXAMPLES = {
    "sequential": "models/data/next_set.json",
    "partition": "docs/playground/instances/partition.json",
    "mrmr": "models/data/mrmr.json",
    "graph_score": "instances/real/wine-graph_score.json",
    "cfs": "docs/playground/instances/cfs.json",
    "facility_location": "docs/playground/instances/facility_location.json",
}


def first_comment(model: Path) -> str:
    """Return what the first line of a model says it is for."""
    line = model.read_text(encoding="utf-8").partition("\n")[0]
    return re.sub(r" \([^)]*\)", "", line.removeprefix("%").strip()).rstrip(".:")


def example_of(name: str) -> str:
    """Return the instance that suits a model of the catalogue."""
    return next(
        (file for start, file in EXAMPLES.items() if name.startswith(start)), "models/data/example.json"
    )


def models() -> list[dict]:
    """Return every model with its description, its example, and the problems that it takes."""
    catalogue = [
        {
            "file": model.path.name,
            "title": first_comment(model.path),
            "about": f"{model.formulation}: {model.description} ({cited(model.equation)})",
            "example": example_of(model.name),
            "objectives": taken_by(model.objectives),
            "aggregates": model.aggregates,
            "single": model.single_set,
            "needs": ("quality",),
        }
        for model in CATALOGUE
    ]
    others = [
        {
            "file": file,
            "title": first_comment(MODELS / file),
            "about": "",
            "example": example,
            "objectives": taken_by([ObjectiveKind.SUMS]) if file.startswith("search/") else NOT_CFS,
            "aggregates": ("sum",) if file.startswith("search/") else SUM_AND_MIN,
            "single": False,
            "needs": needs,
        }
        for file, example, needs in OTHERS
    ]
    return catalogue + others


def build(target: Path) -> None:
    """Write the playground into a folder."""
    (target / "minizinc").mkdir(parents=True, exist_ok=True)
    for name in PAGE:
        shutil.copy(HERE / name, target / name)
    shutil.copy(ROOT / "docs" / "_static" / "logo.svg", target / "logo.svg")
    package = npm_package(MINIZINC)
    for name in ENGINE:
        shutil.copy(package / "dist" / name, target / "minizinc" / name)
    shutil.copy(package / "LICENSE", target / "minizinc" / "LICENSE")
    content = {
        "engine": {name: (package / "dist" / name).stat().st_size for name in ENGINE[2:]},
        "models": models(),
        "files": {
            path.relative_to(MODELS).as_posix(): cited(path.read_text(encoding="utf-8"))
            for path in sorted(MODELS.rglob("*.mzn"))
        },
        "instances": [
            {"id": file, "title": title, "text": (ROOT / file).read_text(encoding="utf-8")}
            for file, title in INSTANCES
        ],
    }
    (target / "content.json").write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")


if __name__ == "__main__":
    build(Path(sys.argv[1]))
