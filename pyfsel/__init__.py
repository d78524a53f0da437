"""Alternative feature selection: several dissimilar feature sets, each proved best.

The rooms, each of which imports only those before it: `errors`, `core` (loops in C), `problem` (what is
asked), `results` (what is claimed and what stands), `measures` (from a table to numbers), `reductions`,
`model` (one 0/1 model for all solvers), `drivers` (programs of others), `algorithms` (our own searches),
`backends`, `solving`, `certificates`, `objectives` (as values), `interface` (problem and answer as users see
them), `questions` (other ways to ask), `explore` (which hands them on), `bench`, `selectors`
(scikit-learn), `papers` (systems of the papers), and `cli`, which stands above this file:
it only hands names on. `checker` stands alone: it verifies certificates and imports none of these.

Each public name, listed in `__init__.pyi`, loads what it needs when it is first used.
"""

from typing import Any


def _public() -> dict[str, tuple[str, str]]:
    """Return, by public name, the module that defines it and its name there."""
    import ast
    from pathlib import Path

    stub = ast.parse(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    imports = [line for line in stub.body if isinstance(line, ast.ImportFrom)]
    return {
        alias.asname or alias.name: (str(line.module), alias.name) for line in imports for alias in line.names
    }


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("pyfsel")
    public = _public()
    if name == "__all__":
        found = sorted(public)
    elif name in public:
        from importlib import import_module

        module, its_name = public[name]
        is_room = module == __name__
        found = import_module(f"{module}.{name}") if is_room else getattr(import_module(module), its_name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return list(__getattr__("__all__"))
