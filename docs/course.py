"""The exercises of the course: models of the playground, also changed, and what the page then says."""

import base64
import json
import zlib
from dataclasses import dataclass
from pathlib import Path

from citing import cited
from docutils import nodes
from sphinx.util.docutils import SphinxDirective

MODELS = Path(__file__).parents[1] / "models"
INSTANCE = "models/data/example.json"
SETS, SUM, MIN = "set_variables.mzn", "simultaneous_sum_literal.mzn", "simultaneous_min_literal.mzn"
PRODUCT = "lib/dissimilarity.mzn"


@dataclass(frozen=True)
class Exercise:
    """A model with one text changed, and what the playground says after its run."""

    model: str
    says: str
    file: str = ""
    old: str = ""
    new: str = ""

    @property
    def link(self) -> str:
        """What stands behind the address of the playground, as its link.js reads it."""
        state = {"i": INSTANCE, "m": self.model, "e": {self.file: self.edited} if self.file else {}}
        packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
        packed = packer.compress(json.dumps(state).encode()) + packer.flush()
        return f"#{base64.urlsafe_b64encode(packed).decode().rstrip('=')}"

    @property
    def edited(self) -> str:
        """The file as it is in the playground, with the change."""
        text = cited((MODELS / self.file).read_text(encoding="utf-8"))
        if text.count(self.old) != 1:
            raise ValueError(f"{self.file}: has {text.count(self.old)} times {self.old}")
        return text.replace(self.old, self.new)


OF_PAIRS = "dissimilar(card(members[s] intersect members[z]), card(members[s]), card(members[z])));"
EXERCISES = {
    "sets": Exercise(SETS, "objective 48"),
    "sets-broken": Exercise(
        SETS, "share more than 1", SETS, OF_PAIRS, OF_PAIRS.replace("intersect members[z]", "diff members[z]")
    ),
    "sets-repaired": Exercise(
        SETS,
        "objective 48",
        SETS,
        OF_PAIRS,
        "card(members[s] diff members[z]) >= k - max_shared);",
    ),
    "sum": Exercise(SUM, "objective 48"),
    "sum-broken": Exercise(
        SUM, "share more than 1", PRODUCT, r"product <= b /\ 1 + product >= a + b;", "product <= b;"
    ),
    "sum-repaired": Exercise(SUM, "objective 48", PRODUCT, r"product <= a /\ product <= b /\ 1 +", "1 +"),
    "min": Exercise(MIN, "objective 15"),
    "min-broken": Exercise(
        MIN,
        "the objective is",
        MIN,
        "constraint forall(s in SETS)(objective_value",
        "constraint exists(s in SETS)(objective_value",
    ),
    "min-repaired": Exercise(
        MIN,
        "objective 15",
        MIN,
        "constraint forall(s in SETS)(objective_value <= quality_of(s));",
        "constraint objective_value = min([quality_of(s) | s in SETS]);",
    ),
}


class ExerciseLink(SphinxDirective):
    """``{exercise} NAME``: a button that opens the playground with it, and what was changed."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the change, if there is one, and the button."""
        exercise = EXERCISES[self.arguments[0]]
        title = f"Open {exercise.model}{' with this change' if exercise.file else ''}"
        address = f"../playground/index.html{exercise.link}"
        button = f'<p><a class="sd-btn sd-btn-outline-primary sd-text-wrap" href="{address}">{title}</a></p>'
        found: list[nodes.Node] = [nodes.raw("", button, format="html")]
        if exercise.file:
            sides = (("-", exercise.old), ("+", exercise.new))
            lines = [f"{sign} {line}" for sign, text in sides for line in _changed(exercise, text)]
            shown = "\n".join([f"% {exercise.file}", *lines])
            found.insert(0, nodes.literal_block(shown, shown, language="diff"))
        return found


def _changed(exercise: Exercise, text: str) -> list[str]:
    """Return the whole lines in which the old or the new text stands, in the file before or after."""
    whole = exercise.edited if text == exercise.new else exercise.edited.replace(exercise.new, exercise.old)
    before, after = whole.split(text, 1)
    start, end = before.rpartition("\n")[2], after.partition("\n")[0]
    return (start + text + end).splitlines()
