#!/usr/bin/env bash
# Writes both locks of the test environments anew: requirements.lock, the newest packages of today, and
# requirements-lowest.lock, the lowest versions that pyproject.toml allows. It takes uv (pip install uv); the locks
# themselves are constraints for pip.
set -euo pipefail
cd "$(dirname "$0")/.."

lock() {
  local file=$1
  shift
  uv pip compile --quiet --upgrade --universal --python-version 3.11 --no-emit-index-url --no-annotate \
    --custom-compile-command "bash tests/lock.sh" --all-extras "$@" --output-file "$file" pyproject.toml
}

lock tests/requirements.lock --group dev --group docs
lock tests/requirements-lowest.lock --group dev --resolution lowest-direct
