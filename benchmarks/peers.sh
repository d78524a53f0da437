#!/usr/bin/env bash
# pyfsel beside other packages, where the question is the same: installs them beside it in .venv-peers, and
# writes benchmarks/results/peers/, which docs/results/peers.md shows on one page. It takes half an hour.
set -euo pipefail
cd "$(dirname "$0")/.."
[ -x .venv-peers/bin/python ] || python3 -m venv .venv-peers
.venv-peers/bin/python -m pip install --quiet --disable-pip-version-check --constraint tests/requirements.lock \
  --editable . alfese==1.1.0 feature-engine==1.9.4 mlxtend==0.25.0 skrebate==0.8.4
export PATH="$PWD/.venv-peers/bin:$PATH"
results=benchmarks/results/peers
python benchmarks/peers.py --time-limit 10 >$results/alternatives.md
python benchmarks/mrmr_peers.py --time-limit 20 >$results/mrmr.md
python benchmarks/fractional_peers.py --time-limit 60 >$results/fractional.md
python benchmarks/subset_peers.py >$results/subset_searches.md
