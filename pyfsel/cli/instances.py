"""`pyfsel solve`, `check`, `export`, `solvers` and `models`: instance files and solvers."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pyfsel.backends.minizinc.own_model import OwnModel, read_instance
from pyfsel.cli.exit_codes import ExitCode
from pyfsel.cli.named_files import require_writable
from pyfsel.cli.output import LISTED, emit, show, working, write
from pyfsel.cli.parse import Given, command
from pyfsel.drivers.minizinc.model_files import models_dir
from pyfsel.errors import InputError
from pyfsel.interface.answer import Answer
from pyfsel.interface.certify import certify, require_certifiable
from pyfsel.interface.check import checked
from pyfsel.interface.export import EXTENSIONS, export
from pyfsel.interface.problem import Problem
from pyfsel.interface.solving import MiniZincModel, as_solver, model_named, solve, solver_rows
from pyfsel.problem import text_files
from pyfsel.problem.checks import number_of
from pyfsel.problem.instance import Instance


def loaded(
    path: str, model: OwnModel | None = None, search: str | None = None
) -> tuple[Problem, OwnModel | None]:
    """Return the problem of an instance file, and a model with all else that it may use of the file.

    Raises
    ------
    InputError
        If the file is another one, or has a name that is neither a field of instances nor used by the model.
    """
    if path == "-":
        instance = Instance.from_json(text_files.decoded("-", sys.stdin.buffer.read()))
    else:
        instance, model = read_instance(Path(path), model)
    if search is None and model is not None:
        search = instance.replace(search=model.usual_search(instance)).search_word
    return Problem.of_instance(instance, search), model


@command("solve", solve, MiniZincModel, write, arguments="INSTANCE.json")
def solve_command(given: Given, *, search: str | None = None, certificate: str | None = None) -> int:
    """Solve an instance file and verify the sets.

    Parameters
    ----------
    given : Given
    search : {"sequential", "sum", "min", "min_then_sum"}, optional
        In place of the search of the file.
    certificate : str, optional
        Also write a proof that `pyfsel check` and checker.py verify.

    Examples
    --------
    pyfsel solve wine.json
    pyfsel solve wine.json --solver mine.mzn --data more.dzn
    """
    path = given["INSTANCE.json"]
    require_writable("--certificate", certificate, [*given.files, given["output"]])
    options, own = given.of(solve), given.of(MiniZincModel)
    own.pop("solver", None)
    model = None
    if str(options.get("solver", "")).endswith(".mzn"):
        model = as_solver(replace(model_named(options["solver"]), **own))["backend"]
    elif own:
        raise InputError("--data, --rules: are for a MiniZinc model. Try: --solver mine.mzn")
    problem, model = loaded(path, model, search)
    if certificate is not None:
        require_certifiable(problem, certificate)
    if model is not None:
        options["solver"] = model
    with working(given, "solving") as told:
        answer = solve(problem, **options, on_progress=told)
        if certificate is not None and answer.stop_reason != "interrupted":
            given.report("certifying")
            answer = certify_or_stop(answer, certificate, given)
    step = f"{given.again('solve')} --certificate FILE" if answer.sets and not certificate else ""
    return show(given, answer, step)


def certify_or_stop(answer: Answer, path: str, given: Given) -> Answer:
    """Return an answer with its certificate; what is not certified is a caution."""
    try:
        answer = certify(answer, path, given["time_limit"])
    except KeyboardInterrupt:
        return replace(answer, stop_reason="interrupted")
    except InputError:  # the file cannot be written
        show(given, answer)
        raise
    made = answer.details.get("certified")  # proofs for VeriPB are not checked here
    if made and made["n_certified"] < made["n_claims"]:
        given.cautions.append(f"{made['n_certified']} of {made['n_claims']} claims are certified")
    return answer


CLAIMED = (
    "That nothing better exists is a claim, which --confirm, --certificate or another solver can confirm."
)


@command("check", arguments="INSTANCE.json FILE")
def check_command(given: Given) -> int:
    """Check a solution, a certificate, or what another solver printed.

    Notes
    -----
    FILE is recognised: JSON or CSV of `solve`, a list of sets, a certificate, or the
    output (v, s, o lines) of a MaxSAT, pseudo-Boolean, LP or MiniZinc solver; - is the
    standard input.
    Exit code 1 if anything in it is wrong; 4 if a claim is not certified.

    Examples
    --------
    pyfsel check wine.json sets.json
    pyfsel check wine.json wine.cert
    """
    path, file = given["INSTANCE.json"], given["FILE"]
    problem = loaded(path)[0]
    found = checked(problem, text_files.decoded("-", sys.stdin.buffer.read()) if file == "-" else Path(file))
    certified = sum(bool(by) for _, by in found.claims)
    if found.wrong:
        lines = [f"Wrong: {number_of(len(found.wrong), 'error')} in {file}"]
        lines += [f"  {one}" for one in found.wrong]
    elif found.claims:
        word = "Certified" if certified == len(found.claims) else "Not certified"
        lines = [f"{word}: {certified} of {len(found.claims)} claims about {path}"]
        lines += [f"  {claim} ({by or 'not certified'})" for claim, by in found.claims]
        lines += ["Checked by checker.py, which imports nothing else of pyfsel."]
    else:
        lines = [f"Nothing is wrong: {number_of(len(found.sets), 'set')} of {file} ({found.kind})"]
        if found.kind == "answer":
            lines.append(CLAIMED)
    emit("\n".join([*lines, ""]))
    if found.wrong:
        return ExitCode.VIOLATIONS
    return ExitCode.OK if certified == len(found.claims) else ExitCode.NOT_SOLVED


@command(
    "export",
    arguments="INSTANCE.json? FILE?",
    words="FILE",
    notes=f"FILE ends in {' '.join(EXTENSIONS)}",
)
def export_command(given: Given, *, models: str | None = None) -> None:
    """Convert an instance; the ending of FILE chooses the format.

    Parameters
    ----------
    given : Given
    models : str, optional
        Copy the MiniZinc models into a new folder.

    Examples
    --------
    pyfsel export wine.json wine.lp
    pyfsel export --models FOLDER
    """
    path, file = given["INSTANCE.json"], given["FILE"]
    if models is not None:
        try:
            shutil.copytree(models_dir(), models)
        except OSError as error:
            raise InputError(f"--models {models}: cannot be written ({error.strerror or error})") from None
        emit(f"The models are in {models}; README.md there says how to change one\n")
        return
    if file is None:
        raise InputError(f"FILE: is missing. Expected one that ends in {' '.join(EXTENSIONS)}")
    require_writable("FILE", file, [path])
    export(loaded(path)[0], file)


@command("solvers", LISTED, arguments="INSTANCE.json?")
def solvers_command(given: Given, *, all: bool = False, tried: Sequence[str] = ()) -> int:
    """List solvers: what can run here, and what each can prove; for an instance those that suit.

    Parameters
    ----------
    given : Given
    all : bool
        Also those that cannot run here.
    tried : sequence of str
        Solve a tiny instance with those whose names begin so, or with "all"; the exit code is 1 if one does
        not work.

    Examples
    --------
    pyfsel solvers wine.json
    """
    if tried:
        from pyfsel.solving.support import trials

        with working(given, "trying the solvers"):
            rows = list(trials([name for name in tried if name != "all"]))
        if not rows:
            raise InputError(f"--try {tried[0]}: no solver begins so. See pyfsel solvers --all")
        show(given, rows)
        return ExitCode.VIOLATIONS if False in [row["works"] for row in rows] else ExitCode.OK
    path = given["INSTANCE.json"]
    rows = solver_rows(None if path is None else loaded(path)[0])
    rows = [row for row in rows if (all or row["available"]) and not row.pop("why_not", "")]
    printed = []
    for row in rows:
        about = row["summary"] if row["available"] else f"not available: {row['reason']}"
        about += f" ({row['formulations']})"
        printed.append({name: row[name] for name in ("name", "exact", "version")} | {"about": about})
    return show(given, rows, printed=printed)


@command("models", LISTED, arguments="INSTANCE.json?")
def models_command(given: Given, *, support: bool = False) -> int:
    """List the models and formulations, with their sizes for an instance.

    Parameters
    ----------
    given : Given
    support : bool
        Which solver takes which objective and search, as Markdown.

    Examples
    --------
    pyfsel models wine.json
    pyfsel models --support
    """
    from pyfsel.solving.support import describe_models, support_markdown

    if support:
        emit(support_markdown())
        return ExitCode.OK
    path = given["INSTANCE.json"]
    rows = describe_models(None if path is None else loaded(path)[0].instance)
    sizes = () if path is None else ("variables", "constraints")
    printed = [
        {name: row[name] for name in ("name", "formulation", *sizes)}
        | {"about": row.get("note") or row["description"]}
        for row in rows
    ]
    return show(given, rows, printed=printed)
