#!/usr/bin/env bash
# Whether this version of the package is slower than another commit: both run the suite speed.toml, and the command
# fails if proofs were lost or more than a quarter more CPU time is shown.
#   bash benchmarks/speed.sh main
set -euo pipefail
cd "$(dirname "$0")/.."
old=$(git rev-parse --verify "${1:?the commit to compare with}^{commit}")
folder=$(mktemp -d)
trap 'git -C "'"$PWD"'" worktree remove --force "$folder/before/source" 2>/dev/null || true; rm -rf "$folder"' EXIT
mkdir "$folder/before" "$folder/now"
git worktree add --quiet --detach "$folder/before/source" "$old"
ln -s "$PWD" "$folder/now/source"

for version in before now; do
  python3 -m venv "$folder/$version/venv"
  "$folder/$version/venv/bin/pip" install --quiet --disable-pip-version-check \
    --constraint tests/requirements.lock "$folder/$version/source"
done
suite=$PWD/benchmarks/speed.toml
cd "$folder" # where no folder pyfsel is taken for the installed package
for version in before now; do
  "$folder/$version/venv/bin/pyfsel" bench run "$suite" -o "$folder/$version/results" --quiet
  "$folder/now/venv/bin/pyfsel" bench check "$folder/$version/results"
done
"$folder/now/venv/bin/pyfsel" bench compare "$folder/before/results" "$folder/now/results" --fail-above 1.25
