#!/usr/bin/env bash
# What a fresh communicator costs in time and memory, with the library and natively, under both MPIs
# (bench/mpi/fresh_duplicates.cpp).
#
#   scripts/bench_fresh_duplicates.sh BUILD_DIR
set -eu
build=$(cd "${1:?the build folder}" && pwd)
library=$build/lib/libespalier.so

launch() {  # MPI PROGRAM ARGUMENT...
  local mpi=$1
  shift
  if [ "$mpi" = mpich ]; then
    mpiexec.mpich -n 2 -bind-to core -genv LD_PRELOAD "$library" "$@"
  else
    mpiexec.openmpi --allow-run-as-root --oversubscribe -n 2 --bind-to core -x LD_PRELOAD="$library" "$@"
  fi
}

for mpi in mpich openmpi; do
  program=$build/mpi/fresh_duplicates.$mpi
  [ -x "$program" ] || continue
  alive=20000
  [ "$mpi" = openmpi ] || alive=2000  # MPICH has 2,045
  echo "$mpi: $(launch "$mpi" "$program" time)"
  for what in "alive $alive" "freed 20000"; do
    # shellcheck disable=SC2086
    echo "$mpi, native: $(launch "$mpi" "$program" $what native)"
    # shellcheck disable=SC2086
    echo "$mpi, with the library: $(launch "$mpi" "$program" $what)"
  done
done
