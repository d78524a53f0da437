"""Certificates: files with which others can check what is proved, without this package."""

from dataclasses import replace
from pathlib import Path

from pyfsel.backends.export import opb_text
from pyfsel.certificates.certify import certify as make_certificate
from pyfsel.certificates.veripb import asked_of, veripb_proof
from pyfsel.checker import Instance as Asked
from pyfsel.checker import RefusedError
from pyfsel.errors import InputError
from pyfsel.interface.answer import Answer
from pyfsel.interface.problem import Problem
from pyfsel.problem.checks import file_path, is_a
from pyfsel.problem.text_files import write_text
from pyfsel.results.control import LITERAL


def certify(answer: Answer, path: str | Path, time_limit: float | None = 60) -> Answer:
    """Write a certificate for the claims of an answer of `pyfsel.solve`.

    The program `checker.py`, one file that imports nothing from the package, verifies a certificate with
    integers alone; `pyfsel.check` runs it. If no certificate is found for a claim within the time limit, the
    file lists the claim as not certified.

    Parameters
    ----------
    answer : Answer
    path : str or Path
        If it ends in ``.pbp``, the file is a proof for VeriPB about the literal model, which is written next
        to it (``.opb``). Such proofs are for optimal sums of qualities, of one set or of several together.
    time_limit : float, optional
        Seconds for making all certificates together; also limits the steps for the replay of each.

    Returns
    -------
    Answer
        The answer with ``details["certified"]``: the numbers of claims ("n_claims") and of certified claims
        ("n_certified"), the rules, and a "message" that lists the claims that are not certified and why.

    Raises
    ------
    InputError
        If the answer is not one of `solve`, no certificate is for it, or the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from pyfsel.interface.check import check
    >>> from pyfsel.interface.problem import Problem
    >>> from pyfsel.interface.solving import solve
    >>> problem = Problem([9, 8, 7, 3, 2, 1], k=2, n_sets=2, dissimilarity="shared:1")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "sets.cert"
    ...     certified = certify(solve(problem), path).details["certified"]
    ...     certified["n_claims"], certified["n_certified"], check(problem, path)
    (2, 2, [])
    """
    is_a("answer", answer, Answer, "an Answer, such as solve returns")
    if answer.question != "solve":
        raise InputError(
            f"answer: is an answer to {answer.question!r}. Expected one of solve. Try: solve(problem)"
        )
    require_certifiable(answer.problem, path)
    result, path = answer.source, Path(path)
    if is_veripb(path):
        proof = veripb_proof(result, time_limit)
        write_text(path.with_suffix(".opb"), opb_text(result.problem, LITERAL))
        write_text(path, proof)
        return answer
    try:
        made = make_certificate(result, time_limit)
    except KeyboardInterrupt:
        make_certificate(result, interrupted=True).save(path)
        raise
    made.save(path)
    details = {**answer.details, "certified": made.to_dict()}
    return replace(answer, details=details, source=replace(result, certificate=made))


def require_certifiable(problem: Problem, path: str | Path) -> None:
    """Raise `InputError` if no answer to a problem has such a certificate, whatever is found."""
    if problem.search == "min_then_sum":
        raise InputError("search='min_then_sum': has no certificates. Try: search='min'")
    if is_veripb(path):
        asked_of(problem.instance, problem.search == "sequential")
        return
    try:
        Asked.of(problem.instance.to_dict())
    except RefusedError as error:
        raise InputError(
            f"certificate: there is none for this problem ({error}). Try: confirm='auto'"
        ) from None


def is_veripb(path: str | Path) -> bool:
    """Return whether a certificate is a proof for VeriPB."""
    return file_path(path).suffix.lower() == ".pbp"
