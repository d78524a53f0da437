#!/usr/bin/env bash
# A suite in parts, as a job array of Slurm; the parts share a folder and need no connection to each other.
#
#   sbatch --array=1-64 benchmarks/job_array.sh benchmarks/smoke.toml results
#SBATCH --cpus-per-task=1
#SBATCH --mem-per-cpu=5000
set -euo pipefail
suite=${1:?the suite} folder=${2:?where the results go} number=${SLURM_ARRAY_TASK_ID:?not in a job array}
exec pyfsel bench run "$suite" --part "$number/$SLURM_ARRAY_TASK_COUNT" -o "$folder"
