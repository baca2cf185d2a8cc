#!/usr/bin/env bash
# Measures the papers' experiments in a lab and stores them in data/lab-runs, for `espalier reproduce all`.
#
#   scripts/store_lab_runs.sh ESPALIER [PAPER...]     e.g. build/release/bin/espalier karonis
#
# Needs root and TUN. MPIS="mpich" measures one MPI only; OPTIONS="--quick" (the default) or "" are handed on. A run that fails leaves what
# was stored before.
set -u
if [ $# -lt 1 ]; then
  sed -n '2,7s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
espalier=$1
shift
folder=$(dirname "$0")/../data/lab-runs
papers=("$@")
[ ${#papers[@]} -gt 0 ] || papers=(karonis banikazemi dichev langer park)
failed=0
for mpi in ${MPIS:-mpich openmpi}; do
  for paper in "${papers[@]}"; do
    file=$folder/$paper-$mpi.json
    # shellcheck disable=SC2086 # options are words
    if "$espalier" reproduce "$paper" --on lab --mpi "$mpi" ${OPTIONS---quick} --json >"$file.part"; then
      mv "$file.part" "$file"
    else
      rm -f "$file.part"
      echo "error: $paper with $mpi was not measured" >&2
      failed=1
    fi
  done
done
exit $failed
