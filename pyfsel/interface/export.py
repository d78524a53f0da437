"""A problem as a file for another solver."""

from pathlib import Path

from pyfsel.backends.export import export as text_in
from pyfsel.backends.in_cpmpy import CpmpyModel
from pyfsel.backends.in_cpmpy import to_cpmpy as model_of
from pyfsel.errors import InputError
from pyfsel.interface.problem import Problem, solvable
from pyfsel.problem.checks import file_path, suggestion
from pyfsel.problem.text_files import write_text

NAMED_BY_FORMAT = "json dzn wcnf opb lp mps qubo"
EXTENSIONS = {
    **{f".{name}": name for name in NAMED_BY_FORMAT.split()},
    ".py": "cpmpy",
}


def export(problem: Problem, path: str | Path) -> None:
    """Write a problem for another solver; the extension chooses the format.

    ``.json`` and ``.dzn`` contain the whole problem, and MiniZinc reads both as data of the models. The other
    formats request all sets together: with the largest minimum quality if the problem's search is "min" or
    "min_then_sum", otherwise with the largest sum. `pyfsel.check` reads the output of the other solver.

    Parameters
    ----------
    problem : Problem
    path : str or Path
        The path ends in ``.json``, ``.dzn``, ``.wcnf`` (MaxSAT), ``.opb`` (pseudo-Boolean), ``.lp``,
        ``.mps``, ``.py`` (a program that builds a model of CPMpy) or, for one set, ``.qubo``.

    Raises
    ------
    InputError
        If the extension is unknown, the format cannot express the problem, or the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> problem = Problem([3, 2, 1], k=1, n_sets=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     export(problem, f"{folder}/one.lp")
    ...     Path(folder, "one.lp").read_text().splitlines()[-5:]
    ['Binaries', ' x_0_0', ' x_0_1', ' x_0_2', 'End']
    """
    solvable(problem)
    extension = file_path(path).suffix.lower()
    if extension not in EXTENSIONS:
        raise InputError(
            f"{path}: the extension is not a known format. Expected {' '.join(EXTENSIONS)}."
            f"{suggestion(extension, EXTENSIONS)}"
        )
    write_text(path, text_in(problem.stated, EXTENSIONS[extension]))


def to_cpmpy(problem: Problem) -> CpmpyModel:
    """Return a problem as a CPMpy model, to which you can add constraints.

    Any solver of CPMpy accepts the model. It has no symmetry breaking, dominance or other reduction, because
    your own constraints could contradict these, so sets keep their numbers. As in files of other formats, all
    sets are requested together.

    Parameters
    ----------
    problem : Problem
        A problem with any objective except CFS and R².

    Returns
    -------
    CpmpyModel
        ``model``, the variables ``x[i, j]`` (set i contains feature j), ``values`` and ``objective``; `sets`
        returns the sets of the last solution after checking them.

    Raises
    ------
    InputError
        If CPMpy is not installed (``pip install cpmpy``), or the objective has no 0/1 model.

    Examples
    --------
    Feature 0 is in one of the two sets only:

    >>> import cpmpy as cp  # doctest: +SKIP
    >>> made = to_cpmpy(Problem([5, 4, 3], n_sets=2, k=2, dissimilarity="shared:1"))  # doctest: +SKIP
    >>> made.model += cp.sum(made.x[:, 0]) == 1  # doctest: +SKIP
    >>> made.model.solve(), sorted(made.sets())  # doctest: +SKIP
    (True, [(0, 1), (1, 2)])
    """
    solvable(problem)
    return model_of(problem.instance)
