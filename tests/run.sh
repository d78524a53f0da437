#!/usr/bin/env bash
# The whole test run, from a fresh Debian machine: installs what is missing, then lints, type-checks and tests.
# Then, as a second stage, it builds the documentation and tests it, in a browser too. With --quick as the first
# argument only fast tests of every room run, in less than two minutes once all is installed; with --docs only the
# second stage. Other arguments go to pytest, for the first stage alone.
set -euo pipefail
cd "$(dirname "$0")/.."

tests=()
stages=(code docs)
[ $# -eq 0 ] || stages=(code)
if [ "${1:-}" = --docs ]; then
  shift
  stages=(docs)
elif [ "${1:-}" = --quick ]; then
  shift
  tests=(-m "not slow"
    tests/test_house.py
    tests/problem
    tests/results/test_result.py tests/results/test_verify.py
    tests/measures/test_tables.py
    tests/reductions/test_forbidden.py tests/reductions/test_interchange.py
    tests/models/test_models_catalogue.py
    tests/solvers/test_flatzinc_parser.py tests/solvers/test_flatzinc_solvers.py
    tests/algorithms/test_packing.py tests/algorithms/test_greedy.py tests/algorithms/test_graph_score.py
    tests/backends/test_choose.py tests/backends/test_encodings.py tests/backends/test_lying_backends.py
    tests/solving/test_search.py tests/solving/test_confirm.py tests/solving/test_sequential_state.py
    tests/questions/test_feasible.py tests/questions/test_confirm_questions.py
    tests/bench/test_compare.py tests/bench/test_bench_check.py
    tests/selectors/test_graph_selectors.py
    tests/cli/test_option_groups.py tests/cli/test_cli_tables.py)
fi

packages=()
command -v minizinc >/dev/null || packages+=(minizinc)
command -v cbc >/dev/null || packages+=(coinor-cbc)
if [[ " ${stages[*]} " = *" docs "* ]]; then
  command -v chromium >/dev/null || packages+=(chromium)
  command -v chromedriver >/dev/null || packages+=(chromium-driver)
  command -v npm >/dev/null || packages+=(npm)
fi
python3 -c 'import ensurepip' 2>/dev/null || packages+=(python3-venv)
if [ ${#packages[@]} -gt 0 ]; then
  as_root=()
  [ "$(id -u)" -eq 0 ] || as_root=(sudo)
  "${as_root[@]}" apt-get update -qq
  DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${packages[@]}"
fi

venv=$PWD/.venv-test
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
"$venv/bin/python" -m pip install --quiet --upgrade 'pip>=25.1'
"$venv/bin/python" -m pip install --quiet --editable . --group dev
export PATH="$venv/bin:$PATH"
unset PYTHONDONTWRITEBYTECODE # hundreds of processes start, which would all compile the package

if [[ " ${stages[*]} " = *" code "* ]]; then
  ruff format --check .
  ruff check .
  mypy
  # once, not in every process of the tests
  python -c "from pyfsel.solving.compile_searches import compile_searches; compile_searches()"
  # one process more than cores: some tests wait, for limits to pass and processes to end
  python -m pytest -n "$(($(nproc) + 1))" --dist worksteal "${tests[@]}" "$@"
fi
if [[ " ${stages[*]} " = *" docs "* ]]; then
  "$venv/bin/python" -m pip install --quiet --group docs
  bash docs/build.sh
  python -m pytest docs/tests docs/citing.py "$@"
fi
