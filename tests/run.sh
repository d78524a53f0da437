#!/usr/bin/env bash
# The whole test run, from a fresh Debian machine: installs what is missing, then lints, type-checks and tests.
# Then, as a second stage, it builds the documentation and tests it, in a browser too. With --quick only fast tests
# of every room run, in less than two minutes once all is installed; with --docs only the second stage; with
# --sanitize the tests of what is in C, compiled with the address and undefined behaviour sanitizers of gcc. Other
# arguments go to pytest, for the first stage alone.
#
# The packages are those of tests/requirements.lock (bash tests/lock.sh renews it). With --newest as the first argument
# they are the newest of today; with --lowest the lowest that pyproject.toml allows, and only tests run. Each of the
# three has an environment of its own.
set -euo pipefail
cd "$(dirname "$0")/.."

packages_of=test
case "${1:-}" in
  --newest | --lowest)
    packages_of=${1#--}
    shift
    ;;
esac
tests=()
stages=(code docs)
[ $# -eq 0 ] && [ "$packages_of" != lowest ] || stages=(code)
if [ "${1:-}" = --docs ]; then
  shift
  stages=(docs)
elif [ "${1:-}" = --sanitize ]; then
  shift
  stages=(core)
  tests=(tests/core tests/algorithms tests/measures/test_copies.py)
elif [ "${1:-}" = --quick ]; then
  shift
  tests=(-m "not slow"
    tests/test_house.py
    tests/core tests/problem
    tests/results/test_result.py tests/results/test_verify.py
    tests/measures/test_tables.py
    tests/reductions/test_reductions.py tests/model
    tests/models/test_models_catalogue.py
    tests/drivers/test_sat_counters.py
    tests/algorithms/test_packing.py tests/algorithms/test_greedy.py tests/papers/test_graph_score.py
    tests/backends/test_choose.py tests/backends/test_encodings.py tests/backends/test_lying_backends.py
    tests/solving/test_search.py tests/solving/test_confirm.py tests/solving/test_sequential_state.py
    tests/certificates/test_certify.py
    tests/interface/test_values.py
    tests/questions/test_feasible.py tests/questions/test_cheapest.py
    tests/bench/test_compare.py tests/bench/test_bench_check.py
    tests/selectors/test_columns.py tests/papers/test_graph_selectors.py
    tests/cli/test_select.py)
fi

packages=()
command -v minizinc >/dev/null || packages+=(minizinc)
command -v cbc >/dev/null || packages+=(coinor-cbc)
command -v gcc >/dev/null || packages+=(gcc libc6-dev)
if [[ " ${stages[*]} " = *" code "* ]] && [ ${#tests[@]} -eq 0 ]; then
  command -v clasp >/dev/null || packages+=(clasp)
  command -v java >/dev/null || packages+=(default-jre-headless) # Spark's
fi
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

venv=$PWD/.venv-$packages_of
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
case $packages_of in
  test) versions=(--constraint tests/requirements.lock) ;;
  lowest) versions=(--constraint tests/requirements-lowest.lock) ;;
  newest) versions=(--upgrade --upgrade-strategy eager) ;;
esac
groups=(--group dev)
[[ " ${stages[*]} " != *" docs "* ]] || groups+=(--group docs)
install=("$venv/bin/python" -m pip install --quiet --disable-pip-version-check)
"${install[@]}" "${versions[@]}" 'pip>=25.1' hatchling editables 'setuptools>=70.1'
"${install[@]}" "${versions[@]}" --no-build-isolation --editable . "${groups[@]}"
export PATH="$venv/bin:$PATH"
unset PYTHONDONTWRITEBYTECODE # hundreds of processes start, which would all compile the package

if [[ " ${stages[*]} " = *" code "* ]]; then
  types=
  if [ "$packages_of" != lowest ]; then
    ruff format --check .
    ruff check .
    mypy & # beside the tests, some of which wait
    types=$!
  fi
  # one process more than cores: some tests wait, for limits to pass and processes to end
  python -m pytest -n "$(($(nproc) + 1))" --dist worksteal "${tests[@]}" "$@"
  [ -z "$types" ] || wait "$types"
fi
if [[ " ${stages[*]} " = *" core "* ]]; then
  export PYFSEL_CORE_LIBRARY=$venv/libcore-sanitized.so PYFSEL_FUZZ_TRIALS=${PYFSEL_FUZZ_TRIALS:-50}
  CC=gcc python - <<'CODE'
import os
from pathlib import Path
from pyfsel.core.building import compile_library
sanitizers = ["-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
compile_library(Path(os.environ["PYFSEL_CORE_LIBRARY"]), options=sanitizers)
CODE
  # Python is not compiled with them: it has to find their library first, and that of C++, whose exceptions they watch
  LD_PRELOAD="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libstdc++.so.6)" ASAN_OPTIONS=detect_leaks=0 \
    python -m pytest -n "$(nproc)" --dist worksteal "${tests[@]}" "$@"
fi
if [[ " ${stages[*]} " = *" docs "* ]]; then
  bash docs/build.sh
  python -m pytest docs/tests docs/api_pages.py docs/citing.py "$@"
fi
