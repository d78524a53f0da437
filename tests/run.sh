#!/usr/bin/env bash
# The whole test run, from a fresh Debian machine: installs what is missing, then lints, type-checks and tests.
# Arguments go to pytest.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=()
command -v minizinc >/dev/null || packages+=(minizinc)
command -v cbc >/dev/null || packages+=(coinor-cbc)
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

ruff format --check .
ruff check .
mypy
python -m pytest -n auto "$@"
