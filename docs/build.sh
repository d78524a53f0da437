#!/usr/bin/env bash
# Builds the documentation into docs/_build/html, with warnings as errors. It takes the python on the PATH if that has
# Sphinx, else the environment of the tests, made where it is missing; npm fetches MiniZinc for the playground and
# MathJax, by version and hash.
set -euo pipefail
cd "$(dirname "$0")"

python=${PYTHON:-python3}
if ! "$python" -c 'import sphinx, pydata_sphinx_theme, pyfsel' 2>/dev/null; then
  cd ..
  [ -x .venv-test/bin/python ] || python3 -m venv .venv-test
  python=$PWD/.venv-test/bin/python
  install=("$python" -m pip install --quiet --constraint tests/requirements.lock)
  "${install[@]}" 'pip>=25.1' hatchling editables
  "${install[@]}" --no-build-isolation --editable . --group dev --group docs
  cd docs
fi

"$python" -m sphinx --fail-on-warning --keep-going --quiet -b html -d _build/doctrees . _build/html "$@"
"$python" build_playground.py _build/html/playground
echo "docs/_build/html/index.html"
